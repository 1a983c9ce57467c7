//! The algorithms for any register: traits for the capabilities of a register, operations based on
//! those traits, and drivers for batches.

pub(crate) mod attacks;
pub(crate) mod board_rays;
pub(crate) mod board_vector;
pub(crate) mod bytes;
pub(crate) mod chunks;
pub(crate) mod count_bytes;
pub(crate) mod driver;
pub(crate) mod each_board;
pub(crate) mod fills;
pub(crate) mod from_square;
pub(crate) mod games;
pub(crate) mod leapers;
pub(crate) mod legal_counts;
pub(crate) mod legal_exact;
pub(crate) mod maps_and_checks;
pub(crate) mod mobility;
pub(crate) mod moves;
pub(crate) mod one_board;
pub(crate) mod one_square;
pub(crate) mod one_word;
pub(crate) mod operation;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32"))]
pub(crate) mod operators;
pub(crate) mod per_slider;
pub(crate) mod plain_slices;
pub(crate) mod positions;
pub(crate) mod rank_bytes;
pub(crate) mod rank_slices;
pub(crate) mod rays;
pub(crate) mod shared;
pub(crate) mod sliced_maps;
pub(crate) mod threats;
pub(crate) mod transpose;
pub(crate) mod u64_vector;
pub(crate) mod xray;
