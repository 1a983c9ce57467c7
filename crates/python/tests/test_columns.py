"""Tests of pyarrow and Polars columns: nulls, chunks, slices, and that values are not copied."""

import decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from conftest import case, functions, inputs, is_of_columns, results, values

import setwise
import setwise.polars as sp

u64 = np.uint64


def arrow_case(operation, nulls=False, is_signed=False):
    """An operation's function, its inputs as Arrow arrays, and the results as lists. All inputs but
    the second have nulls."""
    function, columns, right = case(operation, 1000)
    masks = np.random.default_rng(1).random((len(columns), 1000)) < 0.2 * nulls
    masks[1:2] = False
    if is_signed:
        columns = [column.view(column.dtype.str.replace("u", "i")) for column in columns]
        right = [column.view("i8") if column.dtype == "u8" else column for column in right]
    # The stored value of a null is not a square.
    arrays = [
        pa.array(np.where(mask, -1, column).astype(column.dtype), mask=mask if nulls else None)
        for column, mask in zip(columns, masks)
    ]
    is_null = masks.any(axis=0)
    return function, arrays, [
        [None if n else v for v, n in zip(column.tolist(), is_null)] for column in right
    ]


def lists(result):
    columns = [
        column.to_list() if hasattr(column, "to_list") else column.to_pylist()
        for column in results(result)
    ]
    return [[None if number is pd.NA else number for number in column] for column in columns]


NULLABLE = {pa.uint8(): pd.UInt8Dtype(), pa.uint64(): pd.UInt64Dtype(),
            pa.int8(): pd.Int8Dtype(), pa.int64(): pd.Int64Dtype()}


def pandas(array, _):
    column = array.to_pandas(types_mapper=NULLABLE.get if array.null_count else None)
    return column.set_axis(range(5, 5 + len(array))).rename("x")


#: Makes a column of an Arrow array and the number of the argument, and the kind of the result.
KINDS = {
    "Array": (lambda array, _: array, pa.Array),
    "one chunk": (lambda array, _: pa.chunked_array([array]), pa.ChunkedArray),
    # Chunks that end at different rows in each column.
    "chunks": (lambda array, i: pa.chunked_array([array[: 50 + i], array[50 + i :]]), pa.ChunkedArray),
    "Polars": (lambda array, _: pl.Series("x", array), pl.Series),
    "Polars chunks": (lambda array, i: pl.Series("x", KINDS["chunks"][0](array, i)), pl.Series),
    "pandas": (pandas, pd.Series),
}


@functions(is_of_columns)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize("nulls", [False, True])
def test_the_result_is_of_the_same_kind(operation, kind, is_signed, nulls):
    function, arrays, right = arrow_case(operation, nulls, is_signed)
    make, expected = KINDS[kind]
    columns = [make(array, i) for i, array in enumerate(arrays)]
    found = results(function(*columns, threads=2))
    assert lists(found) == right
    for column, of in zip(found, operation[3]):
        assert isinstance(column, expected)
        dtype = str(column.type if hasattr(column, "type") else column.dtype).lower()
        assert dtype == ("int64" if is_signed and of[2] == "uint64" else of[2])
        assert getattr(column, "name", "x") == "x"
        if kind == "Array":
            column.validate(full=True)
        if kind == "pandas":
            assert column.index.equals(pd.RangeIndex(5, 1005))
    # A slice whose validity bits do not start at a byte boundary.
    middle = [make(array[13:713], i) for i, array in enumerate(arrays)]
    assert lists(function(*middle)) == [column[13:713] for column in right]
    if not nulls and not is_signed:
        mixed = function(columns[0], *(array.to_numpy() for array in arrays[1:]))
        assert isinstance(results(mixed)[0], expected) and lists(mixed) == right


@pytest.mark.parametrize("make", [pa.array, lambda array: pl.Series("x", array)])
def test_signed_sets_beside_unsigned_ones_give_unsigned_ones(make):
    sets = np.uint64([1 << 63, 3])
    found = setwise.rook_attacks(make(sets.view(np.int64)), make(sets))
    dtype = found.type if isinstance(found, pa.Array) else found.dtype
    assert str(dtype).lower() == "uint64"
    assert found.to_numpy().tolist() == setwise.rook_attacks(sets, sets).tolist()


