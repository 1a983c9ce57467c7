#![cfg_attr(not(feature = "std"), no_std)]
//! PLACEHOLDER
#[path = "../kernels/mod.rs"]
mod kernels;

mod batch;
pub mod board;
mod detect;
mod dispatch;
mod square;

pub use batch::{
    bishop_attacks, bishop_attacks_from, line_attacks_from, occluded_fill, queen_attacks,
    queen_attacks_from, ray_attacks, rook_attacks, rook_attacks_from, slider_attacks,
};
pub use dispatch::{KernelError, KernelInfo, KernelStatus, Kernels, MissingFeatures};
pub use kernels::compass::Direction;
pub use kernels::line::Line;
pub use square::{InvalidSquare, Square};
