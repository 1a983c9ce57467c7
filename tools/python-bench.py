#!/usr/bin/env python3
"""Times calls from Python against the same calls from Rust and against python-chess.

Needs the package `setwise` with `chess`, pyarrow and Polars: crates/python/target/venv/bin/python,
which tools/python-test.sh makes, has them. Times are the fastest of many interleaved samples."""

import random
import time

import chess
import numpy as np
import polars as pl
import pyarrow as pa

import setwise
import setwise.polars as sp
from setwise._setwise import _rust_seconds


def seconds(calls, call, *arguments):
    loop = range(calls)
    started = time.perf_counter()
    for _ in loop:
        call(*arguments)
    return (time.perf_counter() - started) / calls


def boards(count):
    source = np.random.default_rng(1)
    queens = np.uint64(1) << source.integers(0, 64, count, np.uint64)
    occupied = (source.integers(0, 2**64, count, np.uint64)
                & source.integers(0, 2**64, count, np.uint64))
    return queens, occupied


def fastest(samples, **ways):
    """The fastest of each way, interleaved."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(samples):
        for name, way in ways.items():
            best[name] = min(best[name], way())
    return best


print(f"queen_attacks, kernel {setwise.kernel()}; time divided by the Rust call's")
ways = "".join(f" {way:>7}" for way in ("out=", "new", "pyarrow", "nulls", "Polars"))
print(f"{'boards':>9} {'Rust, ns':>12} {'M boards/s':>10}{ways}")
for count in [1, 64, 1024, 4096, 16384, 65536, 1 << 20, 1 << 22]:
    queens, occupied = boards(count)
    out = np.empty_like(queens)
    calls = max(1, 2_000_000 // (count + 500))
    a, b = pa.array(queens), pa.array(occupied)
    nulls = pa.array(queens, mask=np.arange(count) % 10 == 0)
    frame = pl.DataFrame({"queens": queens, "occupied": occupied})
    expression = sp.queen_attacks("queens", "occupied")
    few = max(1, calls // 20)
    best = fastest(
        40,
        rust=lambda: _rust_seconds(queens, occupied, out, calls),
        out=lambda: seconds(calls, setwise.queen_attacks, queens, occupied, out),
        new=lambda: seconds(calls, setwise.queen_attacks, queens, occupied),
        arrow=lambda: seconds(few, setwise.queen_attacks, a, b),
        nulls=lambda: seconds(few, setwise.queen_attacks, nulls, b),
        polars=lambda: seconds(few, frame.select, expression),
    )
    rust = best.pop("rust")
    ratios = "".join(f" {value / rust:7.2f}" for value in best.values())
    print(f"{count:9} {rust * 1e9:12.0f} {count / rust / 1e6:10.0f}{ratios}")

source, games = random.Random(1), []
while len(games) < 10_000:
    board = chess.Board()
    while not board.is_game_over() and board.ply() < 250 and len(games) < 10_000:
        board.push(source.choice(list(board.legal_moves)))
        games.append(board.copy(stack=False))
fens = [board.fen() for board in games]
positions = setwise.from_fen(fens)
out = np.empty_like(positions.occupied)


def by_chess():
    """Attacks of both sides' rooks, bishops and queens by python-chess, slider by slider."""
    for board in games:
        for side in (chess.WHITE, chess.BLACK):
            attacks = 0
            pieces = (board.rooks | board.bishops | board.queens) & board.occupied_co[side]
            for square in chess.scan_forward(pieces):
                attacks |= board.attacks_mask(square)


sliders = positions.orthogonal, positions.diagonal, positions.occupied
best = fastest(
    7,
    chess=lambda: seconds(1, by_chess),
    setwise=lambda: seconds(100, setwise.slider_attacks, *sliders, out),
    chess_fen=lambda: seconds(1, lambda: [chess.Board(fen) for fen in fens]),
    fen=lambda: seconds(1, setwise.from_fen, fens),
)
per = {name: value / len(fens) * 1e9 for name, value in best.items()}
print("\n10,000 positions of random games, ns per position")
for title, theirs, ours in (
    ("slider attacks of both sides", per["chess"], per["setwise"]),
    ("FEN, list of strings to sets", per["chess_fen"], per["fen"]),
):
    ratio = theirs / ours
    print(f"{title}: python-chess {theirs:.0f}, setwise {ours:.1f}: {ratio:.0f} times as fast")
