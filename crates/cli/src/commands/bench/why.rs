//! The tables that explain the speed of each kernel.

use std::fmt::Write as _;

use setwise_measure::bounds::{self, Row};
use setwise_measure::figures::{Run, distinct};
use setwise_measure::number::significant;
use setwise_measure::settings::MAIN;

use super::table::table;
use crate::draw::{STRONG, styled};

/// Appends a table for each of the main operations, or for all operations if there are few.
pub(super) fn tables(text: &mut String, run: &Run) {
    let Some(explanation) = bounds::explain(run) else {
        return;
    };
    let rows = &explanation.rows;
    let mut titles = distinct(rows.iter().map(|row| &row.title));
    if titles.len() > MAIN.len() + 1 {
        let main = |row: &&Row| MAIN.contains(&&*row.operation);
        titles = distinct(rows.iter().filter(main).map(|row| &row.title));
    }
    let _ = writeln!(text, "\n{}  {}", styled(STRONG, "Why"), explanation.about);
    let header = [
        "",
        "instructions",
        "vector",
        "spills",
        "uops",
        "bound",
        "simulated",
        "measured",
        "% of bound",
        "limit",
    ];
    for title in titles {
        let own = rows.iter().filter(|row| row.title == *title);
        table(
            text,
            title,
            "per board; bound, simulated and measured in cycles",
            &header,
            own.map(cells).collect(),
        );
    }
}

fn cells(row: &Row) -> Vec<String> {
    let number = |n: Option<f64>| match n {
        Some(0.0) => "0".into(),
        n => n.map(significant).unwrap_or_default(),
    };
    vec![
        row.contender.clone(),
        number(row.instructions),
        number(row.vector),
        number(row.spills),
        number(row.uops),
        number(row.bound),
        number(row.simulated),
        significant(row.measured),
        row.percent.map(|percent| format!("{percent:.0}")).unwrap_or_default(),
        row.limit.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use setwise_measure::figures::Run;

    #[test]
    fn the_main_operations_have_bounds() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/runs/amd-epyc-zen-5.json");
        let run = Run::read(std::fs::File::open(path).unwrap()).unwrap();
        let mut text = String::new();
        super::tables(&mut text, &run);
        let text = strip_str(&text).to_string();
        assert!(text.contains("Why  Model: znver4 of llvm-mca "), "{text}");
        assert!(text.contains("the nearest to Zen 5"), "{text}");
        for operation in super::MAIN {
            assert!(text.contains(&format!("\n{operation}  per board; bound")), "{text}");
        }
        let row = text.lines().find(|line| line.starts_with("avx2 ")).unwrap();
        // A row has the name, seven numbers, the percentage and at least one word for the limit.
        assert!(row.split_whitespace().count() >= 10, "{row}");
    }
}
