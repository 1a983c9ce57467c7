#!/usr/bin/env bash
# The library for targets without a standard library, some of which have no vectors (x86_64-unknown-*, softfloat) or no
# compare-and-swap (thumbv6m, riscv32i) either. Of two more, whose systems have a say in the detection, the object code shows
# it: an SGX enclave has no CPUID, and macOS is asked for AVX-512.
#
#   tools/bare-targets.sh [TARGET...]
#
# One line each: built, FAILED, or skipped and why. A target that is not installed in the toolchain is built by the
# lab's compiler, for which tools/emulate/setup.sh makes its `core`. Exit code 1 if a build fails.
set -uo pipefail
cd "$(dirname "$0")/.."
targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-unknown-none x86_64-unknown-uefi aarch64-unknown-none-softfloat thumbv6m-none-eabi thumbv7em-none-eabihf riscv32i-unknown-none-elf
  x86_64-fortanix-unknown-sgx x86_64-apple-darwin)
lab=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}
folder=${CARGO_TARGET_DIR:-$PWD/target}/bare
unset RUSTC RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
export RUSTFLAGS="-D warnings"

build() { # TARGET
  cargo build -q --release -p setwise --no-default-features --target "$1" --target-dir "$folder" &&
    cargo build -q --release -p setwise --no-default-features --features lookup,switch --target "$1" --target-dir "$folder"
}

# With a `core` that is built along, for a look at the detection alone: quickly compiled.
build_and_look() { # TARGET
  RUSTC_BOOTSTRAP=1 RUSTC=$lab/bin/rustc CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    cargo build -q --release -p setwise --no-default-features --target "$1" --target-dir "$folder" -Zbuild-std=core && detects "$1"
}

detects() { # TARGET
  local library=$folder/$1/release/libsetwise.rlib tool=llvm-objdump code
  command -v $tool > /dev/null || tool=llvm-objdump-22
  case $1 in
    *-sgx)
      code=$($tool -d "$library" 2> /dev/null)
      grep -q pandn <<< "$code" || { echo "$1: there is no code to look at" >&2; return 1; }
      ! grep -wE 'cpuid|xgetbv' <<< "$code" >&2 ;;
    *-apple-darwin)
      code=$($tool -t "$library" 2> /dev/null)
      grep -qw _sysctlbyname <<< "$code" || { echo "$1: the library does not ask the system" >&2; return 1; } ;;
  esac
}

failed=0
for target in "${targets[@]}"; do
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
    with="the toolchain's compiler"
    build "$target"
  else
    with="the lab's compiler"
    case $target in
      *-sgx | *-apple-darwin) tools/emulate/setup.sh "$lab" packages rustc && build_and_look "$target" ;;
      *) tools/emulate/setup.sh "$lab" rustc "std-$target" && RUSTC=$lab/bin/rustc build "$target" ;;
    esac
  fi
  case $? in
    0) echo "$target: built by $with" ;;
    3) echo "$target: skipped, it is not installed and the lab cannot be (see above)" ;;
    *) echo "$target: FAILED with $with"; failed=1 ;;
  esac
done
exit $failed