def selected(frame, expression):
    """The columns of an expression's result."""
    found = frame.select(expression).lazy().collect(engine="streaming").to_series()
    return found.struct.unnest().get_columns() if found.dtype == pl.Struct else [found]


@functions(is_of_columns)
@pytest.mark.parametrize("nulls", [False, True])
def test_expressions(operation, nulls):
    name, _, columns, outputs = operation
    value = values(operation)[-1]
    _, arrays, right = arrow_case(operation, nulls)
    frame = pl.DataFrame({of[0]: pl.Series(array) for of, array in zip(columns, arrays)})
    expression = getattr(sp, name)(*value, *frame.columns)
    for found in selected(frame, expression), selected(frame.lazy(), expression):
        assert [column.to_list() for column in found] == right
        assert [column.name for column in found] == [
            output if len(outputs) > 1 else name for output, *_ in outputs
        ]


@functions(is_of_columns)
@pytest.mark.parametrize("dtype", [pl.Int32, pl.Int64, pl.Int128, pl.UInt128, pl.UInt16])
def test_expressions_take_any_integers(operation, dtype):
    # Squares 1 and up, or sets.
    columns = [np.arange(1, 60, dtype=column.dtype) for column in inputs(operation, 59)]
    value = values(operation)[-1]
    right = results(getattr(setwise, operation[0])(*value, *columns))
    frame = pl.DataFrame({str(i): column for i, column in enumerate(columns)})
    casts = [pl.col(name).cast(dtype) for name in frame.columns]
    found = selected(frame, getattr(sp, operation[0])(*value, *casts))
    assert all((f.to_numpy() == r).all() for f, r in zip(found, right))


def test_expressions_are_expressions():
    frame = pl.DataFrame({"a": [1, 2], "b": [0, 3]}, schema={"a": pl.UInt64, "b": pl.UInt64})
    found = frame.with_columns(x=sp.rook_attacks(pl.col("a"), pl.col("b") | pl.col("a")))
    right = setwise.rook_attacks(frame["a"].to_numpy(), frame["b"].to_numpy())
    assert found["x"].to_list() == right.tolist()
    found = frame.select(sp.rook_attacks(occupied="b", rooks=pl.col("a").cast(pl.Int64)))
    right = setwise.rook_attacks(frame["a"], frame["b"])
    assert found.schema == {"rook_attacks": pl.UInt64} and found.to_series().equals(right)
    for board in [2**64 - 1, -1]:
        found = frame.select(sp.rook_attacks("a", board)).to_series()
        assert found.to_list() == setwise.rook_attacks(frame["a"], 2**64 - 1).to_list()


FENS = ["4r3/8/8/8/8/4N3/8/4K2r w - -", None, "8/9", "8/8/8/4q3/3P4/8/8/8 b - -"]


