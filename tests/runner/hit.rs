//! Which code really ran: the functions at the crate's root must end in the active kernel.
//!
//! All kernels give the same results, so results cannot tell. But the first instruction that
//! touches the input can: the input lies on a page that is unreadable at first, and
//! the fault's handler notes the instruction's address, makes the page readable and lets the instruction
//! run again. The address met by way of the root must be that of the active kernel, and no two
//! kernels may meet at the same one: then one of them would not be what it is named for.
//! (This needs code that is optimised as in the profiles `test` and `release`; without, kernels
//! share the functions that load.)

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use setwise::Kernels;

use crate::pages::Pages;

/// The watched pages, and the instruction that touched them first; 0 for none.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
static INSTRUCTION: AtomicUsize = AtomicUsize::new(0);

/// Only async-signal-safe calls in here.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let (start, end) = (START.load(Ordering::SeqCst), END.load(Ordering::SeqCst));
    // SAFETY: as installed (SA_SIGINFO), the system passes a valid description and context; the
    // pages from start to end are a mapping that outlives the watch.
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
        // A real fault: let it happen again, without us.
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
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

/// The address of the instruction by which the call first touches the rooks.
fn first_touch(call: impl FnOnce(&[u64], &[u64], &mut [u64])) -> usize {
    const BOARDS: usize = 64;
    let mut pages = Pages::new(BOARDS);
    let range = pages.range();
    START.store(range.start, Ordering::SeqCst);
    END.store(range.end, Ordering::SeqCst);
    INSTRUCTION.store(0, Ordering::SeqCst);
    pages.words().fill(1);
    pages.protect(libc::PROT_NONE);
    let rooks = {
        let range = pages.range();
        // SAFETY: mapped, filled, and made readable by the handler at the first touch: as with
        // any page that the system loads on demand, the program cannot tell. Borrowed until the
        // end of this function, where nothing else uses the pages.
        unsafe {
            let words = std::ptr::with_exposed_provenance(range.start);
            std::slice::from_raw_parts(words, BOARDS)
        }
    };
    let mut attacks = [0; BOARDS];
    call(rooks, &[0; BOARDS], &mut attacks);
    assert_eq!(attacks, [0x8141_2111_0905_03fe; BOARDS]);
    INSTRUCTION.load(Ordering::SeqCst)
}

/// Fails unless `setwise::queen_attacks` runs the code of the active kernel, and every kernel has
/// code of its own.
pub(crate) fn active_kernel_is_hit() -> Result<(), String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().map_err(|e| e.to_string())?;
    // SAFETY: the handler keeps to what a signal handler may do.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut())
    };
    assert!(installed == 0, "sigaction");

    let active = Kernels::active().name();
    let by_root = first_touch(setwise::queen_attacks);
    if by_root == 0 {
        return Err("setwise::queen_attacks did not touch its input".into());
    }
    let touch = |kernel: &'static Kernels| {
        let call = |rooks: &[u64], occupied: &[u64], attacks: &mut [u64]| {
            kernel.queen_attacks(rooks, occupied, attacks);
        };
        (kernel.name(), first_touch(call))
    };
    let touches: Vec<(&str, usize)> = Kernels::available().map(touch).collect();
    for (number, &(name, instruction)) in touches.iter().enumerate() {
        if (name == active) != (instruction == by_root) {
            return Err(format!(
                "the active kernel is {active}, but setwise::queen_attacks touches its input at \
                 {by_root:#x}, and {name} at {instruction:#x}; all: {touches:x?}"
            ));
        }
        let twin = touches[..number]
            .iter()
            .find(|(_, other)| *other == instruction);
        if let Some((twin, _)) = twin {
            return Err(format!("{name} and {twin} run the same code"));
        }
    }
    Ok(())
}
