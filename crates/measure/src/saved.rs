//! Reads a saved run, which may come from anywhere: each number is checked before it is used.

use std::fmt::Display;
use std::io::Read;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::Value;
use setwise_positions::printable_lines;

use crate::counters::Counts;
use crate::figures::{Added, Figure, Kind, Run, SCHEMA, Section};
use crate::machine::Machine;
use crate::statistics::{Estimate, Ratio, Spread};

/// Nanoseconds per board.
const NANOSECONDS: RangeInclusive<f64> = 1e-6..=1e12;
/// Boards per second.
const SPEEDS: RangeInclusive<f64> = 1e-3..=1e15;
/// One time divided by another.
const RATIOS: RangeInclusive<f64> = 1e-9..=1e9;
/// What was counted per board.
const COUNTS: RangeInclusive<f64> = 0.0..=1e15;
/// Numbers of boards, threads and bytes. The product of two of them fits in 64 bits.
const SIZES: RangeInclusive<u64> = 1..=1 << 31;

/// The maximum length of a run's JSON, in bytes.
const MAX_JSON: u64 = 16 << 20;

impl Run {
    /// Reads a run from its JSON, of at most 16 MiB.
    ///
    /// # Errors
    /// If the source cannot be read or is too long, if the text is not JSON, has another schema
    /// version, lacks a field, or has a number that no run has.
    pub fn read(source: impl Read) -> Result<Run, String> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let mut json = Vec::new();
        let read = source.take(MAX_JSON + 1).read_to_end(&mut json);
        if read.map_err(|error| error.to_string())? as u64 > MAX_JSON {
            return Err("longer than 16 MiB, so it is not a run".into());
        }
        let failed =
            |error: serde_json::Error| format!("not a run of `setwise bench --json`: {error}");
        let mut json: Value = serde_json::from_slice(&json).map_err(failed)?;
        escape(&mut json);
        match Version::deserialize(&json).map_err(failed)? {
            Version { schema: SCHEMA } => {
                let mut run = Run::deserialize(json).map_err(failed)?;
                check(&run)?;
                // Older versions had the times that calls add to a walk here, with noise as
                // figures.
                run.figures.retain(|one| one.section != Section::Walk || one.kind == Kind::Roof);
                Ok(run)
            }
            Version { schema } => Err(format!("its schema is {schema}, expected {SCHEMA}")),
        }
    }
}

