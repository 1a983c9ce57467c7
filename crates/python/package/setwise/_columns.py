"""Operations on columns from pyarrow, or from a library that exports Arrow memory, such as Polars.

Values are never copied.
"""

from typing import Any

import numpy

from . import _setwise

try:
    import pyarrow
    import pyarrow.compute
except ImportError as error:
    raise ImportError(
        "columns other than numpy arrays need pyarrow: pip install setwise[arrow]"
    ) from error

#: The inputs and outputs of each operation: name, role, element type, dimensions of an element.
_OPERATIONS = {name: (inputs, outputs) for name, _, inputs, outputs in _setwise._operations()}


def call(name: str, parameter: tuple, columns: tuple, threads: int | None) -> Any:
    """Calls an operation on columns. The result is null where one of the columns is null."""
    inputs, outputs = _OPERATIONS[name]
    arrow = [_column(argument, *of) for argument, of in zip(columns, inputs)]
    if len({len(column) for column in arrow}) > 1:
        lengths = ", ".join(f"{of[0]} {len(column)}" for column, of in zip(arrow, inputs))
        raise ValueError(f"the columns differ in length: {lengths}")
    if not any(isinstance(column, pyarrow.ChunkedArray) for column in arrow):
        return _one(_results(name, parameter, arrow, threads))
    # Chunks of different columns may end at different rows. A table splits all columns into batches
    # at the same rows.
    table = pyarrow.table(arrow, names=[str(i) for i in range(len(arrow))])
    parts = [_results(name, parameter, batch.columns, threads) for batch in table.to_batches()]
    types = [pyarrow.type_for_alias(dtype) for _, _, dtype, _ in outputs]
    chunks = zip(*parts) if parts else [[]] * len(types)
    return _one([pyarrow.chunked_array(column, kind) for column, kind in zip(chunks, types)])


def _one(results: list) -> Any:
    return results[0] if len(results) == 1 else tuple(results)


def _column(argument: Any, name: str, _: str, dtype: str, dimensions: list[int]) -> Any:
    """Converts an argument to an array or a chunked array, and checks its type."""
    if dimensions:
        shape = ", ".join(map(str, ["...", *dimensions]))
        raise TypeError(f"{name} must be a numpy array of the shape ({shape})")
    column, wanted = _arrow(argument, name), pyarrow.type_for_alias(dtype)
    if column.type != wanted:
        raise TypeError(
            f"{name} is a column of {column.type}, but must be of {wanted}: cast it, "
            "for example with pyarrow.compute.cast"
        )
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
    raise TypeError(
        f"{name} is of type {type(argument)}, but must be a column like the others, "
        "or a numpy array"
    )


def _numbers(column: Any) -> numpy.ndarray:
    """The values of a column, as a numpy array that shares Arrow's memory."""
    dtype = column.type.to_pandas_dtype()
    values = column.buffers()[1]
    if values is None or len(column) == 0:
        return numpy.empty(0, dtype)
    size = numpy.dtype(dtype).itemsize
    return numpy.frombuffer(values, dtype, len(column), column.offset * size)


def _results(name: str, parameter: tuple, columns: list, threads: int | None) -> list:
    """The results for arrays of equal length."""
    validity = None
    numbers = []
    for column in columns:
        if column.null_count > 0:
            valid = pyarrow.compute.is_valid(column)
            validity = valid if validity is None else pyarrow.compute.and_(validity, valid)
            if column.type == pyarrow.uint8():
                # The stored value of a null may not be a valid square.
                column = column.fill_null(0)
        numbers.append(_numbers(column))
    results = getattr(_setwise, name)(*parameter, *numbers, threads=threads)
    if isinstance(results, numpy.ndarray):
        results = (results,)
    return [_array(result, validity) for result in results]


def _array(numbers: numpy.ndarray, validity: Any) -> Any:
    """Converts a numpy array to an Arrow array that shares numpy's memory."""
    array = pyarrow.array(numbers)
    if validity is None:
        return array
    # The values of a boolean array have the same layout as Arrow's validity bits.
    buffers = [validity.buffers()[1], array.buffers()[1]]
    return pyarrow.Array.from_buffers(array.type, len(array), buffers, offset=0)


def from_fen(fens: Any) -> tuple:
    """Parses a column of strings."""
    column = _arrow(fens, "fens")
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    parts, first = [], 0
    for chunk in chunks or [pyarrow.array([], pyarrow.large_string())]:
        parts.append(_setwise._from_bytes(*_texts(chunk, first), first))
        first += len(chunk)
    if len(parts) == 1:
        return parts[0]
    return tuple(numpy.concatenate(arrays) for arrays in zip(*parts))


def _texts(chunk: Any, first: int) -> tuple:
    """The bytes of an array's strings, and their offsets.

    In error messages the array's first row has the number `first`.
    """
    types = pyarrow.types
    if not any(
        is_of(chunk.type)
        for is_of in (types.is_string, types.is_large_string, types.is_string_view)
    ):
        raise TypeError(f"fens is a column of {chunk.type}, but must be of strings")
    if chunk.null_count > 0:
        null = pyarrow.compute.index(pyarrow.compute.is_null(chunk), True).as_py()
        raise ValueError(
            f"fens[{first + null}] is null: leave out nulls, for example with drop_null"
        )
    if not types.is_large_string(chunk.type):
        chunk = chunk.cast(pyarrow.large_string())
    _, offsets, text = chunk.buffers()
    if len(chunk) == 0:
        return numpy.empty(0, numpy.uint8), numpy.zeros(1, numpy.int64)
    offsets = numpy.frombuffer(offsets, numpy.int64, len(chunk) + 1, 8 * chunk.offset)
    return numpy.empty(0, numpy.uint8) if text is None else numpy.frombuffer(
        text, numpy.uint8
    ), offsets
