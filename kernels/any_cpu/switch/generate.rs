//! Generates the source of the kernel `switch`: a function for each square and line, and a `match`
//! on the square for rooks and for bishops, each with two lines.
//!
//! Along a ray, the nearest inner square is tested first, then the next. (The last square of a ray
//! never matters.) Each test ends the search for half of all occupancies. Since both outcomes are
//! equally likely, no other nesting needs fewer tests on average: 2.10 per line. The last two tests
//! of a ray choose between constants without jumps. This raises the average to 2.33 tests per line,
//! of which 1.10 are jumps.
//!
//! Rejected forms. Times are multiples of the Kogge-Stone loop's for rooks and queens on random
//! boards (bench `ratios`, Sapphire Rapids), sizes what the feature adds to a program
//! (`tools/size.sh`). All of them have a `match` on the square for each line:
//!
//! | | rooks | queens | bytes |
//! |---|---|---|---|
//! | these tests | 20.5 | 16.1 | 27,784 |
//! | a `match` on the inner squares, which compilers turn into tables in memory | 28.9 | 27.8 | 98,088 |
//! | jumps to the last test (2.21 tests: compilers hoist some above a jump) | 22.0 | 18.0 | 28,760 |
//! | jumps to the last test, with one tree of whole-line constants for both rays | 24.1 | 20.5 | 34,280 |
//! | a table of functions instead of the `match` on the square | 20.4 | 16.9 | 42,632 |
//! | no jumps: no mispredictions, but 4.05 tests per line, and no longer this technique | 13.5 | 9.2 | 27,224 |

use std::fmt::Write as _;

use super::{LINES, ray};

/// Number of tests at the end of a ray that choose without a jump.
const CHOICES: usize = 2;

/// Generates the source, which needs a function `has(occupied: u64, square: u32) -> bool` in scope.
pub(super) fn source() -> String {
    let mut source = String::from("use core::hint::select_unpredictable as choose;\n\n");
    // A corner is always the last square of a ray, so no test needs its name.
    for square in (0..64).filter(|square| ![0, 7, 56, 63].contains(square)) {
        let _ = writeln!(source, "const {}: u32 = {square};", name(square));
    }
    let mut tests = 0.0;
    for (line, east, north) in LINES {
        for square in 0..64 {
            let function = function(line, square);
            let forward = nested_tests(&ray(square, east, north), 1);
            let backward = nested_tests(&ray(square, -east, -north), 1);
            let used = if forward.count + backward.count > 0.0 { "occupied" } else { "_" };
            let _ = write!(
                source,
                "
#[inline(always)]
fn {function}({used}: u64) -> u64 {{
    let forward =
        {};
    let backward =
        {};
    forward | backward
}}
",
                forward.source, backward.source
            );
            tests += forward.count + backward.count;
        }
    }
    for (piece, lines) in [("rook", &LINES[..2]), ("bishop", &LINES[2..])] {
        let arms: Vec<String> = (0..64)
            .map(|square: i8| {
                let pattern = if square < 63 { square.to_string() } else { "_".into() };
                let attacks = lines.iter().map(|&(line, ..)| function(line, square) + "(occupied)");
                format!("{pattern} => {}", attacks.collect::<Vec<_>>().join(" | "))
            })
            .collect();
        let _ = write!(
            source,
            "
#[inline(never)]
pub(super) fn {piece}(square: u8, occupied: u64) -> u64 {{
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
/// The average number of tests per line, over all lines of all squares with all occupancies.
#[allow(dead_code)]
pub(super) const TESTS_PER_LINE: f64 = {:?};
",
        tests / 256.0
    );
    source
}

/// The name of the function for a line of a square: `diagonal_e5`.
fn function(line: &str, square: i8) -> String {
    format!("{line}_{}", name(square).to_lowercase())
}

/// The name of a square in capitals: `E4`.
fn name(square: i8) -> String {
    let letter = |first: u8, index: i8| char::from(first + index.unsigned_abs());
    [letter(b'A', square % 8), letter(b'1', square / 8)].iter().collect()
}

struct Tests {
    /// A Rust expression.
    source: String,
    /// The average number of tests executed.
    count: f64,
}

/// Generates the tests of a ray whose first `n - 1` squares are known to be empty.
fn nested_tests(ray: &[u64], n: usize) -> Tests {
    let attacks: u64 = ray.iter().take(n).sum();
    let attacks = format!("{attacks:#018x}");
    if n >= ray.len() {
        return Tests { source: attacks, count: 0.0 };
    }
    let square = i8::try_from(ray[n - 1].trailing_zeros()).expect("a square number fits");
    let test = format!("has(occupied, {})", name(square));
    let further = nested_tests(ray, n + 1);
    if ray.len() - n <= CHOICES {
        Tests {
            source: format!("choose({test}, {attacks},\n        {})", further.source),
            count: 1.0 + further.count,
        }
    } else {
        Tests {
            source: format!("if {test} {{ {attacks} }} else {{\n        {} }}", further.source),
            count: 1.0 + further.count / 2.0,
        }
    }
}
