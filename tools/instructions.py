#!/usr/bin/env python3
"""Counts the instructions a board of every x86-64 kernel and operation, and compares them with tools/instructions.tsv.

    tools/instructions.py            compares; more than 3 % of difference either way is told
    tools/instructions.py --update   writes the table (an intended change belongs into the same commit)

By callgrind, which executes 1,024 random boards by each kernel that it knows; of what it does not know (AVX-512, GFNI, XOP) the vector instructions a board
of the block's loop, by `tools/emulate/account.py`, where that finds a loop. Another compiler makes other code: the table names the one it holds for.

Exit code: 0 as the table says, 1 differs, 2 bad usage, 3 it cannot be counted here (no valgrind, another compiler, not x86-64).
"""
import glob
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / 'tools' / 'instructions.tsv'
STATIC = 'avx512bw|avx512|avx2-gfni|xop'
TOLERANCE = 0.03


def cannot(why):
    print(f'skipped: instruction counts: {why}')
    sys.exit(3)


def run(*command, **more):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.stderr.write(done.stderr[-3000:])
        sys.exit(f'error: {command[0]} failed')
    return done.stdout


def by_callgrind():
    """Instructions a board by (kernel, operation)."""
    run('cargo', 'build', '--quiet', '--release', '-p', 'setwise-measure', '--example', 'instructions')
    target = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target'))
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        run('valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out', str(target / 'release' / 'examples' / 'instructions'))
        for file in glob.glob(f'{folder}/out.*'):
            text = Path(file).read_text(encoding='utf-8')
            name = re.search(r'Client Request: (\S+)\t(\S+)\t(\d+)', text)
            total = re.search(r'^(?:totals|summary): (\d+)', text, re.M)
            if name and total:
                counts[name[1], name[2]] = int(total[1]) / int(name[3])
    return counts


def by_account():
    """Vector instructions a board of the loops that it finds."""
    done = subprocess.run([ROOT / 'tools/emulate/account.py', '--build', 'x86-64', '--kernels', STATIC, '--json'], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return {}
    if done.returncode:
        sys.stderr.write(done.stderr[-3000:])
        sys.exit('error: tools/emulate/account.py failed')
    return {(row['kernel'], row['operation']): row['vector'] / row['boards'] for row in json.loads(done.stdout)['kernels']
            if row['boards'] and row['vector']}


def main():
    if sys.argv[1:] not in ([], ['--update']):
        print(__doc__, file=sys.stderr)
        return 2
    if platform.machine() != 'x86_64':
        cannot('this is no x86-64')
    if subprocess.run(['sh', '-c', 'command -v valgrind'], capture_output=True, check=False).returncode:
        installed = subprocess.run(['apt-get', 'install', '-y', '-q', 'valgrind'], capture_output=True, check=False)
        if installed.returncode:
            cannot('there is no valgrind, and it cannot be installed')
    compiler = run('rustc', '--version').split(' (')[0]
    head = f'# instructions a board, {compiler}: kernel, operation, how, count'
    listed = TABLE.read_text(encoding='utf-8').splitlines() if TABLE.is_file() else ['']
    if '--update' not in sys.argv and listed[0] != head:
        cannot(f'the table is of another compiler than {compiler}')
    now = {(*key, 'callgrind'): count for key, count in by_callgrind().items()}
    now |= {(*key, 'static'): count for key, count in by_account().items()}
    if '--update' in sys.argv:
        rows = [f'{kernel}\t{operation}\t{how}\t{count:.2f}' for (kernel, operation, how), count in sorted(now.items())]
        TABLE.write_text('\n'.join([head, *rows]) + '\n', encoding='utf-8')
        print(f'{len(rows)} counts written')
        return 0
    before = {tuple(row.split('\t')[:3]): float(row.split('\t')[3]) for row in listed[1:]}
    compared, wrong = 0, []
    for key, count in sorted(now.items()):
        if key not in before:
            wrong.append(f'{" ".join(key)}: {count:.2f}, not in the table')
            continue
        compared += 1
        if abs(count - before[key]) > TOLERANCE * before[key] + 0.01:
            wrong.append(f'{" ".join(key)}: {count:.2f} instead of {before[key]:.2f} ({count / before[key]:.3f})')
    if missing := len(set(before) - set(now)):
        print(f'not counted here: {missing} of the table')
    print('\n'.join(wrong) if wrong else f'{compared} counts are as in the table')
    if wrong:
        print('error: if that is meant: tools/instructions.py --update', file=sys.stderr)
    return int(bool(wrong) or not compared)


sys.exit(main())
