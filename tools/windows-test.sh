#!/usr/bin/env bash
# Runs the tests of the library, the readers of positions, the loader, the endgame tables and the
# command line as Windows programs under Wine. Builds the loader's DLL for nnue-pytorch and calls it
# from tools/windows-loader.c.
#
#   tools/windows-test.sh [PACKAGE...]
#
# Rust's random numbers come from `ProcessPrng` in bcryptprimitives.dll, which Debian's Wine 8
# lacks. tools/windows-test.c replaces it.
#
# Exit code: 0 all tests passed, 1 a test failed, 3 Wine, MinGW or the target is missing.
set -euo pipefail
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
SETWISE_TEST_BUDGET=${SETWISE_TEST_BUDGET:-small} cargo test -q --no-fail-fast \
  --target $windows --target-dir "$folder" --tests "${packages[@]/#/-p}"

cargo build -q --profile test --target $windows --target-dir "$folder" -p setwise-nnue-pytorch
cp "$folder/$windows/debug/training_data_loader.dll" "$scratch/"
x86_64-w64-mingw32-gcc -O2 -Wall -Wextra tools/windows-loader.c \
  "$scratch/training_data_loader.dll" -o "$scratch/windows-loader.exe"
expected=$PWD/crates/loader/nnue-pytorch/tests/expected.tsv
(cd "$scratch" && "$wine" windows-loader.exe "Z:$expected")
echo "$windows: tested under Wine"
