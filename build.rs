//! Generates the source of the kernel `switch`, if its feature is on; otherwise does nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_SWITCH").is_some() {
        let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
        let path = Path::new(&folder).join("switch.rs");
        fs::write(&path, switch()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

/// Files to the east and ranks to the north; a line is walked this way and back.
const LINES: [(&str, i8, i8); 4] = [
    ("rank", 1, 0),
    ("file", 0, 1),
    ("diagonal", 1, 1),
    ("antidiagonal", -1, 1),
];

/// A function for each line, with a `match` in a `match`.
fn switch() -> String {
    let mut source = String::new();
    for (name, east, north) in LINES {
        source += "#[inline(never)]\n";
        let _ = writeln!(
            source,
            "pub(super) const fn {name}(square: u8, occupied: u64) -> u64 {{"
        );
        source += "    match square {\n";
        for square in 0..64 {
            let rays = [ray(square, east, north), ray(square, -east, -north)];
            let pattern = if square < 63 {
                square.to_string()
            } else {
                "_".into()
            };
            let _ = write!(source, "        {pattern} => ");
            write_match(&mut source, &rays);
        }
        source += "    }\n}\n\n";
    }
    source
}

/// The squares from one to the edge, nearest first.
fn ray(square: i8, east: i8, north: i8) -> Vec<u64> {
    let (mut file, mut rank) = (square % 8 + east, square / 8 + north);
    let mut squares = vec![];
    while (0..8).contains(&file) && (0..8).contains(&rank) {
        squares.push(1 << (8 * rank + file));
        file += east;
        rank += north;
    }
    squares
}

/// The attacked squares along rays.
fn attacks(rays: &[Vec<u64>], occupied: u64) -> u64 {
    let mut attacks = 0;
    for ray in rays {
        for square in ray {
            attacks |= square;
            if occupied & square != 0 {
                break;
            }
        }
    }
    attacks
}

/// A `match` on the inner squares of the rays: an arm for each set of attacked squares. The set
/// that most occupancies share comes last and needs no pattern.
fn write_match(source: &mut String, rays: &[Vec<u64>]) {
    let inner = |ray: &Vec<u64>| ray.split_last().map_or(0, |(_, inner)| inner.iter().sum());
    let inner: u64 = rays.iter().map(inner).sum();
    let mut arms: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut occupied = 0_u64;
    loop {
        arms.entry(attacks(rays, occupied))
            .or_default()
            .push(occupied);
        occupied = occupied.wrapping_sub(inner) & inner; // the next subset
        if occupied == 0 {
            break;
        }
    }
    let mut arms: Vec<(u64, Vec<u64>)> = arms.into_iter().collect();
    arms.sort_by_key(|(_, occupancies)| occupancies.len());
    let (last, _) = arms.pop().expect("the empty occupancy has an arm");
    if arms.is_empty() {
        let _ = writeln!(source, "{last:#018x},");
        return;
    }
    let _ = writeln!(source, "match occupied & {inner:#018x} {{");
    for (attacks, occupancies) in arms {
        let patterns: Vec<String> = occupancies.iter().map(|o| format!("{o:#018x}")).collect();
        let lines: Vec<String> = patterns.chunks(4).map(|line| line.join(" | ")).collect();
        let separator = format!("\n{:12}| ", "");
        let _ = writeln!(
            source,
            "{:12}{} => {attacks:#018x},",
            "",
            lines.join(&separator)
        );
    }
    let _ = writeln!(source, "{:12}_ => {last:#018x},\n{:8}}},", "", "");
}
