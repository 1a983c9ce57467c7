//! Conversion of FEN strings to arrays.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use setwise::moves::State;
use setwise_positions::{Fen, FenError, Field, Piece, Placement, Side, play_moves};

use crate::signals;

/// The strings of a call until it may look for signals.
const FIRST_STEP: usize = 1 << 12;

/// The arrays for the Python class `Parsed`: those of the positions parsed so far.
#[derive(Default)]
struct Positions {
    pieces: Vec<u64>,
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
    occupied: Vec<u64>,
    /// The side to move: 0 white, 1 black, 2 if the string has none.
    side: Vec<u8>,
    valid: Vec<bool>,
    /// Two bytes for each position: White's rights, then Black's.
    castling: Vec<u8>,
    en_passant: Vec<u8>,
}

type Arrays<'py> = [Bound<'py, PyAny>; 8];

impl Positions {
    /// Parses a string and adds its position. With `bad_is_null`, a string that is not a position
    /// is treated as a null.
    fn parse(&mut self, text: &[u8], bad_is_null: bool) -> Result<(), FenError> {
        let played;
        let fen = match Fen::parse(text) {
            Err(error) if error.field() == Field::Moves => {
                played = play_moves(text);
                match &played {
                    Ok(text) => Fen::parse(text),
                    Err(error) => Err(error.clone()),
                }
            }
            parsed => parsed,
        };
        match fen {
            Ok(fen) => {
                let side = fen.side().map_or(2, |side| side as u8);
                self.push(fen.placement(), side, fen.state(), true);
            }
            Err(_) if bad_is_null => self.null(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Adds an empty board for a null.
    fn null(&mut self) {
        self.push(&Placement::default(), 2, State::default(), false);
    }

    fn push(&mut self, placement: &Placement, to_move: u8, state: State, valid: bool) {
        for side in Side::BOTH {
            self.pieces.extend(Piece::ALL.map(|piece| placement.pieces(side, piece)));
            self.orthogonal.push(placement.orthogonal(side));
            self.diagonal.push(placement.diagonal(side));
            self.occupied.push(placement.occupied());
        }
        self.side.push(to_move);
        self.valid.push(valid);
        self.castling.extend(state.castling);
        self.en_passant.push(state.en_passant);
    }

    fn arrays(self, py: Python<'_>) -> PyResult<Arrays<'_>> {
        let count = self.valid.len();
        let array = |sets, shape: &[usize]| {
            PyArray1::from_vec(py, sets).reshape(shape.to_vec()).map(Bound::into_any)
        };
        Ok([
            array(self.pieces, &[count, 2, 6])?,
            array(self.orthogonal, &[count, 2])?,
            array(self.diagonal, &[count, 2])?,
            array(self.occupied, &[count, 2])?,
            PyArray1::from_vec(py, self.side).into_any(),
            PyArray1::from_vec(py, self.valid).into_any(),
            PyArray1::from_vec(py, self.castling).reshape([count, 2])?.into_any(),
            PyArray1::from_vec(py, self.en_passant).into_any(),
        ])
    }
}

/// Whether an object is NaN or `pandas.NA`.
fn is_null(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let arrays = object.py().import("setwise._arrays")?;
    arrays.call_method1("is_null", (object,))?.is_truthy()
}

fn wrong(number: usize, error: &FenError) -> PyErr {
    PyValueError::new_err(format!("fens[{number}]: {error}"))
}

/// Parses a list of strings and nulls.
#[pyfunction]
fn _from_list<'py>(
    py: Python<'py>,
    fens: &Bound<'py, PyList>,
    bad_is_null: bool,
) -> PyResult<Arrays<'py>> {
    let (mut positions, mut looks) = (Positions::default(), signals::Looks::new());
    for (number, fen) in fens.iter().enumerate() {
        if number % FIRST_STEP == 0 {
            looks.look(py)?;
        }
        let parsed = if let Ok(text) = fen.cast::<PyString>() {
            // A lone surrogate becomes U+FFFD, for the parser a non-ASCII character like any other.
            positions.parse(text.to_string_lossy().as_bytes(), bad_is_null)
        } else if let Ok(text) = fen.cast::<PyBytes>() {
            positions.parse(text.as_bytes(), bad_is_null)
        } else if fen.is_none() || is_null(&fen)? {
            positions.null();
            Ok(())
        } else {
            let kind = fen.get_type();
            return Err(PyTypeError::new_err(format!(
                "fens[{number}] is of type {kind}, but must be a string, bytes or None"
            )));
        };
        parsed.map_err(|error| wrong(number, &error))?;
    }
    positions.arrays(py)
}

/// Parses an Arrow column of strings. String `i` is the bytes from `offsets[i]` to
/// `offsets[i + 1]`, or null if `valid[i]` is false. In error messages the first string has the
/// number `first`.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _from_bytes<'py>(
    py: Python<'py>,
    bytes: PyReadonlyArray1<'py, u8>,
    offsets: PyReadonlyArray1<'py, i64>,
    valid: Option<PyReadonlyArray1<'py, bool>>,
    first: usize,
    bad_is_null: bool,
) -> PyResult<Arrays<'py>> {
    let (bytes, offsets) = (bytes.as_slice()?, offsets.as_slice()?);
    let valid = valid.as_ref().map(|valid| valid.as_slice()).transpose()?;
    let mut positions = Positions::default();
    signals::in_steps(py, offsets.len().saturating_sub(1), FIRST_STEP, |strings| {
        for i in strings {
            let pair = &offsets[i..i + 2];
            if valid.is_some_and(|valid| valid.get(i) != Some(&true)) {
                positions.null();
                continue;
            }
            let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let text = range.and_then(|(start, end)| bytes.get(start..end));
            let text =
                text.ok_or_else(|| PyValueError::new_err("an offset points outside the bytes"))?;
            positions.parse(text, bad_is_null).map_err(|error| wrong(first + i, &error))?;
        }
        Ok(())
    })?;
    positions.arrays(py)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_from_list, module)?)?;
    module.add_function(wrap_pyfunction!(_from_bytes, module)?)
}
