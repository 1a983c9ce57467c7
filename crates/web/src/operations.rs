//! The operations of the crate's list as values, on columns of words: a column an argument, a word a board.

use setwise::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square};

/// Boards in a column.
pub const BOARDS: usize = 4096;
/// Columns that an operation may take, and that it may fill.
pub const COLUMNS: usize = 16;
/// A column: of sets, of numbers of squares, or of counts.
pub type Column = [u64; BOARDS];

/// An operation of the list.
pub struct Operation {
    /// As the crate calls it.
    pub name: &'static str,
    /// What it takes besides boards: the names of directions or lines, or none.
    pub indices: &'static [&'static str],
    /// Its inputs, a name and a type each.
    pub inputs: &'static [(&'static str, &'static str)],
    /// Its outputs.
    pub outputs: &'static [(&'static str, &'static str)],
    evaluate: fn(&Kernels, usize, &[Column; COLUMNS], &mut [Column; COLUMNS], usize),
}

impl Operation {
    /// Evaluates the first boards of the columns by a kernel; `index` is the number of the direction or line.
    ///
    /// # Panics
    /// If there are more boards than a column has, if there is no such direction or line, or if an input of squares holds none.
    pub fn evaluate(
        &self,
        kernel: &Kernels,
        index: usize,
        inputs: &[Column; COLUMNS],
        outputs: &mut [Column; COLUMNS],
        boards: usize,
    ) {
        (self.evaluate)(kernel, index, inputs, outputs, boards);
    }
}

macro_rules! list {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        /// Every operation of the crate.
        pub static OPERATIONS: &[Operation] = &[$($(Operation {
            name: stringify!($name),
            indices: indices!($($Index)?),
            inputs: &[$((stringify!($input), stringify!($In))),*],
            outputs: &[$((stringify!($output), stringify!($Out))),*],
            evaluate: |kernel, _index, inputs, outputs, boards| {
                let [$($input,)* ..] = inputs;
                let [$($output,)* ..] = outputs;
                $(let $output = &mut $output[..boards];)*
                $(let mut scratch = <$In as Input>::scratch(); let $input = <$In>::slice(&$input[..boards], &mut scratch);)*
                call!($group kernel $name ($($Index::ALL[_index])?) ($($input)*) ($($output)*));
            },
        },)*)* ATTACK_MAPS, CHECKS];
    };
}

/// Names and type of the columns of a position, or of a result by side.
macro_rules! sides {
    ($($name:literal)*) => {
        &[$((concat!("white ", $name), "u64"),)* $((concat!("black ", $name), "u64"),)*]
    };
}

const PIECES: &[(&str, &str)] = sides!("pawns" "knights" "bishops" "rooks" "queens" "kings");

/// What is of whole positions, whose arguments are no words: twelve columns make one.
const ATTACK_MAPS: Operation = Operation {
    name: "attack_maps",
    indices: &[],
    inputs: PIECES,
    outputs: sides!("pawns" "knights" "bishops" "rooks" "queens" "kings" "all" "threats"),
    evaluate: |kernel, _, inputs, outputs, boards| {
        by_blocks(inputs, boards, |from, positions| {
            let mut maps = [AttackMaps::default(); BLOCK];
            let maps = &mut maps[..positions.len()];
            kernel.attack_maps(positions, maps);
            for (i, maps) in maps.iter().enumerate() {
                for side in 0..2 {
                    for (kind, &attacks) in maps.attacks[side].iter().enumerate() {
                        outputs[8 * side + kind][from + i] = attacks;
                    }
                    outputs[8 * side + 6][from + i] = maps.all[side];
                    outputs[8 * side + 7][from + i] = maps.threats[side];
                }
            }
        });
    },
};

const CHECKS: Operation = Operation {
    name: "checks",
    indices: &[],
    inputs: PIECES,
    outputs: sides!("checkers" "pinned" "pinners"),
    evaluate: |kernel, _, inputs, outputs, boards| {
        by_blocks(inputs, boards, |from, positions| {
            let mut checks = [Checks::default(); BLOCK];
            let checks = &mut checks[..positions.len()];
            kernel.checks(positions, checks);
            for (i, checks) in checks.iter().enumerate() {
                for side in 0..2 {
                    outputs[3 * side][from + i] = checks.checkers[side];
                    outputs[3 * side + 1][from + i] = checks.pinned[side];
                    outputs[3 * side + 2][from + i] = checks.pinners[side];
                }
            }
        });
    },
};

/// Positions that are made at a time.
const BLOCK: usize = 64;

/// Calls `evaluate` with the number of the first position of a block, and the block.
fn by_blocks(
    inputs: &[Column; COLUMNS],
    boards: usize,
    mut evaluate: impl FnMut(usize, &[Position]),
) {
    let mut positions = [Position::default(); BLOCK];
    for from in (0..boards).step_by(BLOCK) {
        let positions = &mut positions[..BLOCK.min(boards - from)];
        for (i, position) in positions.iter_mut().enumerate() {
            for (piece, column) in position.pieces.as_flattened_mut().iter_mut().zip(inputs) {
                *piece = column[from + i];
            }
        }
        evaluate(from, positions);
    }
}

macro_rules! indices {
    () => {
        &[]
    };
    (Direction) => {
        &[
            "north",
            "north-east",
            "east",
            "south-east",
            "south",
            "south-west",
            "west",
            "north-west",
        ]
    };
    (Line) => {
        &["rank", "file", "diagonal", "antidiagonal"]
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
        let mut counts = [0_u32; BOARDS];
        let counts = &mut counts[..$output.len()];
        $kernel.$name($($input,)* counts);
        for (result, count) in $output.iter_mut().zip(counts) {
            *result = u64::from(*count);
        }
    };
    ($group:ident $kernel:ident $name:ident ($($index:expr)?) ($($input:ident)*) ($($output:ident)*)) => {
        $kernel.$name($($index,)? $($input,)* $($output),*)
    };
}

setwise::operations!(list);

/// What operations take, from words.
trait Input: Sized {
    type Scratch;
    fn scratch() -> Self::Scratch;
    fn slice<'a>(words: &'a [u64], scratch: &'a mut Self::Scratch) -> &'a [Self];
}

impl Input for u64 {
    type Scratch = ();
    fn scratch() {}
    fn slice<'a>(words: &'a [u64], (): &'a mut ()) -> &'a [u64] {
        words
    }
}

impl Input for Square {
    type Scratch = [Square; BOARDS];
    fn scratch() -> Self::Scratch {
        [Square::new(0).expect("a1"); BOARDS]
    }
    fn slice<'a>(words: &'a [u64], scratch: &'a mut Self::Scratch) -> &'a [Square] {
        for (square, &word) in scratch.iter_mut().zip(words) {
            *square = u8::try_from(word)
                .ok()
                .and_then(Square::new)
                .expect("0 to 63");
        }
        &scratch[..words.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, Line, OPERATIONS};

    #[test]
    fn names_of_lines_are_in_the_order_of_the_crate() {
        assert_eq!(
            Line::ALL.map(|line| format!("{line:?}").to_lowercase()),
            ["rank", "file", "diagonal", "antidiagonal"]
        );
    }

    #[test]
    fn every_operation_has_columns_enough() {
        for operation in OPERATIONS {
            assert!(operation.inputs.len() <= COLUMNS && operation.outputs.len() <= COLUMNS);
        }
    }
}
