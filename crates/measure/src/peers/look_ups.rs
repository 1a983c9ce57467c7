//! Look-ups piece by piece, as engines do them, with the tables of `cozy-chess`: magic
//! multiplication for sliders, tables for the rest, loops over bits. Written from the definitions.

use cozy_chess::{
    BitBoard, Color, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_line_rays,
    get_pawn_attacks, get_rook_moves,
};
use setwise::Side;
use setwise::position::{AttackMaps, Position, SideAttacks};
use setwise::threats::Threat;

use super::magic::{self, popped};

/// The attacks of bishops, rooks and queens.
#[inline(always)]
#[must_use]
pub fn sliders_by_kind([bishops, rooks, queens]: [u64; 3], occupied: u64) -> [u64; 3] {
    [
        magic::bishops(bishops, occupied),
        magic::rooks(rooks, occupied),
        magic::queens(queens, occupied),
    ]
}

/// The attacks of a side's pieces, by kind, and their union.
#[inline(always)]
#[must_use]
pub fn side_attacks(side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
    let [pawns, knights, bishops, rooks, queens, kings] = *pieces;
    let [bishops, rooks, queens] = sliders_by_kind([bishops, rooks, queens], occupied);
    let color = [Color::White, Color::Black][side as usize];
    let attacks = [
        popped(pawns, |square| get_pawn_attacks(square, color)),
        popped(knights, get_knight_moves),
        bishops,
        rooks,
        queens,
        popped(kings, get_king_moves),
    ];
    SideAttacks { attacks, all: attacks.iter().fold(0, |all, set| all | set) }
}

/// The attack maps of a position.
#[must_use]
pub fn attack_maps(position: &Position) -> AttackMaps {
    let mut maps = AttackMaps::default();
    for side in [Side::White, Side::Black] {
        let (own, theirs) = (&position.pieces[side as usize], position.pieces[1 - side as usize]);
        let SideAttacks { attacks, all } = side_attacks(side, own, position.occupied());
        let [pawns, knights, bishops, rooks, ..] = attacks;
        let (minor, [_, n, b, r, q, _]) = (pawns | knights | bishops, theirs);
        let by_lesser = pawns & (n | b) | minor & r | (minor | rooks) & q;
        (maps.attacks[side as usize], maps.all[side as usize]) = (attacks, all);
        maps.by_lesser[side as usize] = by_lesser;
    }
    maps
}

/// A board in the codes of `Meaning::usual`, and as sets, by kind and by side.
#[derive(Clone)]
pub struct Sets {
    /// The code of each square.
    pub codes: [u8; 64],
    kinds: [u64; 6],
    sides: [u64; 2],
}

impl Sets {
    /// Sets up a board.
    #[must_use]
    pub fn new(codes: &[u8; 64]) -> Sets {
        let mut sets = Sets { codes: [0; 64], kinds: [0; 6], sides: [0; 2] };
        for (square, &code) in (0..).zip(codes) {
            sets.write(square, code);
        }
        sets
    }

    /// Replaces what is on a square.
    #[inline(always)]
    pub fn write(&mut self, square: u8, code: u8) {
        let bit = 1 << square;
        let old = std::mem::replace(&mut self.codes[usize::from(square)], code);
        for code in [old, code] {
            if code != 0 {
                let side = u8::from(code > 6);
                self.kinds[usize::from(code - 1 - 6 * side)] ^= bit;
                self.sides[usize::from(side)] ^= bit;
            }
        }
    }

    #[inline(always)]
    fn occupied(&self) -> u64 {
        self.sides[0] | self.sides[1]
    }
}

/// A list of threats.
pub struct List {
    threats: [Threat; 512],
    count: usize,
}

impl Default for List {
    fn default() -> List {
        List { threats: [Threat::default(); 512], count: 0 }
    }
}

impl List {
    #[inline(always)]
    fn push(&mut self, [attacker, from, victim, to]: [u8; 4]) {
        self.threats[self.count] = Threat { attacker, from, victim, to };
        self.count += 1;
    }

    /// The threats.
    #[must_use]
    pub fn as_slice(&self) -> &[Threat] {
        &self.threats[..self.count]
    }
}

/// Calls a function for each square of a set.
#[inline(always)]
fn each(mut set: u64, mut of: impl FnMut(u8)) {
    while set != 0 {
        of(set.trailing_zeros() as u8);
        set &= set - 1;
    }
}

#[inline(always)]
fn square(number: u8) -> Square {
    Square::ALL[usize::from(number) & 63]
}

