//! All threats of a board with AVX-512 of the Ice Lake class, and the kernel's entries for threats.
//!
//! For each direction, three doublings (one, two, four steps) give every square the nearest piece.
//! The squares are kept in an order in which unpacks bring the eight directions of each square
//! together, ascending, and `vpcompressb` makes lists of them.

use core::arch::asm;
use core::arch::x86_64::*;

use super::threats_avx512::{GAPS, WITHOUT_GAPS, Whole, aligned, codes, table};
use crate::kernels::generic::threats::portable::{sliders, steppers};
use crate::kernels::generic::threats::view::{BoardThreats, ThreatSquares, view_entries};
use crate::kernels::generic::threats::{Aligned, JUMPS, OFF, RAYS, step};
use crate::kernels::geometry::threats::kind;

/// The square in each byte: such that unpacked lists are ascending.
const fn square_in(byte: usize) -> usize {
    let (lane, i) = (byte / 8, byte % 8);
    8 * (4 * (lane % 2) + i / 2) + 2 * (lane / 2) + i % 2
}

static SQUARES: Aligned<[u8; 64]> = Aligned({
    let mut squares = [0; 64];
    let mut i = 0;
    while i < 64 {
        squares[i] = square_in(i) as u8;
        i += 1;
    }
    squares
});

/// By ray and by steps (one, two, four): for each byte, the byte of the square that many steps
/// away, and the mask of the bytes for which there is one.
struct Steps {
    bytes: Aligned<[[[u8; 64]; 3]; 8]>,
    exist: [[u64; 3]; 8],
}

static STEPS: Steps = {
    let mut byte_of = [0; 64];
    let mut i = 0;
    while i < 64 {
        byte_of[square_in(i)] = i as u8;
        i += 1;
    }
    let mut steps = Steps { bytes: Aligned([[[0; 64]; 3]; 8]), exist: [[0; 3]; 8] };
    let mut i = 0;
    while i < 8 * 3 * 64 {
        let (ray, doubling, byte) = (i / 192, i / 64 % 3, i % 64);
        let to = step(square_in(byte) as u8, RAYS[ray], 1 << doubling);
        if to != OFF {
            steps.bytes.0[ray][doubling][byte] = byte_of[to as usize];
            steps.exist[ray][doubling] |= 1 << byte;
        }
        i += 1;
    }
    steps
};

/// By register of unpacked directions: the attackers' squares.
static ATTACKERS: Aligned<[[u8; 64]; 8]> = Aligned({
    let mut squares = [[0; 64]; 8];
    let mut i = 0;
    while i < 512 {
        squares[i / 64][i % 64] = (i / 8) as u8;
        i += 1;
    }
    squares
});

/// Byte `i` is `i / 8`.
static EIGHTHS: Aligned<[u8; 64]> = Aligned(ATTACKERS.0[0]);

/// Byte `i` is `i`.
static BYTES: Aligned<[u8; 64]> = Aligned({
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
});

/// The jumps of eight knights, for square numbers with gaps.
static EIGHT_JUMPS: Aligned<[u8; 64]> = Aligned({
    let mut jumps = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (files, ranks) = JUMPS[i % 8];
        jumps[i] = (16 * ranks + files).cast_unsigned();
        i += 1;
    }
    jumps
});

/// Of two registers, the second from 64: bytes 0 0 64 64 1 1 65 65...
static TWICE: Aligned<[u8; 64]> = Aligned({
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = (i / 4 + i / 2 % 2 * 64) as u8;
        i += 1;
    }
    bytes
});

/// The same constants, of which LLVM knows nothing. Otherwise it loads them all before the loop
/// over boards, and spills them.
#[allow(clippy::pointers_in_nomem_asm_block, reason = "no instruction")]
#[inline(always)]
fn opaque_steps() -> &'static Steps {
    let mut steps = &raw const STEPS;
    // SAFETY: no instruction, so the pointer stays valid.
    unsafe {
        asm!("/* {0} */", inout(reg) steps, options(nomem, nostack, preserves_flags));
        &*steps
    }
}

/// The pieces that attack along rays.
struct Attacking {
    orthogonal: u64,
    diagonal: u64,
    /// By [`steppers`]: beside, up and down the board.
    king: u64,
    up: u64,
    down: u64,
}

