//! Threats of positions, as a column of lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray, UInt8Array};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use setwise::threats::{Rules, Threat};

use crate::Positions;

fn fields() -> Fields {
    let field = |name| Field::new(name, DataType::UInt8, false);
    ["attacker", "from", "victim", "to"].map(field).to_vec().into()
}

/// A threat: `attacker` (a piece), `from` (its square), `victim` and `to`, all of them `UInt8`.
#[must_use]
pub fn threat_field() -> FieldRef {
    Arc::new(Field::new_list_field(DataType::Struct(fields()), false))
}

impl Positions {
    /// The threats of each position: every pair of pieces of which one attacks or defends the
    /// other, as [`threat_field`]s in the order of [`setwise::Kernel::threats`].
    ///
    /// `rules` are [`setwise_loader::named_rules`] or [`setwise_loader::rules`]: their
    /// [codes](setwise_loader::codes) are those of the pieces in the result.
    ///
    /// # Panics
    /// If there are 2^31 threats or more, or no kernel can be chosen (see
    /// [`setwise::Kernel::active`]).
    #[must_use]
    pub fn threats(&self, rules: &Rules) -> ListArray {
        let lists = setwise_loader::threats(&self.boards(), rules);
        let end = |end: &u32| i32::try_from(*end).expect("a list has 32-bit offsets");
        let offsets: Vec<i32> = lists.offsets.iter().map(end).collect();
        let parts: [fn(&Threat) -> u8; 4] = [|t| t.attacker, |t| t.from, |t| t.victim, |t| t.to];
        let columns = parts.map(|part| {
            Arc::new(UInt8Array::from_iter_values(lists.values.iter().map(part))) as ArrayRef
        });
        let structs = StructArray::new(fields(), columns.to_vec(), None);
        let offsets = OffsetBuffer::new(offsets.into());
        ListArray::new(threat_field(), offsets, Arc::new(structs), self.nulls().cloned())
    }
}
