//! Times attack calls during a walk through games. Like a search, the walk generates and plays
//! moves, probes a transposition table that misses the caches, and runs a small evaluation.
//!
//! `cargo bench -p setwise-measure --bench walk` prints the nanoseconds per node that a call adds
//! to the walk. The games start at the positions of the EPD files in the folder
//! `SETWISE_POSITIONS`, or else of the small set in `tests/positions`. They continue with random
//! legal moves. `cozy-chess` provides the rules of the game and the look-ups for comparison. All
//! calls must agree before they are timed. Without `--bench`, which `cargo bench` passes, nothing
//! is timed.

mod epd;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use setwise::position::{AttackMaps, Position, SideAttacks};
use setwise::{Kernel, Side, board};
use setwise_measure::maps;
use setwise_measure::race::{Length, Race};

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
}

/// Looks up the attacks of a set piece by piece, as engines do.
#[inline(always)]
fn popped(set: u64, of_square: impl Fn(cozy_chess::Square) -> BitBoard) -> u64 {
    BitBoard(set).into_iter().fold(0, |attacks, square| attacks | of_square(square).0)
}

#[inline(always)]
fn sliders_by_look_ups([_, _, bishops, rooks, queens, _]: &[u64; 6], occupied: u64) -> [u64; 3] {
    let occupied = BitBoard(occupied);
    [
        popped(*bishops, |square| get_bishop_moves(square, occupied)),
        popped(*rooks, |square| get_rook_moves(square, occupied)),
        popped(*queens, |square| {
            get_bishop_moves(square, occupied) | get_rook_moves(square, occupied)
        }),
    ]
}

#[inline(always)]
fn side_by_look_ups(side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
    let [pawns, knights, _, _, _, kings] = *pieces;
    let [bishops, rooks, queens] = sliders_by_look_ups(pieces, occupied);
    let color = [Color::White, Color::Black][side as usize];
    let attacks = [
        popped(pawns, |square| get_pawn_attacks(square, color)),
        popped(knights, get_knight_moves),
        bishops,
        rooks,
        queens,
        popped(kings, get_king_moves),
    ];
    SideAttacks { attacks, all: attacks.iter().fold(0, |all, set| all | set) }
}

/// Computes the attack maps of both sides, but no threats.
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

/// The call to time: what the walk computes at each node.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    None,
    SlidersByLookUps,
    SlidersInThreeCalls,
    SlidersByKindOne,
    SlidersInlined,
    SideByLookUps,
    SideInThreeCalls,
    SideAttacksOne,
    SideInlined,
    MapsByLookUps,
    AttackMapsOne,
    SideAttacksTwice,
    DoublyAttackedOne,
    ChecksOne,
    ChecksInlined,
}

impl Call {
    /// All calls with their titles, grouped by what they compute. If a group has look-ups, they
    /// come first.
    const GROUPS: [(&str, &[(Call, &str)]); 4] = [
        (
            "sliders of one side by kind",
            &[
                (Call::SlidersByLookUps, "look-ups"),
                (Call::SlidersInThreeCalls, "three calls"),
                (Call::SlidersByKindOne, "`sliders_by_kind_one`"),
                (Call::SlidersInlined, "`board::sliders_by_kind`"),
            ],
        ),
        (
            "one side by kind",
            &[
                (Call::SideByLookUps, "look-ups"),
                (Call::SideInThreeCalls, "three calls"),
                (Call::SideAttacksOne, "`side_attacks_one`"),
                (Call::SideInlined, "`board::side_attacks`"),
            ],
        ),
        (
            "both sides by kind",
            &[
                (Call::MapsByLookUps, "look-ups"),
                (Call::AttackMapsOne, "`attack_maps_one`"),
                (Call::SideAttacksTwice, "`side_attacks_one` twice"),
            ],
        ),
        (
            "others",
            &[
                (Call::DoublyAttackedOne, "`doubly_attacked_one`"),
                (Call::ChecksOne, "`checks_one`"),
                (Call::ChecksInlined, "`board::checks`"),
            ],
        ),
    ];

