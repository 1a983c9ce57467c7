# A notebook as a script: run its cells in an editor, or the whole script with `python notebook.py`.
# Needs numpy, pyarrow and Polars.

# %% Boards are 64-bit numbers: a1 is bit 0, h8 bit 63
import numpy as np

import setwise

available = ", ".join(kernel.name for kernel in setwise.kernels() if kernel.is_available)
print(f"kernel {setwise.kernel()}; this CPU can run {available}")

# %% Positions from FEN: a row per position, columns for white and black
fens = [
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r1b1k1nr/pppp1ppp/2n5/2b1p3/2B1P2q/5N2/PPPP1PPP/RNBQ1RK1 w kq - 6 5",
]
positions = setwise.from_fen(fens)
attacks = setwise.slider_attacks(positions.orthogonal, positions.diagonal, positions.occupied)


def drawn(board):
    """A board as text, rank 8 first."""
    rows = f"{int(board):064b}".replace("0", ".").replace("1", "x")
    return "\n".join(" ".join(rows[i : i + 8][::-1]) for i in range(0, 64, 8))


print("attacks of black's sliders in the second position:")
print(drawn(attacks[1, setwise.BLACK]))

# %% All attacks by both sides, and the pieces attacked by less valuable pieces
maps = setwise.attack_maps(positions.pieces).view(setwise.ATTACK_MAPS)[:, 0]
print("black's pieces under threat:", [hex(board) for board in maps["by_lesser"][:, setwise.WHITE]])

# %% A million boards on all CPUs, written to an array that can be reused
source = np.random.default_rng(1)
queens = np.uint64(1) << source.integers(0, 64, 1_000_000, np.uint64)
words = source.integers(0, 2**64, (2, 1_000_000), np.uint64)
occupied = words[0] & words[1]
out = np.empty_like(queens)
setwise.queen_attacks(queens, occupied, out, threads=0)
mean = np.mean([int(board).bit_count() for board in out[:10_000]])
print(f"a queen attacks {mean:.2f} squares on average")

# %% Arrow columns: nulls stay null
import pyarrow as pa

column = pa.array([1, None, 1 << 27], pa.uint64())
print(setwise.rook_attacks(column, pa.array([0, 0, 1 << 29], pa.uint64())).to_pylist())

# %% Polars expressions, also for lazy and streaming queries
import polars as pl

import setwise.polars as sp

frame = pl.LazyFrame({"queens": queens[:1000], "occupied": occupied[:1000]})
squares = sp.queen_attacks("queens", "occupied").bitwise_count_ones().mean()
print(frame.select(squares.alias("squares")).collect())
