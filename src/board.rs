//! Operations on one board: `const`, portable, inlinable, without dispatch.
//!
//! For several boards, call the batch operations at the crate's root. To use the CPU's best
//! instructions for one board, call [`Kernel::rook_attacks_one`](crate::Kernel::rook_attacks_one)
//! and similar methods.
//!
//! Eastward rays take one subtraction: the borrow runs from each slider to the next occupied
//! square, and the a-file is the barrier between ranks. The other rays are Kogge-Stone fills.
//! Attacks from a single square use Hyperbola Quintessence, with two subtractions per line, and a
//! small table for the rank.
//!
//! As everywhere in this crate, every slider also blocks, whether or not it is in `occupied`.
//!
//! ```
//! // A rook on a1, a pawn on a3: the file up to a3, the whole first rank.
//! const ATTACKS: u64 = setwise::board::rook_attacks(1, 1 << 16);
//! assert_eq!(ATTACKS, 0x0000_0000_0001_01fe);
//! ```

mod moves;
mod threats;

pub use crate::drawing::{Drawing, drawn};
use crate::kernels::generic::one_word;
use crate::kernels::generic::{maps_and_checks, one_board, one_square};
use crate::kernels::geometry::{self, leapers};
use crate::position::{AttackMaps, Checks, Position, SideAttacks};
use crate::{Direction, Line, Side, Square};
pub use moves::*;
pub use threats::*;

/// The squares attacked by all rooks of one board.
///
/// ```
/// assert_eq!(setwise::board::rook_attacks(1, 0), 0x0101_0101_0101_01fe);
/// ```
#[must_use]
#[inline]
pub const fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    one_word::rook_attacks(rooks, occupied)
}

/// The squares attacked by all bishops of one board.
///
/// ```
/// use setwise::board;
/// assert_eq!(board::bishop_attacks(1, 1 << 18), 0x0000_0000_0004_0200); // a1, blocked on c3
/// ```
#[must_use]
#[inline]
pub const fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    one_word::bishop_attacks(bishops, occupied)
}

/// The squares attacked by all queens of one board.
///
/// ```
/// use setwise::board;
/// assert_eq!(board::queen_attacks(1, 0), board::rook_attacks(1, 0) | board::bishop_attacks(1, 0));
/// ```
#[must_use]
#[inline]
pub const fn queen_attacks(queens: u64, occupied: u64) -> u64 {
    rook_attacks(queens, occupied) | bishop_attacks(queens, occupied)
}

/// The squares attacked by the orthogonal sliders (rooks, queens) along ranks and files, and by the
/// diagonal sliders (bishops, queens) along diagonals. All sliders block.
///
/// ```
/// // The bishop on c1 blocks the rook on a1.
/// let attacks = setwise::board::slider_attacks(1, 4, 0);
/// assert_eq!(attacks & 0xff, 0b110); // b1 and c1 by the rook, nothing beyond the bishop
/// ```
#[must_use]
#[inline]
pub const fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    rook_attacks(orthogonal, occupied) | bishop_attacks(diagonal, occupied)
}

/// The squares attacked in one direction, up to and including the first occupied square.
///
/// ```
/// use setwise::{Direction, board};
/// assert_eq!(board::ray_attacks(Direction::West, 1 << 7, 1 << 3), 0b0111_1000);
/// ```
#[must_use]
#[inline]
pub const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    one_word::ray_attacks(direction, sliders, occupied)
}

/// The generators, and every square that they reach in one direction by steps that all land on
/// propagators.
///
/// ```
/// use setwise::{Direction, board};
/// // From a1 north over empty squares until the blocker on a4.
/// assert_eq!(board::occluded_fill(Direction::North, 1, !(1 << 24)), 0x0001_0101);
/// ```
#[must_use]
#[inline]
pub const fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    one_word::occluded_fill(direction, generators, propagators)
}

/// Rook attacks of the orthogonal sliders and bishop attacks of the diagonal sliders, as two sets.
/// All sliders block.
///
/// ```
/// use setwise::board;
/// let (orthogonal, diagonal) = board::slider_attacks_split(1, 4, 0); // rook a1, bishop c1
/// assert_eq!(orthogonal | diagonal, board::slider_attacks(1, 4, 0));
/// assert_eq!(orthogonal & 0xff, 0b110);
/// ```
#[must_use]
#[inline]
pub const fn slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | orthogonal | diagonal;
    (rook_attacks(orthogonal, occupied), bishop_attacks(diagonal, occupied))
}

