//! Legal moves of positions.

use numpy::ndarray::Dimension;
use numpy::{
    PyArray1, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use setwise::moves::{CountColumns, GamePlanes, GamePosition, Move, State, StateColumns};
use setwise::position::Position;
use setwise::{Kernel, board};
use setwise_positions::Fen;

use crate::{kernel, signals, threads};

/// Positions per task of a thread pool.
const PART: usize = 4096;

/// Positions of a call until it may look for signals.
const FIRST_STEP: usize = 1 << 14;

/// Positions whose planes are made at a time: they stay in the L1 cache.
const AT_ONCE: usize = 256;

/// The arrays of the Python class `Positions` that legal moves need: pieces, side to move, castling
/// and en passant.
type Given<'py> = (
    PyReadonlyArray3<'py, u64>,
    PyReadonlyArray1<'py, u8>,
    PyReadonlyArray2<'py, u8>,
    PyReadonlyArray1<'py, u8>,
);

/// The same, checked: all have an element for each position.
#[derive(Clone, Copy)]
struct Positions<'a> {
    pieces: &'a [[[u64; 6]; 2]],
    side: &'a [u8],
    castling: &'a [[u8; 2]],
    en_passant: &'a [u8],
}

impl<'a> Positions<'a> {
    fn new((pieces, side, castling, en_passant): &'a Given<'_>) -> PyResult<Positions<'a>> {
        fn slice<'a, T: numpy::Element, D: Dimension>(
            array: &'a PyReadonlyArray<'_, T, D>,
        ) -> PyResult<&'a [T]> {
            Ok(array.as_slice()?)
        }
        let positions = Positions {
            pieces: slice(pieces)?.as_chunks().0.as_chunks().0,
            side: slice(side)?,
            castling: slice(castling)?.as_chunks().0,
            en_passant: slice(en_passant)?,
        };
        let count = positions.len();
        let is_right = positions.side.len() == count
            && positions.castling.len() == count
            && positions.en_passant.len() == count
            && pieces.as_slice()?.len() == 12 * count
            && castling.as_slice()?.len() == 2 * count;
        let wrong = || PyValueError::new_err("the arrays of the positions differ in length");
        is_right.then_some(positions).ok_or_else(wrong)
    }

    fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The positions of a part: at most `size` from `start` on.
    fn part(self, start: usize, size: usize) -> Positions<'a> {
        let range = start..self.len().min(start + size);
        Positions {
            pieces: &self.pieces[range.clone()],
            side: &self.side[range.clone()],
            castling: &self.castling[range.clone()],
            en_passant: &self.en_passant[range],
        }
    }

    fn game(&self, i: usize) -> GamePosition {
        let state = State {
            side: self.side[i],
            en_passant: self.en_passant[i],
            castling: self.castling[i],
        };
        GamePosition::new(Position { pieces: self.pieces[i] }, state)
    }

    /// Counts the legal moves, and the pieces that give check.
    fn count(self, kernel: &Kernel, moves: &mut [u8], checks: &mut [u8]) {
        let mut planes = Planes::new();
        let results = moves.chunks_mut(AT_ONCE).zip(checks.chunks_mut(AT_ONCE));
        for (i, (moves, checks)) in results.enumerate() {
            let columns = planes.fill(self.part(i * AT_ONCE, AT_ONCE));
            let mut counts = CountColumns { moves: Some(moves), checks: Some(checks) };
            kernel.legal_counts_in_planes(&columns, &mut counts);
        }
    }
}

/// The planes of up to [`AT_ONCE`] positions, and the columns of their castling rights.
struct Planes {
    planes: [[u64; AT_ONCE]; 4],
    castling: [[u8; AT_ONCE]; 2],
}

impl Planes {
    fn new() -> Planes {
        Planes { planes: [[0; AT_ONCE]; 4], castling: [[0; AT_ONCE]; 2] }
    }

    /// The columns of a part, which has at most [`AT_ONCE`] positions.
    fn fill<'a>(&'a mut self, part: Positions<'a>) -> GamePlanes<'a> {
        for (i, (&pieces, rights)) in part.pieces.iter().zip(part.castling).enumerate() {
            let sets = Position { pieces }.planes();
            for (plane, set) in self.planes.iter_mut().zip(sets) {
                plane[i] = set;
            }
            (self.castling[0][i], self.castling[1][i]) = (rights[0], rights[1]);
        }
        GamePlanes {
            planes: self.planes.each_ref().map(|plane| &plane[..part.len()]),
            states: StateColumns {
                side: part.side,
                en_passant: part.en_passant,
                castling: self.castling.each_ref().map(|rights| &rights[..part.len()]),
            },
        }
    }
}

type Counts<'py> = (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<u8>>);

/// The number of legal moves of each position, and that of the pieces that give check.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _legal_counts<'py>(
    py: Python<'py>,
    given: Given<'py>,
    threads: Option<usize>,
) -> PyResult<Counts<'py>> {
    let (kernel, pool) = (kernel::active()?, threads::pool(threads)?);
    let positions = Positions::new(&given)?;
    let (mut moves, mut checks) = (vec![0; positions.len()], vec![0; positions.len()]);
    signals::in_steps(py, positions.len(), FIRST_STEP, |step| {
        let part = positions.part(step.start, step.len());
        let (moves, checks) = (&mut moves[step.clone()], &mut checks[step]);
        match &pool {
            None => part.count(kernel, moves, checks),
            Some(pool) => pool.install(|| {
                let results = moves.par_chunks_mut(PART).zip(checks.par_chunks_mut(PART));
                results.enumerate().for_each(|(i, (moves, checks))| {
                    part.part(i * PART, PART).count(kernel, moves, checks);
                });
            }),
        }
        Ok(())
    })?;
    Ok((PyArray1::from_vec(py, moves), PyArray1::from_vec(py, checks)))
}

