//! Operations and their oracles.

use setwise::position::{AttackMaps, Checks, Position};
use setwise::reflection::{Argument, OPERATIONS, OperationInfo, Parameter, Role};
use setwise::{Direction, Line, Side};

use crate::functions::value;
use crate::oracle::Steps as _;

/// An operation with one value of its parameter.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The operation's description.
    pub info: &'static OperationInfo,
    /// The value of the operation's parameter; 0 if it has none.
    pub parameter: u8,
}

impl Operation {
    /// Every operation of [`OPERATIONS`], with every value of its parameter.
    pub fn all() -> impl Iterator<Item = Operation> {
        OPERATIONS.iter().flat_map(|info| {
            let values = info.parameter().map_or(1, |parameter| parameter.names().len());
            (0..values as u8).map(move |parameter| Operation { info, parameter })
        })
    }

    /// The operation with this [title](Operation::title).
    pub fn named(title: &str) -> Option<Operation> {
        Operation::all().find(|operation| operation.title() == title)
    }

    /// The operation's name and, if it has a parameter, the value's name: `ray_attacks north-east`.
    pub fn title(&self) -> String {
        let value = self.info.parameter().map(|p| p.names()[usize::from(self.parameter)]);
        value.map_or(self.info.name().into(), |value| format!("{} {value}", self.info.name()))
    }

    /// The operation's inputs, then its outputs.
    pub fn arguments(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.info.inputs().iter().chain(self.info.outputs())
    }

    /// The directions in which the pieces of an argument move. For kings, all directions, because a
    /// piece can be pinned to a king in any of them.
    pub fn directions(&self, argument: &Argument) -> Vec<Direction> {
        match argument.of().unwrap_or(argument.role()) {
            Role::Rooks => Direction::ORTHOGONAL.into(),
            Role::Bishops => Direction::DIAGONAL.into(),
            Role::Sliders | Role::Generators => match self.info.parameter() {
                Some(Parameter::Direction) => vec![Direction::ALL[usize::from(self.parameter)]],
                Some(Parameter::Line) => Line::ALL[usize::from(self.parameter)].directions().into(),
                _ => vec![],
            },
            Role::Queens | Role::Squares | Role::Kings => Direction::ALL.into(),
            _ => vec![],
        }
    }

    /// The arguments for a kernel's one-board C function ([`OperationInfo::by_value`]), as words in
    /// the order of the C declaration. A function with one result returns it. Other functions write
    /// all results to `results`.
    pub fn arguments_by_value(&self, words: &[u64], results: &mut [u64]) -> Vec<u64> {
        let mut arguments = if self.info.parameter().is_some() {
            let (pieces, occupied) = words.split_at(6);
            vec![self.parameter.into(), pieces.as_ptr().addr() as u64, occupied[0]]
        } else {
            words.to_vec()
        };
        if self.info.outputs().len() > 1 {
            arguments.push(results.as_mut_ptr().addr() as u64);
        }
        arguments
    }

    /// The expected results for one board, as
    /// [words](setwise::reflection::Element::words).
    pub fn oracle(&self, words: &[u64]) -> Vec<u64> {
        answer(self.info.name(), self.parameter, words)
    }
}

/// The oracle's functions under the names of the operations.
mod by_name {
    pub(super) use crate::oracle::{
        bishop_attacks as bishop_attacks_one, doubly_attacked as doubly_attacked_one,
        queen_attacks as queen_attacks_one, rook_attacks as rook_attacks_one,
        side_attacks as side_attacks_one, slider_attacks as slider_attacks_one,
        sliders_by_kind as sliders_by_kind_one, *,
    };
}

macro_rules! oracles {
    ([] $($list:ident { $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })* })*) => {
        fn answer(name: &str, _parameter: u8, words: &[u64]) -> Vec<u64> {
            let mut words = words;
            match name {
                $($($(stringify!($name) => {
                    $(let $input = argument!($In words);)*
                    assert!(words.is_empty(), "{name}: more words than inputs");
                    by_name::$name($(&value!($Parameter _parameter).steps(),)? $($input),*).into_words()
                })*)*)*
                _ => panic!("no operation `{name}`"),
            }
        }
    };
}

