//! Calls the best kernel for the compile target, without a choice at run time. This suits programs
//! that are compiled once per CPU level, such as x86-64-v3.
//!
//! ```text
//! RUSTFLAGS="-Ctarget-cpu=x86-64-v3 -Crelocation-model=static" \
//!     cargo run --release --example of_target --target x86_64-unknown-linux-gnu
//! ```
//!
//! Because of `--target`, `RUSTFLAGS` does not apply to build scripts and procedural macros.

use setwise::Kernel;

/// Computes a batch and one board. Both calls go directly to the kernel's functions.
#[inline(never)]
fn of_target(rooks: &[u64; 64], occupied: &[u64; 64]) -> [u64; 64] {
    let kernel = Kernel::of_target();
    let mut attacks = [0; 64];
    kernel.rook_attacks(rooks, occupied, &mut attacks);
    attacks[0] ^= kernel.queen_attacks_one(rooks[1], occupied[1]);
    attacks
}

fn main() {
    let rooks = [1 << 27; 64]; // d4
    let occupied = [1 << 29; 64]; // f4
    let attacks = of_target(&rooks, &occupied);
    assert_eq!(attacks[1], 0x0808_0808_3708_0808);
    println!("{}, known at compile time", Kernel::of_target().name());
}
