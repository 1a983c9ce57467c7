//! `setwise bench --compare`: saved runs side by side.

use std::fs::File;
use std::path::PathBuf;

use setwise_measure::compare::Change;
use setwise_measure::figures::Run;
use setwise_measure::tables::comparisons;

use super::{BenchOptions, Drawn, lines, text};
use crate::failure::Failure;
use crate::print;

pub(super) fn run(options: &BenchOptions, json: bool) -> Result<(), Failure> {
    let read = |path: &PathBuf| {
        let failed =
            |why: String| Failure::Input(format!("--compare {}: {why}", print::name(path)));
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        Run::read(file).map_err(failed)
    };
    let runs = options.compare.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if options.summary && runs.len() > 1 {
        return Err(Failure::Input("--summary: expected one run to compare".into()));
    }
    Drawn::create(options)?.write(&runs)?;
    let comparisons = comparisons(&runs);
    let common = !comparisons.is_empty() && comparisons.iter().all(|changes| !changes.is_empty());
    if options.fail_above.is_some() && !common {
        return Err(Failure::Input("--fail-above: the runs have no common figures".into()));
    }
    let printed = if json {
        print::json(&serde_json::json!({ "changes": comparisons }))
    } else if options.summary {
        print::text(&lines(&runs[0].clone().summary()))
    } else if let [run] = runs.as_slice() {
        print::text(&text::run(run))
    } else {
        print::text(&text::comparison(&runs, &comparisons))
    };
    let Some(limit) = options.fail_above else {
        return printed;
    };
    for (path, run) in options.compare.iter().zip(&runs) {
        if run.options.iter().any(|option| option == "--quick") {
            let name = print::name(path);
            print::note(&format!("{name} is a --quick run: its noise can exceed --fail-above"));
        }
    }
    let slower: Vec<String> = (comparisons.iter().flatten())
        .filter(|change| change.exceeds(limit))
        .map(|Change { contender, operation, settings, factor, instructions, .. }| {
            let operation = if operation.is_empty() { "all operations" } else { operation };
            let counted = instructions.map(|n| format!(", {n:.2} times the instructions"));
            let counted = counted.unwrap_or_default();
            format!(
                "{contender}, {operation}: {factor:.2} times slower{counted} in {settings} settings"
            )
        })
        .collect();
    match slower.as_slice() {
        [] => printed,
        slower => {
            Err(Failure::Check(format!("slower by more than {limit}:\n{}", slower.join("\n"))))
        }
    }
}
