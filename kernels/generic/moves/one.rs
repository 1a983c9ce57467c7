//! The legal moves of one position, in `const` code: sets first, then their moves one by one.
//!
//! Everything is as the side to move sees it: its pawns move up, and its first rank is rank 0. For
//! Black the ranks are exchanged.
//!
//! One formula gives pins and checks. A ray of the king meets the opposite ray of an enemy slider
//! on the empty squares between the king and a checker, or on the one piece that stands between the
//! king and a pinner.

use super::super::one_square::line_attacks;
use super::super::one_word::{bishop_attacks, ray_attacks, rook_attacks};
use crate::kernels::geometry::leapers::{NOT_A, NOT_H, king_attacks, knight_attacks};
use crate::kernels::geometry::{GamePosition, Line, Move, State};

/// The last rank, on which pawns promote.
pub(crate) const LAST: u64 = 0xff << 56;

/// A position as the side to move sees it.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    /// The pieces of the side to move.
    pub(crate) own: u64,
    /// Knights, bishops and queens of both sides.
    pub(crate) diagonal: u64,
    /// Rooks, queens and kings.
    pub(crate) straight: u64,
    /// Pawns, knights and kings.
    pub(crate) steppers: u64,
    /// The square behind a pawn that has made two steps; 64 or more if there is none.
    pub(crate) en_passant: u8,
    /// The files of the own rooks that may castle.
    pub(crate) castling: u8,
}

impl Seen {
    /// A position by its planes: White's pieces, and the last three sets.
    #[inline(always)]
    pub(crate) const fn new(planes: [u64; 4], state: State) -> Seen {
        let [white, diagonal, straight, steppers] = planes;
        let occupied = diagonal | straight | steppers;
        // A square that White's set has without a piece holds none.
        let white = white & occupied;
        if state.side & 1 == 0 {
            let [castling, _] = state.castling;
            let en_passant = state.en_passant;
            return Seen { own: white, diagonal, straight, steppers, en_passant, castling };
        }
        Seen {
            own: (occupied ^ white).swap_bytes(),
            diagonal: diagonal.swap_bytes(),
            straight: straight.swap_bytes(),
            steppers: steppers.swap_bytes(),
            // A number above 63 stays above.
            en_passant: state.en_passant ^ 0o70,
            castling: state.castling[1],
        }
    }

    pub(crate) const fn of(position: &GamePosition) -> Seen {
        Seen::new(position.planes(), position.state)
    }

    pub(crate) const fn occupied(&self) -> u64 {
        self.diagonal | self.straight | self.steppers
    }
    pub(crate) const fn pawns(&self) -> u64 {
        self.steppers & !self.diagonal & !self.straight
    }
    const fn knights(&self) -> u64 {
        self.steppers & self.diagonal & !self.straight
    }
    pub(crate) const fn kings(&self) -> u64 {
        self.steppers & self.straight
    }
    /// Rooks and queens.
    const fn orthogonal_sliders(&self) -> u64 {
        self.straight & !self.steppers
    }
    /// Bishops and queens.
    const fn diagonal_sliders(&self) -> u64 {
        self.diagonal & !self.steppers
    }
}

impl Seen {
    /// Whether no game can have the position, by what counting moves finds out: a side does not
    /// have exactly one king, the kings are neighbours, or a pawn is on the first or last rank.
    /// (More than two pieces that give check are found later.)
    pub(crate) const fn is_impossible(&self) -> bool {
        let (own, enemies) = (self.kings() & self.own, self.kings() & !self.own);
        own.count_ones() != 1
            || enemies.count_ones() != 1
            || king_attacks(own) & enemies != 0
            || self.pawns() & (LAST | 0xff) != 0
    }
}

