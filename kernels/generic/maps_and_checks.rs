//! Whole positions: attacks by side and kind of piece; checks and pins of both kings.
//!
//! A *pair* is a vector of two boards: both sides' sets of one kind of piece. So the attacks of
//! pawns, knights and kings, the unions and the threats of both sides cost as much as those of one
//! side. Rays are computed for two pairs (four boards) at once: rooks and queens, or bishops and
//! queens.
//!
//! Batches run in rank slices (`positions.rs`). Maps take 0.48x (AVX-512), 0.51x (AVX2) and 0.62x
//! (SSE2) the time of one position at a time. Checks take 0.30x (AVX-512) and 0.54x (AVX2); with
//! SSE2, one position at a time is faster (Zen 5, 4,067 real positions).
//!
//! Rejected: scalar words that the compiler vectorises. They took 1.09x the time with `avx2`, 1.03x
//! with `sse2`, 1.85x with `avx512-gfni` (Emerald Rapids).

use super::board_rays::{AnyCpu, BoardRays};
use super::board_vector::{BoardVector, Register, pair, words};
use super::leapers;
use super::one_board::load_singly;
use crate::kernels::geometry::direction::{NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST};
use crate::kernels::geometry::leapers::{king_attacks, knight_attacks, pawn_attacks};
use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{AttackMaps, Checks, Line, Position, Side};

#[inline(always)]
fn swapped<P: BoardVector>(sets: P) -> P {
    let [white, black] = words(sets);
    // SAFETY: the value proves that the CPU has the features.
    unsafe { pair(black, white) }
}

/// Regroups two pairs into the pair of their low sets and the pair of their high sets.
#[inline(always)]
fn unpacked<P: BoardVector>(low: P, high: P) -> [P; 2] {
    let (low, high) = (words(low), words(high));
    // SAFETY: the values prove that the CPU has the features.
    unsafe { [pair(low[0], high[0]), pair(low[1], high[1])] }
}

/// Evaluates an expression of sliders and occupancy for two pairs of sets. This is a macro, because
/// a closure would not be inlined, and would be compiled without the kernel's target features.
macro_rules! two_pairs {
    ($B:ident, $P:ident, $pairs:expr, $occupied:expr, |$sliders:ident, $all:ident| $attacks:expr) => {{
        let [first, second] = $pairs;
        let (mut sets, mut occupied, mut attacks) = ([0; 4], [0; 4], [0; 4]);
        // SAFETY: the values prove that the CPU has the features; each array is four words. (The
        // compiler keeps the arrays in registers.)
        unsafe {
            first.store(sets.as_mut_ptr());
            second.store(sets.as_mut_ptr().add(2));
            $occupied.store(occupied.as_mut_ptr());
            $occupied.store(occupied.as_mut_ptr().add(2));
            let mut i = 0;
            while i < 4 {
                let $sliders = $B::load(sets.as_ptr().add(i));
                let $all = $B::load(occupied.as_ptr().add(i));
                $attacks.store(attacks.as_mut_ptr().add(i));
                i += $B::BOARDS;
            }
            [$P::load(attacks.as_ptr()), $P::load(attacks.as_ptr().add(2))]
        }
    }};
}

