"""Tests of whole positions against python-chess: FENs, attacks by kind, checks and pins."""

import chess
import numpy as np

import setwise

KINDS = ["pawn", "knight", "bishop", "rook", "queen", "king"]
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


def pinners(board, side):
    """The enemy sliders that pin a piece to the king."""
    king, result = board.king(side), 0
    for kinds, rays in [("rooks", chess.BB_RANK_ATTACKS), ("bishops", chess.BB_DIAG_ATTACKS)]:
        sliders = (getattr(board, kinds) | board.queens) & board.occupied_co[not side]
        lines = rays[king][0] | (chess.BB_FILE_ATTACKS[king][0] if kinds == "rooks" else 0)
        for square in chess.scan_forward(sliders & lines):
            between = chess.between(king, square) & board.occupied
            if chess.popcount(between) == 1 and between & board.occupied_co[side]:
                result |= 1 << square
    return result


def test_whole_positions(games, kernel):
    fens = setwise.from_fen([board.fen() for board in games])
    maps = setwise.attack_maps(fens.pieces).view(setwise.ATTACK_MAPS)[:, 0]
    checks = setwise.checks(fens.pieces).view(setwise.CHECKS)[:, 0]
    names = [f"{side}_{kind}s" for side in ("white", "black") for kind in KINDS]
    columns = setwise.checks_in_columns(dict(zip(names, fens.pieces.reshape(-1, 12).T)))
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
        name = chess.COLOR_NAMES[side]
        check(columns[f"{name}_king_checkers"], right)
        in_check += sum(mask != 0 for mask in right)
        own = [chess.scan_forward(board.occupied_co[side]) for board in games]
        right = [
            sum(1 << square for square in squares if board.is_pinned(side, square))
            for board, squares in zip(games, own)
        ]
        check(checks["pinned"][:, number], right)
        check(columns[f"{name}_king_pinned"], right)
        # A pinner is alone with the piece that it pins between it and the king.
        right = [pinners(board, side) for board in games]
        check(columns[f"{name}_king_pinners"], right)
    assert in_check > 100 and checks["pinned"].any()


def test_fen(games):
    positions = setwise.from_fen([board.fen() for board in games])
    assert positions.pieces.shape == (len(games), 2, 6)
    for number, side in SIDES:
        for kind in range(6):
            right = [board.pieces_mask(kind + 1, side) for board in games]
            check(positions.pieces[:, number, kind], right)
        for found, sliders in [(positions.orthogonal, "rooks"), (positions.diagonal, "bishops")]:
            right = [(getattr(board, sliders) | board.queens) & board.occupied_co[side]
                     for board in games]
            check(found[:, number], right)
        check(positions.occupied[:, number], [board.occupied for board in games])
    assert positions.black_to_move.tolist() == [board.turn == chess.BLACK for board in games]
