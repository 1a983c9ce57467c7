#!/usr/bin/env bash
# test: builds and tests the packages of this folder, in the profile `dev`, where setwise alone is optimised.
#
#   tools/columns-test.sh            all three: about 15 minutes of CPU time where nothing was built before
#   tools/columns-test.sh arrow      setwise-arrow alone: a minute
#   tools/columns-test.sh --long     all three, with clippy and documentation of all, 20 million positions for the cluster, and figures of setwise-arrow
#
# Exit code 0: all is well, 1: a test failed, 2: bad usage, 3: the dependencies cannot be had, or the toolchain is too old. What was left out is told in a
# line "skipped: ...".
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../crates/columns"
cannot() { echo "tools/columns-test.sh: $*" >&2; exit 3; }
export CARGO_INCREMENTAL=0

what=${1-}
case $what in
  '' | arrow | --long) ;;
  *) echo "tools/columns-test.sh: $what is neither arrow nor --long" >&2; exit 2 ;;
esac
minor=$(rustc --version | sed -E 's/^rustc 1\.([0-9]+).*/\1/')
[ "$minor" -ge 89 ] || cannot "needs Rust 1.89"
if [ "$minor" -lt 94 ] && [ "$what" != arrow ]; then
  echo "skipped: setwise-datafusion and setwise-cluster, which need Rust 1.94"
  what=arrow
fi
cargo fetch --quiet --locked || cannot "the dependencies cannot be fetched"

cargo fmt --check || exit 1
# `-p` for one of the heavy ones would choose other features of what they share, and compile all of it once more.
packages=(--workspace)
[ "$what" != arrow ] || packages=(-p setwise-arrow)
cargo test --quiet --locked "${packages[@]}" --lib --bins --tests -- --nocapture || exit 1
cargo test --quiet --locked "${packages[@]}" --doc || exit 1

[ "$what" = --long ] || packages=(-p setwise-arrow)
cargo clippy --quiet --locked "${packages[@]}" --all-targets -- -D warnings || exit 1
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked "${packages[@]}" --no-deps || exit 1
if [ "$what" = --long ]; then
  SETWISE_CLUSTER_ROWS=20000000 cargo test --quiet --locked --workspace --test cluster -- --nocapture || exit 1
  cargo bench --quiet --locked -p setwise-arrow || exit 1
elif [ -z "$what" ]; then
  echo "skipped: clippy and documentation of setwise-datafusion and setwise-cluster, 20 million positions (tools/columns-test.sh --long has them)"
fi
