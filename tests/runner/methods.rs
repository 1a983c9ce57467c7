//! Checks the methods of `Kernel` that are not in the list of operations: those for one position.

use setwise::Kernel;
use setwise::position::{AttackMaps, Checks, Position};

use crate::check::{Checked, Plan};

/// Compares each method for one position with the oracle of the matching batch
/// operation, on the random cases.
pub(crate) fn agree(plan: &Plan, kernel: &Kernel) -> Checked {
    let position =
        |words: &[u64]| -> Position { bytemuck::pod_read_unaligned(bytemuck::cast_slice(words)) };
    let mut compared = 0;
    for prepared in &plan.operations {
        let one: &dyn Fn(&[u64]) -> Vec<u64> = match prepared.operation.info.name() {
            "attack_maps" => &|w| {
                let maps: AttackMaps = kernel.attack_maps_one(&position(w));
                bytemuck::cast_slice(&[maps]).to_vec()
            },
            "checks" => &|w| {
                let checks: Checks = kernel.checks_one(&position(w));
                bytemuck::cast_slice(&[checks]).to_vec()
            },
            _ => continue,
        };
        for case in plan.random_cases(prepared).0 {
            let inputs = case.inputs(&prepared.operation);
            let (got, expected) = (one(&inputs), prepared.operation.oracle(&inputs));
            if got != expected {
                let title = prepared.operation.title();
                return Err(format!(
                    "{title} of one board: {inputs:#x?}: got {got:#x?}, expected {expected:#x?}"
                ));
            }
            compared += 1;
        }
    }
    Ok(compared)
}
