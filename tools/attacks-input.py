#!/usr/bin/env python3
"""Times `setwise attacks FILE --output FILE.npy` on plain and on compressed EPD.

tools/attacks-input.py [FILE.epd]    default: tests/positions/known.epd

Repeats the file's lines until there are 1.66 million. For comparison, also times `wc`, `zcat` and
`zstdcat` on the same input. Every time is the fastest of seven interleaved runs. Needs gzip and
zstd.
"""
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
LINES = 1_660_000


def run(command, folder):
    """Runs a command. Returns its elapsed time and its CPU time, in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    elapsed, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    for program in 'gzip', 'zstd':
        if not shutil.which(program):
            print(f'attacks-input.py: needs {program}')
            return 3
    source = Path(sys.argv[1]) if sys.argv[1:] else ROOT / 'tests/positions/known.epd'
    subprocess.run(['cargo', 'build', '--release', '--quiet', '-p', 'setwise-cli'], check=True,
                   cwd=ROOT)
    memory = Path('/dev/shm')
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        lines = source.read_bytes().splitlines(keepends=True)
        with open(f'{folder}/x.epd', 'wb') as file:
            file.writelines(itertools.islice(itertools.cycle(lines), LINES))
        for program in 'gzip', 'zstd':
            subprocess.run([program, '-q', '-k', 'x.epd'], check=True, cwd=folder)
        commands = {' '.join(command): command for command in (
            ['wc', 'x.epd'], ['zcat', 'x.epd.gz'], ['zstdcat', 'x.epd.zst'])}
        for name, threads in itertools.product(('x.epd', 'x.epd.gz', 'x.epd.zst'), '12'):
            commands[f'attacks {name} --threads {threads}'] = [
                TARGET / 'release/setwise', 'attacks', name, '--threads', threads, '--output',
                'x.npy']
        times = {name: [] for name in commands}
        for _ in range(7):
            for name, command in commands.items():
                times[name].append(run(command, folder))
        print(f"{'command':<32}{'elapsed':>10}{'CPU':>10}")
        for name, pairs in times.items():
            elapsed, cpu = map(min, zip(*pairs))
            print(f'{name:<32}{elapsed:>8.3f} s{cpu:>8.3f} s')
    return 0


sys.exit(main())
