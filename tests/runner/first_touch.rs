//! Checks that the functions at the crate's root run the active kernel.
//!
//! All kernels return the same results, so results cannot show which kernel ran. The address of the
//! first instruction that accesses an argument can. So the test puts each argument in turn on an
//! inaccessible page. The fault handler records the instruction's address, makes the page
//! accessible and lets the instruction run again.
//!
//! A function at the root and the active kernel must access each argument with the same
//! instruction. No two kernels may use the same instructions in all operations on sets, because
//! then one of them would run the other's code.
//!
//! This needs optimised code, as in the profiles `test` and `release`. Without optimisation,
//! kernels share the functions that load data.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use setwise::Kernel;
use setwise::reflection::{Element, Parameter};
use setwise_check::{BatchFn, Case, Column, Operation, Pages, Results, call, compare};

use crate::check::{Plan, batch};

/// The start and end of the watched pages, and the first instruction that accessed them (0: none).
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
static INSTRUCTION: AtomicUsize = AtomicUsize::new(0);

/// Records the instruction that accessed a watched page, and makes the page accessible. Makes only
/// async-signal-safe calls.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let (start, end) = (START.load(Ordering::SeqCst), END.load(Ordering::SeqCst));
    // SAFETY: with SA_SIGINFO the system passes a valid `info` and `context`. The pages from start
    // to end are mapped while they are watched.
    unsafe {
        if (start..end).contains(&(*info).si_addr().addr()) {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let address = std::ptr::with_exposed_provenance_mut(start);
            if libc::mprotect(address, end - start, access) == 0 {
                let instruction = instruction(&*context.cast::<libc::ucontext_t>());
                INSTRUCTION.store(instruction, Ordering::SeqCst);
                return;
            }
        }
        // A genuine fault. With the default action restored, the instruction faults again and ends
        // the program.
        crate::signals::print_trial_and_reset(libc::SIGSEGV);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(clippy::cast_sign_loss, reason = "the index of a register")]
fn instruction(context: &libc::ucontext_t) -> usize {
    let registers = context.uc_mcontext.gregs;
    registers[libc::REG_RIP as usize].cast_unsigned() as usize
}

#[cfg(target_arch = "aarch64")]
fn instruction(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

/// What stands for the instructions of the C library: its `memcpy` chooses them by the addresses
/// that it copies between.
const IN_LIBC: usize = 1;

/// The address of an instruction of this program, or [`IN_LIBC`]: far away, if linked dynamically.
fn of_this_program(instruction: usize) -> usize {
    let near = instruction.abs_diff(on_fault as *const () as usize) < 1 << 30;
    if near || instruction == 0 { instruction } else { IN_LIBC }
}

/// For each argument of a function, the address of the first instruction that accesses it, or 0.
fn first_touches(operation: &Operation, batch: BatchFn<'_>) -> Vec<usize> {
    let cases = [Case::A1; 64];
    let expected = Results::new(operation, cases);
    let first_touch = |watched: usize| {
        let mut columns = operation.columns(&cases);
        let mut pages = Pages::new(columns[watched].bytes().len());
        let range = pages.range();
        START.store(range.start, Ordering::SeqCst);
        END.store(range.end, Ordering::SeqCst);
        INSTRUCTION.store(0, Ordering::SeqCst);
        let bytes = pages.place(columns[watched].bytes(), false).len();
        pages.protect(libc::PROT_NONE);
        // SAFETY: the page is mapped and filled. The fault handler makes it accessible at the first
        // access, as the system does with a page that it loads on demand. Nothing else uses the
        // pages until the end of this function.
        let page: &mut [u8] = unsafe {
            let start = std::ptr::with_exposed_provenance_mut(range.start);
            std::slice::from_raw_parts_mut(start, bytes)
        };
        let mut all: Vec<&mut [u8]> = columns.iter_mut().map(Column::bytes_mut).collect();
        all[watched] = page;
        let outputs = call(operation, all, batch);
        let right = compare(operation, &cases, &outputs, &expected, |i| i);
        assert!(right.is_ok(), "{}", operation.title());
        of_this_program(INSTRUCTION.load(Ordering::SeqCst))
    };
    (0..operation.arguments().count()).map(first_touch).collect()
}

/// Whether an operation's code depends on the kernel's technique alone. Squares, positions and
/// counts are read by code that each kernel has, whatever its technique.
fn is_on_sets(operation: &Operation) -> bool {
    operation.info.parameter() != Some(Parameter::Direction)
        && operation.arguments().all(|argument| argument.element() == Element::Set)
}

fn install_fault_handler() {
    // SAFETY: the handler is async-signal-safe.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut())
    };
    assert!(installed == 0, "sigaction failed");
}

/// Fails unless every function at the crate's root runs the active kernel's code, and every kernel
/// has its own code.
pub(crate) fn active_kernel_runs(plan: &Plan) -> Result<(), String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().map_err(|e| e.to_string())?;
    install_fault_handler();
    let batches = || {
        let operations = plan.operations.iter().map(|prepared| &prepared.operation);
        operations.filter(|operation| !operation.info.by_value())
    };
    let by_kernel = |operation: &Operation, kernel: &'static Kernel| {
        first_touches(operation, &batch(operation, kernel))
    };

    let active = Kernel::active();
    for operation in batches() {
        let by_root = first_touches(operation, &|inputs, outputs| {
            operation.call_typed(inputs, outputs);
        });
        let by_active = by_kernel(operation, active);
        if by_root.contains(&0) || by_root != by_active {
            return Err(format!(
                "setwise::{} accesses its data at {by_root:#x?}, but the active kernel, {}, at {by_active:#x?}",
                operation.title(),
                active.name()
            ));
        }
    }

    let mut seen: Vec<(&str, Vec<Vec<usize>>)> = vec![];
    for kernel in Kernel::available() {
        let attacks = batches().filter(|operation| is_on_sets(operation));
        let touches: Vec<Vec<usize>> = attacks.map(|o| by_kernel(o, kernel)).collect();
        if let Some((twin, _)) = seen.iter().find(|(_, others)| *others == touches) {
            return Err(format!("{} and {twin} run the same code", kernel.name()));
        }
        seen.push((kernel.name(), touches));
    }
    Ok(())
}
