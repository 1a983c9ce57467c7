"""Ctrl-C ends loading within 0.2 s, with all threads."""

import collections
import os
import signal
import threading
import time

import pytest

from setwise.loader import STOCKFISH, Filter, Loader
from test_loader import CHUNK, path  # noqa: F401

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs kill")

#: Arguments with which the first batch takes long, or none comes.
SETTINGS = {
    "all is skipped": {"filter": Filter(skip=1.0)},
    "nearly all is skipped": {
        "filter": STOCKFISH._replace(skip=0.9999), "batch_size": 1 << 20, "threads": 4},
    "files are mixed": {"filter": Filter(skip=0.9999), "batch_size": 1 << 20, "mix": True},
    "the shuffle buffer is filled": {"shuffle": 1 << 24, "seed": 1},
    "batches come, and no Python code runs": {"cycle": True, "policy": "squares"},
}


def tasks():
    """The number of threads of this process, where the system says it."""
    folder = "/proc/self/task"
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


def late(path, named):  # noqa: F811
    """The time from the signal to the end of loading."""
    count = 1 if "cycle" in named else 200 if "mix" in named else 50_000
    loader = Loader([path] * count, **{"threads": 2, "cycle": "mix" in named, **named})
    sent, before = [], tasks()

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    iterator = iter(loader)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # Takes all batches in C.
        collections.deque(iterator, 0)
    del iterator
    took = time.monotonic() - sent[0]
    timer.join()
    assert tasks() <= before
    return took


@pytest.mark.parametrize("setting", SETTINGS)
def test_ctrl_c(path, setting):  # noqa: F811
    path.write_bytes(CHUNK * 1000)
    took = []
    # Other programs on the machine may make one try slow.
    while not took or took[-1] > 0.2 and len(took) < 5:
        took.append(late(path, SETTINGS[setting]))
    assert took[-1] <= 0.2, took
