//! Generates the source of the kernel `switch`: a function for each square and line, and a `match` on the
//! square for each line.
//!
//! Along a ray the nearest inner square is tested first, then the next: each test ends the search for half of all
//! occupancies. (The last square of a ray changes nothing.) As each answer is as likely as the other, no nest
//! of tests has fewer on average: 2.10 a line. The last two tests of a ray are choices between constants, which
//! compilers make without jumps: 2.33 tests, of which 1.10 are jumps.
//!
//! Forms that lost. Per form: rook and queen of `cargo bench -p setwise-measure --features setwise/lookup,setwise/switch --bench ratios -- --quick` on random boards,
//! times as a multiple of the Kogge-Stone loop's, on a Sapphire Rapids; and bytes that the feature adds by `tools/size.sh`. This one:
//! 20.5, 16.1; 27,784.
//!
//! * a `match` on the inner squares in the `match` on the square: 28.9, 27.8; 98,088. Compilers make tables in memory of it.
//! * jumps to the last test: 22.0, 18.0; 28,760. Compilers make some of the tests ahead of a jump all the same: 2.21 are executed.
//! * the same, but both rays in one tree with constants for the whole line: 24.1, 20.5; 34,280
//! * a table of functions instead of the `match` on the square: 20.4, 16.9; 42,632
//! * no jumps: 13.5, 9.2; 27,224. Mispredicted jumps are what costs on random boards; but this makes every test, 4.05 a line,
//!   and is not the technique any more.

use std::fmt::Write as _;

use super::{LINES, ray};

/// So many tests at the end of a ray are choices without jumps.
const CHOICES: usize = 2;

/// The source expects a function `has(occupied: u64, square: u32) -> bool` around it.
pub(super) fn source() -> String {
    let mut source = String::from("use core::hint::select_unpredictable as choose;\n\n");
    // A corner is always the last square of a ray.
    for square in (0..64).filter(|square| ![0, 7, 56, 63].contains(square)) {
        let _ = writeln!(source, "const {}: u32 = {square};", name(square));
    }
    let mut tests = 0.0;
    for (line, east, north) in LINES {
        let mut arms = vec![];
        for square in 0..64 {
            let function = format!("{line}_{}", name(square).to_lowercase());
            let there = nested_tests(&ray(square, east, north), 1);
            let back = nested_tests(&ray(square, -east, -north), 1);
            let used = if there.count + back.count > 0.0 {
                "occupied"
            } else {
                "_"
            };
            let _ = write!(
                source,
                "
#[inline(always)]
fn {function}({used}: u64) -> u64 {{
    let there =
        {};
    let back =
        {};
    there | back
}}
",
                there.source, back.source
            );
            tests += there.count + back.count;
            let pattern = if square < 63 {
                square.to_string()
            } else {
                "_".into()
            };
            arms.push(format!("{pattern} => {function}(occupied)"));
        }
        let _ = write!(
            source,
            "
#[inline(never)]
pub(super) fn {line}(square: u8, occupied: u64) -> u64 {{
    match square & 63 {{
        {},
    }}
}}
",
            arms.join(",\n        ")
        );
    }
    let _ = write!(
        source,
        "
/// The tests that are executed for a line, on average over all lines of all squares and, of each, all subsets of its
/// inner squares. For a test.
#[allow(dead_code)]
pub(super) const TESTS_A_LINE: f64 = {:?};
",
        tests / 256.0
    );
    source
}

/// As the field writes it, in capitals.
fn name(square: i8) -> String {
    let letter = |first: u8, place: i8| char::from(first + place.unsigned_abs());
    [letter(b'A', square % 8), letter(b'1', square / 8)]
        .iter()
        .collect()
}

struct Tests {
    /// An expression.
    source: String,
    /// Those executed, on average.
    count: f64,
}

/// The attacks along a ray if its squares before the `n`th, counted from 1, are empty.
fn nested_tests(ray: &[u64], n: usize) -> Tests {
    let attacks: u64 = ray.iter().take(n).sum();
    let attacks = format!("{attacks:#018x}");
    if n >= ray.len() {
        return Tests {
            source: attacks,
            count: 0.0,
        };
    }
    let square = i8::try_from(ray[n - 1].trailing_zeros()).expect("a square");
    let test = format!("has(occupied, {})", name(square));
    let further = nested_tests(ray, n + 1);
    if ray.len() - n <= CHOICES {
        Tests {
            source: format!("choose({test}, {attacks},\n        {})", further.source),
            count: 1.0 + further.count,
        }
    } else {
        Tests {
            source: format!(
                "if {test} {{ {attacks} }} else {{\n        {} }}",
                further.source
            ),
            count: 1.0 + further.count / 2.0,
        }
    }
}
