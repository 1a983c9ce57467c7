//! Passes the compiler's version and the target's name to the crate, for the figures.

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
}
