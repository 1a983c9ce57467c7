//! All threats of a board with AVX2, and the kernels' entries for threats.
//!
//! For each direction, three doublings (one, two, four steps) give every square the nearest piece.
//! Unpacks then bring the eight directions of each square together, in order.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::threats_avx2::{Packed, Pair, compress, load, table};
use crate::kernels::generic::threats::portable::{sliders, steppers};
use crate::kernels::generic::threats::view::{BoardThreats, ThreatSquares, view_entries};
use crate::kernels::generic::threats::{Aligned, JUMPS, PACK, step};
use crate::kernels::geometry::threats::kind;

/// By square: its number with bit 7 set.
static MARKED: Aligned<[u8; 64]> = Aligned({
    let mut squares = [0; 64];
    let mut i = 0;
    while i < 64 {
        squares[i] = i as u8 | 0x80;
        i += 1;
    }
    squares
});

/// By square: the squares of its jumps, ascending, as bytes of a word. Bit 7: off the board. The
/// last entry has no jumps.
static JUMPS_FROM: Aligned<[u64; 65]> = Aligned({
    let mut words = [!0; 65];
    let mut i = 0;
    while i < 64 {
        let (mut bytes, mut jump) = ([0; 8], 0);
        while jump < 8 {
            bytes[jump] = step(i as u8, JUMPS[jump], 1);
            jump += 1;
        }
        words[i] = u64::from_le_bytes(bytes);
        i += 1;
    }
    words
});

/// By square: where the unpacks put its eight directions.
static PLACES: Aligned<[u16; 64]> = Aligned({
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (rank, file) = (i / 8, i % 8);
        // Half of the board, then `unpacklo` or `unpackhi`, register, 128 bits, 64 bits.
        let place =
            rank / 4 * 256 + rank % 2 * 128 + file / 2 * 32 + rank / 2 % 2 * 16 + file % 2 * 8;
        places[i] = place as u16;
        i += 1;
    }
    places
});

/// Moves each byte to the square one, two or four (`STEPS`) ranks lower, or higher if not `UP`.
#[inline(always)]
unsafe fn ranks<const UP: bool, const STEPS: usize>(board: Pair) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe {
        let Pair(low, high) = board;
        // The middle ranks, and the lowest or the highest beside four empty ranks.
        let middle = _mm256_permute2x128_si256::<0x21>(low, high);
        match (UP, STEPS) {
            (true, 1) => Pair(
                _mm256_alignr_epi8::<8>(middle, low),
                _mm256_alignr_epi8::<8>(_mm256_permute2x128_si256::<0x81>(high, high), high),
            ),
            (true, 2) => Pair(middle, _mm256_permute2x128_si256::<0x81>(high, high)),
            (true, _) => Pair(high, _mm256_setzero_si256()),
            (false, 1) => Pair(
                _mm256_alignr_epi8::<8>(low, _mm256_permute2x128_si256::<0x08>(low, low)),
                _mm256_alignr_epi8::<8>(high, middle),
            ),
            (false, 2) => Pair(_mm256_permute2x128_si256::<0x08>(low, low), middle),
            (false, _) => Pair(_mm256_setzero_si256(), low),
        }
    }
}

/// Moves each byte to the square one, two or four files further west, or east if not `EAST`.
#[inline(always)]
unsafe fn files<const EAST: bool, const STEPS: usize>(Pair(low, high): Pair) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe {
        match (EAST, STEPS) {
            (true, 1) => Pair(_mm256_srli_epi64::<8>(low), _mm256_srli_epi64::<8>(high)),
            (true, 2) => Pair(_mm256_srli_epi64::<16>(low), _mm256_srli_epi64::<16>(high)),
            (true, _) => Pair(_mm256_srli_epi64::<32>(low), _mm256_srli_epi64::<32>(high)),
            (false, 1) => Pair(_mm256_slli_epi64::<8>(low), _mm256_slli_epi64::<8>(high)),
            (false, 2) => Pair(_mm256_slli_epi64::<16>(low), _mm256_slli_epi64::<16>(high)),
            (false, _) => Pair(_mm256_slli_epi64::<32>(low), _mm256_slli_epi64::<32>(high)),
        }
    }
}

/// Gives each square what is on the square some steps along the ray; 0 beyond the edge.
#[inline(always)]
unsafe fn seen<const RAY: usize, const STEPS: usize>(board: Pair) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe {
        let board = match RAY {
            7 | 0 | 1 => ranks::<true, STEPS>(board),
            3..=5 => ranks::<false, STEPS>(board),
            _ => board,
        };
        match RAY {
            1..=3 => files::<true, STEPS>(board),
            5..=7 => files::<false, STEPS>(board),
            _ => board,
        }
    }
}

