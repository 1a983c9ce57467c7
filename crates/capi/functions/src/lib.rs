//! The functions of the C library. `include/setwise.h` documents them. `tests/header.rs` generates
//! the parts of it that depend on the library's enumerations and operations.
//!
//! Nothing here allocates, unwinds or runs before `main`. `getenv` reads the environment, because
//! the standard library is not linked.
#![no_std]

use core::ffi::{CStr, c_char, c_int};
use core::ptr::{from_ref, null, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use kernels::error::ChoiceError;
use kernels::threats::Rules;
use kernels::{Choice, Kernel, Piece, Side};

mod status;

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

/// `SETWISE_IGNORE_ENVIRONMENT` in the header.
const IGNORE_ENVIRONMENT: u32 = 1;

/// The active kernel; null before the first choice.
static ACTIVE: AtomicPtr<Kernel> = AtomicPtr::new(null_mut());

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn setwise_active() -> *const Kernel {
    let active = ACTIVE.load(Ordering::Acquire);
    if active.is_null() { first_use() } else { active }
}

/// Chooses the kernel that the environment requests, or the best one for the CPU if that is
/// impossible. Threads that race here choose the same kernel. A concurrent `setwise_init` wins.
#[cold]
fn first_use() -> *const Kernel {
    // SAFETY: null is allowed.
    let chosen = unsafe { choose(0, null(), null()) };
    let kernel = match &chosen {
        Ok(kernel) => Some(*kernel),
        Err(_) => Choice::by_cpu().find().ok(),
    };
    let kernel = or_null(kernel).cast_mut();
    status::set(chosen.as_ref().err());
    match ACTIVE.compare_exchange(null_mut(), kernel, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => kernel,
        Err(active) => active,
    }
}

/// See the header.
///
/// # Safety
/// `force` and `exclude` are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_init(
    flags: u32,
    force: *const c_char,
    exclude: *const c_char,
) -> *const Kernel {
    setwise_active();
    // SAFETY: the caller's contract.
    let chosen = unsafe { choose(flags, force, exclude) };
    status::set(chosen.as_ref().err());
    let Ok(kernel) = chosen else {
        return null();
    };
    ACTIVE.store(from_ref(kernel).cast_mut(), Ordering::Release);
    kernel
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn setwise_status() -> *const c_char {
    setwise_active();
    status::text()
}

/// See the header.
///
/// # Safety
/// `name` is null or a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_by_name(name: *const c_char) -> *const Kernel {
    // SAFETY: the caller's contract.
    let name = unsafe { string(name) }.and_then(|name| str::from_utf8(name).ok());
    or_null(name.and_then(|name| Kernel::by_name(name).ok()))
}

/// See the header.
///
/// # Safety
/// `list` is null or has room for `capacity` pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_available(list: *mut *const Kernel, capacity: usize) -> usize {
    let mut count = 0;
    for kernel in Kernel::available() {
        if count < capacity && !list.is_null() {
            // SAFETY: the caller's contract.
            unsafe { list.add(count).write(kernel) };
        }
        count += 1;
    }
    count
}

/// See the header.
///
/// # Safety
/// `kernel` is a kernel that this library returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_gains_one_board(kernel: *const Kernel) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { (*kernel).gains_one_board() }.into()
}

/// See the header.
///
/// # Safety
/// `rules` is aligned and valid for writes. `codes` points to 16 codes. `pairs` is null or points
/// to 16 sets of codes and is aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_threat_rules_init(
    rules: *mut Rules,
    codes: *const [u8; 16],
    pairs: *const [u16; 16],
) {
    const KINDS: [Piece; 6] =
        [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
    // `SETWISE_PIECE` in the header.
    let meaning = |code: u8| match code {
        1..7 => Some((Side::White, KINDS[usize::from(code - 1)])),
        7..13 => Some((Side::Black, KINDS[usize::from(code - 7)])),
        _ => None,
    };
    // SAFETY: the caller's contract.
    unsafe {
        let pairs = if pairs.is_null() { [!0; 16] } else { pairs.read() };
        rules.write(Rules::new(codes.read().map(meaning), pairs));
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn setwise_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

fn or_null(kernel: Option<&'static Kernel>) -> *const Kernel {
    kernel.map_or(null(), from_ref)
}

/// Chooses a kernel as the environment variables and the arguments request. Ignores the environment
/// if `flags` contains [`IGNORE_ENVIRONMENT`].
///
/// # Safety
/// `force` and `exclude` are null or NUL-terminated strings.
unsafe fn choose(
    flags: u32,
    force: *const c_char,
    exclude: *const c_char,
) -> Result<&'static Kernel, ChoiceError> {
    let variable = |name: &CStr| {
        // SAFETY: `name` is a string; `getenv` returns null or a string that is valid until the
        // environment changes.
        unsafe { string(getenv(name.as_ptr())) }
    };
    let mut choice = Choice::by_cpu();
    if flags & IGNORE_ENVIRONMENT == 0 {
        choice =
            choice.environment(variable(c"SETWISE_FORCE_KERNEL"), variable(c"SETWISE_DISABLE"));
    }
    // SAFETY: the caller's contract.
    let (force, exclude) = unsafe { (string(force), string(exclude)) };
    if let Some(name) = force {
        choice = choice.force_bytes(name);
    }
    choice.exclude_list(exclude.unwrap_or_default()).find()
}

/// # Safety
/// `text` is null or a NUL-terminated string.
unsafe fn string<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's contract.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}
