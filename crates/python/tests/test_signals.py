"""Tests of Ctrl-C during calls that run no Python code, in processes of their own."""

import subprocess
import sys

import pytest

import setwise
from test_loader import CHUNK

#: Calls a function while a SIGINT is pending, and prints whether it returned. `map` and `deque` run
#: no Python code, which would handle the signal before the call.
START = """
import _imp, collections, ctypes, functools, importlib.util, operator
import numpy as np
def interrupted(function):
    results = []
    calls = ctypes.pythonapi.PyErr_SetInterrupt, function, functools.partial(results.append, 1)
    try:
        collections.deque(map(operator.methodcaller("__call__"), calls), 0)
    except KeyboardInterrupt:
        print("KeyboardInterrupt after" if results else "KeyboardInterrupt in the call")
"""


def run(script):
    command = [sys.executable, "-c", START + script]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.strip()


FIRST = [
    "functools.partial(setwise._setwise._from_list, [], False)",
    "functools.partial(setwise.queen_attacks, np.zeros(1, 'u8'), 0)",
    "functools.partial(setwise._setwise._threats, np.zeros((1, 64), 'u1'), 'every')",
    "iter(setwise.Loader(PATH)).__next__",
]


@pytest.mark.parametrize("call", FIRST)
def test_a_signal_before_the_first_array(call, tmp_path):
    path = tmp_path / "three.binpack"
    path.write_bytes(CHUNK)
    script = f"import setwise\nPATH = {str(path)!r}\ninterrupted({call})"
    assert run(script) in ("KeyboardInterrupt after", "KeyboardInterrupt in the call")


def test_a_signal_before_the_import():
    script = f"""
spec = importlib.util.spec_from_file_location("_setwise", {setwise._setwise.__file__!r})
module = _imp.create_dynamic(spec)
interrupted(functools.partial(_imp.exec_dynamic, module))
"""
    assert run(script).startswith("KeyboardInterrupt")


#: Each takes several times as long as the time between looks for signals.
LONG = [
    "_from_list, [FEN] * 1_500_000, False",
    "_from_bytes, np.frombuffer(FEN.encode() * 1_500_000, 'u1'),"
    " np.arange(1_500_001) * len(FEN), None, 0, False",
    "_threats, np.full((500_000, 64), 6, 'u1'), 'every'",
    "attack_maps, np.full((2_000_000, 2, 6), 255, 'u8')",
    "_attack_maps_in_columns, [np.full(4_000_000, 255, 'u8')] * 12, list(range(16)), None",
    "_checks_in_columns, [np.full(8_000_000, 255, 'u8')] * 12, list(range(6)), None",
]


@pytest.mark.parametrize("call", LONG)
def test_long_calls_look_for_signals(call):
    script = f"""
import setwise
setwise.use_kernel("scalar")
FEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
interrupted(functools.partial(setwise._setwise.{call}))
"""
    assert run(script) == "KeyboardInterrupt in the call"
