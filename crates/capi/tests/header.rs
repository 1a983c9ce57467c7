//! `include/setwise.h` and `include/setwise.hpp`, made from the list of operations and compared with those that are there.
//!
//! `SETWISE_WRITE_HEADER=1 cargo test -p setwise-capi --test header` writes them.
#![cfg(not(miri))]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use kernels::{Direction, Line};

/// An argument: its name and its type in the list.
type Argument = (&'static str, &'static str);

struct Operation {
    group: &'static str,
    name: &'static str,
    documentation: Vec<&'static str>,
    index: Option<Argument>,
    inputs: Vec<Argument>,
    outputs: Vec<Argument>,
}

macro_rules! list {
    ([] $($group:ident { $(
        $(#[doc = $doc:expr])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        vec![$($(Operation {
            group: stringify!($group),
            name: stringify!($name),
            documentation: vec![$($doc),*],
            index: None$(.or(Some((stringify!($index), stringify!($Index)))))?,
            inputs: vec![$((stringify!($input), stringify!($In))),*],
            outputs: vec![$((stringify!($output), stringify!($Out))),*],
        }),*),*]
    };
}

fn operations() -> Vec<Operation> {
    kernels::operations!(all list)
}

/// The C type of an element.
fn c_type(of: &str) -> &'static str {
    match of {
        "u64" => "uint64_t",
        "u32" => "uint32_t",
        "Square" | "Direction" | "Line" => "uint8_t",
        "Position" => "setwise_position",
        "AttackMaps" => "setwise_attack_maps",
        "Checks" => "setwise_checks",
        other => panic!("give the type `{other}` a name in C"),
    }
}

/// Without links and examples, which are Rust's.
fn plain(documentation: &[&str]) -> Vec<String> {
    let mut lines = vec![];
    let mut example = false;
    for line in documentation {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("```") {
            example = !example;
        } else if !example && !line.contains("bytemuck") {
            lines.push(without_links(line));
        }
    }
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// "[`name`](where)" is "name", and so is "`name`".
fn without_links(line: &str) -> String {
    let mut rest = line.replace("](crate::", "](");
    while let Some(at) = rest.find("](") {
        let end = at + rest[at..].find(')').expect("a link ends");
        let start = rest[..at].rfind('[').expect("a link begins");
        rest = format!(
            "{}{}{}",
            &rest[..start],
            &rest[start + 1..at],
            &rest[end + 1..]
        );
    }
    rest.replace(['`', '*'], "")
}

fn comment(indent: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        let start = if i == 0 { "/* " } else { " * " };
        let _ = writeln!(text, "{}", format!("{indent}{start}{line}").trim_end());
    }
    text.truncate(text.trim_end().len());
    text + " */\n"
}

impl Operation {
    /// Its field of the table.
    fn field(&self) -> String {
        let name = self.name;
        if self.group == "one" {
            let inputs: Vec<String> = self
                .inputs
                .iter()
                .map(|(name, of)| format!("{} {name}", c_type(of)))
                .collect();
            let [(_, output)] = self.outputs[..] else {
                panic!("one result of one board")
            };
            return format!("  {} (*{name})({});\n", c_type(output), inputs.join(", "));
        }
        let index = self
            .index
            .iter()
            .map(|(name, of)| format!("{} {name}", c_type(of)));
        let inputs = self
            .inputs
            .iter()
            .map(|(name, of)| format!("const {} *{name}", c_type(of)));
        let outputs = self
            .outputs
            .iter()
            .map(|(name, of)| format!("{} *{name}", c_type(of)));
        let all: Vec<String> = index.chain(inputs).chain(outputs).collect();
        format!("  void (*{name})({}, size_t boards);\n", all.join(", "))
    }

