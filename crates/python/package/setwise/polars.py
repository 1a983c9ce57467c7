"""Expressions of Polars: every operation on columns of sets, with names of columns or expressions in place of arrays.

>>> import polars as pl, setwise.polars as sp
>>> frame = pl.DataFrame({"rooks": [1, None], "occupied": [0, 0]}, schema={"rooks": pl.UInt64, "occupied": pl.UInt64})
>>> frame.select(sp.rook_attacks("rooks", "occupied").alias("attacks"))["attacks"].to_list()
[72340172838076926, None]

Where an argument is null, so is the result. `slider_attacks_split` and `pins` give a struct of their two results. `threads` is as in `setwise`.
The operations on whole positions take no columns: they are in `setwise` alone.
"""

from typing import Any

try:
    import polars as _polars
except ImportError as error:
    raise ImportError("setwise.polars needs Polars: pip install setwise[polars]") from error

from . import _columns, _setwise

_TYPES = {"u64": _polars.UInt64, "u32": _polars.UInt32}


def _expression(name: str, has_index: bool, inputs: list, outputs: list) -> Any:
    """The function that makes an operation's expressions."""
    kinds = [_TYPES[kind] for _, kind in outputs]
    names = [output for output, _ in outputs]
    kind = kinds[0] if len(outputs) == 1 else _polars.Struct(dict(zip(names, kinds)))

    def expression(*arguments: Any, threads: int | None = None) -> Any:
        index, columns = arguments[:has_index], arguments[has_index:]
        if len(columns) != len(inputs) or len(index) != has_index:
            wanted = ", ".join(["direction or line"] * has_index + [argument for argument, _ in inputs])
            raise TypeError(f"{name} takes {has_index + len(inputs)} arguments ({wanted}), not {len(arguments)}")

        def compute(struct: Any) -> Any:
            result = _columns.call(name, index, tuple(struct.struct.unnest().get_columns()), threads)
            if len(outputs) == 1:
                return _polars.Series(struct.name, result)
            return _polars.DataFrame(dict(zip(names, result))).to_struct(struct.name)

        columns = [_polars.col(column) if isinstance(column, str) else column for column in columns]
        fields = [column.alias(argument) for column, (argument, _) in zip(columns, inputs)]
        return _polars.struct(fields).map_batches(compute, return_dtype=kind, is_elementwise=True).alias(name)

    expression.__name__ = expression.__qualname__ = name
    expression.__doc__ = f"`setwise.{name}` as an expression."
    return expression


__all__ = []
for _group, _name, _index, _inputs, _outputs in _setwise._operations():
    if _group != "positions":
        globals()[_name] = _expression(_name, bool(_index), _inputs, _outputs)
        __all__.append(_name)
