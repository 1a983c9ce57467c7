//! Batches, and how they are filled.

use std::io;

use setwise::Kernel;
use setwise::threats::{MOST, Threat};
use setwise_positions::binpack::Move;

use crate::inputs::{Position, Slots, squares};
use crate::record::Record;
use crate::{Columns, Features, Layout, Loader, Views};

/// The boards of one call of [`Kernel::threats`]: their threats stay in the cache.
pub(crate) const BLOCK: usize = 256;

/// -1: not an input.
const PADDING: u32 = u32::MAX;

/// Positions, column by column. Which columns are filled depends on [`Loader::columns`],
/// [`Loader::features`] and [`Loader::layout`].
#[derive(Debug, Clone, Default)]
pub struct Batch {
    size: usize,
    /// The piece on each square, a1 first: see [`codes`](crate::codes).
    pub boards: Vec<[u8; 64]>,
    /// The squares of White's and of Black's king.
    pub kings: Vec<[u8; 2]>,
    /// 0 if White is to move, 1 if Black is.
    pub sides: Vec<u8>,
    /// The score from the point of view of the side to move.
    pub scores: Vec<i16>,
    /// The result for the side to move: 1 won, 0 drawn, -1 lost.
    pub results: Vec<i8>,
    /// The number of moves since the start of the game.
    pub plies: Vec<u16>,
    /// The move that was played.
    pub moves: Vec<Move>,
    /// The number of moves since the last capture or pawn move.
    pub rule50: Vec<u16>,
    /// The castling rights: White's queenside in bit 0, White's kingside, Black's queenside and
    /// Black's kingside.
    pub castling: Vec<u8>,
    /// The square that a pawn has just passed, if it can be captured there, or else 64.
    pub en_passant: Vec<u8>,
    /// The threats of each position, for [`Features::Threats`].
    pub threats: Lists<Threat>,
    /// The indices of both views, for [`Layout::Lists`].
    pub indices: [Lists<u32>; 2],
    floats: Vec<f32>,
    /// As unsigned numbers, like indices, so that they are copied at once.
    rows: Vec<u32>,
    width: usize,
    /// How many indices each row has. Empty if `rows` may have been changed.
    used: Vec<[u32; 2]>,
}

impl PartialEq for Batch {
    /// Whether all columns are equal.
    fn eq(&self, other: &Batch) -> bool {
        let columns = |batch: &Batch| {
            (batch.boards == other.boards)
                && (&batch.kings, &batch.sides, &batch.scores, &batch.results)
                    == (&other.kings, &other.sides, &other.scores, &other.results)
                && (&batch.plies, &batch.moves, &batch.rule50, &batch.castling)
                    == (&other.plies, &other.moves, &other.rule50, &other.castling)
        };
        self.size == other.size
            && columns(self)
            && self.en_passant == other.en_passant
            && (&self.threats, &self.indices) == (&other.threats, &other.indices)
            && (self.width, &self.rows) == (other.width, &other.rows)
            && self.floats == other.floats
    }
}

impl Batch {
    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// For [`Columns::floats`], one block: for each position whether White is to move (1 or 0),
    /// then for each the outcome for the side to move (1, 0.5 or 0), then the score.
    #[must_use]
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }

    /// For [`Layout::Rows`], one block: the rows of the first view, those of the second view, and
    /// the number of pieces of each position. The rest of a row is -1. With lists and
    /// [`Columns::floats`], only the numbers of pieces.
    #[must_use]
    pub fn rows(&self) -> &[i32] {
        bytemuck::must_cast_slice(&self.rows)
    }

    /// The width of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of indices in all rows of a view, 0 or 1, as they were computed.
    ///
    /// # Panics
    ///
    /// If there is no such view.
    #[must_use]
    pub fn active(&self, view: usize) -> usize {
        self.used.iter().map(|used| used[view] as usize).sum()
    }

    /// One row of a view, 0 or 1.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, view: usize, position: usize) -> &[i32] {
        assert!(view < 2 && position < self.size, "no row {position} of view {view}");
        &self.rows()[(view * self.size + position) * self.width..][..self.width]
    }

    /// The block of rows, to change it. A batch that is [recycled](crate::Recycler) after that is
    /// filled anew, which takes longer.
    pub fn rows_mut(&mut self) -> &mut [i32] {
        self.used.clear();
        bytemuck::must_cast_slice_mut(&mut self.rows)
    }

    /// Removes the positions. The rows stay: most of their padding is right for the next ones.
    fn clear(&mut self) {
        self.boards.clear();
        self.kings.clear();
        self.sides.clear();
        self.scores.clear();
        self.results.clear();
        self.plies.clear();
        self.moves.clear();
        self.rule50.clear();
        self.castling.clear();
        self.en_passant.clear();
        self.floats.clear();
        self.threats.clear();
        self.indices.iter_mut().for_each(Lists::clear);
    }
}

