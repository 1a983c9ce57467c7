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

use setwise::{Kernel, board};

use crate::clock::clocked;
use crate::contender::Kind;
use crate::counters::Counters;
use crate::figures::{Figure, Section, Setting, name};
use crate::machine::Machine;
use crate::one_board::{Attacks, Named};
use crate::operation::Operation;
use crate::plan::{Job, Wrong};
use crate::race::{Length, Race};
use crate::settings::BASELINE;
use setwise_check::oracle;

/// The code for one call within a chain.
#[derive(Clone, Copy)]
pub(crate) enum Link {
    /// A kernel's function for one board by value.
    One(&'static Kernel),
    /// A technique's form for one board by value.
    Form(&'static Attacks),
    /// A function of `setwise::board`, inlined and without dispatch.
    Inlined,
    /// No kernel. The union of sliders and occupancy takes the place of the attacks.
    Empty,
    /// The oracle, which computes the expected result.
    Oracle,
}

/// The number of distinct boards in a chain: more than a branch predictor learns during one sample.
const BOARDS: usize = 16_384;
/// The calls per iteration of a race for latency or throughput: enough to make the start-up time
/// negligible.
const CALLS: usize = 64;
/// The number of cold calls after each filling of the caches. They are few, so most table entries
/// that they read are not in the caches yet.
const COLD_CALLS: usize = 64;
/// The maximum number of bytes read to fill the caches.
const MOST_FILLED: usize = 64 << 20;

/// A chain of calls to one of the [main operations](crate::settings::MAIN), each on one board.
/// `slider_attacks` gets the same set as orthogonal and as diagonal sliders.
pub(crate) struct Chain {
    operation: &'static str,
    /// The occupied squares of each call's board. `masks` and `joined` are in the same order.
    occupied: Vec<u64>,
    masks: Vec<u64>,
    /// Sets of one square, which keep every board from running out of sliders.
    joined: Vec<u64>,
    /// The sliders for each call of the chain.
    sliders: Vec<u64>,
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

/// Evaluates `$run`, in which `$call` is the link's function for one board.
macro_rules! with_function {
    ($self:ident, $link:ident, |$call:ident| $run:expr) => {{
        macro_rules! run {
            ($function:expr) => {{
                let $call = $function;
                $run
            }};
        }
        match ($link, $self.operation) {
            (Link::One(kernel), "rook_attacks") => run!(|s, o| kernel.rook_attacks_one(s, o)),
            (Link::One(kernel), "bishop_attacks") => run!(|s, o| kernel.bishop_attacks_one(s, o)),
            (Link::One(kernel), "queen_attacks") => run!(|s, o| kernel.queen_attacks_one(s, o)),
            (Link::One(kernel), "slider_attacks") => {
                run!(|s, o| kernel.slider_attacks_one(s, s, o))
            }
            (Link::Form(form), _) => run!(|s, o| form(s, s, o)),
            (Link::Inlined, "rook_attacks") => run!(board::rook_attacks),
            (Link::Inlined, "bishop_attacks") => run!(board::bishop_attacks),
            (Link::Inlined, "queen_attacks") => run!(board::queen_attacks),
            (Link::Inlined, "slider_attacks") => run!(|s, o| board::slider_attacks(s, s, o)),
            (Link::Empty, _) => run!(|s, o| s | o),
            (Link::Oracle, "rook_attacks") => run!(oracle::rook_attacks),
            (Link::Oracle, "bishop_attacks") => run!(oracle::bishop_attacks),
            (Link::Oracle, "queen_attacks") => run!(oracle::queen_attacks),
            (Link::Oracle, "slider_attacks") => run!(|s, o| oracle::slider_attacks(s, s, o)),
            (_, operation) => unreachable!("no function for one board of {operation}"),
        }
    }};
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
        };
        let mut sliders = Vec::with_capacity(BOARDS);
        let link = Link::Inlined;
        with_function!(chain, link, |call| chain.last_sliders(0, BOARDS, |s, o| {
            sliders.push(s);
            call(s, o)
        }));
        chain.sliders = sliders;
        chain
    }

    /// The sliders after `calls` chained calls, of which the first uses board `start`.
    fn run(&self, link: Link, start: usize, calls: usize) -> u64 {
        with_function!(self, link, |call| self.last_sliders(start, calls, call))
    }

    /// Like [`run`](Chain::run), with the link's function.
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

    /// Makes `calls` independent calls of one board each, and returns the sum of their attacks.
    fn independent(&self, link: Link, start: usize, calls: usize) -> u64 {
        with_function!(self, link, |call| {
            let mut attacks: u64 = 0;
            for i in start..start + calls {
                let i = i % BOARDS;
                attacks = call(self.sliders[i], self.occupied[i]).wrapping_add(attacks);
                // Keeps the compiler from computing several boards in a vector.
                compiler_fence(Ordering::SeqCst);
            }
            attacks
        })
    }

    /// Times `calls` chained calls, after calls that load code and tables into the caches.
    fn latency(&self, link: Link, calls: usize) -> Duration {
        black_box(self.run(link, 0, BOARDS));
        let start = fastrand::usize(..BOARDS);
        clocked(|| {
            black_box(black_box(self).run(black_box(link), start, calls));
        })
    }

    /// Like [`latency`](Chain::latency), but for independent calls.
    fn throughput(&self, link: Link, calls: usize) -> Duration {
        black_box(self.independent(link, 0, BOARDS));
        let start = fastrand::usize(..BOARDS);
        clocked(|| {
            black_box(black_box(self).independent(black_box(link), start, calls));
        })
    }

    /// Times [`COLD_CALLS`] chained calls, after reading other memory.
    fn cold(&self, link: Link, other: &OtherMemory) -> Duration {
        other.read();
        let start = fastrand::usize(..BOARDS);
        with_function!(self, link, |call| {
            // Load the code into the caches, with a call on another board.
            black_box(self.last_sliders(start + BOARDS / 2, 1, call));
            // Load the boards into the caches, without a call.
            black_box(self.last_sliders(start, COLD_CALLS, |s, o| s | o));
            clocked(|| {
                black_box(self.last_sliders(start, COLD_CALLS, call));
            })
        })
    }

    /// Compares the sliders at the end of the chain with the oracle's, and also the attacks of
    /// independent calls.
    fn check(&self, link: Link) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{}_one: wrong {what}", self.operation));
        if matches!(link, Link::Empty) {
            return Ok(());
        }
        let sum = |calls: &Chain, link| calls.independent(link, 0, BOARDS);
        if self.run(link, 0, BOARDS + 1) != self.run(Link::Oracle, 0, BOARDS + 1) {
            return wrong("sliders at the end of a chain of calls");
        }
        if sum(self, link) != sum(self, Link::Oracle) {
            return wrong("attacks of independent calls");
        }
        Ok(())
    }
}

