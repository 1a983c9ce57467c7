"""Positions of random games, by python-chess, which is the oracle. (It is GPL: the tests use it, the package does not.)"""

import random

import chess
import pytest

COUNT = 10_000


@pytest.fixture(scope="session")
def games():
    """So many positions, of all phases, as boards of python-chess."""
    source = random.Random(1)
    boards = []
    while len(boards) < COUNT:
        board = chess.Board()
        while not board.is_game_over(claim_draw=False) and board.ply() < 250 and len(boards) < COUNT:
            board.push(source.choice(list(board.legal_moves)))
            boards.append(board.copy(stack=False))
    return boards
