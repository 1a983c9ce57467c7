//! The number of legal moves of many positions, in rank slices.
//!
//! Nothing here loops over pieces or over moves. In one direction, the rays of different sliders of
//! a side are disjoint: each ray ends at the first occupied square, and the next slider is beyond
//! it. So the number of slides in this direction is the number of bits of one fill, and the sum
//! over all eight directions is the number of slides. The same holds for the eight jumps of
//! knights.
//!
//! All boards are seen by the side to move: if that is Black, the ranks change places.
//!
//! # Pins and checks
//!
//! One formula serves both. For a direction `d`, let `K` be the king's ray in `d`, `E` the rays of
//! enemy sliders in the opposite direction (computed without the king, who cannot hide behind
//! himself), and `Z = K & E`. `Z` has two kinds of squares:
//!
//! * empty squares, if the king's ray ends at the slider. These are the squares between the king
//!   and a slider that gives check. No test of whether a ray reaches the king is needed.
//! * the one piece between the king and a slider. If it is the king's own, it is pinned.
//!
//! An own piece lies on one line through the king at most, so a piece in `Z` may move along a line
//! exactly if it is in the `Z` of this line.
//!
//! The check mask is the squares between the king and sliders that give check, and all pieces that
//! give check. If one piece gives check, others than the king must move to this mask. If two do,
//! only the king moves.
//!
//! # Adding bits
//!
//! Each rank has up to 14 sets whose bits count: eight of sliders, four of knights (and four that
//! count twice, where two knights jump to one square from both sides), two of pawns. Carry-save
//! adders turn them into few sets of weights 1, 2, 4 and 8. Only these are masked by the legal
//! targets, and added to the sums of the other ranks. So bits of bytes are counted once per block,
//! not once per direction and rank.
//!
//! # What else
//!
//! * Pawns: pushes go to empty squares, captures to enemies. So pushes and eastward captures are
//!   one set. Promotions count three times more.
//! * The king's steps touch three ranks, whose numbers differ modulo 3. So eight slices become
//!   three by uniting those whose numbers agree.
//! * Castling of standard chess is two tests of the first rank.
//! * En passant captures and the castling of Chess960 are added position by position
//!   ([`legal_exact`](super::legal_exact)): positions with a pawn beside the one that has just
//!   advanced, or with other castling rights.
//!
//! # Code size
//!
//! Each pass is a loop over ranks. Unrolled, the slices would not fit in the registers either.

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::board_vector::MAX_BLOCK;
use super::count_bytes::CountBytes;
use super::legal_exact;
use super::rank_bytes::{RankBytes, westward};
use crate::kernels::geometry::PlaneColumns;

/// Eight slices of a block.
type Ranks<R> = [R; 8];

/// Eight slices between empty ones, two on each side. Rank `r` has the index `r + 2`.
type Padded<R> = [R; 12];

/// A set for each of three directions of rays: along a file, and along the diagonals to the east
/// and to the west.
type Three<R> = [Ranks<R>; 3];

/// What the passes over a block leave for each other.
struct Work<R> {
    occupied: Ranks<R>,
    own: Ranks<R>,
    king: Ranks<R>,
    enemy_orthogonal: Ranks<R>,
    enemy_diagonal: Ranks<R>,
    enemy_pawns: Padded<R>,
    enemy_knights: Padded<R>,
    enemy_king: Padded<R>,
    /// The king's neighbours on his own rank, the squares two files away from him, and him with his
    /// neighbours.
    king_sides: Padded<R>,
    king_twos: Padded<R>,
    king_row: Padded<R>,
    own_orthogonal: Ranks<R>,
    own_diagonal: Ranks<R>,
    own_knights: Ranks<R>,
    own_pawns: Ranks<R>,
    /// Southward rays of enemies, and of the king.
    enemy_south: Three<R>,
    king_south: Three<R>,
    /// The squares that sliders, pawns, knights and kings make part of the check mask.
    check: Ranks<R>,
    /// Sliders that may move along a file, a rank, and both diagonals.
    movers: [Ranks<R>; 4],
    /// Where knights jump to with an odd number of knights, and with two: one file away, two files.
    jumps: [[Padded<R>; 2]; 2],
    /// Pawns that may advance, capture to the east, and to the west.
    pawns: [Padded<R>; 3],
    steps: Ranks<R>,
    /// What northern rays and those along ranks count: a set of weight 1, two of weight 2.
    north: Three<R>,
    /// What southern rays count: a set of weight 1, one of weight 2.
    south: [Ranks<R>; 2],
}

