//! The operations by name, for what takes them by the dozen: query engines, bindings.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};
use setwise::{Direction, Line, operations};

use crate::{Error, Sets, Squares};

/// The kind of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A direction, one for all rows.
    Direction,
    /// A line, one for all rows.
    Line,
    /// Sets.
    Sets,
    /// Squares.
    Squares,
    /// Positions: a struct with the fields of [`position_fields`](crate::position_fields).
    Positions,
}

/// An argument of [`Operation::evaluate`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Argument<'a> {
    /// For [`Kind::Direction`].
    Direction(Direction),
    /// For [`Kind::Line`].
    Line(Line),
    /// For [`Kind::Sets`].
    Sets(Sets<'a>),
    /// For [`Kind::Squares`].
    Squares(Squares<'a>),
    /// For [`Kind::Positions`].
    Positions(&'a StructArray),
}

/// An operation of the list as a value.
///
/// ```
/// use arrow_array::UInt64Array;
/// use setwise_arrow::{Argument, Operation, Sets};
/// let operation = Operation::by_name("queen_attacks").unwrap();
/// assert_eq!(operation.arguments()[1].0, "occupied");
/// let queens = UInt64Array::from(vec![1]);
/// let arguments = [Argument::Sets(Sets::Column(&queens)), Argument::Sets(Sets::Constant(0))];
/// assert_eq!(operation.evaluate(&arguments)?.len(), 1);
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
#[derive(Debug)]
pub struct Operation {
    name: &'static str,
    documentation: &'static [&'static str],
    arguments: &'static [(&'static str, Kind)],
    output: fn() -> DataType,
    evaluate: for<'a> fn(&[Argument<'a>]) -> Option<Result<ArrayRef, Error>>,
}

impl Operation {
    /// The operation of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Its name, that of the function.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it computes, as plain text without the examples, a paragraph a line.
    #[must_use]
    pub fn description(&self) -> String {
        let (mut paragraphs, mut in_example) = (vec![String::new()], false);
        for line in self.documentation {
            let line = line.trim();
            if line.starts_with("```") {
                in_example = !in_example;
            } else if in_example {
            } else if line.is_empty() {
                paragraphs.push(String::new());
            } else if let Some(paragraph) = paragraphs.last_mut() {
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(&without_links(line));
            }
        }
        // What introduces an example ends with a colon; it makes no sense without.
        paragraphs.retain(|text| !text.is_empty() && !text.ends_with(':'));
        paragraphs.join("\n")
    }

    /// The names of its arguments, and their kinds.
    #[must_use]
    pub fn arguments(&self) -> &'static [(&'static str, Kind)] {
        self.arguments
    }

    /// The type of the result: `UInt64` for sets, `UInt32` for counts, a struct for several columns.
    #[must_use]
    pub fn output(&self) -> DataType {
        (self.output)()
    }

    /// Computes it.
    ///
    /// # Errors
    /// If there are more or less arguments, or of another kind; and those of the function.
    ///
    /// # Panics
    /// As the function.
    pub fn evaluate(&self, arguments: &[Argument<'_>]) -> Result<ArrayRef, Error> {
        let known = if arguments.len() == self.arguments.len() {
            (self.evaluate)(arguments)
        } else {
            None
        };
        known.unwrap_or_else(|| {
            let kinds = self.arguments.iter();
            let kinds: Vec<String> = kinds
                .map(|(name, kind)| format!("`{name}` ({kind:?})"))
                .collect();
            Err(Error::Argument {
                operation: self.name,
                expected: kinds.join(", "),
            })
        })
    }
}

/// "[`name`](where)" is "`name`".
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let (before, name) = before.rsplit_once("[`").unwrap_or((before, ""));
        text.extend([before, "`", name]);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text + rest
}

macro_rules! kind {
    (Direction) => {
        Kind::Direction
    };
    (Line) => {
        Kind::Line
    };
    (u64) => {
        Kind::Sets
    };
    (Square) => {
        Kind::Squares
    };
    (Position) => {
        Kind::Positions
    };
}

macro_rules! given {
    (Direction $argument:ident) => { given!(@ Direction $argument) };
    (Line $argument:ident) => { given!(@ Line $argument) };
    (u64 $argument:ident) => { given!(@ Sets $argument) };
    (Square $argument:ident) => { given!(@ Squares $argument) };
    (Position $argument:ident) => { given!(@ Positions $argument) };
    (@ $Kind:ident $argument:ident) => {
        match *$argument {
            Argument::$Kind(value) => value,
            _ => return None,
        }
    };
}

macro_rules! output {
    ($output:ident: u64) => { || DataType::UInt64 };
    ($output:ident: u32) => { || DataType::UInt32 };
    ($output:ident: AttackMaps) => { || DataType::Struct(crate::attack_maps_fields()) };
    ($output:ident: Checks) => { || DataType::Struct(crate::checks_fields()) };
    ($($output:ident: u64)*) => {
        || DataType::Struct(Fields::from_iter([$(Field::new(stringify!($output), DataType::UInt64, true)),*]))
    };
}

macro_rules! catalogue {
    ([] $($group:ident { $(
        $(#[doc = $doc:expr])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        catalogue! { @ [] $($($group $name [$($doc)*] ($($index: $Index)? $($input: $In)*) ($($output: $Out)*);)*)* }
    };
    // One board is no column.
    (@ [$($done:tt)*] one $name:ident $doc:tt $arguments:tt $outputs:tt; $($rest:tt)*) => { catalogue! { @ [$($done)*] $($rest)* } };
    (@ [$($done:tt)*] $group:ident $name:ident $doc:tt $arguments:tt $outputs:tt; $($rest:tt)*) => {
        catalogue! { @ [$($done)* { $name $doc $arguments $outputs }] $($rest)* }
    };
    (@ [$({ $name:ident [$($doc:expr)*] ($($argument:ident: $In:ident)*) ($($output:ident: $Out:ident)*) })*]) => {
        /// Every operation, in the order of the list.
        pub static OPERATIONS: &[Operation] = &[$(Operation {
            name: stringify!($name),
            documentation: &[$($doc),*],
            arguments: &[$((stringify!($argument), kind!($In))),*],
            output: output!($($output: $Out)*),
            evaluate: |arguments| {
                let [$($argument),*] = arguments else { return None };
                $(let $argument = given!($In $argument);)*
                Some(crate::$name($($argument),*).map(|array| Arc::new(array) as ArrayRef))
            },
        }),*];
    };
}

operations!(all catalogue);
