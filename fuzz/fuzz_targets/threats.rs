//! Compares every call for threats of every form with the oracle.
//!
//! The input: 64 codes, two squares, the placed code, 16 bytes for the meaning of the codes (12 and
//! more: an empty square), 32 bytes of pairs, then values of pieces, four bytes each. Missing bytes
//! are 0.
#![no_main]

use libfuzzer_sys::fuzz_target;
use setwise::{Piece, Side, Square};
use setwise_check::threats::{Case, Expected, Form, Meaning};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied().chain(std::iter::repeat(0));
    let mut byte = || bytes.next().unwrap_or(0);
    let codes = std::array::from_fn(|_| byte());
    let mut square = || Square::new(byte() % 64).unwrap();
    let case = Case { codes, from: square(), to: square(), placed: byte() };
    let meaning = Meaning {
        codes: std::array::from_fn(|_| {
            let number = usize::from(byte() % 16);
            let side = if number < 6 { Side::White } else { Side::Black };
            (number < 12).then(|| (side, Piece::ALL[number % 6]))
        }),
        pairs: std::array::from_fn(|_| u16::from_le_bytes([byte(), byte()])),
    };
    let values = std::array::from_fn(|_| i32::from_le_bytes(std::array::from_fn(|_| byte())));
    let expected = Expected::new(case, values, &meaning);
    for form in Form::all() {
        expected.check(form).unwrap();
    }
});
