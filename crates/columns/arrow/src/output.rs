//! Results in the layout that a kernel writes.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array, UInt64Array};
use arrow_buffer::{MutableBuffer, NullBuffer};
use setwise::reflection::Element;

/// Results in the layout that the kernel writes.
pub(crate) enum Output {
    /// Sets or counts, written directly to the result.
    Column { values: MutableBuffer, element: Element },
    /// A block of structs of words, and one result column for each field.
    Structs { block: Vec<u64>, columns: Vec<Vec<u64>> },
}

impl Output {
    pub(crate) fn new(element: Element, rows: usize, block: usize) -> Output {
        match element {
            Element::Set | Element::Count => Output::Column {
                values: MutableBuffer::with_capacity(element.size() * rows),
                element,
            },
            Element::AttackMaps | Element::Checks => Output::Structs {
                block: vec![0; element.words() * block],
                columns: (0..element.words()).map(|_| Vec::with_capacity(rows)).collect(),
            },
            other => panic!("no Arrow type for {other:?}"),
        }
    }

    /// Memory for the next `rows` rows, at most one block.
    pub(crate) fn part(&mut self, rows: usize) -> *mut u8 {
        match self {
            Output::Column { values, element } => {
                values.reserve(element.size() * rows);
                values.as_mut_ptr().wrapping_add(values.len())
            }
            Output::Structs { block, .. } => block.as_mut_ptr().cast(),
        }
    }

    /// Appends the rows that the kernel has written.
    ///
    /// # Safety
    /// The kernel has written `rows` rows to the memory returned by [`part`](Output::part).
    #[allow(unsafe_code)]
    pub(crate) unsafe fn written(&mut self, rows: usize) {
        match self {
            Output::Column { values, element } => {
                let bytes = values.len() + element.size() * rows;
                // SAFETY: the caller has written these bytes.
                unsafe { values.set_len(bytes) };
            }
            Output::Structs { block, columns } => {
                let words = columns.len();
                for (n, column) in columns.iter_mut().enumerate() {
                    let results = block.chunks_exact(words).take(rows);
                    column.extend(results.map(|result| result[n]));
                }
            }
        }
    }

    pub(crate) fn into_arrays(self, nulls: Option<&NullBuffer>) -> Vec<ArrayRef> {
        let sets = |values| Arc::new(UInt64Array::new(values, nulls.cloned())) as ArrayRef;
        match self {
            Output::Column { values, element } => vec![match element {
                Element::Count => Arc::new(UInt32Array::new(values.into(), nulls.cloned())),
                _ => sets(values.into()),
            }],
            Output::Structs { columns, .. } => {
                columns.into_iter().map(|column| sets(column.into())).collect()
            }
        }
    }
}
