#!/usr/bin/env python3
"""Counts instructions per board of every x86-64 kernel and operation, and compares the counts with
tools/instructions.tsv.

    tools/instructions.py            compares, with a tolerance of 3 %
    tools/instructions.py --update   writes the table; commit it with the change that caused it

callgrind counts the kernels that it can execute, on 1,024 random boards. For the others (AVX-512,
GFNI, XOP), tools/emulate/account.py counts the vector instructions in the loop over blocks, if it
finds one. The table is valid only for the compiler named in its first line.

Exit code: 0 the counts match, 1 a count differs, 2 bad usage, 3 not possible here (no valgrind,
another compiler, not x86-64).
"""
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / 'tools' / 'instructions.tsv'
STATIC = 'avx512|avx512-gfni|avx2-gfni|xop'
TOLERANCE = 0.03


def cannot(why):
    print(f'instructions.py: {why}', file=sys.stderr)
    sys.exit(3)


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr[-3000:])
        sys.exit(f'error: {command[0]} failed')
    return done.stdout


def by_callgrind():
    """Instructions per board by (kernel, operation)."""
    run('cargo', 'build', '--quiet', '--release', '-p', 'setwise-measure',
        '--features', 'setwise/lookup,setwise/techniques', '--example', 'instructions')
    target = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target'))
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        run('valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out',
            str(target / 'release' / 'examples' / 'instructions'))
        for file in glob.glob(f'{folder}/out.*'):
            text = Path(file).read_text(encoding='utf-8')
            name = re.search(r'Client Request: (\S+)\t(\S+)\t(\d+)', text)
            total = re.search(r'^(?:totals|summary): (\d+)', text, re.M)
            if name and total:
                counts[name[1], name[2]] = int(total[1]) / int(name[3])
    return counts


def by_disassembly():
    """Vector instructions per board by (kernel, operation), if the loop over blocks was found."""
    command = [ROOT / 'tools/emulate/account.py', '--build', 'x86-64', '--kernels', STATIC, '--json']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return {}
    if done.returncode:
        sys.stderr.write(done.stderr[-3000:])
        sys.exit('error: tools/emulate/account.py failed')
    return {(row['kernel'], row['operation']): row['vector'] / row['boards']
            for row in json.loads(done.stdout)['kernels'] if row['boards'] and row['vector']}


def main():
    if sys.argv[1:] not in ([], ['--update']):
        print(__doc__, file=sys.stderr)
        return 2
    update = '--update' in sys.argv
    if platform.machine() != 'x86_64':
        cannot('needs x86-64')
    if not shutil.which('valgrind') and subprocess.call([ROOT / 'tools/install.sh', 'valgrind']):
        cannot('needs valgrind')
    compiler = run('rustc', '--version').split(' (')[0]
    head = f'# instructions per board, {compiler}: kernel, operation, how, count'
    listed = TABLE.read_text(encoding='utf-8').splitlines() if TABLE.is_file() else ['']
    if not update and listed[0] != head:
        cannot(f'the table is for another compiler, not for {compiler}')
    now = {(*key, 'callgrind'): count for key, count in by_callgrind().items()}
    now |= {(*key, 'static'): count for key, count in by_disassembly().items()}
    if update:
        rows = ['\t'.join([*key, f'{count:.2f}']) for key, count in sorted(now.items())]
        TABLE.write_text('\n'.join([head, *rows]) + '\n', encoding='utf-8')
        print(f'{len(rows)} counts written')
        return 0
    before = {tuple(row.split('\t')[:3]): float(row.split('\t')[3]) for row in listed[1:]}
    compared, wrong = 0, []
    for key, count in sorted(now.items()):
        name, old = ' '.join(key), before.get(key)
        if old is None:
            wrong.append(f'{name}: {count:.2f}, not in the table')
            continue
        compared += 1
        if abs(count - old) > TOLERANCE * old + 0.01:
            wrong.append(f'{name}: {count:.2f} instead of {old:.2f} ({count / old:.3f})')
    if missing := len(set(before) - set(now)):
        print(f'{missing} counts of the table were not measured here')
    print('\n'.join(wrong) if wrong else f'{compared} counts match the table')
    if wrong:
        print('error: if this is intended, run tools/instructions.py --update', file=sys.stderr)
    return int(bool(wrong) or not compared)


sys.exit(main())
