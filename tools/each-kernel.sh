#!/usr/bin/env bash
# Runs the `active::` trials of the test `runner` once for each available kernel, with that kernel
# active.
#
# Exit code: 0 all pass, 1 one fails, or fewer than three kernels are available.
set -euo pipefail
. "$(dirname "$0")/common.sh"
mapfile -t kernels < <(cargo run -q --release -- probe --json | python3 -c '
import json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if kernel["status"] == "available":
        print(kernel["name"])')
[ "${#kernels[@]}" -ge 3 ] || fail "only ${#kernels[@]} kernels are available here"
for kernel in "${kernels[@]}"; do
  echo "--- $kernel"
  SETWISE_FORCE_KERNEL=$kernel SETWISE_EXPECT_ACTIVE=$kernel SETWISE_TEST_BUDGET=tiny \
    cargo test -q --test runner -- active:: | grep -E '^(active|test result)'
done
