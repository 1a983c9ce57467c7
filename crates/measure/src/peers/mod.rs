//! Peers: code to compare with. They are published crates, and loops written for this benchmark.
//! Each computes only a few operations.

#[cfg(target_arch = "x86_64")]
mod four_rays;
#[cfg(feature = "hermes")]
pub mod hermes;
pub mod kogge_stone;
mod looped;
pub mod magic;
#[cfg(target_arch = "x86_64")]
mod pext;

use crate::contender::Contender;
use crate::operation::Operation;

/// The operations that peers compute.
pub const OPERATIONS: [&str; 4] = crate::settings::MAIN;

/// The peers that compute `operation`.
#[must_use]
pub fn all(operation: Operation) -> Vec<Contender> {
    let mut peers = kogge_stone::contenders(operation);
    peers.extend(magic::contenders(operation));
    #[cfg(feature = "hermes")]
    peers.extend(hermes::contenders(operation));
    #[cfg(target_arch = "x86_64")]
    {
        peers.extend(pext::contenders(operation));
        peers.extend(four_rays::contenders(operation));
    }
    peers
}
