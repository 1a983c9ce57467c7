//! The fields of an output record. A record describes one side of a position, or both sides.

use clap::ValueEnum;
use setwise::threats::Threat;
use setwise_loader::Lists;
use setwise_positions::{Format, Side, Value};

use crate::failure::Failure;

/// A column that a user can request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Column {
    Line,
    Fen,
    Side,
    Score,
    Result,
    Ply,
    Moves,
    Check,
    Mate,
    Stalemate,
    Threats,
    // The columns from here on hold boards.
    Orthogonal,
    Diagonal,
    Occupied,
    SliderAttacks,
    PawnAttacks,
    KnightAttacks,
    BishopAttacks,
    RookAttacks,
    QueenAttacks,
    KingAttacks,
    Attacks,
    ByLesser,
}

/// The columns of legal moves: numbers of each position, for records of any kind.
pub(crate) const OF_MOVES: [Column; 4] =
    [Column::Moves, Column::Check, Column::Mate, Column::Stalemate];
/// The default columns of `--record side` and, without `side`, of `--record position`.
const OF_SLIDERS: [Column; 9] = [
    Column::Line,
    Column::Fen,
    Column::Side,
    Column::Orthogonal,
    Column::Diagonal,
    Column::Occupied,
    Column::RookAttacks,
    Column::BishopAttacks,
    Column::SliderAttacks,
];
const OF_THREATS: [Column; 3] = [Column::Line, Column::Fen, Column::Threats];
/// The attacks of each kind of piece, in the order of [`Piece`](setwise::Piece).
pub(crate) const ATTACKS_BY_KIND: [Column; 6] = [
    Column::PawnAttacks,
    Column::KnightAttacks,
    Column::BishopAttacks,
    Column::RookAttacks,
    Column::QueenAttacks,
    Column::KingAttacks,
];
const OF_MAPS: [Column; 10] = {
    let [pawn, knight, bishop, rook, queen, king] = ATTACKS_BY_KIND;
    let (all, lesser) = (Column::Attacks, Column::ByLesser);
    [Column::Line, Column::Fen, pawn, knight, bishop, rook, queen, king, all, lesser]
};

impl Column {
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether some formats lack the column.
    pub(crate) fn is_of_records(self) -> bool {
        matches!(self, Column::Score | Column::Result | Column::Ply)
    }

    /// Whether a format has a column that [some lack](Column::is_of_records).
    pub(crate) fn is_in(self, format: Format) -> bool {
        format.values().contains(&match self {
            Column::Score => Value::Score,
            Column::Result => Value::Result,
            Column::Ply => Value::Ply,
            _ => return true,
        })
    }

    pub(crate) fn has_boards(self) -> bool {
        self as usize >= Column::Orthogonal as usize
    }

    /// Whether the column has one value for each side of a position.
    fn is_of_a_side(self) -> bool {
        self.has_boards() && self != Column::Occupied
    }
}

/// What a record describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordOf {
    /// One side of a position, white's record first
    Side,
    /// Both sides of a position; fields of one side have the prefix `white_` or `black_`
    Position,
    /// The attack maps of both sides, with the same prefixes: the attacks of each kind of piece,
    /// their union (`attacks`), and the enemy pieces that less valuable pieces attack (`by_lesser`)
    Maps,
    /// All threats of a position, as in "Ra1 pa7": the white rook on a1 attacks the black pawn on
    /// a7, or defends a piece of its own side
    Threats,
}

/// The fields of a record, in order.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(super) fields: Vec<OutputField>,
    pub(super) per_position: usize,
}

#[derive(Debug, Clone)]
pub(super) struct OutputField {
    pub(super) name: String,
    pub(super) column: Column,
    /// The side whose board the field holds. `None` if a record describes one side, or if the
    /// column has no side.
    pub(super) side: Option<usize>,
}

impl Layout {
    /// Creates a layout of these columns, or of the default columns if the list is empty.
    pub(crate) fn new(columns: &[Column], record: RecordOf) -> Result<Layout, Failure> {
        let wrong = |what: String| Err(Failure::Input(format!("--columns: {what}")));
        let usual: &[Column] = match record {
            RecordOf::Side | RecordOf::Position => &OF_SLIDERS,
            RecordOf::Maps => &OF_MAPS,
            RecordOf::Threats => &OF_THREATS,
        };
        for (i, column) in columns.iter().enumerate() {
            if columns[..i].contains(column) {
                let name = column.name();
                return wrong(format!("{name} is listed twice, also as column {}", i + 1));
            }
            if *column == Column::Side && record != RecordOf::Side {
                return wrong("a record of a position covers both sides: omit side".into());
            }
            let is_of_any = column.is_of_records() || OF_MOVES.contains(column);
            if !usual.contains(column) && !is_of_any {
                let (is, what) = match (record, column) {
                    (RecordOf::Maps, _) => ("is not", "maps"),
                    (RecordOf::Threats, _) => ("is not", "threats"),
                    (_, Column::Threats) => ("is", "threats"),
                    _ => ("is", "maps"),
                };
                let name = column.name();
                return wrong(format!("{name} {is} for records of --record {what}"));
            }
        }
        let mut columns = columns.to_vec();
        if columns.is_empty() {
            columns.extend(usual);
            columns.retain(|&column| column != Column::Side || record == RecordOf::Side);
        }
        let mut fields = Vec::new();
        for column in columns {
            let name = column.name();
            if record != RecordOf::Side && column.is_of_a_side() {
                fields.extend(Side::BOTH.map(|side| OutputField {
                    name: format!("{}_{name}", side.name()),
                    column,
                    side: Some(side as usize),
                }));
            } else {
                fields.push(OutputField { name, column, side: None });
            }
        }
        let per_position = match record {
            RecordOf::Side => 2,
            RecordOf::Position | RecordOf::Maps | RecordOf::Threats => 1,
        };
        Ok(Layout { fields, per_position })
    }

    /// Removes the FEN, for formats that hold only numbers.
    pub(super) fn without_fen(mut self) -> Layout {
        self.fields.retain(|field| field.column != Column::Fen);
        self
    }

    pub(crate) fn needs(&self, column: Column) -> bool {
        self.fields.iter().any(|field| field.column == column)
    }
}

/// The numbers of each [`Column`], indexed by `column as usize`. White's and then black's board of
/// each position, or one number for a position; scores wrap. Empty if the column is not needed.
pub(crate) type Columns = [Vec<u64>; Column::ByLesser as usize + 1];

/// Evaluated positions, column by column. The lines are always there.
pub(crate) struct Evaluated<'a> {
    pub(crate) columns: &'a Columns,
    /// The FEN of each position, if needed: ASCII without commas, quotes or backslashes.
    pub(crate) fens: &'a [&'a str],
    pub(crate) threats: &'a Lists<Threat>,
}

impl Evaluated<'_> {
    pub(super) fn positions(&self) -> usize {
        self.columns[Column::Line as usize].len()
    }

    pub(super) fn numbers(&self, column: Column) -> &[u64] {
        &self.columns[column as usize]
    }
}
