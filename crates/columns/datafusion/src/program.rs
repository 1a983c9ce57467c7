//! Shared code of the programs that run queries: `setwise-sql` and the client of a cluster.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

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
#[cfg(unix)]
use futures::stream::FuturesUnordered;
use futures::{StreamExt, TryStreamExt};
use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use crate::copy::{self, StagedCopy};
use crate::failure::Failure;
use crate::output::{self, Format};

/// The exit code of a program: 0 on success or a closed pipe, 128 plus the number of a signal that
/// ends it, else 2. In the last case, the failure is also reported on stderr.
#[must_use]
pub fn exit_code(program: &str, result: &Result<(), Failure>) -> ExitCode {
    match result {
        Err(Failure::Signal(number)) => ExitCode::from(128 + number),
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
    let chosen = setwise::Kernel::try_active();
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

/// Runs a program's statements until they end, or until SIGINT, SIGTERM or SIGHUP. In both cases,
/// no staging folder of a COPY is left.
///
/// # Errors
/// If a statement fails. After a signal, the error is [`Failure::Signal`].
pub fn run_until_signal(
    runtime: Runtime,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let (sender, signal) = oneshot::channel();
    let (ready, handlers) = mpsc::channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || on_signal(&ready, sender))?;
    // An error means that there are no handlers: signals end the process at once.
    let _ = handlers.recv();
    let (result, folders) = runtime.block_on(async {
        let mut work = pin!(work);
        tokio::select! {
            result = &mut work => (result, BTreeSet::new()),
            // Dropping `work` removes the folders. But tasks could create them again until the
            // runtime has ended, so they are removed once more after that.
            Ok(number) = signal => (Err(Failure::Signal(number)), copy::staging_folders()),
        }
    });
    if matches!(result, Err(Failure::Signal(_))) {
        runtime.shutdown_timeout(GRACE / 2);
        remove(&folders);
    }
    result
}

/// The time that a program has to end by itself after a signal.
const GRACE: Duration = Duration::from_secs(2);

/// Sends a message to `ready` when the handlers are installed. Later sends the number of the first
/// signal to `sender`. Ends the process if it still runs after [`GRACE`], for example because it
/// waits for the reader of its output.
fn on_signal(ready: &mpsc::Sender<()>, sender: oneshot::Sender<u8>) {
    // Without handlers, signals end the process at once.
    let Ok(runtime) = runtime::Builder::new_current_thread().enable_all().build() else { return };
    let number = runtime.block_on(ending_signal(ready));
    let folders = copy::staging_folders();
    // Ignore errors: the program may have ended.
    let _ = sender.send(number);
    thread::sleep(GRACE);
    // Hold the lock until the process ends, so that no COPY moves a half-removed folder to its
    // target.
    let _lock = copy::lock_staging();
    remove(&folders);
    std::process::exit(128 + i32::from(number));
}

fn remove(folders: &BTreeSet<PathBuf>) {
    for folder in folders {
        // Ignore errors: the folder is usually gone.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Waits for a signal that ends the program, and returns its number. Signals that are ignored from
/// the start stay ignored, such as SIGHUP under `nohup`.
#[cfg(unix)]
async fn ending_signal(ready: &mpsc::Sender<()>) -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let mut signals: FuturesUnordered<_> = kinds
        .into_iter()
        .filter(|kind| !is_ignored(kind.as_raw_value()))
        .filter_map(|kind| {
            let mut signals = signal(kind).ok()?;
            Some(async move {
                signals.recv().await;
                u8::try_from(kind.as_raw_value()).unwrap_or_default()
            })
        })
        .collect();
    // Ignore errors: the program may have ended.
    let _ = ready.send(());
    match signals.next().await {
        Some(number) => number,
        // Without a handler, a signal is ignored, or ends the process at once.
        None => std::future::pending().await,
    }
}

/// Whether the process ignores a signal. `false` on systems without `/proc`.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| (mask >> (number - 1)) & 1 == 1)
}

#[cfg(not(unix))]
async fn ending_signal(ready: &mpsc::Sender<()>) -> u8 {
    let _ = ready.send(());
    match tokio::signal::ctrl_c().await {
        Ok(()) => 2,
        Err(_) => std::future::pending().await,
    }
}

/// How [`run_with`] treats failures.
#[derive(Debug, Clone, Copy)]
pub struct Caution {
    /// The maximum number of attempts at a statement.
    pub attempts: u8,
    /// Whether a statement that failed with this error should run again.
    pub is_transient: fn(&DataFusionError) -> bool,
    /// Whether COPY reads its files back, and compares the number of rows.
    pub check_copies: bool,
}

impl Caution {
    /// No retries and no checks, for a session in which nothing fails by chance.
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

/// Like [`run`], for a session whose statements can fail by chance. A statement is retried only if
/// none of its rows have been written, after pauses of 1 s, 2 s and so on.
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
        let mut attempt = 1_u8;
        let result = loop {
            match start(context, statement.clone(), caution).await {
                Err(error) if attempt < caution.attempts && (caution.is_transient)(&error) => {
                    let error = error.strip_backtrace();
                    eprintln!("attempt {attempt} of {}: {error}", caution.attempts);
                    // Wait, because a scheduler uses a dead executor until it notices the death.
                    tokio::time::sleep(Duration::from_secs(attempt.into())).await;
                    attempt += 1;
                }
                result => break result?,
            }
        };
        output::write(result, format, to).await?;
    }
    Ok(())
}

/// Runs a statement until its first rows are available.
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
    // Plan a statement after the previous statements have run, because it may use tables that they
    // created.
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
