//! Reads a run from a file and checks it. Tables, charts and comparisons rely on the ranges that
//! are checked here, so they need no checks of their own.

use std::fmt::Display;
use std::io::Read;

use serde::Deserialize;
use serde_json::Value;

use crate::figures::{Figure, Run, SCHEMA};
use crate::machine::Machine;
use crate::printable::{is_printable, printable};
use crate::race::{Ratio, Spread};

/// The maximum length of a run's JSON, in bytes.
const MAX_JSON: u64 = 16 << 20;
/// The maximum number of figures. A full run has about 4,000.
const FIGURES: usize = 20_000;
/// The maximum length of every other list.
const LIST: usize = 1000;
/// The maximum length of a text, in bytes.
const TEXT: usize = 2000;
/// The maximum of every count.
const COUNT: usize = 1 << 50;

impl Run {
    /// Reads a run from its JSON, of at most 16 MiB.
    ///
    /// # Errors
    /// If the source cannot be read or is too long, if the text is not JSON, has another schema
    /// version or lacks a field, or if a value is out of its range. The message has only printable
    /// characters.
    pub fn read(source: impl Read) -> Result<Run, String> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let mut json = Vec::new();
        let read = source.take(MAX_JSON + 1).read_to_end(&mut json);
        read.map_err(|error| error.to_string())?;
        if json.len() as u64 > MAX_JSON {
            return Err("longer than 16 MiB, so it is not a run".into());
        }
        let failed = |error: serde_json::Error| {
            printable(&format!("not a run of `setwise bench --json`: {error}"))
        };
        let Version { schema } = serde_json::from_slice(&json).map_err(failed)?;
        if schema != SCHEMA {
            return Err(format!("its schema is {schema}, expected {SCHEMA}"));
        }
        let run = serde_json::from_slice(&json).map_err(failed)?;
        check(&run)?;
        Ok(run)
    }

    /// Checks that [`read`](Run::read) accepts the run.
    ///
    /// # Errors
    /// The first value that is not allowed, or the length of the run's JSON.
    pub fn check(&self) -> Result<(), String> {
        check(self)?;
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        within("the length of its JSON", json.len() as u64, 0, MAX_JSON)
    }
}

/// Checks, before a run, that its file can be read back. At that time only the options and the
/// minimum number of figures are known.
pub(crate) fn check_plan(given: &[String], figures: usize) -> Result<(), String> {
    within("the number of options", given.len(), 0, LIST)?;
    for option in given {
        let name = option.split(' ').next().unwrap_or_default();
        within(&format!("the length of {name} and its list"), option.len(), 0, TEXT)?;
    }
    within("the number of figures", figures, 0, FIGURES)
}

/// Checks all lengths, texts and numbers.
///
/// # Errors
/// The first value that is not allowed: its place, the value, and what is allowed.
fn check(run: &Run) -> Result<(), String> {
    within("the number of figures", run.figures.len(), 0, FIGURES)?;
    texts(&serde_json::to_value(run).map_err(|error| error.to_string())?, "")?;
    within("seconds", run.seconds, 0.0, 1e9)?;
    machine(&run.machine).map_err(|error| format!("machine.{error}"))?;
    for (i, input) in run.inputs.iter().enumerate() {
        within(&format!("inputs[{i}].boards"), input.boards, 1, COUNT)?;
    }
    for (i, clock) in run.clocks.iter().enumerate() {
        within(&format!("clocks[{i}].ghz"), clock.ghz, 1e-3, 1e3)?;
    }
    for (i, ceiling) in run.ceilings.iter().enumerate() {
        within(&format!("ceilings[{i}].bits"), ceiling.bits, 64, 4096)?;
        let rate = ceiling.operations_per_ns;
        within(&format!("ceilings[{i}].operations_per_ns"), rate, 1e-3, 1e3)?;
    }
    for (i, of_run) in run.figures.iter().enumerate() {
        figure(of_run).map_err(|error| format!("figures[{i}].{error}"))?;
    }
    Ok(())
}

