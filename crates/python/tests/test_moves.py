"""Tests of legal moves against python-chess."""

import random

import chess
import numpy as np
import pytest
import setwise


def games_of(count, seed):
    """Positions of random games, half of them of Chess960, that python-chess holds."""
    source, boards = random.Random(seed), []
    while len(boards) < count:
        board = chess.Board()
        if len(boards) % 2:
            board = chess.Board.from_chess960_pos(source.randrange(960))
        board.chess960 = True
        while len(boards) < count and not board.is_game_over() and board.ply() < 200:
            moves = list(board.legal_moves)
            # Rare moves, oftener than by chance.
            rare = [m for m in moves if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
            board.push(source.choice(rare or moves))
            boards.append(board.copy(stack=False))
    return boards


@pytest.fixture(scope="module")
def boards():
    mates = ["rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3",
             "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
             "4k3/8/8/8/8/8/8/rR2K3 w B - 0 1"]
    return [chess.Board(fen, chess960=True) for fen in mates] + games_of(3000, 7)


@pytest.fixture(scope="module")
def positions(boards):
    return setwise.from_fen([board.fen(shredder=True, en_passant="fen") for board in boards])


def test_state(boards, positions):
    """Castling rights and en passant, as `from_fen` reads them."""
    for i, board in enumerate(boards):
        rights = [sum(1 << chess.square_file(s) for s in chess.scan_forward(
            board.clean_castling_rights() & chess.BB_RANKS[rank])) for rank in (0, 7)]
        assert positions.castling[i].tolist() == rights, board.fen()
        assert positions.en_passant[i] == (64 if board.ep_square is None else board.ep_square)
    standard = setwise.from_fen([chess.STARTING_FEN, "8/8/8/8/8/8/8/8", None], errors="null")
    assert standard.castling.tolist() == [[0x81, 0x81], [0, 0], [0, 0]]
    assert standard.en_passant.tolist() == [64, 64, 64]


def test_moves_of_uci(boards):
    """UCI's `position` is the position after its moves."""
    board, lines, fens = chess.Board(), [], []
    for move in "e2e4 c7c5 e4e5 d7d5 e5d6 e7d6 f1e2 b8c6 g1f3 c8g4 e1g1 d8d7 a2a3 e8c8".split():
        board.push_uci(move)
        for start in ("startpos", "fen " + chess.STARTING_FEN):
            lines.append(f"position {start} moves " + " ".join(m.uci() for m in board.move_stack))
            fens.append(board.fen(en_passant="legal"))
    found, right = setwise.from_fen(lines), setwise.from_fen(fens)
    for name in set(right._fields) - {"en_passant"}:
        assert (getattr(found, name) == getattr(right, name)).all(), name
    is_set = right.en_passant < 64
    assert is_set.any() and (found.en_passant[is_set] == right.en_passant[is_set]).all()
    assert setwise.perft(lines[-1], 2) == setwise.perft(fens[-1], 2)
    for moves, message in [("e2e5", "`e2e5`, number 1, is not legal"), ("e2e4, e7e5", "a comma")]:
        line = f"position startpos moves {moves}"
        for call in [lambda: setwise.from_fen([line]), lambda: setwise.perft(line, 1)]:
            with pytest.raises(ValueError, match=message):
                call()
        assert not setwise.from_fen([line], errors="null").valid.any()


def test_counts(boards, positions, kernel):
    for threads in [1, 2]:
        moves, checks = setwise.legal_counts(positions, threads=threads)
        assert moves.dtype == checks.dtype == np.uint8
        assert moves.tolist() == [board.legal_moves.count() for board in boards]
        assert checks.tolist() == [len(board.checkers()) for board in boards]
    assert ((moves == 0) & (checks > 0)).tolist() == [board.is_checkmate() for board in boards]
    assert ((moves == 0) & (checks == 0)).tolist() == [board.is_stalemate() for board in boards]


def test_moves(boards, positions, kernel):
    for threads in [1, 2]:
        offsets, moves = setwise.legal_moves(positions, threads=threads)
        assert (offsets.dtype, moves.dtype) == (np.int64, np.uint16)
        assert len(offsets) == len(boards) + 1 and offsets[-1] == len(moves)
    for i, board in enumerate(boards):
        found = [setwise.uci(move) for move in moves[offsets[i]:offsets[i + 1]]]
        assert sorted(found) == sorted(move.uci() for move in board.legal_moves), board.fen()


def test_many_parts(positions):
    """More positions than a thread takes at a time, and none."""
    many = setwise.Positions(*(np.concatenate([array] * 7) for array in positions))
    one, parts = (setwise.legal_moves(many, threads=threads) for threads in (1, 3))
    assert (one[0] == parts[0]).all() and (one[1] == parts[1]).all()
    counts = [setwise.legal_counts(many, threads=threads) for threads in (1, 3)]
    assert (counts[0][0] == counts[1][0]).all() and (counts[0][1] == counts[1][1]).all()
    assert (np.diff(one[0]) == counts[0][0]).all()
    offsets, moves = setwise.legal_moves([])
    assert offsets.tolist() == [0] and len(moves) == 0
    assert all(len(array) == 0 for array in setwise.legal_counts([]))


def test_arrays(positions):
    """Strided arrays, signed sets and booleans are taken; other arrays are refused."""
    right = setwise.legal_counts(positions)[0]
    every = positions._replace(**{name: getattr(positions, name)[::2] for name in positions._fields})
    assert (setwise.legal_counts(every)[0] == right[::2]).all()
    signed = positions._replace(pieces=positions.pieces.view(np.int64))
    assert (setwise.legal_counts(signed)[0] == right).all()
    for name, array, error, message in [
        ("castling", positions.castling[1:], ValueError, "castling has the shape"),
        ("pieces", positions.pieces[:, 0], ValueError, "pieces has the shape"),
        ("en_passant", positions.en_passant.astype(float), TypeError, "an array of float64"),
    ]:
        with pytest.raises(error, match=message):
            setwise.legal_counts(positions._replace(**{name: array}))
        with pytest.raises(error, match=message):
            setwise.legal_moves(positions._replace(**{name: array}))
    with pytest.raises(ValueError, match=r"fens\[0\]"):
        setwise.legal_counts(["8/9"])


def test_successors(boards, positions):
    offsets, moves = setwise.legal_moves(positions)
    after = setwise.successors(positions, moves, offsets)
    fens, rows = [], []
    for i in range(0, len(boards), 10):
        for j in range(offsets[i], offsets[i + 1]):
            board = boards[i].copy(stack=False)
            board.push(chess.Move.from_uci(setwise.uci(moves[j])))
            fens.append(board.fen(shredder=True, en_passant="legal"))
            rows.append(j)
    right = setwise.from_fen(fens)
    for name in set(right._fields) - {"en_passant"}:
        assert (getattr(after, name)[rows] == getattr(right, name)).all(), name
    # Every en passant square with a legal capture, and none without a pawn that may capture.
    is_set = right.en_passant < 64
    assert (after.en_passant[rows][is_set] == right.en_passant[is_set]).all()
    counts = [setwise.legal_counts(each)[0] for each in (right, after)]
    assert (counts[0] == counts[1][rows]).all()
    # One move for each position.
    first = np.flatnonzero(np.diff(offsets))
    some = setwise.Positions(*(array[first] for array in positions))
    made = setwise.successors(some, moves[offsets[first]])
    assert all((a == b[offsets[first]]).all() for a, b in zip(made, after))
    descending = offsets.astype("u8")
    descending[[-3, -9]] = descending[[-9, -3]]
    for wrong in [(positions, moves), (positions, moves[1:], offsets),
                  (positions, moves, offsets[1:]), (positions, moves, descending)]:
        with pytest.raises(ValueError, match="moves"):
            setwise.successors(*wrong)


def test_perft(kernel):
    for fen, depth, right in [
        (chess.STARTING_FEN, 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", 3, 14_569),
        (chess.STARTING_FEN, 0, 1),
    ]:
        assert [setwise.perft(fen, depth, threads=threads) for threads in (0, 1, 2)] == [right] * 3
    for wrong in ["8/9", "8/8/8/8/8/8/8/8 w - -"]:
        with pytest.raises(ValueError):
            setwise.perft(wrong, 1)
    for depth, threads in [(-1, 1), (65, 1), (1, -1), (1, 257)]:
        with pytest.raises(ValueError):
            setwise.perft(chess.STARTING_FEN, depth, threads=threads)
