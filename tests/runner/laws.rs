//! Checks algebraic laws between the operations of one kernel, independently of the oracle.

use quickcheck::{Arbitrary as _, Gen};
use setwise::reflection::{Argument, Element, Parameter, Role};
use setwise::{Direction, Kernel, Line};
use setwise_check::oracle::{Place, Step, Steps as _, step};
use setwise_check::{Case, Column, Operation, call};

use crate::check::{Checked, Plan, Prepared, batch};

/// One of the eight symmetries of a square board.
#[derive(Clone, Copy, Debug)]
struct Symmetry {
    /// Whether to swap files and ranks, before any other change.
    transposed: bool,
    /// Whether to swap east and west, after the transposition.
    mirrored: bool,
    /// Whether to swap north and south, after the transposition.
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
        let (file, rank) = if self.transposed { (rank, file) } else { (file, rank) };
        Place {
            file: if self.mirrored { 7 - file } else { file },
            rank: if self.flipped { 7 - rank } else { rank },
        }
    }

    fn step(self, Step { east, north }: Step) -> Step {
        let (east, north) = if self.transposed { (north, east) } else { (east, north) };
        step(if self.mirrored { -east } else { east }, if self.flipped { -north } else { north })
    }

    fn set(self, set: u64) -> u64 {
        let squares = Place::of(set);
        squares.map(|place| self.place(place).alone()).sum()
    }

    fn direction(self, direction: Direction) -> Direction {
        let mapped = self.step(direction.steps()[0]);
        let found = Direction::ALL.into_iter().find(|d| d.steps()[0] == mapped);
        found.expect("a symmetry maps directions to directions")
    }

    /// The operation that corresponds to `operation` on the transformed board. `None` if pawns
    /// would move sideways.
    fn operation(self, operation: &Operation) -> Option<Operation> {
        let inputs = operation.info.inputs().iter();
        let roles: Vec<Role> = inputs.map(setwise::reflection::Argument::role).collect();
        if self.transposed && (roles.contains(&Role::Pawns) || roles.contains(&Role::Positions)) {
            return None;
        }
        let value = usize::from(operation.parameter);
        let parameter = match operation.info.parameter() {
            Some(Parameter::Direction) => self.direction(Direction::ALL[value]) as u8,
            Some(Parameter::Line) => {
                Line::along(self.direction(Line::ALL[value].directions()[0])) as u8
            }
            Some(Parameter::Side) => operation.parameter ^ u8::from(self.flipped),
            _ => 0,
        };
        Some(Operation { parameter, ..*operation })
    }

    /// Transforms the value of one element, which consists of `words`.
    fn words(self, element: Element, words: &[u64]) -> Vec<u64> {
        let mut words: Vec<u64> = match element {
            Element::Square => vec![self.set(1 << words[0]).trailing_zeros().into()],
            Element::Count => vec![words[0]],
            _ => words.iter().map(|&set| self.set(set)).collect(),
        };
        if self.flipped && words.len() > 1 {
            // Swap the sides. The words for each side and kind of piece come first, then the words
            // for each side. An element of `Checks` has only the latter.
            let by_kind = if element == Element::Checks { 0 } else { 12 };
            let (by_kind, by_side) = words.split_at_mut(by_kind);
            by_kind.rotate_left(by_kind.len() / 2);
            by_side.as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.swap(0, 1));
        }
        words
    }
}

/// Checks all laws for one kernel on random boards. Returns the number of compared boards.
pub(crate) fn hold(plan: &Plan, kernel: &'static Kernel) -> Checked {
    let mut g = Gen::from_size_and_seed(100, plan.config.seed ^ 1);
    let cases: Vec<Case> = (0..plan.config.budget.laws).map(|_| Case::arbitrary(&mut g)).collect();
    Ok(unions(kernel, &cases)? + symmetries(plan, kernel, &cases)?)
}

fn check_equal(law: &str, got: &[u64], expected: &[u64]) -> Checked {
    match (0..expected.len()).find(|&i| got[i] != expected[i]) {
        Some(i) => Err(format!(
            "{law}: fails on board {i}: got {:#018x}, expected {:#018x}",
            got[i], expected[i]
        )),
        None => Ok(expected.len() as u64),
    }
}

/// Checks laws by which an operation equals a union of other operations.
fn unions(kernel: &'static Kernel, cases: &[Case]) -> Checked {
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
    let union =
        |a: Vec<u64>, b: Vec<u64>| -> Vec<u64> { a.iter().zip(b).map(|(a, b)| a | b).collect() };
    let rays = |directions: &[Direction]| directions.iter().map(ray).reduce(union).unwrap();
    let slider = result(&|out| kernel.slider_attacks(sliders, others, occupied, out));
    let queens = queen(sliders, occupied);
    let laws = [
        ("a rook is its four rays", rook(sliders, occupied), rays(&Direction::ORTHOGONAL)),
        ("a bishop is its four rays", bishop(sliders, occupied), rays(&Direction::DIAGONAL)),
        (
            "a queen is a rook and a bishop",
            queens.clone(),
            union(rook(sliders, occupied), bishop(sliders, occupied)),
        ),
        (
            "slider_attacks are the attacks of rooks and bishops, which block each other",
            slider,
            union(rook(sliders, everything), bishop(others, everything)),
        ),
        ("a slider need not be in the occupancy", queen(sliders, with_sliders), queens),
        (
            "in the same occupancy, two sets attack what each attacks",
            queen(both, everything),
            union(queen(sliders, everything), queen(others, everything)),
        ),
    ];
    let mut compared = 0;
    for (law, got, expected) in laws {
        compared += check_equal(law, &got, &expected)?;
    }
    for d in Direction::ALL {
        let filled = result(&|out| kernel.occluded_fill(d, sliders, empty, out));
        let stepped: Vec<u64> = filled.iter().map(|&set| stepped(d.steps()[0], set)).collect();
        let law = format!("a ray {d:?} is one step beyond the fill of the empty squares");
        compared += check_equal(&law, &ray(&d), &stepped)?;
    }
    Ok(compared)
}

fn stepped(step: Step, set: u64) -> u64 {
    let squares = Place::of(set);
    squares.filter_map(|place| place.after(step)).map(Place::alone).sum()
}

/// Checks that transformed boards have transformed results.
fn symmetries(plan: &Plan, kernel: &'static Kernel, cases: &[Case]) -> Checked {
    let mut compared = 0;
    for symmetry in Symmetry::all() {
        for Prepared { operation, .. } in &plan.operations {
            let Some(other) = symmetry.operation(operation) else {
                continue;
            };
            let transformed = |(argument, column): (&Argument, &Column)| {
                let mut words = vec![];
                for i in 0..cases.len() {
                    let mut element = vec![];
                    Column::get(column.bytes(), argument.element(), i, &mut element);
                    words.extend(symmetry.words(argument.element(), &element));
                }
                Column::new(argument.element(), words)
            };
            let mut columns = operation.columns(cases);
            let mut others: Vec<Column> =
                operation.arguments().zip(&columns).map(transformed).collect();
            call(operation, &mut columns, &batch(operation, kernel));
            call(&other, &mut others, &batch(&other, kernel));
            let inputs = operation.info.inputs().len();
            for (both, other) in operation.arguments().zip(&columns).zip(&others).skip(inputs) {
                if transformed(both) != *other {
                    let title = operation.title();
                    return Err(format!("{title} under {symmetry:?}: `{}` differs", both.0.name()));
                }
                compared += cases.len() as u64;
            }
        }
    }
    Ok(compared)
}
