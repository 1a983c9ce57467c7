//! Operations, their oracles, and the library's functions for them.

use setwise::position::{AttackMaps, Checks, Position, SideAttacks};
use setwise::reflection::{
    Argument, Column, ColumnMut, OPERATIONS, OperationInfo, Parameter, Role,
};
use setwise::{Direction, Kernel, Line, Square, batches, board, operations};

use crate::oracle::Steps as _;
use crate::{parameter_value, typed_call};

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

    /// The expected results for one board, as [words](setwise::reflection::Element::words).
    pub fn oracle(&self, words: &[u64]) -> Vec<u64> {
        oracle(self.info.name(), self.parameter, words)
    }

    /// The results of the function of the same name in `setwise::board` for one board, as words.
    /// `None` for operations on a single board.
    pub fn on_board(&self, words: &[u64]) -> Option<Vec<u64>> {
        on_board(self.info.name(), self.parameter, words)
    }

    /// Calls the function at the root of `setwise`, or for a single board the method of the active
    /// kernel.
    pub fn call_typed(&self, inputs: &[Column<'_>], outputs: &mut [ColumnMut<'_>]) {
        let name = self.info.name();
        let called = call_typed(name, self.parameter, inputs, outputs);
        called.unwrap_or_else(|| panic!("{name}: the columns do not match"));
    }
}

/// The oracle's functions under the names of the operations.
mod oracle {
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
        fn oracle(name: &str, _parameter: u8, mut words: &[u64]) -> Vec<u64> {
            match name {
                $($($(stringify!($name) => {
                    $(let $input = number!($In words);)*
                    assert!(words.is_empty(), "{name}: more words than inputs");
                    oracle::$name($(&parameter_value!($Parameter _parameter).steps(),)? $($input),*)
                        .into_words()
                })*)*)*
                _ => panic!("no operation `{name}`"),
            }
        }

        fn call_typed(
            name: &str,
            _parameter: u8,
            inputs: &[Column<'_>],
            outputs: &mut [ColumnMut<'_>],
        ) -> Option<()> {
            match name {
                $($($(stringify!($name) => {
                    let ([$(column!(Column $In $input)),*], [$(column!(ColumnMut $Out $output)),*]) =
                        (inputs, outputs) else { return None };
                    of_active!(
                        $group $name ($(parameter_value!($Parameter _parameter))?) ($($input)*) ($($output)*)
                    );
                })*)*)*
                _ => return None,
            }
            Some(())
        }
    };
}

/// Calls the function at the root of `setwise`, or for a single board the active kernel's method.
macro_rules! of_active {
    (one $($call:tt)*) => { typed_call!(one (Kernel::active().) $($call)*) };
    (side $($call:tt)*) => { typed_call!(side (Kernel::active().) $($call)*) };
    ($group:ident $($call:tt)*) => { typed_call!($group (setwise::) $($call)*) };
}

macro_rules! batch_functions {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })*) => {
        fn on_board(name: &str, _parameter: u8, mut words: &[u64]) -> Option<Vec<u64>> {
            match name {
                $($(stringify!($name) => {
                    $(let $input = typed!($In words);)*
                    let results = board::$name($(parameter_value!($Parameter _parameter),)? $($input),*);
                    Some(results.into_words())
                })*)*
                _ => None,
            }
        }
    };
}

/// The pattern of a column by the role of its argument.
macro_rules! column {
    ($Column:ident Squares $name:ident) => {
        $Column::Squares($name)
    };
    ($Column:ident Positions $name:ident) => {
        $Column::Positions($name)
    };
    ($Column:ident Count $name:ident) => {
        $Column::Counts($name)
    };
    ($Column:ident AttackMaps $name:ident) => {
        $Column::AttackMaps($name)
    };
    ($Column:ident Checks $name:ident) => {
        $Column::Checks($name)
    };
    ($Column:ident $Set:ident $name:ident) => {
        $Column::Sets($name)
    };
}

/// Takes an argument for the oracle from the words of a board: a position or a number.
macro_rules! number {
    (Positions $words:ident) => {
        &position(&mut $words)
    };
    ($Role:ident $words:ident) => {
        *$words.split_off_first().expect("a word for each argument")
    };
}

