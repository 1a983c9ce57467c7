# Written by `tools/generate.sh` from the list of operations.
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, overload

import numpy
from numpy.typing import NDArray

from . import _setwise as _setwise

_Sets = NDArray[numpy.uint64]
_Counts = NDArray[numpy.uint32]
_Squares = NDArray[numpy.uint8]
_Direction = Literal["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
_Line = Literal["rank", "file", "diagonal", "antidiagonal"]
_Side = Literal["white", "black"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

# A column of pyarrow, Polars or pandas.
_Column = _ArrowArray | _ArrowStream
_AnySets = NDArray[numpy.uint64 | numpy.int64] | numpy.uint64 | numpy.int64 | int | _Column
_AnySquares = NDArray[numpy.integer[Any]] | numpy.integer[Any] | int | _Column

__version__: str
WHITE: int
BLACK: int
PAWN: int
KNIGHT: int
BISHOP: int
ROOK: int
QUEEN: int
KING: int
ATTACK_MAPS: numpy.dtype[numpy.void]
CHECKS: numpy.dtype[numpy.void]

class Kernel(NamedTuple):
    name: str
    technique: str
    needs: list[str]
    missing: list[str]
    is_compiled: bool
    @property
    def is_available(self) -> bool: ...

class Positions(NamedTuple):
    pieces: _Sets
    orthogonal: _Sets
    diagonal: _Sets
    occupied: _Sets
    black_to_move: NDArray[numpy.bool_]
    valid: NDArray[numpy.bool_]

def from_fen(fens: Any, errors: Literal["raise", "null"] = "raise") -> Positions: ...
@overload
def attack_maps_in_columns(
    pieces: dict[str, _Sets], results: Iterable[str] | None = None, *, threads: int | None = None
) -> dict[str, _Sets]: ...
@overload
def attack_maps_in_columns(
    pieces: Any, results: Iterable[str] | None = None, *, threads: int | None = None
) -> dict[str, Any]: ...
def kernels() -> list[Kernel]: ...
def kernel() -> str: ...
def use_kernel(name: str | None = None) -> str: ...
def set_threads(threads: int) -> None: ...
def threads() -> int: ...

@overload
def rook_attacks(rooks: _Sets, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def rook_attacks(rooks: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def bishop_attacks(bishops: _Sets, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def bishop_attacks(bishops: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def queen_attacks(queens: _Sets, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def queen_attacks(queens: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def slider_attacks(orthogonal: _Sets, diagonal: _Sets | int, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def slider_attacks(orthogonal: _AnySets, diagonal: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def slider_attacks_split(orthogonal: _Sets, diagonal: _Sets | int, occupied: _Sets | int, out: tuple[_Sets, _Sets] | None = None, *, threads: int | None = None) -> tuple[_Sets, _Sets]: ...
@overload
def slider_attacks_split(orthogonal: _AnySets, diagonal: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> tuple[Any, Any]: ...
@overload
def xray_rook_attacks(rooks: _Sets, blockers: _Sets | int, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def xray_rook_attacks(rooks: _AnySets, blockers: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def xray_bishop_attacks(bishops: _Sets, blockers: _Sets | int, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def xray_bishop_attacks(bishops: _AnySets, blockers: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def xray_queen_attacks(queens: _Sets, blockers: _Sets | int, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def xray_queen_attacks(queens: _AnySets, blockers: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def pins(kings: _Sets, own: _Sets | int, orthogonal: _Sets | int, diagonal: _Sets | int, occupied: _Sets | int, out: tuple[_Sets, _Sets] | None = None, *, threads: int | None = None) -> tuple[_Sets, _Sets]: ...
@overload
def pins(kings: _AnySets, own: _AnySets, orthogonal: _AnySets, diagonal: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> tuple[Any, Any]: ...
@overload
def ray_attacks(direction: _Direction, sliders: _Sets, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def ray_attacks(direction: _Direction, sliders: _AnySets, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def occluded_fill(direction: _Direction, generators: _Sets, propagators: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def occluded_fill(direction: _Direction, generators: _AnySets, propagators: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def rook_mobility(rooks: _Sets, occupied: _Sets | int, targets: _Sets | int, out: _Counts | None = None, *, threads: int | None = None) -> _Counts: ...
@overload
def rook_mobility(rooks: _AnySets, occupied: _AnySets, targets: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def bishop_mobility(bishops: _Sets, occupied: _Sets | int, targets: _Sets | int, out: _Counts | None = None, *, threads: int | None = None) -> _Counts: ...
@overload
def bishop_mobility(bishops: _AnySets, occupied: _AnySets, targets: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def queen_mobility(queens: _Sets, occupied: _Sets | int, targets: _Sets | int, out: _Counts | None = None, *, threads: int | None = None) -> _Counts: ...
@overload
def queen_mobility(queens: _AnySets, occupied: _AnySets, targets: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def slider_mobility(orthogonal: _Sets, diagonal: _Sets | int, occupied: _Sets | int, targets: _Sets | int, out: _Counts | None = None, *, threads: int | None = None) -> _Counts: ...
@overload
def slider_mobility(orthogonal: _AnySets, diagonal: _AnySets, occupied: _AnySets, targets: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def rook_attacks_from(squares: _Squares, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def rook_attacks_from(squares: _AnySquares, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def bishop_attacks_from(squares: _Squares, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def bishop_attacks_from(squares: _AnySquares, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def queen_attacks_from(squares: _Squares, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def queen_attacks_from(squares: _AnySquares, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def line_attacks_from(line: _Line, squares: _Squares, occupied: _Sets | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def line_attacks_from(line: _Line, squares: _AnySquares, occupied: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def between(a: _Squares, b: _Squares | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def between(a: _AnySquares, b: _AnySquares, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def line_through(a: _Squares, b: _Squares | int, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def line_through(a: _AnySquares, b: _AnySquares, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def attack_maps(positions: _Sets, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def attack_maps(positions: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def checks(positions: _Sets, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def checks(positions: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def knight_attacks(knights: _Sets, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def knight_attacks(knights: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def king_attacks(kings: _Sets, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def king_attacks(kings: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...
@overload
def pawn_attacks(side: _Side, pawns: _Sets, out: _Sets | None = None, *, threads: int | None = None) -> _Sets: ...
@overload
def pawn_attacks(side: _Side, pawns: _AnySets, out: Any = None, *, threads: int | None = None) -> Any: ...

__all__ = [
    "rook_attacks",
    "bishop_attacks",
    "queen_attacks",
    "slider_attacks",
    "slider_attacks_split",
    "xray_rook_attacks",
    "xray_bishop_attacks",
    "xray_queen_attacks",
    "pins",
    "ray_attacks",
    "occluded_fill",
    "rook_mobility",
    "bishop_mobility",
    "queen_mobility",
    "slider_mobility",
    "rook_attacks_from",
    "bishop_attacks_from",
    "queen_attacks_from",
    "line_attacks_from",
    "between",
    "line_through",
    "attack_maps",
    "checks",
    "knight_attacks",
    "king_attacks",
    "pawn_attacks",
    "ATTACK_MAPS",
    "BISHOP",
    "BLACK",
    "CHECKS",
    "KING",
    "KNIGHT",
    "Kernel",
    "PAWN",
    "Positions",
    "QUEEN",
    "ROOK",
    "WHITE",
    "__version__",
    "attack_maps_in_columns",
    "from_fen",
    "kernel",
    "kernels",
    "set_threads",
    "threads",
    "use_kernel",
]