/// Whether the pieces on a board do **not** attack along a kind of ray: 0xff in these bytes.
struct Excluded {
    orthogonal: Pair,
    diagonal: Pair,
    /// By [`steppers`]: beside, up and down the board.
    king: Pair,
    up: Pair,
    down: Pair,
}

impl Excluded {
    #[inline(always)]
    unsafe fn new(kinds: Pair) -> Excluded {
        // SAFETY: the caller enables AVX2.
        unsafe {
            Excluded {
                orthogonal: lacks(kinds, sliders(0)),
                diagonal: lacks(kinds, sliders(1)),
                king: lacks(kinds, steppers(0)),
                up: lacks(kinds, steppers(1)),
                down: lacks(kinds, steppers(3)),
            }
        }
    }

    #[inline(always)]
    const fn on<const RAY: usize>(&self) -> [&Pair; 2] {
        let far = if RAY.is_multiple_of(2) { &self.orthogonal } else { &self.diagonal };
        let near = match RAY {
            1 | 7 => &self.up,
            3 | 5 => &self.down,
            _ => &self.king,
        };
        [far, near]
    }
}

/// 0xff where the kind is none of these.
#[inline(always)]
unsafe fn lacks(kinds: Pair, bits: u8) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe {
        let (bits, zero) = (_mm256_set1_epi8(bits.cast_signed()), _mm256_setzero_si256());
        Pair(
            _mm256_cmpeq_epi8(_mm256_and_si256(kinds.0, bits), zero),
            _mm256_cmpeq_epi8(_mm256_and_si256(kinds.1, bits), zero),
        )
    }
}

/// The greater byte of each pair, unsigned.
#[inline(always)]
unsafe fn greater(a: Pair, b: Pair) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe { Pair(_mm256_max_epu8(a.0, b.0), _mm256_max_epu8(a.1, b.1)) }
}

/// For each square with a piece that attacks along the ray: the marked square of its victim. Bytes
/// without bit 7 are unspecified.
///
/// On a ray down the board, the nearest piece has the greatest square. The squares of `pieces` are
/// flipped for a ray up the board, so that it has the greatest there, too. One `vpmaxub` then does
/// what a selection would.
#[inline(always)]
unsafe fn victims<const RAY: usize>(pieces: [Pair; 2], excluded: &Excluded) -> Pair {
    // SAFETY: the caller enables AVX2.
    unsafe {
        let up = matches!(RAY, 0..3 | 7);
        let next = seen::<RAY, 1>(pieces[usize::from(up)]);
        let nearest = greater(next, seen::<RAY, 1>(next));
        let nearest = greater(nearest, seen::<RAY, 2>(nearest));
        let nearest = greater(nearest, seen::<RAY, 4>(nearest));
        let [far, near] = excluded.on::<RAY>();
        let first = attacked(nearest.0, next.0, far.0, near.0);
        let second = attacked(nearest.1, next.1, far.1, near.1);
        if up { Pair(flipped(first), flipped(second)) } else { Pair(first, second) }
    }
}

/// `nearest`, with bit 7 only if a slider or, from the next square, another piece attacks it.
#[inline(always)]
unsafe fn attacked(nearest: __m256i, next: __m256i, far: __m256i, near: __m256i) -> __m256i {
    // SAFETY: the caller enables AVX2.
    unsafe {
        // If there is a piece on the next square, it is the nearest.
        let next = _mm256_andnot_si256(near, next);
        _mm256_andnot_si256(_mm256_andnot_si256(next, far), nearest)
    }
}

/// Flips the board: square `i` becomes `63 - i`.
#[inline(always)]
unsafe fn flipped(squares: __m256i) -> __m256i {
    // SAFETY: the caller enables AVX2.
    unsafe { _mm256_xor_si256(squares, _mm256_set1_epi8(63)) }
}

