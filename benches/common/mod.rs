//! What the benchmarks share: inputs, contenders, and the check that comes before every timing.

#![allow(dead_code, reason = "each benchmark uses its part")]

pub(crate) mod batch;
pub(crate) mod boards;
pub(crate) mod clock;
pub(crate) mod contender;
pub(crate) mod copy_xor;
#[cfg(target_arch = "x86_64")]
mod four_rays;
pub(crate) mod kogge_stone;
mod looped;
pub(crate) mod magic;
mod oracle;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pext;

use setwise::Direction;

/// An operation of the library, as something to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Rook,
    Bishop,
    Queen,
    Slider,
    Ray(Direction),
    Fill(Direction),
}

impl Operation {
    /// The four with several rays, which have peers.
    pub(crate) const ATTACKS: [Operation; 4] = [
        Operation::Rook,
        Operation::Bishop,
        Operation::Queen,
        Operation::Slider,
    ];

    pub(crate) fn name(self) -> String {
        match self {
            Operation::Rook => "rook".into(),
            Operation::Bishop => "bishop".into(),
            Operation::Queen => "queen".into(),
            Operation::Slider => "slider".into(),
            Operation::Ray(direction) => format!("ray-{direction:?}").to_lowercase(),
            Operation::Fill(direction) => format!("fill-{direction:?}").to_lowercase(),
        }
    }
}

/// Whether `cargo bench` started this process; otherwise (`cargo test --benches`) everything is
/// run once and checked, and nothing is timed.
pub(crate) fn timing_wanted() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
