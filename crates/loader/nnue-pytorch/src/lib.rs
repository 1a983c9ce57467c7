#![doc = include_str!("../README.md")]
//!
//! The functions and structures below are those that the trainer calls and declares. All functions
//! may be called with null pointers. None unwinds.

mod checkout;
mod owned;
mod settings;

use std::ffi::{CStr, c_char, c_int};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, Once};

use setwise_loader::{Batch, Batches, Loader, Recycler};
use setwise_positions::printable;

use owned::{Fens, Sparse};

/// Which entries to skip. The README says what each rule is.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct SkipConfig {
    /// Skip captures, and positions with the side to move in check.
    pub filtered: bool,
    /// Skip each entry with the probability `n / (n + 1)`. At most 0: off.
    pub random_fen_skipping: c_int,
    /// Skip entries with an unlikely result.
    pub wld_filtered: bool,
    /// Skip entries up to this ply. Below 0: off.
    pub early_fen_skipping: c_int,
    /// Skip entries before this ply with a probability. At most 0: off.
    pub soft_early_fen_skipping: c_int,
    /// Skip entries whose material differs by less. At most 0: off.
    pub simple_eval_skipping: c_int,
    /// Unused.
    pub param_index: c_int,
    /// The wanted relative frequencies of 0, 8, 16, 24 and 32 pieces.
    pub pc_y: [f64; 5],
    /// Points of `soft_early_fen_skipping`: ply and probability of keeping.
    pub ply: [[f64; 2]; 4],
}

/// The number of this process, and the number of processes. Each reads other chunks.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "said above")]
pub struct DdpConfig {
    pub rank: c_int,
    pub world_size: c_int,
}

/// A batch of positions. Its arrays are read-only.
#[repr(C)]
#[derive(Debug)]
pub struct SparseBatch {
    /// The inputs of the set.
    pub num_inputs: c_int,
    /// The positions.
    pub size: c_int,
    /// The start of a block: 1 for each position with White to move, 0 for the others.
    pub is_white: *mut f32,
    /// In the same block: 1 won, 0.5 drawn, 0 lost for the side to move.
    pub outcome: *mut f32,
    /// In the same block: the score for the side to move.
    pub score: *mut f32,
    /// All indices in `white`.
    pub num_active_white_features: c_int,
    /// All indices in `black`.
    pub num_active_black_features: c_int,
    /// The width of a row.
    pub max_active_features: c_int,
    /// The start of a block: a row of White's view for each position, padded with -1.
    pub white: *mut c_int,
    /// In the same block: Black's view.
    pub black: *mut c_int,
    /// In the same block: the number of pieces of each position.
    pub piece_count: *mut c_int,
}

/// A text, which also ends with a zero.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "said above")]
pub struct FenText {
    pub size: c_int,
    pub fen: *const c_char,
}

/// A batch of FENs.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs, reason = "said above")]
pub struct FenBatch {
    pub size: c_int,
    pub fens: *mut FenText,
}

/// A stream of batches of either kind.
#[derive(Debug)]
pub struct Stream {
    /// `None` after the end.
    batches: Mutex<Option<Batches>>,
    recycler: Recycler,
    /// The number of inputs. 0 for FENs.
    inputs: u32,
}

impl Stream {
    /// Starts a stream, and hands it over.
    fn leak(loader: &Loader, inputs: u32) -> Result<*mut Stream, String> {
        let batches = loader.batches().map_err(|error| error.to_string())?;
        let recycler = batches.recycler();
        let stream = Stream { batches: Mutex::new(Some(batches)), recycler, inputs };
        Ok(Arc::into_raw(Arc::new(stream)).cast_mut())
    }

    fn next(&self) -> Result<Option<Batch>, String> {
        // After a panic the stream has ended.
        let Ok(mut batches) = self.batches.lock() else {
            return Ok(None);
        };
        let next = batches.as_mut().and_then(Iterator::next).transpose();
        if !matches!(next, Ok(Some(_))) {
            *batches = None;
        }
        next.map_err(|error| error.to_string())
    }
}

/// Prints an error as one line.
fn report(message: &str) {
    // `eprintln` panics if stderr is closed.
    let _ = writeln!(std::io::stderr(), "training_data_loader: {}", printable(message));
}

