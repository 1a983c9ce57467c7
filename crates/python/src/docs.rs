//! The docstrings of the operations. Their meaning is told once, in the list of the crate; here it is said in Python's terms, with an example that is run.

macro_rules! docstring {
    (rook_attacks) => {
        r"The squares attacked by all rooks of each board.

Every rook also blocks; it need not be in `occupied`.

>>> import numpy as np, setwise
>>> attacks = setwise.rook_attacks(np.uint64([1]), np.uint64([0]))
>>> hex(attacks[0])
'0x1010101010101fe'
"
    };
    (bishop_attacks) => {
        r"The squares attacked by all bishops of each board.

Every bishop also blocks; it need not be in `occupied`.

>>> import numpy as np, setwise
>>> hex(setwise.bishop_attacks(np.uint64([1]), np.uint64([1 << 18]))[0])
'0x40200'
"
    };
    (queen_attacks) => {
        r"The squares attacked by all queens of each board.

Every queen also blocks; it need not be in `occupied`.

>>> import numpy as np, setwise
>>> queens, occupied = np.uint64([1]), np.uint64([0x01030300])
>>> out = np.empty_like(queens)
>>> setwise.queen_attacks(queens, occupied, out) is out
True
>>> hex(out[0])  # a1, shut in by its neighbours
'0x3fe'
"
    };
    (slider_attacks) => {
        r"Rook attacks of `orthogonal` united with bishop attacks of `diagonal`, of each board: rooks and queens in the first, bishops and queens in the second.

All of them also block; they need not be in `occupied`.

>>> import numpy as np, setwise
>>> attacks = setwise.slider_attacks(np.uint64([1]), np.uint64([4]), np.uint64([0]))
>>> bin(attacks[0] & np.uint64(0xff))  # a rook on a1, a bishop on c1: the first rank
'0b110'
"
    };
    (slider_attacks_split) => {
        r"The two halves of `slider_attacks`: rook attacks of `orthogonal`, and bishop attacks of `diagonal`.

The sliders of both sets block; they need not be in `occupied`. `out` is a tuple of two arrays.

>>> import numpy as np, setwise
>>> rook, bishop = setwise.slider_attacks_split(np.uint64([1]), np.uint64([4]), np.uint64([0]))
>>> hex(rook[0]), hex(bishop[0])
('0x101010101010106', '0x804020110a00')
"
    };
    (xray_rook_attacks) => {
        r"What rooks attack through a blocker.

Said per ray: where the first occupied square of a rook's ray is one of `blockers`, the squares beyond it are attacked, up to and with the next occupied
square. A ray whose first occupied square is no blocker adds nothing. Every rook also blocks, and may itself be a blocker.

>>> import numpy as np, setwise
>>> pawns, knight = 1 << 2 | 1 << 16, 1 << 5  # c1 and a3; f1
>>> hex(setwise.xray_rook_attacks(np.uint64([1]), np.uint64([pawns]), np.uint64([pawns | knight]))[0])
'0x101010101000038'
"
    };
    (xray_bishop_attacks) => {
        r"What bishops attack through a blocker, in the meaning of `xray_rook_attacks`.

>>> import numpy as np, setwise
>>> occupied = np.uint64([1 << 18 | 1 << 36])
>>> hex(setwise.xray_bishop_attacks(np.uint64([1]), np.uint64([1 << 18]), occupied)[0])  # through c3 to e5
'0x1008000000'
"
    };
    (xray_queen_attacks) => {
        r"What queens attack through a blocker, in the meaning of `xray_rook_attacks`.

>>> import numpy as np, setwise
>>> hex(setwise.xray_queen_attacks(np.uint64([1]), np.uint64([1 << 9]), np.uint64([0x0302]))[0])
'0x8040201008040000'
"
    };
    (pins) => {
        r"The pieces pinned to kings, and those that pin them: two arrays, `pinned` and `pinners`.

`kings` and `own` are the king and the pieces of one side, `orthogonal` the other side's rooks and queens, `diagonal` its bishops and queens. Said per ray of
a king: if the first occupied square is in `own` and the next one holds a slider that moves along the ray, the first is pinned and the second a pinner.
All sets passed also block. `out` is a tuple of two arrays.

>>> import numpy as np, setwise
>>> king, own, rooks, bishop = 1 << 4, 1 << 20 | 1 << 11, 1 << 60 | 1 << 7, 1 << 32
>>> sets = [np.uint64([s]) for s in (king, own, rooks, bishop, 0)]
>>> pinned, pinners = setwise.pins(*sets)
>>> pinned[0] == own, pinners[0] == 1 << 60 | 1 << 32
(np.True_, np.True_)
"
    };
    (ray_attacks) => {
        r"The squares attacked in one direction, up to and with the first occupied square.

`direction` is north, north-east, east, south-east, south, south-west, west or north-west.

>>> import numpy as np, setwise
>>> bin(setwise.ray_attacks('west', np.uint64([1 << 7]), np.uint64([1 << 3]))[0])
'0b1111000'
"
    };
    (occluded_fill) => {
        r"The smallest set that contains `generators`, and with a square also the next one in that direction if it is on the board and in `propagators`.

`direction` is as of `ray_attacks`.

>>> import numpy as np, setwise
>>> hex(setwise.occluded_fill('north', np.uint64([1]), ~np.uint64([1 << 24]))[0])
'0x10101'
"
    };
    (rook_mobility) => {
        r"How many squares of `targets` all rooks of each board attack together: an array of uint32.

A square that two rooks attack counts once.

>>> import numpy as np, setwise
>>> pawn = np.uint64([1 << 16])  # a3, and no target
>>> setwise.rook_mobility(np.uint64([1]), pawn, ~pawn)
array([8], dtype=uint32)
"
    };
    (bishop_mobility) => {
        r"How many squares of `targets` all bishops of each board attack together: an array of uint32.

>>> import numpy as np, setwise
>>> setwise.bishop_mobility(np.uint64([1]), np.uint64([0]), ~np.uint64([0]))
array([7], dtype=uint32)
"
    };
    (queen_mobility) => {
        r"How many squares of `targets` all queens of each board attack together: an array of uint32.

>>> import numpy as np, setwise
>>> setwise.queen_mobility(np.uint64([1 << 27]), np.uint64([0]), ~np.uint64([0]))
array([27], dtype=uint32)
"
    };
    (slider_mobility) => {
        r"How many squares of `targets` are in `slider_attacks` of each board: an array of uint32.

>>> import numpy as np, setwise
>>> setwise.slider_mobility(np.uint64([1]), np.uint64([4]), np.uint64([0]), np.uint64([0xff]))
array([2], dtype=uint32)
"
    };
    (rook_attacks_from) => {
        r"The squares attacked by a rook on the square of each board; `squares` is an array of uint8, 0 to 63.

Whether the rook's own square is in `occupied` makes no difference.

>>> import numpy as np, setwise
>>> hex(setwise.rook_attacks_from(np.uint8([63]), np.uint64([1 << 60]))[0])
'0x7080808080808080'
"
    };
    (bishop_attacks_from) => {
        r"The squares attacked by a bishop on the square of each board; `squares` is an array of uint8, 0 to 63.

Whether the bishop's own square is in `occupied` makes no difference.

>>> import numpy as np, setwise
>>> hex(setwise.bishop_attacks_from(np.uint8([0]), np.uint64([1 << 18]))[0])
'0x40200'
"
    };
    (queen_attacks_from) => {
        r"The squares attacked by a queen on the square of each board; `squares` is an array of uint8, 0 to 63.

Whether the queen's own square is in `occupied` makes no difference.

>>> import numpy as np, setwise
>>> hex(setwise.queen_attacks_from(np.uint8([0]), np.uint64([0x01030300]))[0])
'0x3fe'
"
    };
    (line_attacks_from) => {
        r"The squares attacked along one line, both ways, by a slider on the square of each board; `squares` is an array of uint8, 0 to 63.

`line` is rank, file, diagonal (parallel to a1-h8) or antidiagonal.

>>> import numpy as np, setwise
>>> bin(setwise.line_attacks_from('rank', np.uint8([4]), np.uint64([0b01000010]))[0])
'0b1101110'
"
    };
    (between) => {
        r"The squares strictly between two squares on a rank, file, diagonal or antidiagonal; none if they share none. Squares are uint8, 0 to 63.

>>> import numpy as np, setwise
>>> hex(setwise.between(np.uint8([0]), np.uint8([27]))[0])  # a1 to d4
'0x40200'
"
    };
    (line_through) => {
        r"The whole rank, file, diagonal or antidiagonal through two squares, with both; none if they share none or are the same. Squares are uint8, 0 to 63.

>>> import numpy as np, setwise
>>> hex(setwise.line_through(np.uint8([9]), np.uint8([27]))[0])  # b2, d4
'0x8040201008040201'
"
    };
    (attack_maps) => {
        r"What every kind of piece of both sides attacks, the unions, and the threats to greater pieces, of whole positions.

`positions` has the shape (..., 2, 6): white's pawns, knights, bishops, rooks, queens and kings, then black's, as `from_fen` gives them. The result has the
shape (..., 16): twelve attack sets in the same order, the unions of white and of black, and of each side the other's pieces that it attacks by lesser
ones. `maps.view(setwise.ATTACK_MAPS)` gives those names.

>>> import numpy as np, setwise
>>> fens = setwise.from_fen(['8/8/8/4q3/3P4/8/8/8 w - -'])
>>> maps = setwise.attack_maps(fens.pieces).view(setwise.ATTACK_MAPS)[:, 0]
>>> hex(maps['attacks'][0, setwise.WHITE, setwise.PAWN]), hex(maps['threats'][0, setwise.WHITE])
('0x1400000000', '0x1000000000')
"
    };
    (checks) => {
        r"What gives check to each side's king, what is pinned to it, and what pins that, of whole positions.

`positions` is as of `attack_maps`. The result has the shape (..., 6): white's and black's `checkers`, `pinned` and `pinners`, which are the names in
`checks.view(setwise.CHECKS)`.

>>> import numpy as np, setwise
>>> fens = setwise.from_fen(['4r3/8/8/8/8/4N3/8/4K2r w - -'])
>>> checks = setwise.checks(fens.pieces).view(setwise.CHECKS)[:, 0]
>>> [hex(checks[name][0, setwise.WHITE]) for name in ('checkers', 'pinned', 'pinners')]
['0x80', '0x100000', '0x1000000000000000']
"
    };
}

pub(crate) use docstring;
