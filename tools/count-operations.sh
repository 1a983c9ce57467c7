#!/usr/bin/env bash
# Writes crates/measure/data/vector-operations.csv: the vector instructions per board that compute,
# as tools/emulate/account.py counts them in the disassembly. The report draws its roofline from
# them. Run it again when kernels change.
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
