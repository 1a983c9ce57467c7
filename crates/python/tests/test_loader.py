"""Threats against python-chess; batches of binpack, and how loading ends."""

import errno
import multiprocessing
import os
import signal
import threading
import time

import chess
import numpy as np
import pyarrow as pa
import pytest

import setwise
from setwise.loader import STOCKFISH, Filter, Loader, Pieces, Table

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
    return piece.piece_type + 6 * (piece.color == chess.BLACK)


def expected(board, counts):
    rows = []
    for square, piece in board.piece_map().items():
        for to in board.attacks(square) & board.occupied:
            row = code(piece), square, code(board.piece_at(to)), to
            if counts(row[0], row[2]):
                rows.append(row)
    return sorted(rows)


#: The victims of each kind of piece in a published set of features, as bits.
VICTIMS = 0b1010, 0b11111, 0b1111, 0b1111, 0b11111, 0
MATRIX = np.zeros((12, 12), bool)
MATRIX[3, 6] = MATRIX[10, 0] = True


@pytest.mark.parametrize(
    "rules, counts",
    [
        ("every", lambda attacker, victim: True),
        ("59808", lambda attacker, victim: VICTIMS[(attacker - 1) % 6] >> (victim - 1) % 6 & 1),
        (MATRIX, lambda attacker, victim: MATRIX[attacker - 1, victim - 1]),
    ],
)
def test_threats_are_those_of_python_chess(rules, counts):
    positions = list(boards())
    parsed = setwise.from_fen([board.fen() for board in positions])
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


