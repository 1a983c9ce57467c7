//! The lane traits: bytes that are ranks, with only the operations that the rank-sliced algorithm uses,
//! and the registers that hold them.
//!
//! A value of a register type exists only where the CPU has the type's features, because
//! the only way to make the first one is [`Lanes::load`]; so everything but memory access is safe.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        reason = "other targets interleave in fewer ways, or not at all"
    )
)]

/// A value whose bytes are ranks, one of each board: what the algorithm computes with.
pub(super) trait Ranks: Copy {
    /// Whether [`west`](Ranks::west) carries bit 0 of a byte into bit 7 of the byte below.
    const WEST_LEAKS: bool;

    /// Whether the rays along the ranks are a loop over the ranks. Where they take many operations, unrolled they are much of
    /// a kernel's code.
    const ROLLED: bool = false;

    /// A value with every byte equal to `byte`.
    fn splat(self, byte: u8) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self & !mask`.
    fn without(self, mask: Self) -> Self;
    /// Each rank one file to the east; the h-file drops out.
    fn east(self) -> Self;
    /// Each rank `FILES` (1, 2 or 4) files to the west; see [`WEST_LEAKS`](Ranks::WEST_LEAKS).
    fn west<const FILES: i32>(self) -> Self;

    /// Whether [`flood`](Ranks::flood) is a selection, for which `occupied` must contain the sliders.
    const FLOOD_SELECTS: bool = false;

    /// One flood step of an occluded fill: `(self & !occupied) | sliders`.
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        self.without(occupied).or(sliders)
    }

    /// Attacks eastward within each byte.
    fn east_attacks(sliders: Self, occupied: Self) -> Self;

    /// Attacks westward within each byte. If the west shift leaks, `sliders` has no a-file
    /// square and `occupied` has all of them (which changes no attack).
    ///
    /// By default Kogge-Stone, in terms of the blockers: where the shifted blockers leak into
    /// the byte below, they only block squares that no slider of that byte reaches from above.
    #[inline(always)]
    fn west_attacks(sliders: Self, occupied: Self) -> Self {
        let g = sliders.west::<1>().flood(occupied, sliders);
        let blocked = occupied.or(occupied.west::<1>());
        let g = g.west::<2>().without(blocked).or(g);
        let blocked = blocked.or(blocked.west::<2>());
        g.west::<4>().without(blocked).or(g).west::<1>()
    }
}

/// The boards of the largest block: eight vectors of 64 bytes.
pub(super) const MOST_BOARDS: usize = 64;

/// A vector register of bytes. As loaded it holds [`BOARDS`](Lanes::BOARDS) boards of eight
/// bytes; in a rank slice it holds one rank of `8 * BOARDS` boards, a byte each.
pub(super) trait Lanes: Ranks {
    /// Boards in one vector as loaded. Eight vectors make a block.
    const BOARDS: usize;

    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `BOARDS` boards
    /// (of any alignment).
    unsafe fn load(from: *const u64) -> Self;
    /// # Safety
    /// `to` is writable for `BOARDS` boards (of any alignment).
    unsafe fn store(self, to: *mut u64);

    /// Boards shifted left (north, and east) by so many squares, at most 36; often a constant.
    fn shift_left(self, squares: u32) -> Self;
    /// Boards shifted right (south, and west).
    fn shift_right(self, squares: u32) -> Self;
    fn and(self, other: Self) -> Self;
    /// The squares of one and the same set on every board.
    fn and_squares(self, squares: u64) -> Self;

    /// Whether there are masked loads and stores, for a last block of any size.
    const MASKED: bool = false;

    /// Loads the first `boards` of a vector's boards; the others are empty. Only if [`MASKED`](Lanes::MASKED).
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `boards <= BOARDS` boards.
    #[inline(always)]
    unsafe fn load_first(_from: *const u64, _boards: usize) -> Self {
        unreachable!()
    }

    /// Stores the first `boards` of a vector's boards. Only if [`MASKED`](Lanes::MASKED).
    ///
    /// # Safety
    /// `to` is writable for `boards <= BOARDS` boards.
    #[inline(always)]
    unsafe fn store_first(self, _to: *mut u64, _boards: usize) {
        unreachable!()
    }

    /// Cuts a block of boards into rank slices: byte `k` of slice `i` is rank `i` of board `k`,
    /// in an order of boards that is the same for every slice.
    fn slice(boards: [Self; 8]) -> [Self; 8];
    /// Puts rank slices together again: the inverse of [`slice`](Lanes::slice).
    fn unslice(ranks: [Self; 8]) -> [Self; 8];
}

/// Registers of squares' numbers, one for each board of a block.
pub(super) trait Squares: Lanes {
    /// 0xff in each byte where the two differ, else 0.
    fn differ(self, other: Self) -> Self;
    /// The file of a square's number, as a set: `1 << (byte % 8)` in each byte; of numbers below 64.
    fn file_of_square(self) -> Self;
    /// One byte for each board of a block, put into the order that boards have in slices.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `bytes` is readable for `8 * BOARDS` bytes.
    unsafe fn slice_bytes(bytes: *const u8) -> Self;
}

/// Lanes of 16 bytes that can interleave the bytes of two vectors.
pub(super) trait Interleave: Lanes {
    /// In each 16-byte lane: the low halves interleaved (`punpcklbw`), and the high halves.
    fn interleave(self, other: Self) -> (Self, Self);
}

/// Lanes that can also take that apart again.
pub(super) trait Deinterleave: Interleave {
    /// In each 16-byte lane: the bytes at even places of both, and those at odd places.
    fn deinterleave(self, other: Self) -> (Self, Self);
}

/// Rank slices by interleaving.
///
/// Write the place of a byte as the seven bits `vvv bbbb` (vector, byte in its 16-byte lane).
/// Interleaving vectors i and i+4 into 2i and 2i+1 rotates these bits left by one. A loaded
/// block has the places `vvv nrrr` (n: which of the two boards of a lane, r: rank); four
/// rotations make them `rrr vvvn`, which is rank slices.
#[inline(always)]
pub(super) fn slice_by_interleaving<L: Interleave>(boards: [L; 8]) -> [L; 8] {
    perfect_shuffle(perfect_shuffle(perfect_shuffle(perfect_shuffle(boards))))
}

/// The inverse of [`slice_by_interleaving`]: the three rotations that are left of seven.
#[inline(always)]
pub(super) fn unslice_by_interleaving<L: Interleave>(ranks: [L; 8]) -> [L; 8] {
    perfect_shuffle(perfect_shuffle(perfect_shuffle(ranks)))
}

/// The same slices by the inverse shuffle, where there is one instruction for it: three rotations to the right.
#[inline(always)]
pub(super) fn slice_by_deinterleaving<L: Deinterleave>(boards: [L; 8]) -> [L; 8] {
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
