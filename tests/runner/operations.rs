//! The table of operations. **A further operation is one more entry here**: every check of the
//! runner takes it from this table, for every kernel.

use setwise::{Direction, Kernels, Line, board};

use crate::oracle::{self, Step};

mod compound;

/// What an argument of an operation is; it tells the checks which boards to put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Sliders, or the generators of a fill.
    Sliders,
    /// The second set of sliders.
    OtherSliders,
    Occupied,
    /// The complement of an occupancy.
    Propagators,
    /// One slider as a square's number, 0 to 63; hand it over by [`squares`].
    Square,
    /// Another one.
    OtherSquare,
    /// A third set of sliders.
    MoreSliders,
    /// Some of the occupied squares, and perhaps others.
    SomeOccupied,
    /// Any set.
    Targets,
}

/// The argument of an operation on single squares, from what [`Role::Square`] makes.
pub(crate) fn squares(numbers: &[u64]) -> Vec<setwise::Square> {
    let square = |&n| u8::try_from(n).ok().and_then(setwise::Square::new);
    numbers
        .iter()
        .map(|n| square(n).expect("0 to 63"))
        .collect()
}

/// The same for one.
fn square(number: u64) -> setwise::Square {
    squares(&[number])[0]
}

type BatchOf<T> = Box<dyn Fn(T, &[&[u64]], &mut [u64]) + Send + Sync>;
type OneOf<T> = Box<dyn Fn(T, &[u64]) -> u64 + Send + Sync>;

/// One operation: every way to call it, and what it means.
pub(crate) struct Operation {
    /// Its name in the API; the operations of eight directions share one.
    pub(crate) name: &'static str,
    /// The directions in which its sliders attack; [`OtherSliders`](Role::OtherSliders) attack
    /// in `other_rays`.
    pub(crate) rays: Vec<Direction>,
    pub(crate) other_rays: Vec<Direction>,
    /// Its inputs in order: the argument's name and role.
    pub(crate) inputs: Vec<(&'static str, Role)>,
    /// The name of its output.
    pub(crate) output: &'static str,
    /// The kernel's method for a batch.
    pub(crate) batch: BatchOf<&'static Kernels>,
    /// The kernel's method for one board.
    pub(crate) one: Option<OneOf<&'static Kernels>>,
    /// The function of the crate's root.
    pub(crate) root: BatchOf<()>,
    /// The function of `setwise::board`.
    pub(crate) board: OneOf<()>,
    /// The meaning, from the values of the inputs.
    pub(crate) oracle: OneOf<()>,
}

impl Operation {
    /// For messages: the name, and the direction if there is but one.
    pub(crate) fn title(&self) -> String {
        match self.rays[..] {
            [direction] => format!("{}({direction:?})", self.name),
            _ => self.name.into(),
        }
    }
}

/// The oracle's step in a direction, by name and not by number.
pub(crate) fn step_of(direction: Direction) -> Step {
    match direction {
        Direction::North => oracle::step(0, 1),
        Direction::NorthEast => oracle::step(1, 1),
        Direction::East => oracle::step(1, 0),
        Direction::SouthEast => oracle::step(1, -1),
        Direction::South => oracle::step(0, -1),
        Direction::SouthWest => oracle::step(-1, -1),
        Direction::West => oracle::step(-1, 0),
        Direction::NorthWest => oracle::step(-1, 1),
    }
}

/// Every operation of the crate.
pub(crate) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        Operation {
            name: "rook_attacks",
            rays: Direction::ORTHOGONAL.into(),
            other_rays: vec![],
            inputs: vec![("rooks", Role::Sliders), ("occupied", Role::Occupied)],
            output: "attacks",
            batch: Box::new(|k, s, out| k.rook_attacks(s[0], s[1], out)),
            one: Some(Box::new(|k, s| k.rook_attacks_one(s[0], s[1]))),
            root: Box::new(|(), s, out| setwise::rook_attacks(s[0], s[1], out)),
            board: Box::new(|(), s| board::rook_attacks(s[0], s[1])),
            oracle: Box::new(|(), s| oracle::rook_attacks(s[0], s[1])),
        },
        Operation {
            name: "bishop_attacks",
            rays: Direction::DIAGONAL.into(),
            other_rays: vec![],
            inputs: vec![("bishops", Role::Sliders), ("occupied", Role::Occupied)],
            output: "attacks",
            batch: Box::new(|k, s, out| k.bishop_attacks(s[0], s[1], out)),
            one: Some(Box::new(|k, s| k.bishop_attacks_one(s[0], s[1]))),
            root: Box::new(|(), s, out| setwise::bishop_attacks(s[0], s[1], out)),
            board: Box::new(|(), s| board::bishop_attacks(s[0], s[1])),
            oracle: Box::new(|(), s| oracle::bishop_attacks(s[0], s[1])),
        },
        Operation {
            name: "queen_attacks",
            rays: Direction::ALL.into(),
            other_rays: vec![],
            inputs: vec![("queens", Role::Sliders), ("occupied", Role::Occupied)],
            output: "attacks",
            batch: Box::new(|k, s, out| k.queen_attacks(s[0], s[1], out)),
            one: Some(Box::new(|k, s| k.queen_attacks_one(s[0], s[1]))),
            root: Box::new(|(), s, out| setwise::queen_attacks(s[0], s[1], out)),
            board: Box::new(|(), s| board::queen_attacks(s[0], s[1])),
            oracle: Box::new(|(), s| oracle::queen_attacks(s[0], s[1])),
        },
        Operation {
            name: "slider_attacks",
            rays: Direction::ORTHOGONAL.into(),
            other_rays: Direction::DIAGONAL.into(),
            inputs: vec![
                ("orthogonal", Role::Sliders),
                ("diagonal", Role::OtherSliders),
                ("occupied", Role::Occupied),
            ],
            output: "attacks",
            batch: Box::new(|k, s, out| k.slider_attacks(s[0], s[1], s[2], out)),
            one: Some(Box::new(|k, s| k.slider_attacks_one(s[0], s[1], s[2]))),
            root: Box::new(|(), s, out| setwise::slider_attacks(s[0], s[1], s[2], out)),
            board: Box::new(|(), s| board::slider_attacks(s[0], s[1], s[2])),
            oracle: Box::new(|(), s| oracle::slider_attacks(s[0], s[1], s[2])),
        },
    ];
    operations.extend(Direction::ALL.map(|d| Operation {
        name: "ray_attacks",
        rays: vec![d],
        other_rays: vec![],
        inputs: vec![("sliders", Role::Sliders), ("occupied", Role::Occupied)],
        output: "attacks",
        batch: Box::new(move |k, s, out| k.ray_attacks(d, s[0], s[1], out)),
        one: None,
        root: Box::new(move |(), s, out| setwise::ray_attacks(d, s[0], s[1], out)),
        board: Box::new(move |(), s| board::ray_attacks(d, s[0], s[1])),
        oracle: Box::new(move |(), s| oracle::ray_attacks(step_of(d), s[0], s[1])),
    }));
    operations.extend(Direction::ALL.map(|d| Operation {
        name: "occluded_fill",
        rays: vec![d],
        other_rays: vec![],
        inputs: vec![
            ("generators", Role::Sliders),
            ("propagators", Role::Propagators),
        ],
        output: "filled",
        batch: Box::new(move |k, s, out| k.occluded_fill(d, s[0], s[1], out)),
        one: None,
        root: Box::new(move |(), s, out| setwise::occluded_fill(d, s[0], s[1], out)),
        board: Box::new(move |(), s| board::occluded_fill(d, s[0], s[1])),
        oracle: Box::new(move |(), s| oracle::occluded_fill(step_of(d), s[0], s[1])),
    }));
    operations.extend(compound::operations());
    operations.extend(operations_from_squares());
    operations
}

