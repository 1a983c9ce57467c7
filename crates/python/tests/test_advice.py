"""Follows the advice of error messages: does what a message recommends with the input that caused
it."""

import importlib.metadata
import pathlib
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

import setwise
from setwise import _spark
from setwise.loader import Filter, Loader, Pieces
from test_loader import path  # noqa: F401

u64 = np.uint64
LIST, COLUMN = [1, 2], pa.array([1, 2], pa.uint64())
WORDS, SMALL = np.array(LIST, u64), np.array(LIST, np.uint32)
FROZEN = np.empty(2, u64)
FROZEN.flags.writeable = False
MASKED = np.ma.MaskedArray(np.empty(2, u64))
SERIES = pd.Series(LIST, dtype=u64)
TURNED = SERIES.iloc[::-1]
FEN = "8/8/8/8/8/8/8/8 w - -"
rooks = setwise.rook_attacks
ray = lambda name: setwise.ray_attacks(name, WORDS, WORDS)
side = lambda name: _spark.evaluate("fen_side", (pa.array([FEN]), pa.array([name])))

# A call, the advice of its error, and calls that follow it.
CASES = [
    (lambda: rooks(LIST, 0), r"numpy\.array\(rooks, dtype=numpy\.uint64\) makes an array of a list",
     lambda: rooks(np.array(LIST, dtype=np.uint64), 0)),
    (lambda: rooks(SMALL, 0), "cast it to uint64", lambda: rooks(SMALL.astype(u64), 0)),
    (lambda: rooks(COLUMN.cast("int32"), 0), "cast it to uint64",
     lambda: rooks(COLUMN.cast("int32").cast("uint64"), 0)),
    (lambda: rooks(pl.Series(LIST, dtype=pl.Int128), 0), "cast it to uint64",
     lambda: rooks(pl.Series(LIST, dtype=pl.Int128).cast(pl.UInt64), 0)),
    (lambda: rooks(pd.Series([1, None]), 0), "read it as an integer",
     lambda: rooks(pd.Series([1, None], dtype="UInt64"), 0)),
    (lambda: rooks(SERIES, TURNED), r"occupied\.reindex\(rooks\.index\)",
     lambda: rooks(SERIES, TURNED.reindex(SERIES.index))),
    (lambda: rooks(WORDS, WORDS, FROZEN), "pass an array that can be written to",
     lambda: rooks(WORDS, WORDS, FROZEN.copy())),
    (lambda: rooks(WORDS, WORDS, MASKED), "pass its data, and set the mask yourself",
     lambda: rooks(WORDS, WORDS, MASKED.data)),
    (lambda: rooks(WORDS, WORDS, WORDS), r"numpy\.empty_like\(rooks\)",
     lambda: rooks(WORDS, WORDS, np.empty_like(WORDS))),
    (lambda: rooks(COLUMN, COLUMN, FROZEN.copy()), "columns give a new column",
     lambda: rooks(COLUMN, COLUMN)),
    (lambda: ray("up"), "must be one of north, north-east, ", lambda: ray("north-east")),
    (lambda: side("up"), "use one of white, black", lambda: side("white") and side("black")),
    (lambda: setwise.from_fen(FEN), "pass a list of strings", lambda: setwise.from_fen([FEN])),
    (lambda: setwise.from_fen([FEN], errors="skip"), "must be 'raise' or 'null'",
     lambda: [setwise.from_fen([FEN], errors=errors) for errors in ("raise", "null")]),
    (lambda: setwise.set_threads(257), "at most 256; 0 is one per CPU",
     lambda: [setwise.set_threads(threads) for threads in (256, 0, 1)]),
]


@pytest.mark.parametrize("refused, message, followed", CASES)
def test_calls(refused, message, followed):
    with pytest.raises((TypeError, ValueError), match=message):
        refused()
    followed()


# Arguments, the advice of their error, and arguments that follow it.
ARGUMENTS = [
    ({"layout": "rows"}, "need inputs: features must name them", {"layout": "rows", "features": "768"}),
    ({"features": "768", "width": 40}, "only used with layout='rows'",
     {"features": "768", "width": 40, "layout": "rows"}),
    ({"rules": "every"}, "only used with features='threats'", {"rules": "every", "features": "threats"}),
    ({"columns": "ply"}, "must be a list of names", {"columns": ["ply"]}),
    ({"columns": ["board"]}, "must be one of boards, ", {"columns": ["boards"]}),
    ({"views": "white"}, "must be one of movers, colours", {"views": "movers"}, {"views": "colours"}),
    ({"on_error": "no"}, "must be one of raise, skip", {"on_error": "raise"}, {"on_error": "skip"}),
    ({"filter": {"skip": 0.5}}, r"must be a setwise\.loader\.Filter", {"filter": Filter(skip=0.5)}),
    ({"features": [9]}, "must be names, Tables or Pieces", {"features": [Pieces(), "768"]}),
    ({"features": "Half_Threats"}, r"use these, joined by \+: Full_Threats, PP_3Wide, HalfKAv2_hm, 768",
     {"features": "Full_Threats+PP_3Wide+HalfKAv2_hm"}, {"features": "768"}),
]


@pytest.mark.parametrize("refused, message, followed", [(a, b, c) for a, b, *c in ARGUMENTS])
def test_loader(path, refused, message, followed):  # noqa: F811
    with pytest.raises((TypeError, ValueError), match=message):
        Loader(path, **refused)
    for arguments in followed:
        assert next(iter(Loader(path, **arguments)))


def test_packages_can_be_installed():
    """Messages recommend `pip install setwise[PART]`: the package has these parts."""
    parts = importlib.metadata.metadata("setwise").get_all("Provides-Extra")
    modules = pathlib.Path(setwise.__file__).parent.glob("*.py")
    text = "".join(module.read_text(encoding="utf-8") for module in modules)
    named = set(re.findall(r"pip install setwise\[(\w+)\]", text))
    assert {"arrow", "polars", "spark"} <= named <= set(parts)


def test_the_package_reads_what_the_command_line_does_not(tmp_path):
    """`setwise attacks` recommends this package for Parquet and Arrow IPC, to read and to write."""
    fens = pa.table({"fen": ["8/8/8/8/8/8/8/R6k", "k7/8/8/8/8/8/8/7Q b"]})
    sets = setwise.from_fen(fens["fen"]).occupied[:, 0]
    table = fens.append_column("attacks", setwise.queen_attacks(pa.array(sets), pa.array(sets)))
    parquet, file, stream = (tmp_path / name for name in ("a.parquet", "a.arrow", "b.arrow"))
    pyarrow.parquet.write_table(table, parquet)
    for path, new in [(file, pyarrow.ipc.new_file), (stream, pyarrow.ipc.new_stream)]:  # noqa: F811
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
