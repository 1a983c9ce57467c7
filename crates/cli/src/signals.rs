//! What the system tells a process, where the standard library has no word for it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Stdout was closed when the process began. The library opens `/dev/null` in its place before `main`.
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether nobody can ever read what is printed.
pub(crate) fn stdout_is_closed() -> bool {
    STDOUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Does this and ends the process when the user interrupts it or the system ends it. Signals that are ignored stay so, as under `nohup`.
pub(crate) fn when_interrupted(mut act: impl FnMut() + Send + 'static) {
    let ignored = unix::ignored();
    // It fails only if there is a handler, and a process has one command.
    let _ = ctrlc::set_handler(move || {
        act();
        std::process::exit(130);
    });
    unix::ignore(&ignored);
}

/// A file that grows beyond its limit is an error to tell, not the end of the process.
pub(crate) fn limits_are_errors() {
    unix::ignore(unix::LIMITS);
}

#[cfg(unix)]
mod unix {
    use super::{Ordering, STDOUT_IS_CLOSED};

    pub(super) const LIMITS: &[i32] = &[libc::SIGXFSZ];

    /// Those that the handler is for and that this process was told to ignore.
    pub(super) fn ignored() -> Vec<i32> {
        let is_ignored = |&signal: &i32| {
            // SAFETY: without a new action only the old one is told, into a structure that is there; all zeros are a
            // valid one.
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
            // SAFETY: it runs no code of ours.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }

    extern "C" fn note_closed_stdout() {
        // SAFETY: a question about a descriptor, whether it is open or not.
        let is_open = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } != -1;
        STDOUT_IS_CLOSED.store(!is_open, Ordering::Relaxed);
    }

    // SAFETY: the section lists functions of this type, which are called before `main`; this one needs nothing that is
    // set up later.
    #[used]
    #[cfg_attr(
        target_vendor = "apple",
        unsafe(link_section = "__DATA,__mod_init_func")
    )]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static AT_START: extern "C" fn() = note_closed_stdout;
}

#[cfg(not(unix))]
mod unix {
    pub(super) const LIMITS: &[i32] = &[];

    pub(super) fn ignored() -> Vec<i32> {
        Vec::new()
    }

    pub(super) fn ignore(_: &[i32]) {}
}
