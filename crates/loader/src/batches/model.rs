//! A clock for the stages: how long some threads would take, if each job took what it costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_channel::bounded;
use setwise::Kernel;

use super::{Done, Job, Loading, Step, Worker};
use crate::Loader;
use crate::crew::Plan;
use crate::filler::Filler;
use crate::source::Decoder;

/// ns that an entry or a position costs, or a call of the plan, of which there is one at a time.
const READ: u64 = 1;
const DECODE: u64 = 50;
const SHUFFLE: u64 = 25;
const FILL: u64 = 300;
const PLAN: u64 = 500;

/// When all batches were taken, and how long the plan was in use until then.
pub(super) struct Times {
    pub(super) end: u64,
    pub(super) plan: u64,
}

/// Does all jobs, one after another, in the order in which threads of this number would begin them.
pub(super) fn run(
    mut loading: Loading,
    decoder: Decoder,
    loader: &Loader,
    threads: usize,
) -> Times {
    let filler = Filler::new(Kernel::active(), loader);
    let (recycled, is_over) = (bounded(1).1, Arc::default());
    let mut worker = Worker { decoder, filler, recycled, is_over };
    // When each thread is done, and with what.
    let starts = (0..threads).map(|thread| ((0, thread), None));
    let mut busy: BTreeMap<(u64, usize), Option<Done>> = starts.collect();
    let (mut asleep, mut end, mut plan) = (Vec::new(), 0, 0);
    while let Some(((time, thread), done)) = busy.pop_first() {
        end = end.max(time) + PLAN;
        plan += PLAN;
        if let Some(done) = done {
            loading.receive(done);
        }
        // The caller takes what is there at once.
        while loading.is_ready()
            && let Some(batch) = loading.take()
        {
            batch.unwrap();
        }
        asleep.push(thread);
        while !asleep.is_empty()
            && let Some(job) = loading.next()
        {
            let shuffled: usize = match &job {
                Job::Shuffle(_, _, steps) => steps.iter().map(Step::len).sum(),
                _ => 0,
            };
            let done = worker.run(job);
            let cost = match &done {
                Done::Read(_, _, Ok(Some(chunk))) => READ * chunk.bytes_in_file() / 2,
                Done::Read(..) => 0,
                Done::Decode(_, _, part, _) => DECODE * part.entries,
                Done::Shuffle(..) => SHUFFLE * shuffled as u64,
                Done::Fill(_, batch) => FILL * batch.as_ref().unwrap().len() as u64,
            };
            let thread = asleep.pop().expect("it is not empty");
            busy.insert((end + cost, thread), Some(done));
        }
    }
    Times { end, plan }
}
