//! Trials of both ways to write a long batch: streamed past the caches, or stored in the ordinary
//! way.
//!
//! Which one is faster depends on the CPU and its memory, so each entry point finds out in its
//! first long calls. Without `std` there is no clock, and no long batch is streamed unless the
//! program sets [`Mode::Always`].

use core::sync::atomic::{AtomicU8, Ordering};

/// The way in which long batches are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Mode {
    /// Parts are streamed or stored, as the entry point's trials decide.
    Measured = 0,
    Always = 1,
    Never = 2,
}

static MODE: AtomicU8 = AtomicU8::new(Mode::Measured as u8);

impl Mode {
    pub(crate) fn current() -> Mode {
        match MODE.load(Ordering::Relaxed) {
            1 => Mode::Always,
            2 => Mode::Never,
            _ => Mode::Measured,
        }
    }

    pub(crate) fn set(self) {
        MODE.store(self as u8, Ordering::Relaxed);
    }
}

/// Maximum length of a part, in bytes of results. Each part of a batch is written in one way,
/// streamed or stored. Smaller in tests, to save time.
const PART: usize = if cfg!(test) { 4096 } else { 16 << 20 };

#[cfg(not(feature = "std"))]
pub(crate) struct Trials;

#[cfg(not(feature = "std"))]
impl Trials {
    pub(crate) const fn new() -> Self {
        Trials
    }

    #[allow(clippy::unused_self, reason = "the version with `std` uses `self`")]
    pub(super) fn bytes_per_part(&self, _mode: Mode, _threshold: usize) -> usize {
        PART
    }

    /// Writes a part by calling `write`, with true if the part is to be streamed.
    #[allow(clippy::unused_self, reason = "the version with `std` uses `self`")]
    pub(super) fn part(&self, mode: Mode, _whole: bool, write: impl FnOnce(bool)) {
        write(mode == Mode::Always);
    }
}

#[cfg(feature = "std")]
pub(crate) use measured::Trials;

#[cfg(feature = "std")]
mod measured {
    use core::sync::atomic::{AtomicU32, Ordering};
    use std::time::Instant;

    use super::{Mode, PART};

    /// The trials of one entry point, in rounds of four parts: two streamed, two stored. Only the
    /// second part of each pair is timed. During the first part, the caches still write back data
    /// that the other way has left in them.
    pub(crate) struct Trials {
        /// Number of parts begun.
        parts: AtomicU32,
        /// The shortest times for a part, in nanoseconds: stored, streamed.
        shortest: [AtomicU32; 2],
    }

