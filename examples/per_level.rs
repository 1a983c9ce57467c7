//! A hot loop that is compiled once per instruction set, with the attack code inlined. This suits
//! engines that want to avoid a call per board.
//!
//! ```text
//! cargo run --release --example per_level
//! ```

use setwise::position::SideAttacks;
use setwise::{Side, board};

/// An instruction set. Each instruction set is a type, so each gets its own copy of the loop.
trait Level: Copy {
    fn attacks(self, pieces: &[u64; 6], occupied: u64) -> SideAttacks;
}

/// No instruction set beyond the compile target.
#[derive(Clone, Copy)]
struct Any;

impl Level for Any {
    #[inline(always)]
    fn attacks(self, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
        board::side_attacks(Side::White, pieces, occupied)
    }
}

/// White's sets by kind, and the occupied squares.
type Board = ([u64; 6], u64);

/// The hot loop: counts the empty squares that White attacks.
#[inline(always)]
fn control(level: impl Level, boards: &[Board]) -> u64 {
    let squares = |(pieces, occupied): &Board| {
        u64::from((level.attacks(pieces, *occupied).all & !occupied).count_ones())
    };
    boards.iter().map(squares).sum()
}

#[cfg(target_arch = "x86_64")]
mod levels {
    use setwise::Side;
    use setwise::position::SideAttacks;
    use setwise::techniques::cpu::{Avx2, Avx512};
    use setwise::techniques::variable_shifts;

    use super::{Board, Level, control};

    impl Level for Avx2 {
        #[inline(always)]
        fn attacks(self, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
            variable_shifts::side_attacks(self, Side::White, pieces, occupied)
        }
    }

    impl Level for Avx512 {
        #[inline(always)]
        fn attacks(self, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
            variable_shifts::side_attacks(self, Side::White, pieces, occupied)
        }
    }

    // Code that is inlined into these functions is compiled with the CPU features that they enable.
    // Elsewhere, each vector operation would be a call.
    #[target_feature(enable = "avx2,popcnt")]
    #[inline(never)]
    pub(super) fn with_avx2(cpu: Avx2, boards: &[Board]) -> u64 {
        control(cpu, boards)
    }

    #[target_feature(enable = "avx512f,avx512vl,popcnt")]
    #[inline(never)]
    pub(super) fn with_avx512(cpu: Avx512, boards: &[Board]) -> u64 {
        control(cpu, boards)
    }
}

fn main() {
    // Pseudo-random sparse boards.
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let set = |i: u64, k: u64| i.wrapping_mul(k) & i.wrapping_mul(k << 7) & i.wrapping_mul(k >> 9);
    let boards: Vec<Board> = (1..=10_000)
        .map(|i| {
            let pieces = std::array::from_fn(|kind| set(i, K >> kind) & set(i, K << kind));
            (pieces, set(i, K >> 7) | pieces.iter().fold(0, |all, set| all | set))
        })
        .collect();

    let expected = control(Any, &boards);
    println!("any CPU: {expected} squares");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        use setwise::techniques::cpu::{Avx2, Avx512};
        if let Some(cpu) = Avx2::detect() {
            // SAFETY: this CPU has AVX2 and POPCNT.
            let squares = unsafe { levels::with_avx2(cpu, &boards) };
            println!("AVX2:    {squares} squares");
            assert_eq!(squares, expected);
        }
        if let Some(cpu) = Avx512::detect() {
            // SAFETY: this CPU has AVX-512F, AVX-512VL and POPCNT.
            let squares = unsafe { levels::with_avx512(cpu, &boards) };
            println!("AVX-512: {squares} squares");
            assert_eq!(squares, expected);
        }
    }
}
