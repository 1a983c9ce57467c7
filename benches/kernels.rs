//! Times every operation and every call on mailboxes, columns and games with each kernel that can
//! run here.
//!
//! ```text
//! cargo bench -p setwise                                       everything: an hour
//! cargo bench -p setwise -- queen_attacks/avx2                 one operation of one kernel
//! cargo bench -p setwise -- games/queen_attacks/.*/64          kernels beside each other
//! cargo bench -p setwise -- queen_attacks --save-baseline old  keeps the times
//! cargo bench -p setwise -- queen_attacks --baseline old       compares with them
//! cargo bench -p setwise -- --test                             runs each benchmark once
//! ```
//!
//! Benchmarks are named `boards/operation/kernel/boards per call`. A group of criterion is one
//! operation on one kind of boards (`games` or `random`), so its page compares the kernels. Pages
//! need gnuplot and `--plotting-backend gnuplot`. Successive calls take successive boards.

use std::array::from_fn;
use std::hint::black_box;
use std::ops::Range;
use std::ptr::null_mut;
use std::time::Duration;

use bytemuck::cast_slice;
use cozy_chess::{BitBoard, Board, Color, Piece, Square as CozySquare};
use cozy_chess::{get_bishop_moves, get_rook_moves};
use criterion::measurement::WallTime;
use criterion::{AxisScale, BenchmarkGroup, BenchmarkId, Criterion, PlotConfiguration, Throughput};
use setwise::moves::{
    CountColumns, GamePlanes, GamePlanesMut, GamePosition, Move, State, StateColumns,
};
use setwise::position::{AttackMapColumns, CheckColumns, Position, PositionColumns};
use setwise::reflection::{Argument, CallInfo, MAILBOX_CALLS, Role};
use setwise::threats::{Changes, MOST, Threat};
use setwise::{Kernel, Side, Square, board};
use setwise_check::threats::{Codes, Meaning};
use setwise_check::{Column, Operation};

/// The number of boards of a kind.
const BOARDS: usize = 4096;
const BOARDS_PER_CALL: [usize; 4] = [1, 8, 64, BOARDS];

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .sample_size(20)
        .configure_from_args();
    for (boards, positions) in [("games", games()), ("random", random())] {
        for operation in Operation::all() {
            let name = format!("{boards}/{}", operation.title().replace(' ', "/"));
            time_operation(&mut criterion.benchmark_group(name), operation, &positions);
        }
        for call in MAILBOX_CALLS {
            let name = format!("{boards}/{}", call.name());
            time_mailboxes(&mut criterion.benchmark_group(name), call, &positions);
        }
        time_columns(&mut criterion, boards, &positions);
        time_moves(&mut criterion, boards, &positions);
    }
    criterion.final_summary();
}

/// Known positions of games, and those after random moves from there.
fn games() -> Vec<GamePosition> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut positions = vec![];
    let starts = include_str!("../tests/positions/known.epd").lines();
    for line in starts.cycle() {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let mut game: Board = format!("{} 0 1", fields.join(" ")).parse().expect("a legal board");
        for _ in 0..64 {
            positions.push(position(&game));
            if positions.len() == BOARDS {
                return positions;
            }
            let mut moves = vec![];
            game.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            let Some(&chosen) = random.choice(&moves) else { break };
            game.play(chosen);
        }
    }
    unreachable!("the starts repeat")
}

fn position(game: &Board) -> GamePosition {
    let set = |color| Piece::ALL.map(|piece| game.colored_pieces(color, piece).0);
    let castling = |color| {
        let rights = game.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().map(|file| 1 << file as u8).sum()
    };
    let side = game.side_to_move();
    let behind = if side == Color::White { 40 } else { 16 };
    let en_passant = game.en_passant().map_or(State::NO_EN_PASSANT, |file| behind + file as u8);
    let state = State { side: side as u8, en_passant, castling: Color::ALL.map(castling) };
    GamePosition::new(Position { pieces: Color::ALL.map(set) }, state)
}