/// Unpacks eight planes of half a board. Stores 256 bytes.
#[inline(always)]
unsafe fn gather(planes: [__m256i; 8], to: *mut u8) {
    // SAFETY: the caller enables AVX2, and `to` is aligned.
    unsafe {
        let [a, b, c, d, e, f, g, h] = planes;
        let unpacked = [
            [
                _mm256_unpacklo_epi8(a, b),
                _mm256_unpacklo_epi8(c, d),
                _mm256_unpacklo_epi8(e, f),
                _mm256_unpacklo_epi8(g, h),
            ],
            [
                _mm256_unpackhi_epi8(a, b),
                _mm256_unpackhi_epi8(c, d),
                _mm256_unpackhi_epi8(e, f),
                _mm256_unpackhi_epi8(g, h),
            ],
        ];
        for i in 0..2 {
            let [a, b, c, d] = unpacked[i];
            let (low, high) = (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
            let (low_2, high_2) = (_mm256_unpacklo_epi16(c, d), _mm256_unpackhi_epi16(c, d));
            let to = to.add(128 * i);
            _mm256_store_si256(to.cast(), _mm256_unpacklo_epi32(low, low_2));
            _mm256_store_si256(to.add(32).cast(), _mm256_unpackhi_epi32(low, low_2));
            _mm256_store_si256(to.add(64).cast(), _mm256_unpacklo_epi32(high, high_2));
            _mm256_store_si256(to.add(96).cast(), _mm256_unpackhi_epi32(high, high_2));
        }
    }
}

/// Stores the squares of attackers and victims. Returns their number.
#[inline(always)]
unsafe fn squares(board: *const [u8; 64], rules: &Rules, from: *mut u8, to: *mut u8) -> usize {
    // SAFETY: the caller enables AVX2, and the lists have 512 bytes.
    unsafe {
        let zero = _mm256_setzero_si256();
        let kinds_table = table(&rules.kinds);
        let board_codes = Packed::new(board);
        let kinds_of = |bytes| {
            let codes = _mm256_and_si256(load(bytes), _mm256_set1_epi8(15));
            _mm256_shuffle_epi8(kinds_table, codes)
        };
        let kinds = Pair(kinds_of(board.cast()), kinds_of(board.cast::<u8>().add(32)));
        let mask = |a, b| {
            let (a, b) = (_mm256_movemask_epi8(a), _mm256_movemask_epi8(b));
            u64::from(a.cast_unsigned()) | u64::from(b.cast_unsigned()) << 32
        };
        let empty = Pair(_mm256_cmpeq_epi8(kinds.0, zero), _mm256_cmpeq_epi8(kinds.1, zero));
        let marked = Pair(load(MARKED.0.as_ptr()), load(MARKED.0.as_ptr().add(32)));
        let pieces =
            Pair(_mm256_andnot_si256(empty.0, marked.0), _mm256_andnot_si256(empty.1, marked.1));
        let occupied = !mask(empty.0, empty.1);
        let not_knights = lacks(kinds, !kind::KNIGHT);
        let knights = mask(not_knights.0, not_knights.1) & occupied;
        let up = Pair(
            _mm256_andnot_si256(empty.0, flipped(marked.0)),
            _mm256_andnot_si256(empty.1, flipped(marked.1)),
        );
        let (pieces, excluded) = ([pieces, up], &Excluded::new(kinds));
        let planes = [
            victims::<0>(pieces, excluded),
            victims::<1>(pieces, excluded),
            victims::<2>(pieces, excluded),
            victims::<3>(pieces, excluded),
            victims::<4>(pieces, excluded),
            victims::<5>(pieces, excluded),
            victims::<6>(pieces, excluded),
            victims::<7>(pieces, excluded),
        ];
        let mut by_square = MaybeUninit::<Aligned<[u8; 512]>>::uninit();
        let by_square = by_square.as_mut_ptr().cast::<u8>();
        let [a, b, c, d, e, f, g, h] = planes;
        gather([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0], by_square);
        gather([a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1], by_square.add(256));

        let mut count = 0;
        let mut attackers = occupied & !knights;
        while attackers != 0 {
            let square = attackers.trailing_zeros() as usize;
            attackers &= attackers - 1;
            let place = usize::from(*PLACES.0.get_unchecked(square));
            let victims = _mm_loadl_epi64(by_square.add(place).cast());
            let mask = _mm_movemask_epi8(victims).cast_unsigned() as usize;
            let order = _mm_loadl_epi64(PACK.0.get_unchecked(mask & 0xff).as_ptr().cast());
            _mm_storel_epi64(to.add(count).cast(), _mm_shuffle_epi8(victims, order));
            let squares = square as u64 * 0x0101_0101_0101_0101;
            from.add(count).cast::<u64>().write_unaligned(squares);
            count += mask.count_ones() as usize;
        }
        let mut knights = knights;
        while knights != 0 {
            // Four knights, or squares without jumps.
            let mut four = [64; 4];
            for square in &mut four {
                if knights != 0 {
                    *square = knights.trailing_zeros() as usize;
                    knights &= knights - 1;
                }
            }
            let jumps = |i: usize| JUMPS_FROM.0.get_unchecked(four[i]).cast_signed();
            let jumps = _mm256_set_epi64x(jumps(3), jumps(2), jumps(1), jumps(0));
            let codes = board_codes.codes(jumps);
            let off = _mm256_and_si256(jumps, _mm256_set1_epi8(-128));
            let there = _mm256_shuffle_epi8(kinds_table, _mm256_or_si256(codes, off));
            let absent = _mm256_movemask_epi8(_mm256_cmpeq_epi8(there, zero)).cast_unsigned();
            for (i, half) in [_mm256_castsi256_si128(jumps), _mm256_extracti128_si256::<1>(jumps)]
                .into_iter()
                .enumerate()
            {
                for j in 0..2 {
                    let victims = if j == 0 { half } else { _mm_unpackhi_epi64(half, half) };
                    let mask = !absent >> (16 * i + 8 * j) & 0xff;
                    let order = PACK.0.get_unchecked(mask as usize).as_ptr();
                    let order = _mm_loadl_epi64(order.cast());
                    _mm_storel_epi64(to.add(count).cast(), _mm_shuffle_epi8(victims, order));
                    let squares = four[2 * i + j] as u64 * 0x0101_0101_0101_0101;
                    from.add(count).cast::<u64>().write_unaligned(squares);
                    count += mask.count_ones() as usize;
                }
            }
        }
        count
    }
}

/// Stores the threats between these squares, sixteen at a time. Returns the number that counts.
#[inline(always)]
unsafe fn threats<const FILTER: bool>(
    board: *const [u8; 64],
    rules: &Rules,
    (from, to, count): (*const u8, *const u8, usize),
    list: *mut u32,
) -> usize {
    // SAFETY: the caller enables AVX2. The lists have room for the whole last vector.
    unsafe {
        let board = Packed::new(board);
        let (mut done, mut kept) = (0, 0);
        while done < count {
            let from = _mm_loadu_si128(from.add(done).cast());
            let to = _mm_loadu_si128(to.add(done).cast());
            // Attackers in the low 128 bits, victims in the high ones.
            let squares = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(from), to);
            let squares = _mm256_and_si256(squares, _mm256_set1_epi8(63));
            let codes = board.codes(squares);
            // An attacker has 16 bits, its victim the same place in the other half.
            let join = |halves| {
                let pairs = _mm256_permute4x64_epi64::<0xd8>(halves);
                _mm256_shuffle_epi8(pairs, table(&INTERLEAVED.0))
            };
            let low = _mm256_unpacklo_epi8(codes, squares);
            let high = _mm256_unpackhi_epi8(codes, squares);
            let threats = [join(low), join(high)];
            if FILTER {
                let left = count - done;
                let valid = if left < 16 { (1 << left) - 1 } else { 0xffff };
                let mask = counting(rules, codes) & valid;
                for i in 0..2 {
                    let mask = mask >> (8 * i) & 0xff;
                    _mm256_storeu_si256(list.add(kept).cast(), compress(mask, threats[i]));
                    kept += mask.count_ones() as usize;
                }
            } else {
                _mm256_storeu_si256(list.add(done).cast(), threats[0]);
                _mm256_storeu_si256(list.add(done + 8).cast(), threats[1]);
            }
            done += 16;
        }
        if FILTER { kept } else { count }
    }
}

