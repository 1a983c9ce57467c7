//! The counters of the CPU and of Linux (perf events): instructions, cycles, mispredicted branches,
//! cache misses.
//!
//! Times are measured without counters. After the last pass, every contender runs again, with one
//! group of counters after the other, so counters cannot lengthen a time. Groups are small enough
//! for the registers of current CPUs. Only user code is counted. Starting and stopping the counters
//! also counts, so the counts of an empty region are subtracted.
//!
//! The hardware counters have not run on a machine that has them: those available were virtual and
//! had none. The software counters go through the same code.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::number::name;

/// What a counter counts. Figures have these numbers per board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Cycles of the core, at its present clock.
    CoreCycles,
    /// Instructions.
    Instructions,
    /// Mispredicted branches.
    BranchMisses,
    /// Loads that miss the first-level data cache.
    FirstLevelMisses,
    /// Misses of the last-level cache, by Linux's definition: on AMD, of the second level.
    LastLevelMisses,
    /// Cycles in which the back end waits, mostly for memory. Many CPUs lack this counter.
    StallCycles,
    /// Nanoseconds in which the thread ran: a software counter, like those below.
    TaskNanoseconds,
    /// Page faults.
    PageFaults,
    /// Context switches.
    ContextSwitches,
}

/// What was counted, per board.
pub type Counts = BTreeMap<Event, f64>;

/// A group of counters that count at the same time.
pub trait Source {
    /// What the counters count.
    fn events(&self) -> &[Event];

    /// Starts or continues counting.
    fn start(&mut self);

    /// Stops counting.
    fn stop(&mut self);

    /// The counts since the last call. Also the fraction of the counting time in which the counters
    /// ran: below 1 if other programs used the same registers meanwhile. Then the counts are
    /// estimates.
    fn take(&mut self) -> (Vec<f64>, f64);
}

/// What a run counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The counters.
    pub events: Vec<Event>,
    /// Why the system refuses hardware counters, and what would help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The smallest fraction of its time in which a group of counters ran. Below 1, it shared the
    /// registers, and its counts are estimates.
    pub running: f64,
}

impl Counted {
    /// What was counted and what not, in a line.
    #[must_use]
    pub fn line(&self) -> String {
        let names: Vec<_> = self.events.iter().map(|event| name(event).replace('_', " ")).collect();
        let mut line = if names.is_empty() { "none".into() } else { names.join(", ") };
        if let Some(refused) = &self.refused {
            let _ = write!(line, "; no hardware counters: {refused}");
        }
        if self.running < 1.0 {
            let percent = 100.0 * self.running;
            let _ = write!(line, "; estimated, counters ran {percent:.0} % of the time");
        }
        line
    }
}

/// The counters of a run.
pub type Sources = Vec<Box<dyn Source>>;

/// Opens the counters that the system allows. Returns them, and why hardware counters are refused.
#[cfg(target_os = "linux")]
#[must_use]
pub fn open(machine: &Machine) -> (Sources, Option<String>) {
    let (mut sources, mut refused) = (Sources::new(), None);
    for events in perf::GROUPS {
        match perf::Group::open(events) {
            Ok(group) if group.events.is_empty() => {}
            Ok(group) => sources.push(Box::new(group)),
            Err(error) => refused = refused.or_else(|| Some(perf::advice(&error, machine))),
        }
    }
    (sources, refused)
}

/// No counters: they are Linux's.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn open(_: &Machine) -> (Sources, Option<String>) {
    (Sources::new(), Some("counters need Linux".into()))
}

#[cfg(target_os = "linux")]
mod perf {
    use std::fs;
    use std::io::{Error, ErrorKind};
    use std::time::Duration;

    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
    use perf_event::{Builder, Counter};

    use super::{Event, Source};
    use crate::machine::Machine;

    /// Groups that fit in four registers, one of which a watchdog may use. The first event of a
    /// hardware group must be there, the others may be missing.
    pub(super) const GROUPS: [&[Event]; 4] = [
        &[Event::CoreCycles, Event::Instructions, Event::BranchMisses],
        &[Event::FirstLevelMisses, Event::LastLevelMisses],
        &[Event::StallCycles],
        &[Event::TaskNanoseconds, Event::PageFaults, Event::ContextSwitches],
    ];
    /// The number of empty regions whose counts are averaged.
    const EMPTY: u32 = 1000;

    /// Open counters.
    pub(super) struct Group {
        opened: perf_event::Group,
        counters: Vec<Counter>,
        pub(super) events: Vec<Event>,
        /// The counts of an empty region.
        empty: Vec<f64>,
        regions: u32,
        /// The last values, and the times enabled and running.
        last: (Vec<u64>, [Duration; 2]),
    }

