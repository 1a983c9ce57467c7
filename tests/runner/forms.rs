//! Checks every form that this CPU can run: compares its results with the oracle's, on the same
//! boards as the kernels. A form is one function in `setwise::techniques`.

use setwise::techniques::{FORMS, Form, FormFunction};
use setwise::{Direction, Square};
use setwise_check::Case;
use setwise_check::oracle::{self, Step, Steps as _};

use crate::check::{Checked, Plan};

/// The name of a form's trial. It includes the lines (ranks, files or diagonals), because some
/// forms are listed once for each of several lines.
pub(crate) fn name(form: &Form) -> String {
    let along = match form.attacks {
        FormFunction::Squares(lines, _) => format!(" {lines:?}"),
        _ => String::new(),
    };
    format!("forms::{}::{}{along}", form.technique, form.name)
}

pub(crate) fn available() -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(|form| form.available())
}

/// Checks slices of different lengths, then every list of cases for the form's directions. Returns
/// the number of compared boards.
pub(crate) fn check(plan: &Plan, form: &Form) -> Checked {
    lengths(form)?;
    match form.attacks {
        FormFunction::Ray(run) => Direction::ALL
            .into_iter()
            .map(|direction| {
                let sets = |sliders: &[u64], occupied: &[u64], out: &mut [u64]| {
                    run(direction, sliders, occupied, out);
                };
                check_sets(plan, form, &[direction], &sets)
            })
            .sum(),
        FormFunction::Sets(directions, run) => check_sets(plan, form, directions, &run),
        FormFunction::Squares(lines, run) => {
            let directions: Vec<Direction> =
                lines.iter().flat_map(|line| line.directions()).collect();
            let squares = |sliders: &[u64], occupied: &[u64], out: &mut [u64]| {
                let squares: Vec<Square> = sliders.iter().map(|slider| square(*slider)).collect();
                run(&squares, occupied, out);
            };
            check_lists(plan, form, &directions, &|case| 1 << square_of(case), &squares)
        }
        _ => Err("no check for this kind of form".into()),
    }
}

/// Checks that a form writes exactly as many boards as the shortest slice has.
fn lengths(form: &Form) -> Result<(), String> {
    for [firsts, occupied, attacks] in
        [[9, 9, 14], [9, 6, 9], [5, 9, 9], [9, 9, 3], [3, 3, 4], [0, 1, 1]]
    {
        let (sets, squares) = (vec![1; firsts], vec![Square::A1; firsts]);
        let (occupied, mut out) = (vec![0; occupied], vec![0xdead_beef; attacks]);
        match form.attacks {
            FormFunction::Ray(run) => run(Direction::North, &sets, &occupied, &mut out),
            FormFunction::Sets(_, run) => run(&sets, &occupied, &mut out),
            FormFunction::Squares(_, run) => run(&squares, &occupied, &mut out),
            _ => return Err("no check for this kind of form".into()),
        }
        let shortest = firsts.min(occupied.len()).min(attacks);
        let written = out.iter().take_while(|&&set| set != 0xdead_beef).count();
        if written != shortest || out[shortest..].iter().any(|&set| set != 0xdead_beef) {
            return Err(format!("must write {shortest} boards, wrote {written}"));
        }
    }
    Ok(())
}

/// The square of a case's only slider, or an arbitrary square if the case has several sliders or
/// none.
fn square_of(case: Case) -> u32 {
    if case.sliders.is_power_of_two() { case.sliders.ilog2() } else { case.sliders as u32 % 64 }
}

fn square(slider: u64) -> Square {
    Square::new(slider.trailing_zeros() as u8).expect("one slider")
}

type Sets<'a> = &'a dyn Fn(&[u64], &[u64], &mut [u64]);

fn check_sets(plan: &Plan, form: &Form, directions: &[Direction], run: Sets<'_>) -> Checked {
    check_lists(plan, form, directions, &|case| case.sliders, run)
}

fn check_lists(
    plan: &Plan,
    form: &Form,
    directions: &[Direction],
    sliders: &dyn Fn(Case) -> u64,
    run: Sets<'_>,
) -> Checked {
    let steps: Vec<Step> = directions.iter().flat_map(|direction| direction.steps()).collect();
    let mut compared = 0;
    for (number, cases) in plan.every_case(&steps).enumerate() {
        // The lengths cycle through 993 to 1,000, to try every tail after blocks of eight boards.
        let mut left = &cases[..];
        for length in (993..1001).cycle().skip(number) {
            let (cases, rest) = left.split_at(length.min(left.len()));
            left = rest;
            if cases.is_empty() {
                break;
            }
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
                        "{form} along {directions:?}: sliders {sliders:#x}, occupied {occupied:#x}: got {got:#x}, expected {expected:#x}"
                    ));
                }
            }
            compared += cases.len() as u64;
        }
    }
    Ok(compared)
}