impl<R: Copy> Work<R> {
    /// Fills all slices in a loop. A list of the fields took 3.5 KB of code with AVX-512.
    #[inline(always)]
    fn fill(work: &mut MaybeUninit<Self>, zero: R) -> &mut Self {
        let slices = work.as_mut_ptr().cast::<R>();
        for i in 0..size_of::<Self>() / size_of::<R>() {
            // SAFETY: all fields are arrays of `R`, so there is no padding.
            unsafe { slices.add(i).write(zero) };
        }
        // SAFETY: all slices have a value.
        unsafe { work.assume_init_mut() }
    }
}

/// Moves every rank one file west; the a-file drops out.
#[inline(always)]
fn west<R: RankBytes>(ranks: R) -> R {
    if R::WEST_WRAPS { ranks.west::<1>() & ranks.splat(0x7f) } else { ranks.west::<1>() }
}

/// Moves every rank two files west.
#[inline(always)]
fn west_two<R: RankBytes>(ranks: R) -> R {
    if R::WEST_WRAPS { ranks.west::<2>() & ranks.splat(0x3f) } else { ranks.west::<2>() }
}

/// The sum of two sets as sets of weights one and two.
#[inline(always)]
fn half_add<R: RankBytes>(a: R, b: R) -> [R; 2] {
    [a ^ b, a & b]
}

/// Three rays that enter a rank: along a file, and along the diagonals to the east and to the west.
#[derive(Clone, Copy)]
struct Rays<R> {
    straight: R,
    east: R,
    west: R,
}

impl<R: RankBytes> Rays<R> {
    #[inline(always)]
    fn none(zero: R) -> Self {
        Rays { straight: zero, east: zero, west: zero }
    }

    /// Moves the rays through a rank, where others may start.
    #[inline(always)]
    fn next(self, occupied: R, straight: R, east: R, west: R) -> Self {
        let (west, west_occupied) = westward(west, occupied);
        Rays {
            straight: self.straight.flood(occupied, straight),
            east: self.east.flood(occupied, east).east(),
            west: self.west.flood(west_occupied, west).west::<1>(),
        }
    }
}

/// Rays along a rank, to the east and to the west.
#[inline(always)]
fn along<R: RankBytes>(sliders: R, occupied: R) -> [R; 2] {
    let (west_sliders, west_occupied) = westward(sliders, occupied);
    [R::east_attacks(sliders, occupied), R::west_attacks(west_sliders, west_occupied)]
}

/// Counts the moves and checks of all positions.
///
/// # Safety
/// Columns that are not null are valid for `count` positions (of any alignment). No result overlaps
/// another column. The CPU has the features of `R`.
#[inline(always)]
pub(super) unsafe fn in_blocks<R: CountBytes>(columns: &PlaneColumns, count: usize) {
    if count == 0 {
        return;
    }
    // SAFETY: the CPU has the features of `R`; the array is at least a block.
    let zero = unsafe { R::load_bytes([0; MAX_BLOCK].as_ptr()) };
    let mut work = MaybeUninit::uninit();
    let work = Work::fill(&mut work, zero);
    let mut short = MaybeUninit::uninit();
    let mut done = 0;
    while done < count {
        let left = count - done;
        // SAFETY: the columns have the positions from `done` on; a short block is copied.
        unsafe {
            let columns = columns.from(done);
            let mut rest = columns;
            if left < R::BLOCK {
                rest = ShortBlock::fill(&mut short, &columns, left);
            }
            block::<R>(&rest, work);
            // The compiler must not see that this is the same test: it would have two copies of the
            // block's code, one for each outcome.
            if black_box(left) < R::BLOCK {
                ShortBlock::copy_results(&rest, &columns, left);
            }
        }
        done += R::BLOCK;
    }
}

