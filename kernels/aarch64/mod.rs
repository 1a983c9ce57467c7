//! The kernel for AArch64.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod register;

pub(super) mod neon;
