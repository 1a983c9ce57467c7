//! Single boards: several Kogge-Stone fills side by side in a register, with a shift count for each
//! lane. Also rooks on a board that GFNI flips.
//!
//! With AVX2, one register holds the four upward rays (north, north-east, east, north-west), which
//! are shifted left by 8, 9, 1 and 7. Another register holds the four opposite rays. AVX-512 can
//! rotate each lane by its own count, so a register can hold upward and downward rays together:
//! four (of rooks or of bishops) or all eight. The wrap mask in the propagator removes the bits
//! that a rotation wraps round ("Dumb7Fill", generalised rays, Chess Programming Wiki).

use core::arch::x86_64::*;

use super::gfni::Gfni;
use super::hyperbola::{self, DiagonalsByPshufb};
use super::xmm::Xmm;
use crate::kernels::generic::board_vector::FlipAntidiagonal;
use crate::kernels::generic::one_board::OneBoard;
use crate::kernels::generic::one_square::SliderLines;
use crate::kernels::generic::rank_bytes::along_rank;
use crate::kernels::geometry::leapers::{NOT_A, NOT_AB, NOT_GH, NOT_H};
use crate::kernels::geometry::{Direction, Line, Side};

/// The constants of several rays, one lane each.
#[repr(align(64))]
struct RayLanes<const N: usize> {
    /// Shift or rotation counts of the three steps of a fill. Negative counts rotate to the right.
    squares: [[i64; N]; 3],
    /// The squares that a step can enter without wrapping round an edge.
    wrap_mask: [u64; N],
}

const fn ray_lanes<const N: usize>(rays: [Direction; N]) -> RayLanes<N> {
    let mut lanes = RayLanes { squares: [[0; N]; 3], wrap_mask: [0; N] };
    let mut i = 0;
    while i < N {
        let mut step = 0;
        while step < 3 {
            lanes.squares[step][i] = (rays[i].offset() as i64) << step;
            step += 1;
        }
        lanes.wrap_mask[i] = rays[i].step(!0);
        i += 1;
    }
    lanes
}

const fn opposite<const N: usize>(mut rays: [Direction; N]) -> [Direction; N] {
    let mut i = 0;
    while i < N {
        rays[i] = rays[i].opposite();
        i += 1;
    }
    rays
}

/// The upward rays by lane: first the bishop's, then the rook's. The downward ray of a lane is the
/// opposite of its upward ray.
const UP: [Direction; 4] =
    [Direction::NorthEast, Direction::NorthWest, Direction::North, Direction::East];
const UPWARD: &RayLanes<4> = &ray_lanes(UP);
const DOWNWARD: &RayLanes<4> = &ray_lanes(opposite(UP));

/// Four upward moves of a piece that does not slide, and the opposite moves.
struct Moves {
    squares: [i64; 4],
    /// The squares that a move up or down can reach without wrapping round an edge.
    wrap_masks: [[u64; 4]; 2],
}

const STEPS: Moves =
    Moves { squares: UPWARD.squares[0], wrap_masks: [UPWARD.wrap_mask, DOWNWARD.wrap_mask] };
const KNIGHT_MOVES: Moves = Moves {
    squares: [17, 15, 10, 6],
    wrap_masks: [[NOT_A, NOT_H, NOT_AB, NOT_GH], [NOT_H, NOT_A, NOT_GH, NOT_AB]],
};

const ROOK: &RayLanes<4> = &ray_lanes(Direction::ORTHOGONAL);
const BISHOP: &RayLanes<4> = &ray_lanes(Direction::DIAGONAL);
const QUEEN: &RayLanes<8> = &ray_lanes(Direction::ALL);

