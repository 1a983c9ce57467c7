//! Lists of legal moves and the positions after them, by every kernel, against the oracle, which
//! makes every move on a mailbox, and perft against known numbers.

use cozy_chess::Board;
use setwise::moves::{
    Castling, GamePlanes, GamePlanesMut, GamePosition, MOST, Move, State, StateColumns,
};
use setwise::position::Position;
use setwise::{Kernel, Side, Square};
use setwise_check::moves::{Game, legal_moves};

/// Bytes before and after everything that is written.
const GUARD: usize = 64;

/// Positions in columns, at some distance from the start of their memory.
struct Columns {
    planes: [Vec<u64>; 4],
    states: [Vec<u8>; 4],
    skip: usize,
}

impl Columns {
    fn new(positions: &[GamePosition], skip: usize) -> Columns {
        let mut planes = [const { Vec::new() }; 4].map(|_: Vec<u64>| vec![!0; skip]);
        let mut states = [const { Vec::new() }; 4].map(|_: Vec<u8>| vec![!0; skip]);
        for position in positions {
            for (column, plane) in planes.iter_mut().zip(position.planes()) {
                column.push(plane);
            }
            let State { side, en_passant, castling: [white, black] } = position.state;
            for (column, byte) in states.iter_mut().zip([side, en_passant, white, black]) {
                column.push(byte);
            }
        }
        Columns { planes, states, skip }
    }

    fn all(&self) -> GamePlanes<'_> {
        let planes = self.planes.each_ref().map(|column| &column[self.skip..]);
        let [side, en_passant, white, black] =
            self.states.each_ref().map(|column| &column[self.skip..]);
        GamePlanes { planes, states: StateColumns { side, en_passant, castling: [white, black] } }
    }
}

/// What the oracle says.
struct Expected {
    offsets: Vec<u32>,
    moves: Vec<Move>,
    after: Vec<GamePosition>,
}

impl Expected {
    fn new(positions: &[GamePosition]) -> Expected {
        let mut expected = Expected { offsets: vec![0], moves: vec![], after: vec![] };
        for position in positions {
            let moves = legal_moves(position);
            let game = Game::from(position);
            expected.after.extend(moves.iter().map(|m| GamePosition::from(&game.after(*m))));
            expected.moves.extend(moves);
            expected.offsets.push(expected.moves.len() as u32);
        }
        expected
    }
}

/// Compares lists and successors of all kernels, at a distance from the start of memory.
fn check(positions: &[GamePosition], expected: &Expected, skip: usize) {
    let columns = Columns::new(positions, skip);
    let all = expected.moves.len();
    for kernel in Kernel::available() {
        let name = kernel.name();
        for room in [all, all + 33, all + 3000] {
            let none = Move::from_bits(!0);
            let mut moves = vec![none; skip + room + GUARD];
            let mut offsets = vec![!0; skip + positions.len() + 1 + GUARD];
            let done = kernel.legal_moves_in_planes(
                &columns.all(),
                &mut offsets[skip..=skip + positions.len()],
                &mut moves[skip..skip + room],
            );
            assert_eq!(done, positions.len(), "{name}");
            assert_eq!(offsets[skip..=skip + positions.len()], expected.offsets, "{name}");
            for (i, ends) in expected.offsets.windows(2).enumerate() {
                let range = ends[0] as usize..ends[1] as usize;
                let found = &moves[skip..][range.clone()];
                assert_eq!(found, &expected.moves[range], "{name}, {i}: {:?}", positions[i]);
            }
            let is_kept = |moves: &[Move]| moves.iter().all(|&m| m == none);
            assert!(is_kept(&moves[..skip]) && is_kept(&moves[skip + room..]), "{name}: guard");
            let outside = offsets[..skip].iter().chain(&offsets[skip + positions.len() + 1..]);
            assert!(outside.into_iter().all(|&offset| offset == !0), "{name}: guard");
        }

        let mut planes = [(); 4].map(|()| vec![!0_u64; skip + all + GUARD]);
        let mut states = [(); 4].map(|()| vec![!0_u8; skip + all + GUARD]);
        let range = skip..skip + all;
        let [side, en_passant, white, black] =
            states.each_mut().map(|column| &mut column[range.clone()]);
        let mut after = GamePlanesMut {
            planes: planes.each_mut().map(|column| &mut column[range.clone()]),
            side,
            en_passant,
            castling: [white, black],
        };
        let moves = [vec![Move::default(); skip], expected.moves.clone()].concat();
        let given = [vec![0; skip], expected.offsets.clone()].concat();
        kernel.successors_in_planes(&columns.all(), &given[skip..], &moves[skip..], &mut after);
        for n in 0..all {
            let found = planes.each_ref().map(|column| column[skip + n]);
            let [side, en_passant, white, black] = states.each_ref().map(|column| column[skip + n]);
            let state = State { side, en_passant, castling: [white, black] };
            let found = GamePosition::new(Position::from_planes(found), state);
            let played = expected.moves[n];
            let i = expected.offsets.iter().rposition(|&first| first as usize <= n).unwrap();
            assert_eq!(found, expected.after[n], "{name}: {played:?} in {:?}", positions.get(i));
            assert_eq!(planes[0][skip + n], expected.after[n].planes()[0], "{name}");
        }
        let guards = |at: usize| at < skip || at >= skip + all;
        for column in &planes {
            assert!((0..column.len()).filter(|&at| guards(at)).all(|at| column[at] == !0));
        }
        for column in &states {
            assert!((0..column.len()).filter(|&at| guards(at)).all(|at| column[at] == !0));
        }
    }
}

