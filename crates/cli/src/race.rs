//! Times kernels against each other.

use std::cell::Cell;
use std::time::{Duration, Instant};

use setwise_check::{Case, Operation, call};
use setwise_measure::race::{Length, Race, Times};
use setwise_positions::{Placement, Side};

use crate::check::Evaluator;

/// Times an operation on all cases in one call, in interleaved rounds, for about `limit` and for at
/// least 15 rounds.
pub(crate) fn race(
    kernels: &[&dyn Evaluator],
    operation: &Operation,
    cases: &[Case],
    limit: Duration,
) -> Times {
    let mut columns = operation.columns(cases);
    let mut race = Race::default();
    let length = Length { rounds: 15, sample: Duration::from_micros(500) };
    let started = Instant::now();
    loop {
        race.continue_for(kernels.len(), length, |i, iterations| {
            let time = Cell::new(Duration::ZERO);
            call(operation, &mut columns, &|inputs, outputs| {
                let started = Instant::now();
                for _ in 0..iterations {
                    kernels[i].evaluate(operation, inputs, outputs);
                }
                time.set(started.elapsed());
            });
            time.get()
        });
        if kernels.is_empty() || started.elapsed() >= limit {
            return race.times;
        }
    }
}

/// The boards of positions: the sliders of White, then those of Black.
pub(crate) fn cases(positions: &[Placement]) -> Vec<Case> {
    let sides = positions.iter().flat_map(|placement| {
        Side::BOTH.map(|side| Case {
            sliders: placement.orthogonal(side),
            others: placement.diagonal(side),
            occupied: placement.occupied(),
        })
    });
    sides.collect()
}
