//! The counters of the CPU and of Linux (perf events): instructions, cycles, mispredicted branches,
//! cache misses.
//!
//! Times are measured without counters. After the last pass, every contender runs again, with one
//! group of counters after the other, so counters cannot lengthen a time. Only user code is
//! counted. Starting and stopping the counters also counts, so the counts of an empty region are
//! subtracted.
//!
//! The hardware counters have not run on a machine that has them: those available were virtual and
//! had none. The software counters go through the same code, and tables of readings test it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::mem;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// What was counted per board, by the name in `columns::NUMBERS`.
pub type Counts = BTreeMap<String, f64>;

/// A count, or `None` if it is not measurable: within what empty regions count.
pub type Count = Option<f64>;

/// A group of counters that count at the same time.
pub trait Source {
    /// Starts or continues counting.
    fn start(&mut self);

    /// Stops counting.
    fn stop(&mut self);

    /// The counts since the last call, by name. Also the fraction of the counting time in which the
    /// counters ran: below 1 if other programs used the same registers meanwhile. Then the counts
    /// are estimates.
    fn take(&mut self) -> (Vec<(&'static str, Count)>, f64);
}

/// One reading of a group of counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Each counter's count since the last reading, in the order of the group's names.
    pub counts: Vec<u64>,
    /// For how long the counters have been enabled since they were opened.
    pub enabled: Duration,
    /// For how long they have run since they were opened.
    pub running: Duration,
}

/// A group of counters of the system, or a stand-in for one.
pub trait Registers {
    /// Starts or continues counting.
    fn enable(&mut self);

    /// Stops counting.
    fn disable(&mut self);

    /// Reads the counters and sets them to zero. The times continue.
    fn read(&mut self) -> Reading;
}

/// The number of groups of empty regions, and the number of regions in each.
const EMPTY: (usize, u32) = (100, 10);

/// What an empty region counts: the median of the groups' means, and the highest without one that
/// was disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Empty {
    middle: f64,
    highest: f64,
}

/// A group of open counters. It subtracts what empty regions count, and scales the counts of
/// counters that did not run all the time.
pub struct Group<R> {
    registers: R,
    /// Each counter's name and its count of an empty region.
    counters: Vec<(&'static str, Empty)>,
    /// The number of regions since the last reading.
    regions: u32,
    /// The times enabled and running until the last reading.
    times: [Duration; 2],
}

impl<R: Registers> Group<R> {
    /// A group of counters with these names, which counts empty regions first.
    pub fn new(registers: R, names: &[&'static str]) -> Group<R> {
        let counters = names.iter().map(|&name| (name, Empty::default())).collect();
        let mut group = Group { registers, counters, regions: 0, times: [Duration::ZERO; 2] };
        let mut means = vec![Vec::new(); names.len()];
        for _ in 0..EMPTY.0 {
            for _ in 0..EMPTY.1 {
                group.start();
                group.stop();
            }
            let (counts, fraction) = group.scaled();
            // Counters that did not run meanwhile counted nothing.
            for (means, count) in means.iter_mut().zip(counts).filter(|_| fraction > 0.0) {
                means.push(count / f64::from(EMPTY.1));
            }
        }
        for ((_, empty), mut means) in group.counters.iter_mut().zip(means) {
            means.sort_by(f64::total_cmp);
            if let Some(&highest) = means.get(means.len().saturating_sub(2)) {
                *empty = Empty { middle: means[means.len() / 2], highest };
            }
        }
        group.regions = 0;
        group
    }

    /// The counts since the last reading, scaled if the counters did not run all the time, and the
    /// fraction of the time in which they ran.
    fn scaled(&mut self) -> (Vec<f64>, f64) {
        let reading = self.registers.read();
        let times = [reading.enabled, reading.running];
        let before = mem::replace(&mut self.times, times);
        let [enabled, running] = [0, 1].map(|i| times[i].saturating_sub(before[i]).as_secs_f64());
        let fraction = if enabled > 0.0 { running / enabled } else { 1.0 };
        let scaled = reading.counts.iter().map(|&count| count as f64 / fraction.max(1e-9));
        (scaled.collect(), fraction)
    }
}

impl<R: Registers> Source for Group<R> {
    fn start(&mut self) {
        self.registers.enable();
    }

    fn stop(&mut self) {
        self.registers.disable();
        self.regions += 1;
    }

