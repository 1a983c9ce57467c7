#!/usr/bin/env bash
# Runs the targets in fuzz/fuzz_targets in turn, starting from fuzz/seeds.
#
#   tools/fuzz.sh                   2 s per target: blind mutations of the seeds, no sanitizer
#   tools/fuzz.sh --long            5 minutes in all, with cargo-fuzz: coverage, AddressSanitizer
#   tools/fuzz.sh ... TARGET...     only these targets
#
# --long needs a nightly toolchain; it installs cargo-fuzz if it can. New inputs go to fuzz/corpus,
# failing inputs to fuzz/artifacts; git ignores both. `cargo +nightly fuzz run TARGET FILE` repeats
# one. Prints one line per target: executions and, with --long, libFuzzer's counts of edges and
# features reached.
#
# Exit code: 0 nothing found, 1 a failure, 2 bad usage, 3 this machine cannot fuzz.
set -euo pipefail
. "$(dirname "$0")/common.sh"

usage() { echo "fuzz.sh: $*" >&2; exit 2; }
long=
targets=()
for argument; do
  case $argument in
    --long) long=1 ;;
    -*) usage "unknown option $argument" ;;
    *)
      [ -d "fuzz/seeds/$argument" ] ||
        usage "no target $argument; the targets are $(ls fuzz/seeds | xargs)"
      targets+=("$argument") ;;
  esac
done
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz/seeds)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ "$long" ]; then
  rustup toolchain list 2> /dev/null | grep -q ^nightly ||
    cannot "needs a nightly toolchain (rustup toolchain install nightly)"
  if ! cargo fuzz --version > /dev/null 2>&1; then
    echo "installing cargo-fuzz" >&2
    cargo install --quiet --locked cargo-fuzz || cannot "cargo-fuzz cannot be installed"
  fi
  seconds=$((300 / ${#targets[@]}))
  build=(cargo +nightly fuzz build)
  run() { mkdir -p "fuzz/corpus/$1"; cargo +nightly fuzz run "$1" "fuzz/corpus/$1" "fuzz/seeds/$1" -- "${@:2}"; }
else
  seconds=2
  build=(cargo build --manifest-path fuzz/Cargo.toml --target-dir "$target/fuzz")
  # Without instrumentation, libFuzzer would drop seeds that reach nothing new.
  run() {
    mkdir -p "fuzz/artifacts/$1"
    "$target/fuzz/debug/$1" "fuzz/seeds/$1" -keep_seed=1 "-artifact_prefix=fuzz/artifacts/$1/" "${@:2}"
  }
fi
"${build[@]}" > "$log" 2>&1 || { tail -40 "$log"; fail "the targets do not compile"; }

code=0
for name in "${targets[@]}"; do
  # A single allocation may not exceed half a gigabyte.
  limits=(-rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=30)
  if run "$name" "${limits[@]}" -max_total_time=$seconds -print_final_stats=1 > "$log" 2>&1; then
    executed=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log")
    [ "${executed:-0}" -gt "$(ls "fuzz/seeds/$name" | wc -l)" ] ||
      { tail -20 "$log"; echo "$name: FAILED: only the seeds ran"; code=1; continue; }
    reached=$(sed -nE 's/^#[0-9]+.* cov: ([0-9]+) ft: ([0-9]+) .*/, \1 edges, \2 features/p' "$log")
    echo "$name: $executed executions$(tail -1 <<< "$reached"), no failure"
  else
    tail -60 "$log"
    echo "$name: FAILED"
    code=1
  fi
done
exit $code
