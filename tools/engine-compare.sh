#!/usr/bin/env bash
# Compares the nodes per second of two builds of the example engine, one with setwise and one with
# magic look-ups, in interleaved rounds. Does so for each kernel that this CPU can run, or for the
# kernels named. Both programs are compiled for any CPU of the architecture, and visit the same
# nodes.
#
#   tools/engine-compare.sh [DEPTH] [ROUNDS] [KERNEL ...]    default: 6 31, all kernels
set -euo pipefail
cd "$(dirname "$0")/../examples/engine"
target=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/engine")
cargo build --quiet --release --features magic-eval --target-dir "$target/magic"
cargo build --quiet --release --target-dir "$target"
python3 - "$target/release/setwise-engine" "$target/magic/release/setwise-engine" \
  "${1:-6}" "${2:-31}" "${@:3}" << 'PYTHON'
import os, statistics, subprocess, sys
ours, lookups, depth, rounds, *kernels = sys.argv[1:]
rounds = max(2, int(rounds))
kernels = kernels or ['avx512-gfni', 'avx512', 'avx2-gfni', 'avx2', 'neon', 'xop', 'sse2', 'ssse3',
                      'portable', 'scalar']


def bench(engine, kernel):
    """Nodes per second and the signature of all nodes; None if the kernel cannot run here."""
    environment = os.environ | {'SETWISE_FORCE_KERNEL': kernel}
    done = subprocess.run([engine, 'bench', depth], env=environment, text=True, capture_output=True)
    # The engine reports a kernel that cannot run here, and chooses another.
    if done.returncode != 0 or done.stdout.startswith('info string'):
        return None
    result = dict(line.split() for line in done.stdout.splitlines())
    return int(result['nps']), result['signature']


for kernel in kernels:
    if bench(ours, kernel) is None:
        print(f'{kernel}: not available here')
        continue
    results = [(bench(ours, kernel), bench(lookups, 'scalar')) for _ in range(rounds)]
    assert all(a[1] == b[1] for a, b in results), 'the signatures differ'
    low, median, high = statistics.quantiles((a[0] / b[0] for a, b in results), n=4)
    fastest, fastest_lookups = (max(pair[i][0] for pair in results) for i in (0, 1))
    print(f'{kernel}: {fastest} nodes per second, look-ups: {fastest_lookups} '
          f'(fastest rounds, ratio {fastest / fastest_lookups:.3f}); '
          f'median of the ratios {median:.3f} ({low:.3f}-{high:.3f})', flush=True)
PYTHON
