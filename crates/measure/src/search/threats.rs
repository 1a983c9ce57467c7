//! Times threats: kernels by their function pointers, and look-ups for the build's target and for
//! x86-64-v3, in the same rounds.
//!
//! `cargo bench -p setwise-measure --bench threats` prints, for each kernel, the fastest sample and
//! the median in nanoseconds, and their ratios to the look-ups for any x86-64. The time of the same
//! loop without the call is subtracted. `loop`: the ordinary moves of random games, sixteen games
//! interleaved, so that no board was written just before. `walk`: a call per node of a walk that
//! generates moves and probes a transposition table. Names of kernels as arguments choose some of
//! them. The games start at the positions of the EPD files in the folder `SETWISE_POSITIONS`, or
//! else of the small set in `tests/positions`. Without `--bench`, only the results are compared.

mod games;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Board, Move, Piece};
use setwise::threats::{Changes, MOST, Threat};
use setwise::{Kernel, Square};
use setwise_check::threats::{Codes, Meaning};
use setwise_measure::peers::look_ups::{self, List, Sets};
use setwise_measure::race::{Length, Race};

use games::{Games, generate};

/// The maximum number of moves of a game.
const PLIES: usize = 40;
/// Games played at the same time in the loop.
const INTERLEAVED: usize = 16;
/// The number of games in a sample of the loop.
const GAMES: usize = 512;
/// The number of nodes in a sample of the walk.
const NODES: usize = 4096;

/// A move: what writes the new codes of its squares.
#[derive(Clone, Copy, Default)]
struct Ply {
    /// The slot of the game, of [`INTERLEAVED`].
    slot: usize,
    /// Set at the first position of a game: an index into [`Input::starts`].
    start: Option<usize>,
    /// Whether only one piece moves.
    ordinary: bool,
    /// From, to, and the code that is placed there.
    change: [u8; 3],
    /// The squares and codes that change.
    writes: [(u8, u8); 4],
    count: usize,
}

/// The inputs of all measurements.
struct Input {
    games: Games,
    starts: Vec<Sets>,
    plies: Vec<Ply>,
    /// The positions of the games.
    positions: Vec<Sets>,
}

/// The code of what stands on a square, as in [`Meaning::usual`].
fn code(board: &Board, square: cozy_chess::Square) -> u8 {
    let piece = board.piece_on(square).zip(board.color_on(square));
    piece.map_or(0, |(piece, color)| 1 + piece as u8 + 8 * color as u8)
}

fn sets(board: &Board) -> Sets {
    Sets::new(&cozy_chess::Square::ALL.map(|square| code(board, square)))
}

/// Plays a move.
#[inline(never)]
fn ply(board: &mut Board, chosen: Move) -> Ply {
    let castles = board.color_on(chosen.to) == board.color_on(chosen.from);
    let en_passant = board.piece_on(chosen.from) == Some(Piece::Pawn)
        && chosen.from.file() != chosen.to.file()
        && !board.occupied().has(chosen.to);
    let [from, to] = [chosen.from as u8, chosen.to as u8];
    let others = match (castles, en_passant) {
        (true, _) if to > from => [from & 0x38 | 5, from & 0x38 | 6],
        (true, _) => [from & 0x38 | 2, from & 0x38 | 3],
        (_, true) => [from & 0x38 | to & 7, 64],
        _ => [64, 64],
    };
    board.play_unchecked(chosen);
    let mut ply = Ply { ordinary: !castles && !en_passant, ..Ply::default() };
    for square in [from, to].into_iter().chain(others).filter(|&square| square < 64) {
        let at = cozy_chess::Square::ALL[usize::from(square)];
        ply.writes[ply.count] = (square, code(board, at));
        ply.count += 1;
    }
    ply.change = [from, to, ply.writes[1].1];
    ply
}

impl Input {
    fn new() -> Input {
        let mut input =
            Input { starts: vec![], plies: vec![], positions: vec![], games: Games::new() };
        let mut random = fastrand::Rng::with_seed(1);
        let games: Vec<Vec<Ply>> = (0..GAMES).map(|game| input.play(game, &mut random)).collect();
        for games in games.chunks(INTERLEAVED) {
            for i in 0..=PLIES {
                input.plies.extend(games.iter().filter_map(|plies| plies.get(i)));
            }
        }
        input
    }

