//! The moves of a piece without a branch on their number.
//!
//! For each square there is a list of the moves that a knight, a king or a queen has on an empty
//! board, in order, in *slots*. A shuffle brings to each slot the byte of a set that has its
//! target, and a comparison tests its bit. So there is one bit for each slot, and the moves whose
//! bits are set are compressed, eight at a time.

use core::arch::x86_64::*;

use crate::kernels::generic::moves::one::MoveSets;
use crate::kernels::generic::one_square::line_attacks;
use crate::kernels::geometry::Line;
use crate::kernels::geometry::leapers::{king_attacks, knight_attacks};

/// A byte index that gives a shuffle's result 0.
const NONE: u8 = 0x80;

/// The moves of a king or knight from one square.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Steps {
    moves: [u16; 8],
    /// For each move, the rank of its target, and its bit in the rank's byte.
    ranks: [u8; 8],
    bits: [u8; 8],
}

impl Steps {
    const NONE: Steps = Steps { moves: [0; 8], ranks: [NONE; 8], bits: [1; 8] };

    const fn new(from: u8, mut targets: u64) -> Steps {
        let (mut steps, mut n) = (Steps::NONE, 0);
        while targets != 0 {
            let to = targets.trailing_zeros() as u8;
            steps.moves[n] = from as u16 | (to as u16) << 6;
            (steps.ranks[n], steps.bits[n]) = (to >> 3, 1 << (to & 7));
            targets &= targets - 1;
            n += 1;
        }
        steps
    }
}

/// By square. The last has no moves.
pub(super) static KNIGHT: [Steps; 65] = {
    let mut table = [Steps::NONE; 65];
    let mut from = 0;
    while from < 64 {
        table[from] = Steps::new(from as u8, knight_attacks(1 << from));
        from += 1;
    }
    table
};

/// By square.
pub(super) static KING: [Steps; 64] = {
    let mut table = [Steps::NONE; 64];
    let mut from = 0;
    while from < 64 {
        table[from] = Steps::new(from as u8, king_attacks(1 << from));
        from += 1;
    }
    table
};

/// The moves of a queen from one square. Slots of squares after it refer to a board, in the low
/// half of a vector; those of squares before it to the board turned by 180 degrees, in the high
/// half.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Slides {
    pub(super) moves: [u16; 32],
    bytes: [u8; 32],
    bits: [u8; 32],
}

/// By square.
pub(super) static QUEEN: [Slides; 64] = {
    let none = Slides { moves: [0; 32], bytes: [NONE; 32], bits: [1; 32] };
    let mut table = [none; 64];
    let mut from = 0;
    while from < 64 {
        let (mut targets, mut n) = (0, 0);
        let mut line = 0;
        while line < 4 {
            targets |= line_attacks(Line::ALL[line], from as u8, 0);
            line += 1;
        }
        while targets != 0 {
            let to = targets.trailing_zeros() as u8;
            table[from].moves[n] = from as u16 | (to as u16) << 6;
            let (half, square) = if to as usize > from { (0, to) } else { (8, 63 - to) };
            table[from].bytes[n] = half + (square >> 3);
            table[from].bits[n] = 1 << (square & 7);
            targets &= targets - 1;
            n += 1;
        }
        from += 1;
    }
    table
};

/// The squares of the rays from a square to the east, north, north-east and north-west: the
/// directions of the four lines in which squares' numbers grow.
#[repr(C, align(32))]
struct Forward([u64; 4]);

static FORWARD: [Forward; 64] = {
    let mut table = [const { Forward([0; 4]) }; 64];
    let mut from = 0;
    while from < 64 {
        let mut line = 0;
        while line < 4 {
            table[from].0[line] = line_attacks(Line::ALL[line], from as u8, 0) & u64::MAX << from;
            line += 1;
        }
        from += 1;
    }
    table
};

/// Shuffles that move the words whose bits are set to the front.
#[repr(C, align(16))]
struct Front([[u8; 16]; 256]);

static FRONT: Front = {
    let mut table = Front([[NONE; 16]; 256]);
    let mut bits = 0;
    while bits < 256 {
        let (mut word, mut n) = (0, 0);
        while word < 8 {
            if bits >> word & 1 != 0 {
                (table.0[bits][n], table.0[bits][n + 1]) = (2 * word, 2 * word + 1);
                n += 2;
            }
            word += 1;
        }
        bits += 1;
    }
    table
};

/// Writes those of eight moves whose bits are set, and up to eight words in all. Returns the end of
/// the list.
///
/// # Safety
/// The list has room for eight moves. The CPU has SSSE3.
#[inline(always)]
pub(super) unsafe fn write_eight(
    list: *mut u16,
    moves: __m128i,
    bits: u8,
    flip: __m128i,
) -> *mut u16 {
    // SAFETY: the caller's contract.
    unsafe {
        let front = _mm_load_si128(FRONT.0.as_ptr().add(bits.into()).cast());
        let moves = _mm_xor_si128(_mm_shuffle_epi8(moves, front), flip);
        _mm_storeu_si128(list.cast(), moves);
        list.add(bits.count_ones() as usize)
    }
}

