"""Test inputs: random columns for each role, and positions of random games from python-chess.

python-chess is an independent oracle. It is GPL, so only the tests use it, not the package.
"""

import random

import chess
import numpy as np
import pytest

import setwise

COUNT = 10_000
OPERATIONS = setwise._setwise._operations()


def functions(condition=lambda *operation: True):
    """Parametrizes a test with the operations that meet a condition."""
    operations = [operation for operation in OPERATIONS if condition(*operation)]
    return pytest.mark.parametrize("operation", operations, ids=[name for name, *_ in operations])


def is_of_columns(_, __, inputs, outputs):
    """Whether all inputs and outputs of an operation are columns of single numbers."""
    return not any(dimensions for *_, dimensions in inputs + outputs)


def inputs(operation, count, seed=1):
    """Random inputs for an operation: boards with few sliders and more blockers."""
    source = np.random.default_rng(seed)

    def column(_, role, dtype, dimensions):
        if dtype == "uint8":
            return source.integers(0, 64, count, np.uint8)
        words = source.integers(0, 2**64, (4, count, *dimensions), np.uint64)
        if role in ("Occupied", "Own", "Blockers", "Targets", "Propagators"):
            # Vary the density between boards, from empty to crowded.
            density = source.integers(0, 4, count)
            sets = np.choose(
                density, [words[0] & words[1], words[0], words[0] | words[1], 0 * words[0]]
            )
            return ~sets if role == "Propagators" else sets
        return words[0] & words[1] & words[2] & words[3]

    return [column(*argument) for argument in operation[2]]


def values(operation):
    """The possible lists of arguments before the inputs.

    There is one list, `[value]`, for each value of the operation's parameter. Without a parameter,
    there is one empty list.
    """
    return [[value] for value in operation[1][1]] if operation[1] else [[]]


def results(result):
    """The results of a call, as a tuple."""
    return result if isinstance(result, tuple) else (result,)


def case(operation, count=200):
    """An operation's function with its parameter bound, its inputs, and the expected results."""
    value, columns = values(operation)[-1], inputs(operation, count)
    function = getattr(setwise, operation[0])
    return lambda *a, **more: function(*value, *a, **more), columns, results(
        function(*value, *columns)
    )


@pytest.fixture(scope="session")
def games():
    """Positions of all phases of the game, as python-chess boards."""
    source = random.Random(1)
    boards = []
    while len(boards) < COUNT:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 250 and len(boards) < COUNT:
            board.push(source.choice(list(board.legal_moves)))
            boards.append(board.copy(stack=False))
    return boards


KERNELS = [kernel.name for kernel in setwise.kernels() if kernel.is_available]


@pytest.fixture(params=[KERNELS[0], "portable", "scalar"])
def kernel(request):
    """Runs a test with three kernels: the best one, `portable` and `scalar`."""
    setwise.use_kernel(request.param)
    yield
    setwise.use_kernel()
