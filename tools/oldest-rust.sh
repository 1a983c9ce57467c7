#!/usr/bin/env bash
# Checks the workspace with the oldest supported toolchain, which rustup installs if necessary.
#
# Exit code: 0 it compiles, 1 it does not, 3 the toolchain cannot be installed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -1)
rustup toolchain install "$oldest" --profile minimal > /dev/null 2>&1 ||
  cannot "rustup cannot install Rust $oldest"
cargo "+$oldest" check --workspace --target-dir "$target/oldest-rust"
