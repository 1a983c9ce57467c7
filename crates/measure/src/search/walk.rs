//! Times attack calls during a walk through games. Like a search, the walk generates and plays
//! moves, probes a transposition table that misses the caches, and runs a small evaluation.
//!
//! `cargo bench -p setwise-measure --bench walk` prints the nanoseconds per node that a call adds
//! to the walk. The games start at the positions of the EPD files in the folder
//! `SETWISE_POSITIONS`, or else of the small set in `tests/positions`. They continue with random
//! legal moves. `cozy-chess` provides the rules of the game and the look-ups for comparison. All
//! calls must agree before they are timed. Without `--bench`, which `cargo bench` passes, nothing
//! is timed.

mod games;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Board, Color, Move, Piece};
use setwise::position::{AttackMaps, Position, SideAttacks};
use setwise::{Kernel, Side, board};
use setwise_measure::peers::look_ups;
use setwise_measure::race::{Length, Race};

use games::Games;

const LENGTH: Length = Length { rounds: 401, sample: Duration::ZERO };
/// The number of nodes in a sample.
const NODES: usize = 2048;
/// The maximum number of nodes in a game. A game starts at a position of the files.
const PLIES: usize = 32;

/// The inputs of a call at one node of the walk.
struct Node {
    position: Position,
    /// The side that is not to move.
    side: Side,
    /// All pieces except the king of the side to move.
    occupied: u64,
}

impl Node {
    #[inline(always)]
    fn of(board: &Board) -> Node {
        // Load single words: a vector load would wait for the single-word stores of the last move.
        let kinds = Piece::ALL.map(|piece| black_box(board.pieces(piece).0));
        let sets = |color| kinds.map(|kind| kind & board.colors(color).0);
        let us = board.side_to_move();
        let side = if us == Color::White { Side::Black } else { Side::White };
        let king = board.colored_pieces(us, Piece::King).0;
        let position = Position { pieces: [sets(Color::White), sets(Color::Black)] };
        Node { position, side, occupied: board.occupied().0 & !king }
    }

    fn theirs(&self) -> &[u64; 6] {
        &self.position.pieces[self.side as usize]
    }

    /// The sliders of `side`: bishops, rooks and queens.
    fn sliders(&self) -> [u64; 3] {
        let [_, _, bishops, rooks, queens, _] = *self.theirs();
        [bishops, rooks, queens]
    }
}

/// Computes the attack maps of both sides, but not the attacks by lesser pieces.
#[inline(always)]
fn of_both(node: &Node, of_side: impl Fn(Side, &[u64; 6], u64) -> SideAttacks) -> AttackMaps {
    let occupied = node.position.occupied();
    let [white, black] = &node.position.pieces;
    let (white, black) =
        (of_side(Side::White, white, occupied), of_side(Side::Black, black, occupied));
    let (attacks, all) = ([white.attacks, black.attacks], [white.all, black.all]);
    AttackMaps { attacks, all, by_lesser: [occupied; 2] }
}

#[inline(always)]
fn side_by_sets(kernel: &Kernel, node: &Node) -> SideAttacks {
    let [pawns, knights, bishops, rooks, queens, kings] = *node.theirs();
    let attacks = [
        board::pawn_attacks(node.side, pawns),
        board::knight_attacks(knights),
        kernel.bishop_attacks_one(bishops, node.occupied),
        kernel.rook_attacks_one(rooks, node.occupied),
        kernel.queen_attacks_one(queens, node.occupied),
        board::king_attacks(kings),
    ];
    SideAttacks { attacks, all: attacks.iter().fold(0, |all, set| all | set) }
}

/// A small evaluation: mixes all sets into one word, without the squares of own pieces. It is not
/// inlined, so all walks run the same code. It does not count squares, because population counts
/// without a CPU instruction would take longer than the attacks. It processes one set after the
/// other, because vector loads would wait for the stores of single sets.
#[inline(never)]
fn score(sets: &[u64], own: u64) -> u64 {
    sets.iter().fold(0, |sum: u64, set| sum.rotate_left(5) ^ (set & !own))
}

