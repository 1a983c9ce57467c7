//! Reads arbitrary bytes as a Parquet file.
#![no_main]

mod columns;

use libfuzzer_sys::fuzz_target;

fuzz_target!(init: columns::init(), |data: &[u8]| columns::read(true, data));
