#![doc = include_str!("../docs/techniques.md")]

pub mod adder;
pub mod borrow;
pub mod cpu;
pub mod dumb7fill;
pub mod hyperbola;
pub mod kogge_stone;
pub mod rank_slices;
#[cfg(feature = "switch")]
pub mod switch;
pub mod turned;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub mod variable_shifts;

mod forms;
pub use forms::{FORMS, Form, FormFunction};

/// Evaluates a body with the direction as a compile-time constant (a
/// [`RayDirection`](crate::kernels::geometry::RayDirection)).
macro_rules! each_direction {
    ($direction:expr, |$ray:ident| $body:expr) => {{
        use crate::kernels::geometry::direction as constants;
        macro_rules! with {
            ($value:ident) => {{
                let $ray = constants::$value;
                $body
            }};
        }
        match $direction {
            Direction::North => with!(NORTH),
            Direction::NorthEast => with!(NORTH_EAST),
            Direction::East => with!(EAST),
            Direction::SouthEast => with!(SOUTH_EAST),
            Direction::South => with!(SOUTH),
            Direction::SouthWest => with!(SOUTH_WEST),
            Direction::West => with!(WEST),
            Direction::NorthWest => with!(NORTH_WEST),
        }
    }};
}
use each_direction;
