"""Operations as Polars expressions. Arguments are column names or expressions.

>>> import polars as pl, setwise.polars as sp
>>> frame = pl.DataFrame({"fen": ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", None]})
>>> frame = frame.select(sp.from_fen("fen")).unnest("from_fen")
>>> frame.select(sp.rook_attacks("white_rooks", "occupied"))["rook_attacks"].to_list()
[9331882296111890814, None]
>>> positions = pl.struct("^(white|black)_.*s$")
>>> maps = frame.select(sp.attack_maps(positions).struct.field("white_by_lesser"))
>>> maps["white_by_lesser"].to_list()
[0, None]

An argument that is a number stands for a column of equal numbers. Columns may have any type of
integers, such as that of `pl.lit(0)`, but sets in results are always unsigned. The result is null
where an argument is null. An operation with two results gives a struct with two fields. `threads`
has the same meaning as in `setwise`. The expressions also work in lazy and streaming queries.

`from_fen` returns a struct of sets. `attack_maps` and `checks` take whole positions as a struct.
"""

import inspect as _inspect
from typing import Any

try:
    import polars as _polars
except ImportError as error:
    raise ImportError("setwise.polars needs Polars: pip install setwise[polars]") from error

from . import _fen, _maps, _setwise

_TYPES = {"uint32": _polars.UInt32, "uint64": _polars.UInt64}
_POSITION = dict.fromkeys(
    [
        *_maps.PIECES,
        *(f"{side}_{kind}" for kind in ("orthogonal", "diagonal") for side in ("white", "black")),
        "occupied",
    ],
    _polars.UInt64,
) | {"black_to_move": _polars.Boolean}


def _column(column: Any, dtype: Any) -> Any:
    """The expression for an argument."""
    if isinstance(column, int) and not isinstance(column, bool):
        return _polars.lit(column % 2**64 if dtype == _polars.UInt64 else column, dtype)
    return _polars.col(column) if isinstance(column, str) else column


def _unsigned(column: Any, dtype: Any = _polars.UInt64) -> Any:
    """A column of integers, unsigned. Those of 64 bits keep their bits, others their numbers."""
    if column.dtype == _polars.Int64:
        return column.reinterpret(signed=False)
    if column.dtype.is_integer() and column.dtype not in (dtype, _polars.UInt64):
        return column.cast(_polars.UInt64)
    return column


def _columns_of(struct: Any) -> dict[str, Any]:
    """The columns of a struct, with unsigned sets."""
    return {column.name: _unsigned(column) for column in struct.struct.unnest().get_columns()}


def _batches(column: Any, compute: Any, kind: Any, name: str) -> Any:
    """An expression that calls `compute` on Series.

    `compute` returns a Series or a dict of Series.
    """

    def series(argument: Any) -> Any:
        result = compute(argument)
        if isinstance(result, dict):
            result = _polars.DataFrame(result).to_struct()
        return result.alias(argument.name)

    return column.map_batches(series, return_dtype=kind, is_elementwise=True).alias(name)


def from_fen(fens: Any, errors: str = "raise") -> Any:
    """Parses a column of FENs or EPDs to a struct of sets.

    The fields are `white_pawns` to `black_kings`, `white_orthogonal`, `black_orthogonal`,
    `white_diagonal`, `black_diagonal`, `occupied` and `black_to_move`. All are null where the
    string is null. `errors` says what to do with a string that is not a position: "raise" raises an
    error, and "null" treats the string as a null. See `setwise.from_fen`. Polars may split a column
    into parts; the index in an error message counts from the start of its part.

    >>> import polars as pl, setwise.polars as sp
    >>> frame = pl.DataFrame({"fen": ["8/8/8/8/8/8/8/7Q b", "8/9"]})
    >>> sets = frame.select(sp.from_fen("fen", errors="null")).unnest("from_fen")
    >>> sets["white_queens"].to_list()
    [128, None]
    """
    if errors not in ("raise", "null"):
        raise ValueError(f"errors is {errors!r}, but must be 'raise' or 'null'")

    def compute(column: Any) -> dict[str, Any]:
        positions = _fen.from_fen(column, errors)
        sets = [
            *positions.pieces.reshape(-1, 12).T,
            *positions.orthogonal.T,
            *positions.diagonal.T,
            positions.occupied[:, 0],
            positions.black_to_move,
        ]
        frame = _polars.DataFrame(dict(zip(_POSITION, sets)), schema=_POSITION)
        valid = _polars.lit(_polars.Series(positions.valid))
        return frame.select(_polars.when(valid).then(_polars.all())).to_dict()

    return _batches(_column(fens, None), compute, _polars.Struct(_POSITION), "from_fen")


