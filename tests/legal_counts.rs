//! Counts of legal moves, in every form of input and by every kernel: against the crate
//! `cozy-chess` on positions of games, and against the oracle, which makes every move on a mailbox,
//! on any boards.

use cozy_chess::{Board, Color};
use setwise::Kernel;
use setwise::moves::{
    CountColumns, Fault, GameColumns, GamePlanes, GamePosition, State, StateColumns,
};
use setwise::position::{Position, PositionColumns};
use setwise_check::moves::legal_counts;

/// Positions in all forms.
#[derive(Default)]
struct Forms {
    positions: Vec<GamePosition>,
    sets: [Vec<u64>; 12],
    planes: [Vec<u64>; 4],
    states: [Vec<u8>; 4],
    /// Moves and checks.
    expected: [Vec<u8>; 2],
}

impl Forms {
    fn push(&mut self, position: GamePosition, expected: (u8, u8)) {
        self.positions.push(position);
        for (column, set) in self.sets.iter_mut().zip(position.position.pieces.as_flattened()) {
            column.push(*set);
        }
        for (column, plane) in self.planes.iter_mut().zip(position.planes()) {
            column.push(plane);
        }
        let State { side, en_passant, castling: [white, black] } = position.state;
        for (column, byte) in self.states.iter_mut().zip([side, en_passant, white, black]) {
            column.push(byte);
        }
        self.expected[0].push(expected.0);
        self.expected[1].push(expected.1);
    }

    fn len(&self) -> usize {
        self.positions.len()
    }

    fn states(&self) -> StateColumns<'_> {
        let [side, en_passant, white, black] = self.states.each_ref().map(Vec::as_slice);
        StateColumns { side, en_passant, castling: [white, black] }
    }

    /// Compares the results of all kernels, from all forms.
    fn check(&self) {
        let planes =
            GamePlanes { planes: self.planes.each_ref().map(Vec::as_slice), states: self.states() };
        let sets = self.sets.each_ref().map(Vec::as_slice);
        let pieces = [sets[..6].try_into().unwrap(), sets[6..].try_into().unwrap()];
        let columns = GameColumns { positions: PositionColumns { pieces }, states: self.states() };
        for kernel in Kernel::available() {
            for form in ["planes", "columns", "array"] {
                let [mut moves, mut checks] = [vec![77; self.len()], vec![77; self.len()]];
                if form == "array" {
                    kernel.legal_counts(&self.positions, &mut moves, &mut checks);
                } else {
                    let mut counts =
                        CountColumns { moves: Some(&mut moves), checks: Some(&mut checks) };
                    if form == "planes" {
                        kernel.legal_counts_in_planes(&planes, &mut counts);
                    } else {
                        kernel.legal_counts_in_columns(&columns, &mut counts);
                    }
                }
                for (i, position) in self.positions.iter().enumerate() {
                    let [found, expected] = [[&moves, &checks], self.expected.each_ref()]
                        .map(|lists| lists.map(|list| list[i]));
                    let name = kernel.name();
                    assert_eq!(found, expected, "{name}, {form}, {i}: {position:?}");
                }
            }
        }
    }
}

fn position(board: &Board) -> GamePosition {
    let set = |color| cozy_chess::Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
    let files = |color| {
        let rights = board.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().map(|file| 1 << file as u8).sum()
    };
    let rank = if board.side_to_move() == Color::White { 5 } else { 2 };
    let state = State {
        side: board.side_to_move() as u8,
        en_passant: board.en_passant().map_or(64, |file| file as u8 + 8 * rank),
        castling: Color::ALL.map(files),
    };
    GamePosition::new(Position { pieces: Color::ALL.map(set) }, state)
}

/// Random games from standard and from random Chess960 positions.
#[test]
fn positions_of_games() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut forms = Forms::default();
    let mut rare = [0; 2];
    for game in 0..200 {
        let start = if game % 2 == 0 { 518 } else { random.u32(..960) };
        let mut board = Board::chess960_startpos(start);
        for _ in 0..150 {
            let mut moves = vec![];
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            let position = position(&board);
            assert_eq!(position.fault(), None, "{board}");
            forms.push(position, (moves.len() as u8, board.checkers().len() as u8));
            let pawns = board.pieces(cozy_chess::Piece::Pawn);
            let passes = |m: &&cozy_chess::Move| pawns.has(m.from) && m.from.file() != m.to.file();
            rare[0] += moves.iter().filter(passes).filter(|m| !board.occupied().has(m.to)).count();
            let own = board.colors(board.side_to_move());
            rare[1] += moves.iter().filter(|m| own.has(m.to)).count();
            let Some(&played) = moves.get(random.usize(..moves.len().max(1))) else { break };
            board.play_unchecked(played);
        }
    }
    assert!(rare[0] > 20 && rare[1] > 300, "en passant and castling: {rare:?}");
    forms.check();
}

