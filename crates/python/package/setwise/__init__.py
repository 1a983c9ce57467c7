"""Set-wise attacks over arrays of chess bitboards, computed by the best SIMD kernel for the CPU.

A set of squares (a bitboard) is a 64-bit number, one bit per square: a1 is bit 0, h1 bit 7, a8 bit
56, h8 bit 63. Start with positions, and pass their sets to an operation:

>>> import numpy as np, setwise
>>> positions = setwise.from_fen(["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"])
>>> attacks = setwise.slider_attacks(
...     positions.orthogonal, positions.diagonal, positions.occupied, threads=0)
>>> hex(attacks[0, setwise.WHITE])  # what the white rooks attack
'0x818181818181817e'

What you need                       Call
positions from FEN or EPD           from_fen
attacks of rooks, bishops, queens   rook_attacks, bishop_attacks, queen_attacks, slider_attacks
attacks of other pieces             knight_attacks, king_attacks, pawn_attacks
attacks from one square per board   rook_attacks_from, bishop_attacks_from, queen_attacks_from
counts of attacked squares          rook_mobility, bishop_mobility, queen_mobility, slider_mobility
pins, checks, x-rays                pins, checks, checks_in_columns, xray_rook_attacks, ...
all attacks of whole positions      attack_maps, attack_maps_in_columns
legal moves, mates, perft           legal_counts, legal_moves, successors, perft
threats, batches for training       threats, threat_lists, Loader, the module setwise.torch
the loader in Stockfish's trainer   python -m setwise.nnue_pytorch
Polars expressions                  the module setwise.polars
the kernel, the number of threads   kernel, kernels, use_kernel, threads, set_threads

`help(setwise.pins)` shows an operation's arguments, results and an example. An operation takes
columns of sets and returns one or two columns. All sliders block each other, even those that are
not in `occupied`.

Arguments are numpy arrays, columns of pyarrow, Polars or pandas, and numbers:

* The result is of the kind that was passed: a numpy array, a pyarrow Array or ChunkedArray, a
  Polars Series, or a pandas Series with the same index. It is null where an argument is.
* Sets are uint64, or int64 with the same bits. If all sets that you pass are signed, so are the
  sets in the result. Squares are uint8, or other integers from 0 to 63.
* Numbers and arrays broadcast as in numpy: in `queen_attacks(queens, 0)`, every board is empty
  apart from its queens.
* numpy arrays of uint64 in C order, and columns without nulls, are not copied. Strided arrays
  (such as `positions.orthogonal[:, 0]`, and fields of records), other byte orders and numbers that
  broadcast are copied first.
* `out` is a numpy array for the result, or a tuple of two: contiguous, aligned and in native byte
  order. It must not share memory with another argument. To fill another array, assign the result:
  `out[...] = queen_attacks(...)`.
* `threads` is the number of threads for a call on more than 4,096 boards (1: the calling thread
  alone, 0: one per CPU); see `set_threads`.
* A call on 8,192 or more boards releases the GIL. Don't write to its arrays in another thread, or
  in a signal handler. Ctrl-C ends a long call within 0.2 seconds; results are then incomplete.
"""

from typing import NamedTuple as _NamedTuple

import numpy as _numpy

from . import _operations, _setwise
from ._fen import Positions, from_fen
from ._maps import attack_maps_in_columns, checks_in_columns
from ._moves import legal_counts, legal_moves, perft, successors, uci
from ._operations import *
from ._setwise import __version__, kernel, set_threads, threads, use_kernel
from .loader import Loader, threat_lists, threats

WHITE, BLACK = range(2)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)

#: The dtype that names the sets in the results of `attack_maps`.
ATTACK_MAPS = _numpy.dtype([("attacks", "u8", (2, 6)), ("all", "u8", 2), ("by_lesser", "u8", 2)])
#: The dtype that names the sets in the results of `checks`.
CHECKS = _numpy.dtype([("checkers", "u8", 2), ("pinned", "u8", 2), ("pinners", "u8", 2)])


class Kernel(_NamedTuple):
    """A kernel and its requirements."""

    #: The name that `use_kernel` takes.
    name: str
    #: How the kernel works, in one line.
    description: str
    #: The CPU features that the kernel needs.
    needs: list[str]
    #: The needed CPU features that this CPU lacks.
    missing: list[str]
    #: Whether the kernel is part of this build.
    is_compiled: bool

    @property
    def is_available(self) -> bool:
        """Whether the kernel can run on this CPU."""
        return self.is_compiled and not self.missing


def kernels() -> list[Kernel]:
    """All kernels, best first.

    >>> import setwise
    >>> [k for k in setwise.kernels() if k.name == "scalar"][0].is_available
    True
    """
    return [Kernel(*entry) for entry in _setwise._catalogue()]


__all__ = [
    "ATTACK_MAPS", "BISHOP", "BLACK", "CHECKS", "KING", "KNIGHT", "Kernel", "Loader", "PAWN",
    "Positions", "QUEEN", "ROOK", "WHITE", "__version__", "attack_maps_in_columns",
    "checks_in_columns", "from_fen", "kernel", "kernels", "legal_counts", "legal_moves",
    "perft", "set_threads", "successors", "threads", "threat_lists", "threats", "uci",
    "use_kernel",
]
__all__ += _operations.__all__
