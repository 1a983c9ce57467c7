//! Failures, panics and bounds, with sources that wait, fail or panic on demand.

#[path = "../../../positions/tests/common/binpack_games.rs"]
mod binpack_games;
#[path = "../../tests/common/budget.rs"]
#[allow(unreachable_pub, reason = "a module of several tests")]
mod budget;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use binpack_games::{Seen, games, write};
use budget::budget;
use crossbeam_channel::{Receiver, Sender, unbounded};
use setwise_positions::binpack::{self, Entry};

use super::{Batches, Done, Lane, Loading, Reading, Statistics, WAITING, Weight};
use crate::crew::Plan;
use crate::formats::Entries;
use crate::order::Next;
use crate::source::{Chunk, Decoder, Origin, PART, Source};
use crate::{Batch, Filter, Loader, Order, PieceCounts};

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| games(10, &mut Seen::default()));

/// What a source does when it is asked for the next chunk.
enum Step {
    Chunk(Vec<u8>),
    /// Sends a message, waits for one, and goes on with the next step.
    Wait(Sender<()>, Receiver<()>),
    Fail,
    Panic,
}

struct Steps {
    left: std::vec::IntoIter<Step>,
    number: u64,
    reads: Arc<AtomicUsize>,
    waits: bool,
}

impl Source for Steps {
    fn next(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            match self.left.next() {
                Some(Step::Chunk(payload)) => {
                    self.number += 1;
                    self.reads.fetch_add(1, Ordering::Relaxed);
                    let entries = Entries::Binpack(binpack::Entries::new(payload));
                    let origin = Origin { number: self.number - 1, ..Origin::default() };
                    return Ok(Some(Chunk::new(entries, 0, origin)));
                }
                Some(Step::Wait(arrived, may_go)) => {
                    arrived.send(()).unwrap();
                    may_go.recv().unwrap();
                }
                Some(Step::Fail) => return Err(io::Error::other("the disk is gone")),
                Some(Step::Panic) => panic!("the source has a fault"),
                None => return Ok(None),
            }
        }
    }

    fn restart(&mut self, _: u64) {
        unreachable!("there is one pass");
    }

    fn waits(&self) -> bool {
        self.waits
    }
}

/// A gate: a step, how to wait until it is reached, and how to open it.
fn gate() -> (Step, Receiver<()>, Sender<()>) {
    let ((arrived, reached), (open, may_go)) = (unbounded(), unbounded());
    (Step::Wait(arrived, may_go), reached, open)
}

/// A payload with entries, and one that ends with what is not an entry.
fn payload(entries: &[Entry]) -> Vec<u8> {
    write(entries).split_off(8)
}

fn bad(entries: &[Entry]) -> Vec<u8> {
    [payload(entries), vec![0; 34]].concat()
}

fn start(threads: usize, steps: Vec<Step>) -> (Batches, Arc<AtomicUsize>) {
    start_with(&Loader { threads, batch_size: 100, ..Loader::new(Vec::new()) }, steps)
}

fn start_with(loader: &Loader, steps: Vec<Step>) -> (Batches, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let source =
        Steps { left: steps.into_iter(), number: 0, reads: Arc::clone(&reads), waits: false };
    let lane = Lane::new(Box::new(source), Weight::Bytes(1.0));
    (Batches::of(loader, vec![lane]).unwrap(), reads)
}

/// The positions, then the errors and how often the iterator ended, of three more calls than it
/// takes to see an error or the end.
fn results(batches: &mut Batches) -> (Vec<Batch>, Vec<String>, usize) {
    let (mut found, mut errors, mut ends) = (Vec::new(), Vec::new(), 0);
    while errors.len() + ends < 4 {
        match batches.next() {
            Some(Ok(batch)) => {
                assert!(errors.is_empty() && ends == 0, "a batch after the end");
                found.push(batch);
            }
            Some(Err(error)) => errors.push(error.to_string()),
            None => ends += 1,
        }
    }
    (found, errors, ends)
}

fn expect(batches: &mut Batches, entries: &[&[Entry]], message: &str) {
    let (found, errors, ends) = results(batches);
    let scores: Vec<i16> = found.iter().flat_map(|batch| &batch.scores).copied().collect();
    let expected: Vec<i16> = entries.concat().iter().map(Entry::score).collect();
    assert_eq!(scores.len(), expected.len());
    assert!(scores == expected);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains(message), "{errors:?}");
    assert_eq!(ends, 3);
}

/// Several threads may share the batches behind a lock, as Python's do.
const _: () = {
    const fn may_be_shared<T: Send + Sync>() {}
    may_be_shared::<Batches>();
};

