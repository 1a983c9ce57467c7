//! The fields of the structs for positions, attack maps and checks.

use arrow_schema::{DataType, Field, Fields};

const SIDES: [&str; 2] = ["white", "black"];
const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

/// The fields of a position, `white_pawns` to `black_kings`. For each side: pawns, knights,
/// bishops, rooks, queens, kings.
#[must_use]
pub fn position_fields() -> Fields {
    fields(by_side(PIECES.map(|piece| format!("{piece}s"))))
}

/// The fields of [`attack_maps`](crate::attack_maps):
///
/// * `white_pawn_attacks` to `black_king_attacks`: the attacks by side and kind of piece
/// * `white_attacks`, `black_attacks`: all attacks of a side
/// * `white_by_lesser`, `black_by_lesser`: the enemy pieces that a side attacks with less valuable
///   ones
#[must_use]
pub fn attack_maps_fields() -> Fields {
    let kinds = by_side(PIECES.map(|piece| format!("{piece}_attacks")));
    let unions = by_side(["attacks".to_owned()]);
    let by_lesser = by_side(["by_lesser".to_owned()]);
    fields(kinds.chain(unions).chain(by_lesser))
}

/// The fields of [`checks`](crate::checks), for each side's king:
///
/// * `white_king_checkers`, `black_king_checkers`: the pieces that give check
/// * `white_king_pinned`, `black_king_pinned`: the pinned pieces
/// * `white_king_pinners`, `black_king_pinners`: the pieces that pin them
#[must_use]
pub fn checks_fields() -> Fields {
    let kinds = ["king_checkers", "king_pinned", "king_pinners"];
    fields(kinds.into_iter().flat_map(|kind| by_side([kind.to_owned()])))
}

/// Prefixes all names with "white", then all with "black".
fn by_side<const N: usize>(names: [String; N]) -> impl Iterator<Item = String> {
    let prefixed = move |side| names.clone().map(|name| format!("{side}_{name}"));
    SIDES.into_iter().flat_map(prefixed)
}

/// `UInt64` fields with these names. They are nullable, because a null struct has null fields.
fn fields(names: impl Iterator<Item = String>) -> Fields {
    names.map(|name| Field::new(name, DataType::UInt64, true)).collect()
}
