//! Generates the table of an ending.

use std::fmt;

use crate::solver::{Captures, Depth, solve};
use crate::wins::{Men, Wins};
use crate::{AttackSource, Color, Ending, Table};

/// Options of [`generate`].
///
/// ```
/// use setwise_endgame::{AttackSource, Options, generate};
/// let options = Options { threads: 1, attacks: AttackSource::Tables, ..Options::default() };
/// let table = generate(&"KRK".parse().unwrap(), &options);
/// assert_eq!(table.longest().unwrap().moves, 16);
/// ```
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Number of threads (0: one per CPU).
    pub threads: usize,
    /// The source of attack sets. Every source gives the same table.
    pub attacks: AttackSource,
    /// A function to call after each depth, possibly on another thread.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("threads", &self.threads)
            .field("attacks", &self.attacks)
            .field("progress", &self.progress.map(|_| "Fn"))
            .finish()
    }
}

/// Checks that `threads` threads can be started (0: one per CPU); [`generate`] and
/// [`verify`](crate::verify) panic if they cannot.
///
/// # Errors
///
/// The operating system's error, if the threads cannot be started.
///
/// ```
/// assert!(setwise_endgame::start_threads(2).is_ok());
/// ```
pub fn start_threads(threads: usize) -> std::io::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(drop).map_err(std::io::Error::other)
}

/// The progress of a generator after one more depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The ending being solved, with the winning side as white.
    pub ending: Ending,
    /// The depth just completed. All positions that are won or lost in at most this number of moves
    /// are known.
    pub moves: usize,
    /// The number of positions that the attacker, to move, wins in exactly `moves` moves.
    pub won: u64,
    /// The number of positions that the defender, to move, loses in exactly `moves` moves.
    pub lost: u64,
    /// The memory of the generator's boards and bitmaps, in bytes.
    pub bytes: usize,
}

/// Solves an ending for both sides.
///
/// # Panics
///
/// If the threads cannot be started.
///
/// ```
/// use setwise_endgame::{Options, generate};
/// let table = generate(&"KQK".parse().unwrap(), &Options::default());
/// assert_eq!(table.histogram().lost[..3], [364, 1352, 2956]);
/// ```
#[must_use]
pub fn generate(ending: &Ending, options: &Options<'_>) -> Table {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .expect("the threads of the generator start");
    pool.install(|| {
        let mut conversions = Vec::new();
        for three in ending.conversions() {
            conversions.extend(wins(&three, &[], 0, options));
        }
        let mut kept = conversions.iter().map(Wins::bytes).sum();
        let swapped = ending.swapped();
        let white = wins(ending, &conversions, kept, options);
        kept += white.as_ref().map_or(0, Wins::bytes);
        let black = if swapped == *ending {
            white.clone()
        } else {
            wins(&swapped, &conversions, kept, options)
        };
        let black = black.unwrap_or_else(|| Wins::none(&swapped, white.as_ref()));
        let white = white.unwrap_or_else(|| Wins::none(ending, Some(&black)));
        Table { ending: ending.clone(), sides: [white, black], conversions }
    })
}

/// Solves white's wins. `None` if white has a bare king. `kept` is the memory of the bitmaps
/// already kept, in bytes.
fn wins(ending: &Ending, conversions: &[Wins], kept: usize, options: &Options<'_>) -> Option<Wins> {
    let men = Men::new(ending)?;
    let of_piece =
        |piece| conversions.iter().find(|wins| wins.ending.pieces(Color::White) == [piece]);
    let captures = Captures {
        defender: men.second_defender().and_then(|_| of_piece(men.first)),
        first: men.second_attacker().and_then(of_piece),
        second: men.second_attacker().and_then(|_| of_piece(men.first)),
    };
    let sets = options.attacks.prepare(men);
    let progress = |depth: Depth| {
        if let Some(progress) = options.progress {
            progress(&Progress {
                ending: ending.clone(),
                moves: depth.moves,
                won: depth.won,
                lost: depth.lost,
                bytes: depth.bytes + kept,
            });
        }
    };
    Some(solve(ending, men, &*sets, captures, &progress))
}
