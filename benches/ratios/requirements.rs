//! The bounds that the kernels must keep.

use serde::Serialize;

use crate::common::{copy_xor, kogge_stone, magic};
use crate::measure::{IN_CACHE, IN_MEMORY, REPEATED, Row, SHORT, WHOLE_BLOCK};
use crate::race::Ratio;

/// A bound is missed if the median is beyond it by more than this factor; the machine is noisy.
const ALLOWANCE: f64 = 1.10;

/// One line: a ratio on random boards and the most that it may be.
struct Requirement {
    kernel: &'static str,
    operation: &'static str,
    setting: &'static str,
    reference: &'static str,
    bound: f64,
}

const OPERATIONS: [&str; 4] = ["rook", "bishop", "queen", "slider"];

/// Kernel, reference, and the bounds for rook, bishop, queen and slider, where there are.
type InCache = (&'static str, &'static str, [Option<f64>; 4]);

const IN_CACHE_BOUNDS: [InCache; 4] = [
    (
        "avx2",
        kogge_stone::AVX2,
        [Some(0.68), Some(0.55), Some(0.47), Some(0.51)],
    ),
    (
        "sse2",
        kogge_stone::BASELINE,
        [Some(0.70), Some(0.58), Some(0.48), Some(0.53)],
    ),
    (
        "avx2",
        magic::NAME,
        [Some(0.28), Some(0.28), Some(0.24), None],
    ),
    (
        "scalar",
        kogge_stone::BASELINE,
        [Some(1.0), None, Some(0.70), None],
    ),
];

const EIGHT_BOARDS: &str = SHORT[1].1;
const THIRTY_ONE_BOARDS: &str = SHORT[2].1;

fn all() -> Vec<Requirement> {
    let mut all = Vec::new();
    for (kernel, reference, bounds) in IN_CACHE_BOUNDS {
        // Look-ups profit from branches known by heart: they are judged with and without.
        let settings: &[_] = match reference {
            magic::NAME => &[IN_CACHE, REPEATED],
            _ => &[IN_CACHE],
        };
        for setting in settings {
            for (operation, bound) in OPERATIONS.into_iter().zip(bounds) {
                all.extend(bound.map(|bound| Requirement {
                    kernel,
                    operation,
                    setting,
                    reference,
                    bound,
                }));
            }
        }
    }
    for (setting, bound) in [(THIRTY_ONE_BOARDS, 1.3), (EIGHT_BOARDS, 0.65)] {
        all.extend(OPERATIONS.map(|operation| Requirement {
            kernel: "avx2",
            operation,
            setting,
            reference: WHOLE_BLOCK,
            bound,
        }));
    }
    all.push(Requirement {
        kernel: "avx2",
        operation: "queen",
        setting: IN_MEMORY,
        reference: copy_xor::NAME,
        bound: 1.7,
    });
    all
}

/// Whether a requirement is about this kernel in this setting.
pub(crate) fn names(kernel: &str, setting: &str) -> bool {
    all()
        .iter()
        .any(|requirement| requirement.kernel == kernel && requirement.setting == setting)
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Ok,
    /// Beyond the bound, but not by more than the allowance.
    WithinNoise,
    Missed,
    /// The kernel or its reference cannot run here.
    NotRun,
}

/// A requirement and what was measured.
#[derive(Serialize)]
pub(crate) struct Judged {
    pub(crate) requirement: String,
    pub(crate) ratio: Option<Ratio>,
    pub(crate) bound: f64,
    pub(crate) verdict: Verdict,
}

/// Looks the requirements up among the measured ratios.
pub(crate) fn judge(rows: &[Row]) -> Vec<Judged> {
    all()
        .into_iter()
        .map(|required| {
            let row = rows.iter().find(|row| {
                row.input == "random"
                    && row.contender == required.kernel
                    && row.operation == required.operation
                    && row.setting == required.setting
                    && row.reference == required.reference
            });
            let verdict = match row.map(|row| row.ratio.median) {
                None => Verdict::NotRun,
                Some(median) if median <= required.bound => Verdict::Ok,
                Some(median) if median <= required.bound * ALLOWANCE => Verdict::WithinNoise,
                Some(_) => Verdict::Missed,
            };
            Judged {
                requirement: format!(
                    "{} {}, {}, against {}",
                    required.kernel, required.operation, required.setting, required.reference
                ),
                ratio: row.map(|row| row.ratio),
                bound: required.bound,
                verdict,
            }
        })
        .collect()
}
