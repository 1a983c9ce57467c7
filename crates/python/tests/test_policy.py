"""The played and the legal moves of batches, against python-chess."""

import pathlib
import re
import subprocess
import sys

import chess
import numpy as np
import pytest

import setwise
from setwise.loader import Filter, Loader

PATH = pathlib.Path(__file__).with_name("games.binpack")
COLUMNS = ["boards", "side", "castling", "en_passant", "move"]
ALL = Filter(keep_unscored=True)


def load(**named):
    (batch,) = Loader(PATH, filter=ALL, columns=COLUMNS, **named)
    assert len(batch["side"]) > 1000
    return batch


def boards(batch):
    """The positions of a batch, as python-chess boards."""
    rows = zip(batch["boards"], batch["side"], batch["castling"], batch["en_passant"])
    for codes, side, castling, en_passant in rows:
        board = chess.Board(None, chess960=True)
        for square, code in enumerate(codes.tolist()):
            if code:
                board.set_piece_at(square, chess.Piece((code - 1) % 6 + 1, code <= 6))
        board.turn = bool(side == 0)
        corners = chess.A1, chess.H1, chess.A8, chess.H8
        board.castling_rights = sum(1 << s for i, s in enumerate(corners) if castling >> i & 1)
        board.ep_square = None if en_passant == 64 else int(en_passant)
        yield board


def seen(board, move, views, mirrors):
    """The squares and the promotion of a move, as a view shows it."""
    viewer = board.turn if views == "movers" else chess.WHITE
    flip = 0 if viewer == chess.WHITE else 56
    flip ^= 7 if chess.FILE_NAMES[chess.square_file(board.king(viewer))] in mirrors else 0
    return move.from_square ^ flip, move.to_square ^ flip, (move.promotion or 1) - 1


def bits(move):
    start, end, promotion = move
    return start | end << 6 | promotion << 12


#: Inputs, and with the own king on which files the moves are mirrored.
INPUTS = [("boards", ""), ("HalfKAv2_hm", "abcd"), ("768+Full_Threats+HalfKAv2_hm", "efgh")]


@pytest.mark.parametrize("features, mirrors", INPUTS)
@pytest.mark.parametrize("views", ["movers", "colours"])
def test_lists(features, mirrors, views):
    batch = load(policy="lists", features=features, views=views)
    offsets, moves = batch["legal_offsets"].astype("i8"), batch["legal_moves"]
    assert (batch["legal_offsets"].dtype, moves.dtype) == (np.uint32, np.uint16)
    assert (batch["played"].dtype, batch["target"].dtype) == (np.uint16, np.int64)
    for i, board in enumerate(boards(batch)):
        found = moves[offsets[i] : offsets[i + 1]]
        expected = [bits(seen(board, move, views, mirrors)) for move in board.legal_moves]
        assert sorted(found) == sorted(expected), board.fen()
        code = int(batch["move"][i])
        promotion = (code & 3) + 2 if code >> 14 == 1 else None
        played = chess.Move(code >> 8 & 63, code >> 2 & 63, promotion)
        assert played in board.legal_moves
        assert batch["played"][i] == bits(seen(board, played, views, mirrors))
        assert found[batch["target"][i]] == batch["played"][i]


def lc0():
    """The texts of Leela Chess Zero's moves: those of queens and knights, and promotions."""
    texts = []
    for start in chess.SQUARES:
        reach = chess.BB_KNIGHT_ATTACKS[start]
        for table in chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS, chess.BB_DIAG_ATTACKS:
            reach |= table[start][0]
        texts += [chess.square_name(start) + chess.square_name(end)
                  for end in sorted(chess.scan_forward(reach))]
    for file, name in enumerate("abcdefgh"):
        for end in "abcdefgh"[max(file - 1, 0) : file + 2]:
            texts += [f"{name}7{end}8{piece}" for piece in "qrb"]
    return texts


def test_masks():
    texts = lc0()
    assert len(texts) == 1858
    # By the piece that a pawn becomes and the file of the square that is entered.
    table = np.arange(5 << 12) >> 12 << 3 | np.arange(5 << 12) >> 6 & 7
    for policy, width, number in [
        ("squares", 4096, lambda start, end, _: start + 64 * end),
        ("lc0", 1858, lambda start, end, promotion: texts.index(
            chess.Move(start, end, [None, None, 3, 4, 5][promotion]).uci())),
        (table, 40, lambda _, end, promotion: end % 8 + 8 * promotion),
    ]:
        loader = Loader(PATH, 500, filter=ALL, columns=COLUMNS, policy=policy)
        assert loader.outputs == width
        # The second time, masks are in memory that was used before.
        batches = [*loader, *loader]
        assert len(batches) > 4
        for batch in batches[:1] + batches[-2:]:
            mask = batch["legal_mask"]
            assert mask.dtype == bool and mask.shape == (len(batch["side"]), width)
            assert "legal_moves" not in batch
            for i, board in enumerate(boards(batch)):
                moves = [seen(board, move, "movers", "") for move in board.legal_moves]
                expected = {number(*move) for move in moves}
                assert set(np.flatnonzero(mask[i])) == expected, board.fen()
                played = int(batch["played"][i])
                parts = played & 63, played >> 6 & 63, played >> 12
                assert batch["target"][i] == number(*parts)


def test_what_is_not_asked_for_is_not_there():
    loader = Loader(PATH, filter=ALL)
    assert loader.outputs == 0 and Loader(PATH, policy="lists").outputs == 0
    for batch in loader:
        assert not batch.keys() & {"played", "target", "legal_mask", "legal_moves"}


def test_wrong_policies(tmp_path):
    numbers = np.zeros(5 << 12, int)
    for policy, error, message in [
        ("list", ValueError, "policy must be one of lists, squares, lc0"),
        (numbers[1:], ValueError, r"the shape \(20480,\)"),
        (numbers + 0.5, TypeError, "integers, found float64"),
        (numbers - 2, ValueError, "from -1 to 65534"),
        (numbers + 65_535, ValueError, "from -1 to 65534"),
        (numbers - 1, ValueError, "policy: no move has a number"),
    ]:
        with pytest.raises(error, match=message):
            Loader(PATH, policy=policy)
    # Black's promotions have no number as White sees them, nor have others in this table.
    few = np.where(np.arange(5 << 12) == 796, 0, -1)
    for wrong in {"policy": few}, {"policy": "lc0", "views": "colours"}:
        with pytest.raises(ValueError, match="the legal move [a-h1-8]{4}[nbrq]? has no number"):
            list(Loader(PATH, filter=ALL, **wrong))
    # A record of bulletformat: kings on a1 and h8.
    record = bytearray(32)
    record[0], record[7], record[8], record[26], record[28] = 1, 0x80, 0x5 | 0xD << 4, 1, 7
    path = tmp_path / "a.bullet"
    path.write_bytes(record)
    (batch,) = Loader(path)
    assert batch["boards"][0, 0] == 6 and batch["boards"][0, 63] == 12
    with pytest.raises(ValueError, match=r"a\.bullet: bulletformat has no moves"):
        iter(Loader(path, policy="lists"))


def test_training():
    """The program in docs/training.md: the loss falls."""
    page = pathlib.Path(__file__).parents[3] / "docs/training.md"
    programs = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    (program,) = [program for program in programs if "policy=" in program]
    command = [sys.executable, "-c", program, str(PATH)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    losses = [float(word) for word in printed[1:]]
    assert len(losses) == 6 and losses[-1] < 0.9 * losses[0], losses