    /// A count that empty regions may have, too, is not measurable, unless these count nothing.
    fn take(&mut self) -> (Vec<(&'static str, Count)>, f64) {
        let (counts, fraction) = self.scaled();
        let regions = f64::from(mem::take(&mut self.regions));
        let count = |(&(name, empty), counted): (&(_, Empty), f64)| {
            let most = regions * empty.highest;
            let is_measurable = most == 0.0 || counted > most;
            (name, is_measurable.then_some(counted - regions * empty.middle))
        };
        (self.counters.iter().zip(counts).map(count).collect(), fraction)
    }
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
        match perf::open(counters) {
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
    use std::fs;
    use std::io::{Error, ErrorKind};

    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
    use perf_event::{Builder, Counter};

    use super::{Group, Reading, Registers};
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
    /// A group of counters of this system.
    pub(super) struct Opened {
        group: perf_event::Group,
        counters: Vec<Counter>,
    }

    /// Opens those of the counters that this CPU and system have. Fails if it has none.
    pub(super) fn open(counters: Counters) -> Result<Group<Opened>, Error> {
        let mut opened = Opened { group: perf_event::Group::new()?, counters: Vec::new() };
        let (mut names, mut refused) = (Vec::new(), None);
        for &(name, builder) in counters {
            match opened.group.add(&builder()) {
                Ok(counter) => {
                    opened.counters.push(counter);
                    names.push(name);
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        match refused.filter(|_| names.is_empty()) {
            Some(error) => Err(error),
            None => Ok(Group::new(opened, &names)),
        }
    }

    impl Registers for Opened {
        fn enable(&mut self) {
            self.group.enable().expect("the group is open");
        }

        fn disable(&mut self) {
            self.group.disable().expect("the group is open");
        }

        fn read(&mut self) -> Reading {
            let data = self.group.read().expect("the group is open");
            // This does not reset the times.
            self.group.reset().expect("the group is open");
            Reading {
                counts: self.counters.iter().map(|counter| data[counter]).collect(),
                enabled: data.time_enabled().unwrap_or_default(),
                running: data.time_running().unwrap_or_default(),
            }
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
        use crate::counters::Source as _;

        #[test]
        fn every_counter_has_a_column() {
            for (name, _) in GROUPS.concat() {
                assert!(NUMBERS.iter().any(|n| n.0 == name && n.3 == COUNTS), "{name}");
            }
        }

        /// The system's software counters count: this test's page faults and time.
        #[test]
        fn software_counters_count() {
            let Ok(mut group) = open(GROUPS[2]) else { return };
            for bytes in [16 << 20, 0] {
                group.start();
                std::hint::black_box(vec![1_u8; bytes]);
                group.stop();
                let (counts, running) = group.take();
                // Switches are missing if the system refuses counters that include the kernel.
                let of = |name| {
                    let count = counts.iter().find(|count| count.0 == name).expect(name).1;
                    count.unwrap_or_default()
                };
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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::time::Duration;

    use super::{Count, Group, Reading, Registers, Source as _};

    /// Counters whose readings are known in advance.
    struct Table(VecDeque<Reading>);

    impl Registers for Table {
        fn enable(&mut self) {}

        fn disable(&mut self) {}

        fn read(&mut self) -> Reading {
            self.0.pop_front().expect("as many readings as calls")
        }
    }

    /// A reading of two counters. The milliseconds are since the counters were opened.
    fn reading(counts: [u64; 2], [enabled, running]: [u64; 2]) -> Reading {
        let [enabled, running] = [enabled, running].map(Duration::from_millis);
        Reading { counts: counts.into(), enabled, running }
    }

    /// The readings of empty regions: 100 times ten regions. The first counter counts 5 in most of
    /// them, 6 in some, 4 in one group, and was disturbed once. The second counts nothing.
    fn empty() -> impl Iterator<Item = Reading> {
        (0..100_u64).map(|i| {
            let first = match i {
                0 => 990,
                1..40 => 60,
                99 => 40,
                _ => 50,
            };
            reading([first, 0], [i + 1, i + 1])
        })
    }

    /// Readings after some regions, and what they mean.
    #[test]
    fn readings_are_scaled_and_empty_regions_subtracted() {
        let table: [(u32, Reading, [Count; 2], f64); 8] = [
            (1, reading([105, 7], [110, 110]), [Some(100.0), Some(7.0)], 1.0),
            // Many regions: each has counted what an empty one does.
            (20, reading([1100, 5], [120, 120]), [Some(1000.0), Some(5.0)], 1.0),
            // The counters ran for a quarter of the time since the last reading, although they ran
            // for most of the time since they were opened.
            (4, reading([30, 3], [160, 130]), [Some(100.0), Some(12.0)], 0.25),
            // They ran all the time since then: nothing is scaled.
            (2, reading([50, 1], [170, 140]), [Some(40.0), Some(1.0)], 1.0),
            // What empty regions may count is not measurable. One that counts nothing is.
            (10, reading([60, 0], [180, 150]), [None, Some(0.0)], 1.0),
            (10, reading([61, 0], [180, 150]), [Some(11.0), Some(0.0)], 1.0),
            (10, reading([49, 0], [180, 150]), [None, Some(0.0)], 1.0),
            // No time has passed.
            (0, reading([0, 0], [180, 150]), [Some(0.0), Some(0.0)], 1.0),
        ];
        let readings = empty().chain(table.iter().map(|row| row.1.clone()));
        let mut group = Group::new(Table(readings.collect()), &["first", "second"]);
        for (regions, reading, expected, fraction) in table {
            for _ in 0..regions {
                group.start();
                group.stop();
            }
            let expected = vec![("first", expected[0]), ("second", expected[1])];
            assert_eq!(group.take(), (expected, fraction), "{reading:?}");
        }
    }

    /// Groups of empty regions in which the counters did not run say nothing.
    #[test]
    fn empty_regions_without_counters_are_left_out() {
        let third = |i: u64| reading([if i.is_multiple_of(3) { 50 } else { 0 }, 0], [i, i / 3]);
        let readings = (1..=100).map(third).chain([reading([105, 1], [200, 133])]);
        let mut group = Group::new(Table(readings.collect()), &["first", "second"]);
        group.start();
        group.stop();
        assert_eq!(group.take(), (vec![("first", Some(100.0)), ("second", Some(1.0))], 1.0));
    }

    /// The counts of empty regions are scaled, too, if other programs use the registers meanwhile.
    #[test]
    fn empty_regions_are_scaled() {
        let half = |i: u64| reading([10, 0], [2 * i, i]);
        let readings = (1..=100).map(half).chain([reading([12, 1], [300, 200])]);
        let mut group = Group::new(Table(readings.collect()), &["first", "second"]);
        group.start();
        group.stop();
        assert_eq!(group.take(), (vec![("first", Some(10.0)), ("second", Some(1.0))], 1.0));
    }
}
