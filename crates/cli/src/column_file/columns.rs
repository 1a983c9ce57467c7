//! Chooses which columns of a file to read.

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema};

/// The metadata key under which `setwise attacks` stores the value of `--record`: what a row
/// describes.
pub(crate) const RECORD: &str = "setwise.record";
/// The value of [`RECORD`] in a file with one row for each side of a position.
const RECORD_OF_A_SIDE: &str = "side";

/// The columns of sets, as `setwise attacks --record position` writes them.
pub(super) const SETS: [&str; 5] =
    ["white_orthogonal", "black_orthogonal", "white_diagonal", "black_diagonal", "occupied"];

/// Columns that `setwise attacks` writes if each side of a position has its own row.
const OF_SIDES: [&str; 5] =
    ["orthogonal", "diagonal", "rook_attacks", "bishop_attacks", "slider_attacks"];

/// The rows of a file, in batches that contain only the columns to read.
pub(super) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Returns the indices of the columns to read, and whether they hold sets (if not, FENs). `record`
/// is the value of [`RECORD`] in the file's metadata.
pub(super) fn find_columns(
    schema: &Schema,
    record: Option<&str>,
) -> Result<(Vec<usize>, bool), ArrowError> {
    let wrong = |what: String| Err(ArrowError::SchemaError(what));
    let find = |name: &str| schema.column_with_name(name);
    if let Some((at, field)) = find("fen").or_else(|| find("epd")) {
        if let Some(name) = OF_SIDES.iter().find(|name| find(name).is_some()) {
            return wrong(format!(
                "it has {} and {name}, as the output of `setwise attacks` with two rows for each \
                 position; use --record position there, or keep one row and rename {name}",
                field.name()
            ));
        }
        if record == Some(RECORD_OF_A_SIDE) {
            return wrong(format!(
                "it is the output of `setwise attacks` with two rows for each position; use \
                 --record position there, or keep one row and remove {RECORD} from the metadata"
            ));
        }
        return match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok((vec![at], false)),
            kind => wrong(format!("column {}: the type is {kind}, expected strings", field.name())),
        };
    }
    let sets: Vec<_> = SETS.iter().filter_map(|name| find(name)).collect();
    if sets.len() < SETS.len() {
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        let (sets, names) = (SETS.join(", "), names.join(", "));
        return wrong(format!(
            "it must have a column fen or epd, or all of {sets}; it has {names}"
        ));
    }
    for (_, field) in &sets {
        let (name, kind) = (field.name(), field.data_type());
        if !matches!(kind, DataType::UInt64 | DataType::Int64) {
            return wrong(format!("column {name}: the type is {kind}, expected 64-bit numbers"));
        }
    }
    Ok((sets.into_iter().map(|(at, _)| at).collect(), true))
}
