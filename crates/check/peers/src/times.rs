//! Times of counts, lists and perft by the kernels, against those of `cozy-chess` and `shakmaty`,
//! in one process. Every round has the positions in a new order, so that no branch predictor knows
//! them. The least time of all rounds counts.

use std::hint::black_box;
use std::time::Instant;

use cozy_chess::Board;
use setwise::Kernel;
use setwise::moves::{CountColumns, GamePosition, Move};
use setwise_positions::Fen;
use shakmaty::{Chess, Position as _};

use crate::columns::Columns;
use crate::files;
use crate::peers::{cozy_board, game_position, takes_slow_path};
use crate::perft::{KNOWN, by_cozy};

/// Positions per sample: about as many as fit the second-level cache in every form.
const POSITIONS: usize = 2048;

/// Positions that are made into planes at once, where a form has to be.
const CHUNK: usize = 64;

/// A position in all forms that are timed.
#[derive(Clone)]
struct Case {
    position: GamePosition,
    board: Board,
    chess: Chess,
}

/// The least time of each contender, in the order of the first round.
#[derive(Default)]
struct Least(Vec<(String, f64)>);

impl Least {
    fn time(&mut self, name: &str, run: impl FnOnce()) {
        let start = Instant::now();
        run();
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, least)) => *least = least.min(seconds),
            None => self.0.push((name.to_owned(), seconds)),
        }
    }

    /// Prints times per position, and the ratios to some contender.
    fn print(&self, title: &str, to: &str) {
        let of = self.0.iter().find(|(name, _)| name == to).expect("a contender").1;
        println!("{title}:");
        for (name, seconds) in &self.0 {
            let ns = seconds / POSITIONS as f64 * 1e9;
            println!("  {name:44} {ns:8.2} ns {:8.3} of {to}", seconds / of);
        }
    }
}

pub fn print(paths: &[String], kernels: &[&Kernel], rounds: usize) {
    for path in paths {
        let all = files::positions(path);
        let step = (all.len() / POSITIONS).max(1);
        let rare = all.iter().filter(|(position, _)| takes_slow_path(position)).count();
        println!("{path}: {rare} of {} positions take the slow path", all.len());
        let cases: Vec<Case> = all
            .into_iter()
            .step_by(step)
            .take(POSITIONS)
            .map(|(position, chess)| Case {
                position,
                board: cozy_board(&chess).expect("a position"),
                chess,
            })
            .collect();
        assert_eq!(cases.len(), POSITIONS, "{path}: too few positions");
        time(path, kernels, cases, rounds);
    }
    perft(kernels, rounds.div_ceil(20));
    threads(kernels, rounds.div_ceil(20));
}

fn time(path: &str, kernels: &[&Kernel], mut cases: Vec<Case>, rounds: usize) {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut counts, mut lists) = (Least::default(), Least::default());
    let [mut moves, mut checks] = [vec![0; POSITIONS], vec![0; POSITIONS]];
    let (mut offsets, mut list) = (vec![0; POSITIONS + 1], vec![Move::default(); POSITIONS * 80]);
    for _ in 0..rounds {
        random.shuffle(&mut cases);
        let positions: Vec<GamePosition> = cases.iter().map(|case| case.position).collect();
        let boards: Vec<Board> = cases.iter().map(|case| case.board.clone()).collect();
        let chess: Vec<Chess> = cases.iter().map(|case| case.chess.clone()).collect();
        let columns = Columns::new(&positions);
        let seven = SevenSets::new(&positions);
        let by_position: Vec<[u64; 4]> = positions.iter().map(GamePosition::planes).collect();
        for kernel in kernels {
            let name = |form: &str| format!("{}, {form}", kernel.name());
            counts.time(&name("planes"), || {
                let mut results =
                    CountColumns { moves: Some(&mut moves), checks: Some(&mut checks) };
                kernel.legal_counts_in_planes(&columns.planes(), &mut results);
            });
            counts.time(&name("twelve sets"), || {
                let mut results =
                    CountColumns { moves: Some(&mut moves), checks: Some(&mut checks) };
                kernel.legal_counts_in_columns(&columns.sets(), &mut results);
            });
            counts.time(&name("array"), || {
                kernel.legal_counts(&positions, &mut moves, &mut checks);
            });
            counts.time(&name("seven sets, made into planes"), || {
                for first in (0..POSITIONS).step_by(CHUNK) {
                    let planes = seven.planes(first);
                    count(kernel, &columns, &planes, first, [&mut moves, &mut checks]);
                }
            });
            counts.time(&name("planes by position, cut"), || {
                for first in (0..POSITIONS).step_by(CHUNK) {
                    let planes = cut(&by_position[first..first + CHUNK]);
                    count(kernel, &columns, &planes, first, [&mut moves, &mut checks]);
                }
            });
            lists.time(&name("planes"), || {
                kernel.legal_moves_in_planes(&columns.planes(), &mut offsets, &mut list);
            });
            lists.time(&name("array"), || {
                kernel.legal_moves(&positions, &mut offsets, &mut list);
            });
        }
        counts.time("cozy-chess", || {
            let count = |board: &Board| {
                let mut count = 0;
                board.generate_moves(|of_piece| {
                    count += of_piece.len();
                    false
                });
                count
            };
            black_box(boards.iter().map(count).sum::<usize>());
        });
        counts.time("shakmaty", || {
            black_box(chess.iter().map(|position| position.legal_moves().len()).sum::<usize>());
        });
        lists.time("cozy-chess", || {
            let mut list = Vec::with_capacity(POSITIONS * 80);
            for board in &boards {
                board.generate_moves(|of_piece| {
                    list.extend(of_piece);
                    false
                });
            }
            black_box(list);
        });
        lists.time("shakmaty", || {
            for position in &chess {
                black_box(position.legal_moves());
            }
        });
    }
    counts.print(&format!("counts, {path}"), "cozy-chess");
    lists.print(&format!("lists, {path}"), "cozy-chess");
}