/// Computes the maps of a position: rays in vectors of two or four boards (`B`), everything else in
/// pairs (`P`).
///
/// # Safety
/// The CPU has the features of these types and of the technique.
#[inline(always)]
unsafe fn maps_in_vectors<B: BoardVector, P: BoardVector, T: BoardRays<B>>(
    position: &Position,
) -> AttackMaps {
    const { assert!(4 % B::BOARDS == 0) };
    let [w, b] = &position.pieces;
    // SAFETY: the CPU has the features of `P`.
    let [pawns, knights, bishops, rooks, queens, kings]: [P; 6] = unsafe {
        [
            pair(w[0], b[0]),
            pair(w[1], b[1]),
            pair(w[2], b[2]),
            pair(w[3], b[3]),
            pair(w[4], b[4]),
            pair(w[5], b[5]),
        ]
    };
    let own = pawns | knights | bishops | rooks | queens | kings;
    let occupied = own | swapped(own);
    let [of_rooks, straight] = two_pairs!(B, P, [rooks, queens], occupied, |s, o| T::rook(s, o));
    let [of_bishops, diagonal] =
        two_pairs!(B, P, [bishops, queens], occupied, |s, o| T::bishop(s, o));
    // SAFETY: the values prove that the CPU has the features.
    let white = unsafe { pair::<P>(!0, 0) };
    let up = pawns & white;
    let down = pawns & !white;
    let of_pawns =
        up.step(NORTH_EAST) | up.step(NORTH_WEST) | down.step(SOUTH_EAST) | down.step(SOUTH_WEST);
    let of_knights = leapers::knight_attacks(knights);
    let of_kings = leapers::king_attacks(kings);
    let of_queens = straight | diagonal;
    let minor = of_pawns | of_knights | of_bishops;
    let all = minor | of_rooks | of_queens | of_kings;
    let by_lesser = of_pawns & swapped(knights | bishops)
        | minor & swapped(rooks)
        | (minor | of_rooks) & swapped(queens);
    let mut maps = AttackMaps::default();
    let [w01, b01] = unpacked(of_pawns, of_knights);
    let [w23, b23] = unpacked(of_bishops, of_rooks);
    let [w45, b45] = unpacked(of_queens, of_kings);
    // SAFETY: each store writes two words of the maps; the values prove that the CPU has the
    // features.
    unsafe {
        let [w, b] = &mut maps.attacks;
        w01.store(w.as_mut_ptr());
        w23.store(w.as_mut_ptr().add(2));
        w45.store(w.as_mut_ptr().add(4));
        b01.store(b.as_mut_ptr());
        b23.store(b.as_mut_ptr().add(2));
        b45.store(b.as_mut_ptr().add(4));
        all.store(maps.all.as_mut_ptr());
        by_lesser.store(maps.by_lesser.as_mut_ptr());
    }
    maps
}

/// Computes `maps[i]`, the attack maps of `positions[i]`, one position at a time in vector
/// registers.
///
/// # Safety
/// Both pointers are valid for `count` elements (of any alignment). The CPU has the features of
/// these types and of the technique.
#[inline(always)]
pub(super) unsafe fn in_vectors<B: BoardVector, P: BoardVector, T: BoardRays<B>>(
    positions: *const Position,
    maps: *mut AttackMaps,
    count: usize,
) {
    for i in 0..count {
        // SAFETY: the arrays have an element `i`.
        unsafe {
            let position = positions.add(i).read_unaligned();
            maps.add(i).write_unaligned(maps_in_vectors::<B, P, T>(&position));
        }
    }
}

/// Number of `u64`s in a position, in its attack maps, and in its checks.
pub(super) const POSITION: usize = size_of::<Position>() / 8;
pub(super) const MAPS: usize = size_of::<AttackMaps>() / 8;
pub(super) const CHECKS: usize = size_of::<Checks>() / 8;

/// Loads words `i` and `i + 1` of `R::BOARDS` consecutive rows. A row has `words` words: a position
/// or the result for one. The first vector holds word `i` of every row, the second word `i + 1`.
///
/// # Safety
/// The CPU has the features of `R`, and `from` is readable for `R::BOARDS` rows.
#[inline(always)]
pub(super) unsafe fn load_two<R: Register>(from: *const u64, words: usize, i: usize) -> [R; 2] {
    // SAFETY: the rows are readable.
    let (even, odd) = unsafe {
        (R::load_lanes(from.add(i), 2 * words), R::load_lanes(from.add(i + words), 2 * words))
    };
    let (low, high) = even.transpose_lanes(odd);
    [low, high]
}

