"""Puts this package's data loader in the place of that of nnue-pytorch, Stockfish's trainer.

    python -m setwise.nnue_pytorch TRAINER             installs it in a checkout of the trainer
    python -m setwise.nnue_pytorch TRAINER --check     only says whether this version is served
    python -m setwise.nnue_pytorch TRAINER --remove    undoes everything

The trainer loads a library from its folder `build`, and finds no mismatch by itself: functions had
the same names in all versions. So the installer reads the trainer's declarations, as text, and
refuses every version that declares something else than the library has.
"""

import argparse
import ast
import ctypes
import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from . import __version__, _setwise

#: The first version of the trainer that is served, and the newest that was tried.
FIRST, NEWEST = "2026-07-24 (02141a4)", "2026-07-26 (9f72946)"

#: The inputs of each set.
SETS = {"Full_Threats": 59_808, "PP_3Wide": 4_560, "HalfKAv2_hm": 24_576}

_INT, _FLOATS, _INTS = "c_int", "POINTER(c_float)", "POINTER(c_int)"
#: The fields of each structure.
STRUCTURES = {
    "SparseBatch": [
        ("num_inputs", _INT), ("size", _INT), ("is_white", _FLOATS), ("outcome", _FLOATS),
        ("score", _FLOATS), ("num_active_white_features", _INT),
        ("num_active_black_features", _INT), ("max_active_features", _INT), ("white", _INTS),
        ("black", _INTS), ("piece_count", _INTS),
    ],
    "Fen": [("size", _INT), ("fen", "c_char_p")],
    "FenBatch": [("size", _INT), ("fens", "POINTER(Fen)")],
    "CDataloaderSkipConfig": [
        ("filtered", "c_bool"), ("random_fen_skipping", _INT), ("wld_filtered", "c_bool"),
        ("early_fen_skipping", _INT), ("soft_early_fen_skipping", _INT),
        ("simple_eval_skipping", _INT), ("param_index", _INT),
        *((f"pc_y{number}", "c_double") for number in range(5)),
        *((f"ply_{axis}{number}", "c_double") for number in range(1, 5) for axis in "xy"),
    ],
    "CDataloaderDDPConfig": [("rank", _INT), ("world_size", _INT)],
}

_STREAM, _FILES = "c_void_p", "POINTER(c_char_p)"
_SETTINGS = [_INT, _INT, _FILES, _INT, "c_bool", "CDataloaderSkipConfig", "CDataloaderDDPConfig"]
#: The arguments and the result of each function.
FUNCTIONS: dict[str, tuple[list[str], str]] = {
    "create_sparse_batch_stream": (["c_char_p", *_SETTINGS], _STREAM),
    "fetch_next_sparse_batch": ([_STREAM], "POINTER(SparseBatch)"),
    "destroy_sparse_batch": (["POINTER(SparseBatch)"], "None"),
    "destroy_sparse_batch_stream": ([_STREAM], "None"),
    "create_fen_batch_stream": (_SETTINGS, _STREAM),
    "fetch_next_fen_batch": ([_STREAM], "POINTER(FenBatch)"),
    "destroy_fen_batch": (["POINTER(FenBatch)"], "None"),
    "destroy_fen_batch_stream": ([_STREAM], "None"),
    "get_sparse_batch_from_fens":
        (["c_char_p", _INT, _FILES, _INTS, _INTS, _INTS], "POINTER(SparseBatch)"),
}
#: Those that the trainer must declare. Without a declaration, a pointer of 64 bits is cut.
_DECLARED = [name for name in FUNCTIONS if not name.startswith("destroy")]

#: In `build`: the library, the trainer's own while it is replaced, the record, and what is written
#: before it takes the name of another.
LIBRARY = {"win32": "training_data_loader.dll", "darwin": "libtraining_data_loader.dylib"}.get(
    sys.platform, "libtraining_data_loader.so"
)
KEPT = LIBRARY + ".own"
RECORD = "setwise.json"
TEMPORARY = "setwise.tmp"


class Refused(Exception):
    """Why the library is not installed, or cannot be removed."""