    /// All calls: [`Call::None`], then the calls of the groups.
    fn all() -> Vec<Call> {
        let calls = Call::GROUPS.iter().flat_map(|(_, calls)| calls.iter().map(|(call, _)| *call));
        [Call::None].into_iter().chain(calls).collect()
    }

    /// Runs the walk with this call at each node.
    fn walk(self, walk: &mut Walk, kernel: &Kernel) -> u64 {
        /// Evaluates six sets, like the walk without a call.
        fn of_sliders(node: &Node, [bishops, rooks, queens]: [u64; 3]) -> u64 {
            let [pawns, knights, _, _, _, kings] = *node.theirs();
            of(node, [pawns, knights, bishops, rooks, queens, kings])
        }
        fn of<T: bytemuck::NoUninit>(node: &Node, attacks: T) -> u64 {
            score(bytemuck::cast_slice(&[attacks]), node.position.of(node.side))
        }
        match self {
            Call::None => walk.run(|n| of(n, *n.theirs())),
            Call::SlidersByLookUps => {
                walk.run(|n| of_sliders(n, sliders_by_look_ups(n.theirs(), n.occupied)))
            }
            Call::SlidersInThreeCalls => walk.run(|n| {
                let [_, _, bishops, rooks, queens, _] = *n.theirs();
                let sets = [
                    kernel.bishop_attacks_one(bishops, n.occupied),
                    kernel.rook_attacks_one(rooks, n.occupied),
                    kernel.queen_attacks_one(queens, n.occupied),
                ];
                of_sliders(n, sets)
            }),
            Call::SlidersByKindOne => walk.run(|n| {
                let [_, _, b, r, q, _] = *n.theirs();
                of_sliders(n, kernel.sliders_by_kind_one(b, r, q, n.occupied))
            }),
            Call::SlidersInlined => walk.run(|n| {
                let [_, _, b, r, q, _] = *n.theirs();
                of_sliders(n, board::sliders_by_kind(b, r, q, n.occupied))
            }),
            Call::SideByLookUps => {
                walk.run(|n| of(n, side_by_look_ups(n.side, n.theirs(), n.occupied)))
            }
            Call::SideInThreeCalls => walk.run(|n| of(n, side_by_sets(kernel, n))),
            Call::SideAttacksOne => {
                walk.run(|n| of(n, kernel.side_attacks_one(n.side, n.theirs(), n.occupied)))
            }
            Call::SideInlined => {
                walk.run(|n| of(n, board::side_attacks(n.side, n.theirs(), n.occupied)))
            }
            Call::MapsByLookUps => walk.run(|n| of(n, of_both(n, side_by_look_ups))),
            Call::AttackMapsOne => walk.run(|n| of(n, kernel.attack_maps_one(&n.position))),
            Call::SideAttacksTwice => walk.run(|n| {
                of(n, of_both(n, |side, pieces, o| kernel.side_attacks_one(side, pieces, o)))
            }),
            Call::DoublyAttackedOne => {
                walk.run(|n| of(n, kernel.doubly_attacked_one(n.side, n.theirs(), n.occupied)))
            }
            Call::ChecksOne => walk.run(|n| of(n, kernel.checks_one(&n.position))),
            Call::ChecksInlined => walk.run(|n| of(n, board::checks(&n.position))),
        }
    }
}

/// Random games, and the transposition table that each node probes.
struct Walk {
    starts: Vec<Board>,
    /// The transposition table, of 64 MiB. Each entry holds the hash of the last position stored in
    /// it.
    table: Vec<u64>,
    /// The seed of the random games.
    seed: u64,
    /// An odd number. A position's hash times this number selects the entry of the table.
    salt: u64,
}

impl Walk {
    fn new(starts: Vec<Board>) -> Walk {
        Walk { starts, table: vec![0; 8 << 20], seed: 0, salt: 1 }
    }

