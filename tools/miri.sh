#!/usr/bin/env bash
# Runs what it can in the interpreter Miri: every operation of every kernel up to AVX2 (and GFNI) on
# a few boards in buffers of exactly their size; the library's own tests of detection, geometry and
# drawing; the functions of the C library; the reader of positions. An hour or more, most of it the
# runner's.
#
#   tools/miri.sh [FILTER]   only the runner's trials with this in their names
#
# Miri cannot run inline assembly (AVX-512, XOP, pext, non-temporal stores), signals, memory pages,
# child processes, and C (zstd, so the endgame tables; that crate has no unsafe code).
#
# Exit code: 0 nothing found, 1 a fault, 3 there is no Miri.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cargo +nightly miri --version > /dev/null 2>&1 ||
  cannot "needs Miri (rustup component add miri --toolchain nightly)"
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks ${MIRIFLAGS:-}"
case $(rustc -vV) in
  # CPUID is assembly: only what is compiled in is detected.
  *'host: x86_64'*) export RUSTFLAGS="-Ctarget-feature=+avx2,+gfni ${RUSTFLAGS:-}" ;;
esac
miri() { cargo +nightly miri test --target-dir "$target/miri" "$@"; }
miri -p setwise --test runner -- "${1:-}"
[ $# -eq 0 ] || exit 0
# (The library's other tests take too long.)
miri -p setwise --lib -- detect:: geometry:: drawing:: calibrate::tests::the_error \
  calibrate::tests::the_sample
miri -p setwise-capi-functions
miri -p setwise-positions --lib -- batch:: error:: fen:: placement::
echo "Miri found nothing"