class _Declarations:
    """What the Python files of a trainer declare."""

    def __init__(self, trainer: Path) -> None:
        self.structures: dict[str, list[tuple[str, str]]] = {}
        self.arguments: dict[str, list[str]] = {}
        self.results: dict[str, str] = {}
        self.called: set[str] = set()
        self.sets: dict[str, int | None] = {}
        if not (trainer / "data_loader/_native.py").is_file():
            raise Refused("it has no data_loader/_native.py: this is an older version, or not the "
                          "folder of nnue-pytorch")
        for path in sorted((trainer / "data_loader").glob("*.py")):
            self._read_interface(_parsed(path))
        for path in sorted((trainer / "model/modules/features").glob("*.py")):
            self._read_sets(_parsed(path))

    def _read_interface(self, module: ast.Module) -> None:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef) and "Structure" in map(_text, node.bases):
                self._read_structure(node)
            if not isinstance(node, ast.Attribute):
                continue
            if isinstance(node.value, ast.Attribute) and node.value.attr == "dll":
                self.called.add(node.attr)
        for node in ast.walk(module):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                target = node.targets[0]
                function = target.value.attr if isinstance(target.value, ast.Attribute) else ""
                if target.attr == "argtypes":
                    types = node.value.elts if isinstance(node.value, ast.List) else [node.value]
                    self.arguments[function] = list(map(_text, types))
                elif target.attr == "restype":
                    self.results[function] = _text(node.value)

    def _read_structure(self, node: ast.ClassDef) -> None:
        fields = None
        for statement in node.body:
            if isinstance(statement, ast.Assign):
                name, value = _text(statement.targets[0]), statement.value
                if name != "_fields_" or not isinstance(value, ast.List):
                    raise Refused(f"{node.name} has {name}, which is not known")
                pairs = [pair.elts if isinstance(pair, ast.Tuple) else [] for pair in value.elts]
                if any(len(pair) != 2 or not isinstance(pair[0], ast.Constant) for pair in pairs):
                    raise Refused(f"the fields of {node.name} are not names and types")
                fields = [(_text(name).strip("'"), _text(kind)) for name, kind in pairs]
        if fields is None or node.name in self.structures:
            raise Refused(f"{node.name} must have one list of fields")
        self.structures[node.name] = fields

    def _read_sets(self, module: ast.Module) -> None:
        constants: dict[str, Any] = {}
        _assign(module.body, constants)
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                found = dict(constants)
                _assign(node.body, found)
                name = found.get("INPUT_FEATURE_NAME", found.get("FEATURE_NAME"))
                if isinstance(name, str):
                    self.sets[name.rstrip("^")] = found.get("NUM_INPUTS")


def _parsed(path: Path) -> ast.Module:
    text = path.read_text(encoding="utf-8", errors="replace")
    # Python 3.12's statement `type`, which older versions cannot parse.
    text = re.sub(r"^type (\w+) =", r"\1 =", text, flags=re.MULTILINE)
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise Refused(f"{path.parent.name}/{path.name} cannot be parsed: {error}") from None


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("ctypes.", "")


def _assign(body: list[ast.stmt], constants: dict[str, Any]) -> None:
    """Adds the constants that these statements assign."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = _value(node.value, constants)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            constants[node.target.id] = _value(node.value, constants)


def _value(node: ast.expr, constants: dict[str, Any]) -> Any:
    """A text, or an integer computed from others. None: neither."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)):
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, constants), _value(node.right, constants)
        if isinstance(left, int) and isinstance(right, int):
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.FloorDiv) and right:
                return left // right
    return None


def check(trainer: Path) -> list[str]:
    """The sets of a trainer. Raises `Refused` if its declarations are not those of the library."""
    found = _Declarations(trainer)
    for name, fields in STRUCTURES.items():
        if name not in found.structures:
            raise Refused(f"it does not declare {name}")
        _compare(name, found.structures[name], fields)
    if new := sorted(found.structures.keys() - STRUCTURES.keys()):
        raise Refused(f"it declares {new[0]}, which is not known")
    if new := sorted(found.called - FUNCTIONS.keys()):
        raise Refused(f"it calls {new[0]}, which the library does not have")
    for name in sorted(found.called | set(_DECLARED)):
        arguments, result = FUNCTIONS[name]
        if found.arguments.get(name, [] if name in _DECLARED else arguments) != arguments:
            given = ", ".join(found.arguments.get(name, ["none are declared"]))
            raise Refused(f"{name} has other arguments: {given}")
        if found.results.get(name, "c_int" if name in _DECLARED else result) != result:
            raise Refused(f"{name} has another result: {found.results.get(name, 'c_int')}")
    if not found.sets:
        raise Refused("it has no set of inputs in model/modules/features")
    for name, inputs in sorted(found.sets.items()):
        if name not in SETS:
            raise Refused(f"its set {name} is not known")
        if inputs != SETS[name]:
            number = "an unknown number of" if inputs is None else f"{inputs:,}"
            raise Refused(f"its set {name} has {number} inputs, and the library's {SETS[name]:,}")
    return sorted(found.sets)


