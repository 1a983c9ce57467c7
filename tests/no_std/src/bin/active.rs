//! A minimal program that only calls the active kernel. If it is compiled for a CPU with all
//! features of the best kernel, it must not contain the instruction CPUID, because it needs no
//! detection.
#![no_std]
#![no_main]

#[path = "../bare.rs"]
mod bare;

use setwise::Kernel;

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut attacks = [0; 100];
    setwise::rook_attacks(&[1; 100], &[0; 100], &mut attacks);
    for part in ["active: ", Kernel::active().name(), "\n"] {
        bare::print(part);
    }
    i32::from(attacks != [0x0101_0101_0101_01fe; 100])
}
