"""Operations as Polars expressions. Arguments are column names or expressions.

>>> import polars as pl, setwise.polars as sp
>>> schema = {"rooks": pl.UInt64, "occupied": pl.UInt64}
>>> frame = pl.DataFrame({"rooks": [1, None], "occupied": [0, 0]}, schema=schema)
>>> frame.select(sp.rook_attacks("rooks", "occupied").alias("attacks"))["attacks"].to_list()
[72340172838076926, None]

The result is null where an argument is null. An operation with two results gives a struct with two
fields. `threads` has the same meaning as in `setwise`. Operations on whole positions are only in
`setwise`, because whole positions are not columns of numbers.
"""

from typing import Any

try:
    import polars as _polars
except ImportError as error:
    raise ImportError("setwise.polars needs Polars: pip install setwise[polars]") from error

from . import _columns, _setwise

_TYPES = {"uint32": _polars.UInt32, "uint64": _polars.UInt64}


def _expression(name: str, parameter: tuple | None, inputs: list, outputs: list) -> Any:
    """Creates the function that returns an operation as an expression."""
    wanted = [parameter[0]] if parameter else []
    wanted += [argument for argument, *_ in inputs]
    results = {output: _TYPES[dtype] for output, _, dtype, _ in outputs}
    kind = _polars.Struct(results) if len(results) > 1 else next(iter(results.values()))

    def expression(*arguments: Any, threads: int | None = None) -> Any:
        if len(arguments) != len(wanted):
            names = ", ".join(wanted)
            raise TypeError(f"{name} takes {len(wanted)} arguments ({names}), not {len(arguments)}")
        value, columns = arguments[: -len(inputs)], arguments[-len(inputs) :]

        def compute(struct: Any) -> Any:
            columns = struct.struct.unnest().get_columns()
            result = _columns.call(name, value, tuple(columns), threads)
            if len(results) == 1:
                return _polars.Series(struct.name, result)
            return _polars.DataFrame(dict(zip(results, result))).to_struct(struct.name)

        columns = [_polars.col(column) if isinstance(column, str) else column for column in columns]
        fields = [column.alias(argument) for column, (argument, *_) in zip(columns, inputs)]
        batches = _polars.struct(fields).map_batches(
            compute, return_dtype=kind, is_elementwise=True
        )
        return batches.alias(name)

    expression.__name__ = expression.__qualname__ = name
    expression.__doc__ = f"`setwise.{name}` as a Polars expression."
    return expression


__all__ = []
for _name, _parameter, _inputs, _outputs in _setwise._operations():
    if not any(dimensions for *_, dimensions in _inputs + _outputs):
        globals()[_name] = _expression(_name, _parameter, _inputs, _outputs)
        __all__.append(_name)