/// [`in_blocks`] in words, for kernels without registers of their own.
///
/// # Safety
/// Columns that are not null are valid for `count` positions (of any alignment). No result overlaps
/// another column.
#[inline(never)]
pub(super) unsafe fn in_words(columns: &PlaneColumns, count: usize) {
    // SAFETY: the caller's contract.
    unsafe { in_blocks::<u64>(columns, count) }
}

/// The last positions of a batch, if they fill no block, with empty boards after them.
struct ShortBlock {
    planes: [[u64; MAX_BLOCK]; 4],
    bytes: [[u8; MAX_BLOCK]; 4],
    results: [[u8; MAX_BLOCK]; 2],
}

impl ShortBlock {
    /// # Safety
    /// The columns are valid for `left` positions, fewer than `MAX_BLOCK`.
    #[inline(never)]
    unsafe fn fill(
        copy: &mut MaybeUninit<ShortBlock>,
        columns: &PlaneColumns,
        left: usize,
    ) -> PlaneColumns {
        // SAFETY: any bytes are valid values; the columns have `left` positions, and the arrays
        // have room for them.
        unsafe {
            copy.as_mut_ptr().write_bytes(0, 1);
            let copy = copy.assume_init_mut();
            for (to, from) in copy.planes.iter_mut().zip(columns.planes) {
                to.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), 8 * left);
            }
            let [white, black] = columns.castling;
            for (to, from) in
                copy.bytes.iter_mut().zip([columns.side, columns.en_passant, white, black])
            {
                if !from.is_null() {
                    to.as_mut_ptr().copy_from_nonoverlapping(from, left);
                }
            }
            let [a, b, c, d] = &copy.planes;
            let [side, en_passant, white, black] = &copy.bytes;
            let [moves, checks] = &mut copy.results;
            PlaneColumns {
                planes: [a.as_ptr(), b.as_ptr(), c.as_ptr(), d.as_ptr()],
                side: side.as_ptr(),
                en_passant: en_passant.as_ptr(),
                castling: [white.as_ptr(), black.as_ptr()],
                moves: moves.as_mut_ptr(),
                checks: checks.as_mut_ptr(),
            }
        }
    }

    /// # Safety
    /// The results in `from` and those in `to` that are not null are valid for `left` positions.
    #[inline(never)]
    unsafe fn copy_results(from: &PlaneColumns, to: &PlaneColumns, left: usize) {
        for (from, to) in [(from.moves, to.moves), (from.checks, to.checks)] {
            if !to.is_null() {
                // SAFETY: both are valid for `left` positions.
                unsafe { to.copy_from_nonoverlapping(from, left) };
            }
        }
    }
}