/// The legal moves of some positions, and how many each has.
#[derive(Default)]
struct Lists {
    counts: Vec<i64>,
    moves: Vec<u16>,
}

impl Lists {
    /// Computes the moves of positions. If the room does not suffice, it grows.
    fn new(kernel: &Kernel, positions: Positions<'_>) -> Lists {
        let (mut lists, mut planes) = (Lists::default(), Planes::new());
        lists.moves.reserve(40 * positions.len());
        let (mut room, mut offsets) = (vec![Move::default(); 64 * AT_ONCE], [0; AT_ONCE + 1]);
        let mut start = 0;
        while start < positions.len() {
            let columns = planes.fill(positions.part(start, AT_ONCE));
            let offsets = &mut offsets[..=columns.planes[0].len()];
            let done = kernel.legal_moves_in_planes(&columns, offsets, &mut room);
            let counts = offsets[..=done].windows(2).map(|pair| i64::from(pair[1] - pair[0]));
            lists.counts.extend(counts);
            lists.moves.extend(room[..offsets[done] as usize].iter().map(|one| one.bits()));
            start += done;
            if done == 0 {
                room.resize(2 * room.len(), Move::default());
            }
        }
        lists
    }
}

type Moves<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u16>>);

/// The legal moves of each position, as offsets and moves.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _legal_moves<'py>(
    py: Python<'py>,
    given: Given<'py>,
    threads: Option<usize>,
) -> PyResult<Moves<'py>> {
    let (kernel, pool) = (kernel::active()?, threads::pool(threads)?);
    let positions = Positions::new(&given)?;
    let (mut offsets, mut moves, mut end) = (vec![0], vec![], 0);
    signals::in_steps(py, positions.len(), FIRST_STEP, |step| {
        let lists = |start| Lists::new(kernel, positions.part(start, PART.min(step.end - start)));
        let starts: Vec<usize> = step.clone().step_by(PART).collect();
        let parts: Vec<Lists> = match &pool {
            None => starts.into_iter().map(lists).collect(),
            Some(pool) => pool.install(|| starts.into_par_iter().map(lists).collect()),
        };
        for part in parts {
            offsets.extend(part.counts.iter().map(|count| {
                end += count;
                end
            }));
            moves.extend(part.moves);
        }
        Ok(())
    })?;
    Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, moves)))
}

type Games<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyArray1<u8>>, Bound<'py, PyAny>, Bound<'py, PyArray1<u8>>);

/// The position after each move, of the position that the row of the same index names.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _successors<'py>(
    py: Python<'py>,
    given: Given<'py>,
    rows: PyReadonlyArray1<'py, i64>,
    moves: PyReadonlyArray1<'py, u16>,
) -> PyResult<Games<'py>> {
    let positions = Positions::new(&given)?;
    let (rows, moves) = (rows.as_slice()?, moves.as_slice()?);
    let count = rows.len();
    let is_row = |row: &i64| usize::try_from(*row).is_ok_and(|row| row < positions.len());
    if moves.len() != count || !rows.iter().all(is_row) {
        return Err(PyValueError::new_err("each move needs the row of a position"));
    }
    let (mut pieces, mut side) = (vec![0; 12 * count], vec![0; count]);
    let (mut castling, mut en_passant) = (vec![0; 2 * count], vec![0; count]);
    signals::in_steps(py, count, FIRST_STEP, |step| {
        for i in step {
            let position = positions.game(rows[i] as usize);
            let after = board::play(&position, Move::from_bits(moves[i]));
            pieces[12 * i..][..12].copy_from_slice(after.position.pieces.as_flattened());
            castling[2 * i..][..2].copy_from_slice(&after.state.castling);
            (side[i], en_passant[i]) = (after.state.side, after.state.en_passant);
        }
        Ok(())
    })?;
    Ok((
        PyArray1::from_vec(py, pieces).reshape([count, 2, 6])?.into_any(),
        PyArray1::from_vec(py, side),
        PyArray1::from_vec(py, castling).reshape([count, 2])?.into_any(),
        PyArray1::from_vec(py, en_passant),
    ))
}

/// The number of sequences of `depth` legal moves from a position.
#[pyfunction]
fn _perft(py: Python<'_>, fen: &str, depth: u32, threads: usize) -> PyResult<u64> {
    let kernel = kernel::active()?;
    let fen = Fen::parse(fen.as_bytes()).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let position = fen.game_position();
    if let Some(fault) = position.fault() {
        return Err(PyValueError::new_err(format!("no game has this position: {fault}")));
    }
    let mut signal = Ok(());
    let counts = py.detach(|| {
        kernel.perft_each(&[position], depth, threads, |_| {
            signal = Python::attach(|py| py.check_signals());
            signal.is_ok()
        })
    });
    signal.map(|()| counts.iter().sum())
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_legal_counts, module)?)?;
    module.add_function(wrap_pyfunction!(_legal_moves, module)?)?;
    module.add_function(wrap_pyfunction!(_successors, module)?)?;
    module.add_function(wrap_pyfunction!(_perft, module)?)
}
