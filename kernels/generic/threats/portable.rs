//! Threats in `const` functions: the forms in [`board`](crate::board). Kernels use them for changes
//! that no chess move makes.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "branch-free: what stands where is unpredictable (0.7x the time)"
)]

use core::slice;

use super::edits::{Edited, is_degenerate};
use super::{Aligned, JUMPS, OFF, RAYS, step};
use crate::kernels::geometry::threats::{Edit, List, MOST, kind};
use crate::kernels::geometry::{Changes, Rules, Threat};

/// By square and ray: the squares of the ray; the square itself if there are none.
pub(crate) static RAY_SETS: Aligned<[[u64; 8]; 64]> = Aligned({
    let mut sets = [[0; 8]; 64];
    let mut i = 0;
    while i < 64 * 8 {
        let (square, ray) = (i / 8, i % 8);
        let mut steps = 1;
        while steps < 8 {
            let to = step(square as u8, RAYS[ray], steps);
            if to != OFF {
                sets[square][ray] |= 1 << to;
            }
            steps += 1;
        }
        if sets[square][ray] == 0 {
            sets[square][ray] = 1 << square;
        }
        i += 1;
    }
    sets
});

/// By square: where each jump of a knight ends, or [`OFF`].
static JUMP_SQUARES: [[u8; 8]; 64] = {
    let mut squares = [[OFF; 8]; 64];
    let mut i = 0;
    while i < 64 * 8 {
        squares[i / 8][i % 8] = step((i / 8) as u8, JUMPS[i % 8], 1);
        i += 1;
    }
    squares
};

/// No square.
const NONE: u8 = 64;

/// The kinds that slide along a ray.
pub(crate) const fn sliders(ray: usize) -> u8 {
    kind::QUEEN | if ray.is_multiple_of(2) { kind::ROOK } else { kind::BISHOP }
}

/// The kinds that attack the first square of a ray, besides the sliders.
pub(crate) const fn steppers(ray: usize) -> u8 {
    match ray {
        1 | 7 => kind::KING | kind::WHITE_PAWN,
        3 | 5 => kind::KING | kind::BLACK_PAWN,
        _ => kind::KING,
    }
}

/// The nearest occupied square of a ray, or [`NONE`].
const fn nearest(ray: usize, square: u8, occupied: u64) -> u8 {
    let met = RAY_SETS.0[square as usize & 63][ray] & occupied & !(1 << square);
    if met == 0 {
        NONE
    } else if matches!(ray, 0..3 | 7) {
        met.trailing_zeros() as u8
    } else {
        63 - met.leading_zeros() as u8
    }
}

/// The nearest occupied square of each ray, or [`NONE`].
const fn seen(square: u8, occupied: u64) -> [u8; 8] {
    let (mut seen, mut ray) = ([NONE; 8], 0);
    while ray < 8 {
        seen[ray] = nearest(ray, square, occupied);
        ray += 1;
    }
    seen
}

/// Whether two squares of a ray are neighbours.
const fn adjacent(ray: usize, a: u8, b: u8) -> bool {
    a.abs_diff(b) == [8, 9, 1, 7][ray % 4]
}

/// Whether a piece on `from` that `kind` describes attacks `to`, the nearest occupied square on
/// that ray.
const fn reaches(kind: u8, ray: usize, from: u8, to: u8) -> bool {
    let far = kind & sliders(ray);
    let near = if adjacent(ray, from, to) { kind & steppers(ray) } else { 0 };
    far | near != 0
}

/// A board and what its codes mean.
#[derive(Clone, Copy)]
struct Mailbox<'a> {
    codes: &'a [u8; 64],
    rules: &'a Rules,
}

impl<'a> Mailbox<'a> {
    const fn new(codes: &'a [u8; 64], rules: &'a Rules) -> Self {
        Mailbox { codes, rules }
    }

    const fn code(self, square: u8) -> u8 {
        self.codes[square as usize & 63] & 15
    }

    const fn kind(self, square: u8) -> u8 {
        self.rules.kind(self.code(square))
    }

    /// The squares with a piece.
    const fn occupied(self) -> u64 {
        let (mut occupied, mut square) = (0, 0);
        while square < 64 {
            occupied |= ((self.rules.pieces >> self.code(square)) as u64 & 1) << square;
            square += 1;
        }
        occupied
    }