@pytest.mark.parametrize("lazily", [False, True])
def test_positions_in_polars(lazily):
    frame = pl.DataFrame({"fen": FENS})

    def select(expression):
        if lazily:
            plan = frame.lazy().select(expression)
            found = plan.collect(engine="streaming")
            assert found.schema == plan.collect_schema()
            return found.to_series()
        return frame.select(expression).to_series()

    positions = sp.from_fen("fen", errors="null")
    right = setwise.from_fen(FENS, errors="null")
    sets = select(positions).struct.unnest()
    nulls = [False, True, True, False]
    assert len(sets.columns) == 18
    assert all(column.is_null().to_list() == nulls for column in sets.get_columns())
    for name, column in [
        ("white_knights", right.pieces[:, 0, 1]),
        ("black_kings", right.pieces[:, 1, 5]),
        ("white_orthogonal", right.orthogonal[:, 0]),
        ("black_orthogonal", right.orthogonal[:, 1]),
        ("white_diagonal", right.diagonal[:, 0]),
        ("black_diagonal", right.diagonal[:, 1]),
        ("occupied", right.occupied[:, 1]),
        ("black_to_move", right.black_to_move),
    ]:
        assert sets[name].drop_nulls().to_list() == column[[0, 3]].tolist(), name
    maps = select(sp.attack_maps(positions)).struct.unnest()
    assert maps.columns == list(setwise.attack_maps_in_columns({"white_rooks": 0}))
    for name, column in setwise.attack_maps_in_columns(sets).items():
        assert maps[name].to_list() == column.to_list()
    maps = select(sp.attack_maps(positions, ["black_by_lesser"])).struct.unnest()
    assert maps["black_by_lesser"].to_list() == [0, None, None, 0] and maps.width == 1
    found = select(sp.checks(positions)).struct.unnest()
    checks = setwise.checks(right.pieces[[0, 3]]).reshape(2, 6).T
    kinds = [f"{side}_king_{kind}" for kind in ("checkers", "pinned", "pinners")
             for side in ("white", "black")]
    for name, column in zip(kinds, checks, strict=True):
        assert found[name].to_list() == [column[0], None, None, column[1]]
    # A struct with only some of the sets is also a position: the missing sets are empty.
    struct = pl.struct(pl.lit(1, pl.UInt64).alias("white_rooks"))
    assert select(sp.attack_maps(struct, ["white_attacks"])).struct[0][0] == 0x1010101010101FE


def test_values_are_not_copied():
    array, of = pa.array(np.arange(1000, dtype=np.uint64)), [("sets", "Set", "uint64", [])]
    address = array.buffers()[1].address
    for part, first in [(array, 0), (array.slice(10, 5), 10)]:
        # What an operation gets and returns.
        call = lambda arrays, _: arrays[0]
        result = setwise._columns.on_arrow(of, of, call, [part])
        assert result.buffers()[1].address == address + 8 * first


def test_no_rows_and_no_chunks():
    empty = pa.array([], pa.uint64())
    assert setwise.rook_attacks(empty, empty).to_pylist() == []
    chunked = pa.chunked_array([], pa.uint64())
    assert setwise.rook_attacks(chunked, chunked).type == pa.uint64()
    assert [len(r) for r in setwise.slider_attacks_split(chunked, chunked, chunked)] == [0, 0]
    nothing = pl.Series([], dtype=pl.UInt64)
    assert len(setwise.rook_attacks(nothing, nothing)) == 0
    nulls = pa.array([None, None], pa.uint64())
    occupied = pa.array([1, 2], pa.uint64())
    assert setwise.rook_attacks(nulls, occupied).to_pylist() == [None, None]


def test_parts_of_columns_of_fens():
    texts = ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/8/8/8/8/7Q b", "8/8/8/8/3B4/8/8/8"] * 50
    right = setwise.from_fen(texts)
    for kind in ["string", "large_string", "string_view"]:
        column = pa.array(texts, kind)
        chunked = pa.chunked_array([column.slice(0, 31), column[:0], column.slice(31)])
        for column in [column, chunked, pl.Series(texts)]:
            assert all(np.array_equal(a, b) for a, b in zip(setwise.from_fen(column), right))
        part = setwise.from_fen(column[5:25])
        assert np.array_equal(part.pieces, right.pieces[5:25])
        for nothing in [[], pa.array([], kind), pa.chunked_array([], kind)]:
            nothing = setwise.from_fen(nothing)
            assert nothing.pieces.shape == (0, 2, 6) and nothing.orthogonal.shape == (0, 2)


def encoded(texts):
    return [text if text is None else text.encode() for text in texts]


def in_duckdb(values, kind):
    """A column of DuckDB, as an Arrow array."""
    with duckdb.connect() as connection:
        if kind == "ENUM ()":
            kind = "VARCHAR"
        connection.execute(f"CREATE TABLE boards (i INTEGER, x {kind})")
        connection.executemany("INSERT INTO boards VALUES (?, ?)", list(enumerate(values)))
        query = connection.sql("SELECT x FROM boards ORDER BY i")
        return query.to_arrow_table()["x"]


