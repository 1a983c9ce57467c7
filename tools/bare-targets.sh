#!/usr/bin/env bash
# Builds the library for targets without a standard library and without vector registers, one of
# them without compare-and-swap. Also checks the detection code for macOS, which must call
# sysctlbyname.
#
#   tools/bare-targets.sh [TARGET...]
#
# Prints one line per target: built, FAILED, or skipped with the reason. Exit code: 1 if a build
# fails, 3 if all are skipped.
set -uo pipefail
. "$(dirname "$0")/common.sh"
targets=("$@")
[ $# -gt 0 ] || targets=(
  x86_64-unknown-none aarch64-unknown-none-softfloat thumbv6m-none-eabi x86_64-apple-darwin)
folder=$target/bare
unset RUSTC RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
export RUSTFLAGS="-D warnings"
no_std=(-q --release -p setwise --no-default-features --target-dir "$folder" --target)

# Builds the library with the features that work without std. Without these features it is the same
# code with parts left out, so it is only checked.
build() { # TARGET
  cargo check "${no_std[@]}" "$1" && cargo build "${no_std[@]}" "$1" --features lookup,techniques &&
    detects "$1"
}

detects() { # TARGET
  local library=$folder/$1/release/libsetwise.rlib tool=llvm-objdump code
  case $1 in *-apple-darwin) ;; *) return 0 ;; esac
  if ! command -v $tool > /dev/null; then
    tool=llvm-objdump-22
    tools/emulate/setup.sh "$emulators" packages ||
      { echo "$1: there is no llvm-objdump to check its code" >&2; return 3; }
  fi
  code=$($tool -t "$library" 2> /dev/null)
  grep -qw _sysctlbyname <<< "$code" ||
    { echo "$1: the library does not call sysctlbyname" >&2; return 1; }
}

failed=0 built=0
for name in "${targets[@]}"; do
  if ! has_target "$name"; then
    echo "skipped: $name: rustup cannot install it"
    continue
  fi
  build "$name"
  case $? in
    0) echo "$name: built"; built=1 ;;
    3) echo "skipped: $name: tools/emulate/setup.sh cannot install llvm-objdump" ;;
    *) echo "$name: FAILED"; failed=1 ;;
  esac
done
[ $failed -ne 0 ] || [ $built -ne 0 ] || cannot "rustup can install none of the targets"
exit $failed
