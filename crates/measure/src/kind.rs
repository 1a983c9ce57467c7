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
    /// A published crate or a compiler-made loop.
    Peer,
    /// An upper bound: the same memory traffic or call chain, without computing attacks.
    Roof,
}
