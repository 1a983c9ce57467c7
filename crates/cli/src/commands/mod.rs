//! The commands, one file each.

pub(crate) mod attacks;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod endgame;
pub(crate) mod perft;
pub(crate) mod probe;
pub(crate) mod show;
pub(crate) mod verify;
