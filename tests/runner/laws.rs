//! Laws that hold between the operations of one kernel, whatever the oracle says.

use quickcheck::{Arbitrary as _, Gen};
use setwise::{Direction, Kernels, Line};

use crate::cases::Case;
use crate::check::{Checked, Plan, arguments, call};
use crate::column::{Column, get};
use crate::operations::{Argument, Index, Operation, step_of};
use crate::oracle::{Place, Step, step};

/// One of the eight symmetries of a square board.
#[derive(Clone, Copy, Debug)]
struct Symmetry {
    /// First exchange files and ranks,
    transposed: bool,
    /// then east and west,
    mirrored: bool,
    /// then north and south.
    flipped: bool,
}

impl Symmetry {
    fn all() -> impl Iterator<Item = Symmetry> {
        (0..8).map(|n| Symmetry {
            transposed: n & 1 != 0,
            mirrored: n & 2 != 0,
            flipped: n & 4 != 0,
        })
    }

    fn place(self, Place { file, rank }: Place) -> Place {
        let (file, rank) = if self.transposed {
            (rank, file)
        } else {
            (file, rank)
        };
        Place {
            file: if self.mirrored { 7 - file } else { file },
            rank: if self.flipped { 7 - rank } else { rank },
        }
    }

    fn step(self, Step { east, north }: Step) -> Step {
        let (east, north) = if self.transposed {
            (north, east)
        } else {
            (east, north)
        };
        step(
            if self.mirrored { -east } else { east },
            if self.flipped { -north } else { north },
        )
    }

    fn set(self, set: u64) -> u64 {
        let squares = Place::all().filter(|place| place.is_in(set));
        squares.map(|place| self.place(place).alone()).sum()
    }

    fn direction(self, direction: Direction) -> Direction {
        let turned = self.step(step_of(direction));
        let found = Direction::ALL.into_iter().find(|&d| step_of(d) == turned);
        found.expect("a symmetry keeps the compass rose")
    }

    fn index(self, index: Index) -> Index {
        match index {
            Index::Direction(d) => Index::Direction(self.direction(d)),
            Index::Line(line) => Index::Line(Line::along(self.direction(line.directions()[0]))),
        }
    }

    /// The value of an argument: a square's number, a count, or a set.
    fn value(self, argument: &Argument, value: u64) -> u64 {
        match argument.size {
            1 => self.set(1 << value).trailing_zeros().into(),
            4 => value,
            _ => self.set(value),
        }
    }
}

/// All laws for one kernel on random boards; returns the number of boards compared.
pub(crate) fn hold(plan: &Plan, kernel: &'static Kernels) -> Checked {
    let mut g = Gen::from_size_and_seed(100, plan.config.seed ^ 1);
    let cases: Vec<Case> = (0..plan.config.budget.laws)
        .map(|_| Case::arbitrary(&mut g))
        .collect();
    Ok(unions(kernel, &cases)? + symmetries(plan, kernel, &cases)?)
}

fn same(law: &str, got: &[u64], expected: &[u64]) -> Checked {
    match (0..expected.len()).find(|&i| got[i] != expected[i]) {
        Some(i) => Err(format!(
            "{law}: not so on board {i}: {:#018x}, {:#018x}",
            got[i], expected[i]
        )),
        None => Ok(expected.len() as u64),
    }
}

