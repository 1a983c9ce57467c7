"""Columns of Arrow: from pyarrow, or from what hands over Arrow's memory, as Series of Polars do. Values are never copied."""

from typing import Any

import numpy

from . import _setwise

try:
    import pyarrow
    import pyarrow.compute
except ImportError as error:
    raise ImportError("columns that are no numpy arrays need pyarrow: pip install setwise[arrow]") from error

#: Of each operation: the names and types of its inputs, and of its outputs.
_OPERATIONS = {name: (inputs, outputs) for _, name, _, inputs, outputs in _setwise._operations()}
_TYPES = {"u64": pyarrow.uint64(), "Square": pyarrow.uint8()}


def call(name: str, index: tuple, columns: tuple, threads: int | None) -> Any:
    """An operation on columns. Where one of them is null, so is the result."""
    inputs, outputs = _OPERATIONS[name]
    arrow = [_column(argument, *of) for argument, of in zip(columns, inputs)]
    lengths = {len(column) for column in arrow}
    if len(lengths) > 1:
        told = ", ".join(f"{of[0]} {len(column)}" for column, of in zip(arrow, inputs))
        raise ValueError(f"the columns differ in length: {told}")
    chunked = [column for column in arrow if isinstance(column, pyarrow.ChunkedArray)]
    if not chunked:
        return _one(_results(name, index, arrow, threads))
    # The chunks need not begin at the same rows: a table cuts all of them there.
    table = pyarrow.table(arrow, names=[str(i) for i in range(len(arrow))])
    parts = [_results(name, index, batch.columns, threads) for batch in table.to_batches()]
    types = [pyarrow.uint32() if of[1] == "u32" else pyarrow.uint64() for of in outputs]
    return _one([pyarrow.chunked_array(chunks, kind) for chunks, kind in zip(zip(*parts) if parts else [[]] * len(types), types)])


def _one(results: list) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _column(argument: Any, name: str, kind: str) -> Any:
    """The argument as an array or a chunked array of the type."""
    wanted = _TYPES.get(kind)
    if wanted is None:
        raise TypeError(f"{name} must be a numpy array of the shape (..., 2, 6)")
    column = _arrow(argument, name)
    if column.type != wanted:
        raise TypeError(f"{name} is a column of {column.type}, but must be of {wanted}: cast it, for example by pyarrow.compute.cast")
    return column


def _arrow(argument: Any, name: str) -> Any:
    if isinstance(argument, (pyarrow.Array, pyarrow.ChunkedArray)):
        return argument
    if isinstance(argument, numpy.ndarray):
        return pyarrow.array(argument)
    if hasattr(argument, "__arrow_c_stream__"):
        return pyarrow.chunked_array(argument)
    if hasattr(argument, "__arrow_c_array__"):
        return pyarrow.array(argument)
    raise TypeError(f"{name} is of type {type(argument)}, but must be a column as the others are, or a numpy array")


def _numbers(column: Any) -> numpy.ndarray:
    """The values in Arrow's own memory."""
    dtype = column.type.to_pandas_dtype()
    values = column.buffers()[1]
    if values is None or len(column) == 0:
        return numpy.empty(0, dtype)
    size = numpy.dtype(dtype).itemsize
    return numpy.frombuffer(values, dtype, len(column), column.offset * size)


def _results(name: str, index: tuple, columns: list, threads: int | None) -> list:
    """The results of arrays of the same length."""
    nulls = [column for column in columns if column.null_count > 0]
    validity = None
    for column in nulls:
        valid = pyarrow.compute.is_valid(column)
        validity = valid if validity is None else pyarrow.compute.and_(validity, valid)
    # What stands in memory at a null need not be a square.
    filled = [column.fill_null(0) if column.null_count > 0 and column.type == pyarrow.uint8() else column for column in columns]
    results = getattr(_setwise, name)(*index, *map(_numbers, filled), threads=threads)
    if isinstance(results, numpy.ndarray):
        results = (results,)
    return [_array(result, validity) for result in results]


def _array(numbers: numpy.ndarray, validity: Any) -> Any:
    """An array in numpy's memory."""
    array = pyarrow.array(numbers)
    if validity is None:
        return array
    # A boolean array's values are the bits that Arrow keeps nulls in.
    return pyarrow.Array.from_buffers(array.type, len(array), [validity.buffers()[1], array.buffers()[1]], offset=0)


def from_fen(fens: Any) -> tuple:
    """The positions of a column of strings."""
    column = _arrow(fens, "fens")
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    parts, first = [], 0
    for chunk in chunks or [pyarrow.array([], pyarrow.large_string())]:
        if not any(is_of(chunk.type) for is_of in (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_string_view)):
            raise TypeError(f"fens is a column of {chunk.type}, but must be of strings")
        if chunk.null_count > 0:
            null = pyarrow.compute.index(pyarrow.compute.is_null(chunk), True).as_py()
            raise ValueError(f"fens[{first + null}] is null: leave such rows out, for example by drop_null")
        if not pyarrow.types.is_large_string(chunk.type):
            chunk = chunk.cast(pyarrow.large_string())
        _, offsets, bytes_ = chunk.buffers()
        if len(chunk) == 0:
            offsets_, bytes_ = numpy.zeros(1, numpy.int64), None
        else:
            offsets_ = numpy.frombuffer(offsets, numpy.int64, len(chunk) + 1, 8 * chunk.offset)
        text = numpy.frombuffer(bytes_, numpy.uint8) if bytes_ is not None else numpy.empty(0, numpy.uint8)
        parts.append(_setwise._from_bytes(text, offsets_, first))
        first += len(chunk)
    return parts[0] if len(parts) == 1 else tuple(numpy.concatenate(arrays) for arrays in zip(*parts))
