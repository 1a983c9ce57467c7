//! Every kernel that this CPU can run, every operation once over 1,024 boards, for `tools/instructions.py` to have counted by callgrind. Before and
//! after each, callgrind is told, by an instruction sequence that does nothing outside it.

#[cfg(target_arch = "x86_64")]
mod callgrind {
    //! Callgrind's client requests, as valgrind's manual has them.

    use std::arch::asm;

    const BASE: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;

    fn request(number: u64, argument: u64) {
        let arguments = [BASE + number, argument, 0, 0, 0, 0];
        // SAFETY: four rotations by 128 in all and an exchange of a register with itself change nothing; valgrind takes them for a
        // request, whose arguments it reads and whose answer it puts into rdx.
        unsafe {
            asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                inout("rdi") 0_u64 => _,
                in("rax") arguments.as_ptr(),
                inout("rdx") 0_u64 => _,
                options(nostack),
            );
        }
    }

    /// Forgets what was counted so far.
    pub(super) fn zero() {
        request(1, 0);
    }

    /// Writes what was counted, under a name.
    pub(super) fn dump(name: &std::ffi::CStr) {
        request(3, name.as_ptr().addr() as u64);
    }
}

fn main() {
    #[cfg(target_arch = "x86_64")]
    count();
}

#[cfg(target_arch = "x86_64")]
fn count() {
    use std::ffi::CString;

    use setwise_measure::batch::{Batch, Order};
    use setwise_measure::boards::Boards;
    use setwise_measure::contender::kernels;
    use setwise_measure::operation::Operation;

    const BOARDS: usize = 1024;
    let boards = Boards::random(BOARDS);
    for operation in Operation::all() {
        let mut batch = Batch::new(operation, &boards, Order::Same, BOARDS, 0);
        for kernel in kernels(operation) {
            let name = format!("{}\t{}\t{BOARDS}", kernel.name, operation.title());
            let name = CString::new(name).expect("names without zeros");
            callgrind::zero();
            kernel.pass(&mut batch);
            callgrind::dump(&name);
        }
    }
}
