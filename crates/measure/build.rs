//! Passes the compiler's version and the target's name to the crate, for the figures. Sets
//! `has_counters` if hardware counters are compiled in.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").expect("set by cargo");
    let version = Command::new(rustc).arg("--version").output();
    let version = version.expect("the compiler runs").stdout;
    let version = String::from_utf8_lossy(&version);
    println!("cargo::rustc-env=SETWISE_BENCH_RUSTC={}", version.trim());
    let target = std::env::var("TARGET").expect("set by cargo");
    println!("cargo::rustc-env=SETWISE_BENCH_TARGET={target}");
    println!("cargo::rustc-check-cfg=cfg(has_counters)");
    let wanted = std::env::var_os("CARGO_FEATURE_COUNTERS").is_some();
    let cfg = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).expect("set by cargo");
    // As in Cargo.toml: the architectures that perf-event2 has bindings for.
    let known = ["x86_64", "aarch64", "riscv64"].contains(&&*cfg("ARCH"));
    if wanted && known && cfg("OS") == "linux" {
        println!("cargo::rustc-cfg=has_counters");
    }
}