/// What a piece attacks, given the attacks of a rook and a bishop on its square.
#[inline(always)]
fn attacks(code: u8, from: u8, rook: u64, bishop: u64) -> u64 {
    match code {
        1 => get_pawn_attacks(square(from), Color::White).0,
        7 => get_pawn_attacks(square(from), Color::Black).0,
        2 | 8 => get_knight_moves(square(from)).0,
        3 | 9 => bishop,
        4 | 10 => rook,
        5 | 11 => rook | bishop,
        _ => get_king_moves(square(from)).0,
    }
}

/// The pieces that attack a square, given the attacks of a rook and a bishop there.
#[inline(always)]
fn attackers(sets: &Sets, to: u8, rook: u64, bishop: u64) -> u64 {
    let [pawns, knights, bishops, rooks, queens, kings] = sets.kinds;
    let to = square(to);
    rook & (rooks | queens)
        | bishop & (bishops | queens)
        | get_knight_moves(to).0 & knights
        | get_king_moves(to).0 & kings
        | get_pawn_attacks(to, Color::Black).0 & pawns & sets.sides[0]
        | get_pawn_attacks(to, Color::White).0 & pawns & sets.sides[1]
}

impl Sets {
    #[inline(always)]
    fn code(&self, square: u8) -> u8 {
        self.codes[usize::from(square)]
    }

    /// Adds the threats of a piece, and those on it, except those with the piece on `hidden`.
    #[inline(always)]
    fn direct(&self, code: u8, focus: u8, [rook, bishop]: [u64; 2], hidden: u64, list: &mut List) {
        let occupied = self.occupied() & !hidden;
        each(attacks(code, focus, rook, bishop) & occupied, |to| {
            list.push([code, focus, self.code(to), to]);
        });
        each(attackers(self, focus, rook, bishop) & !hidden, |from| {
            list.push([self.code(from), from, code, focus]);
        });
    }

    /// Adds the threats of sliders through a square, except those with the piece on `hidden`.
    #[inline(always)]
    fn through(&self, focus: u8, [rook, bishop]: [u64; 2], hidden: u64, list: &mut List) {
        let [_, _, bishops, rooks, queens, _] = self.kinds;
        let occupied = self.occupied() & !hidden;
        let sliders = rook & (rooks | queens) | bishop & (bishops | queens);
        each(sliders & !hidden, |from| {
            let line = get_line_rays(square(from), square(focus)).0;
            let victim = line & (rook | bishop) & occupied & !(1 << from);
            if victim != 0 {
                let to = victim.trailing_zeros() as u8;
                list.push([self.code(from), from, self.code(to), to]);
            }
        });
    }
}

#[inline(always)]
fn sliders(focus: u8, occupied: u64) -> [u64; 2] {
    let (focus, occupied) = (square(focus), BitBoard(occupied));
    [get_rook_moves(focus, occupied).0, get_bishop_moves(focus, occupied).0]
}

/// The threats that a move (from, to, what is placed there) adds and removes. No threat is in both
/// lists.
#[inline(never)]
pub fn moved(sets: &Sets, change: [u8; 3], lists: &mut [List; 2]) {
    let [from, to, placed] = change;
    let [added, removed] = lists;
    (added.count, removed.count) = (0, 0);
    let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
    let occupied = sets.occupied();
    let captured = sets.codes[usize::from(to)];
    let before = sliders(from, occupied);
    sets.direct(sets.codes[usize::from(from)], from, before, 0, removed);
    let blocked = sliders(to, occupied);
    if captured == 0 {
        sets.through(to, blocked, from_bit, removed);
    } else {
        sets.direct(captured, to, blocked, from_bit, removed);
    }
    sets.direct(placed, to, sliders(to, occupied & !from_bit), from_bit, added);
    let after = if captured == 0 { sliders(from, occupied | to_bit) } else { before };
    sets.through(from, after, to_bit, added);
}

/// All threats of a position.
#[inline(never)]
pub fn all(sets: &Sets, list: &mut List) {
    let occupied = sets.occupied();
    list.count = 0;
    each(occupied, |from| {
        let code = sets.code(from);
        let [rook, bishop] = match code {
            3 | 9 => [0, get_bishop_moves(square(from), BitBoard(occupied)).0],
            4 | 10 => [get_rook_moves(square(from), BitBoard(occupied)).0, 0],
            5 | 11 => sliders(from, occupied),
            _ => [0; 2],
        };
        each(attacks(code, from, rook, bishop) & occupied, |to| {
            list.push([code, from, sets.code(to), to]);
        });
    });
}
