//! Whole positions: attack maps, checks and pins, against the oracle.
//!
//! Their arguments are no columns of words, so they have trials of their own.

use setwise::{AttackMaps, Checks as ChecksOf, Kernels, Position, board};

use crate::check::Checked;
use crate::config::Config;
use crate::contract;
use crate::oracle_position::{self as oracle, Pieces};

/// The longest batch.
const LONGEST: usize = 70;

/// A position with what the oracle says of it.
struct Case {
    position: Position,
    maps: AttackMaps,
    checks: ChecksOf,
}

impl Case {
    fn new(pieces: Pieces) -> Case {
        let (attacks, all, threats) = oracle::attack_maps(&pieces);
        let [checkers, pinned, pinners] = oracle::checks(&pieces);
        Case {
            position: Position { pieces },
            maps: AttackMaps {
                attacks,
                all,
                threats,
            },
            checks: ChecksOf {
                checkers,
                pinned,
                pinners,
            },
        }
    }
}

/// All cases: like games, crowded, and with sets that overlap, several kings or none.
pub(crate) struct Cases(Vec<Case>);

impl Cases {
    pub(crate) fn new(config: &Config) -> Cases {
        let mut random = fastrand::Rng::with_seed(config.seed);
        let mut pieces = vec![[[0; 6]; 2], [[!0; 6]; 2]];
        for _ in 0..config.budget.positions {
            pieces.push(one_a_square(&mut random));
            let dense = random.u32(1..6);
            let mut set = || (0..dense).fold(!0, |set, _| set & random.u64(..));
            pieces.push([0, 1].map(|_| [0; 6].map(|_| set())));
        }
        Cases(pieces.into_iter().map(Case::new).collect())
    }
}

/// One king of each side and up to thirty others, each on a square of its own.
fn one_a_square(random: &mut fastrand::Rng) -> Pieces {
    let mut squares: Vec<u64> = (0..64).map(|square| 1 << square).collect();
    random.shuffle(&mut squares);
    let mut pieces = [[0; 6]; 2];
    let mut squares = squares.into_iter();
    for side in &mut pieces {
        side[5] = squares.next().expect("there are 64");
    }
    for square in squares.take(random.usize(0..=30)) {
        pieces[random.usize(0..2)][random.usize(0..5)] |= square;
    }
    pieces
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    case: &Case,
    got: &T,
    expected: &T,
) -> Result<(), String> {
    if got == expected {
        return Ok(());
    }
    let pieces = case.position.pieces;
    Err(format!(
        "{what} of {pieces:#x?}:\n{got:#x?}\nbut expected\n{expected:#x?}"
    ))
}

/// Both operations by functions of batches: all cases in batches of every length, with guards around the results.
fn in_batches<T: Copy + PartialEq + std::fmt::Debug>(
    what: &str,
    cases: &Cases,
    expected: impl Fn(&Case) -> T,
    guard: T,
    call: impl Fn(&[Position], &mut [T]),
) -> Checked {
    let mut compared = 0;
    // (In the interpreter: none, one, and a vector with a tail.)
    let few = |length: &usize| !cfg!(miri) || [0, 1, 9].contains(length);
    let mut lengths = (0..=LONGEST).filter(few).cycle();
    let mut rest = &cases.0[..];
    while !rest.is_empty() {
        let length = lengths.next().expect("it is a cycle").min(rest.len());
        let (batch, left) = rest.split_at(length);
        rest = left;
        let positions: Vec<Position> = batch.iter().map(|case| case.position).collect();
        let mut results = vec![guard; length + 2];
        call(&positions, &mut results[1..=length]);
        for (case, got) in batch.iter().zip(&results[1..]) {
            same(what, case, got, &expected(case))?;
        }
        if results[0] != guard || results[length + 1] != guard {
            return Err(format!("{what}: {length} positions: writes outside"));
        }
        compared += length as u64;
    }
    Ok(compared)
}

const NO_MAPS: AttackMaps = AttackMaps {
    attacks: [[0xa5a5_a5a5_a5a5_a5a5; 6]; 2],
    all: [0x5a5a_5a5a_5a5a_5a5a; 2],
    threats: [0xa5a5_a5a5_a5a5_a5a5; 2],
};

const NO_CHECKS: ChecksOf = ChecksOf {
    checkers: [0x5a5a_5a5a_5a5a_5a5a; 2],
    pinned: [0xa5a5_a5a5_a5a5_a5a5; 2],
    pinners: [0x5a5a_5a5a_5a5a_5a5a; 2],
};

pub(crate) fn attack_maps(cases: &Cases, kernel: &Kernels) -> Checked {
    for case in &cases.0 {
        let one = kernel.attack_maps_one(&case.position);
        same("attack_maps_one", case, &one, &case.maps)?;
    }
    let call = |positions: &[Position], maps: &mut [_]| kernel.attack_maps(positions, maps);
    let batches = in_batches("attack_maps", cases, |case| case.maps, NO_MAPS, call)?;
    Ok(batches + cases.0.len() as u64)
}

pub(crate) fn checks(cases: &Cases, kernel: &Kernels) -> Checked {
    for case in &cases.0 {
        let one = kernel.checks_one(&case.position);
        same("checks_one", case, &one, &case.checks)?;
    }
    let call = |positions: &[Position], checks: &mut [_]| kernel.checks(positions, checks);
    let batches = in_batches("checks", cases, |case| case.checks, NO_CHECKS, call)?;
    Ok(batches + cases.0.len() as u64)
}

/// The crate's root and the module `board`.
pub(crate) fn of_the_crate(cases: &Cases) -> Result<(), String> {
    for case in &cases.0 {
        let (maps, checks) = (
            board::attack_maps(&case.position),
            board::checks(&case.position),
        );
        same("board::attack_maps", case, &maps, &case.maps)?;
        same("board::checks", case, &checks, &case.checks)?;
    }
    let (maps, checks) = (|case: &Case| case.maps, |case: &Case| case.checks);
    in_batches("attack_maps", cases, maps, NO_MAPS, |positions, maps| {
        setwise::attack_maps(positions, maps);
    })?;
    in_batches("checks", cases, checks, NO_CHECKS, |positions, checks| {
        setwise::checks(positions, checks);
    })?;
    if cfg!(panic = "unwind") {
        let short = || setwise::attack_maps(&[Position::default(); 2], &mut [NO_MAPS]);
        let text = contract::panic_of(short).map_or(String::new(), |said| said.message);
        if !text.contains("`positions` is of length 2, but `maps` of 1") {
            return Err(format!("slices of different lengths: {text}"));
        }
    }
    Ok(())
}
