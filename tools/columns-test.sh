#!/usr/bin/env bash
# Builds and tests the workspace crates/columns with the profile `dev`, which optimises only
# setwise.
#
#   tools/columns-test.sh           both packages
#   tools/columns-test.sh arrow     setwise-arrow only: a minute
#   tools/columns-test.sh --long    also clippy and documentation of setwise-datafusion
#
# Prints "skipped: ..." for each part that it leaves out. Exit code: 0 all tests passed, 1 a test
# failed, 2 bad usage, 3 the dependencies cannot be fetched, or the toolchain is too old.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd crates/columns
export CARGO_INCREMENTAL=0

what=${1-}
case $what in
  '' | arrow | --long) ;;
  *) echo "columns-test.sh: $what is neither arrow nor --long" >&2; exit 2 ;;
esac
minor=$(rustc --version | sed -E 's/^rustc 1\.([0-9]+).*/\1/')
[ "$minor" -ge 89 ] || cannot "needs Rust 1.89"
if [ "$minor" -lt 94 ] && [ "$what" != arrow ]; then
  echo "skipped: setwise-datafusion, which needs Rust 1.94"
  what=arrow
fi
cargo fetch --quiet --locked || cannot "the dependencies of crates/columns cannot be fetched"

cargo fmt --check
# `-p` with one of the heavy packages would compile its dependencies again, with other features.
packages=(--workspace)
[ "$what" != arrow ] || packages=(-p setwise-arrow)
cargo test --quiet --locked "${packages[@]}" --lib --bins --tests -- --nocapture
cargo test --quiet --locked "${packages[@]}" --doc

[ "$what" = --long ] || packages=(-p setwise-arrow)
cargo clippy --quiet --locked "${packages[@]}" --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked "${packages[@]}" --no-deps
if [ -z "$what" ]; then
  echo "skipped: clippy and documentation of setwise-datafusion (tools/columns-test.sh --long)"
fi
