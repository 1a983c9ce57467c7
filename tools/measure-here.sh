#!/usr/bin/env bash
# Measures this machine's CPU in full and keeps the run under docs/runs, named after the CPU: JSON, and the drawing and tables of the README.
#
#   tools/measure-here.sh [NAME]     the name of the CPU, where CPUID tells less than is known (a virtual machine's)
#
# Some five minutes. The machine should have nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --features counters,peers
setwise=${CARGO_TARGET_DIR:-target}/release/setwise
mkdir -p docs/runs
draft=$(mktemp docs/runs/.draft.XXXXXX)
trap 'rm -f "$draft"' EXIT
"$setwise" bench --techniques --threads "$(nproc)" --json > "$draft"
name=$(python3 - "$draft" "${1:-}" <<'PYTHON'
import json, re, sys
run = json.load(open(sys.argv[1]))
name = sys.argv[2]
if name:
    # What the machine calls itself stays beside it.
    run['machine']['brand'] = f"{name} ({run['machine'].get('brand', run['machine']['arch'])})"
    json.dump(run, open(sys.argv[1], 'w'), separators=(',', ':'))
else:
    json.dump(run, open(sys.argv[1], 'w'), separators=(',', ':'))
    name = run['machine'].get('brand', run['machine']['arch'])
print(re.sub(r'[^a-z0-9]+', '-', re.sub(r'\((r|tm)\)', '', name.lower())).strip('-'))
PYTHON
)
mv "$draft" "docs/runs/$name.json"
chmod 644 "docs/runs/$name.json"
tools/figures.sh "docs/runs/$name.json"
echo "docs/runs/$name.json"
