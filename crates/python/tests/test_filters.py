"""Each rule of the loader's filter against a computation with python-chess over the same entries.

The entries are random games, which are written as binpack here.
"""

import random
from typing import NamedTuple

import chess
import numpy as np
import pytest

from setwise.loader import STOCKFISH, Filter, Loader

# Without castling rights, which would be more to write.
STARTS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r4rk1/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R4RK1 w - - 0 1",
]


class Entry(NamedTuple):
    board: chess.Board
    move: chess.Move
    score: int
    result: int
    ply: int
    #: The score before it in the game.
    before: int | None


def zigzag(number):
    number &= 0xFFFF
    if number >> 15:
        number ^= 0x7FFF
    return (number << 1 | number >> 15) & 0xFFFF


def stem(entry):
    board, nibbles = entry.board, []
    for square, piece in sorted(board.piece_map().items()):
        nibble = 2 * (piece.piece_type - 1) + (piece.color == chess.BLACK)
        passed = board.ep_square and board.ep_square ^ 8 == square
        if passed and board.has_legal_en_passant():
            nibble = 12
        if nibble == 11 and board.turn == chess.BLACK:
            nibble = 15
        nibbles.append(nibble)
    nibbles += [0] * (32 - len(nibbles))
    move = entry.move
    kind = 1 if move.promotion else 3 if board.is_en_passant(move) else 0
    promotion = move.promotion - 2 if move.promotion else 0
    return b"".join([
        board.occupied.to_bytes(8, "big"),
        bytes(low | high << 4 for low, high in zip(nibbles[::2], nibbles[1::2])),
        (kind << 14 | move.from_square << 8 | move.to_square << 2 | promotion).to_bytes(2, "big"),
        zigzag(entry.score).to_bytes(2, "big"),
        (zigzag(entry.result) << 14 | entry.ply).to_bytes(2, "big"),
        board.halfmove_clock.to_bytes(2, "big"),
    ])


def destinations(board, square):
    own = board.occupied_co[board.turn]
    if board.piece_type_at(square) != chess.PAWN:
        return list(chess.SquareSet(board.attacks(square) & ~own))
    targets = board.occupied_co[not board.turn]
    if board.has_legal_en_passant():
        targets |= 1 << board.ep_square
    squares = chess.SquareSet(board.attacks(square) & targets)
    step, start = (8, 1) if board.turn else (-8, 6)
    if not board.piece_at(square + step):
        squares.add(square + step)
        if square // 8 == start and not board.piece_at(square + 2 * step):
            squares.add(square + 2 * step)
    return list(squares)


def chain(entries):
    bits = []

    def write(number, count):
        bits.extend(number >> bit & 1 for bit in reversed(range(count)))

    def choose(index, count):
        write(index, (count - 1).bit_length())

    for before, entry in zip(entries, entries[1:]):
        board, move = entry.board, entry.move
        own = list(chess.SquareSet(board.occupied_co[board.turn]))
        choose(own.index(move.from_square), len(own))
        squares = destinations(board, move.from_square)
        index = squares.index(move.to_square)
        if move.promotion:
            choose(4 * index + move.promotion - 2, 4 * len(squares))
        else:
            choose(index, len(squares))
        number = zigzag(entry.score + before.score)
        while True:
            write(int(number > 15), 1)
            write(number & 15, 4)
            number >>= 4
            if not number:
                break
    bits += [0] * (-len(bits) % 8)
    text = bytes(int("".join(map(str, bits[i : i + 8])), 2) for i in range(0, len(bits), 8))
    return stem(entries[0]) + (len(entries) - 1).to_bytes(2, "big") + text


def chunk(chains):
    payload = b"".join(map(chain, chains))
    return b"BINP" + len(payload).to_bytes(4, "little") + payload


@pytest.fixture(scope="module")
def chains():
    """Games of some hundred entries, with scores of all sizes."""
    source, chains = random.Random(5), []
    for number in range(120):
        board, entries = chess.Board(STARTS[number % len(STARTS)]), []
        result = source.choice([-1, 0, 1])
        for ply in range(source.randrange(2, 250)):
            moves = list(board.legal_moves)
            if not moves or board.halfmove_clock > 90:
                break
            move = source.choice(moves)
            score = source.choice([0, 32002, source.randrange(-3000, 3000), int(source.gauss(0, 200))])
            before = entries[-1].score if entries else None
            entries.append(Entry(board.copy(stack=False), move, score, result, ply, before))
            board.push(move)
            result = -result
        chains.append(entries)
    return chains


@pytest.fixture(scope="module")
def path(chains, tmp_path_factory):
    path = tmp_path_factory.mktemp("filters") / "games.binpack"
    path.write_bytes(chunk(chains[:70]) + chunk(chains[70:]))
    return path


@pytest.fixture(scope="module")
def entries(chains):
    return sum(chains, [])


def test_the_file_has_the_entries(path, entries):
    batch = next(iter(Loader(path, 1 << 20, columns=["boards", "side", "score", "result", "ply"],
                             filter=Filter(keep_unscored=True))))
    assert len(batch["ply"]) == len(entries) > 5000
    for board, side, score, result, ply, entry in zip(*batch.values(), entries, strict=True):
        pieces = {
            square: 2 * (piece.piece_type - 1) + (piece.color == chess.BLACK)
            for square, piece in entry.board.piece_map().items()
        }
        assert {square: code for square, code in enumerate(board) if code < 12} == pieces
        assert side != entry.board.turn and (score, result, ply) == entry[2:5]


