"""Tests what Spark's workers compute. tools/spark-test.py tests a cluster."""

import decimal

import numpy as np
import pyarrow as pa
import pytest
from conftest import functions, inputs, is_of_columns, results, values

import setwise
from setwise import _maps, _spark

FENS = ["4r3/8/8/8/8/4N3/8/4K2r w - -", None, "8/9", "8/8/8/4q3/3P4/8/8/8 b - -", "8/8/8/8/8/8/8/K7"]
GOOD = [0, 3, 4]


def fen(name, *arguments, rows=range(5)):
    fens = pa.array([FENS[row] for row in rows])
    texts = [pa.array([text] * len(fens)) for text in arguments]
    return _spark.evaluate(name, (fens, *texts)).to_pylist()


@functions(is_of_columns)
def test_operations(operation):
    name, parameter, _, outputs = operation
    columns = inputs(operation, 300)
    sets = [pa.array(c.view(np.int64) if c.dtype == np.uint64 else c) for c in columns]
    # Each row has a parameter of its own, spelled in several ways; one is null.
    texts = [value for [value] in values(operation)] if parameter else [None]
    rows = np.arange(300) % (len(texts) + 1)
    found = _spark.evaluate(name, ([pa.array([[*texts, None][row] for row in rows])] if parameter else []) + sets)
    assert pa.types.is_struct(found.type) == (len(outputs) > 1)
    found.validate(full=True)
    fields = found.flatten() if len(outputs) > 1 else [found]
    for row, text in enumerate(texts):
        value = [text] if parameter else []
        right = results(getattr(setwise, name)(*value, *columns))
        here = rows == row if parameter else slice(None)
        for field, column in zip(fields, right):
            bits = np.int32 if column.dtype == np.uint32 else np.int64
            assert field.type == pa.from_numpy_dtype(bits)
            assert field.fill_null(0).to_numpy(zero_copy_only=False)[here].tolist() == column.view(bits)[here].tolist()
    if parameter:
        assert found.is_null().to_numpy(zero_copy_only=False).tolist() == (rows == len(texts)).tolist()


def test_positions():
    positions = setwise.from_fen(FENS, errors="null")
    pieces = dict(zip(_maps.PIECES, positions.pieces.reshape(-1, 12).T))
    for name, right in [
        ("sets", pieces),
        ("attack_maps", setwise.attack_maps_in_columns(pieces)),
        ("checks", setwise.checks_in_columns(pieces)),
    ]:
        rows = [dict(zip(right, row)) for row in np.transpose([c.view("i8") for c in right.values()]).tolist()]
        right = [rows[row] if row in GOOD else None for row in range(5)]
        assert fen(f"try_fen_{name}") == right and fen(f"fen_{name}", rows=[0, 1, 3]) == [right[0], None, right[3]]
        if name != "sets":
            struct = _spark.evaluate("try_fen_sets", (pa.array(FENS),))
            assert _spark.evaluate(name, (struct,)).to_pylist() == right
    found = _spark.evaluate("attack_maps", (pa.array([{"white_rooks": 1, "other": 5}]),))
    assert found[0]["white_attacks"].as_py() == 0x1010101010101FE


@pytest.mark.parametrize("number, side", [(0, "white"), (1, "black")])
def test_fens(number, side):
    positions = setwise.from_fen(FENS, errors="null")
    sets = {
        "side": np.bitwise_or.reduce(positions.pieces[:, number], axis=1),
        "orthogonal": positions.orthogonal[:, number],
        "diagonal": positions.diagonal[:, number],
        "slider_attacks": setwise.slider_attacks(
            positions.orthogonal, positions.diagonal, positions.occupied)[:, number],
    }
    masked = lambda column: [x if row in GOOD else None for row, x in enumerate(column.view("i8").tolist())]
    for name, column in sets.items():
        for text in [side, side[0], side.upper()]:
            assert fen(f"try_fen_{name}", text) == masked(column)
    for kind, piece in enumerate(_maps.KINDS):
        assert fen("try_fen_pieces", side, piece) == masked(positions.pieces[:, number, kind])
    assert fen("try_fen_occupied") == masked(positions.occupied[:, 0])
    assert fen("try_fen_white_to_move") == [True, None, None, False, None]


def test_arguments():
    with pytest.raises(ValueError, match="^'8/9' is not a position: piece placement"):
        fen("fen_occupied")
    with pytest.raises(ValueError, match="'up' is not a side: use one of white, black"):
        fen("fen_side", "up")
    for text, message in [("white\nrook", "is not a side"), ("white\0rook", "an argument has a NUL")]:
        with pytest.raises(ValueError, match=message):
            fen("fen_side", text)
    with pytest.raises(TypeError, match=r"queen_attacks\(queens, occupied\) got 1 arguments"):
        _spark.evaluate("queen_attacks", (pa.array([1]),))
    with pytest.raises(ValueError, match="on this worker has no function castle"):
        _spark.evaluate("castle", ())
    evaluate = lambda *columns: _spark.evaluate("rook_attacks", columns).to_pylist()
    occupied = pa.array([0], pa.int32())
    assert evaluate(pa.array([1], pa.int8()), occupied) == [0x1010101010101FE]
    assert evaluate(pa.array([decimal.Decimal(2**63)], pa.decimal128(20)), occupied) == [0x7F80808080808080]
    assert evaluate(pa.nulls(1), occupied) == [None]
    assert evaluate(occupied[:0], occupied[:0]) == []
    nothing = pa.array([], "string")
    assert len(_spark.evaluate("fen_pieces", (nothing,) * 3)) == 0


def test_functions():
    names = """fen_attack_maps fen_checks fen_diagonal fen_occupied fen_orthogonal fen_pieces fen_sets
        fen_side fen_slider_attacks fen_white_to_move""".split()
    operations = [name for name, *_ in setwise._setwise._operations()]
    assert set(_spark.FUNCTIONS) == {*operations, *names, *(f"try_{name}" for name in names)}
    assert _spark.FUNCTIONS["pins"].spark_type() == "struct<pinned: bigint, pinners: bigint>"
    assert _spark.FUNCTIONS["rook_mobility"].spark_type() == "int"
    assert all(function.prose for function in _spark.FUNCTIONS.values())
