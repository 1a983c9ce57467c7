//! Sets of squares out of a mailbox, and the form that needs only 64-bit registers.

use super::portable::{sliders, steppers};
use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

/// By ray, one byte each: any piece, the kinds that slide along the ray, those that step from there
/// to the viewed square.
pub(crate) const TESTS: [u64; 3] = {
    let (mut tests, mut ray) = ([!0, 0, 0], 0);
    while ray < 8 {
        tests[1] |= (sliders(ray) as u64) << (8 * ray);
        tests[2] |= (steppers(ray ^ 4) as u64) << (8 * ray);
        ray += 1;
    }
    tests
};

/// A board with codes of four bits. Aligned: loads of what crosses cache lines would wait.
#[repr(align(16))]
pub(crate) struct Codes(pub(crate) [u8; 64]);

/// What depends on the instruction set.
pub(crate) trait Extract {
    /// Stores codes of four bits. Returns the squares of each of their bits, with files and ranks
    /// exchanged if [`upright`](Extract::upright) exchanges them.
    fn planes(board: &[u8; 64], codes: &mut Codes) -> [u64; 4];

    /// A set with files and ranks in their places.
    fn upright(set: u64) -> u64;

    /// For two words of kinds below 128: the bytes that have a bit in common with each of
    /// [`TESTS`].
    fn test(kinds: [u64; 2]) -> [[u32; 2]; 3];

    /// Stores codes of four bits. Returns the squares with a piece, and those with a knight.
    #[inline(always)]
    fn two(board: &[u8; 64], rules: &Rules, codes: &mut Codes) -> [u64; 2] {
        let sets = by_code(Self::planes(board, codes));
        let any_of = |mut codes: u16| {
            let mut any = 0;
            while codes != 0 {
                any |= sets[codes.trailing_zeros() as usize & 15];
                codes &= codes - 1;
            }
            Self::upright(any)
        };
        let knights = [0, 8].map(|first| {
            let kinds = u64::from_le_bytes(*rules.kinds[first..].first_chunk().unwrap());
            let knights = kinds / u64::from(kind::KNIGHT) & 0x0101_0101_0101_0101;
            (knights.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
        });
        [!any_of(!rules.pieces), any_of(knights[0] | knights[1] << 8)]
    }

    /// Stores codes of four bits. Returns the squares of each kind.
    #[inline(always)]
    fn kinds(board: &[u8; 64], rules: &Rules, codes: &mut Codes) -> [u64; 7] {
        let mut kinds = [0; 9];
        let planes = Self::planes(board, codes).map(Self::upright);
        for (set, kind) in by_code(planes).into_iter().zip(rules.kinds) {
            // The last set is that of the empty squares.
            kinds[(u32::from(kind) | 0x100).trailing_zeros() as usize] |= set;
        }
        *kinds.first_chunk().unwrap()
    }
}

/// By code: its squares, from the squares of each bit.
#[inline(always)]
fn by_code([a, b, c, d]: [u64; 4]) -> [u64; 16] {
    let low = [!a & !b, a & !b, !a & b, a & b];
    let high = [!c & !d, c & !d, !c & d, c & d];
    core::array::from_fn(|code| low[code % 4] & high[code / 4])
}

/// Exchanges the bits of two words: those of `b` in the mask and those of `a` above them.
#[inline(always)]
pub(crate) fn swap(words: &mut [u64], [a, b]: [usize; 2], shift: u32, mask: u64) {
    let changes = (words[a] >> shift ^ words[b]) & mask;
    words[b] ^= changes;
    words[a] ^= changes << shift;
}

/// 64-bit registers.
pub(crate) struct Words;

impl Extract for Words {
    /// Files and ranks are exchanged.
    #[inline(always)]
    fn planes(board: &[u8; 64], codes: &mut Codes) -> [u64; 4] {
        let mut ranks = [0; 8];
        for i in 0..8 {
            let bytes = *board[8 * i..].first_chunk().unwrap();
            ranks[i] = u64::from_le_bytes(bytes) & 0x0f0f_0f0f_0f0f_0f0f;
            codes.0[8 * i..8 * i + 8].copy_from_slice(&ranks[i].to_le_bytes());
        }
        // A byte holds ranks i and i + 4 of a file. So bit b of half h of word i goes to bit i of
        // half h of word b, which is bit i + 4h of a byte for each file.
        let mut planes: [u64; 4] = core::array::from_fn(|i| ranks[i] | ranks[i + 4] << 4);
        swap(&mut planes, [0, 1], 1, 0x5555_5555_5555_5555);
        swap(&mut planes, [2, 3], 1, 0x5555_5555_5555_5555);
        swap(&mut planes, [0, 2], 2, 0x3333_3333_3333_3333);
        swap(&mut planes, [1, 3], 2, 0x3333_3333_3333_3333);
        planes
    }

    #[inline(always)]
    fn upright(mut set: u64) -> u64 {
        for (shift, mask) in
            [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
        {
            let changes = (set ^ set >> shift) & mask;
            set ^= changes ^ changes << shift;
        }
        set
    }

    #[inline(always)]
    fn test(kinds: [u64; 2]) -> [[u32; 2]; 3] {
        TESTS.map(|test| {
            kinds.map(|kinds| {
                // The sums have the high bit of each byte that is not 0.
                let sums = (kinds & test) + 0x7f7f_7f7f_7f7f_7f7f & 0x8080_8080_8080_8080;
                (sums.wrapping_mul(0x0002_0408_1020_4081) >> 56) as u32
            })
        })
    }
}
