"""Tests of signed, strided, broadcast and masked arguments, and of numbers beside columns."""

import itertools

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import case, functions, is_of_columns, results

import setwise

u64, i64 = np.uint64, np.int64


def same(found, right):
    """Whether `found` holds the numbers in `right`, or signed numbers with the same bits."""
    found = [np.asarray(column) for column in results(found)]
    return all(
        np.array_equal(a.view(b.dtype) if a.itemsize == b.itemsize else a, b)
        for a, b in zip(found, right, strict=True)
    )


def signed(column):
    return column.view(i64) if column.dtype == u64 else column.astype(np.int8)


def spread(column):
    """Copies a column into a field of packed records, which is strided and mostly misaligned."""
    records = np.zeros(len(column), [("pad", "u1", 3), ("field", column.dtype, column.shape[1:])])
    records["field"] = column
    return records["field"]


@functions()
@pytest.mark.parametrize(
    "convert",
    [
        spread,
        lambda column: np.repeat(column, 3, axis=0)[::3],
        lambda column: column[::-1][::-1],
        lambda column: np.asfortranarray(column),
        lambda column: column.astype(column.dtype.newbyteorder(">")),
        lambda column: column.view(np.recarray),
    ],
)
def test_layouts(operation, convert):
    function, columns, right = case(operation)
    assert same(function(*(convert(column) for column in columns)), right)
    assert same(function(columns[0], *(convert(column) for column in columns[1:])), right)


@functions()
def test_layouts_of_out(operation):
    function, columns, right = case(operation)
    to_signed = lambda array: array.view(i64) if array.dtype == u64 else array  # noqa: E731
    for convert in np.copy, to_signed:
        for threads in 1, 2:
            outs = tuple(convert(np.full_like(result, 7)) for result in right)
            found = function(*columns, out=outs if len(outs) > 1 else outs[0], threads=threads)
            assert all(a is b for a, b in zip(results(found), outs)) and same(outs, right)


@functions()
def test_signed_numbers(operation):
    function, columns, right = case(operation)
    found = function(*map(signed, columns))
    assert same(found, right)
    for column, of in zip(results(found), operation[3]):
        assert column.dtype == (i64 if of[2] == "uint64" else of[2])
    # One unsigned column of sets makes the results unsigned.
    found = function(columns[0], *map(signed, columns[1:]))
    if operation[2][0][2] == "uint64":
        assert results(found)[0].dtype == operation[3][0][2]


@functions(is_of_columns)
@pytest.mark.parametrize("dtype", [np.int8, np.int32, i64, u64, ">i2"])
def test_squares_of_any_integer_type(operation, dtype):
    function, columns, right = case(operation)
    other = [column.astype(dtype) if column.dtype == np.uint8 else column for column in columns]
    assert same(function(*other), right)
    arrow = [pa.array(column.astype(column.dtype.newbyteorder("="))) for column in other]
    assert same(function(*arrow), right)


@functions(is_of_columns)
def test_an_index_of_pandas_is_an_array(operation):
    function, columns, right = case(operation)
    assert same(function(*map(pd.Index, columns)), right)
    assert same(function(pd.Index(columns[0]), *map(pd.Series, columns[1:])), right)


@functions(is_of_columns)
def test_numbers_broadcast(operation):
    function, columns, _ = case(operation)
    for places in itertools.product([False, True], repeat=len(columns)):
        numbers = [int(c[0]) if is_one else c for c, is_one in zip(columns, places)]
        full = [np.full_like(c, c[0]) if is_one else c for c, is_one in zip(columns, places)]
        right = results(function(*full))
        if all(places):
            found = results(function(*numbers))
            assert all(isinstance(f, np.generic) and f == r[0] for f, r in zip(found, right))
            assert results(function(*(c[0] for c in columns)))[0] == right[0][0]
            continue
        assert same(function(*numbers), right)
        zero = [c.dtype.type(c[0]) if is_one else c for c, is_one in zip(columns, places)]
        assert same(function(*zero), right)
        rows = [c[:1] if is_one else c for c, is_one in zip(columns, places)]
        assert same(function(*rows), right)
        for kind in [pa.array, lambda c: pa.chunked_array([c[:9], c[9:]]), pl.Series, pd.Series]:
            mixed = [n if is_one else kind(n) for n, is_one in zip(numbers, places)]
            assert same(function(*mixed), right)


