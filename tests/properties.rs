//! Laws that hold for all boards, for every kernel that this CPU can run. The list of operations
//! decides to which ones a law applies. When a law fails, quickcheck shrinks the boards to the
//! fewest pieces that still break it, and the test draws them.
//!
//! `SETWISE_TEST_BUDGET` (`miri`, `tiny`, `small`, `quick`, `long`) chooses the number of boards,
//! and `SETWISE_TEST_SEED` repeats a run.

#![allow(clippy::needless_pass_by_value, reason = "quickcheck passes values")]

use std::collections::BTreeSet;
use std::env;
use std::fmt::{self, Debug};

use quickcheck::{Arbitrary, Gen, QuickCheck};
use setwise::moves::{GamePosition, Move, State};
use setwise::position::{Checks, Position};
use setwise::reflection::{Argument, Element, Role};
use setwise::threats::{Changes, MOST, Rules, Threat};
use setwise::{Direction, Kernel, Square, board};
use setwise_check::Operation;
use setwise_check::oracle::{self, Place, Steps as _};
use setwise_check::threats::{Case, Codes, Expected, Form, Meaning};

use batch::{Batch, CHOSEN, equal, run};
use plain::{PIECES, Plain, kind_of, side_of};
use start::Start;
use symmetry::Symmetry;

#[path = "properties/batch.rs"]
mod batch;
#[path = "properties/plain.rs"]
mod plain;
#[path = "runner/seed.rs"]
mod seed;
#[path = "properties/start.rs"]
mod start;
#[path = "properties/symmetry.rs"]
mod symmetry;

/// What breaks a law.
struct Wrong(String);

impl Debug for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

type Law = Result<(), Wrong>;

fn that(holds: bool, otherwise: impl FnOnce() -> String) -> Law {
    if holds { Ok(()) } else { Err(Wrong(otherwise())) }
}

/// The number of tests of a law for one operation.
fn budget() -> u64 {
    let default = if cfg!(miri) { "miri" } else { "quick" };
    match &*env::var("SETWISE_TEST_BUDGET").unwrap_or(default.into()) {
        "miri" => 1,
        "tiny" => 5,
        "small" => 15,
        "quick" => 40,
        "long" => 4_000,
        budget => panic!("SETWISE_TEST_BUDGET={budget}: must be miri, tiny, small, quick or long"),
    }
}

/// Tests a law, which must be a function for quickcheck.
fn test(tests: u64, law: impl quickcheck::Testable) {
    let seed = seed::seed().unwrap_or_else(|error| panic!("{error}"));
    println!("SETWISE_TEST_SEED={seed:#x}");
    QuickCheck::new()
        .rng(Gen::from_size_and_seed(30, seed))
        .tests(tests)
        .max_tests(tests)
        .quickcheck(law);
}

/// Tests a law on batches for the operations that it applies to.
fn check(applies: impl Fn(&Operation) -> bool, law: fn(Batch) -> Law) {
    let chosen: Vec<Operation> = Operation::all().filter(applies).collect();
    assert!(!chosen.is_empty(), "a law without operations");
    let tests = budget() * chosen.len() as u64;
    CHOSEN.set(chosen);
    test(tests, law);
}