/// The squares that rooks attack through the first occupied square of a ray, if that square is in
/// `blockers`: see [`xray_rook_attacks`](crate::xray_rook_attacks).
///
/// ```
/// use setwise::board;
/// let attacks = board::xray_rook_attacks(1, 1 << 2, 1 << 2 | 1 << 5); // a1 through c1 to f1
/// assert_eq!(attacks, 0b11_1000);
/// ```
#[must_use]
#[inline]
pub const fn xray_rook_attacks(rooks: u64, blockers: u64, occupied: u64) -> u64 {
    xray_attacks(Direction::ORTHOGONAL, rooks, blockers, occupied)
}

/// The squares that bishops attack through the first occupied square of a ray, if that square is in
/// `blockers`: see [`xray_rook_attacks`](crate::xray_rook_attacks).
///
/// ```
/// use setwise::board;
/// assert_eq!(board::xray_bishop_attacks(1, 1 << 18, 1 << 18 | 1 << 36), 1 << 27 | 1 << 36);
/// ```
#[must_use]
#[inline]
pub const fn xray_bishop_attacks(bishops: u64, blockers: u64, occupied: u64) -> u64 {
    xray_attacks(Direction::DIAGONAL, bishops, blockers, occupied)
}

/// The squares that queens attack through the first occupied square of a ray, if that square is in
/// `blockers`: see [`xray_rook_attacks`](crate::xray_rook_attacks).
///
/// ```
/// assert_eq!(setwise::board::xray_queen_attacks(1, 1 << 9, 0x0302), 0x8040_2010_0804_0000);
/// ```
#[must_use]
#[inline]
pub const fn xray_queen_attacks(queens: u64, blockers: u64, occupied: u64) -> u64 {
    xray_rook_attacks(queens, blockers, occupied) | xray_bishop_attacks(queens, blockers, occupied)
}

#[inline(always)]
const fn xray_attacks(
    directions: [Direction; 4],
    sliders: u64,
    blockers: u64,
    occupied: u64,
) -> u64 {
    let occupied = occupied | sliders;
    let (mut attacks, mut i) = (0, 0);
    while i < directions.len() {
        let first = ray_attacks(directions[i], sliders, occupied) & blockers & occupied;
        attacks |= ray_attacks(directions[i], first, occupied);
        i += 1;
    }
    attacks
}

/// Returns `(pinned, pinners)`: the pieces of `own` pinned to `kings`, and the sliders of the other
/// side (`orthogonal` and `diagonal`) that pin them. See [`pins`](crate::pins).
///
/// ```
/// // King e1, pawn e2, enemy rook e8.
/// assert_eq!(setwise::board::pins(1 << 4, 1 << 12, 1 << 60, 0, 0), (1 << 12, 1 << 60));
/// ```
#[must_use]
#[inline]
pub const fn pins(
    kings: u64,
    own: u64,
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
) -> (u64, u64) {
    let occupied = occupied | kings | own | orthogonal | diagonal;
    let (mut pinned, mut pinners, mut i) = (0, 0, 0);
    while i < Direction::ALL.len() {
        let direction = Direction::ALL[i];
        let line = if i % 2 == 0 { orthogonal } else { diagonal };
        // Own pieces that both a king and a slider see along this line: the pinned pieces.
        let between = ray_attacks(direction, kings, occupied)
            & ray_attacks(direction.opposite(), line, occupied)
            & own;
        pinned |= between;
        pinners |= ray_attacks(direction, between, occupied) & line;
        i += 1;
    }
    (pinned, pinners)
}

/// The attacks of a board's bishops, of its rooks and of its queens, as three sets. All these
/// sliders also block.
///
/// ```
/// use setwise::board;
/// let [bishops, rooks, queens] = board::sliders_by_kind(1 << 2, 1, 1 << 7, 0); // c1, a1, h1
/// assert_eq!((rooks & 0xff, queens & 0xff), (0b0000_0110, 0b0111_1100));
/// assert_eq!(bishops, board::bishop_attacks(1 << 2, 0));
/// ```
#[must_use]
#[inline]
pub const fn sliders_by_kind(bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3] {
    one_board::sliders_by_kind(bishops, rooks, queens, occupied)
}

