//! Hardware counters. They need Linux on a common architecture (`has_counters` in `build.rs`), the
//! feature `counters` and permission from the system.

use serde::{Deserialize, Serialize};

/// Hardware counts per board.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Retired instructions.
    pub instructions: f64,
    /// Core cycles.
    pub cycles: f64,
    /// Instructions per cycle.
    pub ipc: f64,
    /// Branch mispredictions.
    pub branch_misses: f64,
    /// Cycles per nanosecond: the clock under this load.
    pub clock_ghz: f64,
}

#[cfg(has_counters)]
mod linux {
    use std::io;
    use std::time::Instant;

    use perf_event::events::Hardware;
    use perf_event::{Builder, Counter, Group};
    use rustix::io::Errno;

    use super::Counts;
    use crate::number::round;

    /// The counters of this thread.
    pub struct Counters {
        group: Group,
        counters: [Counter; 3],
    }

    impl Counters {
        /// Opens the counters.
        ///
        /// # Errors
        /// If the machine has none, or if the system does not allow them.
        pub fn open() -> Result<Counters, String> {
            let mut opened = Counters::try_open().map_err(|error| reason(&error))?;
            let spin = || {
                std::hint::black_box((0..1000).fold(0u64, |sum, i| sum ^ i));
            };
            if opened.count(1, spin).is_none() {
                return Err("they stay at zero, as in some virtual machines".into());
            }
            Ok(opened)
        }

        fn try_open() -> io::Result<Counters> {
            let mut group = Group::new()?;
            let mut add = |event| group.add(&Builder::new(event));
            let counters = [
                add(Hardware::INSTRUCTIONS)?,
                add(Hardware::CPU_CYCLES)?,
                add(Hardware::BRANCH_MISSES)?,
            ];
            Ok(Counters { group, counters })
        }

        /// Counts events while `run` computes `boards` boards. Returns `None` if the counters
        /// cannot be read or stayed at zero.
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

    /// Explains an error of `perf_event_open` to the user.
    pub(super) fn reason(error: &io::Error) -> String {
        match Errno::from_io_error(error) {
            Some(Errno::NOENT | Errno::NODEV | Errno::OPNOTSUPP) => {
                "this machine offers none, which is usual for virtual machines".into()
            }
            Some(Errno::ACCESS | Errno::PERM) => "the system does not allow them (Linux: set \
                 kernel.perf_event_paranoid to 2; containers also need the capability PERFMON)"
                .into(),
            Some(Errno::NOSYS) => "this system was built without them".into(),
            _ => format!("the system reports: {error}"),
        }
    }
}

#[cfg(has_counters)]
pub use linux::Counters;

/// A placeholder type without values, because counters are not compiled in.
#[cfg(not(has_counters))]
pub struct Counters(std::convert::Infallible);

#[cfg(not(has_counters))]
impl Counters {
    /// Always fails.
    ///
    /// # Errors
    /// Always: counters are not compiled in.
    pub fn open() -> Result<Counters, String> {
        Err("not compiled in (they need Linux and the cargo feature `counters`)".into())
    }

    /// Cannot be called, because this type has no values.
    pub fn count(&mut self, _: usize, _: impl FnOnce()) -> Option<Counts> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::Counters;

    #[test]
    fn counters_count_or_give_a_reason() {
        match Counters::open() {
            Ok(mut counters) => {
                let counts = counters.count(1, || {
                    std::hint::black_box((0..1000).fold(0u64, |sum, i| sum ^ i));
                });
                assert!(counts.is_none_or(|counts| counts.instructions > 0.0));
            }
            Err(reason) => {
                // On a machine without counters, the reason is not the text of a system error.
                assert!(!reason.is_empty() && !reason.contains("os error"), "{reason}");
            }
        }
    }

    #[cfg(has_counters)]
    #[test]
    fn errors_are_explained() {
        use rustix::io::Errno;

        let reason = |errno: Errno| super::linux::reason(&errno.into());
        assert!(reason(Errno::NOENT).contains("usual for virtual machines"));
        assert!(reason(Errno::ACCESS).contains("perf_event_paranoid"));
        assert_eq!(reason(Errno::PERM), reason(Errno::ACCESS));
        assert!(reason(Errno::MFILE).contains("os error"));
    }
}
