//! The stage after decoding: which positions of which file are next. It depends on the files and
//! settings alone. It moves parts of chunks, and never looks at their positions.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::{io, mem};

use setwise_positions::binpack::{Filter, Sieve};

use crate::piece::Piece;
use crate::source::{Chunk, Left, Part, Source};
use crate::{OnError, Statistics};

/// The errors that [`Statistics`] keeps.
const ERRORS: usize = 20;

/// What a lane has of the positions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Weight {
    /// The number of bytes in a pass.
    Bytes(f64),
    /// This share of the entries.
    Entries(f64),
}

/// How many chunks and parts may wait, and how positions are taken from a part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most chunks of a lane that are open, and the most parts of each that wait.
    pub(crate) chunks: usize,
    pub(crate) parts: usize,
    /// The most positions of a lane that follow one another.
    pub(crate) slice: usize,
    /// The chunks of a lane that are decoded at the same time. Each goes on with the counts of
    /// pieces of the last one in its place.
    pub(crate) sieves: usize,
    /// The most sources that are read at the same time: one if they share a lock, so that no thread
    /// waits for it.
    pub(crate) reads: usize,
    /// Whether other processes have other chunks.
    pub(crate) is_shard: bool,
}

/// Chunks in order: those of all files, or of one that is mixed with others.
pub(crate) struct Lane {
    reading: Reading,
    /// The chunks that are open, in order, and the number of the first one.
    open: VecDeque<Open>,
    first: u64,
    /// The part that is being taken, and how much of it was.
    part: Part,
    taken: usize,
    share: Share,
    /// What decides on entries, by the number of the chunk. `None` while a chunk has it.
    sieves: Vec<Option<Box<Sieve>>>,
    idle: Idle,
}

/// Where a source is.
enum Reading {
    Waits(Box<dyn Source>),
    Busy,
    /// After the last chunk, or after a failure.
    Over,
}

/// A chunk whose parts have not all been taken.
struct Open {
    parts: VecDeque<Part>,
    rest: Rest,
}

/// What comes after the parts of a chunk.
#[allow(clippy::large_enum_variant, reason = "there are few, and most are chunks")]
enum Rest {
    Waits(Chunk),
    Busy,
    End,
    /// What ended the chunk early.
    Failure(io::Error),
    /// The end of a pass.
    Pass,
}

/// How far a lane is.
struct Share {
    weight: Weight,
    /// What was taken, divided by the weight. The lane with the least is next.
    progress: f64,
}

/// The passes that were read; the number of positions that were kept before the last one, and
/// whether none was in it; and the entries of this pass so far.
#[derive(Default)]
struct Idle {
    passes: u64,
    kept: u64,
    in_last: bool,
    entries: u64,
}

impl Lane {
    pub(crate) fn new(source: Box<dyn Source>, weight: Weight) -> Lane {
        Lane {
            reading: Reading::Waits(source),
            open: VecDeque::new(),
            first: 0,
            part: Part::default(),
            taken: 0,
            share: Share { weight, progress: 0.0 },
            sieves: Vec::new(),
            idle: Idle::default(),
        }
    }

    /// Whether its source waits for others while they are read.
    pub(crate) fn waits(&self) -> bool {
        matches!(&self.reading, Reading::Waits(source) if source.waits())
    }

    /// Whether all its positions were taken.
    pub(crate) fn is_over(&self) -> bool {
        let is_read = self.open.is_empty() && matches!(self.reading, Reading::Over);
        is_read && self.taken == self.part.records.len()
    }

    /// Adds a share of the part to what was taken.
    fn advance(&mut self, share: f64) {
        self.share.progress += share
            * match self.share.weight {
                Weight::Bytes(all) => self.part.bytes / all.max(1.0),
                Weight::Entries(weight) => self.part.entries as f64 / weight,
            };
    }

    fn end(&mut self) {
        self.first += self.open.len() as u64;
        self.open.clear();
        self.reading = Reading::Over;
        self.part = Part::default();
        self.taken = 0;
    }
}

/// What comes next.
pub(crate) enum Next {
    Piece(Piece),
    /// It is not there yet.
    Wait,
    /// The last positions came before.
    End(Option<io::Error>),
}

/// Work for threads.
#[derive(Default)]
struct Work {
    /// With the number of the lane.
    reads: VecDeque<(usize, Box<dyn Source>)>,
    /// The sources that threads are reading.
    reading: usize,
    /// With the numbers of the lane and the chunk.
    decodes: VecDeque<(usize, u64, Chunk)>,
}

