"""Every operation against python-chess, on 10,000 positions."""

import chess
import numpy as np
import pytest

import setwise

SIDES = [(setwise.WHITE, chess.WHITE), (setwise.BLACK, chess.BLACK)]
STEPS = {"north": 8, "north-east": 9, "east": 1, "south-east": -7, "south": -8, "south-west": -9, "west": -1, "north-west": 7}


def sets(numbers):
    return np.fromiter(numbers, np.uint64)


def rook(square, occupied):
    ranks, files = chess.BB_RANK_ATTACKS[square], chess.BB_FILE_ATTACKS[square]
    return ranks[chess.BB_RANK_MASKS[square] & occupied] | files[chess.BB_FILE_MASKS[square] & occupied]


def bishop(square, occupied):
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def queen(square, occupied):
    return rook(square, occupied) | bishop(square, occupied)


def union(attacks, sliders, occupied):
    result = 0
    for square in chess.scan_forward(sliders):
        result |= attacks(square, occupied)
    return result


def ray(square, direction, occupied):
    """Step by step."""
    reached = 0
    while True:
        file = square % 8
        square += STEPS[direction]
        if not 0 <= square < 64 or abs(square % 8 - file) > 1:
            return reached
        reached |= 1 << square
        if occupied >> square & 1:
            return reached


@pytest.fixture(scope="module")
def sliders(games):
    """Of every position, white's and black's rooks, bishops and queens apart, and all pieces."""
    of = lambda kind: sets(board.pieces_mask(kind, side) for board in games for _, side in SIDES)
    occupied = sets(board.occupied for board in games for _ in SIDES)
    return of(chess.ROOK), of(chess.BISHOP), of(chess.QUEEN), occupied


