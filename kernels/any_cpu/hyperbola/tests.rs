//! Every form on every square with every relevant occupancy, and their speeds side by side.

use std::hint::black_box;
use std::time::Instant;

use crate::kernels::any_cpu::kogge_stone;
use crate::kernels::generic::one_square::{
    self as lines, by_bit_reversal, by_byte_swap, rank_by_main_diagonal, rank_by_table,
};
use crate::kernels::geometry::line::{Line, line_of};

/// Calls a check for each square and each occupancy of its lines' inner squares.
fn every_occupancy(lines: &[Line], check: impl Fn(u8, u64)) {
    for square in 0..64 {
        let inner = lines
            .iter()
            .fold(0, |set, &line| set | inner_squares(line, square));
        let mut occupied = 0_u64;
        loop {
            check(square, occupied);
            // The next subset (Carry-Rippler).
            occupied = occupied.wrapping_sub(inner) & inner;
            if occupied == 0 {
                break;
            }
        }
    }
}

/// A line's squares without the outermost of each ray, whose occupancy does not matter.
fn inner_squares(line: Line, square: u8) -> u64 {
    let followed = |d: crate::Direction, set| d.opposite().step(d.step(set));
    let [there, back] = line.directions();
    let mask = line_of(line, square);
    // A square of the line stays if its neighbour further out is on the board.
    mask & followed(there, mask) & followed(back, mask)
}

/// Attacks by the fills of another kernel.
fn by_fill(lines: &[Line], square: u8, occupied: u64) -> u64 {
    let rays = lines.iter().flat_map(|line| line.directions());
    rays.fold(0, |set, d| {
        set | kogge_stone::ray_attacks(d, 1 << square, occupied)
    })
}

const STRAIGHT: [Line; 2] = [Line::Rank, Line::File];
const DIAGONALS: [Line; 2] = [Line::Diagonal, Line::Antidiagonal];

#[test]
fn each_line_by_each_form() {
    for line in Line::ALL {
        every_occupancy(&[line], |square, occupied| {
            for surroundings in [0, !line_of(line, square)] {
                let occupied = occupied | surroundings;
                let expected = by_fill(&[line], square, occupied);
                assert_eq!(by_bit_reversal(line, square, occupied), expected);
                if line == Line::Rank {
                    assert_eq!(rank_by_table(square, occupied), expected);
                    assert_eq!(rank_by_main_diagonal(square, occupied), expected);
                } else {
                    assert_eq!(by_byte_swap(line, square, occupied), expected);
                }
            }
        });
    }
}

#[test]
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn several_lines_by_each_vector_form() {
    use super::one_square_vectors as one_square;
    let has = |name, there: bool| {
        if !there {
            println!("not run: this CPU has no {name}");
        }
        there
    };
    let (ssse3, avx2) = (
        has("SSSE3", std::arch::is_x86_feature_detected!("ssse3")),
        has("AVX2", std::arch::is_x86_feature_detected!("avx2")),
    );
    for lines in [STRAIGHT, DIAGONALS] {
        every_occupancy(&lines, |square, occupied| {
            let straight = by_fill(&STRAIGHT, square, occupied);
            let diagonal = by_fill(&DIAGONALS, square, occupied);
            // SAFETY: the features were asked for.
            unsafe {
                if ssse3 {
                    assert_eq!(one_square::bishop_by_pshufb(square, occupied), diagonal);
                    let both = one_square::rook_and_bishop_by_vpperm(square, occupied);
                    assert_eq!(both, [straight, diagonal]);
                }
                if avx2 {
                    let queen = one_square::queen_in_one_register(square, occupied);
                    assert_eq!(queen, straight | diagonal);
                    // The square at each of the four places, its mirror image at the others.
                    let other = by_fill(&DIAGONALS, square ^ 7, occupied);
                    for place in 0..4 {
                        let (mut squares, mut bishops) = ([square ^ 7; 4], [other; 4]);
                        (squares[place], bishops[place]) = (square, diagonal);
                        assert_eq!(four_bishops(squares, occupied), bishops);
                    }
                }
            }
        });
    }
}

