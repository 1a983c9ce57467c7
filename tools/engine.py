#!/usr/bin/env python3
"""Tests the example engine.

    tools/engine.py check               its tests, and its `bench`, which must visit the same nodes
                                        with magic look-ups and with every kernel that runs here
    tools/engine.py check --long        also on three emulated CPUs, if the emulators are installed
                                        (`tools/emulate/run.py --setup`)
    tools/engine.py play [GAMES]        4 games against itself. python-chess (pip install chess)
                                        drives both sides, and rejects illegal moves

Exit code: 0 as expected, 1 not as expected, 2 bad usage, 3 python-chess is not installed.
"""
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'tools/emulate'))
from machines import KERNELS, PORTABLE  # noqa: E402

TARGET = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')).resolve() / 'engine'
EMULATORS = Path(os.environ.get('SETWISE_EMULATE', Path.home() / '.cache/setwise-emulate'))
MANIFEST = ROOT / 'examples/engine/Cargo.toml'
BOCHS = f'{ROOT}/tools/emulate/bochs.sh --dir {EMULATORS}'
EMULATED = {'sse2': 'qemu-x86_64 -cpu core2duo', 'avx2': f'{BOCHS} corei7_haswell_4770',
            'avx512-gfni': f'{BOCHS} corei7_icelake_u'}
# Seconds of a side's clock, and what each move adds.
CLOCK, INCREMENT = 1.0, 0.02


def build(folder, *options, command='build', flags=''):
    """Returns the program's path."""
    # A blank RUSTFLAGS would displace the flags of cargo's own configuration.
    more = {'RUSTFLAGS': f"{os.environ.get('RUSTFLAGS', '')} {flags}"} if flags else {}
    subprocess.run(
        ['cargo', command, '--quiet', '--release', '--manifest-path', MANIFEST, '--target-dir',
         TARGET / folder, *options], env=os.environ | more, check=True)
    return next((TARGET / folder).glob('**/release/setwise-engine'), None)


def bench(depth, *command, kernel=''):
    """What the engine's `bench` prints, by name, or None if it cannot use the kernel. (Then it
    reports this, and chooses another.)"""
    environment = os.environ | ({'SETWISE_FORCE_KERNEL': kernel} if kernel else {})
    done = subprocess.run([*command, 'bench', str(depth)], env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, check=True)
    if done.stdout.startswith('info string'):
        return None
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines())


def check(option=''):
    build('setwise', command='test')
    ours, look_ups = build('setwise'), build('magic', '--features', 'magic-eval')
    expected = bench(5, look_ups)
    results = {kernel: bench(5, ours, kernel=kernel) for kernel in (*KERNELS, *PORTABLE)}
    print(f"look-ups: nodes {expected['nodes']}, signature {expected['signature']}")
    left_out = [kernel for kernel, result in results.items() if result is None]
    ran = len(results) - len(left_out)
    print(f"skipped: kernels that are not compiled or cannot run here: {' '.join(left_out)}")
    if option == '--long' and platform.machine() == 'x86_64':
        if shutil.which('qemu-x86_64') and (EMULATORS / 'bochs').exists():
            # The emulators need a statically linked program.
            static = build('static', '--target', 'x86_64-unknown-linux-gnu',
                           flags='-Ctarget-feature=+crt-static -Crelocation-model=static')
            results |= {f'{kernel} emulated': bench(5, *emulator.split(), static)
                        for kernel, emulator in EMULATED.items()}
        else:
            print('skipped: emulated CPUs: the emulators are not installed')
    wrong = expected['kernel'] != 'look-ups' or ran < 3
    for name, result in results.items():
        if result:
            same = [result[key] == expected[key] for key in ('nodes', 'signature')]
            right = all(same) and result['kernel'] == name.removesuffix(' emulated')
            print(f"{name}: {'the same nodes' if right else f'FAILED: {result}'}")
            wrong |= not right
    return int(wrong)


def cpu_seconds(engine):
    """An engine's CPU time. On a busy machine, elapsed time includes other programs."""
    fields = Path(f'/proc/{engine.transport.get_pid()}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def game(chess, engines, board):
    """Plays a game. Returns what is wrong, or None."""
    clocks = [CLOCK, CLOCK]
    while not board.is_game_over(claim_draw=True):
        side = int(board.turn == chess.BLACK)
        start, before, left = time.monotonic(), cpu_seconds(engines[side]), clocks[side]
        limit = chess.engine.Limit(white_clock=clocks[0], black_clock=clocks[1],
                                   white_inc=INCREMENT, black_inc=INCREMENT)
        try:
            move = engines[side].play(board, limit, game=board.root()).move
        except chess.engine.EngineError as error:  # an illegal move
            return f'{error} in {board.fen()}'
        if move is None:
            return f'no move in {board.fen()}'
        clocks[side] += INCREMENT - (time.monotonic() - start)
        if clocks[side] < 0 and cpu_seconds(engines[side]) - before > left + 0.02:
            return f'out of time by {-clocks[side]:.3f} s in {board.fen()}'
        clocks[side] = max(clocks[side], INCREMENT)
        board.push(move)
    return None


def start_position(chess, opening):
    """A board after some random moves, on which the game is not over."""
    while True:
        board = chess.Board()
        for _ in range(opening.randrange(2, 9)):
            if not board.is_game_over():
                board.push(opening.choice([*board.legal_moves]))
        if not board.is_game_over():
            return board


def play(games='4'):
    try:
        import chess.engine
    except ImportError:
        print('skipped: python-chess is not installed (pip install chess)')
        return 3
    program, opening, results = str(build('setwise')), random.Random(2026), Counter()
    start = chess.engine.SimpleEngine.popen_uci
    for _ in range(int(games)):
        board = start_position(chess, opening)
        with start(program) as white, start(program) as black:
            if wrong := game(chess, (white, black), board):
                print(f'FAILED: {wrong}')
                return 1
        results[board.result(claim_draw=True)] += 1
    print(f'{games} games without a fault: {dict(results)}')
    return 0


command, *arguments = sys.argv[1:] or ['']
commands = {'check': (check, '--long'), 'play': (play, '[1-9][0-9]*')}
run, form = commands.get(command, (None, ''))
if not run or len(arguments) > 1 or not all(re.fullmatch(form, one) for one in arguments):
    print(__doc__, file=sys.stderr)
    sys.exit(2)
sys.exit(run(*arguments))