/// The moves of a position as sets of squares.
#[derive(Clone, Copy)]
pub(crate) struct MoveSets {
    /// Targets of pawns that make two steps.
    pub(crate) double: u64,
    /// Targets of pawns that make one step. These and the next two include promotions.
    pub(crate) push: u64,
    /// Targets of pawns that capture towards the a-file.
    pub(crate) west: u64,
    /// Targets of pawns that capture towards the h-file.
    pub(crate) east: u64,
    /// The own king, and where it may step.
    pub(crate) king: u64,
    pub(crate) steps: u64,
    /// The knights that are not pinned.
    pub(crate) knights: u64,
    /// The sliders that may move along each [`Line`].
    pub(crate) sliders: [u64; 4],
    /// Where pieces other than the king may go: not to own pieces, and against a check.
    pub(crate) targets: u64,
    pub(crate) occupied: u64,
    /// The rooks with which the king may castle.
    pub(crate) castles: u64,
    /// The pawns that may take en passant.
    pub(crate) takers: u64,
    pub(crate) en_passant: u8,
    pub(crate) checkers: u64,
}

/// The squares that the pieces of a side that moves down attack.
const fn attacked_by(seen: &Seen, enemies: u64, occupied: u64) -> u64 {
    let pawns = seen.pawns() & enemies;
    rook_attacks(seen.orthogonal_sliders() & enemies, occupied)
        | bishop_attacks(seen.diagonal_sliders() & enemies, occupied)
        | knight_attacks(seen.knights() & enemies)
        | king_attacks(seen.kings() & enemies)
        | (pawns & NOT_A) >> 9
        | (pawns & NOT_H) >> 7
}

impl MoveSets {
    /// The sets of any position.
    pub(crate) const fn of(seen: &Seen) -> MoveSets {
        let (own, occupied) = (seen.own, seen.occupied());
        let (empty, enemies) = (!occupied, occupied & !own);
        let king = seen.kings() & own;
        let kingless = occupied ^ king;
        let attacked = attacked_by(seen, enemies, kingless);

        let lines = [seen.orthogonal_sliders(), seen.diagonal_sliders()];
        let (mut pins, mut pinned, mut check) = ([0; 4], 0, 0);
        let mut i = 0;
        while i < 4 {
            let [there, back] = Line::ALL[i].directions();
            let sliders = lines[i / 2] & enemies;
            let one = ray_attacks(there, king, occupied)
                & (ray_attacks(back, sliders, kingless) | sliders);
            let other = ray_attacks(back, king, occupied)
                & (ray_attacks(there, sliders, kingless) | sliders);
            let line = one | other;
            pins[i] = line & own;
            pinned |= pins[i];
            check |= line & (empty | sliders);
            i += 1;
        }
        check |= knight_attacks(king) & seen.knights() & enemies;
        let pawns = seen.pawns() & enemies;
        check |= ((king & NOT_A) << 7 | (king & NOT_H) << 9) & pawns;
        let checkers = check & enemies;
        let targets = !own
            & match checkers.count_ones() {
                0 => !0,
                1 => check,
                _ => 0,
            };

        let mut sliders = [0; 4];
        i = 0;
        while i < 4 {
            sliders[i] = lines[i / 2] & own & !(pinned & !pins[i]);
            i += 1;
        }
        let pawns = seen.pawns() & own;
        let [_, file, rising, falling] = [0, 1, 2, 3];
        let pushers = pawns & !(pinned & !pins[file]);
        let once = pushers << 8 & empty;
        MoveSets {
            double: (once & 0xff << 16) << 8 & empty & targets,
            push: once & targets,
            west: (pawns & !(pinned & !pins[falling]) & NOT_A) << 7 & enemies & targets,
            east: (pawns & !(pinned & !pins[rising]) & NOT_H) << 9 & enemies & targets,
            king,
            steps: king_attacks(king) & !own & !attacked,
            knights: seen.knights() & own & !pinned,
            sliders,
            targets,
            occupied,
            castles: castles(seen),
            takers: takers(seen),
            en_passant: seen.en_passant,
            checkers,
        }
    }
}