/// A race of one of the sections for one board: latency, throughput or cold calls.
pub(crate) struct ChainJob {
    section: Section,
    chain: Rc<Chain>,
    links: Vec<Named>,
    memory: Rc<OtherMemory>,
    race: Race,
}

impl ChainJob {
    pub(crate) fn new(
        section: Section,
        chain: Rc<Chain>,
        mut links: Vec<Named>,
        memory: Rc<OtherMemory>,
    ) -> ChainJob {
        let alone = if section == Section::Throughput { "loop-alone" } else { "chain-alone" };
        links.push(Named::new(alone, Kind::Roof, Link::Empty));
        ChainJob { section, chain, links, memory, race: Race::default() }
    }
}

impl Job for ChainJob {
    fn step(&self) -> String {
        format!("{}: {}_one", name(self.section), self.chain.operation)
    }

    fn check(&self) -> Vec<Wrong> {
        // All sections have the same links.
        if self.section != Section::Latency {
            return Vec::new();
        }
        let wrong = |one: &Named| {
            let error = self.chain.check(one.link).err()?;
            Some((one.name, format!("{}, {error}", one.name)))
        };
        self.links.iter().filter_map(wrong).collect()
    }

    fn remove(&mut self, names: &[&str]) {
        self.links.retain(|one| !names.contains(&one.name));
        for one in &mut self.links {
            one.shared_by.retain(|name| !names.contains(name));
        }
    }

    fn rounds(&mut self, quick: bool) {
        let sample = Duration::from_micros(if quick { 40 } else { 100 });
        let length = match self.section {
            // A sample has one iteration, because filling the caches takes milliseconds.
            Section::Cold => Length { rounds: if quick { 3 } else { 6 }, ..Length::ONCE },
            _ => Length { rounds: 3, sample },
        };
        let ChainJob { section, chain, links, memory, race } = self;
        race.continue_for(links.len(), length, |i, iterations| {
            let (link, calls) = (links[i].link, CALLS * iterations as usize);
            match section {
                Section::Cold => (0..iterations).map(|_| chain.cold(link, memory)).sum(),
                Section::Throughput => chain.throughput(link, calls),
                _ => chain.latency(link, calls),
            }
        });
    }

    fn figures(&self, _: Option<&mut Counters>) -> Vec<Figure> {
        let operation = format!("{}_one", self.chain.operation);
        let setting = Setting {
            section: self.section,
            bytes_a_board: Operation::named(&operation).map_or(0, Operation::bytes),
            operation,
            input: "random",
            boards_a_call: 1,
            boards: 1,
        };
        let scalar = self.links.iter().position(|one| one.name == BASELINE);
        let calls = if self.section == Section::Cold { COLD_CALLS } else { CALLS };
        let figure = |(i, one): (usize, &Named)| {
            let to_scalar = scalar.filter(|_| one.kind != Kind::Roof);
            Figure {
                to_scalar: to_scalar.map(|to| self.race.times.ratio(i, to)),
                shared_by: one.shared_by.iter().map(ToString::to_string).collect(),
                ..Figure::new(&setting, (one.name, one.kind), (&self.race.times, i, calls))
            }
        };
        self.links.iter().enumerate().map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Link};
    use crate::one_board;
    use crate::settings::MAIN;

    #[test]
    fn every_chain_ends_right() {
        for operation in MAIN {
            let chain = Chain::new(operation);
            let kernels = setwise::Kernel::available().map(|kernel| (kernel, Vec::new())).collect();
            for one in one_board::links(operation, kernels) {
                chain.check(one.link).unwrap_or_else(|error| panic!("{}: {error}", one.name));
            }
        }
    }

    /// One wrong board in a chain is detected, even if later boards are right.
    #[test]
    fn a_wrong_board_is_found() {
        static WRONG: fn(u64, u64, u64) -> u64 =
            |s, _, o| setwise::board::rook_attacks(s, o) ^ u64::from(s == 1 << 5);
        let chain = Chain::new("rook_attacks");
        assert!(chain.sliders.contains(&(1 << 5)));
        assert!(chain.check(Link::Form(&WRONG)).is_err());
    }

    /// Independent calls compute the boards of the chain, which always has about two sliders.
    #[test]
    fn throughput_and_latency_have_the_same_sliders() {
        let chain = Chain::new("bishop_attacks");
        for calls in [1, 100, 16_000] {
            assert_eq!(chain.run(Link::Inlined, 0, calls), chain.sliders[calls]);
        }
        let count: u32 = chain.sliders.iter().map(|set| set.count_ones()).sum();
        let mean = f64::from(count) / chain.sliders.len() as f64;
        assert!((1.2..3.0).contains(&mean), "{mean}");
    }
}
