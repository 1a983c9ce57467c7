#![doc = include_str!("../../docs/techniques/switch.md")]

use crate::kernels::any_cpu::switch::Switch;
use crate::kernels::generic::per_slider::PerSlider;
use crate::{Line, Square};

/// The functions `rank`, `file`, `diagonal` and `antidiagonal`, their x-ray variants with the
/// prefix `xray_`, and the table `FUNCTIONS`.
#[allow(clippy::all, clippy::pedantic, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/switch_cases.rs"));
}

/// Attacks along one line: those of the rook or bishop, masked to the line.
///
/// ```
/// use setwise::{Line, Square, board, techniques::switch};
/// let d4 = Square::new(27).unwrap();
/// for line in Line::ALL {
///     assert_eq!(switch::line_attacks(line, d4, 1 << 51), board::line_attacks_from(line, d4, 1 << 51));
/// }
/// ```
#[must_use]
#[inline]
pub fn line_attacks(line: Line, square: Square, occupied: u64) -> u64 {
    Switch::line_attacks(line, square.index() as u8, occupied)
}

/// Attacks of a rook. The cost is a jump to the square's code, and 2.33 tests of single squares per
/// line on average, if all occupancies are equally likely.
///
/// ```
/// use setwise::{Square, board, techniques::switch};
/// assert_eq!(switch::rook_attacks(Square::D4, 1 << 51), board::rook_attacks_from(Square::D4, 1 << 51));
/// ```
#[must_use]
#[inline]
pub fn rook_attacks(square: Square, occupied: u64) -> u64 {
    Switch::rook_attacks(square.index() as u8, occupied)
}

/// Attacks of a bishop, along both diagonals.
///
/// ```
/// use setwise::{Square, board, techniques::switch};
/// let d4 = Square::new(27).unwrap();
/// assert_eq!(switch::bishop_attacks(d4, 1 << 45), board::bishop_attacks_from(d4, 1 << 45));
/// ```
#[must_use]
#[inline]
pub fn bishop_attacks(square: Square, occupied: u64) -> u64 {
    Switch::bishop_attacks(square.index() as u8, occupied)
}

/// Attacks along one line in Corbit's form: a `match` on the square, then a `match` on the occupied
/// inner squares. The second `match` has a case for each subset of these squares, up to 64.
///
/// The cost is an indirect jump, plus the code that the compiler generates for the cases. On x86-64
/// this code is a binary search. Along ranks, where the cases are consecutive numbers, it is a load
/// from a table.
///
/// ```
/// use setwise::{Line, Square, board, techniques::switch};
/// for line in Line::ALL {
///     let attacks = switch::by_cases(line, Square::E5, 1 << 18 | 1 << 52);
///     assert_eq!(attacks, board::line_attacks_from(line, Square::E5, 1 << 18 | 1 << 52));
/// }
/// ```
#[must_use]
#[inline]
pub fn by_cases(line: Line, square: Square, occupied: u64) -> u64 {
    let square = square.number();
    match line {
        Line::Rank => generated::rank(square, occupied),
        Line::File => generated::file(square, occupied),
        Line::Diagonal => generated::diagonal(square, occupied),
        Line::Antidiagonal => generated::antidiagonal(square, occupied),
    }
}

/// The functions of [`by_cases`], indexed by [`Line`] and square. Their argument is the set of
/// occupied squares.
///
/// ```
/// use setwise::{Line, Square, techniques::switch};
/// let diagonal_of_e5 = switch::FUNCTIONS[Line::Diagonal as usize][Square::E5.index()];
/// assert_eq!(diagonal_of_e5(0x0040_2000_0804_0200), 0x0000_2000_0800_0000); // f6 and d4
/// ```
#[allow(clippy::type_complexity, reason = "a name would not be simpler")]
pub static FUNCTIONS: [[fn(u64) -> u64; 64]; 4] = generated::FUNCTIONS;

/// Attacks along one line, like [`by_cases`], with a call through the table [`FUNCTIONS`] (2 KB)
/// instead of the `match` on the square.
///
/// ```
/// use setwise::{Line, Square, board, techniques::switch};
/// let attacks = switch::by_function(Line::File, Square::E5, 1 << 52);
/// assert_eq!(attacks, board::line_attacks_from(Line::File, Square::E5, 1 << 52));
/// ```
#[must_use]
#[inline]
pub fn by_function(line: Line, square: Square, occupied: u64) -> u64 {
    FUNCTIONS[line as usize][square.index()](occupied)
}

