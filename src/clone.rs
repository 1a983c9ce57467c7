//! Which of its two loops `portable` runs: the one for AVX2 where the kernel `avx2` could run, that is, where the CPU has AVX2 and nobody
//! excluded `avx2`.

use core::sync::atomic::Ordering;

use crate::kernels::any_cpu::portable::loops::{CHOSEN, FOR_AVX2, PLAIN, UNDECIDED};
use crate::{Choice, detect};

/// Decides by the environment, if nobody decided yet: before a table is handed out.
pub(crate) fn decide() {
    if CHOSEN.load(Ordering::Relaxed) == UNDECIDED {
        let decision = by(Choice::default().excludes("avx2"));
        // What `choose` has stored in the meantime stands.
        let _ = CHOSEN.compare_exchange(UNDECIDED, decision, Ordering::Relaxed, Ordering::Relaxed);
    }
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

    use super::{CHOSEN, FOR_AVX2, Ordering};
    use crate::{Choice, Kernels, detect};

    const CHILD: &str = "SETWISE_TEST_CHILD";

    /// In a process of its own, because the decision is made once.
    #[test]
    fn child() {
        let Ok(task) = std::env::var(CHILD) else {
            return;
        };
        let exclude = match &*task {
            "by name" => return told(Kernels::by_name("portable").is_ok()),
            "walk" => return told(Kernels::available().any(|k| k.name() == "portable")),
            "force" => return told(Kernels::active().name() == "portable"),
            "walk, then exclude" => {
                assert_ne!(Kernels::available().count(), 0);
                &["avx2"]
            }
            "exclude" => &["avx2"],
            _ => &["sse2"],
        };
        Kernels::init(Choice::default().exclude(exclude)).unwrap();
        told(Kernels::by_name("portable").is_ok());
    }

    fn told(portable_is_there: bool) {
        assert!(portable_is_there);
        println!("avx2: {}", CHOSEN.load(Ordering::Relaxed) == FOR_AVX2);
    }

    #[test]
    fn the_loop_is_chosen_as_the_kernel_avx2_is() {
        let has = detect::has("avx2");
        for (task, variables, expected) in [
            ("by name", &[][..], has),
            ("walk", &[], has),
            ("force", &[("SETWISE_FORCE_KERNEL", "portable")], has),
            ("by name", &[("SETWISE_DISABLE", "sse2")], has),
            (
                "by name",
                &[("SETWISE_DISABLE", "avx512, avx2,sse2")],
                false,
            ),
            ("by name", &[("SETWISE_DISABLE", "avx2,no kernel")], false),
            ("walk", &[("SETWISE_DISABLE", "avx2")], false),
            ("include", &[], has),
            ("exclude", &[], false),
            ("walk, then exclude", &[], false),
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