/// Computes upward and downward rays for one or more registers of sliders that share the occupancy.
/// Each ray takes three fill steps and the final step. The given intrinsics work on two or four
/// lanes.
macro_rules! up_and_down {
    ($sliders:expr, $occupied:expr; $load:ident $and:ident $andnot:ident $or:ident $up:ident $down:ident) => {{
        let enter_up = $load(UPWARD.wrap_mask.as_ptr().cast());
        let enter_down = $load(DOWNWARD.wrap_mask.as_ptr().cast());
        let (mut g, mut h) = ($sliders, $sliders);
        let mut p = $andnot($occupied, enter_up);
        let mut q = $andnot($occupied, enter_down);
        for step in 0..3 {
            let k = $load(UPWARD.squares[step].as_ptr().cast());
            for i in 0..g.len() {
                g[i] = $or(g[i], $and(p, $up(g[i], k)));
                h[i] = $or(h[i], $and(q, $down(h[i], k)));
            }
            if step < 2 {
                p = $and(p, $up(p, k));
                q = $and(q, $down(q, k));
            }
        }
        let k = $load(UPWARD.squares[0].as_ptr().cast());
        for i in 0..g.len() {
            g[i] = $and(enter_up, $up(g[i], k));
            h[i] = $and(enter_down, $down(h[i], k));
        }
        (g, h)
    }};
    ([$($sliders:expr),+], $occupied:expr) => {
        up_and_down!([$($sliders),+], $occupied;
            _mm256_loadu_si256 _mm256_and_si256 _mm256_andnot_si256 _mm256_or_si256 _mm256_sllv_epi64 _mm256_srlv_epi64)
    };
}

/// Computes fills in all lanes with rotations, then the final step.
macro_rules! rotating_fill {
    ($lanes:expr, $sliders:expr, $occupied:expr; $load:ident $and:ident $andnot:ident $or:ident $rotate:ident) => {{
        let wrap_mask = $load($lanes.wrap_mask.as_ptr().cast());
        let mut g = $sliders;
        let mut p = $andnot($occupied, wrap_mask);
        for step in 0..3 {
            let k = $load($lanes.squares[step].as_ptr().cast());
            g = $or(g, $and(p, $rotate(g, k)));
            if step < 2 {
                p = $and(p, $rotate(p, k));
            }
        }
        let k = $load($lanes.squares[0].as_ptr().cast());
        $and(wrap_mask, $rotate(g, k))
    }};
}

/// The lanes of rook rays: every other lane, because `Direction` goes round the compass.
const ROOK_LANES: u8 = 0b0101_0101;

/// AVX2: four rays per register. Rooks alone run in general registers, which are faster.
pub(crate) struct FourRays(());

impl FourRays {
    #[inline(always)]
    pub(crate) fn four_rays(self, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX2. The tables are 32 bytes; the loads may be
        // unaligned.
        unsafe {
            let sliders = two_and_two(diagonal, orthogonal);
            let occupied = _mm256_set1_epi64x(occupied.cast_signed());
            let ([up], [down]) = up_and_down!([sliders], occupied);
            or_four_lanes(_mm256_or_si256(up, down))
        }
    }
}

impl OneBoard for FourRays {
    const BEATS_LOOK_UPS: bool = true;

    #[inline(always)]
    unsafe fn new() -> Self {
        FourRays(())
    }

    /// Bishop attacks, with only the first two lanes of [`FourRays::four_rays`].
    #[inline(always)]
    fn bishop(self, bishops: u64, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX2. The loads read the first 16 bytes of tables
        // of 32 and may be unaligned.
        unsafe {
            let bishops = _mm_set1_epi64x(bishops.cast_signed());
            let occupied = _mm_set1_epi64x(occupied.cast_signed());
            let ([up], [down]) = up_and_down!([bishops], occupied;
                _mm_loadu_si128 _mm_and_si128 _mm_andnot_si128 _mm_or_si128 _mm_sllv_epi64 _mm_srlv_epi64);
            or_two_lanes(_mm_or_si128(up, down))
        }
    }

    #[inline(always)]
    fn slider(self, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        self.four_rays(orthogonal, diagonal, occupied | orthogonal | diagonal)
    }

