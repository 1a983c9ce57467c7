//! Columns of elements in memory, and calls of batch functions on them.

use bytemuck::CheckedBitPattern;
use setwise::reflection::{ColumnMut, Element};

use crate::Operation;

/// A column in memory, aligned for any element type.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    memory: Vec<u64>,
    bytes: usize,
}

impl Column {
    /// Makes a column from the words of its elements. Each element has [`Element::words`] words.
    pub fn new(element: Element, words: Vec<u64>) -> Column {
        let elements = words.len() / element.words();
        let bytes = element.size() * elements;
        if element.size() == 8 * element.words() {
            return Column { memory: words, bytes };
        }
        let mut column = Column { memory: vec![0; bytes.div_ceil(8)], bytes };
        for (i, words) in words.chunks_exact(element.words()).enumerate() {
            Column::set(column.bytes_mut(), element, i, words);
        }
        column
    }

    /// The column's memory.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.memory)[..self.bytes]
    }

    /// The column's memory.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.memory)[..self.bytes]
    }

    /// Appends the words of the element at `index` to `to`.
    pub fn get(bytes: &[u8], element: Element, index: usize, to: &mut Vec<u64>) {
        let bytes = &bytes[element.size() * index..][..element.size()];
        match element {
            Element::Square => to.push(bytes[0].into()),
            Element::Count => to.push(bytemuck::pod_read_unaligned::<u32>(bytes).into()),
            _ => to.extend(bytes.as_chunks().0.iter().map(|&word| u64::from_ne_bytes(word))),
        }
    }

    /// Writes the element at `index`. A word too large for the element is truncated to its low
    /// bytes.
    pub fn set(bytes: &mut [u8], element: Element, index: usize, words: &[u64]) {
        let bytes = &mut bytes[element.size() * index..][..element.size()];
        match element {
            Element::Square => bytes[0] = words[0] as u8,
            Element::Count => bytes.copy_from_slice(&(words[0] as u32).to_ne_bytes()),
            _ => bytes.copy_from_slice(bytemuck::cast_slice(words)),
        }
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

/// A function that computes an operation on input and output columns of the same length.
pub type BatchFn<'a> = &'a dyn Fn(&[setwise::reflection::Column<'_>], &mut [ColumnMut<'_>]);

/// Calls `batch` on the memory of all arguments, inputs first. Returns the memory of the outputs.
///
/// # Panics
/// If the memory of an argument is not aligned for its elements.
pub fn call<'a, C: Into<&'a mut [u8]>>(
    operation: &Operation,
    arguments: impl IntoIterator<Item = C>,
    batch: BatchFn<'_>,
) -> Vec<&'a mut [u8]> {
    use setwise::reflection::Column;
    let mut inputs: Vec<&mut [u8]> = arguments.into_iter().map(Into::into).collect();
    let mut outputs = inputs.split_off(operation.info.inputs().len());
    let columns = operation.info.inputs().iter().zip(&inputs);
    let columns: Vec<Column<'_>> = columns
        .map(|(argument, bytes)| match argument.element() {
            Element::Square => Column::Squares(elements(bytes)),
            Element::Position => Column::Positions(elements(bytes)),
            _ => Column::Sets(elements(bytes)),
        })
        .collect();
    let results = operation.info.outputs().iter().zip(&mut outputs);
    let mut results: Vec<ColumnMut<'_>> = results
        .map(|(argument, bytes)| match argument.element() {
            Element::Count => ColumnMut::Counts(bytemuck::cast_slice_mut(bytes)),
            Element::AttackMaps => ColumnMut::AttackMaps(bytemuck::cast_slice_mut(bytes)),
            Element::Checks => ColumnMut::Checks(bytemuck::cast_slice_mut(bytes)),
            _ => ColumnMut::Sets(bytemuck::cast_slice_mut(bytes)),
        })
        .collect();
    batch(&columns, &mut results);
    outputs
}

/// Casts bytes to elements without reading them, because tests may record which instruction reads
/// the memory first.
fn elements<T: CheckedBitPattern>(bytes: &[u8]) -> &[T] {
    // SAFETY: `Case` makes only squares below 64, and any bytes are a valid set or position.
    let (before, elements, after) = unsafe { bytes.align_to() };
    assert!(before.is_empty() && after.is_empty(), "an argument is not aligned for its elements");
    elements
}
