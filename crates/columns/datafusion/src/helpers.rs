//! Functions on sets that SQL has no equivalent for.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, Int64Array, UInt32Array};
use arrow_schema::DataType;

use crate::function::Function;
use crate::value::{Kind, array, unsigned};

pub(crate) fn all() -> Vec<Function> {
    let set = || vec![("set", Kind::Set)];
    vec![
        Function::new(
            "popcount",
            set(),
            DataType::UInt32,
            "The number of squares in a set.",
            |values, rows| {
                let sets = unsigned(&values[0].to_array(rows)?)?;
                let counts: UInt32Array = sets.unary(u64::count_ones);
                Ok(array(counts))
            },
        ),
        Function::new(
            "as_int64",
            set(),
            DataType::Int64,
            "The bits of a set as Int64, for systems without unsigned integers. Negative if the \
             set has h8. All functions accept Int64 as sets.",
            |values, rows| {
                let sets = unsigned(&values[0].to_array(rows)?)?;
                let bits = sets.values().inner().clone();
                Ok(array(Int64Array::new(bits.into(), sets.nulls().cloned())))
            },
        ),
        Function::new(
            "as_uint64",
            set(),
            DataType::UInt64,
            "The bits of a set as UInt64, the type that functions return: the inverse of as_int64.",
            |values, rows| {
                let sets = values[0].to_array(rows)?;
                match sets.as_primitive_opt::<UInt64Type>() {
                    Some(_) => Ok(sets),
                    None => Ok(array(unsigned(&sets)?)),
                }
            },
        ),
    ]
}