/// Boards of any density, with states that may make no sense.
#[test]
fn any_boards() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut forms = Forms::default();
    let mut impossible = 0;
    for i in 0..6000 {
        let mut position = Position::default();
        let pieces = if i % 10 == 0 { 64 } else { random.u32(2..32) };
        for _ in 0..pieces {
            // Mostly a piece of its own on each square, sometimes several.
            let square = 1 << random.u32(..64);
            if position.occupied() & square == 0 || random.u32(..100) == 0 {
                let king = if random.u32(..300) == 0 { 6 } else { 5 };
                position.pieces[random.usize(..2)][random.usize(..king)] |= square;
            }
        }
        if i % 4 != 0 {
            for side in 0..2 {
                position.pieces[side][0] &= !0xff00_0000_0000_00ff;
            }
        }
        let mut state = State {
            side: random.u8(..),
            en_passant: random.u8(..80),
            castling: [random.u8(..), random.u8(..)],
        };
        for side in 0..2 {
            // On the first rank more often.
            let square = 1_u64
                << if random.bool() {
                    56 * side as u32 + random.u32(..8)
                } else {
                    random.u32(..64)
                };
            for sets in &mut position.pieces {
                for set in sets {
                    *set &= !square;
                }
            }
            if random.u32(..20) != 0 {
                position.pieces[side][5] |= square;
            }
        }
        if i % 3 == 0 {
            // An en passant square that may be right.
            let white = state.side.is_multiple_of(2);
            let file = random.u8(..8);
            state.en_passant = file + if white { 40 } else { 16 };
            let square = 1_u64 << state.en_passant;
            let pawn = if white { square >> 8 } else { square << 8 };
            for sets in &mut position.pieces {
                for set in sets {
                    *set &= !(square | pawn);
                }
            }
            position.pieces[usize::from(white)][0] |= pawn;
            position.pieces[usize::from(!white)][0] |= (pawn << 1 & !0x0101_0101_0101_0101
                | pawn >> 1 & !0x8080_8080_8080_8080)
                & !position.occupied();
        }
        let position = GamePosition::new(position, state);
        let counts = legal_counts(&position);
        impossible += usize::from(counts.1 == 255);
        if counts.1 == 255 {
            assert_ne!(position.fault(), None, "{position:?}");
        }
        forms.push(position, counts);
    }
    assert!((500..4500).contains(&impossible), "{impossible} cannot be in a game");
    forms.check();
}

/// More than 255 moves: queens on all edge squares, each of which reaches most of the others.
#[test]
fn many_moves() {
    let mut position = Position::default();
    position.pieces[0][4] = 0x7f81_8181_8181_81fe;
    position.pieces[0][5] = 1;
    position.pieces[1][5] = 1 << 63;
    let mut forms = Forms::default();
    let mut push = |position| {
        let position = GamePosition::new(position, State::default());
        forms.push(position, legal_counts(&position));
    };
    push(position);
    // Fewer queens, until there are fewer moves.
    while position.pieces[0][4] != 0 {
        position.pieces[0][4] &= position.pieces[0][4] - 1;
        push(position);
    }
    let counts = &forms.expected[0];
    assert!(counts[0] == 255 && counts.iter().any(|&n| 200 < n && n < 255), "{counts:?}");
    forms.check();
}

/// A copy of bytes that begins `by` bytes after an aligned address.
fn moved(bytes: &[u8], by: usize) -> (Vec<u64>, usize) {
    let mut words = vec![0; bytes.len() / 8 + 3];
    bytemuck::cast_slice_mut(&mut words)[by..][..bytes.len()].copy_from_slice(bytes);
    (words, by)
}
fn start<T>((words, by): &(Vec<u64>, usize)) -> *const T {
    words.as_ptr().cast::<u8>().wrapping_add(*by).cast()
}

/// Every length up to three blocks of the widest registers, at addresses that are not aligned, with
/// results that are absent. Nothing beyond the results is written.
#[test]
fn lengths_and_addresses() {
    let mut random = fastrand::Rng::with_seed(9);
    let mut forms = Forms::default();
    let mut board = Board::default();
    while forms.len() < 200 {
        let position = position(&board);
        forms.push(position, legal_counts(&position));
        let mut moves = vec![];
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        match moves.get(random.usize(..moves.len().max(1))) {
            Some(&played) => board.play_unchecked(played),
            None => board = Board::default(),
        }
    }
    let by = 3;
    let array = moved(bytemuck::cast_slice(&forms.positions), by);
    let sets = forms.sets.each_ref().map(|set| moved(bytemuck::cast_slice(set), by));
    let planes = forms.planes.each_ref().map(|set| moved(bytemuck::cast_slice(set), by));
    let states = forms.states.each_ref().map(|state| moved(state, by));
    for kernel in Kernel::available() {
        for count in (0..=200).filter(|&count| count < 80 || count % 7 == 0) {
            for form in 0..3 {
                let mut results = [[77_u8; 208]; 2];
                let absent = count % 4;
                let mut number = 0;
                let pointers = results.each_mut().map(|result| {
                    number += 1;
                    if number == absent { std::ptr::null_mut() } else { result[by..].as_mut_ptr() }
                });
                let states = states.each_ref().map(start);
                // SAFETY: the arrays have 200 elements, and the results that are there have room.
                unsafe {
                    match form {
                        0 => kernel.legal_counts_raw(start(&array), pointers, count),
                        1 => {
                            let sets = sets.each_ref().map(start);
                            kernel.legal_counts_in_raw_columns(sets, states, pointers, count);
                        }
                        _ => {
                            let planes = planes.each_ref().map(start);
                            kernel.legal_counts_in_raw_planes(planes, states, pointers, count);
                        }
                    }
                }
                for (n, (result, expected)) in results.iter().zip(&forms.expected).enumerate() {
                    let written = if n + 1 == absent { 0 } else { count };
                    let name = kernel.name();
                    assert_eq!(result[by..][..written], expected[..written], "{name} {count}");
                    assert!(result[..by].iter().all(|&byte| byte == 77), "{name} {count}");
                    assert!(
                        result[by + written..].iter().all(|&byte| byte == 77),
                        "{name} {count}"
                    );
                }
            }
        }
    }
}

