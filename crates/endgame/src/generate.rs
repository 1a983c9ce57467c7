//! Making the table of an ending.

use std::fmt;

use crate::solver::{Captures, Depth, solve};
use crate::wins::{Men, Wins};
use crate::{Attacks, Color, Ending, Table};

/// How to generate.
///
/// ```
/// use setwise_endgame::{Attacks, Options, generate};
/// let options = Options { threads: 1, attacks: Attacks::Tables, ..Options::default() };
/// let table = generate(&"KRK".parse().unwrap(), &options);
/// assert_eq!(table.longest().unwrap().moves, 16);
/// ```
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Number of threads; 0 for one a processor.
    pub threads: usize,
    /// Where attack sets come from. All ways give the same table.
    pub attacks: Attacks,
    /// In how many passes over the bitmaps a move is taken back. Both ways give the same table.
    pub passes: Passes,
    /// Called with every number of moves that is done. It may run on another thread.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// In how many passes over the bitmaps a move is taken back. The crate's page tells of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passes {
    /// The leap-frog: one pass completes a number of moves and begins the next. One attacker stays in
    /// place, in turns the first piece and the king.
    #[default]
    One,
    /// One pass for the attackers, one for the defender. The two pieces stay in place in turns.
    Two,
}

impl fmt::Display for Passes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "one",
            Self::Two => "two",
        })
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("threads", &self.threads)
            .field("attacks", &self.attacks)
            .field("passes", &self.passes)
            .field("progress", &self.progress.map(|_| "Fn"))
            .finish()
    }
}

/// Tries to start the threads that [`generate`] and [`verify`](crate::verify) panic without; 0 is one a processor.
///
/// # Errors
///
/// The system's reason.
///
/// ```
/// assert!(setwise_endgame::start_threads(2).is_ok());
/// ```
pub fn start_threads(threads: usize) -> std::io::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map(drop).map_err(std::io::Error::other)
}

/// How far the generator is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The ending being solved with the winning side as white.
    pub ending: Ending,
    /// All positions won or lost in this number of moves, or fewer, are known.
    pub moves: usize,
    /// How many are won in just this number of moves with the attacker to move.
    pub won: u64,
    /// How many are lost in just this number of moves with the defender to move.
    pub lost: u64,
    /// The memory that the generator's boards and bitmaps take, in bytes.
    pub bytes: usize,
    /// The bytes of bitmaps that were loaded and stored for this number of moves, without the first scan. A slab is
    /// taken to stay in the cache: what a pass touches there more than once counts once, loaded and stored apart.
    pub bytes_moved: usize,
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
        let sides = [white, black];
        Table {
            ending: ending.clone(),
            sides,
            conversions,
        }
    })
}

/// White's wins, made while `kept` bytes hold other bitmaps; nothing if white's king is bare.
fn wins(ending: &Ending, conversions: &[Wins], kept: usize, options: &Options<'_>) -> Option<Wins> {
    let men = Men::new(ending)?;
    let left = |piece| {
        conversions
            .iter()
            .find(|wins| wins.ending.pieces(Color::White) == [piece])
    };
    let captures = Captures {
        defender: men.second_defender().and_then(|_| left(men.first)),
        first: men.second_attacker().and_then(left),
        second: men.second_attacker().and_then(|_| left(men.first)),
    };
    let sets = options.attacks.prepare(men);
    let deeper = |Depth {
                      moves,
                      won,
                      lost,
                      bytes,
                      moved,
                  }| {
        if let Some(progress) = options.progress {
            progress(&Progress {
                ending: ending.clone(),
                moves,
                won,
                lost,
                bytes: bytes + kept,
                bytes_moved: moved,
            });
        }
    };
    Some(solve(
        ending,
        men,
        &*sets,
        captures,
        options.passes,
        &deeper,
    ))
}
