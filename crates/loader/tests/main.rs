//! The tests of the loader. They are one program, because each program compiles the parts of the
//! loader that it uses again.

mod common;
mod formats;
mod inputs;
mod kept;
mod loader;
mod order;
mod policy;
