//! The roof: reads what an operation reads, writes what it writes, and computes next to nothing.

use super::Operation;
use super::contender::{Computes, Contender};
use super::looped::{Looped, looped};

pub(crate) const NAME: &str = "copy-xor";

pub(super) fn contender(operation: Operation) -> Option<Contender> {
    // SAFETY: `stream` has detected the features of what it returns.
    let mut contender = unsafe { stream().contender(operation) }?;
    contender.computes = Computes::Xor;
    Some(contender)
}

/// In the widest registers that an x86-64 CPU of the last decade has.
fn stream() -> Looped {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return looped!(NAME, two, two, two, three, "avx2");
    }
    looped!(NAME, two, two, two, three)
}

#[inline(always)]
fn two(first: u64, second: u64) -> u64 {
    first ^ second
}

#[inline(always)]
fn three(first: u64, second: u64, third: u64) -> u64 {
    first ^ second ^ third
}
