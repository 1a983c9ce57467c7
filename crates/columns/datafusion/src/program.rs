//! Shared code of the programs that run queries: `setwise-sql` and the client of a cluster.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::parser::DFParser;

use crate::failure::Failure;
use crate::output::{self, Format};

/// The exit code of a program: 0 on success or a closed pipe, else 2. A failure is also reported on
/// stderr.
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

/// Chooses the kernel. An invalid `SETWISE_FORCE_KERNEL` fails here instead of panicking in a
/// query.
///
/// # Errors
/// If the kernel cannot be chosen.
pub fn check_kernel() -> Result<(), Failure> {
    let chosen = setwise::Kernels::try_active();
    chosen.map_err(|error| DataFusionError::Configuration(error.to_string()))?;
    Ok(())
}

/// Parses `NAME=VALUE`, the value of a program's `--set`.
///
/// # Errors
/// If there is no `=`.
pub fn parse_setting(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=');
    let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
    pair.ok_or_else(|| "expected NAME=VALUE".to_owned())
}

/// Runs SQL statements in order, and writes their results. A local file written by COPY
/// gets its final name when it is complete.
///
/// # Errors
/// If a statement fails, or its result cannot be written. Earlier statements stay in effect.
pub async fn run(
    context: &SessionContext,
    text: &str,
    format: Format,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    for statement in DFParser::parse_sql(text)? {
        // Each statement is planned after the previous ones have run, because it may use their
        // tables.
        let mut plan = context.state().statement_to_plan(statement).await?;
        let file = match &mut plan {
            LogicalPlan::Copy(copy) => PartialFile::redirect(copy),
            _ => None,
        };
        let frame = context.execute_logical_plan(plan).await?;
        let result = match file {
            Some(file) => file.write(frame).await?,
            None => frame.execute_stream().await?,
        };
        output::write(result, format, to).await?;
    }
    Ok(())
}

/// A file that is written under a temporary name and renamed when complete.
struct PartialFile {
    partial: PathBuf,
    complete: PathBuf,
}

impl PartialFile {
    /// Redirects a COPY to a temporary name; `None` unless it writes a single local file.
    fn redirect(copy: &mut CopyTo) -> Option<PartialFile> {
        let complete = PathBuf::from(&copy.output_url);
        let is_file = !copy.output_url.contains("://")
            && !copy.output_url.ends_with('/')
            && copy.partition_by.is_empty()
            && complete.extension().is_some()
            && !complete.is_dir();
        let name = complete.file_name().filter(|_| is_file)?.to_str()?;
        // The temporary name keeps the extension, which selects the format.
        let partial = complete.with_file_name(format!(".partial-{}-{name}", std::process::id()));
        partial.to_str()?.clone_into(&mut copy.output_url);
        Some(PartialFile { partial, complete })
    }

    /// Runs the COPY, then renames the file. Returns the result of the COPY: the number of rows.
    async fn write(self, frame: DataFrame) -> Result<SendableRecordBatchStream, Failure> {
        let schema = Arc::clone(frame.schema().inner());
        let written = frame.collect().await;
        if written.is_err() {
            // Ignore errors: the file may not exist.
            let _ = fs::remove_file(&self.partial);
        }
        let count = written?;
        fs::rename(&self.partial, &self.complete)?;
        let count = futures::stream::iter(count.into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, count)))
    }
}