@pytest.fixture(scope="module")
def squares(games):
    """A square for each position, and another."""
    a = np.arange(len(games), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (a >> np.uint64(58)).astype(np.uint8), (a >> np.uint64(50)).astype(np.uint8) % np.uint8(64)


KERNELS = [kernel.name for kernel in setwise.kernels() if kernel.is_available]


@pytest.fixture(params=[KERNELS[0], "portable", "scalar"])
def kernel(request):
    setwise.use_kernel(request.param)
    yield
    setwise.use_kernel()


def same(found, right):
    assert found.dtype in (np.uint64, np.uint32)
    right = np.fromiter(right, found.dtype)
    wrong = np.flatnonzero(found != right)
    assert wrong.size == 0, (wrong[0], hex(found[wrong[0]]), hex(right[wrong[0]]))


def test_sets_of_sliders(sliders, kernel):
    rooks, bishops, queens, occupied = sliders
    every = lambda attacks, sliders: [union(attacks, int(s), int(o)) for s, o in zip(sliders, occupied)]
    orthogonal, diagonal = rooks | queens, bishops | queens
    right_rooks, right_bishops = every(rook, orthogonal), every(bishop, diagonal)
    both = [a | b for a, b in zip(right_rooks, right_bishops)]
    assert sum(s != 0 for s in both) > 15_000
    same(setwise.rook_attacks(orthogonal, occupied), right_rooks)
    same(setwise.bishop_attacks(diagonal, occupied), right_bishops)
    same(setwise.queen_attacks(queens, occupied), every(queen, queens))
    same(setwise.slider_attacks(orthogonal, diagonal, occupied), both)
    split = setwise.slider_attacks_split(orthogonal, diagonal, occupied)
    same(split[0], right_rooks)
    same(split[1], right_bishops)
    targets = ~occupied
    count = lambda attacks: [(a & int(t)).bit_count() for a, t in zip(attacks, targets)]
    same(setwise.rook_mobility(orthogonal, occupied, targets), count(right_rooks))
    same(setwise.bishop_mobility(diagonal, occupied, targets), count(right_bishops))
    same(setwise.queen_mobility(queens, occupied, targets), count(every(queen, queens)))
    same(setwise.slider_mobility(orthogonal, diagonal, occupied, targets), count(both))


def test_through_blockers(games, squares, kernel):
    """One slider a board, whose x-ray is what it attacks more once the blockers that it sees are gone."""
    occupied = sets(board.occupied for board in games)
    blockers = sets(board.occupied_co[board.turn] for board in games)
    one = np.uint64(1) << squares[0].astype(np.uint64)
    for function, attacks in [
        (setwise.xray_rook_attacks, rook), (setwise.xray_bishop_attacks, bishop), (setwise.xray_queen_attacks, queen)
    ]:
        right = []
        for square, all_, some in zip(squares[0].tolist(), occupied.tolist(), blockers.tolist()):
            direct = attacks(square, all_)
            right.append(attacks(square, all_ & ~(some & direct)) & ~direct)
        same(function(one, blockers, occupied), right)


def test_from_squares(games, squares, kernel):
    occupied = sets(board.occupied for board in games)
    pairs = list(zip(squares[0].tolist(), occupied.tolist()))
    same(setwise.rook_attacks_from(squares[0], occupied), [rook(*pair) for pair in pairs])
    same(setwise.bishop_attacks_from(squares[0], occupied), [bishop(*pair) for pair in pairs])
    same(setwise.queen_attacks_from(squares[0], occupied), [queen(*pair) for pair in pairs])
    lines = {"rank": ("east", "west"), "file": ("north", "south"),
             "diagonal": ("north-east", "south-west"), "antidiagonal": ("north-west", "south-east")}
    for line, (a, b) in lines.items():
        right = [ray(square, a, all_) | ray(square, b, all_) for square, all_ in pairs]
        same(setwise.line_attacks_from(line, squares[0], occupied), right)
    one = np.uint64(1) << squares[0].astype(np.uint64)
    for direction in STEPS:
        same(setwise.ray_attacks(direction, one, occupied), [ray(square, direction, all_) for square, all_ in pairs])
        # To where the ray ends, but for the piece there.
        right = [1 << square | ray(square, direction, all_) & ~all_ for square, all_ in pairs]
        same(setwise.occluded_fill(direction, one, ~occupied), right)


def test_pairs_of_squares(squares, kernel):
    pairs = list(zip(squares[0].tolist(), squares[1].tolist()))
    same(setwise.between(*squares), [chess.between(a, b) for a, b in pairs])
    same(setwise.line_through(*squares), [chess.ray(a, b) for a, b in pairs])


def test_pins(games, kernel):
    for _, side in SIDES:
        mask = lambda kinds, of: sets(sum(board.pieces_mask(kind, of) for kind in kinds) for board in games)
        own = sets(board.occupied_co[side] for board in games)
        pinned, pinners = setwise.pins(
            mask([chess.KING], side), own,
            mask([chess.ROOK, chess.QUEEN], not side), mask([chess.BISHOP, chess.QUEEN], not side),
            sets(board.occupied for board in games),
        )
        right = [sum(1 << s for s in chess.scan_forward(board.occupied_co[side]) if board.is_pinned(side, s)) for board in games]
        same(pinned, right)
        assert pinned.any() and ((pinned != 0) == (pinners != 0)).all()


def test_whole_positions(games, kernel):
    fens = setwise.from_fen([board.fen() for board in games])
    maps = setwise.attack_maps(fens.pieces).view(setwise.ATTACK_MAPS)[:, 0]
    checks = setwise.checks(fens.pieces).view(setwise.CHECKS)[:, 0]
    seen = 0
    for number, side in SIDES:
        for kind in range(6):
            right = [union(lambda s, _, b=board: b.attacks_mask(s), board.pieces_mask(kind + 1, side), 0) for board in games]
            same(np.ascontiguousarray(maps["attacks"][:, number, kind]), right)
        right = [union(lambda s, _, b=board: b.attacks_mask(s), board.occupied_co[side], 0) for board in games]
        same(np.ascontiguousarray(maps["all"][:, number]), right)
        right = [board.attackers_mask(not side, board.king(side)) for board in games]
        same(np.ascontiguousarray(checks["checkers"][:, number]), right)
        seen += sum(mask != 0 for mask in right)
    assert seen > 100


def test_fen(games):
    fens = [board.fen() for board in games]
    positions = setwise.from_fen(fens)
    assert positions.pieces.shape == (len(games), 2, 6)
    for number, side in SIDES:
        of = [[board.pieces_mask(kind + 1, side) for board in games] for kind in range(6)]
        for kind in range(6):
            same(np.ascontiguousarray(positions.pieces[:, number, kind]), of[kind])
        same(np.ascontiguousarray(positions.orthogonal[:, number]), [a | b for a, b in zip(of[3], of[4])])
        same(np.ascontiguousarray(positions.diagonal[:, number]), [a | b for a, b in zip(of[2], of[4])])
        same(np.ascontiguousarray(positions.occupied[:, number]), [board.occupied for board in games])
    assert positions.black_to_move.tolist() == [board.turn == chess.BLACK for board in games]