/// All lanes.
pub(crate) struct FileOrder {
    lanes: Vec<Lane>,
    /// The lanes that are not over, by progress (as bits, which have the same order) and number.
    turns: BinaryHeap<Reverse<(u64, usize)>>,
    limits: Limits,
    work: Work,
    first_pass: u64,
    cycle: bool,
    on_error: OnError,
    pub(crate) statistics: Statistics,
}

impl FileOrder {
    pub(crate) fn new(
        mut lanes: Vec<Lane>,
        limits: Limits,
        filter: Filter,
        first_pass: u64,
        cycle: bool,
    ) -> FileOrder {
        let filter = filter.in_pass(first_pass);
        let mut numbers = 0..;
        for lane in &mut lanes {
            let sieves = numbers.by_ref().take(limits.sieves);
            lane.sieves = sieves.map(|number| Some(Box::new(Sieve::new(filter, number)))).collect();
        }
        let turns = (0..lanes.len()).map(|lane| Reverse((0, lane))).collect();
        let (work, statistics) = (Work::default(), Statistics::default());
        let on_error = OnError::End;
        let mut order =
            FileOrder { lanes, turns, limits, work, first_pass, cycle, on_error, statistics };
        (0..order.lanes.len()).for_each(|lane| order.read(lane));
        order
    }

    pub(crate) fn on_error(self, on_error: OnError) -> FileOrder {
        FileOrder { on_error, ..self }
    }

    /// Work: a source to read.
    pub(crate) fn next_read(&mut self) -> Option<(usize, Box<dyn Source>)> {
        if self.work.reading == self.limits.reads {
            return None;
        }
        let read = self.work.reads.pop_front()?;
        self.work.reading += 1;
        Some(read)
    }

    /// Work: a chunk to decode.
    pub(crate) fn next_decode(&mut self) -> Option<(usize, u64, Chunk)> {
        self.work.decodes.pop_front()
    }

    /// Lets a lane be read, if there is room for a chunk.
    fn read(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        if lane.open.len() < self.limits.chunks {
            match mem::replace(&mut lane.reading, Reading::Busy) {
                Reading::Waits(source) => self.work.reads.push_back((index, source)),
                reading => lane.reading = reading,
            }
        }
    }

    /// Lets an open chunk of a lane be decoded, if there is room for a part.
    fn decode(&mut self, index: usize, place: usize) {
        let lane = &mut self.lanes[index];
        let number = lane.first + place as u64;
        let open = &mut lane.open[place];
        if open.parts.len() < self.limits.parts {
            match mem::replace(&mut open.rest, Rest::Busy) {
                Rest::Waits(mut chunk) => {
                    let place = number as usize % lane.sieves.len();
                    chunk.sieve = chunk.sieve.or_else(|| lane.sieves[place].take());
                    if chunk.sieve.is_some() {
                        self.work.decodes.push_back((index, number, chunk));
                    } else {
                        open.rest = Rest::Waits(chunk);
                    }
                }
                rest => open.rest = rest,
            }
        }
    }

    /// Goes on with the next positions.
    pub(crate) fn next(&mut self) -> Next {
        while let Some(&Reverse((_, index))) = self.turns.peek() {
            let lane = &mut self.lanes[index];
            let all = lane.part.records.len();
            if lane.taken < all {
                let end = all.min(lane.taken + self.limits.slice);
                let piece = Piece::new(Arc::clone(&lane.part.records), lane.taken..end);
                let share = (end - lane.taken) as f64 / all as f64;
                lane.taken = end;
                lane.advance(share);
                self.turn(index);
                return Next::Piece(piece);
            }
            let Some(open) = lane.open.front_mut() else {
                if !lane.is_over() {
                    return Next::Wait;
                }
                self.turns.pop();
                continue;
            };
            if let Some(part) = open.parts.pop_front() {
                self.statistics.add(&part);
                lane.idle.entries += part.entries;
                (lane.part, lane.taken) = (part, 0);
                if lane.part.records.is_empty() {
                    lane.advance(1.0);
                }
                self.turn(index);
                self.decode(index, 0);
                continue;
            }
            match self.next_chunk(index) {
                Ok(true) => {}
                Ok(false) => return Next::Wait,
                Err(failure) => {
                    self.end();
                    return Next::End(Some(failure));
                }
            }
        }
        Next::End(None)
    }

    /// Puts the lane whose turn it is in its new place.
    fn turn(&mut self, index: usize) {
        self.turns.pop();
        self.turns.push(Reverse((self.lanes[index].share.progress.to_bits(), index)));
    }

