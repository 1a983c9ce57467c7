//! The rules by which entries are kept or skipped.

#![allow(clippy::needless_bitwise_bool, reason = "branches would often be mispredicted")]

use super::{Entry, Move};
use crate::{Piece, Side};

/// The score of an entry that has none.
pub const UNSCORED: i16 = 32002;

/// Skips entries, as programs do that train networks. The default skips only entries without a
/// score, and [`Filter::ALL`] none.
///
/// Whether an entry is kept depends only on itself, the entries before it in its chunk, and its
/// place in the list of files. Only [`pieces`](Filter::pieces) depends on all earlier positions.
///
/// ```
/// use setwise_positions::binpack::Filter;
/// let filter = Filter { skip_checks: true, max_score: Some(3000), ..Filter::default() };
/// assert_ne!(filter, Filter::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "one per rule")]
pub struct Filter {
    /// Keep entries without a score, which have the score 32002 instead.
    pub keep_unscored: bool,
    /// Skip if the score is 0 although the game was won or lost, the ply is above that of the entry
    /// before, and the last score was above 100 in size: a placeholder for no score. The last score
    /// is one that was neither missing nor such a placeholder. The first entry of a chunk is none.
    pub skip_placeholders: bool,
    /// Skip if the side to move is in check.
    pub skip_checks: bool,
    /// Skip if the move is a capture.
    pub skip_captures: bool,
    /// En passant does not count as a capture.
    pub keep_en_passant: bool,
    /// Skip if the score is greater than this, of either sign.
    pub max_score: Option<u16>,
    /// Skip if the ply is less.
    pub min_ply: u16,
    /// Keep every n-th entry of a chunk, from its first. 0 and 1 keep all.
    pub every: u32,
    /// Skip this share of the entries, from 0 to 1, at random.
    pub skip: f64,
    /// Keep an entry with the probability that its score leads to the game's result, by the model
    /// of wins, draws and losses that Stockfish used for scores of its training data.
    pub wld: bool,
    /// Skip if the material of the sides differs by less than this: pawn 208, knight 781, bishop
    /// 825, rook 1276, queen 2538. 0 keeps all.
    pub simple_eval: u32,
    /// Keep early entries with a probability that rises with the ply.
    pub soft_early: Option<SoftEarly>,
    /// Skip positions by their number of pieces, so that the rest is distributed as wanted.
    pub pieces: Option<PieceCounts>,
    /// The seed of all draws.
    pub seed: u64,
}

/// The reason for skipping an entry. If several apply, the first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It has no score: [`Filter::keep_unscored`].
    Unscored,
    /// [`Filter::skip_placeholders`].
    Placeholder,
    /// [`Filter::min_ply`].
    Early,
    /// [`Filter::every`].
    Every,
    /// [`Filter::skip`].
    Random,
    /// [`Filter::max_score`].
    Score,
    /// [`Filter::skip_captures`].
    Capture,
    /// [`Filter::simple_eval`].
    SimpleEval,
    /// [`Filter::soft_early`].
    SoftEarly,
    /// [`Filter::wld`].
    Wld,
    /// [`Filter::skip_checks`].
    Check,
    /// A function of the caller.
    Function,
    /// [`Filter::pieces`].
    Pieces,
}

impl Reason {
    /// All reasons, in the order in which they count.
    pub const ALL: [Reason; 13] = [
        Reason::Unscored,
        Reason::Placeholder,
        Reason::Early,
        Reason::Every,
        Reason::Random,
        Reason::Score,
        Reason::Capture,
        Reason::SimpleEval,
        Reason::SoftEarly,
        Reason::Wld,
        Reason::Check,
        Reason::Function,
        Reason::Pieces,
    ];

    /// The name, for a table of counts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Unscored => "unscored",
            Reason::Placeholder => "placeholder",
            Reason::Early => "early",
            Reason::Every => "every",
            Reason::Score => "score",
            Reason::SimpleEval => "simple_eval",
            Reason::Capture => "capture",
            Reason::Random => "random",
            Reason::SoftEarly => "soft_early",
            Reason::Wld => "wld",
            Reason::Check => "check",
            Reason::Function => "function",
            Reason::Pieces => "pieces",
        }
    }
}