/// Positions as the side to move sees them, without a column for the side.
#[test]
fn seen_by_the_side_to_move() {
    let mut board = Board::default();
    let mut planes: [Vec<u64>; 4] = Default::default();
    let mut states: [Vec<u8>; 3] = Default::default();
    let mut expected = vec![];
    let mut random = fastrand::Rng::with_seed(10);
    for _ in 0..100 {
        let position = position(&board);
        expected.push(legal_counts(&position).0);
        let black = position.state.side == 1;
        let [white, a, b, c] = position.planes();
        let own = if black { (a | b | c) & !white } else { white };
        for (column, set) in planes.iter_mut().zip([own, a, b, c]) {
            column.push(if black { set.swap_bytes() } else { set });
        }
        let State { en_passant, castling: [white, black_rights], .. } = position.state;
        let turned = if black && en_passant < 64 { en_passant ^ 0o70 } else { en_passant };
        let rights = if black { [black_rights, white] } else { [white, black_rights] };
        for (column, byte) in states.iter_mut().zip([turned, rights[0], rights[1]]) {
            column.push(byte);
        }
        let mut moves = vec![];
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        let Some(&played) = moves.get(random.usize(..moves.len().max(1))) else { break };
        board.play_unchecked(played);
    }
    for kernel in Kernel::available() {
        let mut moves = vec![0; expected.len()];
        let [en_passant, own, other] = states.each_ref().map(Vec::as_ptr);
        let inputs = [std::ptr::null(), en_passant, own, other];
        let results = [moves.as_mut_ptr(), std::ptr::null_mut()];
        // SAFETY: the columns have an element for each position.
        unsafe {
            let planes = planes.each_ref().map(Vec::as_ptr);
            kernel.legal_counts_in_raw_planes(planes, inputs, results, expected.len());
        }
        assert_eq!(moves, expected, "{}", kernel.name());
    }
}

#[test]
fn faults() {
    let pieces = |white: [u64; 6], black: [u64; 6]| Position { pieces: [white, black] };
    let kings = pieces([0, 0, 0, 0, 0, 1 << 4], [0, 0, 0, 0, 0, 1 << 60]);
    let with = |side: usize, kind: usize, set: u64| {
        let mut position = kings;
        position.pieces[side][kind] = set;
        position
    };
    let state = State::default();
    let castles = |white, black| State { castling: [white, black], ..state };
    let passes = |en_passant| State { en_passant, ..state };
    for (position, state, text) in [
        (Position::default(), state, "white has no king"),
        (with(1, 5, 0), state, "black has no king"),
        (with(1, 5, 3 << 60), state, "black has more than one king"),
        (with(0, 1, 1 << 60), state, "two pieces are on e8"),
        (with(1, 0, 1 << 7), state, "a pawn is on h1, where none can be"),
        (with(1, 5, 1 << 13), state, "the kings are neighbours"),
        (with(0, 3, 1 << 56), state, "black is in check, but it is not its turn"),
        (with(1, 1, 1 << 10 | 1 << 14 | 1 << 19), state, "3 pieces give check, at most two can"),
        (kings, passes(40), "no pawn can have passed over the en passant square a6"),
        (
            with(1, 0, 1 << 32 | 1 << 48),
            passes(40),
            "no pawn can have passed over the en passant square a6",
        ),
        (with(1, 0, 1 << 24), passes(16), "no pawn can have passed over the en passant square a3"),
        (with(1, 0, 1 << 24), passes(32), "no pawn can have passed over the en passant square a5"),
        (kings, castles(0, 1), "castling with a rook on a8: the rook or the king is not in place"),
        (
            pieces([0, 0, 0, 1, 0, 1 << 12], [0, 0, 0, 0, 0, 1 << 60]),
            castles(1, 0),
            "castling with a rook on a1: the rook or the king is not in place",
        ),
    ] {
        let fault = GamePosition::new(position, state).fault();
        assert_eq!(fault.as_ref().map(Fault::to_string).as_deref(), Some(text));
    }
    assert_eq!(GamePosition::new(with(1, 0, 1 << 32), passes(40)).fault(), None);
    assert_eq!(GamePosition::new(with(0, 3, 1 << 7), castles(0x80, 0)).fault(), None);
}
