//! Laws that hold between the operations of one kernel, whatever the oracle says.

use quickcheck::{Arbitrary as _, Gen};
use setwise::{Direction, Kernels};

use crate::cases::Case;
use crate::check::{Checked, Plan, columns};
use crate::operations::{Operation, Role, step_of};
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

    fn input(self, role: Role, value: u64) -> u64 {
        if matches!(role, Role::Square | Role::OtherSquare) {
            u64::from(self.set(1 << value).trailing_zeros())
        } else {
            self.set(value)
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
    let sliders = column(|case| case.sliders);
    let others = column(|case| case.others);
    let occupied = column(|case| case.occupied);
    let with_sliders = column(|case| case.occupied | case.sliders);
    let everything = column(|case| case.occupied | case.sliders | case.others);
    let empty = column(|case| !(case.occupied | case.sliders));
    let both = column(|case| case.sliders | case.others);

    let boards = cases.len();
    let result = |call: &dyn Fn(&mut [u64])| {
        let mut output = vec![0; boards];
        call(&mut output);
        output
    };
    let united =
        |a: &[u64], b: &[u64]| -> Vec<u64> { a.iter().zip(b).map(|(a, b)| a | b).collect() };
    let rays = |directions: &[Direction], sliders: &[u64], occupied: &[u64]| {
        let ray = |&d: &Direction| result(&|out| kernel.ray_attacks(d, sliders, occupied, out));
        let rays = directions.iter().map(ray);
        rays.fold(vec![0; boards], |all, ray| united(&all, &ray))
    };
    let rook = result(&|out| kernel.rook_attacks(&sliders, &occupied, out));
    let bishop = result(&|out| kernel.bishop_attacks(&sliders, &occupied, out));
    let queen = result(&|out| kernel.queen_attacks(&sliders, &occupied, out));

    let mut compared = 0;
    let four = rays(&Direction::ORTHOGONAL, &sliders, &occupied);
    compared += same("a rook is its four rays", &rook, &four)?;
    let four = rays(&Direction::DIAGONAL, &sliders, &occupied);
    compared += same("a bishop is its four rays", &bishop, &four)?;
    compared += same(
        "a queen is a rook and a bishop",
        &queen,
        &united(&rook, &bishop),
    )?;

    let slider = result(&|out| kernel.slider_attacks(&sliders, &others, &occupied, out));
    let orthogonal = result(&|out| kernel.rook_attacks(&sliders, &everything, out));
    let diagonal = result(&|out| kernel.bishop_attacks(&others, &everything, out));
    let law =
        "slider_attacks are those of the rooks and of the bishops, each in the way of the other";
    compared += same(law, &slider, &united(&orthogonal, &diagonal))?;

    let again = result(&|out| kernel.queen_attacks(&sliders, &with_sliders, out));
    compared += same("a slider is occupied anyway", &again, &queen)?;

    let of_both = result(&|out| kernel.queen_attacks(&both, &everything, out));
    let of_one = result(&|out| kernel.queen_attacks(&sliders, &everything, out));
    let of_other = result(&|out| kernel.queen_attacks(&others, &everything, out));
    let law = "in the same occupancy, two sets attack what each attacks";
    compared += same(law, &of_both, &united(&of_one, &of_other))?;

    for d in Direction::ALL {
        let ray = result(&|out| kernel.ray_attacks(d, &sliders, &occupied, out));
        let filled = result(&|out| kernel.occluded_fill(d, &sliders, &empty, out));
        let stepped: Vec<u64> = filled.iter().map(|&set| stepped(step_of(d), set)).collect();
        let law = format!("a ray {d:?} is one step beyond the fill of the empty squares");
        compared += same(&law, &ray, &stepped)?;
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
    let mut compared = 0;
    for symmetry in Symmetry::all() {
        for prepared in &plan.operations {
            let operation = &prepared.operation;
            let columns = columns(operation, cases);
            let roles = operation.inputs.iter().map(|&(_, role)| role);
            let turned: Vec<Vec<u64>> = roles
                .zip(&columns)
                .map(|(role, column)| {
                    column
                        .iter()
                        .map(|&set| symmetry.input(role, set))
                        .collect()
                })
                .collect();
            let batch = |operation: &Operation, columns: &[Vec<u64>]| {
                let inputs: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
                let mut output = vec![0; cases.len()];
                (operation.batch)(kernel, &inputs, &mut output);
                output
            };
            let result = batch(operation, &columns);
            let result: Vec<u64> = if operation.output == "counts" {
                result
            } else {
                result.iter().map(|&set| symmetry.set(set)).collect()
            };
            let turned = batch(turned_operation(plan, operation, symmetry), &turned);
            let law = format!("{} under {symmetry:?}", operation.title());
            compared += same(&law, &turned, &result)?;
        }
    }
    Ok(compared)
}

/// The operation of the same name that attacks in the turned directions.
fn turned_operation<'a>(plan: &'a Plan, of: &Operation, symmetry: Symmetry) -> &'a Operation {
    let same_set = |rays: &[Direction], of: &[Direction]| {
        let turned = of.iter().map(|&d| symmetry.direction(d));
        rays.len() == of.len() && turned.into_iter().all(|d| rays.contains(&d))
    };
    let operations = plan.operations.iter().map(|prepared| &prepared.operation);
    let mut named =
        operations.filter(|operation| operation.name == of.name && operation.output == of.output);
    let found = named.find(|operation| same_set(&operation.rays, &of.rays));
    found.unwrap_or_else(|| panic!("{} is not symmetric under {symmetry:?}", of.title()))
}
