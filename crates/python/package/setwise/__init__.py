"""Set-wise rook, bishop and queen attacks over arrays of chess bitboards, by the best SIMD kernel for the CPU.

Boards are uint64: a1 is bit 0, h1 bit 7, a8 bit 56, h8 bit 63. Every slider passed also blocks, whether it is in `occupied` or not. Every operation
takes columns of equal shape and gives one, or two, of that shape:

* numpy arrays, aligned and in C order, without copies. `out` is an array to write to, which shares memory with no other argument. Python's lock is released
  while 8,192 boards and more are computed: do not write to the arrays in another thread meanwhile. `threads` is how many threads compute more than 4,096 boards: 1 is the caller, 0 one a
  processor; see `set_threads`.
* arrays and chunked arrays of pyarrow, and Series of Polars. The result is pyarrow's; it is null where an argument is. Expressions of Polars are
  made by `setwise.polars`.

>>> import numpy as np, setwise
>>> rooks = np.uint64([0x81, 1 << 27, 0])
>>> occupied = np.uint64([0xff81, 1 << 27 | 1 << 29, 1 << 5])
>>> attacks = setwise.rook_attacks(rooks, occupied)
>>> hex(attacks[1])  # d4: up to and with the piece on f4
'0x808080837080808'
"""

from typing import NamedTuple as _NamedTuple

import numpy as _numpy

from . import _setwise
from ._fen import Positions, from_fen
from ._setwise import kernel, set_threads, threads, use_kernel

WHITE, BLACK = range(2)
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)

#: The numbers of `attack_maps`, named.
ATTACK_MAPS = _numpy.dtype([("attacks", "u8", (2, 6)), ("all", "u8", 2), ("threats", "u8", 2)])
#: The numbers of `checks`, named.
CHECKS = _numpy.dtype([("checkers", "u8", 2), ("pinned", "u8", 2), ("pinners", "u8", 2)])

_operations = [name for _, name, *_ in _setwise._operations()]
globals().update({name: getattr(_setwise, name) for name in _operations})


class Kernel(_NamedTuple):
    """A kernel, and whether it can run here."""

    #: As `use_kernel` takes it.
    name: str
    #: How it computes.
    technique: str
    #: The features of the CPU that it needs.
    needs: list[str]
    #: Those that are missing here.
    missing: list[str]
    #: Whether it is part of this build.
    is_compiled: bool

    @property
    def is_available(self) -> bool:
        """Whether it can run here."""
        return self.is_compiled and not self.missing


def kernels() -> list[Kernel]:
    """All kernels, the best first.

    >>> import setwise
    >>> [k for k in setwise.kernels() if k.name == "scalar"][0].is_available
    True
    """
    return [Kernel(*entry) for entry in _setwise._catalogue()]


__all__ = [
    *_operations,
    "ATTACK_MAPS", "BISHOP", "BLACK", "CHECKS", "KING", "KNIGHT", "Kernel", "PAWN", "Positions", "QUEEN", "ROOK", "WHITE",
    "from_fen", "kernel", "kernels", "set_threads", "threads", "use_kernel",
]
