"""Attack maps of positions in columns."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from . import _setwise

_SIDES = ["white", "black"]
_KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"]
#: The names of the sets of positions, and of their attack maps.
_PIECES = [f"{side}_{kind}s" for side in _SIDES for kind in _KINDS]
_MAPS = [f"{side}_{kind}_attacks" for side in _SIDES for kind in _KINDS]
_MAPS += [f"{side}_{union}" for union in ["attacks", "threats"] for side in _SIDES]


def attack_maps_in_columns(
    pieces: Mapping[str, Any],
    results: Iterable[str] | None = None,
    *,
    threads: int | None = None,
) -> dict[str, numpy.ndarray]:
    """Computes `attack_maps` of positions in columns: only the sets that `results` names.

    `pieces` maps `white_pawns` to `black_kings` to arrays of one dimension and equal length; a
    missing column is empty on every board. It may be a dict, or a pandas or Polars DataFrame. Other
    columns are ignored.

    The sets are named `white_pawn_attacks` to `black_king_attacks`, `white_attacks` (all attacks of
    the side) and `white_threats`, and the same for black. `None` computes all sixteen. The fewer
    sets you name, the less is computed.

    >>> import numpy as np, setwise
    >>> pieces = {"white_rooks": np.uint64([1, 1 << 63]), "black_kings": np.uint64([1 << 60, 0])}
    >>> maps = setwise.attack_maps_in_columns(pieces, ["white_rook_attacks"])
    >>> [hex(attacks) for attacks in maps["white_rook_attacks"]]
    ['0x1010101010101fe', '0x7f80808080808080']
    """
    names = _MAPS if results is None else list(results)
    for i, name in enumerate(names):
        if name not in _MAPS:
            raise ValueError(f"results: {name!r} is not one of {', '.join(_MAPS)}")
        if name in names[:i]:
            raise ValueError(f"results: {name!r} is given twice")
    columns = {name: _column(name, pieces[name]) for name in _PIECES if name in pieces}
    if not columns:
        raise ValueError(f"pieces has none of the columns {', '.join(_PIECES)}")
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ValueError(f"the columns differ in length: {lengths}")
    empty = numpy.zeros(len(next(iter(columns.values()))), numpy.uint64)
    sets = [columns.get(name, empty) for name in _PIECES]
    places = [_MAPS.index(name) for name in names]
    return dict(zip(names, _setwise._attack_maps_in_columns(sets, places, threads)))


def _column(name: str, column: Any) -> numpy.ndarray:
    array = numpy.asarray(column)
    if array.dtype == numpy.int64:  # The same bits: many systems have no unsigned integers.
        array = array.view(numpy.uint64)
    if array.dtype != numpy.uint64 or array.ndim != 1:
        raise TypeError(
            f"{name} must be an array of uint64 with one dimension, "
            f"found {array.dtype} with {array.ndim}"
        )
    return numpy.require(array, requirements=["C", "A"])