    /// Plays a random game and keeps its positions.
    fn play(&mut self, game: usize, random: &mut fastrand::Rng) -> Vec<Ply> {
        let mut board = self.games.starts[random.usize(..self.games.starts.len())].clone();
        let (slot, mut moves) = (game % INTERLEAVED, vec![]);
        self.starts.push(sets(&board));
        let mut plies = vec![Ply { slot, start: Some(game), ..Ply::default() }];
        for _ in 0..PLIES {
            generate(&board, &mut moves);
            if moves.is_empty() {
                break;
            }
            self.positions.push(sets(&board));
            let chosen = moves[random.usize(..moves.len())];
            plies.push(Ply { slot, ..ply(&mut board, chosen) });
        }
        plies
    }

    /// Replays all games with a call before each ordinary move.
    fn replay(&self, mut call: impl FnMut(&Sets, &Ply) -> usize) -> usize {
        let mut boards: [Sets; INTERLEAVED] = std::array::from_fn(|_| self.starts[0].clone());
        let mut sum = 0;
        for ply in &self.plies {
            let board = &mut boards[ply.slot];
            if let Some(start) = ply.start {
                *board = self.starts[start].clone();
                continue;
            }
            if ply.ordinary {
                sum += call(board, ply);
            }
            apply(board, ply);
        }
        sum
    }

    /// A walk with a call before each ordinary move, and `touch`, which may write the board before.
    fn walk(
        &mut self,
        touch: impl Fn(&mut Sets, &Ply),
        mut call: impl FnMut(&Sets, &Ply) -> usize,
    ) -> usize {
        let (mut sum, mut kept) = (0, self.starts[0].clone());
        // The same games each time, but other entries of the table.
        let seed_and_salt = (7, fastrand::u64(..) | 1);
        black_box(self.games.walk(seed_and_salt, NODES, PLIES, |board, chosen| {
            let Some(chosen) = chosen else { return kept = sets(board) };
            let ply = ply(board, chosen);
            touch(&mut kept, &ply);
            if ply.ordinary {
                sum += call(&kept, &ply);
            }
            apply(&mut kept, &ply);
        }));
        sum
    }
}

#[inline(always)]
fn apply(board: &mut Sets, ply: &Ply) {
    for (square, code) in ply.writes[..ply.count].iter().take(4) {
        board.write(*square, *code);
    }
}

/// Writes what is already there, one byte after the other, like a board updated just before.
#[inline(always)]
fn write_again(sets: &mut Sets, ply: &Ply) {
    for square in &ply.change[..2] {
        let at = &mut sets.codes[usize::from(*square)];
        // SAFETY: a reference to a byte. Volatile, so that the compiler keeps the store.
        unsafe { std::ptr::from_mut(at).write_volatile(*at) };
    }
}

fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