/// Two kings and up to thirty other pieces on random squares.
fn random() -> Vec<GamePosition> {
    let mut random = fastrand::Rng::with_seed(2);
    let position = |_| {
        let mut squares: [u8; 64] = from_fn(|square| square as u8);
        random.shuffle(&mut squares);
        let mut position = Position::default();
        for (i, square) in squares[..random.usize(2..=32)].iter().enumerate() {
            let kind = if i < 2 { 5 } else { random.usize(..5) };
            position.pieces[i % 2][kind] |= 1 << square;
        }
        GamePosition::new(position, State::default())
    };
    (0..BOARDS).map(position).collect()
}

/// The words of an operation's input, from White's side of a position.
fn input(argument: &Argument, number: usize, position: &Position) -> Vec<u64> {
    let [pawns, knights, bishops, rooks, queens, kings] = position.pieces[0];
    vec![match argument.role() {
        Role::Pawns => pawns,
        Role::Knights => knights,
        Role::Bishops => bishops | queens,
        Role::Rooks => rooks | queens,
        Role::Queens => queens,
        Role::Sliders | Role::Generators => bishops | rooks | queens,
        Role::Kings => kings,
        Role::Occupied => position.occupied(),
        Role::Propagators => !position.occupied(),
        Role::Own => position.of(Side::White),
        Role::Blockers => position.of(Side::Black),
        Role::Targets => !position.of(Side::White),
        Role::Squares => position.pieces[number % 2][5].trailing_zeros().into(),
        Role::Positions => return position.pieces.as_flattened().to_vec(),
        role => unreachable!("{role:?}: no boards yet"),
    }]
}

/// An operation, with the columns of all arguments.
struct Call {
    operation: Operation,
    /// The columns of the inputs, then those of the outputs, and the sizes of their elements.
    columns: Vec<(Column, usize)>,
}

impl Call {
    fn new(operation: Operation, positions: &[GamePosition]) -> Call {
        let words = |(number, argument): (usize, &Argument)| -> Vec<u64> {
            if number < operation.info.inputs().len() {
                positions.iter().flat_map(|p| input(argument, number, &p.position)).collect()
            } else {
                vec![0; argument.element().words() * BOARDS]
            }
        };
        let columns = operation.arguments().enumerate().map(|(number, argument)| {
            let element = argument.element();
            (Column::new(element, words((number, argument))), element.size())
        });
        Call { operation, columns: columns.collect() }
    }

    /// Computes `boards` boards.
    fn run(&mut self, kernel: &Kernel, start: usize, boards: usize) {
        let (info, inputs) = (self.operation.info, self.operation.info.inputs().len());
        let mut pointers = [null_mut(); 16];
        for (pointer, (column, size)) in pointers.iter_mut().zip(&mut self.columns) {
            *pointer = column.bytes_mut()[*size * start..].as_mut_ptr();
        }
        let from = pointers.map(<*mut u8>::cast_const);
        let (from, to) = (&from[..inputs], &pointers[inputs..][..info.outputs().len()]);
        // SAFETY: every column has `BOARDS` elements of its argument's type, and `boards` of them
        // follow `start`. No column overlaps another one.
        unsafe { info.call_raw(kernel, self.operation.parameter, from, to, boards) };
    }

    /// The memory of the outputs.
    fn results(&self) -> Vec<Column> {
        let inputs = self.operation.info.inputs().len();
        self.columns[inputs..].iter().map(|(column, _)| column.clone()).collect()
    }
}

/// Times each kernel, and other code for the four main operations. Before, compares the results.
fn time_operation(
    group: &mut BenchmarkGroup<'_, WallTime>,
    operation: Operation,
    positions: &[GamePosition],
) {
    let mut call = Call::new(operation, positions);
    call.run(Kernel::by_name("scalar").expect("a kernel for every CPU"), 0, BOARDS);
    let expected = call.results();
    let sizes = if operation.info.by_value() { &BOARDS_PER_CALL[..1] } else { &BOARDS_PER_CALL };
    for kernel in Kernel::available() {
        call.run(kernel, 0, BOARDS);
        assert!(call.results() == expected, "{kernel:?}: wrong {}", operation.title());
        for &boards in sizes {
            time(group, kernel.name(), boards, |start| call.run(kernel, start, boards));
        }
    }
    for (name, attacks) in others(operation.info.name()) {
        let inputs: Vec<&[u64]> = call.columns.iter().map(|(c, _)| cast_slice(c.bytes())).collect();
        let (first, second, occupied) = (inputs[0], inputs[1], inputs[inputs.len() - 2]);
        let compute = |i: usize| attacks(first[i], second[i], occupied[i]);
        let mut results: Vec<u64> = (0..BOARDS).map(compute).collect();
        assert!(expected[0].bytes() == cast_slice::<_, u8>(&results), "{name}: wrong results");
        for &boards in sizes {
            time(group, name, boards, |start| {
                let results = &mut results[start..start + boards];
                results.iter_mut().zip(start..).for_each(|(result, i)| *result = compute(i));
                black_box(results);
            });
        }
    }
}

