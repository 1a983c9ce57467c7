//! AVX2: 32 boards in rank slices.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    hyperbola::four_squares,
    sliced_squares::Lines,
    sse2::Sse2,
    x86::{file_of_square_ymm, ymm_lanes},
};

#[cfg(target_arch = "x86_64")]
ymm_lanes!(
    Avx2,
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { file_of_square_ymm(self.0) })
    };
    /// In slices if the rank is among the lines, else by Hyperbola Quintessence on four squares at a time,
    /// whichever was faster: against magic look-ups, bishops have 1.6 times the throughput, and had 1.1 to 1.3 in slices;
    /// rooks and queens have 1.9 and 2.0 in slices (`tests/single_square.rs` prints it).
    #[inline(always)]
    unsafe fn attacks_from<Op: Lines>(squares: *const u8, occupied: [Self; 8]) -> [Self; 8] {
        // SAFETY: the caller's contract.
        unsafe {
            if Op::RANK {
                return Op::sliced(Self::slice_bytes(squares), occupied);
            }
            let mut attacks = occupied;
            for v in 0..8 {
                attacks[v] = Self(four_squares::attacks::<Op>(squares.add(4 * v), occupied[v].0));
            }
            attacks
        }
    }
);

shells::rank_sliced! {
    name: c"avx2",
    technique: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb), Kogge-Stone westward",
    on: target_arch = "x86_64",
    features: ["avx2"],
    wide: Avx2, narrow: Sse2, one: super::super::borrow::TABLE,
}