/// The place of an entry in the list of files, and what the rules need of the entries before it in
/// its chunk.
#[derive(Debug, Clone)]
pub struct Context {
    /// The seed of the chunk's draws.
    seed: u64,
    /// The number of the next entry in the chunk, from 0.
    index: u64,
    /// The ply of the last entry. Before the first one, the greatest: no ply is above it.
    ply: u16,
    /// The last score, without those that mark none and placeholders.
    score: i16,
}

impl Context {
    /// The first entry of a chunk, given the place of its file in the list of files and its own in
    /// the file, both from 0. A file that is listed twice has other draws.
    #[must_use]
    pub fn new(filter: &Filter, file: u64, chunk: u64) -> Context {
        let seed = mix(mix(filter.seed ^ mix(chunk)) ^ file);
        Context { seed, index: 0, ply: u16::MAX, score: 0 }
    }
}

/// Applies a [`Filter`] to the entries that one thread reads.
///
/// ```
/// # let file = [&b"BINP"[..], &[38, 0, 0, 0, 0x82, 0x82, 0x90, 0xd2, 0x08, 0xc0, 0x46, 0x52, 0x48,
/// # 0x3a, 0x40, 0, 0x51, 0x10, 0x12, 0x71, 0x9b, 5, 0, 0, 0, 0, 0, 0, 0x0a, 0x68, 1, 0x91, 0, 0x44,
/// # 0, 0, 0, 2, 0x1d, 0x18, 0xf5, 8]].concat();
/// use setwise_positions::binpack::{Chunks, Context, Entries, Filter, Sieve};
/// let filter = Filter { max_score: Some(3000), ..Filter::default() };
/// let (mut sieve, mut kept) = (Sieve::new(filter, 0), 0);
/// let (mut chunks, mut payload) = (Chunks::new(&file[..]), Vec::new());
/// while chunks.next(&mut payload)? {
///     let mut context = Context::new(&filter, 0, chunks.count() - 1);
///     let mut entries = Entries::new(&payload);
///     while let Some(entry) = entries.next()? {
///         kept += u32::from(sieve.skips(entry, &mut context).is_none());
///     }
/// }
/// assert_eq!(kept, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sieve {
    filter: Filter,
    /// Whether the filter has no rule.
    keeps_all: bool,
    counter: Option<PieceCounter>,
}

impl Sieve {
    /// Makes a sieve, given the number of the thread: each draws differently.
    #[must_use]
    pub fn new(filter: Filter, thread: u64) -> Sieve {
        let seed = mix(filter.seed) ^ thread;
        let keeps_all = Filter { seed: 0, ..filter } == Filter::ALL;
        let counter = filter.pieces.map(|wanted| PieceCounter::new(wanted, seed));
        Sieve { filter, keeps_all, counter }
    }

    /// The context of the first entry of a chunk: see [`Context::new`].
    #[must_use]
    pub fn context(&self, file: u64, chunk: u64) -> Context {
        Context::new(&self.filter, file, chunk)
    }

    /// Why the next entry is skipped. `None` if it is kept.
    #[must_use]
    #[inline]
    pub fn skips(&mut self, entry: &Entry, context: &mut Context) -> Option<Reason> {
        self.skips_unless(entry, context, |_| true)
    }

    /// The same with a function that says which entries to keep, before [`Filter::pieces`]. Always
    /// inlined, because callers compile their loop for several CPUs.
    #[must_use]
    #[inline(always)]
    pub fn skips_unless(
        &mut self,
        entry: &Entry,
        context: &mut Context,
        keep: impl FnOnce(&Entry) -> bool,
    ) -> Option<Reason> {
        let reason = if self.keeps_all { None } else { self.filter.skips(entry, context) };
        if reason.is_some() {
            return reason;
        }
        if !keep(entry) {
            return Some(Reason::Function);
        }
        let counter = self.counter.as_mut()?;
        let pieces = entry.board.placement().occupied().count_ones();
        (!counter.keeps(pieces)).then_some(Reason::Pieces)
    }

    /// Whether its filter has no rule.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        self.keeps_all
    }
}

impl Filter {
    /// Keeps all entries, also those without a score.
    pub const ALL: Filter = Filter {
        keep_unscored: true,
        skip_placeholders: false,
        skip_checks: false,
        skip_captures: false,
        keep_en_passant: false,
        max_score: None,
        min_ply: 0,
        every: 0,
        skip: 0.0,
        wld: false,
        simple_eval: 0,
        soft_early: None,
        pieces: None,
        seed: 0,
    };

