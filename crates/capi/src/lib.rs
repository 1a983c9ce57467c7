//! The C library. Its documentation is `include/setwise.h`, which `tests/header.rs` generates from
//! the list of operations and this library's functions.
//!
//! Nothing here allocates, unwinds or runs before `main`. The standard library is not linked:
//! `getenv` reads the environment.
#![no_std]

use core::ffi::{CStr, c_char};
use core::ptr::{from_ref, null, null_mut};
use core::sync::atomic::{AtomicPtr, Ordering};

use kernels::{Choice, ChoiceError, Kernels};

mod status;

kernels::without_std! { mod bare; }

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
}

/// `SETWISE_IGNORE_ENVIRONMENT` of the header.
const IGNORE_ENVIRONMENT: u32 = 1;

const FORCE: &CStr = c"SETWISE_FORCE_KERNEL";
const DISABLE: &CStr = c"SETWISE_DISABLE";

/// No build has more kernels.
const MAX_KERNELS: usize = 64;

/// The active kernel; null before the first choice.
static ACTIVE: AtomicPtr<Kernels> = AtomicPtr::new(null_mut());

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn setwise_active() -> *const Kernels {
    let active = ACTIVE.load(Ordering::Acquire);
    if active.is_null() {
        first_use()
    } else {
        active
    }
}

/// Chooses by the environment, or by the CPU if the environment asks for the impossible. Threads
/// that race here choose the same kernel; a concurrent choice by the program wins.
#[cold]
fn first_use() -> *const Kernels {
    // SAFETY: null is allowed.
    let chosen = unsafe { choose(0, null(), null()) };
    let kernels = match &chosen {
        Ok(kernels) => Some(*kernels),
        Err(_) => Choice::by_cpu().find().ok(),
    };
    let kernels = or_null(kernels).cast_mut();
    status::set(chosen.as_ref().err());
    match ACTIVE.compare_exchange(null_mut(), kernels, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => kernels,
        Err(active) => active,
    }
}

/// See the header.
///
/// # Safety
/// `force` and `exclude` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_init(
    flags: u32,
    force: *const c_char,
    exclude: *const c_char,
) -> *const Kernels {
    setwise_active();
    // SAFETY: the caller's contract.
    let chosen = unsafe { choose(flags, force, exclude) };
    status::set(chosen.as_ref().err());
    let Ok(kernels) = chosen else {
        return null();
    };
    ACTIVE.store(from_ref(kernels).cast_mut(), Ordering::Release);
    kernels
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
/// `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_by_name(name: *const c_char) -> *const Kernels {
    // SAFETY: the caller's contract.
    let name = unsafe { string(name) }.and_then(|name| str::from_utf8(name).ok());
    or_null(name.and_then(|name| Kernels::by_name(name).ok()))
}

/// See the header.
///
/// # Safety
/// `list` is null or has room for `capacity` pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_available(list: *mut *const Kernels, capacity: usize) -> usize {
    let mut count = 0;
    for kernels in Kernels::available() {
        if count < capacity && !list.is_null() {
            // SAFETY: the caller's contract.
            unsafe { list.add(count).write(kernels) };
        }
        count += 1;
    }
    count
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn setwise_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

fn or_null(kernels: Option<&'static Kernels>) -> *const Kernels {
    kernels.map_or(null(), from_ref)
}

/// An impossible choice, and the environment variable that asked for it, if one did.
struct Wrong {
    variable: Option<&'static CStr>,
    error: ChoiceError,
}

/// The excluded kernels: bit `i` is that of kernel `i` of the catalogue.
#[derive(Clone, Copy, Default)]
struct Excluded(u64);

impl Excluded {
    /// Adds a list of names separated by commas; an unknown name is an error.
    fn with(mut self, list: &[u8]) -> Result<Self, ChoiceError> {
        for name in list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            if name.is_empty() {
                continue;
            }
            let number = Kernels::catalogue()
                .iter()
                .position(|info| info.name().as_bytes() == name);
            match number {
                Some(number) => self.0 |= 1 << (number % MAX_KERNELS),
                None => return Err(ChoiceError::unknown(name)),
            }
        }
        Ok(self)
    }

    /// The best kernel that is not excluded.
    fn best(self) -> Result<&'static Kernels, ChoiceError> {
        const { assert!(MAX_KERNELS <= u64::BITS as usize) };
        let mut names = [""; MAX_KERNELS];
        let mut count = 0;
        for (number, info) in Kernels::catalogue().iter().enumerate().take(MAX_KERNELS) {
            if self.0 >> number & 1 == 1
                && let Some(name) = names.get_mut(count)
            {
                *name = info.name();
                count += 1;
            }
        }
        Choice::by_cpu()
            .exclude(names.get(..count).unwrap_or_default())
            .find()
    }
}

/// The kernel that the environment and the program ask for.
///
/// # Safety
/// `force` and `exclude` are null or strings.
unsafe fn choose(
    flags: u32,
    force: *const c_char,
    exclude: *const c_char,
) -> Result<&'static Kernels, Wrong> {
    let environment = flags & IGNORE_ENVIRONMENT == 0;
    let variable = |name: &CStr| {
        // SAFETY: `name` is a string; `getenv` returns null or a string, valid until the
        // environment changes.
        environment
            .then(|| unsafe { string(getenv(name.as_ptr())) })
            .flatten()
    };
    // SAFETY: the caller's contract.
    let (force, exclude) = unsafe { (string(force), string(exclude)) };
    for (name, from) in [(variable(FORCE), Some(FORCE)), (force, None)] {
        if let Some(name) = name {
            return forced(name).map_err(|error| Wrong {
                variable: from,
                error,
            });
        }
    }
    let mut excluded = Excluded::default();
    let mut last = None;
    for (list, from) in [(exclude, None), (variable(DISABLE), Some(DISABLE))] {
        if let Some(list) = list {
            excluded = excluded.with(list).map_err(|error| Wrong {
                variable: from,
                error,
            })?;
            last = from;
        }
    }
    excluded.best().map_err(|error| Wrong {
        variable: last,
        error,
    })
}

fn forced(name: &[u8]) -> Result<&'static Kernels, ChoiceError> {
    let text = str::from_utf8(name).map_err(|_| ChoiceError::unknown(name))?;
    Choice::by_cpu().force(text).find()
}

/// # Safety
/// `text` is null or a string.
unsafe fn string<'a>(text: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's contract.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_bytes())
}
