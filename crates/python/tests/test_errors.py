"""Tests of error messages: each says what is wrong, where, and what would be right. A call that
follows the advice works."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import setwise
import setwise.polars as sp

u64 = np.uint64
A, B = np.arange(10, dtype=u64), np.arange(10, 20, dtype=u64)
COLUMN = pa.array([1, 2], pa.uint64())
SERIES = pd.Series(u64([1, 2]))
FEN = "8/8/8/8/8/8/8/8 w - -"
ROOKS = {"white_rooks": np.zeros(3, u64)}
FROZEN = np.empty(10, u64)
FROZEN.flags.writeable = False
TWO = np.empty(10, u64), np.empty(9, u64)
STRIDED = np.empty(20, u64)[::2]
rooks, queens = setwise.rook_attacks, setwise.queen_attacks

#: For each function: arguments, the error, a part of its message, and calls that follow it.
CASES = {
    "queen_attacks": [
        ((), {}, TypeError, "queen_attacks() missing the arguments 'queens', 'occupied'"),
        ((A,) * 4, {}, TypeError, "queen_attacks() takes from 2 to 3 positional arguments but 4 were given"),
        ((A, A), {"to": A}, TypeError, "queen_attacks() got an unexpected keyword argument 'to'"),
        ((A, A), {"queens": A}, TypeError, "queen_attacks() got multiple values for argument 'queens'"),
        ((A, A), {"threads": "two"}, TypeError, "'str' object"),
        (([1], B), {}, TypeError, "queens is of type <class 'list'>"),
        (([1], B), {}, TypeError, "numpy.array(queens, dtype=numpy.uint64) makes an array of a list", lambda: queens(np.array([1], dtype=np.uint64), B[:1])),
        ((A, 1.0), {}, TypeError, "occupied is of type <class 'float'>"),
        ((A.astype(float), B), {}, TypeError, "queens is an array of float64, but must be of uint64"),
        ((A.astype(float), B), {}, TypeError, "53 bits of a float"),
        ((A.astype(np.uint32), B), {}, TypeError, "cast it to uint64", lambda: queens(A.astype(np.uint32).astype(u64), B)),
        ((A > 5, B), {}, TypeError, "queens is an array of bool"),
        ((A, True), {}, TypeError, "occupied is an array of bool"),
        ((A, 2**64), {}, ValueError, "occupied is 18446744073709551616, but a board has 64 bits"),
        ((A, -(2**63) - 1), {}, ValueError, "a board has 64 bits"),
        ((A, B[:9]), {}, ValueError, "occupied has the shape [9], but queens [10]: all must have the same"),
        ((A, B[:9], np.empty(10, u64)), {}, ValueError, "occupied has the shape [9], but queens [10]"),
        ((A, B, np.empty(9, u64)), {}, ValueError, "out has the shape [9], but the results have [10]"),
        ((A, B, np.empty(10, np.uint32)), {}, TypeError, "out is an array of uint32"),
        ((A, B, FROZEN), {}, ValueError, "out is read-only: pass an array that can be written to", lambda: queens(A, B, FROZEN.copy())),
        ((A, B, STRIDED), {}, ValueError, "out is not contiguous and aligned: leave it out, and assign the result to out[...]", lambda: STRIDED.__setitem__(..., queens(A, B))),
        ((A, B, A), {}, ValueError, "numpy.empty_like(queens)", lambda: queens(A, B, np.empty_like(A))),
        ((A, B), {"threads": 257}, ValueError, "at most 256"),
        ((A, B), {"threads": -1}, OverflowError, ""),
        ((np.array([1, 2], object), 0), {}, TypeError, "queens is an array of object, but must be of uint64, or of int64 as the same bits: pyarrow.array(ARRAY, 'uint64') or SERIES.astype('UInt64') makes", lambda: queens(pa.array(np.array([1, 2], object), "uint64"), 0)),
        ((np.ma.MaskedArray(A), 0), {}, TypeError, "queens is a masked array: pass pyarrow.array(queens)", lambda: queens(pa.array(np.ma.MaskedArray(A)), 0)),
    ],
    "rook_attacks": [
        ((pl.Series([1, 2], dtype=pl.Int128), 0), {}, TypeError, "rooks is a column of Int128, but must be of uint64, or of int64 as the same bits: cast it to uint64", lambda: rooks(pl.Series([1, 2], dtype=pl.Int128).cast(pl.UInt64), 0)),
        ((pl.Series([1, 2], dtype=pl.UInt128), 0), {}, TypeError, "rooks is a column of UInt128, but"),
        ((pa.array([1, 2], pa.int32()), COLUMN), {}, TypeError, "rooks is a column of int32, but must be of uint64, or of int64 as the same bits: cast it to uint64", lambda: rooks(pa.array([1, 2], pa.int32()).cast("uint64"), COLUMN)),
        ((pa.array([1.0, 2.0]), COLUMN), {}, TypeError, "rooks is a column of double"),
        ((pa.array([1.0, 2.0]), COLUMN), {}, TypeError, "53 bits of a float"),
        ((pa.array(["1", "2"]), COLUMN), {}, TypeError, "rooks is a column of string, but must be of uint64, or"),
        ((pa.array([-1]).cast(pa.decimal128(20)), 0), {}, ValueError, "rooks: a board has 64 bits"),
        ((pa.array([1]).cast(pa.decimal128(20, 1)), 0), {}, TypeError, "rooks is a column of decimal128(20, 1)"),
        ((COLUMN, np.zeros((1, 2), u64)), {}, ValueError, "occupied has the shape [1, 2], but other arguments"),
        ((COLUMN, COLUMN[:1]), {}, ValueError, "differ in length: rooks 2, occupied 1"),
        ((COLUMN, COLUMN, np.empty(2, u64)), {}, TypeError, "out is for numpy arrays: columns give a new column", lambda: rooks(COLUMN, COLUMN)),
        ((COLUMN, [1, 2]), {}, TypeError, "occupied is of type <class 'list'>"),
        ((SERIES, SERIES.iloc[::-1]), {}, ValueError, "occupied has another index than rooks: align them, for example with occupied.reindex(rooks.index)", lambda: rooks(SERIES, SERIES.iloc[::-1].reindex(SERIES.index))),
        ((SERIES, SERIES[:1]), {}, ValueError, "the columns differ in length: rooks 2, occupied 1"),
        ((pd.Series([1, None]), SERIES), {}, TypeError, "rooks is an array of float64, but must be of uint64"),
        ((pd.Series([1, None]), 0), {}, TypeError, "read it as an integer", lambda: rooks(pd.Series([1, None], dtype="UInt64"), 0)),
        ((A, A, np.ma.MaskedArray(A)), {}, TypeError, "out is a masked array: pass its data, and set the mask yourself", lambda: rooks(A, A, np.ma.MaskedArray(B.copy()).data)),
    ],
    "rook_attacks_from": [
        ((pa.array([1, 64], pa.int64()), COLUMN), {}, ValueError, "squares are 0 to 63"),
    ],
    "between": [
        ((64, 1), {}, ValueError, "a is 64, but a square is 0 to 63"),
        ((np.array([1, -1]), 1), {}, ValueError, "a: number 1 is -1, but squares are 0 to 63"),
        ((np.uint8([0, 63, 64]), np.uint8([0, 63, 64])), {}, ValueError, "a: number 2 is 64, but squares are 0 to 63"),
        ((pa.array([1, 64], pa.uint8()), pa.array([1, 2], pa.uint8())), {}, ValueError, "number 1 is 64, but squares are 0 to 63"),
    ],
    "ray_attacks": [
        ((), {}, TypeError, "missing the arguments 'direction', 'sliders', 'occupied'"),
        (("up", A, B), {}, ValueError, "must be one of north, north-east,", lambda: setwise.ray_attacks("north-east", A, B)),
    ],
    "line_attacks_from": [((1, np.uint8([0, 1]), A[:2]), {}, TypeError, "must be one of rank, file")],
    "slider_attacks_split": [
        ((A, B, A, TWO[0]), {}, TypeError, "out must be a tuple of 2 arrays: orthogonal_attacks, diagonal_attacks"),
        ((A, B, A, (A.copy(), A.copy(), A.copy())), {}, TypeError, "out must be a tuple of 2 arrays"),
        ((A, B, A, TWO), {}, ValueError, "diagonal_attacks has the shape [9]"),
        ((A, B, A, (TWO[0], np.ma.MaskedArray(A))), {}, TypeError, "diagonal_attacks is a masked array: pass its data"),
    ],
    "attack_maps": [
        ((A,), {}, ValueError, "the last dimensions must be [2, 6]"),
        ((COLUMN,), {}, TypeError, "positions must be a numpy array of the shape (..., 2, 6)"),
        ((np.ma.MaskedArray(np.zeros((2, 6), u64)),), {}, TypeError, "positions is a masked array: pass positions.data"),
    ],
    "set_threads": [((257,), {}, ValueError, "at most 256; 0 is one per CPU", lambda: [setwise.set_threads(threads) for threads in (256, 0, 1)])],
    "from_fen": [
        (([FEN, "8/8 w"],), {}, ValueError, "fens[1]: piece placement: 2 ranks instead of 8"),
        (([FEN, 1],), {}, TypeError, "fens[1] is of type <class 'int'>"),
        ((FEN,), {}, TypeError, "pass a list of strings", lambda: setwise.from_fen([FEN])),
        (((text for text in ["8/8/8/8/8/8/8/8 x"]),), {}, ValueError, "side to move"),
        ((pa.chunked_array([[FEN, FEN], [FEN, "8/8/8/8/8/8/8/8 x"]]),), {}, ValueError, "fens[3]: side to move"),
        ((pa.array([1]),), {}, TypeError, "must be of strings or bytes"),
        (([FEN],), {"errors": "skip"}, ValueError, "errors is 'skip', but must be 'raise' or 'null'", lambda: [setwise.from_fen([FEN], errors=errors) for errors in ("raise", "null")]),
    ],
    "attack_maps_in_columns": [
        ((ROOKS, ["rooks"]), {}, ValueError, "results: 'rooks' is not one of white_pawn_attacks"),
        ((ROOKS, ["white_attacks"] * 2), {}, ValueError, "results: 'white_attacks' is given twice"),
        (({"rooks": A},), {}, ValueError, "pieces has none of the columns white_pawns"),
        ((ROOKS | {"black_kings": A[:2]},), {}, ValueError, "black_kings has the shape [2], but white_rooks [3]"),
        (({"white_rooks": np.zeros(3)},), {}, TypeError, "white_rooks is an array of float64, but must be of uint64"),
        (({"white_rooks": [1, 2]},), {}, TypeError, "white_rooks is of type <class 'list'>"),
    ],
    "checks_in_columns": [
        ((ROOKS, ["white_attacks"]), {}, ValueError, "results: 'white_attacks' is not one of white_king_checkers"),
        ((ROOKS, ["white_king_pinned"] * 2), {}, ValueError, "results: 'white_king_pinned' is given twice"),
        (({"rooks": A},), {}, ValueError, "pieces has none of the columns white_pawns"),
    ],
}
EXPRESSIONS = [
    (lambda: sp.rook_attacks("a"), TypeError, "missing a required argument: 'occupied'"),
    (lambda: sp.ray_attacks("a", "b"), TypeError, "missing a required argument: 'occupied'"),
    (lambda: sp.from_fen("fen", errors="skip"), ValueError, "errors is 'skip'"),
    (lambda: sp.attack_maps("positions", ["rooks"]), ValueError, "'rooks' is not one of"),
    (lambda: pl.select(sp.attack_maps(pl.struct(fen=1))), ValueError, "none of the columns white_pawns"),
    (lambda: pl.select(sp.from_fen(pl.lit("8/9"))), ValueError, "fens[0]: piece placement: rank 7"),
]


@pytest.mark.parametrize(
    "function, arguments, keywords, kind, text, followed",
    [(name, *case[:4], case[4:]) for name, cases in CASES.items() for case in cases],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_calls(function, arguments, keywords, kind, text, followed):
    with pytest.raises(kind) as caught:
        getattr(setwise, function)(*arguments, **keywords)
    assert text in str(caught.value)
    for call in followed:
        call()


@pytest.mark.parametrize("call, kind, text", EXPRESSIONS)
def test_expressions(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)