    /// Goes on after the last part of the first chunk of a lane. Returns whether it was there.
    fn next_chunk(&mut self, index: usize) -> io::Result<bool> {
        let kept = self.statistics.kept;
        let lane = &mut self.lanes[index];
        let open = &mut lane.open[0];
        let mut is_stuck = false;
        match mem::replace(&mut open.rest, Rest::End) {
            rest @ (Rest::Waits(_) | Rest::Busy) => {
                open.rest = rest;
                return Ok(false);
            }
            Rest::End => {}
            Rest::Failure(error) if self.on_error == OnError::Skip => {
                self.statistics.failures += 1;
                if self.statistics.errors.len() < ERRORS {
                    self.statistics.errors.push(error.to_string());
                }
            }
            Rest::Failure(error) => return Err(error),
            Rest::Pass => {
                lane.idle.in_last = lane.idle.kept == kept;
                lane.idle.kept = kept;
                is_stuck = mem::take(&mut lane.idle.entries) == 0;
            }
        }
        lane.open.pop_front();
        lane.first += 1;
        if is_stuck {
            // A pass without an entry, as of an empty file: the lane might always be next.
            lane.end();
        }
        let is_idle = |lane: &Lane| lane.is_over() || lane.idle.in_last && lane.idle.kept == kept;
        if self.cycle && self.lanes.iter().all(is_idle) {
            return Err(self.nothing());
        }
        self.read(index);
        Ok(true)
    }

    /// Going on with the next pass would not end.
    pub(crate) fn nothing(&self) -> io::Error {
        let what = if self.limits.is_shard && self.statistics.entries == 0 {
            "no position is left of a whole pass: there is no chunk for this process"
        } else {
            "no position is left of a whole pass"
        };
        io::Error::new(io::ErrorKind::InvalidData, what)
    }

    /// Ends reading. Results of chunks that are still to come are dropped.
    pub(crate) fn end(&mut self) {
        self.lanes.iter_mut().for_each(Lane::end);
        // Threads may still be reading.
        self.work.reads.clear();
        self.work.decodes.clear();
    }

    /// The most parts of a chunk that wait.
    #[cfg(test)]
    pub(crate) fn most_parts(&self) -> usize {
        let open = self.lanes.iter().flat_map(|lane| &lane.open);
        open.map(|open| open.parts.len()).max().unwrap_or(0)
    }

    /// Takes what a source, of those that [`next_read`](FileOrder::next_read) gave, has read.
    pub(crate) fn receive_chunk(
        &mut self,
        index: usize,
        mut source: Box<dyn Source>,
        read: io::Result<Option<Chunk>>,
    ) {
        self.work.reading -= 1;
        let (lane, skips) = (&mut self.lanes[index], self.on_error == OnError::Skip);
        if matches!(lane.reading, Reading::Over) {
            return;
        }
        let (rest, goes_on) = match read {
            Ok(Some(chunk)) => (Rest::Waits(chunk), true),
            Err(failure) => (Rest::Failure(failure), skips),
            Ok(None) if self.cycle => {
                lane.idle.passes += 1;
                source.restart(self.first_pass + lane.idle.passes);
                (Rest::Pass, true)
            }
            Ok(None) => {
                lane.reading = Reading::Over;
                return;
            }
        };
        lane.reading = if goes_on { Reading::Waits(source) } else { Reading::Over };
        lane.open.push_back(Open { parts: VecDeque::new(), rest });
        let last = lane.open.len() - 1;
        self.decode(index, last);
        self.read(index);
    }

    /// Takes a part of a chunk, and what is left of it.
    pub(crate) fn receive_part(&mut self, index: usize, number: u64, mut part: Part, rest: Left) {
        let lane = &mut self.lanes[index];
        // After a failure, the chunks after it are not there.
        let place = number.checked_sub(lane.first).map(|place| place as usize);
        if let Some((place, open)) = place.and_then(|at| Some((at, lane.open.get_mut(at)?))) {
            let sieve = part.sieve.take();
            open.parts.push_back(part);
            open.rest = match rest {
                Ok(Some(chunk)) => Rest::Waits(chunk),
                Ok(None) => Rest::End,
                Err(failure) => Rest::Failure(failure),
            };
            let Some(sieve) = sieve else { return self.decode(index, place) };
            // The chunk is at its end, and another one may begin.
            let count = lane.open.len();
            lane.sieves[number as usize % self.limits.sieves] = Some(sieve);
            (place + 1..count).for_each(|place| self.decode(index, place));
        }
    }
}
