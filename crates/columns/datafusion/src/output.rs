//! Results of queries, as text.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::{fmt, fs};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::arrow::{csv, json};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::parser::DFParser;
use futures::{StreamExt, TryStreamExt};

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Drawn for people; the whole result is held in memory.
    Table,
    /// Comma-separated values, a line with the names first. Structs have no place in it.
    Csv,
    /// An object a line. Sets are numbers of up to 20 digits, which some readers round.
    Json,
}

/// Why a query did not end well.
#[derive(Debug)]
pub enum Failure {
    /// The query or its input is wrong.
    Query(DataFusionError),
    /// The output cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Nobody reads on (`| head`): not an error of ours.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Query(error) => f.write_str(&error.strip_backtrace()),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What a program ends with: 0 if all went well or nobody reads on, else 2, and on stderr what went wrong.
#[must_use]
pub fn exit_code(program: &str, result: &Result<(), Failure>) -> ExitCode {
    match result {
        Err(failure) if !failure.is_closed_pipe() => {
            eprintln!("{program}: {failure}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

impl From<DataFusionError> for Failure {
    fn from(error: DataFusionError) -> Failure {
        Failure::Query(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl Format {
    /// A table at a terminal, else CSV.
    #[must_use]
    pub fn of_stdout() -> Format {
        if io::stdout().is_terminal() {
            Format::Table
        } else {
            Format::Csv
        }
    }
}

/// Runs the statements of a text one after the other, and writes their results. A file that a COPY makes on this machine has its name only when it is
/// whole.
///
/// # Errors
/// If a query fails, or the output; the statements before it are done.
pub async fn run(
    context: &SessionContext,
    text: &str,
    format: Format,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    for statement in DFParser::parse_sql(text)? {
        // A statement may need what the one before it made.
        let mut plan = context.state().statement_to_plan(statement).await?;
        let copy = match &mut plan {
            LogicalPlan::Copy(copy) => WholeFile::of(copy),
            _ => None,
        };
        let result = context.execute_logical_plan(plan).await?;
        let result = match copy {
            Some(file) => file.written_by(result).await?,
            None => result.execute_stream().await?,
        };
        write(result, format, to).await?;
    }
    Ok(())
}

/// A file that is written under another name.
struct WholeFile {
    partial: PathBuf,
    wanted: PathBuf,
}

impl WholeFile {
    /// Of a COPY to one file of this machine; it is told the other name.
    fn of(copy: &mut CopyTo) -> Option<WholeFile> {
        let wanted = PathBuf::from(&copy.output_url);
        let is_file = !copy.output_url.contains("://")
            && !copy.output_url.ends_with('/')
            && copy.partition_by.is_empty()
            && wanted.extension().is_some()
            && !wanted.is_dir();
        let name = wanted.file_name().filter(|_| is_file)?.to_str()?;
        // The ending tells the format.
        let partial = wanted.with_file_name(format!(".partial-{}-{name}", std::process::id()));
        partial.to_str()?.clone_into(&mut copy.output_url);
        Some(WholeFile { partial, wanted })
    }

    async fn written_by(self, frame: DataFrame) -> Result<SendableRecordBatchStream, Failure> {
        let schema = Arc::clone(frame.schema().inner());
        let written = frame.collect().await;
        if written.is_err() {
            // There may be none.
            let _ = fs::remove_file(&self.partial);
        }
        let count = written?;
        fs::rename(&self.partial, &self.wanted)?;
        let count = futures::stream::iter(count.into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, count)))
    }
}

/// A choice of kernels that cannot be (`SETWISE_FORCE_KERNEL`) is an error now, and not a panic at first use.
///
/// # Errors
/// What the choice says.
pub fn check_kernel() -> Result<(), Failure> {
    let chosen = setwise::Kernels::try_active();
    chosen.map_err(|error| DataFusionError::Configuration(error.to_string()))?;
    Ok(())
}

/// `NAME=VALUE`, as a program's arguments have it.
///
/// # Errors
/// What is wanted.
pub fn setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
    pair.ok_or_else(|| "NAME=VALUE is wanted".to_owned())
}

/// Writes what each function takes and answers.
///
/// # Errors
/// If the output cannot be written.
pub fn functions(to: &mut dyn Write) -> Result<(), Failure> {
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

/// Writes a result batch by batch; a table at its end.
///
/// # Errors
/// If the query fails, or the output.
pub async fn write(
    mut result: SendableRecordBatchStream,
    format: Format,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    let schema = result.schema();
    if schema.fields().is_empty() {
        // CREATE, SET and the like: they are done, and say nothing.
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
            // A query that fails at once writes nothing, and one without rows its names.
            let first = result.try_next().await?;
            let first = first.unwrap_or_else(|| RecordBatch::new_empty(schema));
            let mut batches = futures::stream::iter([Ok(first)]).chain(result);
            let mut is_first = true;
            while let Some(batch) = batches.try_next().await? {
                let mut lines = vec![];
                let builder = csv::WriterBuilder::new().with_header(is_first);
                builder
                    .build(&mut lines)
                    .write(&batch)
                    .map_err(DataFusionError::from)?;
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
