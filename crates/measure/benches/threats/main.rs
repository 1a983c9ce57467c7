//! Times threats: kernels by their function pointers, and [look-ups](lookups) for the build's
//! target and for x86-64-v3, in the same rounds.
//!
//! `cargo bench -p setwise-measure --bench threats` prints, for each kernel, the fastest sample and
//! the median in nanoseconds, and their ratios to the look-ups for any x86-64. `loop`: the ordinary
//! moves of random games, sixteen games interleaved, so that no board was written just before. The
//! time of the same loop without the call is subtracted. `walk`: a call per node of a walk that
//! generates moves and probes a transposition table. Names of kernels as arguments choose some of
//! them. The games start at the positions of the EPD files in the folder `SETWISE_POSITIONS`, or
//! else of the small set in `tests/positions`. Without `--bench`, only the results are compared.

#[path = "../epd/mod.rs"]
mod epd;
mod lookups;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Board, Move, Piece};
use setwise::threats::{Changes, Rules, Threat};
use setwise::{Kernel, Square};
use setwise_check::threats::{Meaning, VALUES};
use setwise_measure::race::{Length, Race};

use lookups::{List, Pairs, Sets};

/// A board's codes, as in [`Meaning::usual`].
type Codes = [u8; 64];

/// The maximum number of moves of a game.
const PLIES: usize = 40;
/// Games played at the same time in the loop.
const INTERLEAVED: usize = 16;
/// The number of games in a sample of the loop.
const GAMES: usize = 512;
/// The number of nodes in a sample of the walk.
const NODES: usize = 4096;

/// What writes the new codes of a move's squares.
#[derive(Clone, Copy, Default)]
struct Ply {
    /// The slot of the game, of [`INTERLEAVED`].
    slot: usize,
    /// Set at the first position of a game: an index into [`Input::starts`].
    start: Option<usize>,
    /// Whether only one piece moves.
    ordinary: bool,
    from: u8,
    to: u8,
    placed: u8,
    /// The squares and codes that change.
    writes: [(u8, u8); 4],
    count: usize,
}

/// The inputs of all measurements.
struct Input {
    boards: Vec<Board>,
    starts: Vec<Codes>,
    plies: Vec<Ply>,
    moves: usize,
    /// The positions of the games.
    positions: Vec<Codes>,
    /// Moves with an index into `positions`: no castling, no captures by pawns, and none for which
    /// the pieces' values alone decide the exchange.
    exchanges: Vec<(usize, [u8; 2])>,
    table: Vec<u64>,
}

fn codes(board: &Board) -> Codes {
    let mut codes = [0; 64];
    for square in board.occupied() {
        let (color, piece) = (board.color_on(square).unwrap(), board.piece_on(square).unwrap());
        codes[square as usize] = 1 + piece as u8 + 8 * color as u8;
    }
    codes
}

/// Plays a move. The codes that it changes are those that differ.
#[inline(never)]
fn ply(board: &mut Board, chosen: Move) -> Ply {
    let castles = board.color_on(chosen.to) == board.color_on(chosen.from);
    let en_passant = board.piece_on(chosen.from) == Some(Piece::Pawn)
        && chosen.from.file() != chosen.to.file()
        && !board.occupied().has(chosen.to);
    let mut squares = [chosen.from as u8, chosen.to as u8, 64, 64];
    if castles {
        let rank = chosen.from as u8 & 0x38;
        let king_side = chosen.to as u8 > chosen.from as u8;
        [squares[2], squares[3]] =
            if king_side { [rank + 5, rank + 6] } else { [rank + 2, rank + 3] };
    } else if en_passant {
        squares[2] = chosen.from as u8 & 0x38 | chosen.to as u8 & 7;
    }
    board.play_unchecked(chosen);
    let mut ply = Ply { ordinary: !castles && !en_passant, ..Ply::default() };
    (ply.from, ply.to) = (squares[0], squares[1]);
    for square in squares.into_iter().filter(|&square| square < 64) {
        let at = cozy_chess::Square::ALL[usize::from(square)];
        let code = board
            .piece_on(at)
            .map_or(0, |piece| 1 + piece as u8 + 8 * board.color_on(at).unwrap() as u8);
        ply.writes[ply.count] = (square, code);
        ply.count += 1;
    }
    ply.placed = ply.writes[1].1;
    ply
}