impl MoveSets {
    /// The number of moves that the sets hold.
    pub(crate) const fn count(&self) -> usize {
        let pawns = [self.double, self.push, self.west, self.east];
        let (mut count, mut i) = (0, 0);
        while i < 4 {
            count += pawns[i].count_ones() + 3 * (pawns[i] & LAST).count_ones();
            i += 1;
        }
        count += self.steps.count_ones() + self.castles.count_ones() + self.takers.count_ones();
        let mut knights = self.knights;
        while knights != 0 {
            count += (knight_attacks(knights & knights.wrapping_neg()) & self.targets).count_ones();
            knights &= knights - 1;
        }
        let mut line = 0;
        while line < 4 {
            let [there, back] = Line::ALL[line].directions();
            let sliders = self.sliders[line];
            // In one direction, the rays of different sliders are disjoint.
            count += (ray_attacks(there, sliders, self.occupied) & self.targets).count_ones();
            count += (ray_attacks(back, sliders, self.occupied) & self.targets).count_ones();
            line += 1;
        }
        count as usize
    }

    /// The squares that the slider on a square may go to.
    #[inline(always)]
    pub(crate) const fn of_slider(&self, from: u8) -> u64 {
        let (mut squares, mut line) = (0, 0);
        while line < 4 {
            if self.sliders[line] >> from & 1 != 0 {
                squares |= line_attacks(Line::ALL[line], from, self.occupied);
            }
            line += 1;
        }
        squares & self.targets
    }

    /// At least the number of moves. A slider has 27 at most, the king 15 with castling. A square
    /// is reached by two pawns at most, each with four promotions.
    pub(crate) const fn most(&self) -> usize {
        let pieces = (self.all_sliders() | self.knights).count_ones();
        let pawns = (self.double | self.push | self.west | self.east).count_ones();
        let takers = 2;
        (27 * pieces + 15 + 8 * pawns + takers) as usize
    }

    pub(crate) const fn all_sliders(&self) -> u64 {
        self.sliders[0] | self.sliders[1] | self.sliders[2] | self.sliders[3]
    }

    /// Writes the moves to the start of a list, in the order of `legal_moves`, as long as there is
    /// room. Squares are those of the side to move, changed by `flip`. Returns the number of moves.
    pub(crate) const fn write(&self, flip: u16, list: &mut [Move]) -> usize {
        let mut n = 0;
        let pawns = [(self.double, 16), (self.push, 8), (self.west, 7), (self.east, 9)];
        let mut i = 0;
        while i < 4 {
            let (mut set, behind) = (pawns[i].0 & !LAST, pawns[i].1);
            while set != 0 {
                let to = set.trailing_zeros() as u16;
                n = push(list, n, flip ^ (to - behind | to << 6));
                set &= set - 1;
            }
            i += 1;
        }
        if self.king != 0 {
            n = write_piece(list, n, flip, self.king.trailing_zeros() as u16, self.steps);
        }
        let mut knights = self.knights;
        while knights != 0 {
            let from = knights.trailing_zeros() as u16;
            n = write_piece(list, n, flip, from, knight_attacks(1 << from) & self.targets);
            knights &= knights - 1;
        }
        let mut sliders = self.all_sliders();
        while sliders != 0 {
            let from = sliders.trailing_zeros() as u8;
            n = write_piece(list, n, flip, from as u16, self.of_slider(from));
            sliders &= sliders - 1;
        }
        i = 1;
        while i < 4 {
            let (mut set, behind) = (pawns[i].0 & LAST, pawns[i].1);
            while set != 0 {
                let to = set.trailing_zeros() as u16;
                let mut kind = 1;
                while kind <= 4 {
                    n = push(list, n, flip ^ (to - behind | to << 6) | kind << 12);
                    kind += 1;
                }
                set &= set - 1;
            }
            i += 1;
        }
        if self.king != 0 {
            n = write_piece(list, n, flip, self.king.trailing_zeros() as u16, self.castles);
        }
        let mut takers = self.takers;
        while takers != 0 {
            let from = takers.trailing_zeros() as u16;
            n = push(list, n, flip ^ (from | (self.en_passant as u16) << 6));
            takers &= takers - 1;
        }
        n
    }
}

