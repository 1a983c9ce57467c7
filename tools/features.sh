#!/usr/bin/env bash
# Checks the crate with no feature and with each feature alone. Tests it without features and with a
# single kernel. Runs a program without the standard library.
set -euo pipefail
. "$(dirname "$0")/common.sh"

say() { printf '\n== %s\n' "$*"; }

features=$(cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
setwise = next(p for p in packages if p["name"] == "setwise")
print(*sorted(set(setwise["features"]) - {"default"}))')

say "no feature"
cargo check -p setwise --no-default-features
for feature in $features; do
  say "feature $feature alone"
  cargo check -p setwise --no-default-features --features "$feature"
done
say "tests without features"
# Without the examples and benchmarks. (Step clippy checks all targets with all features.)
SETWISE_TEST_BUDGET=tiny cargo test -p setwise --no-default-features --lib --tests
# `cargo test` in the workspace enables all features, because the command line needs them.
say "only chosen kernels"
chosen=(-p setwise --no-default-features --features techniques --test runner)
export SETWISE_KERNELS=kogge-stone,borrow
cargo clippy "${chosen[@]}" --lib -- -D warnings
SETWISE_TEST_BUDGET=tiny cargo test "${chosen[@]}" -- kogge-stone:: |
  grep "^exercised: kogge-stone"
unset SETWISE_KERNELS
! output=$(SETWISE_KERNELS=abacus cargo check -p setwise 2>&1) || fail "abacus is not a kernel"
grep "no kernel is called .abacus.$" <<< "$output" || fail "another error: $output"

# A program without std and without an allocator must link, run, and refer to neither.
host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
  *-linux-gnu)
    for profile in dev release; do
      say "a program without the standard library ($profile)"
      cargo build --manifest-path tests/no_std/Cargo.toml --profile $profile \
        --target-dir "$target/no_std"
      case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
      program=$target/no_std/$folder/setwise-no-std
      "$program" || fail "$program: check $? failed"
      unwanted=' (std::|alloc::|malloc|calloc|__rust_alloc|__rdl_alloc)'
      ! nm --demangle "$program" | grep -E "$unwanted" ||
        fail "the program refers to std or an allocator"
      echo "it runs, without std and without an allocator"
    done
    ;;
  *) echo "skipped: the program without std, which needs Linux with glibc; this is $host" ;;
esac
