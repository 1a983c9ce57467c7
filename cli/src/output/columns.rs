//! What a record has: the attacks of one side of one position.

use clap::ValueEnum;
use clap::builder::PossibleValue;

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
}

impl Column {
    /// All, in their usual order.
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
        }
    }

    /// Which of the [boards](Records::boards) it is.
    pub(super) fn board(self) -> Option<usize> {
        (self as usize).checked_sub(Column::Orthogonal as usize)
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

/// The records of some positions, column by column.
pub(crate) struct Records<'a> {
    /// The line of each position.
    pub(crate) lines: &'a [u64],
    /// The fields of each position, if they are needed: ASCII without commas, quotes and backslashes.
    pub(crate) fens: &'a [&'a str],
    /// Orthogonal to slider attacks; white's, then black's of each position, empty if they are not needed.
    pub(crate) boards: [&'a [u64]; 6],
}
