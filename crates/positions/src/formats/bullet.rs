//! Bulletformat: records of 32 bytes.

use crate::cut_records::FixedSize;
use crate::error::{FenError, Field};
use crate::file_format::{About, Unit, Value};
use crate::record::{Castling, RECORD, Record, name, read_pieces, result};
use crate::{Piece, Side};

/// Bulletformat records: see [`Record`].
pub(crate) struct Bullet;

impl FixedSize for Bullet {
    const ABOUT: &'static About = &About {
        name: "bulletformat",
        option: "bullet",
        aliases: &[],
        help: "Bulletformat records",
        extensions: &["bullet", "bf", "data"],
        unit: Unit::Record,
        values: &[Value::Score, Value::Result],
    };
    const SIZE: usize = RECORD;

    #[inline(always)]
    fn read(bytes: &[u8]) -> Result<Record, FenError> {
        read(bytes.try_into().expect("it has `SIZE` bytes"))
    }
}

#[inline(always)]
pub(super) fn read(bytes: &[u8; RECORD]) -> Result<Record, FenError> {
    let (placement, unmoved) = read_pieces(bytes)?;
    if unmoved != 0 {
        let name = name(unmoved.trailing_zeros());
        let reason = format!("6 on {name} is not a piece of bulletformat");
        return Err(FenError::new(Field::Pieces, reason));
    }
    let result = result(bytes[26])?;
    for (byte, square, side, whose) in [
        (bytes[27], bytes[27], Side::White, "moving side's"),
        (bytes[28], bytes[28] ^ 0o70, Side::Black, "other side's"),
    ] {
        if square > 63 || placement.pieces(side, Piece::King) >> square & 1 == 0 {
            let reason = format!("{byte} is not the square of the {whose} king");
            return Err(FenError::new(Field::KingSquares, reason));
        }
    }
    Ok(Record {
        placement,
        side: Side::White,
        castling: Castling::default(),
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 0,
        score: i16::from_le_bytes([bytes[24], bytes[25]]),
        result,
    })
}