    /// Its method in C++.
    fn method(&self) -> String {
        let name = self.name;
        if self.group == "one" {
            let typed = |(name, of): &Argument| format!("{} {name}", c_of_cpp(of));
            let inputs: Vec<String> = self.inputs.iter().map(typed).collect();
            let names: Vec<&str> = self.inputs.iter().map(|(name, _)| *name).collect();
            return format!(
                "  [[nodiscard]] std::uint64_t {name}({}) const noexcept {{\n    return table_->{name}({});\n  }}\n",
                inputs.join(", "),
                names.join(", ")
            );
        }
        let index = self.index.iter().map(|(name, of)| {
            let of = of.to_lowercase();
            format!("setwise_{of} {name}")
        });
        let inputs = self
            .inputs
            .iter()
            .map(|(name, of)| format!("span<const {}> {name}", c_of_cpp(of)));
        let outputs = self
            .outputs
            .iter()
            .map(|(name, of)| format!("span<{}> {name}", c_of_cpp(of)));
        let all: Vec<String> = index.chain(inputs).chain(outputs).collect();
        let (length, _) = self.outputs[0];
        let others = self.inputs.iter().chain(&self.outputs[1..]);
        let lengths: Vec<String> = others
            .map(|(name, _)| format!("{name}.size() != {length}.size()"))
            .collect();
        let index = self
            .index
            .iter()
            .map(|(name, _)| format!("static_cast<std::uint8_t>({name})"));
        let slices = self.inputs.iter().chain(&self.outputs);
        let slices = slices.map(|(name, _)| format!("{name}.data()"));
        let passed: Vec<String> = index.chain(slices).collect();
        format!(
            "  [[nodiscard]] bool {name}({}) const noexcept {{\n    if ({}) return false;\n    table_->{name}({}, {length}.size());\n    return true;\n  }}\n",
            all.join(", "),
            lengths.join(" || "),
            passed.join(", ")
        )
    }
}

/// The type of an element in C++.
fn c_of_cpp(of: &str) -> String {
    let of = c_type(of);
    let scope = if of.starts_with("setwise_") {
        ""
    } else {
        "std::"
    };
    format!("{scope}{of}")
}

/// `NorthEast` as `NORTH_EAST`.
fn shouted(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_uppercase() {
            text.push('_');
        }
        text.extend(letter.to_uppercase());
    }
    text
}

fn enumeration<T: std::fmt::Debug>(name: &str, all: &[T], number: impl Fn(&T) -> u8) -> String {
    let values: Vec<String> = all
        .iter()
        .map(|value| {
            let name = shouted(&format!("{value:?}"));
            format!("  SETWISE_{name} = {}", number(value))
        })
        .collect();
    format!(
        "typedef enum setwise_{name} {{\n{}\n}} setwise_{name};\n",
        values.join(",\n")
    )
}

fn header() -> String {
    let mut fields = String::new();
    for operation in operations() {
        let lines = plain(&operation.documentation);
        let lines: Vec<String> = lines
            .iter()
            .map(|line| {
                line.replace("AttackMaps", "setwise_attack_maps")
                    .replace("Checks", "setwise_checks")
            })
            .collect();
        fields += "\n";
        fields += &comment("  ", &lines);
        fields += &operation.field();
    }
    let directions = enumeration("direction", &Direction::ALL, |&direction| direction as u8);
    let lines = enumeration("line", &Line::ALL, |&line| line as u8);
    include_str!("header/setwise.h.in")
        .replace("@DIRECTIONS@\n", &directions)
        .replace("@LINES@\n", &lines)
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@FIELDS@\n", &fields)
}

fn cpp_header() -> String {
    let mut methods = String::new();
    for operation in operations() {
        methods += "\n";
        methods += &operation.method();
    }
    include_str!("header/setwise.hpp.in").replace("@METHODS@\n", &methods)
}

fn same_as_committed(name: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("include")
        .join(name);
    if env::var_os("SETWISE_WRITE_HEADER").is_some() {
        fs::write(&path, made).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "include/{name} is not what the list of operations makes; SETWISE_WRITE_HEADER=1 cargo test -p setwise-capi --test header writes it"
    );
}

#[test]
fn the_headers_are_those_of_the_list() {
    same_as_committed("setwise.h", &header());
    same_as_committed("setwise.hpp", &cpp_header());
}

/// C knows directions and lines by these numbers.
#[test]
fn the_enumerations_count_from_0() {
    for (i, direction) in Direction::ALL.into_iter().enumerate() {
        assert_eq!(direction as usize, i);
    }
    for (i, line) in Line::ALL.into_iter().enumerate() {
        assert_eq!(line as usize, i);
    }
}
