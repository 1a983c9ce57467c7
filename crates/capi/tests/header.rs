//! Generates the parts of `setwise.h` and `setwise.hpp` that depend on the library's enumerations
//! and operations, and compares them with the committed files in `include`.
//!
//! `SETWISE_WRITE_HEADER=1 cargo test -p setwise-capi --test header` writes the parts.
#![cfg(not(miri))]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use kernels::reflection::{
    Argument, COLUMN_CALLS, CallInfo, CallRole, Element, MAILBOX_CALLS, OPERATIONS, OperationInfo,
    Parameter, TABLE_OFFSETS,
};
use kernels::{Direction, Line, Piece, Side};

const KINDS: [Piece; 6] =
    [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// The C type of an argument's elements.
fn c_type(argument: &Argument) -> &'static str {
    match argument.element() {
        Element::Set => "uint64_t",
        Element::Count => "uint32_t",
        Element::Square => "uint8_t",
        Element::Position => "setwise_position",
        Element::AttackMaps => "setwise_attack_maps",
        Element::Checks => "setwise_checks",
        other => panic!("no C type for {other:?}"),
    }
}

/// The lines of a call's documentation, without links, panics and examples.
fn plain(documentation: &str) -> Vec<String> {
    let mut lines = vec![];
    let (mut example, mut panics) = (false, false);
    for line in documentation.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        panics |= line == "# Panics";
        if line.starts_with("```") {
            (example, panics) = (!example, false);
        } else if !panics && !example && !line.contains("bytemuck") {
            let line = line.replace("`AttackMaps`", "setwise_attack_maps");
            let line = line.replace("`IndexTable`", "setwise_index_table");
            let line = line.replace("`Changes`", "setwise_threat_changes");
            lines.push(without_links(&line.replace("`Checks`", "setwise_checks")));
        }
    }
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Removes links, backticks and asterisks from a line: "[`name`](where)" becomes "name".
fn without_links(line: &str) -> String {
    let mut rest = line.to_owned();
    while let Some(at) = rest.find("](") {
        let end = at + rest[at..].find(')').expect("a link ends");
        let start = rest[..at].rfind('[').expect("a link begins");
        rest = format!("{}{}{}", &rest[..start], &rest[start + 1..at], &rest[end + 1..]);
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

/// The declaration of the operation's field in the C table.
fn field(operation: &OperationInfo) -> String {
    let (name, inputs) = (operation.name(), operation.inputs().iter());
    if operation.by_value() {
        let side = operation.parameter().is_some();
        let arguments: Vec<String> = if side {
            vec!["uint8_t side, const uint64_t pieces[6], uint64_t occupied".into()]
        } else {
            inputs.map(|input| format!("{} {}", c_type(input), input.name())).collect()
        };
        let (returned, results) = match operation.outputs() {
            [output] => (c_type(output), None),
            _ if side => ("void", Some("setwise_side_attacks *attacks".into())),
            outputs => ("void", Some(format!("uint64_t attacks[{}]", outputs.len()))),
        };
        let all: Vec<String> = arguments.into_iter().chain(results).collect();
        return format!("  {returned} (*{name})({});\n", all.join(", "));
    }
    let parameter = operation.parameter().map(|parameter| format!("uint8_t {}", parameter.name()));
    let inputs = inputs.map(|input| format!("const {} *{}", c_type(input), input.name()));
    let outputs = operation.outputs().iter();
    let outputs = outputs.map(|output| format!("{} *{}", c_type(output), output.name()));
    let all: Vec<String> = parameter.into_iter().chain(inputs).chain(outputs).collect();
    format!("  void (*{name})({}, size_t boards);\n", all.join(", "))
}

/// The source of the operation's method in C++.
fn method(operation: &OperationInfo) -> String {
    let (name, inputs, outputs) = (operation.name(), operation.inputs(), operation.outputs());
    if operation.by_value() {
        let side = operation.parameter().is_some();
        let (typed, names) = if side {
            let typed = "setwise_side side, side_sets pieces, std::uint64_t occupied";
            (typed.into(), "static_cast<std::uint8_t>(side), pieces.data, occupied".into())
        } else {
            let typed = inputs.iter().map(|input| format!("{} {}", cpp_type(input), input.name()));
            let names = inputs.iter().map(Argument::name);
            (typed.collect::<Vec<_>>().join(", "), names.collect::<Vec<_>>().join(", "))
        };
        let (result, body) = match outputs {
            [_] => ("std::uint64_t".into(), format!("return table_->{name}({names});")),
            _ if side => (
                "setwise_side_attacks".into(),
                format!(
                    "setwise_side_attacks attacks;\n    table_->{name}({names}, &attacks);\n    return attacks;"
                ),
            ),
            _ => {
                let array = format!("std::array<std::uint64_t, {}>", outputs.len());
                let call = format!("table_->{name}({names}, attacks.data());");
                let body = format!("{array} attacks;\n    {call}\n    return attacks;");
                (array, body)
            }
        };
        return format!(
            "  [[nodiscard]] {result} {name}({typed}) const noexcept {{\n    {body}\n  }}\n"
        );
    }
    let parameter = operation.parameter().map(Parameter::name);
    let typed = parameter.map(|name| format!("setwise_{name} {name}"));
    let columns = inputs.iter().map(|a| format!("span<const {}> {}", cpp_type(a), a.name()));
    let results = outputs.iter().map(|a| format!("span<{}> {}", cpp_type(a), a.name()));
    let all: Vec<String> = typed.into_iter().chain(columns).chain(results).collect();
    let length = outputs[0].name();
    let others = inputs.iter().chain(&outputs[1..]).map(Argument::name);
    let lengths: Vec<String> =
        others.map(|name| format!("{name}.size() != {length}.size()")).collect();
    let number = parameter.map(|name| format!("static_cast<std::uint8_t>({name})"));
    let slices = inputs.iter().chain(outputs).map(|a| format!("{}.data()", a.name()));
    let passed: Vec<String> = number.into_iter().chain(slices).collect();
    format!(
        "  [[nodiscard]] bool {name}({}) const noexcept {{\n    if ({}) return false;\n    table_->{name}({}, {length}.size());\n    return true;\n  }}\n",
        all.join(", "),
        lengths.join(" || "),
        passed.join(", ")
    )
}

/// What else C must know of a call with this argument.
fn note(role: CallRole) -> Option<&'static str> {
    match role {
        CallRole::Edits => Some(
            "Returns false, and writes nothing, if there are more than four edits, or two of the same\n\
             square.",
        ),
        CallRole::Mailboxes => {
            Some("boards has 64 bytes per board, offsets one element more than there are boards.")
        }
        CallRole::IndexLists => {
            Some("The capacity of each list must be at least the number of threats.")
        }
        CallRole::MapColumns => Some(
            "A result whose column is NULL is not computed. Every column has `positions` sets and needs\n\
             no alignment. The pieces must not be NULL, unless `positions` is 0. No result may overlap\n\
             another column.",
        ),
        _ => None,
    }
}

/// An argument of a call: declared in C and in C++, and as C++ passes it to the C function.
fn forms(name: &str, role: CallRole) -> [String; 3] {
    let forms = match role {
        CallRole::Mailbox => ["const uint8_t {}[64]", "mailbox {}", "{}.data"],
        CallRole::Mailboxes => {
            ["const uint8_t *{}, size_t count", "mailboxes {}", "{}.data, {}.size"]
        }
        CallRole::Square | CallRole::Code => ["uint8_t {}", "code_or_square {}", "{}.value"],
        CallRole::Edits => [
            "const setwise_edit *{}, size_t count",
            "span<const setwise_edit> {}",
            "{}.data(), {}.size()",
        ],
        CallRole::Rules => {
            ["const setwise_threat_rules *{}", "const setwise_threat_rules &{}", "&{}"]
        }
        CallRole::Changes => ["setwise_threat_changes *{}", "setwise_threat_changes &{}", "&{}"],
        CallRole::Offsets => ["uint32_t *{}", "span<std::uint32_t> {}", "{}.data()"],
        CallRole::Threats => [
            "setwise_threat *{}, size_t capacity",
            "span<setwise_threat> {}",
            "{}.data(), {}.size()",
        ],
        CallRole::ThreatList => [
            "const setwise_threat *{}, size_t count",
            "span<const setwise_threat> {}",
            "{}.data(), {}.size()",
        ],
        CallRole::IndexTable => {
            ["const setwise_index_table *{}", "const setwise_index_table &{}", "&{}"]
        }
        CallRole::Start => ["uint32_t {}", "std::uint32_t {}", "{}"],
        CallRole::IndexLists => [
            "setwise_index_list *{}, size_t list_count",
            "span<setwise_index_list> {}",
            "{}.data(), {}.size()",
        ],
        CallRole::MapColumns => [
            "const setwise_columns *{}, size_t positions",
            "const setwise_columns &{}, std::size_t positions",
            "&{}, positions",
        ],
        other => panic!("no C type for {other:?}"),
    };
    forms.map(|form| form.replace("{}", name))
}

/// The arguments of a call in one of their [`forms`].
fn list(call: &CallInfo, form: usize) -> String {
    let arguments = call.arguments().iter().map(|&(name, role)| forms(name, role)[form].clone());
    arguments.collect::<Vec<_>>().join(", ")
}

/// The name of a call's argument with this role.
fn named(call: &CallInfo, wanted: CallRole) -> Option<&'static str> {
    call.arguments().iter().find(|(_, role)| *role == wanted).map(|(name, _)| *name)
}

