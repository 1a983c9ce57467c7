"""Calls operations with columns of pyarrow, Polars and pandas.

Columns of pyarrow and Polars are not copied if their memory is aligned. Results are never copied.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from . import _arrays, _setwise

try:
    import pyarrow
    import pyarrow.compute
except ImportError as error:
    raise ImportError(
        "columns other than numpy arrays need pyarrow: pip install setwise[arrow]"
    ) from error

_TYPES = {"uint8": pyarrow.uint8(), "uint32": pyarrow.uint32(), "uint64": pyarrow.uint64()}
_SIGNED = pyarrow.int64()
_ARRAYS = pyarrow.Array, pyarrow.ChunkedArray


def on_arrow(inputs: list, outputs: list, compute: Callable, arguments: Sequence) -> Any:
    """Calls `compute` on columns and numbers.

    A result is null where one of the columns is null. It is a chunked array if one of the arguments
    is.
    """
    columns, types = [], []
    for argument, of in zip(arguments, inputs):
        column = _arrow(argument, *of)
        if isinstance(column, _ARRAYS):
            types.append((column.type, of))
            column = _checked(column, *of)
        columns.append(column)
    given = [(c, of) for c, of in zip(columns, inputs) if isinstance(c, _ARRAYS)]
    _check_lengths([(of[0], len(column)) for column, of in given])
    length = len(given[0][0]) if given else 1
    columns = [
        pyarrow.nulls(length, _TYPES[of[2]]) if column is None else column
        for column, of in zip(columns, inputs)
    ]
    signed = _arrays.is_signed(types)
    kinds = [_SIGNED if signed and of[2] == "uint64" else _TYPES[of[2]] for of in outputs]
    chunked = [column for column in columns if isinstance(column, pyarrow.ChunkedArray)]
    if not chunked:
        results = _results(inputs, kinds, compute, columns)
        return _arrays.one(results if given else [result[0] for result in results])
    parts = [_results(inputs, kinds, compute, batch) for batch in _batches(columns)]
    chunks = zip(*parts) if parts else [[]] * len(kinds)
    return _arrays.one([pyarrow.chunked_array(c, kind) for c, kind in zip(chunks, kinds)])


def on_polars(inputs: list, outputs: list, compute: Callable, arguments: Sequence) -> Any:
    """Calls `compute` on Polars Series, and returns Series with the name of the first one."""
    import polars

    _arrays.shortcuts[polars.Series] = _plain
    results = _arrays.one_tuple(on_arrow(inputs, outputs, compute, arguments))
    name = next(a.name for a in arguments if isinstance(a, polars.Series))
    return _arrays.one([polars.Series(name, result) for result in results])


def on_pandas(inputs: list, outputs: list, compute: Callable, arguments: Sequence) -> Any:
    """Calls `compute` on pandas Series. Returns Series with the index and name of the first one."""
    import pandas

    series = {
        of[0]: argument
        for argument, of in zip(arguments, inputs)
        if isinstance(argument, pandas.Series)
    }
    (first_name, first), *others = series.items()
    for name, other in others:
        _check_lengths([(first_name, len(first)), (name, len(other))])
        if other.index is not first.index and not other.index.equals(first.index):
            raise ValueError(
                f"{name} has another index than {first_name}: align them, for example with "
                f"{name}.reindex({first_name}.index)"
            )
    extension = [s.dtype for s in series.values() if not isinstance(s.dtype, numpy.dtype)]
    if extension:
        arguments = [arrow(a) if isinstance(a, pandas.Series) else a for a in arguments]
        results = _arrays.one_tuple(on_arrow(inputs, outputs, compute, arguments))
        results = tuple(_pandas_array(result, extension) for result in results)
    else:
        arguments = [a.to_numpy() if isinstance(a, pandas.Series) else a for a in arguments]
        results = _arrays.one_tuple(_arrays.on_arrays(inputs, outputs, compute, arguments))
    return _arrays.one([pandas.Series(r, first.index, name=first.name) for r in results])


def _pandas_array(result: Any, extension: list) -> Any:
    """Converts a result to a pandas array.

    `extension` holds the arguments' extension dtypes. If the first one is Arrow-backed, so is the
    array; otherwise the array is nullable.
    """
    import pandas

    name = str(result.type)
    if isinstance(extension[0], pandas.ArrowDtype):
        dtype: Any = pandas.ArrowDtype(result.type)
    else:
        dtype = pandas.api.types.pandas_dtype(name.replace("uint", "UInt").replace("int", "Int"))
    return dtype.__from_arrow__(result)


def _check_lengths(lengths: list[tuple[str, int]]) -> None:
    if any(length != lengths[0][1] for _, length in lengths):
        text = ", ".join(f"{name} {length}" for name, length in lengths)
        raise ValueError(f"the columns differ in length: {text}")


def _batches(columns: list) -> list:
    """Splits the columns into batches. Chunks of different columns may end at different rows, so a
    pyarrow table splits all columns at the same rows."""
    if all(getattr(column, "num_chunks", 1) == 1 for column in columns):
        return [[c.chunk(0) if hasattr(c, "chunk") else c for c in columns]]
    arrays = {str(i): c for i, c in enumerate(columns) if isinstance(c, _ARRAYS)}
    batches = pyarrow.table(list(arrays.values()), names=list(arrays)).to_batches()
    return [
        [batch.column(str(i)) if str(i) in arrays else c for i, c in enumerate(columns)]
        for batch in batches
    ]


def _arrow(argument: Any, name: str, role: str, dtype: str, dimensions: list[int]) -> Any:
    """Converts an argument to an array, a chunked array or a number. Returns None for a null."""
    if isinstance(argument, pyarrow.Scalar):
        argument = argument.as_py()
    if argument is None:
        return None
    if isinstance(argument, (int, numpy.generic)):
        return _arrays.numbers(argument, name, role, dtype, dimensions)
    if isinstance(argument, numpy.ndarray):
        return _of_array(argument, name, role, dtype, dimensions)
    if (wide := str(getattr(argument, "dtype", ""))) in ("Int128", "UInt128"):  # not in Arrow
        raise _arrays.wrong_type(f"{name} is a column of {wide}", wide.lower(), dtype)
    return arrow(argument)


def _checked(column: Any, name: str, _: str, dtype: str, __: list[int]) -> Any:
    """Checks the type of a column. Casts columns of nulls, sets in decimals without a fraction (as
    databases without unsigned types store them), and squares of other integer types."""
    kind = column.type
    if kind == _TYPES[dtype] or dtype == "uint64" and kind == _SIGNED:
        return column
    if pyarrow.types.is_null(kind):
        return column.cast(_TYPES[dtype])
    if dtype == "uint64" and pyarrow.types.is_decimal(kind) and kind.scale == 0:
        try:
            return column.cast(_TYPES[dtype])
        except pyarrow.ArrowInvalid as error:
            raise ValueError(f"{name}: a board has 64 bits: {error}") from None
    if dtype == "uint8" and pyarrow.types.is_integer(kind):
        _arrays.squares(column.fill_null(0).to_numpy(), name)
        return column.cast(_TYPES[dtype])
    raise _arrays.wrong_type(f"{name} is a column of {kind}", str(kind), dtype)


def arrow(argument: Any) -> Any:
    """Converts a column to an array or chunked array of pyarrow. Decodes dictionaries: pandas
    categories, Polars' Categorical and Enum, DuckDB's ENUM."""
    if not isinstance(argument, _ARRAYS):
        is_stream = hasattr(argument, "__arrow_c_stream__")
        if _arrays.kind_of(argument) != "pandas" and is_stream:
            argument = pyarrow.chunked_array(argument)
        else:
            argument = pyarrow.array(argument)
    if not pyarrow.types.is_dictionary(argument.type):
        return argument
    kind = argument.type.value_type
    if str(kind).endswith("_view"):  # for which Arrow lacks `take`
        kind = pyarrow.large_binary() if "binary" in str(kind) else pyarrow.large_string()
    if isinstance(argument, pyarrow.ChunkedArray):
        return pyarrow.chunked_array(map(arrow, argument.chunks), kind)
    return argument.dictionary.cast(kind).take(argument.indices)


def _of_array(argument: numpy.ndarray, *of: Any) -> Any:
    array = _arrays.numbers(argument, *of)
    if array.ndim != 1:
        raise ValueError(
            f"{of[0]} has the shape {list(array.shape)}, but other arguments are columns: it must "
            "have one dimension"
        )
    is_signed = argument.dtype.newbyteorder("=") == numpy.int64 and of[2] == "uint64"
    return pyarrow.array(array.view(numpy.int64) if is_signed else array)


def _results(inputs: list, kinds: list, compute: Callable, columns: list) -> list:
    """Computes on Arrow arrays of equal length, and on numbers. Returns Arrow arrays, which share
    the memory of the results."""
    length = next((len(column) for column in columns if isinstance(column, pyarrow.Array)), 1)
    validity = None
    arrays: list = []
    for column, (_, _, dtype, _) in zip(columns, inputs):
        if not isinstance(column, pyarrow.Array):
            arrays.append(numpy.full(length, column))
            continue
        if column.null_count > 0:
            valid = pyarrow.compute.is_valid(column)
            validity = valid if validity is None else pyarrow.compute.and_(validity, valid)
            if dtype == "uint8":  # the value stored for a null need not be a square
                column = column.fill_null(0)
            buffers = [None, column.buffers()[1]]
            column = pyarrow.Array.from_buffers(column.type, length, buffers, 0, column.offset)
        arrays.append(numpy.require(column.to_numpy().view(dtype), requirements="A"))
    results = _arrays.one_tuple(compute(tuple(arrays), None))
    return [_array(result, kind, validity) for result, kind in zip(results, kinds)]


def _array(numbers: numpy.ndarray, kind: Any, validity: Any) -> Any:
    """Converts a numpy array to an Arrow array that shares numpy's memory."""
    # The values of a boolean array have the same layout as Arrow's validity bits.
    bits = None if validity is None else validity.buffers()[1]
    return pyarrow.Array.from_buffers(kind, len(numbers), [bits, pyarrow.py_buffer(numbers)])


