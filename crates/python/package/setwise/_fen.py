"""Conversion of FEN strings to arrays."""

from collections import namedtuple
from typing import Any, Literal, NamedTuple

import numpy
from numpy.typing import NDArray

from . import _arrays, _setwise


class Positions(NamedTuple):
    """The sets of positions, one position per row. Operations take these arrays as arguments."""

    #: Shape (n, 2, 6): white's pawns, knights, bishops, rooks, queens and kings, then black's.
    pieces: NDArray[numpy.uint64]
    #: Shape (n, 2): white's rooks and queens, then black's.
    orthogonal: NDArray[numpy.uint64]
    #: Shape (n, 2): white's bishops and queens, then black's.
    diagonal: NDArray[numpy.uint64]
    #: Shape (n, 2): all pieces of both sides, repeated for each side.
    occupied: NDArray[numpy.uint64]
    #: Shape (n,): whether black is to move. False if the string has no side to move.
    black_to_move: NDArray[numpy.bool_]
    #: Shape (n,): False where the string is null, or not a position. The sets are empty there.
    valid: NDArray[numpy.bool_]
    #: Shape (n, 2): white's rooks that may castle, then black's, one bit per file (a is bit 0).
    castling: NDArray[numpy.uint8]
    #: Shape (n,): the square behind a pawn that has just advanced two squares, or 64.
    en_passant: NDArray[numpy.uint8]


def from_fen(fens: Any, errors: Literal["raise", "null"] = "raise") -> Positions:
    """Parses FENs or EPDs: an iterable of strings, or a column of pyarrow, Polars or pandas.

    The fields after the piece placement may be missing, and EPD operations are ignored. Castling
    rights may be those of Chess960 (`HAha`); a right without its rook is dropped. Positions need
    not be legal. A null (None in a list) gives an empty board, and False in `valid`.

    UCI's `position fen FEN moves ...` and `position startpos moves ...` are the position after the
    moves.

    `errors` says what to do with a string that is not a position: "raise" raises a ValueError,
    whose message contains the index of the first such string and the invalid field; "null" treats
    the string as a null.

    >>> import setwise
    >>> fens = setwise.from_fen(["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/8/8/8/8/7Q b"])
    >>> attacks = setwise.slider_attacks(fens.orthogonal, fens.diagonal, fens.occupied)
    >>> hex(attacks[1, setwise.WHITE])
    '0x8182848890a0c07f'
    >>> fens.black_to_move
    array([False,  True])
    >>> setwise.from_fen(["8/8/8/8/8/8/8/7Q b", "8/9", None], errors="null").valid
    array([ True, False, False])
    """
    if errors not in ("raise", "null"):
        raise ValueError(f"errors is {errors!r}, but must be 'raise' or 'null'")
    if isinstance(fens, (str, bytes)):
        raise TypeError("fens is a single string: pass a list of strings")
    positions = parsed(fens, errors == "null")
    return Positions(*positions[:4], positions.side == 1, *positions[5:])


#: The same as `Positions`, but the side to move is 0 (white), 1 (black) or 2 (unknown).
Parsed = namedtuple("Parsed", "pieces orthogonal diagonal occupied side valid castling en_passant")


def parsed(fens: Any, bad_is_null: bool) -> Parsed:
    """Parses FENs as `from_fen` does."""
    if _arrays.kind_of(fens) in ("arrow", "polars", "pandas"):
        from . import _columns

        return Parsed(*_columns.from_fen(fens, bad_is_null))
    fens = fens if isinstance(fens, list) else list(fens)
    return Parsed(*_setwise._from_list(fens, bad_is_null))
