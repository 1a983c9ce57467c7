//! A list for each position.

/// A list for each position, in one vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lists<T> {
    /// The start of each list, and the end of the last one. Empty if the lists were not computed.
    pub offsets: Vec<u32>,
    /// All lists.
    pub values: Vec<T>,
}

impl<T> Lists<T> {
    /// The list of a position.
    ///
    /// # Panics
    ///
    /// If there is no such position, or the lists were not computed.
    #[must_use]
    pub fn get(&self, position: usize) -> &[T] {
        &self.values[self.offsets[position] as usize..self.offsets[position + 1] as usize]
    }

    pub(crate) fn start(&mut self, positions: usize) {
        self.values.reserve(40 * positions);
        self.offsets.reserve(positions + 1);
        self.offsets.push(0);
    }

    /// Appends the lists of a block.
    pub(crate) fn append(&mut self, offsets: &[u32], values: &[T])
    where
        T: Copy,
    {
        let count = offsets[offsets.len() - 1];
        let end = u32::try_from(self.values.len() + count as usize);
        let before = end.expect("fewer than 2^32 values") - count;
        self.offsets.extend(offsets[1..].iter().map(|offset| before + offset));
        self.values.extend_from_slice(&values[..count as usize]);
    }

    pub(crate) fn clear(&mut self) {
        self.offsets.clear();
        self.values.clear();
    }
}
