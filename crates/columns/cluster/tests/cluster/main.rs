//! Tests of a cluster on this machine: a scheduler and executors run as separate processes and
//! communicate through the loopback interface.
//!
//! `SETWISE_CLUSTER_ROWS` sets the number of positions (default: 5 million).
#![allow(missing_docs)]

mod failures;
#[path = "../../../datafusion/tests/server/mod.rs"]
mod server;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use arrow_schema::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{Volatility, create_udf};
use datafusion::prelude::SessionContext;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use setwise_cluster::{ClientOptions, ExecutorOptions, Functions, SchedulerOptions};
use setwise_datafusion::output::Format;
use setwise_datafusion::program;
use tempfile::TempDir;

const FILES: usize = 40;

fn rows() -> usize {
    let rows = std::env::var("SETWISE_CLUSTER_ROWS");
    rows.map_or(5_000_000, |rows| rows.parse().unwrap())
}

/// A folder of Parquet files with the columns `queens` and `occupied`, and the answer to
/// `question`, computed with `setwise`. The files are the same in every run.
struct Positions {
    folder: TempDir,
    answer: String,
}

fn positions() -> &'static Positions {
    static POSITIONS: OnceLock<Positions> = OnceLock::new();
    POSITIONS.get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let mut kinds = [(0_u64, 0_u64, 0_u64); 4];
        for n in 0..FILES {
            let mut random = fastrand::Rng::with_seed(n as u64);
            let rows = rows() / FILES;
            let queens: Vec<u64> =
                (0..rows).map(|_| 1 << random.u8(..64) | 1 << random.u8(..64)).collect();
            let occupied: Vec<u64> = (0..rows).map(|_| random.u64(..) & random.u64(..)).collect();
            let mut attacks = vec![0; rows];
            setwise::queen_attacks(&queens, &occupied, &mut attacks);
            for (occupied, attacks) in occupied.iter().zip(&attacks) {
                let (positions, squares, all) = &mut kinds[*occupied as usize % 4];
                *positions += 1;
                *squares += u64::from(attacks.count_ones());
                *all ^= attacks;
            }
            write_file(&folder.path().join(format!("{n:03}.parquet")), queens, occupied);
        }
        let mut answer = "kind,positions,squares,all_attacks\n".to_owned();
        for (kind, (positions, squares, all)) in kinds.iter().enumerate() {
            writeln!(answer, "{kind},{positions},{squares},{all}").unwrap();
        }
        Positions { folder, answer }
    })
}