/// A list for each position, in one vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lists<T> {
    /// The start of each list, and the end of the last one. Empty if the lists were not computed.
    pub offsets: Vec<u32>,
    /// All lists.
    pub values: Vec<T>,
}

impl<T> Lists<T> {
    /// The list of a position.
    ///
    /// # Panics
    ///
    /// If there is no such position, or the lists were not computed.
    #[must_use]
    pub fn get(&self, position: usize) -> &[T] {
        &self.values[self.offsets[position] as usize..self.offsets[position + 1] as usize]
    }

    pub(crate) fn start(&mut self, positions: usize) {
        self.values.reserve(40 * positions);
        self.offsets.reserve(positions + 1);
        self.offsets.push(0);
    }

    /// Appends the lists of a block.
    pub(crate) fn append(&mut self, offsets: &[u32], values: &[T])
    where
        T: Copy,
    {
        let count = offsets[offsets.len() - 1];
        let end = u32::try_from(self.values.len() + count as usize);
        let before = end.expect("fewer than 2^32 values") - count;
        self.offsets.extend(offsets[1..].iter().map(|offset| before + offset));
        self.values.extend_from_slice(&values[..count as usize]);
    }

    fn clear(&mut self) {
        self.offsets.clear();
        self.values.clear();
    }
}

/// Fills batches, with memory that it uses again.
pub(crate) struct Filler {
    kernel: &'static Kernel,
    features: Features,
    views: Views,
    columns: Columns,
    /// The width of rows, for that layout.
    width: Option<usize>,
    boards: Vec<[u8; 64]>,
    offsets: Vec<u32>,
    threats: Vec<Threat>,
    slots: Option<[Slots; 2]>,
}

impl Filler {
    pub(crate) fn new(kernel: &'static Kernel, loader: &Loader) -> Filler {
        let features = loader.features.clone();
        let inputs = match &features {
            Features::Indices(inputs) => Some(inputs),
            _ => None,
        };
        let width = match (loader.layout, inputs) {
            (Layout::Rows { width }, Some(inputs)) => Some(width.unwrap_or(inputs.width())),
            _ => None,
        };
        Filler {
            kernel,
            slots: inputs.map(crate::Inputs::slots),
            width,
            views: loader.views,
            columns: loader.columns,
            boards: vec![[0; 64]; BLOCK],
            offsets: vec![0; BLOCK + 1],
            threats: vec![Threat::default(); BLOCK * MOST],
            features,
        }
    }

    /// Replaces what the batch holds.
    pub(crate) fn fill(&mut self, records: &[Record], mut batch: Batch) -> io::Result<Batch> {
        batch.clear();
        self.columns(records, &mut batch);
        self.start(records.len(), &mut batch);
        let rows = 2 * batch.size * batch.width;
        for (count, record) in batch.rows[rows..].iter_mut().zip(records) {
            *count = record.pieces();
        }
        for (at, block) in records.chunks(BLOCK).enumerate() {
            if !self.columns.boards && matches!(self.features, Features::Boards) {
                break;
            }
            for (board, record) in self.boards.iter_mut().zip(block) {
                record.unpack(board);
            }
            if self.columns.boards {
                batch.boards.extend_from_slice(&self.boards[..block.len()]);
            }
            self.features(at * BLOCK, block, &mut batch)?;
        }
        Ok(batch)
    }

