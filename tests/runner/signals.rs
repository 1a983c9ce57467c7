//! Prints the running trial's name if a signal ends the program.

use std::cell::Cell;

thread_local! {
    static TRIAL: Cell<&'static str> = const { Cell::new("no trial") };
}

/// Sets the name of the trial that this thread runs.
pub(crate) fn set_trial(name: &'static str) {
    TRIAL.set(name);
}

/// Prints the name of this thread's trial and restores the signal's default action. The faulting
/// instruction then runs again and ends the program.
pub(crate) fn print_trial_and_reset(signal: i32) {
    let write = |text: &str| {
        // SAFETY: the pointer and length are those of a valid buffer.
        unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    };
    write("\nended by a signal in ");
    write(TRIAL.get());
    write("\n");
    // SAFETY: the call only restores the default action.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

extern "C" fn on_signal(signal: i32) {
    print_trial_and_reset(signal);
}

/// Installs handlers for the signals that faulty code causes. Other modules may replace them later.
pub(crate) fn install_handlers() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL] {
        // SAFETY: the handler is async-signal-safe.
        unsafe { libc::signal(signal, on_signal as *const () as usize) };
    }
}
