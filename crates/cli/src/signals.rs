//! How a signal or a panic ends the process: without temporary files.

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::output::atomic_file;

/// Removes the temporary files at the first signal that would end the process, and then exits with
/// code 128 plus the signal's number. Signals that are already ignored stay so, as under `nohup`. A
/// panic in any thread also removes the files, and exits with code 101.
pub(crate) fn end_cleanly() {
    // An error means that there is no handler: signals end the process as usual.
    let _ = platform::handle_signals();
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        atomic_file::exit(101)
    }));
}

/// Whether the command ends by itself after a signal.
static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);
/// The first signal, if the command ends by itself.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// From now on, the first signal does not end the process: [`received`] returns it, and the command
/// ends by itself. A second one ends the process.
pub(crate) fn end_by_itself() {
    ENDS_BY_ITSELF.store(true, Ordering::Relaxed);
}

/// The signal after which the command ends by itself.
pub(crate) fn received() -> Option<u8> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(signal),
    }
}

/// Ends the process, unless the command ends by itself and this is the first signal.
fn handle(signal: i32) {
    if !ENDS_BY_ITSELF.load(Ordering::Relaxed)
        || SIGNAL.swap(u8::try_from(signal).unwrap_or(2), Ordering::Relaxed) != 0
    {
        end(signal);
    }
}

fn end(signal: i32) -> ! {
    if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        // Ends the line of a progress bar, so that the shell's prompt starts on a new one.
        eprintln!();
    }
    atomic_file::exit(128 + signal)
}

#[cfg(unix)]
mod platform {
    use std::sync::Arc;
    use std::{io, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// Calls [`handle`](super::handle) on another thread at each signal.
    pub(super) fn handle_signals() -> io::Result<()> {
        // With a handler, a write beyond the file size limit returns an error.
        signal_hook::flag::register(libc::SIGXFSZ, Arc::default())?;
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
        let mut signals = Signals::new(ending.into_iter().filter(|&signal| !is_ignored(signal)))?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                super::handle(signal);
            }
        })?;
        Ok(())
    }

    fn is_ignored(signal: i32) -> bool {
        // SAFETY: without a new action, the call only writes the old one to a valid structure. A
        // `sigaction` may be all zeros.
        let action = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut action);
            action
        };
        action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(windows)]
mod platform {
    use std::io;

    use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;
    use windows_sys::core::BOOL;

    /// Calls [`handle`](super::handle) at Ctrl-C and Ctrl-Break, and when the console closes or the user
    /// logs off.
    pub(super) fn handle_signals() -> io::Result<()> {
        // SAFETY: Windows calls the handler on a thread of its own, where all code is allowed.
        match unsafe { SetConsoleCtrlHandler(Some(handler), 1) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    unsafe extern "system" fn handler(_event: u32) -> BOOL {
        const INTERRUPT: i32 = 2;
        super::handle(INTERRUPT);
        1
    }
}
