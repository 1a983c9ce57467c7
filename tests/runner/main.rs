//! Compares every operation with one oracle, for every kernel that this CPU can run.
//!
//! ```text
//! cargo test --test runner                       everything
//! cargo test --test runner -- avx2::             one kernel
//! cargo test --test runner -- rook_attacks       one operation
//! ```
//!
//! Trials are named `kernel::operation`, or `kernel::threats` and so on for checks of all
//! operations. `active::...` tests the functions at the crate's root, `board::...` the functions
//! for one board, and `forms::...` the functions in `setwise::techniques`. The crate's catalogue
//! and its list of operations determine the trials, so new kernels and operations are tested
//! automatically. The run prints these machine-readable lines:
//!
//! ```text
//! active: NAME
//! compiled: NAME NAME NAME
//! portable: INSTRUCTION SET
//! budget: NAME
//! seed: NUMBER
//! limited: WHAT IS NOT TESTED
//! form: NAME cases=BOARDS
//! exercised: NAME cases=BOARDS failures=TRIALS trials=DONE/ALL
//! not run: NAME (REASON)
//! form left out: NAME, which needs FEATURES
//! emulated: NUMBER instructions of NAME
//! ```
//!
//! | environment | |
//! |---|---|
//! | `SETWISE_TEST_BUDGET` | `miri`, `tiny` or `small` (emulators), `quick` (default) or `long` |
//! | `SETWISE_TEST_SEED` | the seed of the random boards; to repeat a run, use the seed that the run printed |
//! | `SETWISE_TEST_EMULATE` | `xop`: tests the kernel `xop` too, with the emulator in `tools/emulate/xop_emulator.rs` (x86-64 Linux) |
//! | `SETWISE_TEST_KERNELS` | comma-separated: tests only these kernels, and all functions in `setwise::techniques`, but not those at the crate's root and in `board` |
//! | `SETWISE_EXPECT_ACTIVE` | the run fails unless this kernel is active |
//! | `SETWISE_EXPECT_EXERCISED` | comma-separated: the run fails unless each of these kernels passes all its trials |
//! | `SETWISE_FORCE_KERNEL` | the crate's own variable: forces the active kernel |
//!
//! Exit code: 0 all passed, 1 a kernel was not as expected, 2 bad usage or no trial matches the
//! filter, 101 a trial failed.

use std::env;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use setwise::{Kernel, KernelInfo, KernelStatus, techniques};
use setwise_check::BatchFn;

use check::{Checked, Plan, Prepared, batch};
use config::Config;

mod buffers;
mod check;
mod columns;
mod config;
mod contract;
#[cfg(all(target_os = "linux", not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
mod first_touch;
mod forms;
mod games;
mod lists;
mod methods;
#[cfg(all(unix, not(miri)))]
mod one_board;
#[cfg(unix)]
mod pages;
#[cfg(all(unix, target_arch = "x86_64", not(miri)))]
mod registers;
mod seed;
#[cfg(all(unix, not(miri)))]
mod signals;
mod threats;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
#[path = "../../tools/emulate/xop_emulator.rs"]
mod xop_emulator;

