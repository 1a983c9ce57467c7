//! Batches that the trainer holds until it destroys them.

use std::ffi::c_int;

use setwise::threats::CODES;
use setwise_loader::{Batch, Recycler};
use setwise_positions::binpack::{Board, Entry, Move};
use setwise_positions::{Placement, Side};

use crate::{FenBatch, FenText, SparseBatch};

fn int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(c_int::MAX)
}

/// A batch after what the trainer sees of it.
#[repr(C)]
pub(crate) struct Sparse {
    seen: SparseBatch,
    batch: Batch,
    recycler: Option<Recycler>,
}

impl Sparse {
    /// Hands a batch over.
    pub(crate) fn leak(batch: Batch, inputs: u32, recycler: Option<Recycler>) -> *mut SparseBatch {
        let (size, width) = (batch.len(), batch.width());
        // The slices panic if a column is missing.
        let [is_white, outcome, score] =
            [0, 1, 2].map(|at| batch.floats()[at * size..][..size].as_ptr().cast_mut());
        let rows = batch.rows();
        let [white, black] =
            [0, 1].map(|at| rows[at * size * width..][..size * width].as_ptr().cast_mut());
        let piece_count = rows[2 * size * width..][..size].as_ptr().cast_mut();
        let seen = SparseBatch {
            num_inputs: int(inputs as usize),
            size: int(size),
            is_white,
            outcome,
            score,
            num_active_white_features: int(batch.active(0)),
            num_active_black_features: int(batch.active(1)),
            max_active_features: int(width),
            white,
            black,
            piece_count,
        };
        Box::into_raw(Box::new(Sparse { seen, batch, recycler })).cast()
    }

    /// # Safety
    ///
    /// The pointer came from [`leak`](Sparse::leak) and was not destroyed.
    pub(crate) unsafe fn destroy(batch: *mut SparseBatch) {
        // SAFETY: the caller's contract; what is seen comes first.
        let owned = unsafe { Box::from_raw(batch.cast::<Sparse>()) };
        if let Some(recycler) = owned.recycler {
            recycler.recycle(owned.batch);
        }
    }
}

/// Texts after what the trainer sees of them.
#[repr(C)]
pub(crate) struct Fens {
    seen: FenBatch,
    list: Vec<FenText>,
    /// What the list points to.
    _text: Vec<u8>,
}

impl Fens {
    /// Hands the positions of a batch over as FENs.
    pub(crate) fn leak(batch: &Batch) -> Result<*mut FenBatch, String> {
        let (mut text, mut ends) = (Vec::with_capacity(80 * batch.len()), vec![0]);
        for position in 0..batch.len() {
            entry(batch, position)?.record().write(&mut text);
            text.push(0);
            ends.push(text.len());
        }
        let list = ends.windows(2).map(|ends| FenText {
            size: int(ends[1] - ends[0] - 1),
            fen: text[ends[0]..].as_ptr().cast(),
        });
        let mut list: Vec<FenText> = list.collect();
        let seen = FenBatch { size: int(list.len()), fens: list.as_mut_ptr() };
        Ok(Box::into_raw(Box::new(Fens { seen, list, _text: text })).cast())
    }

    /// # Safety
    ///
    /// The pointer came from [`leak`](Fens::leak) and was not destroyed.
    pub(crate) unsafe fn destroy(batch: *mut FenBatch) {
        // SAFETY: the caller's contract; what is seen comes first.
        drop(unsafe { Box::from_raw(batch.cast::<Fens>()) });
    }
}

/// A position of a batch with all columns.
fn entry(batch: &Batch, position: usize) -> Result<Entry, String> {
    let mut placement = Placement::EMPTY;
    for (square, code) in (0..).zip(batch.boards[position]) {
        if let Some((side, piece)) = CODES[usize::from(code & 15)] {
            placement.put(side, piece, square);
        }
    }
    let side = Side::BOTH[usize::from(batch.sides[position] & 1)];
    let rights = [0, 1, 2, 3].map(|bit| batch.castling[position] >> bit & 1 == 1);
    let en_passant = Some(batch.en_passant[position]).filter(|square| *square < 64);
    let rule50 = batch.rule50[position];
    let board = Board::new(&placement, side, rights, en_passant, rule50);
    // Files may have rights that no rook has.
    let board = board.or_else(|_| Board::new(&placement, side, [false; 4], None, rule50))?;
    let (score, result) = (batch.scores[position], batch.results[position]);
    Ok(Entry::new(board, Move::NONE, score, result, batch.plies[position]))
}
