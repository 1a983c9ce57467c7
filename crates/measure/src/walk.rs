//! Calls where a search makes them: at each node of a walk through random games. The walk probes a
//! transposition table that misses the caches, calls, runs a small evaluation, generates the legal
//! moves and plays one. The figures are the nanoseconds per node that a call adds to the walk: the
//! differences of `pairs` of walks with and without the call.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use cozy_chess::{Board, Color, Move, Piece};
use setwise::position::{AttackMaps, Position};
use setwise::{Kernel, Side};

use crate::clock::Meter;
use crate::contender::{self, Contender};
use crate::figures::{Added, Figure, Input, Kind, Section};
use crate::job::{Job, Setting, Wrong};
use crate::pairs::Pairs;
use crate::peers::{MAGIC, look_ups};
use crate::race::{Race, Times};
use crate::settings::Options;
use crate::starts::Starts;

/// The number of nodes in a sample.
const NODES: usize = 2048;
/// The number of rounds in a pass over all jobs: enough for an interval.
const ROUNDS: usize = 8;
/// The maximum number of moves in a game.
const PLIES: usize = 32;

/// Describes the positions for the figures.
pub(crate) fn input(starts: &Starts) -> Input {
    Input {
        name: INPUT.into(),
        boards: starts.0.len(),
        about: format!("nodes of random games of up to {PLIES} moves from these positions"),
    }
}

const INPUT: &str = "walk";

/// Walks through games.
struct Walk {
    starts: Vec<Board>,
    /// The transposition table, 64 MiB. Each entry holds the hash of the last position stored in
    /// it.
    table: Vec<u64>,
    moves: Vec<Move>,
}