/// Prints once what the library serves, and checks the trainer whose sources are in the working
/// folder.
fn check_trainer(set: Option<&CStr>) -> Result<(), String> {
    static PRINTED: Once = Once::new();
    let version = env!("CARGO_PKG_VERSION");
    PRINTED.call_once(|| report(&format!("setwise {version} serves {}", checkout::SERVED)));
    checkout::check(Path::new("."), set.and_then(|set| set.to_str().ok()))
}

/// Runs the body of a function. Returns null after an error, which is reported, and after a panic,
/// which the panic hook has reported.
fn guard<T>(body: impl FnOnce() -> Result<*mut T, String>) -> *mut T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(result)) => result,
        Ok(Err(message)) => {
            report(&message);
            null_mut()
        }
        Err(_) => null_mut(),
    }
}

/// # Safety
///
/// `text` is null or a string that ends with a zero.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a CStr, String> {
    if text.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: the caller's contract.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// # Safety
///
/// `values` is null or has this many elements, if there are any.
unsafe fn slice<'a, T>(values: *const T, count: c_int, what: &str) -> Result<&'a [T], String> {
    match usize::try_from(count) {
        Ok(1..) if values.is_null() => Err(format!("{what} is NULL")),
        // SAFETY: the caller's contract.
        Ok(count @ 1..) => Ok(unsafe { std::slice::from_raw_parts(values, count) }),
        _ => Err(format!("the number of {what} must be at least 1, found {count}")),
    }
}

/// The paths of files that can be opened.
///
/// # Safety
///
/// As in [`slice`] and [`text`].
unsafe fn open(count: c_int, files: *const *const c_char) -> Result<Vec<PathBuf>, String> {
    // SAFETY: the caller's contract.
    let files = unsafe { slice(files, count, "files") }?;
    let path = |file: &*const c_char| {
        // SAFETY: the caller's contract.
        let path = settings::path(unsafe { text(*file, "a file's name") }?);
        settings::check_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    };
    files.iter().map(path).collect()
}

/// Starts a stream of batches. Returns null if the set is unknown, a file cannot be opened or a
/// setting is impossible.
///
/// # Safety
///
/// `feature_set` is null or a string that ends with a zero, and `files` is null or has `num_files`
/// such pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn create_sparse_batch_stream(
    feature_set: *const c_char,
    concurrency: c_int,
    num_files: c_int,
    files: *const *const c_char,
    batch_size: c_int,
    cyclic: bool,
    config: SkipConfig,
    ddp_config: DdpConfig,
) -> *mut Stream {
    guard(|| {
        // SAFETY: the caller's contract.
        let set = unsafe { text(feature_set, "feature_set") }?;
        let inputs = settings::inputs(set)?;
        check_trainer(Some(set))?;
        // SAFETY: the caller's contract.
        let paths = unsafe { open(num_files, files) }?;
        let loader = settings::loader(paths, concurrency, batch_size, cyclic, &config, ddp_config)?;
        settings::check_memory(&inputs, loader.batch_size)?;
        let count = inputs.count();
        Stream::leak(&settings::sparse(loader, inputs), count)
    })
}

/// Starts a stream of batches of FENs. Returns null as [`create_sparse_batch_stream`] does.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn create_fen_batch_stream(
    concurrency: c_int,
    num_files: c_int,
    files: *const *const c_char,
    batch_size: c_int,
    cyclic: bool,
    config: SkipConfig,
    ddp_config: DdpConfig,
) -> *mut Stream {
    guard(|| {
        // SAFETY: the caller's contract.
        let paths = unsafe { open(num_files, files) }?;
        check_trainer(None)?;
        let loader = settings::loader(paths, concurrency, batch_size, cyclic, &config, ddp_config)?;
        Stream::leak(&settings::boards(loader), 0)
    })
}

/// # Safety
///
/// The stream is null or was not destroyed.
unsafe fn next<T>(
    stream: *const Stream,
    convert: impl FnOnce(Batch, &Stream) -> Result<*mut T, String>,
) -> *mut T {
    if stream.is_null() {
        return null_mut();
    }
    // Another thread may destroy the stream meanwhile.
    // SAFETY: the caller's contract.
    let stream = unsafe {
        Arc::increment_strong_count(stream);
        Arc::from_raw(stream)
    };
    guard(move || match stream.next()? {
        Some(batch) => convert(batch, &stream),
        None => Ok(null_mut()),
    })
}

