#!/usr/bin/env python3
"""Times calls from Python, and compares them with python-chess, or with the same calls from Rust.

    tools/python-test.sh && crates/python/target/venv/bin/python crates/python/bench.py

Every time is the fastest of many interleaved samples. (`.ci/run` builds a wheel with few
optimisations, which is not what users get.)
"""

import ctypes
import pathlib
import random
import sys
import time

import chess
import numpy as np
import polars as pl
import pyarrow as pa

import setwise
import setwise.polars as sp

POSITIONS = 10_000
MILLION = 1_000_000
sys.path.append(str(pathlib.Path(__file__).parent / "tests"))


def seconds(calls, call, *arguments):
    """The average time of a call in seconds, measured in a loop of `calls` calls."""
    loop = range(calls)
    started = time.perf_counter()
    for _ in loop:
        call(*arguments)
    return (time.perf_counter() - started) / calls


def fastest(samples, **contenders):
    """The fastest of `samples` times for each contender. Contenders are sampled in turn."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(samples):
        for name, contender in contenders.items():
            best[name] = min(best[name], contender())
    return best


def boards(count):
    source = np.random.default_rng(1)
    queens = np.uint64(1) << source.integers(0, 64, count, np.uint64)
    words = source.integers(0, 2**64, (2, count), np.uint64)
    return queens, words[0] & words[1]


def measure_batch(count):
    """Prints a row of the table: calls on batches of `count` boards."""
    queens, occupied = boards(count)
    out = np.empty_like(queens)
    calls = max(1, 2_000_000 // (count + 500))
    few = max(1, calls // 20)
    arrow = pa.array(queens), pa.array(occupied)
    nulls = pa.array(queens, mask=np.arange(count) % 10 == 0)
    frame = pl.DataFrame({"queens": queens, "occupied": occupied})
    expression = sp.queen_attacks("queens", "occupied")
    call = setwise.queen_attacks
    best = fastest(
        40,
        out=lambda: seconds(calls, call, queens, occupied, out),
        new=lambda: seconds(calls, call, queens, occupied),
        arrow=lambda: seconds(few, call, *arrow),
        nulls=lambda: seconds(few, call, nulls, arrow[1]),
        polars=lambda: seconds(few, frame.select, expression),
    )
    times = " ".join(f"{value * 1e6:9.4g}" for value in best.values())
    print(f"{count:9} {times}")


def random_games():
    """Positions from random games, as python-chess boards."""
    source, games = random.Random(1), []
    while len(games) < POSITIONS:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 250 and len(games) < POSITIONS:
            board.push(source.choice(list(board.legal_moves)))
            games.append(board.copy(stack=False))
    return games


def attack_by_chess(games):
    """Computes both sides' slider attacks with python-chess, one slider at a time."""
    for board in games:
        sliders = board.rooks | board.bishops | board.queens
        for side in (chess.WHITE, chess.BLACK):
            attacks = 0
            for square in chess.scan_forward(sliders & board.occupied_co[side]):
                attacks |= board.attacks_mask(square)


def measure_games():
    games = random_games()
    fens = [board.fen() for board in games]
    positions = setwise.from_fen(fens)
    sliders = positions.orthogonal, positions.diagonal, positions.occupied
    out = np.empty_like(positions.occupied)
    best = fastest(
        7,
        chess=lambda: seconds(1, attack_by_chess, games),
        setwise=lambda: seconds(100, setwise.slider_attacks, *sliders, out),
        chess_fen=lambda: seconds(1, lambda: [chess.Board(fen) for fen in fens]),
        setwise_fen=lambda: seconds(1, setwise.from_fen, fens),
    )
    print(f"\n{POSITIONS:,} positions from random games, ns per position")
    for title, suffix in [("slider attacks of both sides", ""), ("sets from FEN strings", "_fen")]:
        slow, fast = (best[name + suffix] / POSITIONS * 1e9 for name in ("chess", "setwise"))
        print(f"{title}: python-chess {slow:.0f}, setwise {fast:.1f}: {slow / fast:.0f}x")


def rust_calls():
    """Calls from Rust, in a library that cargo builds."""
    from rust import library as rust_library  # in the folder of the tests

    library = rust_library("rust_calls")
    for call in (library.rust_legal_counts, library.rust_legal_moves):
        call.restype = ctypes.c_uint64
        call.argtypes = [np.ctypeslib.ndpointer(flags="C"), ctypes.c_size_t]
    return library


#: `GamePosition` of Rust.
GAME_POSITION = np.dtype({
    "names": ["pieces", "black_to_move", "en_passant", "castling"],
    "formats": [("u8", (2, 6)), "u1", "u1", ("u1", 2)],
    "offsets": [0, 96, 97, 98],
    "itemsize": 104,
})


def measure_moves():
    """Times legal moves from Python over those from Rust, with one thread: a million positions, in
    a new order in each round.
    """
    library = rust_calls()
    few = setwise.from_fen([board.fen() for board in random_games()])
    source = np.random.default_rng(1)
    print("\na million positions, one thread, ns per position (Python, Rust), and the ratio")
    for title, ours, theirs in [
        ("legal_counts", lambda p: setwise.legal_counts(p, threads=1)[0].sum(dtype="u8"),
         library.rust_legal_counts),
        ("legal_moves", lambda p: setwise.legal_moves(p, threads=1)[0][-1],
         library.rust_legal_moves),
    ]:
        times = []
        for _ in range(15):
            order = source.integers(0, POSITIONS, MILLION)
            positions = setwise.Positions(*(array[order] for array in few))
            games = np.zeros(MILLION, GAME_POSITION)
            for name in GAME_POSITION.names:
                games[name] = getattr(positions, name)
            started = time.perf_counter()
            found = ours(positions)
            between = time.perf_counter()
            right = theirs(games, MILLION)
            times.append((between - started, time.perf_counter() - between))
            assert found == right, (found, right)
        times = np.array(times)
        ratios = times[:, 0] / times[:, 1]
        python, rust = np.min(times, axis=0) / MILLION * 1e9
        print(f"{title:12} {python:6.1f} {rust:6.1f}: least {python / rust:.3f}, "
              f"median {np.median(ratios):.3f}")


print(f"queen_attacks, kernel {setwise.kernel()}; microseconds per call")
columns = ["out=", "new", "pyarrow", "nulls", "Polars"]
print(f"{'boards':>9}", *(f"{name:>9}" for name in columns))
for count in [1, 64, 1024, 4096, 16384, 65536, 1 << 20, 1 << 22]:
    measure_batch(count)
measure_games()
measure_moves()
