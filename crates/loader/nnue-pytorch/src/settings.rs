//! What the trainer's settings mean for the loader.

use std::env;
use std::ffi::{CStr, c_int};
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use setwise_loader::{
    Columns, Features, Filter, Inputs, Layout, Loader, Order, PieceCounts, SoftEarly, Views,
};
use setwise_positions::Fen;
use setwise_positions::binpack::{Board, Entry, Move};

use crate::{DdpConfig, SkipConfig};

/// The positions of the shuffle buffer.
const SHUFFLE: usize = 1 << 20;

/// The environment variable with the seed of order and draws. Without it they differ by run.
const SEED: &str = "SETWISE_LOADER_SEED";

pub(crate) fn inputs(name: &CStr) -> Result<Inputs, String> {
    Inputs::named(name.to_str().map_err(|_| "the name of the set is not UTF-8")?)
}

#[cfg(unix)]
pub(crate) fn path(path: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(path.to_bytes()).into()
}

#[cfg(not(unix))]
pub(crate) fn path(path: &CStr) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// Checks that a file can be opened and may be binpack, perhaps compressed. To open anything but a
/// regular file might wait for ever.
pub(crate) fn check_file(path: &Path) -> io::Result<()> {
    let wrong = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if !fs::metadata(path)?.is_file() {
        return wrong("not a regular file");
    }
    let mut start = Vec::new();
    File::open(path)?.take(4).read_to_end(&mut start)?;
    let starts: [&[u8]; 3] = [b"BINP", &[0x1f, 0x8b], &[0x28, 0xb5, 0x2f, 0xfd]];
    if !start.is_empty() && !starts.iter().any(|known| start.starts_with(known)) {
        return wrong("it does not start with BINP: only binpack is read, also compressed");
    }
    Ok(())
}

/// Checks that a batch fits in memory and its entries in an `int`.
pub(crate) fn check_memory(inputs: &Inputs, size: usize) -> Result<(), String> {
    let ints = size.saturating_mul(2 * inputs.width() + 1);
    let fits = ints <= c_int::MAX as usize && Vec::<c_int>::new().try_reserve_exact(ints).is_ok();
    if fits { Ok(()) } else { Err(format!("a batch of {size} positions does not fit in memory")) }
}

/// A loader of boards without features.
pub(crate) fn loader(
    paths: Vec<PathBuf>,
    concurrency: c_int,
    batch_size: c_int,
    cyclic: bool,
    config: &SkipConfig,
    ddp_config: DdpConfig,
) -> Result<Loader, String> {
    let batch_size = usize::try_from(batch_size)
        .map_err(|_| format!("batch_size must be at least 1, found {batch_size}"))?;
    let DdpConfig { rank, world_size } = ddp_config;
    let shard = match (u64::try_from(rank), u64::try_from(world_size)) {
        (_, Ok(0 | 1)) => (0, 1),
        (Ok(rank), Ok(processes)) if rank < processes => (rank, processes),
        _ => return Err(format!("rank {rank} is not one of {world_size} processes")),
    };
    let seed = match env::var_os(SEED) {
        None => RandomState::new().hash_one(0),
        Some(text) => {
            let seed = text.to_str().and_then(|text| text.parse().ok());
            seed.ok_or_else(|| format!("{SEED} must be a number from 0 to 2^64 - 1"))?
        }
    };
    Ok(Loader {
        order: Order::Chunks,
        batch_size,
        threads: usize::try_from(concurrency).unwrap_or(0).clamp(1, 1024),
        filter: filter(config, seed),
        shuffle: SHUFFLE,
        seed,
        cycle: cyclic,
        shard,
        ..Loader::new(paths)
    })
}

/// The rules of a configuration. With none of them, nothing is skipped. With any, also what the
/// trainer always skips.
fn filter(config: &SkipConfig, seed: u64) -> Filter {
    let positive = |number: c_int| u32::try_from(number).unwrap_or(0);
    let (random, until) =
        (positive(config.random_fen_skipping), positive(config.soft_early_fen_skipping));
    let early = positive(config.early_fen_skipping.saturating_add(1));
    if !config.filtered && !config.wld_filtered && (random, until, early) == (0, 0, 0) {
        return Filter { seed, ..Filter::ALL };
    }
    let soft_early = (until > 0).then(|| SoftEarly {
        until: u16::try_from(until).unwrap_or(u16::MAX),
        points: config.ply.map(|[ply, keeps]| (ply, keeps)),
    });
    Filter {
        keep_unscored: false,
        skip_placeholders: true,
        skip_checks: config.filtered,
        skip_captures: config.filtered,
        keep_en_passant: config.filtered,
        min_ply: u16::try_from(early).unwrap_or(u16::MAX),
        skip: f64::from(random) / (f64::from(random) + 1.0),
        wld: config.wld_filtered,
        simple_eval: positive(config.simple_eval_skipping),
        soft_early,
        pieces: Some(PieceCounts(config.pc_y)),
        seed,
        ..Filter::ALL
    }
}

