//! The operations, from the crate's list: every way to call each, and what it means.
//!
//! **A new operation of the list is here by itself**, and every check of the runner takes it for every kernel. That
//! `board` and the oracle cover the list is tested by the compiler: each operation needs a function of its name in
//! both. Arguments of a new name need a line in [`role`].

use bytemuck::{CheckedBitPattern, cast_slice_mut};
use setwise::{Direction, Kernels, Line, Square, board};

use crate::column::element;
use crate::oracle::{self, Step, step};

/// What an argument of an operation is; it tells the checks which boards to put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first set of sliders (or generators of a fill, or kings), or a further one.
    Sliders(usize),
    Occupied,
    /// The complement of an occupancy.
    Propagators,
    /// One slider as a square's number, 0 to 63.
    Square,
    /// Another one.
    OtherSquare,
    /// Some of the occupied squares, and perhaps others.
    SomeOccupied,
    /// Any set.
    Targets,
    Output,
}

/// The role of an input by its name, and the directions in which it moves.
fn role<'a>(operation: &str, input: &str, along: &'a [Direction]) -> (Role, &'a [Direction]) {
    let moves = |sliders: &str| match sliders {
        "rook" | "rooks" | "orthogonal" => &Direction::ORTHOGONAL[..],
        "bishop" | "bishops" | "diagonal" => &Direction::DIAGONAL,
        "queen" | "queens" | "kings" => &Direction::ALL,
        _ => along,
    };
    match input {
        "rooks" | "bishops" | "queens" | "kings" | "orthogonal" | "diagonal" | "sliders"
        | "generators" => (Role::Sliders(0), moves(input)),
        "squares" => (Role::Square, moves(operation.split('_').next().unwrap())),
        "a" => (Role::Square, &Direction::ALL),
        "b" => (Role::OtherSquare, &[]),
        "occupied" => (Role::Occupied, &[]),
        "propagators" => (Role::Propagators, &[]),
        "blockers" | "own" => (Role::SomeOccupied, &[]),
        "targets" => (Role::Targets, &[]),
        _ => panic!("give the input `{input}` of {operation} a role"),
    }
}

/// A direction or a line, which all boards of a call share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Index {
    Direction(Direction),
    Line(Line),
}

impl Index {
    /// As in the table.
    #[cfg_attr(
        not(all(unix, target_arch = "x86_64", not(miri))),
        allow(dead_code, reason = "for the look at registers")
    )]
    pub(crate) fn number(self) -> u8 {
        match self {
            Index::Direction(direction) => direction as u8,
            Index::Line(line) => line as u8,
        }
    }

    fn directions(self) -> Vec<Direction> {
        match self {
            Index::Direction(direction) => vec![direction],
            Index::Line(line) => line.directions().into(),
        }
    }
}

/// The oracle's steps along a line or in a direction, by name and not by number.
fn steps(index: Index) -> Vec<Step> {
    let there = match index {
        Index::Direction(direction) => return vec![step_of(direction)],
        Index::Line(Line::Rank) => step(1, 0),
        Index::Line(Line::File) => step(0, 1),
        Index::Line(Line::Diagonal) => step(1, 1),
        Index::Line(Line::Antidiagonal) => step(1, -1),
    };
    vec![there, step(-there.east, -there.north)]
}

pub(crate) fn step_of(direction: Direction) -> Step {
    match direction {
        Direction::North => step(0, 1),
        Direction::NorthEast => step(1, 1),
        Direction::East => step(1, 0),
        Direction::SouthEast => step(1, -1),
        Direction::South => step(0, -1),
        Direction::SouthWest => step(-1, -1),
        Direction::West => step(-1, 0),
        Direction::NorthWest => step(-1, 1),
    }
}

pub(crate) struct Argument {
    pub(crate) name: &'static str,
    /// Bytes of an element.
    pub(crate) size: usize,
    pub(crate) role: Role,
}

/// A batch: inputs and outputs as bytes, aligned as their elements.
type Batch<K> = Box<dyn Fn(K, &[&[u8]], &mut [&mut [u8]]) + Send + Sync>;
/// One board: the values of the inputs, and those of the outputs.
type One = Box<dyn Fn(&[u64]) -> Vec<u64> + Send + Sync>;
type OneOfKernel = fn(&'static Kernels, Option<Index>, &[u64]) -> Vec<u64>;

/// One operation, of one direction or line if it has any: every way to call it, and what it means.
pub(crate) struct Operation {
    /// Its name in the API.
    pub(crate) name: &'static str,
    pub(crate) index: Option<Index>,
    pub(crate) inputs: Vec<Argument>,
    pub(crate) outputs: Vec<Argument>,
    /// The directions in which the first sliders move, and those in which only others do.
    pub(crate) rays: Vec<Direction>,
    pub(crate) other_rays: Vec<Direction>,
    /// The kernel's method for a batch, and that for one board.
    pub(crate) batch: Batch<&'static Kernels>,
    pub(crate) one: Option<OneOfKernel>,
    /// The function of the crate's root.
    pub(crate) root: Batch<()>,
    /// The function of `setwise::board`.
    pub(crate) board: One,
    /// The meaning.
    pub(crate) oracle: One,
}

impl Operation {
    /// For messages.
    pub(crate) fn title(&self) -> String {
        match self.index {
            Some(Index::Direction(direction)) => format!("{}({direction:?})", self.name),
            Some(Index::Line(line)) => format!("{}({line:?})", self.name),
            None => self.name.into(),
        }
    }

    /// All arguments, the inputs first.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.inputs.iter().chain(&self.outputs)
    }

    /// What the list does not say: the roles of the inputs, and the method for one board.
    fn completed(mut self, ones: &[(&str, OneOfKernel)]) -> Operation {
        let along = self.index.map_or(vec![], Index::directions);
        let mut sets = 0..;
        for input in &mut self.inputs {
            let (role, rays) = role(self.name, input.name, &along);
            input.role = match role {
                Role::Sliders(_) => Role::Sliders(sets.next().unwrap()),
                other => other,
            };
            if self.rays.is_empty() {
                self.rays = rays.into();
            } else {
                let further = rays.iter().filter(|ray| !self.rays.contains(ray));
                self.other_rays.extend(further);
            }
        }
        let one = ones
            .iter()
            .find(|(name, _)| name.strip_suffix("_one") == Some(self.name));
        self.one = one.map(|&(_, one)| one);
        self
    }
}

