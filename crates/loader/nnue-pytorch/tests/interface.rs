//! The functions as the trainer calls them, and as it should not.

#![allow(clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "all numbers are small")]
#![allow(clippy::float_cmp, reason = "all numbers are exact")]

#[path = "../../tests/common/mod.rs"]
mod common;

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::ptr::{null, null_mut, with_exposed_provenance_mut};
use std::sync::LazyLock;
use std::time::Duration;
use std::{env, fs, slice, thread};

use common::{File, Seen, games, write};
use setwise_positions::binpack::Entry;
use training_data_loader::*;

const SET: &CStr = c"Full_Threats+PP_3Wide+HalfKAv2_hm^";
const WIDTH: usize = 288;
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

/// Games, some entries of which have no score.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entries = games(40, &mut Seen::default());
    let score = |at: usize| if at.is_multiple_of(10) { 32002 } else { at as i16 };
    let numbered = entries.iter().enumerate().map(|(at, entry)| {
        Entry::new(*entry.board(), entry.played(), score(at), entry.result(), entry.ply())
    });
    numbered.collect()
});

impl File {
    /// A file of chunks of 100 entries.
    fn of_games(name: &str) -> File {
        File::new(name, &ENTRIES.chunks(100).flat_map(write).collect::<Vec<u8>>())
    }
}

fn text(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    concurrency: c_int,
    batch_size: c_int,
    cyclic: bool,
    config: SkipConfig,
    ddp: DdpConfig,
}

const SETTINGS: Settings =
    Settings { concurrency: 2, batch_size: 300, cyclic: false, config: ALL, ddp: ALONE };

fn create(set: &CStr, path: &Path, settings: Settings) -> *mut Stream {
    let (name, Settings { concurrency, batch_size, cyclic, config, ddp }) = (text(path), settings);
    let files = [name.as_ptr()];
    // SAFETY: the strings and arrays are as they should be.
    unsafe {
        create_sparse_batch_stream(
            set.as_ptr(),
            concurrency,
            1,
            files.as_ptr(),
            batch_size,
            cyclic,
            config,
            ddp,
        )
    }
}

fn create_fens(path: &Path, settings: Settings) -> *mut Stream {
    let (name, Settings { concurrency, batch_size, cyclic, config, ddp }) = (text(path), settings);
    let files = [name.as_ptr()];
    // SAFETY: the strings and arrays are as they should be.
    unsafe {
        create_fen_batch_stream(concurrency, 1, files.as_ptr(), batch_size, cyclic, config, ddp)
    }
}

fn of_fens(fens: &[&str], scores: &[c_int]) -> *mut SparseBatch {
    let names: Vec<CString> = fens.iter().map(|fen| CString::new(*fen).unwrap()).collect();
    let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let (plies, results) = (vec![30; fens.len()], vec![1; fens.len()]);
    // SAFETY: the strings and arrays are as they should be.
    unsafe {
        get_sparse_batch_from_fens(
            SET.as_ptr(),
            fens.len() as c_int,
            pointers.as_ptr(),
            scores.as_ptr(),
            plies.as_ptr(),
            results.as_ptr(),
        )
    }
}

/// `is_white`, `outcome` and `score`, the number of pieces, and both views in ascending order.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
struct Row([f32; 3], c_int, [Vec<c_int>; 2]);

