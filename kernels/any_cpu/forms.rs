//! The forms of the techniques that fill one ray of one board, side by side: each tested on every pattern of
//! sliders and occupied squares of a line, and measured:
//!
//! ```text
//! cargo test --release -p setwise --lib forms -- --ignored --nocapture
//! ```

use std::hint::black_box;
use std::time::Instant;

use super::{borrow, dumb7fill, kogge_stone};
use crate::kernels::geometry::direction::{AVOID_WRAP, Direction, rotate};

/// A ray of attacks: direction, sliders, occupied.
type Ray = fn(Direction, u64, u64) -> u64;

fn step(direction: Direction, filled: u64) -> u64 {
    rotate(filled, direction) & AVOID_WRAP[direction as usize]
}

/// Every set-wise form; those of `east` are for that direction alone.
const FORMS: [(&str, Ray); 5] = [
    ("dumb7fill, unrolled", |d, s, o| {
        d.step(dumb7fill::cycles(d, s, !o, 6))
    }),
    ("dumb7fill, looping", |d, s, o| {
        d.step(dumb7fill::looping(d, s, !o))
    }),
    ("dumb7fill, generalised", |d, s, o| {
        step(d, dumb7fill::generalised(d, s, !o))
    }),
    ("kogge-stone", kogge_stone::ray_attacks),
    ("kogge-stone, generalised", |d, s, o| {
        step(d, kogge_stone::generalised(d, s, !o))
    }),
];
const EAST: [(&str, Ray); 3] = [
    ("borrow, barrier", |_, s, o| borrow::east_attacks(s, o)),
    ("borrow, bytewise", |_, s, o| {
        borrow::east_attacks_bytewise(s, o)
    }),
    ("borrow, by prefix", |_, s, o| {
        borrow::east_attacks_by_prefix(s, o)
    }),
];

/// The squares of a line in the order of a direction, from its first square.
fn line(start: u32, direction: Direction) -> [u64; 8] {
    let square = |i| 1_u64 << (start.cast_signed() + i * direction.offset());
    let squares = [0, 1, 2, 3, 4, 5, 6, 7].map(square);
    // A walk on the board, not round its edge.
    assert!(
        squares
            .windows(2)
            .all(|two: &[u64]| direction.step(two[0]) == two[1])
    );
    squares
}

/// Every rank, every file and both long diagonals, each both ways.
fn lines() -> Vec<(Direction, [u64; 8])> {
    let mut lines = vec![];
    for i in 0..8 {
        lines.push((Direction::East, line(8 * i, Direction::East)));
        lines.push((Direction::North, line(i, Direction::North)));
    }
    lines.push((Direction::NorthEast, line(0, Direction::NorthEast)));
    lines.push((Direction::NorthWest, line(7, Direction::NorthWest)));
    let back = |&(direction, mut squares): &(Direction, [u64; 8])| {
        squares.reverse();
        (direction.opposite(), squares)
    };
    let backward: Vec<_> = lines.iter().map(back).collect();
    lines.extend(backward);
    lines
}

#[test]
fn every_pattern_of_every_line() {
    for (direction, squares) in lines() {
        let spread = |pattern: u32| -> u64 {
            (0..8)
                .filter(|i| pattern >> i & 1 != 0)
                .map(|i| squares[i])
                .sum()
        };
        for pattern in 0..65_536 {
            let (sliders, occupied) = (spread(pattern & 0xff), spread(pattern >> 8));
            // Square by square: is there a slider behind that sees it?
            let (mut expected, mut seen) = (0, false);
            for square in squares {
                expected |= if seen { square } else { 0 };
                seen = sliders & square != 0 || seen && occupied & square == 0;
            }
            let east = EAST.iter().filter(|_| direction == Direction::East);
            for (name, ray) in FORMS.iter().chain(east) {
                let got = ray(direction, sliders, occupied);
                assert_eq!(
                    got, expected,
                    "{name} {direction:?} {sliders:#x} {occupied:#x}"
                );
            }
        }
    }
}

/// A loop over boards by one form; generic, so that each is inlined into a loop of its own.
fn nanoseconds(sets: &[(u64, u64)], out: &mut [u64], ray: impl Fn(u64, u64) -> u64) -> f64 {
    let start = Instant::now();
    for (out, &(sliders, occupied)) in out.iter_mut().zip(sets) {
        *out = ray(sliders, occupied);
    }
    black_box(&out);
    start.elapsed().as_nanos() as f64 / sets.len() as f64
}

#[test]
#[ignore = "a measurement"]
fn forms_measured() {
    let mut random = fastrand::Rng::with_seed(1);
    let board = |random: &mut fastrand::Rng| {
        let occupied = random.u64(..) & random.u64(..);
        (occupied & random.u64(..) & random.u64(..), occupied)
    };
    let sets: Vec<(u64, u64)> = (0..1024).map(|_| board(&mut random)).collect();
    let mut out = vec![0; sets.len()];
    macro_rules! measure {
        ($title:literal, $direction:expr; $($name:literal: |$d:ident, $s:ident, $o:ident| $ray:expr),* $(,)?) => {{
            let names = [$($name),*];
            let mut rounds: Vec<[f64; [$($name),*].len()]> = vec![];
            for _ in 0..201 {
                rounds.push([$({
                    let $d = $direction;
                    nanoseconds(&sets, &mut out, |$s, $o| $ray)
                }),*]);
            }
            println!("{}", $title);
            for (i, name) in names.iter().enumerate() {
                let mut times: Vec<f64> = rounds.iter().map(|round| round[i]).collect();
                let mut ratios: Vec<f64> = rounds.iter().map(|round| round[i] / round[0]).collect();
                times.sort_by(f64::total_cmp);
                ratios.sort_by(f64::total_cmp);
                println!("  {name:28} {:6.2} ns a board {:6.2}", times[100], ratios[100]);
            }
        }};
    }
    measure!("a ray east", Direction::East;
        "borrow, barrier": |_d, s, o| borrow::east_attacks(s, o),
        "borrow, bytewise": |_d, s, o| borrow::east_attacks_bytewise(s, o),
        "borrow, by prefix": |_d, s, o| borrow::east_attacks_by_prefix(s, o),
    );
    measure!("a ray north-west", Direction::NorthWest;
        "kogge-stone": |d, s, o| kogge_stone::ray_attacks(d, s, o),
        "kogge-stone, generalised": |d, s, o| step(d, kogge_stone::generalised(d, s, !o)),
        "dumb7fill, unrolled": |d, s, o| d.step(dumb7fill::cycles(d, s, !o, 6)),
        "dumb7fill, looping": |d, s, o| d.step(dumb7fill::looping(d, s, !o)),
        "dumb7fill, generalised": |d, s, o| step(d, dumb7fill::generalised(d, s, !o)),
    );
    measure!("a ray of a direction known at run time only", black_box(Direction::NorthWest);
        "kogge-stone": |d, s, o| kogge_stone::ray_attacks(d, s, o),
        "kogge-stone, generalised": |d, s, o| step(d, kogge_stone::generalised(d, s, !o)),
        "dumb7fill, unrolled": |d, s, o| d.step(dumb7fill::cycles(d, s, !o, 6)),
        "dumb7fill, generalised": |d, s, o| step(d, dumb7fill::generalised(d, s, !o)),
    );
}
