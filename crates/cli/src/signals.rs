//! How a signal or a panic ends the process: without temporary files.

use std::panic;

use crate::output::atomic_file;

/// Removes the temporary files at the first signal that would end the process, and then exits with
/// code 128 plus the signal's number. Signals that are already ignored stay so, as under `nohup`. A
/// panic in any thread also removes the files, and exits with code 101.
pub(crate) fn end_cleanly() {
    // An error means that there is no handler: signals end the process as usual.
    let _ = platform::at_signal(|signal| {
        if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
            // Ends the line of a progress bar, so that the shell's prompt starts on a new one.
            eprintln!();
        }
        atomic_file::exit(128 + signal)
    });
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        atomic_file::exit(101)
    }));
}

#[cfg(unix)]
mod platform {
    use std::sync::Arc;
    use std::{io, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// Calls `end` on another thread at the first signal.
    pub(super) fn at_signal(end: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
        // With a handler, a write beyond the file size limit returns an error.
        signal_hook::flag::register(libc::SIGXFSZ, Arc::default())?;
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
        let mut signals = Signals::new(ending.into_iter().filter(|&signal| !is_ignored(signal)))?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                end(signal);
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

#[cfg(not(unix))]
mod platform {
    pub(super) fn at_signal(end: impl FnOnce(i32) + Send + 'static) -> Result<(), ctrlc::Error> {
        const INTERRUPT: i32 = 2;
        let mut end = Some(end);
        ctrlc::set_handler(move || end.take().into_iter().for_each(|end| end(INTERRUPT)))
    }
}
