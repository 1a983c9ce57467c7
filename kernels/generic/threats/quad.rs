//! The view of a square in four registers of 16 bytes.

use super::Aligned;
use super::view::{Bytes, IN_ORDER, Patterns, View, patterns, view_squares};
use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

pub(crate) static VIEW_SQUARES: Aligned<[[u8; 64]; 64]> = Aligned(view_squares(IN_ORDER));
pub(crate) static PATTERNS: Patterns = patterns(IN_ORDER);

/// By mask of four 32-bit elements: the bytes of those in the mask, for a shuffle to the front.
static PACK_FOUR: Aligned<[[u8; 16]; 16]> = Aligned({
    let mut table = [[0; 16]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut element, mut next) = (0, 0);
        while element < 4 {
            if mask >> element & 1 == 1 {
                let mut byte = 0;
                while byte < 4 {
                    table[mask][4 * next + byte] = (4 * element + byte) as u8;
                    byte += 1;
                }
                next += 1;
            }
            element += 1;
        }
        mask += 1;
    }
    table
});

/// Sixteen bytes. All methods need the kernel's CPU features.
pub(crate) trait Sixteen: Copy {
    /// See [`Bytes::ALWAYS_FILTER`].
    const ALWAYS_FILTER: bool = false;

    unsafe fn load(bytes: *const u8) -> Self;
    unsafe fn store(self, bytes: *mut u8);
    unsafe fn splat(byte: u8) -> Self;
    unsafe fn splat_u32(element: u32) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    /// `self & !mask`.
    unsafe fn without(self, mask: Self) -> Self;
    /// 0xff where bytes are equal.
    unsafe fn equals(self, other: Self) -> Self;
    /// The bytes of `self` that `indices` select, which are below 16; 0 for an index with bit 7.
    unsafe fn shuffle(self, indices: Self) -> Self;
    /// `-self`, for 64-bit lanes.
    unsafe fn negate(self) -> Self;
    /// The sum of the bytes of each 64-bit lane, below 256.
    unsafe fn sum(self) -> Self;
    unsafe fn shift_left_u32<const BITS: i32>(self) -> Self;
    /// The low halves of the 64-bit lanes of two registers.
    unsafe fn low_halves(self, other: Self) -> Self;
    /// Which of eight 64-bit lanes are not 0.
    unsafe fn nonzero(lanes: [Self; 4]) -> u32;
    /// The codes on these squares; 0 off the board.
    unsafe fn codes(board: *const [u8; 64], squares: [Self; 4]) -> [Self; 4];
}

/// 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Quad<R>([R; 4]);