/// For each byte with a piece that attacks along the ray: its victim's square and bit 6.
///
/// As with AVX2, the squares of `pieces` are flipped for a ray up the board, so the nearest is
/// always the greatest. Masks of the bytes without a piece so far, with spilled constants, took
/// 1.27x the time for batches, 1.4x for single boards (Zen 4).
#[inline(always)]
unsafe fn victims<const RAY: usize>(
    steps: &Steps,
    pieces: [__m512i; 2],
    attacking: &Attacking,
) -> __m512i {
    // SAFETY: the caller enables the features.
    unsafe {
        let up = matches!(RAY, 0..3 | 7);
        let [one, two, four] = &steps.bytes.0[RAY];
        let exist = steps.exist[RAY];
        let pieces = pieces[usize::from(up)];
        let next = _mm512_maskz_permutexvar_epi8(exist[0], aligned(one), pieces);
        let further = _mm512_maskz_permutexvar_epi8(exist[0], aligned(one), next);
        let nearest = _mm512_max_epu8(next, further);
        let further = _mm512_maskz_permutexvar_epi8(exist[1], aligned(two), nearest);
        let nearest = _mm512_max_epu8(nearest, further);
        let further = _mm512_maskz_permutexvar_epi8(exist[2], aligned(four), nearest);
        let nearest = _mm512_max_epu8(nearest, further);
        let far = if RAY.is_multiple_of(2) { attacking.orthogonal } else { attacking.diagonal };
        let near = match RAY {
            1 | 7 => attacking.up,
            3 | 5 => attacking.down,
            _ => attacking.king,
        };
        let attacking = far | near & _mm512_test_epi8_mask(next, next);
        let victims = _mm512_maskz_mov_epi8(attacking, nearest);
        // Bit 6 and nothing else marks a victim, so others may be flipped as well.
        if up { _mm512_xor_si512(victims, _mm512_set1_epi8(63)) } else { victims }
    }
}

/// All threats of a board.
pub(super) struct Planes;

