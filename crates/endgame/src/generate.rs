//! Generates the table of an ending.

use std::io;
use std::num::NonZero;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::solver::{Captures, solve};
use crate::wins::{Men, Wins};
use crate::{AttackSource, Ending, Side, Table};

/// Options of [`generate`].
///
/// ```
/// use setwise_endgame::{AttackSource, Options, Side, generate};
/// let options = Options { threads: 1, attacks: AttackSource::Tables, ..Options::default() };
/// let table = generate(&"KRK".parse().unwrap(), &options);
/// assert_eq!(table.wins(Side::White).longest().unwrap().moves, 16);
/// ```
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Number of threads (0: one per CPU, but at most 256).
    pub threads: usize,
    /// The source of attack sets. Every source gives the same table.
    pub attacks: AttackSource,
    /// A function to call after each depth, possibly on another thread.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

/// The maximum memory that generating, loading or verifying an ending takes, in bytes, indexed by
/// the number of men.
const MEMORY: [usize; 5] = [0, 0, 1 << 20, 8 << 20, 160 << 20];

/// The maximum default number of threads.
const MAX_THREADS: usize = 256;

/// Checks that the memory for an ending can be allocated and that, with this memory in use,
/// `threads` threads can be started (0: one per CPU, but at most 256). If not, [`generate`],
/// [`verify`](crate::verify) and [`Table::load`] panic or abort.
///
/// # Errors
///
/// [`OutOfMemory`](io::ErrorKind::OutOfMemory), or the operating system's error if the threads
/// cannot be started.
///
/// ```
/// assert!(setwise_endgame::check_resources(&"KRK".parse().unwrap(), 2).is_ok());
/// ```
pub fn check_resources(ending: &Ending, threads: usize) -> io::Result<()> {
    let bytes = MEMORY[ending.men()];
    let mut memory: Vec<u8> = Vec::new();
    memory.try_reserve_exact(bytes).map_err(|_| {
        let reason = format!("not enough memory: {ending} takes up to {} MiB", bytes >> 20);
        io::Error::new(io::ErrorKind::OutOfMemory, reason)
    })?;
    let started = pool(threads).map(drop).map_err(io::Error::other);
    // Otherwise the compiler may remove the allocation.
    std::hint::black_box(&memory);
    started
}

/// Starts `threads` threads (0: the number in `RAYON_NUM_THREADS`, or else one per CPU, but at most
/// 256).
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    let threads = match threads {
        0 => default_threads(std::env::var("RAYON_NUM_THREADS").ok().as_deref()),
        threads => threads,
    };
    ThreadPoolBuilder::new().num_threads(threads).build()
}

/// The default number of threads. `variable` is the value of `RAYON_NUM_THREADS`.
fn default_threads(variable: Option<&str>) -> usize {
    let given = variable.and_then(|text| text.parse().ok());
    let threads = given.or_else(|| available_parallelism().ok());
    threads.map_or(1, NonZero::get).min(MAX_THREADS)
}

/// The progress of [`generate`] after a completed depth.
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
    /// The memory that the generator's boards and bitmaps use, in bytes.
    pub bytes: usize,
}

/// Solves an ending for both sides.
///
/// # Panics
///
/// If the threads cannot be started.
///
/// ```
/// use setwise_endgame::{Options, Side, generate};
/// let table = generate(&"KQK".parse().unwrap(), &Options::default());
/// assert_eq!(table.wins(Side::White).histogram().lost[..3], [364, 1352, 2956]);
/// ```
#[must_use]
pub fn generate(ending: &Ending, options: &Options<'_>) -> Table {
    let pool = pool(options.threads).expect("the threads of the generator start");
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

/// Solves white's wins. `None` if white has a bare king. `kept` is the memory of the bitmaps from
/// earlier runs, in bytes. The reported progress includes it.
fn wins(ending: &Ending, conversions: &[Wins], kept: usize, options: &Options<'_>) -> Option<Wins> {
    let men = Men::new(ending)?;
    let of_piece =
        |piece| conversions.iter().find(|wins| wins.ending.pieces(Side::White) == [piece]);
    let captures = Captures {
        defender: men.second_defender.and_then(|_| of_piece(men.first)),
        first: men.second_attacker.and_then(of_piece),
        second: men.second_attacker.and_then(|_| of_piece(men.first)),
    };
    Some(solve(ending, men, captures, kept, options))
}

#[cfg(test)]
mod tests {
    use super::default_threads;

    #[test]
    fn default_threads_have_a_limit() {
        for (variable, threads) in [("1", 1), ("255", 255), ("256", 256), ("257", 256)] {
            assert_eq!(default_threads(Some(variable)), threads);
        }
        assert_eq!(default_threads(Some("5000")), 256);
        let usual = default_threads(None);
        assert!((1..=256).contains(&usual));
        for variable in ["0", "", "-1", "many", "99999999999999999999"] {
            assert_eq!(default_threads(Some(variable)), usual, "{variable}");
        }
    }
}