/// Reads a batch as the trainer does, as two blocks, and destroys it.
fn rows(batch: *mut SparseBatch) -> Vec<Row> {
    // SAFETY: it was not destroyed.
    let seen = unsafe { &*batch };
    let (size, width) = (seen.size as usize, seen.max_active_features as usize);
    // SAFETY: the blocks are this long.
    let (floats, ints) = unsafe {
        (
            slice::from_raw_parts(seen.is_white, 3 * size),
            slice::from_raw_parts(seen.white, (2 * width + 1) * size),
        )
    };
    assert_eq!(seen.outcome.cast_const(), floats[size..].as_ptr());
    assert_eq!(seen.score.cast_const(), floats[2 * size..].as_ptr());
    assert_eq!(seen.black.cast_const(), ints[width * size..].as_ptr());
    assert_eq!(seen.piece_count.cast_const(), ints[2 * width * size..].as_ptr());
    let mut active = [0; 2];
    let rows = (0..size).map(|at| {
        let views = [0, 1].map(|view| {
            let row = &ints[(view * size + at) * width..][..width];
            let end = row.iter().position(|index| *index < 0).unwrap_or(width);
            assert!(row[end..].iter().all(|index| *index == -1));
            assert!(row[..end].iter().all(|index| *index < seen.num_inputs));
            active[view] += end as c_int;
            let mut list = row[..end].to_vec();
            list.sort_unstable();
            list
        });
        let pieces = ints[2 * width * size + at];
        Row([0, 1, 2].map(|column| floats[column * size + at]), pieces, views)
    });
    let rows = rows.collect();
    assert_eq!([seen.num_active_white_features, seen.num_active_black_features], active);
    // SAFETY: it was not destroyed.
    unsafe { destroy_sparse_batch(batch) };
    rows
}

/// The rows of a stream, and the sizes of its batches. Destroys it.
fn read(stream: *mut Stream, most: usize) -> (Vec<Row>, Vec<usize>) {
    assert!(!stream.is_null());
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    while sizes.len() < most {
        // SAFETY: it was not destroyed.
        let batch = unsafe { fetch_next_sparse_batch(stream) };
        if batch.is_null() {
            // SAFETY: it was not destroyed.
            assert!(unsafe { fetch_next_sparse_batch(stream) }.is_null());
            break;
        }
        let rows = rows(batch);
        sizes.push(rows.len());
        all.extend(rows);
    }
    // SAFETY: it was not destroyed.
    unsafe { destroy_sparse_batch_stream(stream) };
    (all, sizes)
}

fn read_fens(stream: *mut Stream) -> Vec<String> {
    assert!(!stream.is_null());
    let mut fens = Vec::new();
    loop {
        // SAFETY: it was not destroyed.
        let batch = unsafe { fetch_next_fen_batch(stream) };
        if batch.is_null() {
            break;
        }
        // SAFETY: it was not destroyed, and has as many texts.
        unsafe {
            for fen in slice::from_raw_parts((*batch).fens, (*batch).size as usize) {
                let text = CStr::from_ptr(fen.fen).to_str().unwrap();
                assert_eq!(text.len(), fen.size as usize);
                fens.push(text.to_owned());
            }
            destroy_fen_batch(batch);
        }
    }
    // SAFETY: it was not destroyed.
    unsafe { destroy_fen_batch_stream(stream) };
    fens
}

fn sorted<T: PartialOrd>(mut list: Vec<T>) -> Vec<T> {
    list.sort_by(|a, b| a.partial_cmp(b).unwrap());
    list
}

/// The rows of entries, by the other function.
fn expected<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<Row> {
    let entries: Vec<&Entry> = entries.into_iter().collect();
    let fens: Vec<String> = entries.iter().map(|entry| entry.record().to_string()).collect();
    let fens: Vec<&str> = fens.iter().map(String::as_str).collect();
    let scores: Vec<c_int> = entries.iter().map(|entry| entry.score().into()).collect();
    let mut rows = rows(of_fens(&fens, &scores));
    for (row, entry) in rows.iter_mut().zip(entries) {
        row.0[1] = f32::from(entry.result() + 1) / 2.0;
    }
    rows
}

#[test]
#[cfg(target_pointer_width = "64")]
fn structures_are_those_of_c() {
    use std::mem::{offset_of, size_of};

    assert_eq!((size_of::<SkipConfig>(), offset_of!(SkipConfig, pc_y)), (136, 32));
    assert_eq!((offset_of!(SkipConfig, early_fen_skipping), offset_of!(SkipConfig, ply)), (12, 72));
    assert_eq!((size_of::<DdpConfig>(), size_of::<FenText>(), size_of::<FenBatch>()), (8, 16, 16));
    assert_eq!((size_of::<SparseBatch>(), offset_of!(SparseBatch, is_white)), (72, 8));
    assert_eq!((offset_of!(SparseBatch, white), offset_of!(SparseBatch, piece_count)), (48, 64));
}

