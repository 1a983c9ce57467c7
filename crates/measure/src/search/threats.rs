//! Times threats: kernels by their function pointers, and look-ups for the build's target and for
//! x86-64-v3, in the same rounds. The times are compared with those of the look-ups for any x86-64.
//!
//! `loop`: the ordinary moves of random games, sixteen games interleaved, so that no board was
//! written just before. `walk`: a call per node of a walk that generates moves and probes a
//! transposition table.

use std::hint::black_box;

use cozy_chess::{Board, Move, Piece};
use setwise::threats::{Changes, IndexList, IndexTable, MOST, Rules, Threat};
use setwise::{Kernel, Side, Square, board};
use setwise_check::threats::{Codes, Meaning, random_table};

use super::{Games, Tables, generate};
use crate::peers::look_ups::{self, List, Sets};
use crate::positions::OWN_CODE;

const ROUNDS: usize = 201;
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
    /// By kind: boards, and moves or single edits that [`EDITS`] names.
    edits: [Vec<(Sets, Ply)>; EDITS.len()],
}

/// The least number of edits of a kind.
const BOARDS: usize = 4096;
const EDITS: [&str; 3] = ["castling", "en passant", "a piece put or taken"];

/// The code of what stands on a square, as in [`Meaning::usual`].
fn code(board: &Board, square: cozy_chess::Square) -> u8 {
    let piece = board.piece_on(square).zip(board.color_on(square));
    piece.map_or(0, |(piece, color)| 1 + piece as u8 + 8 * color as u8)
}

fn random_code(random: &mut fastrand::Rng) -> u8 {
    random.u8(1..7) + 8 * random.u8(..2)
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
        let place = cozy_chess::Square::ALL[usize::from(square)];
        ply.writes[ply.count] = (square, code(board, place));
        ply.count += 1;
    }
    ply.change = [from, to, ply.writes[1].1];
    ply
}