#: The function that calls an operation on columns, by the kind of the columns.
CALLS = {"arrow": on_arrow, "polars": on_polars, "pandas": on_pandas}


_SET, _SIGNED_SET = _arrays._SETS
#: For each operation: the numpy types of the inputs, the Arrow types of the outputs for unsigned
#: sets, and those for signed sets.
_PLAIN = {
    name: (
        [numpy.dtype(of[2]) for of in inputs],
        [_TYPES[of[2]] for of in outputs],
        [_SIGNED if of[2] == "uint64" else _TYPES[of[2]] for of in outputs],
    )
    for name, (inputs, outputs) in _arrays.OPERATIONS.items()
}
_DTYPES: dict[Any, Any] = {
    pyarrow.UInt64Array: _SET,
    pyarrow.Int64Array: _SIGNED_SET,
    pyarrow.UInt8Array: numpy.dtype("u1"),
}

#: The names of these types in Polars.
_POLARS = "UInt64", "Int64", "UInt8"


def _plain_array(column: Any, is_polars: bool) -> Any:
    """The numbers of a column without nulls and with one chunk, or None."""
    if is_polars:
        is_plain = column.n_chunks() == 1 and not column.null_count()
        is_plain = is_plain and str(column.dtype) in _POLARS
        return column.to_numpy() if is_plain else None
    if type(column) is pyarrow.ChunkedArray and column.num_chunks == 1:
        column = column.chunk(0)
    dtype = _DTYPES.get(type(column))
    if dtype is None or column.null_count or not len(column):
        return None
    offset = column.offset * dtype.itemsize
    array = numpy.frombuffer(column.buffers()[1], dtype, len(column), offset)
    return array if array.flags.aligned else array.copy()


