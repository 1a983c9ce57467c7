//! What a record has: the attacks of one side of one position, or of both.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use setwise_positions::Side;

use crate::failure::Failure;

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Line,
    Fen,
    Side,
    Orthogonal,
    Diagonal,
    Occupied,
    RookAttacks,
    BishopAttacks,
    SliderAttacks,
    Score,
    Result,
}

impl Column {
    /// Those that every input has, in their usual order.
    pub(crate) const USUAL: &[Column] = Column::ALL.split_at(9).0;

    /// All.
    pub(crate) const ALL: &[Column] = &[
        Column::Line,
        Column::Fen,
        Column::Side,
        Column::Orthogonal,
        Column::Diagonal,
        Column::Occupied,
        Column::RookAttacks,
        Column::BishopAttacks,
        Column::SliderAttacks,
        Column::Score,
        Column::Result,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Column::Line => "line",
            Column::Fen => "fen",
            Column::Side => "side",
            Column::Orthogonal => "orthogonal",
            Column::Diagonal => "diagonal",
            Column::Occupied => "occupied",
            Column::RookAttacks => "rook_attacks",
            Column::BishopAttacks => "bishop_attacks",
            Column::SliderAttacks => "slider_attacks",
            Column::Score => "score",
            Column::Result => "result",
        }
    }

    /// Whether only records and games have it, and text has not.
    pub(crate) fn is_of_records(self) -> bool {
        !Column::USUAL.contains(&self)
    }

    /// Which of the [boards](Records::boards) it is.
    fn board(self) -> Option<usize> {
        let board = (self as usize).checked_sub(Column::Orthogonal as usize);
        board.filter(|_| !self.is_of_records())
    }
}

impl ValueEnum for Column {
    fn value_variants<'a>() -> &'a [Column] {
        Column::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

/// What one record is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordOf {
    /// One side of a position: white's record, then black's
    Side,
    /// A position: `white_` and `black_` before the names of what each side has
    Position,
}

/// The fields of a record, in order.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(super) fields: Vec<Field>,
    /// Records of a position.
    pub(super) rows: usize,
}

/// A field, and what is in it.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Line,
    Fen,
    Side,
    Score,
    Result,
    /// One of the [boards](Records::boards): of a side, or of that of the record.
    Board(usize, Option<usize>),
}

impl Layout {
    /// These columns, or the usual ones.
    pub(crate) fn new(columns: &[Column], of: RecordOf) -> Result<Layout, Failure> {
        let wrong = |what: String| Err(Failure::Input(format!("--columns: {what}")));
        for (i, column) in columns.iter().enumerate() {
            let name = column.name();
            if columns[..i].contains(column) {
                return wrong(format!("{name} is there twice, also as column {}", i + 1));
            }
            if *column == Column::Side && of == RecordOf::Position {
                return wrong("a record of a position has both sides, no side".into());
            }
        }
        let columns = if columns.is_empty() {
            Column::USUAL
        } else {
            columns
        };
        let mut fields = Vec::new();
        for &column in columns {
            let mut field = |name: String, value| fields.push(Field { name, value });
            let name = column.name();
            let (value, is_of_a_side) = match (column, column.board()) {
                (Column::Occupied, Some(board)) => (Value::Board(board, Some(0)), false),
                (_, Some(board)) => (Value::Board(board, None), true),
                (Column::Line, _) => (Value::Line, false),
                (Column::Fen, _) => (Value::Fen, false),
                (Column::Score, _) => (Value::Score, false),
                (Column::Result, _) => (Value::Result, false),
                _ => (Value::Side, true),
            };
            match (of, value) {
                (RecordOf::Position, Value::Board(board, _)) if is_of_a_side => {
                    for side in Side::BOTH {
                        let value = Value::Board(board, Some(side as usize));
                        field(format!("{side}_{name}"), value);
                    }
                }
                (RecordOf::Position, Value::Side) => {}
                _ => field(name.into(), value),
            }
        }
        let rows = match of {
            RecordOf::Side => 2,
            RecordOf::Position => 1,
        };
        Ok(Layout { fields, rows })
    }

    /// Without the FEN, where there are only numbers.
    pub(super) fn without_fen(mut self) -> Layout {
        self.fields.retain(|field| field.value != Value::Fen);
        self
    }

    /// Whether records have the column.
    pub(crate) fn needs(&self, column: Column) -> bool {
        self.fields.iter().any(|field| match field.value {
            Value::Line => column == Column::Line,
            Value::Fen => column == Column::Fen,
            Value::Side => column == Column::Side,
            Value::Score => column == Column::Score,
            Value::Result => column == Column::Result,
            Value::Board(board, _) => column.board() == Some(board),
        })
    }
}

/// The records of some positions, column by column.
pub(crate) struct Records<'a> {
    /// The line of each position.
    pub(crate) lines: &'a [u64],
    /// The fields of each position, if they are needed: ASCII without commas, quotes and backslashes.
    pub(crate) fens: &'a [&'a str],
    /// Orthogonal to slider attacks; white's, then black's of each position, empty if they are not needed.
    pub(crate) boards: [&'a [u64]; 6],
    /// The score and the result of each position, empty where there are none.
    pub(crate) scores: &'a [i16],
    pub(crate) results: &'a [u8],
}
