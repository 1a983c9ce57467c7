//! A list for each position.

use std::io;

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
    pub(crate) fn append(&mut self, offsets: &[u32], values: &[T]) -> io::Result<()>
    where
        T: Copy,
    {
        let count = offsets[offsets.len() - 1];
        let before = offset(self.values.len() + count as usize)? - count;
        self.offsets.extend(offsets[1..].iter().map(|offset| before + offset));
        self.values.extend_from_slice(&values[..count as usize]);
        Ok(())
    }

    /// Appends a list.
    pub(crate) fn push(&mut self, list: &[T]) -> io::Result<()>
    where
        T: Copy,
    {
        self.offsets.push(offset(self.values.len() + list.len())?);
        self.values.extend_from_slice(list);
        Ok(())
    }

    /// Appends a list of values that are computed.
    pub(crate) fn extend(&mut self, list: impl Iterator<Item = T>) -> io::Result<()> {
        self.values.extend(list);
        self.offsets.push(offset(self.values.len())?);
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.offsets.clear();
        self.values.clear();
    }
}

/// The offset of this many values.
fn offset(count: usize) -> io::Result<u32> {
    let what = "the lists of a batch have 2^32 values or more: set a smaller batch_size";
    u32::try_from(count).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, what))
}

#[cfg(test)]
mod tests {
    use super::Lists;

    /// Lists of zero-sized values, which take no memory at any length.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn offsets_do_not_wrap() {
        let before = || Lists { offsets: vec![0, u32::MAX - 3], values: vec![(); (1 << 32) - 4] };
        let mut lists = before();
        lists.append(&[0, 1, 3], &[(); 9]).unwrap();
        assert_eq!(lists.offsets, [0, u32::MAX - 3, u32::MAX - 2, u32::MAX]);
        assert!(lists.push(&[()]).is_err());
        assert!(lists.append(&[0, 0, 1], &[()]).is_err());
        assert_eq!((lists.offsets.len(), lists.values.len()), (4, (1 << 32) - 1));
        let mut lists = before();
        lists.push(&[(); 3]).unwrap();
        assert!(lists.push(&[()]).unwrap_err().to_string().contains("smaller batch_size"));
        assert_eq!(lists.offsets, [0, u32::MAX - 3, u32::MAX]);
    }
}