/// The loader with what a batch of the trainer has.
pub(crate) fn sparse(loader: Loader, inputs: Inputs) -> Loader {
    Loader {
        features: Features::Indices(inputs),
        layout: Layout::Rows { width: None },
        views: Views::Colours,
        columns: Columns { boards: false, basics: false, details: false, floats: true },
        ..loader
    }
}

/// The loader with what FENs need.
pub(crate) fn boards(loader: Loader) -> Loader {
    let columns = Columns { boards: true, basics: true, details: true, floats: false };
    Loader { features: Features::Boards, columns, ..loader }
}

/// An entry of the position in a FEN.
pub(crate) fn entry(fen: &[u8], score: c_int, ply: c_int, result: c_int) -> Result<Entry, String> {
    let fen = Fen::parse(fen).map_err(|error| error.to_string())?;
    let side = fen.side().ok_or("the FEN must have a side to move")?;
    // No input depends on castling rights or en passant.
    let board = Board::new(fen.placement(), side, [false; 4], None, 0)?;
    let wrong = |what: &str, number| format!("{what}, found {number}");
    let score =
        i16::try_from(score).map_err(|_| wrong("a score must be from -32768 to 32767", score))?;
    let ply = u16::try_from(ply).map_err(|_| wrong("a ply must be from 0 to 65535", ply))?;
    let result = match result {
        -1..=1 => result as i8,
        _ => return Err(wrong("a result must be -1, 0 or 1", result)),
    };
    Ok(Entry::new(board, Move::NONE, score, result, ply))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: SkipConfig = SkipConfig {
        filtered: false,
        random_fen_skipping: 0,
        wld_filtered: false,
        early_fen_skipping: -1,
        soft_early_fen_skipping: 0,
        simple_eval_skipping: 0,
        param_index: 0,
        pc_y: [0.0, 0.4, 1.0, 1.0, 0.75],
        ply: [[0.0, 0.1], [6.0, 0.15], [10.0, 0.25], [18.0, 0.75]],
    };

    #[test]
    fn streams_are_shuffled_in_another_way_each() {
        let of = |threads| {
            let ddp = DdpConfig { rank: 0, world_size: 1 };
            loader(Vec::new(), threads, 9, false, &NOTHING, ddp).unwrap()
        };
        assert_eq!([of(c_int::MIN), of(7), of(c_int::MAX)].map(|l| l.threads), [1, 7, 1024]);
        assert_eq!((of(1).order, of(1).shuffle), (Order::Chunks, 1 << 20));
        if env::var_os(SEED).is_none() {
            assert_ne!(of(1).seed, of(1).seed);
            assert_eq!(of(1).filter.seed == 0, of(1).seed == 0);
        }
    }

    #[test]
    fn rules_are_those_of_the_trainer() {
        let nothing = SkipConfig { simple_eval_skipping: 900, random_fen_skipping: -1, ..NOTHING };
        assert_eq!(filter(&nothing, 7), Filter { seed: 7, ..Filter::ALL });
        let default = SkipConfig {
            filtered: true,
            wld_filtered: true,
            soft_early_fen_skipping: 20,
            ..NOTHING
        };
        assert_eq!(filter(&default, 0), Filter::STOCKFISH);
        // What is skipped with any of the rules.
        let always = Filter {
            keep_unscored: false,
            skip_placeholders: true,
            pieces: Some(PieceCounts::DEFAULT),
            ..Filter::ALL
        };
        let early = SkipConfig { early_fen_skipping: 0, simple_eval_skipping: 900, ..NOTHING };
        assert_eq!(filter(&early, 0), Filter { min_ply: 1, simple_eval: 900, ..always });
        let random = SkipConfig { random_fen_skipping: 3, ..NOTHING };
        assert_eq!(filter(&random, 0), Filter { skip: 0.75, ..always });
        let wld = SkipConfig { wld_filtered: true, ..NOTHING };
        assert_eq!(filter(&wld, 0), Filter { wld: true, ..always });
        let late = SkipConfig { early_fen_skipping: c_int::MAX, ..NOTHING };
        assert_eq!(filter(&late, 0), Filter { min_ply: u16::MAX, ..always });
        for most in [c_int::MIN, c_int::MAX] {
            let hostile = SkipConfig {
                random_fen_skipping: most,
                early_fen_skipping: most,
                soft_early_fen_skipping: most,
                simple_eval_skipping: most,
                ..default
            };
            assert_eq!(filter(&hostile, 0).check(), Ok(()));
        }
    }
}
