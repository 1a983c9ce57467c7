//! Contenders for the techniques of the literature (`setwise::techniques`). Each form of a
//! technique is one contender.

use setwise::techniques::{FORMS, Form, FormFunction};
use setwise::{Direction, Line, Square};

use crate::buffers::for_windows;
use crate::contender::Contender;
use crate::figures::Kind;
use crate::operation::Operation;

/// Every operation that a form on this CPU computes, with one contender for each such form.
pub(crate) fn all() -> Vec<(Operation, Vec<Contender>)> {
    let mut all: Vec<(Operation, Vec<Contender>)> = Vec::new();
    for form in FORMS.iter().filter(|form| form.available()) {
        for (operation, contender) in contenders(form) {
            let title = operation.title();
            match all.iter_mut().find(|(other, _)| other.title() == title) {
                Some((_, contenders)) => contenders.push(contender),
                None => all.push((operation, vec![contender])),
            }
        }
    }
    all
}

/// Makes one contender for each operation that the form computes. A form for rays computes eight
/// operations, one per direction.
fn contenders(form: &'static Form) -> Vec<(Operation, Contender)> {
    // Leaks a few dozen names, once per process.
    let name: &'static str = format!("{}::{}", form.technique, form.name).leak();
    let ray = |direction: &Direction| {
        Operation::named(&format!("ray_attacks-{direction:?}").to_lowercase())
    };
    let one =
        |operation: Option<Operation>, contender| operation.map(|operation| (operation, contender));
    match form.attacks {
        FormFunction::Ray(run) => {
            let contender = |direction: Direction| {
                let run = move |s: &[u64], o: &[u64], a: &mut [u64]| run(direction, s, o, a);
                one(ray(&direction), sets(name, run))
            };
            Direction::ALL.into_iter().filter_map(contender).collect()
        }
        FormFunction::Sets(directions, run) => {
            let operation = match directions {
                [direction] => ray(direction),
                [Direction::East, Direction::West] => Some(Operation::along_ranks()),
                four if *four == Direction::ORTHOGONAL => Operation::named("rook_attacks"),
                four if *four == Direction::DIAGONAL => Operation::named("bishop_attacks"),
                eight if *eight == Direction::ALL => Operation::named("queen_attacks"),
                _ => None,
            };
            one(operation, sets(name, run)).into_iter().collect()
        }
        FormFunction::Squares(lines, run) => {
            let operation = match lines {
                [line] => Operation::named(&format!("line_attacks_from-{line:?}").to_lowercase()),
                [Line::Rank, Line::File] => Operation::named("rook_attacks_from"),
                [Line::Diagonal, Line::Antidiagonal] => Operation::named("bishop_attacks_from"),
                four if *four == Line::ALL => Operation::named("queen_attacks_from"),
                _ => None,
            };
            let contender = Contender::new(name, Kind::Form, move |buffers| {
                for_windows! {
                    buffers (squares: Square, occupied: u64) (attacks: u64)
                    run(squares, occupied, attacks)
                }
            });
            one(operation, contender).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn sets(
    name: &'static str,
    run: impl Fn(&[u64], &[u64], &mut [u64]) + Send + Sync + 'static,
) -> Contender {
    Contender::new(name, Kind::Form, move |buffers| {
        for_windows! {
            buffers (sliders: u64, occupied: u64) (attacks: u64)
            run(sliders, occupied, attacks)
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::boards::BoardSet;
    use crate::workload::{Order, Workload};
    use setwise::techniques::FORMS;

    #[test]
    fn every_form_has_an_operation_and_is_right() {
        let boards = BoardSet::random(256);
        let all = super::all();
        for form in FORMS.iter().filter(|form| form.available()) {
            let name = format!("{}::{}", form.technique, form.name);
            assert!(
                all.iter().any(|(_, forms)| forms.iter().any(|form| form.name == name)),
                "{name}"
            );
        }
        for (operation, forms) in all {
            let mut workload = Workload::new(operation, &boards, Order::Same, 256, 0);
            for form in forms {
                form.check(&mut workload).unwrap();
            }
        }
    }
}