/// Escapes the strings of a file, which tables, reports and errors show.
fn escape(json: &mut Value) {
    match json {
        Value::String(text) => *text = printable_lines(text),
        Value::Array(values) => values.iter_mut().for_each(escape),
        Value::Object(fields) => fields.values_mut().for_each(escape),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Checks all numbers of a run. Numbers that are printed but not computed with only need to be
/// possible.
///
/// # Errors
/// The first number that is out of range, with the range.
fn check(run: &Run) -> Result<(), String> {
    within("seconds", run.seconds, 0.0..=1e9)?;
    machine(&run.machine).map_err(|error| format!("machine: {error}"))?;
    if let Some(counted) = &run.counters {
        within("counters: running", counted.running, 0.0..=1.0)?;
    }
    for input in &run.inputs {
        size("inputs: boards", input.boards)?;
    }
    for (number, one) in (1..).zip(&run.figures) {
        let failed =
            |error| format!("figure {number} ({}, {}): {error}", one.contender, one.operation);
        figure(one).map_err(failed)?;
    }
    for (number, one) in (1..).zip(&run.added) {
        let failed =
            |error| format!("added {number} ({}, {}): {error}", one.contender, one.operation);
        added(one).map_err(failed)?;
    }
    Ok(())
}

fn within<T: PartialOrd + Display + Copy>(
    name: &str,
    number: T,
    range: RangeInclusive<T>,
) -> Result<(), String> {
    if range.contains(&number) {
        return Ok(());
    }
    Err(format!("{name} is {number}, expected {} to {}", range.start(), range.end()))
}

fn size(name: &str, number: usize) -> Result<(), String> {
    within(name, number as u64, SIZES)
}

/// Checks that the numbers do not descend.
fn ascending(name: &str, numbers: &[f64]) -> Result<(), String> {
    if numbers.is_sorted() { Ok(()) } else { Err(format!("{name}: {numbers:?} descend")) }
}

fn machine(machine: &Machine) -> Result<(), String> {
    // 0: not measured.
    within("clock_ghz", machine.clock_ghz, 0.0..=1e3)?;
    within("threads", machine.threads as u64, 0..=*SIZES.end())?;
    for cache in &machine.caches {
        within("caches: level", cache.level, 1..=16)?;
        within("caches: bytes", cache.bytes as u64, 1..=1 << 40)?;
    }
    Ok(())
}

fn figure(figure: &Figure) -> Result<(), String> {
    size("boards_a_call", figure.boards_a_call)?;
    size("boards", figure.boards)?;
    size("bytes_a_board", figure.bytes_a_board)?;
    spread(&figure.ns)?;
    within("boards_per_second", figure.boards_per_second, SPEEDS)?;
    for (name, one) in [("to_scalar", figure.to_scalar), ("to_copy", figure.to_copy)] {
        one.as_ref().map_or(Ok(()), ratio).map_err(|error| format!("{name}: {error}"))?;
    }
    counts(&figure.counts)
}

fn spread(&Spread { median, minimum, quartiles: [low, high] }: &Spread) -> Result<(), String> {
    for (name, number) in
        [("minimum", minimum), ("low quartile", low), ("median", median), ("high quartile", high)]
    {
        within(&format!("ns: {name}"), number, NANOSECONDS)?;
    }
    ascending("ns: minimum, low quartile, median, high quartile", &[minimum, low, median, high])
}

fn ratio(&Ratio { median, of_minima, quartiles: [low, high] }: &Ratio) -> Result<(), String> {
    for (name, number) in [
        ("median", median),
        ("of_minima", of_minima),
        ("low quartile", low),
        ("high quartile", high),
    ] {
        within(name, number, RATIOS)?;
    }
    ascending("low quartile, median, high quartile", &[low, median, high])
}

fn counts(counts: &Counts) -> Result<(), String> {
    counts.iter().try_for_each(|(name, &count)| within(&format!("counts: {name}"), count, COUNTS))
}

fn added(added: &Added) -> Result<(), String> {
    within("rounds", added.rounds as u64, SIZES)?;
    let estimate = |name: &str, number: &Option<Estimate>, range: RangeInclusive<f64>| {
        let Some(Estimate { median, interval: [low, high] }) = *number else { return Ok(()) };
        within(&format!("{name}: lower end"), low, range.clone())?;
        within(&format!("{name}: upper end"), high, range)?;
        ascending(&format!("{name}: lower end, median, upper end"), &[low, median, high])
    };
    estimate("ns", &added.ns, NANOSECONDS)?;
    estimate("to_look_ups", &added.to_look_ups, RATIOS)?;
    if let Some(most) = added.within_ns {
        within("within_ns", most, 0.0..=*NANOSECONDS.end())?;
    }
    if added.ns.is_some() && added.within_ns.is_some() {
        return Err("both ns and within_ns".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Number, Value, json};

    use crate::figures::{Run, saved};

    /// Calls `change` for every number of the JSON, with its path.
    fn each_number(json: &mut Value, path: &str, change: &mut dyn FnMut(&str, &mut Number)) {
        match json {
            Value::Number(number) => change(path, number),
            Value::Array(values) => {
                (0..)
                    .zip(values)
                    .for_each(|(i, one)| each_number(one, &format!("{path}/{i}"), change));
            }
            Value::Object(fields) => fields
                .iter_mut()
                .for_each(|(name, one)| each_number(one, &format!("{path}/{name}"), change)),
            _ => {}
        }
    }

    /// A run with every field.
    fn whole() -> Value {
        let mut run = serde_json::to_value(saved()).unwrap();
        run["figures"].as_array_mut().unwrap().truncate(3);
        run["figures"][0]["counts"] = json!({ "instructions": 10.0 });
        run["counters"] = json!({ "events": ["instructions"], "running": 0.5 });
        let row = |ns: Value, within: Value| {
            json!({
                "operation": "side_attacks_one", "input": "walk", "contender": "avx2",
                "kind": "kernel", "rounds": 9, "ns": ns, "within_ns": within,
                "to_look_ups": { "median": 0.5, "interval": [0.4, 0.6] },
            })
        };
        let measured = json!({ "median": 5.0, "interval": [4.0, 6.0] });
        run["added"] = json!([row(measured, Value::Null), row(Value::Null, json!(12.0))]);
        run
    }

    fn read(run: &Value) -> Result<Run, String> {
        Run::read(run.to_string().as_bytes())
    }

    /// Any number that no run has is refused: negative and huge ones, and zero where it would be
    /// divided by. So no ratio of two runs is infinite or NaN.
    #[test]
    fn every_number_is_checked() {
        let base = whole();
        read(&base).unwrap();
        let mut paths = Vec::new();
        each_number(&mut whole(), "", &mut |path, _| paths.push(path.to_owned()));
        assert!(paths.len() > 60, "{paths:?}");
        let may_be_zero = |path: &str| {
            let names = ["seconds", "clock_ghz", "threads", "within_ns", "running", "instructions"];
            path.rsplit('/').next().is_some_and(|name| names.contains(&name))
                || ["family", "model", "stepping"].iter().any(|name| path.ends_with(name))
        };
        for path in &paths {
            for bad in [json!(-1.0), json!(-1e-9), json!(1e300), json!(0)] {
                if bad == json!(0) && may_be_zero(path) {
                    continue;
                }
                let mut run = base.clone();
                *run.pointer_mut(path).unwrap() = bad.clone();
                assert!(read(&run).is_err(), "{path}: {bad}");
            }
        }
        for text in ["NaN", "1e999", "-1e999"] {
            let run =
                base.to_string().replacen("\"median\":5.588", &format!("\"median\":{text}"), 1);
            assert!(Run::read(run.as_bytes()).is_err(), "{text}");
        }
    }

    /// A number that is missing is refused, unless runs may lack it. So is any other value there: a
    /// number in quotes, a truth value, a list, an object, an integer of more than 64 bits.
    #[test]
    fn every_number_is_a_number() {
        let base = whole();
        let mut paths = Vec::new();
        each_number(&mut whole(), "", &mut |path, _| paths.push(path.to_owned()));
        for path in &paths {
            for bad in [json!("1"), json!(true), json!([]), json!([1]), json!({})] {
                let mut run = base.clone();
                *run.pointer_mut(path).unwrap() = bad.clone();
                assert!(read(&run).is_err(), "{path}: {bad}");
            }
            let (parent, name) = path.rsplit_once('/').unwrap();
            for is_null in [false, true] {
                let mut run = base.clone();
                match run.pointer_mut(parent).unwrap() {
                    Value::Object(fields) if is_null => fields[name] = Value::Null,
                    Value::Object(fields) => drop(fields.remove(name)),
                    Value::Array(values) if is_null => values[0] = Value::Null,
                    Value::Array(values) => drop(values.pop()),
                    other => panic!("{path}: {other}"),
                }
                let may_lack = match name {
                    "within_ns" | "family" | "model" | "stepping" => true,
                    "instructions" | "threads" | "clock_ghz" => !is_null,
                    _ => false,
                };
                assert_eq!(read(&run).is_ok(), may_lack, "{path}: null {is_null}");
            }
            let mut run = base.clone();
            *run.pointer_mut(path).unwrap() = json!("a mark");
            let text = run.to_string().replace("\"a mark\"", "36893488147419103232");
            assert!(Run::read(text.as_bytes()).is_err(), "{path}: 2^65");
        }
    }

    #[test]
    fn errors_name_the_number_and_the_range() {
        for (path, number, message) in [
            (
                "/figures/0/to_scalar/median",
                json!(-1),
                "figure 1 (avx2, slider_attacks): to_scalar: median is -1, expected 0.000000001 to 1000000000",
            ),
            (
                "/figures/0/ns/minimum",
                json!(9),
                "ns: minimum, low quartile, median, high quartile: [9.0, ",
            ),
            ("/figures/0/boards", json!(0), "boards is 0, expected 1 to 2147483648"),
            ("/counters/running", json!(1.5), "counters: running is 1.5, expected 0 to 1"),
            ("/added/1/ns", json!({ "median": 1, "interval": [1, 1] }), "both ns and within_ns"),
            ("/added/0/ns/interval/0", json!(5.5), "[5.5, 5.0, 6.0] descend"),
        ] {
            let mut run = whole();
            *run.pointer_mut(path).unwrap() = number;
            let error = read(&run).unwrap_err();
            assert!(error.contains(message), "{path}: {error}");
        }
    }
}
