//! What to take away, made from the figures.

use super::{digits, main_figure};
use crate::figures::{Figure, Kind, Run, Section};
use crate::roof;
use crate::settings::{BASELINE, IN_CACHE, SWEPT};

/// At most three sentences, as HTML; fewer where figures are missing.
pub(super) fn sentences(run: &Run) -> Vec<String> {
    [speed(run), few(run), memory(run)]
        .into_iter()
        .flatten()
        .collect()
}

/// The kernel with the least time in the caches.
pub(super) fn fastest(run: &Run) -> Option<&Figure> {
    let figures = run.select(Section::Operations, SWEPT, Some(IN_CACHE));
    let kernels = figures.filter(|figure| figure.kind == Kind::Kernel);
    kernels.min_by(|a, b| a.ns.median.total_cmp(&b.ns.median))
}

fn speed(run: &Run) -> Option<String> {
    let best = fastest(run)?;
    let times = 1.0 / best.to_scalar?.median;
    let scalar = main_figure(run, SWEPT, BASELINE)?;
    let look_ups = run
        .select(Section::Operations, SWEPT, Some(IN_CACHE))
        .filter(|figure| {
            ["magic", "pext", "cozy-magic", "popped-pext"].contains(&figure.contender.as_str())
        })
        .min_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
    let look_ups = look_ups.map(|figure| {
        format!(
            ", and {} times those of the fastest look-ups slider by slider (<b>{}</b>)",
            digits(figure.ns.median / best.ns.median),
            figure.contender
        )
    });
    Some(format!(
        "<b>{}</b> is the fastest kernel here: {} million boards a second for all sliders of a side, {} times the {} million of plain <b>scalar</b> code{}.",
        best.contender,
        digits(best.boards_per_second / 1e6),
        digits(times),
        digits(scalar.boards_per_second / 1e6),
        look_ups.unwrap_or_default()
    ))
}

fn few(run: &Run) -> Option<String> {
    let best = fastest(run)?;
    let of_best = |section, operation, boards| {
        let mut figures = run.select(section, operation, boards);
        figures.find(|figure| figure.contender == best.contender)
    };
    let one = of_best(Section::Latency, "slider_attacks_one", Some(1))?;
    let calls: Vec<&Figure> = run
        .select(Section::Calls, SWEPT, None)
        .filter(|figure| figure.contender == best.contender)
        .collect();
    let enough = calls
        .iter()
        .find(|figure| figure.ns.median <= 1.25 * best.ns.median);
    let enough = match enough {
        Some(figure) => format!(
            "from {} boards a call on it is within a quarter of its full speed",
            figure.boards_a_call
        ),
        None => {
            "up to 64 boards a call it stays more than a quarter below its full speed".to_owned()
        }
    };
    Some(format!(
        "One board waits {} ns for <b>{}</b> where each call needs the one before; {enough}.",
        digits(one.ns.median),
        best.contender
    ))
}

fn memory(run: &Run) -> Option<String> {
    let best = fastest(run)?;
    let far = run
        .select(Section::Sweep, SWEPT, None)
        .filter(|figure| figure.contender == best.contender)
        .last()?;
    let roofs = run
        .select(Section::Sweep, SWEPT, Some(far.boards_a_call))
        .filter(|figure| [roof::NAME, roof::AROUND].contains(&figure.contender.as_str()));
    let roof = roofs.max_by(|a, b| a.bytes_per_second.total_cmp(&b.bytes_per_second))?;
    let part = far.bytes_per_second / roof.bytes_per_second;
    let beyond = match run.machine.last_level() {
        Some(last) if far.working_set() > last => "Beyond the caches",
        _ => "On the largest batches measured",
    };
    Some(format!(
        "{beyond} ({}) it moves {:.1} GB/s, {:.0}% of what copying the same bytes moves ({:.1} GB/s by <b>{}</b>); in the caches it moves {:.1} GB/s.",
        super::capacity(far.working_set()),
        far.bytes_per_second / 1e9,
        100.0 * part,
        roof.bytes_per_second / 1e9,
        roof.contender,
        best.bytes_per_second / 1e9
    ))
}
