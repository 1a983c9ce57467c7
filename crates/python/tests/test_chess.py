"""Tests of every operation against python-chess, on 10,000 positions."""

import chess
import numpy as np
import pytest

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


def sets(numbers):
    return np.fromiter(numbers, np.uint64)


def rook(square, occupied):
    ranks, files = chess.BB_RANK_ATTACKS[square], chess.BB_FILE_ATTACKS[square]
    rank = ranks[chess.BB_RANK_MASKS[square] & occupied]
    return rank | files[chess.BB_FILE_MASKS[square] & occupied]


def bishop(square, occupied):
    return chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]


def queen(square, occupied):
    return rook(square, occupied) | bishop(square, occupied)


def union(attacks, pieces, occupied):
    """The union of the attacks of all pieces."""
    result = 0
    for square in chess.scan_forward(pieces):
        result |= attacks(square, occupied)
    return result


def unions(attacks, pieces, occupied):
    return [union(attacks, int(p), int(o)) for p, o in zip(pieces, occupied)]


def ray(square, direction, occupied):
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


def check(found, right):
    assert found.dtype in (np.uint64, np.uint32)
    right = np.fromiter(right, found.dtype)
    wrong = np.flatnonzero(found != right)
    assert wrong.size == 0, (wrong[0], hex(found[wrong[0]]), hex(right[wrong[0]]))


@pytest.fixture(scope="module")
def pieces(games):
    """Returns a function that returns the sets of a kind of piece.

    They alternate: white's set, then black's set, for each position.
    """
    return lambda kind: sets(board.pieces_mask(kind, side) for board in games for _, side in SIDES)


@pytest.fixture(scope="module")
def occupied(games):
    """The set of all pieces, for each position."""
    return sets(board.occupied for board in games)


