//! Signal handling, and whether stdout was closed at startup.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether stdout was closed when the process started. Set before `main`, because the standard
/// library replaces a closed stdout with `/dev/null`.
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether stdout was closed when the process started.
pub(crate) fn stdout_is_closed() -> bool {
    STDOUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Runs `act` and exits on SIGINT, SIGTERM or SIGHUP. Already ignored signals stay ignored, as
/// under `nohup`.
pub(crate) fn when_interrupted(mut act: impl FnMut() + Send + 'static) {
    let ignored = unix::ignored();
    // Fails only if a handler is already installed. That handler does the same.
    let _ = ctrlc::set_handler(move || {
        act();
        std::process::exit(130);
    });
    unix::ignore(&ignored);
}

/// Makes a write beyond the file size limit return an error instead of ending the process.
pub(crate) fn limits_are_errors() {
    unix::ignore(unix::LIMITS);
}

#[cfg(unix)]
mod unix {
    use super::{Ordering, STDOUT_IS_CLOSED};

    pub(super) const LIMITS: &[i32] = &[libc::SIGXFSZ];

    /// Those of the handler's signals that this process already ignores.
    pub(super) fn ignored() -> Vec<i32> {
        let is_ignored = |&signal: &i32| {
            // SAFETY: without a new action, the call only writes the old one to a valid structure.
            // A `sigaction` may be all zeros.
            let action = unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, std::ptr::null(), &raw mut action);
                action
            };
            action.sa_sigaction == libc::SIG_IGN
        };
        let all = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
        all.into_iter().filter(is_ignored).collect()
    }

    pub(super) fn ignore(signals: &[i32]) {
        for &signal in signals {
            // SAFETY: ignoring a signal installs no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }

    extern "C" fn note_closed_stdout() {
        // SAFETY: reading the flags of a descriptor is fine even if it is closed.
        let is_open = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } != -1;
        STDOUT_IS_CLOSED.store(!is_open, Ordering::Relaxed);
    }

    // SAFETY: the section lists functions of this type, which are called before `main`. This
    // function needs nothing that is set up later.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static BEFORE_MAIN: extern "C" fn() = note_closed_stdout;
}

#[cfg(not(unix))]
mod unix {
    pub(super) const LIMITS: &[i32] = &[];

    pub(super) fn ignored() -> Vec<i32> {
        Vec::new()
    }

    pub(super) fn ignore(_: &[i32]) {}
}
