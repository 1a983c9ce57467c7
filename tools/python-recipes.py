#!/usr/bin/env python3
"""Runs the programs in docs/recipes.md, and checks that they all print the same number, and those
of legal moves what python-chess computes.

Also runs the program in docs/data.md that reads files of `setwise attacks` with pandas and Polars,
and checks that all its tables have the same sets. Runs the program in docs/training.md that
trains a network with PyTorch for a minute, and checks that the loss falls. Runs the Python
package's tests that need PyTorch.

    tools/python-recipes.py [SECTION...]    only these sections, such as DuckDB; `Reading` is the
                                            program in docs/data.md, `PyTorch` is the one in
                                            docs/training.md

PyTorch needs SETWISE_BINPACK, a folder with `sample.binpack`.

Needs a wheel in crates/python/target/wheels (tools/python-test.sh leaves one there), and packages
from PyPI. If pip cannot install those of a section, the section is skipped and a line says so.

Exit code: 0 no program failed, 1 a program failed or printed another number, 2 bad usage, 3 no
section could run.
"""
import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs/recipes.md'
READING = ROOT / 'docs/data.md'
TRAINING = ROOT / 'docs/training.md'
TARGET = ROOT / 'crates/python/target'
PYTHON = TARGET / 'recipes/bin/python'
#: The packages that pip installs for each section, in the order in which it tries.
PACKAGES = {
    'Reading': [['pandas', 'polars']],
    'Files of positions': [['duckdb']],
    'pandas': [['pandas']],
    'Polars': [['polars']],
    'DuckDB': [['duckdb']],
    'Mates': [['polars', 'chess']],
    'Masks of a policy network': [['chess']],
    # Without CUDA if pip reaches the index that has it.
    'PyTorch': [['torch', '--index-url', 'https://download.pytorch.org/whl/cpu'], ['torch']],
}


def cannot(reason):
    print(f'python-recipes.py: {reason}', file=sys.stderr)
    sys.exit(3)


