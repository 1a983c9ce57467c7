//! The typed calls of the operations in the list, as users write them. Tests and the benchmark use
//! these macros.

use bytemuck::NoUninit;

/// Calls the function of an operation on slices. The arguments are those that the macro
/// `setwise::operations` passes on: the group of the operation, what stands before the name (a
/// kernel and a dot, or `setwise::`), the name, the value of the parameter, and the slices.
///
/// An operation on a single board (the groups `one` and `side`) is called for each board.
#[doc(hidden)]
#[macro_export]
macro_rules! typed_call {
    (one ($($of:tt)*) $name:ident () ($($input:ident)*) ($($output:ident)*)) => {
        $crate::typed_call!(@ i ($($output)*) $($of)* $name($($input[i]),*))
    };
    (side ($($of:tt)*) $name:ident ($side:expr) ($($input:ident)*) ($($output:ident)*)) => {
        $crate::typed_call!(@ i ($($output)*) {
            let [pieces @ .., occupied] = [$($input[i]),*];
            $($of)* $name($side, &pieces, occupied)
        })
    };
    (@ $i:ident ($($output:ident)*) $results:expr) => {{
        let mut outputs = [$(&mut $output[..]),*];
        for $i in 0..outputs[0].len() {
            $crate::write_board(&mut outputs, $i, $results);
        }
    }};
    (
        $group:ident ($($of:tt)*) $name:ident ($($value:expr)?)
        ($($input:ident)*) ($($output:ident)*)
    ) => {
        $($of)* $name($($value,)? $($input,)* $($output),*)
    };
}

/// The value of a parameter by its number: `parameter_value!(Direction number)`.
#[doc(hidden)]
#[macro_export]
macro_rules! parameter_value {
    (Side $number:ident) => {
        setwise::Side::BOTH[usize::from($number)]
    };
    ($Parameter:ident $number:ident) => {
        setwise::$Parameter::ALL[usize::from($number)]
    };
}

/// Writes all results of one board.
#[doc(hidden)]
#[inline(always)]
pub fn write_board<const N: usize>(
    outputs: &mut [&mut [u64]; N],
    board: usize,
    results: impl NoUninit,
) {
    for (output, word) in outputs.iter_mut().zip(bytemuck::cast::<_, [u64; N]>(results)) {
        output[board] = word;
    }
}
