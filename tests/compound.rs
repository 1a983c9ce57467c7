//! Exhaustive tests of x-rays and pins along one line, and of the lines through all pairs of
//! squares. They compare the oracle with every kernel that this CPU can run.

use setwise::{Kernel, Square, board};
use setwise_check::oracle::{self, Place, Step, step};

/// The squares of the line that passes through a square in the direction `along`. The line must
/// have eight squares.
fn line(file: i8, rank: i8, along: Step) -> Vec<u64> {
    let here = Place { file, rank };
    let start = here.walk(step(-along.east, -along.north)).last().unwrap_or(here);
    let squares: Vec<u64> =
        [start].into_iter().chain(start.walk(along)).map(Place::alone).collect();
    assert_eq!(squares.len(), 8, "the line must have eight squares");
    squares
}

/// All ways to place pieces of four kinds on a line, with at most one piece per square. Each item
/// has one set of squares per kind.
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

/// Checks an operation with every kernel. Each row has the operation's `N` input sets for one
/// board. Returns the oracle's results.
fn check<const N: usize, const M: usize>(
    rows: &[[u64; N]],
    oracle: impl Fn([u64; N]) -> [u64; M],
    operation: impl Fn(&Kernel, [&[u64]; N], [&mut [u64]; M]),
) -> Vec<[u64; M]> {
    let expected: Vec<[u64; M]> = rows.iter().map(|&row| oracle(row)).collect();
    let columns: [Vec<u64>; N] = std::array::from_fn(|n| rows.iter().map(|row| row[n]).collect());
    for kernel in Kernel::available() {
        let mut got = [const { vec![] }; M].map(|_: Vec<u64>| vec![0; rows.len()]);
        operation(kernel, columns.each_ref().map(|c| &c[..]), got.each_mut().map(|g| &mut g[..]));
        for (i, expected) in expected.iter().enumerate() {
            let got = got.each_ref().map(|got| got[i]);
            assert!(
                got == *expected,
                "{kernel:?}: {:#x?} gave {got:#x?}, expected {expected:#x?}",
                rows[i]
            );
        }
    }
    expected
}

macro_rules! xrays {
    ($line:expr, $operation:ident) => {{
        let line: &[u64] = $line;
        // Each square is empty or holds a piece, a blocker, a slider, or a slider that is also a
        // blocker.
        let boards = fillings(line).map(|[piece, blocker, slider, blocking_slider]| {
            let sliders = slider | blocking_slider;
            [sliders, blocker | blocking_slider, piece | blocker | sliders]
        });
        check(
            &boards.collect::<Vec<_>>(),
            |[sliders, blockers, occupied]| [oracle::$operation(sliders, blockers, occupied)],
            |kernel, [sliders, blockers, occupied], [attacks]| {
                kernel.$operation(sliders, blockers, occupied, attacks)
            },
        );
    }};
}

/// Checks pins on one line. Each square is empty or holds a king, a friendly piece, another piece
/// or an enemy slider. In the first pass, the sliders move along the line. In the second, they do
/// not.
fn pins(line: &[u64], diagonal: bool) {
    for moves in [true, false] {
        let boards = fillings(line).map(|[king, own, piece, slider]| {
            let sliders = if moves == diagonal { [0, slider] } else { [slider, 0] };
            [king, own | king, sliders[0], sliders[1], piece]
        });
        let pins = check(
            &boards.collect::<Vec<_>>(),
            |[king, own, rooks, bishops, occupied]| {
                oracle::pins(king, own, rooks, bishops, occupied).into()
            },
            |kernel, [king, own, rooks, bishops, occupied], [pinned, pinners]| {
                kernel.pins(king, own, rooks, bishops, occupied, pinned, pinners);
            },
        );
        assert_eq!(pins.iter().any(|&[pinned, _]| pinned != 0), moves);
    }
}

#[test]
fn all_boards_with_pieces_on_one_line() {
    for i in [0, 3, 7] {
        for line in [line(0, i, step(1, 0)), line(i, 0, step(0, 1))] {
            xrays!(&line, xray_rook_attacks);
            pins(&line, false);
        }
    }
    for line in [line(0, 0, step(1, 1)), line(0, 7, step(1, -1))] {
        xrays!(&line, xray_bishop_attacks);
        xrays!(&line, xray_queen_attacks);
        pins(&line, true);
    }
    xrays!(&line(0, 5, step(1, 0)), xray_queen_attacks);
    xrays!(&line(5, 0, step(0, 1)), xray_queen_attacks);
}

fn square(number: u64) -> Square {
    Square::new(number as u8).unwrap()
}

#[test]
fn lines_of_all_pairs_of_squares() {
    let rows: Vec<[u64; 2]> = (0..4096).map(|n| [n / 64, n % 64]).collect();
    let squares = |numbers: &[u64]| -> Vec<Square> { numbers.iter().map(|&n| square(n)).collect() };
    macro_rules! check {
        ($operation:ident) => {
            let expected = check(
                &rows,
                |[a, b]| [oracle::$operation(a, b)],
                |kernel, [a, b], [result]| kernel.$operation(&squares(a), &squares(b), result),
            );
            for (&[a, b], expected) in rows.iter().zip(expected) {
                assert_eq!([board::$operation(square(a), square(b))], expected);
            }
        };
    }
    check!(between);
    check!(line_through);
}