    /// Adds the threats of a piece on `square`, then the threats on it by ray, then those by
    /// knights. Pieces in `hidden` block, but their threats are not added.
    const fn direct(
        self,
        (code, square): (u8, u8),
        occupied: u64,
        seen: [u8; 8],
        hidden: u64,
        list: &mut List,
    ) {
        let rules = self.rules;
        let (own, jumps) = (rules.kind(code), &JUMP_SQUARES[square as usize & 63]);
        let visible = occupied & !hidden;
        let mut i = 0;
        while i < 8 {
            let to = if own == kind::KNIGHT { jumps[i] } else { seen[i] };
            let victim = self.code(to);
            let attacks = (own == kind::KNIGHT) | reaches(own, i, square, to);
            let counts = (to < NONE) & (visible >> (to & 63) & 1 == 1) & attacks;
            let threat = Threat { attacker: code, from: square, victim, to };
            list.push(threat, counts & rules.counts(code, victim));
            i += 1;
        }
        i = 0;
        while i < 16 {
            let from = if i < 8 { seen[i] } else { jumps[i - 8] };
            let (attacker, other) = (self.code(from), self.kind(from));
            let attacks =
                if i < 8 { reaches(other, i ^ 4, from, square) } else { other == kind::KNIGHT };
            let counts = (from < NONE) & (visible >> (from & 63) & 1 == 1) & attacks;
            let threat = Threat { attacker, from, victim: code, to: square };
            list.push(threat, counts & rules.counts(attacker, code));
            i += 1;
        }
    }

    /// Adds the threats of sliders through the square that sees these, by the ray on which the
    /// slider is. Squares in `hidden` block, but their threats are not added.
    const fn through(self, seen: [u8; 8], hidden: u64, list: &mut List) {
        let mut ray = 0;
        while ray < 8 {
            let (from, to) = (seen[ray], seen[ray ^ 4]);
            let (attacker, victim) = (self.code(from), self.code(to));
            let exist = (from < NONE) & (to < NONE);
            let exist = exist & ((hidden >> (from & 63) | hidden >> (to & 63)) & 1 == 0);
            let slides = self.rules.kind(attacker) & sliders(ray) != 0;
            let counts = exist & slides & self.rules.counts(attacker, victim);
            list.push(Threat { attacker, from, victim, to }, counts);
            ray += 1;
        }
    }

    /// Adds the threats that a change of these squares removes. `occupied` are the squares of this
    /// board that count as occupied.
    const fn touching(self, occupied: u64, changed: u64, list: &mut List) {
        let mut left = changed;
        while left != 0 {
            let square = left.trailing_zeros() as u8;
            left &= left - 1;
            // Threats of several of these squares are those of the first.
            let before = changed & ((1 << square) - 1);
            if occupied >> square & 1 == 1 {
                let seen = seen(square, occupied);
                self.direct((self.code(square), square), occupied, seen, before, list);
            } else {
                self.through(seen(square, occupied | before), changed, list);
            }
        }
    }

    /// Writes the board's threats to the start of `threats`, and returns their number. The entry
    /// after the last is overwritten.
    const fn threats(self, occupied: u64, threats: &mut [Threat; MOST + 1]) -> usize {
        let (mut count, mut knights, mut left) = (0, 0, occupied);
        while left != 0 {
            let from = left.trailing_zeros() as u8;
            left &= left - 1;
            let (attacker, own) = (self.code(from), self.kind(from));
            knights |= ((own == kind::KNIGHT) as u64) << from;
            let mut ray = 0;
            while ray < 8 {
                if own & (sliders(ray) | steppers(ray)) != 0 {
                    let to = nearest(ray, from, occupied);
                    if to < NONE && reaches(own, ray, from, to) {
                        let victim = self.code(to);
                        put(threats, count, Threat { attacker, from, victim, to });
                        count += self.rules.counts(attacker, victim) as usize;
                    }
                }
                ray += 1;
            }
        }
        while knights != 0 {
            let from = knights.trailing_zeros() as u8;
            knights &= knights - 1;
            let (attacker, mut jump) = (self.code(from), 0);
            while jump < 8 {
                let to = JUMP_SQUARES[from as usize & 63][jump];
                if to < NONE && occupied >> to & 1 == 1 {
                    let victim = self.code(to);
                    put(threats, count, Threat { attacker, from, victim, to });
                    count += self.rules.counts(attacker, victim) as usize;
                }
                jump += 1;
            }
        }
        count
    }
}

