//! The ratios as Markdown tables or as JSON.

use std::fmt::Write;

use serde::Serialize;
use setwise::{KernelStatus, Kernels};

use crate::requirements::{Judged, Verdict, judge};
use crate::row::{
    self, ALIGNED, IN_CACHE, IN_MEMORY, OFFSETS, OPERATIONS, REPEATED, Row, SHORT, WHOLE_BLOCK,
};
use setwise_measure::copy_xor;
use setwise_measure::peers::{kogge_stone, magic};
use setwise_measure::race::Ratio;

#[derive(Serialize)]
pub(crate) struct Report {
    rounds: usize,
    /// Every kernel that was measured, best first.
    kernels: Vec<Kernel>,
    requirements: Vec<Judged>,
    ratios: Vec<Row>,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    /// The Kogge-Stone peer for the same instruction set.
    same_set: &'static str,
}

impl Report {
    pub(crate) fn new(rounds: usize, ratios: Vec<Row>) -> Report {
        let kernels = Kernels::catalogue()
            .iter()
            .filter(|info| info.status() == KernelStatus::Available)
            .map(|info| Kernel {
                name: info.name(),
                same_set: kogge_stone::build_for(info.needs()),
            })
            .collect();
        Report {
            rounds,
            kernels,
            requirements: judge(&ratios),
            ratios,
        }
    }

    /// The number of missed bounds.
    pub(crate) fn missed(&self) -> usize {
        let missed = |judged: &&Judged| judged.verdict == Verdict::Missed;
        self.requirements.iter().filter(missed).count()
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data")
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "Ratios of times: below 1 is faster than the reference. Median (ratio of the fastest \
             samples; quartiles) of {} interleaved rounds.\n",
            self.rounds
        );
        self.requirements_table(&mut text);
        let kernels: Vec<_> = self.kernels.iter().map(|kernel| kernel.name).collect();
        let of_set = self
            .kernels
            .iter()
            .map(|kernel| ([kernel.name, kernel.same_set], kernel.same_set));
        let references = self.references();
        let peers = references
            .iter()
            .filter(|peer| ![copy_xor::NAME, copy_xor::NON_TEMPORAL].contains(peer));
        let contenders: Vec<_> = kernels.iter().chain(peers).collect();
        for input in ["random", "playouts"] {
            let title =
                format!("{IN_CACHE}, {input}: against Kogge-Stone for the same instruction set");
            let labels = ["kernel", "reference"];
            self.operations_table(&mut text, &title, labels, of_set.clone(), input, IN_CACHE);
            for &reference in &references {
                let title = format!("{IN_CACHE}, {input}: against {reference}");
                let rows = contenders.iter().map(|name| ([**name], reference));
                self.operations_table(&mut text, &title, [""], rows, input, IN_CACHE);
            }
        }
        let title = format!("{REPEATED}, random: against {}", magic::NAME);
        let rows = contenders.iter().map(|name| ([**name], magic::NAME));
        self.operations_table(&mut text, &title, [""], rows, "random", REPEATED);
        for (settings, reference) in [(&SHORT[..], WHOLE_BLOCK), (&OFFSETS[..], ALIGNED)] {
            for (_, setting) in settings {
                let title = format!("{setting} against {reference}, random");
                let rows = kernels.iter().map(|name| ([*name], reference));
                self.operations_table(&mut text, &title, [""], rows, "random", setting);
            }
        }
        let rows = self.ratios.iter().filter(|row| row.setting == IN_MEMORY);
        let rows = rows.map(|row| {
            [
                row.contender.into(),
                row.reference.into(),
                cell(Some(row.ratio)),
            ]
            .into()
        });
        let title = format!("{IN_MEMORY}, random, queen");
        table(&mut text, &title, &["", "reference", "ratio"], rows);
        text
    }

    fn requirements_table(&self, text: &mut String) {
        let rows = self.requirements.iter().map(|judged| {
            let verdict = match judged.verdict {
                Verdict::Ok => "yes",
                Verdict::WithinNoise => "within noise",
                Verdict::Missed => "**no**",
                Verdict::NotRun => "not run",
            };
            let bound = format!("{:.2}", judged.bound);
            let text = judged.requirement.clone();
            vec![text, cell(judged.ratio), bound, verdict.into()]
        });
        let header = ["requirement", "measured", "bound", "ok"];
        table(text, "requirements", &header, rows);
    }

    /// A column per operation. A row is its labels, of which the first is the contender, and the
    /// reference.
    fn operations_table<'a, const N: usize>(
        &self,
        text: &mut String,
        title: &str,
        labels: [&str; N],
        rows: impl Iterator<Item = ([&'a str; N], &'a str)>,
        input: &str,
        setting: &str,
    ) {
        let rows = rows.map(|(labels, reference)| {
            let row = |operation| [operation, input, labels[0], setting, reference];
            let ratios = OPERATIONS.map(|operation| cell(row::find(&self.ratios, row(operation))));
            labels.map(String::from).into_iter().chain(ratios).collect()
        });
        let header: Vec<_> = labels.into_iter().chain(OPERATIONS).collect();
        table(text, title, &header, rows);
    }

    /// The references of the comparisons in the caches, in the order of measurement.
    fn references(&self) -> Vec<&'static str> {
        let mut references = Vec::new();
        for row in &self.ratios {
            if row.setting == IN_CACHE && !references.contains(&row.reference) {
                references.push(row.reference);
            }
        }
        references
    }
}

/// A ratio as text; a dash for none.
fn cell(ratio: Option<Ratio>) -> String {
    let Some(Ratio {
        median,
        of_minima,
        quartiles,
    }) = ratio
    else {
        return "-".into();
    };
    let [low, high] = quartiles;
    format!("{median:.2} ({of_minima:.2}; {low:.2}-{high:.2})")
}

fn table(text: &mut String, title: &str, header: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    write!(text, "\n### {title}\n\n").expect("strings accept writes");
    let mut line = |cells: String| writeln!(text, "| {cells} |").expect("strings accept writes");
    line(header.join(" | "));
    line(vec!["---"; header.len()].join(" | "));
    rows.for_each(|row| line(row.join(" | ")));
}
