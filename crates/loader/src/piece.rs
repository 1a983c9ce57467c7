//! Positions that follow one another, on their way from stage to stage.

use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::record::Record;

/// Some of the records of a list that others share.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    records: Arc<Vec<Record>>,
    range: Range<usize>,
}

impl Piece {
    pub(crate) fn new(records: Arc<Vec<Record>>, range: Range<usize>) -> Piece {
        Piece { records, range }
    }

    /// All of a list.
    pub(crate) fn all(records: Vec<Record>) -> Piece {
        let range = 0..records.len();
        Piece { records: Arc::new(records), range }
    }

    /// Takes the first records.
    pub(crate) fn take(&mut self, count: usize) -> Piece {
        let (start, end) = (self.range.start, self.range.start + count.min(self.len()));
        self.range.start = end;
        Piece { records: Arc::clone(&self.records), range: start..end }
    }
}

impl Deref for Piece {
    type Target = [Record];

    fn deref(&self) -> &[Record] {
        &self.records[self.range.clone()]
    }
}