    /// Fills in the columns that need no board.
    fn columns(&self, records: &[Record], batch: &mut Batch) {
        batch.size = records.len();
        let columns = &self.columns;
        if columns.basics {
            batch.kings.extend(records.iter().map(Record::kings));
            batch.sides.extend(records.iter().map(Record::side));
            batch.scores.extend(records.iter().map(|record| record.score));
            batch.results.extend(records.iter().map(Record::result));
            batch.plies.extend(records.iter().map(|record| record.ply));
        }
        if columns.details {
            batch.moves.extend(records.iter().map(|record| Move::from_bits(record.played)));
            batch.rule50.extend(records.iter().map(|record| record.rule50));
            batch.castling.extend(records.iter().map(Record::castling));
            batch.en_passant.extend(records.iter().map(|record| match record.en_passant() {
                0 => 64,
                square => square,
            }));
        }
        if columns.floats {
            let is_white = |record: &Record| f32::from(record.side() ^ 1);
            let outcome = |record: &Record| f32::from(record.result() + 1) / 2.0;
            batch.floats.extend(records.iter().map(is_white));
            batch.floats.extend(records.iter().map(outcome));
            batch.floats.extend(records.iter().map(|record| f32::from(record.score)));
        }
    }

    /// Prepares the features of this many positions.
    fn start(&self, count: usize, batch: &mut Batch) {
        match (&self.features, self.width) {
            (Features::Threats(_), _) => batch.threats.start(count),
            (Features::Indices(_), None) => {
                batch.indices.iter_mut().for_each(|lists| lists.start(count));
            }
            _ => {}
        }
        let width = self.width.unwrap_or(0);
        let counts = if self.width.is_some() || self.columns.floats { count } else { 0 };
        let length = 2 * count * width + counts;
        if batch.used.len() != count || (batch.width, batch.rows.len()) != (width, length) {
            batch.rows.clear();
            batch.rows.resize(length, PADDING);
            batch.used.clear();
            batch.used.resize(count, [0; 2]);
            batch.width = width;
        }
    }

    /// Fills in the features of a block, of which position `first` is the first one.
    fn features(&mut self, first: usize, block: &[Record], batch: &mut Batch) -> io::Result<()> {
        let Filler { kernel, features, views, width, boards, offsets, threats, slots, .. } = self;
        let (boards, offsets) = (&boards[..block.len()], &mut offsets[..=block.len()]);
        let rules = match features {
            Features::Boards => None,
            Features::Threats(rules) => Some(&*rules),
            Features::Indices(inputs) => inputs.rules(),
        };
        if let Some(rules) = rules {
            let done = kernel.threats(boards, rules, offsets, threats);
            debug_assert_eq!(done, block.len());
        } else {
            offsets.fill(0);
        }
        if let Features::Threats(_) = features {
            batch.threats.append(offsets, threats);
        }
        let (Features::Indices(inputs), Some(slots)) = (features, slots) else {
            return Ok(());
        };
        let (count, needs_pieces, mut memory) = (batch.size, inputs.needs_pieces(), [0; 64]);
        for (at, (record, list)) in block.iter().zip(offsets.windows(2)).enumerate() {
            let found = &threats[list[0] as usize..list[1] as usize];
            let occupied = if needs_pieces { record.occupied() } else { 0 };
            let pieces = squares(occupied, &mut memory);
            let position = Position { board: &boards[at], kings: record.kings(), pieces };
            inputs.active(&position, found, slots);
            let order = match views {
                Views::Movers => usize::from(record.side()),
                Views::Colours => 0,
            };
            let lists = [slots[order].get(), slots[order ^ 1].get()];
            let Some(width) = *width else {
                for (to, list) in batch.indices.iter_mut().zip(lists) {
                    to.values.extend_from_slice(list);
                    to.offsets.push(to.values.len() as u32);
                }
                continue;
            };
            for (view, list) in lists.into_iter().enumerate() {
                if list.len() > width {
                    let what = format!(
                        "a position has {} active inputs, more than the {width} of a row: set a \
                         larger width",
                        list.len()
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
                let row = &mut batch.rows[(view * count + first + at) * width..][..width];
                row[..list.len()].copy_from_slice(list);
                let used = &mut batch.used[first + at][view];
                let before = *used as usize;
                *used = list.len() as u32;
                if before > list.len() {
                    row[list.len()..before].fill(PADDING);
                }
            }
        }
        Ok(())
    }
}
