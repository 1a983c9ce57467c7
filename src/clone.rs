//! Chooses between the two loops of the kernel `portable`. The AVX2 loop runs if the CPU has AVX2
//! and the kernel `avx2` is not excluded.

use core::sync::atomic::Ordering;

use crate::kernels::any_cpu::portable::loops::{CHOSEN, FOR_AVX2, PLAIN, UNDECIDED};
use crate::{Choice, detect};

/// Chooses by the environment, unless a loop is already chosen. Called before a kernel is returned
/// to the program.
pub(crate) fn decide() {
    if CHOSEN.load(Ordering::Relaxed) == UNDECIDED {
        let decision = by(Choice::default().excludes("avx2"));
        // A concurrent `choose` wins.
        let _ = CHOSEN.compare_exchange(UNDECIDED, decision, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Sets the loop for all threads.
pub(crate) fn choose(avx2_is_excluded: bool) {
    CHOSEN.store(by(avx2_is_excluded), Ordering::Relaxed);
}

fn by(avx2_is_excluded: bool) -> u8 {
    if detect::has("avx2") && !avx2_is_excluded { FOR_AVX2 } else { PLAIN }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{CHOSEN, FOR_AVX2, Ordering};
    use crate::{Choice, Kernels, detect};

    const CHILD: &str = "SETWISE_TEST_CHILD";

    /// Each task runs in its own process, because the choice is made once per process.
    #[test]
    fn child() {
        let Ok(task) = std::env::var(CHILD) else {
            return;
        };
        let exclude = match &*task {
            "by name" => return report(Kernels::by_name("portable").is_ok()),
            "list" => return report(Kernels::available().any(|k| k.name() == "portable")),
            "force" => return report(Kernels::active().name() == "portable"),
            "list, then exclude" => {
                assert_ne!(Kernels::available().count(), 0);
                &["avx2"]
            }
            "exclude" => &["avx2"],
            _ => &["sse2"],
        };
        Kernels::init(Choice::default().exclude(exclude)).unwrap();
        report(Kernels::by_name("portable").is_ok());
    }

    fn report(found_portable: bool) {
        assert!(found_portable);
        println!("avx2: {}", CHOSEN.load(Ordering::Relaxed) == FOR_AVX2);
    }

    #[test]
    fn portable_uses_avx2_unless_the_kernel_avx2_is_excluded() {
        let has = detect::has("avx2");
        for (task, variables, expected) in [
            ("by name", &[][..], has),
            ("list", &[], has),
            ("force", &[("SETWISE_FORCE_KERNEL", "portable")], has),
            ("by name", &[("SETWISE_DISABLE", "sse2")], has),
            ("by name", &[("SETWISE_DISABLE", "avx512, avx2,sse2")], false),
            ("by name", &[("SETWISE_DISABLE", "avx2,no kernel")], false),
            ("list", &[("SETWISE_DISABLE", "avx2")], false),
            ("include", &[], has),
            ("exclude", &[], false),
            ("list, then exclude", &[], false),
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
            let output = String::from_utf8_lossy(&run.stdout);
            let line = format!("avx2: {expected}\n");
            assert!(output.contains(&line), "{task} {variables:?}: {output}");
        }
    }
}
