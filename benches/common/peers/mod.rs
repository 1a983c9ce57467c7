//! Those that the kernels are compared with: each does some operations of the list, by name.

pub(crate) mod copy_xor;
#[cfg(target_arch = "x86_64")]
mod four_rays;
pub(crate) mod kogge_stone;
mod looped;
pub(crate) mod magic;
#[cfg(target_arch = "x86_64")]
mod pext;

use super::contender::Contender;
use super::operation::Operation;

/// What they do.
pub(crate) const OPERATIONS: [&str; 4] = [
    "rook_attacks",
    "bishop_attacks",
    "queen_attacks",
    "slider_attacks",
];

/// The peers that do `operation`, then the roof.
pub(crate) fn all(operation: Operation) -> Vec<Contender> {
    let mut peers = kogge_stone::contenders(operation);
    peers.extend(magic::contenders(operation));
    #[cfg(target_arch = "x86_64")]
    {
        peers.extend(pext::contenders(operation));
        peers.extend(four_rays::contenders(operation));
    }
    peers.extend(copy_xor::contender(operation));
    peers
}

/// The best of each kind for what memory bounds: Kogge-Stone, look-ups, the roof.
pub(crate) fn best(operation: Operation) -> Vec<Contender> {
    let names = [kogge_stone::native(), magic::NAME, copy_xor::NAME];
    let mut peers = all(operation);
    peers.retain(|peer| names.contains(&peer.name));
    peers
}