    /// What Stockfish's trainer skips if it is not configured: no score and placeholders, captures
    /// (not en passant) and checks, unlikely results, and early positions and numbers of pieces by
    /// their defaults.
    pub const STOCKFISH: Filter = Filter {
        keep_unscored: false,
        skip_placeholders: true,
        skip_checks: true,
        skip_captures: true,
        keep_en_passant: true,
        wld: true,
        soft_early: Some(SoftEarly::DEFAULT),
        pieces: Some(PieceCounts::DEFAULT),
        ..Filter::ALL
    };

    /// The same rules with other draws. Pass 0 has those of the filter itself.
    #[must_use]
    pub fn in_pass(self, pass: u64) -> Filter {
        let seed = if pass == 0 { self.seed } else { mix(self.seed ^ mix(pass)) };
        Filter { seed, ..self }
    }

    /// Why the next entry is skipped, but for its pieces. `None` if it is kept.
    #[inline(always)]
    fn skips(&self, entry: &Entry, context: &mut Context) -> Option<Reason> {
        let (index, score) = (context.index, entry.score);
        // Without branches: scores of 0 are many, and hard to predict.
        let is_placeholder = (score == 0)
            & (entry.result != 0)
            & (entry.ply > context.ply)
            & (context.score.unsigned_abs() > 100);
        let keeps_score = (score == UNSCORED) | is_placeholder;
        context.index += 1;
        context.ply = entry.ply;
        context.score = if keeps_score { context.score } else { score };
        let draw = |rule| draw(context.seed, index, rule);
        // The cheapest come first. All draws are independent, so the order does not matter.
        if !self.keep_unscored && score == UNSCORED {
            Some(Reason::Unscored)
        } else if self.skip_placeholders && is_placeholder {
            Some(Reason::Placeholder)
        } else if entry.ply < self.min_ply {
            Some(Reason::Early)
        } else if self.every > 1 && !index.is_multiple_of(self.every.into()) {
            Some(Reason::Every)
        } else if self.skip > 0.0 && draw(0) < self.skip {
            Some(Reason::Random)
        } else if self.max_score.is_some_and(|most| score.unsigned_abs() > most) {
            Some(Reason::Score)
        } else if self.skip_captures
            && entry.is_capture()
            && !(self.keep_en_passant && entry.played.is_en_passant())
        {
            Some(Reason::Capture)
        } else if self.simple_eval > 0 && entry.material_difference() < self.simple_eval {
            Some(Reason::SimpleEval)
        } else if let Some(soft) = &self.soft_early
            && entry.ply < soft.until
            && draw(1) >= soft.keeps(entry.ply)
        {
            Some(Reason::SoftEarly)
        } else if self.wld && entry.ply != Entry::NO_PLY && draw(2) >= entry.likelihood() {
            Some(Reason::Wld)
        } else if self.skip_checks && entry.board.in_check() {
            Some(Reason::Check)
        } else {
            None
        }
    }

    /// Checks the values.
    ///
    /// # Errors
    ///
    /// Names the first value that is not possible.
    pub fn check(&self) -> Result<(), String> {
        let share = |name: &str, value: f64| match value {
            0.0..=1.0 => Ok(()),
            _ => Err(format!("{name} must be from 0 to 1, found {value}")),
        };
        share("skip", self.skip)?;
        // Values of any size and order have a meaning.
        let points = self.soft_early.map(|soft| soft.points).unwrap_or_default();
        if let Some((x, y)) = points.iter().find(|(x, y)| !(x.is_finite() && y.is_finite())) {
            return Err(format!("the points of soft_early must be finite, found ({x}, {y})"));
        }
        let wanted = self.pieces.unwrap_or(PieceCounts([0.0; 5])).0;
        if let Some(wrong) = wanted.iter().find(|value| !(-1e9..=1e9).contains(*value)) {
            return Err(format!("frequencies of pieces must be from -1e9 to 1e9, found {wrong}"));
        }
        Ok(())
    }
}

/// A number from 0 to below 1 for one entry of a chunk and one rule.
#[inline]
fn draw(seed: u64, index: u64, rule: u64) -> f64 {
    let hash = mix(seed ^ index);
    unit(if rule == 0 { hash } else { mix(hash ^ rule) })
}

