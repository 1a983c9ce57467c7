"""Conversion of numpy arrays and numbers to the arrays that the extension takes, and back."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from . import _setwise

#: The inputs and outputs of each operation. Each has a name, a role, an element type, and the
#: dimensions of an element.
OPERATIONS = {name: (inputs, outputs) for name, _, inputs, outputs in _setwise._operations()}

_SETS = numpy.dtype("u8"), numpy.dtype("i8")
#: The kind of an argument (see `kind_of`), by its Python type.
_kinds: dict[type, str] = {}
#: Faster functions for calls on the most common columns, by the type of the first argument. They
#: return None for arguments that they do not support.
shortcuts: dict[type, Callable] = {}


def kind_of(argument: Any) -> str:
    """The kind of an argument: number, numpy, arrow, polars, pandas, index (of pandas) or other."""
    return _kinds.get(type(argument)) or _kind(type(argument))


def _kind(of: type) -> str:
    names = {f"{base.__module__.partition('.')[0]}.{base.__name__}" for base in of.__mro__}
    if issubclass(of, numpy.ndarray):
        kind = "numpy"
    elif issubclass(of, (int, numpy.generic)):
        kind = "number"
    elif "polars.Series" in names:
        kind = "polars"
    elif "pandas.Series" in names:
        kind = "pandas"
    elif "pandas.Index" in names:
        kind = "index"
    elif {"__arrow_c_array__", "__arrow_c_stream__"} & set(dir(of)) or "pyarrow.Scalar" in names:
        kind = "arrow"
    else:
        kind = "other"
    _kinds[of] = kind
    return kind


def is_signed(columns: list) -> bool:
    """Whether sets in results are signed. They are if all columns of sets in the arguments are.

    `columns` holds, for each column, its numpy or pyarrow type and the description of its input.
    Without columns of sets, the columns of squares decide.
    """
    types = [str(dtype) for dtype, of in columns if of[2] == "uint64"]
    types = types or [str(dtype) for dtype, _ in columns]
    return bool(types) and all(dtype.startswith("int") for dtype in types)


def on_arrays(
    inputs: list, outputs: list, compute: Callable, arguments: Sequence, out: Any = None
) -> Any:
    """Converts numpy arrays and numbers, calls `compute` on them, and converts its results."""
    arrays = _broadcast([numbers(a, *of) for a, of in zip(arguments, inputs)], inputs)
    if out is not None:
        compute(arrays, _unsigned(outputs, out))
        return out
    results: list = [*one_tuple(compute(arrays, None))]
    given = [(a, of) for a, of in zip(arguments, inputs) if isinstance(a, numpy.ndarray)]
    if not given:
        return one([result[()] for result in results])
    if is_signed([(array.dtype.newbyteorder("="), of) for array, of in given]):
        results = [r.view(numpy.int64) if r.dtype == numpy.uint64 else r for r in results]
    return one(results)


def one(results: Sequence) -> Any:
    """The single result, or all results as a tuple."""
    return results[0] if len(results) == 1 else tuple(results)


def one_tuple(results: Any) -> tuple:
    """The results as a tuple: the opposite of `one`."""
    return results if isinstance(results, tuple) else (results,)


def numbers(argument: Any, name: str, _: str, dtype: str, dimensions: list[int]) -> Any:
    """Converts an array or a single number to an array of the input's element type."""
    if isinstance(argument, (int, numpy.integer)) and not isinstance(argument, bool):
        return _number(int(argument), name, dtype)
    if isinstance(argument, numpy.ma.MaskedArray):
        is_column = argument.ndim == 1 and not dimensions
        other = f"pyarrow.array({name}), which has nulls" if is_column else f"{name}.data"
        raise TypeError(f"{name} is a masked array: pass {other}")
    array = numpy.asarray(argument)
    native = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
    if dtype == "uint64" and native in _SETS:
        array = array.astype(native, copy=False).view(numpy.uint64)
    elif dtype == "uint8" and native.kind in "iu":
        if native != numpy.uint8:
            array = squares(array, name)
    else:
        raise wrong_type(f"{name} is an array of {array.dtype}", str(native), dtype)
    if dimensions and array.shape[-len(dimensions) :] != tuple(dimensions):
        raise ValueError(
            f"{name} has the shape {list(array.shape)}, but the last dimensions must be "
            f"{dimensions}"
        )
    return array


def is_null(value: Any) -> bool:
    """Whether an object is None, NaN, NaT or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def wrong_type(message: str, found: str, dtype: str) -> TypeError:
    """The error for an array or a column of the type `found` instead of `dtype`, with advice."""
    wanted = "uint64, or of int64 as the same bits" if dtype == "uint64" else "uint8"
    advice = ""
    if found in ("float64", "double"):
        advice = ": a board does not fit in the 53 bits of a float, so read it as an integer"
    elif found == "object":
        advice = (
            ": pyarrow.array(ARRAY, 'uint64') or SERIES.astype('UInt64') makes a column of "
            "Python's integers"
        )
    elif found.startswith(("int", "uint")):
        advice = ": cast it to uint64, which keeps the numbers"
    return TypeError(f"{message}, but must be of {wanted}{advice}")


def _number(argument: int, name: str, dtype: str) -> numpy.ndarray:
    low, high = (0, 64) if dtype == "uint8" else (-(2**63), 2**64)
    if not low <= argument < high:
        limits = "a square is 0 to 63" if dtype == "uint8" else "a board has 64 bits"
        raise ValueError(f"{name} is {argument}, but {limits}")
    return numpy.array(argument % 2**64, dtype)


def squares(array: numpy.ndarray, name: str) -> numpy.ndarray:
    """Converts integers of another type to squares."""
    wrong = numpy.flatnonzero((array < 0) | (array > 63))
    if wrong.size:
        at = int(wrong[0])
        raise ValueError(f"{name}: number {at} is {array.flat[at]}, but squares are 0 to 63")
    return array.astype(numpy.uint8)


def _broadcast(arrays: list, inputs: list) -> tuple:
    """Broadcasts arrays to one shape, in C order and aligned. Copies an array only if necessary."""
    shapes = [array.shape[: array.ndim - len(of[3])] for array, of in zip(arrays, inputs)]
    try:
        shape = numpy.broadcast_shapes(*shapes)
    except ValueError:
        named = {of[0]: list(shape) for of, shape in zip(inputs, shapes) if shape != ()}
        (first, expected), *others = named.items()
        name, found = next(other for other in others if other[1] != expected)
        raise ValueError(
            f"{name} has the shape {found}, but {first} {expected}: all must have the same, or "
            "numpy must be able to broadcast them"
        ) from None
    arrays = [numpy.broadcast_to(a, (*shape, *of[3])) for a, of in zip(arrays, inputs)]
    return tuple(numpy.require(array, requirements=["C", "ALIGNED"]) for array in arrays)


def _unsigned(outputs: list, out: Any, name: str = "out") -> Any:
    """The arrays of `out`, those of signed sets as unsigned ones. The extension checks them."""
    if isinstance(out, tuple):
        if len(out) != len(outputs):
            return out  # The extension names the arrays that it must have.
        return tuple(_unsigned([of], array, of[0]) for array, of in zip(out, outputs))
    if isinstance(out, numpy.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass its data, and set the mask yourself")
    is_signed = isinstance(out, numpy.ndarray) and out.dtype == numpy.int64
    return out.view(numpy.uint64) if is_signed and outputs[0][2] == "uint64" else out
