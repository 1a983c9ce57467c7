//! Legal moves of positions.

use std::ops::Range;

use numpy::ndarray::Dimension;
use numpy::{
    PyArray1, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use setwise::Kernel;
use setwise::moves::{CountColumns, GamePlanes, GamePlanesMut, Move, StateColumns};
use setwise::position::Position;
use setwise_positions::{Fen, FenError, play_moves};

use crate::{kernel, signals, threads};

/// Positions per task of a thread pool.
const PART: usize = 4096;

/// The number of positions that a call computes between two checks for signals.
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

/// Two arrays.
type Arrays<'py, A, B> = (Bound<'py, PyArray1<A>>, Bound<'py, PyArray1<B>>);

/// Results of positions, which grow part by part.
trait Results: Default + Send {
    /// Appends the results of some positions.
    fn compute(&mut self, kernel: &Kernel, positions: Positions<'_>);

    /// Appends the results of another thread.
    fn append(&mut self, part: Self);
}

/// Computes the results of positions, in parts. Looks for signals in between.
fn results<R: Results>(py: Python<'_>, given: &Given<'_>, threads: Option<usize>) -> PyResult<R> {
    let (kernel, pool) = (kernel::active()?, threads::pool(threads)?);
    let positions = Positions::new(given)?;
    let mut all = R::default();
    signals::in_steps(py, positions.len(), FIRST_STEP, |step| {
        let Some(pool) = &pool else {
            all.compute(kernel, positions.part(step.start, step.len()));
            return Ok(());
        };
        let starts: Vec<usize> = step.clone().step_by(PART).collect();
        let compute = |start| {
            let mut part = R::default();
            part.compute(kernel, positions.part(start, PART.min(step.end - start)));
            part
        };
        let parts: Vec<R> = pool.install(|| starts.into_par_iter().map(compute).collect());
        for part in parts {
            all.append(part);
        }
        Ok(())
    })?;
    Ok(all)
}

/// The number of legal moves of each position, and that of the pieces that give check.
#[derive(Default)]
struct Counts {
    moves: Vec<u8>,
    checks: Vec<u8>,
}

impl Results for Counts {
    fn compute(&mut self, kernel: &Kernel, positions: Positions<'_>) {
        let mut planes = Planes::new();
        let before = self.moves.len();
        for results in [&mut self.moves, &mut self.checks] {
            results.resize(before + positions.len(), 0);
        }
        let moves = self.moves[before..].chunks_mut(AT_ONCE);
        let results = moves.zip(self.checks[before..].chunks_mut(AT_ONCE));
        for (i, (moves, checks)) in results.enumerate() {
            let columns = planes.fill(positions.part(i * AT_ONCE, AT_ONCE));
            let mut counts = CountColumns { moves: Some(moves), checks: Some(checks) };
            kernel.legal_counts_in_planes(&columns, &mut counts);
        }
    }

    fn append(&mut self, part: Counts) {
        self.moves.extend(part.moves);
        self.checks.extend(part.checks);
    }
}

/// The number of legal moves of each position, and that of the pieces that give check.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _legal_counts<'py>(
    py: Python<'py>,
    given: Given<'py>,
    threads: Option<usize>,
) -> PyResult<Arrays<'py, u8, u8>> {
    let counts: Counts = results(py, &given, threads)?;
    Ok((PyArray1::from_vec(py, counts.moves), PyArray1::from_vec(py, counts.checks)))
}

/// The legal moves of positions: those of position `i` are from `offsets[i]` to `offsets[i + 1]`.
struct Lists {
    offsets: Vec<i64>,
    moves: Vec<u16>,
    /// Room for the moves of [`AT_ONCE`] positions. If it does not suffice, it grows.
    room: Vec<Move>,
}

impl Default for Lists {
    fn default() -> Lists {
        Lists { offsets: vec![0], moves: vec![], room: vec![Move::default(); 64 * AT_ONCE] }
    }
}

impl Results for Lists {
    fn compute(&mut self, kernel: &Kernel, positions: Positions<'_>) {
        let (mut planes, mut offsets) = (Planes::new(), [0; AT_ONCE + 1]);
        self.offsets.reserve(positions.len());
        self.moves.reserve(40 * positions.len());
        let mut start = 0;
        while start < positions.len() {
            let columns = planes.fill(positions.part(start, AT_ONCE));
            let offsets = &mut offsets[..=columns.planes[0].len()];
            let done = kernel.legal_moves_in_planes(&columns, offsets, &mut self.room);
            let before = self.moves.len().cast_signed() as i64;
            self.offsets.extend(offsets[1..=done].iter().map(|&end| before + i64::from(end)));
            let found = &self.room[..offsets[done] as usize];
            self.moves.extend_from_slice(bytemuck::cast_slice(found));
            start += done;
            if done == 0 {
                self.room.resize(2 * self.room.len(), Move::default());
            }
        }
    }

    fn append(&mut self, part: Lists) {
        let before = self.moves.len().cast_signed() as i64;
        self.offsets.extend(part.offsets[1..].iter().map(|end| before + end));
        self.moves.extend(part.moves);
    }
}

/// The legal moves of each position, as offsets and moves.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _legal_moves<'py>(
    py: Python<'py>,
    given: Given<'py>,
    threads: Option<usize>,
) -> PyResult<Arrays<'py, i64, u16>> {
    let lists: Lists = results(py, &given, threads)?;
    Ok((PyArray1::from_vec(py, lists.offsets), PyArray1::from_vec(py, lists.moves)))
}