/// Mixes the results of a call, without the squares of own pieces.
#[inline(always)]
fn mixed<T: bytemuck::NoUninit>(node: &Node, attacks: T) -> u64 {
    score(bytemuck::cast_slice(&[attacks]), node.position.of(node.side))
}

/// Mixes the attacks of sliders and the sets of the other pieces: six sets, like the walk without a
/// call.
#[inline(always)]
fn of_sliders(node: &Node, [bishops, rooks, queens]: [u64; 3]) -> u64 {
    let [pawns, knights, _, _, _, kings] = *node.theirs();
    mixed(node, [pawns, knights, bishops, rooks, queens, kings])
}

/// Runs a walk with a call at each node.
type Call = fn(&mut Walk, &Kernel) -> u64;

fn without_call(walk: &mut Walk, _: &Kernel) -> u64 {
    walk.run(|n| mixed(n, *n.theirs()))
}

/// Makes a call from what is computed at each node.
macro_rules! at {
    ($node:ident, $kernel:pat => $sum:expr) => {
        |walk, $kernel| walk.run(|$node| $sum)
    };
}

/// All calls with their titles, grouped by what they compute. If a group has look-ups, they come
/// first.
#[rustfmt::skip]
const GROUPS: [(&str, &[(&str, Call)]); 4] = [
    ("sliders of one side by kind", &[
        ("look-ups", at!(n, _ => {
            of_sliders(n, look_ups::sliders_by_kind(n.sliders(), n.occupied))
        })),
        ("three calls", at!(n, kernel => {
            let [bishops, rooks, queens] = n.sliders();
            let bishops = kernel.bishop_attacks_one(bishops, n.occupied);
            let rooks = kernel.rook_attacks_one(rooks, n.occupied);
            of_sliders(n, [bishops, rooks, kernel.queen_attacks_one(queens, n.occupied)])
        })),
        ("`sliders_by_kind_one`", at!(n, kernel => {
            let [b, r, q] = n.sliders();
            of_sliders(n, kernel.sliders_by_kind_one(b, r, q, n.occupied))
        })),
        ("`board::sliders_by_kind`", at!(n, _ => {
            let [b, r, q] = n.sliders();
            of_sliders(n, board::sliders_by_kind(b, r, q, n.occupied))
        })),
    ]),
    ("one side by kind", &[
        ("look-ups", at!(n, _ => {
            mixed(n, look_ups::side_attacks(n.side, n.theirs(), n.occupied))
        })),
        ("three calls", at!(n, kernel => mixed(n, side_by_sets(kernel, n)))),
        ("`side_attacks_one`", at!(n, kernel => {
            mixed(n, kernel.side_attacks_one(n.side, n.theirs(), n.occupied))
        })),
        ("`board::side_attacks`", at!(n, _ => {
            mixed(n, board::side_attacks(n.side, n.theirs(), n.occupied))
        })),
    ]),
    ("both sides by kind", &[
        ("look-ups", at!(n, _ => mixed(n, of_both(n, look_ups::side_attacks)))),
        ("`attack_maps_one`", at!(n, kernel => mixed(n, kernel.attack_maps_one(&n.position)))),
        ("`side_attacks_one` twice", at!(n, kernel => {
            mixed(n, of_both(n, |side, pieces: &_, o| kernel.side_attacks_one(side, pieces, o)))
        })),
    ]),
    ("others", &[
        ("`doubly_attacked_one`", at!(n, kernel => {
            mixed(n, kernel.doubly_attacked_one(n.side, n.theirs(), n.occupied))
        })),
        ("`checks_one`", at!(n, kernel => mixed(n, kernel.checks_one(&n.position)))),
        ("`board::checks`", at!(n, _ => mixed(n, board::checks(&n.position)))),
    ]),
];

/// The games of one sample.
struct Walk {
    games: Games,
    seed: u64,
    salt: u64,
}

impl Walk {
    /// Walks through [`NODES`] nodes. Returns the sum of the evaluations and table hits.
    #[inline(never)]
    fn run(&mut self, evaluate: impl Fn(&Node) -> u64) -> u64 {
        let mut sum = 0_u64;
        let hits = self.games.walk((self.seed, self.salt), NODES, PLIES, |board, chosen| {
            if let Some(chosen) = chosen {
                sum = sum.wrapping_add(evaluate(&Node::of(board)));
                play(board, chosen);
            }
        });
        sum.wrapping_add(hits as u64)
    }
}

