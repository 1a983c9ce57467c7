//! Measures single boards and short batches: how long a call takes if the next call depends on it
//! (*latency*), if the calls are independent (*throughput*), and if the caches do not hold its
//! tables (*cold*).
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
use std::ops::Range;
use std::sync::atomic::{Ordering, compiler_fence};
use std::time::Duration;

use setwise::{Kernel, board};

use crate::clock::clocked;
use crate::machine::Machine;
use crate::one_board::Attacks;
use setwise_check::oracle;

/// The code for one call within a chain.
#[derive(Clone, Copy)]
pub(crate) enum Link {
    /// A kernel's function for batches.
    Batch(&'static Kernel),
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
/// The number of cold calls after each filling of the caches. They are few, so most table entries
/// that they read are not in the caches yet.
pub(crate) const COLD_CALLS: usize = 64;
/// The maximum number of boards per call.
pub(crate) const MOST: usize = 32;
/// The maximum number of bytes read to fill the caches.
const MOST_FILLED: usize = 64 << 20;

/// A chain of calls to one of the [main operations](crate::settings::MAIN). Each call computes
/// `boards` boards. `slider_attacks` gets the same set as orthogonal and as diagonal sliders.
pub(crate) struct Chain {
    operation: &'static str,
    /// The occupied squares of all boards of the first call, then of the second call, and so on.
    /// `masks` and `joined` are in the same order.
    occupied: Vec<u64>,
    masks: Vec<u64>,
    /// Sets of one square, which keep every board from running out of sliders.
    joined: Vec<u64>,
    /// The sliders for each call of the chain, if calls compute one board. Empty otherwise.
    sliders: Vec<u64>,
    boards: usize,
    /// The number of calls until the boards repeat.
    turns: usize,
}

/// Sets that start on a cache line. (On Zen 5, `avx512-gfni` takes 64 to 70 ns for 32 boards if vectors
/// cross cache lines, and 45 to 48 ns if not.)
#[repr(align(64))]
struct Aligned([u64; MOST]);

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
    pub(crate) fn new(operation: &'static str, boards: usize) -> Chain {
        let turns = BOARDS / boards;
        let mut rng = fastrand::Rng::with_seed(0xc4a1);
        let mut words = |word: fn(&mut fastrand::Rng) -> u64| -> Vec<u64> {
            (0..turns * boards).map(|_| word(&mut rng)).collect()
        };
        let mut chain = Chain {
            operation,
            occupied: words(|rng| rng.u64(..) & rng.u64(..)),
            masks: words(|rng| rng.u64(..) & rng.u64(..) & rng.u64(..) & rng.u64(..)),
            joined: words(|rng| 1 << rng.u32(..64)),
            sliders: Vec::new(),
            boards,
            turns,
        };
        if boards == 1 {
            let mut sliders = Vec::with_capacity(turns);
            let link = Link::Inlined;
            with_function!(chain, link, |call| chain.last_sliders(0, 0..turns, |s, o| {
                sliders.push(s);
                call(s, o)
            }));
            chain.sliders = sliders;
        }
        chain
    }

    /// The sliders after `calls` chained calls, of which the first uses the boards of call `start`.
    fn run(&self, link: Link, start: usize, calls: usize) -> Vec<u64> {
        let calls = start..start + calls;
        match (link, self.operation) {
            (Link::Batch(kernel), "rook_attacks") => {
                self.batch(calls, |s, o, a| kernel.rook_attacks(s, o, a))
            }
            (Link::Batch(kernel), "bishop_attacks") => {
                self.batch(calls, |s, o, a| kernel.bishop_attacks(s, o, a))
            }
            (Link::Batch(kernel), "queen_attacks") => {
                self.batch(calls, |s, o, a| kernel.queen_attacks(s, o, a))
            }
            (Link::Batch(kernel), "slider_attacks") => {
                self.batch(calls, |s, o, a| kernel.slider_attacks(s, s, o, a))
            }
            _ => with_function!(self, link, |call| {
                let last = |board| self.last_sliders(board, calls.clone(), call);
                (0..self.boards).map(last).collect()
            }),
        }
    }

    /// The index of the first board of each call. After `turns` calls, the boards repeat.
    #[inline(always)]
    fn firsts(&self, calls: Range<usize>) -> impl Iterator<Item = usize> + use<> {
        let (boards, end) = (self.boards, self.turns * self.boards);
        let mut next = calls.start % self.turns * boards;
        // This avoids a division per call, which would take longer than some kernels.
        calls.map(move |_| {
            let first = next;
            next = if first + boards == end { 0 } else { first + boards };
            first
        })
    }

    #[inline(always)]
    fn batch(&self, calls: Range<usize>, call: impl Fn(&[u64], &[u64], &mut [u64])) -> Vec<u64> {
        let (mut sliders, mut attacks) = (Aligned([1 << 27; MOST]), Aligned([0; MOST]));
        let (sliders, attacks) = (&mut sliders.0[..self.boards], &mut attacks.0[..self.boards]);
        for first in self.firsts(calls) {
            let boards = first..first + self.boards;
            call(sliders, &self.occupied[boards.clone()], attacks);
            let next = self.masks[boards.clone()].iter().zip(&self.joined[boards]);
            for ((slider, attacked), (mask, joined)) in sliders.iter_mut().zip(&*attacks).zip(next)
            {
                *slider = attacked.rotate_left(13) & mask | joined;
            }
        }
        sliders.to_vec()
    }

    /// The sliders of one board after these calls.
    #[inline(always)]
    fn last_sliders(
        &self,
        board: usize,
        calls: Range<usize>,
        mut call: impl FnMut(u64, u64) -> u64,
    ) -> u64 {
        let mut sliders: u64 = 1 << 27;
        for first in self.firsts(calls) {
            let i = first + board;
            let attacked = call(sliders, self.occupied[i]);
            sliders = attacked.rotate_left(13) & self.masks[i] | self.joined[i];
        }
        sliders
    }

    /// Makes `calls` independent calls of one board each, and returns the sum of their attacks.
    fn independent(&self, link: Link, start: usize, calls: usize) -> u64 {
        with_function!(self, link, |call| {
            let mut attacks: u64 = 0;
            for turn in start..start + calls {
                let turn = turn % BOARDS;
                attacks = call(self.sliders[turn], self.occupied[turn]).wrapping_add(attacks);
                // Keeps the compiler from computing several boards in a vector.
                compiler_fence(Ordering::SeqCst);
            }
            attacks
        })
    }

    /// Times `calls` chained calls, after calls that load code and tables into the caches. For
    /// tests, a wait lengthens this time by the fraction `slowed`.
    pub(crate) fn latency(&self, link: Link, calls: usize, slowed: f64) -> Duration {
        black_box(self.run(link, 0, self.turns));
        let start = fastrand::usize(..self.turns);
        clocked(slowed, || {
            black_box(black_box(self).run(black_box(link), start, calls));
        })
    }

    /// Like [`latency`](Chain::latency), but for independent calls of one board each.
    pub(crate) fn throughput(&self, link: Link, calls: usize, slowed: f64) -> Duration {
        black_box(self.independent(link, 0, self.turns));
        let start = fastrand::usize(..self.turns);
        clocked(slowed, || {
            black_box(black_box(self).independent(black_box(link), start, calls));
        })
    }

    /// Times [`COLD_CALLS`] chained calls for one board each, after reading other memory.
    pub(crate) fn cold(&self, link: Link, other: &OtherMemory, slowed: f64) -> Duration {
        other.read();
        let start = fastrand::usize(..self.turns);
        with_function!(self, link, |call| {
            // Load the code into the caches, with a call on another board.
            let turn = (start + self.turns / 2) % self.turns;
            black_box(self.last_sliders(0, turn..turn + 1, call));
            // Load the boards into the caches, without a call.
            black_box(self.last_sliders(0, start..start + COLD_CALLS, |s, o| s | o));
            clocked(slowed, || {
                black_box(self.last_sliders(0, start..start + COLD_CALLS, call));
            })
        })
    }

    /// Compares the sliders at the end of the chain with the oracle's. For functions on one board,
    /// also compares the attacks of independent calls.
    pub(crate) fn check(&self, link: Link) -> Result<(), String> {
        let calls = self.turns + 1;
        if matches!(link, Link::Empty) {
            return Ok(());
        }
        let wrong = |what: &str| {
            format!("a chain of {}, {} boards per call: wrong {what}", self.operation, self.boards)
        };
        if self.run(link, 0, calls) != self.run(Link::Oracle, 0, calls) {
            return Err(wrong("end"));
        }
        if self.boards == 1 && !matches!(link, Link::Batch(_)) {
            let all = |link| self.independent(link, 0, calls);
            if all(link) != all(Link::Oracle) {
                return Err(wrong("attacks of independent calls"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Link, OtherMemory};
    use crate::one_board;
    use crate::settings::MAIN;

    #[test]
    fn every_chain_ends_right() {
        for operation in MAIN {
            for boards in [1, 8, 31] {
                let chain = Chain::new(operation, boards);
                for kernel in setwise::Kernel::available() {
                    chain.check(Link::Batch(kernel)).unwrap();
                    chain.check(Link::One(kernel)).unwrap();
                }
                for (name, form) in one_board::forms(operation) {
                    chain.check(Link::Form(form)).unwrap_or_else(|e| panic!("{name}: {e}"));
                }
                chain.check(Link::Inlined).unwrap();
            }
        }
    }

    /// One wrong board in a chain is detected, even if later boards are right.
    #[test]
    fn a_wrong_board_is_found() {
        static WRONG: fn(u64, u64, u64) -> u64 =
            |s, _, o| setwise::board::rook_attacks(s, o) ^ u64::from(s == 1 << 5);
        let chain = Chain::new("rook_attacks", 1);
        assert!(chain.sliders.contains(&(1 << 5)));
        assert!(chain.check(Link::Form(&WRONG)).is_err());
    }

    /// Independent calls compute the boards of the chain.
    #[test]
    fn throughput_and_latency_have_the_same_sliders() {
        let chain = Chain::new("queen_attacks", 1);
        for calls in [1, 100, 16_000] {
            assert_eq!(chain.run(Link::Inlined, 0, calls)[0], chain.sliders[calls]);
        }
    }

    /// Even after 500 calls, about two sliders per board are left.
    #[test]
    fn a_chain_does_not_run_dry() {
        let chain = Chain::new("bishop_attacks", 1000);
        let sliders = chain.run(Link::Oracle, 0, 500);
        let count: u32 = sliders.iter().map(|set| set.count_ones()).sum();
        assert!((1200..3000).contains(&count), "{count}");
    }

    /// Cold look-ups wait for their tables, but computed attacks need none. Independent calls
    /// overlap.
    #[test]
    fn the_three_times_differ_as_they_should() {
        let chain = Chain::new("queen_attacks", 1);
        let memory = OtherMemory(vec![1; (32 << 20) / 8]);
        let form = |wanted: &str| {
            let forms = one_board::forms("queen_attacks");
            Link::Form(forms.into_iter().find(|(name, _)| *name == wanted).unwrap().1)
        };
        let links = ["techniques::magic", "techniques::kogge_stone"].map(form);
        let mut least = [[f64::MAX; 3]; 2];
        // Other programs only lengthen a sample, so more rounds bring the minima nearer to the
        // times of an idle machine.
        for round in 1.. {
            for (link, least) in links.into_iter().zip(&mut least) {
                let times = [
                    chain.latency(link, 6400, 0.0).as_secs_f64() / 6400.0,
                    chain.throughput(link, 6400, 0.0).as_secs_f64() / 6400.0,
                    chain.cold(link, &memory, 0.0).as_secs_f64() / 64.0,
                ];
                for (least, time) in least.iter_mut().zip(times) {
                    *least = least.min(time);
                }
            }
            let [magic, fills] = least;
            let cold_is_slower = magic[2] > 1.5 * magic[0];
            let tables_are_the_cause = magic[2] / magic[0] > 1.5 * fills[2] / fills[0];
            let independent_calls_overlap = fills[1] < fills[0];
            let holds = [cold_is_slower, tables_are_the_cause, independent_calls_overlap];
            if round >= 15 && holds == [true; 3] {
                break;
            }
            assert!(round < 300, "{holds:?} {magic:?} {fills:?}");
        }
    }
}
