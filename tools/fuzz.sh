#!/usr/bin/env bash
# Runs the targets in fuzz/fuzz_targets in turn, starting from fuzz/seeds.
#
#   tools/fuzz.sh                   2 s per target: unoptimised, no sanitizer
#   tools/fuzz.sh --long            5 minutes in all, with cargo-fuzz: optimised, AddressSanitizer
#   tools/fuzz.sh ... TARGET...     only these targets
#
# --long needs a nightly toolchain; it installs cargo-fuzz if it can. Its new inputs go to
# fuzz/corpus. Failing inputs go to fuzz/artifacts; git ignores both. `cargo +nightly fuzz run
# TARGET FILE` repeats one. Prints one line per target: executions, and libFuzzer's count of
# features reached.
#
# Exit code: 0 nothing found, 1 a failure, 2 bad usage, 3 this machine cannot fuzz.
set -euo pipefail
. "$(dirname "$0")/common.sh"

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
  has_nightly ||
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
  # An explicit target keeps the instrumentation out of build scripts and macros.
  host=$(rustc -vV | sed -n 's/^host: //p')
  coverage=(-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters)
  build=(env "RUSTFLAGS=${coverage[*]}"
    cargo build --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$target/fuzz")
  run() {
    local new=$target/fuzz/corpus/$1
    mkdir -p "fuzz/artifacts/$1" "$new"
    "$target/fuzz/$host/debug/$1" "$new" "fuzz/seeds/$1" "-artifact_prefix=fuzz/artifacts/$1/" "${@:2}"
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
    reached=$(sed -nE 's/^#[0-9]+.* ft: ([0-9]+) .*/, \1 features/p' "$log")
    echo "$name: $executed executions$(tail -1 <<< "$reached"), no failure"
  else
    tail -60 "$log"
    echo "$name: FAILED"
    code=1
  fi
done
exit $code
