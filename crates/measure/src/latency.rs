//! Measures single boards: how long a call takes if the next call depends on it (*latency*), if the
//! calls are independent (*throughput*), and if the caches do not hold its tables (*cold*).
//!
//! For latency, calls form a chain: the attacks of one call become the sliders of the next. Attacks
//! contain many squares. If all of them became sliders, kernels that work slider by slider would
//! see only full boards. So between two calls, the attacks are rotated by 13 bits, masked with
//! about four squares, and united with one square. That leaves about as many sliders as in real
//! positions. These three instructions are part of the measured time, so the chain is also timed
//! without a kernel.
//!
//! For throughput, the sliders of the same chain are computed beforehand and loaded from memory.
//!
//! Cold calls form short chains. Before each chain, the thread fills the caches by reading other
//! memory. Then one call, which is not timed, loads the code. So the entries of the tables come
//! from beyond the caches, as in a search that reads much other memory between two calls.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::atomic::{Ordering, compiler_fence};
use std::time::Duration;

use crate::clock::Meter;
use crate::contender::{self, Contender};
use crate::figures::{Figure, Kind, Section};
use crate::job::{Job, Setting, Wrong};
use crate::machine::Machine;
use crate::number::name;
use crate::operation::Operation;
use crate::race::{Length, Race};

/// The number of distinct boards in a chain: more than a branch predictor learns during one sample.
const BOARDS: usize = 16_384;
/// The calls per iteration: enough to make the start-up time negligible, and so few cold calls
/// after each filling of the caches that most table entries that they read are not there yet.
const CALLS: usize = 64;
/// The maximum number of bytes read to fill the caches.
const MOST_FILLED: usize = 64 << 20;

/// A chain of calls to one of the [main operations](crate::names::MAIN), each on one board.
/// `slider_attacks` gets the same set as orthogonal and as diagonal sliders.
pub(crate) struct Chain {
    operation: &'static str,
    /// The occupied squares of each call's board. `masks` and `joined` are in the same order.
    occupied: Vec<u64>,
    masks: Vec<u64>,
    /// Sets of one square, which keep every board from running out of sliders.
    joined: Vec<u64>,
    /// The sliders for each call of the chain, by the oracle.
    sliders: Vec<u64>,
    /// The sum of the attacks of all calls, by the oracle.
    sum: u64,
}

/// Memory that is read to evict look-up tables from the caches.
pub(crate) struct OtherMemory(Vec<u64>);

impl OtherMemory {
    /// Allocates twice the size of the last-level cache, but at most 64 MiB.
    pub(crate) fn new(machine: &Machine) -> OtherMemory {
        let bytes = machine.last_level().map_or(MOST_FILLED, |bytes| 2 * bytes);
        // Not filled with zeros, because the system could map all zero pages to one physical page.
        OtherMemory(vec![1; bytes.min(MOST_FILLED) / size_of::<u64>()])
    }

    /// Reads a word of every 64 bytes.
    fn read(&self) {
        black_box(self.0.iter().step_by(8).fold(0, |xor, word| xor ^ word));
    }
}

/// Some of a chain's calls: the first board, the number of calls, and whether each call depends on
/// the one before.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    start: usize,
    count: usize,
    dependent: bool,
}

impl Chain {
    /// Makes a chain through random boards.
    pub(crate) fn new(operation: &'static str) -> Chain {
        let mut rng = fastrand::Rng::with_seed(0xc4a1);
        let mut words = |word: fn(&mut fastrand::Rng) -> u64| -> Vec<u64> {
            (0..BOARDS).map(|_| word(&mut rng)).collect()
        };
        let mut chain = Chain {
            operation,
            occupied: words(|rng| rng.u64(..) & rng.u64(..)),
            masks: words(|rng| rng.u64(..) & rng.u64(..) & rng.u64(..) & rng.u64(..)),
            joined: words(|rng| 1 << rng.u32(..64)),
            sliders: Vec::new(),
            sum: 0,
        };
        let operation = Operation::named(operation).expect("an operation of the list");
        let (mut sliders, mut sum) = (Vec::with_capacity(BOARDS), 0_u64);
        chain.last_sliders(0, BOARDS, |s, o| {
            let inputs = [s, s, o];
            let inputs = inputs.into_iter().skip(3 - operation.inputs.len());
            let attacks = operation.answer(inputs)[0];
            sliders.push(s);
            sum = sum.wrapping_add(attacks);
            attacks
        });
        (chain.sliders, chain.sum) = (sliders, sum);
        chain
    }

    /// Makes calls of one board each. Returns the sliders after dependent calls, or the sum of the
    /// attacks of independent ones.
    #[inline(always)]
    pub(crate) fn run(&self, calls: Calls, call: impl Fn(u64, u64) -> u64) -> u64 {
        let Calls { start, count, dependent } = calls;
        if dependent {
            return self.last_sliders(start, count, call);
        }
        (start..start + count).fold(0, |sum: u64, i| {
            let i = i % BOARDS;
            let attacks = call(self.sliders[i], self.occupied[i]);
            // Keeps the compiler from computing several boards in a vector.
            compiler_fence(Ordering::SeqCst);
            sum.wrapping_add(attacks)
        })
    }

    /// The sliders after `calls` chained calls, of which the first uses board `start`.
    #[inline(always)]
    fn last_sliders(
        &self,
        start: usize,
        calls: usize,
        mut call: impl FnMut(u64, u64) -> u64,
    ) -> u64 {
        let mut sliders: u64 = 1 << 27;
        for i in start..start + calls {
            let i = i % BOARDS;
            let attacked = call(sliders, self.occupied[i]);
            sliders = attacked.rotate_left(13) & self.masks[i] | self.joined[i];
        }
        sliders
    }

