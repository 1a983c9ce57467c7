"""Calls of operations on arguments that need a conversion: on numpy arrays, or on columns.

The extension only calls this module if an argument needs a conversion.
"""

from collections.abc import Callable, Sequence
from typing import Any

from . import _arrays, _setwise


def call(
    name: str, number: int, parameter: int, arguments: tuple, out: Any, threads: int | None
) -> Any:
    """Calls an operation on arguments that need a conversion."""
    inputs, outputs = _arrays.OPERATIONS[name]
    shortcut = _arrays.shortcuts.get(type(arguments[0]))
    if shortcut is not None and out is None and not inputs[0][3]:
        results = shortcut(name, number, parameter, arguments, threads)
        if results is not None:
            return results

    def compute(arrays: tuple, out: Any) -> Any:
        return _setwise._call(number, parameter, arrays, out, threads)

    return run(inputs, outputs, compute, arguments, out)


def run(
    inputs: list, outputs: list, compute: Callable, arguments: Sequence, out: Any = None
) -> Any:
    """Converts the arguments, computes, and converts the results.

    `compute(arrays, out)` gets one array for each input, all of one shape. It returns one array for
    each output, as a tuple if there are several.
    """
    arguments = [a.to_numpy() if _arrays.kind_of(a) == "index" else a for a in arguments]
    kinds = [_arrays.kind_of(argument) for argument in arguments]
    columns = [kind for kind in kinds if kind not in ("numpy", "number")]
    if not columns:
        return _arrays.on_arrays(inputs, outputs, compute, arguments, out)
    for kind, argument, (name, _, dtype, dimensions) in zip(kinds, arguments, inputs):
        if kind == "other":
            raise TypeError(
                f"{name} is of type {type(argument)}, but must be a number, a numpy array, or a "
                f"column of pyarrow, Polars or pandas: numpy.array({name}, dtype=numpy.{dtype}) "
                "makes an array of a list"
            )
        if dimensions:
            shape = ", ".join(map(str, ["...", *dimensions]))
            raise TypeError(f"{name} must be a numpy array of the shape ({shape})")
    if out is not None:
        raise TypeError("out is for numpy arrays: columns give a new column")
    from . import _columns

    return _columns.CALLS[columns[0]](inputs, outputs, compute, arguments)
