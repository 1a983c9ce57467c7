# A notebook as a script: editors run its cells one by one, `python notebook.py` all of them. It needs numpy, pyarrow and Polars.

# %% Boards are 64-bit numbers: a1 is bit 0, h8 bit 63
import numpy as np

import setwise

print(setwise.kernel(), "is in use; here can run:", ", ".join(k.name for k in setwise.kernels() if k.is_available))

# %% Positions from FEN: rows are positions, columns are white and black
fens = [
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "r1b1k1nr/pppp1ppp/2n5/2b1p3/2B1P2q/5N2/PPPP1PPP/RNBQ1RK1 w kq - 6 5",
]
positions = setwise.from_fen(fens)
attacks = setwise.slider_attacks(positions.orthogonal, positions.diagonal, positions.occupied)


def drawn(board):
    """A board as text, rank 8 first."""
    rows = [" ".join("x" if int(board) >> (8 * rank + file) & 1 else "." for file in range(8)) for rank in range(8)]
    return "\n".join(reversed(rows))


print("what black's sliders attack in the second position:")
print(drawn(attacks[1, setwise.BLACK]))

# %% Everything that both sides attack, and what hangs on it
maps = setwise.attack_maps(positions.pieces).view(setwise.ATTACK_MAPS)[:, 0]
print("pieces of black's that lesser ones of white's attack:", [hex(board) for board in maps["threats"][:, setwise.WHITE]])

# %% A million boards, with memory that is used again, by all processors
source = np.random.default_rng(1)
queens = np.uint64(1) << source.integers(0, 64, 1_000_000, np.uint64)
occupied = source.integers(0, 2**64, 1_000_000, np.uint64) & source.integers(0, 2**64, 1_000_000, np.uint64)
out = np.empty_like(queens)
setwise.queen_attacks(queens, occupied, out, threads=0)
print(f"a queen attacks {np.mean([int(board).bit_count() for board in out[:10_000]]):.2f} squares in the mean")

# %% Columns of Arrow: nulls stay nulls
import pyarrow as pa

column = pa.array([1, None, 1 << 27], pa.uint64())
print(setwise.rook_attacks(column, pa.array([0, 0, 1 << 29], pa.uint64())).to_pylist())

# %% Expressions of Polars, also lazy and streaming
import polars as pl

import setwise.polars as sp

frame = pl.LazyFrame({"queens": queens[:1000], "occupied": occupied[:1000]})
print(frame.select(sp.queen_attacks("queens", "occupied").bitwise_count_ones().mean().alias("squares")).collect())
