"""Attack maps and checks of whole positions that are passed as columns of sets."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy

from . import _call, _setwise

SIDES = ["white", "black"]
KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"]
#: Column names: `PIECES` for the sets of a position, `MAPS` for its attack maps, `CHECKS` for its
#: checks.
PIECES = [f"{side}_{kind}s" for side in SIDES for kind in KINDS]
MAPS = [f"{side}_{kind}_attacks" for side in SIDES for kind in KINDS]
MAPS += [f"{side}_{union}" for union in ["attacks", "by_lesser"] for side in SIDES]
CHECKS = [f"{side}_king_{kind}" for kind in ["checkers", "pinned", "pinners"] for side in SIDES]


def attack_maps_in_columns(
    pieces: Mapping[str, Any],
    results: Iterable[str] | None = None,
    *,
    threads: int | None = None,
) -> dict[str, Any]:
    """Computes the sets of `attack_maps` that `results` names, for positions in columns.

    `pieces` may be a dict of columns, a DataFrame of pandas or Polars, or a table of pyarrow. Its
    twelve columns are named from `white_pawns` to `black_kings`. A missing column is empty on every
    board, and other columns are ignored.

    The names in `results` are `white_pawn_attacks` to `white_king_attacks`, `white_attacks` (all
    attacks of the side), `white_by_lesser`, and the same eight for black. `None` computes all
    sixteen sets, and fewer sets take less time. The results are columns of the kind that was
    passed.

    >>> import numpy as np, setwise
    >>> pieces = {"white_rooks": np.uint64([1, 1 << 63]), "black_kings": np.uint64([1 << 60, 0])}
    >>> maps = setwise.attack_maps_in_columns(pieces, ["white_rook_attacks"])
    >>> [hex(attacks) for attacks in maps["white_rook_attacks"]]
    ['0x1010101010101fe', '0x7f80808080808080']
    """
    names = chosen(results)
    places = [MAPS.index(name) for name in names]

    def compute(sets: tuple, _: None) -> tuple:
        flat = [array.reshape(-1) for array in sets]
        maps = _setwise._attack_maps_in_columns(flat, places, threads)
        return tuple(map_.reshape(sets[0].shape) for map_ in maps)

    return _in_columns(pieces, names, compute)


def chosen(results: Iterable[str] | None) -> list[str]:
    """The names of the maps to compute."""
    names = MAPS if results is None else list(results)
    for i, name in enumerate(names):
        if name not in MAPS:
            raise ValueError(f"results: {name!r} is not one of {', '.join(MAPS)}")
        if name in names[:i]:
            raise ValueError(f"results: {name!r} is given twice")
    return names


def checks_in_columns(pieces: Mapping[str, Any], threads: int | None) -> dict[str, Any]:
    """Computes `checks` of positions in columns."""

    def compute(sets: tuple, _: None) -> tuple:
        positions = numpy.stack(sets, axis=-1).reshape(*sets[0].shape, 2, 6)
        checks = _setwise.checks(positions, threads=threads)
        return tuple(numpy.ascontiguousarray(checks[..., i]) for i in range(len(CHECKS)))

    return _in_columns(pieces, CHECKS, compute)


def _in_columns(pieces: Any, names: list[str], compute: Any) -> dict[str, Any]:
    if hasattr(pieces, "column_names"):  # a table of pyarrow
        pieces = dict(zip(pieces.column_names, pieces.columns))
    given = [name for name in PIECES if name in pieces]
    if not given:
        raise ValueError(f"pieces has none of the columns {', '.join(PIECES)}")
    inputs, outputs = (
        [(name, "Set", "uint64", list[int]()) for name in which] for which in (PIECES, names)
    )
    columns = [pieces[name] if name in given else 0 for name in PIECES]
    results = _call.run(inputs, outputs, compute, columns)
    return dict(zip(names, [results] if len(names) == 1 else results))