/// The declaration of a call's field in the C table, with its comment.
fn call_field(call: &CallInfo) -> String {
    let mut lines = plain(call.documentation());
    for note in call.arguments().iter().filter_map(|&(_, role)| note(role)) {
        lines.push(String::new());
        lines.extend(note.lines().map(str::to_owned));
    }
    let returned = if named(call, CallRole::Edits).is_some() {
        "bool"
    } else if named(call, CallRole::Threats).is_some() {
        "size_t"
    } else {
        "void"
    };
    comment("  ", &lines) + &format!("  {returned} (*{})({});\n", call.name(), list(call, 0))
}

/// The source of a call's method in C++.
fn call_method(call: &CallInfo) -> String {
    // `end`: what follows a call that returns nothing.
    let (mut returned, mut check, mut end) = ("void", String::new(), "");
    if named(call, CallRole::Edits).is_some() {
        returned = "bool";
    }
    if let Some(offsets) = named(call, CallRole::Offsets) {
        let boards = named(call, CallRole::Mailboxes).expect("offsets are of boards");
        returned = "std::optional<std::size_t>";
        check = format!(
            "    if ({offsets}.size() == 0 || {offsets}.size() - 1 != {boards}.size) return std::nullopt;\n"
        );
    }
    if let Some(lists) = named(call, CallRole::IndexLists) {
        let threats = named(call, CallRole::ThreatList).expect("indices are of threats");
        (returned, end) = ("bool", "    return true;\n");
        check = format!(
            "    for (const setwise_index_list &list : {lists})\n      if (list.capacity < {threats}.size()) return false;\n"
        );
    }
    let discard = if returned == "void" { "" } else { "[[nodiscard]] " };
    let result = if returned == "void" || !end.is_empty() { "" } else { "return " };
    let (name, typed, passed) = (call.name(), list(call, 1), list(call, 2));
    format!(
        "  {discard}{returned} {name}({typed}) const noexcept {{\n{check}    {result}table_->{name}({passed});\n{end}  }}\n"
    )
}