/// The inverse of [`load_two`].
///
/// # Safety
/// `to` is writable for `R::BOARDS` rows.
#[inline(always)]
pub(super) unsafe fn store_two<R: Register>(
    [low, high]: [R; 2],
    to: *mut u64,
    words: usize,
    i: usize,
) {
    let (even, odd) = low.transpose_lanes(high);
    // SAFETY: the rows are writable.
    unsafe {
        even.store_lanes(to.add(i), 2 * words);
        odd.store_lanes(to.add(i + words), 2 * words);
    }
}

/// Loads one side of `R::BOARDS` positions: a vector of boards for each kind of piece.
///
/// # Safety
/// The CPU has the features of `R`, and `from` is readable for `R::BOARDS` positions.
#[inline(always)]
pub(super) unsafe fn load_side<R: Register>(from: *const u64, side: usize) -> [R; 6] {
    // SAFETY: a position is a row, and has these words.
    let [[pawns, knights], [bishops, rooks], [queens, kings]] = unsafe {
        [
            load_two(from, POSITION, 6 * side),
            load_two(from, POSITION, 6 * side + 2),
            load_two(from, POSITION, 6 * side + 4),
        ]
    };
    [pawns, knights, bishops, rooks, queens, kings]
}

/// The two squares diagonally ahead of each pawn.
#[inline(always)]
pub(super) fn pawns_ahead<B: BoardVector>(side: usize, pawns: B) -> B {
    if side == 0 {
        pawns.step(NORTH_EAST) | pawns.step(NORTH_WEST)
    } else {
        pawns.step(SOUTH_EAST) | pawns.step(SOUTH_WEST)
    }
}

/// Computes `maps[i]`, the attack maps of `positions[i]`. Calls the technique once for each set of
/// bishops or rooks, and twice for each set of queens.
///
/// # Safety
/// Both pointers are valid for `count` elements (of any alignment).
pub(super) unsafe fn set_by_set<T: BoardRays<u64> + AnyCpu>(
    positions: *const Position,
    maps: *mut AttackMaps,
    count: usize,
) {
    // Not inlined, because some techniques are long and each is used four times.
    #[inline(never)]
    fn rook<T: BoardRays<u64>>(rooks: u64, occupied: u64) -> u64 {
        T::rook(rooks, occupied)
    }
    #[inline(never)]
    fn bishop<T: BoardRays<u64>>(bishops: u64, occupied: u64) -> u64 {
        T::bishop(bishops, occupied)
    }
    for i in 0..count {
        // SAFETY: the arrays have an element `i`.
        unsafe {
            let position = positions.add(i).read_unaligned();
            let occupied = position.occupied();
            let [w, b] = &position.pieces;
            let straight = [w[3], w[4], b[3], b[4]].map(|sliders| rook::<T>(sliders, occupied));
            let diagonal = [w[2], w[4], b[2], b[4]].map(|sliders| bishop::<T>(sliders, occupied));
            maps.add(i).write_unaligned(of_sliders(&position, straight, diagonal));
        }
    }
}

/// Computes the maps from the sliders' attacks. `straight` holds the orthogonal attacks of White's
/// rooks, White's queens, Black's rooks and Black's queens. `diagonal` holds the diagonal attacks
/// of bishops and queens in the same order.
#[inline(always)]
pub(crate) const fn of_sliders(
    position: &Position,
    straight: [u64; 4],
    diagonal: [u64; 4],
) -> AttackMaps {
    let [w, b] = &position.pieces;
    let white = [
        pawn_attacks(Side::White, w[0]),
        knight_attacks(w[1]),
        diagonal[0],
        straight[0],
        straight[1] | diagonal[1],
        king_attacks(w[5]),
    ];
    let black = [
        pawn_attacks(Side::Black, b[0]),
        knight_attacks(b[1]),
        diagonal[2],
        straight[2],
        straight[3] | diagonal[3],
        king_attacks(b[5]),
    ];
    let (white_all, white_by_lesser) = of_side(&white, b);
    let (black_all, black_by_lesser) = of_side(&black, w);
    AttackMaps {
        attacks: [white, black],
        all: [white_all, black_all],
        by_lesser: [white_by_lesser, black_by_lesser],
    }
}