fn position(board: &Board) -> GamePosition {
    let colors = cozy_chess::Color::ALL;
    let set = |color| cozy_chess::Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
    let files = |color| {
        let rights = board.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().map(|file| 1 << file as u8).sum()
    };
    let rank = if board.side_to_move() == colors[0] { 5 } else { 2 };
    let state = State {
        side: board.side_to_move() as u8,
        en_passant: board.en_passant().map_or(64, |file| file as u8 + 8 * rank),
        castling: colors.map(files),
    };
    GamePosition::new(Position { pieces: colors.map(set) }, state)
}

/// Positions of random games, half of them of Chess960.
fn of_games(games: u32, plies: usize) -> Vec<GamePosition> {
    let mut random = fastrand::Rng::with_seed(2);
    let mut positions = vec![];
    for game in 0..games {
        let start = if game % 2 == 0 { 518 } else { random.u32(..960) };
        let mut board = Board::chess960_startpos(start);
        for _ in 0..plies {
            positions.push(position(&board));
            let mut moves = vec![];
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            let Some(&played) = moves.get(random.usize(..moves.len().max(1))) else { break };
            board.play_unchecked(played);
        }
    }
    positions
}

/// Boards of any density with any state: most are positions that no game can have.
fn any_boards(count: usize) -> Vec<GamePosition> {
    let mut random = fastrand::Rng::with_seed(3);
    let mut any = || {
        let mut position = Position::default();
        let pieces = if random.u32(..8) == 0 { 62 } else { random.u32(..30) };
        let kings = [random.u32(..64), random.u32(..64)];
        for (side, king) in kings.into_iter().enumerate() {
            position.pieces[side][5] = 1 << king;
        }
        for _ in 0..pieces {
            let square = random.u32(..64);
            let kinds = if random.u32(..50) == 0 { 6 } else { 5 };
            let (kind, side) = (random.usize(..kinds), random.usize(..2));
            let is_pawn_home = kind == 0 && matches!(square / 8, 0 | 7);
            if !kings.contains(&square) && (!is_pawn_home || random.u32(..100) == 0) {
                position.pieces[side][kind] |= 1 << square;
            }
        }
        let state = State {
            side: random.u8(..4),
            en_passant: if random.bool() { random.u8(..) } else { 64 },
            castling: [random.u8(..), random.u8(..)],
        };
        GamePosition::new(position, state)
    };
    (0..count).map(|_| any()).collect()
}

#[test]
fn positions_of_games() {
    let positions = of_games(30, 150);
    check(&positions, &Expected::new(&positions), 0);
}

#[test]
fn boards_of_any_density() {
    let positions = any_boards(6000);
    let expected = Expected::new(&positions);
    assert!(expected.moves.len() > 20_000, "{}", expected.moves.len());
    check(&positions, &expected, 1);
}

#[test]
fn every_length_at_every_place() {
    let positions = [of_games(2, 60), any_boards(40)].concat();
    for count in 0..=positions.len() {
        let first = (count * 7) % (positions.len() - count + 1);
        let part = &positions[first..first + count];
        check(part, &Expected::new(part), count % 9);
    }
}