/// The squares along one line that a slider attacks through the nearest blocker of each ray. This
/// is the `match` of [`by_cases`] with other constants, at the same cost.
///
/// ```
/// use setwise::{Line, Square, techniques::switch};
/// // From a1 through c1: d1, e1 and the next blocker f1.
/// assert_eq!(switch::xray_attacks(Line::Rank, Square::A1, 1 << 2 | 1 << 5), 0b0011_1000);
/// ```
#[must_use]
#[inline]
pub fn xray_attacks(line: Line, square: Square, occupied: u64) -> u64 {
    let square = square.number();
    match line {
        Line::Rank => generated::xray_rank(square, occupied),
        Line::File => generated::xray_file(square, occupied),
        Line::Diagonal => generated::xray_diagonal(square, occupied),
        Line::Antidiagonal => generated::xray_antidiagonal(square, occupied),
    }
}

/// The pieces of `own` that are pinned to a king along one line. `sliders` are the other side's
/// rooks and queens for a rank or file, or its bishops and queens for a diagonal. All pieces must
/// be in `occupied`.
///
/// A pinned piece stands between the king and a slider that attacks the king through this piece
/// alone. Along the line, the pinned piece may move to the squares that it attacks there, except
/// the king's square. The cost is one call each of [`by_cases`] and [`xray_attacks`], and one more
/// call of [`by_cases`] for each slider that the x-ray finds.
///
/// ```
/// use setwise::techniques::switch;
/// use setwise::{Line, Square};
/// // King e1, rook e3, and the other side's rook e8.
/// let (king, rook, other) = (Square::E1, Square::E3.bitboard(), Square::E8.bitboard());
/// let occupied = king.bitboard() | rook | other;
/// assert_eq!(switch::pins(Line::File, king, rook, other, occupied), rook);
/// let moves = switch::by_cases(Line::File, Square::E3, occupied) & !king.bitboard();
/// assert_eq!(moves, 0x1010_1010_1000_1000); // e2, and e4 to e8
/// ```
#[must_use]
#[inline]
pub fn pins(line: Line, king: Square, own: u64, sliders: u64, occupied: u64) -> u64 {
    let mut pinners = xray_attacks(line, king, occupied) & sliders;
    let nearest = by_cases(line, king, occupied) & own;
    let mut pinned = 0;
    while let Some(pinner) = Square::new(pinners.trailing_zeros() as u8) {
        pinned |= by_cases(line, pinner, occupied) & nearest;
        pinners &= pinners - 1;
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    #[test]
    fn xrays_through_every_subset_of_every_line() {
        for line in Line::ALL {
            for square in (0..64).map(|square| Square::new(square).unwrap()) {
                let all = board::line_attacks_from(line, square, 0);
                let mut occupied = 0_u64;
                loop {
                    let expected = board::xray_queen_attacks(square.bitboard(), !0, occupied) & all;
                    let context = format!("{line:?} of {square}, occupied {occupied:#018x}");
                    assert_eq!(xray_attacks(line, square, occupied), expected, "{context}");
                    assert_eq!(xray_attacks(line, square, occupied | !all), expected, "{context}");
                    occupied = occupied.wrapping_sub(all) & all;
                    if occupied == 0 {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn pins_along_all_lines_are_those_of_the_board() {
        let mut random = fastrand::Rng::with_seed(64);
        let mut found = 0;
        for _ in 0..20_000 {
            let king = Square::new(random.u8(..64)).unwrap();
            let occupied = random.u64(..) & random.u64(..) | king.bitboard();
            let own = occupied & random.u64(..) | king.bitboard();
            let [straight, diagonal] = [(); 2].map(|()| occupied & !own & random.u64(..));
            let (expected, _) = board::pins(king.bitboard(), own, straight, diagonal, occupied);
            let sliders = [straight, straight, diagonal, diagonal];
            let pins = Line::ALL.into_iter().zip(sliders).fold(0, |pins, (line, sliders)| {
                pins | super::pins(line, king, own, sliders, occupied)
            });
            assert_eq!(pins, expected, "king {king}, occupied {occupied:#018x}");
            found += pins.count_ones();
        }
        assert!(found > 1000, "{found} pins");
    }

    #[test]
    fn the_documentation_shows_the_generated_source() {
        let page = include_str!("../../docs/techniques/switch.md");
        for generated in [
            include_str!(concat!(env!("OUT_DIR"), "/switch.rs")),
            include_str!(concat!(env!("OUT_DIR"), "/switch_cases.rs")),
        ] {
            let (_, function) = generated.split_once("\nfn diagonal_e5(").unwrap();
            let (function, _) = function.split_once("\n}\n").unwrap();
            assert!(page.contains(&format!("fn diagonal_e5({function}\n}}\n")));
        }
    }
}
