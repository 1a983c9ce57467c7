//! The scheduler's additions to Ballista, with which a job either runs without retries or fails.
//!
//! When an executor is lost, Ballista 55 repeats stages of a running job. Three defects make the
//! result unreliable:
//!
//! * The second attempt of a stage starts with the output locations of the first attempt
//!   (`output_locations`, and the inputs of the next stage), so rows can occur twice.
//! * Files of an aborted COPY stay beside the files of the repeated COPY.
//! * `TaskManager::sum_vcores_for_statuses` refunds no slots for tasks of a stage that has been
//!   rolled back, so an executor with one slot never gets a task again.
//!
//! So once a task of a job has been lost, [`GuardedState`] gives executors no more tasks of this
//! job. Without new tasks, the job cannot repeat a stage. [`watch`] ends the job with an error, and
//! the client submits the query again, as a new job. `GuardedState` also corrects the count of free
//! slots: it counts the slots that running tasks take.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::{ExecutorHeartbeat, task_status};
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::memory::InMemoryClusterState;
use ballista_scheduler::cluster::{
    BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot, JobState,
};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::execution_graph::ExecutionGraph;
use ballista_scheduler::state::execution_stage::ExecutionStage;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::sync::Mutex;

/// An error with this text means that the client may submit the job again.
pub(crate) const LOST: &str = "a task or its result was lost";

/// Whether a task failed or a stage was rolled back.
fn is_damaged(graph: &dyn ExecutionGraph) -> bool {
    graph.stages().values().any(|stage| {
        let attempt = match stage {
            ExecutionStage::UnResolved(stage) => stage.stage_attempt_num,
            ExecutionStage::Resolved(stage) => stage.stage_attempt_num,
            ExecutionStage::Running(stage) => stage.stage_attempt_num,
            ExecutionStage::Successful(stage) => stage.stage_attempt_num,
            ExecutionStage::Failed(stage) => stage.stage_attempt_num,
        };
        let is_failed = |status: &_| matches!(status, task_status::Status::Failed(_));
        let mut tasks = stage.task_infos().unwrap_or_default().iter();
        attempt > 0 || tasks.any(|task| is_failed(&task.task_status))
    })
}

struct Slots {
    total: u32,
    free: u32,
}

/// Ballista's state of executors, with reliable counts of free slots.
#[derive(Default)]
pub(crate) struct GuardedState {
    inner: InMemoryClusterState,
    /// The slots of each executor. `free` equals the count in `inner`.
    slots: Mutex<HashMap<String, Slots>>,
}