/// The inputs that another program computes. All of them are compared if `SETWISE_FEATURES` names a
/// folder with `expected.tsv`.
#[test]
fn inputs_are_those_of_the_trainer() {
    let mut text = include_str!("expected.tsv").to_owned();
    match env::var_os("SETWISE_FEATURES") {
        Some(folder) => {
            text += &fs::read_to_string(Path::new(&folder).join("expected.tsv")).unwrap();
        }
        None => eprintln!("skipped: SETWISE_FEATURES is not a folder with expected.tsv"),
    }
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let fens: Vec<&str> = lines.iter().map(|line| line[0]).collect();
    let scores: Vec<c_int> = (0..fens.len() as c_int).map(|number| number - 5).collect();
    let batch = of_fens(&fens, &scores);
    // SAFETY: it was not destroyed.
    let (inputs, width) = unsafe { ((*batch).num_inputs, (*batch).max_active_features) };
    assert_eq!((inputs, width), (88_944, WIDTH as c_int));
    let rows = rows(batch);
    assert_eq!(rows.len(), lines.len());
    for ((Row(floats, pieces, views), line), score) in rows.iter().zip(&lines).zip(scores) {
        let fen = line[0];
        let lists = [1, 2].map(|field| -> Vec<c_int> {
            line[field].split(' ').map(|index| index.parse().unwrap()).collect()
        });
        assert_eq!(*views, lists, "{fen}");
        let is_white = if fen.contains(" w ") { 1.0 } else { 0.0 };
        assert_eq!(*floats, [is_white, 1.0, score as f32], "{fen}");
        let placement = fen.split(' ').next().unwrap();
        assert_eq!(*pieces, placement.chars().filter(char::is_ascii_alphabetic).count() as c_int);
    }
}

#[test]
fn streams_hold_every_position() {
    let file = File::of_games("every");
    let count = ENTRIES.len();
    let all = sorted(expected(&*ENTRIES));
    for (concurrency, batch_size) in [(1, 300), (4, 7), (c_int::MIN, 1)] {
        let settings = Settings { concurrency, batch_size, ..SETTINGS };
        let (rows, sizes) = read(create(SET, &file.0, settings), usize::MAX);
        let size = batch_size as usize;
        let full = sizes.iter().take_while(|found| **found == size).count();
        assert_eq!((sizes.iter().sum::<usize>(), full), (count, count / size));
        assert!(sorted(rows) == all);
    }
    let fens: Vec<String> = ENTRIES.iter().map(|entry| entry.record().to_string()).collect();
    assert_eq!(sorted(read_fens(create_fens(&file.0, SETTINGS))), sorted(fens));
    // Without an end, all batches are full.
    let cyclic = Settings { cyclic: true, ..SETTINGS };
    let (_, sizes) = read(create(SET, &file.0, cyclic), 2 * count / 300 + 2);
    assert_eq!(sizes, vec![300; 2 * count / 300 + 2]);
}

/// In a file with one chunk, too.
#[test]
fn positions_are_not_in_the_order_of_the_file() {
    let file = File::new("one", &write(&ENTRIES));
    let fens = || read_fens(create_fens(&file.0, SETTINGS));
    let in_order: Vec<String> = ENTRIES.iter().map(|entry| entry.record().to_string()).collect();
    let (first, second) = (fens(), fens());
    // Each run has another seed.
    assert!(first != in_order && first != second);
    assert_eq!(sorted(first), sorted(in_order));
}

