//! Peer: Kogge-Stone as a plain loop, which the compiler vectorises for an instruction set.
//!
//! The same source is compiled once for what the benchmark is built for (SSE2 on x86-64) and once
//! for each further set.

use super::Operation;
use super::contender::Contender;
use super::looped::{Looped, looped};

/// The build for what the benchmark itself is compiled for.
pub(crate) const BASELINE: &str = "ks-baseline";
/// The build for AVX2, BMI1 and BMI2.
pub(crate) const AVX2: &str = "ks-avx2";
/// The build for AVX-512 F, BW, VL and VBMI.
pub(crate) const AVX512: &str = "ks-avx512";

const A_FILE: u64 = 0x0101_0101_0101_0101;
const H_FILE: u64 = A_FILE << 7;

/// The squares that a step by `shift` can reach without wrapping.
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

/// One ray in three doubling steps, then the step onto the blocker.
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

// Within one set the sliders need not be taken from the empty squares: they generate there anyway.

#[inline(always)]
fn rook(rooks: u64, occupied: u64) -> u64 {
    let empty = !occupied;
    ray::<8>(rooks, empty)
        | ray::<-8>(rooks, empty)
        | ray::<1>(rooks, empty)
        | ray::<-1>(rooks, empty)
}

#[inline(always)]
fn bishop(bishops: u64, occupied: u64) -> u64 {
    let empty = !occupied;
    ray::<9>(bishops, empty)
        | ray::<-9>(bishops, empty)
        | ray::<7>(bishops, empty)
        | ray::<-7>(bishops, empty)
}

#[inline(always)]
fn queen(queens: u64, occupied: u64) -> u64 {
    rook(queens, occupied) | bishop(queens, occupied)
}

#[inline(always)]
fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    rook(orthogonal, occupied) | bishop(diagonal, occupied)
}

/// The builds that this CPU can run, the one for its richest instruction set last.
fn runnable() -> Vec<Looped> {
    #[allow(unused_mut, reason = "only x86-64 has further builds")]
    let mut builds = vec![looped!(BASELINE, rook, bishop, queen, slider)];
    #[cfg(target_arch = "x86_64")]
    {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi");
        if avx2 {
            builds.push(looped!(AVX2, rook, bishop, queen, slider, "avx2,bmi1,bmi2"));
        }
        if avx2 && avx512 {
            builds.push(looped!(
                AVX512,
                rook,
                bishop,
                queen,
                slider,
                "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2"
            ));
        }
    }
    builds
}

/// The build for the instruction set of a kernel that needs these features.
pub(crate) fn build_for(needs: &[&str]) -> &'static str {
    if needs.iter().any(|feature| feature.starts_with("avx512")) {
        AVX512
    } else if needs.contains(&"avx2") {
        AVX2
    } else {
        BASELINE
    }
}

/// The build for all that this CPU has.
pub(crate) fn native() -> &'static str {
    runnable().last().map_or(BASELINE, |build| build.name)
}

/// One contender a build.
pub(super) fn builds(operation: Operation) -> Vec<Contender> {
    runnable()
        .iter()
        // SAFETY: `runnable` has detected the features of its builds.
        .filter_map(|build| unsafe { build.contender(operation) })
        .collect()
}
