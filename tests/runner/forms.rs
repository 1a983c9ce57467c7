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

/// Computes the attacks of sets of sliders.
type Run = Box<dyn Fn(&[u64], &[u64], &mut [u64])>;

/// The functions of a form, each with its directions. A form on squares gets the square of each
/// board's first slider.
fn functions(form: &Form) -> Vec<(Vec<Direction>, Run)> {
    match form.attacks {
        FormFunction::Ray(run) => Direction::ALL
            .map(|direction| {
                let run: Run = Box::new(move |s, o, attacks| run(direction, s, o, attacks));
                (vec![direction], run)
            })
            .into(),
        FormFunction::Sets(directions, run) => vec![(directions.to_vec(), Box::new(run))],
        FormFunction::Squares(lines, run) => {
            let directions = lines.iter().flat_map(|line| line.directions()).collect();
            let square =
                |sliders: &u64| Square::new(sliders.trailing_zeros() as u8).expect("one slider");
            let run = move |sliders: &[u64], occupied: &[u64], attacks: &mut [u64]| {
                run(&sliders.iter().map(square).collect::<Vec<_>>(), occupied, attacks);
            };
            vec![(directions, Box::new(run))]
        }
        _ => unreachable!("no check for this kind of form"),
    }
}

/// Checks slices of different lengths, then every list of cases for the form's directions. Returns
/// the number of compared boards.
pub(crate) fn check(plan: &Plan, form: &Form) -> Checked {
    let check = |(directions, run): (Vec<Direction>, Run)| {
        lengths(&run)?;
        check_lists(plan, form, &directions, &run)
    };
    functions(form).into_iter().map(check).sum()
}

/// Checks that a function writes exactly as many boards as the shortest slice has.
fn lengths(run: &Run) -> Result<(), String> {
    for [sliders, occupied, attacks] in
        [[9, 9, 14], [9, 6, 9], [5, 9, 9], [9, 9, 3], [3, 3, 4], [0, 1, 1]]
    {
        let mut out = vec![0xdead_beef; attacks];
        run(&vec![1; sliders], &vec![0; occupied], &mut out);
        let shortest = sliders.min(occupied).min(attacks);
        let written = out.iter().take_while(|&&set| set != 0xdead_beef).count();
        if written != shortest || out[shortest..].iter().any(|&set| set != 0xdead_beef) {
            return Err(format!("must write {shortest} boards, wrote {written}"));
        }
    }
    Ok(())
}

/// A case's sliders. For a form on squares its only slider, or one on any square if the case has
/// several or none.
fn sliders(form: &Form, case: Case) -> u64 {
    let needs_one = matches!(form.attacks, FormFunction::Squares(..));
    if needs_one && !case.sliders.is_power_of_two() {
        1 << (case.sliders % 64)
    } else {
        case.sliders
    }
}

fn check_lists(plan: &Plan, form: &Form, directions: &[Direction], run: &Run) -> Checked {
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
            let sliders: Vec<u64> = cases.iter().map(|&case| sliders(form, case)).collect();
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
