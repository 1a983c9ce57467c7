//! The algorithms, for any register: traits of what a register can, operations over them, drivers over batches.

pub(crate) mod attacks;
pub(crate) mod batch;
pub(crate) mod boards;
pub(crate) mod bytes;
pub(crate) mod counts;
pub(crate) mod fills;
pub(crate) mod from_square;
pub(crate) mod lanes;
pub(crate) mod long;
pub(crate) mod maps;
pub(crate) mod one_board;
pub(crate) mod one_square;
pub(crate) mod operation;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "wasm32"
))]
pub(crate) mod operators;
pub(crate) mod pairs;
pub(crate) mod plain_slices;
pub(crate) mod rays;
pub(crate) mod technique;
pub(crate) mod through;
pub(crate) mod transpose;
pub(crate) mod word;