/// # Safety
/// The CPU has AVX2.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "avx2")]
unsafe fn four_bishops(squares: [u8; 4], occupied: u64) -> [u64; 4] {
    use super::four_squares;
    use crate::kernels::generic::from_square::BishopFrom as Bishop;
    use core::arch::x86_64::{__m256i, _mm256_set1_epi64x};
    let board = _mm256_set1_epi64x(occupied.cast_signed());
    // SAFETY: four squares are there; a vector is four plain boards.
    unsafe {
        let attacks = four_squares::attacks(Bishop, squares.as_ptr(), board);
        core::mem::transmute::<__m256i, [u64; 4]>(attacks)
    }
}

/// `cargo test --release -p setwise --lib hyperbola -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speeds_of_the_forms() {
    type Form<'a> = &'a dyn Fn(&[(u8, u64)]) -> u64;
    let mut random = fastrand::Rng::with_seed(64);
    let boards: Vec<(u8, u64)> = (0..4096)
        .map(|_| (random.u8(..64), random.u64(..) & random.u64(..)))
        .collect();
    let time = |form: Form| {
        let mut times: Vec<f64> = (0..301)
            .map(|_| {
                let start = Instant::now();
                black_box(form(black_box(&boards)));
                start.elapsed().as_secs_f64() * 1e9 / boards.len() as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    macro_rules! forms {
        ($first:literal $one:expr; $($name:literal $form:expr;)*) => {
            let base = time(&|boards: &[(u8, u64)]| boards.iter().fold(0, |x, &(s, o)| x ^ $one(s, o)));
            println!("{:44} 1.00 ({base:.2} ns)", $first);
            $(
                let form = time(&|boards: &[(u8, u64)]| boards.iter().fold(0, |x, &(s, o)| x ^ $form(s, o)));
                println!("{:44} {:.2}", $name, form / base);
            )*
        };
    }
    forms! {
        "rank by first-rank table" rank_by_table;
        "rank by main diagonal" rank_by_main_diagonal;
        "rank by bit reversal" |s, o| by_bit_reversal(Line::Rank, s, o);
    }
    forms! {
        "file by byte swap" |s, o| by_byte_swap(Line::File, s, o);
        "file by bit reversal" |s, o| by_bit_reversal(Line::File, s, o);
    }
    forms! {
        "queen by byte swap, rank by table" lines::queen_attacks;
        "queen by bit reversal" |s, o| Line::ALL.iter().fold(0, |x, &l| x | by_bit_reversal(l, s, o));
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    if std::arch::is_x86_feature_detected!("avx2") {
        use super::one_square_vectors as one_square;
        /// A loop compiled for the features, as the forms are.
        macro_rules! with_features {
            ($features:literal, $form:expr) => {{
                #[target_feature(enable = $features)]
                fn all(boards: &[(u8, u64)]) -> u64 {
                    boards.iter().fold(0, |x, &(s, o)| x ^ $form(s, o))
                }
                // SAFETY: asked for above; AVX2 has SSSE3.
                time(&|boards| unsafe { all(boards) })
            }};
        }
        let queen = time(&|boards| {
            boards
                .iter()
                .fold(0, |x, &(s, o)| x ^ lines::queen_attacks(s, o))
        });
        let bishop = time(&|boards| {
            boards
                .iter()
                .fold(0, |x, &(s, o)| x ^ lines::bishop_attacks(s, o))
        });
        let one = with_features!("avx2", |s, o| one_square::queen_in_one_register(s, o));
        println!(
            "queen in one AVX2 register : byte swap {:19.2}",
            one / queen
        );
        let vpperm = with_features!("ssse3", |s, o| {
            let [rook, bishop] = one_square::rook_and_bishop_by_vpperm(s, o);
            rook | bishop
        });
        println!(
            "queen by two VPPERMs in software : byte swap {:13.2}",
            vpperm / queen
        );
        let pshufb = with_features!("ssse3", |s, o| one_square::bishop_by_pshufb(s, o));
        println!("bishop by pshufb : byte swap {:29.2}", pshufb / bishop);
    }
}
