//! One file for each command.

pub(crate) mod attacks;
pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod endgame;
pub(crate) mod main_job;
pub(crate) mod probe;
pub(crate) mod show;
pub(crate) mod verify;
