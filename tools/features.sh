#!/usr/bin/env bash
# The crate with every set of features, and without the standard library.
#
#   tools/features.sh            checks, tests and the program without std
#   tools/features.sh --check    without running the test suite
#
# Exit code 0 if all is well. Everything goes to cargo's target directory.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}

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
say "all features"
cargo check -p setwise --all-features --all-targets

if [ "${1:-}" != --check ]; then
    say "tests without features"
    cargo test -p setwise --no-default-features
    # `cargo test` of the workspace has all features, because the command line has.
fi

# A program that has no std and no allocator must link, run, and refer to neither.
host=$(rustc -vV | sed -n 's/^host: //p')
case $host in
*-linux-gnu)
    for profile in dev release; do
        say "a program without the standard library ($profile)"
        cargo build --manifest-path tests/no_std/Cargo.toml --profile $profile \
            --target-dir "$target/no_std"
        case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
        program=$target/no_std/$folder/setwise-no-std
        "$program" || { echo "error: $program: check $? failed" >&2; exit 1; }
        if nm --demangle "$program" | grep -E ' (std::|alloc::|malloc|calloc|__rust_alloc|__rdl_alloc)'; then
            echo "error: the program refers to std or an allocator" >&2
            exit 1
        fi
        echo "it runs, without std and without an allocator"
    done
    ;;
*) echo "skipped: the program without std is for Linux with glibc, this is $host" ;;
esac

say "all feature sets are fine"