/// A board with more moves than any game allows: queens all around, which reach every square from
/// all sides.
fn many_moves() -> GamePosition {
    let mut position = Position::default();
    (position.pieces[0][5], position.pieces[1][5]) = (1, 1 << 63);
    position.pieces[0][4] = 0xff81_8181_8181_81ff & !(1 | 1 << 63);
    GamePosition::new(position, State::default())
}

#[test]
fn texts_of_many_moves() {
    let position = many_moves();
    for played in legal_moves(&position) {
        let text = played.to_uci(&position, Castling::Standard).to_string();
        assert_eq!(Move::from_uci(&text, &position), Some(played));
    }
}

#[test]
fn room_that_does_not_suffice() {
    let mut positions = of_games(1, 40);
    positions.insert(7, many_moves());
    let expected = Expected::new(&positions);
    let columns = Columns::new(&positions, 0);
    for kernel in Kernel::available() {
        for room in 0..expected.moves.len() + 2 {
            let mut moves = vec![Move::from_bits(!0); room + GUARD];
            let mut offsets = vec![!0; positions.len() + 1];
            let done =
                kernel.legal_moves_in_planes(&columns.all(), &mut offsets, &mut moves[..room]);
            let fit = expected.offsets.iter().rposition(|&end| end as usize <= room).unwrap();
            assert_eq!(done, fit, "{}, {room}", kernel.name());
            assert_eq!(offsets[..=done], expected.offsets[..=done]);
            assert!(offsets[done + 1..].iter().all(|&offset| offset == !0));
            let end = expected.offsets[done] as usize;
            assert_eq!(moves[..end], expected.moves[..end]);
            assert!(moves[room..].iter().all(|&m| m.bits() == !0), "{}", kernel.name());
        }
    }
}

fn own_pieces(position: &GamePosition) -> u64 {
    // Where sets overlap, the planes decide.
    let pieces = Position::from_planes(position.planes());
    pieces.of(Side::BOTH[usize::from(position.state.side & 1)])
}

#[test]
fn moves_that_are_not_legal_have_one_result_too() {
    let mut random = fastrand::Rng::with_seed(4);
    let positions = [of_games(4, 100), any_boards(3000)].concat();
    let mut moves = vec![];
    for position in &positions {
        // Vectors do not decide about groups with another piece than an own one, a capture of an
        // own piece, or a promotion: most positions get none of these.
        let own = own_pieces(position);
        let is_plain = random.u32(..4) > 0 && own != 0 && own != !0;
        for _ in 0..8 {
            let bits = loop {
                let bits = random.u16(..);
                let [from, to] = [own >> (bits & 63) & 1, own >> (bits >> 6 & 63) & 1];
                if !is_plain || (from, to) == (1, 0) {
                    break bits;
                }
            };
            moves.push(Move::from_bits(if is_plain { bits & 0xfff } else { bits }));
        }
    }
    one_result(&positions, &moves);
}

/// Eight moves of each position by all kernels, against `board`, and against the oracle for moves
/// of own pieces.
fn one_result(positions: &[GamePosition], moves: &[Move]) {
    let columns = Columns::new(positions, 0);
    let offsets: Vec<u32> = (0..=positions.len() as u32).map(|i| 8 * i).collect();
    for (n, &played) in moves.iter().enumerate() {
        let position = &positions[n / 8];
        let own = own_pieces(position);
        // The oracle leaves open what a piece of the other side or castling with any piece does.
        if own & played.from().bitboard() != 0 && own & played.to().bitboard() == 0 {
            let after = GamePosition::from(&Game::from(position).after(played));
            assert_eq!(setwise::board::play(position, played), after, "{played:?} in {position:?}");
        }
    }
    for kernel in Kernel::available() {
        let mut found = vec![GamePosition::default(); moves.len()];
        kernel.successors(positions, &offsets, moves, &mut found);
        let mut planes = [(); 4].map(|()| vec![0; moves.len()]);
        let mut states = [(); 4].map(|()| vec![0; moves.len()]);
        let [side, en_passant, white, black] = states.each_mut().map(Vec::as_mut_slice);
        kernel.successors_in_planes(
            &columns.all(),
            &offsets,
            moves,
            &mut GamePlanesMut {
                planes: planes.each_mut().map(Vec::as_mut_slice),
                side,
                en_passant,
                castling: [white, black],
            },
        );
        for (n, &played) in moves.iter().enumerate() {
            let after = setwise::board::play(&positions[n / 8], played);
            let name = kernel.name();
            assert_eq!(found[n], after, "{name}: {played:?} in {:?}", positions[n / 8]);
            let of_columns = planes.each_ref().map(|column| column[n]);
            // Planes may say more where sets overlap.
            let of_columns = Position::from_planes(of_columns);
            assert_eq!(of_columns, after.position, "{name}: {played:?} in {:?}", positions[n / 8]);
            let [side, en_passant, white, black] = states.each_ref().map(|column| column[n]);
            assert_eq!(State { side, en_passant, castling: [white, black] }, after.state);
        }
    }
}