impl BoardThreats for Planes {
    #[inline(always)]
    unsafe fn squares(board: *const [u8; 64], rules: &Rules, to: *mut ThreatSquares) -> usize {
        // SAFETY: the contract of `BoardThreats`; the lists have room for 420 squares and a vector.
        unsafe {
            let from = to.cast::<u8>();
            let to = from.add(512);
            let mut count = 0;
            let mut store = |mask: u64, attackers, victims| {
                let attackers = _mm512_maskz_compress_epi8(mask, attackers);
                _mm512_storeu_si512(from.add(count).cast(), attackers);
                let victims = _mm512_maskz_compress_epi8(mask, victims);
                _mm512_storeu_si512(to.add(count).cast(), victims);
                count += mask.count_ones() as usize;
            };
            let steps = opaque_steps();
            let kinds_by_square = _mm512_shuffle_epi8(table(&rules.kinds), codes(board));
            let squares = aligned(&SQUARES.0);
            let kinds = _mm512_permutexvar_epi8(squares, kinds_by_square);
            let occupied = _mm512_test_epi8_mask(kinds, kinds);
            let marked = _mm512_or_si512(squares, _mm512_set1_epi8(64));
            let flipped = _mm512_xor_si512(marked, _mm512_set1_epi8(63));
            let pieces = [marked, flipped].map(|marked| _mm512_maskz_mov_epi8(occupied, marked));
            let having = |kinds_of| {
                _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(u8::cast_signed(kinds_of)))
            };
            let attacking = &Attacking {
                orthogonal: having(sliders(0)),
                diagonal: having(sliders(1)),
                king: having(steppers(0)),
                up: having(steppers(1)),
                down: having(steppers(3)),
            };
            let a = victims::<0>(steps, pieces, attacking);
            let b = victims::<1>(steps, pieces, attacking);
            let c = victims::<2>(steps, pieces, attacking);
            let d = victims::<3>(steps, pieces, attacking);
            let e = victims::<4>(steps, pieces, attacking);
            let f = victims::<5>(steps, pieces, attacking);
            let g = victims::<6>(steps, pieces, attacking);
            let h = victims::<7>(steps, pieces, attacking);
            let halves = [
                [
                    _mm512_unpacklo_epi8(a, b),
                    _mm512_unpacklo_epi8(c, d),
                    _mm512_unpacklo_epi8(e, f),
                    _mm512_unpacklo_epi8(g, h),
                ],
                [
                    _mm512_unpackhi_epi8(a, b),
                    _mm512_unpackhi_epi8(c, d),
                    _mm512_unpackhi_epi8(e, f),
                    _mm512_unpackhi_epi8(g, h),
                ],
            ];
            for half in 0..2 {
                let [a, b, c, d] = halves[half];
                let (low, high) = (_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b));
                let (low_2, high_2) = (_mm512_unpacklo_epi16(c, d), _mm512_unpackhi_epi16(c, d));
                let unpacked = [
                    _mm512_unpacklo_epi32(low, low_2),
                    _mm512_unpackhi_epi32(low, low_2),
                    _mm512_unpacklo_epi32(high, high_2),
                    _mm512_unpackhi_epi32(high, high_2),
                ];
                for i in 0..4 {
                    let mask = _mm512_test_epi8_mask(unpacked[i], _mm512_set1_epi8(64));
                    store(mask, aligned(&ATTACKERS.0[4 * half + i]), unpacked[i]);
                }
            }
            let knight = _mm512_set1_epi8(kind::KNIGHT.cast_signed());
            let knights = _mm512_test_epi8_mask(kinds_by_square, knight);
            let list = _mm512_maskz_compress_epi8(knights, aligned(&BYTES.0));
            let mut done = 0;
            let mut left = knights.count_ones();
            while left > 0 {
                // Eight knights, each in eight bytes.
                let places = _mm512_add_epi8(aligned(&EIGHTHS.0), _mm512_set1_epi8(done));
                let attackers = _mm512_permutexvar_epi8(places, list);
                let ranks = _mm512_and_si512(attackers, _mm512_set1_epi8(0x38));
                let with_gaps =
                    _mm512_add_epi8(_mm512_add_epi8(attackers, ranks), aligned(&EIGHT_JUMPS.0));
                let real = if left < 8 { (1 << (8 * left)) - 1 } else { !0 };
                let real = real & _mm512_testn_epi8_mask(with_gaps, _mm512_set1_epi8(GAPS));
                let matrix = _mm512_set1_epi64(WITHOUT_GAPS);
                let victims = _mm512_gf2p8affine_epi64_epi8::<0>(with_gaps, matrix);
                let kinds = _mm512_permutexvar_epi8(victims, kinds_by_square);
                store(_mm512_mask_test_epi8_mask(real, kinds, kinds), attackers, victims);
                done += 8;
                left = left.saturating_sub(8);
            }
            // Compressed vectors end with zeros, except those of seven or eight knights.
            if knights.count_ones() > 6 {
                from.add(count).write_bytes(0, 16);
                to.add(count).write_bytes(0, 16);
            }
            count
        }
    }

    #[inline(always)]
    unsafe fn threats(
        board: *const [u8; 64],
        rules: &Rules,
        squares: *const ThreatSquares,
        count: usize,
        list: *mut u32,
    ) -> usize {
        // SAFETY: the contract of `BoardThreats`.
        unsafe {
            let codes = codes(board);
            let pairs = _mm512_castsi256_si512(_mm256_loadu_si256(rules.pairs.as_ptr().cast()));
            let from = squares.cast::<u8>();
            let to = from.add(512);
            let every = rules.every != 0;
            let (mut done, mut kept) = (0, 0);
            while done < count {
                let from = _mm512_castsi128_si512(_mm_loadu_si128(from.add(done).cast()));
                let to = _mm512_castsi128_si512(_mm_loadu_si128(to.add(done).cast()));
                // Each square twice, and the first of them becomes the code.
                let squares = _mm512_permutex2var_epi8(from, aligned(&TWICE.0), to);
                let squares = _mm512_and_si512(squares, _mm512_set1_epi8(63));
                let first = 0x5555_5555_5555_5555;
                let threats = _mm512_mask_permutexvar_epi8(squares, first, squares, codes);
                if every {
                    _mm512_storeu_si512(list.add(done).cast(), threats);
                } else {
                    let attackers = _mm512_and_si512(threats, _mm512_set1_epi32(15));
                    let rows = _mm512_permutexvar_epi16(attackers, pairs);
                    let victims =
                        _mm512_and_si512(_mm512_srli_epi32::<16>(threats), _mm512_set1_epi32(15));
                    let bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), victims);
                    let left = count - done;
                    let real = if left < 16 { (1 << left) - 1 } else { !0 };
                    let mask = _mm512_mask_test_epi32_mask(real, rows, bits);
                    let threats = _mm512_maskz_compress_epi32(mask, threats);
                    _mm512_storeu_si512(list.add(kept).cast(), threats);
                    kept += mask.count_ones() as usize;
                }
                done += 16;
            }
            if every { count } else { kept }
        }
    }
}

view_entries!(
    AVX512_THREATS: Whole,
    Planes,
    "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,popcnt"
);
