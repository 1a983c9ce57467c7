#!/usr/bin/env python3
"""Writes the Python package's types from the list of operations in the installed extension.

    tools/python-stubs.py            writes
    tools/python-stubs.py --check    exits with 1 if they are not up to date
"""

import pathlib
import sys

import setwise.polars
from setwise import _setwise

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "crates/python/package/setwise"
ARRAYS = {"u64": "_Sets", "u32": "_Counts", "Square": "_Squares", "Position": "_Sets",
          "AttackMaps": "_Sets", "Checks": "_Sets"}

START = '''# Written by `tools/python-stubs.py` from the list of operations.
from typing import Any, Literal, NamedTuple, Protocol, overload

import numpy
from numpy.typing import NDArray

from . import _setwise as _setwise

_Sets = NDArray[numpy.uint64]
_Counts = NDArray[numpy.uint32]
_Squares = NDArray[numpy.uint8]
_Direction = Literal["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
_Line = Literal["rank", "file", "diagonal", "antidiagonal"]

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

# A column of pyarrow, or a Series of Polars.
_Column = _ArrowArray | _ArrowStream

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

def from_fen(fens: Any) -> Positions: ...
def kernels() -> list[Kernel]: ...
def kernel() -> str: ...
def use_kernel(name: str | None = None) -> str: ...
def set_threads(threads: int) -> None: ...
def threads() -> int: ...
'''

EXTENSION = """# The extension has no types of its own: only this package uses it.
from typing import Any

def __getattr__(name: str) -> Any: ...
"""

POLARS = '''# Written by `tools/python-stubs.py` from the list of operations.
import polars

from . import _Direction, _Line

'''


def function(group, name, index, inputs, outputs):
    first = [f"{argument}: _{kind}" for argument, kind in index]
    results = [ARRAYS[kind] for _, kind in outputs]
    result = results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"
    end = "*, threads: int | None = None"
    of_arrays = [*first, *(f"{argument}: {ARRAYS[kind]}" for argument, kind in inputs),
                 f"out: {result} | None = None", end]
    if group == "positions":
        return f"def {name}({', '.join(of_arrays)}) -> {result}: ...\n"
    of_columns = [*first, *(f"{argument}: _Column" for argument, _ in inputs), "out: None = None",
                  end]
    result_of_columns = "Any" if len(results) == 1 else "tuple[Any, Any]"
    return (
        f"@overload\ndef {name}({', '.join(of_arrays)}) -> {result}: ...\n"
        f"@overload\ndef {name}({', '.join(of_columns)}) -> {result_of_columns}: ...\n"
    )


def expression(_, name, index, inputs, __):
    arguments = [f"{argument}: _{kind}" for argument, kind in index]
    arguments += [f"{argument}: str | polars.Expr" for argument, _ in inputs]
    return (f"def {name}({', '.join(arguments)}, /, *, threads: int | None = None) "
            "-> polars.Expr: ...\n")


def names(module):
    return "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in module.__all__) + "]\n"


operations = _setwise._operations()
functions = "".join(function(*operation) for operation in operations)
expressions = "".join(expression(*one) for one in operations if one[0] != "positions")
texts = {
    "_setwise.pyi": EXTENSION,
    "__init__.pyi": START + "\n" + functions + names(setwise),
    "polars.pyi": POLARS + expressions + names(setwise.polars),
}
wrong = [name for name, text in texts.items()
         if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text]
if "--check" in sys.argv[1:]:
    if wrong:
        sys.exit(f"{', '.join(wrong)} must be written anew by tools/python-stubs.py")
else:
    for name in wrong:
        (FOLDER / name).write_text(texts[name])
