//! The intermediate values of [`setwise::techniques`], in the order in which the page draws them:
//! `steps.js` names each word.

use setwise::techniques::{
    adder, borrow, dumb7fill, hyperbola, kogge_stone, mailbox, rank_slices, turned,
};
use setwise::{Direction, Line, Square};

/// The flood and the fill are given before the first cycle and after each of the six.
#[must_use]
pub fn dumb7fill(direction: Direction, sliders: u64, occupied: u64) -> [u64; 16] {
    let propagators = dumb7fill::wrap_mask(direction, !occupied);
    let (mut flood, mut filled) = (sliders, sliders);
    let mut steps = [propagators; 16];
    for cycle in 0..=6 {
        [steps[1 + 2 * cycle], steps[2 + 2 * cycle]] = [flood, filled];
        flood = dumb7fill::cycle(direction, flood, propagators);
        filled |= flood;
    }
    steps[15] = dumb7fill::attacks(direction, sliders, occupied);
    steps
}

/// Adds the sliders to the complement of the other pieces, byte by byte. The carries are the
/// borrows of the [difference](borrow_bytewise).
#[must_use]
pub fn adder(sliders: u64, occupied: u64) -> [u64; 28] {
    let (x, y) = (!(occupied & !sliders), sliders);
    let mut steps = [0; 28];
    [steps[0], steps[1]] = [x, y];
    let (mut sum, mut carries) = (x ^ y, x & y);
    for round in 0..=7 {
        [steps[2 + 2 * round], steps[3 + 2 * round]] = [sum, carries];
        carries = Direction::East.step(carries);
        (sum, carries) = (sum ^ carries, sum & carries);
    }
    steps[18..26].copy_from_slice(&kogge_stone(Direction::East, x & y, !(x ^ y))[..8]);
    steps[26] = adder::paddb_by_carries(x, y);
    steps[27] = adder::east_attacks(sliders, occupied);
    steps
}

/// The generators and propagators before and after each doubling, then the attacks.
#[must_use]
pub fn kogge_stone(direction: Direction, sliders: u64, occupied: u64) -> [u64; 9] {
    let (g0, p0) = (sliders, dumb7fill::wrap_mask(direction, !occupied));
    let (g1, p1) = kogge_stone::doubling(direction, 1, g0, p0);
    let (g2, p2) = kogge_stone::doubling(direction, 2, g1, p1);
    let (g3, p3) = kogge_stone::doubling(direction, 4, g2, p2);
    let attacks = kogge_stone::attacks(direction, sliders, occupied);
    [g0, p0, g1, p1, g2, p2, g3, p3, attacks]
}

/// The steps of one subtraction, then the attacks.
#[must_use]
pub fn borrow(sliders: u64, occupied: u64) -> [u64; 5] {
    let steps = borrow::subtraction(sliders, occupied);
    [steps.minuend, steps.subtrahend, steps.difference, steps.changed, steps.attacks]
}

/// The steps of the subtraction of bytes, then the attacks.
#[must_use]
pub fn borrow_bytewise(sliders: u64, occupied: u64) -> [u64; 5] {
    let others = occupied & !sliders;
    let borrows = adder::carries(!others & sliders, !(others ^ sliders));
    let difference = adder::psubb(others, sliders);
    let attacks = borrow::east_attacks_bytewise(sliders, occupied);
    [others, sliders, borrows, difference, attacks]
}

/// The steps on both boards, then the attacks.
#[must_use]
pub fn hyperbola(line: Line, square: Square, occupied: u64) -> [u64; 7] {
    let steps = hyperbola::two_boards(line, square, occupied);
    [
        steps.line,
        steps.occupied,
        steps.forward,
        steps.reversed,
        steps.backward,
        steps.returned,
        steps.attacks,
    ]
}

