#!/usr/bin/env bash
# Runs the tests of the library, the readers of positions, the loader, the endgame tables and the
# command line as Windows programs under Wine. Builds the loader's DLL for nnue-pytorch and calls it
# from tools/windows-loader.c. Checks that these crates and the C library compile for targets on
# which nothing runs here: without `--long`, for x86-64 only the libraries for Rust and C.
#
#   tools/windows-test.sh [--long] [PACKAGE...]
#
# Rust's random numbers come from `ProcessPrng` in bcryptprimitives.dll, which Debian's Wine 8
# lacks. tools/windows-test.c replaces it.
#
# Prints "skipped: ..." for each part that it leaves out. Exit code: 1 a test failed or a target
# does not compile, 3 everything was skipped.
set -euo pipefail
long=
[ "${1:-}" != --long ] || { long=1; shift; }
packages=("$@")
. "$(dirname "$0")/common.sh"
[ ${#packages[@]} -gt 0 ] || packages=(setwise setwise-positions setwise-loader setwise-endgame setwise-cli)
selected=("${packages[@]/#/-p}")
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
ran=0

if ! tools/install.sh wine64 gcc-mingw-w64-x86-64; then
  echo "skipped: the tests under Wine: Wine and MinGW are not here"
elif ! has_target $windows; then
  echo "skipped: the tests under Wine: rustup cannot install $windows"
else
  export WINEPREFIX=$scratch/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='
  wine=/usr/lib/wine/wine64
  x86_64-w64-mingw32-gcc -O2 -Wall -Wextra -shared tools/windows-test.c -ladvapi32 \
    -o "$scratch/bcryptprimitives.dll"
  "$wine" wineboot --init 2> /dev/null
  cp --no-clobber "$scratch/bcryptprimitives.dll" "$WINEPREFIX/drive_c/windows/system32/"
  export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
  SETWISE_TEST_BUDGET=${SETWISE_TEST_BUDGET:-small} cargo test -q --no-fail-fast \
    --target $windows --target-dir "$folder" --tests "${selected[@]}"

  cargo build -q --profile test --target $windows --target-dir "$folder" -p setwise-nnue-pytorch
  cp "$folder/$windows/debug/training_data_loader.dll" "$scratch/"
  x86_64-w64-mingw32-gcc -O2 -Wall -Wextra tools/windows-loader.c \
    "$scratch/training_data_loader.dll" -o "$scratch/windows-loader.exe"
  expected=$PWD/crates/loader/nnue-pytorch/tests/expected.tsv
  (cd "$scratch" && "$wine" windows-loader.exe "Z:$expected")
  echo "$windows: tested under Wine"
  ran=1
fi

# Nothing is linked and nothing runs, so the C code of dependencies need not be compiled: this
# stands for its compiler and its archiver.
cat > "$scratch/nothing" <<'SH'
#!/bin/sh
for word; do case $word in [-/]out:*) : > "${word#?out:}" ;; esac; done
SH
chmod +x "$scratch/nothing"
for name in x86_64-pc-windows-msvc aarch64-pc-windows-msvc aarch64-apple-darwin \
  x86_64-apple-darwin aarch64-linux-android; do
  if ! has_target "$name"; then
    echo "skipped: $name: rustup cannot install it"
    continue
  fi
  checked=("${selected[@]}")
  # Only the library and the C library have code for one CPU and one system. For the others, the
  # check for ARM shows most of what a system lacks, in less time.
  case $long$name in x86_64-*) checked=(-p setwise) ;; esac
  env "CC_${name//-/_}=$scratch/nothing" "AR_${name//-/_}=$scratch/nothing" \
    cargo check -q --target "$name" --target-dir "$folder" "${checked[@]}" -p setwise-capi
  echo "$name: compiles"
  ran=1
done
[ $ran = 1 ] || cannot "there is neither Wine nor a target"