/// The attacks of one side's pieces (pawns, knights, bishops, rooks, queens, kings), by kind, and
/// their union: see [`Kernel::side_attacks_one`](crate::Kernel::side_attacks_one).
///
/// ```
/// use setwise::{Side, board};
/// let white = [1 << 27, 0, 0, 0, 0, 1 << 4]; // pawn d4, king e1
/// let attacks = board::side_attacks(Side::White, &white, white[0] | white[5]);
/// assert_eq!(attacks.all, board::pawn_attacks(Side::White, 1 << 27) | board::king_attacks(1 << 4));
/// ```
#[must_use]
#[inline]
pub const fn side_attacks(side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
    let sliders = one_board::sliders_by_kind(pieces[2], pieces[3], pieces[4], occupied);
    one_board::with_leapers(side, pieces, sliders)
}

/// The squares that at least two pieces of one side attack: see
/// [`Kernel::doubly_attacked_one`](crate::Kernel::doubly_attacked_one).
///
/// ```
/// use setwise::{Side, board};
/// let white = [1 << 8 | 1 << 10, 0, 0, 0, 0, 0]; // pawns a2, c2
/// assert_eq!(board::doubly_attacked(Side::White, &white, white[0]), 1 << 17); // b3
/// ```
#[must_use]
#[inline]
pub const fn doubly_attacked(side: Side, pieces: &[u64; 6], occupied: u64) -> u64 {
    one_board::doubly_attacked(side, pieces, occupied)
}

/// The squares strictly between two squares on a common rank, file, diagonal or antidiagonal. Empty
/// if the two squares share no line.
///
/// ```
/// use setwise::{Square, board};
/// const BETWEEN: u64 = board::between(Square::A1, Square::D4);
/// assert_eq!(BETWEEN, 1 << 9 | 1 << 18);
/// ```
#[must_use]
#[inline]
pub const fn between(a: Square, b: Square) -> u64 {
    geometry::between::between(a.index() as u8, b.index() as u8)
}

/// The whole rank, file, diagonal or antidiagonal through two squares, from edge to edge. Empty if
/// the two squares share no line, or are the same square.
///
/// ```
/// use setwise::{Square, board};
/// assert_eq!(board::line_through(Square::B2, Square::D4), 0x8040_2010_0804_0201);
/// ```
#[must_use]
#[inline]
pub const fn line_through(a: Square, b: Square) -> u64 {
    geometry::between::line_through(a.index() as u8, b.index() as u8)
}

/// The number of squares of `targets` that the rooks attack.
///
/// ```
/// assert_eq!(setwise::board::rook_mobility(1, 0, !0), 14);
/// ```
#[must_use]
#[inline]
pub const fn rook_mobility(rooks: u64, occupied: u64, targets: u64) -> u32 {
    (rook_attacks(rooks, occupied) & targets).count_ones()
}

/// The number of squares of `targets` that the bishops attack.
///
/// ```
/// assert_eq!(setwise::board::bishop_mobility(1, 0, !0), 7);
/// ```
#[must_use]
#[inline]
pub const fn bishop_mobility(bishops: u64, occupied: u64, targets: u64) -> u32 {
    (bishop_attacks(bishops, occupied) & targets).count_ones()
}

/// The number of squares of `targets` that the queens attack.
///
/// ```
/// assert_eq!(setwise::board::queen_mobility(1, 0, !0), 21);
/// ```
#[must_use]
#[inline]
pub const fn queen_mobility(queens: u64, occupied: u64, targets: u64) -> u32 {
    (queen_attacks(queens, occupied) & targets).count_ones()
}

/// The number of squares in `targets` that the sliders attack: see [`slider_attacks`].
///
/// ```
/// assert_eq!(setwise::board::slider_mobility(1, 4, 0, 0xff), 2); // rook a1, bishop c1
/// ```
#[must_use]
#[inline]
pub const fn slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64) -> u32 {
    (slider_attacks(orthogonal, diagonal, occupied) & targets).count_ones()
}

/// The squares attacked by a rook on a square. Whether that square is in `occupied` makes no
/// difference.
///
/// ```
/// use setwise::{Square, board};
/// const ATTACKS: u64 = board::rook_attacks_from(Square::A1, 1 << 16);
/// assert_eq!(ATTACKS, 0x0000_0000_0001_01fe);
/// ```
#[must_use]
#[inline]
pub const fn rook_attacks_from(square: Square, occupied: u64) -> u64 {
    one_square::rook_attacks(square.number(), occupied)
}