def test_shapes_broadcast_as_in_numpy():
    random = np.random.default_rng(1)
    rooks = random.integers(0, 2**64, (5, 2), u64)
    occupied = random.integers(0, 2**64, (5, 1), u64)
    found = setwise.rook_attacks(rooks, occupied)
    assert (found == setwise.rook_attacks(rooks, np.repeat(occupied, 2, 1))).all()
    out = np.empty((5, 2), u64)
    assert setwise.rook_attacks(rooks, occupied, out) is out and (out == found).all()
    positions = setwise.from_fen(["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"] * 3)
    white = setwise.rook_attacks(positions.orthogonal[:, 0], positions.occupied[:, 0])
    assert (white == setwise.rook_attacks(positions.orthogonal, positions.occupied)[:, 0]).all()
    assert setwise.rook_attacks(positions.orthogonal[0, 0], 0) == 0x81818181818181FF ^ 0x7E ^ 0x7E
    assert setwise.rook_attacks(np.array(1, u64), 0).shape == ()


@pytest.mark.parametrize("dtype", ["UInt64", "Int64", "uint64[pyarrow]", "int64[pyarrow]"])
def test_pandas_with_nulls(dtype):
    rooks = pd.Series([1, None, 1 << 27], dtype=dtype, index=list("abc"))
    found = setwise.rook_attacks(rooks, 0)
    right = setwise.rook_attacks(u64([1, 1 << 27]), 0)
    assert found.dtype == dtype and found.index.tolist() == list("abc")
    assert found.isna().tolist() == [False, True, False]
    assert found.dropna().astype(dtype.removesuffix("[pyarrow]").lower()).to_numpy().view(
        u64
    ).tolist() == right.tolist()


def test_nulls_as_numbers():
    column = pa.array([1, 2], pa.uint64())
    assert setwise.rook_attacks(column, pa.scalar(None, pa.uint64())).to_pylist() == [None, None]
    assert setwise.rook_attacks(column, pa.nulls(2)).to_pylist() == [None, None]
    one = setwise.rook_attacks(pa.scalar(1, pa.uint64()), 0)
    assert one == pa.scalar(0x1010101010101FE, pa.uint64())
    assert setwise.rook_attacks(pl.Series([None, None]), 0).to_list() == [None, None]


@pytest.mark.parametrize("count", [1, 2, 8192, 10_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_empty_and_misaligned(count, threads):
    """Tests misaligned arrays and empty ones, which numpy reports as aligned at any address."""
    memory = np.zeros(8 * count + 8, np.uint8)
    for offset in range(1, 8):
        empty = memory[offset : offset + 8 * count].view(u64)[:0]
        assert empty.ctypes.data % 8 and empty.flags.aligned
        assert len(setwise.queen_attacks(empty, empty, threads=threads)) == 0
        assert setwise.queen_attacks(empty, empty, empty, threads=threads) is empty
        maps = setwise.attack_maps_in_columns({"white_rooks": empty}, threads=threads)
        assert all(len(column) == 0 for column in maps.values())
        full = memory[offset : offset + 8 * count].view(u64)
        assert not full.flags.aligned
        assert not setwise.queen_attacks(full, full, threads=threads).any()


@pytest.mark.parametrize(
    "function, types, result",
    [
        (setwise.rook_attacks, ["UBIGINT", "UBIGINT"], "UBIGINT"),
        (setwise.rook_attacks, ["BIGINT", "BIGINT"], "BIGINT"),
        (setwise.rook_attacks_from, ["UTINYINT", "UBIGINT"], "UBIGINT"),
        (setwise.rook_mobility, ["UBIGINT"] * 3, "UINTEGER"),
    ],
)
def test_duckdb_takes_functions_as_they_are(function, types, result):
    sets = np.random.default_rng(1).integers(0, 2**64, 3000, u64)
    by_type = {"UBIGINT": sets, "BIGINT": sets.view(i64), "UTINYINT": (sets % 64).astype("u1")}
    columns = [by_type[sql] for sql in types]
    names = ["a", "b", "c"][: len(types)]
    with duckdb.connect() as connection:
        connection.create_function("attacks", function, types, result, type="arrow")
        connection.register("boards", pa.table(dict(zip(names, columns))))
        query = f"SELECT attacks({', '.join(names)}) AS found FROM boards"
        found = connection.sql(query).fetchnumpy()["found"]
    assert np.array_equal(found, function(*columns))