/// Positions after moves, in the arrays of the Python class `Positions`.
struct After {
    pieces: Vec<u64>,
    side: Vec<u8>,
    castling: Vec<u8>,
    en_passant: Vec<u8>,
    /// Results of one call, before they are put into the arrays.
    planes: [Vec<u64>; 4],
    rights: [Vec<u8>; 2],
}

impl After {
    fn new(count: usize) -> After {
        After {
            pieces: vec![0; 12 * count],
            side: vec![0; count],
            castling: vec![0; 2 * count],
            en_passant: vec![0; count],
            planes: [const { Vec::new() }; 4],
            rights: [const { Vec::new() }; 2],
        }
    }

    /// Makes the moves of some positions, of which `range` is the range in all moves.
    fn make(
        &mut self,
        kernel: &Kernel,
        positions: &GamePlanes<'_>,
        offsets: &[u32],
        moves: &[Move],
        range: Range<usize>,
    ) {
        let count = range.len();
        self.planes.iter_mut().for_each(|plane| plane.resize(count, 0));
        self.rights.iter_mut().for_each(|rights| rights.resize(count, 0));
        let mut after = GamePlanesMut {
            planes: self.planes.each_mut().map(|plane| &mut plane[..]),
            side: &mut self.side[range.clone()],
            en_passant: &mut self.en_passant[range.clone()],
            castling: self.rights.each_mut().map(|rights| &mut rights[..]),
        };
        kernel.successors_in_planes(positions, offsets, moves, &mut after);
        let pieces = self.pieces.as_chunks_mut::<12>().0[range.clone()].iter_mut();
        let castling = self.castling.as_chunks_mut::<2>().0[range].iter_mut();
        for (i, (pieces, castling)) in pieces.zip(castling).enumerate() {
            let planes = self.planes.each_ref().map(|plane| plane[i]);
            pieces.copy_from_slice(Position::from_planes(planes).pieces.as_flattened());
            *castling = self.rights.each_ref().map(|rights| rights[i]);
        }
    }
}

type Games<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyArray1<u8>>, Bound<'py, PyAny>, Bound<'py, PyArray1<u8>>);

/// The positions after moves, of which position `i` has those from `offsets[i]` to
/// `offsets[i + 1]`. Python has checked that the offsets start at 0 and ascend.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]
fn _successors<'py>(
    py: Python<'py>,
    given: Given<'py>,
    offsets: PyReadonlyArray1<'py, i64>,
    moves: PyReadonlyArray1<'py, u16>,
) -> PyResult<Games<'py>> {
    let (kernel, positions) = (kernel::active()?, Positions::new(&given)?);
    let (offsets, moves) = (offsets.as_slice()?, moves.as_slice()?);
    let offsets: Option<Vec<usize>> = offsets.iter().map(|o| usize::try_from(*o).ok()).collect();
    let fit = |offsets: &Vec<usize>| {
        offsets.len() == positions.len() + 1
            && offsets.is_sorted()
            && (offsets[0], offsets[positions.len()]) == (0, moves.len())
    };
    let wrong = || PyValueError::new_err("the offsets do not fit the moves");
    let offsets = offsets.filter(fit).ok_or_else(wrong)?;
    let moves: &[Move] = bytemuck::cast_slice(moves);
    let (count, mut after, mut planes) = (moves.len(), After::new(moves.len()), Planes::new());
    let mut relative = Vec::with_capacity(AT_ONCE + 1);
    signals::in_steps(py, positions.len(), FIRST_STEP / 16, |step| {
        for start in step.clone().step_by(AT_ONCE) {
            let part = positions.part(start, AT_ONCE.min(step.end - start));
            let offsets = &offsets[start..=start + part.len()];
            let range = offsets[0]..offsets[part.len()];
            let distance = |offset: &usize| u32::try_from(offset - range.start);
            relative.clear();
            for offset in offsets {
                relative.push(distance(offset).map_err(|_| wrong())?);
            }
            let columns = planes.fill(part);
            after.make(kernel, &columns, &relative, &moves[range.clone()], range);
        }
        Ok(())
    })?;
    Ok((
        PyArray1::from_vec(py, after.pieces).reshape([count, 2, 6])?.into_any(),
        PyArray1::from_vec(py, after.side),
        PyArray1::from_vec(py, after.castling).reshape([count, 2])?.into_any(),
        PyArray1::from_vec(py, after.en_passant),
    ))
}

/// The number of sequences of `depth` legal moves from a position.
#[pyfunction]
fn _perft(py: Python<'_>, fen: &str, depth: u32, threads: usize) -> PyResult<u64> {
    let kernel = kernel::active()?;
    let wrong = |error: FenError| PyValueError::new_err(error.to_string());
    let text = play_moves(fen.as_bytes()).map_err(wrong)?;
    let fen = Fen::parse(&text).map_err(wrong)?;
    let position = fen.game_position();
    if let Some(fault) = position.fault() {
        return Err(PyValueError::new_err(format!("no game has this position: {fault}")));
    }
    let mut signal = Ok(());
    let counts = py.detach(|| {
        kernel.perft_each(&[position], depth, threads, |_| {
            signal = Python::attach(signals::handle);
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
