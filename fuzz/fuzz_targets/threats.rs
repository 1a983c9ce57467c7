//! Compares every call for threats of every form with the oracle.
//!
//! The input: 64 codes, two squares, the placed code, 16 bytes for the meaning of the codes (12 and
//! more: an empty square), 32 bytes of pairs, then the number of edits, and the square and the code
//! of each. Missing bytes are 0.
#![no_main]

use libfuzzer_sys::fuzz_target;
use setwise::{Piece, Side, Square};
use setwise_check::threats::{Case, Expected, Form, Meaning};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied().chain(std::iter::repeat(0));
    let mut byte = || bytes.next().unwrap_or(0);
    let codes = std::array::from_fn(|_| byte());
    let [from, to] = [byte(), byte()].map(Square::masked);
    let case = Case { codes, from, to, placed: byte() };
    let meaning = Meaning {
        codes: std::array::from_fn(|_| {
            let number = usize::from(byte() % 16);
            let side = if number < 6 { Side::White } else { Side::Black };
            (number < 12).then(|| (side, Piece::ALL[number % 6]))
        }),
        pairs: std::array::from_fn(|_| u16::from_le_bytes([byte(), byte()])),
    };
    let mut edits: Vec<(Square, u8)> = vec![];
    for _ in 0..byte() % 5 {
        let (square, code) = (Square::masked(byte()), byte());
        if edits.iter().all(|edit| edit.0 != square) {
            edits.push((square, code));
        }
    }
    let expected = Expected::new(case, edits, &meaning);
    for form in Form::all() {
        expected.check(form).unwrap();
    }
});