/// What the trainer gives back is used again: its padding is not written anew.
#[test]
fn batches_are_recycled() {
    let file = File::of_games("recycled");
    let stream = create(SET, &file.0, Settings { cyclic: true, ..SETTINGS });
    let mut marked = 0;
    for _ in 0..30 {
        // SAFETY: it was not destroyed, and a row is this wide. The last index is padding, which
        // no other code reads now.
        unsafe {
            let batch = fetch_next_sparse_batch(stream);
            let last = (*batch).white.add(WIDTH - 1);
            marked += u32::from(*last == -7);
            *last = -7;
            destroy_sparse_batch(batch);
        }
    }
    // SAFETY: it was not destroyed.
    unsafe { destroy_sparse_batch_stream(stream) };
    assert!(marked > 0);
}

/// A file may have a rook with a right in the middle of the board. Its FEN has none.
#[test]
fn rights_without_a_rook_in_the_corner() {
    let mut chunk = b"BINP\x22\0\0\0".to_vec();
    chunk.extend((1_u64 << 4 | 1 << 27 | 1 << 63).to_be_bytes());
    // White's king, the rook, and Black's king.
    chunk.extend([0xda, 0x0b]);
    chunk.extend([0; 14 + 10]);
    let file = File::new("right", &chunk);
    let fens = read_fens(create_fens(&file.0, SETTINGS));
    assert_eq!(fens, ["7k/8/8/8/3R4/8/8/4K3 w - - 0 1"]);
}

#[test]
fn rules_skip_entries() {
    let file = File::of_games("rules");
    let flat = SkipConfig { pc_y: [1.0; 5], ..ALL };
    let scores = |config| -> Vec<i16> {
        let (rows, _) = read(create(SET, &file.0, Settings { config, ..SETTINGS }), usize::MAX);
        rows.iter().map(|row| row.0[2] as i16).collect()
    };
    let entry = |score: i16| &ENTRIES[score as usize];
    assert_eq!(scores(flat).len(), ENTRIES.len());
    let early = scores(SkipConfig { early_fen_skipping: 20, ..flat });
    assert!(early.len() > 100 && !early.contains(&32002));
    assert!(early.iter().all(|score| entry(*score).ply() > 20));
    let filtered = scores(SkipConfig { filtered: true, ..flat });
    assert!(filtered.len() > 100 && !filtered.contains(&32002));
    assert!(filtered.iter().all(|score| !entry(*score).board().in_check()));
    assert!(filtered.iter().any(|score| entry(*score).ply() <= 20));
    let random = scores(SkipConfig { random_fen_skipping: 9, ..flat });
    assert!((1..ENTRIES.len() / 5).contains(&random.len()), "{}", random.len());
}

#[test]
fn processes_read_other_chunks() {
    let file = File::of_games("processes");
    let part = |rank| {
        let ddp = DdpConfig { rank, world_size: 3 };
        read(create(SET, &file.0, Settings { ddp, ..SETTINGS }), usize::MAX).0
    };
    let parts = [part(0), part(1), part(2)];
    assert!(parts.iter().all(|rows| rows.len() > ENTRIES.len() / 4));
    assert!(sorted(parts.concat()) == sorted(expected(&*ENTRIES)));
    let none = Settings { ddp: DdpConfig { rank: 0, world_size: 0 }, ..SETTINGS };
    assert_eq!(read(create(SET, &file.0, none), usize::MAX).0.len(), ENTRIES.len());
    for (rank, world_size) in [(3, 3), (-1, 3), (0, -1), (c_int::MIN, c_int::MAX)] {
        let ddp = DdpConfig { rank, world_size };
        assert!(create(SET, &file.0, Settings { ddp, ..SETTINGS }).is_null());
    }
}