type OneBoard = fn(u64, u64, u64) -> u64;

/// Code for one board at a time, from the sliders (for `slider_attacks` both sets) and the occupied
/// squares: the look-ups of another crate, slider by slider, and the functions of [`board`].
fn others(operation: &str) -> Vec<(&'static str, OneBoard)> {
    match operation {
        "rook_attacks" => vec![
            ("cozy-chess", |rooks, _, occupied| look_up(get_rook_moves, rooks, occupied)),
            ("board", |rooks, _, occupied| board::rook_attacks(rooks, occupied)),
        ],
        "bishop_attacks" => vec![
            ("cozy-chess", |bishops, _, occupied| look_up(get_bishop_moves, bishops, occupied)),
            ("board", |bishops, _, occupied| board::bishop_attacks(bishops, occupied)),
        ],
        "queen_attacks" => vec![
            ("cozy-chess", |queens, _, occupied| {
                look_up(get_rook_moves, queens, occupied)
                    | look_up(get_bishop_moves, queens, occupied)
            }),
            ("board", |queens, _, occupied| board::queen_attacks(queens, occupied)),
        ],
        "slider_attacks" => vec![
            ("cozy-chess", |orthogonal, diagonal, occupied| {
                look_up(get_rook_moves, orthogonal, occupied)
                    | look_up(get_bishop_moves, diagonal, occupied)
            }),
            ("board", board::slider_attacks),
        ],
        _ => vec![],
    }
}

fn look_up(attacks: fn(CozySquare, BitBoard) -> BitBoard, sliders: u64, occupied: u64) -> u64 {
    let occupied = BitBoard(occupied);
    BitBoard(sliders).iter().fold(0, |all, square| all | attacks(square, occupied).0)
}

/// Times a call on mailboxes with each kernel: `threats` in batches, the others on one board.
fn time_mailboxes(
    group: &mut BenchmarkGroup<'_, WallTime>,
    call: &CallInfo,
    positions: &[GamePosition],
) {
    let meaning = Meaning::usual();
    let rules = meaning.rules();
    let boards: Vec<Codes> = positions.iter().map(|position| mailbox(&position.position)).collect();
    // A piece goes to any square.
    let mut random = fastrand::Rng::with_seed(3);
    let moves = boards.iter().map(|board| {
        let pieces: Vec<usize> = (0..64).filter(|&i| board[i] != 0).collect();
        let from = *random.choice(&pieces).expect("a piece");
        (Square::masked(from as u8), Square::masked(random.u8(..)), board[from])
    });
    let moves: Vec<(Square, Square, u8)> = moves.collect();
    let mut changes = Changes::new();
    let (mut offsets, mut threats) = (vec![0; BOARDS + 1], vec![Threat::default(); MOST * BOARDS]);
    for kernel in Kernel::available() {
        match call.name() {
            "threats_moved" => time(group, kernel.name(), 1, |i| {
                let (from, to, placed) = moves[i];
                kernel.threats_moved(&boards[i], from, to, placed, &rules, &mut changes);
            }),
            "threats_edited" => time(group, kernel.name(), 1, |i| {
                let (from, to, placed) = moves[i];
                let edits = [(from, 0), (to, placed)];
                let edits = &edits[usize::from(from == to)..];
                kernel.threats_edited(&boards[i], edits, &rules, &mut changes);
            }),
            "threats" => {
                for count in BOARDS_PER_CALL {
                    time(group, kernel.name(), count, |start| {
                        let boards = &boards[start..start + count];
                        kernel.threats(boards, &rules, &mut offsets[..=count], &mut threats);
                    });
                }
            }
            name => panic!("no benchmark of {name}: add it here"),
        }
    }
}