macro_rules! argument {
    (Positions $words:ident) => {
        &position(&mut $words)
    };
    ($Role:ident $words:ident) => {
        *$words.split_off_first().expect("a word for each argument")
    };
}

setwise::operations!(oracles);

fn position(words: &mut &[u64]) -> Position {
    let position = words.split_off(..12).expect("twelve words for a position");
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(position))
}

trait IntoWords {
    fn into_words(self) -> Vec<u64>;
}

impl<const N: usize> IntoWords for [u64; N] {
    fn into_words(self) -> Vec<u64> {
        self.into()
    }
}

impl IntoWords for u64 {
    fn into_words(self) -> Vec<u64> {
        vec![self]
    }
}

impl IntoWords for (u64, u64) {
    fn into_words(self) -> Vec<u64> {
        vec![self.0, self.1]
    }
}

impl IntoWords for AttackMaps {
    fn into_words(self) -> Vec<u64> {
        bytemuck::cast_slice(&[self]).to_vec()
    }
}

impl IntoWords for Checks {
    fn into_words(self) -> Vec<u64> {
        bytemuck::cast_slice(&[self]).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn boards_solved_by_hand() {
        let oracle = |title: &str, inputs: &[u64]| Operation::named(title).unwrap().oracle(inputs);
        assert_eq!(oracle("ray_attacks north", &[1, 1 << 24]), [0x0101_0100]);
        assert_eq!(oracle("occluded_fill east", &[1, 0b0110]), [0b0111]);
        // Rooks on a1 and c1 attack each other, although neither is in the occupancy.
        assert_eq!(oracle("rook_attacks", &[0b101, 0])[0] & 0xff, 0xff);
        assert_eq!(oracle("rook_attacks_one", &[1, 0]), [0x0101_0101_0101_01fe]);
        assert_eq!(oracle("bishop_attacks", &[1 << 63, 1 << 54]), [1 << 54]);
        // A rook on a1 looks through c1 as far as f1, but not through a3.
        let occupied = 1 << 16 | 1 << 2 | 1 << 5;
        assert_eq!(oracle("xray_rook_attacks", &[1, 1 << 2, occupied]), [0b11_1000]);
        // King e1, friendly pawn e3, enemy rooks e8 and h1. The rook on h1 gives check.
        let rooks = 1 << 60 | 1 << 7;
        assert_eq!(oracle("pins", &[1 << 4, 1 << 20, rooks, 0, 0]), [1 << 20, 1 << 60]);
        assert_eq!(oracle("between", &[0, 27]), [1 << 9 | 1 << 18]);
        assert_eq!(oracle("line_through", &[9, 27]), [0x8040_2010_0804_0201]);
        assert_eq!(oracle("line_through", &[9, 28]), [0]);
        assert_eq!(oracle("pawn_attacks black", &[1 << 48]), [1 << 41]);
        assert_eq!(oracle("knight_attacks", &[1]), [1 << 10 | 1 << 17]);
    }

    #[test]
    fn a_position_solved_by_hand() {
        let mut position = [0; 12];
        position[5] = 1 << 4; // White king e1
        position[1] = 1 << 20; // White knight e3
        position[6 + 3] = 1 << 60 | 1 << 7; // Black rooks e8, h1
        let checks = Operation::named("checks").unwrap().oracle(&position);
        assert_eq!(checks, [1 << 7, 0, 1 << 20, 0, 1 << 60, 0]);
        let maps = Operation::named("attack_maps").unwrap().oracle(&position);
        assert_eq!(maps[5], 1 << 3 | 1 << 5 | 1 << 11 | 1 << 12 | 1 << 13);
        assert_eq!(maps[6 + 3] & 0xff, 0x70); // The rook on h1 attacks as far as the king.
    }
}