/// A pawn that goes to the en passant square captures nothing if no pawn of the other side is
/// behind it, if the square is occupied or if it is on another rank.
#[test]
fn en_passant_without_a_pawn_to_take() {
    for (fen, en_passant, played) in [
        ("4k3/8/4n3/3PN3/8/8/8/4K3 w - - 0 1", Square::E6, Move::new(Square::D5, Square::E6, None)),
        ("4k3/8/8/3PN3/8/8/8/4K3 w - - 0 1", Square::E6, Move::new(Square::D5, Square::E6, None)),
        ("4k3/8/8/3Pn3/8/8/8/4K3 w - - 0 1", Square::E6, Move::new(Square::D5, Square::E6, None)),
        ("4k3/8/4n3/3Pp3/8/8/8/4K3 w - - 0 1", Square::E6, Move::new(Square::D5, Square::E6, None)),
        ("4k3/8/8/8/3Pp3/8/8/4K3 w - - 0 1", Square::E5, Move::new(Square::D4, Square::E5, None)),
        ("4k3/8/8/8/3pn3/4N3/8/4K3 b - - 0 1", Square::E3, Move::new(Square::D4, Square::E3, None)),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - - 0 1", Square::E4, Move::new(Square::D5, Square::E4, None)),
    ] {
        let mut position = known(fen);
        position.state.en_passant = en_passant.index() as u8;
        let after = setwise::board::play(&position, played);
        let taken = position.planes()[0] & !after.planes()[0];
        let behind = if position.state.side == 0 { 8 } else { -8_i8 };
        let behind = 1_u64 << (en_passant.index() as i8 - behind);
        let occupied =
            |position: &GamePosition| position.planes()[1..].iter().fold(0, |a, b| a | b);
        assert_eq!(taken & behind, 0, "{fen}");
        assert_eq!(occupied(&after) & behind, occupied(&position) & behind, "{fen}");
        one_result(&[position], &[played; 8]);
    }
}

