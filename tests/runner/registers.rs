//! Checks that a call through a kernel's table follows the x86-64 System V ABI. It must preserve
//! the callee-saved registers, the direction flag and the control bits of MXCSR. It must also leave
//! the upper halves of vector registers zero, because otherwise later SSE code is slow.
//!
//! A Rust caller may not notice a violation, so the caller is written in assembly. The caller also
//! fills unused argument registers, and the unused upper part of a byte argument, with arbitrary
//! bits, because the callee must not rely on them.

use std::arch::global_asm;

use setwise::Kernel;

use crate::check::{Checked, Plan, Prepared};
use crate::one_board::entry;

/// The values of the preserved registers. The assembly loads `registers` before the call. After the
/// call, it records the values here.
#[repr(C)]
#[derive(Default, Debug, PartialEq, Eq)]
struct Preserved {
    /// rbx, rbp, r12 to r15
    registers: [u64; 6],
    flags: u64,
    mxcsr: u32,
    /// Before the call: 1 to check whether upper halves of vector registers are in use. After the
    /// call: the result of XGETBV.
    upper: u32,
}

const PATTERN: [u64; 6] = [
    0x0b0b_0b0b_1b1b_1b1b,
    0x2b2b_2b2b_3b3b_3b3b,
    0x1212_1212_2121_2121,
    0x1313_1313_3131_3131,
    0x1414_1414_4141_4141,
    0x1515_1515_5151_5151,
];

global_asm!(
    // rdi: the function to call, rsi: its eight arguments, rdx: a pointer to `Preserved`.
    ".globl setwise_call_and_record",
    "setwise_call_and_record:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push rdx",
    "mov r11, rdi",
    "mov r10, rsi",
    // The seventh and eighth arguments: 16 bytes, so the stack stays aligned.
    "push qword ptr [r10 + 56]",
    "push qword ptr [r10 + 48]",
    "mov rbx, [rdx]",
    "mov rbp, [rdx + 8]",
    "mov r12, [rdx + 16]",
    "mov r13, [rdx + 24]",
    "mov r14, [rdx + 32]",
    "mov r15, [rdx + 40]",
    "cmp dword ptr [rdx + 60], 0",
    "je 2f",
    "vzeroupper",
    "2:",
    "mov rdi, [r10]",
    "mov rsi, [r10 + 8]",
    "mov rdx, [r10 + 16]",
    "mov rcx, [r10 + 24]",
    "mov r8, [r10 + 32]",
    "mov r9, [r10 + 40]",
    "mov rax, -1",
    "mov r10, -1",
    "call r11",
    "add rsp, 16",
    "pop r10",
    "mov [r10], rbx",
    "mov [r10 + 8], rbp",
    "mov [r10 + 16], r12",
    "mov [r10 + 24], r13",
    "mov [r10 + 32], r14",
    "mov [r10 + 40], r15",
    "pushfq",
    "pop rax",
    "mov [r10 + 48], rax",
    "stmxcsr [r10 + 56]",
    "cmp dword ptr [r10 + 60], 0",
    "je 3f",
    "mov ecx, 1",
    "xgetbv",
    "mov [r10 + 60], eax",
    "3:",
    "cld",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
);

unsafe extern "C" {
    fn setwise_call_and_record(entry: *const (), arguments: &[u64; 8], preserved: &mut Preserved);
}

extern "C" fn do_nothing() {}

/// Whether this CPU reports which upper halves of vector registers are in use (CPUID leaf 0dh), and
/// counts a half that is zero as unused.
fn can_detect_upper_halves() -> bool {
    if !std::arch::is_x86_feature_detected!("avx") {
        return false;
    }
    // SAFETY: every x86-64 CPU has the instruction CPUID.
    #[allow(unused_unsafe, reason = "a safe function in newer toolchains")]
    let leaf = unsafe { std::arch::x86_64::__cpuid_count(0xd, 1) };
    let reports = leaf.eax >> 2 & 1 == 1;
    reports && call_and_record(do_nothing as *const (), &[0; 8], true).upper & 0b100 == 0
}

