//! Executes AMD XOP instructions on a CPU without them, for tests on x86-64 Linux. The CPU raises
//! an illegal-instruction signal. The handler decodes the unmodified instruction, computes the
//! result and skips the instruction.
//!
//! Meaning and encoding follow the AMD64 Architecture Programmer's Manual, volume 6. Supported, for
//! 128 bits: VPPERM, VPCMOV and VPSHLB, which are all that the kernel contains. For any other
//! instruction, and for a shift count of 8 or more, SIGILL ends the process.

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
        let (map, w) = (byte(1) & 31, byte(2) >> 7 == 1);
        let extend = |bit: u8| (!byte(1) >> bit & 1) << 3;
        let opcode = byte(3);
        let (mode, low) = (byte(4) >> 6, byte(4) & 7);
        let destination = byte(4) >> 3 & 7 | extend(7);
        let mut length = 5;
        let address = if mode == 3 {
            None
        } else {
            // SAFETY: the displacement is part of the instruction.
            let displacement =
                |at: u64| i64::from(unsafe { ((start + at) as *const i32).read_unaligned() });
            let mut at: i64;
            if low == 4 {
                let sib = byte(5);
                length += 1;
                let index = sib >> 3 & 7 | extend(6);
                at = if index == 4 { 0 } else { self.general(index) << (sib >> 6) };
                if sib & 7 == 5 && mode == 0 {
                    at = at.wrapping_add(displacement(length));
                    length += 4;
                } else {
                    at = at.wrapping_add(self.general(sib & 7 | extend(5)));
                }
            } else if low == 5 && mode == 0 {
                // The displacement is relative to the instruction's end, which is one byte later in
                // map 8.
                let end = start + length + 4 + u64::from(map == 8);
                at = displacement(length).wrapping_add(end as i64);
                length += 4;
            } else {
                at = self.general(low | extend(5));
            }
            if mode == 1 {
                at = at.wrapping_add(i64::from(byte(length) as i8));
                length += 1;
            } else if mode == 2 {
                at = at.wrapping_add(displacement(length));
                length += 4;
            }
            Some(at as *const u8)
        };
        let immediate = (map == 8).then(|| byte(length));
        length += u64::from(map == 8);

        let vvvv = self.read(!byte(2) >> 3 & 15);
        let rm = match address {
            None => self.read(low | extend(5)),
            // SAFETY: the program itself reads this memory.
            Some(from) => unsafe { from.cast::<Register>().read() },
        };
        let last = immediate.map(|i| self.read(i >> 4));
        let result = match (map, opcode) {
            (8, 0xa3) if w => vpperm(vvvv, last?, rm),
            (8, 0xa3) => vpperm(vvvv, rm, last?),
            (8, 0xa2) if w => vpcmov(vvvv, last?, rm),
            (8, 0xa2) => vpcmov(vvvv, rm, last?),
            (9, 0x94) if w => vpshlb(vvvv, rm)?,
            (9, 0x94) => vpshlb(rm, vvvv)?,
            _ => return None,
        };
        self.write(destination, result);
        self.general[libc::REG_RIP as usize] = (start + length) as i64;
        Some(())
    }

    fn general(&self, number: u8) -> i64 {
        use libc::{REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
        use libc::{REG_RAX, REG_RBP, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RSI, REG_RSP};
        let place = [
            REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, //
            REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
        ];
        self.general[place[usize::from(number)] as usize]
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
