//! Who died: a signal that ends the program tells the trial that it ran.

use std::cell::Cell;

thread_local! {
    static TRIAL: Cell<&'static str> = const { Cell::new("no trial") };
}

/// From now on this thread runs the trial of this name.
pub(crate) fn in_trial(name: &'static str) {
    TRIAL.set(name);
}

/// Tells the thread's trial, and lets the signal end the program when it comes again.
pub(crate) fn tell_and_die(signal: i32) {
    let write = |text: &str| {
        // SAFETY: a buffer of our own; the result does not matter any more.
        unsafe { libc::write(2, text.as_ptr().cast(), text.len()) };
    };
    write("\ndied of a signal in ");
    write(TRIAL.get());
    write("\n");
    // SAFETY: the default action is always there.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

extern "C" fn on_signal(signal: i32) {
    tell_and_die(signal);
}

/// Watches for the signals of code that goes wrong. Others may watch instead, later.
pub(crate) fn watch() {
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL] {
        // SAFETY: the handler keeps to what a signal handler may do.
        unsafe { libc::signal(signal, on_signal as *const () as usize) };
    }
}