/// The C++ type of an argument's elements.
fn cpp_type(argument: &Argument) -> String {
    let name = c_type(argument);
    if name.starts_with("setwise_") { name.to_owned() } else { format!("std::{name}") }
}

/// Converts `NorthEast` to `NORTH_EAST`.
fn screaming_snake_case(name: &str) -> String {
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
            let name = screaming_snake_case(&format!("{value:?}"));
            format!("  SETWISE_{name} = {}", number(value))
        })
        .collect();
    format!("typedef enum setwise_{name} {{\n{}\n}} setwise_{name};\n", values.join(",\n"))
}

/// The version with the enumerations, and the fields of the table.
fn c_parts() -> Vec<String> {
    let directions = enumeration("direction", &Direction::ALL, |&direction| direction as u8);
    let lines = enumeration("line", &Line::ALL, |&line| line as u8);
    let sides = enumeration("side", &[Side::White, Side::Black], |&side| side as u8);
    let kinds = enumeration("kind", &KINDS, |&kind| kind as u8);
    let version = format!("#define SETWISE_VERSION \"{}\"\n", env!("CARGO_PKG_VERSION"));
    let operation = |operation: &OperationInfo| {
        comment("  ", &plain(operation.documentation())) + &field(operation)
    };
    let fields = in_order(operation, call_field);
    vec![[version, directions, lines, sides, kinds].join("\n"), fields.join("\n")]
}

/// What functions return for each call of the table, in the table's order.
fn in_order(
    operation: impl Fn(&OperationInfo) -> String,
    call: impl Fn(&CallInfo) -> String,
) -> Vec<String> {
    let calls = || MAILBOX_CALLS.iter().chain(COLUMN_CALLS);
    let fields = TABLE_OFFSETS.iter().skip_while(|(name, _)| *name != "name").skip(1);
    let text = |&(name, _): &(&str, usize)| match OperationInfo::by_name(name) {
        Some(found) => operation(found),
        None => call(calls().find(|call| call.name() == name).expect("a call of some list")),
    };
    let texts: Vec<String> = fields.map(text).collect();
    assert_eq!(texts.len(), OPERATIONS.len() + calls().count(), "every call is in the table");
    texts
}

/// A header with its generated parts replaced.
fn generated(committed: &str, parts: Vec<String>) -> String {
    let mut parts = parts.into_iter();
    let (mut text, mut inside) = (String::new(), false);
    for line in committed.split_inclusive('\n') {
        inside &= !line.contains("End of the generated part.");
        if !inside {
            text += line;
        }
        if line.contains("Start of a part that tools/check.sh generate writes.") {
            inside = true;
            text += &parts.next().expect("no more places than parts");
        }
    }
    assert!(!inside && parts.next().is_none(), "each part has a place with an end");
    text
}

fn assert_up_to_date(name: &str, parts: Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include").join(name);
    let committed = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let generated = generated(&committed, parts);
    if env::var_os("SETWISE_WRITE_HEADER").is_some() {
        fs::write(&path, &generated).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    } else {
        assert!(
            committed == generated,
            "include/{name} is stale: run tools/check.sh generate (or SETWISE_WRITE_HEADER=1 cargo test -p setwise-capi --test header)"
        );
    }
}

#[test]
fn the_headers_are_up_to_date() {
    assert_up_to_date("setwise.h", c_parts());
    assert_up_to_date("setwise.hpp", vec![in_order(method, call_method).join("\n")]);
}