/// Counts the moves and checks of one block.
///
/// # Safety
/// Columns that are not null are valid for a block of positions. The CPU has the features of `R`.
#[inline(always)]
unsafe fn block<R: CountBytes>(columns: &PlaneColumns, work: &mut Work<R>) {
    // SAFETY: the columns have a block.
    unsafe {
        let mut rights = R::load_bytes(columns.castling[0]);
        let zero = rights.splat(0);
        let en_passant = R::load_bytes(columns.en_passant);
        let mut black = zero;
        if !columns.side.is_null() {
            black = zero.sub_bytes(R::load_bytes(columns.side) & zero.splat(1));
            rights = R::select(black, R::load_bytes(columns.castling[1]), rights);
        }
        let mut planes = [[zero; 8]; 4];
        // A loop: the slices of a plane leave no registers for those of another.
        for plane in 0..4 {
            let mut slices = R::slice_column(columns.planes[plane]);
            for r in 0..4 {
                [slices[r], slices[7 - r]] = R::exchange(black, slices[r], slices[7 - r]);
            }
            planes[plane] = slices;
        }
        let invalid = decode(&planes, black, work);
        southern_rays(work, zero);
        let (invalid, checkers, attacked) = pins_and_checks(work, zero, invalid);
        let [one, two, four] = checkers;
        let number = one.count_bits();
        let number = number.add_saturating(two.count_bits());
        let number = number.add_saturating(two.count_bits());
        let none = (one | two | four).zero_mask();
        let only_one = (number ^ zero.splat(1) | four).zero_mask();
        let at_most_two = none | only_one | (number ^ zero.splat(2) | four).zero_mask();
        let valid = at_most_two & invalid.zero_mask();
        let castling = castling(work, attacked, rights);
        let moves = count(work, none, only_one, castling.legal) & valid;
        let rare = (castling.rare | captures_en_passant(work, en_passant)) & valid;
        if !columns.checks.is_null() {
            (number & valid | !valid).store_bytes(columns.checks);
        }
        if !columns.moves.is_null() {
            moves.store_bytes(columns.moves);
            let mut bytes = [0_u64; 8];
            rare.store_bytes(bytes.as_mut_ptr().cast());
            for i in 0..R::BLOCK / 8 {
                if bytes[i] != 0 {
                    legal_exact::add_rare_moves(columns, 8 * i, bytes[i].to_le());
                }
            }
        }
    }
}

/// Computes the sets of pieces from the planes as the side to move sees them. Returns bits in bytes
/// of positions without exactly one king of each side, or with pawns on the first or last rank.
#[inline(always)]
fn decode<R: CountBytes>(planes: &[Ranks<R>; 4], black: R, work: &mut Work<R>) -> R {
    let zero = black.splat(0);
    let [white, diagonal, orthogonal, others] = planes;
    let (mut own_kings, mut enemy_kings, mut twice) = (zero, zero, zero);
    let mut pawns_of_rank = [zero; 8];
    for r in 0..8 {
        let (d, o, x) = (diagonal[r], orthogonal[r], others[r]);
        let occupied = d | o | x;
        let own = (white[r] ^ black) & occupied;
        let kings = o & x;
        let (d, o) = (d & !x, o & !x);
        let x = x & !orthogonal[r];
        let knights = x & diagonal[r];
        let pawns = x ^ knights;
        let king = kings & own;
        let enemy_king = kings ^ king;
        twice = twice | own_kings & king | enemy_kings & enemy_king;
        own_kings = own_kings | king;
        enemy_kings = enemy_kings | enemy_king;
        pawns_of_rank[r] = pawns;
        work.occupied[r] = occupied;
        work.own[r] = own;
        work.king[r] = king;
        work.enemy_king[r + 2] = enemy_king;
        (work.own_diagonal[r], work.own_orthogonal[r]) = (d & own, o & own);
        (work.enemy_diagonal[r], work.enemy_orthogonal[r]) = (d & !own, o & !own);
        (work.own_knights[r], work.enemy_knights[r + 2]) = (knights & own, knights & !own);
        (work.own_pawns[r], work.enemy_pawns[r + 2]) = (pawns & own, pawns & !own);
        let (east, west) = (king.east(), west(king));
        work.king_sides[r + 2] = east | west;
        work.king_row[r + 2] = east | west | king;
        work.king_twos[r + 2] = east.east() | west_two(king);
    }
    let one = zero.splat(1);
    twice
        | own_kings & own_kings.sub_bytes(one)
        | enemy_kings & enemy_kings.sub_bytes(one)
        | own_kings.zero_mask()
        | enemy_kings.zero_mask()
        | pawns_of_rank[0]
        | pawns_of_rank[7]
}

