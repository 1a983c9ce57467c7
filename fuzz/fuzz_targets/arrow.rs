//! Reads arbitrary bytes as an Arrow IPC file.
#![no_main]

mod columns;

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: columns::init(), |data: &[u8]| columns::read(false, data));