    /// Attacks of bishops, of rooks and of queens. Bishops and rooks share a register, queens have
    /// another, and both registers share the propagators.
    #[inline(always)]
    fn sliders_by_kind(self, bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3] {
        // SAFETY: `self` proves that the CPU has AVX2. The tables are 32 bytes; the loads may be
        // unaligned.
        unsafe {
            let occupied = _mm256_set1_epi64x((occupied | bishops | rooks | queens).cast_signed());
            let (bishops_rooks, queens) =
                (two_and_two(bishops, rooks), two_and_two(queens, queens));
            let (up, down) = up_and_down!([bishops_rooks, queens], occupied);
            let (bishops_rooks, queens) =
                (_mm256_or_si256(up[0], down[0]), _mm256_or_si256(up[1], down[1]));
            // The lanes: bishops, queens on diagonals, rooks, queens on ranks and files.
            let lanes = _mm256_or_si256(
                _mm256_unpacklo_epi64(bishops_rooks, queens),
                _mm256_unpackhi_epi64(bishops_rooks, queens),
            );
            let (low, high) = (_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
            let queens = _mm_or_si128(low, high);
            let queens = _mm_unpackhi_epi64(queens, queens);
            [
                _mm_cvtsi128_si64(low).cast_unsigned(),
                _mm_cvtsi128_si64(high).cast_unsigned(),
                _mm_cvtsi128_si64(queens).cast_unsigned(),
            ]
        }
    }

    /// The squares that at least two of the pieces attack, with four directions in each register.
    #[inline(always)]
    fn doubly_attacked(self, side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
        let [pawns, knights, bishops, rooks, queens, kings] = *pieces;
        let (orthogonal, diagonal) = (rooks | queens, bishops | queens);
        let [white, black] = match side {
            Side::White => [pawns, 0],
            Side::Black => [0, pawns],
        };
        // SAFETY: `self` proves that the CPU has AVX2. The tables are 32 bytes; the loads may be
        // unaligned.
        unsafe {
            let occupied = _mm256_set1_epi64x((occupied | orthogonal | diagonal).cast_signed());
            let ([up], [down]) = up_and_down!([two_and_two(diagonal, orthogonal)], occupied);
            let (mut once, mut twice) = (_mm256_or_si256(up, down), _mm256_and_si256(up, down));
            let knights = _mm256_set1_epi64x(knights.cast_signed());
            let steps = [
                (STEPS, two_and_two(kings | white, kings), two_and_two(kings | black, kings)),
                (KNIGHT_MOVES, knights, knights),
            ];
            for (lanes, up, down) in steps {
                let k = _mm256_loadu_si256(lanes.squares.as_ptr().cast());
                let enter_up = _mm256_loadu_si256(lanes.wrap_masks[0].as_ptr().cast());
                let enter_down = _mm256_loadu_si256(lanes.wrap_masks[1].as_ptr().cast());
                let up = _mm256_and_si256(enter_up, _mm256_sllv_epi64(up, k));
                let down = _mm256_and_si256(enter_down, _mm256_srlv_epi64(down, k));
                for set in [up, down] {
                    twice = _mm256_or_si256(twice, _mm256_and_si256(once, set));
                    once = _mm256_or_si256(once, set);
                }
            }
            let (a, b) = (_mm256_castsi256_si128(once), _mm256_extracti128_si256::<1>(once));
            let (c, d) = (_mm256_castsi256_si128(twice), _mm256_extracti128_si256::<1>(twice));
            let (once, twice) =
                (_mm_or_si128(a, b), _mm_or_si128(_mm_or_si128(c, d), _mm_and_si128(a, b)));
            let both = _mm_and_si128(once, _mm_unpackhi_epi64(once, once));
            or_two_lanes(twice) | _mm_cvtsi128_si64(both).cast_unsigned()
        }
    }

    /// A queen's lines share one register, which takes 0.8x the time of byte swaps and a table
    /// (Emerald Rapids). Other sliders are computed as with SSSE3.
    #[inline(always)]
    fn attacks_from<Op: SliderLines>(self, op: Op, square: u8, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX2, which implies SSSE3.
        unsafe {
            if op.follows(Line::Rank) && op.follows(Line::Diagonal) {
                hyperbola::queen_in_one_register(square, occupied)
            } else {
                DiagonalsByPshufb::new().attacks_from(op, square, occupied)
            }
        }
    }
}

/// Defines the methods that a type takes over from [`FourRays`], its field.
macro_rules! as_four_rays {
    () => {
        as_four_rays! {
            slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64;
            sliders_by_kind(bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3];
            doubly_attacked(side: Side, pieces: &[u64; 6], occupied: u64) -> u64;
        }
        #[inline(always)]
        fn attacks_from<Op: SliderLines>(self, op: Op, square: u8, occupied: u64) -> u64 {
            self.0.attacks_from(op, square, occupied)
        }
    };
    ($($method:ident($($argument:ident: $Argument:ty),*) -> $Result:ty;)*) => { $(
        #[inline(always)]
        fn $method(self, $($argument: $Argument),*) -> $Result {
            self.0.$method($($argument),*)
        }
    )* };
}

/// AVX2 and GFNI: like [`FourRays`], but rooks alone run on a flipped board.
pub(crate) struct FourRaysAndFlips(FourRays);

impl OneBoard for FourRaysAndFlips {
    const BEATS_LOOK_UPS: bool = true;

