//! The eight symmetries of the board, applied to operations, their inputs and their results.

use setwise::reflection::{Argument, Element, Parameter, Role};
use setwise::{Direction, Line};
use setwise_check::Operation;
use setwise_check::oracle::{Place, Step, Steps as _, step};

/// A symmetry. The ranks can only be mirrored together with the colours, because of pawns.
#[derive(Clone, Copy)]
pub(crate) struct Symmetry {
    /// Files become ranks, before any other change.
    transposed: bool,
    /// The files are mirrored.
    mirrored: bool,
    /// The ranks are mirrored, and the colours are exchanged.
    flipped: bool,
}

impl Symmetry {
    pub(crate) fn all() -> impl Iterator<Item = Symmetry> {
        (1..8).map(|n| Symmetry {
            transposed: n & 1 != 0,
            mirrored: n & 2 != 0,
            flipped: n & 4 != 0,
        })
    }

    fn step(self, Step { east, north }: Step) -> Step {
        let (east, north) = if self.transposed { (north, east) } else { (east, north) };
        step(if self.mirrored { -east } else { east }, if self.flipped { -north } else { north })
    }

    fn set(self, set: u64) -> u64 {
        let transposed = |Place { file, rank }| Place { file: rank, rank: file }.alone();
        let set = if self.transposed { Place::of(set).map(transposed).sum() } else { set };
        let set = if self.mirrored { set.reverse_bits().swap_bytes() } else { set };
        if self.flipped { set.swap_bytes() } else { set }
    }

    fn direction(self, direction: Direction) -> Direction {
        let mapped = self.step(direction.steps()[0]);
        let found = Direction::ALL.into_iter().find(|d| d.steps()[0] == mapped);
        found.expect("a symmetry maps directions to directions")
    }

    /// The operation that does the same on the transformed board. `None` if pawns would move
    /// sideways.
    pub(crate) fn operation(self, operation: &Operation) -> Option<Operation> {
        let has_pawns = |input: &Argument| matches!(input.role(), Role::Pawns | Role::Positions);
        if self.transposed && operation.info.inputs().iter().any(has_pawns) {
            return None;
        }
        let value = usize::from(operation.parameter);
        let parameter = match operation.info.parameter() {
            Some(Parameter::Direction) => self.direction(Direction::ALL[value]) as u8,
            Some(Parameter::Line) => {
                Line::along(self.direction(Line::ALL[value].directions()[0])) as u8
            }
            Some(Parameter::Side) => operation.parameter ^ u8::from(self.flipped),
            _ => operation.parameter,
        };
        Some(Operation { parameter, ..*operation })
    }

    /// Transforms the words of one board's inputs or results.
    pub(crate) fn row(self, arguments: &[Argument], mut words: &[u64]) -> Vec<u64> {
        let mut row = vec![];
        for argument in arguments {
            let element = argument.element();
            let words = words.split_off(..element.words()).expect("the words of an element");
            row.extend(self.element(element, words));
        }
        row
    }

    fn element(self, element: Element, words: &[u64]) -> Vec<u64> {
        let mut words: Vec<u64> = match element {
            Element::Square => vec![self.set(1 << words[0]).trailing_zeros().into()],
            Element::Count => vec![words[0]],
            _ => words.iter().map(|&set| self.set(set)).collect(),
        };
        if self.flipped {
            // First come the sets by side and kind of piece, then pairs of sets, one of each side.
            let by_kind = if element == Element::Checks { 0 } else { 12.min(words.len()) };
            let (by_kind, by_side) = words.split_at_mut(by_kind);
            if element.words() > 1 {
                by_kind.rotate_left(by_kind.len() / 2);
                by_side.as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.swap(0, 1));
            }
        }
        words
    }
}
