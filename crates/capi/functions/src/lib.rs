//! The functions of the C library. `include/setwise.h` documents them. The package
//! `setwise-capi-headers` writes the parts of it that depend on the library's enumerations and
//! operations.
//!
//! Nothing here allocates, unwinds or runs before `main`. `getenv` reads the environment, because
//! the standard library is not linked.
#![no_std]
#![allow(missing_docs, reason = "the header documents the functions")]

use core::ffi::{CStr, c_char, c_int};
use core::fmt::{self, Write};
use core::ptr::null;
use core::sync::atomic::{AtomicU8, Ordering};

use kernels::error::ChoiceError;
use kernels::moves::GamePosition;
use kernels::threats::{CODES, Rules};
use kernels::{Choice, Kernel};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

/// `SETWISE_IGNORE_ENVIRONMENT` in the header.
const IGNORE_ENVIRONMENT: u32 = 1;

#[unsafe(no_mangle)]
pub extern "C" fn setwise_active() -> &'static Kernel {
    Kernel::already_active().unwrap_or_else(first_use)
}

/// Chooses the kernel that the environment requests, or the best one for the CPU if that is
/// impossible. Threads that race here choose the same kernel. A concurrent `setwise_init` wins.
#[cold]
fn first_use() -> &'static Kernel {
    // SAFETY: null is allowed.
    let chosen = unsafe { choice(0, null(), null()) }.find();
    set_status(&chosen);
    let kernel = chosen.or_else(|_| Choice::by_cpu().find());
    kernel.unwrap_or(Kernel::of_target()).activate_first()
}

/// # Safety
/// `force` and `exclude` are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_init(
    flags: u32,
    force: *const c_char,
    exclude: *const c_char,
) -> Option<&'static Kernel> {
    // The first choice must not overwrite this one's status later.
    setwise_active();
    // SAFETY: the arguments are null or strings.
    let chosen = Kernel::init(unsafe { choice(flags, force, exclude) });
    set_status(&chosen);
    chosen.ok()
}

#[unsafe(no_mangle)]
pub extern "C" fn setwise_status() -> *const c_char {
    setwise_active();
    STATUS.as_ptr().cast()
}

/// # Safety
/// `name` is null or a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_by_name(name: *const c_char) -> Option<&'static Kernel> {
    // SAFETY: the name is null or a string.
    let name = unsafe { string(name) }?;
    Choice::by_cpu().force(name).find().ok()
}

/// # Safety
/// `list` is null or has room for `capacity` pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_available(list: *mut *const Kernel, capacity: usize) -> usize {
    let mut count = 0;
    for kernel in Kernel::available() {
        if count < capacity && !list.is_null() {
            // SAFETY: the list has room for this pointer.
            unsafe { list.add(count).write(kernel) };
        }
        count += 1;
    }
    count
}

/// # Safety
/// `kernel` is a kernel that this library returned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_beats_look_ups(kernel: &Kernel) -> c_int {
    kernel.beats_look_ups().into()
}

/// # Safety
/// `rules` is aligned and valid for writes. `codes` points to 16 codes. `pairs` is null or points
/// to 16 sets of codes and is aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_threat_rules_init(
    rules: *mut Rules,
    codes: *const [u8; 16],
    pairs: *const [u16; 16],
) {
    // `SETWISE_PIECE` in the header is `Piece::code`.
    let meaning = |code: u8| CODES.get(usize::from(code)).copied().flatten();
    // SAFETY: the pointers are valid for these types, but `pairs` may be null.
    unsafe {
        let pairs = if pairs.is_null() { [!0; 16] } else { pairs.read() };
        rules.write(Rules::new(codes.read().map(meaning), pairs));
    }
}

/// # Safety
/// `position` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_perft(position: *const GamePosition, depth: u32) -> u64 {
    // SAFETY: the caller's contract.
    let position = unsafe { position.read_unaligned() };
    setwise_active().perft(&position, depth)
}

#[unsafe(no_mangle)]
pub extern "C" fn setwise_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The choice that the environment variables and the arguments request. Ignores the environment if
/// `flags` contains [`IGNORE_ENVIRONMENT`].
///
/// # Safety
/// `force` and `exclude` are null or NUL-terminated strings, which the choice borrows. So do the
/// values of the variables, which are valid until the environment changes.
unsafe fn choice<'a>(flags: u32, force: *const c_char, exclude: *const c_char) -> Choice<'a> {
    let mut choice = Choice::by_cpu();
    // SAFETY: `getenv` returns null or a string, like the arguments.
    unsafe {
        if flags & IGNORE_ENVIRONMENT == 0 {
            let variable = |name: &CStr| string(getenv(name.as_ptr()));
            choice =
                choice.environment(variable(c"SETWISE_FORCE_KERNEL"), variable(c"SETWISE_DISABLE"));
        }
        if let Some(name) = string(force) {
            choice = choice.force(name);
        }
        choice.exclude(string(exclude).unwrap_or_default())
    }
}

/// # Safety
/// `text` is null or a NUL-terminated string.
unsafe fn string<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the text is a string, as it is not null.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}

/// The error message of the last choice of a kernel, terminated by NUL; empty if the choice
/// succeeded. The last byte is always 0. Threads that race at the first use write the same bytes.
static STATUS: [AtomicU8; 512] = [const { AtomicU8::new(0) }; 512];

fn set_status(chosen: &Result<&Kernel, ChoiceError>) {
    let mut room = Room(&STATUS[..STATUS.len() - 1]);
    // The part of the message that does not fit is cut off.
    if let Err(error) = chosen {
        let _ = write!(room, "{error}");
    }
    let _ = room.write_str("\0");
}

/// The part of [`STATUS`] that is not yet written.
struct Room(&'static [AtomicU8]);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (to, byte) in self.0.iter().zip(text.bytes()) {
            to.store(byte, Ordering::Relaxed);
        }
        self.0 = self.0.get(text.len()..).unwrap_or_default();
        Ok(())
    }
}