/// Takes an argument for the library from the words of a board.
macro_rules! typed {
    (Squares $words:ident) => {
        Square::new(number!(Set $words) as u8).expect("a square below 64")
    };
    ($Role:ident $words:ident) => {
        number!($Role $words)
    };
}

operations!(oracles);
batches!(batch_functions);

fn position(words: &mut &[u64]) -> Position {
    let position = words.split_off(..12).expect("twelve words for a position");
    bytemuck::pod_read_unaligned(bytemuck::cast_slice(position))
}

/// Converts results to words.
trait IntoWords {
    fn into_words(self) -> Vec<u64>;
}

impl<const N: usize> IntoWords for [u64; N] {
    fn into_words(self) -> Vec<u64> {
        self.into()
    }
}

macro_rules! into_words {
    ($($Result:ty: |$results:ident| $words:expr;)*) => { $(
        impl IntoWords for $Result {
            fn into_words(self) -> Vec<u64> {
                let $results = self;
                $words
            }
        }
    )* };
}

into_words! {
    u64: |set| vec![set];
    u32: |count| vec![count.into()];
    (u64, u64): |sets| vec![sets.0, sets.1];
    AttackMaps: |maps| bytemuck::cast_slice(&[maps]).to_vec();
    Checks: |checks| bytemuck::cast_slice(&[checks]).to_vec();
    SideAttacks: |sets| bytemuck::cast_slice(&[sets]).to_vec();
}

#[cfg(test)]
mod tests {
    use super::{OPERATIONS, Operation};

    /// White: king e1, knight e3. Black: rooks e8 and h1.
    const POSITION: [u64; 12] = [0, 1 << 20, 0, 0, 0, 1 << 4, 0, 0, 0, 1 << 60 | 1 << 7, 0, 0];
    /// The attacks of each of its pieces.
    const KING: u64 = 0x3828;
    const KNIGHT: u64 = 0x28_4400_4428;
    const ROOKS: u64 = 0xef90_9090_9090_8070;