/// Checks all texts and lists in a JSON value. `place` is the path to the value.
fn texts(value: &Value, place: &str) -> Result<(), String> {
    match value {
        Value::String(text) => {
            within(&format!("the length of {place}"), text.len(), 0, TEXT)?;
            if text.chars().all(is_printable) {
                return Ok(());
            }
            Err(format!("{place} is \"{}\", expected printable characters", printable(text)))
        }
        Value::Array(values) => {
            if place != "figures" {
                within(&format!("the length of {place}"), values.len(), 0, LIST)?;
            }
            let mut values = values.iter().enumerate();
            values.try_for_each(|(i, value)| texts(value, &format!("{place}[{i}]")))
        }
        Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
            let dot = if place.is_empty() { "" } else { "." };
            texts(value, &format!("{place}{dot}{name}"))
        }),
        _ => Ok(()),
    }
}

fn machine(machine: &Machine) -> Result<(), String> {
    within("threads", machine.threads, 1, COUNT)?;
    within("clock_ghz", machine.clock_ghz, 1e-3, 1e3)?;
    if let Some(ghz) = machine.tsc_ghz {
        within("tsc_ghz", ghz, 1e-3, 1e3)?;
    }
    for (i, cache) in machine.caches.iter().enumerate() {
        within(&format!("caches[{i}].bytes"), cache.bytes, 1, COUNT)?;
    }
    Ok(())
}

fn figure(figure: &Figure) -> Result<(), String> {
    for (name, count) in [
        ("boards_a_call", figure.boards_a_call),
        ("boards", figure.boards),
        ("bytes_a_board", figure.bytes_a_board),
        ("threads", figure.threads),
    ] {
        within(name, count, 1, COUNT)?;
    }
    let Spread { median, minimum, quartiles } = figure.ns;
    ascending("ns", [minimum, quartiles[0], median, quartiles[1]])?;
    for (name, ratio) in [
        ("to_scalar", figure.to_scalar),
        ("to_copy", figure.to_copy),
        ("to_copy_nt", figure.to_copy_nt),
    ] {
        if let Some(Ratio { median, of_minima, quartiles }) = ratio {
            ascending(name, [quartiles[0], median, quartiles[1]])?;
            within(&format!("{name}.of_minima"), of_minima, LEAST, MOST)?;
        }
    }
    let rate = 1e9 / median;
    for (name, found, expected) in [
        ("boards_per_second", figure.boards_per_second, rate),
        ("bytes_per_second", figure.bytes_per_second, rate * figure.bytes_a_board as f64),
    ] {
        // The times and the rates are rounded to four digits, so allow 1 %.
        within(name, found, expected * 0.99, expected * 1.01)?;
    }
    if let Some(cycles) = figure.tsc_cycles {
        within("tsc_cycles", cycles, 0.0, MOST)?;
    }
    if let Some(counts) = figure.counters {
        for (name, count) in [
            ("instructions", counts.instructions),
            ("cycles", counts.cycles),
            ("ipc", counts.ipc),
            ("branch_misses", counts.branch_misses),
            ("clock_ghz", counts.clock_ghz),
        ] {
            within(&format!("counters.{name}"), count, 0.0, MOST)?;
        }
    }
    Ok(())
}

/// The minimum and the maximum of every time and ratio.
const LEAST: f64 = 1e-9;
const MOST: f64 = 1e15;

/// Checks that these times or ratios are in range, and that none is below the previous one.
fn ascending<const N: usize>(name: &str, numbers: [f64; N]) -> Result<(), String> {
    numbers.iter().try_for_each(|&number| within(name, number, LEAST, MOST))?;
    if numbers.is_sorted() {
        return Ok(());
    }
    Err(format!("{name}: the median must be between the quartiles, and no time below the minimum"))
}

