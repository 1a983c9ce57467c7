//! How batches are filled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, mem};

use setwise::Kernel;
use setwise::threats::{MOST, Threat};
use setwise_positions::binpack::Move;

use crate::batch::{Batch, PADDING};
use crate::features::{BLOCK, Features};
use crate::inputs::Inputs;
use crate::lists::Lists;
use crate::pawn_pairs;
use crate::piece::Piece;
use crate::policy::PolicyFiller;
use crate::prefetch::{LINE, prefetch_line};
use crate::record::Record;
use crate::summary::Summary;
use crate::table::{Key, keys as keys_of};
use crate::{Columns, Layout, Loader, Views};

/// Rows are fetched into the cache this many positions before they are written.
const AHEAD: usize = 4;

/// The padding that is written without a look at what was there.
const TAIL: usize = 8;

/// Fills batches, with memory that it uses again.
pub(crate) struct Filler {
    kernel: &'static Kernel,
    features: Features,
    views: Views,
    columns: Columns,
    /// The width of rows, for that layout.
    width: Option<usize>,
    /// The positions of a batch.
    records: Vec<Record>,
    boards: Vec<[u8; 64]>,
    offsets: Vec<u32>,
    threats: Vec<Threat>,
    /// Those of threats, as sets need them.
    keys: Vec<Key>,
    memory: Memory,
    policy: Option<Box<PolicyFiller>>,
}

/// Memory for the indices of one position.
struct Memory {
    pairs: Box<pawn_pairs::Memory>,
    /// Both views. Empty without [`Features::Indices`].
    views: [Vec<u32>; 2],
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
        let view = vec![0; inputs.map_or(0, Inputs::most_room)];
        let pairs = Box::new(pawn_pairs::Memory::EMPTY);
        Filler {
            kernel,
            memory: Memory { pairs, views: [view.clone(), view] },
            width,
            views: loader.views,
            columns: loader.columns,
            records: Vec::new(),
            boards: vec![[0; 64]; BLOCK],
            offsets: vec![0; BLOCK + 1],
            threats: vec![Threat::default(); BLOCK * MOST],
            keys: vec![Key::default(); BLOCK * MOST],
            features,
            policy: PolicyFiller::new(kernel, loader),
        }
    }

    /// Replaces what the batch holds. What is there when all is over is as good as any.
    pub(crate) fn fill_unless(
        &mut self,
        is_over: &AtomicBool,
        pieces: &[Piece],
        batch: Batch,
    ) -> io::Result<Batch> {
        let mut records = mem::take(&mut self.records);
        records.clear();
        for piece in pieces {
            records.extend_from_slice(piece);
        }
        let filled = self.fill(is_over, &records, batch);
        self.records = records;
        filled
    }

    pub(crate) fn fill(
        &mut self,
        is_over: &AtomicBool,
        records: &[Record],
        mut batch: Batch,
    ) -> io::Result<Batch> {
        batch.clear();
        self.columns(records, &mut batch);
        self.start(records.len(), &mut batch);
        match &mut self.policy {
            Some(policy) => policy.fill(is_over, records, &mut batch)?,
            // The batch may be that of another loader.
            None => batch.mask.clear(),
        }
        let rows = 2 * batch.size * batch.width;
        for (count, record) in batch.rows[rows..].iter_mut().zip(records) {
            *count = record.pieces();
        }
        for (index, block) in records.chunks(BLOCK).enumerate() {
            let needs_boards = self.columns.boards || !matches!(self.features, Features::Boards);
            if !needs_boards || is_over.load(Ordering::Relaxed) {
                break;
            }
            for (board, record) in self.boards.iter_mut().zip(block) {
                record.unpack(board);
            }
            if self.columns.boards {
                batch.boards.extend_from_slice(&self.boards[..block.len()]);
            }
            self.features(index * BLOCK, block, &mut batch)?;
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
        let Filler { kernel, features, boards, offsets, threats, keys, .. } = self;
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
        let inputs = match features {
            Features::Boards => return Ok(()),
            Features::Threats(_) => {
                return batch.threats.append(offsets, threats);
            }
            Features::Indices(inputs) => &*inputs,
        };
        number(&threats[..offsets[block.len()] as usize], keys);
        let (count, views, memory) = (block.len(), self.views, &mut self.memory);
        let block = Block { inputs, views, records: block, boards, offsets, keys, memory };
        match self.width {
            None => lists(block, &mut batch.indices)?,
            Some(width) => {
                let (start, end) = (first * width, (first + count) * width);
                let (one, other) = batch.rows.split_at_mut(batch.size * width);
                let used = &mut batch.used[first..][..count];
                rows(block, width, [&mut one[start..end], &mut other[start..end]], used)?;
            }
        }
        Ok(())
    }
}