#[test]
fn bad_files_end_streams() {
    let chunk = write(&ENTRIES[..500]);
    let torn = File::new("torn", &[&chunk[..], &chunk[..chunk.len() / 2]].concat());
    // The order of the chunks is random.
    let (rows, _) = read(create(SET, &torn.0, SETTINGS), usize::MAX);
    assert!((100..1000).contains(&rows.len()), "{}", rows.len());
    let good = expected(&ENTRIES[..500]);
    assert!(rows.iter().all(|row| good.contains(row)));
    let other = File::new("other", b"a text");
    let empty = File::new("empty", b"");
    assert!(create(SET, &other.0, SETTINGS).is_null());
    for cyclic in [false, true] {
        let settings = Settings { cyclic, ..SETTINGS };
        assert_eq!(read(create(SET, &empty.0, settings), usize::MAX).0, []);
        assert!(read_fens(create_fens(&empty.0, settings)).is_empty());
        // A file that is removed meanwhile: the stream ends, with or without an error.
        let removed = File::of_games("removed");
        let stream = create(SET, &removed.0, settings);
        drop(removed);
        read(stream, 3);
        // One that is cut short or written over meanwhile.
        for bytes in [&b""[..], &[0; 9000]] {
            let changed = File::of_games("changed");
            let stream = create(SET, &changed.0, settings);
            fs::write(&changed.0, bytes).unwrap();
            read(stream, 3);
        }
    }
    #[cfg(target_os = "linux")]
    let device = Path::new("/dev/null");
    #[cfg(not(target_os = "linux"))]
    let device = Path::new("/nowhere");
    for path in [Path::new("/nowhere/at/all"), &env::temp_dir(), device] {
        assert!(create(SET, path, SETTINGS).is_null());
        assert!(create_fens(path, SETTINGS).is_null());
    }
}

/// Neither waits for a writer, and both are refused.
#[test]
#[cfg(unix)]
fn pipes_and_sockets_are_refused() {
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    let name = |kind| env::temp_dir().join(format!("setwise-{kind}-{}", std::process::id()));
    let [pipe, socket] = ["pipe", "socket"].map(name);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let listener = UnixListener::bind(&socket).unwrap();
    for path in [&pipe, &socket] {
        assert!(create(SET, path, SETTINGS).is_null());
        assert!(create_fens(path, SETTINGS).is_null());
        fs::remove_file(path).unwrap();
    }
    drop(listener);
}

