//! What the benchmarks share, each module above those that it uses: [`column`] and [`oracle`], [`operation`], [`boards`], [`batch`],
//! [`contender`], [`peers`], [`clock`].

#![allow(dead_code, reason = "each benchmark uses its part")]

pub(crate) mod batch;
pub(crate) mod boards;
pub(crate) mod clock;
mod column;
pub(crate) mod contender;
pub(crate) mod operation;
mod oracle;
pub(crate) mod peers;

/// Whether `cargo bench` started this process; otherwise (`cargo test --benches`) everything is
/// run once and checked, and nothing is timed.
pub(crate) fn timing_wanted() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}
