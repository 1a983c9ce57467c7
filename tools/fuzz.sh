#!/usr/bin/env bash
# Fuzzes the targets of fuzz/fuzz_targets in turn, starting from fuzz/seeds.
#
#   tools/fuzz.sh                     20 s in all
#   tools/fuzz.sh --long              five minutes in all
#   tools/fuzz.sh --seconds N         N seconds in all
#   tools/fuzz.sh ... TARGET...       only these targets
#
# Needs a nightly toolchain, and installs cargo-fuzz if it is missing. New inputs go to fuzz/corpus,
# failing inputs to fuzz/artifacts (git ignores both); `cargo +nightly fuzz run TARGET FILE` repeats
# a failure. Prints one line per target: executions, libFuzzer's counts of edges and features,
# inputs.
#
# Exit code: 0 no failure, 1 a failure, 2 bad usage, 3 this machine cannot fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=20
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --long) seconds=300 ;;
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    -*) echo "error: $1: see tools/fuzz.sh --help" >&2; exit 2 ;;
    *) [ -f "fuzz/fuzz_targets/$1.rs" ] && [ -d "fuzz/seeds/$1" ] || { echo "error: no target $1; targets: $(ls fuzz/seeds | xargs)" >&2; exit 2; }
       targets+=("$1") ;;
  esac
  shift
done
[[ $seconds =~ ^[0-9]+$ ]] || { echo "error: --seconds must be a number, found $seconds" >&2; exit 2; }
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz/seeds)

cannot() { echo "skipped: fuzzing: $*"; exit 3; }
rustup toolchain list 2> /dev/null | grep -q ^nightly || cannot "no nightly toolchain (rustup toolchain install nightly)"
if ! cargo fuzz --version > /dev/null 2>&1; then
  echo "installing cargo-fuzz" >&2
  cargo install --quiet --locked cargo-fuzz || cannot "cargo-fuzz cannot be installed"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo +nightly fuzz build > "$log" 2>&1 || { tail -40 "$log"; echo "error: the targets do not compile" >&2; exit 1; }

code=0
each=$((seconds / ${#targets[@]}))
for target in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$target"
  # No input may take more than half a gigabyte.
  if cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -max_total_time="$((each > 0 ? each : 1))" -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=30 -print_final_stats=1 > "$log" 2>&1; then
    last=$(grep -E '^#[0-9]+.*cov:' "$log" | tail -1)
    [ -n "$last" ] || { tail -20 "$log"; echo "error: $target: nothing ran" >&2; code=1; continue; }
    field() { sed -nE "s/.* $1: ([0-9]+).*/\1/p" <<< "$last"; }
    executed=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log")
    echo "$target: $executed executions, $(field cov) edges, $(field ft) features, $(field corp) inputs, no failure"
  else
    tail -60 "$log"
    echo "$target: FAILED"
    code=1
  fi
done
exit $code
