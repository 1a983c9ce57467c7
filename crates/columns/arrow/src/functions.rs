//! A function for every operation, generated from the list of operations.

use arrow_array::{ArrayRef, Datum};
use setwise::reflection::OperationInfo;
use setwise::{Direction, Line, Side};

use crate::{Error, evaluate};

macro_rules! functions {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })*) => {
        $($(
            #[doc = concat!("[`setwise::Kernel::", stringify!($name), "`] on columns: see [`evaluate`].")]
            ///
            /// # Errors
            /// See [`Error`].
            ///
            /// # Panics
            /// If no kernel can be chosen: see [`Kernel::active`](setwise::Kernel::active).
            #[allow(clippy::too_many_arguments, reason = "as many as the operation has")]
            pub fn $name(
                $($parameter: $Parameter,)?
                $($input: &dyn Datum),*
            ) -> Result<ArrayRef, Error> {
                let operation = OperationInfo::by_name(stringify!($name)).expect("an operation");
                evaluate(operation, parameter!($($parameter)?), &[$($input),*])
            }
        )*)*
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

setwise::batches!(functions);
