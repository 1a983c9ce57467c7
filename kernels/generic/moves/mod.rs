//! Legal moves: lists of them, and the positions after them.

pub(crate) mod one;
pub(crate) mod play;