/// See [`Kernel::threats_moved`](crate::Kernel::threats_moved).
pub(crate) const fn moved(
    before: &[u8; 64],
    from: u8,
    to: u8,
    placed: u8,
    rules: &Rules,
    changes: &mut Changes,
) {
    let board = Mailbox::new(before, rules);
    let (mover, captured, placed) = (board.code(from), board.code(to), placed & 15);
    if is_degenerate(from, to, [mover, placed, captured], rules) {
        return degenerate(before, from, to, placed, rules, changes);
    }
    changes.clear();
    let occupied = board.occupied();
    let without = occupied & !(1 << from);
    let seen_from = seen(from, occupied);
    board.direct((mover, from), occupied, seen_from, 0, &mut changes.removed);
    let seen_to = seen(to, occupied);
    let captures = rules.is_piece(captured);
    if captures {
        // The threats between the captured piece and the mover are those of the mover.
        board.direct((captured, to), occupied, seen_to, 1 << from, &mut changes.removed);
    } else {
        board.through(seen_to, 1 << from, &mut changes.removed);
    }
    board.direct((placed, to), without, seen(to, without), 0, &mut changes.added);
    let seen_from = if captures { seen_from } else { seen(from, occupied | 1 << to) };
    board.through(seen_from, 1 << to, &mut changes.added);
}

/// [`moved`] if [`is_degenerate`]: the two squares as edits.
#[cold]
pub(crate) const fn degenerate(
    before: &[u8; 64],
    from: u8,
    to: u8,
    placed: u8,
    rules: &Rules,
    changes: &mut Changes,
) {
    let mut after = *before;
    after[to as usize & 63] = placed;
    let boards = [Mailbox::new(before, rules), Mailbox::new(&after, rules)];
    let (mover, captured) = (boards[0].code(from), boards[0].code(to));
    // Rules in which all codes are pieces have none for the square that is left.
    let left = (from != to && rules.is_piece(mover)) as u64;
    let (is_piece, placed) = (rules.is_piece(placed), placed & 15);
    let differs = placed != captured && (is_piece || rules.is_piece(captured));
    let occupied = boards[0].occupied();
    let occupied_after = occupied & !(left << from | 1 << to) | (is_piece as u64) << to;
    let changed = left << from | (differs as u64) << to;
    difference(boards, [occupied, occupied_after], changed, changes);
}

/// The changes between two boards that differ on the squares in `changed`. Only the squares in
/// `occupied` hold pieces.
const fn difference(
    [before, after]: [Mailbox<'_>; 2],
    occupied: [u64; 2],
    changed: u64,
    changes: &mut Changes,
) {
    changes.clear();
    before.touching(occupied[0], changed, &mut changes.removed);
    after.touching(occupied[1], changed, &mut changes.added);
}

/// See [`Kernel::threats_edited`](crate::Kernel::threats_edited). Returns `false`, and writes
/// nothing, if there are too many edits, or a square twice.
pub(crate) const fn edited(
    before: &[u8; 64],
    edits: &[Edit],
    rules: &Rules,
    changes: &mut Changes,
) -> bool {
    let Some(edited) = Edited::new(before, edits, rules) else { return false };
    let boards = [Mailbox::new(before, rules), Mailbox::new(&edited.after, rules)];
    let (occupied, [pieces_before, pieces_after]) = (boards[0].occupied(), edited.pieces);
    let occupied_after = occupied & !pieces_before | pieces_after;
    difference(boards, [occupied, occupied_after], edited.changed, changes);
    true
}

/// The edits or threats of the table's contract; the pointer may be null if there are none.
///
/// # Safety
/// The table's contract.
#[inline(always)]
pub(crate) unsafe fn elements<'a, T>(first: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's contract.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(first, count) } }
}

/// Writes the threat with this number. No board has more than [`MOST`]: this condition only tells
/// the compiler that nothing can panic.
const fn put(threats: &mut [Threat; MOST + 1], number: usize, threat: Threat) {
    if number <= MOST {
        threats[number] = threat;
    }
}

const NO_THREAT: Threat = Threat { attacker: 0, from: 0, victim: 0, to: 0 };

/// See [`Kernel::threats`](crate::Kernel::threats).
pub(crate) const fn all(
    boards: &[[u8; 64]],
    rules: &Rules,
    offsets: &mut [u32],
    threats: &mut [Threat],
) -> usize {
    // The offsets have 32 bits.
    let room = if threats.len() < u32::MAX as usize { threats.len() } else { u32::MAX as usize };
    let mut of_one = [NO_THREAT; MOST + 1];
    let (mut done, mut count) = (0, 0);
    if let Some(first) = offsets.first_mut() {
        *first = 0;
    }
    // The conditions that always hold tell the compiler that nothing can panic.
    while done < boards.len() && done + 1 < offsets.len() {
        let board = Mailbox::new(&boards[done], rules);
        let found = board.threats(board.occupied(), &mut of_one);
        if found > room - count {
            break;
        }
        let mut i = 0;
        while i < found && i < of_one.len() && count + i < threats.len() {
            threats[count + i] = of_one[i];
            i += 1;
        }
        count += found;
        done += 1;
        offsets[done] = count as u32;
    }
    done
}
