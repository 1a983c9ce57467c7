//! Writes query results and the list of functions as text.

use std::io::{self, IsTerminal, Write};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::arrow::{csv, json};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::SendableRecordBatchStream;
use futures::{StreamExt, TryStreamExt};
use tokio::io::{AsyncWriteExt, Stdout};

use crate::failure::Failure;

/// The format of query results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// A table drawn with characters; the whole result is held in memory.
    Table,
    /// Comma-separated values with a header line. Results with structs cannot be written.
    Csv,
    /// One JSON object per line. Sets are numbers of up to 20 digits, which some readers round.
    Json,
}

impl Format {
    /// The default format: a table if stdout is a terminal, else CSV.
    pub(crate) fn of_stdout() -> Format {
        if io::stdout().is_terminal() { Format::Table } else { Format::Csv }
    }
}

/// Writes a result batch by batch. A table is written when the result is complete.
pub(crate) async fn write(
    mut result: SendableRecordBatchStream,
    format: Format,
    to: &mut Stdout,
) -> Result<(), Failure> {
    let schema = result.schema();
    if schema.fields().is_empty() {
        // Statements such as CREATE and SET have no result.
        result.try_collect::<Vec<_>>().await?;
        return Ok(());
    }
    if format == Format::Table {
        let batches: Vec<_> = result.try_collect().await?;
        let table =
            pretty_format_batches_with_schema(schema, &batches).map_err(DataFusionError::from)?;
        to.write_all(format!("{table}\n").as_bytes()).await?;
        return Ok(to.flush().await?);
    }
    // A query that fails at once writes nothing, and a result without rows still has a header.
    let first = result.try_next().await?.unwrap_or_else(|| RecordBatch::new_empty(schema));
    let mut batches = futures::stream::iter([Ok(first)]).chain(result);
    let mut is_first = true;
    while let Some(batch) = batches.try_next().await? {
        let mut lines = vec![];
        let written = if format == Format::Csv {
            csv::WriterBuilder::new().with_header(is_first).build(&mut lines).write(&batch)
        } else {
            json::LineDelimitedWriter::new(&mut lines).write(&batch)
        };
        written.map_err(DataFusionError::from)?;
        to.write_all(&lines).await?;
        is_first = false;
    }
    Ok(to.flush().await?)
}

/// Writes the arguments, the result and the description of each function.
pub(crate) fn list_functions(to: &mut dyn Write) -> Result<(), Failure> {
    for function in setwise_datafusion::functions() {
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
        let result = match function.return_type(&[])? {
            DataType::Struct(fields) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                format!("a struct of UInt64: {}", names.join(", "))
            }
            other => other.to_string(),
        };
        writeln!(to, "    -> {result}\n")?;
    }
    Ok(to.flush()?)
}
