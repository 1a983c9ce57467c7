//! The forms of the techniques that this CPU can run, against the oracle, on the same boards as the kernels.

use setwise::techniques::{Attacks, FORMS, Form};
use setwise::{Direction, Square};

use crate::cases::Case;
use crate::check::{Checked, Plan};
use crate::operations::{Role, step_of};
use crate::oracle::{self, Step};

/// The name of a form's trial. (Of `by_bit_reversal` there are two, for different lines.)
pub(crate) fn name(form: &Form) -> String {
    let along = match form.attacks {
        Attacks::Squares([line], _) => format!(" {line:?}"),
        _ => String::new(),
    };
    format!("forms::{}::{}{along}", form.technique, form.name)
}

pub(crate) fn available() -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(|form| form.available())
}

/// Every relevant list in batches of odd lengths; returns the number of boards compared.
pub(crate) fn check(plan: &Plan, form: &Form) -> Checked {
    match form.attacks {
        Attacks::Ray(run) => Direction::ALL
            .into_iter()
            .map(|direction| {
                let sets = |sliders: &[u64], occupied: &[u64], out: &mut [u64]| {
                    run(direction, sliders, occupied, out);
                };
                check_sets(plan, form, &[direction], &sets)
            })
            .sum(),
        Attacks::Sets(directions, run) => check_sets(plan, form, directions, &run),
        Attacks::Squares(lines, run) => {
            let directions: Vec<Direction> =
                lines.iter().flat_map(|line| line.directions()).collect();
            let squares = |sliders: &[u64], occupied: &[u64], out: &mut [u64]| {
                let squares: Vec<Square> = sliders.iter().map(|slider| square(*slider)).collect();
                run(&squares, occupied, out);
            };
            check_lists(
                plan,
                form,
                &directions,
                &|case| 1 << case.input(Role::Square),
                &squares,
            )
        }
        _ => Err("a form of a new kind: tell here how it is called".into()),
    }
}

fn square(slider: u64) -> Square {
    Square::new(slider.trailing_zeros() as u8).expect("one slider")
}

type Sets<'a> = &'a dyn Fn(&[u64], &[u64], &mut [u64]);

fn check_sets(plan: &Plan, form: &Form, directions: &[Direction], run: Sets) -> Checked {
    check_lists(plan, form, directions, &|case| case.sliders, run)
}

fn check_lists(
    plan: &Plan,
    form: &Form,
    directions: &[Direction],
    sliders: &dyn Fn(Case) -> u64,
    run: Sets,
) -> Checked {
    let steps: Vec<Step> = directions
        .iter()
        .map(|&direction| step_of(direction))
        .collect();
    let mut compared = 0;
    for (number, cases) in plan.every_case(&steps).enumerate() {
        // Every tail of a block of four, and of eight.
        for cases in cases.chunks(997 + number) {
            let sliders: Vec<u64> = cases.iter().map(|&case| sliders(case)).collect();
            let occupied: Vec<u64> = cases.iter().map(|case| case.occupied).collect();
            let mut attacks = vec![0xdead_beef; cases.len()];
            run(&sliders, &occupied, &mut attacks);
            for i in 0..cases.len() {
                let expected = oracle::attacks(&steps, sliders[i], occupied[i] | sliders[i]);
                if attacks[i] != expected {
                    let (form, sliders, occupied, got) =
                        (name(form), sliders[i], occupied[i], attacks[i]);
                    return Err(format!(
                        "{form} towards {directions:?}: sliders {sliders:#x}, occupied {occupied:#x}: {got:#x} instead of {expected:#x}"
                    ));
                }
            }
            compared += cases.len() as u64;
        }
    }
    Ok(compared)
}
