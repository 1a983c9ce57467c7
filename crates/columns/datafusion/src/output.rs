//! Writes query results and the list of functions as text.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::arrow::{csv, json};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::{StreamExt, TryStreamExt};

use crate::failure::Failure;

/// The format of query results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table drawn with characters; the whole result is held in memory.
    Table,
    /// Comma-separated values with a header line. Results with structs cannot be written.
    Csv,
    /// One JSON object per line. Sets are numbers of up to 20 digits, which some readers round.
    Json,
}

impl Format {
    /// The default format: a table if stdout is a terminal, else CSV.
    #[must_use]
    pub fn of_stdout() -> Format {
        if io::stdout().is_terminal() { Format::Table } else { Format::Csv }
    }
}

/// Writes a result batch by batch. A table is written when the result is complete.
///
/// # Errors
/// If the query fails, or the result cannot be written.
pub async fn write(
    mut result: SendableRecordBatchStream,
    format: Format,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let schema = result.schema();
    if schema.fields().is_empty() {
        // Statements such as CREATE and SET have no result.
        result.try_collect::<Vec<_>>().await?;
        return Ok(());
    }
    match format {
        Format::Table => {
            let batches: Vec<_> = result.try_collect().await?;
            let table = pretty_format_batches_with_schema(schema, &batches)
                .map_err(DataFusionError::from)?;
            writeln!(to, "{table}")?;
        }
        Format::Csv => {
            // Wait for the first batch before writing the header, so that a query that fails at
            // once writes nothing. A result without rows still has a header.
            let first = result.try_next().await?;
            let first = first.unwrap_or_else(|| RecordBatch::new_empty(schema));
            let mut batches = futures::stream::iter([Ok(first)]).chain(result);
            let mut is_first = true;
            while let Some(batch) = batches.try_next().await? {
                let mut lines = vec![];
                let builder = csv::WriterBuilder::new().with_header(is_first);
                builder.build(&mut lines).write(&batch).map_err(DataFusionError::from)?;
                to.write_all(&lines)?;
                is_first = false;
            }
        }
        Format::Json => {
            while let Some(batch) = result.try_next().await? {
                let mut lines = json::LineDelimitedWriter::new(vec![]);
                lines.write(&batch).map_err(DataFusionError::from)?;
                lines.finish().map_err(DataFusionError::from)?;
                to.write_all(&lines.into_inner())?;
            }
        }
    }
    Ok(to.flush()?)
}

/// The names, syntax, results and descriptions of the functions, in columns with the given names.
pub(crate) fn functions_batch(names: [&str; 4]) -> Result<RecordBatch, DataFusionError> {
    let functions = crate::functions();
    let rows = functions.iter().filter_map(|function| {
        let documentation = function.documentation()?;
        let result = match function.return_type(&[]).ok()? {
            DataType::Struct(_) => "Struct".to_owned(),
            other => other.to_string(),
        };
        let description = documentation.description.replace('\n', " ");
        let name = function.name().to_owned();
        Some([name, documentation.syntax_example.clone(), result, description])
    });
    let rows: Vec<_> = rows.collect();
    let columns = names.into_iter().enumerate().map(|(n, name)| {
        let values = rows.iter().map(|row| Some(&row[n]));
        (name, Arc::new(values.collect::<StringArray>()) as ArrayRef, true)
    });
    Ok(RecordBatch::try_from_iter_with_nullable(columns)?)
}

/// Writes the arguments, the result and the description of each function.
///
/// # Errors
/// If the list cannot be written.
pub fn list_functions(to: &mut dyn Write) -> Result<(), Failure> {
    for function in crate::functions() {
        let Some(documentation) = function.documentation() else {
            continue;
        };
        writeln!(to, "{}", documentation.syntax_example)?;
        for line in documentation.description.lines() {
            writeln!(to, "    {line}")?;
        }
        for (name, description) in documentation.arguments.iter().flatten() {
            writeln!(to, "    {name}: {description}")?;
        }
        match function.return_type(&[])? {
            DataType::Struct(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                writeln!(to, "    -> a struct of UInt64: {}\n", names.join(", "))?;
            }
            other => writeln!(to, "    -> {other}\n")?,
        }
    }
    Ok(to.flush()?)
}
