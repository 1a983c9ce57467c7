#![cfg_attr(not(feature = "std"), no_std)]
//! PLACEHOLDER
#[path = "../kernels/mod.rs"]
mod kernels;

mod batch;
pub mod board;
mod compound;
mod detect;
mod dispatch;
mod square;

pub use batch::{
    bishop_attacks, occluded_fill, queen_attacks, ray_attacks, rook_attacks, slider_attacks,
};
pub use compound::{
    between, bishop_mobility, line_through, pins, queen_mobility, rook_mobility,
    slider_attacks_split, slider_mobility, xray_bishop_attacks, xray_queen_attacks,
    xray_rook_attacks,
};
pub use dispatch::{KernelError, KernelInfo, KernelStatus, Kernels, MissingFeatures};
pub use kernels::compass::Direction;
pub use square::{InvalidSquare, Square};
