//! The counters of the CPU and of Linux (perf events): instructions, cycles, mispredicted branches,
//! cache misses.
//!
//! Times are measured without counters. After the last pass, every contender runs again, with one
//! group of counters after the other, so counters cannot lengthen a time. Only user code is
//! counted. Starting and stopping the counters also counts, so the counts of an empty region are
//! subtracted.
//!
//! The hardware counters have not run on a machine that has them: those available were virtual and
//! had none. The software counters go through the same code.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// What was counted per board, by the name in `columns::NUMBERS`.
pub type Counts = BTreeMap<String, f64>;

/// A group of counters that count at the same time.
pub trait Source {
    /// Starts or continues counting.
    fn start(&mut self);

    /// Stops counting.
    fn stop(&mut self);

    /// The counts since the last call, by name. Also the fraction of the counting time in which the
    /// counters ran: below 1 if other programs used the same registers meanwhile. Then the counts
    /// are estimates.
    fn take(&mut self) -> (Vec<(&'static str, f64)>, f64);
}

/// The counters of a run, and why the system refuses hardware counters.
pub type Opened = (Vec<Box<dyn Source>>, Option<String>);

/// What a run counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// The names of the counters.
    pub events: Vec<String>,
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
        let names = self.events.join(", ").replace('_', " ");
        let mut line = if names.is_empty() { "none".into() } else { names };
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

/// Opens the counters that the system allows.
#[cfg(target_os = "linux")]
#[must_use]
pub fn open(machine: &Machine) -> Opened {
    let (mut sources, mut refused): Opened = Default::default();
    for counters in perf::GROUPS {
        match perf::Group::open(counters) {
            Ok(group) => sources.push(Box::new(group)),
            // The hardware counters come first.
            Err(error) if sources.is_empty() => {
                refused = refused.or_else(|| Some(perf::advice(&error, machine)));
            }
            Err(_) => {}
        }
    }
    (sources, refused)
}

/// No counters: they are Linux's.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn open(_: &Machine) -> Opened {
    (Vec::new(), Some("counters need Linux".into()))
}

#[cfg(target_os = "linux")]
mod perf {
    use std::io::{Error, ErrorKind};
    use std::time::Duration;
    use std::{fs, mem};

    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
    use perf_event::{Builder, Counter};

    use super::Source;
    use crate::machine::Machine;

    type Counters = &'static [(&'static str, fn() -> Builder<'static>)];

    const L1D_MISSES: Cache =
        Cache { which: CacheId::L1D, operation: CacheOp::READ, result: CacheResult::MISS };

    /// Every counter. A group of hardware counters fits in four registers, one of which a watchdog
    /// may use.
    pub(super) const GROUPS: [Counters; 3] = [
        &[
            ("core_cycles", || Builder::new(Hardware::CPU_CYCLES)),
            ("instructions", || Builder::new(Hardware::INSTRUCTIONS)),
            ("branch_misses", || Builder::new(Hardware::BRANCH_MISSES)),
        ],
        &[
            ("first_level_misses", || Builder::new(L1D_MISSES)),
            // Misses as Linux defines them: on AMD, of the second level.
            ("last_level_misses", || Builder::new(Hardware::CACHE_MISSES)),
            // Cycles in which the back end waits, mostly for memory. Many CPUs lack this.
            ("stall_cycles", || Builder::new(Hardware::STALLED_CYCLES_BACKEND)),
        ],
        &[
            ("task_nanoseconds", || Builder::new(Software::TASK_CLOCK)),
            ("page_faults", || Builder::new(Software::PAGE_FAULTS)),
            // The kernel switches contexts, so a counter of user code would stay zero.
            ("context_switches", || {
                let mut builder = Builder::new(Software::CONTEXT_SWITCHES);
                builder.include_kernel();
                builder
            }),
        ],
    ];
    /// The number of empty regions whose counts are averaged.
    const EMPTY: u32 = 1000;

    /// A group of open counters.
    pub(super) struct Group {
        opened: perf_event::Group,
        /// Each counter with its name and its count of an empty region.
        counters: Vec<(&'static str, Counter, f64)>,
        /// The number of regions since the last reading.
        regions: u32,
        /// The times enabled and running until the last reading.
        times: [Duration; 2],
    }

