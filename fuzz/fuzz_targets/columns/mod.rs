//! Reads files of columns as `setwise attacks` does. A panic in the Arrow or Parquet reader is
//! caught and is not a failure. A panic in our own code is a failure, and so is the use of more
//! memory than the fuzzer's limit.

#[path = "../../../crates/cli/src/column_file/mod.rs"]
mod column_file;

use std::fs::File;
use std::io::{Seek, Write};

use column_file::ColumnFile;
use setwise_positions::Batch;

/// Replaces the fuzzer's panic hook, which ends the process even if the panic is caught.
pub(crate) fn init() {
    drop(std::panic::take_hook());
    column_file::contain_panics();
}

pub(crate) fn read(is_parquet: bool, data: &[u8]) {
    let file = || -> std::io::Result<File> {
        let mut file = tempfile::tempfile_in("/dev/shm").or_else(|_| tempfile::tempfile())?;
        file.write_all(data)?;
        file.rewind()?;
        Ok(file)
    };
    let file = file().expect("a temporary file");
    let Ok(mut file) = ColumnFile::open(is_parquet, file, "input".into()) else {
        return;
    };
    let (mut batch, mut errors) = (Batch::default(), Vec::new());
    let (mut lines, mut sets) = (Vec::new(), [const { Vec::new() }; 3]);
    while let Ok(Some(rows)) = file.next() {
        batch.clear();
        errors.clear();
        lines.clear();
        sets.iter_mut().for_each(Vec::clear);
        if rows.has_sets() {
            rows.read_sets(&mut lines, sets.each_mut(), &mut errors);
            assert!(sets.iter().all(|set| set.len() == 2 * lines.len()));
        } else {
            rows.read_fens(&mut batch);
        }
    }
}
