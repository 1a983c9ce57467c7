//! The stage that divides positions into batches. It moves lists, and copies no position.

use std::collections::VecDeque;
use std::mem;

use crate::piece::Piece;

/// Cuts a stream of pieces into batches.
pub(crate) struct Cut {
    size: usize,
    /// What is there of the next batch, and its positions.
    pieces: Vec<Piece>,
    count: usize,
    /// The batches that are complete, in order.
    pub(crate) batches: VecDeque<Vec<Piece>>,
}

impl Cut {
    pub(crate) fn new(size: usize) -> Cut {
        Cut { size, pieces: Vec::new(), count: 0, batches: VecDeque::new() }
    }

    pub(crate) fn push(&mut self, mut piece: Piece) {
        while !piece.is_empty() {
            let first = piece.take(self.size - self.count);
            self.count += first.len();
            self.pieces.push(first);
            if self.count == self.size {
                self.count = 0;
                self.batches.push_back(mem::take(&mut self.pieces));
            }
        }
    }

    /// After the last position: what is too few for a batch is one, or is dropped.
    pub(crate) fn finish(&mut self, drop_last: bool) {
        let rest = mem::take(&mut self.pieces);
        if mem::take(&mut self.count) > 0 && !drop_last {
            self.batches.push_back(rest);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.finish(true);
        self.batches.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Cut;
    use crate::piece::Piece;
    use crate::record::Record;

    fn sizes(cut: &mut Cut) -> Vec<usize> {
        cut.batches.drain(..).map(|batch| batch.iter().map(|piece| piece.len()).sum()).collect()
    }

    #[test]
    fn batches_are_full_but_for_the_last() {
        for drop_last in [false, true] {
            let mut cut = Cut::new(10);
            for count in [0, 3, 25, 0, 1, 1] {
                cut.push(Piece::all(vec![Record::EMPTY; count]));
            }
            assert_eq!(sizes(&mut cut), [10, 10, 10]);
            cut.push(Piece::all(vec![Record::EMPTY; 4]));
            cut.finish(drop_last);
            cut.finish(drop_last);
            assert_eq!(sizes(&mut cut), vec![4; usize::from(!drop_last)]);
        }
    }

    #[test]
    fn positions_keep_their_order() {
        let record = Record::numbered;
        let mut cut = Cut::new(7);
        for start in [0, 5, 10] {
            cut.push(Piece::all((start..start + 5).map(record).collect()));
        }
        cut.finish(false);
        let plies = cut.batches.iter().flatten().flat_map(|piece| piece.iter().map(|r| r.ply));
        assert!(plies.eq(0..15));
    }
}
