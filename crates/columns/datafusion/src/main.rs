//! `setwise-sql`: SQL queries on files of positions, with the functions of `setwise`.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 on success and 2 on failure.
//! After SIGINT, SIGTERM or SIGHUP, it is 130, 143 or 129.

use std::io::{self, BufWriter, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use datafusion::error::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use setwise_datafusion::failure::Failure;
use setwise_datafusion::output::{self, Format};
use setwise_datafusion::tables::{self, PositionFiles};
use setwise_datafusion::{program, stores};

const AFTER: &str = "\
Tables are files: SELECT ... FROM 'positions.parquet' (or .csv, .json, a folder, 'folder/*.parquet').
URLs of s3, gs, https and http are tables, too; AWS_... and GOOGLE_... hold credentials.
FROM 'positions.epd' (or .fen, .bin) has the columns line, fen, white_pawns to black_kings.
COPY (SELECT ...) TO 'attacks.parquet' (or .csv, .json) writes a result to a file.

Examples:
  setwise-sql \"SELECT sum(popcount(queen_attacks(queens, occupied))) FROM 'positions.parquet'\"
  setwise-sql \"COPY (SELECT fen, fen_slider_attacks(fen, 'white') AS white FROM 'games.epd') TO 'white.parquet'\"

Exit codes: 0 done, 2 bad usage or input (or output that cannot be written),
130, 143 or 129 ended by SIGINT, SIGTERM or SIGHUP.
SETWISE_FORCE_KERNEL=NAME forces a kernel.";

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
    threads: Option<std::num::NonZeroUsize>,
    /// Set an option of DataFusion, such as `datafusion.execution.batch_size=16384`
    #[arg(long, value_name = "NAME=VALUE", value_parser = program::parse_setting)]
    set: Vec<(String, String)>,
    /// List the functions with their arguments and results
    #[arg(long, conflicts_with_all = ["queries", "file"])]
    functions: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    program::exit_code("setwise-sql", &run(&args))
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.functions {
        return output::list_functions(&mut out);
    }
    program::check_kernel()?;
    let mut queries = vec![];
    if let Some(path) = &args.file {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let error = format!("cannot read {}: {error}", path.display());
            DataFusionError::Execution(error)
        })?;
        queries.push(text);
    }
    for query in &args.queries {
        if query == "-" {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(|error| {
                DataFusionError::Execution(format!("cannot read standard input: {error}"))
            })?;
            queries.push(text);
        } else {
            queries.push(query.clone());
        }
    }
    let format = args.format.unwrap_or_else(Format::of_stdout);

    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = args.threads {
        runtime.worker_threads(threads.get());
    }
    program::run_until_signal(runtime.enable_all().build()?, async {
        let context = session(args)?;
        for query in &queries {
            program::run(&context, query, format, &mut out).await?;
        }
        Ok(())
    })
}

fn session(args: &Args) -> Result<SessionContext, DataFusionError> {
    let mut config = SessionConfig::new().with_information_schema(true);
    if let Some(threads) = args.threads {
        config = config.with_target_partitions(threads.get());
    }
    for (name, value) in &args.set {
        config.options_mut().set(name, value)?;
    }
    let runtime = stores::runtime(&Arc::default(), None)?;
    let context = SessionContext::new_with_config_rt(config, runtime);
    let mut context = tables::enable(context, PositionFiles::Tables);
    setwise_datafusion::register(&mut context)?;
    Ok(context)
}
