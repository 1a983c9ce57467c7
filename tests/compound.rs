//! X-rays and pins along one line, exhaustively; the lines of all pairs of squares; and the
//! classical formulas where they hold. Every kernel that this CPU can run, against the oracle.

#[path = "oracle/mod.rs"]
#[allow(dead_code, reason = "this file uses a part of it")]
mod oracle;

use oracle::{BISHOP, Place, QUEEN, ROOK, Step, step};
use setwise::{Kernels, Square, board};

/// The squares of the line along a step through the square of this file and rank.
fn line(file: i8, rank: i8, along: Step) -> Vec<u64> {
    let mut start = Place { file, rank };
    while let Some(before) = start.after(step(-along.east, -along.north)) {
        start = before;
    }
    let squares: Vec<u64> = std::iter::successors(Some(start), |place| place.after(along))
        .map(Place::alone)
        .collect();
    assert_eq!(squares.len(), 8, "a line of the board's length");
    squares
}

/// Every way to put one of five things on each square of a line: for each, the four sets of
/// squares that hold a thing other than the first, which is nothing.
fn fillings(line: &[u64]) -> impl Iterator<Item = [u64; 4]> {
    (0..5_u32.pow(8)).map(move |number| {
        let mut sets = [0; 4];
        for (i, square) in (0..).zip(line) {
            if let thing @ 1.. = number / 5_u32.pow(i) % 5 {
                sets[thing as usize - 1] |= square;
            }
        }
        sets
    })
}

fn columns<const N: usize>(rows: &[[u64; N]]) -> [Vec<u64>; N] {
    std::array::from_fn(|n| rows.iter().map(|row| row[n]).collect())
}

#[track_caller]
fn assert_same(kernel: &Kernels, what: &str, inputs: &[&[u64]], got: &[u64], expected: &[u64]) {
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!(
            got == expected,
            "{} {what}: {:#x?} gave {got:#x}, expected {expected:#x}",
            kernel.name(),
            inputs.iter().map(|input| input[i]).collect::<Vec<_>>()
        );
    }
}

type Xray = fn(&'static Kernels, &[u64], &[u64], &[u64], &mut [u64]);

/// On each square: nothing, a piece, a piece to be looked through, a slider, a slider to be looked through.
fn xrays(line: &[u64], steps: &[Step], attacks: Xray) {
    let rows: Vec<[u64; 3]> = fillings(line)
        .map(|[piece, glass, slider, glass_slider]| {
            let sliders = slider | glass_slider;
            [sliders, glass | glass_slider, piece | glass | sliders]
        })
        .collect();
    let oracle = |&[sliders, blockers, occupied]: &[u64; 3]| {
        oracle::xray_attacks(steps, sliders, blockers, occupied)
    };
    let expected: Vec<u64> = rows.iter().map(oracle).collect();
    let [sliders, blockers, occupied] = columns(&rows);
    let mut got = vec![0; rows.len()];
    for kernel in Kernels::available() {
        attacks(kernel, &sliders, &blockers, &occupied, &mut got);
        let inputs: [&[u64]; 3] = [&sliders, &blockers, &occupied];
        assert_same(kernel, "x-ray", &inputs, &got, &expected);
    }
}

/// On each square: nothing, a king, an own piece, a piece, a foreign slider; the slider once as
/// one that moves along the line, once as one that does not.
fn pins(line: &[u64], diagonal: bool) {
    for moves in [true, false] {
        let rows: Vec<[u64; 5]> = fillings(line)
            .map(|[king, own, piece, slider]| {
                let (right, wrong) = if moves { (slider, 0) } else { (0, slider) };
                let [orthogonal, oblique] = if diagonal {
                    [wrong, right]
                } else {
                    [right, wrong]
                };
                [king, own | king, orthogonal, oblique, piece]
            })
            .collect();
        let (pinned, pinners): (Vec<u64>, Vec<u64>) = rows
            .iter()
            .map(|row| oracle::pins(row[0], row[1], row[2], row[3], row[4]))
            .unzip();
        assert_eq!(pinned.iter().any(|&set| set != 0), moves);
        let [kings, own, orthogonal, oblique, occupied] = columns(&rows);
        let mut got = [vec![0; rows.len()], vec![0; rows.len()]];
        for kernel in Kernels::available() {
            let [got_pinned, got_pinners] = &mut got;
            kernel.pins(
                &kings,
                &own,
                &orthogonal,
                &oblique,
                &occupied,
                got_pinned,
                got_pinners,
            );
            let inputs: [&[u64]; 5] = [&kings, &own, &orthogonal, &oblique, &occupied];
            assert_same(kernel, "pinned", &inputs, got_pinned, &pinned);
            assert_same(kernel, "pinners", &inputs, got_pinners, &pinners);
        }
    }
}

const ROOKS: Xray = |k, s, b, o, out| k.xray_rook_attacks(s, b, o, out);
const BISHOPS: Xray = |k, s, b, o, out| k.xray_bishop_attacks(s, b, o, out);
const QUEENS: Xray = |k, s, b, o, out| k.xray_queen_attacks(s, b, o, out);

#[test]
fn everything_on_a_rank() {
    for rank in [0, 3, 7] {
        let line = line(0, rank, step(1, 0));
        xrays(&line, &ROOK, ROOKS);
        pins(&line, false);
    }
    xrays(&line(0, 5, step(1, 0)), &QUEEN, QUEENS);
}

#[test]
fn everything_on_a_file() {
    for file in [0, 3, 7] {
        let line = line(file, 0, step(0, 1));
        xrays(&line, &ROOK, ROOKS);
        pins(&line, false);
    }
    xrays(&line(5, 0, step(0, 1)), &QUEEN, QUEENS);
}

#[test]
fn everything_on_the_long_diagonals() {
    for line in [line(0, 0, step(1, 1)), line(0, 7, step(1, -1))] {
        xrays(&line, &BISHOP, BISHOPS);
        xrays(&line, &QUEEN, QUEENS);
        pins(&line, true);
    }
}

/// For one slider an x-ray is what more is attacked when the blockers met are gone.
#[test]
fn the_classical_formula_for_one_slider() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let rook = 1 << random.u32(..64);
        let occupied = random.u64(..) & random.u64(..) | rook;
        let blockers = random.u64(..);
        let seen = board::rook_attacks(rook, occupied);
        let gone = board::rook_attacks(rook, occupied ^ (blockers & occupied & seen)) ^ seen;
        assert_eq!(board::xray_rook_attacks(rook, blockers, occupied), gone);
    }
}