/// The code of a row: the same work without a call, look-ups, or a kernel.
#[derive(Clone, Copy)]
enum Way {
    None,
    LookUps,
    LookUpsV3,
    Kernel(&'static Kernel),
    /// With the board written just before the call.
    Touched(&'static Kernel),
}

impl Way {
    fn title(self) -> String {
        match self {
            Way::None => "without a call".into(),
            Way::LookUps => "look-ups, any CPU".into(),
            Way::LookUpsV3 => "look-ups, x86-64-v3".into(),
            Way::Kernel(kernel) => format!("`{}`", kernel.name()),
            Way::Touched(kernel) => format!("`{}`, board just written", kernel.name()),
        }
    }
}

/// Calls the code of a way.
macro_rules! by {
    ($way:expr, $name:ident($($argument:expr),*), |$kernel:ident| $call:expr, $none:expr) => {
        match $way {
            Way::None => $none,
            Way::LookUps => look_ups::any::$name($($argument),*),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `ways` adds this way only if the CPU has the features.
            Way::LookUpsV3 => unsafe { look_ups::v3::$name($($argument),*) },
            #[cfg(not(target_arch = "x86_64"))]
            Way::LookUpsV3 => unreachable!(),
            Way::Kernel($kernel) | Way::Touched($kernel) => $call,
        }
    };
}

fn has_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn ways(touched: bool) -> Vec<Way> {
    let names: Vec<String> = env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let mut ways = vec![Way::None, Way::LookUps];
    ways.extend(has_v3().then_some(Way::LookUpsV3));
    for kernel in Kernel::available() {
        let usual = ["avx512-gfni", "avx2", "sse2", "scalar"].contains(&kernel.name());
        if names.iter().any(|name| name == kernel.name()) || names.is_empty() && usual {
            ways.push(Way::Kernel(kernel));
            ways.extend(touched.then_some(Way::Touched(kernel)));
        }
    }
    ways
}

/// Compares the results of all ways, which must be equal. Then times them, and prints a table of
/// times per `share`-th of a run, less those of the same work without the call.
fn compare(
    title: &str,
    touched: bool,
    share: usize,
    rounds: usize,
    mut run: impl FnMut(Way) -> usize,
) {
    let ways = ways(touched);
    let expected = run(Way::LookUps);
    for &way in &ways[2..] {
        assert_eq!(run(way), expected, "{title}: {}", way.title());
    }
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut race = Race::default();
    let length = Length { rounds, sample: Duration::ZERO };
    race.continue_for(ways.len(), length, |i, _| {
        let start = Instant::now();
        black_box(run(black_box(ways[i])));
        start.elapsed()
    });
    let fastest = |i: usize| race.times.nanoseconds(i, share).minimum;
    let times = |i: usize| (fastest(i) - fastest(0), race.times.above(i, 0, share).median);
    println!("\n| {title} | fastest, ns | ratio | median, ns | ratio |\n|---|---|---|---|---|");
    let look_ups = times(1);
    for (i, way) in ways.iter().enumerate().skip(1) {
        let (fastest, median) = times(i);
        println!(
            "| {} | {fastest:.1} | {:.2} | {median:.1} | {:.2} |",
            way.title(),
            fastest / look_ups.0,
            median / look_ups.1
        );
    }
    println!("| {} | {:.1} | | | |", Way::None.title(), fastest(0));
    println!("\nsum of the results: {:.2}", expected as f64 / share as f64);
}

fn main() {
    let mut input = Input::new();
    let (usual, network) = (Meaning::usual(), Meaning::network());
    let (mut changes, mut lists) = (Changes::new(), [List::default(), List::default()]);
    let moves = input.plies.iter().filter(|ply| ply.ordinary).count();
    let boards = input.positions[..input.positions.len().min(4096)].to_vec();
    let codes: Vec<Codes> = boards.iter().map(|sets| sets.codes).collect();

    for (pairs, meaning) in [("every pair", &usual), ("a network's pairs", &network)] {
        let (rules, some) =
            (meaning.rules(), (meaning.pairs != usual.pairs).then_some(&meaning.pairs));
        let mut moved = |way: Way, sets: &Sets, ply: &Ply| {
            let [from, to, placed] = ply.change;
            let none = usize::from(black_box(sets).codes[usize::from(from)]);
            by!(
                way,
                moved(sets, ply.change, some, &mut lists),
                |kernel| {
                    let [from, to] = [from, to].map(square);
                    kernel.threats_moved(&sets.codes, from, to, placed, &rules, &mut changes);
                    changes.added().len() + changes.removed().len()
                },
                none
            )
        };
        let title = format!("loop: `threats_moved`, {pairs}");
        compare(&title, false, moves, 201, |way| input.replay(|sets, ply| moved(way, sets, ply)));
        if some.is_none() {
            let title = "loop: the same moves as `threats_edited`";
            let mut changes = Changes::new();
            compare(title, false, moves, 201, |way| match way {
                Way::Kernel(kernel) => input.replay(|sets, ply| {
                    let [from, to, placed] = ply.change;
                    let edits = [(square(from), 0), (square(to), placed)];
                    kernel.threats_edited(&sets.codes, &edits, &rules, &mut changes);
                    changes.added().len() + changes.removed().len()
                }),
                _ => input.replay(|sets, ply| moved(way, sets, ply)),
            });
            compare("walk: `threats_moved`, every pair", true, NODES, 1001, |way| match way {
                Way::Touched(_) => input.walk(write_again, |sets, ply| moved(way, sets, ply)),
                _ => input.walk(|_, _| (), |sets, ply| moved(way, sets, ply)),
            });
        }
        let mut list = List::default();
        let mut threats = vec![Threat::default(); MOST * 64];
        let title = format!("`threats` of a position, {pairs}");
        compare(&title, false, boards.len(), 201, |way| match way {
            Way::Kernel(kernel) => {
                let all = codes.chunks(64).map(|codes| {
                    let offsets = &mut [0; 65][..=codes.len()];
                    assert_eq!(kernel.threats(codes, &rules, offsets, &mut threats), codes.len());
                    offsets[codes.len()] as usize
                });
                all.sum()
            }
            _ => {
                boards.iter().map(|sets| by!(way, all(sets, some, &mut list), |_kernel| 0, 0)).sum()
            }
        });
    }
    if !env::args().any(|argument| argument == "--bench") {
        println!("threats: all calls agree; `cargo bench` times them");
    }
}