#[test]
fn null_and_impossible_values_are_survived() {
    let file = File::of_games("null");
    for set in [c"Half_Threats", c"", c"+", c"768\xff"] {
        assert!(create(set, &file.0, SETTINGS).is_null());
    }
    for batch_size in [0, -1, c_int::MIN, c_int::MAX, 1 << 24] {
        assert!(create(SET, &file.0, Settings { batch_size, ..SETTINGS }).is_null());
    }
    // Weights below 0 and points in any order are taken.
    for (weights, ply) in [([0.0; 5], [[1.0; 2]; 4]), ([-1.0, 0.5, 1.0, -1.0, 2.0], [[-1.0; 2]; 4])]
    {
        let config = SkipConfig { soft_early_fen_skipping: 9, pc_y: weights, ply, ..ALL };
        read(create(SET, &file.0, Settings { config, ..SETTINGS }), usize::MAX);
    }
    for wrong in [f64::NAN, f64::INFINITY] {
        let config = SkipConfig { filtered: true, pc_y: [wrong; 5], ..ALL };
        assert!(create(SET, &file.0, Settings { config, ..SETTINGS }).is_null());
        let config = SkipConfig { soft_early_fen_skipping: 9, ply: [[wrong; 2]; 4], ..ALL };
        assert!(create(SET, &file.0, Settings { config, ..SETTINGS }).is_null());
    }
    let name = text(&file.0);
    let (files, none) = ([name.as_ptr()], [null()]);
    let (fen, number) = (c"8/8/8/8/8/8/8/K1k5 w - - 0 1".as_ptr(), 0);
    // SAFETY: null is allowed, and the arrays have as many elements.
    unsafe {
        let create = |set, count, files| {
            create_sparse_batch_stream(set, 1, count, files, 9, false, ALL, ALONE)
        };
        assert!(create(null(), 1, files.as_ptr()).is_null());
        for count in [c_int::MIN, 0, 1, c_int::MAX] {
            assert!(create(SET.as_ptr(), count, null()).is_null());
            assert!(create_fen_batch_stream(1, count, null(), 9, false, ALL, ALONE).is_null());
        }
        assert!(create(SET.as_ptr(), 0, files.as_ptr()).is_null());
        assert!(create(SET.as_ptr(), 1, none.as_ptr()).is_null());
        assert!(fetch_next_sparse_batch(null_mut()).is_null());
        assert!(fetch_next_fen_batch(null_mut()).is_null());
        destroy_sparse_batch(null_mut());
        destroy_fen_batch(null_mut());
        destroy_sparse_batch_stream(null_mut());
        destroy_fen_batch_stream(null_mut());
        let of = |set, count, fens, scores| {
            get_sparse_batch_from_fens(
                set,
                count,
                fens,
                scores,
                &raw const number,
                &raw const number,
            )
        };
        let numbers = &raw const number;
        assert_eq!(rows(of(SET.as_ptr(), 1, &raw const fen, numbers)).len(), 1);
        assert!(of(null(), 1, &raw const fen, numbers).is_null());
        assert!(of(SET.as_ptr(), 1, null(), numbers).is_null());
        assert!(of(SET.as_ptr(), 1, none.as_ptr(), numbers).is_null());
        assert!(of(SET.as_ptr(), 1, &raw const fen, null()).is_null());
        for count in [0, -1, c_int::MIN] {
            assert!(of(SET.as_ptr(), count, &raw const fen, numbers).is_null());
        }
        assert!(of(SET.as_ptr(), c_int::MAX, null(), null()).is_null());
    }
    let queens = ["QQQQQQQQ/".repeat(7).as_str(), "QQQKk3 w - - 0 1"].concat();
    for fen in ["", "8/8/8/8/8/8/8/8 w - -", "8/8/8/8/8/8/8/K1k5", &queens] {
        assert!(of_fens(&[fen], &[0]).is_null());
    }
    assert!(of_fens(&["8/8/8/8/8/8/8/K1k5 w - - 0 1"], &[1 << 16]).is_null());
    // The functions of one kind with a stream of the other.
    let stream = create(SET, &file.0, SETTINGS);
    // SAFETY: it was not destroyed.
    unsafe {
        assert!(fetch_next_fen_batch(stream).is_null());
        destroy_fen_batch_stream(stream);
    }
}

#[test]
fn streams_end_at_any_time() {
    let file = File::of_games("end");
    let mut kept = Vec::new();
    for number in 0..1000 {
        let settings = Settings { concurrency: 1 + number % 4, cyclic: true, ..SETTINGS };
        let is_late = number % 50 == 0;
        let stream = create(SET, &file.0, Settings { cyclic: !is_late, ..settings });
        if is_late {
            // SAFETY: it was not destroyed.
            kept.push(unsafe { fetch_next_sparse_batch(stream) });
        } else if number % 3 == 0 {
            thread::sleep(Duration::from_micros(number as u64 % 400));
        }
        // SAFETY: it was not destroyed.
        unsafe { destroy_sparse_batch_stream(stream) };
    }
    let counts: Vec<usize> = kept.into_iter().map(|batch| rows(batch).len()).collect();
    assert_eq!(counts, [300; 20]);
}

/// An endless stream of a small file reads it many times for the first batch.
#[test]
fn a_stream_ends_while_a_thread_waits() {
    let file = File::of_games("waits");
    let stream = create(SET, &file.0, Settings { cyclic: true, ..SETTINGS });
    let address = stream.expose_provenance();
    let thread = thread::spawn(move || {
        // SAFETY: it is destroyed after the call has begun.
        unsafe { fetch_next_sparse_batch(with_exposed_provenance_mut(address)) }.expose_provenance()
    });
    thread::sleep(Duration::from_millis(200));
    // SAFETY: it was not destroyed.
    unsafe { destroy_sparse_batch_stream(stream) };
    assert_eq!(rows(with_exposed_provenance_mut(thread.join().unwrap())).len(), 300);
}
