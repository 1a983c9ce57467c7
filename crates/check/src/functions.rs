//! Calls the library's typed functions: those at its root, the one-board methods of `Kernel`, and
//! those of `board`.

use setwise::position::Position;
use setwise::reflection::{Column, ColumnMut};
use setwise::{Direction, Kernel, Line, Side, Square, batches, board, single_boards};

use crate::Operation;

impl Operation {
    /// Calls the function at the root of `setwise`, or for a single board the method of the active
    /// kernel.
    pub fn call_typed(&self, inputs: &[Column<'_>], outputs: &mut [ColumnMut<'_>]) {
        let (name, parameter) = (self.info.name(), self.parameter);
        let called = if self.info.by_value() {
            call_single_board(name, parameter, inputs, outputs)
        } else {
            call_batch(name, parameter, inputs, outputs)
        };
        called.unwrap_or_else(|| panic!("{name}: the columns do not match"));
    }

    /// The results of the function of the same name in `setwise::board` for one board, as words.
    /// `None` for operations on a single board.
    pub fn on_board(&self, words: &[u64]) -> Option<Vec<u64>> {
        on_board(self.info.name(), self.parameter, words)
    }
}

macro_rules! call_batches {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })*) => {
        fn call_batch(
            name: &str,
            _parameter: u8,
            inputs: &[Column<'_>],
            outputs: &mut [ColumnMut<'_>],
        ) -> Option<()> {
            match name {
                $($(stringify!($name) => {
                    let ([$(input!($In $input)),*], [$(output!($Out $output)),*]) =
                        (inputs, outputs) else { return None };
                    setwise::$name($(value!($Parameter _parameter),)? $($input,)* $($output),*);
                })*)*
                _ => return None,
            }
            Some(())
        }

        fn on_board(name: &str, _parameter: u8, words: &[u64]) -> Option<Vec<u64>> {
            let mut words = words;
            Some(match name {
                $($(stringify!($name) => {
                    $(let $input = from_words!($In words);)*
                    let results = board::$name(
                        $(value!($Parameter _parameter),)?
                        $(by_reference!($In $input)),*
                    );
                    to_words!(results $($output)*)
                })*)*
                _ => return None,
            })
        }
    };
}

macro_rules! call_single_boards {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])? ($($input:ident: $In:ident),*)
            -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        fn call_single_board(
            name: &str,
            _parameter: u8,
            inputs: &[Column<'_>],
            outputs: &mut [ColumnMut<'_>],
        ) -> Option<()> {
            let kernel = Kernel::active();
            match name {
                $($(stringify!($name) => {
                    let ([$(Column::Sets($input)),*], [$(ColumnMut::Sets($output)),*]) =
                        (inputs, outputs) else { return None };
                    let mut columns = [$($output),*];
                    for i in 0..columns[0].len() {
                        let results: [u64; [$(stringify!($output)),*].len()] =
                            bytemuck::cast(single_board!(
                                $group kernel.$name $(value!($Parameter _parameter))? => $($input[i])*
                            ));
                        for (column, result) in columns.iter_mut().zip(results) {
                            column[i] = result;
                        }
                    }
                })*)*
                _ => return None,
            }
            Some(())
        }
    };
}

macro_rules! single_board {
    (one $kernel:ident.$name:ident => $($input:ident[$i:ident])*) => {
        $kernel.$name($($input[$i]),*)
    };
    (
        side $kernel:ident.$name:ident $side:expr =>
        $a:ident[$i:ident] $($piece:ident[$j:ident])*
    ) => {{
        let [pieces @ .., occupied] = [$a[$i] $(, $piece[$j])*];
        $kernel.$name($side, &pieces, occupied)
    }};
}

macro_rules! input {
    (Squares $name:ident) => {
        Column::Squares($name)
    };
    (Positions $name:ident) => {
        Column::Positions($name)
    };
    ($Set:ident $name:ident) => {
        Column::Sets($name)
    };
}

macro_rules! output {
    (Count $name:ident) => {
        ColumnMut::Counts($name)
    };
    (AttackMaps $name:ident) => {
        ColumnMut::AttackMaps($name)
    };
    (Checks $name:ident) => {
        ColumnMut::Checks($name)
    };
    ($Set:ident $name:ident) => {
        ColumnMut::Sets($name)
    };
}

macro_rules! from_words {
    (Squares $words:ident) => {
        Square::new(from_words!(Set $words) as u8).expect("a square below 64")
    };
    (Positions $words:ident) => {{
        let position = $words.split_off(..12).expect("twelve words for a position");
        bytemuck::pod_read_unaligned::<Position>(bytemuck::cast_slice(position))
    }};
    ($Set:ident $words:ident) => {
        *$words.split_off_first().expect("a word for each argument")
    };
}

macro_rules! by_reference {
    (Positions $name:ident) => {
        &$name
    };
    ($Other:ident $name:ident) => {
        $name
    };
}

macro_rules! to_words {
    ($results:ident counts) => {
        vec![u64::from($results)]
    };
    ($results:ident $only:ident) => {
        bytemuck::cast_slice(&[$results]).to_vec()
    };
    ($results:ident $a:ident $b:ident) => {
        vec![$results.0, $results.1]
    };
}

macro_rules! value {
    (Direction $value:ident) => {
        Direction::ALL[usize::from($value)]
    };
    (Line $value:ident) => {
        Line::ALL[usize::from($value)]
    };
    (Side $value:ident) => {
        [Side::White, Side::Black][usize::from($value)]
    };
}
pub(crate) use value;

batches!(call_batches);
single_boards!(call_single_boards);