/// Writes the moves of a king or knight to targets.
///
/// # Safety
/// As [`write_eight`].
#[inline(always)]
pub(super) unsafe fn write_steps(
    list: *mut u16,
    steps: &Steps,
    targets: __m128i,
    flip: __m128i,
) -> *mut u16 {
    // SAFETY: the caller's contract; the fields have the sizes that are loaded.
    unsafe {
        let bits = _mm_loadl_epi64(steps.bits.as_ptr().cast());
        let ranks = _mm_loadl_epi64(steps.ranks.as_ptr().cast());
        let found = _mm_and_si128(_mm_shuffle_epi8(targets, ranks), bits);
        let found = _mm_movemask_epi8(_mm_cmpeq_epi8(found, bits)).cast_unsigned() as u8;
        write_eight(list, _mm_load_si128(steps.moves.as_ptr().cast()), found, flip)
    }
}

/// What the slides of a position depend on.
#[derive(Clone, Copy)]
pub(super) struct Board {
    /// The sliders that may move along each line.
    sliders: __m256i,
    occupied: __m256i,
    /// The board turned by 180 degrees.
    turned: __m256i,
    /// Targets, and targets turned.
    targets: __m256i,
}

impl Board {
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    pub(super) unsafe fn new(sets: &MoveSets) -> Board {
        // SAFETY: the caller's contract.
        unsafe {
            let both = _mm_set_epi64x(sets.targets.cast_signed(), sets.occupied.cast_signed());
            let turned = turned(both);
            Board {
                sliders: _mm256_loadu_si256(sets.sliders.as_ptr().cast()),
                occupied: _mm256_broadcastq_epi64(both),
                turned: _mm256_broadcastq_epi64(turned),
                targets: _mm256_broadcastsi128_si256(_mm_unpackhi_epi64(both, turned)),
            }
        }
    }

    /// The slots of a slider's moves, one bit each.
    ///
    /// # Safety
    /// The CPU has AVX2. `from` is below 64.
    #[inline(always)]
    pub(super) unsafe fn slides(self, from: usize) -> u32 {
        // SAFETY: the caller's contract; the tables have 64 elements.
        unsafe {
            let square = _mm256_set1_epi64x(1 << from);
            let along = _mm256_cmpeq_epi64(_mm256_and_si256(self.sliders, square), square);
            let there = rays(from, self.occupied);
            let back = rays(63 - from, self.turned);
            let (there, back) = (_mm256_and_si256(there, along), _mm256_and_si256(back, along));
            let two = _mm256_or_si256(
                _mm256_unpacklo_epi64(there, back),
                _mm256_unpackhi_epi64(there, back),
            );
            let all = _mm256_or_si256(two, _mm256_permute4x64_epi64::<0b01_00_11_10>(two));
            let all = _mm256_and_si256(all, self.targets);
            let slots = QUEEN.get_unchecked(from);
            let bits = _mm256_load_si256(slots.bits.as_ptr().cast());
            let bytes = _mm256_load_si256(slots.bytes.as_ptr().cast());
            let found = _mm256_and_si256(_mm256_shuffle_epi8(all, bytes), bits);
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(found, bits)).cast_unsigned()
        }
    }
}

/// Rays from a square in the directions in which squares' numbers grow, up to the first occupied
/// square each.
///
/// # Safety
/// As [`Board::slides`].
#[inline(always)]
unsafe fn rays(from: usize, occupied: __m256i) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let squares = _mm256_load_si256(FORWARD.as_ptr().add(from).cast());
        let blockers = _mm256_and_si256(squares, occupied);
        // Subtracting 1 changes the lowest bit, and the zeros below it.
        let changed = _mm256_xor_si256(blockers, _mm256_add_epi64(blockers, _mm256_set1_epi8(-1)));
        _mm256_and_si256(changed, squares)
    }
}

/// Two boards, turned by 180 degrees.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn turned(boards: __m128i) -> __m128i {
    // SAFETY: the caller's contract.
    unsafe {
        let low = _mm_set1_epi8(15);
        let high_of_low = _mm_setr_epi8(
            0x00, -0x80, 0x40, -0x40, 0x20, -0x60, 0x60, -0x20, 0x10, -0x70, 0x50, -0x30, 0x30,
            -0x50, 0x70, -0x10,
        );
        let low_of_high = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
        let reversed = _mm_or_si128(
            _mm_shuffle_epi8(high_of_low, _mm_and_si128(boards, low)),
            _mm_shuffle_epi8(low_of_high, _mm_and_si128(_mm_srli_epi16::<4>(boards), low)),
        );
        let bytes = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
        _mm_shuffle_epi8(reversed, bytes)
    }
}