def attack_maps(positions: Any, results: Any = None, *, threads: int | None = None) -> Any:
    """Computes the attack maps of positions, as a struct: see `setwise.attack_maps_in_columns`.

    `positions` is a struct with fields such as `white_pawns`; a missing field is empty on every
    board, and other fields are ignored. `results` names the sets to compute (None: all sixteen).

    >>> import polars as pl, setwise.polars as sp
    >>> frame = pl.DataFrame({"fen": ["8/8/8/4q3/3P4/8/8/8 w - -"]})
    >>> maps = sp.attack_maps(sp.from_fen("fen"), ["white_pawn_attacks", "white_by_lesser"])
    >>> frame.select(maps)["attack_maps"].to_list()
    [{'white_pawn_attacks': 85899345920, 'white_by_lesser': 68719476736}]
    """
    names = _maps.chosen(results)

    def compute(struct: Any) -> dict[str, Any]:
        return _maps.attack_maps_in_columns(_columns_of(struct), names, threads=threads)

    kind = _polars.Struct(dict.fromkeys(names, _polars.UInt64))
    return _batches(_column(positions, None), compute, kind, "attack_maps")


def checks(positions: Any, *, threads: int | None = None) -> Any:
    """Computes the checks and pins of both kings, as a struct: see `setwise.checks`.

    The fields are `white_king_checkers`, `white_king_pinned` and `white_king_pinners`, and the same
    for black. `positions` is a struct as in `attack_maps`.

    >>> import polars as pl, setwise.polars as sp
    >>> frame = pl.DataFrame({"fen": ["4r3/8/8/8/8/4N3/8/4K2r w - -"]})
    >>> checks = sp.checks(sp.from_fen("fen")).struct.field("white_king_pinned")
    >>> frame.select(checks)["white_king_pinned"].to_list()
    [1048576]
    """

    def compute(struct: Any) -> dict[str, Any]:
        return _maps.checks_in_columns(_columns_of(struct), threads=threads)

    kind = _polars.Struct(dict.fromkeys(_maps.CHECKS, _polars.UInt64))
    return _batches(_column(positions, None), compute, kind, "checks")


def _expression(name: str, parameter: tuple | None, inputs: list, outputs: list) -> Any:
    """Creates the function that returns an operation as an expression."""
    results = {output: _TYPES[dtype] for output, _, dtype, _ in outputs}
    kind = _polars.Struct(results) if len(results) > 1 else next(iter(results.values()))
    operation = getattr(_setwise, name)
    dtypes = [_TYPES.get(dtype, _polars.UInt8) for _, _, dtype, _ in inputs]

    def expression(*arguments: Any, **named: Any) -> Any:
        bound = signature.bind(*arguments, **named)
        value = [bound.arguments[parameter[0]]] if parameter else []
        threads = bound.arguments.get("threads")

        def compute(struct: Any) -> Any:
            given = struct.struct.unnest().get_columns()
            columns = [_unsigned(column, dtype) for column, dtype in zip(given, dtypes)]
            found = operation(*value, *columns, threads=threads)
            return found if len(results) == 1 else dict(zip(results, found))

        columns = [
            _column(bound.arguments[argument], dtype).alias(argument)
            for (argument, *_), dtype in zip(inputs, dtypes)
        ]
        return _batches(_polars.struct(columns), compute, kind, name)

    parameters = _inspect.signature(operation).parameters.values()
    named = _inspect.Parameter("threads", _inspect.Parameter.KEYWORD_ONLY, default=None)
    signature = _inspect.Signature([*parameters, named])
    expression.__signature__ = signature  # type: ignore[attr-defined]
    expression.__name__ = expression.__qualname__ = name
    # Without the example and the line about `out`.
    text = operation.__doc__.split("\n>>>")[0]
    expression.__doc__ = "\n".join(line for line in text.split("\n") if line[:6] != "  out:")
    return expression


__all__ = ["attack_maps", "checks", "from_fen"]
for _name, _parameter, _inputs, _outputs in _setwise._operations():
    if not any(dimensions for *_, dimensions in _inputs + _outputs):
        globals()[_name] = _expression(_name, _parameter, _inputs, _outputs)
        __all__.append(_name)
