//! Conversion of FEN columns to columns of sets.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayAccessor, ArrayRef, BooleanArray, StructArray, UInt64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use setwise::{Piece, Side};
use setwise_positions::{Fen, Placement};

use crate::input::unpacked;
use crate::{Error, position_fields, positions};

/// What to do with strings that are not positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BadFens {
    /// Fail with an error that names the row.
    Fail,
    /// Make the row null.
    Null,
}

/// Positions read from a column of FEN or EPD.
///
/// Each row is parsed once, regardless of the number of columns computed from it. See
/// [`Fen`](setwise_positions::Fen) for the accepted strings. Positions need not be legal.
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
/// assert!(error.to_string().starts_with("row 2: piece placement"));
/// # Ok::<(), setwise_arrow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Positions {
    placements: Vec<Placement>,
    /// The side to move of each row; `None` if the string has no side to move.
    to_move: Vec<Option<Side>>,
    nulls: Option<NullBuffer>,
}

impl Positions {
    /// Reads a column of strings, or of bytes that are text, with any offsets or as views. A
    /// dictionary of one of these is unpacked. Null rows stay null.
    ///
    /// # Errors
    /// If the column has another type, or is a dictionary whose rows are too long together. With
    /// [`BadFens::Fail`], also if a row is not a position.
    pub fn read(fens: &dyn Array, bad: BadFens) -> Result<Positions, Error> {
        let fens = unpacked(fens)?;
        match fens.data_type() {
            DataType::Utf8 => read(&fens.as_string::<i32>(), bad),
            DataType::LargeUtf8 => read(&fens.as_string::<i64>(), bad),
            DataType::Utf8View => read(&fens.as_string_view(), bad),
            DataType::Binary => read(&fens.as_binary::<i32>(), bad),
            DataType::LargeBinary => read(&fens.as_binary::<i64>(), bad),
            DataType::BinaryView => read(&fens.as_binary_view(), bad),
            other => Err(Error::Type {
                argument: "fens",
                expected: "strings, or bytes that are text",
                found: other.clone(),
            }),
        }
    }

    /// The nulls: rows without a position. `None` if every row has a position.
    #[must_use]
    pub fn nulls(&self) -> Option<&NullBuffer> {
        self.nulls.as_ref()
    }

    /// The [codes](Placement::codes) of each position.
    pub(crate) fn boards(&self) -> Vec<[u8; 64]> {
        self.placements.iter().map(Placement::codes).collect()
    }

    fn column(&self, set: impl Fn(&Placement) -> u64) -> UInt64Array {
        let sets: Vec<u64> = self.placements.iter().map(set).collect();
        UInt64Array::new(sets.into(), self.nulls.clone())
    }

    /// A side's pieces of one kind.
    #[must_use]
    pub fn pieces(&self, side: Side, piece: Piece) -> UInt64Array {
        self.column(|placement| placement.pieces(side, piece))
    }

    /// All pieces of both sides.
    #[must_use]
    pub fn occupied(&self) -> UInt64Array {
        self.column(Placement::occupied)
    }

    /// All pieces of a side.
    #[must_use]
    pub fn side(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.side(side))
    }

    /// The rooks and queens of a side.
    #[must_use]
    pub fn orthogonal(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.orthogonal(side))
    }

    /// The bishops and queens of a side.
    #[must_use]
    pub fn diagonal(&self, side: Side) -> UInt64Array {
        self.column(|placement| placement.diagonal(side))
    }

    /// Whether white is to move; null if the string has no side to move.
    #[must_use]
    pub fn white_to_move(&self) -> BooleanArray {
        let sides = self.to_move.iter();
        sides.map(|side| side.map(|side| side == Side::White)).collect()
    }

    /// The twelve sets of each position, as a struct with the [`position_fields`].
    #[must_use]
    pub fn sets(&self) -> StructArray {
        let kinds = Side::BOTH.into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
        let columns = kinds.map(|(side, piece)| Arc::new(self.pieces(side, piece)) as ArrayRef);
        StructArray::new(position_fields(), columns.collect(), self.nulls.clone())
    }

    /// The squares attacked by the rooks, bishops and queens of a side.
    ///
    /// # Panics
    /// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
    #[must_use]
    pub fn slider_attacks(&self, side: Side) -> UInt64Array {
        let sets = [self.orthogonal(side), self.diagonal(side), self.occupied()];
        let [orthogonal, diagonal, occupied] = sets.each_ref().map(|sets| &sets.values()[..]);
        let mut attacks = vec![0; self.placements.len()];
        setwise::slider_attacks(orthogonal, diagonal, occupied, &mut attacks);
        UInt64Array::new(attacks.into(), self.nulls.clone())
    }

    /// The [`attack_maps`](crate::attack_maps) of each position.
    ///
    /// # Panics
    /// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
    #[must_use]
    pub fn attack_maps(&self) -> StructArray {
        positions::attack_maps(&self.sets()).expect("a struct with the fields of positions")
    }

    /// The [`checks`](crate::checks) of each position.
    ///
    /// # Panics
    /// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
    #[must_use]
    pub fn checks(&self) -> StructArray {
        positions::checks(&self.sets()).expect("a struct with the fields of positions")
    }
}

fn read<'a, Text: AsRef<[u8]> + ?Sized + 'a>(
    fens: &impl ArrayAccessor<Item = &'a Text>,
    bad: BadFens,
) -> Result<Positions, Error> {
    let rows = fens.len();
    let (mut placements, mut to_move) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let mut is_good: Option<Vec<bool>> = None;
    for row in 0..rows {
        let (mut placement, mut side) = (Placement::EMPTY, None);
        if !fens.is_null(row) {
            let text = fens.value(row).as_ref();
            match Fen::parse(text) {
                Ok(fen) => (placement, side) = (*fen.placement(), fen.side()),
                Err(error) if bad == BadFens::Fail => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    return Err(Error::Fen { row, text, error });
                }
                Err(_) => is_good.get_or_insert_with(|| vec![true; rows])[row] = false,
            }
        }
        placements.push(placement);
        to_move.push(side);
    }
    let nulls = fens.nulls().filter(|nulls| nulls.null_count() > 0);
    let nulls = NullBuffer::union(nulls, is_good.map(NullBuffer::from).as_ref());
    Ok(Positions { placements, to_move, nulls })
}