/// A chunk fails while another one is read.
#[test]
fn a_failure_during_a_read_is_returned_once() {
    let entries = &ENTRIES[..];
    for threads in [2, 3, 8] {
        let (step, reached, open) = gate();
        let good = || Step::Chunk(payload(entries));
        let steps = vec![good(), Step::Chunk(bad(&entries[..150])), step, good(), good()];
        let (mut batches, _) = start(threads, steps);
        // The read goes on after the failure.
        let opener = thread::spawn(move || {
            reached.recv().unwrap();
            thread::sleep(Duration::from_millis(50));
            open.send(())
        });
        let what = "chunk 2, byte ";
        expect(&mut batches, &[entries, &entries[..150]], what);
        drop(batches);
        let _ = opener.join().unwrap();
    }
}

/// The consumer gets the failure although a read never returns.
#[test]
fn a_failure_does_not_wait_for_a_read() {
    let (step, reached, open) = gate();
    let steps = vec![Step::Chunk(bad(&ENTRIES[..150])), step];
    let (mut batches, _) = start(2, steps);
    while reached.try_recv().is_err() {
        batches.wait(Duration::from_millis(1));
    }
    expect(&mut batches, &[&ENTRIES[..150]], "chunk 1, byte ");
    open.send(()).unwrap();
}

/// A chunk that was being read when the failure came is dropped, although the shuffle has more to
/// output.
#[test]
fn what_is_read_during_a_failure_is_dropped() {
    let (step, reached, open) = gate();
    let good = || Step::Chunk(payload(&ENTRIES));
    let steps = vec![Step::Chunk(bad(&ENTRIES[..400])), step, good(), good()];
    let loader = Loader { threads: 2, batch_size: 10, shuffle: 200, ..Loader::new(Vec::new()) };
    let (mut batches, _) = start_with(&loader, steps);
    let mut found = 0;
    while batches.crew().with(|loading| loading.failure.is_none()) {
        found += batches.next().unwrap().unwrap().len();
    }
    reached.recv().unwrap();
    open.send(()).unwrap();
    settle(&batches, |loading| assert!(loading.reading != Reading::Over));
    let (rest, errors, _) = results(&mut batches);
    assert_eq!(found + rest.iter().map(Batch::len).sum::<usize>(), 400);
    assert_eq!(errors.len(), 1);
}

/// Results that come after a failure make no work: of a read, and of a chunk after the one that
/// failed.
#[test]
fn late_results_make_no_work() {
    let good = || Step::Chunk(payload(&ENTRIES));
    let left = vec![Step::Chunk(bad(&ENTRIES[..50])), good(), good()].into_iter();
    let source = Steps { left, number: 0, reads: Arc::default(), waits: false };
    let lane = Lane::new(Box::new(source), Weight::Bytes(1.0));
    let loader = Loader { order: Order::Mixed, ..Loader::new(Vec::new()) };
    let (mut loading, decoder) = Loading::new(&loader, vec![lane], 2);
    // More than one part is left of the good chunks.
    let decoder = Decoder { part: 100, ..decoder };
    let order = &mut loading.order;
    for _ in 0..2 {
        let (index, mut source) = order.next_read().unwrap();
        let chunk = source.next();
        order.receive_chunk(index, source, chunk);
    }
    let (index, mut source) = order.next_read().unwrap();
    let [first, second] = [(); 2].map(|()| {
        let (_, number, chunk) = order.next_decode().unwrap();
        let (part, left) = decoder.decode(chunk);
        (number, part, left)
    });
    assert!(first.2.is_err() && matches!(second.2, Ok(Some(_))));
    order.receive_part(index, first.0, first.1, first.2);
    assert!(matches!(order.next(), Next::Piece(_)));
    assert!(matches!(order.next(), Next::End(Some(_))));
    order.receive_part(index, second.0, second.1, second.2);
    assert!(order.next_decode().is_none());
    let chunk = source.next();
    assert!(matches!(chunk, Ok(Some(_))));
    order.receive_chunk(index, source, chunk);
    assert!(order.next_decode().is_none() && order.next_read().is_none());
}

#[test]
fn a_failure_to_read_comes_after_the_chunks_before_it() {
    for threads in [1, 2, 8] {
        let good = || Step::Chunk(payload(&ENTRIES));
        let (mut batches, _) = start(threads, vec![good(), good(), Step::Fail, good()]);
        expect(&mut batches, &[&ENTRIES, &ENTRIES], "the disk is gone");
    }
}

