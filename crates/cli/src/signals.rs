//! Signal handling, and whether stdin and stdout were unusable at startup.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether stdin was closed, or not open for reading, when the process started.
///
/// Set before the standard library starts `main`, because it first replaces closed descriptors with
/// `/dev/null`. It also ignores the errors of descriptors that are open in the wrong mode.
static STDIN_IS_CLOSED: AtomicBool = AtomicBool::new(false);
/// Whether stdout was closed, or not open for writing, when the process started. Set before `main`.
static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether stdin was closed, or not open for reading, when the process started.
pub(crate) fn stdin_is_closed() -> bool {
    STDIN_IS_CLOSED.load(Ordering::Relaxed)
}

/// Whether stdout was closed, or not open for writing, when the process started.
pub(crate) fn stdout_is_closed() -> bool {
    STDOUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Whether a progress bar is on the terminal.
static HAS_BAR: AtomicBool = AtomicBool::new(false);

/// Notes that a progress bar is on the terminal.
pub(crate) fn note_bar() {
    HAS_BAR.store(true, Ordering::Relaxed);
}

/// Runs `act` and exits with code 130 when a signal would end the process. Signals that are already
/// ignored or handled stay so, as under `nohup`. SIGKILL and faults of the process (SIGSEGV) end it
/// at once.
pub(crate) fn when_interrupted(mut act: impl FnMut() + Send + 'static) {
    // An error means that there is no handler: signals end the process as usual.
    let _ = unix::on_signals(move || {
        act();
        if HAS_BAR.load(Ordering::Relaxed) {
            // Makes the shell's prompt start on a new line.
            eprintln!();
        }
        std::process::exit(130);
    });
}

/// Makes a write beyond the file size limit return an error instead of ending the process.
pub(crate) fn limits_are_errors() {
    unix::ignore(unix::LIMITS);
}

#[cfg(unix)]
mod unix {
    use std::io;

    use signal_hook::iterator::Signals;

    use super::{Ordering, STDIN_IS_CLOSED, STDOUT_IS_CLOSED};

    pub(super) const LIMITS: &[i32] = &[libc::SIGXFSZ];

    /// The signals that end a process by default, except faults and SIGKILL.
    const ENDING: &[i32] = &[
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGALRM,
        libc::SIGTERM,
        libc::SIGXCPU,
        libc::SIGVTALRM,
        libc::SIGPROF,
        #[cfg(target_os = "linux")]
        libc::SIGIO,
        #[cfg(target_os = "linux")]
        libc::SIGPWR,
    ];

    /// Calls `act` on another thread at the first signal that would end the process.
    pub(super) fn on_signals(mut act: impl FnMut() + Send + 'static) -> io::Result<()> {
        let ending = ENDING.iter().filter(|&&signal| has_default_action(signal));
        let mut signals = Signals::new(ending)?;
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            if signals.forever().next().is_some() {
                act();
            }
        })?;
        Ok(())
    }

    fn has_default_action(signal: i32) -> bool {
        // SAFETY: without a new action, the call only writes the old one to a valid structure. A
        // `sigaction` may be all zeros.
        let action = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action);
            action
        };
        action.sa_sigaction == libc::SIG_DFL
    }

    pub(super) fn ignore(signals: &[i32]) {
        for &signal in signals {
            // SAFETY: ignoring a signal installs no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }

    extern "C" fn note_closed() {
        for (descriptor, wrong_mode, is_closed) in [
            (libc::STDIN_FILENO, libc::O_WRONLY, &STDIN_IS_CLOSED),
            (libc::STDOUT_FILENO, libc::O_RDONLY, &STDOUT_IS_CLOSED),
        ] {
            // SAFETY: reading the flags of a descriptor is fine even if it is closed.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
            let is_unusable = flags == -1 || flags & libc::O_ACCMODE == wrong_mode;
            is_closed.store(is_unusable, Ordering::Relaxed);
        }
    }

    // SAFETY: the section lists functions of this type, which are called before `main`. This
    // function needs nothing that is set up later.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static BEFORE_MAIN: extern "C" fn() = note_closed;
}

#[cfg(not(unix))]
mod unix {
    pub(super) const LIMITS: &[i32] = &[];

    pub(super) fn on_signals(act: impl FnMut() + Send + 'static) -> Result<(), ctrlc::Error> {
        ctrlc::set_handler(act)
    }

    pub(super) fn ignore(_: &[i32]) {}
}