/// Times attack maps and checks of positions in columns. Before, compares them with `board`.
fn time_columns(criterion: &mut Criterion, kind: &str, positions: &[GamePosition]) {
    let positions: Vec<Position> = positions.iter().map(|game| game.position).collect();
    let sets: [Vec<u64>; 12] =
        from_fn(|n| positions.iter().map(|p| p.pieces.as_flattened()[n]).collect());
    let maps: Vec<[u64; 16]> =
        positions.iter().map(|p| bytemuck::cast(board::attack_maps(p))).collect();
    let checks: Vec<[u64; 6]> =
        positions.iter().map(|p| bytemuck::cast(board::checks(p))).collect();
    let mut results: [Vec<u64>; 16] = from_fn(|_| vec![0; BOARDS]);
    for name in ["attack_maps_in_columns", "checks_in_columns"] {
        let mut group = criterion.benchmark_group(format!("{kind}/{name}"));
        for kernel in Kernel::available() {
            let call = |results: &mut [Vec<u64>; 16], start: usize, boards: usize| {
                let set = |n: usize| &sets[n][start..start + boards];
                let pieces = [0, 6].map(|first| from_fn(|kind| set(first + kind)));
                let mut next = results.iter_mut().map(|column| &mut column[..boards]);
                if name == "checks_in_columns" {
                    let [checkers, pinned, pinners] = from_fn(|_| from_fn(|_| next.next()));
                    let mut checks = CheckColumns { checkers, pinned, pinners };
                    kernel.checks_in_columns(&PositionColumns { pieces }, &mut checks);
                } else {
                    let attacks = from_fn(|_| from_fn(|_| next.next()));
                    let [all, by_lesser] = from_fn(|_| from_fn(|_| next.next()));
                    let mut maps = AttackMapColumns { attacks, all, by_lesser };
                    kernel.attack_maps_in_columns(&PositionColumns { pieces }, &mut maps);
                }
            };
            for column in &mut results {
                column.fill(!0);
            }
            call(&mut results, 0, BOARDS);
            let is_right = |i: usize| {
                let mut found = results.iter().map(|column| column[i]);
                let right: &[u64] = if name == "checks_in_columns" { &checks[i] } else { &maps[i] };
                right.iter().all(|&set| found.next() == Some(set))
            };
            assert!((0..BOARDS).all(is_right), "{kernel:?}: wrong {name}");
            for boards in BOARDS_PER_CALL {
                let call = |start| call(&mut results, start, boards);
                time(&mut group, kernel.name(), boards, call);
            }
        }
    }
}

/// Positions in columns of planes.
struct Planes {
    planes: [Vec<u64>; 4],
    states: [Vec<u8>; 4],
}

impl Planes {
    fn new(positions: &[GamePosition]) -> Planes {
        let states = positions.iter().map(|position| position.state);
        let states = states.map(|s| [s.side, s.en_passant, s.castling[0], s.castling[1]]);
        Planes {
            planes: from_fn(|i| positions.iter().map(|position| position.planes()[i]).collect()),
            states: from_fn(|i| states.clone().map(|bytes| bytes[i]).collect()),
        }
    }

    fn of(&self, these: Range<usize>) -> GamePlanes<'_> {
        let planes = self.planes.each_ref().map(|column| &column[these.clone()]);
        let [side, en_passant, white, black] =
            self.states.each_ref().map(|column| &column[these.clone()]);
        GamePlanes { planes, states: StateColumns { side, en_passant, castling: [white, black] } }
    }
}

