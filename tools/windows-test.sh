#!/usr/bin/env bash
# Runs the tests of the library, the readers of positions, both loaders, the endgame tables and the
# command line as Windows programs under Wine. Also calls the loader's DLL for nnue-pytorch from
# tools/windows-loader.c.
#
#   tools/windows-test.sh [--long] [PACKAGE...]
#
# Compiles few kernels and tests them with the smallest budget, because Linux tests the instructions
# of all. Windows has another calling convention, another alignment of the stack and other files.
# Leaves out the numbers of entries that filters keep and the measurement of every kernel: they take
# minutes under Wine, and their code is the same on Linux. --long: all kernels and tests, with a
# larger budget.
#
# Rust's random numbers come from `ProcessPrng` in bcryptprimitives.dll, which Debian's Wine 8
# lacks. tools/windows-test.c replaces it.
#
# Exit code: 0 all tests passed, 1 a test failed, 3 Wine, MinGW or the target is missing.
set -euo pipefail
skipped=()
if [ "${1:-}" = --long ]; then
  shift
  export SETWISE_TEST_BUDGET=${SETWISE_TEST_BUDGET:-small}
else
  # The tests of the command line name `kogge-stone`.
  export SETWISE_TEST_BUDGET=${SETWISE_TEST_BUDGET:-tiny}
  export SETWISE_KERNELS=${SETWISE_KERNELS:-avx2,sse2,portable,kogge-stone}
  skipped=(--skip as_many_entries_are_kept --skip every_kernel_is_measured)
fi
packages=("$@")
. "$(dirname "$0")/common.sh"
[ ${#packages[@]} -gt 0 ] || packages=(setwise setwise-positions setwise-loader setwise-endgame setwise-cli)
folder=$target/windows
windows=x86_64-pc-windows-gnu
scratch=$(mktemp -d)
wine=
unset RUSTC RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
export RUSTFLAGS="-D warnings"
end() {
  [ -z "$wine" ] || "${wine%/*}/wineserver64" -k || true
  rm -rf "$scratch"
}
trap end EXIT

tools/install.sh wine64 gcc-mingw-w64-x86-64 || cannot "Wine and MinGW are not here"
has_target $windows || cannot "rustup cannot install $windows"
export WINEPREFIX=$scratch/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
wine=/usr/lib/wine/wine64
x86_64-w64-mingw32-gcc -O2 -Wall -Wextra -shared tools/windows-test.c -ladvapi32 \
  -o "$scratch/bcryptprimitives.dll"
"$wine" wineboot --init 2> /dev/null
cp --no-clobber "$scratch/bcryptprimitives.dll" "$WINEPREFIX/drive_c/windows/system32/"
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
# One command, because cargo would compile the library again for the features of fewer packages. It
# also builds the loader's DLL, which the tests of setwise-nnue-pytorch depend on.
cargo test -q --no-fail-fast --target $windows --target-dir "$folder" --tests \
  "${packages[@]/#/-p}" -p setwise-nnue-pytorch -- "${skipped[@]}"
cp "$folder/$windows/debug/deps/training_data_loader.dll" "$scratch/"
x86_64-w64-mingw32-gcc -O2 -Wall -Wextra tools/windows-loader.c \
  "$scratch/training_data_loader.dll" -o "$scratch/windows-loader.exe"
(cd "$scratch" && "$wine" windows-loader.exe)
echo "$windows: tested under Wine"
