//! Kills every part of a cluster at every stage of a query.
//!
//! `SETWISE_CLUSTER_ROUNDS` sets the number of rounds (default: 2).

use std::collections::BTreeSet;
use std::sync::mpsc;

use super::*;

const FILES: u64 = 24;
const ROWS: u64 = 40_960;
/// The scheduler's timeouts. They are long, because a busy machine may delay an executor's
/// heartbeats by many seconds, and the scheduler ends an executor that it declares dead.
const TIMEOUTS: [&str; 4] = ["--executor-timeout", "20", "--idle-timeout", "20"];
/// The time limit of a query, whichever processes are killed: three times the sum of the
/// scheduler's timeouts, plus time for tasks and for the pauses between attempts.
const LIMIT: Duration = Duration::from_mins(5);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Query {
    Select,
    Copy,
}

/// When to kill.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// Both executors have finished a task of the first stage.
    FirstStage,
    /// The first task of the second stage starts.
    SecondStage,
    /// A task of the second stage has ended.
    End,
}

/// What to kill.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    /// An executor that has no task of the second stage, if there is one.
    Reader,
    /// An executor that runs the second stage.
    Writer,
    Executors,
    Scheduler,
}

struct Table {
    folder: TempDir,
    /// The rows that the SELECT returns, sorted.
    groups: BTreeSet<String>,
    /// The number of rows, and the sum (modulo 2^64) and XOR of the attacks.
    summary: (u64, u64, u64),
}

fn table() -> Table {
    let folder = TempDir::new().unwrap();
    let mut groups = vec![(0_u64, 0_u64); 64];
    let mut summary = (0, 0_u64, 0);
    for n in 0..FILES {
        let mut random = fastrand::Rng::with_seed(n);
        let queens: Vec<u64> = (0..ROWS).map(|_| 1 << random.u8(..64)).collect();
        let occupied: Vec<u64> = (0..ROWS).map(|_| random.u64(..) & random.u64(..)).collect();
        let mut attacks = vec![0; queens.len()];
        setwise::queen_attacks(&queens, &occupied, &mut attacks);
        for (occupied, attacks) in occupied.iter().zip(attacks) {
            let (rows, all) = &mut groups[*occupied as usize % 64];
            (*rows, *all) = (*rows + 1, *all ^ attacks);
            summary = (summary.0 + 1, summary.1.wrapping_add(attacks), summary.2 ^ attacks);
        }
        write_file(&folder.path().join(format!("{n:03}.parquet")), queens, occupied);
    }
    let groups = groups.iter().enumerate();
    let groups = groups.map(|(kind, (rows, all))| format!("{kind},{rows},{all}"));
    Table { folder, groups: groups.collect(), summary }
}

impl Table {
    /// The SQL of a query. Both of its stages call `slowly`.
    fn sql(&self, query: Query, target: &Path) -> String {
        let (folder, target) = (self.folder.path().display(), target.display());
        let attacks = format!(
            "SELECT occupied % 64 AS kind, queen_attacks(slowly(queens), occupied) AS attacks
             FROM '{folder}/'"
        );
        match query {
            Query::Select => format!(
                "SELECT kind, positions, slowly(slowly(slowly(slowly(slowly(slowly(x)))))) AS x FROM (
                     SELECT kind, count(*) AS positions, bit_xor(attacks) AS x FROM ({attacks})
                     GROUP BY kind)"
            ),
            Query::Copy => format!(
                "COPY (SELECT kind, slowly(attacks) AS attacks FROM ({attacks} LIMIT 1000000000))
                 TO '{target}/' STORED AS PARQUET"
            ),
        }
    }

    /// Checks the answer of a query, and the files that it wrote.
    #[track_caller]
    fn check(&self, query: Query, target: &Path, answer: &str) {
        let lines = answer.lines().skip(1).map(str::to_owned);
        match query {
            Query::Select => {
                assert_eq!(lines.clone().count(), self.groups.len(), "{answer}");
                assert_eq!(lines.collect::<BTreeSet<_>>(), self.groups);
            }
            Query::Copy => {
                assert_eq!(answer, format!("count\n{}\n", self.summary.0));
                let mut found = (0, 0_u64, 0);
                for entry in fs::read_dir(target).unwrap() {
                    let file = File::open(entry.unwrap().path()).unwrap();
                    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
                    for batch in reader.build().unwrap() {
                        let batch = batch.unwrap();
                        let attacks = batch.column_by_name("attacks").unwrap();
                        for attacks in attacks.as_primitive::<UInt64Type>().values() {
                            found =
                                (found.0 + 1, found.1.wrapping_add(*attacks), found.2 ^ attacks);
                        }
                    }
                }
                assert_eq!(found, self.summary);
            }
        }
    }
}