#[test]
fn a_panic_of_a_thread_is_an_error() {
    for threads in [1, 2, 8] {
        let good = || Step::Chunk(payload(&ENTRIES));
        let (mut batches, _) = start(threads, vec![good(), Step::Panic]);
        let (found, errors, ends) = results(&mut batches);
        assert!(found.len() <= ENTRIES.len().div_ceil(100));
        assert_eq!(errors, ["a thread of the loader panicked: the source has a fault"]);
        assert_eq!(ends, 3);
        // A batch that another thread was computing comes too late.
        batches.crew().with(|loading| {
            let next = loading.fill.taken();
            loading.receive(Done::Fill(next, Ok(Batch::default())));
        });
        assert!(batches.next().is_none());
    }
}

/// Dropping ends the threads, whatever they are doing, and waits for a read.
#[test]
fn dropping_waits_for_a_read() {
    let (step, reached, open) = gate();
    let (batches, reads) = start(2, vec![step, Step::Chunk(payload(&ENTRIES))]);
    reached.recv().unwrap();
    let opener = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        open.send(())
    });
    drop(batches);
    assert_eq!(reads.load(Ordering::Relaxed), 1);
    opener.join().unwrap().unwrap();
}

/// Hands share the lock of their deck: another read would wait for it instead of decoding.
#[test]
fn one_hand_is_read_at_a_time() {
    let lane = |waits: bool| {
        let (left, reads) = (Vec::new().into_iter(), Arc::default());
        Lane::new(Box::new(Steps { left, number: 0, reads, waits }), Weight::Entries(1.0))
    };
    for (order, waits, most) in
        [(Order::Chunks, true, 1), (Order::Chunks, false, 3), (Order::Mixed, false, 3)]
    {
        let loader = Loader { order, ..Loader::new(Vec::new()) };
        let lanes = [waits; 3].map(lane).into();
        let (mut loading, _) = Loading::new(&loader, lanes, 3);
        let mut read = Vec::new();
        for left in [3, 2, 1, 0] {
            read.extend(std::iter::from_fn(|| loading.order.next_read()));
            assert_eq!(read.len(), left.min(most));
            if let Some((index, mut source)) = read.pop() {
                let chunk = source.next();
                loading.order.receive_chunk(index, source, chunk);
            }
        }
    }
}

/// As in a child process: it has no threads, so nothing may be waited for.
#[test]
fn another_process_is_refused() {
    let (step, reached, open) = gate();
    let (mut batches, _) = start(2, vec![step]);
    reached.recv().unwrap();
    batches.process = process::id().wrapping_add(1);
    assert!(batches.wait(Duration::MAX));
    let error = batches.next().unwrap().unwrap_err().to_string();
    assert_eq!(error, "the loader was started before this process was forked: start it here");
    // A thread that the child does not have held the lock.
    let ((held, holds), (release, released)) = (unbounded(), unbounded::<()>());
    let (answer, answered) = unbounded();
    thread::scope(|scope| {
        let batches = &batches;
        scope.spawn(move || {
            batches.crew().with(|_| {
                held.send(()).unwrap();
                released.recv().unwrap();
            });
        });
        holds.recv().unwrap();
        scope.spawn(move || answer.send((batches.statistics(), batches.taken())).unwrap());
        let found = answered.recv_timeout(Duration::from_secs(20));
        release.send(()).unwrap();
        assert_eq!(found.unwrap(), (Statistics::default(), 0));
    });
    // The read has not returned.
    drop(batches);
    open.send(()).unwrap();
}

/// Lets the threads work until they wait for the consumer.
fn settle<T>(batches: &Batches, function: impl FnOnce(&mut Loading) -> T) -> T {
    let start = Instant::now();
    while !batches.crew().is_asleep() {
        assert!(start.elapsed() < Duration::from_secs(100));
        thread::sleep(Duration::from_millis(1));
    }
    batches.crew().with(function)
}

#[test]
fn what_waits_is_bounded() {
    let long = payload(&ENTRIES).repeat((WAITING + 3 * PART) / ENTRIES.len() + 1);
    for threads in [1, 3] {
        let steps = (0..20).map(|_| Step::Chunk(payload(&ENTRIES)));
        let (mut batches, reads) = start(threads, steps.collect());
        settle(&batches, |loading| assert!(!loading.fill.has_room() && loading.fill.is_ready()));
        // One is in the stages after the lanes, because the batches are small.
        assert!(reads.load(Ordering::Relaxed) <= threads + 6);
        let (found, errors, _) = results(&mut batches);
        assert!(errors.is_empty());
        assert_eq!(found.iter().map(Batch::len).sum::<usize>(), 20 * ENTRIES.len());

        let steps = [payload(&ENTRIES), long.clone(), payload(&ENTRIES)].map(Step::Chunk);
        let (batches, _) = start(threads, steps.into());
        let most = settle(&batches, |loading| loading.order.most_parts());
        assert_eq!(most, WAITING / PART);
    }
}

