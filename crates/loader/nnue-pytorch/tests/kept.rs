//! The library keeps what the trainer's own keeps of a sample. The only test of this program, as it
//! sets the seed in the environment.

#![allow(clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "all numbers are small")]

#[path = "../../tests/common/kept.rs"]
mod kept;

use std::ffi::{CString, c_char, c_int};
use std::path::PathBuf;
use std::{env, slice};

use training_data_loader::*;

const ALL: SkipConfig = SkipConfig {
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
const ALONE: DdpConfig = DdpConfig { rank: 0, world_size: 1 };

/// The configuration of a row of the trainer's own counts.
fn config_of(name: &str) -> SkipConfig {
    let flat = |pc_y| SkipConfig { random_fen_skipping: 3, pc_y, ..ALL };
    let filtered = SkipConfig { filtered: true, ..ALL };
    let soft = |n| SkipConfig { soft_early_fen_skipping: n, ..ALL };
    match name {
        "default" => SkipConfig {
            random_fen_skipping: 3,
            wld_filtered: true,
            soft_early_fen_skipping: 20,
            ..filtered
        },
        "recipe" => SkipConfig {
            random_fen_skipping: 10,
            wld_filtered: true,
            early_fen_skipping: 16,
            soft_early_fen_skipping: 32,
            pc_y: [0.0, 0.4, 1.0, 1.0, 0.8],
            ply: [[0.0, 0.025], [22.0, 0.05], [25.5, 0.2], [28.0, 0.75]],
            ..filtered
        },
        "filtered" => filtered,
        "wld" => SkipConfig { wld_filtered: true, ..ALL },
        "random 3" => SkipConfig { random_fen_skipping: 3, ..ALL },
        "early 0" => SkipConfig { early_fen_skipping: 0, ..ALL },
        "early 25" => SkipConfig { early_fen_skipping: 25, ..ALL },
        "soft 20" => soft(20),
        "soft 10" => soft(10),
        "soft 1" => soft(1),
        "filtered, simple 500" => SkipConfig { simple_eval_skipping: 500, ..filtered },
        "simple 500 alone" => SkipConfig { simple_eval_skipping: 500, ..ALL },
        "none" => ALL,
        "random 3, flat counts" => flat([1.0; 5]),
        "random 3, endgames" => flat([1.0, 1.0, 0.2, 0.05, 0.0]),
        "random 3, zero counts" => flat([0.0; 5]),
        "random 3, negative counts" => flat([-1.0, 0.5, 1.0, -1.0, 2.0]),
        "soft 30, points out of order" => {
            SkipConfig { ply: [[10.0, 0.9], [5.0, 0.1], [20.0, 2.0], [40.0, -1.0]], ..soft(30) }
        }
        name => panic!("{name}"),
    }
}

/// The library keeps as many entries of a sample as the trainer's own. One thread, as there.
#[test]
fn as_many_entries_are_kept_as_by_the_trainer() {
    let Some(paths) = kept::sample() else { return };
    let text = |path: &PathBuf| CString::new(path.to_str().unwrap()).unwrap();
    let names: Vec<CString> = paths.iter().map(text).collect();
    let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let mut wrong = Vec::new();
    for row in kept::rows() {
        let (mut found, config) = ([0; 4], config_of(row.name));
        for seed in 0..row.seeds() {
            // SAFETY: this is the only test, and the threads of the last stream have ended.
            unsafe { env::set_var("SETWISE_LOADER_SEED", seed.to_string()) };
            // SAFETY: the strings and arrays are as they should be.
            let stream = unsafe {
                let count = pointers.len() as c_int;
                let (set, files) = (c"768".as_ptr(), pointers.as_ptr());
                create_sparse_batch_stream(set, 1, count, files, 16_384, false, config, ALONE)
            };
            assert!(!stream.is_null());
            loop {
                // SAFETY: it was not destroyed.
                let batch = unsafe { fetch_next_sparse_batch(stream) };
                if batch.is_null() {
                    break;
                }
                // SAFETY: it was not destroyed, and the block is this long.
                unsafe {
                    let pieces =
                        slice::from_raw_parts((*batch).piece_count, (*batch).size as usize);
                    for count in pieces {
                        found[kept::group(*count as u32)] += 1;
                    }
                    destroy_sparse_batch(batch);
                }
            }
            // SAFETY: it was not destroyed.
            unsafe { destroy_sparse_batch_stream(stream) };
        }
        wrong.extend(row.check(found.map(|count| count / row.seeds())).err());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
