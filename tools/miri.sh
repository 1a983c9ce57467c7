#!/usr/bin/env bash
# What the interpreter Miri can run: every operation of every kernel up to AVX2 (and GFNI) on a few boards in buffers of just their size, the
# library's own tests of detection, geometry and drawing, the functions of the C library, the reader of positions. An hour or more, most of it the runner's.
#
#   tools/miri.sh [FILTER]   of the runner, trials with this in their names
#
# It cannot run: AVX-512, XOP, pext and stores past the caches, which have inline assembly; signals, memory pages, programs
# that tests start; zstd, which is C, and so the tables of endings (that crate has no unsafe code).
#
# Exit code: 0 nothing found, 1 something was, 3 there is no Miri.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo +nightly miri --version > /dev/null 2>&1 || { echo "skipped: Miri, which is not installed (rustup component add miri --toolchain nightly)"; exit 3; }
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks ${MIRIFLAGS:-}"
case $(rustc -vV) in
  # Without assembly there is no look at the CPU: what is compiled for is there.
  *'host: x86_64'*) export RUSTFLAGS="-Ctarget-feature=+avx2,+gfni ${RUSTFLAGS:-}" ;;
esac
miri() { cargo +nightly miri test --target-dir "${CARGO_TARGET_DIR:-$PWD/target}/interpreted" "$@" || { echo "Miri: FAILED"; exit 1; }; }
miri -p setwise --test runner -- "${1:-}"
[ $# -eq 0 ] || exit 0
# (Others there take it too long.)
miri -p setwise --lib -- detect:: geometry:: drawing:: calibrate::tests::an_unknown calibrate::tests::the_sample
miri -p setwise-capi --test functions
miri -p setwise-positions --lib -- batch:: error:: fen:: placement::
echo "Miri found nothing"