/// Counts the moves of a chunk.
fn count(
    kernel: &Kernel,
    columns: &Columns,
    planes: &[[u64; CHUNK]; 4],
    first: usize,
    [moves, checks]: [&mut [u8]; 2],
) {
    let mut positions = columns.planes();
    positions.planes = planes.each_ref().map(|plane| plane.as_slice());
    let states = &mut positions.states;
    let part = first..first + CHUNK;
    states.side = &states.side[part.clone()];
    states.en_passant = &states.en_passant[part.clone()];
    states.castling = states.castling.map(|files| &files[part.clone()]);
    let mut results =
        CountColumns { moves: Some(&mut moves[part.clone()]), checks: Some(&mut checks[part]) };
    kernel.legal_counts_in_planes(&positions, &mut results);
}

/// White's pieces, and the pieces of each kind, in columns.
struct SevenSets([Vec<u64>; 7]);

impl SevenSets {
    fn new(positions: &[GamePosition]) -> SevenSets {
        let sets = |position: &GamePosition| {
            let [white, black] = position.position.pieces;
            let [p, n, b, r, q, k] = std::array::from_fn(|kind| white[kind] | black[kind]);
            [position.planes()[0], p, n, b, r, q, k]
        };
        SevenSets(std::array::from_fn(|n| positions.iter().map(|p| sets(p)[n]).collect()))
    }

    fn planes(&self, first: usize) -> [[u64; CHUNK]; 4] {
        let [white, p, n, b, r, q, k] =
            self.0.each_ref().map(|set| set[first..].first_chunk::<CHUNK>().expect("a chunk"));
        let mut planes = [*white; 4];
        for i in 0..CHUNK {
            planes[1][i] = n[i] | b[i] | q[i];
            planes[2][i] = r[i] | q[i] | k[i];
            planes[3][i] = p[i] | n[i] | k[i];
        }
        planes
    }
}

/// Planes by position to planes in columns.
fn cut(by_position: &[[u64; 4]]) -> [[u64; CHUNK]; 4] {
    let mut planes = [[0; CHUNK]; 4];
    for (i, position) in by_position.iter().enumerate() {
        for (plane, set) in planes.iter_mut().zip(position) {
            plane[i] = *set;
        }
    }
    planes
}

/// The CPU time of this thread, in seconds.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let ns: u64 = text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("nanoseconds");
    ns as f64 * 1e-9
}

/// CPU time of perft of the initial position to depth 6 and of Kiwipete to depth 5.
fn perft(kernels: &[&Kernel], rounds: usize) {
    for (fen, counts) in [KNOWN[0], KNOWN[1]] {
        let position = Fen::parse(fen.as_bytes()).expect("a FEN").game_position();
        let chess = files::chess(fen);
        assert_eq!(position, game_position(&chess));
        let board = cozy_board(&chess).expect("a position");
        let depth = counts.len() as u32;
        let mut least: Vec<(String, f64)> = vec![];
        for _ in 0..rounds {
            let mut time = |name: &str, run: &dyn Fn() -> u64| {
                let start = cpu_time();
                assert_eq!(run(), counts[counts.len() - 1], "{name}");
                let seconds = cpu_time() - start;
                match least.iter_mut().find(|(known, _)| known == name) {
                    Some((_, least)) => *least = least.min(seconds),
                    None => least.push((name.to_owned(), seconds)),
                }
            };
            for kernel in kernels {
                time(kernel.name(), &|| kernel.perft(&position, depth));
            }
            time("cozy-chess", &|| by_cozy(&board, depth));
        }
        let of = least.last().expect("cozy-chess is last").1;
        println!("perft {depth}, {fen}, CPU time, least of {rounds}:");
        for (name, seconds) in &least {
            let speed = counts[counts.len() - 1] as f64 / seconds / 1e6;
            println!("  {name:20} {seconds:8.3} s {speed:8.0} M/s {:8.3}", seconds / of);
        }
    }
}

/// Wall time of perft of the initial position to depth 6 and of Kiwipete to depth 5 by two threads,
/// over that by one.
fn threads(kernels: &[&Kernel], rounds: usize) {
    for (fen, counts) in [KNOWN[0], KNOWN[1]] {
        let position = Fen::parse(fen.as_bytes()).expect("a FEN").game_position();
        let depth = counts.len() as u32;
        println!("perft {depth}, {fen}, two threads over one, wall time, {rounds} pairs:");
        for kernel in kernels {
            let mut seconds = [const { vec![] }; 2];
            for _ in 0..rounds {
                for (threads, seconds) in (1..).zip(&mut seconds) {
                    let start = Instant::now();
                    let found = kernel.perft_each(&[position], depth, threads, |_| true);
                    seconds.push(start.elapsed().as_secs_f64());
                    assert_eq!(found, [counts[counts.len() - 1]], "{}", kernel.name());
                }
            }
            let [one, two] = &seconds;
            let mut ratios: Vec<f64> = one.iter().zip(two).map(|(one, two)| two / one).collect();
            ratios.sort_by(f64::total_cmp);
            let least = |seconds: &[f64]| seconds.iter().copied().fold(f64::MAX, f64::min);
            println!(
                "  {:20} {:8.3} s {:8.3} s: least {:.3}, median {:.3}",
                kernel.name(),
                least(one),
                least(two),
                least(two) / least(one),
                (ratios[(rounds - 1) / 2] + ratios[rounds / 2]) / 2.0,
            );
        }
    }
}
