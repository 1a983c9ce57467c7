#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};

/// The functions that a process knows: those of `setwise-datafusion`, and others if a program has them. Scheduler, executors and client must know the
/// same, because only their names travel.
pub type Functions = Vec<Arc<ScalarUDF>>;

/// Where a scheduler listens, and when it gives up on an executor.
#[derive(Debug, Clone, clap::Args)]
pub struct SchedulerOptions {
    /// The address to listen at; 0.0.0.0 for other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// The port
    #[arg(long, default_value_t = 50050)]
    pub port: u16,
    /// Give up on an executor that was silent for so many seconds; its tasks are done by others
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    pub executor_timeout: u64,
}

/// Where an executor listens, and whose it is.
#[derive(Debug, Clone, clap::Args)]
pub struct ExecutorOptions {
    /// The scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: Address,
    /// The address to listen at; 0.0.0.0 for other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// The name by which scheduler and executors reach this machine
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub host: String,
    /// The port for results, and the one above for commands: each executor of a machine needs its own two
    #[arg(long, default_value_t = 50051)]
    pub port: u16,
    /// Tasks at the same time; as many as the machine has processors unless told otherwise
    #[arg(long, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// A folder for what executors pass to each other; a temporary one unless told otherwise
    #[arg(long, value_name = "FOLDER")]
    pub work: Option<PathBuf>,
    /// Tell the scheduler every so many seconds that this executor lives
    #[arg(long, value_name = "SECONDS", default_value_t = 3)]
    pub heartbeat: u64,
}

/// How a client asks.
#[derive(Debug, Clone, clap::Args)]
pub struct ClientOptions {
    /// The scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050")]
    pub scheduler: Address,
    /// Parts into which the scan of a table is cut; about two to four times the threads of all executors
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub partitions: usize,
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Its name or number.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let parts = text.rsplit_once(':');
        let parts = parts.and_then(|(host, port)| Some((host, port.parse().ok()?)));
        match parts {
            Some((host, port)) if !host.is_empty() => Ok(Address {
                host: host.to_owned(),
                port,
            }),
            _ => Err("HOST:PORT is wanted".to_owned()),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// Runs a scheduler that knows the functions, until the process is told to end.
///
/// # Errors
/// If it cannot listen.
pub async fn scheduler(options: &SchedulerOptions, functions: Functions) -> Result<()> {
    let address = format!("{}:{}", options.bind, options.port)
        .parse()
        .map_err(|error| {
            let SchedulerOptions { bind, port, .. } = options;
            DataFusionError::Configuration(format!("{bind}:{port}: {error}"))
        })?;
    let config = SchedulerConfig {
        bind_host: options.bind.clone(),
        bind_port: options.port,
        executor_timeout_seconds: options.executor_timeout,
        expire_dead_executor_interval_seconds: (options.executor_timeout / 5).max(1),
        executor_termination_grace_period: options.executor_timeout,
        // One that was busy and not dead comes back with its next sign of life.
        no_executors_grace_period_seconds: 2 * options.executor_timeout,
        override_session_builder: Some(Arc::new(move |config: SessionConfig| {
            let mut state = default_session_builder(config)?;
            for function in &functions {
                state.register_udf(Arc::clone(function))?;
            }
            Ok(state)
        })),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config)
        .await
        .map_err(external)?;
    start_server(cluster, address, Arc::new(config))
        .await
        .map_err(external)
}

/// Runs an executor that knows the functions, until the process is told to end.
///
/// # Errors
/// If it cannot listen, or does not reach the scheduler.
pub async fn executor(options: &ExecutorOptions, functions: Functions) -> Result<()> {
    let mut registry = BallistaFunctionRegistry::default();
    for function in functions {
        registry
            .scalar_functions
            .insert(function.name().to_owned(), function);
    }
    let defaults = ExecutorProcessConfig::default();
    let config = ExecutorProcessConfig {
        bind_host: options.bind.clone(),
        external_host: Some(options.host.clone()),
        port: options.port,
        grpc_port: options.port + 1,
        scheduler_host: options.scheduler.host.clone(),
        scheduler_port: options.scheduler.port,
        // Any number but 0: it waits for its scheduler. (Ballista 55 waits without end, whatever the number.)
        scheduler_connect_timeout_seconds: 20,
        vcores: options
            .threads
            .map_or(defaults.vcores, std::num::NonZeroUsize::get),
        work_dir: options.work.as_ref().map(|work| work.display().to_string()),
        executor_heartbeat_interval_seconds: options.heartbeat,
        override_function_registry: Some(Arc::new(registry)),
        ..defaults
    };
    start_executor_process(Arc::new(config))
        .await
        .map_err(external)
}

/// A session whose queries a cluster answers. Tables are files, by names that mean the same on all machines.
///
/// # Errors
/// If the scheduler is not reached.
pub async fn client(
    options: &ClientOptions,
    settings: &[(String, String)],
    functions: Functions,
) -> Result<SessionContext> {
    let mut config = SessionConfig::new_with_ballista()
        .with_information_schema(true)
        .with_target_partitions(options.partitions)
        // Under that planner a COPY is one task.
        .with_ballista_adaptive_query_planner(false);
    for (name, value) in settings {
        config.options_mut().set(name, value)?;
    }
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .build();
    let scheduler = format!("df://{}", options.scheduler);
    let context = SessionContext::remote_with_state(&scheduler, state).await?;
    let context = context.enable_url_table();
    // Earlier they would be lost.
    for function in functions {
        context.register_udf(ScalarUDF::clone(&function));
    }
    Ok(context)
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
