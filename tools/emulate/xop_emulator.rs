//! Executes AMD XOP instructions on a CPU without them, for tests on x86-64 Linux. The CPU raises
//! an illegal-instruction signal. The handler decodes the unmodified instruction, computes the
//! result and skips the instruction.
//!
//! Meaning and encoding follow the AMD64 Architecture Programmer's Manual, volume 6. Supported are
//! VPPERM, VPCMOV and VPSHLB of 128-bit registers, which are all that the kernel contains. For any
//! other instruction, an operand in memory, or a shift count of 8 or more, SIGILL ends the process.

// Casts reinterpret the bits of registers. The XSAVE area and its fields are aligned.
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, clippy::cast_ptr_alignment)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static EXECUTED: AtomicU64 = AtomicU64::new(0);

/// A 128-bit register. A result clears the upper half of the 256-bit register, as with VEX.
type Register = [u8; 16];

/// Makes this process emulate XOP.
pub(crate) fn install() {
    let handler: unsafe extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
        on_illegal_instruction;
    // SAFETY: a zeroed sigaction is valid; the handler has the signature that SA_SIGINFO requires.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        assert_eq!(libc::sigaction(libc::SIGILL, &raw const action, core::ptr::null_mut()), 0);
    }
}

/// The number of instructions emulated so far.
#[must_use]
pub(crate) fn executed() -> u64 {
    EXECUTED.load(Relaxed)
}

unsafe extern "C" fn on_illegal_instruction(
    signal: i32,
    _: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes the interrupted thread's state, which a handler may change; its
    // instruction pointer points at the bytes to be fetched next.
    let done = unsafe {
        let context = &mut *context.cast::<libc::ucontext_t>();
        let mut machine = Machine {
            general: &mut context.uc_mcontext.gregs,
            vector: context.uc_mcontext.fpregs.cast(),
        };
        // Also execute the XOP instructions that follow, because each signal is expensive.
        core::iter::from_fn(|| machine.step()).count() as u64
    };
    EXECUTED.fetch_add(done, Relaxed);
    if done == 0 {
        // SAFETY: resets the handler; the instruction runs again and ends the process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// The interrupted thread's registers. `vector` is an XSAVE area in the standard (not compacted)
/// format.
struct Machine<'a> {
    general: &'a mut [i64; 23],
    vector: *mut u8,
}

const XMM: usize = 160;
const FRAME_MAGIC: usize = 464;
const XSTATE_BV: usize = 512;
const YMM_HIGH: usize = 576;

impl Machine<'_> {
    /// Executes the instruction at the instruction pointer. Returns `None` and changes nothing if
    /// the instruction is not supported.
    unsafe fn step(&mut self) -> Option<()> {
        let start = self.general[libc::REG_RIP as usize] as u64;
        // SAFETY: the caller passes a valid instruction pointer; a byte is read only if those
        // before it require it.
        let byte = |i: u64| unsafe { *((start + i) as *const u8) };
        if byte(0) != 0x8f || !(byte(1) & 31 == 8 || byte(1) & 31 == 9) || byte(2) & 7 != 0 {
            return None;
        }
        let map = byte(1) & 31;
        let extend = |bit: u8| (!byte(1) >> bit & 1) << 3;
        // W, which exchanges two operands, is not set, and all operands are registers.
        if byte(2) >> 7 == 1 || byte(4) >> 6 != 3 {
            return None;
        }
        let (destination, rm) = (byte(4) >> 3 & 7 | extend(7), byte(4) & 7 | extend(5));
        let (vvvv, rm) = (self.read(!byte(2) >> 3 & 15), self.read(rm));
        // Map 8 has a fourth register in an immediate byte.
        let last = (map == 8).then(|| self.read(byte(5) >> 4));
        let result = match (map, byte(3)) {
            (8, 0xa3) => vpperm(vvvv, rm, last?),
            (8, 0xa2) => vpcmov(vvvv, rm, last?),
            (9, 0x94) => vpshlb(rm, vvvv)?,
            _ => return None,
        };
        self.write(destination, result);
        self.general[libc::REG_RIP as usize] = (start + 5 + u64::from(map == 8)) as i64;
        Some(())
    }

    /// The `XSTATE_BV` field, if the frame has an extended area.
    fn components(&self) -> Option<*mut u64> {
        // SAFETY: both offsets are inside the area that the kernel wrote.
        unsafe {
            (self.vector.add(FRAME_MAGIC).cast::<u32>().read() == 0x4650_5853)
                .then(|| self.vector.add(XSTATE_BV).cast())
        }
    }

    fn read(&self, number: u8) -> Register {
        // SAFETY: the frame always contains the XMM registers.
        unsafe { self.vector.add(XMM + 16 * usize::from(number)).cast::<Register>().read() }
    }

    fn write(&mut self, number: u8, value: Register) {
        let n = 16 * usize::from(number);
        // SAFETY: as in `read`; the upper halves are there if their component is present.
        unsafe {
            self.vector.add(XMM + n).cast::<Register>().write(value);
            if let Some(bits) = self.components() {
                bits.write(bits.read() | 2);
                if bits.read() & 4 != 0 {
                    self.vector.add(YMM_HIGH + n).write_bytes(0, 16);
                }
            }
        }
    }
}

/// Models VPPERM. In each selector byte, bits 4-0 choose one of the 32 bytes of `first` and
/// `second`, and bits 7-5 choose the operation on that byte.
fn vpperm(first: Register, second: Register, selector: Register) -> Register {
    core::array::from_fn(|i| {
        let index = usize::from(selector[i] & 15);
        let byte = if selector[i] & 16 == 0 { first[index] } else { second[index] };
        let sign = ((byte as i8) >> 7) as u8;
        match selector[i] >> 5 {
            0 => byte,
            1 => !byte,
            2 => byte.reverse_bits(),
            3 => !byte.reverse_bits(),
            4 => 0,
            5 => 0xff,
            6 => sign,
            _ => !sign,
        }
    })
}

/// Models VPCMOV: takes each bit from `first` if the selector's bit is set, else from `second`.
fn vpcmov(first: Register, second: Register, selector: Register) -> Register {
    core::array::from_fn(|i| first[i] & selector[i] | second[i] & !selector[i])
}

/// Models VPSHLB: shifts each byte by the signed number in the same byte of `count`, left if
/// positive. Returns `None` if a number reaches the width.
fn vpshlb(value: Register, count: Register) -> Option<Register> {
    if count.iter().any(|&n| (n as i8).unsigned_abs() >= 8) {
        return None;
    }
    Some(core::array::from_fn(|i| match count[i] as i8 {
        n @ 0.. => value[i] << n,
        n => value[i] >> -n,
    }))
}
