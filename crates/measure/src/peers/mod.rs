//! Peers: code to compare with. They are published crates, and a loop written for this benchmark.
//! Each computes only a few operations.

#[cfg(feature = "hermes")]
pub mod hermes;
pub mod kogge_stone;
mod looped;
pub mod magic;

use crate::contender::Contender;
use crate::operation::Operation;

/// The peers that compute `operation`: one of the [main ones](crate::settings::MAIN).
#[must_use]
pub fn all(operation: Operation) -> Vec<Contender> {
    let mut peers = kogge_stone::contenders(operation);
    peers.extend(magic::contenders(operation));
    #[cfg(feature = "hermes")]
    peers.extend(hermes::contenders(operation));
    peers
}
