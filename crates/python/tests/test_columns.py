"""Columns of pyarrow and of Polars: nulls, chunks, slices, and no copies."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import setwise
import setwise.polars as sp

COLUMNS = [o for o in setwise._setwise._operations() if o[0] != "positions"]
MEMORY = {"u64": (np.uint64, pa.uint64()), "Square": (np.uint8, pa.uint8())}


def column(kind, count, seed, nulls):
    """An Arrow array, the same for numpy, and where it is null. What stands at a null is no square."""
    source = np.random.default_rng(seed)
    dtype, arrow = MEMORY[kind]
    numbers = source.integers(0, 64 if kind == "Square" else 2**64, count, dtype)
    null = source.random(count) < 0.2 if nulls else np.zeros(count, bool)
    numbers[null] = 255
    return pa.array(numbers, arrow, mask=null) if nulls else pa.array(numbers, arrow), np.where(null, dtype(0), numbers), null


def case(operation, nulls, count=1000):
    index = [{"Direction": "south-west", "Line": "antidiagonal"}[kind] for _, kind in operation[2]]
    columns = [column(kind, count, i, nulls and i != 1) for i, (_, kind) in enumerate(operation[3])]
    arrays, numbers, null = zip(*columns)
    right = getattr(setwise, operation[1])(*index, *numbers)
    null = np.any(null, axis=0)
    right = right if isinstance(right, tuple) else (right,)
    return index, arrays, [[None if n else v for v, n in zip(r.tolist(), null)] for r in right]


def lists(result):
    return [r.to_pylist() for r in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("operation", COLUMNS, ids=lambda o: o[1])
def test_pyarrow(operation, nulls):
    function = getattr(setwise, operation[1])
    index, arrays, right = case(operation, nulls)
    result = function(*index, *arrays)
    assert lists(result) == right
    first = result[0] if isinstance(result, tuple) else result
    assert isinstance(first, pa.Array) and (nulls or first.null_count == 0)
    first.validate(full=True)
    # From the middle: what begins at no byte of the bits of nulls.
    middle = [array.slice(13, 700) for array in arrays]
    assert lists(function(*index, *middle)) == [r[13:713] for r in right]
    # In chunks, cut elsewhere in each column.
    chunked = [pa.chunked_array([a.slice(0, 100 + i), a.slice(100 + i, 300), a.slice(400 + i)]) for i, a in enumerate(arrays)]
    result = function(*index, *chunked, threads=2)
    assert lists(result) == right
    assert all(isinstance(r, pa.ChunkedArray) for r in (result if isinstance(result, tuple) else (result,)))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("operation", COLUMNS, ids=lambda o: o[1])
def test_polars(operation, nulls):
    index, arrays, right = case(operation, nulls)
    frame = pl.DataFrame({name: pl.Series(name, array) for (name, _), array in zip(operation[3], arrays)})
    assert lists(getattr(setwise, operation[1])(*index, *frame.get_columns())) == right
    expression = getattr(sp, operation[1])(*index, *frame.columns)
    for found in [frame.select(expression), frame.lazy().select(expression).collect(engine="streaming")]:
        found = found.to_series()
        assert found.name == operation[1]
        if len(right) == 1:
            assert found.to_list() == right[0]
        else:
            fields = found.struct.unnest()
            assert [fields[name].to_list() for name, _ in operation[4]] == right


def test_expressions_are_expressions():
    frame = pl.DataFrame({"a": [1, 2], "b": [0, 3]}, schema={"a": pl.UInt64, "b": pl.UInt64})
    found = frame.with_columns(x=sp.rook_attacks(pl.col("a"), pl.col("b") | pl.col("a")))
    right = setwise.rook_attacks(frame["a"].to_numpy(), frame["b"].to_numpy())
    assert found["x"].to_list() == right.tolist()
    with pytest.raises(TypeError, match=r"rook_attacks takes 2 arguments \(rooks, occupied\), not 1"):
        sp.rook_attacks("a")


def test_values_are_not_copied():
    numbers = np.arange(1000, dtype=np.uint64)
    array = pa.array(numbers)
    assert setwise._columns._numbers(array).ctypes.data == array.buffers()[1].address
    part = array.slice(10, 5)
    assert setwise._columns._numbers(part).ctypes.data == array.buffers()[1].address + 80
    result = setwise._columns._array(numbers, None)
    assert result.buffers()[1].address == numbers.ctypes.data


def test_no_rows_and_no_chunks():
    empty = pa.array([], pa.uint64())
    assert setwise.rook_attacks(empty, empty).to_pylist() == []
    chunked = pa.chunked_array([], pa.uint64())
    assert setwise.rook_attacks(chunked, chunked).type == pa.uint64()
    assert [len(r) for r in setwise.slider_attacks_split(chunked, chunked, chunked)] == [0, 0]
    nothing = pl.Series([], dtype=pl.UInt64)
    assert len(setwise.rook_attacks(nothing, nothing)) == 0
    nulls = pa.array([None, None], pa.uint64())
    assert setwise.rook_attacks(nulls, pa.array([1, 2], pa.uint64())).to_pylist() == [None, None]


def test_errors_say_what_to_do():
    a = pa.array([1, 2], pa.uint64())
    with pytest.raises(TypeError, match="rooks is a column of int64, but must be of uint64: cast it"):
        setwise.rook_attacks(pa.array([1, 2]), a)
    with pytest.raises(ValueError, match="differ in length: rooks 2, occupied 1"):
        setwise.rook_attacks(a, a[:1])
    with pytest.raises(TypeError, match="out is for numpy arrays"):
        setwise.rook_attacks(a, a, np.empty(2, np.uint64))
    with pytest.raises(TypeError, match="occupied is of type <class 'list'>"):
        setwise.rook_attacks(a, [1, 2])
    with pytest.raises(ValueError, match="number 1 is 64, but squares are 0 to 63"):
        setwise.between(pa.array([1, 64], pa.uint8()), pa.array([1, 2], pa.uint8()))
    with pytest.raises(TypeError, match="positions must be a numpy array"):
        setwise.attack_maps(a)
    assert setwise.rook_attacks(a, np.uint64([0, 0])).to_pylist() == setwise.rook_attacks(np.uint64([1, 2]), np.uint64([0, 0])).tolist()


def test_fen():
    texts = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/8/8/8/8/7Q b", "8/8/8/8/3B4/8/8/8 w - -"] * 50
    right = setwise.from_fen(texts)
    large, small = pa.array(texts, pa.large_string()), pa.array(texts)
    for column in [large, small, small.slice(0), small.cast(pa.string_view()), pl.Series(texts),
                   pa.chunked_array([texts[:7], texts[7:7], texts[7:]]), pa.chunked_array([small.slice(0, 31), small.slice(31)])]:
        assert all(np.array_equal(a, b) for a, b in zip(setwise.from_fen(column), right))
    part = setwise.from_fen(large.slice(5, 20))
    assert np.array_equal(part.pieces, right.pieces[5:25])
    assert len(setwise.from_fen(pa.array([], pa.string())).pieces) == 0
    assert len(setwise.from_fen(pa.chunked_array([], pa.string())).pieces) == 0
    with pytest.raises(ValueError, match=r"fens\[3\]: side to move"):
        setwise.from_fen(pa.chunked_array([texts[:2], [texts[2], "8/8/8/8/8/8/8/8 x"]]))
    with pytest.raises(ValueError, match=r"fens\[1\] is null"):
        setwise.from_fen(pa.array(["8/8/8/8/8/8/8/8", None]))
    with pytest.raises(TypeError, match="must be of strings"):
        setwise.from_fen(pa.array([1]))
