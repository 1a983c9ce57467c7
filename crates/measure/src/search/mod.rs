//! Calls where a search makes them: between the moves of random games. `setwise bench --workload`
//! prints their tables.
//!
//! The time of the same work without the call is subtracted. All ways of a table must have equal
//! results before they are timed.

pub mod threats;
pub mod walk;

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Board, Move};

use crate::race::{Length, Race};

/// The positions of the tests. (The file in `data` is a link to them.)
const STARTS: &str = include_str!("../../data/known.epd");

/// Tables of one workload.
pub struct Tables {
    /// The tables so far, as Markdown.
    pub text: String,
    /// The rounds of a full measurement are divided by this.
    pub divisor: usize,
}

impl Tables {
    /// Adds a table of the times per `share`-th of a run, less those of the first way, which does
    /// the same work without a call. The second way is the one that the others are compared with.
    /// `run` gets a way and the number of its earlier samples.
    ///
    /// # Panics
    /// If the results differ.
    fn add<W: Copy>(
        &mut self,
        title: &str,
        ways: &[(String, W)],
        (share, rounds): (usize, usize),
        mut run: impl FnMut(W, u64) -> u64,
    ) {
        let expected = run(ways[1].1, 0);
        for (name, way) in &ways[2..] {
            assert_eq!(run(*way, 0), expected, "{title}: {name}");
        }
        let rounds = (rounds / self.divisor).max(1);
        let mut race = Race::default();
        let mut samples = vec![0; ways.len()];
        let length = Length { rounds, sample: Duration::ZERO };
        race.continue_for(ways.len(), length, |i, _| {
            samples[i] += 1;
            let start = Instant::now();
            black_box(run(black_box(ways[i].1), samples[i]));
            start.elapsed()
        });
        let fastest = |i: usize| race.times.nanoseconds(i, share).minimum;
        let times = |i: usize| (fastest(i) - fastest(0), race.times.above(i, 0, share).median);
        let header = "fastest, ns | ratio | median, ns | ratio |\n|---|---|---|---|---|";
        let _ = writeln!(self.text, "\n| {title} | {header}");
        let reference = times(1);
        for (i, (name, _)) in ways.iter().enumerate().skip(1) {
            let (fastest, median) = times(i);
            let ratios = (fastest / reference.0, median / reference.1);
            let _ = writeln!(
                self.text,
                "| {name} | {fastest:.1} | {:.2} | {median:.1} | {:.2} |",
                ratios.0, ratios.1
            );
        }
        let none = race.times.nanoseconds(0, share).median;
        let _ = writeln!(self.text, "| {} | {:.1} | | {none:.1} | |", ways[0].0, fastest(0));
    }
}

/// Generates the legal moves. Not inlined, so that all walks run the same code.
#[inline(never)]
fn generate(board: &Board, moves: &mut Vec<Move>) {
    moves.clear();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
}

/// The positions in which games start, and the transposition table.
struct Games {
    starts: Vec<Board>,
    /// 64 MiB. Each entry holds the hash of the last position stored in it.
    table: Vec<u64>,
}

impl Games {
    /// Games that start at the positions of EPD or FEN lines, or else at those of the tests.
    fn new(lines: Option<&str>) -> Result<Games, String> {
        let board = |line: &str| {
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            let fen = format!("{} 0 1", fields.join(" "));
            fen.parse().map_err(|error| format!("{line}: {error}"))
        };
        let lines = lines.unwrap_or(STARTS).lines().filter(|line| !line.trim().is_empty());
        let starts: Vec<Board> = lines.map(board).collect::<Result<_, String>>()?;
        if starts.is_empty() {
            return Err("no positions found".into());
        }
        Ok(Games { starts, table: vec![0; 8 << 20] })
    }

    /// Walks through at least `nodes` nodes of games of at most `plies` moves, which depend only on
    /// the seed. Calls `visit` with the start of each game, then at each node with the move, which
    /// `visit` plays. An odd `salt` selects the entries of the table: with a new one, no walk finds
    /// those of an earlier walk in the caches. Returns the number of hits in the table.
    #[inline(always)]
    fn walk(
        &mut self,
        (seed, salt): (u64, u64),
        nodes: usize,
        plies: usize,
        mut visit: impl FnMut(&mut Board, Option<Move>),
    ) -> usize {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut moves: Vec<Move> = Vec::with_capacity(256);
        let (mut hits, mut visited) = (0, 0);
        while visited < nodes {
            let mut board = self.starts[random.usize(..self.starts.len())].clone();
            visit(&mut board, None);
            for _ in 0..plies {
                let hash = board.hash();
                let entry = (hash.wrapping_mul(salt) >> 41) as usize;
                hits += usize::from(self.table[entry] == hash);
                self.table[entry] = hash;
                visited += 1;
                generate(&board, &mut moves);
                let Some(&chosen) = moves.get(random.usize(..moves.len().max(1))) else { break };
                visit(&mut board, Some(chosen));
            }
        }
        hits
    }
}

#[cfg(test)]
mod tests {
    use setwise::Kernel;

    use super::{Tables, threats, walk};

    /// All ways have equal results, and there is a table for each group.
    #[test]
    fn all_calls_agree() {
        type Measure = fn(&mut Tables, &[&'static Kernel], Option<&str>) -> Result<(), String>;
        let kernels: Vec<_> = Kernel::available().collect();
        for (measure, count) in [(walk::measure as Measure, 5), (threats::measure, 11)] {
            let mut tables = Tables { text: String::new(), divisor: 1000 };
            assert!(measure(&mut tables, &kernels, Some("8/8 w")).is_err());
            measure(&mut tables, &kernels, None).unwrap();
            assert_eq!(tables.text.matches("| fastest, ns |").count(), count, "{}", tables.text);
        }
    }
}
