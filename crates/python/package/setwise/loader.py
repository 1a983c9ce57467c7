"""Threats of boards, and batches of binpack for the training of networks.

A board is 64 codes, a1 first: 1 to 6 are White's pawn, knight, bishop, rook, queen and king, 7 to
12 Black's, and 0 is an empty square. A threat is a row of attacker, from, victim, to: the codes of
two pieces, of which the first attacks or defends the second, and their squares.
"""

import dataclasses
import operator
import os
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy

from . import _setwise
from ._fen import Positions, from_fen

__all__ = [
    "COLUMNS", "Filter", "Loader", "Pieces", "STOCKFISH", "Table", "boards", "threat_lists",
    "threats",
]

#: The boards or threats that an expression of numpy converts at once.
_PART = 1 << 16

#: The moves with different bits: from, to, and five promotions.
_MOVES = 5 * 64 * 64

#: In a `Table`: this threat is not an input.
EXCLUDED = 2**32 - 1


def boards(positions: Positions) -> numpy.ndarray:
    """The boards of positions, with the codes of this module: shape (n, 64).

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> setwise.loader.boards(positions)[0, :8]
    array([4, 0, 0, 0, 0, 0, 0, 6], dtype=uint8)
    """
    result = numpy.zeros((len(positions.pieces), 64), "u1")
    # In parts, between which Python looks for signals.
    for start in range(0, len(result), _PART):
        part, pieces = result[start : start + _PART], positions.pieces[start : start + _PART]
        for side in range(2):
            for kind in range(6):
                words = pieces[:, side, kind].astype("<u8")
                bits = numpy.unpackbits(words.view("u1").reshape(-1, 8), axis=1, bitorder="little")
                part[bits.view(bool)] = 1 + 6 * side + kind
    return result


