"""Tests of every operation against python-chess, on 10,000 positions."""

import chess
import numpy as np
import pytest
from conftest import OPERATIONS, results

import setwise

SIDES = [(setwise.WHITE, chess.WHITE), (setwise.BLACK, chess.BLACK)]
STEPS = {
    "north": 8, "north-east": 9, "east": 1, "south-east": -7,
    "south": -8, "south-west": -9, "west": -1, "north-west": 7,
}
LINES = {
    "rank": ("east", "west"), "file": ("north", "south"),
    "diagonal": ("north-east", "south-west"), "antidiagonal": ("north-west", "south-east"),
}


def rook(square, occupied):
    ranks, files = chess.BB_RANK_ATTACKS[square], chess.BB_FILE_ATTACKS[square]
    rank = ranks[chess.BB_RANK_MASKS[square] & occupied]
    return rank | files[chess.BB_FILE_MASKS[square] & occupied]


def bishop(square, occupied):
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def queen(square, occupied):
    return rook(square, occupied) | bishop(square, occupied)


def union(attacks, pieces, *occupied):
    """The union of the attacks of all pieces."""
    result = 0
    for square in chess.scan_forward(pieces):
        result |= attacks(square, *occupied)
    return result


def xray(attacks):
    """The squares that one slider attacks only after its blockers are removed."""

    def attacked(slider, blockers, occupied):
        square = slider.bit_length() - 1
        direct = attacks(square, occupied)
        return attacks(square, occupied & ~(blockers & direct)) & ~direct

    return attacked


def ray(direction, square, occupied):
    """The attacks of a slider in one direction, one step at a time."""
    reached = 0
    while True:
        file = square % 8
        square += STEPS[direction]
        if not 0 <= square < 64 or abs(square % 8 - file) > 1:
            return reached
        reached |= 1 << square
        if occupied >> square & 1:
            return reached


def of(attacks):
    return lambda *sets: union(attacks, *sets)


def both(orthogonal, diagonal, occupied):
    return union(rook, orthogonal, occupied) | union(bishop, diagonal, occupied)


def mobility(attacks):
    return lambda *sets: (attacks(*sets[:-1]) & sets[-1]).bit_count()


#: For each operation: the columns that it is called with, and a function that computes a result of
#: one row. The functions of an operation with a parameter take its value first.
RIGHT = {
    "rook_attacks": ("orthogonal occupied", of(rook)),
    "bishop_attacks": ("diagonal occupied", of(bishop)),
    "queen_attacks": ("queens occupied", of(queen)),
    "slider_attacks": ("orthogonal diagonal occupied", both),
    "slider_attacks_split": (
        "orthogonal diagonal occupied",
        lambda o, d, all_: (union(rook, o, all_), union(bishop, d, all_)),
    ),
    "rook_mobility": ("orthogonal occupied targets", mobility(of(rook))),
    "bishop_mobility": ("diagonal occupied targets", mobility(of(bishop))),
    "queen_mobility": ("queens occupied targets", mobility(of(queen))),
    "slider_mobility": ("orthogonal diagonal occupied targets", mobility(both)),
    "knight_attacks": ("knights", of(chess.BB_KNIGHT_ATTACKS.__getitem__)),
    "king_attacks": ("kings", of(chess.BB_KING_ATTACKS.__getitem__)),
    "pawn_attacks": (
        "pawns",
        lambda side, pawns: union(chess.BB_PAWN_ATTACKS[side == "white"].__getitem__, pawns),
    ),
    "xray_rook_attacks": ("single own occupied", xray(rook)),
    "xray_bishop_attacks": ("single own occupied", xray(bishop)),
    "xray_queen_attacks": ("single own occupied", xray(queen)),
    "rook_attacks_from": ("square occupied", rook),
    "bishop_attacks_from": ("square occupied", bishop),
    "queen_attacks_from": ("square occupied", queen),
    "line_attacks_from": (
        "square occupied",
        lambda line, square, all_: ray(LINES[line][0], square, all_) | ray(LINES[line][1], square, all_),
    ),
    "ray_attacks": (
        "single occupied",
        lambda direction, single, all_: ray(direction, single.bit_length() - 1, all_),
    ),
    # The slider and its ray, without the blocker at the end of the ray.
    "occluded_fill": (
        "single targets",
        lambda direction, single, empty:
            single | ray(direction, single.bit_length() - 1, ~empty % 2**64) & empty,
    ),
    "between": ("square other", chess.between),
    "line_through": ("square other", chess.ray),
}


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
    sets["own"] = [board.occupied_co[side] for board, side in rows]
    sets["occupied"] = [board.occupied for board, _ in rows]
    sets = {name: np.array(column, np.uint64) for name, column in sets.items()}
    sets["orthogonal"] = sets["rooks"] | sets["queens"]
    sets["diagonal"] = sets["bishops"] | sets["queens"]
    sets["targets"] = ~sets["occupied"]
    # Two arbitrary squares for each row.
    hashes = np.arange(len(rows), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    sets["square"] = (hashes >> np.uint64(58)).astype(np.uint8)
    sets["other"] = (hashes >> np.uint64(50)).astype(np.uint8) % np.uint8(64)
    sets["single"] = np.uint64(1) << sets["square"].astype(np.uint64)
    return sets


@pytest.mark.parametrize("name", RIGHT)
def test_operations(name, columns):
    names, right = RIGHT[name]
    [parameter] = [parameter for operation, parameter, *_ in OPERATIONS if operation == name]
    arguments = [columns[column] for column in names.split()]
    rows = list(zip(*(column.tolist() for column in arguments)))
    for value in [[value] for value in parameter[1]] if parameter else [[]]:
        expected = [right(*value, *row) for row in rows]
        expected = [*zip(*expected)] if name == "slider_attacks_split" else [expected]
        for kernel in [None, "portable", "scalar"]:
            setwise.use_kernel(kernel)
            found = results(getattr(setwise, name)(*value, *arguments))
            for column, numbers in zip(found, expected, strict=True):
                check(column, numbers)
                assert column.any()
        setwise.use_kernel()


def test_every_operation_is_tested():
    others = {"pins", "attack_maps", "checks"}
    assert {name for name, *_ in OPERATIONS} == others | set(RIGHT)


def test_pins(games, columns, kernel):
    own, other = ({name: column[i::2] for name, column in columns.items()} for i in range(2))
    for us, them, (_, side) in [(own, other, SIDES[0]), (other, own, SIDES[1])]:
        arguments = [us["kings"], us["own"], them["orthogonal"], them["diagonal"], us["occupied"]]
        pinned, pinners = setwise.pins(*map(np.ascontiguousarray, arguments))
        right = []
        for board in games:
            squares = chess.scan_forward(board.occupied_co[side])
            right.append(sum(1 << square for square in squares if board.is_pinned(side, square)))
        check(pinned, right)
        assert pinned.any() and ((pinned != 0) == (pinners != 0)).all()


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
    assert in_check > 100


def test_fen(games, columns):
    positions = setwise.from_fen([board.fen() for board in games])
    assert positions.pieces.shape == (len(games), 2, 6)
    for kind, name in enumerate(["pawns", "knights", "bishops", "rooks", "queens", "kings"]):
        check(positions.pieces[:, :, kind].reshape(-1), columns[name])
    for name in ["orthogonal", "diagonal", "occupied"]:
        check(getattr(positions, name).reshape(-1), columns[name])
    assert positions.black_to_move.tolist() == [board.turn == chess.BLACK for board in games]
