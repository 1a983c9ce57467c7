//! The operations of a kernel as values, from the library's list, so that one loop can go through all of them.

use std::borrow::Cow;

use setwise::{Direction, Kernels, Line, Square};
use setwise_measure::operation::Operation as Measured;

/// One slice an input, each a word a board: a set, or the number of a square.
pub(crate) type Inputs<'a> = &'a [&'a [u64]];
/// One slice an output.
pub(crate) type Outputs<'a, 'b> = &'a mut [&'b mut [u64]];

/// An operation of the list; with a direction or line, one of its directions or lines.
#[derive(Clone)]
pub(crate) struct Operation {
    /// Its name, and the direction or line.
    pub(crate) title: String,
    /// Which direction or line; 0 where there is none.
    index: usize,
    pub(crate) inputs: &'static [&'static str],
    pub(crate) outputs: &'static [&'static str],
    evaluate: fn(usize, &Kernels, Inputs, Outputs),
    /// The same one, which knows what is right.
    measured: Measured,
}

impl Operation {
    /// One without directions or lines, which the list must have.
    pub(crate) fn named(name: &str) -> Operation {
        let mut all = Operation::all().into_iter();
        all.find(|operation| operation.title == name)
            .expect("a name of the list")
    }

    /// The right outputs for the inputs of one board, by a walk from square to square.
    pub(crate) fn oracle(&self, inputs: &[u64]) -> Vec<u64> {
        self.measured.answer(inputs.iter().copied())
    }
}

macro_rules! list {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        impl Operation {
            /// All operations, in every direction and along every line.
            pub(crate) fn all() -> Vec<Operation> {
                // The same list in the same order.
                let (mut all, mut measured) = (Vec::new(), Measured::all());
                $($(for (index, suffix) in suffixes!($($Index)?).into_iter().enumerate() {
                    all.push(Operation {
                        title: stringify!($name).to_owned() + &suffix,
                        index,
                        inputs: &[$(stringify!($input)),*],
                        outputs: &[$(stringify!($output)),*],
                        evaluate: |_index, kernel, inputs, outputs| {
                            let ([$($input),*], [$($output),*]) = (inputs, outputs) else { unreachable!() };
                            $(let $input = <$In>::slice($input);)*
                            call!($group kernel $name ($($Index::ALL[_index])?) ($($input)*) ($($output)*));
                        },
                        measured: measured.next().expect("as many"),
                    });
                })*)*
                all
            }
        }
    };
}

macro_rules! suffixes {
    () => {
        [String::new()]
    };
    ($Index:ident) => {
        $Index::ALL.map(|index| format!(" {index:?}"))
    };
}

/// A kernel's method: board by board, to counts or to sets.
macro_rules! call {
    (one $kernel:ident $name:ident () ($($input:ident)*) ($output:ident)) => {
        for (i, result) in $output.iter_mut().enumerate() {
            *result = $kernel.$name($($input[i]),*);
        }
    };
    (counts $kernel:ident $name:ident () ($($input:ident)*) ($output:ident)) => {
        // SAFETY: every `u64` is two `u32`.
        let (_, halves, _) = unsafe { $output.align_to_mut() };
        // The latter half, so that a write behind it is one behind the output.
        let counts: &mut [u32] = halves.split_at_mut(halves.len() / 2).1;
        $kernel.$name($(&$input,)* counts);
        let counts = counts.to_vec();
        for (result, count) in $output.iter_mut().zip(counts) {
            *result = count.into();
        }
    };
    ($group:ident $kernel:ident $name:ident ($($index:expr)?) ($($input:ident)*) ($($output:ident)*)) => {
        $kernel.$name($($index,)? $(&$input,)* $($output),*)
    };
}

setwise::operations!(list);

/// What operations take, from words.
trait Input: Clone {
    fn of(word: u64) -> Self;
    fn slice(words: &[u64]) -> Cow<'_, [Self]>;
}

impl Input for u64 {
    fn of(word: u64) -> u64 {
        word
    }
    fn slice(words: &[u64]) -> Cow<'_, [u64]> {
        words.into()
    }
}

impl Input for Square {
    fn of(word: u64) -> Square {
        u8::try_from(word)
            .ok()
            .and_then(Square::new)
            .expect("0 to 63")
    }
    fn slice(words: &[u64]) -> Cow<'_, [Square]> {
        words.iter().copied().map(Square::of).collect()
    }
}

/// Whatever claims to compute the operations: the kernels, and in tests also wrong ones.
pub(crate) trait Evaluator {
    fn name(&self) -> &str;

    /// All boards of the slices, which are of one length.
    fn evaluate(&self, operation: &Operation, inputs: Inputs, outputs: Outputs);
}

impl Evaluator for Kernels {
    fn name(&self) -> &str {
        Kernels::name(self)
    }

    fn evaluate(&self, operation: &Operation, inputs: Inputs, outputs: Outputs) {
        (operation.evaluate)(operation.index, self, inputs, outputs);
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn boards_worked_by_hand() {
        let right = |title: &str, inputs: &[u64]| {
            let mut all = Operation::all().into_iter();
            let operation = all.find(|operation| operation.title == title).unwrap();
            operation.oracle(inputs)
        };
        assert_eq!(right("ray_attacks North", &[1, 1 << 24]), [0x0101_0100]);
        assert_eq!(
            right("occluded_fill East", &[1, 0b0000_0110]),
            [0b0000_0111]
        );
        // Two rooks on a1 and c1 see each other, although nobody put them into the occupancy.
        assert_eq!(right("rook_attacks", &[0b101, 0])[0] & 0xff, 0b1111_1111);
        assert_eq!(right("rook_attacks", &[1, 0]), [0x0101_0101_0101_01fe]);
        assert_eq!(right("bishop_attacks", &[1 << 63, 1 << 54]), [1 << 54]);
        // Through c1 as far as f1, but not through a3.
        assert_eq!(
            right("xray_rook_attacks", &[1, 1 << 2, 1 << 16 | 1 << 2 | 1 << 5]),
            [0b11_1000]
        );
        // King e1, own pawn e3, foreign rook e8; a rook h1 gives check.
        let rooks = 1 << 60 | 1 << 7;
        assert_eq!(
            right("pins", &[1 << 4, 1 << 20, rooks, 0, 0]),
            [1 << 20, 1 << 60]
        );
        assert_eq!(right("between", &[0, 27]), [1 << 9 | 1 << 18]);
        assert_eq!(right("line_through", &[9, 27]), [0x8040_2010_0804_0201]);
        assert_eq!(right("line_through", &[9, 28]), [0]);
    }
}
