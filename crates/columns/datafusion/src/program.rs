//! Shared code of the programs that run queries: `setwise-sql` and the client of a cluster.

use std::io::Write;
use std::process::ExitCode;

use datafusion::arrow::array::{RecordBatch, StringArray};
use datafusion::arrow::compute::kernels::comparison::like;
use datafusion::arrow::compute::{cast, filter_record_batch};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{DataFrame, SessionContext, ident};
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast::{ShowStatementFilter, Statement as SqlStatement};
use futures::{StreamExt, TryStreamExt};

use crate::copy::StagedCopy;
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

/// How [`run_with`] treats failures.
#[derive(Debug, Clone, Copy)]
pub struct Caution {
    /// How often a statement runs at most.
    pub attempts: usize,
    /// Whether a statement that failed with this error should run again.
    pub is_transient: fn(&DataFusionError) -> bool,
    /// Whether COPY reads its files back, and compares the number of rows.
    pub check_copies: bool,
}

impl Caution {
    /// For a session in which nothing fails by chance: no repetition, no checks.
    pub const NONE: Caution = Caution { attempts: 1, is_transient: |_| false, check_copies: false };
}

/// Runs SQL statements in order, and writes their results. COPY publishes its file or folder when
/// it is complete.
///
/// # Errors
/// If a statement fails, or its result cannot be written. Earlier statements stay in effect.
pub async fn run(
    context: &SessionContext,
    text: &str,
    format: Format,
    to: &mut dyn Write,
) -> Result<(), Failure> {
    run_with(context, text, format, to, Caution::NONE).await
}

/// Like [`run`], for a session whose statements can fail by chance. A statement runs again only
/// before any of its rows have been written.
///
/// # Errors
/// If a statement fails in every attempt, or its result cannot be written.
pub async fn run_with(
    context: &SessionContext,
    text: &str,
    format: Format,
    to: &mut dyn Write,
    caution: Caution,
) -> Result<(), Failure> {
    for statement in DFParser::parse_sql(text)? {
        let mut attempt = 1;
        let result = loop {
            match start(context, statement.clone(), caution).await {
                Err(error) if attempt < caution.attempts && (caution.is_transient)(&error) => {
                    let error = error.strip_backtrace();
                    eprintln!("attempt {attempt} of {}: {error}", caution.attempts);
                    attempt += 1;
                }
                result => break result?,
            }
        };
        output::write(result, format, to).await?;
    }
    Ok(())
}

/// Runs a statement until its first rows are there.
async fn start(
    context: &SessionContext,
    statement: Statement,
    caution: Caution,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let shown = match &statement {
        Statement::Statement(statement) => match &**statement {
            SqlStatement::ShowFunctions { filter } => Some(filter.clone()),
            _ => None,
        },
        _ => None,
    };
    // Each statement is planned after the previous ones have run, because it may use their tables.
    let mut plan = context.state().statement_to_plan(statement).await?;
    let copy = match &mut plan {
        LogicalPlan::Copy(copy) => {
            Some(StagedCopy::redirect(context, copy, caution.check_copies).await?)
        }
        LogicalPlan::Analyze(analyze) if matches!(*analyze.input, LogicalPlan::Copy(_)) => {
            return Err(DataFusionError::Plan(
                "EXPLAIN ANALYZE of COPY would write in place; analyze its query".to_owned(),
            ));
        }
        _ => None,
    };
    let frame = context.execute_logical_plan(plan).await?;
    if let Some(filter) = shown {
        return show_functions(frame, filter).await;
    }
    if let Some(copy) = copy {
        return copy.run(frame, caution.check_copies).await;
    }
    let mut result = frame.execute_stream().await?;
    let schema = result.schema();
    let first = result.try_next().await?;
    let result = futures::stream::iter(first.map(Ok)).chain(result);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, result)))
}

/// The result of SHOW FUNCTIONS: the functions of this package, then `others`, without the columns
/// that CSV cannot represent.
async fn show_functions(
    others: DataFrame,
    filter: Option<ShowStatementFilter>,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    const COLUMNS: [&str; 4] = ["function_name", "syntax_example", "return_type", "description"];
    let own = output::functions_batch(COLUMNS)?;
    let own = match filter {
        Some(ShowStatementFilter::Like(pattern)) => {
            let pattern = StringArray::new_scalar(pattern);
            let matches = like(own.column(0), &pattern)?;
            filter_record_batch(&own, &matches)?
        }
        // The planner rejects other filters.
        _ => own,
    };
    let others = others.select_columns(&COLUMNS)?.distinct()?;
    let others = others.sort(vec![ident(COLUMNS[0]).sort(true, true)])?.collect().await?;
    let batches = others.iter().map(|batch| {
        let columns = batch.columns().iter().map(|column| cast(column, &DataType::Utf8));
        RecordBatch::try_new(own.schema(), columns.collect::<Result<_, _>>()?)
    });
    let batches = batches.collect::<Result<Vec<_>, _>>()?;
    let schema = own.schema();
    let batches = [own].into_iter().chain(batches).map(Ok);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter(batches))))
}
