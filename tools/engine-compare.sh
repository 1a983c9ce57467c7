#!/usr/bin/env bash
# Compares the example engine's nodes per second with setwise and with magic look-ups, in
# interleaved rounds. Both visit the same nodes.
#
#   tools/engine-compare.sh [DEPTH] [ROUNDS]    default: 6 31
set -euo pipefail
cd "$(dirname "$0")/../examples/engine"
target=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/engine")
cargo build --quiet --release --features magic-eval --target-dir "$target/magic"
cargo build --quiet --release --target-dir "$target"
ours=$target/release/setwise-engine
lookups=$target/magic/release/setwise-engine
python3 - "$ours" "$lookups" "${1:-6}" "${2:-31}" << 'PYTHON'
import statistics, subprocess, sys
ours, lookups, depth = sys.argv[1:4]
rounds = max(2, int(sys.argv[4]))


def bench(engine):
    output = subprocess.check_output([engine, 'bench', depth], text=True)
    result = dict(line.split() for line in output.splitlines())
    return int(result['nps']), result['signature'], result['kernel']


results = [(bench(ours), bench(lookups)) for _ in range(rounds)]
assert all(a[1] == b[1] for a, b in results), 'the signatures differ'
ratios = [a[0] / b[0] for a, b in results]
low, median, high = statistics.quantiles(ratios, n=4)
fastest, fastest_lookups = (max(pair[i][0] for pair in results) for i in (0, 1))
print(f'{results[0][0][2]}: {fastest} nodes per second, look-ups: {fastest_lookups} '
      f'(fastest rounds, ratio {fastest / fastest_lookups:.3f}); '
      f'median of the ratios {median:.3f} ({low:.3f}-{high:.3f})')
PYTHON