/// Starts a query on another thread. The receiver gets its answer or error.
fn run(address: &str, query: String) -> mpsc::Receiver<Result<String, String>> {
    run_in_batches(address, query, 8192)
}

/// Like `run`, with the maximum number of rows per batch (DataFusion's default is 8192).
fn run_in_batches(
    address: &str,
    query: String,
    rows: usize,
) -> mpsc::Receiver<Result<String, String>> {
    let options = ClientOptions { scheduler: address.parse().unwrap(), partitions: 12 };
    let settings = [("datafusion.execution.batch_size".to_owned(), rows.to_string())];
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let result = runtime.block_on(async {
            let client = setwise_cluster::client(&options, &settings, with_slow_function()).await;
            let (context, mut answer) = (client.map_err(|error| error.to_string())?, vec![]);
            let caution = setwise_cluster::CAUTION;
            let run = program::run_with(&context, &query, Format::Csv, &mut answer, caution);
            run.await.map_err(|error| error.to_string())?;
            Ok(String::from_utf8(answer).unwrap())
        });
        // Ignore errors: the test may have given up.
        let _ = sender.send(result);
    });
    receiver
}

impl Cluster {
    /// The executors whose log has a line with this text and a task of this stage.
    fn with_task(&self, text: &str, stage: u32) -> Vec<usize> {
        // For example: `Finished task : [TID JOB/STAGE.ATTEMPT/TASK.ATTEMPT] in 3ms`.
        let stage = format!("{stage}.");
        let is_it = |line: &str| {
            line.contains(text)
                && line.split('/').nth(1).is_some_and(|part| part.starts_with(&stage))
        };
        let has_task = |process: &Process| process.log().lines().any(is_it);
        (0..self.executors.len()).filter(|n| has_task(&self.executors[*n])).collect()
    }
}

fn kill(table: &Table, query: Query, moment: Moment, role: Role) {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("out");
    let case = format!("{query:?}, {moment:?}, {role:?}");
    let mut cluster = Cluster::start_with(Program::WithSlowFunction, 2, &TIMEOUTS);
    let answer = run(&cluster.address, table.sql(query, &target));
    let logs = || format!("{:?}\n{}", answer.try_recv(), cluster.logs());
    wait(&case, logs, || match moment {
        Moment::FirstStage => cluster.with_task("Finished task", 1).len() == 2,
        Moment::SecondStage => !cluster.with_task("Execute task", 2).is_empty(),
        Moment::End => !cluster.with_task("Finished task", 2).is_empty(),
    });
    let writer = cluster.with_task("Execute task", 2).first().copied().unwrap_or(0);
    match role {
        Role::Writer => cluster.executors[writer].kill(),
        Role::Reader => cluster.executors[1 - writer].kill(),
        Role::Executors => cluster.executors.iter_mut().for_each(Process::kill),
        Role::Scheduler => cluster.scheduler.kill(),
    }
    let killed = Instant::now();
    let Ok(result) = answer.recv_timeout(LIMIT) else {
        panic!("{case}: no answer within {LIMIT:?}\n{}", cluster.logs());
    };
    println!(
        "{case}: {:.1} s, {}",
        killed.elapsed().as_secs_f64(),
        match &result {
            Ok(_) => "answer",
            Err(error) => error.lines().last().unwrap_or_default(),
        }
    );
    match &result {
        Ok(answer) => table.check(query, &target, answer),
        Err(_) => assert!(!target.exists(), "{case}: files after an error"),
    }
    let survives = matches!(role, Role::Reader | Role::Writer);
    if survives && moment != Moment::End {
        assert!(result.is_ok(), "{case}: {result:?}\n{}", cluster.logs());
    }
    // Without executors or the scheduler, a query has an answer only if its tasks had already
    // ended. This happens if the test notices the moment late, on a busy machine.
    if !survives && result.is_ok() {
        let ended = cluster.with_task("Finished task", 2);
        assert!(!ended.is_empty(), "{case}: {result:?}\n{}", cluster.logs());
    }
    if survives {
        // Check that the other executor has lost no slot, and that no file of the killed executor
        // is in the way.
        let queries = match query {
            Query::Select => vec![Query::Select],
            Query::Copy => vec![Query::Select, Query::Copy],
        };
        for next in queries {
            let target = folder.path().join("next");
            let answer = run(&cluster.address, table.sql(next, &target));
            let Ok(answer) = answer.recv_timeout(LIMIT) else {
                panic!("{case}: no answer to the next {next:?}\n{}", cluster.logs());
            };
            match answer {
                Ok(answer) => table.check(next, &target, &answer),
                Err(error) => panic!("{case}: the next {next:?}: {error}\n{}", cluster.logs()),
            }
        }
    }
}

