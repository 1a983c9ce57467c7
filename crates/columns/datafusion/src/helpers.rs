//! Functions on sets that SQL has no equivalent for.

use arrow_array::types::UInt32Type;
use arrow_array::{Array, Int64Array};
use arrow_schema::DataType;

use crate::function::Function;
use crate::value::{Kind, array, unsigned};

pub(crate) fn all() -> Vec<Function> {
    let set = || vec![("set", Kind::Set)];
    let count = "The number of squares in a set.";
    let signed = "The bits of a set as Int64, for systems without unsigned integers. Negative if \
                  the set has h8. All functions accept Int64 as sets.";
    let inverse =
        "The bits of a set as UInt64, the type that functions return: the inverse of as_int64.";
    vec![
        Function::new("popcount", set(), DataType::UInt32, count, |values, rows| {
            let sets = unsigned(&values[0].to_array(rows)?)?;
            Ok(array(sets.unary::<_, UInt32Type>(u64::count_ones)))
        }),
        Function::new("as_int64", set(), DataType::Int64, signed, |values, rows| {
            let sets = unsigned(&values[0].to_array(rows)?)?;
            let bits = sets.values().inner().clone();
            Ok(array(Int64Array::new(bits.into(), sets.nulls().cloned())))
        }),
        Function::new("as_uint64", set(), DataType::UInt64, inverse, |values, rows| {
            Ok(array(unsigned(&values[0].to_array(rows)?)?))
        }),
    ]
}