/// Probabilities of keeping early entries: straight lines through points of ply and probability,
/// and to 1 at a last ply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftEarly {
    /// The ply from which on all entries are kept.
    pub until: u16,
    /// The points before it. They need not be in order.
    pub points: [(f64, f64); 4],
}

impl SoftEarly {
    /// The points that Stockfish's trainer has.
    pub const DEFAULT: SoftEarly =
        SoftEarly { until: 20, points: [(0.0, 0.1), (6.0, 0.15), (10.0, 0.25), (18.0, 0.75)] };

    /// The probability that an entry is kept: that of the first point up to its ply, then of the
    /// first line from a point to the next one that spans the ply, also if the points go beyond
    /// the last ply. 1 if there is none.
    ///
    /// ```
    /// use setwise_positions::binpack::SoftEarly;
    /// let soft = SoftEarly { until: 10, ..SoftEarly::DEFAULT };
    /// assert_eq!(soft.keeps(9), 0.225);
    /// assert_eq!(soft.keeps(10), 1.0);
    /// ```
    #[must_use]
    pub fn keeps(&self, ply: u16) -> f64 {
        let (x, [a, b, c, d]) = (f64::from(ply), self.points);
        let points = [a, b, c, d, (self.until.into(), 1.0)];
        let line = points.windows(2).find(|line| (line[0].0..=line[1].0).contains(&x));
        let keeps = match line {
            _ if ply >= self.until => 1.0,
            _ if x <= a.0 => a.1,
            Some(&[(x1, y1), (x2, y2)]) if x1 < x2 => y1 + (y2 - y1) * (x - x1) / (x2 - x1),
            Some(line) => line[0].1,
            None => 1.0,
        };
        keeps.clamp(0.0, 1.0)
    }
}

/// The wanted relative frequencies of positions with 0, 8, 16, 24 and 32 pieces. A cubic Hermite
/// curve goes through them, with the differences as slopes at the ends and half the difference of
/// the neighbours in between. Below 0 it counts as 0, and if it is never above, all numbers are
/// wanted alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceCounts(pub [f64; 5]);

impl PieceCounts {
    /// The frequencies that Stockfish's trainer has.
    pub const DEFAULT: PieceCounts = PieceCounts([0.0, 0.4, 1.0, 1.0, 0.75]);

    /// The wanted relative frequency of a number of pieces up to 32.
    #[must_use]
    pub fn wanted(&self, pieces: u32) -> f64 {
        let y = &self.0;
        let i = (pieces.min(32) / 8).min(3) as usize;
        let slope = |i: usize| match i {
            0 => y[1] - y[0],
            4 => y[4] - y[3],
            _ => (y[i + 1] - y[i - 1]) / 2.0,
        };
        let t = f64::from(pieces.min(32)) / 8.0 - i as f64;
        let (t2, t3) = (t * t, t * t * t);
        let value = y[i] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + slope(i) * (t3 - 2.0 * t2 + t)
            + y[i + 1] * (3.0 * t2 - 2.0 * t3)
            + slope(i + 1) * (t3 - t2);
        value.max(0.0)
    }
}

/// Skips positions by their number of pieces, so that the rest is distributed as
/// [`PieceCounts`] says.
///
/// A position is kept with the probability `alpha * wanted / seen`, at most 1, where `seen` is the
/// share of its number of pieces so far. `alpha` is such that 2.5 % are kept of the number that is
/// too frequent by most: of all positions, about a tenth. So the rarest numbers are kept whole only
/// if they are rare enough.
///
/// ```
/// use setwise_positions::binpack::{PieceCounter, PieceCounts};
/// let mut counter = PieceCounter::new(PieceCounts([1.0; 5]), 0);
/// // Nine of ten positions have 30 pieces, and one has 10. As many of both are kept.
/// let mut kept = [0; 33];
/// for position in 0..1_000_000 {
///     let pieces = if position % 10 == 0 { 10 } else { 30 };
///     kept[pieces as usize] += u32::from(counter.keeps(pieces));
/// }
/// assert!((22_000..24_000).contains(&kept[30]));
/// assert!(kept[30].abs_diff(kept[10]) < 1000);
/// ```
#[derive(Debug, Clone)]
pub struct PieceCounter {
    /// The wanted shares.
    wanted: [f64; 33],
    counts: [f64; 33],
    total: f64,
    alpha: f64,
    positions: u64,
    random: u64,
}

