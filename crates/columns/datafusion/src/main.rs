//! `setwise-sql`: queries over files of positions, with the functions of `setwise`.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 when done, 2 for bad usage or input.

use std::io::{self, BufWriter, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use datafusion::error::DataFusionError;
use datafusion::prelude::{SessionConfig, SessionContext};
use setwise_datafusion::output::{self, Failure, Format};

const AFTER: &str = "\
Tables are files: SELECT ... FROM 'positions.parquet' (also .csv, .json, folders, 'folder/*.parquet').
A result goes to a file by COPY (SELECT ...) TO 'attacks.parquet' (also .csv, .json).

Examples:
  setwise-sql \"SELECT sum(popcount(queen_attacks(queens, occupied))) FROM 'positions.parquet'\"
  setwise-sql \"COPY (SELECT fen, fen_slider_attacks(fen, 'white') AS white FROM 'games.csv') TO 'white.parquet'\"

Exit codes: 0 done, 2 bad usage or input (or output that cannot be written).
SETWISE_FORCE_KERNEL=NAME forces a kernel.";

/// Runs SQL with set-wise chess attacks as functions, by Apache DataFusion.
#[derive(Parser)]
#[command(name = "setwise-sql", version, after_help = AFTER)]
struct Args {
    /// The queries, each one or several with `;` between; `-` reads them from standard input
    #[arg(value_name = "QUERY", required_unless_present_any = ["file", "functions"])]
    queries: Vec<String>,
    /// Read queries from this file, before those given
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// How results are written; at a terminal as a table unless told otherwise, else as CSV
    #[arg(long)]
    format: Option<Format>,
    /// Threads; as many as the machine has processors unless told otherwise
    #[arg(long, value_name = "N")]
    threads: Option<std::num::NonZeroUsize>,
    /// Set an option of DataFusion, such as `datafusion.execution.batch_size=16384`
    #[arg(long, value_name = "NAME=VALUE", value_parser = output::setting)]
    set: Vec<(String, String)>,
    /// List the functions, with what they take and answer
    #[arg(long, conflicts_with_all = ["queries", "file"])]
    functions: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    output::exit_code("setwise-sql", &run(&args))
}

fn run(args: &Args) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if args.functions {
        return output::functions(&mut out);
    }
    output::check_kernel()?;
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
    runtime.build()?.block_on(async {
        let context = session(args)?;
        for query in &queries {
            output::run(&context, query, format, &mut out).await?;
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
    let mut context = SessionContext::new_with_config(config).enable_url_table();
    setwise_datafusion::register(&mut context)?;
    Ok(context)
}