/// What the indices of some positions depend on.
struct Block<'a> {
    inputs: &'a Inputs,
    views: Views,
    records: &'a [Record],
    boards: &'a [[u8; 64]],
    /// The keys of the threats of each position, as [`Kernel::threats`] returns them.
    offsets: &'a [u32],
    keys: &'a [Key],
    memory: &'a mut Memory,
}

impl<'a> Block<'a> {
    fn keys(&self, index: usize) -> &'a [Key] {
        &self.keys[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// The number of the view that comes first: 0 White's, 1 Black's.
    #[inline(always)]
    fn first_view(&self, summary: &Summary) -> usize {
        match self.views {
            Views::Movers => usize::from(summary.side & 1),
            Views::Colours => 0,
        }
    }

    /// Computes the indices of White's and of Black's view in the memory of the block. Returns
    /// their numbers.
    #[inline(always)]
    fn active(&mut self, index: usize, summary: &Summary) -> [usize; 2] {
        let (board, keys) = (&self.boards[index], self.keys(index));
        let Memory { pairs, views: [white, black] } = &mut *self.memory;
        self.inputs.active(board, summary, keys, pairs, [white, black])
    }
}

/// Computes the keys of threats.
#[multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn number(threats: &[Threat], keys: &mut [Key]) {
    keys_of(threats, keys);
}

/// Appends the indices of a block to lists. Rejected: to write them there at once, into memory that
/// was set to zero, which takes 1.00 times the time of the whole loader (Zen 3).
#[multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn lists(mut block: Block<'_>, to: &mut [Lists<u32>; 2]) -> io::Result<()> {
    for (index, record) in block.records.iter().enumerate() {
        let summary = record.summary();
        let (counts, first) = (block.active(index, &summary), block.first_view(&summary));
        for (to, view) in to.iter_mut().zip([first, first ^ 1]) {
            to.push(&block.memory.views[view][..counts[view]])?;
        }
    }
    Ok(())
}

/// Writes the indices of a block to the rows of both views, and their numbers to `used`, where
/// those of the indices that the rows hold are.
#[multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn rows(
    mut block: Block<'_>,
    width: usize,
    rows: [&mut [u32]; 2],
    used: &mut [[u32; 2]],
) -> io::Result<()> {
    let usual = used.iter().flatten().sum::<u32>() as usize / (2 * used.len());
    let rows = rows.map(|rows| rows.chunks_exact_mut(width));
    let [one, other] = rows;
    let rows = one.zip(other).zip(used).zip(block.records);
    for (index, (((one, other), used), record)) in rows.enumerate() {
        for start in (0..=4 * (usual + TAIL)).step_by(LINE) {
            prefetch_line(one, 4 * AHEAD * width + start);
            prefetch_line(other, 4 * AHEAD * width + start);
        }
        let (summary, keys) = (record.summary(), block.keys(index));
        let first = block.first_view(&summary);
        let mut rows = [one, other];
        let counts = if block.inputs.room(&summary, keys.len()) <= width {
            let [one, other] = &mut rows;
            let views = if first == 0 { [&mut **one, other] } else { [&mut **other, one] };
            let pairs = &mut block.memory.pairs;
            block.inputs.active(&block.boards[index], &summary, keys, pairs, views)
        } else {
            let counts = block.active(index, &summary);
            if let Some(count) = counts.into_iter().find(|count| *count > width) {
                let what = format!(
                    "a position has {count} active inputs, more than the {width} of a row: set a \
                     larger width"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            for (row, view) in rows.iter_mut().zip([first, first ^ 1]) {
                row[..counts[view]].copy_from_slice(&block.memory.views[view][..counts[view]]);
            }
            counts
        };
        for ((row, used), view) in rows.into_iter().zip(used).zip([first, first ^ 1]) {
            pad(row, counts[view], *used as usize);
            *used = counts[view] as u32;
        }
    }
    Ok(())
}

/// Pads a row after its indices, if it held `before` of them and is padded after that. A few
/// numbers after the indices may have been written in vain.
#[inline(always)]
fn pad(row: &mut [u32], count: usize, before: usize) {
    let rest = &mut row[count..];
    match rest.first_chunk_mut::<TAIL>() {
        Some(tail) => {
            *tail = [PADDING; TAIL];
            if before > count + TAIL {
                rest[TAIL..before - count].fill(PADDING);
            }
        }
        None => rest.fill(PADDING),
    }
}
