"""Attack maps in columns, compared with those of whole positions."""

import numpy as np
import pyarrow as pa
import pytest
import setwise

SIDES = ["white", "black"]
KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"]
PIECES = [f"{side}_{kind}s" for side in SIDES for kind in KINDS]


def columns_of(maps):
    """The results of `attack_maps`, by name."""
    maps = maps.view(setwise.ATTACK_MAPS)[:, 0]
    columns = {}
    for i, side in enumerate(SIDES):
        for k, kind in enumerate(KINDS):
            columns[f"{side}_{kind}_attacks"] = maps["attacks"][:, i, k]
        columns[f"{side}_attacks"] = maps["all"][:, i]
        columns[f"{side}_threats"] = maps["threats"][:, i]
    return columns


@pytest.mark.parametrize("count", [0, 1, 63, 64, 1000, 20_000])
def test_any_subset(count, kernel):
    random = np.random.default_rng(count)
    pieces = random.integers(0, 2**64, (count, 2, 6), np.uint64)
    for _ in range(3):
        pieces &= random.integers(0, 2**64, pieces.shape, np.uint64)
    right = columns_of(setwise.attack_maps(pieces))
    columns = {name: pieces[:, i // 6, i % 6].copy() for i, name in enumerate(PIECES)}
    for names in [None, ["black_threats"], ["white_rook_attacks", "black_attacks"], []]:
        for threads in [1, 2]:
            maps = setwise.attack_maps_in_columns(columns, names, threads=threads)
            assert sorted(maps) == sorted(right if names is None else names)
            for name, column in maps.items():
                assert (column == right[name]).all(), name


def test_other_columns():
    """Signed, strided and Arrow columns, and tables; a missing column is empty."""
    rooks = np.uint64([1, 1 << 63, 5])
    right = setwise.rook_attacks(rooks, np.zeros(3, np.uint64))
    table = pa.table({"white_rooks": rooks, "id": [1, 2, 3]})
    for column in [rooks, rooks.view(np.int64), np.repeat(rooks, 2)[::2], pa.array(rooks)]:
        maps = setwise.attack_maps_in_columns({"white_rooks": column}, ["white_attacks"])
        assert (maps["white_attacks"] == right).all()
    maps = setwise.attack_maps_in_columns(dict(zip(table.column_names, table.columns)))
    assert (maps["white_rook_attacks"] == right).all() and len(maps) == 16


def test_wrong_arguments():
    rooks = {"white_rooks": np.zeros(3, np.uint64)}
    for pieces, results, text in [
        (rooks, ["rooks"], "results: 'rooks' is not one of white_pawn_attacks"),
        (rooks, ["white_attacks"] * 2, "results: 'white_attacks' is given twice"),
        ({"rooks": rooks["white_rooks"]}, None, "pieces has none of the columns white_pawns"),
        (rooks | {"black_kings": np.zeros(2, np.uint64)}, None, "white_rooks 3, black_kings 2"),
        ({"white_rooks": np.zeros(3)}, None, "white_rooks must be an array of uint64"),
        ({"white_rooks": np.zeros((3, 2), np.uint64)}, None, "found uint64 with 2"),
    ]:
        with pytest.raises((TypeError, ValueError), match=text):
            setwise.attack_maps_in_columns(pieces, results)