    /// Boards solved by hand, at least one for each operation: its title, inputs and results.
    const BY_HAND: &[(&str, &[u64], &[u64])] = &[
        // A rook on a1, a piece on a3.
        ("rook_attacks", &[1, 1 << 16], &[0x1_01fe]),
        ("rook_attacks_from", &[0, 1 << 16], &[0x1_01fe]),
        ("rook_attacks_one", &[1, 0], &[0x0101_0101_0101_01fe]),
        ("rook_mobility", &[1, 0, 0xff], &[7]),
        // Two rooks on a5 and d5 attack each other and no further. Every square has a neighbour.
        ("rook_attacks", &[9 << 32, 0], &[0x0909_09ff_0909_0909]),
        ("rook_attacks", &[!0, 0], &[!0]),
        // A bishop on h8, a piece on g7.
        ("bishop_attacks", &[1 << 63, 1 << 54], &[1 << 54]),
        ("bishop_attacks_from", &[63, 1 << 54], &[1 << 54]),
        ("bishop_attacks_one", &[1 << 63, 1 << 54], &[1 << 54]),
        ("bishop_mobility", &[1, 1 << 27, !0], &[3]),
        // A bishop on h5 does not wrap round the edge.
        ("bishop_attacks", &[1 << 39, 1 << 46], &[0x4000_4020_1008]),
        // A queen on a1, pieces on a2 and b2.
        ("queen_attacks", &[1, 0x300], &[0x3fe]),
        ("queen_attacks_from", &[0, 0x300], &[0x3fe]),
        ("queen_attacks_one", &[1, 0x300], &[0x3fe]),
        ("queen_mobility", &[1, 0, !0], &[21]),
        ("line_attacks_from rank", &[0, 1 << 3], &[0b1110]),
        // A rook on a1, a bishop on b1, pieces on a2 and c2.
        ("slider_attacks", &[1, 2, 0x500], &[0x502]),
        ("slider_attacks_one", &[1, 2, 0x500], &[0x502]),
        ("slider_attacks_split", &[1, 2, 0x500], &[0x102, 0x500]),
        ("slider_mobility", &[1, 2, 0x500, !0], &[3]),
        ("doubly_attacked_one white", &[0, 0, 2, 1, 0, 0, 0x500], &[0x100]),
        // A queen on h8, with pieces on the three squares beside it.
        (
            "sliders_by_kind_one",
            &[2, 1, 1 << 63, 0x500 | 0x40c0_0000_0000_0000],
            &[0x500, 0x102, 0x40c0_0000_0000_0000],
        ),
        // The rook and the bishop, a pawn on h2, a knight on h8, a king on h1.
        (
            "side_attacks_one white",
            &[1 << 15, 1 << 63, 2, 1, 0, 1 << 7, 0x500],
            &[1 << 22, 1 << 53 | 1 << 46, 0x500, 0x102, 0, 0xc040, 0x20_4000_0040_c542 | 1 << 8],
        ),
        // A slider on a1 looks through c1 as far as f1, but not through a3; or through b2 to d4.
        ("xray_rook_attacks", &[1, 1 << 2, 1 << 16 | 1 << 2 | 1 << 5], &[0b11_1000]),
        ("xray_bishop_attacks", &[1, 1 << 9, 1 << 9 | 1 << 27], &[1 << 18 | 1 << 27]),
        ("xray_queen_attacks", &[1, 1 << 1, 1 << 1 | 1 << 3 | 1 << 9], &[0b1100]),
        // A rook on a8 looks through one on c8, whether or not they are in the occupancy.
        ("xray_rook_attacks", &[5 << 56, 4 << 56, 0x81 << 56], &[0xf8 << 56]),
        // King e1, friendly pawn e3, enemy rooks e8 and h1. The rook on h1 gives check.
        ("pins", &[1 << 4, 1 << 20, 1 << 60 | 1 << 7, 0, 0], &[1 << 20, 1 << 60]),
        // King a1: a rook pins neither a2 nor a3, a bishop pins b2, another one not b1.
        ("pins", &[1, 0x1_0302, 1 << 24, 1 << 27 | 8, 0], &[1 << 9, 1 << 27]),
        ("checks", &POSITION, &[1 << 7, 0, 1 << 20, 0, 1 << 60, 0]),
        (
            "attack_maps",
            &POSITION,
            &[0, KNIGHT, 0, 0, 0, KING, 0, 0, 0, ROOKS, 0, 0, KNIGHT | KING, ROOKS, 0, 0],
        ),
        ("ray_attacks north", &[1, 1 << 24], &[0x0101_0100]),
        ("ray_attacks east", &[!0, 0], &[0xfefe_fefe_fefe_fefe]),
        ("occluded_fill east", &[1, 0b0110], &[0b0111]),
        // A fill passes through a generator that is also a propagator, and ends at the edge.
        ("occluded_fill west", &[0b1_0100, !0], &[0b1_1111]),
        ("between", &[0, 27], &[1 << 9 | 1 << 18]),
        ("between", &[27, 0], &[1 << 9 | 1 << 18]),
        ("between", &[9, 9], &[0]),
        ("between", &[9, 37], &[0]),
        ("line_through", &[9, 27], &[0x8040_2010_0804_0201]),
        ("line_through", &[9, 28], &[0]),
        ("king_attacks", &[1], &[0x302]),
        ("knight_attacks", &[1], &[1 << 10 | 1 << 17]),
        ("pawn_attacks black", &[1 << 48], &[1 << 41]),
    ];

    #[test]
    fn boards_solved_by_hand() {
        for (title, inputs, results) in BY_HAND {
            let operation = Operation::named(title).expect(title);
            assert_eq!(operation.oracle(inputs), *results, "{title}");
        }
        let solved = |name| BY_HAND.iter().any(|(title, ..)| title.split(' ').next() == Some(name));
        for info in OPERATIONS {
            let name = info.name();
            assert!(
                solved(name),
                "{name}: add a board to BY_HAND in crates/check/src/operation.rs"
            );
        }
    }
}
