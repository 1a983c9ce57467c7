#!/usr/bin/env bash
# Builds and tests crates/columns, in its profile `dev`, which optimises only this project's
# packages.
#
#   tools/columns-test.sh            all three packages: about 15 minutes of CPU time from scratch
#   tools/columns-test.sh arrow      only setwise-arrow: a minute
#   tools/columns-test.sh --long     all three, with clippy and documentation for each, 20 million
#                                    positions for the cluster, and the benchmark of setwise-arrow
#
# Prints "skipped: ..." for what was left out. Exit code: 0 passed, 1 a check failed, 2 bad usage, 3
# the dependencies cannot be fetched or the toolchain is too old.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../crates/columns"
cannot() { echo "tools/columns-test.sh: $*" >&2; exit 3; }
export CARGO_INCREMENTAL=0

what=${1-}
case $what in
  '' | arrow | --long) ;;
  *) echo "tools/columns-test.sh: expected arrow or --long, found $what" >&2; exit 2 ;;
esac
minor=$(rustc --version | sed -E 's/^rustc 1\.([0-9]+).*/\1/')
[ "$minor" -ge 89 ] || cannot "Rust 1.89 or later is required"
if [ "$minor" -lt 94 ] && [ "$what" != arrow ]; then
  echo "skipped: setwise-datafusion and setwise-cluster, which need Rust 1.94"
  what=arrow
fi
cargo fetch --quiet --locked || cannot "the dependencies cannot be fetched"

cargo fmt --check || exit 1
# Not `-p` for each package: other features of shared dependencies would compile them again.
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
  echo "skipped: clippy and documentation of setwise-datafusion and setwise-cluster, 20 million positions (tools/columns-test.sh --long)"
fi
