#!/usr/bin/env bash
# The tests of the library under a nightly compiler's sanitizers.
#
#   tools/sanitize.sh [address|thread]...
#
# address: the runner on every kernel, smallest budget, the choice of a kernel, and the library's own tests. thread: the runner, that choice and `par`.
#
# Under ThreadSanitizer the standard library is built anew (rust-src): as the toolchain has it, what its locks and channels hand over looks like races.
#
# Exit code: 0 nothing found, 1 something was, 2 bad usage, 3 there is no nightly toolchain, or no rust-src for thread.
set -euo pipefail
cd "$(dirname "$0")/.."
rustup toolchain list 2> /dev/null | grep -q ^nightly || { echo "skipped: sanitizers: there is no nightly toolchain"; exit 3; }
host=$(rustc +nightly -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- address thread
export SETWISE_TEST_BUDGET=tiny CARGO_PROFILE_TEST_DEBUG=line-tables-only

run() { # SANITIZER ARGUMENT...
  local sanitizer=$1
  shift
  # With a target of its own name, so that build scripts and macros go without.
  RUSTFLAGS="-Zsanitizer=$sanitizer" cargo +nightly test -q -p setwise --features rayon,avx512bw,lookup,switch \
    --target "$host" --target-dir "${CARGO_TARGET_DIR:-$PWD/target}/sanitize-$sanitizer" "$@"
}

skipped=
for sanitizer; do
  echo "--- $sanitizer"
  case $sanitizer in
    # (The runner leaves its plan to the end of the process.)
    address) ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}" run address --test runner --test dispatch --lib ;;
    thread)
      if [ ! -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ]; then
        echo "skipped: ThreadSanitizer: there is no source of the standard library (rustup component add rust-src --toolchain nightly)"
        skipped=yes
        continue
      fi
      # Tests unwind; with another setting for the rest, the standard library would be built twice, and clash.
      TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" CARGO_PROFILE_DEV_PANIC=unwind \
        run thread -Zbuild-std --test runner --test dispatch --test par
      ;;
    *) echo "error: $sanitizer: it is address or thread" >&2; exit 2 ;;
  esac || { echo "$sanitizer: FAILED"; exit 1; }
done
[ ! "$skipped" ] || exit 3
echo "no sanitizer found anything"