    fn builder(event: Event) -> Builder<'static> {
        let misses = |which| Cache { which, operation: CacheOp::READ, result: CacheResult::MISS };
        let mut builder = match event {
            Event::CoreCycles => Builder::new(Hardware::CPU_CYCLES),
            Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
            Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
            Event::FirstLevelMisses => Builder::new(misses(CacheId::L1D)),
            Event::LastLevelMisses => Builder::new(Hardware::CACHE_MISSES),
            Event::StallCycles => Builder::new(Hardware::STALLED_CYCLES_BACKEND),
            Event::TaskNanoseconds => Builder::new(Software::TASK_CLOCK),
            Event::PageFaults => Builder::new(Software::PAGE_FAULTS),
            Event::ContextSwitches => Builder::new(Software::CONTEXT_SWITCHES),
        };
        // The kernel switches contexts, so a counter of user code would stay zero.
        builder.exclude_kernel(event != Event::ContextSwitches);
        builder
    }

    impl Group {
        /// Opens those of the events that this CPU and system have.
        pub(super) fn open(events: &[Event]) -> Result<Group, Error> {
            let mut group = Group {
                opened: perf_event::Group::new()?,
                counters: Vec::new(),
                events: Vec::new(),
                empty: vec![0.0; events.len()],
                regions: 0,
                last: (vec![0; events.len()], [Duration::ZERO; 2]),
            };
            for (i, &event) in events.iter().enumerate() {
                match group.opened.add(&builder(event)) {
                    Ok(counter) => {
                        group.counters.push(counter);
                        group.events.push(event);
                    }
                    Err(error) if i == 0 && event == Event::CoreCycles => return Err(error),
                    Err(_) => {}
                }
            }
            for _ in 0..EMPTY {
                group.start();
                group.stop();
            }
            group.empty = group.take().0.iter().map(|sum| sum / f64::from(EMPTY)).collect();
            Ok(group)
        }
    }

    impl Source for Group {
        fn events(&self) -> &[Event] {
            &self.events
        }

        fn start(&mut self) {
            self.opened.enable().expect("the group is open");
        }

        fn stop(&mut self) {
            self.opened.disable().expect("the group is open");
            self.regions += 1;
        }

        fn take(&mut self) -> (Vec<f64>, f64) {
            let data = self.opened.read().expect("the group is open");
            let values: Vec<u64> = self.counters.iter().map(|counter| data[counter]).collect();
            let times = [data.time_enabled(), data.time_running()].map(Option::unwrap_or_default);
            let [enabled, running] =
                [0, 1].map(|i| times[i].saturating_sub(self.last.1[i]).as_secs_f64());
            let fraction = if enabled > 0.0 { running / enabled } else { 1.0 };
            let regions = f64::from(std::mem::take(&mut self.regions));
            let count = |i: usize| {
                let counted = (values[i] - self.last.0[i]) as f64 / fraction.max(1e-9);
                (counted - regions * self.empty[i]).max(0.0)
            };
            let counts = (0..values.len()).map(count).collect();
            self.last = (values, times);
            (counts, fraction)
        }
    }

    /// Why hardware counters are refused, and what would help, in one line.
    pub(super) fn advice(error: &Error, machine: &Machine) -> String {
        let help = match error.kind() {
            ErrorKind::PermissionDenied => {
                let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
                let level = level.unwrap_or_default();
                return format!(
                    "{error}: perf_event_paranoid is {}; `sysctl kernel.perf_event_paranoid=2` as \
                     root allows them, unless a container forbids perf_event_open",
                    level.trim()
                );
            }
            _ if machine.hypervisor == Some(true) => {
                "a virtual machine has them only if its host passes them on (a virtual PMU)"
            }
            _ => "this kernel has no driver for the counters of this CPU",
        };
        format!("{error}: {help}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The system's software counters count: this test's page faults and time.
        #[test]
        fn software_counters_count() {
            let Ok(mut group) = Group::open(GROUPS[3]) else { return };
            for bytes in [16 << 20, 0] {
                group.start();
                std::hint::black_box(vec![1_u8; bytes]);
                group.stop();
                let (counts, running) = group.take();
                let of = |event| counts[group.events.iter().position(|e| *e == event).unwrap()];
                assert!((0.99..=1.0).contains(&running), "{running}");
                assert_eq!(of(Event::PageFaults) > 7.0, bytes > 0, "{counts:?}");
                assert_eq!(of(Event::TaskNanoseconds) > 1e5, bytes > 0, "{counts:?}");
            }
        }

        #[test]
        fn refusals_name_the_remedy() {
            let [physical, virtual_machine] = [false, true]
                .map(|is_virtual| Machine { hypervisor: Some(is_virtual), ..Machine::default() });
            // EACCES and ENOENT.
            let [denied, missing] = [13, 2].map(Error::from_raw_os_error);
            assert!(advice(&denied, &physical).contains("perf_event_paranoid=2"));
            assert!(advice(&missing, &virtual_machine).contains("virtual PMU"));
            assert!(advice(&missing, &physical).contains("no driver"));
        }
    }
}