impl<R: Sixteen> Quad<R> {
    #[inline(always)]
    unsafe fn load(bytes: &[u8; 64]) -> [R; 4] {
        let bytes = bytes.as_ptr();
        // SAFETY: the caller's contract.
        unsafe {
            [R::load(bytes), R::load(bytes.add(16)), R::load(bytes.add(32)), R::load(bytes.add(48))]
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe { self.zip(other.0, |a, b| a.and(b)) }
    }

    #[inline(always)]
    unsafe fn look_up(self, table: &[u8; 16]) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let table = R::load(table.as_ptr());
            self.zip(self.0, |indices, _| table.shuffle(indices))
        }
    }

    #[inline(always)]
    unsafe fn test(self, pattern: &[u8; 64]) -> u32 {
        // SAFETY: the caller's contract.
        unsafe { R::nonzero(self.zip(Self::load(pattern), |a, b| a.and(b)).0) }
    }

    /// Applies an operation to the registers of two values.
    #[inline(always)]
    unsafe fn zip(self, other: [R; 4], operation: impl Fn(R, R) -> R) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other);
        Quad([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

/// The number of bits in a mask of four, from a table in a word.
const fn count_four(mask: u32) -> usize {
    (0x4332_3221_3221_2110_u64 >> (4 * (mask & 15)) & 15) as usize
}

const fn count_eight(mask: u32) -> usize {
    count_four(mask) + count_four(mask >> 4)
}

/// Stores the entries in a mask of eight.
#[inline(always)]
unsafe fn store_eight<R: Sixteen>([first, second]: [R; 2], mask: u32, list: *mut u32) {
    // SAFETY: the caller's contract; the indices are below 16.
    unsafe {
        let pack = |entries: R, mask: u32| {
            let order = PACK_FOUR.0.get_unchecked((mask & 15) as usize);
            entries.shuffle(R::load(order.as_ptr()))
        };
        pack(first, mask).store(list.cast());
        pack(second, mask >> 4).store(list.add(count_four(mask)).cast());
    }
}

impl<R: Sixteen> Bytes for Quad<R> {
    const ALWAYS_FILTER: bool = R::ALWAYS_FILTER;
    /// The nearest pieces, then the jumps.
    type Entries = [[R; 2]; 2];
    type Direct = (Self::Entries, u32, [u32; 2]);
    type Through = ([R; 2], u32);

    #[inline(always)]
    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self> {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let squares = Self::load(VIEW_SQUARES.0.get_unchecked(usize::from(square)));
            let codes = Quad(R::codes(board, squares));
            let kinds = R::load(rules.kinds.as_ptr());
            // Bit 7 of a square off the board makes the look-up return 0.
            let kinds = codes
                .zip(squares, |code, square| kinds.shuffle(code.or(square.and(R::splat(0x80)))));
            View { squares: Quad(squares), codes, kinds }
        }
    }

    #[inline(always)]
    unsafe fn put(self, squares: Self, square: u8, byte: u8) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let (square, byte) = (R::splat(square), R::splat(byte));
            self.zip(squares.0, |old, squares| {
                let there = squares.equals(square);
                old.without(there).or(byte.and(there))
            })
        }
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            const FIRST: [u8; 16] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0];
            let first = R::load(FIRST.as_ptr());
            self.zip(self.0, |lanes, _| {
                let rays = lanes.without(first);
                rays.and(rays.negate())
            })
        }
    }

    #[inline(always)]
    unsafe fn entries(view: View<Self>, nearest: Self) -> Self::Entries {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let View { squares, codes, .. } = view;
            let zero = R::splat(0);
            let others = nearest.zip(nearest.0, |bytes, _| bytes.equals(zero));
            // Only one byte of a lane is left, so the sum is that byte.
            let sum =
                |bytes: Self| bytes.zip(others.0, |bytes, others| bytes.without(others).sum()).0;
            let byte = R::splat_u32(0xff);
            let join = |[a, b, c, d]: [R; 4], [e, f, g, h]: [R; 4]| {
                let half = |codes: [R; 2], squares: [R; 2]| {
                    let codes = codes[0].low_halves(codes[1]).and(byte);
                    let squares = squares[0].low_halves(squares[1]).and(byte);
                    codes.or(squares.shift_left_u32::<8>())
                };
                [half([a, b], [e, f]), half([c, d], [g, h])]
            };
            [join(sum(codes), sum(squares)), join(codes.0, squares.0)]
        }
    }

    #[inline(always)]
    unsafe fn direct<const FILTER: bool>(
        view: View<Self>,
        nearest: Self,
        entries: Self::Entries,
        (code, square): (u8, u8),
        rules: &Rules,
    ) -> Self::Direct {
        // SAFETY: the contract of `Bytes`. `code` is below 16, so all indices are in bounds.
        unsafe {
            let own = *rules.kinds.get_unchecked(usize::from(code));
            let (mut far_out, mut far_in, mut jump_out, mut jump_in) =
                (nearest, nearest, view.kinds, view.kinds);
            if FILTER {
                let out = view.codes.look_up(rules.victims.get_unchecked(usize::from(code)));
                let on = view.codes.look_up(rules.attackers.get_unchecked(usize::from(code)));
                (far_out, far_in) = (nearest.and(out), nearest.and(on));
                (jump_out, jump_in) = (view.kinds.and(out), view.kinds.and(on));
            }
            let attacked = PATTERNS.attacked.get_unchecked(own.trailing_zeros() as usize & 7);
            let out = if own == kind::KNIGHT {
                jump_out.test(attacked) << 8
            } else {
                far_out.test(attacked)
            };
            let on = far_in.test(&PATTERNS.attackers) | jump_in.test(&PATTERNS.knights) << 8;
            (entries, u32::from(code) | u32::from(square) << 8, [out, on])
        }
    }

    #[inline(always)]
    unsafe fn through<const FILTER: bool>(
        nearest: Self,
        [[first, second], _]: Self::Entries,
        rules: &Rules,
    ) -> Self::Through {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let sliders = nearest.test(&PATTERNS.sliders);
            let pieces = nearest.test(&PATTERNS.pieces);
            let mut mask = sliders & (pieces >> 4 | pieces << 4) & 0xff;
            let threats =
                [first.or(second.shift_left_u32::<16>()), second.or(first.shift_left_u32::<16>())];
            if FILTER && mask != 0 {
                let mut stored = [0_u8; 32];
                threats[0].store(stored.as_mut_ptr());
                threats[1].store(stored.as_mut_ptr().add(16));
                for i in 0..8 {
                    if !rules.counts(stored[4 * i], stored[4 * i + 2]) {
                        mask &= !(1 << i);
                    }
                }
            }
            (threats, mask)
        }
    }

    #[inline(always)]
    unsafe fn store_direct(
        ([rays, jumps], focus, [out, on]): Self::Direct,
        list: *mut u32,
    ) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let (attacker, victim) = (R::splat_u32(focus), R::splat_u32(focus << 16));
            let victims = if out > 0xff { jumps } else { rays };
            let threats = victims.map(|victims| victims.shift_left_u32::<16>().or(attacker));
            store_eight(threats, out | out >> 8, list);
            let mut count = count_eight(out | out >> 8);
            store_eight(rays.map(|ray| ray.or(victim)), on & 0xff, list.add(count));
            count += count_eight(on);
            if on > 0xff {
                store_eight(jumps.map(|jump| jump.or(victim)), on >> 8, list.add(count));
                count += count_eight(on >> 8);
            }
            count
        }
    }

    #[inline(always)]
    unsafe fn store_through((threats, mask): Self::Through, list: *mut u32) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe { store_eight(threats, mask, list) };
        count_eight(mask)
    }
}
