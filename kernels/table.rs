//! The one table that every kernel fills, shaped for C from the start.

use core::ffi::c_char;

/// `attacks[i] = f(first[i], second[i])` for `i < boards`.
///
/// Contract: each pointer is valid for `boards` elements; they need no alignment; the output
/// may be exactly one of the inputs but must not partly overlap one; the CPU has the features
/// of the kernel.
pub(crate) type Batch2 = unsafe extern "C" fn(*const u64, *const u64, *mut u64, usize);
/// The same contract with three inputs.
pub(crate) type Batch3 = unsafe extern "C" fn(*const u64, *const u64, *const u64, *mut u64, usize);
/// One board by value; the CPU has the features of the kernel.
pub(crate) type One2 = unsafe extern "C" fn(u64, u64) -> u64;
/// One board by value, three sets.
pub(crate) type One3 = unsafe extern "C" fn(u64, u64, u64) -> u64;

/// The contract of [`Batch2`] with three inputs and two outputs, which overlap each other nowhere.
pub(crate) type Batch3To2 =
    unsafe extern "C" fn(*const u64, *const u64, *const u64, *mut u64, *mut u64, usize);
/// The same with five inputs.
pub(crate) type Batch5To2 = unsafe extern "C" fn(
    *const u64,
    *const u64,
    *const u64,
    *const u64,
    *const u64,
    *mut u64,
    *mut u64,
    usize,
);
/// The contract of [`Batch2`] with one number out for each board.
pub(crate) type BatchCounts = unsafe extern "C" fn(*const u64, *const u64, *mut u32, usize);

/// The contract of [`Batch2`] for one direction, by `Direction as u8`, of which the low three bits count.
pub(crate) type BatchRay = unsafe extern "C" fn(u8, *const u64, *const u64, *mut u64, usize);

/// `attacks[i] = f(squares[i], occupied[i])`: squares are numbers, of which the low six bits count, one slider
/// each. Otherwise the contract of [`Batch2`]; the squares must not overlap the output.
pub(crate) type BatchFrom = unsafe extern "C" fn(*const u8, *const u64, *mut u64, usize);
/// The same along one line, by `Line as u8`, of which the low two bits count.
pub(crate) type BatchLineFrom = unsafe extern "C" fn(u8, *const u8, *const u64, *mut u64, usize);

/// The function pointers of one kernel. Append-only within a major version.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Table {
    /// `size_of::<Table>()` in this build of the library.
    pub(crate) size: u32,
    /// Raised when the meaning of an existing field changes.
    pub(crate) abi_version: u32,
    /// The kernel's name, NUL-terminated.
    pub(crate) name: *const c_char,
    pub(crate) rook_attacks: Batch2,
    pub(crate) bishop_attacks: Batch2,
    pub(crate) queen_attacks: Batch2,
    pub(crate) slider_attacks: Batch3,
    pub(crate) ray_attacks: BatchRay,
    pub(crate) occluded_fill: BatchRay,
    pub(crate) rook_attacks_one: One2,
    pub(crate) bishop_attacks_one: One2,
    pub(crate) queen_attacks_one: One2,
    pub(crate) slider_attacks_one: One3,
    pub(crate) slider_attacks_split: Batch3To2,
    /// Sliders, blockers, occupied.
    pub(crate) xray_rook_attacks: Batch3,
    pub(crate) xray_bishop_attacks: Batch3,
    pub(crate) xray_queen_attacks: Batch3,
    /// Kings, own, orthogonal, diagonal, occupied; pinned, pinners.
    pub(crate) pins: Batch5To2,
    pub(crate) intersection_counts: BatchCounts,
    pub(crate) rook_attacks_from: BatchFrom,
    pub(crate) bishop_attacks_from: BatchFrom,
    pub(crate) queen_attacks_from: BatchFrom,
    pub(crate) line_attacks_from: BatchLineFrom,
}

// SAFETY: the only pointer is to a string literal, and function pointers are plain values.
unsafe impl Sync for Table {}
// SAFETY: as above.
unsafe impl Send for Table {}
