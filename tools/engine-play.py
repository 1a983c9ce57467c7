#!/usr/bin/env python3
"""Plays games of the example engine against itself. python-chess (pip install chess) drives both
sides over UCI and rejects illegal moves.

    tools/engine-play.py [GAMES]      default: 20

Exit code: 0 every game was legal and within its time limit, 1 a game was not, 3 python-chess is not
installed.
"""
import os
import random
import subprocess
import sys
import time
from pathlib import Path

try:
    import chess
    import chess.engine
except ImportError:
    print('skipped: python-chess is not installed (pip install chess)')
    sys.exit(3)

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')).resolve() / 'engine'
CLOCK, INCREMENT = 1.0, 0.02


def cpu_seconds(engine):
    """Returns an engine's CPU time. On a busy machine, elapsed time includes other programs."""
    fields = Path(f'/proc/{engine.transport.get_pid()}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def play(white, black, opening):
    board = chess.Board()
    for _ in range(opening.randrange(2, 9)):
        board.push(opening.choice(list(board.legal_moves)))
        if board.is_game_over():
            return play(white, black, opening)
    clocks = [CLOCK, CLOCK]
    while not board.is_game_over(claim_draw=True):
        mover = 0 if board.turn else 1
        engine = (white, black)[mover]
        start, before, left = time.monotonic(), cpu_seconds(engine), clocks[mover]
        limit = chess.engine.Limit(
            white_clock=clocks[0], black_clock=clocks[1], white_inc=INCREMENT, black_inc=INCREMENT)
        # An illegal move raises an EngineError.
        result = engine.play(board, limit, game=board.root())
        clocks[mover] += INCREMENT - (time.monotonic() - start)
        if result.move is None:
            raise chess.engine.EngineError(f'no move in {board.fen()}')
        if clocks[mover] < 0 and cpu_seconds(engine) - before > left + 0.02:
            late = -clocks[mover]
            raise chess.engine.EngineError(f'out of time by {late:.3f} s in {board.fen()}')
        clocks[mover] = max(clocks[mover], INCREMENT)
        board.push(result.move)
    return board


def main():
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    manifest = ROOT / 'examples/engine/Cargo.toml'
    subprocess.run(
        ['cargo', 'build', '--quiet', '--release', '--manifest-path', manifest,
         '--target-dir', TARGET],
        check=True)
    program = str(TARGET / 'release' / 'setwise-engine')
    opening = random.Random(2026)
    results = {}
    for number in range(games):
        start = chess.engine.SimpleEngine.popen_uci
        with start(program) as white, start(program) as black:
            try:
                board = play(white, black, opening)
            except chess.engine.EngineError as error:
                print(f'FAILED: game {number + 1}: {error}')
                return 1
        result = board.result(claim_draw=True)
        results[result] = results.get(result, 0) + 1
        outcome = board.outcome(claim_draw=True).termination.name.lower()
        print(f'game {number + 1}: {result}, {outcome}, {board.ply()} plies', flush=True)
    print(f'{games} games without a fault: {results}')
    return 0


sys.exit(main())
