#!/usr/bin/env bash
# Nodes a second with setwise against the same evaluation by magic look-ups, in interleaved rounds; the nodes are the same.
#
#   tools/engine-compare.sh [DEPTH] [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/../examples/engine"
target=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/engine")
cargo build --quiet --release --features magic-eval --target-dir "$target/magic"
cargo build --quiet --release --target-dir "$target"
python3 - "$target/release/setwise-engine" "$target/magic/release/setwise-engine" "${1:-6}" "${2:-31}" << 'PYTHON'
import statistics, subprocess, sys
ours, others, depth, rounds = *sys.argv[1:4], max(2, int(sys.argv[4]))
def bench(engine):
    told = dict(line.split() for line in subprocess.check_output([engine, 'bench', depth], text=True).splitlines())
    return int(told['nps']), told['signature'], told['kernel']
speeds = [(bench(ours), bench(others)) for _ in range(rounds)]
assert all(a[1] == b[1] for a, b in speeds), 'the signatures differ'
ratios = [a[0] / b[0] for a, b in speeds]
low, median, high = statistics.quantiles(ratios, n=4)
fastest = [max(pair[i][0] for pair in speeds) for i in (0, 1)]
print(f'{speeds[0][0][2]}: {fastest[0]} nodes a second, look-ups: {fastest[1]} (fastest rounds, ratio {fastest[0] / fastest[1]:.3f}); '
      f'median of the rounds\' ratios {median:.3f} ({low:.3f}-{high:.3f})')
PYTHON
