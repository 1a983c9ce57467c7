#!/usr/bin/env python3
"""Counts the alarms of `setwise bench --compare` between runs of one binary.

    tools/compare-noise.py [--pairs 10] [--load 8]     counts false alarms on a busy machine
    tools/compare-noise.py --load 0 --slow avx2=1.15   makes a kernel 1.15x slower in every second
                                                       run, on an otherwise idle machine
    tools/compare-noise.py ... --again                 compares the saved runs again

The load is --load processes: half are busy loops, half copy memory. Each run takes --seconds
(default 6) and has the settings of `--quick`. Runs are saved in target/compare-noise. Takes 3
minutes.

Exit code: 0 no false alarm and, with --slow, an alarm for the slow kernel in every pair of runs; 1
otherwise.
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')).resolve()

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument('--pairs', type=int, default=10)
parser.add_argument('--load', type=int, default=8)
parser.add_argument('--limit', default='1.10')
parser.add_argument('--slow', metavar='KERNEL=FACTOR')
parser.add_argument('--seconds', default='6')
parser.add_argument('--again', action='store_true')
options = parser.parse_args()

subprocess.run(['cargo', 'build', '--quiet', '--release', '-p', 'setwise-cli'], cwd=ROOT, check=True)
setwise = TARGET / 'release' / 'setwise'
folder = TARGET / 'compare-noise'
folder.mkdir(parents=True, exist_ok=True)


def path(pair, which):
    slow = f'-{options.slow}' if options.slow and which else ''
    return folder / f'load{options.load}{slow}-{pair}{"ab"[which]}.json'


def measure():
    loops = ['while :; do :; done', 'exec dd if=/dev/zero of=/dev/null bs=32M status=none']
    load = [subprocess.Popen(['sh', '-c', loops[i % 2]]) for i in range(options.load)]
    try:
        for pair in range(options.pairs):
            for which in range(2):
                slow = ['--slow', options.slow] if options.slow and which else []
                command = [setwise, 'bench', '--quick', '--seconds', options.seconds, '--json']
                with open(path(pair, which), 'wb') as file:
                    subprocess.run(command + slow, stdout=file, stderr=subprocess.DEVNULL,
                                   check=True)
    finally:
        for process in load:
            process.kill()
            process.wait()


if not options.again:
    measure()
found = false = 0
for pair in range(options.pairs):
    compared = subprocess.run(
        [setwise, 'bench', '--compare', path(pair, 0), path(pair, 1), '--fail-above',
         options.limit], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if compared.returncode not in (0, 1):
        sys.exit(compared.stderr)
    # Skip the notes about quick runs, and the heading.
    lines = [line for line in compared.stderr.splitlines() if ' --quick ' not in line][1:]
    is_slow = [bool(options.slow) and options.slow.split('=')[0] == line.strip().split(' ')[0].strip(':')
               for line in lines]
    found += any(is_slow)
    false += not all(is_slow)
    print(f'pair {pair + 1}: {len(lines)} alarms', *lines[:4], sep='\n    ')
if options.slow:
    print(f'{options.slow} at load {options.load}: found in {found} of {options.pairs} pairs')
print(f'load {options.load}: false alarms at {options.limit} in {false} of {options.pairs} pairs')
sys.exit(false > 0 or bool(options.slow) and found < options.pairs)