#[inline(never)]
fn generate(board: &Board, moves: &mut Vec<Move>) {
    moves.clear();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
}

impl Input {
    fn new() -> Input {
        let boards: Vec<Board> = epd::lines().lines().map(epd::board).collect();
        let mut random = fastrand::Rng::with_seed(1);
        let mut input = Input {
            starts: vec![],
            plies: vec![],
            moves: 0,
            positions: vec![],
            exchanges: vec![],
            table: vec![0; 8 << 20],
            boards,
        };
        let mut moves = vec![];
        let games: Vec<Vec<Ply>> = (0..GAMES)
            .map(|game| {
                let mut board = input.boards[random.usize(..input.boards.len())].clone();
                let slot = game % INTERLEAVED;
                input.starts.push(codes(&board));
                let mut plies = vec![Ply { slot, start: Some(game), ..Ply::default() }];
                for _ in 0..PLIES {
                    generate(&board, &mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    input.positions.push(codes(&board));
                    let at = codes(&board);
                    for chosen in moves.iter().filter(|_| random.u8(..16) == 0) {
                        let squares = [chosen.from as u8, chosen.to as u8];
                        let [mover, victim] = squares.map(|square| at[usize::from(square)]);
                        let ends = VALUES[usize::from(mover)] <= VALUES[usize::from(victim)];
                        let special = victim != 0 && victim / 8 == mover / 8
                            || mover % 8 == 1 && chosen.from.file() != chosen.to.file();
                        if !ends && !special {
                            input.exchanges.push((input.positions.len() - 1, squares));
                        }
                    }
                    let chosen = moves[random.usize(..moves.len())];
                    plies.push(Ply { slot, ..ply(&mut board, chosen) });
                }
                plies
            })
            .collect();
        for games in games.chunks(INTERLEAVED) {
            for i in 0..=PLIES {
                input.plies.extend(games.iter().filter_map(|plies| plies.get(i)));
            }
        }
        input.moves = input.plies.iter().filter(|ply| ply.ordinary).count();
        input
    }
}

/// What a game keeps: codes, and for look-ups also sets.
trait Keeps: Clone {
    fn new(codes: &Codes) -> Self;
    fn write(&mut self, square: u8, code: u8);
}

impl Keeps for Codes {
    fn new(codes: &Codes) -> Self {
        *codes
    }
    #[inline(always)]
    fn write(&mut self, square: u8, code: u8) {
        self[usize::from(square)] = code;
    }
}

impl Keeps for Sets {
    fn new(codes: &Codes) -> Self {
        Sets::new(codes)
    }
    #[inline(always)]
    fn write(&mut self, square: u8, code: u8) {
        Sets::write(self, square, code);
    }
}

#[inline(always)]
fn apply<K: Keeps>(board: &mut K, ply: &Ply) {
    for (square, code) in ply.writes[..ply.count].iter().take(4) {
        board.write(*square, *code);
    }
}

/// Replays all games with a call before each ordinary move.
#[inline(always)]
fn replay<K: Keeps>(input: &Input, starts: &[K], mut call: impl FnMut(&K, &Ply) -> usize) -> usize {
    let mut boards: [K; INTERLEAVED] = std::array::from_fn(|_| starts[0].clone());
    let mut sum = 0;
    for ply in &input.plies {
        let board = &mut boards[ply.slot];
        if let Some(start) = ply.start {
            *board = starts[start].clone();
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
#[inline(always)]
fn walk<K: Keeps>(
    input: &mut Input,
    touch: impl Fn(&mut K, &Ply),
    mut call: impl FnMut(&K, &Ply) -> usize,
) -> usize {
    let mut random = fastrand::Rng::with_seed(7);
    // The same games each time, but other entries of the table.
    let salt = fastrand::u64(..) | 1;
    let mut moves: Vec<Move> = Vec::with_capacity(256);
    let (mut sum, mut nodes) = (0_usize, 0);
    while nodes < NODES {
        let mut board = input.boards[random.usize(..input.boards.len())].clone();
        let mut kept = K::new(&codes(&board));
        for _ in 0..PLIES {
            let hash = board.hash();
            let entry = (hash.wrapping_mul(salt) >> 41) as usize;
            sum = sum.wrapping_add(usize::from(input.table[entry] == hash));
            input.table[entry] = hash;
            nodes += 1;
            generate(&board, &mut moves);
            let Some(&chosen) = moves.get(random.usize(..moves.len().max(1))) else { break };
            let ply = ply(&mut board, chosen);
            touch(&mut kept, &ply);
            if ply.ordinary {
                sum = sum.wrapping_add(call(&kept, &ply));
            }
            apply(&mut kept, &ply);
        }
    }
    sum
}

/// Writes what is already there, one byte after the other, like a board updated just before.
#[inline(always)]
fn write_again(codes: &mut Codes, ply: &Ply) {
    for square in [ply.from, ply.to] {
        let at = &mut codes[usize::from(square)];
        // SAFETY: a reference to a byte. Volatile, so that the compiler keeps the store.
        unsafe { std::ptr::from_mut(at).write_volatile(*at) };
    }
}

fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

/// The code of a column: a kernel, or look-ups.
#[derive(Clone, Copy)]
enum Way {
    /// The same work without a call, for [`Codes`] and for [`Sets`].
    Codes,
    Sets,
    LookUps,
    LookUpsV3,
    Kernel(&'static Kernel),
    /// With the board written just before the call.
    Touched(&'static Kernel),
}

impl Way {
    fn title(self) -> String {
        match self {
            Way::Codes => "without a call".into(),
            Way::Sets => "without a call, with sets".into(),
            Way::LookUps => "look-ups, any CPU".into(),
            Way::LookUpsV3 => "look-ups, x86-64-v3".into(),
            Way::Kernel(kernel) => format!("`{}`", kernel.name()),
            Way::Touched(kernel) => format!("`{}`, board just written", kernel.name()),
        }
    }

    /// Which entry of `ways` is the same work without the call.
    fn baseline(self) -> usize {
        usize::from(matches!(self, Way::LookUps | Way::LookUpsV3))
    }
}

/// Calls a look-up for the build's target or for x86-64-v3.
macro_rules! look_up {
    ($v3:expr, $name:ident($($argument:expr),*)) => {
        if $v3 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `ways` adds this way only if the CPU has the features.
            unsafe { lookups::v3::$name($($argument),*) }
            #[cfg(not(target_arch = "x86_64"))]
            unreachable!()
        } else {
            lookups::any::$name($($argument),*)
        }
    };
}

fn has_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    return ["avx2", "bmi1", "bmi2", "fma", "lzcnt", "movbe", "popcnt"]
        .iter()
        .all(|_| is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2"));
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn kernels() -> impl Iterator<Item = &'static Kernel> {
    let names: Vec<String> = env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    Kernel::available().filter(move |kernel| {
        if names.is_empty() {
            kernel.gains_threats() || ["ssse3", "scalar"].contains(&kernel.name())
        } else {
            names.iter().any(|name| name == kernel.name())
        }
    })
}

fn ways(touched: bool) -> Vec<Way> {
    let mut ways = vec![Way::Codes, Way::Sets, Way::LookUps];
    if has_v3() {
        ways.push(Way::LookUpsV3);
    }
    for kernel in kernels() {
        ways.push(Way::Kernel(kernel));
        if touched {
            ways.push(Way::Touched(kernel));
        }
    }
    ways
}

/// Times `run` for all ways, and prints a table of times per `share`-th of a run, less those of the
/// same work without the call.
fn compare(
    title: &str,
    ways: &[Way],
    share: usize,
    rounds: usize,
    mut run: impl FnMut(Way) -> usize,
) {
    let mut race = Race::default();
    let length = Length { rounds, sample: Duration::ZERO };
    race.continue_for(ways.len(), length, |i, _| {
        let start = Instant::now();
        black_box(run(black_box(ways[i])));
        start.elapsed()
    });
    let minimum = |i: usize| {
        race.times.nanoseconds(i, share).minimum
            - race.times.nanoseconds(ways[i].baseline(), share).minimum
    };
    let median = |i: usize| race.times.above(i, ways[i].baseline(), share).median;
    println!("\n| {title} | fastest, ns | ratio | median, ns | ratio |\n|---|---|---|---|---|");
    for (i, way) in ways.iter().enumerate().skip(2) {
        let (fastest, middle) = (minimum(i), median(i));
        println!(
            "| {} | {fastest:.1} | {:.2} | {middle:.1} | {:.2} |",
            way.title(),
            fastest / minimum(2),
            middle / median(2)
        );
    }
    let none = race.times.nanoseconds(0, share).minimum;
    println!("| {} | {none:.1} | | | |", Way::Codes.title());
}

fn moved(way: Way, rules: &Rules, changes: &mut Changes, codes: &Codes, ply: &Ply) -> usize {
    let (Way::Kernel(kernel) | Way::Touched(kernel)) = way else { unreachable!() };
    kernel.threats_moved(codes, square(ply.from), square(ply.to), ply.placed, rules, changes);
    changes.added().len() + changes.removed().len()
}

fn loops(input: &Input, title: &str, meaning: &Meaning, pairs: Pairs<'_>, rounds: usize) {
    let rules = meaning.rules();
    let sets: Vec<Sets> = input.starts.iter().map(Sets::new).collect();
    let (mut changes, mut lists) = (Changes::new(), [List::new(), List::new()]);
    let mut run = |way| match way {
        Way::Codes => replay(input, &input.starts, |codes, ply| {
            usize::from(black_box(codes)[usize::from(ply.from)])
        }),
        Way::Sets => replay(input, &sets, |sets, ply| {
            usize::from(black_box(sets).codes[usize::from(ply.from)])
        }),
        Way::LookUps | Way::LookUpsV3 => {
            let v3 = matches!(way, Way::LookUpsV3);
            replay(input, &sets, |sets, ply| {
                let change = [ply.from, ply.to, ply.placed];
                look_up!(v3, moved(sets, change, pairs, &mut lists));
                lists[0].as_slice().len() + lists[1].as_slice().len()
            })
        }
        way => {
            replay(input, &input.starts, |codes, ply| moved(way, &rules, &mut changes, codes, ply))
        }
    };
    let ways = ways(false);
    let expected = run(Way::LookUps);
    for way in &ways[2..] {
        assert_eq!(run(*way), expected, "{}", way.title());
    }
    if rounds > 0 {
        compare(title, &ways, input.moves, rounds, run);
        println!("{:.2} changes per move", expected as f64 / input.moves as f64);
    }
}

fn walks(input: &mut Input, rounds: usize) {
    let rules = Meaning::usual().rules();
    let (mut changes, mut lists) = (Changes::new(), [List::new(), List::new()]);
    let ways = ways(true);
    compare("walk: `threats_moved`, every pair", &ways, NODES, rounds, |way| match way {
        Way::Codes => walk::<Codes>(input, |_, _| (), |codes, _| usize::from(black_box(codes)[0])),
        Way::Sets => {
            walk::<Sets>(input, |_, _| (), |sets, _| usize::from(black_box(sets).codes[0]))
        }
        Way::LookUps | Way::LookUpsV3 => {
            let v3 = matches!(way, Way::LookUpsV3);
            walk::<Sets>(
                input,
                |_, _| (),
                |sets, ply| {
                    let change = [ply.from, ply.to, ply.placed];
                    look_up!(v3, moved(sets, change, None, &mut lists));
                    lists[0].as_slice().len() + lists[1].as_slice().len()
                },
            )
        }
        Way::Kernel(_) => walk::<Codes>(
            input,
            |_, _| (),
            |codes, ply| moved(way, &rules, &mut changes, codes, ply),
        ),
        Way::Touched(_) => walk::<Codes>(input, write_again, |codes, ply| {
            moved(way, &rules, &mut changes, codes, ply)
        }),
    });
}

fn batches(input: &Input, title: &str, meaning: &Meaning, pairs: Pairs<'_>, rounds: usize) {
    let rules = meaning.rules();
    let boards = &input.positions[..input.positions.len().min(4096)];
    let sets: Vec<Sets> = boards.iter().map(Sets::new).collect();
    let mut threats = vec![Threat::default(); 420 * 64];
    let mut offsets = vec![0; 65];
    let mut list = List::new();
    let mut run = |way| match way {
        Way::Codes | Way::Sets => 0,
        Way::LookUps | Way::LookUpsV3 => {
            let v3 = matches!(way, Way::LookUpsV3);
            sets.iter()
                .map(|sets| {
                    look_up!(v3, all(sets, pairs, &mut list));
                    list.as_slice().len()
                })
                .sum()
        }
        Way::Kernel(kernel) | Way::Touched(kernel) => boards
            .chunks(64)
            .map(|boards| {
                let offsets = &mut offsets[..=boards.len()];
                assert_eq!(kernel.threats(boards, &rules, offsets, &mut threats), boards.len());
                offsets[boards.len()] as usize
            })
            .sum(),
    };
    let ways = ways(false);
    let expected = run(Way::LookUps);
    for way in &ways[2..] {
        assert_eq!(run(*way), expected, "{}", way.title());
    }
    if rounds > 0 {
        compare(title, &ways, boards.len(), rounds, run);
        println!("{:.1} threats per position", expected as f64 / boards.len() as f64);
    }
}

fn attackers(input: &Input, rounds: usize) {
    let rules = Meaning::usual().rules();
    let boards = &input.positions[..input.positions.len().min(4096)];
    let sets: Vec<Sets> = boards.iter().map(Sets::new).collect();
    let mut random = fastrand::Rng::with_seed(2);
    let squares: Vec<u8> = boards.iter().map(|_| random.u8(..64)).collect();
    let sum = |sets: u64, sum: usize| sum.wrapping_add(sets as usize).rotate_left(1);
    let run = |way| match way {
        Way::Codes => squares.iter().fold(0, |all, &at| sum(u64::from(at), all)),
        Way::Sets => squares.iter().fold(0, |all, &at| sum(u64::from(at), all)),
        Way::LookUps | Way::LookUpsV3 => {
            let v3 = matches!(way, Way::LookUpsV3);
            sets.iter()
                .zip(&squares)
                .fold(0, |all, (sets, &at)| sum(look_up!(v3, attackers_to(sets, at)), all))
        }
        Way::Kernel(kernel) | Way::Touched(kernel) => boards
            .iter()
            .zip(&squares)
            .fold(0, |all, (codes, &at)| sum(kernel.attackers_to(codes, square(at), &rules), all)),
    };
    let ways = ways(false);
    let expected = run(Way::LookUps);
    for way in &ways[2..] {
        assert_eq!(run(*way), expected, "{}", way.title());
    }
    if rounds > 0 {
        compare("`attackers_to`, random squares", &ways, boards.len(), rounds, run);
    }
}

fn exchanges(input: &Input, rounds: usize) {
    let rules = Meaning::usual().rules();
    let exchanges = &input.exchanges[..input.exchanges.len().min(8192)];
    let last = exchanges.last().map_or(0, |exchange| exchange.0);
    let sets: Vec<Sets> = input.positions[..=last].iter().map(Sets::new).collect();
    let run = |way| -> usize {
        exchanges
            .iter()
            .map(|&(i, squares)| {
                usize::from(match way {
                    Way::Codes => black_box(&input.positions[i])[0] == squares[0],
                    Way::Sets => black_box(&sets[i]).codes[0] == squares[0],
                    Way::LookUps | Way::LookUpsV3 => {
                        let v3 = matches!(way, Way::LookUpsV3);
                        look_up!(v3, exchange_wins(&sets[i], squares, &VALUES, 0))
                    }
                    Way::Kernel(kernel) | Way::Touched(kernel) => {
                        let ([from, to], codes) = (squares.map(square), &input.positions[i]);
                        kernel.exchange_wins(codes, from, to, &VALUES, 0, &rules)
                    }
                })
            })
            .sum()
    };
    let ways = ways(false);
    let expected = run(Way::LookUps);
    for way in &ways[2..] {
        // Another piece of the same kind may capture first.
        let tolerance = exchanges.len() / 500;
        assert!(run(*way).abs_diff(expected) <= tolerance, "{}", way.title());
    }
    if rounds > 0 {
        compare(
            "`exchange_wins` of undecided moves, threshold 0",
            &ways,
            exchanges.len(),
            rounds,
            run,
        );
    }
}

fn main() {
    let mut input = Input::new();
    let timed = env::args().any(|argument| argument == "--bench");
    let rounds = |rounds| if timed { rounds } else { 0 };
    let (usual, network) = (Meaning::usual(), Meaning::network());
    let pairs = Some(&network.pairs);
    loops(&input, "loop: `threats_moved`, every pair", &usual, None, rounds(201));
    loops(&input, "loop: `threats_moved`, a network's pairs", &network, pairs, rounds(201));
    batches(&input, "`threats` of a position, every pair", &usual, None, rounds(201));
    batches(&input, "`threats` of a position, a network's pairs", &network, pairs, rounds(201));
    attackers(&input, rounds(401));
    exchanges(&input, rounds(401));
    if timed {
        walks(&mut input, 1001);
    } else {
        println!("threats: all calls agree; `cargo bench` times them");
    }
}
