//! Runs every operation of every available kernel once over 1,024 boards. `tools/objectcode.py`
//! runs this program in callgrind to count the instructions. A special instruction sequence marks
//! the start and the end of each operation. Outside of valgrind, the sequence does nothing.

#[cfg(target_arch = "x86_64")]
mod callgrind {
    //! Client requests: calls from the program to callgrind.

    use std::arch::asm;

    const BASE: u64 = (b'C' as u64) << 24 | (b'T' as u64) << 16;

    fn request(number: u64, argument: u64) {
        let arguments = [BASE + number, argument, 0, 0, 0, 0];
        // SAFETY: the rotations add up to 128 bits, and a register is exchanged with itself, so
        // nothing changes. Valgrind recognises the sequence as a request, reads its arguments and
        // writes rdx.
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

    /// Resets the instruction counts.
    pub(super) fn zero() {
        request(1, 0);
    }

    /// Writes the instruction counts under a name.
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

    use setwise::Kernel;
    use setwise::position::{AttackMaps, Checks};
    use setwise_measure::boards::BoardSet;
    use setwise_measure::contender::kernels;
    use setwise_measure::operation::Operation;
    use setwise_measure::positions::{SetColumns, random_positions};
    use setwise_measure::workload::{Order, Workload};

    const BOARDS: usize = 1024;
    let counted = |kernel: &str, operation: &str, run: &mut dyn FnMut()| {
        let name = format!("{kernel}\t{operation}\t{BOARDS}");
        let name = CString::new(name).expect("names contain no zeros");
        callgrind::zero();
        run();
        callgrind::dump(&name);
    };
    let boards = BoardSet::random(BOARDS);
    for operation in Operation::all() {
        let mut workload = Workload::new(operation, &boards, Order::Same, BOARDS, 0);
        for kernel in kernels(operation) {
            counted(kernel.name, &operation.title(), &mut || kernel.compute(&mut workload));
        }
    }
    let positions = random_positions(BOARDS);
    let columns = SetColumns::of_positions(&positions);
    let mut maps = vec![AttackMaps::default(); BOARDS];
    let mut checks = vec![Checks::default(); BOARDS];
    let mut results = SetColumns::of_maps(&maps);
    for kernel in Kernel::available() {
        let name = kernel.name();
        counted(name, "attack_maps", &mut || kernel.attack_maps(&positions, &mut maps));
        counted(name, "checks", &mut || kernel.checks(&positions, &mut checks));
        counted(name, "attack_maps_in_columns", &mut || results.compute(kernel, &columns));
    }
}
