//! Times attack calls during a walk through games. Like a search, the walk generates and plays
//! moves, probes a transposition table that misses the caches, and runs a small evaluation.

use std::hint::black_box;

use cozy_chess::{Board, Color, Move, Piece};
use setwise::position::{AttackMaps, Position, SideAttacks};
use setwise::{Kernel, Side, board};

use super::{Games, Tables};
use crate::peers::look_ups;

/// The number of nodes in a sample.
const NODES: usize = 2048;
/// The maximum number of nodes in a game. A game starts at a position of the file.
const PLIES: usize = 32;
const ROUNDS: usize = 401;

/// Adds a table for each group of calls: the nanoseconds per node that a call adds to the walk.
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
    let mut walk = Walk { games: Games::new(starts)?, seed: 0, salt: 1 };
    for Group { title, others, of_kernels } in GROUPS {
        let none: Call = |walk, _| walk.run(|n| mixed(n, *n.theirs()));
        let [first, ..] = kernels else { return Err("there is no kernel".into()) };
        let mut ways = vec![("without a call".to_owned(), (none, *first))];
        ways.extend(others.iter().map(|(name, call)| ((*name).to_owned(), (*call, *first))));
        for kernel in kernels {
            let name = |call| format!("{call}, `{}`", kernel.name());
            ways.extend(of_kernels.iter().map(|(call, code)| (name(call), (*code, *kernel))));
        }
        tables.add(title, &ways, (NODES, ROUNDS), |(call, kernel), sample| {
            // All ways are timed on the same games, and find other entries of the table.
            (walk.seed, walk.salt) = (sample, fastrand::u64(..) | 1);
            call(&mut walk, black_box(kernel))
        });
    }
    Ok(())
}

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
    AttackMaps { attacks, all, ..AttackMaps::default() }
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

/// Mixes the attack maps of both sides, but not the attacks by lesser pieces.
#[inline(always)]
fn of_maps(node: &Node, maps: AttackMaps) -> u64 {
    score(&bytemuck::cast::<_, [u64; 16]>(maps)[..14], node.position.of(node.side))
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

/// Makes a call from what is computed at each node.
macro_rules! at {
    ($node:ident, $kernel:pat => $sum:expr) => {
        |walk, $kernel| walk.run(|$node| $sum)
    };
}

/// Calls that compute the same, with their titles: those without a kernel, of which the first is
/// the one that the others are compared with, and those of each kernel.
struct Group {
    title: &'static str,
    others: &'static [(&'static str, Call)],
    of_kernels: &'static [(&'static str, Call)],
}

#[rustfmt::skip]
const GROUPS: [Group; 5] = [
    Group {
        title: "sliders of one side by kind",
        others: &[
            ("look-ups", at!(n, _ => {
                of_sliders(n, look_ups::sliders_by_kind(n.sliders(), n.occupied))
            })),
            ("`board::sliders_by_kind`", at!(n, _ => {
                let [b, r, q] = n.sliders();
                of_sliders(n, board::sliders_by_kind(b, r, q, n.occupied))
            })),
        ],
        of_kernels: &[
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
        ],
    },
    Group {
        title: "one side by kind",
        others: &[
            ("look-ups", at!(n, _ => {
                mixed(n, look_ups::side_attacks(n.side, n.theirs(), n.occupied))
            })),
            ("`board::side_attacks`", at!(n, _ => {
                mixed(n, board::side_attacks(n.side, n.theirs(), n.occupied))
            })),
        ],
        of_kernels: &[
            ("three calls", at!(n, kernel => mixed(n, side_by_sets(kernel, n)))),
            ("`side_attacks_one`", at!(n, kernel => {
                mixed(n, kernel.side_attacks_one(n.side, n.theirs(), n.occupied))
            })),
        ],
    },
    Group {
        title: "both sides by kind",
        others: &[("look-ups", at!(n, _ => of_maps(n, of_both(n, look_ups::side_attacks))))],
        of_kernels: &[
            ("`attack_maps_one`", at!(n, kernel => of_maps(n, kernel.attack_maps_one(&n.position)))),
            ("`side_attacks_one` twice", at!(n, kernel => {
                let of_side = |side, pieces: &_, o| kernel.side_attacks_one(side, pieces, o);
                of_maps(n, of_both(n, of_side))
            })),
        ],
    },
    Group {
        title: "doubly attacked squares",
        others: &[("`board::doubly_attacked`", at!(n, _ => {
            mixed(n, board::doubly_attacked(n.side, n.theirs(), n.occupied))
        }))],
        of_kernels: &[("`doubly_attacked_one`", at!(n, kernel => {
            mixed(n, kernel.doubly_attacked_one(n.side, n.theirs(), n.occupied))
        }))],
    },
    Group {
        title: "checks and pins",
        others: &[("`board::checks`", at!(n, _ => mixed(n, board::checks(&n.position))))],
        of_kernels: &[("`checks_one`", at!(n, kernel => mixed(n, kernel.checks_one(&n.position))))],
    },
];

/// The games of one sample.
struct Walk {
    games: Games,
    seed: u64,
    salt: u64,
}

impl Walk {
    /// Walks through [`NODES`] nodes. Returns the sum of the evaluations.
    #[inline(never)]
    fn run(&mut self, evaluate: impl Fn(&Node) -> u64) -> u64 {
        let mut sum = 0_u64;
        let seed_and_salt = (self.seed, self.salt);
        black_box(self.games.walk(seed_and_salt, NODES, PLIES, |board, chosen| {
            if let Some(chosen) = chosen {
                sum = sum.wrapping_add(evaluate(&Node::of(board)));
                play(board, chosen);
            }
        }));
        sum
    }
}

/// Plays a move. The function is not inlined, so all walks run the same code.
#[inline(never)]
fn play(board: &mut Board, chosen: Move) {
    board.play_unchecked(chosen);
}
