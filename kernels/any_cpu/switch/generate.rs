//! Generates the source of the kernel `switch`: a function for each square and line, and two
//! functions with a `match` on the square. One calls both lines of a rook, the other both lines of
//! a bishop. For [`techniques::switch`](../../../src/techniques/switch.rs), [`cases`] generates the
//! form that Dann Corbit proposed: a `match` on the occupied inner squares of a line.
//!
//! The kernel's functions test the squares of each ray one by one, the nearest first. (The last
//! square of a ray needs no test, because its occupancy never matters.) Each test ends the search
//! for half of all occupancies. Since both outcomes are equally likely, no other nesting needs
//! fewer tests on average: 2.10 per line. The last two tests of a ray choose between constants
//! without jumps, so the last test runs even if it is not needed. This raises the average to 2.33
//! tests per line, of which 1.10 are jumps.
//!
//! Rejected, by the time for rooks and queens on random boards (Sapphire Rapids): a `match` on the
//! inner squares, which compilers turn into tables in memory (1.41x, 1.73x); a jump for every test
//! (1.07x, 1.12x), also with one tree of whole-line constants for both rays (1.18x, 1.27x); a table
//! of functions instead of the `match` on the square (1.00x, 1.05x, 15 KB more code).

use std::fmt::Write as _;

use super::{LINES, attacks, inner_squares, ray, subsets};

/// Number of tests at the end of a ray that choose between constants without a jump.
const CHOICES: usize = 2;

/// Generates the source, which needs a function `has(occupied: u64, square: u32) -> bool` in scope.
pub(super) fn source() -> String {
    let mut source = String::from("use core::hint::select_unpredictable as choose;\n\n");
    // A corner is always the last square of a ray, so no test names a corner.
    for square in (0..64).filter(|square| ![0, 7, 56, 63].contains(square)) {
        let _ = writeln!(source, "const {}: u32 = {square};", name(square));
    }
    for (line, east, north) in LINES {
        for square in 0..64 {
            let function = function(line, square);
            let forward = nested_tests(&ray(square, east, north), 1);
            let backward = nested_tests(&ray(square, -east, -north), 1);
            let uses = forward.contains("occupied") || backward.contains("occupied");
            let used = if uses { "occupied" } else { "_" };
            let _ = write!(
                source,
                "
#[inline(always)]
fn {function}({used}: u64) -> u64 {{
    let forward =
        {forward};
    let backward =
        {backward};
    forward | backward
}}
"
            );
        }
    }
    for (piece, lines) in [("rook", &LINES[..2]), ("bishop", &LINES[2..])] {
        let names: Vec<&str> = lines.iter().map(|&(line, ..)| line).collect();
        source += &match_on_square(piece, &names);
    }
    source
}

/// Generates a function that jumps to the code for the square and returns the union of the attacks
/// along the lines.
fn match_on_square(name: &str, lines: &[&str]) -> String {
    let arms: Vec<String> = (0..64)
        .map(|square: i8| {
            let pattern = if square < 63 { square.to_string() } else { "_".into() };
            let attacks = lines.iter().map(|&line| function(line, square) + "(occupied)");
            format!("{pattern} => {}", attacks.collect::<Vec<_>>().join(" | "))
        })
        .collect();
    format!(
        "
#[inline(never)]
pub(super) fn {name}(square: u8, occupied: u64) -> u64 {{
    match square & 63 {{
        {},
    }}
}}
",
        arms.join(",\n        ")
    )
}

/// Generates Corbit's form: for each line of each square, a `match` on the occupied inner squares
/// with a case for every subset. The constants are the attacks or, in functions with the prefix
/// `xray_`, the attacks through the nearest blockers.
pub(super) fn cases() -> String {
    let mut source = String::new();
    for (prefix, constant) in [("", attacks as Constant), ("xray_", xray)] {
        for (line, east, north) in LINES {
            let line = format!("{prefix}{line}");
            for square in 0..64 {
                let rays = [ray(square, east, north), ray(square, -east, -north)];
                source += &match_on_occupied(&function(&line, square), &rays, constant);
            }
            source += &match_on_square(&line, &[&line]);
        }
    }
    source += "\npub(super) const FUNCTIONS: [[fn(u64) -> u64; 64]; 4] = [\n";
    for (line, ..) in LINES {
        let names: Vec<String> = (0..64).map(|square| function(line, square)).collect();
        let _ = writeln!(source, "    [{}],", names.join(", "));
    }
    source + "];\n"
}

/// Computes a constant from two rays and the set of their occupied squares.
type Constant = fn(&[Vec<u64>], u64) -> u64;

/// Generates a function with a `match` on the inner squares of two rays. Subsets with the same
/// constant share an arm.
fn match_on_occupied(name: &str, rays: &[Vec<u64>], constant: Constant) -> String {
    let mask = inner_squares(rays);
    let mut arms: Vec<(u64, Vec<String>)> = vec![];
    for subset in subsets(mask) {
        let constant = constant(rays, subset);
        let case = format!("{subset:#018x}");
        match arms.iter_mut().find(|(other, _)| *other == constant) {
            Some((_, cases)) => cases.push(case),
            None => arms.push((constant, vec![case])),
        }
    }
    let arms: Vec<String> = arms
        .iter()
        .map(|(constant, cases)| {
            let lines: Vec<String> = cases.chunks(3).map(|cases| cases.join(" | ")).collect();
            format!("        {} => {constant:#018x},\n", lines.join(" |\n        "))
        })
        .collect();
    format!(
        "
#[inline(always)]
fn {name}(occupied: u64) -> u64 {{
    match occupied & {mask:#018x} {{
{}        _ => unreachable!(),
    }}
}}
",
        arms.concat()
    )
}

/// The squares attacked through the nearest blocker of each ray.
fn xray(rays: &[Vec<u64>], occupied: u64) -> u64 {
    let blocked = |ray: &Vec<u64>| {
        let nearest = ray.iter().position(|square| occupied & square != 0);
        nearest.map_or(vec![], |nearest| ray[nearest + 1..].to_vec())
    };
    attacks(&rays.iter().map(blocked).collect::<Vec<_>>(), occupied)
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

/// Generates the tests of a ray whose first `n - 1` squares are known to be empty, as a Rust
/// expression.
fn nested_tests(ray: &[u64], n: usize) -> String {
    let attacks: u64 = ray.iter().take(n).sum();
    let attacks = format!("{attacks:#018x}");
    if n >= ray.len() {
        return attacks;
    }
    let square = i8::try_from(ray[n - 1].trailing_zeros()).expect("a square number fits");
    let test = format!("has(occupied, {})", name(square));
    let further = nested_tests(ray, n + 1);
    if ray.len() - n <= CHOICES {
        format!("choose({test}, {attacks},\n        {further})")
    } else {
        format!("if {test} {{ {attacks} }} else {{\n        {further} }}")
    }
}
