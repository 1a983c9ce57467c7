//! The kinds of contenders.

use serde::{Deserialize, Serialize};

/// The kind of a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Kind {
    /// A kernel of the catalogue.
    Kernel,
    /// A form of a technique: one function in `setwise::techniques`.
    Form,
    /// Code to compare with: a published crate, or a loop written for this benchmark.
    Peer,
    /// An upper bound for the speed: the same memory traffic or call chain, without computing
    /// attacks.
    Roof,
}