/// Computes rays to the south, the south-east and the south-west: those of enemy sliders, which the
/// king does not block, and those of the king.
#[inline(always)]
fn southern_rays<R: CountBytes>(work: &mut Work<R>, zero: R) {
    let (mut enemies, mut king) = (Rays::none(zero), Rays::none(zero));
    for step in 0..8 {
        let r = 7 - step;
        work.enemy_south[0][r] = enemies.straight;
        work.enemy_south[1][r] = enemies.east;
        work.enemy_south[2][r] = enemies.west;
        work.king_south[0][r] = king.straight;
        work.king_south[1][r] = king.east;
        work.king_south[2][r] = king.west;
        let (occupied, from) = (work.occupied[r], work.king[r]);
        let (straight, diagonal) = (work.enemy_orthogonal[r], work.enemy_diagonal[r]);
        enemies = enemies.next(occupied ^ from, straight, diagonal, diagonal);
        king = king.next(occupied, from, from, from);
    }
}

/// Computes the remaining rays and all that follows from them: the check mask, which pieces may
/// move along which line, and the king's steps. Returns `invalid`, with bits where the kings are
/// neighbours; the number of pieces that give check on each file, as sets of weights 1, 2 and 4;
/// and the squares of the first rank that the enemy attacks.
#[inline(always)]
fn pins_and_checks<R: CountBytes>(work: &mut Work<R>, zero: R, mut invalid: R) -> (R, [R; 3], R) {
    let (mut enemies, mut king) = (Rays::none(zero), Rays::none(zero));
    let mut first_rank = zero;
    for r in 0..8 {
        let (occupied, from, own) = (work.occupied[r], work.king[r], work.own[r]);
        let (straight, diagonal) = (work.enemy_orthogonal[r], work.enemy_diagonal[r]);
        let without_king = occupied ^ from;
        let [enemy_south, enemy_south_east, enemy_south_west] =
            [work.enemy_south[0][r], work.enemy_south[1][r], work.enemy_south[2][r]];
        let [king_south, king_south_east, king_south_west] =
            [work.king_south[0][r], work.king_south[1][r], work.king_south[2][r]];
        let [enemy_east, enemy_west] = along(straight, without_king);
        let [king_east, king_west] = along(from, occupied);

        let file = king.straight & enemy_south | king_south & enemies.straight;
        let rank = king_east & enemy_west | king_west & enemy_east;
        let up = king.east & enemy_south_west | king_south_west & enemies.east;
        let down = king.west & enemy_south_east | king_south_east & enemies.west;
        let any = file | rank | up | down;
        let king_orthogonal = king.straight | king_south | king_east | king_west;
        let king_diagonal = king.east | king.west | king_south_east | king_south_west;

        let near = work.enemy_king[r + 1] | work.enemy_king[r + 2] | work.enemy_king[r + 3];
        let sides =
            near | work.enemy_pawns[r + 3] | work.enemy_knights[r] | work.enemy_knights[r + 4];
        let twos = work.enemy_knights[r + 1] | work.enemy_knights[r + 3];
        let attacked = enemies.straight
            | enemies.east
            | enemies.west
            | enemy_south
            | enemy_south_east
            | enemy_south_west
            | enemy_east
            | enemy_west
            | near
            | sides.east()
            | west(sides)
            | twos.east().east()
            | west_two(twos);

        let jumps = work.king_sides[r]
            | work.king_sides[r + 4]
            | work.king_twos[r + 1]
            | work.king_twos[r + 3];
        let around = work.king_row[r + 1] | work.king_sides[r + 2] | work.king_row[r + 3];
        let check = any & !occupied
            | king_orthogonal & straight
            | king_diagonal & diagonal
            | jumps & work.enemy_knights[r + 2]
            | work.king_sides[r + 1] & work.enemy_pawns[r + 2];
        invalid = invalid | around & work.enemy_king[r + 2];
        work.check[r] = check;
        work.steps[r] = around & !(own | attacked);
        if r == 0 {
            first_rank = attacked;
        }
        let (pawns, knights) = (work.own_pawns[r], work.own_knights[r] & !any);
        let (orthogonal, diagonals) = (work.own_orthogonal[r], work.own_diagonal[r]);
        let [not_file, not_rank, not_up, not_down] = [any ^ file, any ^ rank, any ^ up, any ^ down];
        work.movers[0][r] = orthogonal & !not_file;
        work.movers[1][r] = orthogonal & !not_rank;
        work.movers[2][r] = diagonals & !not_up;
        work.movers[3][r] = diagonals & !not_down;
        work.pawns[0][r + 2] = pawns & !not_file;
        work.pawns[1][r + 2] = (pawns & !not_up).east();
        work.pawns[2][r + 2] = west(pawns & !not_down);
        let [odd, both] = half_add(knights.east(), west(knights));
        (work.jumps[0][0][r + 2], work.jumps[0][1][r + 2]) = (odd, both);
        let [odd, both] = half_add(knights.east().east(), west_two(knights));
        (work.jumps[1][0][r + 2], work.jumps[1][1][r + 2]) = (odd, both);

        enemies = enemies.next(without_king, straight, diagonal, diagonal);
        king = king.next(occupied, from, from, from);
    }
    // Not in the loop above, which has more values than registers.
    let [mut one, mut two, mut four] = [zero; 3];
    for r in 0..8 {
        let carry;
        [one, carry] = half_add(one, work.check[r] & work.occupied[r]);
        let more;
        [two, more] = half_add(two, carry);
        four = four | more;
    }
    (invalid, [one, two, four], first_rank)
}