/// Interleaves the 16-bit elements of two 64-bit lanes.
static INTERLEAVED: Aligned<[u8; 16]> =
    Aligned([0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]);

/// By code: its bit in a byte of a row of pairs.
static BITS: Aligned<[u8; 16]> =
    Aligned([1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);

/// Which of sixteen pairs count. The attackers' codes are in the low 128 bits.
#[inline(always)]
unsafe fn counting(rules: &Rules, codes: __m256i) -> u32 {
    // SAFETY: the caller enables AVX2, and the tables are aligned.
    unsafe {
        let attackers = _mm256_castsi256_si128(codes);
        let victims = _mm256_extracti128_si256::<1>(codes);
        let aligned = |bytes: &[u8; 16]| _mm_load_si128(bytes.as_ptr().cast());
        let [low, high] = &rules.pair_bytes;
        let rows = _mm_blendv_epi8(
            _mm_shuffle_epi8(aligned(low), attackers),
            _mm_shuffle_epi8(aligned(high), attackers),
            _mm_slli_epi16::<4>(victims),
        );
        let pairs = _mm_and_si128(rows, _mm_shuffle_epi8(aligned(&BITS.0), victims));
        let none = _mm_movemask_epi8(_mm_cmpeq_epi8(pairs, _mm_setzero_si128()));
        none.cast_unsigned() ^ 0xffff
    }
}

/// All threats of a board with AVX2.
pub(super) struct Planes;

impl BoardThreats for Planes {
    #[inline(always)]
    unsafe fn squares(board: *const [u8; 64], rules: &Rules, to: *mut ThreatSquares) -> usize {
        // SAFETY: the contract of `BoardThreats`.
        unsafe {
            let from = to.cast::<u8>();
            let count = squares(board, rules, from, from.add(512));
            from.add(count).write_bytes(0, 16);
            from.add(512 + count).write_bytes(0, 16);
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
            let from = squares.cast::<u8>();
            let squares = (from, from.add(512), count);
            if rules.every != 0 {
                threats::<false>(board, rules, squares, list)
            } else {
                threats::<true>(board, rules, squares, list)
            }
        }
    }
}

view_entries!(AVX2_THREATS: Pair, Planes, "avx2,popcnt");
