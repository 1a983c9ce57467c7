"""Each rule of the loader's filter against a computation with python-chess over the same entries.

`games.binpack` has two chunks of random games, with random scores.
"""

import pathlib
from typing import NamedTuple

import chess
import numpy as np
import pytest

from setwise.loader import STOCKFISH, Filter, Loader

PATH = pathlib.Path(__file__).with_name("games.binpack")


class Entry(NamedTuple):
    board: chess.Board
    move: chess.Move
    is_capture: bool
    is_en_passant: bool
    score: int
    result: int
    ply: int
    #: The last earlier score that is neither 32002 nor a placeholder; `None` at a game's start.
    before: int | None


def is_placeholder(entry):
    return (entry.score == 0 and entry.result != 0 and entry.before is not None
            and abs(entry.before) > 100)


@pytest.fixture(scope="module")
def entries():
    columns = ["boards", "side", "move", "score", "result", "ply"]
    (batch,) = Loader(PATH, 1 << 20, columns=columns, filter=Filter(keep_unscored=True))
    entries, last = [], 0
    for codes, side, move, *numbers in zip(*batch.values(), strict=True):
        board = chess.Board(None)
        board.turn = bool(side == 0)
        for square in np.flatnonzero(codes).tolist():
            is_black, kind = divmod(int(codes[square]) - 1, 6)
            board.set_piece_at(square, chess.Piece(kind + 1, not is_black))
        bits = int(move)
        from_square, to_square = bits >> 8 & 63, bits >> 2 & 63
        promotion = (bits & 3) + 2 if bits >> 14 == 1 else None
        move = chess.Move(from_square, to_square, promotion)
        is_en_passant = bits >> 14 == 3
        is_capture = is_en_passant or codes[to_square] != 0
        score, result, ply = map(int, numbers)
        before = last if ply else None
        entry = Entry(board, move, is_capture, is_en_passant, score, result, ply, before)
        entries.append(entry)
        if score != 32002 and not is_placeholder(entry):
            last = score
    return entries


def test_the_entries_are_games(entries):
    """Each board follows from the one before by its move. The sums are those of the games when they
    were written."""
    assert len(entries) == 4691
    for before, entry in zip(entries, entries[1:]):
        if entry.ply:
            board = before.board.copy()
            board.ep_square = before.move.to_square if before.is_en_passant else None
            board.push(before.move)
            assert (board.board_fen(), board.turn) == (entry.board.board_fen(), entry.board.turn)
            assert (entry.ply, entry.result) == (before.ply + 1, -before.result)
    games = [entry for entry in entries if entry.ply == 0]
    assert (len(games), sum(entry.result for entry in games)) == (60, -5)
    assert sum(entry.score for entry in entries) == 37155767
    assert sum(entry.score * number for number, entry in enumerate(entries)) == 87498395278


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


POINTS = [0, 6, 10, 18, 20], [0.1, 0.15, 0.25, 0.75, 1]

#: Reason, filter, and the probability of being skipped.
RULES = [
    ("unscored", Filter(), lambda entry: entry.score == 32002),
    ("placeholder", Filter(skip_placeholders=True), is_placeholder),
    ("early", Filter(min_ply=17), lambda entry: entry.ply < 17),
    ("score", Filter(max_score=500), lambda entry: abs(entry.score) > 500),
    ("simple_eval", Filter(simple_eval=700), lambda entry: abs(material(entry.board)) < 700),
    ("capture", Filter(skip_captures=True), lambda entry: entry.is_capture),
    ("capture", Filter(skip_captures=True, keep_en_passant=True), lambda entry: (
        entry.is_capture and not entry.is_en_passant)),
    ("check", Filter(skip_checks=True), lambda entry: entry.board.is_check()),
    ("random", Filter(skip=0.75, seed=3), lambda entry: 0.75),
    ("soft_early", Filter(soft_early=20), lambda entry: 1 - np.interp(entry.ply, *POINTS)),
    ("wld", Filter(wld=True), lambda entry: 1 - likelihood(entry)),
]


@pytest.mark.parametrize("reason, filter, rule", RULES)
def test_share_of_skipped_entries(entries, reason, filter, rule):
    filter = filter._replace(keep_unscored=reason != "unscored")
    batches = iter(Loader(PATH, 1 << 20, filter=filter, columns=["score", "ply"]))
    (batch,) = batches
    shares = np.array([rule(entry) for entry in entries], float)
    skipped = batches.statistics["skipped"]
    assert sum(skipped.values()) == skipped[reason] == len(entries) - len(batch["ply"])
    # Rules without draws skip exactly the expected number, others one within four standard
    # deviations.
    assert 20 < skipped[reason]
    assert abs(skipped[reason] - shares.sum()) <= 4 * np.sqrt((shares * (1 - shares)).sum())
    if set(shares) <= {0, 1}:
        kept = [(entry.score, entry.ply) for entry, skip in zip(entries, shares) if not skip]
        assert list(zip(batch["score"], batch["ply"], strict=True)) == kept


def test_the_preset(entries):
    """All rules at once: their draws are independent."""
    rules = {filter: rule for _, filter, rule in RULES}
    names = "skip_placeholders", "skip_checks", "soft_early", "wld"
    wanted = [Filter(), Filter(skip_captures=True, keep_en_passant=True)]
    wanted += [Filter(**{name: getattr(STOCKFISH, name)}) for name in names]
    keeps = np.array([np.prod([1.0 - rules[filter](e) for filter in wanted]) for e in entries])
    counts = []
    for epoch in range(20):
        batches = Loader(PATH, filter=STOCKFISH._replace(pieces=None), epoch=epoch)
        counts.append(sum(len(batch["ply"]) for batch in batches))
    assert len(set(counts)) > 5
    deviation = np.sqrt((keeps * (1 - keeps)).sum() / 20)
    assert abs(np.mean(counts) - keeps.sum()) <= 4 * deviation


def test_numbers_of_pieces():
    """Numbers of pieces with a frequency of 0 are only kept of the first hundred positions."""

    def count(**named):
        filter = Filter(keep_unscored=True, **named)
        (batch,) = Loader(PATH, 1 << 20, columns=["piece_count"], filter=filter)
        return (batch["piece_count"] <= 16).sum(), (batch["piece_count"] > 16).sum()

    (few, many), (few_kept, many_kept) = count(), count(pieces=(0, 0, 0, 1, 1))
    # With the same frequency, each number is kept with a probability of at least 1/40.
    assert few_kept < 100 < few and many / 40 < many_kept < many
