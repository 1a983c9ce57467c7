#!/usr/bin/env bash
# Runs the library's tests under Valgrind and a nightly compiler's sanitizers.
#
#   tools/sanitize.sh [memcheck|address|thread]...
#
# memcheck: the test targets `runner` and `threats` (smallest budget) under Valgrind, which reports
# results that depend on memory that was never written. It runs no kernel with AVX-512. address: the
# test targets `runner` (every kernel, smallest budget) and `dispatch`, the library's unit
# tests, the loader, and the loader for nnue-pytorch. thread: the test targets `runner` and
# `dispatch`, and both loaders.
#
# For ThreadSanitizer, the standard library is rebuilt from rust-src. The toolchain's own is not
# instrumented, so its locks and channels would be reported as races.
#
# Exit code: 0 nothing found, 1 an error found, 2 bad usage, 3 Valgrind or the nightly toolchain is
# missing, or rust-src for `thread`.
set -euo pipefail
. "$(dirname "$0")/common.sh"
host=$(rustc -vV | sed -n 's/^host: //p')
[ $# -gt 0 ] || set -- memcheck address thread
export SETWISE_TEST_BUDGET=tiny CARGO_PROFILE_TEST_DEBUG=line-tables-only

run() { # SANITIZER ARGUMENT...
  local sanitizer=$1
  shift
  has_nightly || cannot "needs a nightly toolchain (rustup toolchain install nightly)"
  # An explicit target keeps the sanitizer out of build scripts and macros.
  RUSTFLAGS="-Zsanitizer=$sanitizer" cargo +nightly test -q --target "$host" \
    --target-dir "$target/sanitize-$sanitizer" "$@"
}
library=(-p setwise --features lookup,techniques)

for sanitizer; do
  echo "--- $sanitizer"
  case $sanitizer in
    memcheck)
      command -v valgrind > /dev/null || tools/install.sh valgrind || cannot "needs Valgrind"
      # Valgrind does not repeat the accesses of which `kernel_runs` handles the faults.
      cargo test -q -p setwise --features lookup,techniques --test runner --test threats \
        --config "target.$host.runner = ['valgrind', '-q', '--error-exitcode=1']" \
        -- --skip active::kernel_runs ;;
    # Leak detection is off, because the runner never frees its plan.
    address)
      ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}" \
        run address "${library[@]}" --test runner --test dispatch --lib
      run address -p setwise-loader -p setwise-nnue-pytorch ;;
    thread)
      [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] ||
        cannot "ThreadSanitizer needs rust-src (rustup component add rust-src --toolchain nightly)"
      # Tests always unwind. With another panic setting in the dev profile, cargo would build a
      # second, conflicting standard library.
      export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" CARGO_PROFILE_DEV_PANIC=unwind
      run thread "${library[@]}" -Zbuild-std --test runner --test dispatch
      run thread -Zbuild-std -p setwise-loader -p setwise-nnue-pytorch --tests ;;
    *) echo "sanitize.sh: $sanitizer is none of memcheck, address, thread" >&2; exit 2 ;;
  esac
done
echo "the sanitizers found nothing"
