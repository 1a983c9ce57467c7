//! Reads positions from EPD files, for benchmarks.

use std::path::{Path, PathBuf};
use std::{env, fs};

use cozy_chess::Board;

/// The lines of the EPD files in the folder `SETWISE_POSITIONS`, or else in `tests/positions`.
pub(crate) fn lines() -> String {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/positions");
    let folder = env::var_os("SETWISE_POSITIONS").map_or(known, PathBuf::from);
    fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "epd"))
        .map(|path| fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect()
}

/// Parses the position of an EPD line.
pub(crate) fn board(line: &str) -> Board {
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    let fen = format!("{} 0 1", fields.join(" "));
    fen.parse().unwrap_or_else(|e| panic!("{line}: {e}"))
}