/// Each 64-bit result of VPPERM comes directly after the half of the selector that produced it.
#[must_use]
pub fn vpperm(square: Square, occupied: u64) -> [u64; 21] {
    const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
    const IN_ORDER: u64 = 0x0706_0504_0302_0100;
    const REVERSE_BITS: u64 = 0x40 * EACH_BYTE;
    const REVERSE_ALL: u64 = IN_ORDER.swap_bytes() | REVERSE_BITS;
    const FROM_SECOND: u64 = 0x10 * EACH_BYTE;
    let slider = 1 << square.index();
    let permute = |first: u64, second: u64, selector: [u64; 2]| {
        let register =
            |[low, high]: [u64; 2]| (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        let (first, second) = (register([first; 2]), register([second; 2]));
        let result = u128::from_le_bytes(hyperbola::vpperm(first, second, register(selector)));
        [selector[0], result as u64, selector[1], (result >> 64) as u64]
    };
    let rank = square.index() as u64 / 8;
    let operations = (IN_ORDER << 5) | (rank * EACH_BYTE);
    let [_, by_operation, ..] = permute(occupied, slider, [operations; 2]);
    let orders = permute(occupied, slider, [IN_ORDER.swap_bytes(), IN_ORDER | REVERSE_BITS]);
    let reversed = permute(occupied, slider, [REVERSE_ALL, REVERSE_ALL | FROM_SECOND]);
    let rays = |lines: [Line; 2]| {
        let rays = lines.map(|line| {
            let steps = hyperbola::two_boards(line, square, occupied);
            let changed = [steps.forward ^ steps.occupied, steps.backward ^ steps.reversed];
            [changed[0] & steps.line, changed[1] & steps.line.reverse_bits()]
        });
        [rays[0][0] | rays[1][0], rays[0][1] | rays[1][1]]
    };
    let [rook, rook_reversed] = rays([Line::Rank, Line::File]);
    let [bishop, bishop_reversed] = rays([Line::Diagonal, Line::Antidiagonal]);
    let returned =
        permute(rook_reversed, bishop_reversed, [REVERSE_ALL, REVERSE_ALL | FROM_SECOND]);
    let mut steps = [0; 21];
    steps[..2].copy_from_slice(&[operations, by_operation]);
    steps[2..6].copy_from_slice(&orders);
    steps[6..10].copy_from_slice(&reversed);
    steps[10..14].copy_from_slice(&[rook, bishop, rook_reversed, bishop_reversed]);
    steps[14..18].copy_from_slice(&returned);
    steps[18] = rook | returned[1];
    steps[19] = bishop | returned[3];
    steps[20] = steps[18] | steps[19];
    steps
}

/// For each of the line's two rays: seven constants, of which a shorter ray repeats the last, and
/// the one that the technique's nested `if`s select. Then the attacks.
#[must_use]
pub fn switch(line: Line, square: Square, occupied: u64) -> [u64; 17] {
    let mut steps = [0; 17];
    for (ray, direction) in steps.chunks_exact_mut(8).zip(line.directions()) {
        let (mut last, mut constant) = (1 << square.index(), 0);
        for step in &mut ray[..7] {
            last = direction.step(last);
            constant |= last;
            *step = constant;
        }
        let chosen = ray[..7].iter().find(|&constant| constant & occupied != 0);
        ray[7] = *chosen.unwrap_or(&constant);
    }
    steps[16] = steps[7] | steps[15];
    steps
}

/// Eight rows of eight words: boards or slices of eight boards.
#[must_use]
pub fn rank_slices(sliders: [u64; 8], occupied: [u64; 8]) -> [[u64; 8]; 8] {
    let by_4 = rank_slices::exchange(sliders, 4);
    let by_2 = rank_slices::exchange(by_4, 2);
    let by_1 = rank_slices::exchange(by_2, 1);
    let blockers = rank_slices::cut(occupied);
    let mut upward = [0; 8];
    let mut floods = [by_1[0]; 3];
    for rank in 1..8 {
        floods = rank_slices::arrive(floods);
        upward[rank] = floods[0] | floods[1] | floods[2];
        floods = rank_slices::leave(floods, blockers[rank], by_1[rank]);
    }
    [
        sliders,
        by_4,
        by_2,
        by_1,
        blockers,
        upward,
        rank_slices::cut(upward),
        rank_slices::queen_attacks(sliders, occupied),
    ]
}

/// Four words for each of the four views, then the union of their attacks. On the board, the views
/// attack east, west, south and north.
pub fn turned(rooks: u64, occupied: u64) -> [u64; 17] {
    /// The functions that convert a board to a view, and back.
    type View = [fn(u64) -> u64; 2];
    const VIEWS: [View; 4] = [
        [|board| board, |view| view],
        [turned::reverse, turned::reverse],
        [turned::turn, turned::turn],
        [|board| turned::reverse(turned::turn(board)), |view| turned::turn(turned::reverse(view))],
    ];
    let mut steps = [0; 17];
    for (words, [to, back]) in steps.chunks_exact_mut(4).zip(VIEWS) {
        let attacks = borrow::east_attacks(to(rooks), to(occupied));
        words.copy_from_slice(&[to(rooks), to(occupied), attacks, back(attacks)]);
    }
    steps[16] = turned::rook_attacks(rooks, occupied);
    steps
}

/// Words with one bit for each byte of the view of a square, one rank for each ray. Then two sets
/// of squares.
#[must_use]
pub fn mailbox(square: Square, occupied: u64) -> [u64; 7] {
    let pieces = std::array::from_fn(|i| (occupied >> i & 1) as u8);
    let low_bits = |lane: u64| (0..8).fold(0, |bits, i| bits | (lane >> (8 * i) & 1) << i);
    let (mut negated, mut nearest) = (0, 0);
    for (ray, lane) in mailbox::view(&pieces, square).into_iter().enumerate() {
        negated |= low_bits((lane & !0xff).wrapping_neg()) << (8 * ray);
        nearest |= low_bits(mailbox::nearest(lane)) << (8 * ray);
    }
    let (all, in_view) = (mailbox::in_view(square, !0), mailbox::in_view(square, occupied));
    let reached = mailbox::attacked_slots(in_view) & all;
    let found = mailbox::on_board(square, nearest);
    [all, in_view, negated, nearest, reached, found, mailbox::queen_attacks(square, occupied)]
}

#[cfg(test)]
mod tests {
    use setwise::board;
    use setwise::techniques;

    use super::*;
    use crate::batch::random_words;

    /// The last step of every technique must equal the attacks that `board` computes, and the
    /// earlier steps must lead to it.
    #[test]
    fn every_technique_ends_at_the_attacks() {
        let mut random = random_words(1);
        for _ in 0..2000 {
            let sliders = random() & random() & random() & random();
            let occupied = random() & random() | sliders;
            for direction in Direction::ALL {
                let attacks = board::ray_attacks(direction, sliders, occupied);
                let steps = dumb7fill(direction, sliders, occupied);
                assert_eq!((direction.step(steps[14]), steps[15]), (attacks, attacks));
                let steps = kogge_stone(direction, sliders, occupied);
                assert_eq!((direction.step(steps[6]), steps[8]), (attacks, attacks));
            }
            let east = board::ray_attacks(Direction::East, sliders, occupied);
            assert_eq!(borrow(sliders, occupied)[4], east);
            let [others, rooks, borrows, difference, attacks] = borrow_bytewise(sliders, occupied);
            assert_eq!(attacks, east);
            assert_eq!(Direction::East.step(borrows), others ^ rooks ^ difference);
            let steps = adder(sliders, occupied);
            let sum = adder::paddb(steps[0], steps[1]);
            assert_eq!((steps[16], steps[26]), (sum, sum));
            assert_eq!(Direction::East.step(steps[17]), 0);
            let moved = (3..18).step_by(2).fold(0, |all, i| all | steps[i]);
            assert_eq!((moved, Direction::East.step(moved)), (steps[24], east));
            assert_eq!(steps[27], east);
            let steps = turned(sliders, occupied);
            let views = [Direction::East, Direction::West, Direction::South, Direction::North];
            for (words, direction) in steps.chunks_exact(4).zip(views) {
                assert_eq!(words[3], board::ray_attacks(direction, sliders, occupied));
            }
            assert_eq!(steps[3] | steps[7] | steps[11] | steps[15], steps[16]);
            assert_eq!(steps[16], board::rook_attacks(sliders, occupied));
            let square = Square::new((random() % 64) as u8).unwrap();
            for line in Line::ALL {
                let steps = hyperbola(line, square, occupied);
                assert_eq!(steps[6], board::line_attacks_from(line, square, occupied));
                assert_eq!((steps[2] ^ steps[5]) & steps[0], steps[6]);
                let steps = switch(line, square, occupied);
                assert_eq!(steps[16], board::line_attacks_from(line, square, occupied));
                assert_eq!(steps[16], techniques::switch::line_attacks(line, square, occupied));
                for (ray, direction) in steps.chunks_exact(8).zip(line.directions()) {
                    let slider = 1 << square.index();
                    assert_eq!(ray[6], board::ray_attacks(direction, slider, 0));
                    assert_eq!(ray[7], board::ray_attacks(direction, slider, occupied));
                }
            }
            let steps = vpperm(square, occupied);
            let rank = (occupied >> (square.index() / 8 * 8)) as u8;
            assert_eq!(
                steps[1].to_le_bytes()[..4],
                [rank, !rank, rank.reverse_bits(), !rank.reverse_bits()]
            );
            assert_eq!((steps[3], steps[5]), (occupied.swap_bytes(), turned::reverse(occupied)));
            assert_eq!(steps[7], occupied.reverse_bits());
            assert_eq!(steps[9], 1 << (63 - square.index()));
            assert_eq!(steps[18], board::rook_attacks_from(square, occupied));
            assert_eq!(steps[19], board::bishop_attacks_from(square, occupied));
            assert_eq!(steps[20], board::queen_attacks_from(square, occupied));
            let steps = super::mailbox(square, occupied);
            let [all, pieces, negated, nearest, reached, found, attacks] = steps;
            let rays = !0x0101_0101_0101_0101;
            assert_eq!((pieces & !all, pieces & negated & rays), (0, nearest));
            assert_eq!(found, attacks & occupied);
            assert_eq!(mailbox::on_board(square, reached), attacks);
            assert_eq!(attacks, board::queen_attacks_from(square, occupied));
            let boards = [(); 8].map(|()| random() & random() & random());
            let blockers = [(); 8].map(|()| random() & random());
            let rows = rank_slices(boards, blockers);
            for i in 0..8 {
                let north = [Direction::North, Direction::NorthEast, Direction::NorthWest];
                let upward = north.map(|d| board::ray_attacks(d, boards[i], blockers[i]));
                assert_eq!(rows[6][i], upward[0] | upward[1] | upward[2]);
                assert_eq!(rows[7][i], board::queen_attacks(boards[i], blockers[i]));
            }
        }
    }
}