    /// Times `count` calls, after calls that load code and tables into the caches.
    fn warm(&self, one: &OneBoard, dependent: bool, count: usize, meter: &mut Meter) -> Duration {
        black_box((one.code)(self, Calls { start: 0, count: BOARDS, dependent }));
        let start = fastrand::usize(..BOARDS);
        meter.measure(|| {
            black_box((black_box(one).code)(black_box(self), Calls { start, count, dependent }));
        })
    }

    /// Times [`CALLS`] chained calls, after reading other memory.
    fn cold(&self, one: &OneBoard, other: &OtherMemory, meter: &mut Meter) -> Duration {
        other.read();
        let start = fastrand::usize(..BOARDS);
        let calls = |start, count| Calls { start, count, dependent: true };
        // Load the code into the caches, with a call on another board.
        black_box((one.code)(self, calls(start + BOARDS / 2, 1)));
        // Load the boards into the caches, without a call.
        black_box(self.last_sliders(start, CALLS, |s, o| s | o));
        meter.measure(|| {
            black_box((one.code)(self, calls(start, CALLS)));
        })
    }

    /// Compares the sliders after half of the calls and after all with the oracle's, and also the
    /// attacks of independent calls.
    pub(crate) fn check(&self, one: &OneBoard) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{}, {}_one: wrong {what}", one.name, self.operation));
        for count in [BOARDS / 2, BOARDS - 1] {
            let calls = Calls { start: 0, count, dependent: true };
            if (one.code)(self, calls) != self.sliders[count] {
                return wrong("sliders at the end of a chain of calls");
            }
        }
        if (one.code)(self, Calls { start: 0, count: BOARDS, dependent: false }) != self.sum {
            return wrong("attacks of independent calls");
        }
        Ok(())
    }
}

/// A contender for one board, which makes some of a chain's calls.
pub(crate) type OneBoard = Contender<Rc<dyn Fn(&Chain, Calls) -> u64>>;

/// The contender that computes one board, from sliders and occupancy, with `call`. The calls of a
/// chain are a loop with this function inlined.
pub(crate) fn one_board(
    name: &'static str,
    kind: Kind,
    call: impl Fn(u64, u64) -> u64 + 'static,
) -> OneBoard {
    Contender::of(name, kind, Rc::new(move |chain: &Chain, calls| chain.run(calls, &call)))
}

/// A race of one of the sections for one board: latency, throughput or cold calls.
pub(crate) struct ChainJob {
    section: Section,
    chain: Rc<Chain>,
    contenders: Vec<OneBoard>,
    memory: Rc<OtherMemory>,
    race: Race,
}

impl ChainJob {
    pub(crate) fn new(
        section: Section,
        chain: Rc<Chain>,
        mut contenders: Vec<OneBoard>,
        memory: Rc<OtherMemory>,
    ) -> ChainJob {
        // The union of sliders and occupancy takes the place of the attacks.
        let alone = if section == Section::Throughput { "loop-alone" } else { "chain-alone" };
        contenders.push(one_board(alone, Kind::Roof, |s, o| s | o));
        ChainJob { section, chain, contenders, memory, race: Race::default() }
    }
}

impl Job for ChainJob {
    fn step(&self) -> String {
        format!("{}: {}_one", name(self.section), self.chain.operation)
    }

    fn check(&self) -> Vec<Wrong> {
        // All sections have the same contenders.
        let checked = self
            .contenders
            .iter()
            .filter(|one| self.section == Section::Latency && one.kind != Kind::Roof);
        checked.filter_map(|one| Some((one.name, self.chain.check(one).err()?))).collect()
    }

    fn remove(&mut self, names: &[&str]) {
        contender::remove(&mut self.contenders, names);
    }

    fn rounds(&mut self, meter: &mut Meter) {
        let quick = meter.quick;
        let sample = Duration::from_micros(if quick { 40 } else { 100 });
        let length = match self.section {
            // A sample has one iteration, because filling the caches takes milliseconds.
            Section::Cold => Length { rounds: if quick { 3 } else { 6 }, ..Length::ONCE },
            _ => Length { rounds: 3, sample },
        };
        let ChainJob { section, chain, contenders, memory, race } = self;
        race.measure(contenders.len(), (length, CALLS), meter, |i, iterations, meter| {
            if *section == Section::Cold {
                return (0..iterations).map(|_| chain.cold(&contenders[i], memory, meter)).sum();
            }
            let dependent = *section == Section::Latency;
            chain.warm(&contenders[i], dependent, CALLS * iterations as usize, meter)
        });
    }

    fn figures(&self) -> Vec<Figure> {
        let operation = format!("{}_one", self.chain.operation);
        let setting = Setting {
            section: self.section,
            bytes_a_board: Operation::named(&operation).map_or(0, Operation::bytes),
            operation,
            input: "random",
            boards_a_call: 1,
            boards: 1,
        };
        setting.figures(&self.contenders, (&self.race, CALLS))
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, one_board};
    use crate::figures::Kind;

    /// One wrong board in a chain is detected, even if later boards are right. A chain always has
    /// about two sliders.
    #[test]
    fn a_wrong_board_is_found() {
        let chain = Chain::new("rook_attacks");
        assert!(chain.sliders.contains(&(1 << 5)));
        let wrong = one_board("wrong", Kind::Form, |s, o| {
            setwise::board::rook_attacks(s, o) ^ u64::from(s == 1 << 5)
        });
        assert!(chain.check(&wrong).is_err());
        let count: u32 = chain.sliders.iter().map(|set| set.count_ones()).sum();
        let mean = f64::from(count) / chain.sliders.len() as f64;
        assert!((1.2..3.0).contains(&mean), "{mean}");
    }
}
