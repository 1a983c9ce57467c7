//! Writes the parts of `setwise.h` and `setwise.hpp` that depend on the library's enumerations and
//! operations: `cargo run -p setwise-capi-headers`. Its test finds headers that are out of date.

use std::fmt::Write as _;
use std::fs;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

use heck::ToShoutySnakeCase;
use kernels::reflection::{
    Argument, COLUMN_CALLS, CallInfo, CallRole, Element, MAILBOX_CALLS, OPERATIONS, OperationInfo,
    Summary, TABLE_OFFSETS,
};
use kernels::{Direction, Line, Piece, Side};

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

/// The lines of a call's documentation, with the names of C's types.
fn lines(summary: Summary) -> Vec<String> {
    // With its full stop, because "checks" is also an ordinary word.
    let names = [
        ("AttackMaps", "setwise_attack_maps"),
        ("Checks.", "setwise_checks."),
        ("420 threats (MOST)", "420 threats"),
        ("room for MOST moves", "room for SETWISE_MOST_MOVES moves"),
        ("GamePosition::fault says what is wrong with a\nposition. ", ""),
        (
            "a square has the piece that\nPosition::from_planes finds there",
            "the four sets of\nsetwise_plane_columns decide which piece a square has",
        ),
    ];
    let text = names.iter().fold(summary.to_string(), |text, (rust, c)| text.replace(rust, c));
    assert!(!text.contains("Position::") && !text.contains("MOST "), "names of Rust: {text}");
    text.lines().map(str::to_owned).collect()
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

/// A call of the table.
struct Call {
    name: &'static str,
    documentation: Vec<String>,
    /// Each argument: declared in C and in C++, and as C++ passes it to the C function. In C++,
    /// arguments without a name are not declared.
    arguments: Vec<[String; 3]>,
    /// The types of the results in C and in C++.
    returned: [String; 2],
    /// The body of the method in C++, with `CALL` for the call of the C function.
    body: String,
}

impl Call {
    fn list(&self, form: usize) -> String {
        let arguments = self.arguments.iter().map(|forms| &*forms[form]);
        arguments.filter(|argument| !argument.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The declaration of the field in the C table, with its comment.
    fn field(&self) -> String {
        let (returned, name, arguments) = (&self.returned[0], self.name, self.list(0));
        comment("  ", &self.documentation) + &format!("  {returned} (*{name})({arguments});\n")
    }

    /// The source of the method in C++.
    fn method(&self) -> String {
        let (returned, name, arguments) = (&self.returned[1], self.name, self.list(1));
        let discard = if returned == "void" { "" } else { "[[nodiscard]] " };
        let body = self.body.replace("CALL", &format!("table_->{name}({})", self.list(2)));
        format!("  {discard}{returned} {name}({arguments}) const noexcept {{\n{body}  }}\n")
    }
}

/// An argument whose forms have `NAME` for its name and `TYPE` for the type of its elements.
fn argument(name: &str, c_type: &str, forms: [&str; 3]) -> [String; 3] {
    let types = [c_type, &cpp_type(c_type), ""];
    std::array::from_fn(|i| forms[i].replace("NAME", name).replace("TYPE", types[i]))
}

impl From<&OperationInfo> for Call {
    fn from(operation: &OperationInfo) -> Call {
        const PARAMETER: [&str; 3] =
            ["uint8_t NAME", "setwise_NAME NAME", "static_cast<std::uint8_t>(NAME)"];
        const PIECES: [&str; 3] = ["const uint64_t NAME[6]", "side_sets NAME", "NAME.data"];
        const VALUE: [&str; 3] = ["TYPE NAME", "TYPE NAME", "NAME"];
        const INPUT: [&str; 3] = ["const TYPE *NAME", "span<const TYPE> NAME", "NAME.data()"];
        const OUTPUT: [&str; 3] = ["TYPE *NAME", "span<TYPE> NAME", "NAME.data()"];
        let (inputs, outputs) = (operation.inputs(), operation.outputs());
        let parameter = operation.parameter().map(|p| argument(p.name(), "", PARAMETER));
        let mut arguments: Vec<[String; 3]> = parameter.into_iter().collect();
        let all = |list: &[Argument], forms| -> Vec<[String; 3]> {
            list.iter().map(|a| argument(a.name(), c_type(a), forms)).collect()
        };
        let mut returned = ["void".to_owned(), String::new()];
        let body;
        if operation.by_value() {
            let side = !arguments.is_empty();
            if side {
                arguments.push(argument("pieces", "", PIECES));
                arguments.push(argument("occupied", "uint64_t", VALUE));
            } else {
                arguments.extend(all(inputs, VALUE));
            }
            if let [output] = outputs {
                returned = [c_type(output).into(), cpp_type(c_type(output))];
                body = "    return CALL;\n".into();
            } else {
                let sets = outputs.len();
                let (declared, result, passed) = if side {
                    ("setwise_side_attacks *NAME".into(), "setwise_side_attacks".into(), "&NAME")
                } else {
                    let result = format!("std::array<std::uint64_t, {sets}>");
                    (format!("uint64_t NAME[{sets}]"), result, "NAME.data()")
                };
                arguments.push(argument("attacks", "", [&declared, "", passed]));
                body = format!("    {result} attacks;\n    CALL;\n    return attacks;\n");
                returned[1] = result;
            }
        } else {
            let length = format!("{}.size()", outputs[0].name());
            let others = inputs.iter().chain(&outputs[1..]);
            let differ: Vec<String> =
                others.map(|a| format!("{}.size() != {length}", a.name())).collect();
            let differ = differ.join(" || ");
            arguments.extend([all(inputs, INPUT), all(outputs, OUTPUT)].concat());
            arguments.push(argument(&length, "", ["size_t boards", "", "NAME"]));
            returned[1] = "bool".into();
            body = format!("    if ({differ}) return false;\n    CALL;\n    return true;\n");
        }
        let documentation = lines(operation.summary());
        Call { name: operation.name(), documentation, arguments, returned, body }
    }
}

impl From<&CallInfo> for Call {
    fn from(call: &CallInfo) -> Call {
        let named = |wanted| {
            let argument = call.arguments().iter().find(|(_, role)| *role == wanted);
            argument.map(|(name, _)| *name)
        };
        let mut documentation = lines(call.summary());
        let has_moves = [CallRole::Moves, CallRole::GivenMoves].iter().any(|&r| named(r).is_some());
        let notes = call.arguments().iter().filter_map(|&(_, role)| match role {
            CallRole::PlaneColumns if has_moves => Some(
                "Every column has `positions` elements and needs no alignment. The sets, en_passant and\n\
                 castling must not be NULL, unless `positions` is 0. The columns moves and checks are\n\
                 ignored.",
            ),
            role => note(role),
        });
        for note in notes {
            documentation.push(String::new());
            documentation.extend(note.lines().map(str::to_owned));
        }
        let (returned, body) = if named(CallRole::Edits).is_some() {
            (["bool", "bool"], "    return CALL;\n".into())
        } else if let Some(offsets) = named(CallRole::Offsets) {
            let count = named(CallRole::Mailboxes)
                .map_or("positions".to_owned(), |boards| format!("{boards}.size"));
            let check = format!("{offsets}.size() == 0 || {offsets}.size() - 1 != {count}");
            (
                ["size_t", "std::optional<std::size_t>"],
                format!("    if ({check}) return std::nullopt;\n    return CALL;\n"),
            )
        } else if let Some(offsets) = named(CallRole::GivenOffsets) {
            let moves = named(CallRole::GivenMoves).expect("offsets of moves");
            let check = format!(
                "{offsets}.size() == 0 || {offsets}.size() - 1 != positions ||\n        \
                 {offsets}.data()[positions] > {moves}.size()"
            );
            (
                ["void", "bool"],
                format!("    if ({check}) return false;\n    CALL;\n    return true;\n"),
            )
        } else if let Some(positions) = named(CallRole::Games) {
            let others = [CallRole::MoveCounts, CallRole::CheckCounts].map(named);
            let [moves, checks] = others.map(|name| name.expect("both results"));
            let check = format!(
                "{moves}.size() != {positions}.size() || {checks}.size() != {positions}.size()"
            );
            (
                ["void", "bool"],
                format!("    if ({check}) return false;\n    CALL;\n    return true;\n"),
            )
        } else {
            (["void", "void"], "    CALL;\n".into())
        };
        Call {
            name: call.name(),
            documentation,
            arguments: call.arguments().iter().map(|&(name, role)| forms(name, role)).collect(),
            returned: returned.map(String::from),
            body,
        }
    }
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
        CallRole::MapColumns | CallRole::KingColumns => Some(
            "A result whose column is NULL is not computed. Every column has `positions` sets and needs\n\
             no alignment. The pieces must not be NULL, unless `positions` is 0. No result may overlap\n\
             another column.",
        ),
        CallRole::PlaneColumns | CallRole::PieceColumns => Some(
            "A result whose column is NULL is not computed. Every column has `positions` elements and\n\
             needs no alignment. The sets, en_passant and castling must not be NULL, unless `positions`\n\
             is 0. No result may overlap another column.",
        ),
        CallRole::Moves => Some(
            "There is one offset more than positions. The list has `room` elements. Offsets and moves\n\
             are aligned.",
        ),
        CallRole::GivenOffsets => Some(
            "There is one offset more than positions, and none is less than the one before it. Offsets\n\
             and moves are aligned.",
        ),
        CallRole::AfterColumns => Some(
            "Every column of the results has as many elements as there are moves (the last offset) and\n\
             needs no alignment. None may be NULL, unless `positions` is 0. No result may overlap\n\
             another column.",
        ),
        CallRole::Games => Some(
            "A result that is NULL is not computed. No array needs an alignment. No result may overlap\n\
             another array.",
        ),
        _ => None,
    }
}

/// An argument of a call: declared in C and in C++, and as C++ passes it to the C function.
fn forms(name: &str, role: CallRole) -> [String; 3] {
    let forms = match role {
        CallRole::Mailbox => ["const uint8_t NAME[64]", "mailbox NAME", "NAME.data"],
        CallRole::Mailboxes => {
            ["const uint8_t *NAME, size_t count", "mailboxes NAME", "NAME.data, NAME.size"]
        }
        CallRole::Square | CallRole::Code => ["uint8_t NAME", "code_or_square NAME", "NAME.value"],
        CallRole::Edits => [
            "const setwise_edit *NAME, size_t count",
            "span<const setwise_edit> NAME",
            "NAME.data(), NAME.size()",
        ],
        CallRole::Rules => {
            ["const setwise_threat_rules *NAME", "const setwise_threat_rules &NAME", "&NAME"]
        }
        CallRole::Changes => {
            ["setwise_threat_changes *NAME", "setwise_threat_changes &NAME", "&NAME"]
        }
        CallRole::Offsets => ["uint32_t *NAME", "span<std::uint32_t> NAME", "NAME.data()"],
        CallRole::Threats => [
            "setwise_threat *NAME, size_t capacity",
            "span<setwise_threat> NAME",
            "NAME.data(), NAME.size()",
        ],
        CallRole::MapColumns => [
            "const setwise_columns *NAME, size_t positions",
            "const setwise_columns &NAME, std::size_t positions",
            "&NAME, positions",
        ],
        CallRole::KingColumns => [
            "const setwise_check_columns *NAME, size_t positions",
            "const setwise_check_columns &NAME, std::size_t positions",
            "&NAME, positions",
        ],
        CallRole::PlaneColumns => [
            "const setwise_plane_columns *NAME, size_t positions",
            "const setwise_plane_columns &NAME, std::size_t positions",
            "&NAME, positions",
        ],
        CallRole::Moves => {
            ["uint16_t *NAME, size_t room", "span<std::uint16_t> NAME", "NAME.data(), NAME.size()"]
        }
        CallRole::GivenOffsets => {
            ["const uint32_t *NAME", "span<const std::uint32_t> NAME", "NAME.data()"]
        }
        CallRole::GivenMoves => {
            ["const uint16_t *NAME", "span<const std::uint16_t> NAME", "NAME.data()"]
        }
        CallRole::AfterColumns => {
            ["const setwise_after_columns *NAME", "const setwise_after_columns &NAME", "&NAME"]
        }
        CallRole::PieceColumns => [
            "const setwise_piece_columns *NAME, size_t positions",
            "const setwise_piece_columns &NAME, std::size_t positions",
            "&NAME, positions",
        ],
        CallRole::Games => [
            "const setwise_game_position *NAME",
            "span<const setwise_game_position> NAME",
            "NAME.data()",
        ],
        CallRole::MoveCounts => ["uint8_t *NAME", "span<std::uint8_t> NAME", "NAME.data()"],
        CallRole::CheckCounts => {
            ["uint8_t *NAME, size_t count", "span<std::uint8_t> NAME", "NAME.data(), NAME.size()"]
        }
        other => panic!("no C type for {other:?}"),
    };
    argument(name, "", forms)
}

/// The C++ name of a C type.
fn cpp_type(name: &str) -> String {
    if name.starts_with("setwise_") { name.to_owned() } else { format!("std::{name}") }
}

fn enumeration<T: std::fmt::Debug>(name: &str, all: &[T], number: impl Fn(&T) -> u8) -> String {
    let values: Vec<String> = all
        .iter()
        .map(|value| {
            let name = format!("{value:?}").to_shouty_snake_case();
            format!("  SETWISE_{name} = {}", number(value))
        })
        .collect();
    format!("typedef enum setwise_{name} {{\n{}\n}} setwise_{name};\n", values.join(",\n"))
}

/// The version with the enumerations, and the fields of the table.
fn c_parts() -> Vec<String> {
    let directions = enumeration("direction", &Direction::ALL, |&direction| direction as u8);
    let lines = enumeration("line", &Line::ALL, |&line| line as u8);
    let sides = enumeration("side", &Side::BOTH, |&side| side as u8);
    let kinds = enumeration("kind", &Piece::ALL, |&kind| kind as u8);
    let version = format!("#define SETWISE_VERSION \"{}\"\n", env!("CARGO_PKG_VERSION"));
    let fields: Vec<String> = calls().iter().map(Call::field).collect();
    vec![[version, directions, lines, sides, kinds].join("\n"), fields.join("\n")]
}

/// All calls, in the order of the table.
fn calls() -> Vec<Call> {
    let others = || MAILBOX_CALLS.iter().chain(COLUMN_CALLS);
    let fields = TABLE_OFFSETS.iter().skip_while(|(name, _)| *name != "name").skip(1);
    let call = |&(name, _): &(&str, usize)| match OperationInfo::by_name(name) {
        Some(operation) => operation.into(),
        None => others().find(|call| call.name() == name).expect("a call of some list").into(),
    };
    let calls: Vec<Call> = fields.map(call).collect();
    assert_eq!(calls.len(), OPERATIONS.len() + others().count(), "every call is in the table");
    calls
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

/// Each header's path, its text and what the text should be.
fn headers() -> Result<[(PathBuf, String, String); 2]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let header = |name, parts| -> Result<_> {
        let path = folder.join(name);
        let committed = fs::read_to_string(&path)
            .map_err(|e| Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        let wanted = generated(&committed, parts);
        Ok((path, committed, wanted))
    };
    let methods: Vec<String> = calls().iter().map(Call::method).collect();
    Ok([header("setwise.h", c_parts())?, header("setwise.hpp", vec![methods.join("\n")])?])
}

fn main() -> Result<()> {
    if std::env::args_os().len() > 1 {
        eprintln!(
            "setwise-capi-headers writes the generated parts of setwise.h and setwise.hpp in \
             crates/capi/include. It takes no arguments."
        );
        std::process::exit(2);
    }
    for (path, committed, wanted) in headers()? {
        let name = path.file_name().unwrap_or_default().display();
        if committed == wanted {
            println!("{name} is up to date");
        } else {
            fs::write(&path, wanted)?;
            println!("{name} is written");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg_attr(miri, ignore = "reads files")]
    fn the_headers_are_up_to_date() {
        for (path, committed, wanted) in super::headers().unwrap() {
            let path = path.display();
            assert!(committed == wanted, "{path}: run `cargo run -p setwise-capi-headers`");
        }
    }
}