fn within<T: Copy + PartialOrd + Display>(
    name: &str,
    value: T,
    least: T,
    most: T,
) -> Result<(), String> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{name} is {value}, expected {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use crate::figures::Run;
    use serde_json::{Value, json};

    fn saved() -> Value {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/runs");
        let json = std::fs::read(format!("{folder}/amd-epyc-zen-5.json")).unwrap();
        serde_json::from_slice(&json).unwrap()
    }

    /// Changes one value of a saved run, and returns the error of reading that run.
    #[track_caller]
    fn error(pointer: &str, value: Value) -> String {
        let mut run = saved();
        run["ceilings"] = json!([]);
        *run.pointer_mut(pointer).unwrap() = value;
        Run::read(run.to_string().as_bytes()).unwrap_err()
    }

    #[test]
    fn every_number_and_text_has_a_range() {
        let text = saved().to_string();
        assert!(Run::read(text.as_bytes()).is_ok());
        // Numbers are read exactly.
        let number = "120.222222222222222222";
        let exact = text.replacen(r#""seconds":"#, &format!(r#""seconds":{number},"x":"#), 1);
        let seconds = Run::read(exact.as_bytes()).map(|run| run.seconds.to_bits());
        assert_eq!(seconds, Ok(number.parse::<f64>().unwrap().to_bits()));
        let longest = " ".repeat((16 << 20) - text.len());
        assert!(Run::read((text + &longest).as_bytes()).is_ok());
        let rate = saved()["figures"][0]["boards_per_second"].as_f64().unwrap();
        for (pointer, value, message) in [
            ("/machine/brand", json!("\u{1b}[2J"), "machine.brand is \"\\u{1b}[2J\", expected"),
            ("/figures/3/contender", json!("a\nb"), "figures[3].contender is \"a\\nb\""),
            ("/kernels/0/missing", json!(["\0"]), "kernels[0].missing[0] is"),
            ("/machine/brand", json!("a".repeat(3000)), "the length of machine.brand is 3000"),
            ("/options", json!(vec![""; 2000]), "the length of options is 2000, expected 0 to"),
            ("/seconds", json!(-1.0), "seconds is -1, expected 0 to"),
            ("/machine/clock_ghz", json!(0.0), "machine.clock_ghz is 0, expected 0.001 to"),
            ("/machine/threads", json!(0), "machine.threads is 0"),
            ("/machine/caches/1/bytes", json!(0), "machine.caches[1].bytes is 0"),
            ("/clocks/2/ghz", json!(1e300), "clocks[2].ghz is 1000"),
            ("/ceilings", json!([{"bits": 0, "operations_per_ns": 6}]), "ceilings[0].bits is 0"),
            (
                "/ceilings",
                json!([{"bits": 128, "operations_per_ns": 0}]),
                "ceilings[0].operations_per_ns is 0",
            ),
            ("/inputs/0/boards", json!(0), "inputs[0].boards is 0"),
            ("/figures/7/boards_a_call", json!(0), "figures[7].boards_a_call is 0"),
            ("/figures/7/bytes_a_board", json!(1), "figures[7].bytes_per_second is"),
            ("/figures/0/ns/median", json!(0.0), "figures[0].ns is 0, expected"),
            ("/figures/0/ns/minimum", json!(1e6), "figures[0].ns: the median must be"),
            ("/figures/0/boards_per_second", json!(0.0), "figures[0].boards_per_second is 0"),
            ("/figures/0/bytes_per_second", json!(0.0), "figures[0].bytes_per_second is 0"),
            ("/figures/0/to_scalar/median", json!(-1.0), "figures[0].to_scalar is -1"),
            ("/figures/0/to_scalar/of_minima", json!(0.0), "figures[0].to_scalar.of_minima is 0"),
            ("/figures/0/section", json!("<b>"), "unknown variant"),
            // Values just outside their ranges.
            ("/machine/brand", json!("a".repeat(2001)), "is 2001, expected 0 to 2000"),
            ("/options", json!(vec![""; 1001]), "is 1001, expected 0 to 1000"),
            ("/machine/threads", json!((1_u64 << 50) + 1), "is 1125899906842625, expected 1 to"),
            ("/figures/0/boards_per_second", json!(rate * 0.98), "figures[0].boards_per_second is"),
            ("/figures/0/boards_per_second", json!(rate * 1.02), "figures[0].boards_per_second is"),
        ] {
            let error = error(pointer, value);
            assert!(error.contains(message), "{pointer}: {error}");
        }
        let mut run = saved();
        let figures = run["figures"].as_array_mut().unwrap();
        let one = figures[0].clone();
        figures.resize(20_001, one);
        let error = Run::read(run.to_string().as_bytes()).unwrap_err();
        assert!(
            error.starts_with("the number of figures is 20001, expected 0 to 20000"),
            "{error}"
        );
    }
}
