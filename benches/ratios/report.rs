//! The figures as Markdown tables or as JSON.

use std::fmt::Write;

use serde::Serialize;
use setwise::{KernelStatus, Kernels};

use crate::common::{copy_xor, kogge_stone, magic};
use crate::measure::{ALIGNED, IN_CACHE, IN_MEMORY, OFFSETS, REPEATED, Row, SHORT, WHOLE_BLOCK};
use crate::race::Ratio;
use crate::requirements::{Judged, Verdict, judge};

#[derive(Serialize)]
pub(crate) struct Report {
    rounds: usize,
    /// Every kernel that ran, best first.
    kernels: Vec<Kernel>,
    requirements: Vec<Judged>,
    ratios: Vec<Row>,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    /// The Kogge-Stone build for the same instruction set.
    same_set: &'static str,
}

const OPERATIONS: [&str; 4] = ["rook", "bishop", "queen", "slider"];

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

    /// How many bounds are missed.
    pub(crate) fn missed(&self) -> usize {
        let missed = |judged: &&Judged| judged.verdict == Verdict::Missed;
        self.requirements.iter().filter(missed).count()
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data")
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!(
            "Ratios of times: below 1 is faster than the reference. Median (ratio of the \
             fastest samples; middle half) of \
             {} interleaved rounds.\n",
            self.rounds
        );
        self.requirements_table(&mut text);
        for input in ["random", "playouts"] {
            self.own_set_table(&mut text, input);
            for reference in self.references() {
                self.peer_table(&mut text, input, IN_CACHE, reference);
            }
        }
        self.peer_table(&mut text, "random", REPEATED, magic::NAME);
        let kernels: Vec<_> = self.kernels.iter().map(|kernel| kernel.name).collect();
        for (settings, reference) in [(&SHORT[..], WHOLE_BLOCK), (&OFFSETS[..], ALIGNED)] {
            for (_, setting) in settings {
                let title = format!("{setting} against {reference}, random");
                operations_table(&mut text, &title, &kernels, |kernel, operation| {
                    self.cell(operation, "random", kernel, setting, reference)
                });
            }
        }
        self.in_memory_table(&mut text);
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
            [
                judged.requirement.clone(),
                judged.ratio.as_ref().map_or(String::from("-"), cell),
                format!("{:.2}", judged.bound),
                verdict.to_string(),
            ]
        });
        table(
            text,
            "requirements",
            ["requirement", "measured", "bound", "ok"],
            rows,
        );
    }

    /// Each kernel against Kogge-Stone built for the kernel's own instruction set.
    fn own_set_table(&self, text: &mut String, input: &str) {
        let title =
            format!("{IN_CACHE}, {input}: against Kogge-Stone for the same instruction set");
        let rows = self.kernels.iter().map(|Kernel { name, same_set }| {
            let ratio = |operation| self.cell(operation, input, name, IN_CACHE, same_set);
            let [rook, bishop, queen, slider] = OPERATIONS.map(ratio);
            [
                (*name).into(),
                (*same_set).into(),
                rook,
                bishop,
                queen,
                slider,
            ]
        });
        let [rook, bishop, queen, slider] = OPERATIONS;
        table(
            text,
            &title,
            ["kernel", "reference", rook, bishop, queen, slider],
            rows,
        );
    }

    fn in_memory_table(&self, text: &mut String) {
        let rows = self
            .ratios
            .iter()
            .filter(|row| row.setting == IN_MEMORY)
            .map(|row| [row.contender.into(), row.reference.into(), cell(&row.ratio)]);
        table(
            text,
            &format!("{IN_MEMORY}, random, queen"),
            ["", "against", ""],
            rows,
        );
    }

    /// Kernels and peers against one peer.
    fn peer_table(&self, text: &mut String, input: &str, setting: &str, reference: &str) {
        let kernels = self.kernels.iter().map(|kernel| kernel.name);
        let peers = self.references().into_iter();
        let contenders: Vec<_> = kernels
            .chain(peers.filter(|peer| *peer != copy_xor::NAME))
            .collect();
        let title = format!("{setting}, {input}: against {reference}");
        operations_table(text, &title, &contenders, |contender, operation| {
            self.cell(operation, input, contender, setting, reference)
        });
    }

    /// The references of the in-cache comparisons, in the order of measurement.
    fn references(&self) -> Vec<&'static str> {
        let mut references = Vec::new();
        for row in &self.ratios {
            if row.setting == IN_CACHE && !references.contains(&row.reference) {
                references.push(row.reference);
            }
        }
        references
    }

    fn cell(
        &self,
        operation: &str,
        input: &str,
        contender: &str,
        setting: &str,
        reference: &str,
    ) -> String {
        self.ratios
            .iter()
            .find(|row| {
                row.operation == operation
                    && row.input == input
                    && row.contender == contender
                    && row.setting == setting
                    && row.reference == reference
            })
            .map_or(String::from("-"), |row| cell(&row.ratio))
    }
}

fn operations_table(
    text: &mut String,
    title: &str,
    contenders: &[&str],
    ratio: impl Fn(&str, &str) -> String,
) {
    let [rook, bishop, queen, slider] = OPERATIONS;
    let rows = contenders.iter().map(|contender| {
        let [rook, bishop, queen, slider] = OPERATIONS.map(|operation| ratio(contender, operation));
        [(*contender).into(), rook, bishop, queen, slider]
    });
    table(text, title, ["", rook, bishop, queen, slider], rows);
}

fn cell(ratio: &Ratio) -> String {
    let Ratio {
        median,
        of_minima,
        quartiles: [low, high],
    } = ratio;
    format!("{median:.2} ({of_minima:.2}; {low:.2}-{high:.2})")
}

fn table<const N: usize>(
    text: &mut String,
    title: &str,
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    write!(text, "\n### {title}\n\n").expect("a string takes all");
    let mut line = |cells: &[&str]| {
        writeln!(text, "| {} |", cells.join(" | ")).expect("a string takes all");
    };
    line(&header);
    line(&["---"; N]);
    for row in rows {
        line(&row.each_ref().map(String::as_str));
    }
}
