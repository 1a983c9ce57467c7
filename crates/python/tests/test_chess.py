"""Tests of whole positions against python-chess: FENs, attacks by kind, checks and pins."""

import chess
import numpy as np
import pytest

import setwise

SIDES = [(setwise.WHITE, chess.WHITE), (setwise.BLACK, chess.BLACK)]


def union(attacks, pieces):
    """The union of the attacks of all pieces."""
    result = 0
    for square in chess.scan_forward(pieces):
        result |= attacks(square)
    return result


def check(found, right):
    assert found.dtype in (np.uint64, np.uint32)
    right = np.fromiter(right, found.dtype)
    wrong = np.flatnonzero(found != right)
    assert wrong.size == 0, (wrong[0], hex(found[wrong[0]]), hex(right[wrong[0]]))


@pytest.fixture(scope="module")
def columns(games):
    """Columns of both sides of all positions: white's sets, then black's."""
    rows = [(board, side) for board in games for _, side in SIDES]
    sets = {name: [board.pieces_mask(kind, side) for board, side in rows]
            for kind, name in enumerate(["pawns", "knights", "bishops", "rooks", "queens", "kings"], 1)}
    sets["occupied"] = [board.occupied for board, _ in rows]
    sets = {name: np.array(column, np.uint64) for name, column in sets.items()}
    sets["orthogonal"] = sets["rooks"] | sets["queens"]
    sets["diagonal"] = sets["bishops"] | sets["queens"]
    return sets


def test_whole_positions(games, kernel):
    fens = setwise.from_fen([board.fen() for board in games])
    maps = setwise.attack_maps(fens.pieces).view(setwise.ATTACK_MAPS)[:, 0]
    checks = setwise.checks(fens.pieces).view(setwise.CHECKS)[:, 0]
    in_check = 0
    for number, side in SIDES:
        def attacks(pieces):
            return [union(board.attacks_mask, pieces(board)) for board in games]

        for kind in range(6):
            right = attacks(lambda board: board.pieces_mask(kind + 1, side))
            check(maps["attacks"][:, number, kind], right)
        check(maps["all"][:, number], attacks(lambda board: board.occupied_co[side]))
        right = [board.attackers_mask(not side, board.king(side)) for board in games]
        check(checks["checkers"][:, number], right)
        in_check += sum(mask != 0 for mask in right)
        own = [chess.scan_forward(board.occupied_co[side]) for board in games]
        right = [
            sum(1 << square for square in squares if board.is_pinned(side, square))
            for board, squares in zip(games, own)
        ]
        check(checks["pinned"][:, number], right)
    assert in_check > 100 and checks["pinned"].any()


def test_fen(games, columns):
    positions = setwise.from_fen([board.fen() for board in games])
    assert positions.pieces.shape == (len(games), 2, 6)
    for kind, name in enumerate(["pawns", "knights", "bishops", "rooks", "queens", "kings"]):
        check(positions.pieces[:, :, kind].reshape(-1), columns[name])
    for name in ["orthogonal", "diagonal", "occupied"]:
        check(getattr(positions, name).reshape(-1), columns[name])
    assert positions.black_to_move.tolist() == [board.turn == chess.BLACK for board in games]