fn write_file(path: &Path, queens: Vec<u64>, occupied: Vec<u64>) {
    let columns: [(&str, ArrayRef); 2] = [
        ("queens", Arc::new(UInt64Array::from(queens))),
        ("occupied", Arc::new(UInt64Array::from(occupied))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    let options =
        parquet::file::properties::WriterProperties::builder().set_dictionary_enabled(false);
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(options.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// A query that counts positions and attacked squares and XORs all attacks, for four kinds of
/// boards. `queens` is the expression for the queens.
fn question(queens: &str) -> String {
    let folder = positions().folder.path().display();
    format!(
        "SELECT occupied % 4 AS kind, count(*) AS positions, sum(popcount(attacks)) AS squares,
                bit_xor(attacks) AS all_attacks
         FROM (SELECT occupied, queen_attacks({queens}, occupied) AS attacks FROM '{folder}/')
         GROUP BY kind ORDER BY kind"
    )
}

/// A process that is killed when it goes out of scope.
struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    fn start(command: &mut Command, log: &Path) -> Process {
        let child = command
            .env("RUST_LOG", "warn,ballista_executor::executor_server=info")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(log).unwrap())
            .spawn()
            .unwrap();
        Process { child, log: log.to_owned() }
    }

    /// Kills the process with SIGKILL, so it cannot sign off from the scheduler.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal, such as `-STOP`. (The SIGKILL on drop also ends a stopped process.)
    #[cfg(unix)]
    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program that runs as scheduler and executors.
#[derive(Clone, Copy)]
enum Program {
    /// The program `setwise-cluster`.
    Binary,
    /// This test program, with the additional function `slowly`.
    WithSlowFunction,
    /// This test program, with executors that have no functions.
    WithoutFunctions,
}

impl Program {
    fn command(self, is_executor: bool, arguments: &[String]) -> Command {
        let functions = match (self, is_executor) {
            (Program::Binary, _) => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_setwise-cluster"));
                command.arg(if is_executor { "executor" } else { "scheduler" }).args(arguments);
                return command;
            }
            (Program::WithoutFunctions, true) => "none",
            _ => "slow",
        };
        // This test program, which `process` turns into a scheduler or an executor.
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--ignored", "--exact", "process"])
            .env("SETWISE_CLUSTER_PROCESS", arguments.join(" "))
            .env("SETWISE_CLUSTER_FUNCTIONS", functions);
        command
    }
}

struct Cluster {
    address: String,
    executors: Vec<Process>,
    scheduler: Process,
    /// The folder of logs and intermediate results, deleted when the cluster goes out of scope.
    _folder: TempDir,
}

impl Cluster {
    fn start(program: Program, executors: usize) -> Cluster {
        Cluster::start_with(program, executors, &[])
    }

    fn start_with(program: Program, executors: usize, options: &[&str]) -> Cluster {
        // Start one cluster at a time, because two could choose the same port.
        static STARTING: Mutex<()> = Mutex::new(());
        let _starting = STARTING.lock();
        let folder = TempDir::new().unwrap();
        let address = free_ports();
        let port = address.rsplit(':').next().unwrap();
        let mut arguments = vec!["--port".to_owned(), port.to_owned()];
        arguments.extend(options.iter().copied().map(str::to_owned));
        let log = folder.path().join("scheduler.log");
        let scheduler = Process::start(&mut program.command(false, &arguments), &log);
        let listens = |address: &str| std::net::TcpStream::connect(address).is_ok();
        wait("the scheduler listens", || scheduler.log(), || listens(&address));
        let executors = (0..executors).map(|n| {
            let work = folder.path().join(n.to_string());
            fs::create_dir(&work).unwrap();
            let own = free_ports();
            let arguments = [
                "--scheduler",
                &address,
                "--port",
                own.rsplit(':').next().unwrap(),
                "--threads",
                "1",
                "--heartbeat",
                "1",
                "--work",
                work.to_str().unwrap(),
            ];
            let arguments = arguments.map(str::to_owned);
            let log = folder.path().join(format!("{n}.log"));
            let executor = Process::start(&mut program.command(true, &arguments), &log);
            wait("the executor listens", || executor.log(), || listens(&own));
            executor
        });
        let executors = executors.collect();
        Cluster { address, executors, scheduler, _folder: folder }
    }

    /// The command `setwise-cluster query`.
    fn client(&self, query: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_setwise-cluster"));
        command.args(["query", "--scheduler", &self.address, "--format", "csv", query]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[track_caller]
    fn expect(&self, output: &Output, answer: &str) {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}\n{}", self.logs());
        assert_eq!(String::from_utf8_lossy(&output.stdout), answer);
    }

    /// The logs of the scheduler and of all executors.
    fn logs(&self) -> String {
        let executors = self.executors.iter().map(Process::log).collect::<Vec<_>>();
        format!("{}\n{}", self.scheduler.log(), executors.join("\n"))
    }

    /// The number of tasks that an executor has finished, according to its log.
    fn finished_tasks(&self, executor: usize) -> usize {
        self.executors[executor].log().matches("Finished task").count()
    }
}

/// An address whose port and the next higher port are both free. The port is below those that Linux
/// gives to outgoing connections, so no connection takes the port before the process listens.
fn free_ports() -> String {
    loop {
        let port = fastrand::u16(10_000..32_000);
        let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
        if is_free(port) && is_free(port + 1) {
            return format!("127.0.0.1:{port}");
        }
    }
}

/// Waits until a condition holds. Panics with `logs` if that takes more than five minutes.
#[track_caller]
fn wait(what: &str, logs: impl Fn() -> String, mut holds: impl FnMut() -> bool) {
    const LIMIT: Duration = Duration::from_mins(5);
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "not within {LIMIT:?}: {what}\n{}", logs());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Asks a session a question, and returns the answer as CSV.
fn ask(context: impl Future<Output = Result<SessionContext>>, question: &str) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (context, mut answer) = (context.await.unwrap(), vec![]);
        program::run(&context, question, Format::Csv, &mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    })
}

#[test]
fn one_process_and_clusters_give_the_same_answer() {
    let positions = positions();
    let start = Instant::now();
    let alone = ask(
        async {
            let mut context = SessionContext::new().enable_url_table();
            setwise_datafusion::register(&mut context)?;
            Ok(context)
        },
        &question("queens"),
    );
    println!("one process: {:.2} s", start.elapsed().as_secs_f64());
    assert_eq!(alone, positions.answer, "one process against `setwise`");

    for executors in [1, 2] {
        let cluster = Cluster::start(Program::Binary, executors);
        for round in 0..2 {
            let start = Instant::now();
            let output = cluster.client(&question("queens")).output().unwrap();
            let took = start.elapsed().as_secs_f64();
            println!(
                "{executors} executors, round {round}: {took:.2} s, {:.1} million positions per second",
                rows() as f64 / took / 1e6
            );
            cluster.expect(&output, &positions.answer);
        }
        for executor in 0..executors {
            let done = cluster.finished_tasks(executor);
            println!("    executor {executor} did {done} tasks");
            assert!(done > 0, "{}", cluster.executors[executor].log());
        }
    }
}

/// A URL can be queried as a table: the client, the scheduler and the executors each open its
/// object store.
#[test]
fn urls_are_tables() {
    let folder = TempDir::new().unwrap();
    let bucket = folder.path().join("chess");
    fs::create_dir(&bucket).unwrap();
    write_file(&bucket.join("x.parquet"), vec![1, 1 << 63], vec![0; 2]);
    let url = server::serve(folder.path(), None);
    let cluster = Cluster::start(Program::Binary, 1);
    let query = format!(
        "SELECT sum(popcount(queen_attacks(queens, occupied))) AS n FROM '{url}/chess/x.parquet'"
    );
    let output = cluster.client(&query).output().unwrap();
    cluster.expect(&output, "n\n42\n");
    let output = cluster.client(&query.replace("x.parquet", "y.parquet")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains(&format!("the file `{url}/chess/y.parquet` does not exist")),
        "{errors}"
    );
}

/// Checks the symptoms that `docs/cluster.md` describes.
#[test]
fn a_function_is_missing_on_an_executor() {
    let cluster = Cluster::start(Program::WithoutFunctions, 1);
    let output = cluster.client(&question("queens")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    let message = "task could not be prepared or was rejected by executor";
    assert!(errors.contains(message), "{errors}");
    let log = cluster.executors[0].log();
    let message = "PhysicalExtensionCodec is not provided for scalar function queen_attacks";
    assert!(log.contains(message), "{log}");
}

/// The functions of `setwise-datafusion`, and `slowly`, which returns its argument after a delay.
fn with_slow_function() -> Functions {
    let mut functions = setwise_datafusion::functions();
    functions.push(Arc::new(create_udf(
        "slowly",
        vec![DataType::UInt64],
        DataType::UInt64,
        Volatility::Immutable,
        Arc::new(|arguments| {
            std::thread::sleep(Duration::from_millis(15));
            Ok(arguments[0].clone())
        }),
    )));
    functions
}

/// Not a test: runs a scheduler or an executor if an environment variable holds its arguments.
#[test]
#[ignore = "started by the other tests"]
fn process() {
    use clap::Parser;
    #[derive(Parser)]
    struct Scheduler {
        #[command(flatten)]
        options: SchedulerOptions,
    }
    #[derive(Parser)]
    struct Executor {
        #[command(flatten)]
        options: ExecutorOptions,
    }
    let Ok(arguments) = std::env::var("SETWISE_CLUSTER_PROCESS") else {
        return;
    };
    let arguments = ["process"].into_iter().chain(arguments.split(' '));
    let functions = match std::env::var("SETWISE_CLUSTER_FUNCTIONS").as_deref() {
        Ok("none") => vec![],
        _ => with_slow_function(),
    };
    env_logger::init();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ended = if arguments.clone().any(|argument| argument == "--scheduler") {
        let options = Executor::parse_from(arguments).options;
        runtime.block_on(setwise_cluster::executor(&options, functions))
    } else {
        let options = Scheduler::parse_from(arguments).options;
        runtime.block_on(setwise_cluster::scheduler(&options, functions))
    };
    ended.unwrap();
}