/// Plays a move. The function is not inlined, so all walks run the same code.
#[inline(never)]
fn play(board: &mut Board, chosen: Move) {
    board.play_unchecked(chosen);
}

/// Compares the results of all calls with those of the look-ups, on the nodes of a walk.
fn check(kernel: &Kernel, walk: &mut Walk) {
    walk.run(|node| {
        let Node { position, side, occupied } = node;
        let expected = look_ups::side_attacks(*side, node.theirs(), *occupied);
        let [b, r, q] = node.sliders();
        let sliders = [expected.attacks[2], expected.attacks[3], expected.attacks[4]];
        assert_eq!(kernel.sliders_by_kind_one(b, r, q, *occupied), sliders, "{kernel:?}");
        assert_eq!(board::sliders_by_kind(b, r, q, *occupied), sliders);
        let attacks = kernel.side_attacks_one(*side, node.theirs(), *occupied);
        assert_eq!(attacks, expected, "{kernel:?}");
        assert_eq!(side_by_sets(kernel, node), expected, "{kernel:?}");
        assert_eq!(board::side_attacks(*side, node.theirs(), *occupied), expected);
        let twice = board::doubly_attacked(*side, node.theirs(), *occupied);
        let by_kernel = kernel.doubly_attacked_one(*side, node.theirs(), *occupied);
        assert_eq!(by_kernel, twice, "{kernel:?}");
        let maps = look_ups::attack_maps(position);
        assert_eq!(kernel.attack_maps_one(position), maps, "{kernel:?}");
        assert_eq!(kernel.checks_one(position), board::checks(position), "{kernel:?}");
        1
    });
}

fn main() {
    let mut walk = Walk { games: Games::new(), seed: 0, salt: 1 };
    Kernel::available().for_each(|kernel| check(kernel, &mut walk));
    if !env::args().any(|argument| argument == "--bench") {
        return println!("walk: all calls agree; `cargo bench` times them");
    }
    let calls = GROUPS.iter().flat_map(|(_, calls)| calls.iter().map(|(_, call)| *call));
    let calls: Vec<Call> = [without_call as Call].into_iter().chain(calls).collect();
    let kernels: Vec<_> = Kernel::available().filter(|kernel| chosen(kernel.name())).collect();
    let races: Vec<Race> = kernels
        .iter()
        .map(|kernel| {
            let mut race = Race::default();
            let mut samples = vec![0; calls.len()];
            race.continue_for(calls.len(), LENGTH, |way, _| {
                // All calls are timed on the same games.
                walk.seed = samples[way];
                samples[way] += 1;
                walk.salt = fastrand::u64(..) | 1;
                let start = Instant::now();
                black_box(calls[way](&mut walk, black_box(kernel)));
                start.elapsed()
            });
            race
        })
        .collect();
    println!(
        "games from {} positions; ns per node that a call adds to the walk, medians",
        walk.games.starts.len()
    );
    let mut first = 1;
    for (title, group) in GROUPS {
        let titles: Vec<&str> = group.iter().map(|(title, _)| *title).collect();
        println!("\n| {title} | {} |\n|---{}|", titles.join(" | "), "|---".repeat(titles.len()));
        for (kernel, race) in kernels.iter().zip(&races) {
            let above = |way| race.times.above(way, 0, NODES).median;
            let cells: Vec<String> = (first..first + group.len())
                .map(|way| match titles[0] {
                    "look-ups" if way > first => {
                        format!("{:.1} ({:.2})", above(way), above(way) / above(first))
                    }
                    _ => format!("{:.1}", above(way)),
                })
                .collect();
            println!("| `{}` | {} |", kernel.name(), cells.join(" | "));
        }
        first += group.len();
    }
    for (kernel, race) in kernels.iter().zip(&races) {
        let none = race.times.nanoseconds(0, NODES).median;
        println!("\n`{}`: {none:.0} ns without a call", kernel.name());
    }
}

/// Whether the program's arguments name this kernel, or name no kernel at all.
fn chosen(name: &str) -> bool {
    let mut names = env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    names.peek().is_none() || names.any(|argument| argument == name)
}