@pytest.fixture(scope="module")
def squares(games):
    """Two arbitrary squares for each position."""
    a = np.arange(len(games), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    first, second = a >> np.uint64(58), a >> np.uint64(50)
    return first.astype(np.uint8), second.astype(np.uint8) % np.uint8(64)


@pytest.fixture(scope="module")
def singles(squares):
    """The first of the two squares as a set, for each position."""
    return np.uint64(1) << squares[0].astype(np.uint64)


def test_sets_of_sliders(pieces, occupied, kernel):
    rooks, bishops, queens = pieces(chess.ROOK), pieces(chess.BISHOP), pieces(chess.QUEEN)
    occupied = np.repeat(occupied, 2)
    orthogonal, diagonal = rooks | queens, bishops | queens
    right_rooks = unions(rook, orthogonal, occupied)
    right_bishops = unions(bishop, diagonal, occupied)
    right_queens = unions(queen, queens, occupied)
    both = [a | b for a, b in zip(right_rooks, right_bishops)]
    assert sum(s != 0 for s in both) > 15_000
    check(setwise.rook_attacks(orthogonal, occupied), right_rooks)
    check(setwise.bishop_attacks(diagonal, occupied), right_bishops)
    check(setwise.queen_attacks(queens, occupied), right_queens)
    check(setwise.slider_attacks(orthogonal, diagonal, occupied), both)
    split = setwise.slider_attacks_split(orthogonal, diagonal, occupied)
    check(split[0], right_rooks)
    check(split[1], right_bishops)

    def count(attacks):
        return [(a & int(t)).bit_count() for a, t in zip(attacks, targets)]

    targets = ~occupied
    check(setwise.rook_mobility(orthogonal, occupied, targets), count(right_rooks))
    check(setwise.bishop_mobility(diagonal, occupied, targets), count(right_bishops))
    check(setwise.queen_mobility(queens, occupied, targets), count(right_queens))
    check(setwise.slider_mobility(orthogonal, diagonal, occupied, targets), count(both))


def test_leapers(pieces, kernel):
    def right(table, sets):
        return unions(lambda square, _: table[square], sets, sets)

    knights, kings, pawns = pieces(chess.KNIGHT), pieces(chess.KING), pieces(chess.PAWN)
    check(setwise.knight_attacks(knights), right(chess.BB_KNIGHT_ATTACKS, knights))
    check(setwise.king_attacks(kings), right(chess.BB_KING_ATTACKS, kings))
    for name, side in [("white", chess.WHITE), ("black", chess.BLACK)]:
        check(setwise.pawn_attacks(name, pawns), right(chess.BB_PAWN_ATTACKS[side], pawns))


def test_through_blockers(games, squares, occupied, singles, kernel):
    """X-ray attacks of one slider: squares it attacks only after its blockers are removed."""
    blockers = sets(board.occupied_co[board.turn] for board in games)
    for function, attacks in [
        (setwise.xray_rook_attacks, rook),
        (setwise.xray_bishop_attacks, bishop),
        (setwise.xray_queen_attacks, queen),
    ]:
        right = []
        for square, all_, some in zip(squares[0].tolist(), occupied.tolist(), blockers.tolist()):
            direct = attacks(square, all_)
            right.append(attacks(square, all_ & ~(some & direct)) & ~direct)
        check(function(singles, blockers, occupied), right)


def test_from_squares(squares, occupied, singles, kernel):
    pairs = list(zip(squares[0].tolist(), occupied.tolist()))
    for function, attacks in [
        (setwise.rook_attacks_from, rook),
        (setwise.bishop_attacks_from, bishop),
        (setwise.queen_attacks_from, queen),
    ]:
        check(function(squares[0], occupied), [attacks(*pair) for pair in pairs])
    for line, (a, b) in LINES.items():
        right = [ray(square, a, all_) | ray(square, b, all_) for square, all_ in pairs]
        check(setwise.line_attacks_from(line, squares[0], occupied), right)
    for direction in STEPS:
        rays = [ray(square, direction, all_) for square, all_ in pairs]
        check(setwise.ray_attacks(direction, singles, occupied), rays)
        # The expected fill is the slider and its ray, without the blocker at the end of the ray.
        right = [1 << square | reached & ~all_ for (square, all_), reached in zip(pairs, rays)]
        check(setwise.occluded_fill(direction, singles, ~occupied), right)


def test_pairs_of_squares(squares, kernel):
    pairs = list(zip(squares[0].tolist(), squares[1].tolist()))
    check(setwise.between(*squares), [chess.between(a, b) for a, b in pairs])
    check(setwise.line_through(*squares), [chess.ray(a, b) for a, b in pairs])


def test_pins(games, occupied, kernel):
    for _, side in SIDES:
        def masks(kinds, of):
            return sets(sum(board.pieces_mask(kind, of) for kind in kinds) for board in games)

        pinned, pinners = setwise.pins(
            masks([chess.KING], side),
            sets(board.occupied_co[side] for board in games),
            masks([chess.ROOK, chess.QUEEN], not side),
            masks([chess.BISHOP, chess.QUEEN], not side),
            occupied,
        )
        right = []
        for board in games:
            own = chess.scan_forward(board.occupied_co[side])
            right.append(sum(1 << square for square in own if board.is_pinned(side, square)))
        check(pinned, right)
        assert pinned.any() and ((pinned != 0) == (pinners != 0)).all()


def test_whole_positions(games, kernel):
    fens = setwise.from_fen([board.fen() for board in games])
    maps = setwise.attack_maps(fens.pieces).view(setwise.ATTACK_MAPS)[:, 0]
    checks = setwise.checks(fens.pieces).view(setwise.CHECKS)[:, 0]
    in_check = 0
    for number, side in SIDES:
        def attacks(pieces):
            return [union(lambda s, _: board.attacks_mask(s), pieces(board), 0) for board in games]

        for kind in range(6):
            right = attacks(lambda board: board.pieces_mask(kind + 1, side))
            check(maps["attacks"][:, number, kind], right)
        check(maps["all"][:, number], attacks(lambda board: board.occupied_co[side]))
        right = [board.attackers_mask(not side, board.king(side)) for board in games]
        check(checks["checkers"][:, number], right)
        in_check += sum(mask != 0 for mask in right)
    assert in_check > 100


def test_fen(games):
    positions = setwise.from_fen([board.fen() for board in games])
    assert positions.pieces.shape == (len(games), 2, 6)
    for number, side in SIDES:
        masks = [[board.pieces_mask(kind + 1, side) for board in games] for kind in range(6)]
        for kind in range(6):
            check(positions.pieces[:, number, kind], masks[kind])
        check(positions.orthogonal[:, number], [a | b for a, b in zip(masks[3], masks[4])])
        check(positions.diagonal[:, number], [a | b for a, b in zip(masks[2], masks[4])])
        check(positions.occupied[:, number], [board.occupied for board in games])
    assert positions.black_to_move.tolist() == [board.turn == chess.BLACK for board in games]
