"""Legal moves of positions."""

import operator
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _setwise
from ._fen import Positions, from_fen

BISHOP, ROOK, QUEEN = 2, 3, 4

#: The letters of promotions in UCI, by the number in a move.
_PROMOTIONS = ["", "n", "b", "r", "q"]


def legal_counts(
    positions: Any, *, threads: int | None = None
) -> tuple[NDArray[numpy.uint8], NDArray[numpy.uint8]]:
    """The number of legal moves of each position, and the number of pieces that give check.

    `positions` are those of `from_fen`, or FENs that `from_fen` takes. If a position of a game has
    no moves, it is mate with a check, and stalemate without. 255 moves are 255 or more, and 255
    checks mark a position that no game can have, such as one without kings.

    For positions in other arrays, replace those of `from_fen`. Of n positions they have the shapes
    (n, 2, 6), (n,), (n, 2) and (n,); an array of another shape or type is an error:

        positions = setwise.from_fen([])._replace(
            pieces=..., black_to_move=..., castling=..., en_passant=...)

    `threads` is the number of threads for more than 4,096 positions (1: the calling thread alone,
    0: one per CPU).

    >>> import setwise
    >>> fens = ["7k/6Q1/6K1/8/8/8/8/8 b - -", "7k/5Q2/6K1/8/8/8/8/8 b - -"]
    >>> moves, checks = setwise.legal_counts(fens)
    >>> (moves == 0) & (checks > 0), (moves == 0) & (checks == 0)
    (array([ True, False]), array([False,  True]))
    """
    return _setwise._legal_counts(_arrays(positions), threads)


def legal_moves(
    positions: Any, *, threads: int | None = None
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint16]]:
    """The legal moves of positions (those of `from_fen`, or FENs).

    Returns `offsets` and `moves`: the moves of position `i` are `moves[offsets[i]:offsets[i + 1]]`.
    A move has the square that it comes from in bits 0 to 5, the square that it goes to in bits 6 to
    11, and the promotion in bits 12 to 14: 0 none, 1 knight, 2 bishop, 3 rook, 4 queen. Castling is
    the king that goes to the square of its rook. Positions that no game can have, with 255 checks
    in `legal_counts`, have no moves.

    >>> import setwise
    >>> offsets, moves = setwise.legal_moves(["7k/P7/8/8/8/8/8/K7 w", "7k/8/8/8/8/8/8/K7 w"])
    >>> offsets
    array([ 0,  7, 10])
    >>> sorted(map(setwise.uci, moves[7:]))
    ['a1a2', 'a1b1', 'a1b2']
    """
    return _setwise._legal_moves(_arrays(positions), threads)


def successors(positions: Any, moves: Any, offsets: Any = None) -> Positions:
    """The positions after moves, which must be legal: `moves[i]` is made in position `i`. With the
    `offsets` that `legal_moves` returns, the moves are those of `legal_moves`. Result `n` is the
    position after `moves[n]`. Moves that do not fit the positions or offsets raise a ValueError.

    >>> import setwise
    >>> positions = setwise.from_fen(["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"])
    >>> offsets, moves = setwise.legal_moves(positions)
    >>> after = setwise.successors(positions, moves, offsets)
    >>> replies, _ = setwise.legal_counts(after)
    >>> replies.sum()
    np.uint64(400)
    """
    if not isinstance(positions, Positions):
        positions = from_fen(positions)
    moves = numpy.ascontiguousarray(moves, "u2")
    count = len(positions.pieces)
    if offsets is None:
        offsets = numpy.arange(count + 1)
    else:
        offsets = numpy.asarray(offsets)
        if offsets.shape != (count + 1,) or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any():
            raise ValueError("offsets must be those that legal_moves returns for the positions")
    if moves.shape != (offsets[-1],):
        raise ValueError(f"there are {moves.size} moves for {offsets[-1]} places of moves")
    made = _setwise._successors(_arrays(positions), numpy.ascontiguousarray(offsets, "i8"), moves)
    pieces, side, castling, en_passant = made
    rooks, bishops = (pieces[:, :, kind] | pieces[:, :, QUEEN] for kind in (ROOK, BISHOP))
    occupied = numpy.bitwise_or.reduce(pieces, axis=(1, 2))
    occupied = numpy.repeat(occupied[:, None], 2, axis=1)
    valid = numpy.repeat(positions.valid, numpy.diff(offsets.astype("i8")))
    return Positions(pieces, rooks, bishops, occupied, side == 1, valid, castling, en_passant)


def perft(fen: str, depth: int, *, threads: int = 0) -> int:
    """The number of sequences of `depth` legal moves from a position, by several threads (0: one
    per CPU). The depth is at most 64. A string that is not a FEN, or a position that no game can
    have, raises a ValueError. Ctrl-C ends the count.

    >>> import setwise
    >>> setwise.perft("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4)
    197281
    """
    if not 0 <= operator.index(depth) <= 64:
        raise ValueError(f"depth is {depth}, but must be from 0 to 64")
    if not 0 <= operator.index(threads) <= 256:
        raise ValueError(f"threads={threads}: at most 256; 0 is one per CPU")
    return int(_setwise._perft(fen, depth, threads))


def uci(move: int) -> str:
    """A move of `legal_moves` as text, such as "e2e4" or "a7a8q". Castling is the king that takes
    its rook, "e1h1", as the UCI protocol has it for Chess960.

    >>> import setwise
    >>> setwise.uci(12 + (28 << 6))
    'e2e4'
    """
    square = lambda number: "abcdefgh"[number & 7] + "12345678"[number >> 3 & 7]
    number = int(move)
    return square(number) + square(number >> 6) + _PROMOTIONS[number >> 12]


def _arrays(positions: Any) -> tuple:
    """The arrays that the extension takes: pieces, side to move, castling, en passant."""
    if not isinstance(positions, Positions):
        positions = from_fen(positions)
    count = len(positions.pieces)
    arrays = []
    for name, dtype, shape in [
        ("pieces", "u8", (count, 2, 6)),
        ("black_to_move", "u1", (count,)),
        ("castling", "u1", (count, 2)),
        ("en_passant", "u1", (count,)),
    ]:
        given = numpy.asarray(getattr(positions, name))
        if given.dtype == bool:
            given = given.view("u1")
        if given.dtype != dtype and not (dtype == "u8" and given.dtype == "i8"):
            raise TypeError(f"{name} is an array of {given.dtype}, but must be of {numpy.dtype(dtype)}")
        if given.shape != shape:
            raise ValueError(f"{name} has the shape {given.shape}, but must have {shape}")
        arrays.append(numpy.require(given.view(dtype), requirements=("C", "A")))
    return tuple(arrays)
