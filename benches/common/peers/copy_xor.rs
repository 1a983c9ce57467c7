//! The roof: reads what an operation reads, writes what it writes, and computes next to nothing.

use super::looped::looped;
use crate::common::batch::Computes;
use crate::common::contender::Contender;
use crate::common::operation::Operation;

pub(crate) const NAME: &str = "copy-xor";

/// In the widest registers that an x86-64 CPU of the last decade has.
pub(super) fn contender(operation: Operation) -> Option<Contender> {
    let builds: Vec<Contender> = looped! { operation; [NAME] [NAME, "avx2"] => {
        rook_attacks(a, b) = a ^ b;
        bishop_attacks(a, b) = a ^ b;
        queen_attacks(a, b) = a ^ b;
        slider_attacks(a, b, c) = a ^ b ^ c;
    } };
    let mut widest = builds.into_iter().last()?;
    widest.computes = Computes::Xor;
    Some(widest)
}