#[test]
fn never_wrong_data_and_never_a_hang() {
    let rounds = std::env::var("SETWISE_CLUSTER_ROUNDS");
    let rounds: usize = rounds.map_or(2, |rounds| rounds.parse().unwrap());
    let only = std::env::var("SETWISE_CLUSTER_CASES").unwrap_or_default();
    let table = table();
    let mut cases = vec![];
    for _ in 0..rounds {
        for query in [Query::Select, Query::Copy] {
            for moment in [Moment::FirstStage, Moment::SecondStage, Moment::End] {
                for role in [Role::Reader, Role::Writer, Role::Executors, Role::Scheduler] {
                    if format!("{query:?}, {moment:?}, {role:?}").contains(&only) {
                        cases.push((query, moment, role));
                    }
                }
            }
        }
    }
    let cases = Mutex::new(cases);
    std::thread::scope(|scope| {
        // Runs two cases at once, with three processes each. More processes would starve each other
        // on a machine with two CPUs.
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((query, moment, role)) = { cases.lock().unwrap().pop() } {
                    kill(&table, query, moment, role);
                }
            });
        }
    });
}

#[test]
fn writes_without_staging_are_rejected() {
    let cluster = Cluster::start(Program::Binary, 1);
    let folder = TempDir::new().unwrap();
    let path = folder.path().display();
    for query in [
        "COPY (SELECT 1 AS x) TO 's3://chess/out.parquet'".to_owned(),
        format!("EXPLAIN ANALYZE COPY (SELECT 1 AS x) TO '{path}/out/' STORED AS PARQUET"),
        format!(
            "CREATE EXTERNAL TABLE t (x BIGINT) STORED AS PARQUET LOCATION '{path}/out/';
             INSERT INTO t SELECT 1"
        ),
        format!("COPY (SELECT 1 AS x) TO '{path}/out/' STORED AS ARROW"),
    ] {
        let output = cluster.client(&query).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{query}: {errors}");
        let messages =
            ["a cluster writes only with COPY", "would write in place", "a cluster writes Parquet"];
        assert!(messages.iter().any(|message| errors.contains(message)), "{query}: {errors}");
        let files = fs::read_dir(folder.path().join("out")).map_or(0, Iterator::count);
        assert_eq!(files, 0, "{query}");
    }
}

/// COPY in all formats. The rows in the files are counted before the files are published.
#[test]
fn copies_appear_complete() {
    let cluster = Cluster::start(Program::Binary, 1);
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.parquet");
    let boards: Vec<u64> = (0..20_000).collect();
    write_file(&input, boards.clone(), boards);
    let select = format!(
        "(SELECT CAST(queens % 3 AS INT) AS rest, 'two' || chr(10) || 'lines' AS text,
          CASE queens WHEN 0 THEN NULL ELSE queens END AS queens FROM '{}')",
        input.display()
    );
    let targets = [
        ("parquet/", "STORED AS PARQUET"),
        ("x.parquet", ""),
        ("x.csv", ""),
        ("x#1[2].csv", ""),
        ("bare.csv", "OPTIONS ('format.has_header' 'false')"),
        ("csv/", "STORED AS CSV"),
        ("gz/", "STORED AS CSV OPTIONS ('format.compression' 'gzip')"),
        ("zstd/", "STORED AS PARQUET OPTIONS ('format.compression' 'zstd(9)')"),
        ("json/", "STORED AS JSON"),
        ("rests/", "STORED AS PARQUET PARTITIONED BY (rest)"),
        ("kept/", "STORED AS CSV PARTITIONED BY (rest)"),
    ];
    for (target, options) in targets {
        let target = folder.path().join(target);
        let query = format!("COPY {select} TO '{}' {options}", target.display());
        let mut client = cluster.client(&query);
        client.args(["--set", "datafusion.optimizer.repartition_file_min_size=1000"]);
        if target.ends_with("kept") {
            client.args(["--set", "datafusion.execution.keep_partition_by_columns=true"]);
        }
        let output = client.output().unwrap();
        cluster.expect(&output, "count\n20000\n");
        let count = if target.is_dir() {
            fs::read_dir(&target).unwrap().count()
        } else {
            usize::from(target.is_file())
        };
        assert!(count > 0, "{target:?}");
    }
    let bare = fs::read_to_string(folder.path().join("bare.csv")).unwrap();
    assert!(!bare.contains("queens"), "a header");
    let query = format!("COPY {select} TO '{}/csv/' STORED AS CSV", folder.path().display());
    let output = cluster.client(&query).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("the folder is not empty; choose a new folder"), "{errors}");
    assert_eq!(output.status.code(), Some(2));
    let hidden = fs::read_dir(folder.path()).unwrap();
    let hidden = hidden
        .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with('.'));
    assert_eq!(hidden.count(), 0, "staging folders remain");
}

