#!/usr/bin/env bash
# Runs these tests in the interpreter Miri:
#   - every operation of every kernel up to AVX2 and GFNI, on a few boards in exactly sized buffers
#   - the library's unit tests of detection, geometry and drawing
#   - the functions of the C library
#   - the position parser
# This takes an hour or more, mostly in the runner.
#
#   tools/miri.sh [FILTER]   only the runner's trials whose names contain FILTER
#
# Miri cannot run inline assembly (AVX-512, XOP, pext), signals, memory pages, child processes or C
# code. The endgame tables need C code (zstd), so they are not tested here; their crate has no
# unsafe code.
#
# Exit code: 0 nothing found, 1 an error found, 3 Miri is not installed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cargo +nightly miri --version > /dev/null 2>&1 ||
  cannot "needs Miri (rustup component add miri --toolchain nightly)"
export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks ${MIRIFLAGS:-}"
case $(rustc -vV) in
  # Miri cannot run CPUID, so only features enabled at compile time are detected.
  *'host: x86_64'*) export RUSTFLAGS="-Ctarget-feature=+avx2,+gfni ${RUSTFLAGS:-}" ;;
esac
miri() { cargo +nightly miri test --target-dir "$target/miri" "$@"; }
miri -p setwise --test runner -- "${1:-}"
[ $# -eq 0 ] || exit 0
# Run only these unit tests of the library, because the others take too long.
miri -p setwise --lib -- detect:: geometry:: drawing::
miri -p setwise-capi-functions
miri -p setwise-positions --lib -- batch:: error:: fen:: placement::
echo "Miri found nothing"
