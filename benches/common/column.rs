//! An input or output of a batch: a slice whose place in memory is chosen, filled and compared as words.

use std::any::Any;
use std::ops::Range;

use setwise::Square;

/// Slices start here plus an offset.
const PAGE: usize = 4096;

/// What operations take and give.
pub(crate) trait Element: Copy + 'static {
    /// By the low bits, if the type is narrower.
    fn of(word: u64) -> Self;
    fn word(self) -> u64;
}

macro_rules! element {
    ($($T:ty: $of:expr, $word:expr;)*) => { $(
        impl Element for $T {
            fn of(word: u64) -> $T {
                $of(word)
            }
            fn word(self) -> u64 {
                $word(self)
            }
        }
    )* };
}

element! {
    u64: u64::from, u64::from;
    u32: |word| word as u32, u64::from;
    Square: |word| Square::new(word as u8 % 64).expect("below 64"), |square: Square| square.index() as u64;
}

struct Buffer<T> {
    storage: Vec<T>,
    range: Range<usize>,
}

/// A slice of some [`Element`].
pub(crate) trait Column: Any {
    /// Element `i` becomes word `step * i` of the supply, cyclically.
    fn fill(&mut self, supply: &[u64], step: usize);
    fn word(&self, i: usize) -> u64;
}

impl<T: Element> Column for Buffer<T> {
    fn fill(&mut self, supply: &[u64], step: usize) {
        for (i, element) in self.storage[self.range.clone()].iter_mut().enumerate() {
            *element = T::of(supply[step * i % supply.len()]);
        }
    }

    fn word(&self, i: usize) -> u64 {
        self.storage[self.range.start + i].word()
    }
}

/// A column of `length` elements, `offset` bytes behind the start of a page.
pub(crate) fn make<T: Element>(length: usize, offset: usize) -> Box<dyn Column> {
    let storage = vec![T::of(0); length + (PAGE + offset) / size_of::<T>()];
    let start = storage.as_ptr().align_offset(PAGE) + offset / size_of::<T>();
    let range = start..start + length;
    Box::new(Buffer { storage, range })
}

/// # Panics
/// If the column is of another type.
pub(crate) fn slice<T: Element>(column: &dyn Column) -> &[T] {
    let column: &dyn Any = column;
    let column: &Buffer<T> = column.downcast_ref().expect("the list's type");
    &column.storage[column.range.clone()]
}

/// # Panics
/// If the column is of another type.
pub(crate) fn slice_mut<T: Element>(column: &mut dyn Column) -> &mut [T] {
    let column: &mut dyn Any = column;
    let column: &mut Buffer<T> = column.downcast_mut().expect("the list's type");
    &mut column.storage[column.range.clone()]
}

/// The inputs, the outputs, and how they are cut into calls.
pub(crate) struct Columns {
    pub(crate) inputs: Vec<Box<dyn Column>>,
    pub(crate) outputs: Vec<Box<dyn Column>>,
    pub(crate) boards: usize,
    pub(crate) boards_a_call: usize,
}

/// Calls of short batches start this many boards apart at least: a batch of 31 then has the
/// alignment of a batch of 32, and the same number of calls goes into a pass.
const STRIDE: usize = 32;

impl Columns {
    /// The boards of each call.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let boards_a_call = self.boards_a_call;
        (0..self.boards)
            .step_by(boards_a_call.max(STRIDE))
            .map(move |start| start..start + boards_a_call)
    }
}

/// Evaluates `$call` for every window, the names being the window's slices.
macro_rules! for_windows {
    ($columns:ident ($($input:ident: $In:ty),*) ($($output:ident: $Out:ty),*) $call:expr) => {{
        let windows = $columns.windows();
        let mut inputs = $columns.inputs.iter();
        let mut outputs = $columns.outputs.iter_mut();
        $(let $input = $crate::common::column::slice::<$In>(inputs.next().expect("as in the list").as_ref());)*
        $(let $output = $crate::common::column::slice_mut::<$Out>(outputs.next().expect("as in the list").as_mut());)*
        for window in windows {
            $(let $input = &$input[window.clone()];)*
            $(let $output = &mut $output[window.clone()];)*
            $call;
        }
    }};
}
pub(crate) use for_windows;
