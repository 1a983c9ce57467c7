//! The tests of reading. They are one program, because each program compiles the parts of the
//! library that it uses again.

mod binpack;
mod blocks;
mod common;
mod formats;
mod records;
