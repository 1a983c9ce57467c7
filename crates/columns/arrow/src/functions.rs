//! The operations, from the crate's list.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Fields};
use setwise::{Direction, Line, operations};

use crate::input::{Input, parts, rows, union};
use crate::{Error, Sets, Squares, positions};

macro_rules! functions {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        $($(function! { $group $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}

macro_rules! function {
    // One board is no column.
    (one $($rest:tt)*) => {};
    (positions attack_maps $($rest:tt)*) => {
        /// [`setwise::attack_maps`] of a column of positions: a struct with the fields of [`position_fields`](crate::position_fields), as
        /// [`Positions::sets`](crate::Positions::sets) makes them. The result is a struct with those of [`attack_maps_fields`](crate::attack_maps_fields).
        ///
        /// # Errors
        /// If a field is missing or of another type.
        pub fn attack_maps(positions: &StructArray) -> Result<StructArray, Error> {
            let sets = positions::Sets::of(positions)?;
            Ok(positions::attack_maps_of(sets.rows, sets.nulls.as_ref(), |part, to| sets.fill(part, to)))
        }
    };
    (positions checks $($rest:tt)*) => {
        /// [`setwise::checks`] of a column of positions, a struct with the fields of [`position_fields`](crate::position_fields). The result is a
        /// struct with those of [`checks_fields`](crate::checks_fields).
        ///
        /// # Errors
        /// If a field is missing or of another type.
        pub fn checks(positions: &StructArray) -> Result<StructArray, Error> {
            let sets = positions::Sets::of(positions)?;
            Ok(positions::checks_of(sets.rows, sets.nulls.as_ref(), |part, to| sets.fill(part, to)))
        }
    };
    ($group:ident $name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[doc = concat!("[`setwise::", stringify!($name), "`] of columns, by the active kernel.")]
        ///
        #[doc = concat!("Null where ", $("`", stringify!($input), "` ",)* "is null.")]
        ///
        /// # Errors
        /// If two columns have different lengths, or a number is no square.
        ///
        /// # Panics
        /// If the active kernel cannot be chosen, see [`Kernels::active`](setwise::Kernels::active).
        pub fn $name<'a>($($index: $Index,)? $($input: impl Into<argument!($In)>),*) -> Result<result!($($Out)*), Error> {
            $(let $input = Input::values($input.into(), stringify!($input))?;)*
            let arguments = [$((stringify!($input), $input.rows())),*];
            let rows = rows(&arguments)?;
            let has_constant = arguments.iter().any(|argument| argument.1.is_none());
            let nulls = union([$($input.nulls()),*]);
            $(let mut $output: Vec<$Out> = Vec::with_capacity(rows);)*
            for part in parts(rows, has_constant) {
                setwise::append::$name($($index,)? $($input.part(part.clone()),)* $(&mut $output),*);
            }
            Ok(array!(nulls $($output: $Out)*))
        }
    };
}

/// The argument for a type of the list.
macro_rules! argument {
    (u64) => { Sets<'a> };
    (Square) => { Squares<'a> };
}

/// The array for the types of the outputs.
macro_rules! result {
    (u64) => {
        UInt64Array
    };
    (u32) => {
        UInt32Array
    };
    ($first:ident $second:ident) => {
        StructArray
    };
}

macro_rules! array {
    ($nulls:ident $output:ident: u64) => { UInt64Array::new($output.into(), $nulls) };
    ($nulls:ident $output:ident: u32) => { UInt32Array::new($output.into(), $nulls) };
    // The nulls stand at the struct and at its fields, so that a field taken out alone has them.
    ($nulls:ident $($output:ident: u64)*) => {
        StructArray::new(
            Fields::from_iter([$(Field::new(stringify!($output), DataType::UInt64, true)),*]),
            vec![$(Arc::new(UInt64Array::new($output.into(), $nulls.clone())) as ArrayRef),*],
            $nulls,
        )
    };
}

operations!(all functions);