    /// How to write a part.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(super) struct Way {
        pub(super) streams: bool,
        pub(super) timed: bool,
    }

    const ROUNDS: u32 = 3;
    pub(super) const PARTS: u32 = 4 * ROUNDS;

    impl Trials {
        pub(crate) const fn new() -> Self {
            let shortest = [AtomicU32::new(u32::MAX), AtomicU32::new(u32::MAX)];
            Trials { parts: AtomicU32::new(0), shortest }
        }

        /// The length of the parts of a call, in bytes of results. Until both ways are measured, it
        /// is at most the threshold, so that every long call contains a whole part.
        pub(in crate::kernels::generic) fn bytes_per_part(
            &self,
            mode: Mode,
            threshold: usize,
        ) -> usize {
            if mode == Mode::Measured && self.parts.load(Ordering::Relaxed) < PARTS {
                PART.min(threshold)
            } else {
                PART
            }
        }

        /// Writes a part by calling `write`, with true if the part is to be streamed. Only whole
        /// parts count as trials.
        pub(in crate::kernels::generic) fn part(
            &self,
            mode: Mode,
            whole: bool,
            write: impl FnOnce(bool),
        ) {
            let way = self.next(mode, whole);
            let start = way.timed.then(Instant::now);
            write(way.streams);
            if let Some(start) = start {
                self.record(way, start.elapsed().as_nanos());
            }
        }

        pub(super) fn next(&self, mode: Mode, whole: bool) -> Way {
            let untimed = |streams| Way { streams, timed: false };
            match mode {
                Mode::Always => return untimed(true),
                Mode::Never => return untimed(false),
                Mode::Measured => {}
            }
            let mut part = self.parts.load(Ordering::Relaxed);
            if part < PARTS && whole {
                part = self.parts.fetch_add(1, Ordering::Relaxed);
            }
            if part < PARTS {
                return Way { streams: part % 4 < 2, timed: whole && part % 2 == 1 };
            }
            let [stored, streamed] = self.shortest.each_ref().map(|t| t.load(Ordering::Relaxed));
            untimed(streamed <= stored)
        }

        pub(super) fn record(&self, way: Way, nanoseconds: u128) {
            let time = u32::try_from(nanoseconds).unwrap_or(u32::MAX);
            self.shortest[usize::from(way.streams)].fetch_min(time, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::time::Duration;

    use super::measured::PARTS;
    use super::{Mode, PART, Trials};

    /// Tests both outcomes, first with given times, then with a clock.
    #[test]
    fn the_faster_way_wins() {
        for (stored, streamed) in [(90, 100), (100, 90), (100, 100)] {
            let trials = Trials::new();
            let mut ways = vec![];
            for part in 0..PARTS {
                let way = trials.next(Mode::Measured, true);
                ways.push(way.streams);
                assert_eq!(way.timed, part % 2 == 1);
                if way.timed {
                    // Simulates a disturbance of the faster way in the first round.
                    let time = if way.streams { streamed } else { stored };
                    let is_disturbed = part < 4 && time == stored.min(streamed);
                    trials.record(way, if is_disturbed { 1000 } else { time });
                }
            }
            assert_eq!(ways.iter().filter(|streams| **streams).count(), ways.len() / 2);
            for whole in [true, false] {
                let way = trials.next(Mode::Measured, whole);
                assert_eq!((way.streams, way.timed), (streamed <= stored, false));
            }
            assert!(trials.next(Mode::Always, true).streams);
            assert!(!trials.next(Mode::Never, true).streams);
        }
        for slow in [true, false] {
            let trials = Trials::new();
            let wait = |streams| {
                if streams == slow {
                    std::thread::sleep(Duration::from_millis(3));
                }
            };
            (0..PARTS).for_each(|_| trials.part(Mode::Measured, true, wait));
            assert_eq!(trials.next(Mode::Measured, true).streams, !slow);
        }
    }

    /// Calls longer than a lowered threshold but shorter than `PART` also count as trials.
    #[test]
    fn undecided_parts_are_as_short_as_the_threshold() {
        let trials = Trials::new();
        for (mode, threshold, bytes) in [
            (Mode::Measured, PART / 2, PART / 2),
            (Mode::Measured, usize::MAX, PART),
            (Mode::Always, PART / 2, PART),
            (Mode::Never, PART / 2, PART),
        ] {
            assert_eq!(trials.bytes_per_part(mode, threshold), bytes, "{mode:?} {threshold}");
        }
        (0..PARTS).for_each(|_| trials.part(Mode::Measured, true, |_| ()));
        assert_eq!(trials.bytes_per_part(Mode::Measured, PART / 2), PART);
    }

    #[test]
    fn short_parts_are_no_trials_and_modes_decide_at_once() {
        let trials = Trials::new();
        for mode in [Mode::Measured, Mode::Always, Mode::Never] {
            for _ in 0..2 * PARTS {
                let way = trials.next(mode, mode != Mode::Measured);
                assert_eq!((way.streams, way.timed), (mode != Mode::Never, false));
            }
        }
        assert!(trials.next(Mode::Measured, true).streams);
        assert!(trials.next(Mode::Measured, true).timed);
    }

    /// Both ways are measured and one is chosen, even if many threads run trials at once.
    #[test]
    fn many_threads() {
        let trials = Trials::new();
        std::thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let wait = |streams| {
                        if streams {
                            std::thread::sleep(Duration::from_millis(2));
                        }
                    };
                    (0..PARTS).for_each(|_| trials.part(Mode::Measured, true, wait));
                });
            }
        });
        assert!(!trials.next(Mode::Measured, true).streams);
    }
}