def threats(positions: Any, rules: Any = "every") -> tuple[numpy.ndarray, numpy.ndarray]:
    """All threats of positions (from `from_fen`), of FENs (a list or column that `from_fen` takes),
    or of boards (uint8, shape (n, 64)).

    Returns `offsets` and `threats`: the threats of position `i` are the rows
    `threats[offsets[i]:offsets[i + 1]]`.

    `rules` says which pairs of pieces count: "every" one, those of a published set of features by
    the number of its inputs, such as "59808", or a matrix of booleans of shape (12, 12),
    by attacker and victim: the codes minus 1.

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> offsets, threats = setwise.threats(positions)
    >>> offsets, threats
    (array([0, 1], dtype=uint32), array([[4, 0, 6, 7]], dtype=uint8))
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
    """The same as a column of pyarrow: a list of structs for each position. `signed` gives
    int8 instead of uint8, which Spark lacks.

    >>> import setwise
    >>> positions = setwise.from_fen(["7k/8/8/8/8/8/8/R6K w"])
    >>> setwise.threat_lists(positions).to_pylist()
    [[{'attacker': 4, 'from': 0, 'victim': 6, 'to': 7}]]
    """
    from ._columns import pyarrow  # whose import says how to install it

    offsets, rows = threats(positions, rules)
    names = "attacker", "from", "victim", "to"
    number = pyarrow.int8() if signed else pyarrow.uint8()
    fields = [pyarrow.field(name, number, nullable=False) for name in names]
    # Codes and squares are below 64.
    rows = rows.view("i1") if signed else rows
    columns = [pyarrow.array(_contiguous(column)) for column in rows.T]
    structs = pyarrow.StructArray.from_arrays(columns, fields=fields)
    kind = pyarrow.list_(pyarrow.field("item", structs.type, nullable=False))
    # 5,000,000 positions have fewer than 2^31 threats.
    return pyarrow.ListArray.from_arrays(pyarrow.array(offsets.view("i4")), structs, type=kind)


def _contiguous(column: numpy.ndarray) -> numpy.ndarray:
    """A copy of a column, in parts, between which Python looks for signals."""
    result = numpy.empty(len(column), column.dtype)
    for start in range(0, len(column), 64 * _PART):
        result[start : start + 64 * _PART] = column[start : start + 64 * _PART]
    return result


def _pairs(rules: Any) -> Any:
    return rules if isinstance(rules, str) else numpy.asarray(rules, bool).ravel().tolist()


class Filter(NamedTuple):
    """Which entries of binpack to skip. The default skips those without a score, and `STOCKFISH`
    what Stockfish's trainer skips by default.
    """

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
    #: Skip this share, from 0 to 1. Other entries in each pass.
    skip: float = 0.0
    #: The seed of all draws.
    seed: int = 0
    #: Keep entries without a score, which have the score 32002.
    keep_unscored: bool = False
    #: Skip if the score is 0 although the game was won or lost, and the score before it in the game
    #: was above 100 in size.
    skip_placeholders: bool = False
    #: En passant does not count as a capture.
    keep_en_passant: bool = False
    #: Keep with the probability that the score leads to the game's result.
    wld: bool = False
    #: Skip if the material of the sides differs by less (pawn 208, knight 781, bishop 825, rook
    #: 1276, queen 2538).
    simple_eval: int = 0
    #: Before this ply, keep with a probability that rises along `soft_early_points`, of ply and
    #: probability, to 1.
    soft_early: int = 0
    soft_early_points: Sequence[tuple[float, float]] = ((0, 0.1), (6, 0.15), (10, 0.25), (18, 0.75))
    #: Skip positions so that the rest has these relative frequencies of 0, 8, 16, 24 and 32 pieces,
    #: and those of a curve between them.
    pieces: Sequence[float] | None = None


#: What Stockfish's trainer skips if it is not configured.
STOCKFISH = Filter(
    skip_placeholders=True, skip_checks=True, skip_captures=True, keep_en_passant=True, wld=True,
    soft_early=20, pieces=(0, 0.4, 1, 1, 0.75),
)


class Table(NamedTuple):
    """Numbers threats as inputs of a network.

    Each side sees the board with its own first rank as rank 1, and its own pieces as 0 to 5 (pawn,
    knight, bishop, rook, queen, king), the other side's as 6 to 11. The index of a threat is
    `base[attacker, victim, int(from < to)] + place[attacker, from, to]`; EXCLUDED in either array
    excludes it.
    """

    #: Integers, shape (12, 12, 2).
    base: numpy.ndarray
    #: Integers, shape (12, 64, 64).
    place: numpy.ndarray
    #: A side with its king on one of these files sees the files mirrored.
    mirrored: str = "efgh"


class Pieces(NamedTuple):
    """Numbers pieces as inputs of a network: `64 * (planes * bucket + plane) + square`."""

    #: A number from 0 for each own piece, in the order of a `Table`, and each of the other side.
    #: None: it is not an input.
    planes: Sequence[int | None] = tuple(range(12))
    #: A number from 0 for each square of the own king as its side sees it, after mirroring.
    buckets: Sequence[int] = (0,) * 64
    #: A side with its king on one of these files sees the files mirrored.
    mirrored: str = ""


#: The columns of a batch, if not given.
COLUMNS = "boards", "kings", "side", "score", "result", "ply"
_ALL_COLUMNS = (
    *COLUMNS, "move", "rule50", "castling", "en_passant", "is_white", "outcome", "float_score",
    "piece_count",
)


@dataclasses.dataclass(eq=False, repr=False)
class Loader:
    """Batches of binpack files, as dictionaries of arrays.

    Each iteration starts threads and begins with the first batch. It yields the same batches: they
    depend on the arguments; on `threads` only with `Filter.pieces`, because each thread counts. For
    another order, change `epoch`, the number of the pass.

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
    >>> loader = setwise.Loader(
    ...     path, features="Full_Threats+PP_3Wide+HalfKAv2_hm", layout="rows", views="colours",
    ...     columns=["piece_count", "outcome"])
    >>> for batch in loader:
    ...     print(loader.inputs, batch["white_indices"].shape, batch["piece_count"])
    88944 (3, 288) [19 19 19]

    Keys of a batch of n positions, those of `columns` first:

    boards, kings       uint8, shapes (n, 64) and (n, 2): the codes, the squares of both kings
    side                uint8: 0 if White is to move, 1 if Black is
    score, result       int16 and int8, for the side to move; a result is 1 (won), 0 or -1 (lost)
    ply                 uint16: the number of moves since the start of the game
    move                uint16, as in binpack: kind, from, to and promotion in 2, 6, 6 and 2 bits
    rule50              uint16: the number of moves since the last capture or pawn move
    castling            uint8: White's queenside in bit 0, White's kingside, Black's queenside and
                        Black's kingside
    en_passant          uint8: the square that a pawn has passed if it can be captured, or 64
    is_white, outcome, float_score
                        float32: 1 if White is to move, or 0; 1 (won), 0.5 or 0 (lost) and the score
                        for the side to move
    piece_count         int32
    offsets, threats    with features="threats", those of `setwise.threats` by `rules`
    own_offsets, own_indices, other_offsets, other_indices
                        with inputs, their indices as the side to move sees the board, and as the
                        other side does
    own_indices, other_indices
                        with layout="rows": int32, one row per position, padded with -1, read-only
    white_..., black_... with views="colours", instead of own and other: White's view, then Black's

    played              with a policy, uint16: the played move, in the coding of
                        `setwise.legal_moves`, with the squares of the first view; 0 if the entry
                        has none
    target              with a policy, int64: its place in the list of legal moves, or its number in
                        the mask; -1 if the entry has no move, or one that is not legal
    legal_offsets, legal_moves
                        with policy="lists": uint32 and uint16, as `setwise.legal_moves`, with the
                        squares of the first view
    legal_mask          with another policy: bool, a row for each position, True at the numbers of
                        the legal moves

    The arrays are the memory of the batch, and nothing is copied. When the last one is freed, a
    later batch uses that memory. Loading releases the GIL. Ctrl-C ends a wait. Several threads may
    share an iterator. After a fork, as in workers of a DataLoader, iterate in the child.

    An iterator has `taken`, the number of batches so far, and `statistics`, a dictionary of what
    was read, kept, and skipped for which reason.

    * `paths` is a path or a list of paths, read in this order. A file may be compressed by gzip or
      Zstandard. Its contents decide whether it is binpack, viriformat, marlinformat or
      bulletformat. Bulletformat shows the side to move as White, and has no plies (65535) or moves.
    * `batch_size`: the last batch may be smaller, or is left out with `drop_last`.
    * `threads`: 0 is one per CPU.
    * `shuffle` is the number of positions of the shuffle buffer. 0 keeps the order of the files.
    * `features`: "boards", "threats", or inputs: a `Table`, a `Pieces`, a name such as
      "Full_Threats+PP_3Wide+HalfKAv2_hm", "HalfKAv2_hm", "768" or "79856", or a list of these,
      whose indices follow one another. The loader's `inputs` is the number of inputs.
    * `width` is the width of rows; the default is more than positions of games need. A position
      with more inputs is an error.
    * `policy` adds the played and the legal moves of each position: "lists"; or a mask with a
      column for each number of a move. "squares" has 4,096 numbers, `from + 64 * to`, and "lc0" the
      1,858 of Leela Chess Zero's networks. An array of 20,480 integers has the number of each move
      by its bits, at most 65,534, and -1 for moves that are never legal; castling is the king that
      goes to the square of its rook. The loader's `outputs` is the width of the mask. A legal move
      without a number is an error, and so are bulletformat and marlinformat, which have no moves.

      Moves have the squares of the first view: as the side to move sees the board, so that a8 is
      Black's a1, or with views="colours" as White sees it, which is how `boards` shows it. If
      inputs have mirrored files, so have the moves, as in the first part that mirrors files.
      "lc0" needs the view of the side to move.
    * `mix` reads all files at once in proportion to their sizes, each in a random order of chunks,
      so that every batch has positions of all files. `weights` sets other shares of the entries,
      one for each file.
    * `cycle` continues with the next pass after the last position, and never ends.
    * `limit` is the largest number of batches. With `cycle`, it is their number.
    * `epoch` is the number of the pass, from 0. Each pass has another order and other random draws.
    * `resume` is the number of batches to leave out. Pass `taken` of an earlier iterator to
      continue after its last batch.
    * `shard=(i, n)` reads every n-th chunk, from chunk i, counted over all files. With `mix` it is
      counted in each file.
    * `on_error`: by default an entry that cannot be decoded raises a ValueError that names file,
      chunk and byte, after the positions before it. "skip" goes on with the next chunk, and the
      statistics have the error.
    """

    paths: Any
    batch_size: int = 16_384
    threads: int = 0
    filter: Filter = Filter()
    shuffle: int = 0
    seed: int = 0
    features: "str | Table | Pieces | Sequence[str | Table | Pieces]" = "boards"
    rules: Any = None
    shard: tuple[int, int] = (0, 1)
    _: dataclasses.KW_ONLY
    layout: str = "lists"
    width: int | None = None
    views: str = "movers"
    columns: Collection[str] = COLUMNS
    policy: Any = None
    mix: bool = False
    weights: Sequence[float] | None = None
    cycle: bool = False
    drop_last: bool = False
    limit: int | None = None
    epoch: int = 0
    resume: int = 0
    on_error: str = "raise"

    def __post_init__(self) -> None:
        one = isinstance(self.paths, (str, bytes, os.PathLike))
        self.paths = [os.fsdecode(path) for path in ([self.paths] if one else self.paths)]
        # Lists, because iterators can be read only once.
        if not isinstance(self.features, (str, Table, Pieces)):
            self.features = list(self.features)
        if not isinstance(self.columns, str):
            self.columns = list(self.columns)
        if self.weights is not None:
            self.weights = list(self.weights)
        parts = self._settings()["parts"]
        #: The number of inputs of one view. 0 without inputs.
        self.inputs: int = _setwise._inputs(parts)[0] if parts is not None else 0
        policy = _policy(self.policy)
        #: The width of the masks of a policy. 0 without.
        self.outputs: int = 0 if policy is None else _setwise._outputs(policy)

    def __iter__(self) -> "_setwise._Batches":
        return _setwise._Batches(self._settings())

    def _settings(self) -> dict[str, Any]:
        """The checked arguments of the extension. They may have changed since the last call."""
        if not self.paths:
            raise ValueError("paths has no file")
        # Before what depends on several arguments.
        texts = {name: _checked(name, getattr(self, name)) for name in _CHOICES}
        rules = parts = None
        if isinstance(self.features, (str, Table, Pieces)):
            features = [self.features]
        else:
            features = list(self.features)
        if features == ["threats"]:
            rules = _pairs("every" if self.rules is None else self.rules)
        elif self.rules is not None:
            raise ValueError("rules are only used with features='threats'")
        elif features != ["boards"]:
            parts = [_part(part) for part in features]
        if parts is None and (texts["layout"] != "lists" or self.width is not None):
            raise ValueError("layout='rows' and width need inputs: features must name them")
        if self.width is not None and texts["layout"] != "rows":
            raise ValueError("width is only used with layout='rows'")
        if isinstance(self.columns, str):
            raise TypeError("columns must be a list of names, found str")
        try:
            shard, shards = self.shard
        except (TypeError, ValueError):
            message = f"shard must be a pair of number and count, found {self.shard!r}"
            raise TypeError(message) from None
        shards = _integer("shard[1]", shards, 1)
        settings = {
            "paths": self.paths,
            "filter": _skips(self.filter),
            "features": None,  # Rust reads `rules` and `parts` instead.
            "rules": rules,
            "parts": parts,
            "shard": (_integer("shard[0]", shard, 0, shards - 1), shards),
            "weights": None if self.weights is None else _weights(self.weights, len(self.paths)),
            "columns": [
                _choice("columns", name, _ALL_COLUMNS) for name in dict.fromkeys(self.columns)
            ],
            "policy": _policy(self.policy),
            "writable": False,
        }
        others = [field.name for field in dataclasses.fields(Loader) if field.name not in settings]
        return settings | {name: _checked(name, getattr(self, name)) for name in others}


#: The values of arguments and of a filter's fields: texts, and the least and the greatest integer.
#: Others are flags.
_CHOICES = {
    "layout": ("lists", "rows"), "views": ("movers", "colours"), "on_error": ("raise", "skip"),
}
_RANGES = {
    "batch_size": (1, 1 << 24), "threads": (0, 1024), "shuffle": (0, 1 << 32), "width": (1, 4096),
    **dict.fromkeys(["seed", "limit", "epoch", "resume"], (0, 2**64 - 1)),
    **dict.fromkeys(["min_ply", "max_score", "soft_early"], (0, 2**16 - 1)),
    "every": (1, 2**32 - 1), "simple_eval": (0, 2**32 - 1),
}


def _checked(name: str, value: Any) -> Any:
    if name in _CHOICES:
        return _choice(name, value, _CHOICES[name])
    if name not in _RANGES:
        if not isinstance(value, (bool, numpy.bool_)):
            raise TypeError(f"{name} must be True or False, found {type(value).__name__}")
        return bool(value)
    if value is None and name in ("width", "limit", "max_score"):
        return None
    return _integer(name, value, *_RANGES[name])


def _integer(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, found {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, found {number}")
    return number


def _number(name: str, value: Any, least: float = 0.0, most: float = float("inf")) -> float:
    if not isinstance(value, (int, float, numpy.integer, numpy.floating)):
        raise TypeError(f"{name} must be a number, found {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}, found {value}")
    return float(value)


def _weights(weights: Sequence[Any], files: int) -> list[float]:
    """The weights of files, checked."""
    if len(weights) != files:
        raise ValueError(f"weights must be a weight for each file: {files}, found {len(weights)}")
    for weight in weights:
        if not isinstance(weight, (int, float, numpy.integer, numpy.floating)):
            raise TypeError(f"weights must be numbers, found {type(weight).__name__}")
        if not 0 < weight < float("inf"):
            raise ValueError(f"weights must be greater than 0 and finite, found {weight}")
    return [float(weight) for weight in weights]


def _choice(name: str, value: Any, choices: Sequence[str]) -> Any:
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, found {value!r}")
    return value


def _skips(filter: Any) -> dict[str, Any]:
    """The fields of a filter, checked."""
    if not isinstance(filter, Filter):
        raise TypeError(f"filter must be a setwise.loader.Filter, found {type(filter).__name__}")
    fields = filter._asdict()
    points, pieces = fields["soft_early_points"], fields["pieces"]
    others = fields.keys() - {"skip", "soft_early_points", "pieces"}
    fields |= {name: _checked(name, fields[name]) for name in others}
    fields["skip"] = _number("skip", filter.skip, 0.0, 1.0)
    points = [tuple(_number("soft_early_points", number) for number in point) for point in points]
    if [len(point) for point in points] != [2] * 4:
        raise ValueError("soft_early_points must be four pairs of ply and probability")
    fields["soft_early_points"] = points
    if pieces is not None:
        fields["pieces"] = [_number("pieces", number) for number in pieces]
        if len(fields["pieces"]) != 5:
            raise ValueError(f"pieces must be five numbers, found {len(fields['pieces'])}")
    _setwise._is_stockfish(fields)  # which also checks what depends on several numbers
    return fields


def _part(part: Any) -> Any:
    """A part of inputs for the extension, checked."""
    if isinstance(part, Table):
        base = _numbers("base", part.base, (12, 12, 2))
        return base, _numbers("place", part.place, (12, 64, 64)), _files(part.mirrored)
    if isinstance(part, Pieces):
        planes = [None if p is None else _integer("planes", p, 0, 255) for p in part.planes]
        buckets = [_integer("buckets", bucket, 0, 255) for bucket in part.buckets]
        for name, values, length in ("planes", planes, 12), ("buckets", buckets, 64):
            if len(values) != length:
                raise ValueError(f"{name} must have {length} numbers, found {len(values)}")
        return planes, buckets, _files(part.mirrored)
    if isinstance(part, str):
        return part
    raise TypeError(f"features must be names, Tables or Pieces, found {type(part).__name__}")


def _policy(policy: Any) -> Any:
    """A policy for the extension, checked."""
    if policy is None:
        return None
    if isinstance(policy, str):
        return _choice("policy", policy, ("lists", "squares", "lc0"))
    numbers = numpy.asarray(policy)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"policy must be a name or have integers, found {numbers.dtype}")
    if numbers.shape != (_MOVES,):
        raise ValueError(f"policy must have the shape ({_MOVES},), found {numbers.shape}")
    if numbers.min() < -1 or numbers.max() > 65_534:
        raise ValueError("policy must have numbers from -1 to 65534")
    return numpy.ascontiguousarray(numbers, "i8")


def _numbers(name: str, numbers: Any, shape: tuple[int, ...]) -> numpy.ndarray:
    array = numpy.asarray(numbers)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must have integers, found {array.dtype}")
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, found {array.shape}")
    if array.min() < 0 or array.max() > EXCLUDED:
        raise ValueError(f"{name} must have numbers from 0 to {EXCLUDED}")
    return numpy.ascontiguousarray(array, "u4").ravel()


def _files(mirrored: Any) -> int:
    if not isinstance(mirrored, str) or len(set(mirrored) & set("abcdefgh")) != len(mirrored):
        raise ValueError(f"mirrored must be letters from a to h, each once, found {mirrored!r}")
    return sum(1 << "abcdefgh".index(file) for file in mirrored)