/// Castling of a block.
struct Castling<R> {
    /// For each legal castling of standard chess, the square of the rook on the first rank.
    legal: R,
    /// Bits in bytes of positions with other rights.
    rare: R,
}

/// Finds legal castling with the king on the e-file and rooks on the a- and h-files. `attacked` is
/// what the enemy attacks of the first rank.
#[inline(always)]
fn castling<R: CountBytes>(work: &Work<R>, attacked: R, rights: R) -> Castling<R> {
    let splat = |byte| rights.splat(byte);
    let occupied = work.occupied[0];
    let on_e_file = (work.king[0] ^ splat(0x10)).zero_mask();
    let short = (occupied & splat(0x60) | attacked & splat(0x70)).zero_mask() & splat(0x80);
    let long = (occupied & splat(0x0e) | attacked & splat(0x1c)).zero_mask() & splat(0x01);
    let rooks = work.own_orthogonal[0] & !work.own_diagonal[0] & rights;
    let standard = (rights & splat(0x7e)).zero_mask() & on_e_file;
    Castling { legal: (short | long) & rooks & standard, rare: rooks & !standard }
}

/// Bits in bytes of positions with a pawn that stands where it could capture en passant.
#[inline(always)]
fn captures_en_passant<R: CountBytes>(work: &Work<R>, square: R) -> R {
    let exists = (square & square.splat(0xc0)).zero_mask();
    let file = square.file_of_square();
    work.own_pawns[4] & (file.east() | west(file)) & exists
}

