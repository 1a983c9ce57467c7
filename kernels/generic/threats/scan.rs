//! The changes of one move without byte shuffles: the nearest pieces by bit scans.
//!
//! 1. [`Extract`] makes a set of the occupied squares and one of the knights.
//! 2. For each ray of a square, a bit scan finds the nearest piece. The kinds of the eight are one
//!    word, a byte for each ray, and all tests are on that word.
//! 3. Neighbours and jumps are gathered by a rotation and a multiplication.
//! 4. The threats of a square are one mask, and so one loop writes them in order.

use core::num::NonZeroU64;

use super::edits::{Edited, is_degenerate};
use super::extract::{Codes, Extract, Words};
use super::portable::{self, RAY_SETS, sliders, steppers};
use super::{Aligned, JUMPS, OFF, RAYS, step};
use crate::kernels::geometry::threats::{Edit, List, kind};
use crate::kernels::geometry::{Changes, Rules};

/// By square: its neighbours, and where a knight jumps.
pub(crate) static NEAR: Aligned<[[u64; 2]; 64]> = Aligned({
    let mut sets = [[0; 2]; 64];
    let mut i = 0;
    while i < 64 * 8 {
        let (square, ray) = (i / 8, i % 8);
        let steps = [step(square as u8, RAYS[ray], 1), step(square as u8, JUMPS[ray], 1)];
        let mut which = 0;
        while which < 2 {
            if steps[which] != OFF {
                sets[square][which] |= 1 << steps[which];
            }
            which += 1;
        }
        i += 1;
    }
    sets
});

/// Multiplied by this, a set around a square, rotated so that the square is bit 9, has its three
/// ranks of three files in bits 16 to 24.
const GATHER_NEAR: u64 = 0x40_0801;

/// From the bits of [`GATHER_NEAR`] to rays.
static NEAR_RAYS: [u8; 512] = {
    let mut table = [0; 512];
    let mut i = 0;
    while i < 512 * 8 {
        let (files, ranks) = RAYS[i % 8];
        // The highest rank comes first.
        let bit = 3 * (1 - ranks) + 1 + files;
        table[i / 8] |= ((i / 8 >> bit & 1) << (i % 8)) as u8;
        i += 1;
    }
    table
};

/// Multiplied by this, a set of jumps, rotated so that the square is bit 17, has the jumps in order
/// in the bits [`JUMP_BITS`] of the high 16. (Found by a search.)
const GATHER_JUMPS: u64 = 0x1_140a_2000_0000;
const JUMP_BITS: u64 = 0xb42d;

/// By square: the squares of the jumps, at the places of [`JUMP_BITS`].
static JUMP_SQUARES: Aligned<[[u8; 16]; 64]> = Aligned({
    let mut squares = [[0; 16]; 64];
    let mut square = 0;
    while square < 64 {
        let (mut jump, mut bits) = (0, JUMP_BITS);
        while jump < 8 {
            squares[square][bits.trailing_zeros() as usize] =
                step(square as u8, JUMPS[jump], 1) & 63;
            bits &= bits - 1;
            jump += 1;
        }
        square += 1;
    }
    squares
});

/// By the difference of two squares if a rank had sixteen files, plus 119: the ray, or 8.
static RAY_TO: [u8; 256] = {
    let mut table = [8; 256];
    let mut i = 0;
    while i < 8 * 7 {
        let (files, ranks) = RAYS[i / 7];
        let steps = (i % 7 + 1) as i8;
        table[119_u8.wrapping_add_signed(steps * (16 * ranks + files)) as usize] = (i / 7) as u8;
        i += 1;
    }
    table
};

/// The ray from one square to another, or 8.
#[inline(always)]
fn ray_to(from: u8, to: u8) -> u8 {
    let wide = |square: u8| u32::from(square) + u32::from(square & 0x38);
    RAY_TO[(wide(to) + 119 - wide(from)) as usize & 255]
}

