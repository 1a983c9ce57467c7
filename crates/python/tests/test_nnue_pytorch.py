"""The installer for nnue-pytorch, on texts that declare the interface as a trainer does."""

import os
import pathlib
import shutil
import subprocess
import sys
import types

import pytest

from setwise import nnue_pytorch

LIBRARY = nnue_pytorch.LIBRARY

NATIVE = """
import ctypes
from .config import CDataloaderDDPConfig, CDataloaderSkipConfig

class SparseBatch(ctypes.Structure):
    _fields_ = [
        ("num_inputs", ctypes.c_int), ("size", ctypes.c_int),
        ("is_white", ctypes.POINTER(ctypes.c_float)), ("outcome", ctypes.POINTER(ctypes.c_float)),
        ("score", ctypes.POINTER(ctypes.c_float)), ("num_active_white_features", ctypes.c_int),
        ("num_active_black_features", ctypes.c_int), ("max_active_features", ctypes.c_int),
        ("white", ctypes.POINTER(ctypes.c_int)), ("black", ctypes.POINTER(ctypes.c_int)),
        ("piece_count", ctypes.POINTER(ctypes.c_int)),
    ]

class Fen(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int), ("fen", ctypes.c_char_p)]

class FenBatch(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int), ("fens", ctypes.POINTER(Fen))]

class Library:
    def __init__(self):
        self.dll = ctypes.CDLL("build/...")
        self.dll.create_sparse_batch_stream.restype = ctypes.c_void_p
        self.dll.create_sparse_batch_stream.argtypes = [
            ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_int, ctypes.c_bool, CDataloaderSkipConfig, CDataloaderDDPConfig]
        self.dll.fetch_next_sparse_batch.restype = ctypes.POINTER(SparseBatch)
        self.dll.fetch_next_sparse_batch.argtypes = [ctypes.c_void_p]
        self.dll.destroy_sparse_batch_stream.argtypes = [ctypes.c_void_p]
        self.dll.create_fen_batch_stream.restype = ctypes.c_void_p
        self.dll.create_fen_batch_stream.argtypes = [
            ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_int, ctypes.c_bool, CDataloaderSkipConfig, CDataloaderDDPConfig]
        self.dll.fetch_next_fen_batch.restype = ctypes.POINTER(FenBatch)
        self.dll.fetch_next_fen_batch.argtypes = [ctypes.c_void_p]
        self.dll.get_sparse_batch_from_fens.restype = ctypes.POINTER(SparseBatch)
        self.dll.get_sparse_batch_from_fens.argtypes = [
            ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p),
            ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int),
            ctypes.POINTER(ctypes.c_int)]

type Pointer = ctypes._Pointer[SparseBatch]
"""

CONFIG = """
import ctypes

class CDataloaderSkipConfig(ctypes.Structure):
    _fields_ = [
        ("filtered", ctypes.c_bool), ("random_fen_skipping", ctypes.c_int),
        ("wld_filtered", ctypes.c_bool), ("early_fen_skipping", ctypes.c_int),
        ("soft_early_fen_skipping", ctypes.c_int), ("simple_eval_skipping", ctypes.c_int),
        ("param_index", ctypes.c_int),
        ("pc_y0", ctypes.c_double), ("pc_y1", ctypes.c_double), ("pc_y2", ctypes.c_double),
        ("pc_y3", ctypes.c_double), ("pc_y4", ctypes.c_double),
        ("ply_x1", ctypes.c_double), ("ply_y1", ctypes.c_double), ("ply_x2", ctypes.c_double),
        ("ply_y2", ctypes.c_double), ("ply_x3", ctypes.c_double), ("ply_y3", ctypes.c_double),
        ("ply_x4", ctypes.c_double), ("ply_y4", ctypes.c_double),
    ]

class CDataloaderDDPConfig(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("world_size", ctypes.c_int)]
"""

STREAM = """
from ._native import library

def end(stream, batch):
    library.dll.destroy_sparse_batch(batch)
    library.dll.destroy_sparse_batch_stream(stream)
"""

