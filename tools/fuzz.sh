#!/usr/bin/env bash
# Fuzzes the targets in fuzz/fuzz_targets in turn, starting from fuzz/seeds.
#
#   tools/fuzz.sh                     20 s in all
#   tools/fuzz.sh --long              five minutes in all
#   tools/fuzz.sh --seconds N         N seconds in all
#   tools/fuzz.sh ... TARGET...       only these targets
#
# Needs a nightly toolchain; installs cargo-fuzz if it can. New inputs go to fuzz/corpus, failing
# inputs to fuzz/artifacts; git ignores both. `cargo +nightly fuzz run TARGET FILE` repeats one.
# Prints one line per target: executions, libFuzzer's counts of edges and features reached, and
# inputs kept.
#
# Exit code: 0 nothing found, 1 a failure, 2 bad usage, 3 this machine cannot fuzz.
set -euo pipefail
. "$(dirname "$0")/common.sh"

usage() { echo "fuzz.sh: $*" >&2; exit 2; }
seconds=20
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --long) seconds=300 ;;
    --seconds) seconds=${2:?--seconds takes a number}; shift ;;
    -*) usage "unknown option $1" ;;
    *)
      [ -f "fuzz/fuzz_targets/$1.rs" ] && [ -d "fuzz/seeds/$1" ] ||
        usage "no target $1; the targets are $(ls fuzz/seeds | xargs)"
      targets+=("$1") ;;
  esac
  shift
done
[[ $seconds =~ ^[0-9]+$ ]] || usage "--seconds $seconds: not a number"
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz/seeds)

has_nightly || cannot "needs a nightly toolchain (rustup toolchain install nightly)"
if ! cargo fuzz --version > /dev/null 2>&1; then
  echo "installing cargo-fuzz" >&2
  cargo install --quiet --locked cargo-fuzz || cannot "cargo-fuzz cannot be installed"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo +nightly fuzz build > "$log" 2>&1 || { tail -40 "$log"; fail "the targets do not compile"; }

code=0
each=$((seconds / ${#targets[@]}))
for name in "${targets[@]}"; do
  mkdir -p "fuzz/corpus/$name"
  # A single allocation may not exceed half a gigabyte.
  if cargo +nightly fuzz run "$name" "fuzz/corpus/$name" "fuzz/seeds/$name" -- \
    -max_total_time="$((each > 0 ? each : 1))" -rss_limit_mb=2048 -malloc_limit_mb=512 \
    -timeout=30 -print_final_stats=1 > "$log" 2>&1; then
    last=$(grep -E '^#[0-9]+.*cov:' "$log" | tail -1)
    [ -n "$last" ] || { tail -20 "$log"; echo "$name: FAILED: nothing ran"; code=1; continue; }
    field() { sed -nE "s/.* $1: ([0-9]+).*/\1/p" <<< "$last"; }
    executed=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log")
    echo "$name: $executed executions, $(field cov) edges, $(field ft) features," \
      "$(field corp) inputs, no failure"
  else
    tail -60 "$log"
    echo "$name: FAILED"
    code=1
  fi
done
exit $code
