"""Checks the types of results. mypy checks this file; it is never run."""

from typing import Any, assert_type

import numpy
import polars
import setwise
import setwise.polars
from numpy.typing import NDArray

sets = numpy.zeros(1, numpy.uint64)
squares = numpy.zeros(1, numpy.uint8)
series = polars.Series([1], dtype=polars.UInt64)

assert_type(setwise.queen_attacks(sets, sets), NDArray[numpy.uint64])
assert_type(setwise.rook_mobility(sets, sets, sets, threads=2), NDArray[numpy.uint32])
assert_type(setwise.between(squares, squares, out=sets), NDArray[numpy.uint64])
assert_type(
    setwise.slider_attacks_split(sets, sets, sets),
    tuple[NDArray[numpy.uint64], NDArray[numpy.uint64]],
)
assert_type(setwise.from_fen(["8/8/8/8/8/8/8/8"]).pieces, NDArray[numpy.uint64])
assert_type(setwise.polars.queen_attacks("queens", polars.col("occupied")), polars.Expr)
assert_type(setwise.queen_attacks(sets, 0), NDArray[numpy.uint64])
assert_type(setwise.polars.queen_attacks(queens="queens", occupied=0), polars.Expr)
assert_type(setwise.polars.attack_maps(setwise.polars.from_fen("fen", "null")), polars.Expr)
assert_type(setwise.from_fen([None], errors="null").valid, NDArray[numpy.bool_])
assert_type(
    setwise.legal_counts(setwise.from_fen([])), tuple[NDArray[numpy.uint8], NDArray[numpy.uint8]]
)
assert_type(
    setwise.legal_moves([], threads=2), tuple[NDArray[numpy.int64], NDArray[numpy.uint16]]
)
assert_type(setwise.checks_in_columns({}, ["white_king_pinned"], threads=2), dict[str, Any])
assert_type(setwise.successors([], [], [0]).castling, NDArray[numpy.uint8])
assert_type(setwise.uci(796), str)
setwise.queen_attacks(series, series)
setwise.queen_attacks(series, 0)
setwise.queen_attacks(numpy.int64(1), 0)
setwise.queen_attacks(sets.view(numpy.int64), sets)
setwise.rook_attacks_from(numpy.zeros(1, numpy.int32), sets)
setwise.from_fen([], errors="skip")  # type: ignore[arg-type]
setwise.ray_attacks("north", sets, sets)
setwise.ray_attacks("up", sets, sets)  # type: ignore[call-overload]
setwise.queen_attacks([1], [2])  # type: ignore[call-overload]
assert_type(setwise.Loader("data.binpack", policy="lc0").outputs, int)
for batch in setwise.Loader("data.binpack", features="768", layout="rows"):
    assert_type(batch, dict[str, NDArray[Any]])
