"""Tensors of binpack, with PyTorch itself."""

import socket

import numpy as np
import pytest

import setwise
from setwise.loader import Filter

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader  # noqa: E402

import setwise.torch  # noqa: E402

from test_loader import CHUNK, SET, path  # noqa: E402, F401

ROWS = {"features": SET, "layout": "rows", "views": "colours"}


def load(dataset):
    return list(DataLoader(dataset, batch_size=None, num_workers=0))


def test_tensors_are_the_arrays(path):  # noqa: F811
    for named in {"features": "threats"}, {"features": SET}, ROWS:
        named = {**named, "columns": setwise.loader._ALL_COLUMNS}
        dataset = setwise.torch.Dataset(path, 1000, threads=2, **named)
        batches = load(dataset)
        for tensors, arrays in zip(batches, dataset.loader, strict=True):
            assert list(tensors) == list(arrays)
            for name, tensor in tensors.items():
                array = arrays[name]
                if array.dtype.kind == "u" and array.itemsize > 1:
                    array = array.view(f"i{array.itemsize}")
                assert torch.equal(tensor, torch.from_numpy(array.copy()))
    # Tensors and arrays have the same memory.
    batch = next(iter(setwise.torch.Dataset(path)))
    array = batch["boards"].numpy()
    array[0, 0] = 99
    assert batch["boards"][0, 0] == 99


def test_offsets_fit_in_signed_integers(path):  # noqa: F811
    """Of the batch that is too large there are only the offsets: it takes 8 GB."""
    offsets = np.array([0, 2**31 - 1], np.uint32)
    assert setwise.torch._tensor(offsets).tolist() == [0, 2**31 - 1]
    offsets[1] += 1
    with pytest.raises(ValueError, match=r"2\^31 indices or more: use a smaller batch_size"):
        setwise.torch._tensor(offsets)
    # Follows the advice.
    last = [next(iter(setwise.torch.Dataset(path, size, features=SET)))["own_offsets"][-1]
            for size in (1000, 500)]
    assert last[1] < last[0]


def test_no_warnings(path, recwarn):  # noqa: F811
    load(setwise.torch.Dataset(path, **ROWS))
    assert not [w for w in recwarn if "writ" in str(w.message)]


def test_passes_and_states(path):  # noqa: F811
    def dataset(**named):
        return setwise.torch.Dataset(path, 100, shuffle=700, columns=["ply"], **named)

    def plies(batches):
        return [batch["ply"].tolist() for batch in batches]

    several = dataset()
    passes = [plies(load(several)) for _ in range(3)]
    assert several.epoch == 3 and several.state_dict() == {"epoch": 3, "resume": 0}
    assert passes[0] != passes[1] != passes[2] != passes[0]
    assert all(sum(map(len, one)) == 3000 for one in passes)
    assert plies(load(dataset(epoch=1))) == passes[1]
    begun = dataset(epoch=1)
    iterator = iter(DataLoader(begun, batch_size=None))
    first = plies(next(iterator) for _ in range(12))
    state = begun.state_dict()
    assert state == {"epoch": 1, "resume": 12}
    other = dataset()
    other.load_state_dict(state)
    assert first + plies(load(other)) == passes[1]
    assert plies(load(other)) == passes[2]


def test_errors(path):  # noqa: F811
    with pytest.raises(ValueError, match="paths has no file"):
        setwise.torch.Dataset([])
    with pytest.raises(ValueError, match="there is no batch: 3000 entries were read"):
        load(setwise.torch.Dataset(path, filter=Filter(skip=1.0)))
    with pytest.raises(RuntimeError, match="use num_workers=0, threads=N"):
        list(DataLoader(setwise.torch.Dataset(path), batch_size=None, num_workers=1))
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="there is no batch: 0 entries were read"):
        load(setwise.torch.Dataset([path, path]))
    with pytest.raises(ValueError, match="no position is left of a whole pass"):
        load(setwise.torch.Dataset(path, cycle=True))


def process(rank, port, path, results):
    torch.distributed.init_process_group(
        "gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2
    )
    named = {"batch_size": 10, "threads": 1, "columns": ["float_score"]}
    try:
        iter(setwise.torch.Dataset(path, **named))
        message = ""
    except ValueError as error:
        message = str(error)
    dataset = setwise.torch.Dataset(path, cycle=True, limit=6, **named)
    scores = [batch["float_score"].tolist() for batch in load(dataset)]
    # What training does: each batch waits for the other process.
    for _ in scores:
        torch.distributed.all_reduce(torch.ones(1))
    results.put((rank, scores, message))
    torch.distributed.destroy_process_group()


def test_processes_have_the_same_number_of_batches(tmp_path):
    """Three chunks and two processes: one of them has two chunks, and the other one."""
    stem = CHUNK[8:38]
    chunks = []
    for chunk in range(3):
        # The score, at byte 26, is the number of the entry: zigzag of a positive number.
        entries = [
            stem[:26] + (2 * (60 * chunk + i)).to_bytes(2, "big") + stem[28:30] + b"\0\0" + b"\0\0"
            for i in range(60)
        ]
        payload = b"".join(entries)
        chunks.append(b"BINP" + len(payload).to_bytes(4, "little") + payload)
    path = tmp_path / "three.binpack"
    path.write_bytes(b"".join(chunks))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    context = torch.multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    processes = [
        context.Process(target=process, args=(rank, port, path, results)) for rank in range(2)
    ]
    for one in processes:
        one.start()
    found = sorted(results.get() for _ in processes)
    for one in processes:
        one.join(60)
        assert one.exitcode == 0
    assert all("need cycle=True" in message for _, _, message in found)
    # As many batches, and no position twice: one pass of the process with one chunk has as many.
    assert [len(scores) for _, scores, _ in found] == [6, 6]
    every = [score for _, scores, _ in found for batch in scores for score in batch]
    assert len(set(every)) == len(every) == 120