@pytest.mark.parametrize(
    "column",
    [
        lambda sets: pa.array(np.array(sets, object), "uint64"),
        lambda sets: pa.array(np.ma.MaskedArray([s or 0 for s in sets], [s is None for s in sets], u64)),
        lambda sets: pd.Series(sets, dtype="UInt64").astype("category"),
        lambda sets: pa.array(sets, pa.uint64()).dictionary_encode(),
        lambda sets: pa.chunked_array([sets[:1], sets[1:]], pa.uint64()).dictionary_encode(),
        lambda sets: pa.array([s and decimal.Decimal(s) for s in sets], pa.decimal128(38)),
        lambda sets: pa.array([s and decimal.Decimal(s) for s in sets], pa.decimal256(40)),
        lambda sets: pl.Series([s and decimal.Decimal(s) for s in sets], dtype=pl.Decimal(38, 0)),
        lambda sets: in_duckdb(sets, "HUGEINT"),
        lambda sets: in_duckdb(sets, "UBIGINT"),
        lambda sets: in_duckdb(sets, "DECIMAL(20, 0)"),
    ],
)
def test_sets_as_other_programs_store_them(column):
    found = setwise.rook_attacks(column([1, None, 2**63]), 0)
    assert lists(found) == [[0x1010101010101FE, None, 0x7F80808080808080]]


@pytest.mark.parametrize(
    "column",
    [
        list,
        pa.array,
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
        lambda texts: pa.array([None, *texts]).slice(1),
        pl.Series,
        pd.Series,
        lambda texts: pd.Series(texts, dtype=object),
        lambda texts: np.array(texts, dtype=object),
        lambda texts: [float("nan") if text is None else text for text in texts],
        lambda texts: [pd.NA if text is None else text for text in texts],
        lambda texts: np.array([np.float64("nan") if t is None else t for t in texts], object),
        lambda texts: pd.Series([pd.NA if t is None else t for t in texts], dtype=object),
        encoded,
        lambda texts: pd.Series(encoded(texts)),
        lambda texts: pl.Series(encoded(texts), dtype=pl.Binary),
        lambda texts: pa.array(encoded(texts), pa.binary()),
        lambda texts: pa.array(encoded(texts), pa.large_binary()),
        lambda texts: pa.array(encoded(texts), pa.binary_view()),
        lambda texts: pa.array(texts, "string").dictionary_encode(),
        lambda texts: pa.chunked_array([texts[:1], texts[1:]], "string").dictionary_encode(),
        lambda texts: pa.array(encoded(texts), pa.binary()).dictionary_encode(),
        lambda texts: pd.Series(texts, dtype="category"),
        lambda texts: pl.Series(texts, dtype=pl.Categorical),
        lambda texts: pl.Series(texts, dtype=pl.Enum(list({t for t in texts if t is not None}))),
        lambda texts: in_duckdb(texts, f"ENUM ({', '.join(repr(t) for t in {*texts} - {None})})"),
        lambda texts: in_duckdb(texts, "VARCHAR"),
    ],
)
def test_fens_that_are_null_or_bad(column):
    texts = ["8/8/8/8/8/8/8/7Q b", None, "8/9", "\N{WHITE CHESS KING}", "8/8/8/8/8/8/8/R7"]
    positions = setwise.from_fen(column(texts), errors="null")
    assert positions.valid.tolist() == [True, False, False, False, True]
    assert positions.occupied[:, 0].tolist() == [128, 0, 0, 0, 1]
    assert positions.black_to_move.tolist() == [True, False, False, False, False]
    assert all(len(array) == 5 for array in positions)
    with pytest.raises(ValueError, match=r"fens\[2\]: piece placement"):
        setwise.from_fen(column(texts))
    positions = setwise.from_fen(column(texts[:2]))
    assert positions.valid.tolist() == [True, False]
    nothing = setwise.from_fen(column([None, None]))
    assert not nothing.valid.any() and not nothing.pieces.any()


