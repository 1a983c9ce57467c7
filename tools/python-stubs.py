#!/usr/bin/env python3
"""Writes the Python package's type stubs, from the installed extension's list of operations.

tools/python-stubs.py            writes them
tools/python-stubs.py --check    exit code 1 if they are stale
"""

import pathlib
import sys
import textwrap

import setwise.polars
from setwise import _operations, _setwise

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "crates/python/package/setwise"
ARRAYS = {"uint8": "_Squares", "uint32": "_Counts", "uint64": "_Sets"}
OTHERS = {"uint8": "_AnySquares", "uint64": "_AnySets"}
HEAD = "# Written by `tools/check.sh generate` from the list of operations.\n"

START = (
    HEAD
    + """from typing import Any, Literal, Protocol, overload

import numpy
from numpy.typing import NDArray

_Sets = NDArray[numpy.uint64]
_Counts = NDArray[numpy.uint32]
_Squares = NDArray[numpy.uint8]
{parameters}
class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

# A column of pyarrow, Polars or pandas.
_Column = _ArrowArray | _ArrowStream
_AnySets = NDArray[numpy.uint64 | numpy.int64] | numpy.uint64 | numpy.int64 | int | _Column
_AnySquares = NDArray[numpy.integer[Any]] | numpy.integer[Any] | int | _Column

"""
)

POLARS = (
    HEAD
    + """from collections.abc import Iterable
from typing import Literal

import polars

from ._operations import {parameters}

_Column = str | polars.Expr

def from_fen(fens: _Column, errors: Literal["raise", "null"] = "raise") -> polars.Expr: ...
def attack_maps(positions: _Column, results: Iterable[str] | None = None, *, threads: int | None = None) -> polars.Expr: ...
def checks(positions: _Column, *, threads: int | None = None) -> polars.Expr: ...
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
    # In the first overload, the first argument is an array, and so is the result.
    arrays = [
        f"{argument}: {ARRAYS[dtype]}{' | int' if i and not dimensions else ''}"
        for i, (argument, _, dtype, dimensions) in enumerate(inputs)
    ]
    arrays = definition(name, [*first(parameter), *arrays, f"out: {result} | None = None"], result)
    others = [f"{argument}: {OTHERS[dtype]}" for argument, _, dtype, _ in inputs]
    result = f"tuple[{', '.join(['Any'] * len(results))}]" if is_tuple else "Any"
    others = definition(name, [*first(parameter), *others, "out: Any = None"], result)
    return f"@overload\n{arrays}@overload\n{others}"


def expression(name, parameter, inputs, _):
    columns = [f"{argument}: _Column | int" for argument, *_ in inputs]
    return definition(name, [*first(parameter), *columns], "polars.Expr")


def names(module):
    text = ", ".join(f'"{name}"' for name in module.__all__)
    text = textwrap.fill(text, 99, initial_indent="    ", subsequent_indent="    ")
    return f"\n__all__ = [\n{text},\n]\n"


def texts():
    operations = _setwise._operations()
    parameters = {alias(parameter): parameter[1] for _, parameter, *_ in operations if parameter}
    literals = "".join(
        f"{name} = Literal[{', '.join(f'{chr(34)}{value}{chr(34)}' for value in values)}]\n"
        for name, values in parameters.items()
    )
    is_column = lambda arguments: not any(dimensions for *_, dimensions in arguments)
    expressions = [
        operation for operation in operations if is_column(operation[2] + operation[3])
    ]
    return {
        "_operations.pyi": START.format(parameters=literals)
        + "".join(function(*operation) for operation in operations)
        + names(_operations),
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
        sys.exit(f"{names_}: stale; run tools/check.sh generate")
else:
    for path, text in stale.items():
        path.write_text(text)
