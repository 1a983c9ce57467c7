"""Tests of numpy arguments, error messages, and calls in several threads and processes."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import case, functions, is_of_columns, results, values

import setwise

u64 = np.uint64


def random(count, seed=1):
    return np.random.default_rng(seed).integers(0, 2**64, count, u64)


@functions()
@pytest.mark.parametrize("threads", [0, 2, 3])
def test_threads_change_nothing(operation, threads):
    function, columns, right = case(operation, 30_000)
    assert np.array_equal(results(function(*columns, threads=threads)), right)


@functions(is_of_columns)
def test_any_shape(operation):
    function, columns, right = case(operation, 24)
    cubes = results(function(*(column.reshape(2, 3, 4) for column in columns)))
    assert all(np.array_equal(a, b.reshape(2, 3, 4)) for a, b in zip(cubes, right))
    for shape in [(0,), (3, 0), ()]:
        columns = [np.zeros(shape, column.dtype) for column in columns]
        assert results(function(*columns))[0].shape == shape


@functions()
def test_arguments_by_name(operation):
    name, parameter, columns, _ = operation
    _, arrays, right = case(operation)
    names = [*([parameter[0]] if parameter else []), *(argument for argument, *_ in columns)]
    keywords = dict(zip(names, [*values(operation)[-1], *arrays]))
    function = getattr(setwise, name)
    found = results(function(**keywords, threads=1))
    assert all(np.array_equal(a, b) for a, b in zip(right, found, strict=True))
    keywords.pop(names[-1])
    with pytest.raises(TypeError, match=rf"{name}\(\) missing the arguments '{names[-1]}'"):
        function(**keywords)
    assert pickle.loads(pickle.dumps(function)) is function


def test_kernels_that_cannot_run():
    used = setwise.kernel()
    with pytest.raises(ValueError, match="fast"):
        setwise.use_kernel("fast")
    for kernel in setwise.kernels():
        if not kernel.is_available:
            with pytest.raises(ValueError, match=kernel.name):
                setwise.use_kernel(kernel.name)
    assert setwise.kernel() == used


def test_the_environment_forces_a_kernel():
    program = """import numpy, setwise
print(setwise.rook_attacks(numpy.uint64([1]), numpy.uint64([0])), setwise.kernel())"""

    def run(name):
        command = [sys.executable, "-c", program]
        environment = os.environ | {"SETWISE_FORCE_KERNEL": name}
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    assert run("scalar").stdout == "[72340172838076926] scalar\n"
    assert "RuntimeError: SETWISE_FORCE_KERNEL: " in run("fast").stderr
    assert run("").stdout == f"[72340172838076926] {setwise.kernel()}\n"


def test_results_have_memory_of_their_own():
    memory = random(40)
    before = memory.copy()
    a, b = memory[:10], memory[10:20]
    for out in [a, b, memory[5:15], memory[19:29]]:
        with pytest.raises(ValueError, match="shares memory with"):
            setwise.queen_attacks(a, b, out)
    with pytest.raises(ValueError, match="orthogonal_attacks shares memory with diagonal_attacks"):
        setwise.slider_attacks_split(a, b, b, (memory[20:30], memory[29:39]))
    bytes_ = memory.view(np.uint8)
    with pytest.raises(ValueError, match="shares memory with"):
        setwise.between(bytes_[:2] % 1, bytes_[8:10], memory[1:3])
    assert (memory == before).all()
    # Adjacent arrays are allowed, and so is passing an input twice.
    setwise.queen_attacks(a, a, memory[10:20])
    assert (memory[:10] == before[:10]).all() and (memory[20:] == before[20:]).all()
    nothing = memory[:0]
    setwise.queen_attacks(nothing, nothing, nothing)


def test_inputs_may_be_read_only():
    frozen = np.frombuffer(random(100).tobytes(), u64)
    assert not frozen.flags.writeable
    assert np.array_equal(
        setwise.queen_attacks(frozen, frozen), setwise.queen_attacks(frozen.copy(), frozen)
    )


def test_other_threads_run_meanwhile():
    setwise.use_kernel("scalar")
    queens, occupied = random(8_000_000), random(8_000_000, 2)
    out = np.zeros_like(queens)
    counted, seen, done = [0], [], threading.Event()

    def call():
        before = counted[0]
        setwise.queen_attacks(queens, occupied, out)
        seen.append(counted[0] - before)
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    while not done.is_set():
        counted[0] += 1
    thread.join()
    setwise.use_kernel()
    # If the call held the GIL, this thread would count for only one or two time slices of 5 ms.
    # Because the call releases it, this thread counts for most of the call, at least 40 ms.
    assert seen[0] > 10_000, seen


def of_child(pipe):
    attacks = setwise.queen_attacks(random(50_000), random(50_000, 2), threads=2)
    pipe.send(bool((attacks != 0).any()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_has_threads_of_its_own():
    setwise.queen_attacks(random(50_000), random(50_000, 2), threads=2)
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=of_child, args=(theirs,))
    child.start()
    assert ours.poll(60) and ours.recv()
    child.join()


def test_reading_threads_cannot_change_checked_arrays():
    sets = np.zeros(4, np.uint64)
    out = np.zeros(4, np.uint64)

    class Threads:
        def __index__(self):
            out.dtype = np.uint8
            return 1

    with pytest.raises((TypeError, ValueError)):
        setwise.rook_attacks(sets, sets, out=out, threads=Threads())


def test_kernels_agree():
    queens, occupied = random(5000), random(5000, 2)
    right = setwise.queen_attacks(queens, occupied)
    names = [kernel.name for kernel in setwise.kernels() if kernel.is_available]
    assert len(names) >= 3 and "scalar" in names
    for name in names:
        assert setwise.use_kernel(name) == name == setwise.kernel()
        assert np.array_equal(setwise.queen_attacks(queens, occupied), right)
    setwise.use_kernel()
    assert setwise.kernel() == names[0]


def test_the_default_of_threads():
    assert setwise.threads() == 1
    setwise.set_threads(2)
    try:
        assert setwise.threads() == 2
        queens, occupied = random(50_000), random(50_000, 2)
        assert np.array_equal(
            setwise.queen_attacks(queens, occupied),
            setwise.queen_attacks(queens, occupied, threads=1),
        )
    finally:
        setwise.set_threads(1)