/// Four equal moves are one vector, which no other move makes rare.
#[test]
fn vectors_of_moves_that_are_not_legal() {
    let kings = |squares: u64| {
        let mut position = known("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        position.position.pieces[0][5] = squares;
        position
    };
    // One of several kings moves: all castling rights are lost.
    let king = Move::new(Square::E1, Square::E2, None);
    for position in [kings(1 << 4), kings(1 << 4 | 1 << 40), kings(1 << 4 | 1 << 5)] {
        assert_eq!(setwise::board::play(&position, king).state.castling, [0; 2]);
        one_result(&[position], &[king; 8]);
    }
    // Two steps of a pawn beside another, from any rank.
    for (fen, from, to, en_passant) in [
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", Square::E2, Square::E4, 20),
        ("4k3/8/8/3p4/8/4P3/8/4K3 w - - 0 1", Square::E3, Square::E5, 64),
        ("4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", Square::E4, Square::E6, 64),
        ("4k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1", Square::E7, Square::E5, 44),
        ("4k3/8/4p3/8/3P4/8/8/4K3 b - - 0 1", Square::E6, Square::E4, 64),
        ("4k3/8/8/4p3/8/3P4/8/4K3 b - - 0 1", Square::E5, Square::E3, 64),
    ] {
        let (position, played) = (known(fen), Move::new(from, to, None));
        assert_eq!(setwise::board::play(&position, played).state.en_passant, en_passant, "{fen}");
        one_result(&[position], &[played; 8]);
    }
}

#[test]
fn arrays_give_the_same_lists() {
    let positions = of_games(2, 100);
    let expected = Expected::new(&positions);
    for kernel in Kernel::available() {
        for room in [expected.moves.len(), 1000, 3 * MOST] {
            let mut offsets = vec![0; positions.len() + 1];
            let mut moves = vec![Move::default(); room];
            let done = kernel.legal_moves(&positions, &mut offsets, &mut moves);
            let fit = expected.offsets.iter().rposition(|&end| end as usize <= room).unwrap();
            assert_eq!(done, fit, "{}", kernel.name());
            assert_eq!(offsets[..=done], expected.offsets[..=done]);
            let end = expected.offsets[done] as usize;
            assert_eq!(moves[..end], expected.moves[..end]);
        }
    }
}

fn known(fen: &str) -> GamePosition {
    position(&Board::from_fen(fen, false).unwrap())
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[test]
fn perft_of_known_positions() {
    for (fen, counts) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[1, 20, 400, 8902, 197_281][..],
        ),
        (KIWIPETE, &[1, 48, 2039, 97_862]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[1, 14, 191, 2812, 43_238]),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            &[1, 6, 264, 9467, 422_333],
        ),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[1, 44, 1486, 62_379]),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[1, 46, 2079, 89_890],
        ),
    ] {
        let position = known(fen);
        for kernel in Kernel::available() {
            for (depth, count) in (0..).zip(counts) {
                assert_eq!(kernel.perft(&position, depth), *count, "{}, {fen}", kernel.name());
            }
        }
    }
}

/// Each level of the tree takes stack: more than threads have by default.
#[cfg(feature = "std")]
#[test]
fn perft_of_a_great_depth() {
    let position = known("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let mut reports = 0;
    let counts = Kernel::active().perft_each(&[position], 64, 1, |_| {
        reports += 1;
        reports < 4
    });
    assert_eq!(counts.len(), 1);
    // A tree that has ended is not divided again at each deeper level.
    let mate = known("R3k3/8/4K3/8/8/8/8/8 b - - 0 1");
    assert_eq!(Kernel::active().perft_each(&[mate], u32::MAX, 1, |_| true), [0]);
}

/// A panic of the report ends a count that would take years.
#[cfg(feature = "std")]
#[test]
fn perft_ends_with_a_panic() {
    let position = known(KIWIPETE);
    let count = || Kernel::active().perft_each(&[position], 12, 2, |_| panic!("as is expected"));
    assert!(std::panic::catch_unwind(count).is_err());
}

/// Counts of single positions end at 255.
#[test]
fn perft_of_a_board_with_many_moves() {
    let position = many_moves();
    let moves = legal_moves(&position);
    assert!(moves.len() > 255, "{}", moves.len());
    let two: u64 = moves
        .iter()
        .map(|m| legal_moves(&GamePosition::from(&Game::from(&position).after(*m))).len() as u64)
        .sum();
    for kernel in Kernel::available() {
        assert_eq!(kernel.perft(&position, 1), moves.len() as u64, "{}", kernel.name());
        assert_eq!(kernel.perft(&position, 2), two, "{}", kernel.name());
    }
}

#[cfg(feature = "std")]
#[test]
fn perft_on_threads() {
    let position = known(KIWIPETE);
    assert_eq!(setwise::moves::perft(&position, 4, 3), 4_085_603);
    let mut moves = [Move::default(); MOST];
    let count = setwise::board::legal_moves(&position, &mut moves);
    let after: Vec<_> =
        moves[..count].iter().map(|&m| setwise::board::play(&position, m)).collect();
    let kernel = Kernel::active();
    let mut last = 0;
    let counts = kernel.perft_each(&after, 3, 2, |progress| {
        assert!(progress.nodes >= last && progress.done <= progress.parts);
        last = progress.nodes;
        true
    });
    assert_eq!(counts.len(), 48);
    assert_eq!(counts.iter().sum::<u64>(), 4_085_603);
    for (after, count) in after.iter().zip(&counts) {
        assert_eq!(kernel.perft(after, 3), *count);
    }
    // A count that is stopped at once is not complete.
    let stopped = kernel.perft_each(&[position], 6, 2, |_| false);
    assert!(stopped[0] < 8_031_647_685, "{stopped:?}");
}