fn for_each_kernel(law: impl FnMut(&'static Kernel) -> Law) -> Law {
    Kernel::available().try_for_each(law)
}

fn inputs(operation: &Operation) -> impl Iterator<Item = (usize, &'static Argument)> {
    operation.info.inputs().iter().enumerate()
}

/// The number of the input with this role.
fn input(operation: &Operation, role: Role) -> Option<usize> {
    inputs(operation).find(|(_, input)| input.role() == role).map(|(number, _)| number)
}

fn named(name: &str) -> Operation {
    Operation::named(name).unwrap_or_else(|| panic!("there is no operation {name}"))
}

fn is_piece(input: &Argument) -> bool {
    use Role::{Bishops, Generators, Kings, Knights, Pawns, Queens, Rooks, Sliders};
    [Rooks, Bishops, Queens, Sliders, Generators, Knights, Kings, Pawns].contains(&input.role())
}

/// The sliders of an input, as a set.
fn sliders(input: &Argument, word: u64) -> u64 {
    match (input.role(), input.of()) {
        (Role::Rooks | Role::Bishops | Role::Queens | Role::Sliders, _) => word,
        (Role::Squares, Some(_)) => 1 << word,
        _ => 0,
    }
}

fn all_sliders(operation: &Operation, row: &[u64]) -> u64 {
    inputs(operation).zip(row).fold(0, |all, ((_, input), &word)| all | sliders(input, word))
}

/// The results of an operation of one set, board by board.
fn sets(kernel: &Kernel, name: &str, rows: &[Vec<u64>]) -> Result<Vec<u64>, Wrong> {
    Ok(run(kernel, &named(name), rows)?.into_iter().map(|result| result[0]).collect())
}

#[test]
fn kernels_agree_with_the_oracle() {
    check(
        |_| true,
        |batch| {
            let oracle = |row: &Vec<u64>| batch.operation.oracle(row);
            let expected: Vec<Vec<u64>> = batch.rows.iter().map(oracle).collect();
            for_each_kernel(|kernel| {
                equal(kernel, &batch.operation, &batch.run(kernel)?, &expected)
            })
        },
    );
}

#[test]
fn a_batch_is_its_boards_one_by_one_and_its_halves() {
    check(
        |_| true,
        |batch| {
            let Batch { operation, rows } = &batch;
            for_each_kernel(|kernel| {
                let whole = batch.run(kernel)?;
                for length in [1, rows.len().div_ceil(2)] {
                    let mut parts = vec![];
                    for part in rows.chunks(length) {
                        parts.extend(run(kernel, operation, part)?);
                    }
                    equal(kernel, operation, &whole, &parts)?;
                }
                Ok(())
            })
        },
    );
}

/// Batches beyond every buffer, and one of more boards than 16 bits count.
#[test]
#[cfg_attr(miri, ignore = "takes too long")]
fn long_batches_repeat_short_ones() {
    let operations = Operation::all().filter(|operation| !operation.info.by_value());
    let mut g = Gen::from_size_and_seed(30, 1);
    for operation in operations {
        CHOSEN.set(vec![operation]);
        let mut rows: Vec<Vec<u64>> = vec![];
        while rows.len() < 257 {
            rows.extend(Batch::arbitrary(&mut g).rows);
        }
        rows.truncate(257);
        let inputs = operation.info.inputs().len();
        for length in [1_027, 4_099, 65_606] {
            let repeated: Vec<Vec<u64>> = rows.iter().cycle().take(length).cloned().collect();
            let before = batch::columns(&operation, &repeated);
            for kernel in Kernel::available() {
                let mut short = batch::columns(&operation, &rows);
                batch::fill(kernel, &operation, &mut short).unwrap();
                let mut long = before.clone();
                batch::fill(kernel, &operation, &mut long).unwrap();
                for (i, (long, short)) in long.iter().zip(&short).enumerate().skip(inputs) {
                    let chunks = long.bytes().chunks(short.bytes().len());
                    let wrong =
                        chunks.enumerate().find(|(_, got)| *got != &short.bytes()[..got.len()]);
                    let Some((chunk, got)) = wrong else { continue };
                    let byte = (0..got.len()).find(|&i| got[i] != short.bytes()[i]);
                    let size = operation.info.outputs()[i - inputs].element().size();
                    let row = byte.expect("a byte that differs") / size;
                    let rows = vec![rows[row].clone()];
                    panic!(
                        "{kernel:?}: board {} of {length} differs from {:?}",
                        chunk * 257 + row,
                        Batch { operation, rows }
                    );
                }
            }
        }
    }
}

/// In the same occupancy, a set of pieces attacks what each of them attacks, in every argument.
#[test]
fn attacks_of_a_union_are_the_union_of_attacks() {
    let applies = |operation: &Operation| {
        operation.info.name() != "doubly_attacked_one"
            && operation.info.outputs().iter().all(|output| output.role() == Role::Set)
            && inputs(operation).any(|(_, input)| is_piece(input))
    };
    check(applies, |batch| {
        let operation = &batch.operation;
        let pieces = || inputs(operation).filter(|(_, input)| is_piece(input)).map(|(n, _)| n);
        let mut few = batch.map(|row| {
            let mut row = row.clone();
            if let Some(occupied) = input(operation, Role::Occupied) {
                row[occupied] = pieces().fold(row[occupied], |all, n| all | row[n]);
            }
            row
        });
        few.rows.truncate(5);
        for_each_kernel(|kernel| {
            let whole = few.run(kernel)?;
            for argument in pieces() {
                let (mut single, mut owners) = (vec![], vec![]);
                for (owner, row) in few.rows.iter().enumerate() {
                    for piece in Place::of(row[argument]).map(Place::alone).chain([0]) {
                        let mut row = row.clone();
                        row[argument] = piece;
                        single.push(row);
                        owners.push(owner);
                    }
                }
                let mut union = vec![vec![0; whole[0].len()]; whole.len()];
                for (owner, result) in owners.iter().zip(run(kernel, operation, &single)?) {
                    union[*owner].iter_mut().zip(result).for_each(|(all, set)| *all |= set);
                }
                equal(kernel, operation, &whole, &union)?;
            }
            Ok(())
        })
    });
}

/// A fill stays on the rays of the generators, and everything up to a square of it is free.
#[test]
fn fills_pass_no_blocker_and_stay_on_the_line() {
    check(
        |operation| operation.info.name() == "occluded_fill",
        |batch| {
            let step = Direction::ALL[usize::from(batch.operation.parameter)].steps()[0];
            for_each_kernel(|kernel| {
                let rows = batch.rows.iter().zip(batch.run(kernel)?);
                rows.enumerate().try_for_each(|(i, (row, filled))| {
                    let (generators, free, filled) = (row[0], row[1], filled[0]);
                    let back = oracle::step(-step.east, -step.north);
                    let is_reached = |square: Place| {
                        let mut before = square.walk(back);
                        square.is_in(generators)
                            || square.is_in(free)
                                && before
                                    .find(|p| p.is_in(generators) || !p.is_in(free))
                                    .is_some_and(|p| p.is_in(generators))
                    };
                    let wrong = Place::of(filled).find(|&square| !is_reached(square));
                    that(wrong.is_none() && generators & !filled == 0, || {
                        format!(
                            "{kernel:?}: board {i}: {wrong:?}, filled {}",
                            board::Drawing(filled)
                        )
                    })
                })
            })
        },
    );
}

#[test]
fn a_ray_is_one_step_beyond_the_fill_of_the_empty_squares() {
    check(
        |operation| operation.info.name() == "ray_attacks",
        |batch| {
            let step = Direction::ALL[usize::from(batch.operation.parameter)].steps()[0];
            let fill =
                Operation { parameter: batch.operation.parameter, ..named("occluded_fill north") };
            let empty = batch.map(|row| vec![row[0], !(row[0] | row[1])]);
            for_each_kernel(|kernel| {
                let filled = run(kernel, &fill, &empty.rows)?;
                let stepped = |set: &Vec<u64>| vec![oracle::jumps(&[step], set[0])];
                let expected: Vec<Vec<u64>> = filled.iter().map(stepped).collect();
                equal(kernel, &batch.operation, &batch.run(kernel)?, &expected)
            })
        },
    );
}

/// Mirrored boards have mirrored results: files, ranks with colours, and files as ranks.
#[test]
fn symmetries_of_the_board_commute_with_every_operation() {
    check(
        |_| true,
        |batch| {
            let info = batch.operation.info;
            for_each_kernel(|kernel| {
                let results = batch.run(kernel)?;
                for symmetry in Symmetry::all() {
                    let Some(operation) = symmetry.operation(&batch.operation) else { continue };
                    let mirrored = batch.map(|row| symmetry.row(info.inputs(), row));
                    let got = run(kernel, &operation, &mirrored.rows)?;
                    let expected = results.iter().map(|row| symmetry.row(info.outputs(), row));
                    equal(kernel, &operation, &got, &expected.collect::<Vec<_>>())?;
                }
                Ok(())
            })
        },
    );
}

/// Except through blockers: those of x-rays, and the pieces that are pinned.
#[test]
fn more_blockers_never_give_more_squares() {
    let applies = |operation: &Operation| {
        let roles = [Role::Occupied, Role::Propagators];
        inputs(operation).any(|(_, input)| roles.contains(&input.role()))
            && !inputs(operation).any(|(_, i)| [Role::Blockers, Role::Own].contains(&i.role()))
    };
    check(applies, |batch| {
        let operation = &batch.operation;
        for mask in [0, 0x5555_5555_5555_5555, 0x0f0f_f0f0_0f0f_f0f0, 0xffff_ffff] {
            let blocked = batch.map(|row| {
                let change = |((_, input), word): ((usize, &Argument), &u64)| match input.role() {
                    Role::Occupied => *word | mask,
                    Role::Propagators => *word & !mask,
                    _ => *word,
                };
                inputs(operation).zip(row).map(change).collect()
            });
            for_each_kernel(|kernel| {
                let (few, more) = (batch.run(kernel)?, blocked.run(kernel)?);
                let least = |(few, more): (&u64, &u64)| match operation.info.outputs()[0].element()
                {
                    Element::Count => *few.min(more),
                    _ => few & more,
                };
                let expected = few.iter().zip(&more);
                let expected =
                    expected.map(|(few, more)| few.iter().zip(more).map(least).collect());
                equal(kernel, operation, &more, &expected.collect::<Vec<_>>())
            })?;
        }
        Ok(())
    });
}

#[test]
fn counts_are_the_popcounts_of_sets() {
    check(
        |operation| operation.info.name().ends_with("_mobility"),
        |batch| {
            let name = batch.operation.info.name().replace("_mobility", "_attacks");
            let attackers: Vec<Vec<u64>> =
                batch.rows.iter().map(|row| row[..row.len() - 1].to_vec()).collect();
            for_each_kernel(|kernel| {
                let sets = sets(kernel, &name, &attackers)?;
                let count = |(set, row): (u64, &Vec<u64>)| {
                    vec![(set & row[row.len() - 1]).count_ones().into()]
                };
                let expected: Vec<Vec<u64>> =
                    sets.into_iter().zip(&batch.rows).map(count).collect();
                equal(kernel, &batch.operation, &batch.run(kernel)?, &expected)
            })
        },
    );
}

/// The attacks of rooks, bishops, queens or sliders of a line are those along their rays.
#[test]
fn attacks_are_unions_of_rays() {
    let applies = |operation: &Operation| {
        let slides = |input: &Argument| sliders(input, 1) != 0 || input.role() == Role::Occupied;
        operation.info.outputs().len() == 1 && inputs(operation).all(|(_, input)| slides(input))
    };
    check(applies, |batch| {
        let operation = &batch.operation;
        let occupied = input(operation, Role::Occupied).expect("the occupied squares");
        for_each_kernel(|kernel| {
            let mut union = vec![vec![0]; batch.rows.len()];
            for (number, input) in inputs(operation) {
                for direction in operation.directions(input) {
                    let ray =
                        Operation { parameter: direction as u8, ..named("ray_attacks north") };
                    let rays = batch.map(|row| {
                        vec![
                            sliders(input, row[number]),
                            row[occupied] | all_sliders(operation, row),
                        ]
                    });
                    let rays = run(kernel, &ray, &rays.rows)?;
                    union.iter_mut().zip(rays).for_each(|(all, ray)| all[0] |= ray[0]);
                }
            }
            equal(kernel, operation, &batch.run(kernel)?, &union)
        })
    });
}

#[test]
fn sliders_block_whether_or_not_they_are_occupied() {
    let applies = |operation: &Operation| {
        input(operation, Role::Occupied).is_some()
            && inputs(operation).any(|(_, input)| sliders(input, 1) != 0)
    };
    check(applies, |batch| {
        let occupied = input(&batch.operation, Role::Occupied).expect("the occupied squares");
        let with_sliders = batch.map(|row| {
            let mut row = row.clone();
            row[occupied] |= all_sliders(&batch.operation, &row);
            row
        });
        for_each_kernel(|kernel| {
            equal(kernel, &batch.operation, &batch.run(kernel)?, &with_sliders.run(kernel)?)
        })
    });
}

/// The classical formula for one slider: what it attacks after the blockers that it attacks are
/// gone, and did not attack before. Here for each slider of a board.
#[test]
fn xrays_follow_the_classical_formula() {
    check(
        |operation| operation.info.name().starts_with("xray_"),
        |batch| {
            let name = &batch.operation.info.name()["xray_".len()..];
            let (mut before, mut blockers, mut owners) = (vec![], vec![], vec![]);
            for (owner, row) in batch.rows.iter().enumerate() {
                for slider in Place::of(row[0]).map(Place::alone) {
                    before.push(vec![slider, row[2] | row[0]]);
                    blockers.push(row[1]);
                    owners.push(owner);
                }
            }
            for_each_kernel(|kernel| {
                let seen = sets(kernel, name, &before)?;
                let after = before.iter().zip(&blockers).zip(&seen);
                let after = after.map(|((row, blockers), seen)| {
                    vec![row[0], row[1] ^ (blockers & row[1] & seen)]
                });
                let beyond = sets(kernel, name, &after.collect::<Vec<_>>())?;
                let mut expected = vec![vec![0]; batch.rows.len()];
                for ((owner, seen), beyond) in owners.iter().zip(&seen).zip(beyond) {
                    expected[*owner][0] |= beyond ^ seen;
                }
                equal(kernel, &batch.operation, &batch.run(kernel)?, &expected)
            })
        },
    );
}

/// The classical formula for one king: a piece is pinned if it is the only one between the king
/// and a slider. Here for each king of a board.
#[test]
fn pins_follow_the_classical_formula() {
    check(
        |operation| operation.info.name() == "pins",
        |batch| {
            let expected = batch.map(|row| {
                let [kings, own, rooks, bishops, occupied] = row[..] else {
                    unreachable!("five sets")
                };
                let occupied = occupied | kings | own | rooks | bishops;
                let mut pins = vec![0, 0];
                for king in Place::of(kings) {
                    let rays = [
                        board::rook_attacks(king.alone(), 0),
                        board::bishop_attacks(king.alone(), 0),
                    ];
                    for slider in Place::of(rays[0] & rooks | rays[1] & bishops) {
                        let [king, at] =
                            [king, slider].map(|place| Square::masked(place.number() as u8));
                        let between = board::between(king, at) & occupied;
                        if between.is_power_of_two() && between & own != 0 {
                            pins[0] |= between;
                            pins[1] |= slider.alone();
                        }
                    }
                }
                pins
            });
            for_each_kernel(|kernel| {
                equal(kernel, &batch.operation, &batch.run(kernel)?, &expected.rows)
            })
        },
    );
}

#[test]
fn between_and_line_through_are_symmetric() {
    let names = ["between", "line_through"];
    check(
        |operation| ["between", "line_through"].contains(&operation.info.name()),
        |batch| {
            let exchanged = batch.map(|row| vec![row[1], row[0]]);
            for_each_kernel(|kernel| {
                let results = batch.run(kernel)?;
                equal(kernel, &batch.operation, &results, &exchanged.run(kernel)?)?;
                // The squares between are those of the line that both squares attack at most.
                let line = sets(kernel, "line_through", &batch.rows)?;
                let between = sets(kernel, "between", &batch.rows)?;
                batch.rows.iter().zip(line).zip(between).try_for_each(|((row, line), between)| {
                    let both = 1 << row[0] | 1 << row[1];
                    that(
                        between & !(line & !both) == 0 && (line == 0 || line & both == both),
                        || {
                            format!(
                                "{kernel:?}: {:?}, {:?}",
                                board::Drawing(line),
                                board::Drawing(between)
                            )
                        },
                    )
                })
            })
        },
    );
    assert!(names.into_iter().all(|name| Operation::named(name).is_some()));
}

/// Operations on one board by value are those on batches of the same name.
#[test]
fn one_board_is_a_batch_of_one() {
    let batches = |operation: &Operation| {
        operation.info.name().strip_suffix("_one").and_then(Operation::named)
    };
    check(
        move |operation| batches(operation).is_some(),
        |batch| {
            let name = batch.operation.info.name().trim_end_matches("_one");
            for_each_kernel(|kernel| {
                equal(
                    kernel,
                    &batch.operation,
                    &batch.run(kernel)?,
                    &run(kernel, &named(name), &batch.rows)?,
                )
            })
        },
    );
}

/// The pieces of a board: twelve sets, in the order of [`Position`].
fn position(row: &[u64]) -> Position {
    let [white, black] = [&row[..6], &row[6..]].map(|side| side.try_into().expect("six sets"));
    Position { pieces: [white, black] }
}

/// Attack maps and checks are what the operations on sets return for each set of a position.
#[test]
fn positions_are_their_sets() {
    check(
        |operation| operation.info.name() == "attack_maps",
        |batch| {
            let positions: Vec<Position> = batch.rows.iter().map(|row| position(row)).collect();
            for_each_kernel(|kernel| {
                let of_kind = |side: usize, kind: usize, attackers: &dyn Fn(&Position) -> u64| {
                    let with_occupied = |p: &Position| vec![attackers(p), p.occupied()];
                    let alone = |p: &Position| vec![attackers(p)];
                    let rows = |row: &dyn Fn(&Position) -> Vec<u64>| {
                        positions.iter().map(row).collect::<Vec<_>>()
                    };
                    match kind {
                        0 => sets(
                            kernel,
                            ["pawn_attacks white", "pawn_attacks black"][side],
                            &rows(&alone),
                        ),
                        1 => sets(kernel, "knight_attacks", &rows(&alone)),
                        2 => sets(kernel, "bishop_attacks", &rows(&with_occupied)),
                        3 => sets(kernel, "rook_attacks", &rows(&with_occupied)),
                        4 => sets(kernel, "queen_attacks", &rows(&with_occupied)),
                        _ => sets(kernel, "king_attacks", &rows(&alone)),
                    }
                };
                let mut maps = vec![vec![0; 16]; positions.len()];
                let mut checks = vec![vec![0; 6]; positions.len()];
                for side in 0..2 {
                    for kind in 0..6 {
                        let attacks = of_kind(side, kind, &|p| p.pieces[side][kind])?;
                        // A piece attacks the king if its like in the king's place, of the
                        // king's side, would attack the piece.
                        let from_king = of_kind(side, kind, &|p| p.pieces[side][5])?;
                        for (i, p) in positions.iter().enumerate() {
                            let theirs = p.pieces[1 - side];
                            maps[i][6 * side + kind] = attacks[i];
                            maps[i][12 + side] |= attacks[i];
                            let values = [1, 3, 3, 5, 9, 0];
                            let greater = (0..5).filter(|&k| kind < 5 && values[k] > values[kind]);
                            maps[i][14 + side] |=
                                attacks[i] & greater.fold(0, |all, k| all | theirs[k]);
                            if kind < 5 {
                                checks[i][side] |= from_king[i] & theirs[kind];
                            }
                        }
                    }
                    let rows = positions.iter().map(|p| {
                        let theirs = p.pieces[1 - side];
                        let (orthogonal, diagonal) = (theirs[3] | theirs[4], theirs[2] | theirs[4]);
                        let own = p.pieces[side].iter().fold(0, |all, set| all | set);
                        vec![p.pieces[side][5], own, orthogonal, diagonal, p.occupied()]
                    });
                    let pins = run(kernel, &named("pins"), &rows.collect::<Vec<_>>())?;
                    for (checks, pins) in checks.iter_mut().zip(pins) {
                        (checks[2 + side], checks[4 + side]) = (pins[0], pins[1]);
                    }
                }
                equal(kernel, &batch.operation, &batch.run(kernel)?, &maps)?;
                let operation = named("checks");
                equal(kernel, &operation, &run(kernel, &operation, &batch.rows)?, &checks)
            })
        },
    );
}

/// A piece may go from one square to another if the king is not attacked then. That is so if every
/// checker, and every slider that pins the piece, is captured or blocked.
#[test]
fn checks_and_pins_agree_with_the_move_made_on_a_plain_board() {
    fn law(boards: Vec<Plain>) -> Law {
        let positions: Vec<Position> = boards.iter().map(Plain::position).collect();
        let mut safe = vec![[[0_u64; 64]; 2]; boards.len()];
        for (plain, safe) in boards.iter().zip(&mut safe) {
            let pieces = plain.0.iter().enumerate();
            for (from, &code) in pieces.filter(|(_, code)| !kind_of(**code).is_multiple_of(6)) {
                let side = side_of(code);
                for to in (0..64).filter(|&to| kind_of(plain.0[to]) != 6) {
                    let mut after = plain.clone();
                    (after.0[from], after.0[to]) = (0, code);
                    safe[side][from] |= u64::from(!after.in_check(side)) << to;
                }
            }
        }
        for_each_kernel(|kernel| {
            let mut checks = vec![Checks::default(); boards.len()];
            kernel.checks(&positions, &mut checks);
            for (i, (plain, checks)) in boards.iter().zip(&checks).enumerate() {
                let pieces = plain.0.iter().enumerate();
                for (from, &code) in pieces.filter(|(_, code)| !kind_of(**code).is_multiple_of(6)) {
                    let side = side_of(code);
                    let king = Square::masked(plain.king(side) as u8);
                    let between =
                        |enemy: Place| board::between(king, Square::masked(enemy.number() as u8));
                    let pinners =
                        Place::of(checks.pinners[side]).filter(|&p| between(p) >> from & 1 == 1);
                    let pinners: Vec<Place> = pinners.collect();
                    let is_pinned = checks.pinned[side] >> from & 1 == 1;
                    that(is_pinned != pinners.is_empty(), || {
                        format!(
                            "{kernel:?}: board {i}: square {from}: pinned {is_pinned} by {pinners:?}"
                        )
                    })?;
                    let hostile = Place::of(checks.checkers[side]).chain(pinners);
                    let allowed =
                        hostile.fold(!0, |all, enemy| all & (enemy.alone() | between(enemy)));
                    let kings = positions[i].pieces[0][5] | positions[i].pieces[1][5];
                    let (got, expected) = (allowed & !kings, safe[i][side][from]);
                    that(got == expected, || {
                        let title = format!("{kernel:?}: board {i}: moves of the piece on {from}");
                        format!(
                            "{title}: got {:?}, expected {:?}",
                            board::Drawing(got),
                            board::Drawing(expected)
                        )
                    })?;
                }
            }
            Ok(())
        })
    }
    test(2 * budget(), law as fn(Vec<Plain>) -> Law);
}

fn threats_of(kernel: &Kernel, codes: &Codes, rules: &Rules) -> BTreeSet<Threat> {
    let mut threats = [Threat::default(); MOST];
    let mut offsets = [0; 2];
    kernel.threats(&[*codes], rules, &mut offsets, &mut threats);
    threats[..offsets[1] as usize].iter().copied().collect()
}

/// The lists of a change are the differences between all threats before and after it.
#[test]
fn changes_of_threats_are_the_difference_of_all_threats() {
    fn law(plain: Plain, from: u8, to: u8, placed: u8) -> Law {
        let rules = Meaning::usual().rules();
        let (from, to) = (Square::masked(from), Square::masked(to));
        let placed = PIECES[usize::from(placed) % PIECES.len()];
        let mut after = plain.0;
        after[from.index()] = 0;
        after[to.index()] = placed;
        let edits = [(from, 0), (to, placed)];
        for_each_kernel(|kernel| {
            let [before, after] = [&plain.0, &after].map(|codes| threats_of(kernel, codes, &rules));
            let expected = (&after - &before, &before - &after);
            let (mut moved, mut edited) = (Changes::new(), Changes::new());
            kernel.threats_moved(&plain.0, from, to, placed, &rules, &mut moved);
            let edits = &edits[usize::from(from == to)..];
            kernel.threats_edited(&plain.0, edits, &rules, &mut edited);
            for (call, changes) in [("threats_moved", moved), ("threats_edited", edited)] {
                let [added, removed] = [changes.added(), changes.removed()];
                let got = (added.iter().copied().collect(), removed.iter().copied().collect());
                let lengths = (added.len(), removed.len()) == (expected.0.len(), expected.1.len());
                that(got == expected && lengths, || {
                    format!(
                        "{kernel:?}: {call} {from:?} {to:?} {placed}: {got:?}, not {expected:?}"
                    )
                })?;
            }
            Ok(())
        })
    }
    test(25 * budget(), law as fn(Plain, u8, u8, u8) -> Law);
}

/// A change of a board of any bytes, with any pairs that count.
#[derive(Clone)]
struct AnyChange(Case, Vec<(Square, u8)>, Meaning);

impl Arbitrary for AnyChange {
    fn arbitrary(g: &mut Gen) -> AnyChange {
        let (case, edits, meaning) = setwise_check::threats::random(|| u64::arbitrary(g));
        AnyChange(case, edits, meaning)
    }

    /// One edit less, or one piece less.
    fn shrink(&self) -> Box<dyn Iterator<Item = AnyChange>> {
        let AnyChange(case, edits, meaning) = self.clone();
        let (more, edited) = (self.clone(), edits.clone());
        let fewer = (0..edits.len()).map(move |i| {
            let mut edits = edits.clone();
            edits.remove(i);
            AnyChange(more.0.clone(), edits, more.2)
        });
        let empty = (0..16).find(|&code| meaning.codes[usize::from(code)].is_none());
        let pieces = (0..64).filter(move |&i| empty.is_some_and(|empty| case.codes[i] != empty));
        let more = self.clone();
        let emptier = pieces.map(move |i| {
            let mut case = more.0.clone();
            case.codes[i] = empty.expect("a code of an empty square");
            AnyChange(case, edited.clone(), meaning)
        });
        Box::new(fewer.chain(emptier))
    }
}

impl Debug for AnyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnyChange(Case { codes, from, to, placed }, edits, meaning) = self;
        for rank in codes.chunks(8).rev() {
            let code = |code: &u8| match meaning.codes[usize::from(code & 15)] {
                Some(_) => format!(" {code:02x}"),
                None => "  .".into(),
            };
            write!(f, "\n{}", rank.iter().map(code).collect::<String>())?;
        }
        write!(
            f,
            "\nmove {from:?} to {to:?}, which becomes {placed:02x}; edits {edits:02x?}; {meaning:x?}"
        )
    }
}

