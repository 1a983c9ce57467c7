//! What is measured: the library's list of operations.

use setwise::{Direction, Kernels, Line, Square};

use crate::column::{Columns, for_windows};
use crate::oracle::{self, Steps};

/// An operation of the list; with a direction or line, one of its directions or lines.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The function's name, such as `queen_attacks`.
    pub name: &'static str,
    /// Which direction or line; 0 where there is none.
    index: usize,
    /// What they are called; for an operation without, one empty name.
    index_names: fn() -> Vec<String>,
    /// The inputs' names, and the bytes of an element.
    pub inputs: &'static [(&'static str, usize)],
    /// The bytes of an output's element.
    pub outputs: &'static [usize],
    pass: fn(usize, &Kernels, &mut Columns),
    answer: fn(usize, &mut dyn Iterator<Item = u64>) -> Vec<u64>,
}

impl Operation {
    /// All of them, in every direction and along every line.
    pub fn all() -> impl Iterator<Item = Operation> {
        LIST.iter().flat_map(|&operation| {
            let indices = 0..(operation.index_names)().len();
            indices.map(move |index| Operation { index, ..operation })
        })
    }

    /// That with this title.
    #[must_use]
    pub fn named(title: &str) -> Option<Operation> {
        Operation::all().find(|operation| operation.title() == title)
    }

    /// What some forms do and no kernel: attacks of sets of sliders to the east and to the west together.
    pub(crate) fn along_ranks() -> Operation {
        Operation {
            name: "attacks_along_ranks",
            index: 0,
            index_names: || vec![String::new()],
            inputs: &[("sliders", 8), ("occupied", 8)],
            outputs: &[8],
            pass: |_, kernel, _| unreachable!("{} has no such function", kernel.name()),
            answer: |_, inputs| {
                let mut input = || inputs.next().expect("two sets");
                vec![oracle::attacks(&Line::Rank.steps(), input(), input())]
            },
        }
    }

    /// Whether the library has it, and not only some forms.
    #[must_use]
    pub fn in_list(self) -> bool {
        LIST.iter().any(|operation| operation.name == self.name)
    }

    /// Bytes read and written for a board.
    #[must_use]
    pub fn bytes(self) -> usize {
        let inputs = self.inputs.iter().map(|(_, size)| size);
        inputs.chain(self.outputs).sum()
    }

    /// The name, with the direction or line if there is one.
    #[must_use]
    pub fn title(self) -> String {
        self.name.to_owned() + &(self.index_names)()[self.index]
    }

    /// A kernel's calls for every window.
    pub(crate) fn pass(self, kernel: &Kernels, columns: &mut Columns) {
        (self.pass)(self.index, kernel, columns);
    }

    /// The right outputs for one board, by a walk from square to square; a square is its number.
    ///
    /// # Panics
    ///
    /// If there are fewer inputs than the operation has.
    pub fn answer(self, mut inputs: impl Iterator<Item = u64>) -> Vec<u64> {
        (self.answer)(self.index, &mut inputs)
    }
}

macro_rules! list {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        const LIST: &[Operation] = &[$($(Operation {
            name: stringify!($name),
            index: 0,
            index_names: || index_names!($($Index)?),
            inputs: &[$((stringify!($input), size_of::<$In>())),*],
            outputs: &[$(size_of::<$Out>()),*],
            pass: |_index, kernel, columns| for_windows! {
                columns ($($input: $In),*) ($($output: $Out),*)
                call!($group kernel $name ($($Index::ALL[_index])?) ($($input)*) ($($output)*))
            },
            answer: |_index, inputs| {
                $(let $input = inputs.next().expect("as in the list");)*
                words!(($($output)*) oracle::$name($(&$Index::ALL[_index].steps(),)? $($input),*))
            },
        },)*)*];
    };
}

macro_rules! index_names {
    () => {
        vec![String::new()]
    };
    ($Index:ident) => {
        $Index::ALL
            .map(|index| format!("-{index:?}").to_lowercase())
            .into()
    };
}

/// The method of a kernel for one window: by slices, or board by board.
macro_rules! call {
    (one $kernel:ident $name:ident () ($($input:ident)*) ($output:ident)) => {
        for (i, result) in $output.iter_mut().enumerate() {
            *result = $kernel.$name($($input[i]),*);
        }
    };
    ($group:ident $kernel:ident $name:ident ($($index:expr)?) ($($input:ident)*) ($($output:ident)*)) => {
        $kernel.$name($($index,)? $($input,)* $($output),*)
    };
}

/// The outputs of one board.
macro_rules! words {
    (($output:ident) $results:expr) => {
        vec![$results]
    };
    (($first:ident $second:ident) $results:expr) => {
        <[u64; 2]>::from($results).into()
    };
}

setwise::operations!(list);
