//! A part of a run: one race of one section.

use crate::clock::Meter;
use crate::contender::Contender;
use crate::copy_xor;
use crate::counters::Count;
use crate::figures::{Added, Figure, Kind, Section};
use crate::names::BASELINE;
use crate::number::round;
use crate::race::Race;

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

    /// The times that calls add to other code, if the job measures such times.
    fn added(&self) -> Vec<Added> {
        Vec::new()
    }
}

/// What one race of the benchmark measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: Section,
    pub(crate) operation: String,
    pub(crate) input: &'static str,
    pub(crate) boards_a_call: usize,
    /// Boards per iteration.
    pub(crate) boards: usize,
    pub(crate) bytes_a_board: usize,
}

impl Setting {
    /// The figures of contenders in one setting, from the times of a race whose samples are times
    /// of `share` boards.
    pub(crate) fn figures<C>(
        &self,
        contenders: &[Contender<C>],
        (race, share): (&Race, usize),
    ) -> Vec<Figure> {
        let times = &race.times;
        let place = |name: &str| contenders.iter().position(|one| one.name == name);
        let [scalar, copy] = [BASELINE, copy_xor::NAME].map(place);
        let figure = |(i, contender): (usize, &Contender<C>)| {
            let ns = times.nanoseconds(i, share);
            let to = |other: Option<usize>| Some(times.ratio(i, other?));
            let counted = race.counts.get(i).map(Vec::as_slice).unwrap_or_default();
            let names = |&(name, count): &(&str, Count)| count.is_none().then(|| name.into());
            Figure {
                section: self.section,
                operation: self.operation.clone(),
                input: self.input.into(),
                contender: contender.name.into(),
                shared_by: contender.shared_by.iter().map(ToString::to_string).collect(),
                kind: contender.kind,
                boards_a_call: self.boards_a_call,
                boards: self.boards,
                bytes_a_board: self.bytes_a_board,
                ns,
                boards_per_second: round(1e9 / ns.median),
                to_scalar: to(scalar).filter(|_| contender.kind != Kind::Roof),
                to_copy: to(copy),
                counts: counted.iter().filter_map(|&(name, n)| Some((name.into(), n?))).collect(),
                not_measurable: counted.iter().filter_map(names).collect(),
            }
        };
        contenders.iter().enumerate().map(figure).collect()
    }
}
