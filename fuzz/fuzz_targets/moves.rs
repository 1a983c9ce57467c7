//! Compares the legal moves of a position, and the positions after them, with the oracle: of every
//! kernel, and of `board`.
//!
//! The input: the four planes of a position (eight bytes each), then side to move, en passant
//! square and the castling rights of both sides. Missing bytes are 0.
#![no_main]

use libfuzzer_sys::fuzz_target;
use setwise::moves::{GamePosition, Move, State};
use setwise::position::Position;
use setwise::{Kernel, board};
use setwise_check::moves::{Game, legal_moves};

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
    for (&played, after) in expected.iter().zip(after) {
        assert_eq!(board::play(&position, played), after, "{position:?} {played:?}");
    }
});
