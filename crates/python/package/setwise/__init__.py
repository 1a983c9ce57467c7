"""Set-wise attacks over arrays of chess bitboards, computed by the best SIMD kernel for the CPU.

A board is a uint64: a1 is bit 0, h1 bit 7, a8 bit 56, h8 bit 63. Every slider that is passed also
blocks, even if it is not in `occupied`. An operation takes columns of equal shape, and returns one
or two columns of that shape.

* numpy arrays must be aligned and in C order. They are not copied.
* `out` is an array for the result, or a tuple of two. It must not share memory with another
  argument.
* `threads` is the number of threads for a call on more than 4,096 boards (1: the calling thread
  alone, 0: one per CPU); see `set_threads`.
* A call on 8,192 or more boards releases the GIL. Don't write to its arrays in another thread.
* pyarrow arrays, pyarrow chunked arrays and Polars Series give pyarrow columns. A result is null
  where an argument is null. `setwise.polars` creates Polars expressions.

>>> import numpy as np, setwise
>>> rooks = np.uint64([0x81, 1 << 27, 0])
>>> occupied = np.uint64([0xff81, 1 << 27 | 1 << 29, 1 << 5])
>>> attacks = setwise.rook_attacks(rooks, occupied)
>>> hex(attacks[1])  # d4: up to and including the piece on f4
'0x808080837080808'
"""

from typing import NamedTuple as _NamedTuple

import numpy as _numpy

from . import _setwise
from ._fen import Positions, from_fen
from ._maps import attack_maps_in_columns
from ._setwise import kernel, set_threads, threads, use_kernel

WHITE, BLACK = range(2)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)

#: The dtype that names the sets in the results of `attack_maps`.
ATTACK_MAPS = _numpy.dtype([("attacks", "u8", (2, 6)), ("all", "u8", 2), ("threats", "u8", 2)])
#: The dtype that names the sets in the results of `checks`.
CHECKS = _numpy.dtype([("checkers", "u8", 2), ("pinned", "u8", 2), ("pinners", "u8", 2)])

_operations = [name for name, *_ in _setwise._operations()]
globals().update({name: getattr(_setwise, name) for name in _operations})


class Kernel(_NamedTuple):
    """A kernel and its requirements."""

    #: The name that `use_kernel` takes.
    name: str
    #: The technique that the kernel uses.
    technique: str
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
    *_operations,
    "ATTACK_MAPS", "BISHOP", "BLACK", "CHECKS", "KING", "KNIGHT", "Kernel", "PAWN", "Positions",
    "QUEEN", "ROOK", "WHITE", "attack_maps_in_columns", "from_fen", "kernel", "kernels",
    "set_threads", "threads", "use_kernel",
]