def _compare(name: str, found: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> None:
    for have, want in zip(found, wanted):
        if have != want:
            raise Refused(f"{name} has {' '.join(have)} where the library has {' '.join(want)}")
    if len(found) > len(wanted):
        raise Refused(f"{name} has the field {found[len(wanted)][0]}, which is not known")
    if len(found) < len(wanted):
        raise Refused(f"{name} lacks the field {wanted[len(found)][0]}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _recorded(build: Path) -> list[str] | None:
    """The digests of the libraries that are ours, or None if nothing was installed."""
    try:
        record = json.loads((build / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise Refused(f"{build / RECORD} cannot be read: {error}") from None
    digests = record.get("sha256") if isinstance(record, dict) else None
    if not isinstance(digests, list):
        raise Refused(f"{build / RECORD} is not the installer's")
    return digests


def _write_record(build: Path, digests: list[str]) -> None:
    text = json.dumps({"version": __version__, "sha256": digests}) + "\n"
    (build / TEMPORARY).write_text(text, encoding="utf-8")
    os.replace(build / TEMPORARY, build / RECORD)


def install(trainer: Path) -> list[str]:
    """Installs the library, and returns what was done.

    It can be interrupted anywhere: the record is the first that is written, and it names the
    library that is there and the one that comes. Then `install` goes on, and `remove` undoes it.
    """
    sets = check(trainer)
    source = Path(str(_setwise.__file__))
    library = ctypes.CDLL(str(source))
    for name in FUNCTIONS:
        getattr(library, name)
    build = trainer / "build"
    target, kept, new = build / LIBRARY, build / KEPT, build / TEMPORARY
    ours, digest = _recorded(build) or [], _digest(source)
    build.mkdir(exist_ok=True)
    _write_record(build, [*(other for other in ours if other != digest), digest])
    # Not its time: the trainer loads the newest library.
    shutil.copyfile(source, new)
    if target.exists() and _digest(target) not in ours:
        # The trainer was built again if one is kept already: this one is newer.
        os.replace(target, kept)
    os.replace(new, target)
    _write_record(build, [digest])
    done = [f"installed {target}, for {', '.join(sets)} and their sums"]
    others = [p for p in build.rglob("*training_data_loader.*") if p not in (target, kept)]
    others = [path for path in others if path.suffix in (".so", ".dll", ".dylib")]
    if others:
        newest = max(path.stat().st_mtime for path in others)
        if newest >= target.stat().st_mtime:
            os.utime(target, (newest + 1, newest + 1))
        done.append(f"it is newer than {', '.join(map(str, others))}, so the trainer takes it")
    if kept.exists():
        done.append(f"the trainer's own library is kept as {kept}")
    return done


def remove(trainer: Path) -> list[str]:
    """Undoes `install`, and returns what was done."""
    build = trainer / "build"
    target, kept, temporary = build / LIBRARY, build / KEPT, build / TEMPORARY
    ours = _recorded(build)
    if ours is None and not temporary.exists():
        raise Refused("nothing is installed there")
    done = []
    if ours is None:
        done.append("the installation was interrupted before it changed anything")
    elif target.exists() and _digest(target) not in ours:
        done.append(f"{target} is not the installed one, and stays")
        if kept.exists():
            kept.unlink()
            done.append(f"removed {kept}, which it had replaced")
    elif kept.exists():
        os.replace(kept, target)
        done.append(f"the trainer's own library is back as {target}")
    elif target.exists():
        target.unlink()
        done.append(f"removed {target}")
    temporary.unlink(missing_ok=True)
    (build / RECORD).unlink(missing_ok=True)
    if not any(build.iterdir()) and not build.is_symlink():
        build.rmdir()
        done.append(f"removed {build}")
    return done


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line. Returns the exit code: 0 done, 1 refused."""
    parser = argparse.ArgumentParser(
        prog="python -m setwise.nnue_pytorch",
        description="Puts setwise's data loader in the place of that of nnue-pytorch, Stockfish's "
        f"trainer. Served are its versions from {FIRST} on; the newest that was tried is {NEWEST}.",
    )
    parser.add_argument("trainer", type=Path, help="the folder of the trainer")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="only say whether it is served")
    what.add_argument("--remove", action="store_true", help="undo the installation")
    given = parser.parse_args(arguments)
    try:
        if given.remove:
            lines = remove(given.trainer)
        elif given.check:
            lines = [f"{given.trainer} is served, with {', '.join(check(given.trainer))}"]
        else:
            lines = install(given.trainer)
    except Refused as refused:
        print(f"{given.trainer}: {refused}", file=sys.stderr)
        if not given.remove:
            print(f"served are the versions of nnue-pytorch from {FIRST} on; the newest that was "
                  f"tried is {NEWEST}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{given.trainer}: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
