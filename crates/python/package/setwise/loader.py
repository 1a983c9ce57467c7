"""Threats of boards, and batches of binpack for the training of networks.

A board is 64 codes, a1 first: twice the kind of piece (pawn 0, knight 1, ..., king 5), plus 1 if
it is black; 12 is an empty square. A threat is a row of attacker, from, victim, to: the codes of
two pieces, of which the first attacks or defends the second, and their squares.
"""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy

from . import _setwise
from ._fen import Positions, from_fen

__all__ = ["Filter", "Loader", "Table", "boards", "threat_lists", "threats"]

#: In a `Table`: this threat is not an input.
EXCLUDED = 2**32 - 1


def boards(positions: Positions) -> numpy.ndarray:
    """The boards of positions, with the codes of this module: shape (n, 64).

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> setwise.loader.boards(positions)[0, :8]
    array([ 6, 12, 12, 12, 12, 12, 12, 10], dtype=uint8)
    """
    result = numpy.full((len(positions.pieces), 64), 12, "u1")
    for side in range(2):
        for kind in range(6):
            words = positions.pieces[:, side, kind].astype("<u8")
            bits = numpy.unpackbits(words.view("u1").reshape(-1, 8), axis=1, bitorder="little")
            result[bits.astype(bool)] = 2 * kind + side
    return result


def threats(positions: Any, rules: Any = "every") -> tuple[numpy.ndarray, numpy.ndarray]:
    """All threats of positions (from `from_fen`), of FENs (a list or column that `from_fen` takes),
    or of boards (uint8, shape (n, 64)).

    Returns `offsets` and `threats`: the threats of position `i` are the rows
    `threats[offsets[i]:offsets[i + 1]]`.

    `rules` says which pairs of pieces count: "every" one, those of a published set of features by
    the number of its inputs ("79856", "60144", "59808"), or a matrix of booleans of shape (12, 12),
    by the codes of attacker and victim.

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> offsets, threats = setwise.threats(positions)
    >>> offsets, threats
    (array([0, 1], dtype=uint32), array([[ 6,  0, 10,  7]], dtype=uint8))
    """
    if not isinstance(positions, (Positions, numpy.ndarray)) or (
            isinstance(positions, numpy.ndarray) and positions.dtype.kind in "OSU"):
        positions = from_fen(positions)
    if isinstance(positions, Positions):
        positions = boards(positions)
    positions = numpy.ascontiguousarray(positions)
    if positions.dtype != "u1" or positions.ndim != 2 or positions.shape[1] != 64:
        raise ValueError("positions must be FENs, those of from_fen, or uint8 of shape (n, 64)")
    if len(positions) > 5_000_000:
        raise ValueError("at most 5,000,000 positions in a call")
    return _setwise._threats(positions, _pairs(rules))


def threat_lists(positions: Any, rules: Any = "every", signed: bool = False) -> Any:
    """The same as a column of pyarrow: a list of structs for each position, of the type that
    `fen_threats` of setwise-sql has. `signed` gives int8 instead of uint8, which Spark lacks.

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> setwise.threat_lists(positions).to_pylist()
    [[{'attacker': 6, 'from': 0, 'victim': 10, 'to': 7}]]
    """
    from ._columns import pyarrow  # whose import says how to install it

    offsets, rows = threats(positions, rules)
    names = "attacker", "from", "victim", "to"
    number = pyarrow.int8() if signed else pyarrow.uint8()
    fields = [pyarrow.field(name, number, nullable=False) for name in names]
    # Codes and squares are below 64.
    rows = rows.view("i1") if signed else rows
    columns = [pyarrow.array(numpy.ascontiguousarray(column)) for column in rows.T]
    structs = pyarrow.StructArray.from_arrays(columns, fields=fields)
    kind = pyarrow.list_(pyarrow.field("item", structs.type, nullable=False))
    # 5,000,000 positions have fewer than 2^31 threats.
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets.view("i4")), structs, type=kind)


def _pairs(rules: Any) -> Any:
    return rules if isinstance(rules, str) else numpy.asarray(rules, bool).ravel().tolist()


