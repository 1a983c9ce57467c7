//! Threats of positions, as a column of lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray, UInt8Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use setwise::threats::{Rules, Threat};
use setwise::{Kernel, Piece, Side};

use crate::Positions;

/// The boards of one kernel call, and the most threats of a board.
const BLOCK: usize = 16;
const MOST: usize = 420;

/// A threat: `attacker` (a piece), `from` (its square), `victim` and `to`, all of them `UInt8`.
#[must_use]
pub fn threat_field() -> FieldRef {
    let field = |name| Field::new(name, DataType::UInt8, false);
    let fields: Fields = ["attacker", "from", "victim", "to"].map(field).to_vec().into();
    Arc::new(Field::new_list_field(DataType::Struct(fields), false))
}

impl Positions {
    /// The threats of each position: every pair of pieces of which one attacks or defends the
    /// other, as [`threat_field`]s in the order of [`Kernel::threats`].
    ///
    /// Pieces are 0 to 5, white's pawn, knight, bishop, rook, queen and king, and 6 to 11, black's.
    /// Bit `victim` of `pairs[attacker]` says whether a pair counts.
    ///
    /// # Panics
    /// If there are 2^31 threats or more, or no kernel can be chosen (see [`Kernel::active`]).
    #[must_use]
    pub fn threats(&self, pairs: [u16; 12]) -> ListArray {
        let code = |code| (code < 12).then(|| (Side::BOTH[code / 6], Piece::ALL[code % 6]));
        let pairs = std::array::from_fn(|code| pairs.get(code).copied().unwrap_or_default());
        let rules = Rules::new(std::array::from_fn(code), pairs);

        let kernel = Kernel::active();
        let mut threats = vec![Threat::default(); BLOCK * MOST];
        let (mut fields, mut ends) = ([const { Vec::new() }; 4], vec![0]);
        for boards in self.boards().chunks(BLOCK) {
            let mut offsets = [0; BLOCK + 1];
            let offsets = &mut offsets[..=boards.len()];
            kernel.threats(boards, &rules, offsets, &mut threats);
            let start = fields[0].len();
            for &end in &offsets[1..] {
                let end = i32::try_from(start + end as usize);
                ends.push(end.expect("a list has 32-bit offsets"));
            }
            for threat in &threats[..offsets[boards.len()] as usize] {
                let values = [threat.attacker, threat.from, threat.victim, threat.to];
                for (field, value) in fields.iter_mut().zip(values) {
                    field.push(value);
                }
            }
        }
        let field = threat_field();
        let DataType::Struct(names) = field.data_type() else { unreachable!("a struct") };
        let columns = fields.map(|field| Arc::new(UInt8Array::from(field)) as ArrayRef);
        let structs = StructArray::new(names.clone(), columns.to_vec(), None);
        let offsets = OffsetBuffer::new(ends.into());
        ListArray::new(field, offsets, Arc::new(structs), self.nulls().cloned())
    }
}