    /// Walks through at least [`NODES`] nodes of games that depend only on the seed. Returns the
    /// sum of the evaluations and table hits.
    #[inline(never)]
    fn run(&mut self, evaluate: impl Fn(&Node) -> u64) -> u64 {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut sum = 0_u64;
        let mut moves: Vec<Move> = Vec::with_capacity(256);
        let mut nodes = 0;
        while nodes < NODES {
            let mut board = self.starts[random.usize(..self.starts.len())].clone();
            for _ in 0..PLIES {
                let hash = board.hash();
                let entry = (hash.wrapping_mul(self.salt) >> 41) as usize;
                sum = sum.wrapping_add(u64::from(self.table[entry] == hash));
                sum = sum.wrapping_add(evaluate(&Node::of(&board)));
                nodes += 1;
                self.table[entry] = hash;
                if !play(&mut board, &mut moves, &mut random) {
                    break;
                }
            }
        }
        sum
    }
}

/// Plays a random legal move. Returns `false` if there is none. The function is not inlined, so all
/// walks run the same code.
#[inline(never)]
fn play(board: &mut Board, moves: &mut Vec<Move>, random: &mut fastrand::Rng) -> bool {
    moves.clear();
    board.generate_moves(|of_one_piece| {
        moves.extend(of_one_piece);
        false
    });
    let chosen = moves.get(random.usize(..moves.len().max(1)));
    chosen.inspect(|chosen| board.play_unchecked(**chosen)).is_some()
}

fn starts() -> Vec<Board> {
    epd::lines().lines().map(epd::board).collect()
}

/// Compares the results of all calls with those of the look-ups, on the nodes of a walk.
fn check(kernel: &Kernel, walk: &mut Walk) {
    walk.run(|node| {
        let expected = side_by_look_ups(node.side, node.theirs(), node.occupied);
        let [_, _, b, r, q, _] = *node.theirs();
        let sliders = [expected.attacks[2], expected.attacks[3], expected.attacks[4]];
        assert_eq!(kernel.sliders_by_kind_one(b, r, q, node.occupied), sliders, "{kernel:?}");
        let attacks = kernel.side_attacks_one(node.side, node.theirs(), node.occupied);
        assert_eq!(attacks, expected, "{kernel:?}");
        assert_eq!(side_by_sets(kernel, node), expected, "{kernel:?}");
        assert_eq!(board::sliders_by_kind(b, r, q, node.occupied), sliders);
        assert_eq!(board::side_attacks(node.side, node.theirs(), node.occupied), expected);
        let twice = board::doubly_attacked(node.side, node.theirs(), node.occupied);
        let twice_by_kernel = kernel.doubly_attacked_one(node.side, node.theirs(), node.occupied);
        assert_eq!(twice_by_kernel, twice, "{kernel:?}");
        let maps = kernel.attack_maps_one(&node.position);
        assert_eq!(maps, maps::by_look_ups(&node.position), "{kernel:?}");
        assert_eq!(kernel.checks_one(&node.position), board::checks(&node.position), "{kernel:?}");
        1
    });
}

fn main() {
    let mut walk = Walk::new(starts());
    Kernel::available().for_each(|kernel| check(kernel, &mut walk));
    if !env::args().any(|argument| argument == "--bench") {
        return println!("walk: all calls agree; `cargo bench` times them");
    }
    let calls = Call::all();
    let kernels: Vec<_> = Kernel::available().filter(|kernel| chosen(kernel.name())).collect();
    let races: Vec<Race> = kernels
        .iter()
        .map(|kernel| {
            let mut race = Race::default();
            let mut samples = vec![0; calls.len()];
            race.continue_for(calls.len(), LENGTH, |way, _| {
                // All calls are timed on the same games. A new salt selects other table entries, so
                // no walk finds the entries of an earlier walk in the caches.
                walk.seed = samples[way];
                samples[way] += 1;
                walk.salt = fastrand::u64(..) | 1;
                let start = Instant::now();
                black_box(calls[way].walk(&mut walk, black_box(kernel)));
                start.elapsed()
            });
            race
        })
        .collect();
    println!(
        "games from {} positions; ns per node that a call adds to the walk, medians",
        walk.starts.len()
    );
    let mut first = 1;
    for (title, group) in Call::GROUPS {
        let titles: Vec<&str> = group.iter().map(|(_, title)| *title).collect();
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
