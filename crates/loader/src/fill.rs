//! The last stage: which batches are being filled, and which are done, in order.

use std::collections::BTreeMap;
use std::io;

use crate::Batch;

/// The numbers of batches.
pub(crate) struct Fill {
    /// The number of batches that were filled or are being filled, and the most of them that were
    /// not taken.
    begun: u64,
    window: u64,
    /// Finished batches, and the number of the next one to return.
    done: BTreeMap<u64, io::Result<Batch>>,
    next: u64,
    /// The batches to leave out first, and the number at which to end.
    resume: u64,
    limit: u64,
}

impl Fill {
    pub(crate) fn new(window: u64, resume: u64, limit: Option<u64>) -> Fill {
        let limit = limit.unwrap_or(u64::MAX);
        Fill { begun: 0, window, done: BTreeMap::new(), next: 0, resume, limit }
    }

    /// Whether another batch may be begun.
    pub(crate) fn has_room(&self) -> bool {
        self.begun < self.next + self.window && self.begun < self.limit
    }

    /// Whether all batches were begun that are wanted.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.begun >= self.limit
    }

    /// Begins the next batch. Returns its number, or `None` if it is left out.
    pub(crate) fn begin(&mut self) -> Option<u64> {
        let number = self.begun;
        self.begun += 1;
        if number < self.resume {
            self.next = self.begun;
            return None;
        }
        Some(number)
    }

    /// Takes a finished batch. Those that were dropped meanwhile are not kept.
    pub(crate) fn receive(&mut self, number: u64, batch: io::Result<Batch>) {
        if number < self.begun {
            self.done.insert(number, batch);
        }
    }

    /// Whether the next batch is there.
    pub(crate) fn is_ready(&self) -> bool {
        self.done.contains_key(&self.next)
    }

    /// Whether all batches that were begun were taken.
    pub(crate) fn is_idle(&self) -> bool {
        self.begun == self.next
    }

    /// Takes the next batch, if it is there.
    pub(crate) fn take(&mut self) -> Option<io::Result<Batch>> {
        let batch = self.done.remove(&self.next)?;
        self.next += u64::from(batch.is_ok());
        Some(batch)
    }

    /// Drops the batches that were not taken.
    pub(crate) fn clear(&mut self) {
        self.done.clear();
        self.begun = self.next;
    }

    /// The number of batches so far, with those that are left out.
    pub(crate) fn taken(&self) -> u64 {
        self.next.max(self.resume.min(self.limit))
    }

    /// The error of a resume beyond the end: fewer batches are left.
    pub(crate) fn check_resume(&self, left: usize) -> Option<io::Error> {
        let (resume, count) = (self.resume, self.begun + left as u64);
        (count < resume).then(|| {
            let what = format!("resume is {resume}, but there are only {count} batches");
            io::Error::new(io::ErrorKind::InvalidInput, what)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Fill;
    use crate::Batch;

    #[test]
    fn batches_come_in_order_and_are_bounded() {
        let mut fill = Fill::new(3, 2, Some(7));
        let mut numbers = Vec::new();
        while fill.has_room() {
            numbers.extend(fill.begin());
        }
        assert_eq!(numbers, [2, 3, 4]);
        assert_eq!(fill.taken(), 2);
        for number in [4, 3] {
            fill.receive(number, Ok(Batch::default()));
            assert!(fill.take().is_none());
        }
        fill.receive(2, Ok(Batch::default()));
        assert!((0..3).all(|_| fill.take().is_some_and(|batch| batch.is_ok())));
        assert!(fill.is_idle() && !fill.is_at_limit() && fill.taken() == 5);
        assert!(fill.check_resume(0).is_none());
        while fill.has_room() {
            numbers.extend(fill.begin());
        }
        assert_eq!(numbers, [2, 3, 4, 5, 6]);
        assert!(fill.is_at_limit());
        fill.clear();
        fill.receive(6, Ok(Batch::default()));
        assert!(!fill.is_ready() && fill.is_idle());
    }

    #[test]
    fn a_resume_beyond_the_end_is_an_error() {
        let mut fill = Fill::new(3, 5, None);
        assert!((0..3).all(|_| fill.begin().is_none()));
        assert!(fill.check_resume(2).is_none());
        let message = fill.check_resume(1).unwrap().to_string();
        assert_eq!(message, "resume is 5, but there are only 4 batches");
    }
}
