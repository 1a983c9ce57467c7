//! Threats without intrinsics: rays as bitboards, `const`. The kernels without an implementation of
//! their own use these functions, and all kernels use them for changes that no chess move makes.
#![allow(
    clippy::needless_bitwise_bool,
    reason = "branch-free: what stands where is unpredictable (0.7x the time)"
)]

use super::{Entries, JUMPS, OFF, RAYS, Threats, step};
use crate::kernels::geometry::between::between;
use crate::kernels::geometry::threats::{List, MOST, kind};
use crate::kernels::geometry::{Changes, Rules, Threat};

/// By ray and square: the squares of the ray.
static RAY_SETS: [[u64; 64]; 8] = {
    let mut sets = [[0; 64]; 8];
    let mut i = 0;
    while i < 8 * 64 * 7 {
        let (ray, square, steps) = (i / 448, i / 7 % 64, i % 7 + 1);
        let to = step(square as u8, RAYS[ray], steps as i8);
        if to != OFF {
            sets[ray][square] |= 1 << to;
        }
        i += 1;
    }
    sets
};

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
    let met = RAY_SETS[ray][square as usize & 63] & occupied;
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
    /// knights. A piece on `hidden` blocks, but its threats are not added.
    const fn direct(
        self,
        (code, square): (u8, u8),
        occupied: u64,
        seen: [u8; 8],
        hidden: u8,
        list: &mut List,
    ) {
        let rules = self.rules;
        let (own, jumps) = (rules.kind(code), &JUMP_SQUARES[square as usize & 63]);
        let visible = if hidden == NONE { occupied } else { occupied & !(1 << hidden) };
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
    /// slider is. A piece on `hidden` blocks, but its threats are not added.
    const fn through(self, seen: [u8; 8], hidden: u8, list: &mut List) {
        let mut ray = 0;
        while ray < 8 {
            let (from, to) = (seen[ray], seen[ray ^ 4]);
            let (attacker, victim) = (self.code(from), self.code(to));
            let exist = (from < NONE) & (to < NONE) & (from != hidden) & (to != hidden);
            let slides = self.rules.kind(attacker) & sliders(ray) != 0;
            let counts = exist & slides & self.rules.counts(attacker, victim);
            list.push(Threat { attacker, from, victim, to }, counts);
            ray += 1;
        }
    }

    /// Whether a threat of another board is also one of this board. `occupied` are the squares of
    /// this board that count as occupied.
    const fn has(self, occupied: u64, threat: Threat) -> bool {
        let Threat { attacker, from, victim, to } = threat;
        occupied >> from & occupied >> to & 1 == 1
            && self.code(from) == attacker
            && self.code(to) == victim
            && between(from, to) & occupied == 0
    }

    /// Adds those of the first `count` threats to `list` that this board does not have.
    const fn keep_absent(self, occupied: u64, threats: &[Threat], count: usize, list: &mut List) {
        let mut i = 0;
        while i < count && i < threats.len() {
            list.push(threats[i], !self.has(occupied, threats[i]));
            i += 1;
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
    board.direct((mover, from), occupied, seen_from, NONE, &mut changes.removed);
    let seen_to = seen(to, occupied);
    let captures = rules.is_piece(captured);
    if captures {
        // The threats between the captured piece and the mover are those of the mover.
        board.direct((captured, to), occupied, seen_to, from, &mut changes.removed);
    } else {
        board.through(seen_to, from, &mut changes.removed);
    }
    board.direct((placed, to), without, seen(to, without), NONE, &mut changes.added);
    let seen_from = if captures { seen_from } else { seen(from, occupied | 1 << to) };
    board.through(seen_from, to, &mut changes.added);
}

/// Whether a change is not a move of a piece to another square, or leaves the same piece on `to`.
/// `codes` are the mover's, the placed one and the captured one.
#[inline(always)]
pub(crate) const fn is_degenerate(from: u8, to: u8, codes: [u8; 3], rules: &Rules) -> bool {
    let [mover, placed, captured] = codes;
    from == to || !rules.is_piece(mover) || !rules.is_piece(placed) || placed == captured
}

/// [`moved`] if [`is_degenerate`]: compares the two boards.
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
    let before = Mailbox::new(before, rules);
    let after = Mailbox::new(&after, rules);
    let leaves = if from == to { 0 } else { 1 << from };
    compare([before, after], [before.occupied(), after.occupied() & !leaves], changes);
}

/// See [`Kernel::threats_changed`](crate::Kernel::threats_changed).
pub(crate) const fn changed(
    board: &[u8; 64],
    square: u8,
    code: u8,
    put: bool,
    rules: &Rules,
    changes: &mut Changes,
) {
    changes.clear();
    let code = code & 15;
    if !rules.is_piece(code) {
        return;
    }
    let (with, without) = if put {
        (&mut changes.added, &mut changes.removed)
    } else {
        (&mut changes.removed, &mut changes.added)
    };
    let board = Mailbox::new(board, rules);
    let occupied = board.occupied() & !(1 << square);
    let seen = seen(square, occupied);
    board.direct((code, square), occupied, seen, NONE, with);
    board.through(seen, NONE, without);
}

/// See [`Kernel::threats_between`](crate::Kernel::threats_between).
pub(crate) const fn between_boards(
    before: &[u8; 64],
    after: &[u8; 64],
    rules: &Rules,
    changes: &mut Changes,
) {
    let (before, after) = (Mailbox::new(before, rules), Mailbox::new(after, rules));
    compare([before, after], [before.occupied(), after.occupied()], changes);
}

/// Writes the threat with this number. No board has more than [`MOST`]: this condition only tells
/// the compiler that nothing can panic.
const fn put(threats: &mut [Threat; MOST + 1], number: usize, threat: Threat) {
    if number <= MOST {
        threats[number] = threat;
    }
}

const NO_THREAT: Threat = Threat { attacker: 0, from: 0, victim: 0, to: 0 };

/// The changes between two boards, of which only the squares in `occupied` hold pieces.
const fn compare(boards: [Mailbox<'_>; 2], occupied: [u64; 2], changes: &mut Changes) {
    changes.clear();
    let mut threats = [NO_THREAT; MOST + 1];
    let [before, after] = boards;
    let count = before.threats(occupied[0], &mut threats);
    after.keep_absent(occupied[1], &threats, count, &mut changes.removed);
    let count = after.threats(occupied[1], &mut threats);
    before.keep_absent(occupied[0], &threats, count, &mut changes.added);
}

/// Adds those threats of another board to `list` that a board with these occupied squares does not
/// have.
pub(crate) fn keep_absent(
    threats: &[Threat],
    board: &[u8; 64],
    occupied: u64,
    rules: &Rules,
    list: &mut List,
) {
    Mailbox::new(board, rules).keep_absent(occupied, threats, threats.len(), list);
}

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

/// The entries of the kernels that have no code of their own.
pub(crate) const PORTABLE: Threats = Threats {
    entries: Entries {
        moved: entries::moved,
        changed: entries::changed,
        between: entries::between,
        all: entries::all,
    },
    gains: false,
};

/// The functions above, with the table's contract.
pub(crate) mod entries {
    use core::slice;

    use super::{Changes, Rules, Threat};

    pub(crate) unsafe extern "C" fn moved(
        before: *const [u8; 64],
        from: u8,
        to: u8,
        placed: u8,
        rules: *const Rules,
        changes: *mut Changes,
    ) {
        // SAFETY: the table's contract.
        let (before, rules, changes) = unsafe { (&*before, &*rules, &mut *changes) };
        super::moved(before, from & 63, to & 63, placed, rules, changes);
    }

    pub(crate) unsafe extern "C" fn changed(
        board: *const [u8; 64],
        square: u8,
        code: u8,
        put: bool,
        rules: *const Rules,
        changes: *mut Changes,
    ) {
        // SAFETY: the table's contract.
        let (board, rules, changes) = unsafe { (&*board, &*rules, &mut *changes) };
        super::changed(board, square & 63, code, put, rules, changes);
    }

    pub(crate) unsafe extern "C" fn between(
        before: *const [u8; 64],
        after: *const [u8; 64],
        rules: *const Rules,
        changes: *mut Changes,
    ) {
        // SAFETY: the table's contract.
        let (before, after, rules) = unsafe { (&*before, &*after, &*rules) };
        // SAFETY: as above.
        super::between_boards(before, after, rules, unsafe { &mut *changes });
    }

    pub(crate) unsafe extern "C" fn all(
        boards: *const [u8; 64],
        count: usize,
        rules: *const Rules,
        offsets: *mut u32,
        threats: *mut Threat,
        capacity: usize,
    ) -> usize {
        // SAFETY: the table's contract; an empty slice needs no valid pointer but not null.
        let (boards, offsets, threats) = unsafe {
            (
                if count == 0 { &[] } else { slice::from_raw_parts(boards, count) },
                slice::from_raw_parts_mut(offsets, count + 1),
                if capacity == 0 { &mut [] } else { slice::from_raw_parts_mut(threats, capacity) },
            )
        };
        // SAFETY: the table's contract.
        super::all(boards, unsafe { &*rules }, offsets, threats)
    }
}
