//! The docstrings of the operations. Each contains the prose of the operation's Rust documentation,
//! its arguments and an example.

use std::fmt::Write as _;

use setwise::reflection::{Argument, Element, OperationInfo};

use crate::arguments::required_names;
use crate::array::{Number, dimensions};

const EXAMPLES: &str = include_str!("examples.txt");

/// The signature and the docstring, in the format of `PyMethodDef::ml_doc`.
pub(crate) fn docstring(operation: &OperationInfo) -> String {
    let mut text = format!("{}(", operation.name());
    // Leave out `out` and `threads`, because callers such as DuckDB count the arguments.
    text += &required_names(operation).collect::<Vec<_>>().join(", ");
    text += ")\n--\n\n";
    let _ = write!(text, "{}\n\nArguments:\n", operation.summary());
    if let Some(parameter) = operation.parameter() {
        let values = parameter.names().join(", ");
        let _ = writeln!(text, "  {}: {values}", parameter.name());
    }
    for input in operation.inputs() {
        text += &line(input);
    }
    text += match operation.outputs() {
        [_] => "  out: optional, an array for the result\n",
        _ => "  out: optional, a tuple of arrays for the results\n",
    };
    text += "  threads: optional, only by name, see `set_threads`\nReturns:\n";
    for output in operation.outputs() {
        text += &line(output);
    }
    let call = format!("setwise.{}(", operation.name());
    if let Some(example) = EXAMPLES.split("\n\n").find(|example| example.contains(&call)) {
        let _ = write!(text, "\n>>> import numpy as np, setwise\n{example}");
    }
    text
}

/// The docstring's line about an argument.
fn line(argument: &Argument) -> String {
    let element = argument.element();
    let number = Number::of(element).name();
    let more = match element {
        Element::Square => ", 0 to 63",
        Element::Position => {
            ": white's pawns, knights, bishops, rooks, queens and kings, then black's"
        }
        Element::AttackMaps => ": `.view(setwise.ATTACK_MAPS)` names them",
        Element::Checks => ": `.view(setwise.CHECKS)` names them",
        _ => "",
    };
    let dimensions: Vec<String> =
        dimensions(element).iter().map(|length| format!(", {length}")).collect();
    let shape = match &dimensions[..] {
        [] => String::new(),
        lengths => format!(" of shape (...{})", lengths.concat()),
    };
    format!("  {}: {number}{shape}{more}\n", argument.name())
}