def _plain(name: str, number: int, parameter: int, columns: tuple, threads: int | None) -> Any:
    """Calls an operation on columns in the simplest case, else returns None.

    In this case all columns are of pyarrow or all of Polars, and have one chunk and no nulls. Sets
    are all uint64 or all int64, and squares are uint8. `on_arrow` takes two to three times the time
    for up to 1,024 boards (on a Zen 5).
    """
    inputs, unsigned, signed = _PLAIN[name]
    first = columns[0]
    is_polars = hasattr(first, "n_chunks")
    arrays, types = [], set()
    for column, dtype in zip(columns, inputs):
        if is_polars and type(column) is not type(first):
            return None
        array = _plain_array(column, is_polars)
        if array is None or len(array) != len(first):
            return None
        if dtype == _SET:
            if array.dtype not in _arrays._SETS:
                return None
            types.add(array.dtype)
            array = array.view(_SET)
        elif array.dtype != dtype:
            return None
        arrays.append(array)
    if len(types) > 1:
        return None
    kinds = signed if types == {_SIGNED_SET} else unsigned
    results = _arrays.one_tuple(_setwise._call(number, parameter, tuple(arrays), None, threads))
    found = [_array(result, kind, None) for result, kind in zip(results, kinds)]
    if is_polars:
        found = [type(first)(first.name, column) for column in found]
    elif any(type(column) is pyarrow.ChunkedArray for column in columns):
        found = [pyarrow.chunked_array([column]) for column in found]
    return _arrays.one(found)


_arrays.shortcuts |= dict.fromkeys([pyarrow.ChunkedArray, *_DTYPES], _plain)


def from_fen(fens: Any, bad_is_null: bool) -> tuple:
    """Parses a column of strings to the arrays of `Parsed`."""
    column = arrow(fens)
    if column.null_count == len(column) > 0:
        column = pyarrow.nulls(len(column))
    try:
        texts = column.cast("large_binary")
    except pyarrow.ArrowNotImplementedError:
        message = f"fens is a column of {column.type}, but must be of strings or bytes"
        raise TypeError(message) from None
    parts, first = [], 0
    for chunk in texts.chunks if isinstance(texts, pyarrow.ChunkedArray) else [texts]:
        if len(chunk) > 0:
            parts.append(_setwise._from_bytes(*_texts(chunk), first, bad_is_null))
        first += len(chunk)
    if not parts:
        return _setwise._from_list([], bad_is_null)
    return parts[0] if len(parts) == 1 else tuple(map(numpy.concatenate, zip(*parts)))


def _texts(chunk: Any) -> tuple:
    """Three numpy arrays for an array of strings: the bytes, the offsets, and the validity.

    The validity says which strings are not null. It is None if none is null.
    """
    valid = chunk.is_valid().to_numpy(zero_copy_only=False) if chunk.null_count > 0 else None
    _, offsets, text = chunk.buffers()
    offsets = numpy.frombuffer(offsets, "i8", len(chunk) + 1, 8 * chunk.offset)
    text = numpy.empty(0, "u1") if text is None else numpy.frombuffer(text, "u1")
    return text, numpy.require(offsets, requirements="A"), valid
