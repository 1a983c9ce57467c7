//! A part of a run: one race of one section.

use crate::clock::Meter;
use crate::figures::Figure;

/// A contender's name and its first wrong result.
pub(crate) type Wrong = (&'static str, String);

/// A race of one section. A run checks its contenders, times a few rounds of it in every pass, and
/// collects its figures.
pub(crate) trait Job {
    /// The name of the job's step, for the progress.
    fn step(&self) -> String;

    /// Compares all results with the oracle's.
    fn check(&self) -> Vec<Wrong>;

    /// Removes all contenders with these names.
    fn remove(&mut self, names: &[&str]);

    /// Times a few rounds of all contenders, or counts one.
    fn rounds(&mut self, meter: &mut Meter);

    /// The figures of all rounds.
    fn figures(&self) -> Vec<Figure>;
}