class Filter(NamedTuple):
    """Which entries of binpack to skip. The default skips those without a score."""

    #: Skip if the side to move is in check.
    skip_checks: bool = False
    #: Skip if the move is a capture.
    skip_captures: bool = False
    #: Skip if the score is greater, of either sign.
    max_score: int | None = None
    #: Skip if the ply is less.
    min_ply: int = 0
    #: Keep every n-th entry of a chunk.
    every: int = 1
    #: Skip this share at random, by the entry's place.
    skip: float = 0.0
    #: The seed of `skip`.
    seed: int = 0
    #: Keep entries without a score, which have the score 32002.
    keep_unscored: bool = False


class Table(NamedTuple):
    """Numbers threats as inputs of a network.

    Each side sees the board with its own first rank as rank 1, and its own pieces as 0 to 5 (pawn,
    knight, bishop, rook, queen, king), the other side's as 6 to 11. The index of a threat is
    `base[attacker, victim, int(from < to)] + place[attacker, from, to]`; EXCLUDED in either array
    excludes it.
    """

    #: uint32, shape (12, 12, 2).
    base: numpy.ndarray
    #: uint32, shape (12, 64, 64).
    place: numpy.ndarray
    #: A side with its king on one of these files sees the files mirrored.
    mirrored: str = "efgh"


class Loader:
    """Batches of binpack files, as dictionaries of arrays.

    Each iteration starts threads and begins anew, with the same batches: they depend on the
    arguments, not on the number of threads. To shuffle otherwise, change `seed`.

    >>> import pathlib, setwise, tempfile
    >>> chunk = bytes.fromhex(
    ...     "42494e5026000000828290d208c04652483a4000511012719b050000000000000a680191004400000002"
    ...     "1d18f508")
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.binpack")
    >>> _ = path.write_bytes(chunk)
    >>> loader = setwise.Loader(path, features="threats", filter=setwise.loader.Filter(min_ply=69))
    >>> for batch in loader:
    ...     print(batch["ply"], batch["threats"].shape[1], batch["offsets"].shape)
    [69 70] 4 (3,)

    Keys of a batch of n positions:

    boards, kings       uint8, shapes (n, 64) and (n, 2): the codes, the squares of both kings
    side                uint8: 0 if White is to move, 1 if Black is
    score, result       int16 and int8, for the side to move; a result is 1 (won), 0 or -1 (lost)
    ply                 uint16: the number of moves since the start of the game
    offsets, threats    with features="threats", those of `setwise.threats` by `rules`
    own_offsets, own_indices, other_offsets, other_indices
                        with features=Table(...), the inputs as the side to move sees them, and as
                        the other side does

    The arrays own their memory, and nothing is copied. Loading releases the GIL. Ctrl-C ends a
    wait. After a fork, as in workers of a DataLoader, iterate in the child.

    * `paths` is a path or a list of paths, read in this order.
    * `batch_size`: the last batch may be smaller.
    * `threads`: 0 is one per CPU.
    * `shuffle` is the number of positions of the shuffle buffer. 0 keeps the order of the files.
    * `shard=(i, n)` reads every n-th chunk, from chunk i, counted over all files.

    An entry that cannot be decoded raises a ValueError that names file, chunk and byte, after the
    positions before it.
    """

    def __init__(
        self,
        paths: Any,
        batch_size: int = 16_384,
        threads: int = 0,
        filter: Filter = Filter(),
        shuffle: int = 0,
        seed: int = 0,
        features: "str | Table" = "boards",
        rules: Any = "every",
        shard: tuple[int, int] = (0, 1),
    ) -> None:
        if features not in ("boards", "threats") and not isinstance(features, Table):
            raise ValueError("features must be 'boards', 'threats' or a Table")
        one = isinstance(paths, (str, os.PathLike))
        self.paths = [os.fspath(path) for path in ([paths] if one else paths)]
        self.batch_size, self.threads, self.filter = batch_size, threads, filter
        self.shuffle, self.seed, self.shard = shuffle, seed, shard
        self.features, self.rules = features, rules

    def __iter__(self) -> Iterator[dict[str, numpy.ndarray]]:
        table = rules = None
        if isinstance(self.features, Table):
            base, place = (
                numpy.ascontiguousarray(array, "u4").ravel() for array in self.features[:2]
            )
            files = sum(1 << "abcdefgh".index(file) for file in self.features.mirrored)
            table = base, place, files
        elif self.features == "threats":
            rules = _pairs(self.rules)
        skips, limits = tuple(self.filter[:2]), tuple(self.filter[2:])
        sizes = self.batch_size, self.threads, self.shuffle
        return _setwise._Batches(
            self.paths, sizes, self.seed, self.shard, skips, limits, rules, table
        )
