//! Ends the program on SIGINT, SIGTERM and SIGHUP.

use std::panic;
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::copy;
use crate::failure::Failure;

/// The time that tasks have to end after a signal.
const GRACE: Duration = Duration::from_secs(1);

/// Runs `work` until it ends, or until a signal. In both cases, no staging folder of a COPY is
/// left.
pub(crate) fn run_until_signal(
    runtime: Runtime,
    work: impl Future<Output = Result<(), Failure>> + Send + 'static,
) -> Result<(), Failure> {
    let result = runtime.block_on(async {
        let signal = ending_signal();
        // A task of its own, which may wait for the reader of its output.
        let mut work = tokio::spawn(work);
        tokio::select! {
            result = &mut work => {
                result.unwrap_or_else(|error| panic::resume_unwind(error.into_panic()))
            }
            number = signal => {
                work.abort();
                Err(Failure::Signal(number))
            }
        }
    });
    if let Err(Failure::Signal(_)) = result {
        // A dropped COPY removes its folder. But its tasks can create it again until they end.
        runtime.shutdown_timeout(GRACE);
        copy::clean_up();
    }
    result
}

/// Waits for a signal that ends the program, and returns its number. Signals that are ignored from
/// the start stay ignored, such as SIGHUP under `nohup`.
#[cfg(unix)]
fn ending_signal() -> impl Future<Output = u8> {
    use std::task::Poll;

    use tokio::signal::unix::{SignalKind, signal};
    let numbers = [1_u8, 2, 15].into_iter().filter(|&number| !is_ignored(number));
    // A signal without a handler ends the process at once.
    let signals = numbers.filter_map(|number| {
        let signals = signal(SignalKind::from_raw(number.into())).ok()?;
        Some((number, signals))
    });
    let mut signals: Vec<_> = signals.collect();
    std::future::poll_fn(move |context| {
        let mut all = signals.iter_mut();
        match all
            .find_map(|(number, signals)| signals.poll_recv(context).is_ready().then_some(*number))
        {
            Some(number) => Poll::Ready(number),
            None => Poll::Pending,
        }
    })
}

/// Whether the process ignores a signal. `false` on systems without `/proc`.
#[cfg(unix)]
fn is_ignored(number: u8) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| (mask >> (number - 1)) & 1 == 1)
}

#[cfg(not(unix))]
async fn ending_signal() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 2,
        Err(_) => std::future::pending().await,
    }
}
