//! Peers: code to compare with. They are a published crate, and a loop written for this benchmark.
//! Each computes the [main operations](crate::names::MAIN).

pub mod look_ups;

use crate::buffers::for_windows;
use crate::contender::Contender;
use crate::figures::Kind;
use crate::operation::Operation;

/// The name of `cozy-chess`, which looks up the attacks of one slider at a time by magic
/// multiplication.
pub const MAGIC: &str = "cozy-magic";
/// The name of the Kogge-Stone loop that the compiler vectorises for AVX2. (The
/// kernel `kogge-stone` is such a loop for SSE2.)
pub const AVX2: &str = "ks-avx2";

/// The contender of an operation that computes board by board, from functions for a set of rooks
/// and a set of bishops. `None` if there is no such operation. The features must be detected.
macro_rules! looped {
    ($operation:ident, $name:expr, $features:tt, $peer:ident) => {
        looped! { @ $operation, $name, $features,
            rook_attacks(rooks, occupied) = $peer::rooks(rooks, occupied | rooks);
            bishop_attacks(bishops, occupied) = $peer::bishops(bishops, occupied | bishops);
            queen_attacks(queens, occupied) = $peer::queens(queens, occupied | queens);
            slider_attacks(orthogonal, diagonal, occupied) = {
                let occupied = occupied | orthogonal | diagonal;
                $peer::rooks(orthogonal, occupied) | $peer::bishops(diagonal, occupied)
            };
        }
    };
    (@ $operation:ident, $name:expr, $features:tt,
        $($function:ident($($set:ident),*) = $attacks:expr;)*
    ) => {
        match $operation.name {
            $(stringify!($function) => {
                #[cfg_attr(target_arch = "x86_64", target_feature(enable = $features))]
                #[allow(clippy::needless_range_loop, reason = "one loop for any number of inputs")]
                #[inline(never)]
                unsafe fn looped($($set: &[u64],)* attacks: &mut [u64]) {
                    let boards = attacks.len();
                    $(let $set = &$set[..boards];)*
                    for i in 0..boards {
                        $(let $set = $set[i];)*
                        attacks[i] = $attacks;
                    }
                }
                Some(Contender::new($name, Kind::Peer, |buffers| for_windows! {
                    buffers ($($set: u64),*) (attacks: u64)
                    // SAFETY: the features are detected.
                    unsafe { looped($($set,)* attacks) }
                }))
            })*
            _ => None,
        }
    };
}

/// The peers that compute `operation` on this CPU.
#[must_use]
pub fn all(operation: Operation) -> Vec<Contender> {
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut peers = vec![looped!(operation, MAGIC, "sse2", magic)];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            peers.push(looped!(operation, AVX2, "avx2", kogge_stone));
        }
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
            peers.push(looped!(operation, "ks-avx512", "avx512bw,avx512vl", kogge_stone));
        }
    }
    peers.into_iter().flatten().collect()
}

mod magic {
    use cozy_chess::{BitBoard, Square, get_bishop_moves, get_rook_moves};

    /// The union of the attacks of a set's pieces.
    #[inline(always)]
    pub(super) fn popped(set: u64, of_square: impl Fn(Square) -> BitBoard) -> u64 {
        BitBoard(set).into_iter().fold(0, |attacks, square| attacks | of_square(square).0)
    }

    #[inline(always)]
    pub(super) fn rooks(rooks: u64, occupied: u64) -> u64 {
        popped(rooks, |square| get_rook_moves(square, BitBoard(occupied)))
    }

    #[inline(always)]
    pub(super) fn bishops(bishops: u64, occupied: u64) -> u64 {
        popped(bishops, |square| get_bishop_moves(square, BitBoard(occupied)))
    }

    #[inline(always)]
    pub(super) fn queens(queens: u64, occupied: u64) -> u64 {
        let occupied = BitBoard(occupied);
        popped(queens, |square| {
            get_rook_moves(square, occupied) | get_bishop_moves(square, occupied)
        })
    }
}

/// Kogge-Stone fills in plain 64-bit code.
#[cfg(target_arch = "x86_64")]
mod kogge_stone {
    use setwise::Direction;
    use setwise::techniques::kogge_stone::attacks;

    use crate::one_board::rays;

    #[inline(always)]
    pub(super) fn rooks(rooks: u64, occupied: u64) -> u64 {
        rays(Direction::ORTHOGONAL, |ray| attacks(ray, rooks, occupied))
    }

    #[inline(always)]
    pub(super) fn bishops(bishops: u64, occupied: u64) -> u64 {
        rays(Direction::DIAGONAL, |ray| attacks(ray, bishops, occupied))
    }

    #[inline(always)]
    pub(super) fn queens(queens: u64, occupied: u64) -> u64 {
        rooks(queens, occupied) | bishops(queens, occupied)
    }
}
