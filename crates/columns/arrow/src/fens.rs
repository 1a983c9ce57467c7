//! Columns of FEN to columns of sets.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayAccessor, BooleanArray, StructArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use setwise::{Kernels, Position};
use setwise_positions::{Fen, Piece, Placement, Side};

use crate::Error;
use crate::input::union;
use crate::positions::{attack_maps_of, checks_of, position_fields, struct_of};

/// What becomes of a text that is no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BadFens {
    /// It is an error, which names the row.
    Fail,
    /// It is null.
    Null,
}

/// Positions that were read from a column of FEN or EPD, each row once, whatever is wanted of them. What a row may be is told
/// at [`Fen`](setwise_positions::Fen); boards need not be legal chess.
///
/// ```
/// use arrow_array::{Array, StringArray, UInt64Array};
/// use setwise_arrow::{BadFens, Positions, Side};
/// let fens = StringArray::from(vec![Some("8/8/8/8/8/8/8/R1k5 w - - 0 1"), None, Some("8/8")]);
/// let positions = Positions::read(&fens, BadFens::Null)?;
/// let attacks = positions.slider_attacks(Side::White);
/// assert_eq!(attacks, UInt64Array::from(vec![Some(0x0101_0101_0101_0106), None, None]));
///
/// let error = Positions::read(&fens, BadFens::Fail).unwrap_err();
/// assert_eq!(error.to_string(), "row 2: piece placement: 2 ranks instead of 8");
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Positions {
    placements: Vec<Placement>,
    /// The side to move, where the text says it.
    sides: Vec<Option<Side>>,
    nulls: Option<NullBuffer>,
}

impl Positions {
    /// Reads a column of texts: `Utf8`, `LargeUtf8` or `Utf8View`. A null row stays null.
    ///
    /// # Errors
    /// If the column is of another type; and, if so wanted, at the first row that is no position.
    pub fn read(fens: &dyn Array, bad: BadFens) -> Result<Positions, Error> {
        match fens.data_type() {
            DataType::Utf8 => read(&fens.as_string::<i32>(), bad),
            DataType::LargeUtf8 => read(&fens.as_string::<i64>(), bad),
            DataType::Utf8View => read(&fens.as_string_view(), bad),
            other => Err(Error::Type {
                argument: "fens",
                expected: "Utf8, LargeUtf8 or Utf8View",
                found: other.clone(),
            }),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// Where there is no position.
    #[must_use]
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// The sets that a function takes from each position.
    fn column(&self, set: impl Fn(&Placement) -> u64) -> UInt64Array {
        let sets: Vec<u64> = self.placements.iter().map(set).collect();
        UInt64Array::new(sets.into(), self.nulls.clone())
    }

    /// The pieces of one kind of a side.
    #[must_use]
    pub fn pieces(&self, side: Side, piece: Piece) -> UInt64Array {
        self.column(|placement| placement.pieces(side, piece))
    }

    /// All pieces.
    #[must_use]
    pub fn occupied(&self) -> UInt64Array {
        self.column(Placement::occupied)
    }

    /// All pieces of a side.
    #[must_use]
    pub fn side(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.side(side))
    }

    /// Rooks and queens of a side.
    #[must_use]
    pub fn orthogonal(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.orthogonal(side))
    }

    /// Bishops and queens of a side.
    #[must_use]
    pub fn diagonal(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.diagonal(side))
    }

    /// Whether white is to move; null also where the text does not say it.
    #[must_use]
    pub fn white_to_move(&self) -> BooleanArray {
        let sides = self.sides.iter();
        sides
            .map(|side| side.map(|side| side == Side::White))
            .collect()
    }

    /// The twelve sets of each position: a struct with the fields of [`position_fields`](crate::position_fields).
    #[must_use]
    pub fn sets(&self) -> StructArray {
        let kinds = Side::BOTH
            .into_iter()
            .flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
        let columns = kinds.map(|(side, piece)| {
            let sets = self.placements.iter();
            sets.map(|placement| placement.pieces(side, piece))
                .collect()
        });
        struct_of(position_fields(), columns, self.nulls(), self.len())
    }

    /// What all sliders of a side attack.
    ///
    /// # Panics
    /// If the active kernel cannot be chosen, see [`Kernels::active`].
    #[must_use]
    pub fn slider_attacks(&self, side: Side) -> UInt64Array {
        let kernels = Kernels::active();
        let mut attacks = vec![0; self.len()];
        let [mut orthogonal, mut diagonal, mut occupied] = [[0; BLOCK]; 3];
        for (placements, attacks) in self.placements.chunks(BLOCK).zip(attacks.chunks_mut(BLOCK)) {
            let rows = placements.len();
            for (row, placement) in placements.iter().enumerate() {
                orthogonal[row] = placement.orthogonal(side);
                diagonal[row] = placement.diagonal(side);
                occupied[row] = placement.occupied();
            }
            kernels.slider_attacks(
                &orthogonal[..rows],
                &diagonal[..rows],
                &occupied[..rows],
                attacks,
            );
        }
        UInt64Array::new(attacks.into(), self.nulls.clone())
    }

    /// [`attack_maps`](crate::attack_maps) of each position.
    ///
    /// # Panics
    /// If the active kernel cannot be chosen, see [`Kernels::active`].
    #[must_use]
    pub fn attack_maps(&self) -> StructArray {
        attack_maps_of(self.len(), self.nulls(), |part, to| self.fill(part, to))
    }

    /// [`checks`](crate::checks) of each position.
    ///
    /// # Panics
    /// If the active kernel cannot be chosen, see [`Kernels::active`].
    #[must_use]
    pub fn checks(&self) -> StructArray {
        checks_of(self.len(), self.nulls(), |part, to| self.fill(part, to))
    }

    fn fill(&self, part: Range<usize>, to: &mut [Position]) {
        for (placement, position) in self.placements[part].iter().zip(to) {
            position.pieces =
                Side::BOTH.map(|side| Piece::ALL.map(|piece| placement.pieces(side, piece)));
        }
    }
}

/// Sets are made of so many positions at once, for the kernels: 8 KiB.
const BLOCK: usize = 256;

fn read<'a>(fens: &impl ArrayAccessor<Item = &'a str>, bad: BadFens) -> Result<Positions, Error> {
    let rows = fens.len();
    let mut positions = Positions {
        placements: Vec::with_capacity(rows),
        sides: Vec::with_capacity(rows),
        nulls: union([fens.nulls()]),
    };
    let mut wrong = vec![];
    for row in 0..rows {
        let (mut placement, mut side) = (Placement::EMPTY, None);
        if !fens.is_null(row) {
            match Fen::parse(fens.value(row).as_bytes()) {
                Ok(fen) => (placement, side) = (*fen.placement(), fen.side()),
                Err(error) if bad == BadFens::Fail => return Err(Error::Fen { row, error }),
                Err(_) => wrong.push(row),
            }
        }
        positions.placements.push(placement);
        positions.sides.push(side);
    }
    if !wrong.is_empty() {
        let mut is_position = vec![true; rows];
        for row in wrong {
            is_position[row] = false;
        }
        positions.nulls = union([fens.nulls(), Some(&NullBuffer::from(is_position))]);
    }
    Ok(positions)
}