/// A signal ends a client during a COPY. Only its staging folder may remain, because the executor
/// still writes there.
#[test]
#[cfg(unix)]
fn a_signal_ends_the_client_of_a_copy() {
    let (folder, logs) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let cluster = Cluster::start(Program::Binary, 1);
    let query = format!(
        "COPY (SELECT occupied, count(*) AS n FROM '{}/' GROUP BY occupied)
         TO '{}/out/' STORED AS PARQUET",
        positions().folder.path().display(),
        folder.path().display()
    );
    let log = logs.path().join("client.log");
    let mut client = Process::start(&mut cluster.client(&query), &log);
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };
    wait("the client creates a staging folder", || client.log(), || !names().is_empty());
    client.signal("-TERM");
    assert_eq!(client.child.wait().unwrap().code(), Some(143), "{}", client.log());
    for name in names() {
        assert!(name.to_str().unwrap().starts_with(".out.partial-"), "{name:?}");
    }
}

/// Without executors, a query ends after `--idle-timeout`.
#[test]
fn a_query_without_executors_ends() {
    // Call `positions` before the clock starts, because it may write millions of rows.
    let query = format!("SELECT count(*) FROM '{}/'", positions().folder.path().display());
    let cluster = Cluster::start_with(Program::Binary, 0, &["--idle-timeout", "1"]);
    let start = Instant::now();
    let output = cluster.client(&query).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("no task ran for 1 s; is an executor running?"), "{errors}");
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

/// A task that takes too long ends its query, and the executor stays usable.
#[test]
fn a_query_without_progress_ends() {
    let positions = positions();
    // The time limit also applies to the second query, which must meet it on a busy machine. The
    // executor has one thread, so the second query waits until the task of the first query yields.
    // Only then does that task notice that it was cancelled. It yields after 128 batches at the
    // latest (tokio's budget), so the batches are small: 128 calls of `slowly` take 2 s. All calls
    // take at least 90 s.
    let cluster = Cluster::start_with(Program::WithSlowFunction, 1, &["--task-timeout", "30"]);
    let folder = positions.folder.path().display();
    let query =
        format!("SELECT sum(slowly(queens)) FROM (SELECT queens FROM '{folder}/' LIMIT 100000000)");
    let batch = rows() / 6000;
    let answer = run_in_batches(&cluster.address, query, batch).recv_timeout(LIMIT).unwrap();
    let error = answer.unwrap_err();
    assert!(error.contains("no task started or ended for 30 s"), "{error}");
    let query = format!("SELECT count(*) AS n FROM '{folder}/000.parquet'");
    let answer = run(&cluster.address, query).recv_timeout(LIMIT).unwrap();
    assert_eq!(answer, Ok(format!("n\n{}\n", rows() / super::FILES)), "{}", cluster.logs());
    let is_aborted = || cluster.executors[0].log().contains("Task has been aborted!");
    wait("the task notices that it was cancelled", || cluster.logs(), is_aborted);
}

/// Stops the executors while they send results, as if their machine hung. The client must end with
/// an error after a minute without an answer.
#[test]
#[ignore = "takes more than a minute"]
#[cfg(unix)]
fn a_stopped_executor_ends_the_client() {
    use std::io::Read as _;
    let folder = positions().folder.path().display();
    let cluster = Cluster::start(Program::Binary, 2);
    let mut client = cluster.client(&format!("SELECT queens, occupied FROM '{folder}/'"));
    // stderr goes to a file, because a full pipe would stop the client.
    let logs = TempDir::new().unwrap();
    let errors = logs.path().join("client.log");
    let mut client = client.stderr(File::create(&errors).unwrap()).spawn().unwrap();
    let mut out = client.stdout.take().unwrap();
    out.read_exact(&mut [0; 1024]).unwrap();
    // The pipe and the sockets hold only a part of the remaining 200 MB, so the client still needs
    // the executors.
    for executor in &cluster.executors {
        executor.signal("-STOP");
    }
    let stopped = Instant::now();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let rest = std::io::copy(&mut out, &mut std::io::sink());
        let _ = sender.send((rest, client.wait()));
    });
    // docs/cluster.md promises an error after one minute. A second minute is for a busy machine.
    let ended = receiver.recv_timeout(Duration::from_mins(2));
    let errors = fs::read_to_string(errors).unwrap();
    let Ok((_, status)) = ended else { panic!("the client hangs: {errors}\n{}", cluster.logs()) };
    println!("stopped executors: {:.1} s, {errors}", stopped.elapsed().as_secs_f64());
    assert_eq!(status.unwrap().code(), Some(2), "{errors}");
}
