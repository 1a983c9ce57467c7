"""Attack maps and checks of whole positions that are passed as columns of sets."""

from collections.abc import Iterable, Mapping
from typing import Any

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
    return _chosen_sets(pieces, chosen(results), MAPS, _setwise._attack_maps_in_columns, threads)


def checks_in_columns(
    pieces: Mapping[str, Any],
    results: Iterable[str] | None = None,
    *,
    threads: int | None = None,
) -> dict[str, Any]:
    """Computes the sets of `checks` that `results` names, for positions in columns.

    `pieces` is as in `attack_maps_in_columns`, and the results are columns of the kind that was
    passed.

    The names in `results` are `white_king_checkers` (the pieces that give check to white's king),
    `white_king_pinned` (the pieces that are pinned to it), `white_king_pinners` (the sliders that
    pin them), and the same three for black. `None` computes all six sets, and fewer sets take less
    time.

    >>> import numpy as np, setwise
    >>> pieces = {"white_rooks": np.uint64([1, 1]), "black_kings": np.uint64([1 << 56, 1 << 63])}
    >>> setwise.checks_in_columns(pieces, ["black_king_checkers"])
    {'black_king_checkers': array([1, 0], dtype=uint64)}
    """
    names = chosen(results, CHECKS)
    return _chosen_sets(pieces, names, CHECKS, _setwise._checks_in_columns, threads)


def chosen(results: Iterable[str] | None, of: list[str] = MAPS) -> list[str]:
    """The names of the sets to compute."""
    names = of if results is None else list(results)
    for i, name in enumerate(names):
        if name not in of:
            raise ValueError(f"results: {name!r} is not one of {', '.join(of)}")
        if name in names[:i]:
            raise ValueError(f"results: {name!r} is given twice")
    return names


def _chosen_sets(
    pieces: Any, names: list[str], of: list[str], call: Any, threads: int | None
) -> dict[str, Any]:
    """Calls the extension on the columns of positions, for the results with these names."""
    places = [of.index(name) for name in names]

    def compute(sets: tuple, _: None) -> tuple:
        found = call([array.reshape(-1) for array in sets], places, threads)
        return tuple(result.reshape(sets[0].shape) for result in found)

    return _in_columns(pieces, names, compute)


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