#[test]
fn threats_of_any_bytes_agree_with_the_oracle() {
    fn law(AnyChange(case, edits, meaning): AnyChange) -> Law {
        let expected = Expected::new(case, edits, &meaning);
        Form::all().try_for_each(|form| expected.check(form)).map_err(Wrong)
    }
    test(50 * budget(), law as fn(AnyChange) -> Law);
}

/// The numbers of legal moves and of checks by every kernel, and by [`board`].
fn counts(positions: &[GamePosition]) -> Vec<(&'static str, Vec<(u8, u8)>)> {
    let of_kernel = |kernel: &'static Kernel| {
        let (mut moves, mut checks) = (vec![0; positions.len()], vec![0; positions.len()]);
        kernel.legal_counts(positions, &mut moves, &mut checks);
        (kernel.name(), moves.into_iter().zip(checks).collect())
    };
    let by_board = positions.iter().map(board::legal_counts).collect();
    Kernel::available().map(of_kernel).chain([("board", by_board)]).collect()
}

/// Positions with exchanged colours have as many moves and checks, and so have those with mirrored
/// files, if no side can castle.
#[test]
fn mirrored_positions_have_equal_counts() {
    fn law(starts: Vec<Start>) -> Law {
        for files in [false, true] {
            let castling = |start: &Start| if files { [0; 2] } else { start.state.castling };
            let as_is = starts.iter().map(|start| {
                let state = State { castling: castling(start), ..start.state };
                Start { plain: start.plain.clone(), state }.position()
            });
            let mirrored = starts.iter().map(|start| start.mirrored(files).position());
            let (as_is, mirrored) =
                (counts(&as_is.collect::<Vec<_>>()), counts(&mirrored.collect::<Vec<_>>()));
            for ((name, as_is), (_, mirrored)) in as_is.iter().zip(&mirrored) {
                that(as_is == mirrored, || {
                    let files = if files { "mirrored files and " } else { "" };
                    format!("{name}: {as_is:?}, with {files}exchanged colours {mirrored:?}")
                })?;
            }
        }
        Ok(())
    }
    test(10 * budget(), law as fn(Vec<Start>) -> Law);
}