BASE = "class Input:\n    NUM_INPUTS: int\n"
THREATS = """
class Threats(Input):
    FEATURE_NAME = "Full_Threats"
    INPUT_FEATURE_NAME = "Full_Threats"
    NUM_INPUTS = 59808
"""
PAWNS = "class Pawns(Input):\n    FEATURE_NAME = 'PP_3Wide'\n    NUM_INPUTS: int = 4_560\n"
KINGS = """
BUCKETS = 64 // 2

class Kings(Input):
    FEATURE_NAME = "HalfKAv2_hm^"
    INPUT_FEATURE_NAME = "HalfKAv2_hm"
    PLANES = 64 * (13 - 1)
    NUM_INPUTS = PLANES * BUCKETS
"""

INTERFACE, FEATURES = "data_loader", "model/modules/features"
FILES = {
    f"{INTERFACE}/_native.py": NATIVE, f"{INTERFACE}/config.py": CONFIG,
    f"{INTERFACE}/stream.py": STREAM, f"{FEATURES}/base.py": BASE,
    f"{FEATURES}/threats.py": THREATS, f"{FEATURES}/pawns.py": PAWNS, f"{FEATURES}/kings.py": KINGS,
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def trainer(tmp_path):
    return write(tmp_path / "trainer", FILES)


def tree(folder):
    paths = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def test_the_interface_is_served(trainer, capsys):
    before = tree(trainer)
    assert nnue_pytorch.main([str(trainer), "--check"]) == 0
    assert "served, with Full_Threats, HalfKAv2_hm, PP_3Wide" in capsys.readouterr().out
    assert tree(trainer) == before


#: A file, a text in it, another text, and the message.
CHANGES = [
    ("_native", '("piece_count",', '("values",', "SparseBatch has values POINTER(c_int) where"),
    ("_native", '("piece_count", ctypes.POINTER(ctypes.c_int)),\n', "", "lacks the field piece_count"),
    ("_native", '("outcome", ctypes.POINTER(ctypes.c_float))', '("outcome", ctypes.c_float)',
     "SparseBatch has outcome c_float where the library has outcome POINTER(c_float)"),
    ("_native", "    _fields_ = [(\"size\", ctypes.c_int), (\"fen\"", "    _pack_ = 1\n    _fields_ = [(\"size\", ctypes.c_int), (\"fen\"",
     "Fen has _pack_, which is not known"),
    ("_native", "ctypes.c_char_p)]\n\nclass FenBatch", "ctypes.c_char_p)] + MORE\n\nclass FenBatch",
     "Fen has _fields_, which is not known"),
    ("_native", "class Library", "class Entry(ctypes.Structure):\n    _fields_ = []\n\nclass Library",
     "it declares Entry, which is not known"),
    ("_native", "ctypes.c_bool, CData", "ctypes.c_bool, ctypes.c_int, CData",
     "create_fen_batch_stream has other arguments: c_int, c_int, POINTER(c_char_p), c_int, c_bool, c_int,"),
    ("_native", "self.dll.fetch_next_fen_batch.argtypes", "self.arguments", "none are declared"),
    ("_native", "self.dll.create_sparse_batch_stream.restype", "self.result",
     "create_sparse_batch_stream has another result: c_int"),
    ("_native", "self.dll.destroy_sparse_batch_stream.argtypes = [ctypes.c_void_p]",
     "self.dll.destroy_sparse_batch_stream.argtypes = []", "destroy_sparse_batch_stream has other"),
    ("_native", "class Library:", "class Library", "_native.py cannot be parsed"),
    ("config", '        ("param_index", ctypes.c_int),\n', "",
     "CDataloaderSkipConfig has pc_y0 c_double where the library has param_index c_int"),
    ("config", '("ply_y4", ctypes.c_double),', '("ply_y4", ctypes.c_double), ("ply_x5", ctypes.c_double),',
     "CDataloaderSkipConfig has the field ply_x5, which is not known"),
    ("config", "class CDataloaderDDPConfig", "class Processes", "does not declare CDataloaderDDPConfig"),
    ("stream", "destroy_sparse_batch(", "recycle_sparse_batch(", "it calls recycle_sparse_batch, which"),
    ("threats", "59808", "60720", "Full_Threats has 60,720 inputs, and the library's 59,808"),
    ("threats", "59808", "66864", "66,864"),
    ("threats", "59808", "count()", "an unknown number of inputs"),
    ("threats", '= "Full_Threats"', '= "All_Threats"', "its set All_Threats is not known"),
    ("kings", "13 - 1", "13 - 2", "HalfKAv2_hm has 22,528 inputs"),
]


@pytest.mark.parametrize("file, text, changed, message", CHANGES)
def test_others_are_refused(trainer, capsys, file, text, changed, message):
    (path,) = trainer.rglob(f"{file}.py")
    assert text in path.read_text()
    path.write_text(path.read_text().replace(text, changed))
    before = tree(trainer)
    assert nnue_pytorch.main([str(trainer)]) == 1
    output = capsys.readouterr()
    assert message in output.err and nnue_pytorch.NEWEST in output.err and not output.out
    assert tree(trainer) == before


def test_other_folders_are_refused(trainer, tmp_path, capsys):
    assert nnue_pytorch.main([str(tmp_path)]) == 1
    assert "an older version, or not the folder of nnue-pytorch" in capsys.readouterr().err
    for path in (trainer / FEATURES).iterdir():
        path.unlink()
    assert nnue_pytorch.main([str(trainer)]) == 1
    assert "it has no set of inputs" in capsys.readouterr().err
    assert nnue_pytorch.main([str(trainer), "--remove"]) == 1
    assert "nothing is installed there" in capsys.readouterr().err


def run(*arguments, **named):
    command = [sys.executable, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, **named)
    assert result.returncode == 0, result.stderr
    return result.stdout, result.stderr


def test_a_fresh_checkout(trainer):
    """The installed library does what the trainer asks for, and nothing is left after removal."""
    before = tree(trainer)
    output, _ = run("-m", "setwise.nnue_pytorch", trainer)
    assert f"installed {trainer / 'build' / LIBRARY}" in output
    script = pathlib.Path(__file__).parents[2] / "loader/nnue-pytorch/tests/trainer.py"
    output, errors = run(script, trainer / "build" / LIBRARY, cwd=trainer)
    assert "works as the trainer calls it" in output
    assert "training_data_loader: setwise" in errors and "59,808 inputs" in errors
    assert "removed" in run("-m", "setwise.nnue_pytorch", trainer, "--remove")[0]
    assert tree(trainer) == before


def test_the_trainers_own_library_is_kept(trainer, capsys):
    build = trainer / "build"
    build.mkdir()
    (build / LIBRARY).write_bytes(b"own")
    (build / "other").write_bytes(b"other")
    before = tree(trainer)
    for _ in range(2):
        assert nnue_pytorch.main([str(trainer)]) == 0
        assert f"is kept as {build / nnue_pytorch.KEPT}" in capsys.readouterr().out
        assert (build / nnue_pytorch.KEPT).read_bytes() == b"own"
        # The trainer loads files with this ending.
        assert not nnue_pytorch.KEPT.endswith((".so", ".dll", ".dylib"))
        assert (build / LIBRARY).stat().st_size > 100_000
    assert nnue_pytorch.main([str(trainer), "--remove"]) == 0
    assert "is back" in capsys.readouterr().out
    assert tree(trainer) == before


@pytest.mark.parametrize("again", [False, True])
def test_a_library_that_was_built_later(trainer, capsys, again):
    build = trainer / "build"
    build.mkdir()
    (build / LIBRARY).write_bytes(b"old")
    nnue_pytorch.main([str(trainer)])
    (build / LIBRARY).write_bytes(b"new")
    if again:
        assert nnue_pytorch.main([str(trainer)]) == 0
        assert (build / nnue_pytorch.KEPT).read_bytes() == b"new"
    capsys.readouterr()
    assert nnue_pytorch.main([str(trainer), "--remove"]) == 0
    assert again or "is not the installed one, and stays" in capsys.readouterr().out
    assert {path.name: path.read_bytes() for path in build.iterdir()} == {LIBRARY: b"new"}


def test_the_newest_library_is_ours(trainer, capsys):
    other = write(trainer, {f"build/Release/{LIBRARY}": "own"}) / f"build/Release/{LIBRARY}"
    os.utime(other, (4e9, 4e9))
    assert nnue_pytorch.main([str(trainer)]) == 0
    assert f"newer than {other}" in capsys.readouterr().out
    assert (trainer / "build" / LIBRARY).stat().st_mtime > 4e9
    assert nnue_pytorch.main([str(trainer), "--remove"]) == 0
    assert [path.name for path in (trainer / "build").iterdir()] == ["Release"]


@pytest.fixture
def older(tmp_path):
    """A module as of an older version, whose library differs by a byte that is not read."""
    path = tmp_path / "older.so"
    path.write_bytes(pathlib.Path(nnue_pytorch._setwise.__file__).read_bytes() + b"\0")
    return types.SimpleNamespace(__file__=str(path))


def interrupted(monkeypatch, module, name, call, run):
    """Whether a function was called this often. Its last call raises an error."""
    calls, original = [], getattr(module, name)

    def broken(*arguments, **named):
        calls.append(arguments)
        if len(calls) == call:
            raise PermissionError("it is in use")
        return original(*arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(module, name, broken)
        assert run() == (1 if len(calls) >= call else 0)
    return len(calls) >= call


#: What was there before, and how often an installation replaces a file.
STATES = [
    ("nothing", 3), ("own", 4), ("older", 3), ("own and older", 3), ("own, older and rebuilt", 4)
]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("state, replaced", STATES)
def test_interruptions(trainer, older, monkeypatch, capsys, state, replaced, again):
    """After an interruption, both commands work, and removal brings back what the trainer had."""
    build = trainer / "build"
    run = lambda *arguments: nnue_pytorch.main([str(trainer), *arguments])
    points = [(os, "replace", call) for call in range(1, 9)] + [(shutil, "copyfile", 1)]
    reached = []
    for point in points:
        shutil.rmtree(build, ignore_errors=True)
        if "own" in state:
            write(build, {LIBRARY: "own", "other": "other"})
        if "older" in state:
            with monkeypatch.context() as patched:
                patched.setattr(nnue_pytorch, "_setwise", older)
                assert run() == 0
        if "rebuilt" in state:
            write(build, {LIBRARY: "rebuilt"})
        reached.append(interrupted(monkeypatch, *point, run))
        if again:
            assert run() == 0
            installed = pathlib.Path(nnue_pytorch._setwise.__file__).read_bytes()
            assert (build / LIBRARY).read_bytes() == installed
            kept = build / nnue_pytorch.KEPT
            assert kept.exists() == ("own" in state)
        capsys.readouterr()
        assert run("--remove") == 0, capsys.readouterr().err
        own = {LIBRARY: "rebuilt" if "rebuilt" in state else "own", "other": "other"}
        left = {path.name: path.read_text() for path in build.rglob("*")}
        assert left == (own if "own" in state else {}), point
        assert build.exists() == ("own" in state)
    assert reached == [True] * replaced + [False] * (8 - replaced) + [True]


def test_an_interrupted_removal(trainer, monkeypatch):
    write(trainer, {f"build/{LIBRARY}": "own"})
    before = tree(trainer)
    assert nnue_pytorch.main([str(trainer)]) == 0
    remove = lambda: nnue_pytorch.main([str(trainer), "--remove"])
    installed = tree(trainer)
    assert interrupted(monkeypatch, os, "replace", 1, remove)
    assert tree(trainer) == installed
    # The library is back, but the record is still there.
    assert interrupted(monkeypatch, pathlib.Path, "unlink", 1, remove)
    assert remove() == 0
    assert tree(trainer) == before