impl GuardedState {
    /// Releases slots, but never more than are taken.
    async fn release(
        &self,
        slots: &mut HashMap<String, Slots>,
        freed: Vec<ExecutorSlot>,
    ) -> Result<()> {
        for (executor, count) in freed {
            if let Some(slots) = slots.get_mut(&executor) {
                let count = count.min(slots.total - slots.free);
                slots.free += count;
                self.inner.unbind_tasks(vec![(executor, count)]).await?;
            }
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl ClusterState for GuardedState {
    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        let mut slots = self.slots.lock().await;
        let mut used: HashMap<String, u32> = HashMap::new();
        let mut sound = HashMap::new();
        for (id, job) in jobs.iter() {
            let graph = job.execution_graph.read().await;
            for task in graph.running_tasks() {
                let count = graph.task_vcores(task.stage_id, task.task_id).unwrap_or(0);
                *used.entry(task.executor_id).or_default() += count;
            }
            if !is_damaged(&**graph) {
                sound.insert(id.clone(), job.clone());
            }
        }
        let leaked = slots.iter().map(|(executor, slots)| {
            let used = used.get(executor).copied().unwrap_or(0);
            (executor.clone(), slots.total.saturating_sub(used).saturating_sub(slots.free))
        });
        let leaked: Vec<_> = leaked.filter(|(_, count)| *count > 0).collect();
        self.release(&mut slots, leaked).await?;
        let bound =
            self.inner.bind_schedulable_tasks(distribution, Arc::new(sound), executors).await?;
        for (executor, task) in &bound {
            if let Some(slots) = slots.get_mut(executor) {
                slots.free = slots.free.saturating_sub(task.vcores_consumed);
            }
        }
        Ok(bound)
    }

    async fn unbind_tasks(&self, freed: Vec<ExecutorSlot>) -> Result<()> {
        let mut slots = self.slots.lock().await;
        self.release(&mut slots, freed).await
    }

    async fn register_executor(&self, data: ExecutorMetadata, spec: ExecutorData) -> Result<()> {
        let mut slots = self.slots.lock().await;
        let (id, free) = (data.id.clone(), spec.available_vcores);
        self.inner.register_executor(data, spec).await?;
        slots.insert(id, Slots { total: free, free });
        Ok(())
    }

    async fn remove_executor(&self, id: &str) -> Result<()> {
        let mut slots = self.slots.lock().await;
        slots.remove(id);
        self.inner.remove_executor(id).await
    }

    async fn save_executor_metadata(&self, data: ExecutorMetadata) -> Result<()> {
        self.inner.save_executor_metadata(data).await
    }

    async fn get_executor_metadata(&self, id: &str) -> Result<ExecutorMetadata> {
        self.inner.get_executor_metadata(id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.inner.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.inner.save_executor_heartbeat(heartbeat).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.inner.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, id: &str) -> Option<ExecutorHeartbeat> {
        self.inner.get_executor_heartbeat(id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.inner.cluster_state_events().await
    }
}

/// The times after which [`watch`] ends a job with an error.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The maximum time in which no task of any job runs.
    pub(crate) idle: Duration,
    /// The maximum time in which no task of the job starts or ends.
    pub(crate) task: Duration,
}

/// What [`watch`] remembers about a job.
struct Progress {
    /// The number of tasks that have started, and the number of running tasks.
    tasks: (usize, usize),
    since: Instant,
}

type Server = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// Ends jobs that are damaged or make no progress. Never returns.
pub(crate) async fn watch(server: Server, state: Arc<dyn JobState>, limits: Limits) {
    let mut seen: HashMap<JobId, Progress> = HashMap::new();
    let mut busy = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let jobs = server.state.task_manager.get_running_job_cache();
        seen.retain(|id, _| jobs.contains_key(id));
        let mut damaged = HashSet::new();
        let mut any_runs = jobs.is_empty();
        for (id, job) in jobs.iter() {
            let graph = job.execution_graph.read().await;
            let started = graph.stages().values().filter_map(ExecutionStage::task_infos);
            let tasks = (started.map(<[_]>::len).sum(), graph.running_tasks().len());
            any_runs |= tasks.1 > 0;
            let fresh = || Progress { tasks, since: Instant::now() };
            let progress = seen.entry(id.clone()).or_insert_with(fresh);
            if progress.tasks != tasks {
                *progress = fresh();
            }
            if is_damaged(&**graph) {
                damaged.insert(id.clone());
            }
        }
        if any_runs {
            busy = Instant::now();
        }
        for (id, job) in jobs.iter() {
            let since = seen.get(id).map_or(Duration::ZERO, |progress| progress.since.elapsed());
            let reason = if damaged.contains(id) {
                LOST.to_owned()
            } else if busy.elapsed().min(since) > limits.idle {
                let seconds = limits.idle.as_secs();
                format!("no task ran for {seconds} s; is an executor running?")
            } else if since > limits.task {
                format!("no task started or ended for {} s", limits.task.as_secs())
            } else {
                continue;
            };
            if let Err(error) = end(&server, &*state, id, job, &reason).await {
                log::error!("cannot end the job {id}: {error}");
            }
        }
    }
}

/// Ends a job with an error.
async fn end(
    server: &Server,
    state: &dyn JobState,
    id: &JobId,
    job: &JobInfoCache,
    reason: &str,
) -> Result<()> {
    let (running, graph) = {
        let mut graph = job.execution_graph.write().await;
        let reason = match &graph.status().status {
            // The job has ended since `watch` looked at it. An event that removes it will follow.
            Some(Status::Successful(_)) => return Ok(()),
            // A task reported this error.
            Some(Status::Failed(failed)) => failed.error.clone(),
            _ => reason.to_owned(),
        };
        log::warn!("ending the job {id}: {reason}");
        (graph.abort_running(reason), graph.cloned())
    };
    // Save the reason before `cancel_job`, which reports only "Cancelled".
    state.save_job(id, &graph).await?;
    server.state.executor_manager.cancel_running_tasks(running).await?;
    server.cancel_job(id.clone()).await
}