const fn push(list: &mut [Move], n: usize, coded: u16) -> usize {
    if n < list.len() {
        list[n] = Move(coded);
    }
    n + 1
}

const fn write_piece(
    list: &mut [Move],
    mut n: usize,
    flip: u16,
    from: u16,
    mut targets: u64,
) -> usize {
    while targets != 0 {
        n = push(list, n, flip ^ (from | (targets.trailing_zeros() as u16) << 6));
        targets &= targets - 1;
    }
    n
}

/// Whether one of `enemies` attacks the square of `king`.
const fn is_attacked(seen: &Seen, king: u64, occupied: u64, enemies: u64) -> bool {
    // The king sees what sees it.
    let pawns = (king & NOT_A) << 7 | (king & NOT_H) << 9;
    let attackers = rook_attacks(king, occupied) & seen.orthogonal_sliders()
        | bishop_attacks(king, occupied) & seen.diagonal_sliders()
        | knight_attacks(king) & seen.knights()
        | king_attacks(king) & seen.kings()
        | pawns & seen.pawns();
    attackers & enemies != 0
}

/// The own pawns that may take en passant: each capture is made on the sets and tested.
pub(crate) const fn takers(seen: &Seen) -> u64 {
    let (own, occupied) = (seen.own, seen.occupied());
    let (king, enemies) = (seen.kings() & own, occupied & !own);
    if seen.en_passant >= 64 {
        return 0;
    }
    let target = 1u64 << seen.en_passant;
    let taken = target >> 8;
    // A square of another rank, or without a pawn to take, allows nothing.
    if seen.en_passant >> 3 != 5 || taken & enemies & seen.pawns() == 0 || target & occupied != 0 {
        return 0;
    }
    let mut pawns = ((target & NOT_A) >> 9 | (target & NOT_H) >> 7) & own & seen.pawns();
    let mut takers = 0;
    while pawns != 0 {
        let from = pawns & pawns.wrapping_neg();
        pawns ^= from;
        let after = occupied ^ from ^ taken | target;
        if !is_attacked(seen, king, after, enemies & !taken) {
            takers |= from;
        }
    }
    takers
}

/// The squares from one file of the first rank to another, both included.
const fn span(a: u32, b: u32) -> u64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    (2 << high) - (1 << low)
}

/// The own rooks with which the king may castle, by the rules of Chess960.
pub(crate) const fn castles(seen: &Seen) -> u64 {
    let (own, occupied) = (seen.own, seen.occupied());
    let (king_set, enemies) = (seen.kings() & own, occupied & !own);
    if king_set == 0 || king_set > 0xff {
        return 0;
    }
    let king = king_set.trailing_zeros();
    let all_rooks = seen.orthogonal_sliders() & !seen.diagonal & own;
    let mut rooks = seen.castling as u64 & all_rooks;
    let mut castles = 0;
    while rooks != 0 {
        let rook = rooks.trailing_zeros();
        rooks &= rooks - 1;
        let (king_to, rook_to) = if rook > king { (6, 5) } else { (2, 3) };
        let others = occupied & !king_set & !(1 << rook);
        let walk = span(king, king_to);
        let mut free = (walk | span(rook, rook_to)) & others == 0;
        let mut square = walk.trailing_zeros();
        while free && walk >> square != 0 {
            free = !is_attacked(seen, 1 << square, occupied & !king_set, enemies);
            square += 1;
        }
        // The rook may have shielded the king.
        if free && !is_attacked(seen, 1 << king_to, others | 1 << rook_to, enemies) {
            castles |= 1 << rook;
        }
    }
    castles
}