    #[inline(always)]
    unsafe fn new() -> Self {
        FourRaysAndFlips(FourRays(()))
    }

    /// Rook attacks with borrows in both directions, along ranks in one lane and along files in the
    /// other.
    #[inline(always)]
    fn rook(self, rooks: u64, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX2 and GFNI.
        unsafe {
            let rooks = _mm_cvtsi64_si128(rooks.cast_signed());
            let occupied = _mm_cvtsi64_si128(occupied.cast_signed());
            let board = Xmm::<Gfni>::new(_mm_unpacklo_epi64(rooks, occupied));
            let flipped = board.flip_antidiagonal();
            let rooks = Xmm::<Gfni>::new(_mm_unpacklo_epi64(board.0, flipped.0));
            let occupied = Xmm::new(_mm_unpackhi_epi64(board.0, flipped.0));
            let attacks = along_rank(rooks, occupied);
            let along_files = attacks.flip_antidiagonal();
            let along_files = _mm_unpackhi_epi64(along_files.0, along_files.0);
            _mm_cvtsi128_si64(_mm_or_si128(attacks.0, along_files)).cast_unsigned()
        }
    }

    #[inline(always)]
    fn bishop(self, bishops: u64, occupied: u64) -> u64 {
        self.0.bishop(bishops, occupied)
    }
    as_four_rays!();
}

/// AVX-512, in YMM registers. If rooks or bishops are computed alone, their four rays share one
/// register. Rooks on a flipped board would take 0.93x the time, but have 1.39x the latency.
/// Rejected: the eight rays of queens in one ZMM register. In a loop without other work, that takes
/// 0.75x the time, but in a walk through games it saves nothing (Zen 5). Whether ZMM registers
/// lower the clock of older Intel CPUs was not measured.
pub(crate) struct FourRotatedRays(FourRays);

impl FourRotatedRays {
    #[inline(always)]
    fn four_lanes(self, lanes: &'static RayLanes<4>, sliders: u64, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX-512F and AVX-512VL. The tables are 32 bytes;
        // the loads may be unaligned.
        unsafe {
            let sliders = _mm256_set1_epi64x(sliders.cast_signed());
            let occupied = _mm256_set1_epi64x(occupied.cast_signed());
            or_four_lanes(rotating_fill!(lanes, sliders, occupied;
                _mm256_loadu_si256 _mm256_and_si256 _mm256_andnot_si256 _mm256_or_si256 _mm256_rolv_epi64))
        }
    }

    #[inline(always)]
    pub(crate) fn eight_rays(self, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        // SAFETY: `self` proves that the CPU has AVX-512F. The tables are 64 bytes; the loads may
        // be unaligned.
        unsafe {
            let diagonal: __m512i = _mm512_set1_epi64(diagonal.cast_signed());
            let sliders = _mm512_mask_set1_epi64(diagonal, ROOK_LANES, orthogonal.cast_signed());
            let occupied = _mm512_set1_epi64(occupied.cast_signed());
            _mm512_reduce_or_epi64(rotating_fill!(QUEEN, sliders, occupied;
                _mm512_loadu_si512 _mm512_and_si512 _mm512_andnot_si512 _mm512_or_si512 _mm512_rolv_epi64))
            .cast_unsigned()
        }
    }
}

impl OneBoard for FourRotatedRays {
    const BEATS_LOOK_UPS: bool = true;

    #[inline(always)]
    unsafe fn new() -> Self {
        FourRotatedRays(FourRays(()))
    }

    #[inline(always)]
    fn rook(self, rooks: u64, occupied: u64) -> u64 {
        self.four_lanes(ROOK, rooks, occupied)
    }

    #[inline(always)]
    fn bishop(self, bishops: u64, occupied: u64) -> u64 {
        self.four_lanes(BISHOP, bishops, occupied)
    }
    as_four_rays!();
}

/// One set in the two lanes of the diagonals, another in the two lanes of files and ranks.
#[inline]
#[target_feature(enable = "avx")]
fn two_and_two(diagonal: u64, orthogonal: u64) -> __m256i {
    let [d, o] = [diagonal.cast_signed(), orthogonal.cast_signed()];
    _mm256_set_epi64x(o, o, d, d)
}

#[inline]
#[target_feature(enable = "avx2")]
fn or_four_lanes(four: __m256i) -> u64 {
    or_two_lanes(_mm_or_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn or_two_lanes(two: __m128i) -> u64 {
    _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))).cast_unsigned()
}