/// By the trailing zeros of a kind, as [`Seen::pieces`]: the rays along which it slides, all jumps
/// if it is a knight, the rays that it steps.
static OWN: [u64; 8] = {
    let mut own = [0; 8];
    let mut i = 0;
    while i < 8 * 8 {
        let (bit, ray) = (i / 8, i % 8);
        own[bit] |= (sliders(ray) as u64 >> bit & 1) << ray;
        own[bit] |= (steppers(ray) as u64 >> bit & 1) << (32 + ray);
        i += 1;
    }
    own[kind::KNIGHT.trailing_zeros() as usize] = 0xffff_0000;
    own
};

/// The first and the last rank; the first and the last file.
const RIMS: [u64; 2] = [0xff00_0000_0000_00ff, 0x8181_8181_8181_8181];

/// The codes on a board, below 16, and what they mean.
struct Board<'a> {
    codes: Codes,
    rules: &'a Rules,
}

impl Board<'_> {
    #[inline(always)]
    fn set(&mut self, square: u8, code: u8) {
        self.codes.0[usize::from(square & 63)] = code;
    }

    /// # Safety
    /// The square is below 64.
    #[inline(always)]
    unsafe fn code(&self, square: u8) -> u8 {
        // SAFETY: the caller's contract.
        unsafe { *self.codes.0.get_unchecked(usize::from(square)) }
    }

    /// # Safety
    /// The code is below 16.
    #[inline(always)]
    unsafe fn kind(&self, code: u8) -> u8 {
        // SAFETY: the caller's contract.
        unsafe { *self.rules.kinds.get_unchecked(usize::from(code)) }
    }

    /// The code on a square, and the square in bits 8 to 15.
    ///
    /// # Safety
    /// The square is below 64.
    #[inline(always)]
    unsafe fn entry(&self, square: u8) -> u32 {
        // SAFETY: the caller's contract.
        let code = unsafe { self.code(square) };
        u32::from(code) | u32::from(square) << 8
    }
}

/// Bits by ray, from 16 on by jump ([`JUMP_BITS`]).
#[derive(Clone, Copy)]
struct Seen {
    /// Pieces on rays and at jumps. From 32 on, pieces beside the square, by ray.
    pieces: u64,
    /// Pieces that slide along their ray.
    sliders: u64,
    /// Pieces that attack the square.
    attackers: u64,
}

/// For each ray of a square the nearest piece, or the last square. From 16 on, the squares of the
/// jumps.
#[repr(align(16))]
struct Squares([u8; 32]);

/// The nearest occupied square of a ray, or its last.
#[inline(always)]
fn nearest(square: u8, ray: usize, occupied: u64) -> u8 {
    let [ranks, files] = RIMS;
    let rim = [ranks, ranks | files, files, ranks | files][ray % 4];
    let rays = &RAY_SETS.0[usize::from(square & 63)];
    // SAFETY: a reference. Volatile, as the compiler would load and spill all rays first.
    let set = unsafe { (&raw const rays[ray & 7]).read_volatile() };
    // SAFETY: each ray has a square on the rim where it ends.
    let met = unsafe { NonZeroU64::new_unchecked(set & (occupied | rim)) };
    let upwards = matches!(ray, 0..3 | 7);
    (if upwards { met.trailing_zeros() } else { 63 ^ met.leading_zeros() }) as u8
}

/// Finds the squares. Returns the kinds of the pieces on those of the rays, a byte for each ray.
///
/// The code on `square` must be that of an empty square, as that is what a ray off the board finds.
#[inline(always)]
fn look(square: u8, occupied: u64, board: &Board<'_>, squares: &mut Squares) -> u64 {
    let mut kinds = 0;
    for ray in 0..8 {
        squares.0[ray] = nearest(square, ray, occupied);
        // SAFETY: a square of the board, whose codes are below 16.
        let kind = unsafe { board.kind(board.code(squares.0[ray])) };
        kinds |= u64::from(kind) << (8 * ray);
    }
    squares.0[16..].copy_from_slice(&JUMP_SQUARES.0[usize::from(square & 63)]);
    kinds
}