impl PieceCounter {
    /// Makes a counter. The draws depend on the seed.
    #[must_use]
    pub fn new(wanted: PieceCounts, seed: u64) -> PieceCounter {
        let mut wanted: [f64; 33] = std::array::from_fn(|pieces| wanted.wanted(pieces as u32));
        let sum: f64 = wanted.iter().sum();
        // Without a wanted number, all are wanted.
        wanted = if sum > 0.0 { wanted.map(|wanted| wanted / sum) } else { [1.0 / 33.0; 33] };
        PieceCounter {
            wanted,
            counts: [0.0; 33],
            total: 0.0,
            alpha: 1.0,
            positions: 0,
            random: mix(seed),
        }
    }

    /// Whether to keep the next position, which has this number of pieces.
    pub fn keeps(&mut self, pieces: u32) -> bool {
        let pieces = pieces.min(32) as usize;
        self.counts[pieces] += 1.0;
        self.total += 1.0;
        self.positions += 1;
        if matches!(self.positions, 100 | 500 | 1000 | 2500 | 5000)
            || self.positions.is_multiple_of(10_000)
        {
            self.update();
        }
        self.random = self.random.wrapping_add(GOLDEN);
        unit(mix(self.random)) < self.alpha * self.ratio(pieces)
    }

    /// How much rarer a number of pieces is than wanted, if it was seen.
    fn ratio(&self, pieces: usize) -> f64 {
        self.wanted[pieces] * self.total / self.counts[pieces]
    }

    fn update(&mut self) {
        let is_wanted = |pieces: &usize| self.counts[*pieces] > 0.0 && self.wanted[*pieces] > 0.0;
        let ratios = (0..33).filter(is_wanted).map(|pieces| self.ratio(pieces));
        let least = ratios.fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            self.alpha = LEAST_KEPT / least;
        }
        if self.positions.is_multiple_of(10_000) {
            self.counts.iter_mut().for_each(|count| *count /= 2.0);
            self.total /= 2.0;
        }
    }
}

/// The share that [`PieceCounter`] keeps of the number of pieces that is too frequent by most.
const LEAST_KEPT: f64 = 0.025;

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that `SplitMix64` returns in this state, a hash.
///
/// Source: Sebastiano Vigna: `SplitMix64`, 2015.
#[must_use]
pub const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number from 0 to below 1.
fn unit(hash: u64) -> f64 {
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

impl Entry {
    /// Whether the move captures.
    #[must_use]
    pub fn is_capture(&self) -> bool {
        let target = self.board.codes()[usize::from(self.played.to())];
        let takes = target != 0 && !self.played.is_castling();
        self.played != Move::NONE && takes || self.played.is_en_passant()
    }

    /// How much the material of the sides differs, by [`Filter::simple_eval`]'s values.
    fn material_difference(&self) -> u32 {
        const VALUES: [u32; 6] = [208, 781, 825, 1276, 2538, 0];
        let [white, black] = Side::BOTH.map(|side| {
            let count = |piece| self.board.placement().pieces(side, piece).count_ones();
            Piece::ALL
                .into_iter()
                .zip(VALUES)
                .map(|(piece, value)| value * count(piece))
                .sum::<u32>()
        });
        white.abs_diff(black)
    }

    /// The probability of the result, given score and ply.
    fn likelihood(&self) -> f64 {
        let m = f64::from(self.ply.min(240)) / 64.0;
        let a = ((-3.683_893_04 * m + 30.070_659_21) * m - 60.528_787_23) * m + 149.533_785_57;
        let b = ((-2.018_185_7 * m + 15.856_850_38) * m - 29.834_520_23) * m + 47.590_788_27;
        let x = (100.0 * f64::from(self.score) / 208.0).clamp(-2000.0, 2000.0);
        let beyond = |x: f64| 1.0 / (1.0 + ((a - x) / (1.5 * b)).exp());
        match self.result {
            1 => beyond(x),
            -1 => beyond(-x),
            _ => 1.0 - beyond(x) - beyond(-x),
        }
    }
}
