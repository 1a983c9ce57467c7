#!/usr/bin/env bash
# Runs the full benchmark on this CPU, which takes about five minutes on an idle machine. Writes the
# run's summary to docs/runs, named after the CPU. Updates the documentation's table of CPUs.
#
#   tools/measure-here.sh [NAME [OPTION...]]    the CPU's name, if CPUID hides it (in virtual
#                                               machines), and options of `setwise bench`
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release
setwise=${CARGO_TARGET_DIR:-target}/release/setwise
run=$(mktemp)
trap 'rm -f "$run"' EXIT
"$setwise" bench --techniques --json "${@:2}" > "$run"
name=$(python3 - "$run" "${1:-}" <<'PYTHON'
import json, re, sys
path, name = sys.argv[1:]
run = json.load(open(path))
brand = run['machine'].get('brand') or run['machine']['arch']
if name:
    run['machine']['brand'] = name if brand in name else f'{name} ({brand})'
    json.dump(run, open(path, 'w'))
print(re.sub(r'[^a-z0-9]+', '-', re.sub(r'\((r|tm)\)', '', (name or brand).lower())).strip('-'))
PYTHON
)
"$setwise" bench --compare "$run" --summary > "docs/runs/$name.json"
tools/figures.sh
echo "docs/runs/$name.json"