/// The squares attacked by a bishop on a square. Whether that square is in `occupied` makes no
/// difference.
///
/// ```
/// use setwise::{Square, board};
/// assert_eq!(board::bishop_attacks_from(Square::A1, 1 << 18), 0x0004_0200); // blocked on c3
/// ```
#[must_use]
#[inline]
pub const fn bishop_attacks_from(square: Square, occupied: u64) -> u64 {
    one_square::bishop_attacks(square.number(), occupied)
}

/// The squares attacked by a queen on a square. Whether that square is in `occupied` makes no
/// difference.
///
/// ```
/// use setwise::{Square, board};
/// assert_eq!(board::queen_attacks_from(Square::A1, 0), board::queen_attacks(1, 0));
/// ```
#[must_use]
#[inline]
pub const fn queen_attacks_from(square: Square, occupied: u64) -> u64 {
    one_square::queen_attacks(square.number(), occupied)
}

/// The squares attacked along one line, in both directions, by a slider on a square. Whether that
/// square is in `occupied` makes no difference.
///
/// ```
/// use setwise::{Line, Square, board};
/// assert_eq!(board::line_attacks_from(Line::Rank, Square::E1, 0b0100_0010), 0b0110_1110);
/// ```
#[must_use]
#[inline]
pub const fn line_attacks_from(line: Line, square: Square, occupied: u64) -> u64 {
    one_square::line_attacks(line, square.number(), occupied)
}

/// The squares attacked by all pawns of a side.
///
/// ```
/// use setwise::{Side, board};
/// assert_eq!(board::pawn_attacks(Side::White, 1 << 8), 1 << 17); // a2: b3
/// ```
#[must_use]
#[inline]
pub const fn pawn_attacks(side: Side, pawns: u64) -> u64 {
    leapers::pawn_attacks(side, pawns)
}

/// The squares attacked by all knights.
///
/// ```
/// assert_eq!(setwise::board::knight_attacks(1), 1 << 10 | 1 << 17); // a1: c2, b3
/// ```
#[must_use]
#[inline]
pub const fn knight_attacks(knights: u64) -> u64 {
    leapers::knight_attacks(knights)
}

/// The squares attacked by all kings.
///
/// ```
/// assert_eq!(setwise::board::king_attacks(1), 0x0302); // a1: b1, a2, b2
/// ```
#[must_use]
#[inline]
pub const fn king_attacks(kings: u64) -> u64 {
    leapers::king_attacks(kings)
}

/// The attacks of every kind of piece of both sides; see [`attack_maps`](crate::attack_maps). In a
/// hot loop, [`Kernel::attack_maps_one`](crate::Kernel::attack_maps_one) takes a fraction of the
/// time.
///
/// ```
/// use setwise::board;
/// let mut position = setwise::position::Position::default();
/// position.pieces[0][3] = 1; // a white rook on a1
/// assert_eq!(board::attack_maps(&position).all[0], board::rook_attacks(1, 0));
/// ```
#[must_use]
pub const fn attack_maps(position: &Position) -> AttackMaps {
    let occupied = position.occupied();
    let [w, b] = &position.pieces;
    let straight = [
        rook_attacks(w[3], occupied),
        rook_attacks(w[4], occupied),
        rook_attacks(b[3], occupied),
        rook_attacks(b[4], occupied),
    ];
    let diagonal = [
        bishop_attacks(w[2], occupied),
        bishop_attacks(w[4], occupied),
        bishop_attacks(b[2], occupied),
        bishop_attacks(b[4], occupied),
    ];
    maps_and_checks::of_sliders(position, straight, diagonal)
}

/// The checks and pins of both kings; see [`checks`](crate::checks).
///
/// ```
/// let mut position = setwise::position::Position::default();
/// position.pieces[0][5] = 1; // a white king on a1
/// position.pieces[1][4] = 1 << 63; // a black queen on h8
/// assert_eq!(setwise::board::checks(&position).checkers, [1 << 63, 0]);
/// ```
#[must_use]
#[inline]
pub const fn checks(position: &Position) -> Checks {
    maps_and_checks::checks(position)
}