impl Walk {
    /// Walks through [`NODES`] nodes of games that depend only on the seed, and returns the sum of
    /// the evaluations. A random odd factor selects the entries of the table, so that no walk finds
    /// those of an earlier walk in the caches.
    #[inline(never)]
    fn run(&mut self, seed: u64, evaluate: impl Fn(&Node) -> u64) -> u64 {
        let Walk { starts, table, moves } = self;
        let mut random = fastrand::Rng::with_seed(seed);
        let salt = fastrand::u64(..) | 1;
        let (mut sum, mut hits, mut visited) = (0_u64, 0, 0);
        while visited < NODES {
            let mut board = starts[random.usize(..starts.len())].clone();
            for _ in 0..PLIES {
                let hash = board.hash();
                let entry = (hash.wrapping_mul(salt) >> 41) as usize;
                hits += usize::from(table[entry] == hash);
                table[entry] = hash;
                visited += 1;
                generate(&board, moves);
                let Some(&chosen) = moves.get(random.usize(..moves.len().max(1))) else { break };
                sum = sum.wrapping_add(evaluate(&Node::of(&board)));
                play(&mut board, chosen);
            }
        }
        black_box(hits);
        sum
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

/// Plays a move. Not inlined, so that all walks run the same code.
#[inline(never)]
fn play(board: &mut Board, chosen: Move) {
    board.play_unchecked(chosen);
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

/// The attack maps of both sides by look-ups, without the attacks by lesser pieces.
#[inline(always)]
fn looked_up(position: &Position) -> AttackMaps {
    let [white, black] = [Side::White, Side::Black].map(|side| {
        look_ups::side_attacks(side, &position.pieces[side as usize], position.occupied())
    });
    let (attacks, all) = ([white.attacks, black.attacks], [white.all, black.all]);
    AttackMaps { attacks, all, ..AttackMaps::default() }
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

/// Runs a walk, from a seed, with a call at each node.
type Call = fn(&mut Walk, u64, &Kernel) -> u64;

/// Makes a call from what is computed at each node.
macro_rules! at {
    ($node:ident, $kernel:pat => $sum:expr) => {
        |walk, seed, $kernel| walk.run(seed, |$node| $sum)
    };
}

const ALONE: Call = at!(node, _ => mixed(node, *node.theirs()));

/// Operations, each with the call of a kernel and the same by look-ups piece by piece.
const OPERATIONS: [(&str, Call, Call); 3] = [
    (
        "sliders_by_kind_one",
        at!(node, kernel => {
            let [bishops, rooks, queens] = node.sliders();
            of_sliders(node, kernel.sliders_by_kind_one(bishops, rooks, queens, node.occupied))
        }),
        at!(node, _ => {
            of_sliders(node, look_ups::sliders_by_kind(node.sliders(), node.occupied))
        }),
    ),
    (
        "side_attacks_one",
        at!(node, kernel => {
            mixed(node, kernel.side_attacks_one(node.side, node.theirs(), node.occupied))
        }),
        at!(node, _ => {
            mixed(node, look_ups::side_attacks(node.side, node.theirs(), node.occupied))
        }),
    ),
    (
        "attack_maps_one",
        at!(node, kernel => of_maps(node, kernel.attack_maps_one(&node.position))),
        at!(node, _ => of_maps(node, looked_up(&node.position))),
    ),
];

/// The calls of one operation.
pub(crate) struct WalkJob {
    operation: &'static str,
    walk: Rc<RefCell<Walk>>,
    contenders: Vec<Contender<(Call, &'static Kernel)>>,
    pairs: Pairs,
}

impl WalkJob {
    /// A job for each operation.
    pub(crate) fn all(options: &Options, starts: &Starts) -> Vec<WalkJob> {
        let kernels = options.with_baseline();
        let walk = Walk { starts: starts.0.clone(), table: vec![0; 8 << 20], moves: Vec::new() };
        let walk = Rc::new(RefCell::new(walk));
        let job = |(operation, by_kernel, by_look_ups): (_, Call, Call)| {
            let mut contenders = vec![Contender::of(MAGIC, Kind::Peer, (by_look_ups, kernels[0]))];
            contenders.extend(
                kernels
                    .iter()
                    .map(|&kernel| Contender::of(kernel.name(), Kind::Kernel, (by_kernel, kernel))),
            );
            WalkJob { operation, walk: Rc::clone(&walk), contenders, pairs: Pairs::default() }
        };
        OPERATIONS.into_iter().map(job).collect()
    }

    fn setting(&self) -> Setting {
        Setting {
            section: Section::Walk,
            operation: self.operation.into(),
            input: INPUT,
            boards_a_call: 1,
            boards: NODES,
            bytes_a_board: size_of::<Position>(),
        }
    }
}

impl Job for WalkJob {
    fn step(&self) -> String {
        format!("walk: {}", self.operation)
    }

    /// Compares the sums of the evaluations with that by look-ups.
    fn check(&self) -> Vec<Wrong> {
        let mut walk = self.walk.borrow_mut();
        let [reference, others @ ..] = &self.contenders[..] else { return Vec::new() };
        let mut sum = |one: &Contender<(Call, &Kernel)>| (one.code.0)(&mut walk, 0, one.code.1);
        let expected = sum(reference);
        let wrong = |one: &&Contender<_>| sum(one) != expected;
        let error = |one: &Contender<_>| {
            (one.name, format!("{}, {}: a node is wrong", one.name, self.operation))
        };
        others.iter().filter(wrong).map(error).collect()
    }

    fn remove(&mut self, names: &[&str]) {
        contender::remove(&mut self.contenders, names);
    }

    /// Times a few walks with and without each call. Nothing is counted, because the counts of the
    /// calls are small differences, too.
    fn rounds(&mut self, meter: &mut Meter) {
        let WalkJob { walk, contenders, pairs, .. } = self;
        if meter.source.is_some() {
            return;
        }
        let mut walk = walk.borrow_mut();
        for _ in 0..ROUNDS {
            pairs.round(contenders.len(), |contender, seed| {
                let alone = (ALONE, contenders[0].code.1);
                let (call, kernel) = black_box(contender.map_or(alone, |i| contenders[i].code));
                meter.measure(|| _ = black_box(call(&mut walk, seed, kernel)))
            });
        }
    }

    /// The time of the walk without a call.
    fn figures(&self) -> Vec<Figure> {
        let times = Times(vec![self.pairs.alone.clone()]);
        let race = Race::from(times);
        self.setting().figures(&[Contender::of("walk-alone", Kind::Roof, ())], (&race, NODES))
    }

    fn added(&self) -> Vec<Added> {
        let names = self.contenders.iter().map(|one| (one.name, one.kind));
        self.pairs.added(&self.setting(), names, NODES)
    }
}

#[cfg(test)]
mod tests {
    use super::WalkJob;
    use crate::job::Job;
    use crate::settings::Options;
    use crate::starts::Starts;

    /// All calls agree, and a wrong one would be noticed.
    #[test]
    fn all_calls_agree() {
        assert!(Starts::new("8/8 w").is_err());
        let starts = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -\n\
                      8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -";
        let kernels = setwise::Kernel::available().collect();
        let options = Options { kernels, ..Options::default() };
        for mut job in WalkJob::all(&options, &Starts::new(starts).unwrap()) {
            assert_eq!(job.check(), []);
            job.contenders.last_mut().unwrap().code.0 = super::ALONE;
            assert_eq!(job.check().len(), 1, "{}", job.operation);
        }
    }
}
