#!/usr/bin/env bash
# Writes crates/measure/data/vector-operations.csv: vector operations per board, as counted in the
# disassembly by tools/emulate/account.py. The report draws its roofline from them. Run this again
# when kernels change.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/emulate/account.py --build x86-64 --json \
  --operations 'rook_attacks|bishop_attacks|queen_attacks|slider_attacks' > target/account.json
python3 - > crates/measure/data/vector-operations.csv <<'PYTHON'
import json
print('kernel,operation,a_board')
for row in json.load(open('target/account.json'))['kernels']:
    main = row['operation'] in ('rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks')
    if main and row['boards'] and not row['notes']:
        print(f"{row['kernel']},{row['operation']},{row['ops'] / row['boards']:.3f}")
PYTHON
wc -l crates/measure/data/vector-operations.csv >&2