def wins(entry, sign):
    """The probability of a win of the side to move, or of the other one."""
    m = min(240, entry.ply) / 64
    a = np.polyval([-3.68389304, 30.07065921, -60.52878723, 149.53378557], m)
    b = 1.5 * np.polyval([-2.0181857, 15.85685038, -29.83452023, 47.59078827], m)
    x = min(2000, max(-2000, 100 * entry.score / 208))
    return 1 / (1 + np.exp((a - sign * x) / b))


def likelihood(entry):
    if entry.result:
        return wins(entry, entry.result)
    return 1 - wins(entry, 1) - wins(entry, -1)


def material(board):
    values = {chess.PAWN: 208, chess.KNIGHT: 781, chess.BISHOP: 825, chess.ROOK: 1276,
              chess.QUEEN: 2538, chess.KING: 0}
    return sum(values[p.piece_type] * (1 if p.color else -1) for p in board.piece_map().values())


def is_capture(entry):
    return entry.board.is_capture(entry.move)


POINTS = [0, 6, 10, 18, 20], [0.1, 0.15, 0.25, 0.75, 1]

#: Reason, filter, and the probability of being skipped.
RULES = [
    ("unscored", Filter(), lambda entry: entry.score == 32002),
    ("placeholder", Filter(skip_placeholders=True), lambda entry: (
        entry.score == 0 and entry.result != 0 and entry.before is not None
        and abs(entry.before) > 100)),
    ("early", Filter(min_ply=17), lambda entry: entry.ply < 17),
    ("score", Filter(max_score=500), lambda entry: abs(entry.score) > 500),
    ("simple_eval", Filter(simple_eval=700), lambda entry: abs(material(entry.board)) < 700),
    ("capture", Filter(skip_captures=True), is_capture),
    ("capture", Filter(skip_captures=True, keep_en_passant=True), lambda entry: (
        is_capture(entry) and not entry.board.is_en_passant(entry.move))),
    ("check", Filter(skip_checks=True), lambda entry: entry.board.is_check()),
    ("random", Filter(skip=0.75, seed=3), lambda entry: 0.75),
    ("soft_early", Filter(soft_early=20), lambda entry: 1 - np.interp(entry.ply, *POINTS)),
    ("wld", Filter(wld=True), lambda entry: 1 - likelihood(entry)),
]


@pytest.mark.parametrize("reason, filter, rule", RULES)
def test_share_of_skipped_entries(path, entries, reason, filter, rule):
    filter = filter._replace(keep_unscored=reason != "unscored")
    batches = iter(Loader(path, 1 << 20, filter=filter, columns=["score", "ply"]))
    (batch,) = batches
    shares = np.array([rule(entry) for entry in entries], float)
    skipped = batches.statistics["skipped"]
    assert sum(skipped.values()) == skipped[reason] == len(entries) - len(batch["ply"])
    # Of rules without draws exactly as many; of others within four standard deviations.
    assert 20 < skipped[reason]
    assert abs(skipped[reason] - shares.sum()) <= 4 * np.sqrt((shares * (1 - shares)).sum())
    if set(shares) <= {0, 1}:
        kept = [(entry.score, entry.ply) for entry, skip in zip(entries, shares) if not skip]
        assert list(zip(batch["score"], batch["ply"], strict=True)) == kept


def test_the_preset(path, entries):
    """All rules at once. Each draws for itself."""
    rules = {filter: rule for _, filter, rule in RULES}
    names = "skip_placeholders", "skip_checks", "soft_early", "wld"
    wanted = [Filter(), Filter(skip_captures=True, keep_en_passant=True)]
    wanted += [Filter(**{name: getattr(STOCKFISH, name)}) for name in names]
    keeps = np.array([np.prod([1.0 - rules[filter](e) for filter in wanted]) for e in entries])
    counts = []
    for epoch in range(20):
        batches = Loader(path, filter=STOCKFISH._replace(pieces=None), epoch=epoch)
        counts.append(sum(len(batch["ply"]) for batch in batches))
    assert len(set(counts)) > 5
    deviation = np.sqrt((keeps * (1 - keeps)).sum() / 20)
    assert abs(np.mean(counts) - keeps.sum()) <= 4 * deviation


@pytest.mark.parametrize("values", [(1, 1, 1, 1, 1), (0, 0.4, 1, 1, 0.75)])
def test_numbers_of_pieces(entries, tmp_path, values):
    """Of the numbers of pieces that are common, as many as wanted, within 2 %."""
    pieces = np.array([len(entry.board.piece_map()) for entry in entries])
    numbers, counts = np.unique(pieces, return_counts=True)
    common = numbers[counts > len(entries) / 50]
    assert len(common) > 8
    chosen = [[e] for e, count in zip(entries, pieces) if count in common]
    random.Random(1).shuffle(chosen)
    path = tmp_path / "common.binpack"
    path.write_bytes(chunk(chosen))
    loader = Loader(path, 1 << 20, cycle=True, limit=1, columns=["piece_count"], seed=2,
                    filter=Filter(keep_unscored=True, pieces=values))
    found = np.bincount(next(iter(loader))["piece_count"], minlength=33)
    assert set(np.flatnonzero(found)) == set(common)
    # A cubic curve with these slopes through each pair of points.
    slopes = [values[1] - values[0], *(np.subtract(values[2:], values[:-2]) / 2),
              values[4] - values[3]]
    wanted = []
    for count in common:
        at = min(count // 8, 3)
        left, right = values[at], values[at + 1]
        matrix = [[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0], [0, 1, 2, 3]]
        a, b, c, d = np.linalg.solve(matrix, [left, right, slopes[at], slopes[at + 1]])
        t = count / 8 - at
        wanted.append(a + b * t + c * t**2 + d * t**3)
    ratios = found[common] / found.sum() / (np.array(wanted) / sum(wanted))
    assert ratios.min() > 0.98 and ratios.max() < 1.02, ratios
