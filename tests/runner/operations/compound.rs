//! The operations made of several rays, on two squares, and the counts.

use setwise::{Direction, Kernels, Square, board};

use super::{Operation, Role, squares};
use crate::oracle::{self, BISHOP, QUEEN, ROOK, Step};

/// For one call with two outputs: the one that is not looked at.
fn unseen(out: &[u64]) -> Vec<u64> {
    vec![0; out.len()]
}

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![];
    operations.extend(split());
    operations.extend([
        xray(
            "xray_rook_attacks",
            "rooks",
            &ROOK,
            Direction::ORTHOGONAL.into(),
            |k, s, out| k.xray_rook_attacks(s[0], s[1], s[2], out),
            |s, out| setwise::xray_rook_attacks(s[0], s[1], s[2], out),
            board::xray_rook_attacks,
        ),
        xray(
            "xray_bishop_attacks",
            "bishops",
            &BISHOP,
            Direction::DIAGONAL.into(),
            |k, s, out| k.xray_bishop_attacks(s[0], s[1], s[2], out),
            |s, out| setwise::xray_bishop_attacks(s[0], s[1], s[2], out),
            board::xray_bishop_attacks,
        ),
        xray(
            "xray_queen_attacks",
            "queens",
            &QUEEN,
            Direction::ALL.into(),
            |k, s, out| k.xray_queen_attacks(s[0], s[1], s[2], out),
            |s, out| setwise::xray_queen_attacks(s[0], s[1], s[2], out),
            board::xray_queen_attacks,
        ),
    ]);
    operations.extend(pins());
    operations.extend(lines());
    operations.extend(mobilities());
    operations
}

/// One entry for each output.
fn split() -> [Operation; 2] {
    let entry = |output| Operation {
        name: "slider_attacks_split",
        rays: Direction::ORTHOGONAL.into(),
        other_rays: Direction::DIAGONAL.into(),
        inputs: vec![
            ("orthogonal", Role::Sliders),
            ("diagonal", Role::OtherSliders),
            ("occupied", Role::Occupied),
        ],
        output,
        batch: Box::new(|_, _, _| {}),
        one: None,
        root: Box::new(|(), _, _| {}),
        board: Box::new(|(), _| 0),
        oracle: Box::new(|(), _| 0),
    };
    let all = |s: &[u64]| s[0] | s[1] | s[2];
    [
        Operation {
            batch: Box::new(|k, s, out| {
                k.slider_attacks_split(s[0], s[1], s[2], out, &mut unseen(out));
            }),
            root: Box::new(|(), s, out| {
                setwise::slider_attacks_split(s[0], s[1], s[2], out, &mut unseen(out));
            }),
            board: Box::new(|(), s| board::slider_attacks_split(s[0], s[1], s[2]).0),
            oracle: Box::new(move |(), s| oracle::rook_attacks(s[0], all(s))),
            ..entry("orthogonal_attacks")
        },
        Operation {
            batch: Box::new(|k, s, out| {
                k.slider_attacks_split(s[0], s[1], s[2], &mut unseen(out), out);
            }),
            root: Box::new(|(), s, out| {
                setwise::slider_attacks_split(s[0], s[1], s[2], &mut unseen(out), out);
            }),
            board: Box::new(|(), s| board::slider_attacks_split(s[0], s[1], s[2]).1),
            oracle: Box::new(move |(), s| oracle::bishop_attacks(s[1], all(s))),
            ..entry("diagonal_attacks")
        },
    ]
}

