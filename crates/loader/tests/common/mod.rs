//! Files of random games, and what a loader makes of them.

#![allow(dead_code, unused_imports, unreachable_pub, reason = "a module of several tests")]

#[path = "../../../positions/tests/common/binpack_games.rs"]
mod binpack_games;
mod budget;

use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io, process};

pub use binpack_games::{Seen, games, write};
pub use budget::budget;
use setwise_loader::{Batch, Loader};
use setwise_positions::binpack::Entry;

pub static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| games(100, &mut Seen::default()));

/// A file in the temporary folder, removed when dropped.
pub struct File(pub PathBuf);

impl File {
    /// The file's name ends with this one.
    pub fn new(name: &str, bytes: &[u8]) -> File {
        static FILES: AtomicU32 = AtomicU32::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = format!("setwise-loader-{}-{number}-{name}", process::id());
        let path = env::temp_dir().join(path);
        fs::write(&path, bytes).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

pub fn load(loader: &Loader) -> Vec<Batch> {
    loader.batches().unwrap().collect::<io::Result<_>>().unwrap()
}

/// The batches and the errors of a loader that may fail.
pub fn load_and_fail(loader: &Loader) -> (Vec<Batch>, Vec<String>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for batch in loader.batches().unwrap() {
        match batch {
            Ok(batch) => found.push(batch),
            Err(error) => errors.push(error.to_string()),
        }
    }
    (found, errors)
}