def unaligned(array):
    """An Arrow array with the same values, whose buffer starts at an odd address."""
    if array.type not in (pa.uint64(), pa.int64()):
        return array
    memory = np.empty(8 * len(array) + 8, np.uint8)
    start = 1 - memory.ctypes.data % 8 + 8 * (memory.ctypes.data % 8 > 1)
    memory[start : start + 8 * len(array)] = array.to_numpy().view(np.uint8)
    buffer = pa.py_buffer(memory).slice(start, 8 * len(array))
    assert buffer.address % 8 == 1
    return pa.Array.from_buffers(array.type, len(array), [None, buffer])


@functions(is_of_columns)
def test_buffers_that_are_not_aligned(operation):
    function, arrays, right = arrow_case(operation)
    odd = [unaligned(array) for array in arrays]
    assert lists(function(*odd)) == right
    assert lists(function(*[pa.chunked_array([array]) for array in odd])) == right
    middle = [array.slice(13, 700) for array in odd]
    assert lists(function(*middle)) == [r[13:713] for r in right]
    # A column with a null takes another code path.
    odd[-1] = pa.concat_arrays([odd[-1].slice(0, 999), pa.nulls(1, odd[-1].type)])
    assert lists(function(*odd)) == [r[:999] + [None] for r in right]


def test_plain_columns_take_the_short_path(monkeypatch):
    numbers = np.arange(2**63 - 2, 2**63 + 2, dtype=np.uint64)
    right = setwise.rook_attacks(numbers, numbers)

    def fail(*_):
        raise AssertionError("a slow call")

    signed = pa.array(numbers.view(np.int64))
    chunked = pa.chunked_array([signed])
    setwise.rook_attacks(pl.Series([1]), 0)  # the first call registers the fast path
    unsigned = pa.array(numbers)
    mixed = setwise.rook_attacks(signed, unsigned)
    assert mixed.type == pa.uint64() and mixed.to_pylist() == right.tolist()
    mixed = setwise.rook_attacks(pl.Series(numbers), pl.Series(numbers.view(np.int64)))
    assert mixed.dtype == pl.UInt64 and mixed.to_list() == right.tolist()
    monkeypatch.setattr(setwise._columns, "CALLS", dict.fromkeys(setwise._columns.CALLS, fail))
    for column in (signed, chunked, pl.Series("x", numbers.view(np.int64))):
        result = setwise.rook_attacks(column, column)
        assert str(result.dtype if isinstance(result, pl.Series) else result.type).lower() == "int64"
        assert type(result) is type(column)
        assert lists(result) == [right.view(np.int64).tolist()]
    for column in unsigned, pl.Series(numbers):
        assert lists(setwise.rook_attacks(column, column)) == [right.tolist()]
    assert type(setwise.rook_attacks(signed, chunked)) is pa.ChunkedArray
    address = signed.buffers()[1].address
    for column in signed, chunked:
        array = setwise._columns._plain_array(column, False)
        assert array.__array_interface__["data"][0] == address


def test_the_package_reads_what_the_command_line_does_not(tmp_path):
    """`setwise attacks` recommends this package for Parquet and Arrow IPC, to read and to write."""
    fens = pa.table({"fen": ["8/8/8/8/8/8/8/R6k", "k7/8/8/8/8/8/8/7Q b"]})
    sets = setwise.from_fen(fens["fen"]).occupied[:, 0]
    table = fens.append_column("attacks", setwise.queen_attacks(pa.array(sets), pa.array(sets)))
    parquet, file, stream = (tmp_path / name for name in ("a.parquet", "a.arrow", "b.arrow"))
    pyarrow.parquet.write_table(table, parquet)
    for path, new in [(file, pyarrow.ipc.new_file), (stream, pyarrow.ipc.new_stream)]:
        with new(path, table.schema) as writer:
            writer.write_table(table)
    for path, read, start in [
        (parquet, pyarrow.parquet.read_table, b"PAR1"),
        (file, lambda path: pyarrow.ipc.open_file(path).read_all(), b"ARROW1"),
        (stream, lambda path: pyarrow.ipc.open_stream(path).read_all(), b"\xff\xff\xff\xff"),
    ]:
        assert path.read_bytes().startswith(start)
        assert read(path) == table
        assert (setwise.from_fen(read(path)["fen"]).occupied[:, 0] == sets).all()
