//! The kernel of the compile target: known at compile time. For programs that are compiled once for each level.
//!
//! ```text
//! RUSTFLAGS="-Ctarget-cpu=x86-64-v3 -Crelocation-model=static" \
//!     cargo run --release --example of_target --target x86_64-unknown-linux-gnu
//! ```
//! (With `--target`, so that the flags are not for what builds the example, too.)

use setwise::Kernels;

/// A batch and a single board: calls of the kernel's functions, without the table.
#[inline(never)]
fn of_target(rooks: &[u64; 64], occupied: &[u64; 64]) -> [u64; 64] {
    let kernels = Kernels::of_target();
    let mut attacks = [0; 64];
    kernels.rook_attacks(rooks, occupied, &mut attacks);
    attacks[0] ^= kernels.queen_attacks_one(rooks[1], occupied[1]);
    attacks
}

fn main() {
    let rooks = [1 << 27; 64];
    let attacks = of_target(&rooks, &[1 << 29; 64]);
    assert_eq!(attacks[1], 0x0808_0808_3708_0808);
    println!("{}, known at compile time", Kernels::of_target().name());
}
