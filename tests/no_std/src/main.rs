//! A program without the standard library and without an allocator. The C start-up code calls
//! `main`.
//!
//! The program links only if `setwise`, without the feature `std`, needs neither the standard
//! library nor an allocator. It prints `active: NAME`. The exit code is 0 only if CPU detection and
//! every available kernel work.
#![no_std]
#![no_main]

mod bare;

use setwise::{Choice, Direction, Kernel};

/// Returns 0, or the number of the check that failed.
#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut attacks = [0; 100];
    setwise::rook_attacks(&[1; 100], &[0; 100], &mut attacks);
    if attacks != [0x0101_0101_0101_01fe; 100] {
        return 1;
    }
    let active = Kernel::active();
    if Kernel::available().next() != Some(active) {
        return 5;
    }
    for kernel in Kernel::available() {
        kernel.activate();
        if Kernel::active() != kernel {
            return 6;
        }
        kernel.queen_attacks(&[1; 100], &[0; 100], &mut attacks);
        if attacks != [0x8141_2111_0905_03fe; 100] {
            return 2;
        }
        kernel.ray_attacks(Direction::West, &[1 << 7; 100], &[1 << 3; 100], &mut attacks);
        if attacks != [0b0111_1000; 100] {
            return 3;
        }
        if kernel.slider_attacks_one(1, 1, 0) != 0x8141_2111_0905_03fe {
            return 4;
        }
    }
    if Kernel::init(Choice::default()) != Ok(active) || Kernel::try_active() != Ok(active) {
        return 7;
    }
    match Kernel::init(Choice::by_cpu().force("abacus")) {
        Err(error) if error.error().name() == Some("abacus") => {}
        _ => return 8,
    }
    for part in ["active: ", active.name(), "\n"] {
        bare::print(part);
    }
    0
}
