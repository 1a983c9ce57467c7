//! Marlinformat: records of 32 bytes.

use crate::cut_records::FixedSize;
use crate::error::{FenError, Field};
use crate::file_format::{About, Unit, Value};
use crate::record::{Castling, RECORD, Record, read_pieces, result};
use crate::{Piece, Side};

/// Marlinformat records: see [`Record`].
pub(crate) struct Marlin;

impl FixedSize for Marlin {
    const ABOUT: &'static About = &About {
        name: "marlinformat",
        option: "marlin",
        aliases: &[],
        help: "Marlinformat records",
        extensions: &["marlin"],
        unit: Unit::Record,
        values: &[Value::Score, Value::Result],
    };
    const SIZE: usize = RECORD;

    #[inline(always)]
    fn read(bytes: &[u8]) -> Result<Record, FenError> {
        read(bytes.try_into().expect("it has `SIZE` bytes"))
    }

    /// Whether a record has a plausible move number and en passant square. If a bulletformat record
    /// is read as marlinformat, a king's square becomes the high byte of the move number. The
    /// number is then at least 1024, unless the king is on a1, b1, c1 or d1.
    fn is_likely(record: &Record) -> bool {
        let pawns = record.placement().pieces(record.side().other(), Piece::Pawn);
        // The pawn has passed the square, which is now behind it.
        let has_pawn = |square: u32| pawns >> (square ^ 8) & 1 == 1;
        record.fullmove_number < 1024 && record.en_passant.is_none_or(has_pawn)
    }
}

#[inline(always)]
pub(super) fn read(bytes: &[u8; RECORD]) -> Result<Record, FenError> {
    let (placement, unmoved) = read_pieces(bytes)?;
    let side = Side::BOTH[usize::from(bytes[24] >> 7)];
    let (sixth, name) = match side {
        Side::White => (5, "sixth"),
        Side::Black => (2, "third"),
    };
    let en_passant = match u32::from(bytes[24] & 0x7f) {
        64 => None,
        square if square / 8 == sixth => Some(square),
        square => {
            let reason = format!("{square} is neither 64 nor a square of the {name} rank");
            return Err(FenError::new(Field::EnPassant, reason));
        }
    };
    let castling =
        if unmoved == 0 { Castling::default() } else { Castling::new(&placement, unmoved)? };
    Ok(Record {
        placement,
        side,
        castling,
        en_passant,
        halfmove_clock: bytes[25],
        fullmove_number: u16::from_le_bytes([bytes[26], bytes[27]]),
        score: i16::from_le_bytes([bytes[28], bytes[29]]),
        result: result(bytes[30])?,
    })
}
