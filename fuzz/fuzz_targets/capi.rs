//! Chooses kernels by the C library's functions with arbitrary strings. (`tests/as_c.rs` calls the
//! entries of the tables in every way that a C program may.)
//!
//! The first byte holds flags. Strings follow, separated by 0xff.
#![no_main]

use std::ffi::{CStr, CString};
use std::ptr::{self, null};

use libfuzzer_sys::{Corpus, fuzz_target};
use setwise::Kernel;
use setwise_capi_functions::{
    setwise_active, setwise_available, setwise_by_name, setwise_init, setwise_status,
};

fuzz_target!(|data: &[u8]| -> Corpus {
    let [flags, strings @ ..] = data else { return Corpus::Reject };
    choose(*flags, strings);
    Corpus::Keep
});

fn available() -> Vec<*const Kernel> {
    let mut list = vec![null(); 64];
    // SAFETY: the list has length 64.
    let count = unsafe { setwise_available(list.as_mut_ptr(), list.len()) };
    list.truncate(count);
    list
}

/// Converts input bytes to a string. Bytes below 32 become names of kernels.
fn text(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![];
    for &byte in bytes {
        match Kernel::catalogue().get(usize::from(byte)) {
            Some(info) if byte < 32 => text.extend(info.name().bytes()),
            _ => text.push(byte.max(1)),
        }
    }
    text
}

fn choose(flags: u8, strings: &[u8]) {
    let mut parts = strings.split(|&byte| byte == 0xff).map(text);
    let mut part = |is_given: bool| {
        let part = CString::new(parts.next().unwrap_or_default()).expect("no NUL");
        is_given.then_some(part)
    };
    let (force, exclude) = (part(flags & 1 != 0), part(flags & 2 != 0));
    for (name, is_set) in
        [(c"SETWISE_FORCE_KERNEL", flags & 4 != 0), (c"SETWISE_DISABLE", flags & 8 != 0)]
    {
        // SAFETY: no other thread reads the environment.
        unsafe {
            match part(is_set) {
                Some(value) => libc::setenv(name.as_ptr(), value.as_ptr(), 1),
                None => libc::unsetenv(name.as_ptr()),
            };
        }
    }
    let pointer = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
    let before = setwise_active();
    // SAFETY: each pointer is null or points to a C string.
    let chosen = unsafe { setwise_init(u32::from(flags >> 4), pointer(&force), pointer(&exclude)) };
    // SAFETY: `setwise_status` returns a C string.
    let status = unsafe { CStr::from_ptr(setwise_status()) }.to_bytes();
    assert!(status.len() < 512);
    if let Some(chosen) = chosen {
        assert_eq!(status, b"", "{}", status.escape_ascii());
        assert_eq!(setwise_active(), chosen);
        assert!(available().contains(&ptr::from_ref(chosen)));
    } else {
        assert!(!status.is_empty());
        assert_eq!(setwise_active(), before);
    }
    for text in [force, exclude].iter().flatten() {
        // SAFETY: `text` is a C string.
        let found = unsafe { setwise_by_name(text.as_ptr()) };
        if let Some(found) = found {
            assert_eq!(found.name().as_bytes(), text.as_bytes());
        }
    }
}