    impl Group {
        /// Opens those of the counters that this CPU and system have. Fails if it has none.
        pub(super) fn open(counters: Counters) -> Result<Group, Error> {
            let (opened, times) = (perf_event::Group::new()?, [Duration::ZERO; 2]);
            let mut group = Group { opened, counters: Vec::new(), regions: 0, times };
            let mut refused = None;
            for &(name, builder) in counters {
                match group.opened.add(&builder()) {
                    Ok(counter) => group.counters.push((name, counter, 0.0)),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
            if let Some(error) = refused.filter(|_| group.counters.is_empty()) {
                return Err(error);
            }
            for _ in 0..EMPTY {
                group.start();
                group.stop();
            }
            let (sums, _) = group.take();
            for (counter, (_, sum)) in group.counters.iter_mut().zip(sums) {
                counter.2 = sum / f64::from(EMPTY);
            }
            Ok(group)
        }
    }

    impl Source for Group {
        fn start(&mut self) {
            self.opened.enable().expect("the group is open");
        }

        fn stop(&mut self) {
            self.opened.disable().expect("the group is open");
            self.regions += 1;
        }

        fn take(&mut self) -> (Vec<(&'static str, f64)>, f64) {
            let data = self.opened.read().expect("the group is open");
            self.opened.reset().expect("the group is open");
            // These times are never reset.
            let times = [data.time_enabled(), data.time_running()].map(Option::unwrap_or_default);
            let before = mem::replace(&mut self.times, times);
            let [enabled, running] =
                [0, 1].map(|i| times[i].saturating_sub(before[i]).as_secs_f64());
            let fraction = if enabled > 0.0 { running / enabled } else { 1.0 };
            let regions = f64::from(mem::take(&mut self.regions));
            let count = |(name, counter, empty): &(_, Counter, f64)| {
                let counted = data[counter] as f64 / fraction.max(1e-9);
                (*name, (counted - regions * empty).max(0.0))
            };
            (self.counters.iter().map(count).collect(), fraction)
        }
    }

    /// Why hardware counters are refused, and what would help, in one line.
    pub(super) fn advice(error: &Error, machine: &Machine) -> String {
        if error.kind() == ErrorKind::PermissionDenied {
            let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            return format!(
                "{error}: perf_event_paranoid is {}; `sysctl kernel.perf_event_paranoid=2` as root \
                 allows them, unless a container forbids perf_event_open",
                level.unwrap_or_default().trim()
            );
        }
        let help = if machine.hypervisor == Some(true) {
            "a virtual machine has them only if its host passes them on (a virtual PMU)"
        } else {
            "this kernel has no driver for the counters of this CPU"
        };
        format!("{error}: {help}")
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::columns::{COUNTS, NUMBERS};

        #[test]
        fn every_counter_has_a_column() {
            for (name, _) in GROUPS.concat() {
                assert!(NUMBERS.iter().any(|n| n.0 == name && n.3 == COUNTS), "{name}");
            }
        }

        /// The system's software counters count: this test's page faults and time.
        #[test]
        fn software_counters_count() {
            let Ok(mut group) = Group::open(GROUPS[2]) else { return };
            for bytes in [16 << 20, 0] {
                group.start();
                std::hint::black_box(vec![1_u8; bytes]);
                group.stop();
                let (counts, running) = group.take();
                // Switches are missing if the system refuses counters that include the kernel.
                let of = |name| counts.iter().find(|count| count.0 == name).expect(name).1;
                assert!((0.99..=1.0).contains(&running), "{running}");
                assert_eq!(of("task_nanoseconds") > 1e5, bytes > 0, "{counts:?}");
                assert_eq!(of("page_faults") > 7.0, bytes > 0, "{counts:?}");
            }
        }

        #[test]
        fn refusals_name_the_remedy() {
            // EACCES and ENOENT.
            for (code, is_virtual, remedy) in [
                (13, false, "perf_event_paranoid=2"),
                (2, true, "virtual PMU"),
                (2, false, "no driver"),
            ] {
                let machine = Machine { hypervisor: Some(is_virtual), ..Machine::default() };
                let advice = advice(&Error::from_raw_os_error(code), &machine);
                assert!(advice.contains(remedy), "{advice}");
            }
        }
    }
}