/// Every move of the list is another one, there are as many as are counted, and none leaves the
/// mover's king attacked. The checks counted are those of the operation `checks`.
#[test]
fn legal_moves_are_as_many_as_counted_and_leave_no_king_attacked() {
    fn law(starts: Vec<Start>) -> Law {
        let positions: Vec<GamePosition> = starts.iter().map(Start::position).collect();
        let counted = counts(&positions);
        for (i, (start, position)) in starts.iter().zip(&positions).enumerate() {
            let side = start.side();
            let checks = board::checks(&position.position).checkers[side].count_ones();
            let mut moves = vec![Move::default(); 2048];
            let listed = board::legal_moves(position, &mut moves);
            let moves = &moves[..listed];
            for (name, counts) in &counted {
                // 255 checks mark a position that no game can have.
                let expected = match board::legal_counts(position) {
                    (_, 255) => (0, 255),
                    _ => (listed.min(255) as u8, checks as u8),
                };
                that(counts[i] == expected, || {
                    format!(
                        "{name}: board {i}: {:?} moves and checks, {expected:?} listed",
                        counts[i]
                    )
                })?;
            }
            if counted[0].1[i].1 == 255 {
                continue;
            }
            that(moves.iter().collect::<BTreeSet<_>>().len() == listed, || {
                format!("board {i}: a move twice: {moves:?}")
            })?;
            for &played in moves {
                let after = Plain::from(&board::play(position, played).position);
                let touch = after.kings_touch() && !start.plain.kings_touch();
                that(!after.in_check(side) && !touch, || {
                    format!("board {i}: {played:?} leaves the king attacked:{after:?}")
                })?;
            }
        }
        Ok(())
    }
    test(10 * budget(), law as fn(Vec<Start>) -> Law);
}

/// Shrinks a law that does not hold: it must end at the only piece that matters.
#[test]
fn a_broken_law_is_drawn_on_its_smallest_board() {
    fn no_rook_attacks_e4(batch: Batch) -> Law {
        let results = batch.run(Kernel::active())?;
        that(results.iter().all(|result| result[0] >> 28 & 1 == 0), || "e4 is attacked".into())
    }
    CHOSEN.set(vec![named("rook_attacks")]);
    let broken = no_rook_attacks_e4 as fn(Batch) -> Law;
    let result = QuickCheck::new().tests(1000).quicktest(broken).expect_err("a broken law");
    let drawing = format!("{result:?}");
    assert!(drawing.contains("rook_attacks, a batch of 1") && drawing.contains("e4 is attacked"));
    assert_eq!(drawing.matches(" x").count(), 1, "{drawing}");
}
