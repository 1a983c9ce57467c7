//! Hardware counters, where the system allows them: Linux, with the feature `counters`.

use serde::{Deserialize, Serialize};

/// What was counted for a board.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions that retired.
    pub instructions: f64,
    /// Cycles of the core.
    pub cycles: f64,
    /// Instructions in a cycle.
    pub ipc: f64,
    /// Branches that were predicted wrong.
    pub branch_misses: f64,
    /// Cycles in a nanosecond: the clock under this load.
    pub clock_ghz: f64,
}

#[cfg(all(target_os = "linux", feature = "counters"))]
mod linux {
    use std::time::Instant;

    use perf_event::events::Hardware;
    use perf_event::{Builder, Counter, Group};

    use super::Counts;
    use crate::machine::round;

    /// The counters of this thread.
    pub struct Counters {
        group: Group,
        counters: [Counter; 3],
    }

    impl Counters {
        /// Opens them.
        ///
        /// # Errors
        /// Why the system does not allow it.
        pub fn open() -> Result<Counters, String> {
            let told = |error| format!("the system gives none: {error}");
            let mut group = Group::new().map_err(told)?;
            let mut add = |event| group.add(&Builder::new(event)).map_err(told);
            let counters = [
                add(Hardware::INSTRUCTIONS)?,
                add(Hardware::CPU_CYCLES)?,
                add(Hardware::BRANCH_MISSES)?,
            ];
            Ok(Counters { group, counters })
        }

        /// Counts while something computes so many boards. Nothing if the counters gave nothing.
        pub fn count(&mut self, boards: usize, run: impl FnOnce()) -> Option<Counts> {
            self.group.reset().ok()?;
            let started = Instant::now();
            self.group.enable().ok()?;
            run();
            self.group.disable().ok()?;
            let nanoseconds = started.elapsed().as_nanos() as f64;
            let read = self.group.read().ok()?;
            let [instructions, cycles, misses] = [0, 1, 2].map(|i| read[&self.counters[i]] as f64);
            if cycles == 0.0 {
                return None;
            }
            Some(Counts {
                instructions: round(instructions / boards as f64),
                cycles: round(cycles / boards as f64),
                ipc: round(instructions / cycles),
                branch_misses: round(misses / boards as f64),
                clock_ghz: round(cycles / nanoseconds),
            })
        }
    }
}

#[cfg(all(target_os = "linux", feature = "counters"))]
pub use linux::Counters;

/// The counters of this thread: none.
#[cfg(not(all(target_os = "linux", feature = "counters")))]
pub struct Counters(std::convert::Infallible);

#[cfg(not(all(target_os = "linux", feature = "counters")))]
impl Counters {
    /// Never opens them.
    ///
    /// # Errors
    /// Always: they are not compiled in.
    pub fn open() -> Result<Counters, String> {
        Err("they are not compiled in (cargo feature `counters`, on Linux)".into())
    }

    /// Never called.
    pub fn count(&mut self, _: usize, _: impl FnOnce()) -> Option<Counts> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::Counters;

    /// Counts, or says why not.
    #[test]
    fn counts_or_says_why_not() {
        match Counters::open() {
            Ok(mut counters) => {
                let counts = counters.count(1, || {
                    std::hint::black_box((0..1000).fold(0u64, |sum, i| sum ^ i));
                });
                assert!(counts.is_none_or(|counts| counts.instructions > 0.0));
            }
            Err(why) => assert!(!why.is_empty()),
        }
    }
}
