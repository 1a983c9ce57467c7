//! The tests of the command line, except `memory.rs`. They are one program, which links faster than
//! one for each file.

mod advice;
mod attacks;
mod bench;
mod cli;
mod common;
mod endgame;
mod formats;
mod output;
mod perft;
mod threats;
