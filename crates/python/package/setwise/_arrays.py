"""Finds the kind of an argument, and calls operations on numpy arrays that must be converted."""

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
    arguments = [of_objects(a, of[0]) for a, of in zip(arguments, inputs)]
    arrays = _broadcast([numbers(a, *of) for a, of in zip(arguments, inputs)], inputs)
    if out is not None:
        return _to_out(outputs, compute, arrays, out)
    results: list = [*one_tuple(compute(arrays, None))]
    given = [(a, of) for a, of in zip(arguments, inputs) if isinstance(a, numpy.ndarray)]
    if not given:
        return one([result[()] for result in results])
    if is_signed([(array.dtype.newbyteorder("="), of) for array, of in given]):
        results = [r.view(numpy.int64) if r.dtype == numpy.uint64 else r for r in results]
    if any(isinstance(argument, numpy.ma.MaskedArray) for argument in arguments):
        mask = _mask(arguments, inputs)
        results = [_masked(result, mask) for result in results]
    return one(results)


def one(results: Sequence) -> Any:
    """The single result, or all results as a tuple."""
    return results[0] if len(results) == 1 else tuple(results)


def one_tuple(results: Any) -> tuple:
    """The results as a tuple: the opposite of `one`."""
    return results if isinstance(results, tuple) else (results,)


def numbers(argument: Any, name: str, _: str, dtype: str, dimensions: list[int]) -> Any:
    """Converts an array or a single number to an array of the input's element type.

    For masked elements, the result holds arbitrary sets, or the square 0.
    """
    if isinstance(argument, (int, numpy.integer)) and not isinstance(argument, bool):
        return _number(int(argument), name, dtype)
    masked = isinstance(argument, numpy.ma.MaskedArray)
    if masked:
        argument = argument.filled(0) if dtype == "uint8" else argument.data
    array = numpy.asarray(argument)
    native = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
    if dtype == "uint64" and native in _SETS:
        array = array.astype(native, copy=False).view(numpy.uint64)
    elif dtype == "uint8" and native.kind in "iu":
        if native != numpy.uint8:
            array = squares(array, name)
    else:
        raise TypeError(
            f"{name} is an array of {array.dtype}, but must be of {wanted(dtype)}{advice(native)}"
        )
    if dimensions and array.shape[-len(dimensions) :] != tuple(dimensions):
        raise ValueError(
            f"{name} has the shape {list(array.shape)}, but the last dimensions must be "
            f"{dimensions}"
        )
    return array


def of_objects(argument: Any, name: str) -> Any:
    """Converts an array of objects to one of integers, masked if some are None, NaN or pandas.NA.
    Returns other arguments unchanged."""
    if not isinstance(argument, numpy.ndarray) or argument.dtype != object:
        return argument
    masked = numpy.ma.getmaskarray(argument)
    null = numpy.array([is_null(x) for x in argument.flat], bool).reshape(argument.shape) | masked
    numbers = numpy.where(null, 0, argument.data if masked.any() else argument)
    for i, number in enumerate(numbers.flat):
        if not isinstance(number, (int, numpy.integer)) or isinstance(number, bool):
            raise TypeError(f"{name}: number {i} is of {type(number)}, but must be an integer")
    is_signed = any(number < 0 for number in numbers.flat)
    try:
        found = numbers.astype(numpy.int64 if is_signed else numpy.uint64)
    except OverflowError:
        raise ValueError(f"{name}: a number is too large: a board has 64 bits") from None
    return numpy.ma.MaskedArray(found, null) if null.any() else found


def is_null(value: Any) -> bool:
    """Whether an object is None, NaN, NaT or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def wanted(dtype: str) -> str:
    """The element types that an input accepts, for error messages."""
    return "uint64, or of int64 as the same bits" if dtype == "uint64" else "uint8"


def advice(dtype: Any) -> str:
    """The end of an error message: how to convert a column of the type `dtype`, or nothing."""
    text = str(dtype)
    if text in ("float64", "double"):
        return ": a board does not fit in the 53 bits of a float, so read it as an integer"
    if text.startswith(("int", "uint")):
        return ": cast it to uint64, which keeps the numbers"
    return ""


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
    return tuple(_in_order(array, (*shape, *of[3])) for array, of in zip(arrays, inputs))


def _in_order(array: numpy.ndarray, shape: tuple) -> numpy.ndarray:
    if array.shape != shape:
        array = numpy.broadcast_to(array, shape)
    if type(array) is numpy.ndarray and array.flags.c_contiguous and array.flags.aligned:
        return array
    return numpy.array(array, order="C")


def _mask(arguments: Sequence, inputs: list) -> Any:
    """The mask of the results, which are masked where any argument is."""
    mask: Any = False
    for argument, (*_, dimensions) in zip(arguments, inputs):
        own = numpy.ma.getmaskarray(argument)
        mask = mask | own.any(axis=tuple(range(-len(dimensions), 0))) if dimensions else mask | own
    return mask


def _masked(result: numpy.ndarray, mask: numpy.ndarray) -> numpy.ma.MaskedArray:
    mask = mask.reshape(mask.shape + (1,) * (result.ndim - mask.ndim))
    return numpy.ma.MaskedArray(result, numpy.broadcast_to(mask, result.shape))


def _to_out(outputs: list, compute: Callable, arrays: tuple, out: Any) -> Any:
    """Computes into the arrays `out`, and returns `out`.

    An array of `out` that is misaligned, not C-contiguous or not in native byte order gets its
    results by way of a temporary array.
    """
    if isinstance(out, tuple) != (len(outputs) > 1) or len(one_tuple(out)) != len(outputs):
        return compute(arrays, out)  # raises an error
    names = ["out"] if len(outputs) == 1 else [name for name, *_ in outputs]
    given = dict(zip(names, one_tuple(out)))
    targets, late = [], []
    for (name, array), (_, _, dtype, _) in zip(given.items(), outputs):
        if isinstance(array, numpy.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array: pass its data, and set the mask yourself")
        target = array
        if isinstance(array, numpy.ndarray):
            native = array.dtype.newbyteorder("=")
            if not (array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative):
                if not array.flags.writeable:
                    raise ValueError(f"{name} is read-only: pass an array that can be written to")
                target = numpy.empty(array.shape, native)
                late.append((array, target))
            if dtype == "uint64" and native in _SETS:
                target = target.view(numpy.uint64)
        targets.append(target)
    for i, (name, array) in enumerate(given.items()):
        for other in names[:i] if late else []:
            if numpy.shares_memory(array, given[other]):
                raise ValueError(f"{name} shares memory with {other}")
    compute(arrays, one(targets))
    for array, target in late:
        array[...] = target
    return out
