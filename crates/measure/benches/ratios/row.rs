//! A measured ratio, and the names that tables and bounds use.

use serde::Serialize;

use setwise_measure::race::Ratio;

/// The compared operations, without their suffix `_attacks`.
pub(crate) const OPERATIONS: [&str; 4] = ["rook", "bishop", "queen", "slider"];

pub(crate) const IN_CACHE: &str = "4,096 boards";
/// Without a new order per iteration: branches become predictable.
pub(crate) const REPEATED: &str = "4,096 boards, always in the same order";
pub(crate) const SHORT: [(usize, &str); 3] = [
    (1, "1 board a call"),
    (8, "8 boards a call"),
    (31, "31 boards a call"),
];
pub(crate) const WHOLE_BLOCK: &str = "32 boards a call";
/// Misalignment of all buffers, in bytes.
pub(crate) const OFFSETS: [(usize, &str); 2] = [(8, "8 bytes off"), (16, "16 bytes off")];
pub(crate) const ALIGNED: &str = "aligned";
pub(crate) const IN_MEMORY: &str = "8 Mi boards";

/// The time of `contender` in `setting`, divided by that of `reference`: another contender in the
/// same setting, or the same contender in another setting.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) operation: &'static str,
    pub(crate) input: &'static str,
    pub(crate) contender: &'static str,
    pub(crate) setting: &'static str,
    pub(crate) reference: &'static str,
    pub(crate) ratio: Ratio,
}

/// The ratio with these names, in the order of [`Row`]'s fields.
pub(crate) fn find(rows: &[Row], names: [&str; 5]) -> Option<Ratio> {
    let is_it = |row: &&Row| {
        [
            row.operation,
            row.input,
            row.contender,
            row.setting,
            row.reference,
        ] == names
    };
    rows.iter().find(is_it).map(|row| row.ratio)
}