impl Input {
    fn new(starts: Option<&str>) -> Result<Input, String> {
        let mut input = Input {
            games: Games::new(starts)?,
            starts: vec![],
            plies: vec![],
            positions: vec![],
            edits: Default::default(),
        };
        let mut random = fastrand::Rng::with_seed(1);
        let games: Vec<Vec<Ply>> = (0..GAMES).map(|game| input.play(game, &mut random)).collect();
        // Castling and en passant are rare: copies with other pieces elsewhere, so that branches
        // are not learnt.
        for edits in input.edits.iter_mut().filter(|edits| !edits.is_empty()) {
            for i in 0..BOARDS.saturating_sub(edits.len()) {
                let (mut sets, ply) = edits[i].clone();
                for _ in 0..8 {
                    let (place, code) = (random.u8(..64), random_code(&mut random));
                    if !ply.writes[..ply.count].iter().any(|write| write.0 == place) {
                        sets.write(place, if random.bool() { code } else { 0 });
                    }
                }
                edits.push((sets, ply));
            }
        }
        for games in games.chunks(INTERLEAVED) {
            for i in 0..=PLIES {
                input.plies.extend(games.iter().filter_map(|plies| plies.get(i)));
            }
        }
        Ok(input)
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
            for &rare in &moves {
                let ply = ply(&mut board.clone(), rare);
                // In Chess960, castling may leave a piece on its square.
                let squares =
                    ply.writes[..ply.count].iter().fold(0, |set, (place, _)| set | 1_u64 << place);
                if !ply.ordinary && squares.count_ones() as usize == ply.count {
                    self.edits[usize::from(ply.count == 3)].push((sets(&board), ply));
                }
            }
            // A piece is taken, or put where there is none.
            let place = random.u8(..64);
            let empty = sets(&board).codes[usize::from(place)] == 0;
            let put = if empty { random_code(random) } else { 0 };
            let mut single = Ply { count: 1, ..Ply::default() };
            single.writes[0] = (place, put);
            self.edits[2].push((sets(&board), single));
            let chosen = moves[random.usize(..moves.len())];
            plies.push(Ply { slot, ..ply(&mut board, chosen) });
        }
        plies
    }

    /// The lists of threats that ordinary moves add and remove.
    fn changes(&self, rules: &Rules) -> Vec<Vec<Threat>> {
        let (mut changes, mut lists) = (Changes::new(), vec![]);
        self.replay(|sets, ply| {
            let [from, to, placed] = ply.change;
            let [from, to] = [from, to].map(square);
            Kernel::active().threats_moved(&sets.codes, from, to, placed, rules, &mut changes);
            lists.extend([changes.added().to_vec(), changes.removed().to_vec()]);
            0
        });
        lists
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
        let place = &mut sets.codes[usize::from(*square)];
        // SAFETY: a reference to a byte. Volatile, so that the compiler keeps the store.
        unsafe { std::ptr::from_mut(place).write_volatile(*place) };
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

/// The rows of a table: the first is the same work without a call.
fn ways(kernels: &[&'static Kernel], touched: bool) -> Vec<(String, Way)> {
    let mut ways = vec![
        ("without a call".to_owned(), Way::None),
        ("look-ups, any CPU".to_owned(), Way::LookUps),
    ];
    ways.extend(has_v3().then(|| ("look-ups, x86-64-v3".to_owned(), Way::LookUpsV3)));
    for &kernel in kernels {
        let name = format!("`{}`", kernel.name());
        let again = touched.then(|| (format!("{name}, board just written"), Way::Touched(kernel)));
        ways.push((name, Way::Kernel(kernel)));
        ways.extend(again);
    }
    ways
}

/// Adds the tables of threats. Of many kernels, those with code of their own.
///
/// # Errors
/// If a line of `starts` is not a position.
///
/// # Panics
/// If the results of two ways differ.
pub fn measure(
    tables: &mut Tables,
    kernels: &[&'static Kernel],
    starts: Option<&str>,
) -> Result<(), String> {
    let mut kernels = kernels.to_vec();
    if kernels.len() > OWN_CODE.len() {
        kernels.retain(|kernel| OWN_CODE.contains(&kernel.name()));
    }
    let mut input = Input::new(starts)?;
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
        tables.add(&title, &ways(&kernels, false), (moves, ROUNDS), |way, _| {
            input.replay(|sets, ply| moved(way, sets, ply)) as u64
        });
        if some.is_none() {
            let title = "loop: the same moves as `threats_edited`";
            let mut changes = Changes::new();
            tables.add(title, &ways(&kernels, false), (moves, ROUNDS), |way, _| {
                let sum = match way {
                    Way::Kernel(kernel) => input.replay(|sets, ply| {
                        let [from, to, placed] = ply.change;
                        let edits = [(square(from), 0), (square(to), placed)];
                        kernel.threats_edited(&sets.codes, &edits, &rules, &mut changes);
                        changes.added().len() + changes.removed().len()
                    }),
                    _ => input.replay(|sets, ply| moved(way, sets, ply)),
                };
                sum as u64
            });
            let mut lists = [List::default(), List::default()];
            let kinds = input.edits.iter_mut().zip(EDITS);
            for (edits, of) in kinds.filter(|(edits, _)| !edits.is_empty()) {
                let title = format!("`threats_edited` and writing the board: {of}");
                let share = edits.len();
                tables.add(&title, &ways(&kernels, false), (share, ROUNDS), |way, _| {
                    let differences =
                        edits.iter_mut().map(|edit| edited(way, edit, &rules, &mut lists));
                    differences.fold(0, u64::wrapping_add)
                });
            }
            let title = "walk: `threats_moved`, every pair";
            tables.add(title, &ways(&kernels, true), (NODES, 5 * ROUNDS), |way, _| {
                let sum = match way {
                    Way::Touched(_) => input.walk(write_again, |sets, ply| moved(way, sets, ply)),
                    _ => input.walk(|_, _| (), |sets, ply| moved(way, sets, ply)),
                };
                sum as u64
            });
        }
        let mut list = List::default();
        let mut threats = vec![Threat::default(); MOST * 64];
        let title = format!("`threats` of a position, {pairs}");
        tables.add(&title, &ways(&kernels, false), (boards.len(), ROUNDS), |way, _| {
            let sum: usize = if let Way::Kernel(kernel) = way {
                let counts = codes.chunks(64).map(|codes| {
                    let offsets = &mut [0; 65][..=codes.len()];
                    let fit = kernel.threats(codes, &rules, offsets, &mut threats);
                    assert_eq!(fit, codes.len());
                    offsets[codes.len()] as usize
                });
                counts.sum()
            } else {
                let count = |sets| by!(way, all(sets, some, &mut list), |_kernel| 0, 0);
                boards.iter().map(count).sum()
            };
            sum as u64
        });
    }
    let rules = network.rules();
    let of_position = |sets: &Sets| {
        let (mut offsets, mut threats) = ([0; 2], [Threat::default(); MOST]);
        Kernel::active().threats(&[sets.codes], &rules, &mut offsets, &mut threats);
        threats[..offsets[1] as usize].to_vec()
    };
    let positions: Vec<_> = boards.iter().map(of_position).collect();
    add_indices(tables, &kernels, "a position's threats", &positions);
    add_indices(tables, &kernels, "what a move adds, removes", &input.changes(&rules));
    Ok(())
}

/// Calls the code of a way for edits, makes them and takes them back. Returns the number of threats
/// added less that of the removed ones: look-ups have some in both lists.
fn edited(way: Way, (sets, ply): &mut (Sets, Ply), rules: &Rules, lists: &mut [List; 2]) -> u64 {
    let writes = &ply.writes[..ply.count];
    let mut old = ply.writes;
    for (square, code) in &mut old {
        *code = sets.codes[usize::from(*square)];
    }
    let mut changes = Changes::new();
    let sum = by!(
        way,
        edited(sets, writes, None, lists),
        |kernel| {
            let mut edits = [(Square::A1, 0); 4];
            for (edit, &(place, code)) in edits.iter_mut().zip(writes) {
                *edit = (square(place), code);
            }
            kernel.threats_edited(&sets.codes, &edits[..ply.count], rules, &mut changes);
            apply(sets, ply);
            changes.added().len().wrapping_sub(changes.removed().len())
        },
        {
            apply(sets, ply);
            0
        }
    );
    for &(square, code) in &old[..ply.count] {
        sets.write(square, code);
    }
    sum as u64
}

/// Adds a table of the indices of some lists in both views. The first way to compare with is the
/// function of `board`, inlined.
fn add_indices(tables: &mut Tables, kernels: &[&'static Kernel], of: &str, lists: &[Vec<Threat>]) {
    let mut random = fastrand::Rng::with_seed(1);
    let table: Box<IndexTable> = random_table(false, || random.u64(..));
    let [mut white, mut black] = [[0; MOST + 8]; 2];
    let mut ways = vec![
        ("without a call".to_owned(), Way::None),
        ("`board`, inlined".to_owned(), Way::LookUps),
    ];
    ways.extend(
        kernels.iter().map(|&kernel| (format!("`{}`", kernel.name()), Way::Kernel(kernel))),
    );
    let title = format!("`threat_indices`, both views: {of}");
    tables.add(&title, &ways, (lists.len(), ROUNDS), |way, _| {
        let count = |(i, threats): (usize, &Vec<Threat>)| {
            let threats = black_box(&threats[..]);
            let mut views = [
                IndexList::new(Side::White, i % 2 == 0, &mut white),
                IndexList::new(Side::Black, i % 3 == 0, &mut black),
            ];
            match way {
                Way::Kernel(kernel) => kernel.threat_indices(threats, &table, 0, &mut views),
                Way::LookUps => board::threat_indices(threats, &table, 0, &mut views),
                _ => {}
            }
            black_box(views).iter().map(|list| list.indices().len()).sum::<usize>()
        };
        lists.iter().enumerate().map(count).sum::<usize>() as u64
    });
}