def test_threats_of_fens():
    fens = ["7k/8/8/8/8/8/8/R6K w", "8/8/8/8/8/8/8/K6k w - - 0 1"]
    right = setwise.threats(setwise.from_fen(fens))
    for given in fens, tuple(fens), np.array(fens), np.array(fens, object), pa.array(fens):
        found = setwise.threats(given)
        assert all((f == r).all() for f, r in zip(found, right))
    signed = setwise.threat_lists(fens, signed=True)
    assert signed.type.value_type.field("to").type == pa.int8()
    assert signed.to_pylist() == setwise.threat_lists(fens).to_pylist()
    boards = np.zeros((1, 64), "u1")
    for arguments, message in [
        ((["8/9"],), r"fens\[0\]: piece placement"),
        ((boards[:, :63],), "uint8 of shape"),
        ((boards, "59809"), "one of every, 79856, 60144, 59808"),
        ((boards, [[True]]), r"shape \(12, 12\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            setwise.threats(*arguments)


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
        assert (board[kings] == (6, 12)).all() and side == ply % 2
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
        kind = lambda codes: (codes - 1 + 6 * side) % 12  # noqa: E731
        flip = 56 * side
        expected = kind(attacker) << 18 | kind(victim) << 12 | (start ^ flip) << 6 | (end ^ flip)
        assert (indices[f"{name}_offsets"] == offsets).all()
        assert (indices[f"{name}_indices"] == expected).all()


SET = "Full_Threats+PP_3Wide+HalfKAv2_hm"


def lists(batch, name):
    """The lists of a view, each sorted."""
    offsets = batch[f"{name}_offsets"].astype("i8")
    indices = batch[f"{name}_indices"].astype("i8")
    return [sorted(indices[start:end]) for start, end in zip(offsets, offsets[1:])]


def test_rows_and_columns(path):
    plain = Loader(path, 1000, features=SET, columns=setwise.loader._ALL_COLUMNS)
    rows = Loader(
        path, 1000, features=SET, layout="rows", views="colours", columns=["piece_count", "outcome"]
    )
    assert (plain.inputs, rows.inputs, Loader(path).inputs) == (88_944, 88_944, 0)
    for batch, found in zip(plain, rows, strict=True):
        assert list(found) == ["piece_count", "outcome", "white_indices", "black_indices"]
        is_white = batch["side"] == 0
        own, other = lists(batch, "own"), lists(batch, "other")
        for name, first in ("white", True), ("black", False):
            view = found[f"{name}_indices"]
            assert view.shape == (1000, 288) and view.dtype == np.int32
            assert not view.flags.writeable and view.flags.c_contiguous
            for row, white, one, two in zip(view, is_white, own, other):
                assert sorted(row[row >= 0]) == (one if white == first else two)
        pieces = (batch["boards"] != 0).sum(1)
        assert (batch["piece_count"] == pieces).all() and (found["piece_count"] == pieces).all()
        assert (batch["is_white"] == is_white).all() and batch["is_white"].dtype == np.float32
        assert (found["outcome"] == (batch["result"] + 1) / 2).all()
        assert (batch["float_score"] == batch["score"]).all()
        assert {len(batch[name]) for name in setwise.loader._ALL_COLUMNS} == {1000}
        # The chunk's entries have no such rights.
        assert set(batch["castling"]) == {0} and set(batch["en_passant"]) == {64}
        # The move of the piece that is on another square in the next entry.
        start, end = batch["move"] >> 8 & 63, batch["move"] >> 2 & 63
        at = np.flatnonzero(np.diff(batch["ply"].astype("i4")) == 1)
        moved = batch["boards"][at, start[at]]
        assert (moved != 0).all() and (batch["boards"][at + 1, end[at]] == moved).all()


def test_parts_follow_one_another(path):
    base = np.arange(288).reshape(12, 12, 2)
    table = Table(base, np.full((12, 64, 64), 7), "")
    pieces = Pieces(buckets=[square // 32 for square in range(64)], mirrored="abcd")
    parts = "HalfKAv2_hm", table, pieces
    loader = Loader(path, features=parts)
    sizes = [Loader(path, features=part).inputs for part in parts]
    assert sizes == [24_576, 295, 1536] and loader.inputs == sum(sizes)
    (batch,) = loader
    # Pieces from the definition: the own king is mirrored to e to h.
    for board, side, own in zip(batch["boards"], batch["side"], lists(batch, "own")):
        flip = 56 * side
        king = next(s for s in range(64) if board[s] == 6 + 6 * side) ^ flip
        mirror = 7 * (king % 8 < 4)
        bucket = (king ^ mirror) // 32
        expected = [
            24_871 + 64 * (12 * bucket + (code - 1 + 6 * side) % 12) + (square ^ flip ^ mirror)
            for square, code in enumerate(board.tolist()) if code
        ]
        assert [index for index in own if index >= 24_871] == sorted(expected)


def test_memory_is_used_again(path):
    address = lambda array: array.__array_interface__["data"][0]  # noqa: E731
    loader = Loader(path, 100, threads=1, features="768", layout="rows")
    addresses, count = set(), 0
    for batch in loader:
        addresses.add(address(batch["own_indices"]))
        count += 1
    assert count == 30 and len(addresses) < 12
    # One array keeps the memory of all.
    kept = [batch["ply"] for batch in loader]
    assert len({address(array) for array in kept}) == 30
    assert np.concatenate(kept).tolist() == [68, 69, 70] * 1000


def test_rows_that_were_written_to(path):
    """Padding that a program replaced, as it may with tensors, is padding again."""
    loader = Loader(path, 100, threads=1, features="768", layout="rows")
    right = [batch["own_indices"].copy() for batch in loader]
    settings = {**loader._settings(), "writable": True}
    for number, batch in enumerate(setwise._setwise._Batches(settings)):
        indices = batch["own_indices"]
        assert (indices == right[number]).all()
        indices += 1


def test_order(path, tmp_path):
    other = tmp_path / "other.binpack"
    other.write_bytes(CHUNK * 500)
    assert len(list(Loader([path, other], 300))) == 15
    endless = iter(Loader(path, 700, cycle=True, columns=["ply"]))
    plies = np.concatenate([next(endless)["ply"] for _ in range(20)])
    assert plies.tolist() == ([68, 69, 70] * 4667)[:14_000] and endless.taken == 20
    assert [len(b["ply"]) for b in Loader(path, 700, drop_last=True)] == [700] * 4
    assert len(list(Loader(path, 700, cycle=True, limit=9))) == 9
    assert [len(b["ply"]) for b in Loader(path, shard=(1, 4))] == [750]
    assert list(Loader(path, filter=Filter(skip=1.0))) == []
    shuffled = Loader(path, 100, shuffle=500, mix=True, seed=7, cycle=True, limit=60)
    batches = list(shuffled)
    shuffled.resume, shuffled.threads = 43, 3
    assert equal(list(shuffled), batches[43:])
    shuffled.resume, shuffled.epoch = 0, 1
    assert not equal(list(shuffled), batches)
    for named in {"mix": True}, {"weights": [2, 1]}, {"weights": [1.0, 3.0]}:
        both = Loader([path, other], 300, cycle=False, **named)
        assert sum(len(batch["ply"]) for batch in both) == 4500


def test_weights(tmp_path):
    paths = [tmp_path / "one.binpack", tmp_path / "three.binpack"]
    # The first file has the first entry of each chunk, with ply 68, alone.
    paths[0].write_bytes((CHUNK[:4] + bytes([34, 0, 0, 0]) + CHUNK[8:40] + b"\0\0") * 9000)
    paths[1].write_bytes(CHUNK * 3000)
    for weights, share in ([1, 1], 0.5), ([1, 4], 0.8), ([3.5, 0.5], 0.125):
        batch = next(iter(Loader(paths, 8000, weights=weights)))
        assert abs(1.5 * (batch["ply"] > 68).mean() - share) < 0.05


def test_statistics(path):
    batches = iter(Loader(path, filter=Filter(min_ply=69, every=2)))
    assert batches.taken == 0
    (batch,) = batches
    found = batches.statistics
    assert (found["entries"], found["kept"], found["failures"]) == (3000, len(batch["ply"]), 0)
    # Of each chunk, entries 0 and 2 are kept by number.
    assert found["skipped"]["early"] == found["skipped"]["every"] == 1000
    assert sum(found["skipped"].values()) == 2000 and found["errors"] == []


def test_threads_share_an_iterator(path):
    loader = Loader(path, 10, threads=2, columns=["ply"])
    batches, found = iter(loader), [[] for _ in range(5)]
    threads = [threading.Thread(target=lambda to=to: to.extend(batches)) for to in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert sum(map(len, found)) == 300 and batches.taken == 300
    assert sum(len(batch["ply"]) for part in found for batch in part) == 3000


def test_paths(path, tmp_path):
    for given in str(path), path, os.fsencode(path), [os.fsencode(path)], (path,):
        assert sum(len(batch["ply"]) for batch in Loader(given)) == 3000
    if os.name == "posix":
        strange = os.fsencode(tmp_path) + b"/\xff\xfe.binpack"
        os.rename(path, strange)
        assert sum(len(batch["ply"]) for batch in Loader(strange)) == 3000


BASE, PLACE = np.zeros((12, 12, 2), "u4"), np.zeros((12, 64, 64), "u4")


#: Arguments, the error, and arguments that follow the advice of its message.
ARGUMENTS = [
    ({"paths": []}, ValueError, "paths has no file"),
    ({"paths": 5}, TypeError, "not iterable"),
    ({"batch_size": 0}, ValueError, "batch_size must be from 1 to 16777216, found 0"),
    ({"batch_size": 2**31}, ValueError, "batch_size must be from 1"),
    ({"batch_size": 1.5}, TypeError, "batch_size must be an integer, found float"),
    ({"threads": 2**63}, ValueError, "threads must be from 0 to 1024"),
    ({"threads": -1}, ValueError, "threads must be from 0"),
    ({"shuffle": -1}, ValueError, "shuffle must be from 0"),
    ({"seed": -1}, ValueError, "seed must be from 0"),
    ({"seed": "1"}, TypeError, "seed must be an integer, found str"),
    ({"seed": 2**64}, ValueError, "seed must be from 0 to 18446744073709551615"),
    ({"shard": (2, 2)}, ValueError, r"shard\[0\] must be from 0 to 1, found 2"),
    ({"shard": (0, 0)}, ValueError, r"shard\[1\] must be from 1"),
    ({"shard": 3}, TypeError, "shard must be a pair of number and count, found 3",
     {"shard": (0, 3)}, {"shard": np.array([0, 3])}),
    ({"shard": (1, 2, 3)}, TypeError, "shard must be a pair"),
    ({"epoch": -1}, ValueError, "epoch must be"),
    ({"resume": 0.5}, TypeError, "resume must be an integer"),
    ({"limit": -1}, ValueError, "limit must be"),
    ({"cycle": 1}, TypeError, "cycle must be True or False, found int"),
    ({"mix": None}, TypeError, "mix must be True or False"),
    ({"drop_last": "no"}, TypeError, "drop_last must be"),
    ({"weights": ["1"]}, TypeError, "weights must be numbers, found str"),
    ({"weights": [-1]}, ValueError, "weights must be greater than 0 and finite, found -1"),
    ({"weights": [float("inf")]}, ValueError, "weights must be greater than 0 and finite, found inf"),
    ({"weights": [float("nan")]}, ValueError, "weights must be .* found nan", {"weights": [0.5]}),
    ({"weights": [1, 2]}, ValueError, "a weight for each file: 1, found 2", {"weights": [1]}),
    ({"on_error": "ignore"}, ValueError, "on_error must be one of raise, skip, found 'ignore'",
     {"on_error": "raise"}, {"on_error": "skip"}),
    ({"layout": "row"}, ValueError, "layout must be one of lists, rows, found 'row'",
     {"layout": "lists"}),
    ({"layout": "rows"}, ValueError, "need inputs: features must name them",
     {"layout": "rows", "features": "768"}),
    ({"features": "768", "width": 40}, ValueError, "width is only used with layout='rows'",
     {"features": "768", "width": 40, "layout": "rows"}),
    ({"features": "768", "layout": "rows", "width": 0}, ValueError, "width must be from 1"),
    ({"views": "white"}, ValueError, "views must be one of movers, colours, found 'white'",
     {"views": "movers"}, {"views": "colours"}),
    ({"columns": ["board"]}, ValueError, "columns must be one of boards, .*, found 'board'",
     {"columns": ["boards"]}),
    ({"columns": "ply"}, TypeError, "columns must be a list of names, found str", {"columns": ["ply"]}),
    ({"rules": "every"}, ValueError, "rules are only used with features='threats'",
     {"rules": "every", "features": "threats"}),
    ({"rules": "every", "features": SET}, ValueError, "rules are only used"),
    ({"features": "Half_Threats"}, ValueError,
     r"use these, joined by \+: Full_Threats, PP_3Wide, HalfKAv2_hm, 768",
     {"features": SET}, {"features": "768"}),
    ({"features": ["768", 9]}, TypeError, "features must be names, Tables or Pieces, found int",
     {"features": [Pieces(), "768"]}),
    ({"features": []}, ValueError, "features must be .* needs a part"),
    ({"features": Table(BASE[0], PLACE)}, ValueError, r"base must have the shape \(12, 12, 2\)"),
    ({"features": Table(BASE, PLACE.ravel())}, ValueError, "place must have the shape"),
    ({"features": Table(BASE * 1.0, PLACE)}, TypeError, "base must have integers, found float64"),
    ({"features": Table(BASE, PLACE - 1.0)}, TypeError, "place must have integers"),
    ({"features": Table(BASE.astype("i8") - 1, PLACE)}, ValueError, "base must have numbers from 0"),
    ({"features": Table(BASE, PLACE + np.uint64(2**32))}, ValueError, "place must have numbers"),
    ({"features": Table(BASE, PLACE, "aa")}, ValueError, "mirrored must be letters"),
    ({"features": Table(BASE, PLACE, "ai")}, ValueError, "mirrored must be letters"),
    ({"features": Table(BASE, PLACE, 15)}, ValueError, "mirrored must be letters"),
    ({"features": Pieces(planes=[0])}, ValueError, "planes must have 12 numbers, found 1"),
    ({"features": Pieces(buckets=[-1] * 64)}, ValueError, "buckets must be from 0 to 255"),
    ({"filter": {"skip": 0.5}}, TypeError, "filter must be a setwise.loader.Filter, found dict",
     {"filter": Filter(skip=0.5)}),
    ({"filter": None}, TypeError, "filter must be"),
    ({"filter": Filter(skip=1.5)}, ValueError, "skip must be from 0.0 to 1.0, found 1.5"),
    ({"filter": Filter(skip=float("nan"))}, ValueError, "skip must be"),
    ({"filter": Filter(skip="0.5")}, TypeError, "skip must be a number, found str"),
    ({"filter": Filter(every=0)}, ValueError, "every must be from 1"),
    ({"filter": Filter(max_score=-1)}, ValueError, "max_score must be from 0 to 65535"),
    ({"filter": Filter(min_ply=1 << 16)}, ValueError, "min_ply must be"),
    ({"filter": Filter(seed=-1)}, ValueError, "seed must be"),
    ({"filter": Filter(wld=2)}, TypeError, "wld must be True or False"),
    ({"filter": Filter(pieces=[1, 2])}, ValueError, "pieces must be five numbers, found 2"),
    ({"filter": Filter(pieces=[1e10] * 5)}, ValueError, "frequencies of pieces must be from -1e9"),
    ({"filter": Filter(soft_early=9, soft_early_points=[(0, 0)])}, ValueError, "four pairs"),
    (
        {"filter": Filter(soft_early=9, soft_early_points=[(0, float("inf"))] * 4)},
        ValueError,
        "points of soft_early must be finite",
    ),
]


@pytest.mark.parametrize("named, error, message, followed", [(a, b, c, d) for a, b, c, *d in ARGUMENTS])
def test_arguments_are_checked(path, named, error, message, followed):
    with pytest.raises(error, match=message):
        Loader(**{"paths": path, **named})
    for arguments in followed:
        assert next(iter(Loader(path, **arguments)))


def test_later_changes_are_checked(path):
    loader = Loader(path)
    loader.threads = "2"
    with pytest.raises(TypeError, match="threads must be an integer"):
        iter(loader)


def test_preset():
    # 0 and 1 keep all.
    fields = {**STOCKFISH._asdict(), "every": 0}
    assert setwise._setwise._is_stockfish(fields)
    assert not setwise._setwise._is_stockfish({**fields, "wld": False})


def test_errors(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.binpack") as caught:
        iter(Loader("missing.binpack"))
    found = caught.value
    assert (found.errno, found.filename) == (errno.ENOENT, "missing.binpack")
    assert found.strerror == os.strerror(errno.ENOENT) or os.name == "nt"
    with pytest.raises(ValueError, match="not a regular file"):
        iter(Loader(tmp_path))
    path.write_bytes(CHUNK * 5 + b"BINP\x22\0\0\0" + bytes(34) + CHUNK)
    batches = iter(Loader(path))
    assert len(next(batches)["score"]) == 15
    with pytest.raises(ValueError, match=f"three.binpack: chunk 6, byte {5 * len(CHUNK) + 8}: 0"):
        next(batches)
    assert list(batches) == []
    batches = iter(Loader(path, on_error="skip"))
    assert sum(len(batch["ply"]) for batch in batches) == 18
    statistics = batches.statistics
    assert statistics["failures"] == 1 and "chunk 6, byte" in statistics["errors"][0]


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
    first = [next(batches)]
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def child():
        # The arrays of another process can be freed.
        first.clear()
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


def test_arrays_own_their_memory(path):
    (batch,) = Loader(path, features="threats")
    copies = {key: array.copy() for key, array in batch.items()}
    arrays = dict(batch)
    del batch
    list(Loader(path, features="threats"))
    assert all((arrays[key] == copies[key]).all() for key in copies)