/// One slider a board, given as a square.
fn operations_from_squares() -> Vec<Operation> {
    macro_rules! from_square {
        ($name:ident, $one:ident, $rays:expr, $oracle:ident) => {
            Operation {
                name: stringify!($name),
                rays: $rays.into(),
                other_rays: vec![],
                inputs: vec![("squares", Role::Square), ("occupied", Role::Occupied)],
                output: "attacks",
                batch: Box::new(|k, s, out| k.$name(&squares(s[0]), s[1], out)),
                one: Some(Box::new(|k, s| k.$one(square(s[0]), s[1]))),
                root: Box::new(|(), s, out| setwise::$name(&squares(s[0]), s[1], out)),
                board: Box::new(|(), s| board::$name(square(s[0]), s[1])),
                oracle: Box::new(|(), s| oracle::$oracle(1 << s[0], s[1])),
            }
        };
    }
    let mut operations = vec![
        from_square!(
            rook_attacks_from,
            rook_attacks_from_one,
            Direction::ORTHOGONAL,
            rook_attacks
        ),
        from_square!(
            bishop_attacks_from,
            bishop_attacks_from_one,
            Direction::DIAGONAL,
            bishop_attacks
        ),
        from_square!(
            queen_attacks_from,
            queen_attacks_from_one,
            Direction::ALL,
            queen_attacks
        ),
    ];
    operations.extend(Line::ALL.map(|l| Operation {
        name: "line_attacks_from",
        rays: l.directions().into(),
        other_rays: vec![],
        inputs: vec![("squares", Role::Square), ("occupied", Role::Occupied)],
        output: "attacks",
        batch: Box::new(move |k, s, out| k.line_attacks_from(l, &squares(s[0]), s[1], out)),
        one: Some(Box::new(move |k, s| {
            k.line_attacks_from_one(l, square(s[0]), s[1])
        })),
        root: Box::new(move |(), s, out| setwise::line_attacks_from(l, &squares(s[0]), s[1], out)),
        board: Box::new(move |(), s| board::line_attacks_from(l, square(s[0]), s[1])),
        oracle: Box::new(move |(), s| oracle::attacks(&steps_of(l), 1 << s[0], s[1])),
    }));
    operations
}

/// The steps along a line, by name and not by number.
fn steps_of(line: Line) -> [Step; 2] {
    let (east, north) = match line {
        Line::Rank => (1, 0),
        Line::File => (0, 1),
        Line::Diagonal => (1, 1),
        Line::Antidiagonal => (1, -1),
    };
    [oracle::step(east, north), oracle::step(-east, -north)]
}
