//! Compares the legal moves of a position, and the positions after them, with the oracle: of every
//! kernel, and of `board`. Also the checks of the position, in columns.
//!
//! The input: the four planes of a position (eight bytes each), then side to move, en passant
//! square and the castling rights of both sides. Missing bytes are 0.
#![no_main]

use libfuzzer_sys::fuzz_target;
use setwise::moves::{GamePosition, Move, State};
use setwise::position::{CheckColumns, Position, PositionColumns};
use setwise::{Kernel, board};
use setwise_check::moves::{Game, legal_moves};
use setwise_check::oracle;

/// More positions than a kernel takes at a time, and some that are left over.
const COLUMN: usize = 2 * 64 + 3;

fuzz_target!(|data: &[u8]| {
    let mut bytes = [0; 36];
    let length = data.len().min(36);
    bytes[..length].copy_from_slice(&data[..length]);
    let (planes, state) = bytes.split_at(32);
    let words = planes.as_chunks::<8>().0;
    let pieces = Position::from_planes(std::array::from_fn(|i| u64::from_le_bytes(words[i])));
    let state = State { side: state[0], en_passant: state[1], castling: [state[2], state[3]] };
    let position = GamePosition::new(pieces, state);

    let game = Game::from(&position);
    let expected = legal_moves(&position);
    let after: Vec<_> = expected.iter().map(|&m| GamePosition::from(&game.after(m))).collect();
    let mut moves = vec![Move::default(); expected.len() + 1];
    let count = board::legal_moves(&position, &mut moves);
    assert_eq!(moves[..count], expected, "{position:?}");
    let counts = board::legal_counts(&position);
    assert_eq!(usize::from(counts.0), expected.len().min(255), "{position:?}");
    for kernel in Kernel::available() {
        let (mut moves, mut checks) = ([0], [0]);
        kernel.legal_counts(&[position], &mut moves, &mut checks);
        assert_eq!((moves[0], checks[0]), counts, "{}: {position:?}", kernel.name());

        let (mut offsets, mut moves) = ([0; 2], vec![Move::default(); expected.len()]);
        let done = kernel.legal_moves(&[position], &mut offsets, &mut moves);
        assert_eq!((done, offsets[1] as usize), (1, expected.len()), "{}", kernel.name());
        assert_eq!(moves, expected, "{}: {position:?}", kernel.name());
        let mut found = vec![GamePosition::default(); moves.len()];
        kernel.successors(&[position], &offsets, &moves, &mut found);
        assert_eq!(found, after, "{}: {position:?}", kernel.name());
    }
    let sets: Vec<[u64; COLUMN]> =
        pieces.pieces.as_flattened().iter().map(|&s| [s; COLUMN]).collect();
    let column = |n: usize| sets[n].as_slice();
    let columns = [0, 6].map(|first| std::array::from_fn(|kind| column(first + kind)));
    let checks = oracle::checks(&pieces);
    let expected_checks = [checks.checkers, checks.pinned, checks.pinners];
    for kernel in Kernel::available() {
        let mut found = [[[0; COLUMN]; 2]; 3];
        let [checkers, pinned, pinners] =
            found.each_mut().map(|sides| sides.each_mut().map(|column| Some(&mut column[..])));
        let mut results = CheckColumns { checkers, pinned, pinners };
        kernel.checks_in_columns(&PositionColumns { pieces: columns }, &mut results);
        let right = expected_checks.map(|sides| sides.map(|set| [set; COLUMN]));
        assert!(found == right, "{}: {pieces:?}: {found:x?}", kernel.name());
    }
    for (&played, after) in expected.iter().zip(after) {
        assert_eq!(board::play(&position, played), after, "{position:?} {played:?}");
    }
});
