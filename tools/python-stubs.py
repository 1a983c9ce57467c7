#!/usr/bin/env python3
"""Writes the Python package's type stubs, from the installed extension's list of operations.

tools/python-stubs.py            writes them
tools/python-stubs.py --check    exit code 1 if they are stale
"""

import pathlib
import sys

import setwise.polars
from setwise import _setwise

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "crates/python/package/setwise"
ARRAYS = {"uint8": "_Squares", "uint32": "_Counts", "uint64": "_Sets"}
HEAD = "# Written by `tools/generate.sh` from the list of operations.\n"

START = (
    HEAD
    + """from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, overload

import numpy
from numpy.typing import NDArray

from . import _setwise as _setwise

_Sets = NDArray[numpy.uint64]
_Counts = NDArray[numpy.uint32]
_Squares = NDArray[numpy.uint8]
{parameters}
class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

# A pyarrow column or a Polars Series.
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
def attack_maps_in_columns(
    pieces: Mapping[str, Any], results: Iterable[str] | None = None, *, threads: int | None = None
) -> dict[str, _Sets]: ...
def kernels() -> list[Kernel]: ...
def kernel() -> str: ...
def use_kernel(name: str | None = None) -> str: ...
def set_threads(threads: int) -> None: ...
def threads() -> int: ...

"""
)

POLARS = (
    HEAD
    + """import polars

from . import {parameters}

"""
)


def alias(parameter):
    return f"_{parameter[0].capitalize()}"


def first(parameter):
    """A list with the declaration of the parameter; empty if the operation has no parameter."""
    return [f"{parameter[0]}: {alias(parameter)}"] if parameter else []


def definition(name, arguments, result):
    return f"def {name}({', '.join(arguments)}, *, threads: int | None = None) -> {result}: ...\n"


def function(name, parameter, inputs, outputs):
    results = [ARRAYS[dtype] for _, _, dtype, _ in outputs]
    is_tuple = len(results) > 1
    result = f"tuple[{', '.join(results)}]" if is_tuple else results[0]
    arrays = [f"{argument}: {ARRAYS[dtype]}" for argument, _, dtype, _ in inputs]
    arrays = definition(name, [*first(parameter), *arrays, f"out: {result} | None = None"], result)
    if any(dimensions for *_, dimensions in inputs):
        return arrays
    columns = [f"{argument}: _Column" for argument, *_ in inputs]
    result = f"tuple[{', '.join(['Any'] * len(results))}]" if is_tuple else "Any"
    columns = definition(name, [*first(parameter), *columns, "out: None = None"], result)
    return f"@overload\n{arrays}@overload\n{columns}"


def expression(name, parameter, inputs, _):
    columns = [f"{argument}: str | polars.Expr" for argument, *_ in inputs]
    return definition(name, [*first(parameter), *columns, "/"], "polars.Expr")


def names(module):
    return "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in module.__all__) + "]\n"


def texts():
    operations = _setwise._operations()
    parameters = {alias(parameter): parameter[1] for _, parameter, *_ in operations if parameter}
    literals = "".join(
        f"{name} = Literal[{', '.join(f'{chr(34)}{value}{chr(34)}' for value in values)}]\n"
        for name, values in parameters.items()
    )
    expressions = [operation for operation in operations if operation[0] in setwise.polars.__all__]
    return {
        "__init__.pyi": START.format(parameters=literals)
        + "".join(function(*operation) for operation in operations)
        + names(setwise),
        "polars.pyi": POLARS.format(parameters=", ".join(parameters))
        + "".join(expression(*operation) for operation in expressions)
        + names(setwise.polars),
    }


stale = {
    FOLDER / name: text
    for name, text in texts().items()
    if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text
}
if "--check" in sys.argv[1:]:
    if stale:
        names_ = ", ".join(path.name for path in stale)
        sys.exit(f"{names_}: stale; run tools/generate.sh")
else:
    for path, text in stale.items():
        path.write_text(text)