/// A wait ends in time although results come all the time, and none of them is a batch.
#[test]
fn a_wait_ends_in_time() {
    let file = env::temp_dir().join(format!("setwise-loader-{}-wait", process::id()));
    fs::write(&file, write(&ENTRIES.repeat(60))).unwrap();
    // As under Valgrind.
    let is_slow = env::var("SETWISE_TEST_BUDGET").is_ok_and(|budget| budget == "miri");
    let slower = if is_slow { 20 } else { 1 };
    let [of_wait, of_drop] = [250, 200].map(|limit| slower * Duration::from_millis(limit));
    for (threads, skip, shuffle) in [
        (1, 0.9999, 1 << 24),
        (2, 0.9999, 1 << 24),
        (4, 0.9999, 0),
        (2, 0.9999, 0),
        (2, 0.0, 1 << 26),
    ] {
        let filter = Filter { skip, ..Filter::ALL };
        let loader = Loader {
            threads,
            filter,
            shuffle,
            cycle: true,
            batch_size: 1 << 20,
            ..Loader::new(vec![file.clone()])
        };
        // The least of three, because other programs may keep the CPU busy.
        let mut least = [Duration::MAX; 2];
        for _ in 0..3 {
            let mut batches = loader.batches().unwrap();
            let start = Instant::now();
            assert!(!batches.wait(Duration::from_millis(50)));
            let of_wait = start.elapsed();
            let start = Instant::now();
            drop(batches);
            least = [least[0].min(of_wait), least[1].min(start.elapsed())];
        }
        assert!(least[0] < of_wait && least[1] < of_drop, "{least:?}");
    }
    fs::remove_file(&file).unwrap();
}

/// Sixty-four threads, by the clock of a model: what each job and each look at the plan takes, as
/// measured. Nothing is done by one thread at a time that would keep the others waiting.
#[test]
fn sixty_four_threads() {
    let payload = payload(&ENTRIES.repeat(3)[..4096]);
    let time = |threads: usize, order: &Order, filter: Filter, shuffle: usize, chunks: usize| {
        // As many sources as the loader has for many files.
        let lanes = if *order == Order::Chunks { threads } else { 16 };
        let count = budget(64, 1024) * chunks;
        let lane = |lane: usize| {
            let chunks = (0..(count - lane).div_ceil(lanes)).map(|_| Step::Chunk(payload.clone()));
            let left = chunks.collect::<Vec<Step>>().into_iter();
            let source = Steps { left, number: 0, reads: Arc::default(), waits: false };
            Lane::new(Box::new(source), Weight::Bytes(1.0))
        };
        let order = order.clone();
        let loader = Loader { order, batch_size: 4096, shuffle, filter, ..Loader::new(Vec::new()) };
        let lanes = (0..lanes).map(lane).collect();
        let (loading, decoder) = Loading::new(&loader, lanes, threads);
        super::model::run(loading, decoder, &loader, threads)
    };
    let pieces = Some(PieceCounts::DEFAULT);
    let recipe = Filter { skip: 10.0 / 11.0, min_ply: 17, pieces, ..Filter::ALL };
    for order in [Order::Mixed, Order::Chunks] {
        for (filter, shuffle, chunks) in
            [(Filter::ALL, 0, 1), (Filter::ALL, 1 << 20, 1), (recipe, 1 << 16, 4)]
        {
            let [one, many] = [1, 64].map(|threads| time(threads, &order, filter, shuffle, chunks));
            let times = one.end as f64 / many.end as f64;
            let busy = many.plan as f64 / many.end as f64;
            println!(
                "{order:?}: 64 threads are {times:.1} times as fast, {busy:.2} of the time someone \
                 plans"
            );
            // With few chunks there is too little to do for so many threads.
            let least = budget(20, 50) as f64;
            assert!(times > least && busy < 0.5, "{order:?} {filter:?} {shuffle}: {times} {busy}");
        }
    }
}

/// One file with a bad chunk in the middle, many times.
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_failures() {
    let path: PathBuf = env::temp_dir().join(format!("setwise-loader-{}-bad", process::id()));
    let good = write(&ENTRIES);
    let end = bad(&ENTRIES[..500]);
    let header = [b"BINP".as_slice(), &(end.len() as u32).to_le_bytes()].concat();
    fs::write(&path, [good.repeat(3), header, end, good.repeat(9)].concat()).unwrap();
    let before = [ENTRIES.repeat(3), ENTRIES[..500].to_vec()].concat();
    for run in 0..10_000 {
        let threads = [2, 8, 3, 1][run % 4];
        let paths = vec![path.clone()];
        let loader = Loader { threads, batch_size: 100, ..Loader::new(paths) };
        expect(&mut loader.batches().unwrap(), &[&before], "chunk 4, byte ");
    }
    fs::remove_file(&path).unwrap();
}
