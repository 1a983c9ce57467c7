//! Measures how many vector operations of each register width the core executes per nanosecond.
//! These rates are the ceilings of the report's roofline.

use serde::{Deserialize, Serialize};

/// The rate of independent bitwise operations on registers of one width.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ceiling {
    /// The width of the registers.
    pub bits: u16,
    /// Operations per nanosecond.
    pub operations_per_ns: f64,
}

/// Measures every register width of this CPU, the narrowest first. Implemented only on x86-64: the
/// list is empty elsewhere.
#[cfg(target_arch = "x86_64")]
pub(crate) fn ceilings() -> Vec<Ceiling> {
    // SAFETY: x86-64 includes SSE2. The other features are detected.
    let mut ceilings = vec![ceiling(128, || unsafe { x86::sse2() })];
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature is detected.
        ceilings.push(ceiling(256, || unsafe { x86::avx2() }));
    }
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the feature is detected.
        ceilings.push(ceiling(512, || unsafe { x86::avx512() }));
    }
    ceilings
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn ceilings() -> Vec<Ceiling> {
    Vec::new()
}

/// Measures the rate of operations in the fastest of many loops. They run for 20 ms, so that the
/// clock can settle at its frequency for this width.
#[cfg(target_arch = "x86_64")]
fn ceiling(bits: u16, run: impl Fn()) -> Ceiling {
    use std::time::{Duration, Instant};

    let (started, mut fastest) = (Instant::now(), Duration::MAX);
    while started.elapsed() < Duration::from_millis(20) {
        let chain = Instant::now();
        run();
        fastest = fastest.min(chain.elapsed());
    }
    let operations = f64::from(x86::PASSES * 48);
    Ceiling {
        bits,
        operations_per_ns: crate::number::round(operations / fastest.as_nanos() as f64),
    }
}

/// Loops of 48 operations in twelve independent chains, more chains than a core can overlap.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;

    /// The number of passes of a loop. They take about ten microseconds.
    pub(super) const PASSES: u32 = 600;

    macro_rules! loops {
        ($(
            $name:ident $feature:tt $end:tt:
            $one:tt $two:tt $three:tt $four:tt $five:tt $six:tt
            $seven:tt $eight:tt $nine:tt $ten:tt $eleven:tt $twelve:tt;
        )*) => { $(
            /// # Safety
            /// The CPU must have the feature.
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $name() {
                // SAFETY: the code changes only the registers that it lists.
                unsafe {
                    asm!(
                        "2:",
                        ".rept 4",
                        $one, $two, $three, $four, $five, $six,
                        $seven, $eight, $nine, $ten, $eleven, $twelve,
                        ".endr",
                        "dec {passes:e}",
                        "jnz 2b",
                        $end,
                        passes = inout(reg) PASSES => _,
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                        out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                        out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                        options(nomem, nostack),
                    );
                }
            }
        )* };
    }

    loops! {
        sse2 "sse2" "":
            "por xmm0, xmm15" "por xmm1, xmm15" "por xmm2, xmm15" "por xmm3, xmm15"
            "por xmm4, xmm15" "por xmm5, xmm15" "por xmm6, xmm15" "por xmm7, xmm15"
            "por xmm8, xmm15" "por xmm9, xmm15" "por xmm10, xmm15" "por xmm11, xmm15";
        avx2 "avx2" "vzeroupper":
            "vpor ymm0, ymm0, ymm15" "vpor ymm1, ymm1, ymm15" "vpor ymm2, ymm2, ymm15"
            "vpor ymm3, ymm3, ymm15" "vpor ymm4, ymm4, ymm15" "vpor ymm5, ymm5, ymm15"
            "vpor ymm6, ymm6, ymm15" "vpor ymm7, ymm7, ymm15" "vpor ymm8, ymm8, ymm15"
            "vpor ymm9, ymm9, ymm15" "vpor ymm10, ymm10, ymm15" "vpor ymm11, ymm11, ymm15";
        avx512 "avx512f" "vzeroupper":
            "vporq zmm0, zmm0, zmm15" "vporq zmm1, zmm1, zmm15" "vporq zmm2, zmm2, zmm15"
            "vporq zmm3, zmm3, zmm15" "vporq zmm4, zmm4, zmm15" "vporq zmm5, zmm5, zmm15"
            "vporq zmm6, zmm6, zmm15" "vporq zmm7, zmm7, zmm15" "vporq zmm8, zmm8, zmm15"
            "vporq zmm9, zmm9, zmm15" "vporq zmm10, zmm10, zmm15" "vporq zmm11, zmm11, zmm15";
    }
}