/// The results of one kernel's trials.
#[derive(Default)]
struct Tally {
    boards: AtomicU64,
    started: AtomicU64,
    passed: AtomicU64,
}

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let config = match Config::from_env() {
        Ok(config) => config,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    contract::install_hook();
    #[cfg(all(unix, not(miri)))]
    signals::install_handlers();

    let plan: &'static Plan = Box::leak(Box::new(Plan::new(config)));
    let kernels: Vec<(&'static Kernel, Arc<Tally>, Vec<Trial>)> = Kernel::available()
        .chain(emulated(&plan.config))
        .filter(|kernel| {
            let wanted = &plan.config.kernels;
            wanted.is_empty() || wanted.iter().any(|name| name == kernel.name())
        })
        .map(|kernel| {
            let tally = Arc::new(Tally::default());
            (kernel, tally.clone(), kernel_trials(plan, kernel, &tally))
        })
        .collect();
    let wanted = |trials: &[Trial]| trials.iter().filter(|t| !args.is_filtered_out(t)).count();
    let all: Vec<(&str, Arc<Tally>, usize)> = kernels
        .iter()
        .map(|(kernel, tally, trials)| (kernel.name(), tally.clone(), trials.len()))
        .collect();
    let mut trials: Vec<Trial> = kernels.into_iter().flat_map(|(_, _, trials)| trials).collect();
    trials.extend(crate_trials(plan));
    trials.extend(form_trials(plan));
    #[cfg(all(unix, target_arch = "x86_64", not(miri)))]
    trials.push(trial(
        plan,
        "registers::violations_are_detected",
        registers::violations_are_detected,
    ));

    if args.list {
        let _nothing_run = libtest_mimic::run(&args, trials);
        return ExitCode::SUCCESS;
    }
    if wanted(&trials) == 0 {
        eprintln!(
            "error: no trial matches `{}`; `cargo test --test runner -- --list` lists them",
            args.filter.as_deref().unwrap_or_default()
        );
        return ExitCode::from(2);
    }
    print_header(&plan.config);
    let conclusion = libtest_mimic::run(&args, trials);
    let expected = print_tallies(&plan.config, &all) && something_emulated(&plan.config);
    if conclusion.has_failed() {
        conclusion.exit_code()
    } else if expected {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The kernel to run with the emulator. `None` if no emulator was requested, or if this CPU can run
/// the kernel.
fn emulated(config: &Config) -> Option<&'static Kernel> {
    let name = config.emulate.as_deref()?;
    if Kernel::by_name(name).is_ok() {
        println!("limited: {name} is not emulated, because this CPU can run it");
        return None;
    }
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    xop_emulator::install();
    // SAFETY: `Config` accepts only `xop`, which the installed emulator executes.
    unsafe { Kernel::by_name_unchecked(name) }
}

/// Whether the emulator executed any instructions. True if no emulator is in use.
fn something_emulated(config: &Config) -> bool {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    if let Some(name) = &config.emulate
        && Kernel::by_name(name).is_err()
    {
        let instructions = xop_emulator::executed();
        println!("emulated: {instructions} instructions of {name}");
        return instructions > 0;
    }
    let _ = config;
    true
}

fn print_header(config: &Config) {
    println!("active: {}", Kernel::active().name());
    let compiled =
        Kernel::catalogue().iter().filter(|info| info.status() != KernelStatus::NotCompiled);
    let compiled: Vec<&str> = compiled.map(KernelInfo::name).collect();
    println!("compiled: {}", compiled.join(" "));
    println!("portable: {}", techniques::portable_target());
    println!("budget: {}", config.budget.name);
    println!("seed: {:#x}", config.seed);
    if config.budget.every == usize::MAX {
        println!("limited: a few lengths, in buffers of exactly their size; no exhaustive lists");
    } else if config.budget.every > 1 {
        let (cases, lengths) = (config.budget.every, config.budget.long_lengths_every);
        println!("limited: every {cases}th case of the exhaustive lists");
        println!("limited: every {lengths}th length beyond {}", buffers::TAILS);
        println!(
            "limited: every {}th length right after an inaccessible page",
            config.budget.after_page_every
        );
    }
    if !cfg!(unix) {
        println!("limited: no inaccessible pages on this system; reads outside are not detected");
    }
    if cfg!(not(panic = "unwind")) {
        println!("limited: panics end this program, so slices of different lengths are not tried");
    }
}

/// Prints which kernels were exercised and which were not. Returns whether the active kernel and
/// the exercised kernels are as expected.
fn print_tallies(config: &Config, kernels: &[(&str, Arc<Tally>, usize)]) -> bool {
    println!();
    let mut complete = vec![];
    for info in Kernel::catalogue() {
        let name = info.name();
        let reason = match info.status() {
            KernelStatus::Available => "filtered out".into(),
            KernelStatus::Unsupported(missing) => format!("this CPU or system lacks {missing}"),
            _ => "not compiled in".into(),
        };
        let tally = kernels.iter().find(|(kernel, ..)| *kernel == name);
        let load = |count: &AtomicU64| count.load(Ordering::SeqCst);
        match tally {
            Some((_, tally, trials)) if load(&tally.started) > 0 => {
                let (started, passed) = (load(&tally.started), load(&tally.passed));
                println!(
                    "exercised: {name} cases={} failures={} trials={started}/{trials}",
                    load(&tally.boards),
                    started - passed
                );
                if passed == *trials as u64 {
                    complete.push(name);
                }
            }
            _ => println!("not run: {name} ({reason})"),
        }
    }
    for form in setwise::techniques::FORMS {
        if !form.available() {
            println!("form left out: {}, which needs {}", forms::name(form), form.needs.join(", "));
        }
    }
    let mut as_expected = true;
    let active = Kernel::active().name();
    if let Some(expected) = config.expect_active.as_deref().filter(|name| *name != active) {
        eprintln!("error: SETWISE_EXPECT_ACTIVE={expected}, but {active} is the active kernel");
        as_expected = false;
    }
    for name in &config.expect_exercised {
        if !complete.contains(&name.as_str()) {
            eprintln!("error: SETWISE_EXPECT_EXERCISED: {name} did not pass all its trials");
            as_expected = false;
        }
    }
    as_expected
}

/// The operations with this name: one for each value of the operation's parameter.
fn named(plan: &'static Plan, name: &str) -> impl Iterator<Item = &'static Prepared> {
    plan.operations.iter().filter(move |prepared| prepared.operation.info.name() == name)
}

/// The trials of a kernel: one for each operation, and a few for all operations together.
fn kernel_trials(plan: &'static Plan, kernel: &'static Kernel, tally: &Arc<Tally>) -> Vec<Trial> {
    let counted = |operation: &str, check: Box<dyn Fn() -> Checked + Send>| {
        let tally = tally.clone();
        trial(plan, &format!("{}::{operation}", kernel.name()), move || {
            tally.started.fetch_add(1, Ordering::SeqCst);
            tally.boards.fetch_add(check()?, Ordering::SeqCst);
            tally.passed.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    };
    let operation = |name| {
        let check = move || named(plan, name).map(|op| check_kernel(plan, op, kernel)).sum();
        counted(name, Box::new(check))
    };
    let mut trials: Vec<Trial> = plan.names().into_iter().map(operation).collect();
    let long = move || {
        let batches = plan.operations.iter().filter(|op| !op.operation.info.by_value());
        batches.map(|op| buffers::long(plan, op, &batch(&op.operation, kernel))).sum()
    };
    trials.push(counted("long", Box::new(long)));
    trials.push(counted("methods", Box::new(move || methods::agree(plan, kernel))));
    trials.push(counted("threats", Box::new(move || threats::agree(plan, kernel))));
    trials.push(counted("games", Box::new(move || games::agree(plan, kernel))));
    trials.push(counted("columns", Box::new(move || columns::agree(plan, kernel))));
    #[cfg(all(unix, target_arch = "x86_64", not(miri)))]
    trials.push(counted(
        "registers",
        Box::new(move || {
            plan.operations.iter().map(|op| registers::are_preserved(plan, op, kernel)).sum()
        }),
    ));
    trials
}

/// Runs all checks of one operation of one kernel.
fn check_kernel(plan: &Plan, prepared: &Prepared, kernel: &'static Kernel) -> Checked {
    let batch = batch(&prepared.operation, kernel);
    let boards = plan.in_batches(prepared, &batch)?;
    if prepared.operation.info.by_value() {
        #[cfg(all(unix, not(miri)))]
        let boards = boards + one_board::agree(plan, prepared, kernel)?;
        return Ok(boards);
    }
    Ok(boards + check_slices(plan, prepared, &batch)?)
}

/// Checks slices of different lengths and alignments, and that nothing outside the slices is
/// accessed.
fn check_slices(plan: &Plan, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
    let boards = buffers::every_length(plan, prepared, batch)?;
    #[cfg(unix)]
    let boards = boards + pages::every_length(plan, prepared, batch)?;
    if cfg!(panic = "unwind") {
        contract::lengths_must_match(&prepared.operation, batch)?;
    }
    Ok(boards)
}

/// The trials of the functions at the crate's root and in the module `board`.
fn crate_trials(plan: &'static Plan) -> Vec<Trial> {
    let mut trials = vec![];
    let everything = plan.config.kernels.is_empty();
    let names = if everything { plan.names() } else { vec![] };
    for name in names {
        trials.push(trial(plan, &format!("active::{name}"), move || {
            for prepared in named(plan, name) {
                let operation = &prepared.operation;
                let typed: BatchFn<'_> = &|inputs, outputs| operation.call_typed(inputs, outputs);
                if operation.info.by_value() {
                    plan.in_batches(prepared, typed)?;
                } else {
                    check_slices(plan, prepared, typed)?;
                }
            }
            Ok(())
        }));
        let batches = move || named(plan, name).filter(|op| !op.operation.info.by_value());
        if batches().next().is_none() {
            continue;
        }
        trials.push(trial(plan, &format!("board::{name}"), move || {
            let checked: u64 = batches().map(|op| plan.on_board(op)).sum::<Checked>()?;
            if checked == 0 { Err("no case".into()) } else { Ok(()) }
        }));
    }
    #[cfg(all(
        target_os = "linux",
        not(miri),
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    trials.push(trial(plan, "active::kernel_runs", || first_touch::active_kernel_runs(plan)));
    // With an expectation, this program may be one of those that the trial starts.
    let starts_others = everything && plan.config.expect_active.is_none();
    if cfg!(all(feature = "std", not(miri))) && starts_others {
        trials.push(trial(plan, "active::each_kernel", each_kernel_is_active));
    }
    trials
}

/// Runs the trials of the active kernel in a process for each available kernel, where the
/// environment forces it.
fn each_kernel_is_active() -> Result<(), String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    for name in Kernel::available().map(Kernel::name) {
        let output = Command::new(&program)
            .arg("active::")
            .env("SETWISE_TEST_BUDGET", "tiny")
            .env("SETWISE_FORCE_KERNEL", name)
            .env("SETWISE_EXPECT_ACTIVE", name)
            .env_remove("SETWISE_EXPECT_EXERCISED")
            .env_remove("SETWISE_TEST_EMULATE")
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            let printed = [output.stdout, output.stderr].concat();
            return Err(format!("{name}: {}", String::from_utf8_lossy(&printed)));
        }
    }
    Ok(())
}

/// One trial for each form (a function in `setwise::techniques`) that this CPU can run.
fn form_trials(plan: &'static Plan) -> impl Iterator<Item = Trial> {
    forms::available().map(move |form| {
        let name = forms::name(form);
        trial(plan, &name.clone(), move || {
            let boards = forms::check(plan, form)?;
            println!("form: {name} cases={boards}");
            if boards == 0 { Err("no case".into()) } else { Ok(()) }
        })
    })
}

/// A trial whose failure message includes the command that repeats the trial.
fn trial(
    plan: &'static Plan,
    name: &str,
    check: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    let rerun = plan.config.rerun(name);
    #[cfg(all(unix, not(miri)))]
    let leaked: &'static str = name.to_owned().leak();
    Trial::test(name, move || {
        #[cfg(all(unix, not(miri)))]
        signals::set_trial(leaked);
        check().map_err(|failure| Failed::from(format!("{failure}\n{rerun}")))
    })
}
