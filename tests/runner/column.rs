//! The elements of an argument as they are in memory: sets of eight bytes, counts of four, squares of one.

use bytemuck::CheckedBitPattern;

/// A column of a batch, aligned for any element.
#[derive(Clone, PartialEq)]
pub(crate) struct Column {
    words: Vec<u64>,
    bytes: usize,
}

impl Column {
    /// These values as elements of so many bytes; of values too large the lower ones.
    pub(crate) fn new(size: usize, values: impl ExactSizeIterator<Item = u64>) -> Column {
        let bytes = size * values.len();
        if size == 8 {
            let words = values.collect();
            return Column { words, bytes };
        }
        let words = vec![0; bytes.div_ceil(8)];
        let mut column = Column { words, bytes };
        for (i, value) in values.enumerate() {
            set(column.bytes_mut(), size, i, value);
        }
        column
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }
}

impl AsRef<[u8]> for Column {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl<'a> From<&'a mut Column> for &'a mut [u8] {
    fn from(column: &'a mut Column) -> &'a mut [u8] {
        column.bytes_mut()
    }
}

/// The value of an element.
pub(crate) fn get(column: &[u8], size: usize, index: usize) -> u64 {
    match column[size * index..][..size] {
        [byte] => byte.into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => unreachable!("elements are of 1, 4 or 8 bytes"),
    }
}

pub(crate) fn set(column: &mut [u8], size: usize, index: usize, value: u64) {
    let element = &mut column[size * index..][..size];
    match size {
        1 => element[0] = value as u8,
        4 => element.copy_from_slice(&(value as u32).to_ne_bytes()),
        _ => element.copy_from_slice(&value.to_ne_bytes()),
    }
}

/// A value as an element of a type.
pub(crate) fn element<T: CheckedBitPattern>(value: u64) -> T {
    let column = Column::new(size_of::<T>(), std::iter::once(value));
    bytemuck::checked::pod_read_unaligned(column.bytes())
}