fn xray(
    name: &'static str,
    sliders: &'static str,
    steps: &'static [Step],
    rays: Vec<Direction>,
    batch: fn(&'static Kernels, &[&[u64]], &mut [u64]),
    root: fn(&[&[u64]], &mut [u64]),
    board: fn(u64, u64, u64) -> u64,
) -> Operation {
    Operation {
        name,
        rays,
        other_rays: vec![],
        inputs: vec![
            (sliders, Role::Sliders),
            ("blockers", Role::SomeOccupied),
            ("occupied", Role::Occupied),
        ],
        output: "attacks",
        batch: Box::new(batch),
        one: None,
        root: Box::new(move |(), s, out| root(s, out)),
        board: Box::new(move |(), s| board(s[0], s[1], s[2])),
        oracle: Box::new(move |(), s| oracle::xray_attacks(steps, s[0], s[1], s[2])),
    }
}

/// One entry for each output.
fn pins() -> [Operation; 2] {
    let entry = |output| Operation {
        name: "pins",
        rays: Direction::ALL.into(),
        other_rays: vec![],
        inputs: vec![
            ("kings", Role::Sliders),
            ("own", Role::SomeOccupied),
            ("orthogonal", Role::OtherSliders),
            ("diagonal", Role::MoreSliders),
            ("occupied", Role::Occupied),
        ],
        output,
        batch: Box::new(|_, _, _| {}),
        one: None,
        root: Box::new(|(), _, _| {}),
        board: Box::new(|(), _| 0),
        oracle: Box::new(|(), _| 0),
    };
    [
        Operation {
            batch: Box::new(|k, s, out| {
                k.pins(s[0], s[1], s[2], s[3], s[4], out, &mut unseen(out));
            }),
            root: Box::new(|(), s, out| {
                setwise::pins(s[0], s[1], s[2], s[3], s[4], out, &mut unseen(out));
            }),
            board: Box::new(|(), s| board::pins(s[0], s[1], s[2], s[3], s[4]).0),
            oracle: Box::new(|(), s| oracle::pins(s[0], s[1], s[2], s[3], s[4]).0),
            ..entry("pinned")
        },
        Operation {
            batch: Box::new(|k, s, out| {
                k.pins(s[0], s[1], s[2], s[3], s[4], &mut unseen(out), out);
            }),
            root: Box::new(|(), s, out| {
                setwise::pins(s[0], s[1], s[2], s[3], s[4], &mut unseen(out), out);
            }),
            board: Box::new(|(), s| board::pins(s[0], s[1], s[2], s[3], s[4]).1),
            oracle: Box::new(|(), s| oracle::pins(s[0], s[1], s[2], s[3], s[4]).1),
            ..entry("pinners")
        },
    ]
}

fn lines() -> [Operation; 2] {
    let square = |n: u64| squares(&[n])[0];
    let entry = |name,
                 batch: fn(&'static Kernels, &[Square], &[Square], &mut [u64]),
                 root: fn(&[Square], &[Square], &mut [u64]),
                 board: fn(Square, Square) -> u64,
                 oracle: fn(u64, u64) -> u64| Operation {
        name,
        rays: Direction::ALL.into(),
        other_rays: vec![],
        inputs: vec![("a", Role::Square), ("b", Role::OtherSquare)],
        output: "squares",
        batch: Box::new(move |k, s, out| batch(k, &squares(s[0]), &squares(s[1]), out)),
        one: None,
        root: Box::new(move |(), s, out| root(&squares(s[0]), &squares(s[1]), out)),
        board: Box::new(move |(), s| board(square(s[0]), square(s[1]))),
        oracle: Box::new(move |(), s| oracle(1 << s[0], 1 << s[1])),
    };
    [
        entry(
            "between",
            |k, a, b, out| k.between(a, b, out),
            |a, b, out| setwise::between(a, b, out),
            board::between,
            oracle::between,
        ),
        entry(
            "line_through",
            |k, a, b, out| k.line_through(a, b, out),
            |a, b, out| setwise::line_through(a, b, out),
            board::line_through,
            oracle::line_through,
        ),
    ]
}

/// Runs with 32-bit counts between guards, and widens them. How far the first is from a line varies with
/// the length.
fn counted(out: &mut [u64], run: impl FnOnce(&mut [u32])) {
    const GUARD: u32 = 0x5a5a_a5a5;
    let start = 16 + out.len() % 16;
    let mut counts = vec![GUARD; start + out.len() + 16];
    run(&mut counts[start..start + out.len()]);
    let (before, rest) = counts.split_at(start);
    let (counts, after) = rest.split_at(out.len());
    let whole = |guards: &[u32]| guards.iter().all(|&word| word == GUARD);
    assert!(whole(before) && whole(after), "wrote outside the counts");
    for (out, &count) in out.iter_mut().zip(counts) {
        *out = count.into();
    }
}

fn mobilities() -> Vec<Operation> {
    type Batch = fn(&'static Kernels, &[&[u64]], &mut [u32]);
    type Root = fn(&[&[u64]], &mut [u32]);
    let entry = |name,
                 sliders: &[(&'static str, Role)],
                 rays: &[Direction],
                 other_rays: &[Direction],
                 batch: Batch,
                 root: Root,
                 board: fn(&[u64]) -> u32,
                 attacks: fn(&[u64]) -> u64| Operation {
        name,
        rays: rays.into(),
        other_rays: other_rays.into(),
        inputs: [
            sliders,
            &[("occupied", Role::Occupied), ("targets", Role::Targets)],
        ]
        .concat(),
        output: "counts",
        batch: Box::new(move |k, s, out| counted(out, |counts| batch(k, s, counts))),
        one: None,
        root: Box::new(move |(), s, out| counted(out, |counts| root(s, counts))),
        board: Box::new(move |(), s| board(s).into()),
        oracle: Box::new(move |(), s| oracle::count(attacks(s), *s.last().expect("the targets"))),
    };
    let (rook, bishop) = (Direction::ORTHOGONAL, Direction::DIAGONAL);
    vec![
        entry(
            "rook_mobility",
            &[("rooks", Role::Sliders)],
            &rook,
            &[],
            |k, s, out| k.rook_mobility(s[0], s[1], s[2], out),
            |s, out| setwise::rook_mobility(s[0], s[1], s[2], out),
            |s| board::rook_mobility(s[0], s[1], s[2]),
            |s| oracle::rook_attacks(s[0], s[1]),
        ),
        entry(
            "bishop_mobility",
            &[("bishops", Role::Sliders)],
            &bishop,
            &[],
            |k, s, out| k.bishop_mobility(s[0], s[1], s[2], out),
            |s, out| setwise::bishop_mobility(s[0], s[1], s[2], out),
            |s| board::bishop_mobility(s[0], s[1], s[2]),
            |s| oracle::bishop_attacks(s[0], s[1]),
        ),
        entry(
            "queen_mobility",
            &[("queens", Role::Sliders)],
            &Direction::ALL,
            &[],
            |k, s, out| k.queen_mobility(s[0], s[1], s[2], out),
            |s, out| setwise::queen_mobility(s[0], s[1], s[2], out),
            |s| board::queen_mobility(s[0], s[1], s[2]),
            |s| oracle::queen_attacks(s[0], s[1]),
        ),
        entry(
            "slider_mobility",
            &[
                ("orthogonal", Role::Sliders),
                ("diagonal", Role::OtherSliders),
            ],
            &rook,
            &bishop,
            |k, s, out| k.slider_mobility(s[0], s[1], s[2], s[3], out),
            |s, out| setwise::slider_mobility(s[0], s[1], s[2], s[3], out),
            |s| board::slider_mobility(s[0], s[1], s[2], s[3]),
            |s| oracle::slider_attacks(s[0], s[1], s[2]),
        ),
    ]
}