impl Seen {
    /// From the bits by ray of [`Extract::test`], and the squares with a piece and with a knight.
    #[inline(always)]
    fn new(square: u8, tests: [u32; 3], sets: [u64; 2]) -> Seen {
        let [pieces, sliders, steppers] = tests.map(u64::from);
        let [near, jumps] = NEAR.0[usize::from(square & 63)];
        let turned = |set: u64, to: u32| set.rotate_right(u32::from(square).wrapping_sub(to) & 63);
        let near = turned(near & sets[0], 9).wrapping_mul(GATHER_NEAR) >> 16;
        let near = u64::from(NEAR_RAYS[near as usize & 511]);
        let [jumped, knights] =
            sets.map(|set| turned(set & jumps, 17).wrapping_mul(GATHER_JUMPS) >> 48 & JUMP_BITS);
        Seen {
            pieces: pieces | jumped << 16 | near << 32,
            sliders,
            attackers: sliders | steppers & near | knights << 16,
        }
    }

    #[inline(always)]
    fn without(self, rays: u64) -> Seen {
        Seen {
            pieces: self.pieces & !(rays | rays << 32),
            sliders: self.sliders & !rays,
            attackers: self.attackers & !rays,
        }
    }
}

/// Writes threats to the start of a list.
struct Writer<'a> {
    board: &'a Board<'a>,
    list: *mut u32,
    count: usize,
}

impl Writer<'_> {
    /// Adds a threat if it counts. Branch-free: the next threat overwrites one that does not.
    ///
    /// # Safety
    /// The list has room.
    #[inline(always)]
    unsafe fn push(&mut self, threat: u32) {
        // SAFETY: the caller's contract.
        unsafe { self.list.add(self.count).write(threat.to_le()) };
        let pairs = u32::from(self.board.rules.pairs[threat as usize & 15]);
        // The victim's square is above bit 7, so that 31 is enough, and costs no instruction.
        self.count += (pairs >> (threat >> 16 & 31) & 1) as usize;
    }

    /// Adds the threats of a piece on the viewed square, and those on it.
    ///
    /// # Safety
    /// As in [`push`](Writer::push). The code is below 16.
    #[inline(always)]
    unsafe fn direct(&mut self, (code, square): (u8, u8), seen: Seen, squares: &Squares) {
        // SAFETY: the caller's contract.
        let own = OWN[unsafe { self.board.kind(code) }.trailing_zeros() as usize & 7];
        let out = seen.pieces & own;
        let focus = u32::from(code) | u32::from(square) << 8;
        let mut left = u64::from((out | out >> 32) as u32) | seen.attackers << 32;
        while left != 0 {
            let i = left.trailing_zeros();
            left &= left - 1;
            let square = squares.0[i as usize & 31];
            // Those in the high half are attackers.
            // SAFETY: `look` stores only squares of the board; the caller's contract.
            unsafe {
                let threat = (focus | self.board.entry(square) << 16).rotate_left(i >> 1 & 16);
                self.push(threat);
            }
        }
    }

    /// Adds the threats of sliders through the viewed square.
    ///
    /// # Safety
    /// As in [`push`](Writer::push).
    #[inline(always)]
    unsafe fn through(&mut self, seen: Seen, squares: &Squares) {
        let pieces = seen.pieces & 0xff;
        let mut left = seen.sliders & (pieces >> 4 | pieces << 4);
        while left != 0 {
            let i = left.trailing_zeros() as usize;
            left &= left - 1;
            let [from, to] = [i, i ^ 4].map(|ray| squares.0[ray & 7]);
            // SAFETY: as above.
            unsafe { self.push(self.board.entry(from) | self.board.entry(to) << 16) };
        }
    }
}