/// Times the counts and lists of legal moves, and the positions after them.
fn time_moves(criterion: &mut Criterion, kind: &str, positions: &[GamePosition]) {
    let columns = Planes::new(positions);
    let expected: Vec<(u8, u8)> = positions.iter().map(board::legal_counts).collect();
    let (mut numbers, mut checks) = (vec![0; BOARDS], vec![0; BOARDS]);
    let (mut offsets, mut moves) = (vec![0; BOARDS + 1], vec![Move::default(); 256 * BOARDS]);
    let mut group = criterion.benchmark_group(format!("{kind}/legal_counts"));
    for kernel in Kernel::available() {
        kernel.legal_counts(positions, &mut numbers, &mut checks);
        let counts = numbers.iter().copied().zip(checks.iter().copied());
        assert!(counts.eq(expected.iter().copied()), "{kernel:?}: wrong legal_counts");
        for boards in BOARDS_PER_CALL {
            let (numbers, checks) = (&mut numbers[..boards], &mut checks[..boards]);
            time(&mut group, kernel.name(), boards, |start| {
                kernel.legal_counts(&positions[start..start + boards], numbers, checks);
            });
        }
    }
    drop(group);
    let mut group = criterion.benchmark_group(format!("{kind}/legal_counts_in_planes"));
    for kernel in Kernel::available() {
        for boards in BOARDS_PER_CALL {
            let (numbers, checks) = (&mut numbers[..boards], &mut checks[..boards]);
            time(&mut group, kernel.name(), boards, |start| {
                let (moves, checks) = (Some(&mut *numbers), Some(&mut *checks));
                let mut counts = CountColumns { moves, checks };
                kernel.legal_counts_in_planes(&columns.of(start..start + boards), &mut counts);
            });
        }
    }
    drop(group);
    let mut group = criterion.benchmark_group(format!("{kind}/legal_moves_in_planes"));
    for kernel in Kernel::available() {
        for boards in BOARDS_PER_CALL {
            time(&mut group, kernel.name(), boards, |start| {
                let (these, offsets) = (columns.of(start..start + boards), &mut offsets[..=boards]);
                kernel.legal_moves_in_planes(&these, offsets, &mut moves);
            });
        }
        let done = kernel.legal_moves_in_planes(&columns.of(0..BOARDS), &mut offsets, &mut moves);
        let counts = offsets.windows(2).map(|pair| pair[1] - pair[0]);
        let all = done == BOARDS && counts.eq(expected.iter().map(|counts| u32::from(counts.0)));
        assert!(all, "{kernel:?}: wrong legal_moves_in_planes");
    }
    drop(group);
    // The first positions only, because the offsets of others do not start at 0.
    let mut group = criterion.benchmark_group(format!("{kind}/successors_in_planes"));
    let most = offsets[BOARDS] as usize;
    let (mut planes, mut bytes) = (vec![0; 4 * most], vec![0; 4 * most]);
    for kernel in Kernel::available() {
        for boards in BOARDS_PER_CALL {
            let (offsets, after) = (&offsets[..=boards], offsets[boards] as usize);
            time(&mut group, kernel.name(), boards, |_| {
                let mut planes = planes.chunks_mut(most).map(|plane| &mut plane[..after]);
                let mut bytes = bytes.chunks_mut(most).map(|column| &mut column[..after]);
                let mut next = || bytes.next().expect("four columns");
                let mut results = GamePlanesMut {
                    planes: from_fn(|_| planes.next().expect("four columns")),
                    side: next(),
                    en_passant: next(),
                    castling: [next(), next()],
                };
                let these = columns.of(0..boards);
                kernel.successors_in_planes(&these, offsets, &moves[..after], &mut results);
            });
        }
    }
}

fn mailbox(position: &Position) -> Codes {
    let mut codes = [0; 64];
    for (code, set) in (1..).zip(position.pieces.as_flattened()) {
        for square in BitBoard(*set) {
            codes[square as usize] = code;
        }
    }
    codes
}

/// Times calls of a contender. `call` gets the first of the `boards` boards to compute.
fn time(
    group: &mut BenchmarkGroup<'_, WallTime>,
    contender: &str,
    boards: usize,
    mut call: impl FnMut(usize),
) {
    group.plot_config(PlotConfiguration::default().summary_scale(AxisScale::Logarithmic));
    group.throughput(Throughput::Elements(boards as u64));
    group.bench_function(BenchmarkId::new(contender, boards), |bencher| {
        let mut start = 0;
        bencher.iter(|| {
            call(start);
            start = (start + boards) % BOARDS;
        });
    });
}