/// The union of a side's attacks, and the enemy pieces that the side threatens.
#[inline(always)]
pub(super) const fn of_side(attacks: &[u64; 6], others: &[u64; 6]) -> (u64, u64) {
    let [pawns, knights, bishops, rooks, queens, kings] = *attacks;
    let [_, other_knights, other_bishops, other_rooks, other_queens, _] = *others;
    let minor = pawns | knights | bishops;
    let to_rooks = minor & other_rooks;
    let to_queens = (minor | rooks) & other_queens;
    (minor | rooks | queens | kings, pawns & (other_knights | other_bishops) | to_rooks | to_queens)
}

/// Computes `checks[i]`, the checks and pins of `positions[i]`, one position at a time.
///
/// # Safety
/// Both pointers are valid for `count` elements (of any alignment).
#[inline(never)]
pub(super) unsafe fn checks_one_by_one(
    positions: *const Position,
    checks: *mut Checks,
    count: usize,
) {
    if count == 1 && positions.is_aligned() {
        // Loads the sets one at a time, because the caller is probably a search that has just
        // stored them.
        // SAFETY: both pointers are valid for one element; that of the position is aligned.
        unsafe {
            let position = bytemuck::cast(load_singly::<POSITION>(positions.cast()));
            checks.write_unaligned(self::checks(&position));
        }
        return;
    }
    for i in 0..count {
        // SAFETY: the arrays have an element `i`.
        unsafe {
            let position = positions.add(i).read_unaligned();
            checks.add(i).write_unaligned(self::checks(&position));
        }
    }
}

/// Finds checks and pins by visiting each enemy slider on a line with a king. There are few such
/// sliders. The slider gives check if no piece stands between it and the king. The slider pins a
/// piece if only that piece stands between, and the piece has the king's colour. Rejected: rays
/// from the king to the first and second occupied square of each line (2.5x the time); rays in
/// vector registers (10x the time, Emerald Rapids).
#[inline]
pub(crate) const fn checks(position: &Position) -> Checks {
    let mut checks = Checks { checkers: [0; 2], pinned: [0; 2], pinners: [0; 2] };
    let occupied = position.occupied();
    let mut i = 0;
    while i < 2 {
        let side = [Side::White, Side::Black][i];
        let (own, kings) = (position.of(side), position.pieces[i][5]);
        let [pawns, knights, bishops, rooks, queens, _] = position.pieces[1 - i];
        checks.checkers[i] = pawn_attacks(side, kings) & pawns | knight_attacks(kings) & knights;
        let mut rest = kings;
        while rest != 0 {
            let king = rest & rest.wrapping_neg();
            rest ^= king;
            let square = king.trailing_zeros() as u8;
            let rank = line_of(Line::Rank, square);
            let file = line_of(Line::File, square);
            let diagonal = line_of(Line::Diagonal, square);
            let antidiagonal = line_of(Line::Antidiagonal, square);
            let mut sliders =
                (rank | file) & (rooks | queens) | (diagonal | antidiagonal) & (bishops | queens);
            while sliders != 0 {
                let slider = sliders & sliders.wrapping_neg();
                sliders ^= slider;
                // Branch-free: piece placement is unpredictable.
                let straight = if slider & rank != 0 { rank } else { file };
                let oblique = if slider & diagonal != 0 { diagonal } else { antidiagonal };
                let line = if slider & (rank | file) != 0 { straight } else { oblique };
                let (low, high) = if slider < king { (slider, king) } else { (king, slider) };
                // `high - low` is every square from the low one up to, but not including, the high
                // one.
                let between = line & (high - low) & !low & occupied;
                let own = if between & between.wrapping_sub(1) == 0 { between & own } else { 0 };
                checks.checkers[i] |= if between == 0 { slider } else { 0 };
                checks.pinned[i] |= own;
                checks.pinners[i] |= if own != 0 { slider } else { 0 };
            }
        }
        i += 1;
    }
    checks
}