/// See [`Kernel::threats_moved`](crate::Kernel::threats_moved).
#[inline(always)]
pub(crate) fn moved<E: Extract>(
    before: &[u8; 64],
    from: u8,
    to: u8,
    placed: u8,
    rules: &Rules,
    changes: &mut Changes,
) {
    let (from, to, placed) = (from & 63, to & 63, placed & 15);
    let [mover, captured] = [from, to].map(|square| before[usize::from(square)] & 15);
    if is_degenerate(from, to, [mover, placed, captured], rules) || rules.pieces == !0 {
        return rare(before, from, to, placed, rules, changes);
    }
    let mut board = Board { codes: Codes([0; 64]), rules };
    let sets = E::two(before, rules, &mut board.codes);
    let left = sets.map(|set| set & !(1 << from));
    let empty = rules.empty();
    // The mover's square is also the rim of rays that see nothing.
    board.set(from, empty);
    let [mut at_from, mut at_to] = [const { Squares([0; 32]) }; 2];
    let from_kinds = look(from, sets[0], &board, &mut at_from);
    board.set(to, empty);
    let to_kinds = look(to, left[0], &board, &mut at_to);
    board.set(to, captured);
    let [pieces, sliders, steppers] = E::test([from_kinds, to_kinds]);
    let seen_from = Seen::new(from, [pieces[0], sliders[0], steppers[0]], sets);
    let seen_to = Seen::new(to, [pieces[1], sliders[1], steppers[1]], left);

    // The threats between the two squares are those of the mover. So if nothing is between them,
    // other threats that cross one do not end at or cross the other.
    let ray = ray_to(from, to);
    let [nearest, a, b] = [at_from.0[usize::from(ray & 7)], from, to].map(i32::from);
    let clear = nearest == b || (nearest - b) ^ (b - a) >= 0;
    let hidden = u64::from(ray < 8 && clear) << (ray & 7);
    let opposite = (hidden >> 4 | hidden << 4) & 0xff;

    // SAFETY: the lists have room for the threats of any move, and the entry after them.
    unsafe {
        let (list, count) = List::parts(&raw mut changes.removed);
        let mut removed = Writer { board: &board, list, count: 0 };
        removed.direct((mover, from), seen_from, &at_from);
        if rules.is_piece(captured) {
            removed.direct((captured, to), seen_to.without(opposite), &at_to);
        } else {
            removed.through(seen_to.without(opposite), &at_to);
        }
        *count = removed.count as u32;
        let (list, count) = List::parts(&raw mut changes.added);
        let mut added = Writer { board: &board, list, count: 0 };
        added.direct((placed, to), seen_to, &at_to);
        added.through(seen_from.without(hidden), &at_from);
        *count = added.count as u32;
    }
}

/// Changes that no chess move makes, and rules without a code for an empty square.
#[cold]
#[inline(never)]
fn rare(before: &[u8; 64], from: u8, to: u8, placed: u8, rules: &Rules, changes: &mut Changes) {
    portable::moved(before, from, to, placed, rules, changes);
}

/// See [`Kernel::threats_edited`](crate::Kernel::threats_edited).
#[inline(always)]
pub(crate) fn edited<E: Extract>(
    before: &[u8; 64],
    edits: &[Edit],
    rules: &Rules,
    changes: &mut Changes,
) -> bool {
    if rules.pieces == !0 {
        return portable::edited(before, edits, rules, changes);
    }
    let mut board = Board { codes: Codes([0; 64]), rules };
    let sets = E::two(before, rules, &mut board.codes);
    let &[edit] = edits else { return difference(board, sets, edits, changes) };
    one(board, sets, edit, changes);
    true
}

/// The changes by one edit of a board, of which `sets` are the squares with a piece and with a
/// knight: one view of the square, in which nothing stands there, is that of both boards.
///
/// Not inlined, so that kernels share it.
#[inline(never)]
fn one(mut board: Board<'_>, sets: [u64; 2], edit: Edit, changes: &mut Changes) {
    let (square, placed) = (edit.square & 63, edit.code & 15);
    // SAFETY: the square is below 64.
    let codes = [unsafe { board.code(square) }, placed];
    board.set(square, board.rules.empty());
    let kept = sets.map(|set| set & !(1 << square));
    let mut squares = Squares([0; 32]);
    let kinds = look(square, kept[0], &board, &mut squares);
    let seen = Seen::new(square, Words::test([kinds, 0]).map(|[first, _]| first), kept);
    let pieces = codes.map(|code| board.rules.is_piece(code));
    let changes_nothing = codes[0] == codes[1] || pieces == [false; 2];
    let lists = [&raw mut changes.removed, &raw mut changes.added];
    for i in 0..2 {
        // SAFETY: the lists have room for the threats of any edit, and the entry after them.
        unsafe {
            let (list, count) = List::parts(lists[i]);
            let mut writer = Writer { board: &board, list, count: 0 };
            match pieces[i] {
                _ if changes_nothing => {}
                true => writer.direct((codes[i], square), seen, &squares),
                false => writer.through(seen, &squares),
            }
            *count = writer.count as u32;
        }
    }
}

