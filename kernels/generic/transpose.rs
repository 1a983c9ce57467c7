//! Slicing and unslicing: an 8x8 transposition of bytes.
//!
//! In a block of eight vectors, the index of a byte has the seven bits `vvv bbbb` (v: vector, b:
//! byte within a 16-byte lane). Interleaving vectors i and i+4 into 2i and 2i+1 rotates these bits
//! left by one. A loaded block has the indices `vvv nrrr` (n: which of the two boards of a lane, r:
//! rank). Four rotations turn them into `rrr vvvn`, the indices of rank slices. Three more
//! rotations complete the cycle of seven and restore the boards. Deinterleaving rotates to the
//! right, so three deinterleaving steps also slice.

/// Registers that can interleave the bytes of two vectors.
pub(crate) trait Interleave: Copy {
    /// Within each 16-byte lane, interleaves the low halves (`punpcklbw`) and the high halves.
    fn interleave(self, other: Self) -> (Self, Self);
}

/// Registers that can also deinterleave.
pub(crate) trait Deinterleave: Interleave {
    /// Within each 16-byte lane, collects the even bytes of both vectors, and the odd bytes.
    fn deinterleave(self, other: Self) -> (Self, Self);
}

#[inline(always)]
pub(crate) fn slice_by_interleaving<L: Interleave>(boards: [L; 8]) -> [L; 8] {
    perfect_shuffle(perfect_shuffle(perfect_shuffle(perfect_shuffle(boards))))
}

#[inline(always)]
pub(crate) fn unslice_by_interleaving<L: Interleave>(ranks: [L; 8]) -> [L; 8] {
    perfect_shuffle(perfect_shuffle(perfect_shuffle(ranks)))
}

#[inline(always)]
pub(crate) fn slice_by_deinterleaving<L: Deinterleave>(boards: [L; 8]) -> [L; 8] {
    perfect_unshuffle(perfect_unshuffle(perfect_unshuffle(boards)))
}

#[inline(always)]
fn perfect_shuffle<L: Interleave>(v: [L; 8]) -> [L; 8] {
    let (a, b) = v[0].interleave(v[4]);
    let (c, d) = v[1].interleave(v[5]);
    let (e, f) = v[2].interleave(v[6]);
    let (g, h) = v[3].interleave(v[7]);
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn perfect_unshuffle<L: Deinterleave>(v: [L; 8]) -> [L; 8] {
    let (a, e) = v[0].deinterleave(v[1]);
    let (b, f) = v[2].deinterleave(v[3]);
    let (c, g) = v[4].deinterleave(v[5]);
    let (d, h) = v[6].deinterleave(v[7]);
    [a, b, c, d, e, f, g, h]
}

/// Transposes a matrix of 8x8 bytes, one row per word, by swapping off-diagonal blocks of 4x4, 2x2
/// and 1x1 bytes. Its own inverse.
#[inline(always)]
pub(crate) fn transpose_words(mut m: [u64; 8]) -> [u64; 8] {
    /// Swaps parts of two rows, in units of `2 * $bits` bits: the high half of each unit in row
    /// `$i` with the low half of that unit in row `$j`.
    macro_rules! swap {
        ($bits:literal, $low:literal: $($i:literal $j:literal),*) => { $(
            let swap = ((m[$i] >> $bits) ^ m[$j]) & $low;
            m[$i] ^= swap << $bits;
            m[$j] ^= swap;
        )* };
    }
    swap!(32, 0x0000_0000_ffff_ffff: 0 4, 1 5, 2 6, 3 7);
    swap!(16, 0x0000_ffff_0000_ffff: 0 2, 1 3, 4 6, 5 7);
    swap!(8, 0x00ff_00ff_00ff_00ff: 0 1, 2 3, 4 5, 6 7);
    m
}
