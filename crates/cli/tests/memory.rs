//! The memory that a count of move sequences takes. A program of its own, because the system counts
//! the memory of the process that starts another as that one's, too.

#![cfg(target_os = "linux")]

use std::mem::MaybeUninit;
use std::process::{Command, Stdio};

/// The memory of a count does not grow with its depth or the number of threads: it stays far below
/// 64 MiB.
#[test]
#[allow(clippy::zombie_processes, reason = "`wait4` waits for the processes")]
fn memory_of_a_count() {
    for arguments in [["perft", "5", "--threads", "1"], ["perft", "5", "--threads", "8"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_setwise"));
        let child = command.args(arguments).stdout(Stdio::null()).spawn().unwrap();
        let (mut status, mut used) = (0, MaybeUninit::<libc::rusage>::zeroed());
        // SAFETY: the process is our child, which has not been waited for; both results have room.
        let waited =
            unsafe { libc::wait4(child.id().cast_signed(), &raw mut status, 0, used.as_mut_ptr()) };
        assert_eq!((waited, status), (child.id().cast_signed(), 0));
        // SAFETY: `wait4` has filled it.
        let kib = unsafe { used.assume_init() }.ru_maxrss;
        assert!((1024..64 * 1024).contains(&kib), "{arguments:?}: {kib} KiB");
    }
}