/// The number of moves, without en passant captures, and with the given castling.
#[inline(always)]
fn count<R: CountBytes>(work: &mut Work<R>, no_check: R, one_check: R, castling: R) -> R {
    let zero = no_check.splat(0);
    let [mut north, mut south] = [Rays::none(zero); 2];
    for r in 0..8 {
        let occupied = work.occupied[r];
        let movers = [work.movers[0][r], work.movers[1][r], work.movers[2][r], work.movers[3][r]];
        let [east, west] = along(movers[1], occupied);
        let [sum, carry] = R::full_add(north.straight, north.east, north.west);
        let [sum, more] = R::full_add(sum, east, west);
        work.north[0][r] = sum;
        work.north[1][r] = carry;
        work.north[2][r] = more;
        north = north.next(occupied, movers[0], movers[2], movers[3]);

        let r = 7 - r;
        let [sum, carry] = R::full_add(south.straight, south.east, south.west);
        work.south[0][r] = sum;
        work.south[1][r] = carry;
        // To the south, the diagonal to the east is the one that goes up to the west.
        let movers = [work.movers[0][r], work.movers[3][r], work.movers[2][r]];
        south = south.next(work.occupied[r], movers[0], movers[1], movers[2]);
    }

    // Sums over all ranks, by weight.
    let [mut ones, mut twos, mut fours, mut eights] = [zero; 4];
    let [mut sixteens, mut thirty_twos, mut sixty_fours] = [zero; 3];
    let mut promotions = zero;
    for step in 0..8 {
        let r = 7 - step;
        let occupied = work.occupied[r];
        let targets = (no_check | one_check & work.check[r]) & !work.own[r];
        let pawns = [
            R::select(occupied, work.pawns[1][r + 1], work.pawns[0][r + 1]),
            work.pawns[2][r + 1] & occupied,
        ];
        let [near, far] = &work.jumps;
        let [[a, b], [c, d]] = [[near[0][r], near[0][r + 4]], [far[0][r + 1], far[0][r + 3]]];
        let [[e, f], [g, h]] = [[near[1][r], near[1][r + 4]], [far[1][r + 1], far[1][r + 3]]];
        let south = [work.south[0][r], work.south[1][r]];

        let [sum, two_a] = R::full_add(work.north[0][r], south[0], pawns[0]);
        let [knights, two_b] = R::full_add(a, b, c);
        let [one_a, two_c] = R::full_add(sum, knights, d);
        let one_b = pawns[1];

        let [sum_a, four_a] = R::full_add(work.north[1][r], work.north[2][r], south[1]);
        let [sum_b, four_b] = R::full_add(two_a, two_b, two_c);
        let [sum_c, four_c] = R::full_add(e, f, g);
        let [two_a, four_d] = R::full_add(sum_a, sum_b, sum_c);
        let two_b = h;

        let [four_a, eight] = R::full_add(four_a, four_b, four_c);

        // The sets of this rank are masked here, not before.
        let carry_a;
        [ones, carry_a] = R::full_add(ones, one_a & targets, one_b & targets);
        let [sum, carry_b] = R::full_add(twos, two_a & targets, two_b & targets);
        let carry_c;
        [twos, carry_c] = half_add(sum, carry_a);
        let [sum, carry_d] = R::full_add(fours, four_a & targets, four_d & targets);
        let carry_e;
        [fours, carry_e] = R::full_add(sum, carry_b, carry_c);
        let [sum, carry_f] = R::full_add(eights, eight & targets, carry_d);
        let carry_g;
        [eights, carry_g] = half_add(sum, carry_e);
        let carry;
        [sixteens, carry] = R::full_add(sixteens, carry_f, carry_g);
        let more;
        [thirty_twos, more] = half_add(thirty_twos, carry);
        sixty_fours = sixty_fours | more;

        if r == 7 {
            promotions =
                (pawns[0] & targets).count_bits().add_saturating((pawns[1] & targets).count_bits());
        }
    }

    // Two steps of a pawn, the king's moves.
    let double = work.pawns[0][1 + 2] & !work.occupied[2] & !work.occupied[3];
    let double = double & (no_check | one_check & work.check[3]);
    let steps = &work.steps;
    let [steps, two_steps] = R::full_add(
        steps[0] | steps[3] | steps[6],
        steps[1] | steps[4] | steps[7],
        steps[2] | steps[5],
    );
    let [ones, carry_a] = R::full_add(ones, steps, double);
    let [ones, carry_b] = half_add(ones, castling);
    let [twos, carry_c] = R::full_add(twos, two_steps, carry_a);
    let [twos, carry_d] = half_add(twos, carry_b);
    let [fours, carry] = R::full_add(fours, carry_c, carry_d);
    let [eights, carry] = half_add(eights, carry);
    let [sixteens, carry] = half_add(sixteens, carry);
    let [thirty_twos, carry] = half_add(thirty_twos, carry);
    let sixty_fours = sixty_fours | carry;

    let mut sum = sixty_fours.count_bits();
    macro_rules! add {
        ($($set:ident)*) => { $(
            sum = sum.add_saturating(sum).add_saturating($set.count_bits());
        )* };
    }
    add!(thirty_twos sixteens eights fours twos ones);
    sum.add_saturating(promotions).add_saturating(promotions).add_saturating(promotions)
}
