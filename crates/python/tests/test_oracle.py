"""Tests of every operation against the oracle in `setwise-check`, with three kernels."""

import ctypes

import numpy as np
import pytest
from conftest import functions, inputs, results, values
from rust import library as rust_library

import setwise

BOARDS = 1003


@pytest.fixture(scope="session")
def oracle():
    """Builds the oracle and returns a function that calls it.

    The function's arguments are the operation's name, the parameter, the words of the inputs, and
    the number of result words per board.
    """
    library = rust_library("oracle")
    library.setwise_oracle.restype = ctypes.c_bool
    words = np.ctypeslib.ndpointer(np.uint64, flags="C")
    numbers = ctypes.c_uint8, ctypes.c_size_t
    library.setwise_oracle.argtypes = [ctypes.c_char_p, *numbers, words, words]

    def call(name, parameter, rows, width):
        right = np.empty((len(rows), width), np.uint64)
        assert library.setwise_oracle(name.encode(), parameter, len(rows), rows, right)
        return right

    return call


def words(columns):
    """The words of several columns side by side, one board per row."""
    rows = [column.astype(np.uint64).reshape(len(column), -1) for column in columns]
    return np.ascontiguousarray(np.concatenate(rows, axis=1))


@functions()
def test_results_are_the_oracles(operation, oracle, kernel):
    name = operation[0]
    columns = inputs(operation, BOARDS)
    for number, value in enumerate(values(operation)):
        found = words(results(getattr(setwise, name)(*value, *columns)))
        right = oracle(name, number, words(columns), found.shape[1])
        wrong = np.argwhere(found != right)
        assert not wrong.size, (value, wrong[0])
        assert right.any()