/// The bytes of an input as its elements; unread, because [`crate::hit`] sees who reads first.
fn elements<T: CheckedBitPattern>(bytes: &[u8]) -> &[T] {
    // SAFETY: of an input with the role of a square every byte is one, and any bytes are sets.
    let (before, elements, after) = unsafe { bytes.align_to() };
    assert!(before.is_empty() && after.is_empty(), "an input is aligned");
    elements
}

/// Adds a method for one board, or an operation for each value of its index.
macro_rules! add {
    ($all:ident $ones:ident one $name:ident [] ($($input:ident: $In:ident),*) $outputs:tt) => {
        $ones.push((stringify!($name), |kernels, _, values| {
            let &[$($input),*] = values else { unreachable!() };
            vec![kernels.$name($(element::<$In>($input)),*)]
        }));
    };
    ($all:ident $ones:ident $group:ident $name:ident [] $($arguments:tt)*) => {
        $all.push(operation!($name [] $($arguments)*));
    };
    ($all:ident $ones:ident $group:ident $name:ident [$index:ident: $Index:ident] $($arguments:tt)*) => {
        $all.extend($Index::ALL.map(|$index| operation!($name [$index: $Index] $($arguments)*)));
    };
}

macro_rules! operation {
    ($name:ident [$($index:ident: $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {{
        let argument = |name, size| Argument { name, size, role: Role::Output };
        let index = None$(.or(Some(Index::$Index($index))))?;
        let _steps = index.map_or(vec![], steps);
        Operation {
            name: stringify!($name),
            index,
            inputs: vec![$(argument(stringify!($input), size_of::<$In>())),*],
            outputs: vec![$(argument(stringify!($output), size_of::<$Out>())),*],
            rays: vec![],
            other_rays: vec![],
            batch: Box::new(move |kernels, inputs, outputs| {
                let (&[$($input),*], [$($output),*]) = (inputs, outputs) else { unreachable!() };
                kernels.$name($($index,)? $(elements::<$In>($input),)* $(cast_slice_mut::<_, $Out>($output)),*);
            }),
            one: None,
            root: Box::new(move |(), inputs, outputs| {
                let (&[$($input),*], [$($output),*]) = (inputs, outputs) else { unreachable!() };
                setwise::$name($($index,)? $(elements::<$In>($input),)* $(cast_slice_mut::<_, $Out>($output)),*);
            }),
            board: Box::new(move |values| {
                let &[$($input),*] = values else { unreachable!() };
                let ($($output),*) = board::$name($($index,)? $(element::<$In>($input)),*);
                vec![$($output.into()),*]
            }),
            oracle: Box::new(move |values| {
                let &[$($input),*] = values else { unreachable!() };
                let ($($output),*) = oracle::$name($({ let _ = $index; &_steps },)? $($input),*);
                vec![$($output),*]
            }),
        }
    }};
}

macro_rules! operations {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        /// Every operation of the crate.
        #[allow(unused_parens, reason = "one result is no tuple")]
        pub(crate) fn operations() -> Vec<Operation> {
            let (mut all, mut ones) = (vec![], Vec::<(&str, OneOfKernel)>::new());
            // The methods that are not in the list: for one square and one board.
            add!(all ones one rook_attacks_from_one [] (square: Square, occupied: u64) ());
            add!(all ones one bishop_attacks_from_one [] (square: Square, occupied: u64) ());
            add!(all ones one queen_attacks_from_one [] (square: Square, occupied: u64) ());
            ones.push(("line_attacks_from_one", |kernels, index, values| {
                let Some(Index::Line(line)) = index else { unreachable!() };
                vec![kernels.line_attacks_from_one(line, element(values[0]), values[1])]
            }));
            $($(add!(all ones $group $name [$($index: $Index)?] ($($input: $In),*) ($($output: $Out),*));)*)*
            let all: Vec<Operation> = all.into_iter().map(|operation: Operation| operation.completed(&ones)).collect();
            for (name, _) in ones {
                let used = all.iter().any(|o| name.strip_suffix("_one") == Some(o.name));
                assert!(used, "{name} is of no operation");
            }
            all
        }
    };
}

setwise::operations!(operations);
