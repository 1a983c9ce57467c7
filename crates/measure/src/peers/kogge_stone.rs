//! Peer: Kogge-Stone fills in a plain loop, which the compiler vectorises for one instruction set.
//! (The kernel `kogge-stone` is such a loop for SSE2.)

use super::looped::looped;
use crate::contender::Contender;
use crate::operation::Operation;

/// The name of the build for AVX2, BMI1 and BMI2.
pub const AVX2: &str = "ks-avx2";
/// The name of the build for AVX-512 F, BW, VL and VBMI.
pub const AVX512: &str = "ks-avx512";

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// The wrap mask: the squares that a step by `shift` can reach without wrapping round the edge.
const fn reachable(shift: i32) -> u64 {
    match shift {
        1 | 9 | -7 => !A_FILE,
        -1 | -9 | 7 => !H_FILE,
        _ => !0,
    }
}

#[inline(always)]
const fn shifted(set: u64, by: i32) -> u64 {
    if by > 0 { set << by } else { set >> -by }
}

/// Fills a ray in three doubling steps, then steps onto the blocker.
#[inline(always)]
fn ray<const SHIFT: i32>(sliders: u64, empty: u64) -> u64 {
    let reachable = const { reachable(SHIFT) };
    let mut generators = sliders;
    let mut propagators = empty & reachable;
    generators |= propagators & shifted(generators, SHIFT);
    propagators &= shifted(propagators, SHIFT);
    generators |= propagators & shifted(generators, 2 * SHIFT);
    propagators &= shifted(propagators, 2 * SHIFT);
    generators |= propagators & shifted(generators, 4 * SHIFT);
    shifted(generators, SHIFT) & reachable
}

#[inline(always)]
fn rook(rooks: u64, empty: u64) -> u64 {
    ray::<8>(rooks, empty)
        | ray::<-8>(rooks, empty)
        | ray::<1>(rooks, empty)
        | ray::<-1>(rooks, empty)
}

#[inline(always)]
fn bishop(bishops: u64, empty: u64) -> u64 {
    ray::<9>(bishops, empty)
        | ray::<-9>(bishops, empty)
        | ray::<7>(bishops, empty)
        | ray::<-7>(bishops, empty)
}

/// One contender per build that this CPU can run. The build for the widest instruction set is last.
pub(super) fn contenders(operation: Operation) -> Vec<Contender> {
    // With a single set of sliders, their squares may count as empty. A ray that passes a slider
    // only adds squares that this slider attacks anyway.
    looped! { operation;
        [AVX2, "avx2", "bmi1", "bmi2"]
        [AVX512, "avx512f", "avx512bw", "avx512vl", "avx512vbmi", "bmi1", "bmi2"] => {
        rook_attacks(rooks, occupied) = rook(rooks, !occupied);
        bishop_attacks(bishops, occupied) = bishop(bishops, !occupied);
        queen_attacks(queens, occupied) = rook(queens, !occupied) | bishop(queens, !occupied);
        slider_attacks(orthogonal, diagonal, occupied) = {
            let empty = !(occupied | orthogonal | diagonal);
            rook(orthogonal, empty) | bishop(diagonal, empty)
        };
    } }
}
