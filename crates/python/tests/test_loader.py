"""Threats against python-chess; batches of binpack, and how loading ends."""

import multiprocessing
import os
import signal
import time

import chess
import numpy as np
import pyarrow as pa
import pytest

import setwise
from setwise.loader import Filter, Loader, Table

# Three entries: a position of a game and two moves.
CHUNK = b"BINP" + bytes.fromhex(
    "26000000 828290d2 08c04652 483a4000 5110 1271 9b050000000000000a680191004400000002 1d18f508"
)
FIELDS = {"boards", "kings", "side", "score", "result", "ply"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "three.binpack"
    path.write_bytes(CHUNK * 1000)
    return path


def boards():
    source = np.random.default_rng(1)
    for _ in range(20):
        board = chess.Board()
        for _ in range(40):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[source.integers(len(moves))])
            yield board.copy(stack=False)


def code(piece):
    return 2 * (piece.piece_type - 1) + (piece.color == chess.BLACK)


def expected(board, counts=lambda attacker, victim: True):
    rows = []
    for square, piece in board.piece_map().items():
        for to in board.attacks(square) & board.occupied:
            row = code(piece), square, code(board.piece_at(to)), to
            if counts(row[0], row[2]):
                rows.append(row)
    return sorted(rows)


@pytest.mark.parametrize("rules", ["every", "59808", "matrix"])
def test_threats_are_those_of_python_chess(rules):
    positions = list(boards())
    parsed = setwise.from_fen([board.fen() for board in positions])
    counts = lambda attacker, victim: True  # noqa: E731
    if rules == "59808":
        victims = [0b1010, 0b11111, 0b1111, 0b1111, 0b11111, 0]
        counts = lambda attacker, victim: victims[attacker // 2] >> victim // 2 & 1  # noqa: E731
    if rules == "matrix":
        rules = np.zeros((12, 12), bool)
        rules[6, 1] = rules[9, 0] = True
        counts = lambda attacker, victim: (attacker, victim) in ((6, 1), (9, 0))  # noqa: E731
    offsets, threats = setwise.threats(parsed, rules)
    assert (offsets.dtype, threats.dtype, threats.shape[1]) == (np.uint32, np.uint8, 4)
    assert len(offsets) == len(positions) + 1 and offsets[-1] == len(threats) > 0
    for i, board in enumerate(positions):
        found = threats[offsets[i] : offsets[i + 1]].tolist()
        assert sorted(map(tuple, found)) == expected(board, counts)
    again = setwise.threats(setwise.loader.boards(parsed), rules)
    assert (again[0] == offsets).all() and (again[1] == threats).all()
    lists = setwise.threat_lists(parsed, rules)
    lists.validate(full=True)
    assert lists.offsets.to_numpy().tolist() == offsets.tolist()
    fields = [lists.values.field(name).to_numpy() for name in ("attacker", "from", "victim", "to")]
    assert (np.stack(fields, 1) == threats).all()


def test_bad_threats():
    with pytest.raises(ValueError, match="uint8 of shape"):
        setwise.threats(np.zeros((2, 63), "u1"))
    with pytest.raises(ValueError, match="one of every, 79856, 60144, 59808"):
        setwise.threats(np.zeros((1, 64), "u1"), "59809")
    with pytest.raises(ValueError, match=r"shape \(12, 12\)"):
        setwise.threats(np.zeros((1, 64), "u1"), [[True]])


def test_threats_of_fens():
    fens = ["7k/8/8/8/8/8/8/R6K w", "8/8/8/8/8/8/8/K6k w - - 0 1"]
    right = setwise.threats(setwise.from_fen(fens))
    for given in fens, tuple(fens), np.array(fens), np.array(fens, object), pa.array(fens):
        found = setwise.threats(given)
        assert all((f == r).all() for f, r in zip(found, right))
    signed = setwise.threat_lists(fens, signed=True)
    assert signed.type.value_type.field("to").type == pa.int8()
    assert signed.to_pylist() == setwise.threat_lists(fens).to_pylist()
    with pytest.raises(ValueError, match=r"fens\[0\]: piece placement"):
        setwise.threats(["8/9"])


def equal(one, two):
    return len(one) == len(two) and all(
        a.keys() == b.keys() and all((a[key] == b[key]).all() for key in a)
        for a, b in zip(one, two)
    )


def test_batches(path):
    loader = Loader(path, batch_size=700, threads=2)
    batches = list(loader)
    assert [len(batch["score"]) for batch in batches] == [700] * 4 + [200]
    assert all(batch.keys() == FIELDS for batch in batches)
    first = batches[0]
    assert first["boards"].shape == (700, 64) and first["kings"].shape == (700, 2)
    assert first["ply"].tolist()[:6] == [68, 69, 70] * 2
    assert set(first["result"]) <= {-1, 0, 1} and first["score"].dtype == np.int16
    for board, kings, side, ply in zip(*(first[key] for key in ("boards", "kings", "side", "ply"))):
        assert (board[kings] == (10, 11)).all() and side == ply % 2
    assert equal(batches, list(loader))
    shuffled = [list(Loader(path, shuffle=500, threads=n, seed=3)) for n in (1, 3)]
    assert equal(*shuffled)
    plies = np.concatenate([batch["ply"] for batch in shuffled[0]])
    assert sorted(plies) == sorted([68, 69, 70] * 1000) and (np.diff(plies[:300]) != 1).any()


def test_features(path):
    (batch,) = Loader(path, features="threats", filter=Filter(every=3))
    assert batch.keys() == FIELDS | {"offsets", "threats"}
    offsets, threats = setwise.threats(batch["boards"])
    assert (offsets == batch["offsets"]).all() and (threats == batch["threats"]).all()

    # The index is the threat itself, as each side sees it.
    base = np.zeros((12, 12, 2), "u4")
    base += np.arange(12, dtype="u4")[:, None, None] << 18
    base += np.arange(12, dtype="u4")[None, :, None] << 12
    place = np.zeros((12, 64, 64), "u4")
    place += np.arange(64, dtype="u4")[None, :, None] << 6
    place += np.arange(64, dtype="u4")[None, None, :]
    (indices,) = Loader(path, features=Table(base, place, ""), filter=Filter(every=3))
    for name, other in ("own", 0), ("other", 1):
        side = np.repeat(batch["side"] ^ other, np.diff(offsets.astype("i8"))).astype("u4")
        attacker, start, victim, end = threats.astype("u4").T
        kind = lambda codes: codes // 2 + 6 * (codes % 2 ^ side)  # noqa: E731
        flip = 56 * side
        expected = kind(attacker) << 18 | kind(victim) << 12 | (start ^ flip) << 6 | (end ^ flip)
        assert (indices[f"{name}_offsets"] == offsets).all()
        assert (indices[f"{name}_indices"] == expected).all()


def test_arrays_own_their_memory(path):
    (batch,) = Loader(path, features="threats")
    copies = {key: array.copy() for key, array in batch.items()}
    arrays = dict(batch)
    del batch
    list(Loader(path, features="threats"))
    assert all((arrays[key] == copies[key]).all() for key in copies)


def test_filters_and_shards(path):
    def plies(**arguments):
        batches = list(Loader(path, **arguments))
        return np.concatenate([batch["ply"] for batch in batches] or [np.empty(0, "u2")])

    assert (plies(filter=Filter(min_ply=70)) == 70).all()
    assert len(plies(filter=Filter(skip=1.0))) == 0
    assert 1000 < len(plies(filter=Filter(skip=0.5))) < 2000
    assert len(plies(shard=(1, 4))) == 750


def test_errors(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        iter(Loader("missing.binpack"))
    with pytest.raises(ValueError, match="not a regular file"):
        iter(Loader(tmp_path))
    with pytest.raises(ValueError, match="batch_size"):
        iter(Loader(path, batch_size=0))
    with pytest.raises(ValueError, match="features"):
        Loader(path, features="attacks")
    path.write_bytes(CHUNK * 5 + b"BINP\x22\0\0\0" + bytes(34) + CHUNK)
    batches = iter(Loader(path))
    assert len(next(batches)["score"]) == 15
    with pytest.raises(ValueError, match=f"three.binpack: chunk 6, byte {5 * len(CHUNK) + 8}: 0"):
        next(batches)
    assert list(batches) == []


def test_an_interrupt_ends_a_wait(path):
    """Nothing is kept of many files, so the first batch takes long."""
    loader = Loader([path] * 1_000_000, filter=Filter(skip=1.0))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(iter(loader))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_start_anew(path):
    loader = Loader(path, batch_size=100, threads=2)
    batches = iter(loader)
    next(batches)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def child():
        try:
            next(batches)
            results.put("no error")
        except OSError as error:
            results.put(str(error))
        results.put(sum(len(batch["score"]) for batch in loader))

    process = context.Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert "forked" in results.get()
    assert results.get() == 3000
    assert len(list(batches)) == 29


@pytest.mark.skipif("SETWISE_BINPACK" not in os.environ, reason="needs SETWISE_BINPACK")
def test_sample():
    path = os.path.join(os.environ["SETWISE_BINPACK"], "sample.binpack")
    for keep_unscored, count in [(True, 200_050), (False, 195_372)]:
        loader = Loader(path, threads=2, filter=Filter(keep_unscored=keep_unscored))
        assert sum(len(batch["score"]) for batch in loader) == count
