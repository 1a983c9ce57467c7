//! A typed function for every operation, generated from the list of operations.

use arrow_array::{Array, ArrayRef, StructArray, UInt32Array, UInt64Array};
use setwise::reflection::OPERATIONS;
use setwise::{Direction, Line, Side};

use crate::{Error, Sets, Squares, evaluate};

macro_rules! functions {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })*) => {
        /// The index of each operation in `OPERATIONS`.
        #[allow(non_camel_case_types, dead_code, reason = "names from the list of operations")]
        enum Number {
            $($($name),*),*
        }

        $($(function! {
            $name [$($parameter: $Parameter)?] ($($input: $In),*) ($($Out)*)
        })*)*

        #[test]
        fn the_numbers_are_places_in_the_list() {
            $($(assert_eq!(OPERATIONS[Number::$name as usize].name(), stringify!($name));)*)*
        }
    };
}

macro_rules! function {
    (
        $name:ident [$($parameter:ident: $Parameter:ident)?]
        ($($input:ident: $In:ident),*) ($($Out:ident)*)
    ) => {
        #[doc = concat!("[`setwise::Kernel::", stringify!($name), "`] on columns, with the active kernel.")]
        ///
        /// A row of the result is null if an argument is null in that row.
        ///
        /// # Errors
        /// See [`Error`].
        ///
        /// # Panics
        /// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
        #[allow(clippy::too_many_arguments, reason = "as many as the operation has")]
        pub fn $name<'a>(
            $($parameter: $Parameter,)?
            $($input: impl Into<argument!($In)>),*
        ) -> Result<result!($($Out)*), Error> {
            let operation = &OPERATIONS[Number::$name as usize];
            $(let $input = $input.into();)*
            evaluate(operation, parameter!($($parameter)?), &[$(&$input),*]).map(|array| typed(&array))
        }
    };
}

/// The Rust type of an argument, by its role.
macro_rules! argument {
    (Positions) => { &'a StructArray };
    (Squares) => { Squares<'a> };
    ($Set:ident) => { Sets<'a> };
}

/// The Rust type of the result, by the roles of the outputs.
macro_rules! result {
    (Set) => {
        UInt64Array
    };
    (Count) => {
        UInt32Array
    };
    ($($Other:ident)*) => {
        StructArray
    };
}

macro_rules! parameter {
    () => {
        0
    };
    ($parameter:ident) => {
        $parameter as u8
    };
}

fn typed<A: Array + Clone + 'static>(array: &ArrayRef) -> A {
    let typed = array.as_any().downcast_ref::<A>();
    typed.expect("the array of the operation's results").clone()
}

setwise::batches!(functions);