/// The operations against each other.
fn unions(kernel: &'static Kernels, cases: &[Case]) -> Checked {
    let column = |f: fn(&Case) -> u64| cases.iter().map(f).collect::<Vec<u64>>();
    let sliders = &column(|case| case.sliders);
    let others = &column(|case| case.others);
    let both = &column(|case| case.sliders | case.others);
    let occupied = &column(|case| case.occupied);
    let with_sliders = &column(|case| case.occupied | case.sliders);
    let everything = &column(|case| case.occupied | case.sliders | case.others);
    let empty = &column(|case| !(case.occupied | case.sliders));

    let result = |call: &dyn Fn(&mut [u64])| {
        let mut output = vec![0; cases.len()];
        call(&mut output);
        output
    };
    let rook = |s: &[u64], o: &[u64]| result(&|out| kernel.rook_attacks(s, o, out));
    let bishop = |s: &[u64], o: &[u64]| result(&|out| kernel.bishop_attacks(s, o, out));
    let queen = |s: &[u64], o: &[u64]| result(&|out| kernel.queen_attacks(s, o, out));
    let ray = |&d: &Direction| result(&|out| kernel.ray_attacks(d, sliders, occupied, out));
    let united =
        |a: Vec<u64>, b: Vec<u64>| -> Vec<u64> { a.iter().zip(b).map(|(a, b)| a | b).collect() };
    let rays = |directions: &[Direction]| directions.iter().map(ray).reduce(united).unwrap();
    let slider = result(&|out| kernel.slider_attacks(sliders, others, occupied, out));
    let queens = queen(sliders, occupied);
    let laws = [
        (
            "a rook is its four rays",
            rook(sliders, occupied),
            rays(&Direction::ORTHOGONAL),
        ),
        (
            "a bishop is its four rays",
            bishop(sliders, occupied),
            rays(&Direction::DIAGONAL),
        ),
        (
            "a queen is a rook and a bishop",
            queens.clone(),
            united(rook(sliders, occupied), bishop(sliders, occupied)),
        ),
        (
            "slider_attacks are those of the rooks and of the bishops, each in the way of the other",
            slider,
            united(rook(sliders, everything), bishop(others, everything)),
        ),
        (
            "a slider is occupied anyway",
            queen(sliders, with_sliders),
            queens,
        ),
        (
            "in the same occupancy, two sets attack what each attacks",
            queen(both, everything),
            united(queen(sliders, everything), queen(others, everything)),
        ),
    ];
    let mut compared = 0;
    for (law, got, expected) in laws {
        compared += same(law, &got, &expected)?;
    }
    for d in Direction::ALL {
        let filled = result(&|out| kernel.occluded_fill(d, sliders, empty, out));
        let stepped: Vec<u64> = filled.iter().map(|&set| stepped(step_of(d), set)).collect();
        let law = format!("a ray {d:?} is one step beyond the fill of the empty squares");
        compared += same(&law, &ray(&d), &stepped)?;
    }
    Ok(compared)
}

fn stepped(step: Step, set: u64) -> u64 {
    let squares = Place::all().filter(|place| place.is_in(set));
    squares
        .filter_map(|place| place.after(step))
        .map(Place::alone)
        .sum()
}

/// Turned and mirrored boards have turned and mirrored attacks.
fn symmetries(plan: &Plan, kernel: &'static Kernels, cases: &[Case]) -> Checked {
    let operations = || plan.operations.iter().map(|prepared| &prepared.operation);
    let run = |operation: &Operation, columns: &mut [Column]| {
        call(operation, columns, &|inputs, outputs| {
            (operation.batch)(kernel, inputs, outputs);
        });
    };
    let mut compared = 0;
    for symmetry in Symmetry::all() {
        let turn = |(argument, column): (&Argument, &Column)| {
            let values = (0..cases.len()).map(|i| get(column.bytes(), argument.size, i));
            Column::new(
                argument.size,
                values.map(|value| symmetry.value(argument, value)),
            )
        };
        for operation in operations() {
            // The operation of the same name along the turned direction or line.
            let index = operation.index.map(|index| symmetry.index(index));
            let mut same_name = operations().filter(|other| other.name == operation.name);
            let turned_operation = same_name.find(|other| other.index == index);
            let mut columns = arguments(operation, cases);
            let mut turned: Vec<Column> = operation.arguments().zip(&columns).map(turn).collect();
            run(operation, &mut columns);
            run(
                turned_operation.expect("each direction and line is there"),
                &mut turned,
            );
            let law = format!("{} under {symmetry:?}", operation.title());
            for (both, turned) in operation
                .arguments()
                .zip(&columns)
                .zip(&turned)
                .skip(operation.inputs.len())
            {
                let values = |column: &Column| -> Vec<u64> {
                    (0..cases.len())
                        .map(|i| get(column.bytes(), both.0.size, i))
                        .collect()
                };
                compared += same(&law, &values(turned), &values(&turn(both)))?;
            }
        }
    }
    Ok(compared)
}
