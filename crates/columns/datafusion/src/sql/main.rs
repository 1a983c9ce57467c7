//! `setwise-sql`: SQL queries on files of positions, with the functions of `setwise`.
//! Data goes to stdout, everything else to stderr.

#![forbid(unsafe_code)]

mod copy;
mod failure;
mod output;
mod signals;
mod tables;

use std::io::{self, BufWriter};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use datafusion::common::{exec_datafusion_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use setwise_positions::printable;

use crate::copy::StagedCopy;
use crate::failure::Failure;
use crate::output::Format;

const AFTER: &str = "\
Tables are files: SELECT ... FROM 'positions.parquet' (or .csv, .json, a folder, 'folder/*.parquet').
FROM 'positions.epd' (or .fen, .bin, .binpack) has the columns line, fen, white_pawns to black_kings.
COPY (SELECT ...) TO 'attacks.parquet' (or .csv, .json) writes a result to a file.

Examples:
  setwise-sql \"SELECT sum(popcount(queen_attacks(queens, occupied))) FROM 'positions.parquet'\"
  setwise-sql \"COPY (SELECT fen, fen_slider_attacks(fen, 'white') AS white FROM 'games.epd') TO 'white.parquet'\"

Exit codes: 0 done, 2 bad usage or input (or output that cannot be written),
130, 143 or 129 ended by SIGINT, SIGTERM or SIGHUP.
SETWISE_FORCE_KERNEL=NAME forces a kernel.";

/// The stack of a thread. The functions that plan an expression call themselves once per operator.
const STACK: usize = 512 << 20;

/// The most operators of an expression. Planning takes more than a minute at this length.
const OPERATORS: u32 = 4000;

/// Runs SQL queries with set-wise chess attacks as functions. Built on Apache DataFusion.
#[derive(Parser)]
#[command(name = "setwise-sql", version, after_help = AFTER)]
struct Args {
    /// SQL statements, separated by `;`; `-` reads them from standard input
    #[arg(value_name = "QUERY", required_unless_present_any = ["file", "functions"])]
    queries: Vec<String>,
    /// Run the statements of this file first
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Format of results (default: a table on a terminal, else CSV)
    #[arg(long)]
    format: Option<Format>,
    /// Number of threads (default: one per CPU)
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Set an option of DataFusion, such as `datafusion.execution.batch_size=16384`
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// List the functions with their arguments and results
    #[arg(long, conflicts_with_all = ["queries", "file"])]
    functions: bool,
}

/// Parses the value of `--set`.
fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

fn main() -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| {
        // The message quotes arguments: make it again, from arguments that are safe to print.
        let arguments = std::env::args_os().map(|argument| printable(&argument.to_string_lossy()));
        Args::try_parse_from(arguments).err().unwrap_or(error).exit()
    });
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(args: Args) -> Result<(), Failure> {
    if args.functions {
        return output::list_functions(&mut BufWriter::new(io::stdout().lock()));
    }
    // Without this, an invalid SETWISE_FORCE_KERNEL would panic in a query.
    setwise::Kernel::try_active()
        .map_err(|error| DataFusionError::Configuration(error.to_string()))?;
    let queries = queries(&args)?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = args.threads {
        runtime.worker_threads(threads.get());
    }
    runtime.thread_stack_size(STACK);
    signals::run_until_signal(runtime.enable_all().build()?, async move {
        let context = session(&args)?;
        let format = args.format.unwrap_or_else(Format::of_stdout);
        let mut out = tokio::io::stdout();
        for query in &queries {
            check_length(query)?;
            for statement in DFParser::parse_sql(query)? {
                // Plan a statement after the previous statements have run, because it may use
                // tables that they created.
                let result = start(&context, statement).await?;
                output::write(result, format, &mut out).await?;
            }
        }
        Ok(())
    })
}

/// The texts of `--file`, of the arguments, and of standard input.
fn queries(args: &Args) -> Result<Vec<String>> {
    let read = |name: &str, text: io::Result<String>| {
        text.map_err(|error| exec_datafusion_err!("cannot read {name}: {error}"))
    };
    let file = args.file.iter();
    let file = file.map(|path| read(&path.to_string_lossy(), std::fs::read_to_string(path)));
    let queries = args.queries.iter().map(|query| match &**query {
        "-" => read("standard input", io::read_to_string(io::stdin())),
        _ => Ok(query.clone()),
    });
    file.chain(queries).collect()
}

/// Refuses an expression that is too long: DataFusion would overflow any stack, after a time that
/// grows with the square of the length.
fn check_length(query: &str) -> Result<()> {
    // The number of operators in the expression so far, and in those around it.
    let (mut count, mut around) = (0_u32, vec![]);
    // The parser reports what is not a token.
    for token in Tokenizer::new(&GenericDialect {}, query).tokenize().unwrap_or_default() {
        match token {
            Token::LParen => around.push(std::mem::take(&mut count)),
            Token::RParen => count = around.pop().unwrap_or_default(),
            Token::Comma | Token::SemiColon => count = 0,
            Token::Word(word) if !matches!(word.keyword, Keyword::AND | Keyword::OR) => {}
            Token::Whitespace(_) | Token::Number(..) | Token::SingleQuotedString(_) => {}
            _ => count += 1,
        }
        if count > OPERATORS {
            return plan_err!("an expression has more than {OPERATORS} operators");
        }
    }
    Ok(())
}

fn session(args: &Args) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_information_schema(true);
    if let Some(threads) = args.threads {
        config = config.with_target_partitions(threads.get());
    }
    for (name, value) in &args.set {
        config.options_mut().set(name, value)?;
    }
    // By default, DataFusion keeps the list of files in a folder for ever, so it would miss the
    // files of a later COPY.
    let cache = CacheManagerConfig::default().with_list_files_cache_limit(0);
    let runtime = RuntimeEnvBuilder::new().with_cache_manager(cache).build_arc()?;
    let mut context = tables::enable(SessionContext::new_with_config_rt(config, runtime));
    setwise_datafusion::register(&mut context)?;
    Ok(context)
}

/// Starts a statement. A COPY has published its file or folder when this returns.
async fn start(
    context: &SessionContext,
    statement: Statement,
) -> Result<SendableRecordBatchStream> {
    let mut plan = context.state().statement_to_plan(statement).await?;
    let copy = match &mut plan {
        LogicalPlan::Copy(copy) => Some(StagedCopy::redirect(context, copy)?),
        LogicalPlan::Analyze(analyze) if matches!(*analyze.input, LogicalPlan::Copy(_)) => {
            return plan_err!("EXPLAIN ANALYZE of COPY would write in place; analyze its query");
        }
        _ => None,
    };
    let frame = context.execute_logical_plan(plan).await?;
    match copy {
        Some(copy) => copy.run(frame).await,
        None => frame.execute_stream().await,
    }
}
