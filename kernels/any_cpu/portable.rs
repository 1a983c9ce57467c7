//! Rank slices in plain integers, without a word of any instruction set: the compiler makes the vectors.
//!
//! A byte is a rank of one board (see [`plain_slices`]). The loop over the slices is there twice on x86-64, once more for AVX2; which one runs is chosen
//! where the kernel `avx2` is (with feature `std`; without it, at compile time).

use crate::kernels::generic::lanes::Lanes;
use crate::kernels::generic::plain_slices::{self, Column, Slices};
use crate::kernels::shells::kernel;

kernel! {
    name: c"portable",
    technique: "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    on: all(),
    features: [],
    driver: PlainSlices<u8>,
}

/// One rank of one board.
impl Lanes for u8 {
    const WEST_LEAKS: bool = false;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        byte
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn east(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
}

impl Column for u8 {
    #[inline(always)]
    fn add(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
        add_bytes(orthogonal, attacks, sliders, occupied);
    }
}

/// (One call, so that what calls it stays small enough to be inlined itself.)
#[inline(never)]
fn add_bytes(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices) {
    #[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
    if clone::is_for_avx2() {
        // SAFETY: the CPU has AVX2.
        return unsafe { clone::add_bytes(orthogonal, attacks, sliders, occupied) };
    }
    plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
}

/// The same for AVX2, and whether it may run: if detection finds AVX2 and nobody excluded the kernel `avx2`.
#[cfg(all(feature = "std", target_arch = "x86_64", not(target_feature = "avx2")))]
pub(crate) mod clone {
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::{Slices, plain_slices};
    use crate::{active, detect};

    #[target_feature(enable = "avx2")]
    #[inline(never)]
    pub(super) unsafe fn add_bytes(
        orthogonal: bool,
        attacks: &mut Slices,
        sliders: &Slices,
        occupied: &Slices,
    ) {
        plain_slices::add::<u8, 64>(orthogonal, attacks, sliders, occupied);
    }

    const NOT_ASKED: u8 = 0;
    const PLAIN: u8 = 1;
    const FOR_AVX2: u8 = 2;
    static CHOSEN: AtomicU8 = AtomicU8::new(NOT_ASKED);

    #[inline(always)]
    pub(super) fn is_for_avx2() -> bool {
        match CHOSEN.load(Ordering::Relaxed) {
            NOT_ASKED => first_use(),
            chosen => chosen == FOR_AVX2,
        }
    }

    /// By the environment, as the active kernel is.
    #[cold]
    #[inline(never)]
    fn first_use() -> bool {
        let chosen = by(active::is_disabled("avx2"));
        // What `choose` has stored in the meantime stands.
        let found =
            CHOSEN.compare_exchange(NOT_ASKED, chosen, Ordering::Relaxed, Ordering::Relaxed);
        found.err().unwrap_or(chosen) == FOR_AVX2
    }

    /// From now on, in all threads.
    pub(crate) fn choose(avx2_is_excluded: bool) {
        CHOSEN.store(by(avx2_is_excluded), Ordering::Relaxed);
    }

    fn by(avx2_is_excluded: bool) -> u8 {
        if detect::has("avx2") && !avx2_is_excluded {
            FOR_AVX2
        } else {
            PLAIN
        }
    }

    #[cfg(test)]
    mod tests {
        use std::process::Command;

        use super::is_for_avx2;
        use crate::{Choice, Kernels, detect};

        const CHILD: &str = "SETWISE_TEST_CHILD";

        /// In a process of its own, because the choice is made once.
        #[test]
        fn child() {
            let Ok(task) = std::env::var(CHILD) else {
                return;
            };
            let exclude: &[&str] = match &*task {
                "use" => {
                    let portable = Kernels::by_name("portable").unwrap();
                    portable.rook_attacks(&[1; 64], &[0; 64], &mut [0; 64]);
                    return println!("avx2: {}", is_for_avx2());
                }
                "exclude" => &["avx2"],
                _ => &["sse2"],
            };
            Kernels::init(Choice::default().exclude(exclude)).unwrap();
            println!("avx2: {}", is_for_avx2());
        }

        #[test]
        fn the_clone_is_chosen_as_the_kernel_avx2_is() {
            let has = detect::has("avx2");
            for (task, variables, expected) in [
                ("use", &[][..], has),
                ("use", &[("SETWISE_DISABLE", "sse2")], has),
                ("use", &[("SETWISE_DISABLE", "avx512, avx2,sse2")], false),
                ("use", &[("SETWISE_DISABLE", "avx2,no kernel")], false),
                ("include", &[], has),
                ("exclude", &[], false),
                ("include", &[("SETWISE_DISABLE", "avx2")], false),
            ] {
                let run = Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", &format!("{}::child", &module_path!()[9..])])
                    .args(["--nocapture", "--test-threads=1"])
                    .env_remove("SETWISE_FORCE_KERNEL")
                    .env_remove("SETWISE_DISABLE")
                    .env(CHILD, task)
                    .envs(variables.iter().copied())
                    .output()
                    .unwrap();
                let told = String::from_utf8_lossy(&run.stdout);
                let line = format!("avx2: {expected}\n");
                assert!(told.contains(&line), "{task} {variables:?}: {told}");
            }
        }
    }
}