/// For one king the pinned pieces are the own ones alone between the king and a slider.
#[test]
fn pins_of_one_king_by_the_squares_between() {
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..20_000 {
        let king = random.u8(..64);
        let own = random.u64(..) & random.u64(..) & random.u64(..);
        let rooks = random.u64(..) & random.u64(..) & random.u64(..) & !own & !(1 << king);
        let (mut pinned, mut pinners) = (0, 0);
        for rook in (0..64).filter(|square| rooks >> square & 1 != 0) {
            let square = |n| Square::new(n).unwrap();
            let between = board::between(square(king), square(rook)) & (own | rooks);
            let aligned = board::rook_attacks(1 << king, 0) >> rook & 1 != 0;
            if aligned && between.is_power_of_two() && between & own != 0 {
                pinned |= between;
                pinners |= 1 << rook;
            }
        }
        assert_eq!(
            board::pins(1 << king, own, rooks, 0, 0),
            (pinned, pinners),
            "{king} {own:#x} {rooks:#x}"
        );
    }
}

#[test]
fn lines_of_all_pairs_of_squares() {
    let square = |n: usize| Square::new(u8::try_from(n).unwrap()).unwrap();
    let a: Vec<Square> = (0..4096).map(|n| square(n / 64)).collect();
    let b: Vec<Square> = (0..4096).map(|n| square(n % 64)).collect();
    let all = |f: fn(u64, u64) -> u64| -> Vec<u64> {
        (0..4096).map(|n| f(1 << (n / 64), 1 << (n % 64))).collect()
    };
    let (between, through) = (all(oracle::between), all(oracle::line_through));
    let mut got = vec![0; 4096];
    for kernel in Kernels::available() {
        kernel.between(&a, &b, &mut got);
        assert_eq!(got, between, "{}", kernel.name());
        kernel.line_through(&a, &b, &mut got);
        assert_eq!(got, through, "{}", kernel.name());
    }
    for n in 0..4096 {
        assert_eq!(board::between(a[n], b[n]), between[n]);
        assert_eq!(board::line_through(a[n], b[n]), through[n]);
    }
}

/// Outputs of different lengths, and inputs that fit neither.
#[test]
fn lengths_of_two_outputs() {
    let panics = |f: &dyn Fn()| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let message = panics(&|| {
        setwise::slider_attacks_split(&[1; 3], &[1; 3], &[1; 3], &mut [0; 3], &mut [0; 4]);
    });
    for part in ["`diagonal_attacks` has 4", "`orthogonal_attacks` has 3"] {
        assert!(message.contains(part), "{message}");
    }
    let message = panics(&|| {
        setwise::pins(
            &[1; 2],
            &[1; 2],
            &[1; 1],
            &[1; 2],
            &[1; 2],
            &mut [0; 2],
            &mut [0; 2],
        );
    });
    for part in ["`orthogonal` has 1", "`pinned`, `pinners` has 2"] {
        assert!(message.contains(part), "{message}");
    }
}
