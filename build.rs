//! Generates the `switch` source and the `magic` and `pext` tables (features `techniques` and
//! `lookup`). If the environment variable `SETWISE_KERNELS` is set, selects the kernels to compile.

use std::path::Path;
use std::{env, fs};

#[path = "kernels/any_cpu/magic/numbers.rs"]
mod magic;
#[path = "kernels/any_cpu/switch/generate.rs"]
mod switch;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=kernels/any_cpu/magic/numbers.rs");
    println!("cargo::rerun-if-changed=kernels/any_cpu/switch/generate.rs");
    choose_kernels();
    if env::var_os("CARGO_FEATURE_TECHNIQUES").is_some() {
        write("switch.rs", switch::source().as_bytes());
        write("switch_cases.rs", switch::cases().as_bytes());
    }
    if env::var_os("CARGO_FEATURE_LOOKUP").is_some() {
        let (straight, diagonals) = ([LINES[0], LINES[1]], [LINES[2], LINES[3]]);
        write("magic_rook.bin", &look_ups(straight, by_magic(&magic::ROOK)));
        write("magic_bishop.bin", &look_ups(diagonals, by_magic(&magic::BISHOP)));
        write("pext_rook.bin", &look_ups(straight, by_pext));
        write("pext_bishop.bin", &look_ups(diagonals, by_pext));
    }
}

/// Selects the kernels listed in `SETWISE_KERNELS` (comma-separated), or `all`, and the fallback,
/// `scalar`.
fn choose_kernels() {
    println!("cargo::rerun-if-env-changed=SETWISE_KERNELS");
    println!("cargo::rustc-check-cfg=cfg(setwise_kernels, values(any()))");
    println!("cargo::rustc-cfg=setwise_kernels=\"scalar\"");
    let Ok(names) = env::var("SETWISE_KERNELS") else {
        println!("cargo::rustc-cfg=setwise_kernels=\"all\"");
        return;
    };
    println!("cargo::warning=SETWISE_KERNELS={names}: all other kernels are left out");
    for name in names.split(',').map(str::trim) {
        let file = format!("{}.rs", name.replace('-', "_"));
        let folders = ["any_cpu", "x86_64", "aarch64", "wasm32"];
        let is_here = |folder| {
            let source = fs::read_to_string(Path::new("kernels").join(folder).join(&file));
            source.is_ok_and(|source| source.contains(&format!("name: \"{name}\"")))
        };
        if folders.into_iter().any(is_here) {
            println!("cargo::rustc-cfg=setwise_kernels=\"{name}\"");
        } else {
            println!("cargo::error=SETWISE_KERNELS: no kernel is called `{name}`");
        }
    }
}

fn write(name: &str, content: &[u8]) {
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let path = Path::new(&folder).join(name);
    fs::write(&path, content).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// The name of each line, and the step in one of its two directions (files east, ranks north). The
/// step in the other direction is the opposite.
const LINES: [(&str, i8, i8); 4] =
    [("rank", 1, 0), ("file", 0, 1), ("diagonal", 1, 1), ("antidiagonal", -1, 1)];

/// The bitboard of each square of a ray, from the slider's neighbour to the edge of the board.
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

/// The squares attacked along all the rays.
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

/// The squares of the rays, except the last square of each ray.
fn inner_squares(rays: &[Vec<u64>]) -> u64 {
    let inner = |ray: &Vec<u64>| ray.split_last().map_or(0, |(_, inner)| inner.iter().sum());
    rays.iter().map(inner).sum()
}

/// All subsets of a set, the empty one first.
fn subsets(set: u64) -> impl Iterator<Item = u64> {
    let next = move |&subset: &u64| Some(subset.wrapping_sub(set) & set).filter(|&next| next != 0);
    std::iter::successors(Some(0), next)
}

/// The bytes of a table with the attacks from every square for every occupancy of its inner
/// squares. Each square has its own part of the table. `index` takes the square, its inner squares
/// and its occupied inner squares, and returns an index into this part.
fn look_ups(lines: [(&str, i8, i8); 2], index: impl Fn(usize, u64, u64) -> usize) -> Vec<u8> {
    let mut table = vec![];
    for square in 0..64_i8 {
        let both_ways = |(_, e, n): (&str, i8, i8)| [ray(square, e, n), ray(square, -e, -n)];
        let rays: Vec<Vec<u64>> = lines.into_iter().flat_map(both_ways).collect();
        let mask = inner_squares(&rays);
        let mut entries = vec![0; 1 << mask.count_ones()];
        for occupied in subsets(mask) {
            let attacked = attacks(&rays, occupied);
            let entry = &mut entries[index(square.unsigned_abs().into(), mask, occupied)];
            assert!([0, attacked].contains(entry), "a factor is not magic: square {square}");
            *entry = attacked;
        }
        table.extend(entries.into_iter().flat_map(u64::to_le_bytes));
    }
    table
}

fn by_magic(factors: &[u64; 64]) -> impl Fn(usize, u64, u64) -> usize {
    move |square, mask, occupied| {
        let product = occupied.wrapping_mul(factors[square]);
        usize::try_from(product >> (64 - mask.count_ones())).expect("a few bits")
    }
}

/// Packs the masked bits, like the instruction `pext`.
fn by_pext(_: usize, mask: u64, occupied: u64) -> usize {
    let squares = (0..64).filter(|square| mask >> square & 1 == 1);
    let bits = squares.map(|square| usize::from(occupied >> square & 1 == 1));
    bits.enumerate().map(|(i, bit)| bit << i).sum()
}