/// The changes by edits of a board, of which `sets` are the squares with a piece and with a knight.
///
/// Each changed square is viewed once for both boards, as if nothing stood on the others and they
/// blocked. Then the rays that lead to others are scanned again for each board.
///
/// Not inlined, so that kernels share it.
#[inline(never)]
fn difference(before: Board<'_>, sets: [u64; 2], edits: &[Edit], changes: &mut Changes) -> bool {
    let rules = before.rules;
    let Some(edited) = Edited::new(&before.codes.0, edits, rules) else { return false };
    let (changed, kept) = (edited.changed, sets.map(|set| set & !edited.changed));
    let mut boards = [before, Board { codes: Codes(edited.after), rules }];
    let mut sets = edited.pieces.map(|pieces| [kept[0] | pieces & changed, kept[1]]);
    for (board, [_, knights]) in boards.iter().zip(&mut sets) {
        let mut left = changed;
        while left != 0 {
            let square = left.trailing_zeros() as u8;
            left &= left - 1;
            // SAFETY: the square is below 64, and codes below 16.
            let is_knight = unsafe { board.kind(board.code(square)) } == kind::KNIGHT;
            *knights |= u64::from(is_knight) << square;
        }
    }
    let lists = [&raw mut changes.removed, &raw mut changes.added];
    // SAFETY: references. The counts are set below.
    let lists = lists.map(|list| unsafe { List::parts(list) });
    let (mut counts, mut left) = ([0; 2], changed);
    while left != 0 {
        let (square, bit) = (left.trailing_zeros() as u8, left & left.wrapping_neg());
        left ^= bit;
        // Threats of several of the squares are those of the first.
        let (earlier, mut others) = (changed & (bit - 1), changed ^ bit);
        let mut to_others = 0_u32;
        while others != 0 {
            to_others |= 1 << ray_to(square, others.trailing_zeros() as u8);
            others &= others - 1;
        }
        let mut squares = Squares([0; 32]);
        // SAFETY: the square is below 64.
        let code = unsafe { boards[0].code(square) };
        boards[0].set(square, rules.empty());
        let mut kinds = look(square, kept[0] | changed, &boards[0], &mut squares);
        boards[0].set(square, code);
        for i in 0..2 {
            let board = &boards[i];
            let (is_piece, pieces) = (sets[i][0] & bit != 0, sets[i][0] & changed);
            // Hidden squares block, but nothing is there.
            let hidden = if is_piece { pieces & earlier } else { pieces | earlier };
            let mut rays = to_others & 0xff;
            while rays != 0 {
                let ray = rays.trailing_zeros() as usize;
                rays &= rays - 1;
                let met = nearest(square, ray, sets[i][0] | hidden);
                squares.0[ray & 7] = met;
                // SAFETY: as above.
                let kind = unsafe { board.kind(board.code(met)) };
                let kind = if hidden >> met & 1 == 1 { 0 } else { u64::from(kind) };
                kinds = kinds & !(0xff << (8 * ray)) | kind << (8 * ray);
            }
            let tests = Words::test([kinds, 0]).map(|[first, _]| first);
            let seen = Seen::new(square, tests, sets[i].map(|set| set & !earlier));
            let mut writer = Writer { board, list: lists[i].0, count: counts[i] };
            // SAFETY: the list has room for the threats of all edits, and the entry after them.
            unsafe {
                if is_piece {
                    writer.direct((board.code(square), square), seen, &squares);
                } else {
                    writer.through(seen, &squares);
                }
            }
            counts[i] = writer.count;
        }
    }
    for ((_, count), found) in lists.into_iter().zip(counts) {
        // SAFETY: the count of a list.
        unsafe { *count = found as u32 };
    }
    true
}