/// Waits for the next batch. Null at the end, and after an error.
///
/// # Safety
///
/// The stream is null or was not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fetch_next_sparse_batch(stream: *mut Stream) -> *mut SparseBatch {
    let convert = |batch, stream: &Stream| {
        Ok(Sparse::leak(batch, stream.inputs, Some(stream.recycler.clone())))
    };
    // SAFETY: the caller's contract.
    unsafe { next(stream, convert) }
}

/// Waits for the next batch of FENs. Null at the end, and after an error.
///
/// # Safety
///
/// The stream is null or was not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fetch_next_fen_batch(stream: *mut Stream) -> *mut FenBatch {
    let convert = |batch, stream: &Stream| {
        let fens = Fens::leak(&batch)?;
        stream.recycler.recycle(batch);
        Ok(fens)
    };
    // SAFETY: the caller's contract.
    unsafe { next(stream, convert) }
}

/// Ends a stream: at any time, also while another thread waits for a batch. Its batches stay.
///
/// # Safety
///
/// The stream is null or was not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn destroy_sparse_batch_stream(stream: *mut Stream) {
    if stream.is_null() {
        return;
    }
    guard(|| {
        // SAFETY: it came from `Arc::into_raw`.
        drop(unsafe { Arc::from_raw(stream) });
        Ok(null_mut::<()>())
    });
}

/// The same for FENs.
///
/// # Safety
///
/// As in [`destroy_sparse_batch_stream`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn destroy_fen_batch_stream(stream: *mut Stream) {
    // SAFETY: the caller's contract.
    unsafe { destroy_sparse_batch_stream(stream) }
}

/// Frees a batch, or gives its memory back to its stream.
///
/// # Safety
///
/// The batch is null or was not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn destroy_sparse_batch(batch: *mut SparseBatch) {
    if batch.is_null() {
        return;
    }
    guard(|| {
        // SAFETY: it came from `Sparse::leak`.
        unsafe { Sparse::destroy(batch) };
        Ok(null_mut::<()>())
    });
}

/// Frees a batch.
///
/// # Safety
///
/// The batch is null or was not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn destroy_fen_batch(batch: *mut FenBatch) {
    if batch.is_null() {
        return;
    }
    guard(|| {
        // SAFETY: it came from `Fens::leak`.
        unsafe { Fens::destroy(batch) };
        Ok(null_mut::<()>())
    });
}

/// Makes a batch of positions in their order. Returns null if the set is unknown, or one of the
/// positions or numbers is impossible.
///
/// # Safety
///
/// `feature_set` is null or a string that ends with a zero. The others are null or have `count`
/// elements, and those of `fens` are null or such strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn get_sparse_batch_from_fens(
    feature_set: *const c_char,
    count: c_int,
    fens: *const *const c_char,
    scores: *const c_int,
    plies: *const c_int,
    results: *const c_int,
) -> *mut SparseBatch {
    guard(|| {
        // SAFETY: the caller's contract.
        let set = unsafe { text(feature_set, "feature_set") }?;
        let inputs = settings::inputs(set)?;
        check_trainer(Some(set))?;
        // SAFETY: the caller's contract.
        let (fens, scores, plies, results) = unsafe {
            (
                slice(fens, count, "fens")?,
                slice(scores, count, "scores")?,
                slice(plies, count, "plies")?,
                slice(results, count, "results")?,
            )
        };
        settings::check_memory(&inputs, fens.len())?;
        let mut entries = Vec::new();
        for (at, fen) in fens.iter().enumerate() {
            // SAFETY: the caller's contract.
            let fen = unsafe { text(*fen, "a FEN") };
            let entry = fen.and_then(|fen| {
                settings::entry(fen.to_bytes(), scores[at], plies[at], results[at])
            });
            entries.push(entry.map_err(|error| format!("position {at}: {error}"))?);
        }
        let (count, loader) = (inputs.count(), Loader::new(Vec::new()));
        let batch = settings::sparse(loader, inputs).batch(&entries);
        Ok(Sparse::leak(batch.map_err(|error| error.to_string())?, count, None))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn panics_end_at_the_boundary() {
        let panics = || panic!("on purpose");
        assert!(super::guard::<u8>(panics).is_null());
        assert!(super::guard::<u8>(|| Err("also on\npurpose".to_owned())).is_null());
    }
}
