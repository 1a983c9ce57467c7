//! What the environment says of kernels.

use std::env::var_os;
use std::ffi::OsString;

/// Names the kernel to use.
pub(crate) const FORCE: &str = "SETWISE_FORCE_KERNEL";
/// Names kernels that are not to be used.
pub(crate) const DISABLE: &str = "SETWISE_DISABLE";

/// A variable, if the environment counts.
pub(crate) fn variable(name: &str, counts: bool) -> Option<OsString> {
    counts.then(|| var_os(name)).flatten()
}

/// Whether a kernel is disabled, whatever else is named or forced.
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) fn disables(kernel: &str) -> bool {
    var_os(DISABLE)
        .is_some_and(|names| each_name(names.as_encoded_bytes()).any(|n| n == kernel.as_bytes()))
}

/// Each name of a list, separated by commas. (In bytes, because the functions on text know all of Unicode, which
/// takes room in every program.)
pub(crate) fn each_name(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let names = names.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    names.filter(|name| !name.is_empty())
}
