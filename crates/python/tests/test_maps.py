"""Tests of attack maps and checks in columns: they must equal those of arrays of positions."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import setwise

SIDES = ["white", "black"]
KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"]
PIECES = [f"{side}_{kind}s" for side in SIDES for kind in KINDS]
MAPS = [f"{side}_{kind}_attacks" for side in SIDES for kind in KINDS]
MAPS += [f"{side}_attacks" for side in SIDES] + [f"{side}_by_lesser" for side in SIDES]
CHECKS = [f"{side}_king_{kind}" for kind in ["checkers", "pinned", "pinners"] for side in SIDES]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 1000, 20_000])
@pytest.mark.parametrize(
    "array, in_columns, all_names, some",
    [
        (setwise.attack_maps, setwise.attack_maps_in_columns, MAPS,
         [["black_by_lesser"], ["white_rook_attacks", "black_attacks"]]),
        (setwise.checks, setwise.checks_in_columns, CHECKS,
         [["black_king_pinned"], ["white_king_pinners", "black_king_checkers"]]),
    ],
)
def test_any_subset(array, in_columns, all_names, some, count, kernel):
    random = np.random.default_rng(count)
    pieces = random.integers(0, 2**64, (count, 2, 6), np.uint64)
    for _ in range(3):
        pieces &= random.integers(0, 2**64, pieces.shape, np.uint64)
    right = dict(zip(all_names, array(pieces).T, strict=True))
    assert count < 1000 or all(column.any() for column in right.values())
    columns = {name: pieces[:, i // 6, i % 6].copy() for i, name in enumerate(PIECES)}
    for names in [None, *some, []]:
        for threads in [1, 2]:
            found = in_columns(columns, names, threads=threads)
            assert list(found) == (all_names if names is None else names)
            for name, column in found.items():
                assert (column == right[name]).all(), name


ROOKS = np.uint64([1, 1 << 63, 5])
TABLE = pa.table({"white_rooks": ROOKS, "id": [1, 2, 3]})


@pytest.mark.parametrize(
    "pieces, kind",
    [
        ({"white_rooks": ROOKS}, np.ndarray),
        ({"white_rooks": ROOKS.view(np.int64)}, np.ndarray),
        ({"white_rooks": np.repeat(ROOKS, 2)[::2]}, np.ndarray),
        ({"white_rooks": pa.array(ROOKS)}, pa.Array),
        (TABLE, pa.ChunkedArray),
        (TABLE.to_batches()[0], pa.Array),
        (pl.from_arrow(TABLE), pl.Series),
        (pd.DataFrame({"white_rooks": ROOKS, "id": ROOKS}), pd.Series),
    ],
)
def test_other_columns(pieces, kind):
    """Tests signed, strided and Arrow columns, and tables. A missing column is treated as empty."""
    right = setwise.rook_attacks(ROOKS, 0)
    maps = setwise.attack_maps_in_columns(pieces)
    assert len(maps) == 16 and all(isinstance(column, kind) for column in maps.values())
    assert (np.asarray(maps["white_rook_attacks"]).view(np.uint64) == right).all()
    maps = setwise.attack_maps_in_columns(pieces, ["white_attacks"])
    assert list(maps) == ["white_attacks"]
    assert (np.asarray(maps["white_attacks"]).view(np.uint64) == right).all()
    checks = setwise.checks_in_columns(pieces)
    assert list(checks) == CHECKS and all(isinstance(column, kind) for column in checks.values())
    assert not any(np.asarray(column).any() for column in checks.values())


def test_one_position_and_nulls():
    maps = setwise.attack_maps_in_columns({"white_rooks": 1, "black_queens": 1 << 8})
    assert maps["white_attacks"] == 0x1FE and maps["white_by_lesser"] == 1 << 8
    rooks = pa.array([1, None], pa.uint64())
    maps = setwise.attack_maps_in_columns({"white_rooks": rooks}, ["black_attacks"])
    assert maps["black_attacks"].to_pylist() == [0, None]
    kings = pa.array([1 << 56, None], pa.uint64())
    checks = setwise.checks_in_columns({"white_rooks": 1, "black_kings": kings})
    assert checks["black_king_checkers"].to_pylist() == [1, None]