def install(packages):
    """Returns whether the packages are installed."""
    command = [PYTHON, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', *packages]
    return subprocess.run(command, stdout=sys.stderr).returncode == 0


def programs():
    """The Python program of each section of the page."""
    sections = re.split(r'^## (.+)\n', PAGE.read_text(encoding='utf-8'), flags=re.M)[1:]
    return {
        name: '\n'.join(re.findall(r'^```python\n(.*?)^```', text, re.M | re.S))
        for name, text in zip(sections[::2], sections[1::2])
    }


def setwise(program, folder):
    """Runs the commands that a program's comments name, and returns how many there are."""
    commands = re.findall(r'^# setwise (attacks .*)$', program, re.M)
    if commands:
        subprocess.run(['cargo', 'build', '--release', '--quiet', '--locked', '-p', 'setwise-cli'],
                       check=True, cwd=ROOT)
    target = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
    for command in commands:
        subprocess.run([target / 'release/setwise', *command.split()], check=True, cwd=folder)
    return len(commands)


def run(program, folder, *arguments):
    """Runs a program. Returns the words that it prints, or None if it fails."""
    path = folder / 'program.py'
    path.write_text(program, encoding='utf-8')
    try:
        result = subprocess.run([PYTHON, path, *arguments], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=900)
    except subprocess.TimeoutExpired:
        print('stopped after 900 s')
        return None
    print(result.stderr, end='')
    if result.returncode:
        return None
    return result.stdout.split()


def read_back(folder):
    """Runs the program that reads files of `setwise attacks`. Returns what is wrong, or None."""
    text = READING.read_text(encoding='utf-8')
    (program,) = re.findall(r'^```python\n(import pandas as pd.*?)^```', text, re.M | re.S)
    commands = setwise(program, folder)
    # Each statement that is an expression is a table: pass it to `show`.
    lines = ast.parse(program).body
    shown = [f'show({ast.unparse(line)})' if isinstance(line, ast.Expr) else ast.unparse(line)
             for line in lines]
    printed = run('\n'.join([SHOW, *shown]), folder)
    expected = 1 + sum(isinstance(line, ast.Expr) for line in lines)
    if commands != 3 or not printed or len(printed) != expected:
        return f'{commands} commands wrote files, and the program printed {printed}'
    # All lines must equal the first one, which is of hex.csv, read without pandas and Polars.
    return None if len(set(printed)) == 1 else f'it printed {printed}'


#: Defines `show`, which prints the type, number and checksum of a table's sets. Calls it for
#: hex.csv, read without pandas and Polars.
SHOW = '''
import csv, zlib
import numpy

def show(table):
    column = table["slider_attacks"]
    sets = column.to_numpy()
    print(f"{sets.dtype}:{len(sets)}:{zlib.crc32(sets.tobytes()):08x}")

with open("hex.csv", newline="") as file:
    sets = [int(row["slider_attacks"], 16) for row in csv.DictReader(file)]
show({"slider_attacks": type("", (), {"to_numpy": lambda _: numpy.array(sets, "uint64")})()})
'''


#: What is appended to programs of legal moves. It checks their results with python-chess, whose
#: code only this test uses.
CHECKS = {
    'Mates': '''
import chess
assert 0 < len(mates) == sum(chess.Board(fen).is_checkmate() for fen in frame["fen"])
''',
    'Masks of a policy network': '''
import time
import chess

def slow(fens):
    squares, lc0 = np.zeros((len(fens), 64 * 64), bool), np.zeros((len(fens), 1858), bool)
    for i, fen in enumerate(fens):
        board = chess.Board(fen, chess960=True)
        for move in board.legal_moves:
            promotion = {None: 0, 2: 1, 3: 2, 4: 3, 5: 4}[move.promotion] << 12
            squares[i, move.from_square | move.to_square << 6] = True
            flip = 0 if board.turn else 56
            lc0[i, NUMBERS[(move.from_square ^ flip) | (move.to_square ^ flip) << 6 | promotion]] = True
    return squares, lc0

def seconds(call, argument, samples):
    best = float("inf")
    for _ in range(samples):
        start = time.perf_counter()
        result = call(argument)
        best = min(best, time.perf_counter() - start)
    return best, result

few = fens[:2000]
positions = setwise.from_fen(few)
fast, right = seconds(slow, few, 1), masks(positions)
assert all((a == b).all() for a, b in zip(fast[1], right))
took = seconds(masks, positions, 20)[0]
parsed = seconds(lambda fens: masks(setwise.from_fen(fens)), few, 20)[0]
lists = seconds(setwise.legal_moves, positions, 20)[0]
each = 1e9 / len(few)
print(f"ns a position: both masks {took * each:.0f}, with from_fen {parsed * each:.0f}, of which "
      f"legal_moves {lists * each:.0f}; python-chess {fast[0] * each:.0f}", file=__import__("sys").stderr)
''',
}


def train(folder, sample):
    """Runs the program that trains a network. Returns what is wrong, or None."""
    text = TRAINING.read_text(encoding='utf-8')
    # The other program needs no PyTorch: the Python package's tests run it.
    program, _ = re.findall(r'^```python\n(.*?)^```', text, re.M | re.S)
    printed = run(program, folder, sample)
    if not printed:
        return 'no loss'
    print('PyTorch:', *printed)
    losses = [float(word) for word in printed[1:11]]
    if not losses[-1] < 0.9 * losses[0]:
        return 'the loss did not fall'
    tests = ROOT / 'crates/python/tests/test_torch.py'
    if not install(['pytest', 'chess']):
        return 'pip cannot install pytest and chess'
    command = [PYTHON, '-m', 'pytest', '-q', '-c', ROOT / 'crates/python/pyproject.toml', tests]
    return 'a test failed' if subprocess.run(command).returncode else None


def main():
    found = programs()
    if {*found, 'Reading', 'PyTorch'} != {'Data', *PACKAGES}:
        sys.exit(f'python-recipes.py: the sections of {PAGE.name} are {", ".join(found)}')
    sections = sys.argv[1:] or [*PACKAGES]
    if unknown := set(sections) - set(PACKAGES):
        print(f'python-recipes.py: no such section: {", ".join(unknown)}', file=sys.stderr)
        sys.exit(2)
    wheels = [*(TARGET / 'wheels').glob('*.whl')]
    if len(wheels) != 1:
        cannot('needs a wheel: run tools/python-test.sh first')
    if not PYTHON.exists() and subprocess.run(
            [sys.executable, '-m', 'venv', TARGET / 'recipes']).returncode:
        cannot('python3 -m venv fails (on Debian: apt-get install python3-venv)')
    if not (install(['numpy', 'pyarrow'])
            and install(['--no-deps', '--force-reinstall', str(wheels[0])])):
        cannot('pip cannot install the packages')

    failed, ran = [], 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        known = (ROOT / 'tests/positions/known.epd').read_text(encoding='utf-8').splitlines()
        lines = [line for line in known if line and not line.startswith('#')] * 500
        lines.append('rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3')  # mate
        (folder / 'positions.epd').write_text('\n'.join([*lines, 'not a position\n']))
        games = ROOT / 'crates/python/tests/games.binpack'
        (folder / 'games.binpack').write_bytes(games.read_bytes())
        data = run(found['Data'], folder)
        if not data or int(data[0]) == 0:
            sys.exit('python-recipes.py: the program of the section Data failed')
        print(f'Data: {len(lines)} positions, {data[0]} attacked squares')
        sample = Path(os.environ.get('SETWISE_BINPACK', '')) / 'sample.binpack'
        for section in sections:
            if section == 'PyTorch' and not sample.is_file():
                print('skipped: PyTorch: SETWISE_BINPACK is not a folder with sample.binpack',
                      flush=True)
                continue
            if not any(map(install, PACKAGES[section])):
                print(f'skipped: {section}: pip cannot install its packages', flush=True)
                continue
            if section == 'Reading':
                (folder / 'positions.epd').write_text('\n'.join(lines))
                wrong = read_back(folder)
            elif section == 'PyTorch':
                wrong = train(folder, sample.resolve())
            else:
                setwise(found[section], folder)
                printed = run(found[section] + CHECKS.get(section, ''), folder)
                right = printed and (section in CHECKS or set(printed) == set(data))
                wrong = None if right else f'it printed {printed}'
            ran += 1
            print(f'{section}: {f"FAILED, {wrong}" if wrong else "ok"}', flush=True)
            failed += [section] if wrong else []
    if failed:
        sys.exit(f'python-recipes.py: failed: {", ".join(failed)}')
    if not ran:
        cannot('no section could run')


main()
