//! `setwise-cluster`: a scheduler, an executor, or a client.
//!
//! Data goes to stdout, everything else to stderr. The exit code is 0 on success and 2 on failure.
//! For a query, it is 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP.

use std::io::{self, BufWriter};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use setwise_cluster::{ClientOptions, ExecutorOptions, SchedulerOptions};
use setwise_datafusion::failure::Failure;
use setwise_datafusion::output::Format;
use setwise_datafusion::program;

const AFTER: &str = "\
On three machines that see the same files under /data:
  first$   setwise-cluster scheduler --bind 0.0.0.0
  second$  setwise-cluster executor --scheduler first:50050 --bind 0.0.0.0 --host second
  third$   setwise-cluster executor --scheduler first:50050 --bind 0.0.0.0 --host third
  any$     setwise-cluster query --scheduler first:50050 \\
             \"SELECT sum(popcount(queen_attacks(queens, occupied))) FROM '/data/positions/'\"

Exit codes: 0 done, 2 bad usage or input (or output that cannot be written). For a
query also 130, 143 or 129: ended by SIGINT, SIGTERM or SIGHUP.
RUST_LOG=info logs each task on stderr.";

/// Runs SQL queries with set-wise chess attacks on many machines. Built on Apache DataFusion
/// Ballista.
#[derive(Parser)]
#[command(name = "setwise-cluster", version, after_help = AFTER)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the scheduler, which divides queries into tasks
    Scheduler(SchedulerOptions),
    /// Run an executor, which runs tasks
    Executor(ExecutorOptions),
    /// Run queries on a cluster
    Query(Query),
}

#[derive(clap::Args)]
struct Query {
    #[command(flatten)]
    client: ClientOptions,
    /// SQL statements, separated by `;`
    #[arg(value_name = "QUERY", required = true)]
    queries: Vec<String>,
    /// Format of results (default: a table on a terminal, else CSV)
    #[arg(long)]
    format: Option<Format>,
    /// Set an option of DataFusion or Ballista
    #[arg(long, value_name = "NAME=VALUE", value_parser = program::parse_setting)]
    set: Vec<(String, String)>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    program::exit_code("setwise-cluster", &run(&args.command))
}

fn run(command: &Command) -> Result<(), Failure> {
    program::check_kernel()?;
    let functions = setwise_datafusion::functions();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let query = match command {
        Command::Scheduler(options) => {
            return Ok(runtime.block_on(setwise_cluster::scheduler(options, functions))?);
        }
        Command::Executor(options) => {
            return Ok(runtime.block_on(setwise_cluster::executor(options, functions))?);
        }
        Command::Query(query) => query,
    };
    program::run_until_signal(runtime, async {
        let context = setwise_cluster::client(&query.client, &query.set, functions).await?;
        let mut out = BufWriter::new(io::stdout().lock());
        let format = query.format.unwrap_or_else(Format::of_stdout);
        for text in &query.queries {
            let caution = setwise_cluster::CAUTION;
            program::run_with(&context, text, format, &mut out, caution).await?;
        }
        Ok(())
    })
}
