#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod guard;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service};
use datafusion::catalog::Session;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::logical_expr::{LogicalPlan, ScalarUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use setwise_datafusion::copy::writes_in_place;
use setwise_datafusion::program::Caution;
use setwise_datafusion::stores::{self, Stores};
use setwise_datafusion::tables::{self, PositionFiles};

/// The SQL functions of a process: those of `setwise-datafusion` and a program's own. Scheduler,
/// executors and client must have the same functions, because plans contain only function names.
pub type Functions = Vec<Arc<ScalarUDF>>;

/// Options of the scheduler.
#[derive(Debug, Clone, clap::Args)]
pub struct SchedulerOptions {
    /// Address to listen on (0.0.0.0: all interfaces)
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Port to listen on
    #[arg(long, default_value_t = 50050)]
    pub port: u16,
    /// Seconds without a heartbeat after which an executor counts as lost
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub executor_timeout: u64,
    /// Seconds without any running task after which waiting queries fail
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub idle_timeout: u64,
    /// Seconds after which a query fails if none of its tasks starts or ends
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub task_timeout: u64,
}

/// Options of an executor.
#[derive(Debug, Clone, clap::Args)]
pub struct ExecutorOptions {
    /// Address of the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: Address,
    /// Address to listen on (0.0.0.0: all interfaces)
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Name by which the scheduler and other executors reach this machine
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub host: String,
    /// Port for results; the next higher port takes commands. Executors on one machine need
    /// different ports
    #[arg(long, default_value_t = 50051, value_parser = clap::value_parser!(u16).range(..65535))]
    pub port: u16,
    /// Number of concurrent tasks (default: one per CPU)
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// Folder for intermediate results (default: a temporary folder)
    #[arg(long, value_name = "FOLDER")]
    pub work: Option<PathBuf>,
    /// Seconds between heartbeats to the scheduler
    #[arg(long, value_name = "SECONDS", default_value_t = 3)]
    pub heartbeat: u64,
}

/// Options of a client.
#[derive(Debug, Clone, clap::Args)]
pub struct ClientOptions {
    /// Address of the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: Address,
    /// Number of partitions of a table scan; use two to four times the threads of all executors
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub partitions: usize,
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name or an IP address.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let parts = text.rsplit_once(':');
        let parts = parts.and_then(|(host, port)| Some((host, port.parse().ok()?)));
        match parts {
            Some((host, port)) if !host.is_empty() => Ok(Address { host: host.to_owned(), port }),
            _ => Err("expected HOST:PORT".to_owned()),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Runs a scheduler with these functions until the process is terminated.
///
/// # Errors
/// If the scheduler cannot listen.
pub async fn scheduler(options: &SchedulerOptions, functions: Functions) -> Result<()> {
    let address = format!("{}:{}", options.bind, options.port).parse().map_err(|error| {
        let SchedulerOptions { bind, port, .. } = options;
        DataFusionError::Configuration(format!("{bind}:{port}: {error}"))
    })?;
    let stores = Arc::<Stores>::default();
    let config = SchedulerConfig {
        bind_host: options.bind.clone(),
        bind_port: options.port,
        executor_timeout_seconds: options.executor_timeout,
        expire_dead_executor_interval_seconds: (options.executor_timeout / 5).max(1),
        executor_termination_grace_period: options.executor_timeout,
        // Jobs fail after this time without any executor. It exceeds the executor timeout, because
        // an executor that was removed can come back: Ballista removes an executor to which it
        // cannot send a task, and the executor registers again at its next heartbeat. If Ballista
        // removes an executor because its heartbeats are missing, it also asks the process to end.
        no_executors_grace_period_seconds: 2 * options.executor_timeout,
        override_session_builder: Some(Arc::new(move |config: SessionConfig| {
            let runtime = stores::runtime(&stores, None)?;
            let state = default_session_builder(config)?;
            let state = SessionStateBuilder::new_from_existing(state).with_runtime_env(runtime);
            let mut state = state.build();
            for function in &functions {
                state.register_udf(Arc::clone(function))?;
            }
            Ok(state)
        })),
        ..SchedulerConfig::default()
    };
    config.validate().map_err(external)?;
    let jobs = BallistaCluster::new_from_config(&config).await.map_err(external)?.job_state();
    let state = Arc::new(guard::GuardedState::default());
    let cluster = BallistaCluster::new(state, Arc::clone(&jobs));
    let server = create_scheduler(cluster, Arc::new(config)).await.map_err(external)?;
    let limits = guard::Limits {
        idle: Duration::from_secs(options.idle_timeout),
        task: Duration::from_secs(options.task_timeout),
    };
    tokio::spawn(guard::watch(server.clone(), jobs, limits));
    start_grpc_service(address, server).await.map_err(external)
}

/// Runs an executor with these functions until the process is terminated.
///
/// # Errors
/// If the executor cannot listen, or cannot reach the scheduler.
pub async fn executor(options: &ExecutorOptions, functions: Functions) -> Result<()> {
    let mut registry = BallistaFunctionRegistry::default();
    for function in functions {
        registry.scalar_functions.insert(function.name().to_owned(), function);
    }
    let defaults = ExecutorProcessConfig::default();
    let (stores, work) = (Arc::<Stores>::default(), options.work.clone());
    let config = ExecutorProcessConfig {
        bind_host: options.bind.clone(),
        external_host: Some(options.host.clone()),
        port: options.port,
        grpc_port: options.port.checked_add(1).ok_or_else(|| {
            DataFusionError::Configuration("the port must be below 65535".to_owned())
        })?,
        scheduler_host: options.scheduler.host.clone(),
        scheduler_port: options.scheduler.port,
        // With 0, the executor would try to connect only once. With any other value, Ballista 55
        // waits for the scheduler without a limit.
        scheduler_connect_timeout_seconds: 20,
        vcores: options.threads.map_or(defaults.vcores, std::num::NonZeroUsize::get),
        work_dir: options.work.as_ref().map(|work| work.display().to_string()),
        executor_heartbeat_interval_seconds: options.heartbeat,
        override_function_registry: Some(Arc::new(registry)),
        override_runtime_producer: Some(Arc::new(move |_| {
            stores::runtime(&stores, work.as_deref())
        })),
        ..defaults
    };
    start_executor_process(Arc::new(config)).await.map_err(external)
}

/// The time without an answer after which a client takes a scheduler or an executor for dead.
const SILENCE: Duration = Duration::from_mins(1);

/// How a client repeats and checks statements. Pass this constant to
/// [`run_with`](setwise_datafusion::program::run_with).
pub const CAUTION: Caution = Caution {
    attempts: 5,
    is_transient: |error| is_transient(&error.to_string()),
    check_copies: true,
};

/// Whether an error message says that a task, or results on an executor, were lost.
fn is_transient(error: &str) -> bool {
    // Any of these texts means that a task or its results were lost. The first text is our own. The
    // others come from Ballista if an executor is unreachable, or exits while it sends results.
    // They are names of `BallistaError` variants, and the message of `FetchFailed`.
    const LOST: [&str; 4] =
        [guard::LOST, "GrpcConnectionError", "FetchFailed(", "Shuffle fetch partition error from"];
    // The error of a broken stream of results contains a text of `STREAM` and a text of
    // `CONNECTION`. (A task formats errors with `Debug`, the client with `Display`.) Errors of the
    // client's connection to the scheduler contain no text of `STREAM`. They are not transient:
    // without a scheduler, another attempt would also fail.
    const STREAM: [&str; 4] = ["IpcError(", "Ipc error: ", "ExternalError(", "External error: "];
    const CONNECTION: [&str; 5] = [
        "h2 protocol error",
        "http2 error",
        "transport error",
        "error reading a body from connection",
        "operation timed out",
    ];
    let has_any = |texts: &[&str]| texts.iter().any(|text| error.contains(text));
    has_any(&LOST) || has_any(&STREAM) && has_any(&CONNECTION)
}

/// Creates a session whose queries run on a cluster. Tables are files, which must have the same
/// path on all machines. A query fails if an executor is lost while it runs. The session rejects
/// INSERT, and accepts COPY only in [`run_with`](setwise_datafusion::program::run_with), which
/// publishes the files when they are complete.
///
/// # Errors
/// If a setting is invalid, or the scheduler cannot be reached.
pub async fn client(
    options: &ClientOptions,
    settings: &[(String, String)],
    functions: Functions,
) -> Result<SessionContext> {
    let mut config = SessionConfig::new_with_ballista()
        .with_information_schema(true)
        .with_target_partitions(options.partitions)
        // Disabled because this planner runs a COPY as a single task.
        .with_ballista_adaptive_query_planner(false)
        // By default, Ballista 55 waits for results without a limit.
        .with_ballista_override_create_grpc_client_endpoint(Arc::new(|endpoint| {
            let endpoint = endpoint
                .connect_timeout(Duration::from_secs(20))
                .http2_keep_alive_interval(SILENCE / 2)
                .keep_alive_timeout(SILENCE / 2)
                .keep_alive_while_idle(true);
            Ok(endpoint)
        }));
    for (name, value) in settings {
        config.options_mut().set(name, value)?;
    }
    let runtime = stores::runtime(&Arc::default(), None)?;
    let state = SessionStateBuilder::new().with_config(config).with_runtime_env(runtime);
    let state = state.with_default_features().build();
    let scheduler = format!("df://{}", options.scheduler);
    let context = SessionContext::remote_with_state(&scheduler, state).await?;
    let state = context.state();
    let planner = Planner { inner: Arc::clone(state.query_planner()) };
    let state =
        SessionStateBuilder::new_from_existing(state).with_query_planner(Arc::new(planner)).build();
    let context = SessionContext::new_with_state(state);
    let context = tables::enable(context, PositionFiles::Rejected);
    // `remote_with_state` drops functions registered before it.
    for function in functions {
        context.register_udf(ScalarUDF::clone(&function));
    }
    Ok(context)
}

/// Rejects plans that would leave files behind when they fail.
#[derive(Debug)]
struct Planner {
    inner: Arc<dyn QueryPlanner + Send + Sync>,
}

#[async_trait::async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if writes_in_place(plan) {
            return Err(DataFusionError::Plan(
                "a cluster writes only with COPY to a local file or folder (not INSERT, a URL or \
                 EXPLAIN), because files of failed attempts would stay beside the others"
                    .to_owned(),
            ));
        }
        if let LogicalPlan::Copy(copy) = plan
            && copy.file_type.get_ext() == "arrow"
        {
            let message = "a cluster writes Parquet, CSV and JSON, not Arrow".to_owned();
            return Err(DataFusionError::Plan(message));
        }
        self.inner.create_physical_plan(plan, session).await
    }
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use ballista_core::error::BallistaError;
    use ballista_core::serde::protobuf::FailedTask;
    use datafusion::arrow::error::ArrowError;

    use super::*;

    fn stream_errors() -> Vec<ArrowError> {
        // `BallistaClient` converts the `tonic::Status` of a broken stream to these errors.
        let message = "h2 protocol error: error reading a body from connection";
        let status = format!("code: 'Unknown error', message: {message:?}");
        vec![
            ArrowError::IpcError(status.clone()),
            ArrowError::ExternalError(status.into()),
            ArrowError::ExternalError("transport error".into()),
        ]
    }

    #[test]
    fn lost_results_are_transient() {
        let lost = || BallistaError::FetchFailed("one".into(), 1, 2, "reset by peer".into());
        let unreachable = || BallistaError::GrpcConnectionError("Error connecting".into());
        let mut errors = vec![
            DataFusionError::Execution(format!("Job x failed: {}", guard::LOST)),
            lost().into_datafusion(),
            lost().into_datafusion().context("nothing was written to x"),
            DataFusionError::Execution(format!("{:?}", unreachable())),
        ];
        for error in stream_errors() {
            errors.push(DataFusionError::ArrowError(Box::new(error), None));
        }
        for error in stream_errors() {
            // A task reports this error, and the scheduler ends the job with it.
            let error = DataFusionError::ArrowError(Box::new(error), None);
            let task = FailedTask::from(BallistaError::DataFusionError(Box::new(error)));
            errors.push(DataFusionError::Execution(format!("Job x failed: {}", task.error)));
        }
        for error in errors {
            assert!((CAUTION.is_transient)(&error), "{error}");
        }
    }

    #[test]
    fn other_errors_are_not_transient() {
        for error in [
            "Job x failed: no task ran for 60 s; is an executor running?",
            "Job x failed: Task failed due to runtime execution error: `8/8`: piece placement",
            "Arrow error: Ipc error: Unexpected end of input",
            // The scheduler ended while the client waited.
            "Execution error: code: 'Unknown error', message: \"h2 protocol error: error reading a \
             body from connection\"",
            "Status { code: Unknown, message: \"h2 protocol error: error reading a body from \
             connection\", source: Some(hyper::Error(Body, Error { kind: Io(Kind(BrokenPipe)) })) }",
        ] {
            let error = DataFusionError::Execution(error.to_owned());
            assert!(!(CAUTION.is_transient)(&error), "{error}");
        }
    }
}
