//! One board: by an instruction set's own form where that is faster, else by the code that every CPU has, of which all kernels
//! share one copy.
//!
//! Two things count: how many boards a second (*throughput*), and how long one takes that the next waits for (*latency*). A search has
//! both. `docs/performance.md` has the figures by which each kernel's forms were chosen.

use super::operation::{Operation, Sliders};
use super::technique::{Borrow, Technique};

/// The forms of an instruction set for one board.
pub(crate) trait OneBoard {
    /// Computes [`rook`](Technique::rook), [`bishop`](Technique::bishop) and [`slider`](Technique::slider).
    type Rays: Technique<u64>;
    /// Whether rooks alone are computed so.
    const ROOK: bool;
    /// Whether bishops alone are.
    const BISHOP: bool;
    /// Whether all eight rays are.
    const SLIDER: bool;
}

/// No form of its own.
pub(crate) struct Shared;

impl OneBoard for Shared {
    type Rays = Borrow;
    const ROOK: bool = false;
    const BISHOP: bool = false;
    const SLIDER: bool = false;
}

/// Whether an operation has a form of the instruction set's own.
pub(crate) const fn owns<One: OneBoard, Op: Operation<N, 1>, const N: usize>(_op: Op) -> bool {
    match Op::ATTACKS {
        Some(Sliders { diagonal: None, .. }) => One::ROOK,
        Some(Sliders {
            orthogonal: None, ..
        }) => One::BISHOP,
        Some(_) => One::SLIDER,
        None => false,
    }
}

/// # Safety
/// The CPU has what the forms need.
#[inline(always)]
pub(crate) unsafe fn own<One: OneBoard, Op: Operation<N, 1>, const N: usize>(
    op: Op,
    sets: [u64; N],
) -> u64 {
    let [attacks] = op.boards::<u64, One::Rays>(sets);
    attacks
}

/// Attacks of one set on one board by the shared code, and of two.
macro_rules! shared {
    ($($name:ident: $N:literal ($($set:ident)*);)*) => { $(
        pub(crate) extern "C" fn $name<Op: Operation<$N, 1> + Default>($($set: u64),*) -> u64 {
            let [attacks] = Op::default().boards::<u64, Borrow>([$($set),*]);
            attacks
        }
    )* };
}
shared! {
    of_two: 2 (sliders occupied);
    of_three: 3 (orthogonal diagonal occupied);
}
