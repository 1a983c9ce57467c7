//! Upper bounds for the kernels' times on random boards, as ratios to a reference.

use serde::Serialize;
use setwise_measure::copy_xor;
use setwise_measure::peers::kogge_stone::{AVX2, BASELINE};
use setwise_measure::peers::magic;
use setwise_measure::race::Ratio;
use setwise_measure::settings::MAIN;

use crate::measure::{IN_CACHE, IN_MEMORY, REPEATED, Row, SHORT, WHOLE_BLOCK};

/// The allowance for noise. A bound is missed if the median ratio exceeds it by more than this
/// factor.
const ALLOWANCE: f64 = 1.10;
/// Marks an operation without a bound.
const NONE: f64 = f64::INFINITY;

const EIGHT_BOARDS: &str = SHORT[1].1;
const THIRTY_ONE_BOARDS: &str = SHORT[2].1;

/// A kernel, a setting, the reference, and the maximum ratio for each main operation (rooks,
/// bishops, queens, sliders).
type Bounds = (&'static str, &'static str, &'static str, [f64; 4]);

const BOUNDS: [Bounds; 8] = [
    ("avx2", IN_CACHE, AVX2, [0.68, 0.55, 0.47, 0.51]),
    ("sse2", IN_CACHE, BASELINE, [0.70, 0.58, 0.48, 0.53]),
    // A fixed order of boards makes branches predictable, which favours look-ups. So new and
    // repeated orders are both judged.
    ("avx2", IN_CACHE, magic::NAME, [0.28, 0.28, 0.24, NONE]),
    ("avx2", REPEATED, magic::NAME, [0.28, 0.28, 0.24, NONE]),
    ("scalar", IN_CACHE, BASELINE, [1.0, NONE, 0.70, NONE]),
    ("avx2", THIRTY_ONE_BOARDS, WHOLE_BLOCK, [1.3; 4]),
    ("avx2", EIGHT_BOARDS, WHOLE_BLOCK, [0.65; 4]),
    ("avx2", IN_MEMORY, copy_xor::NAME, [NONE, NONE, 1.7, NONE]),
];

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Ok,
    /// The ratio exceeds the bound, but is within the allowance.
    WithinNoise,
    Missed,
    /// The kernel or its reference is not available here.
    NotRun,
}

/// A bound and the measured ratio.
#[derive(Serialize)]
pub(crate) struct Judged {
    pub(crate) requirement: String,
    pub(crate) ratio: Option<Ratio>,
    pub(crate) bound: f64,
    pub(crate) verdict: Verdict,
}

/// Compares the measured ratios with the bounds.
pub(crate) fn judge(rows: &[Row]) -> Vec<Judged> {
    let mut all = Vec::new();
    for (kernel, setting, reference, bounds) in BOUNDS {
        for (operation, bound) in MAIN.into_iter().zip(bounds).filter(|(_, bound)| *bound < NONE) {
            let row = rows.iter().find(|row| {
                [row.operation, row.input, row.contender, row.setting, row.reference]
                    == [operation, "random", kernel, setting, reference]
            });
            let ratio = row.map(|row| row.ratio);
            let verdict = match ratio.map(|ratio| ratio.median) {
                None => Verdict::NotRun,
                Some(median) if median <= bound => Verdict::Ok,
                Some(median) if median <= bound * ALLOWANCE => Verdict::WithinNoise,
                Some(_) => Verdict::Missed,
            };
            let requirement = format!("{kernel} {operation}, {setting}, against {reference}");
            all.push(Judged { requirement, ratio, bound, verdict });
        }
    }
    all
}