/// Calls a function with up to eight integer arguments and returns the registers after the call.
/// `upper` requests the check of the vector registers' upper halves.
fn call_and_record(entry: *const (), arguments: &[u64; 8], upper: bool) -> Preserved {
    let mut preserved =
        Preserved { registers: PATTERN, upper: upper.into(), ..Preserved::default() };
    // SAFETY: the callers pass valid arguments; no entry takes more than eight.
    unsafe { setwise_call_and_record(entry, arguments, &mut preserved) };
    preserved
}

/// Calls one operation of a kernel on 0 to 257 boards, with and without a tail, and checks the
/// registers after each call.
pub(crate) fn are_preserved(plan: &Plan, prepared: &Prepared, kernel: &'static Kernel) -> Checked {
    let operation = &prepared.operation;
    let info = operation.info;
    let (cases, _) = plan.random_cases(prepared);
    let entry = entry(kernel, info.name());
    let detects = can_detect_upper_halves();
    let mut compared = 0;
    for boards in [0, 1, 3, 17, 64, 97, 257] {
        let mut columns = operation.columns(&cases[..boards]);
        let columns =
            columns.iter_mut().map(|column| column.bytes_mut().as_mut_ptr().addr() as u64);
        let parameter =
            info.parameter().map(|_| 0xdead_beef_0000_0000 | u64::from(operation.parameter));
        let (inputs, mut results) = (cases[0].inputs(operation), [0; 7]);
        let mut values: Vec<u64> = if info.by_value() {
            operation.arguments_by_value(&inputs, &mut results)
        } else {
            parameter.into_iter().chain(columns).chain([boards as u64]).collect()
        };
        values.resize(8, 0xdead_beef_dead_beef);
        let values: [u64; 8] = values.try_into().expect("up to eight arguments");
        let after = call_and_record(entry, &values, detects);
        compared += boards as u64;
        let wrong = if after.registers != PATTERN {
            "changed a callee-saved register (rbx, rbp, r12 to r15)"
        } else if after.flags >> 10 & 1 == 1 {
            "set the direction flag"
        } else if after.mxcsr & 0xffc0 != 0x1f80 {
            "changed the control bits of MXCSR"
        } else if detects && after.upper & 0b100 != 0 {
            "left upper halves of vector registers in use"
        } else {
            continue;
        };
        return Err(format!("{} of {boards} boards {wrong}: {after:x?}", operation.title()));
    }
    Ok(compared)
}

// Functions that violate the ABI, to test the checks.
global_asm!(
    ".globl setwise_changes_rbx",
    "setwise_changes_rbx:",
    "xor ebx, ebx",
    "ret",
    ".globl setwise_changes_r15",
    "setwise_changes_r15:",
    "inc r15",
    "ret",
    ".globl setwise_sets_direction",
    "setwise_sets_direction:",
    "std",
    "ret",
    ".globl setwise_leaves_upper_halves",
    "setwise_leaves_upper_halves:",
    "vcmpps ymm3, ymm3, ymm3, 15",
    "ret",
);
unsafe extern "C" {
    fn setwise_changes_rbx();
    fn setwise_changes_r15();
    fn setwise_sets_direction();
    fn setwise_leaves_upper_halves();
}

/// Checks that the values from [`call_and_record`] reveal each violation.
pub(crate) fn violations_are_detected() -> Result<(), String> {
    let call =
        |entry: unsafe extern "C" fn(), upper| call_and_record(entry as *const (), &[0; 8], upper);
    let unchanged = |entry| call(entry, false).registers == PATTERN;
    if unchanged(setwise_changes_rbx) || unchanged(setwise_changes_r15) {
        return Err("a changed register is not detected".into());
    }
    if call(setwise_sets_direction, false).flags >> 10 & 1 == 0 {
        return Err("the direction flag is not detected".into());
    }
    if !can_detect_upper_halves() {
        println!(
            "limited: this CPU does not report whether upper halves of vector registers are in use"
        );
    } else if call(setwise_leaves_upper_halves, true).upper & 0b100 == 0 {
        return Err("upper halves in use are not detected".into());
    }
    Ok(())
}
