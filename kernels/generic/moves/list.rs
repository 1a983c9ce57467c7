//! Lists of legal moves of many positions.
//!
//! Vectors of whole boards give, for several positions at once, everything that does not depend on
//! single pieces: the squares that enemies attack, pins, the check mask, targets of pawns and the
//! king. Then each position's moves are written: one loop over knights, one over sliders.
//!
//! A wrong branch prediction costs more than a few stores. So no [`Write`] has a branch on the
//! number of a piece's moves: [`Ranks`] writes eight words for each rank, of which the last are
//! superfluous.

use core::mem::MaybeUninit;

use super::super::board_rays::BoardRays;
use super::super::board_vector::BoardVector;
use super::super::leapers;
use super::one::{self, LAST, MoveSets, Seen};
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::leapers::knight_attacks;
use crate::kernels::geometry::{Move, PlaneColumns, State};

/// No board has more moves. A square is reached from the nearest piece in each of eight directions
/// and by eight knights. On the last rank, three of the moves may be promotions, of which there are
/// four each. A king castles with at most seven rooks.
const MOST: usize = 64 * 16 + 8 * 9 + 7;
/// How much a [`Write`] may write beyond the last move.
const MARGIN: usize = 32;
/// Positions that are read at once. The vectors must not load what was just stored.
const CHUNK: usize = 32;

/// How sets of squares become moves.
pub(crate) trait Write: Copy {
    /// Writes the moves of a piece. Its square and its targets are those of the side to move:
    /// `flip` changes them to squares of the board. Returns the end of the list.
    ///
    /// # Safety
    /// The list has room for these moves and [`MARGIN`] more.
    unsafe fn piece(self, list: *mut u16, from: u16, targets: u64, flip: u16) -> *mut u16;

    /// Writes the moves of pawns that come from `behind` squares before.
    ///
    /// # Safety
    /// As [`piece`](Write::piece). No target is on the first two ranks or on the last.
    unsafe fn pawns(self, list: *mut u16, behind: u16, targets: u64, flip: u16) -> *mut u16;

    /// Writes the king's steps.
    ///
    /// # Safety
    /// As [`piece`](Write::piece). There is one king.
    #[inline(always)]
    unsafe fn king(self, list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe { self.piece(list, sets.king.trailing_zeros() as u16 & 63, sets.steps, flip) }
    }

    /// Writes the moves of knights.
    ///
    /// # Safety
    /// As [`piece`](Write::piece).
    #[inline(always)]
    unsafe fn knights(self, mut list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        let mut knights = sets.knights;
        while knights != 0 {
            let from = knights.trailing_zeros();
            let targets = knight_attacks(1 << from) & sets.targets;
            // SAFETY: the caller's contract.
            list = unsafe { self.piece(list, from as u16, targets, flip) };
            knights &= knights - 1;
        }
        list
    }

    /// Writes the moves of sliders.
    ///
    /// # Safety
    /// As [`piece`](Write::piece).
    #[inline(always)]
    unsafe fn sliders(self, mut list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        let mut sliders = sets.all_sliders();
        while sliders != 0 {
            let from = sliders.trailing_zeros() as u8;
            // SAFETY: the caller's contract.
            list = unsafe { self.piece(list, from.into(), sets.of_slider(from), flip) };
            sliders &= sliders - 1;
        }
        list
    }
}

/// Rank by rank, without a branch: a table has the files of each set of a rank, in order.
#[derive(Clone, Copy)]
pub(crate) struct Ranks;

/// The files of a set in order, in the bits of a move's target.
#[repr(C, align(16))]
struct Files([[u16; 8]; 256]);

static FILES: Files = {
    let mut files = Files([[0; 8]; 256]);
    let mut set = 0;
    while set < 256 {
        let (mut file, mut n) = (0, 0);
        while file < 8 {
            if set >> file & 1 != 0 {
                files.0[set][n] = file << 6;
                n += 1;
            }
            file += 1;
        }
        set += 1;
    }
    files
};

/// The number of bits. Not every CPU has an instruction for this.
static COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut set = 0;
    while set < 256 {
        counts[set] = (set as u8).count_ones() as u8;
        set += 1;
    }
    counts
};

/// Four copies of a word.
#[inline(always)]
fn four(word: u16) -> u64 {
    u64::from(word) * 0x0001_0001_0001_0001
}

/// Writes the moves to a set of rank `set`, and up to eight words in all: files in the bits of
/// targets, and `base` in four words, combined. `PAWNS` come from the same file. Returns the end of
/// the list.
///
/// # Safety
/// The list has room for eight moves.
#[inline(always)]
unsafe fn write_rank<const PAWNS: bool>(list: *mut u16, set: u8, base: u64) -> *mut u16 {
    // SAFETY: the caller's contract; words of any size may have any bits.
    unsafe {
        let mut moves: [u64; 2] = core::mem::transmute(FILES.0[usize::from(set)]);
        for four in &mut moves {
            *four ^= if PAWNS { *four >> 6 ^ base } else { base };
        }
        list.cast::<[u64; 2]>().write_unaligned(moves);
        list.add(usize::from(COUNTS[usize::from(set)]))
    }
}

/// Writes the moves of a piece that goes to `RANKS` ranks at most, its own in the middle.
///
/// # Safety
/// As [`Write::piece`].
#[inline(always)]
unsafe fn write_ranks<const RANKS: u16>(
    mut list: *mut u16,
    from: u16,
    targets: u64,
    flip: u16,
) -> *mut u16 {
    // All ranks that can have a target are on the board.
    let first = (from >> 3).saturating_sub(RANKS / 2).min(8 - RANKS);
    let targets = targets >> (8 * first);
    for rank in 0..RANKS {
        let base = four(from ^ flip ^ (first + rank) << 9);
        // SAFETY: the caller's contract.
        list = unsafe { write_rank::<false>(list, (targets >> (8 * rank)) as u8, base) };
    }
    list
}

impl Write for Ranks {
    #[inline(always)]
    unsafe fn piece(self, list: *mut u16, from: u16, targets: u64, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe { write_ranks::<8>(list, from, targets, flip) }
    }

    #[inline(always)]
    unsafe fn pawns(
        self,
        mut list: *mut u16,
        behind: u16,
        mut targets: u64,
        flip: u16,
    ) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe {
            if behind.is_multiple_of(8) {
                let ranks = if behind == 16 { 3..4 } else { 2..7 };
                for rank in ranks {
                    let base = four(flip ^ rank << 9 ^ (8 * rank - behind));
                    list = write_rank::<true>(list, (targets >> (8 * rank)) as u8, base);
                }
                return list;
            }
            // Most positions have at most two captures in a direction.
            for _ in 0..2 {
                // `to - behind | to << 6` is `to * 65 - behind`.
                list.write((lowest(targets) * 65).wrapping_sub(behind) ^ flip);
                list = list.add(usize::from(targets != 0));
                targets &= targets.wrapping_sub(1);
            }
            while targets != 0 {
                list.write((lowest(targets) * 65).wrapping_sub(behind) ^ flip);
                list = list.add(1);
                targets &= targets - 1;
            }
            list
        }
    }

    #[inline(always)]
    unsafe fn king(self, list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe { write_ranks::<3>(list, sets.king.trailing_zeros() as u16 & 63, sets.steps, flip) }
    }

    #[inline(always)]
    unsafe fn knights(self, mut list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        let mut knights = sets.knights;
        while knights != 0 {
            let from = knights.trailing_zeros();
            let targets = knight_attacks(1 << from) & sets.targets;
            // SAFETY: the caller's contract.
            list = unsafe { write_ranks::<5>(list, from as u16, targets, flip) };
            knights &= knights - 1;
        }
        list
    }
}

/// The lowest square of a set, or any number if the set is empty.
#[inline(always)]
fn lowest(set: u64) -> u16 {
    // Without the bit, the compiler would have to return 64 for an empty set.
    (set | 1 << 63).trailing_zeros() as u16
}

/// The sets of a chunk, one array for each.
#[repr(C, align(64))]
struct Chunk {
    planes: [[u64; CHUNK]; 4],
    sets: [[u64; CHUNK]; SETS],
}

/// What [`sets`] returns, in this order.
const SETS: usize = 13;
const CHECK: usize = 0;
const ATTACKED: usize = 1;
const STEPS: usize = 2;
const DOUBLE: usize = 3;
const PUSH: usize = 4;
const EAST_PAWNS: usize = 5;
const WEST_PAWNS: usize = 6;
const KNIGHTS: usize = 7;
const FAULTS: usize = 8;
const SLIDERS: usize = 9;

/// The formulas of [`MoveSets::of`] for a vector of boards. Targets are not masked by the check.
#[inline(always)]
fn sets<B: BoardVector, T: BoardRays<B>>([own, diagonal, straight, steppers]: [B; 4]) -> [B; SETS] {
    let occupied = diagonal | straight | steppers;
    let (empty, enemies) = (!occupied, occupied & !own);
    let kings = steppers & straight;
    let king = kings & own;
    let kingless = occupied ^ king;
    let lines = [straight & !steppers, diagonal & !steppers];
    let pawns = steppers & !diagonal & !straight;
    let knights = steppers & diagonal & !straight;
    let enemy_pawns = pawns & enemies;
    let mut attacked = leapers::knight_attacks(knights & enemies)
        | leapers::king_attacks(kings & enemies)
        | enemy_pawns.step(SOUTH_EAST)
        | enemy_pawns.step(SOUTH_WEST);
    let zero = own.splat(0);
    let mut pins = [zero; 4];
    let mut check = leapers::knight_attacks(king) & knights & enemies
        | (king.step(NORTH_EAST) | king.step(NORTH_WEST)) & enemy_pawns;
    macro_rules! line {
        ($($n:literal $there:ident $back:ident)*) => { $({
            let sliders = lines[$n / 2] & enemies;
            let [up, down] =
                [T::ray($there, sliders, kingless), T::ray($back, sliders, kingless)];
            attacked = attacked | up | down;
            let line = T::ray($there, king, occupied) & (down | sliders)
                | T::ray($back, king, occupied) & (up | sliders);
            pins[$n] = line & own;
            check = check | line & (empty | sliders);
        })* };
    }
    line!(0 EAST WEST 1 NORTH SOUTH 2 NORTH_EAST SOUTH_WEST 3 NORTH_WEST SOUTH_EAST);
    let pinned = pins[0] | pins[1] | pins[2] | pins[3];
    let free = |n: usize| !pinned | pins[n];
    let neighbours = leapers::king_attacks(king);
    let own_pawns = pawns & own;
    let once = (own_pawns & free(1)).step(NORTH) & empty;
    let double = (once & own.splat_board(0xff << 16)).step(NORTH) & empty;
    [
        check,
        attacked,
        neighbours & !own & !attacked,
        double,
        once,
        (own_pawns & free(2)).step(NORTH_EAST) & enemies,
        (own_pawns & free(3)).step(NORTH_WEST) & enemies,
        knights & own & !pinned,
        neighbours & kings & enemies | pawns & own.splat_board(LAST | 0xff),
        lines[0] & own & free(0),
        lines[0] & own & free(1),
        lines[1] & own & free(2),
        lines[1] & own & free(3),
    ]
}

/// The state of position `i`.
///
/// # Safety
/// The columns have a position `i`.
#[inline(always)]
pub(super) unsafe fn state(columns: &PlaneColumns, i: usize) -> State {
    // SAFETY: the caller's contract.
    unsafe {
        State {
            side: if columns.side.is_null() { 0 } else { columns.side.add(i).read() },
            en_passant: columns.en_passant.add(i).read(),
            castling: [columns.castling[0].add(i).read(), columns.castling[1].add(i).read()],
        }
    }
}

/// The planes of position `i`.
///
/// # Safety
/// As [`state`].
#[inline(always)]
pub(super) unsafe fn planes(columns: &PlaneColumns, i: usize) -> [u64; 4] {
    let [white, diagonal, straight, steppers] = columns.planes;
    // SAFETY: the caller's contract.
    unsafe {
        [
            white.add(i).read_unaligned(),
            diagonal.add(i).read_unaligned(),
            straight.add(i).read_unaligned(),
            steppers.add(i).read_unaligned(),
        ]
    }
}

/// Position `i` as the side to move sees it.
///
/// # Safety
/// As [`state`].
#[inline(always)]
unsafe fn seen(columns: &PlaneColumns, i: usize) -> Seen {
    // SAFETY: the caller's contract.
    unsafe { Seen::new(planes(columns, i), state(columns, i)) }
}

/// Castling of Chess960. Not inlined, because few positions need it.
///
/// # Safety
/// As [`state`].
#[inline(never)]
unsafe fn rare_castles(columns: &PlaneColumns, i: usize) -> u64 {
    // SAFETY: the caller's contract.
    one::castles(&unsafe { seen(columns, i) })
}

/// The pawns that can capture en passant. Not inlined, because few positions need it.
///
/// # Safety
/// As [`state`].
#[inline(never)]
unsafe fn takers(columns: &PlaneColumns, i: usize) -> u64 {
    // SAFETY: the caller's contract.
    one::takers(&unsafe { seen(columns, i) })
}

/// Writes the moves of positions. See [`legal_moves`](crate::Kernel::legal_moves).
///
/// # Safety
/// The columns are valid for `count` positions, `offsets` for one more, `moves` for `room`
/// elements, and the CPU has the features of `B` and `W`.
#[inline(always)]
pub(crate) unsafe fn lists<B: BoardVector, T: BoardRays<B>, W: Write>(
    write: W,
    columns: &PlaneColumns,
    count: usize,
    offsets: *mut u32,
    moves: *mut Move,
    room: usize,
) -> usize {
    let moves = moves.cast::<u16>();
    // Offsets have no greater numbers.
    let room = room.min(u32::MAX as usize);
    let mut chunk = Chunk { planes: [[0; CHUNK]; 4], sets: [[0; CHUNK]; SETS] };
    // For lists that might not fit.
    let mut spare = [const { MaybeUninit::<u16>::uninit() }; MOST + MARGIN];
    let mut used = 0;
    // SAFETY: there is one offset more than positions.
    unsafe { offsets.write(0) };
    let mut done = 0;
    while done < count {
        let here = (count - done).min(CHUNK);
        // SAFETY: all accesses are to positions below `count`, and to boards of the chunk.
        unsafe {
            for i in 0..here {
                let seen = seen(columns, done + i);
                chunk.planes[0][i] = seen.own;
                chunk.planes[1][i] = seen.diagonal;
                chunk.planes[2][i] = seen.straight;
                chunk.planes[3][i] = seen.steppers;
            }
            let mut i = 0;
            while i < here {
                let [own, diagonal, straight, steppers] = &chunk.planes;
                let boards = [
                    B::load(own.as_ptr().add(i)),
                    B::load(diagonal.as_ptr().add(i)),
                    B::load(straight.as_ptr().add(i)),
                    B::load(steppers.as_ptr().add(i)),
                ];
                let results = sets::<B, T>(boards);
                for n in 0..SETS {
                    results[n].store(chunk.sets[n].as_mut_ptr().add(i));
                }
                i += B::BOARDS;
            }
            for i in 0..here {
                let state = state(columns, done + i);
                let flip = if state.side & 1 == 0 { 0 } else { 0o7070 };
                let sets = chunk.at(i, columns, done + i, state);
                let Some(sets) = sets else {
                    offsets.add(done + i + 1).write(used as u32);
                    continue;
                };
                let left = room - used;
                let fits = left >= MOST + MARGIN || left >= sets.most() + MARGIN;
                let start = if fits { moves.add(used) } else { spare.as_mut_ptr().cast() };
                let written = write_all(write, &sets, flip, start).offset_from_unsigned(start);
                if !fits {
                    if written > left {
                        return done + i;
                    }
                    moves.add(used).copy_from_nonoverlapping(start, written);
                }
                used += written;
                offsets.add(done + i + 1).write(used as u32);
            }
        }
        done += here;
    }
    count
}

impl Chunk {
    /// The sets of board `i`, position `n` of the columns, or `None` if no game can have it.
    ///
    /// # Safety
    /// The columns have a position `n`.
    #[inline(always)]
    unsafe fn at(
        &self,
        i: usize,
        columns: &PlaneColumns,
        n: usize,
        state: State,
    ) -> Option<MoveSets> {
        let castling = state.castling[usize::from(state.side & 1)];
        // `map` would be a call, compiled without the CPU features.
        let [own, diagonal, straight, steppers] = &self.planes;
        let (own, diagonal, straight, steppers) = (own[i], diagonal[i], straight[i], steppers[i]);
        let occupied = diagonal | straight | steppers;
        let check = self.sets[CHECK][i];
        let checkers = check & occupied & !own;
        let against = match checkers {
            0 => !0,
            _ if checkers.is_power_of_two() => check,
            _ => 0,
        };
        let targets = against & !own;
        let (king, enemy_king) = (steppers & straight & own, steppers & straight & !own);
        if !king.is_power_of_two() || !enemy_king.is_power_of_two() || self.sets[FAULTS][i] != 0 {
            return None;
        }
        if against == 0 && checkers.count_ones() > 2 {
            return None;
        }
        let mut castles = 0;
        if castling != 0 {
            let attacked = self.sets[ATTACKED][i];
            castles = if king == 1 << 4 && castling & !0x81 == 0 {
                let short = (occupied & 0x60 | attacked & 0x70) == 0;
                let long = (occupied & 0x0e | attacked & 0x1c) == 0;
                let rooks = straight & !diagonal & !steppers & own;
                (u64::from(short) << 7 | u64::from(long)) & u64::from(castling) & rooks
            } else {
                // SAFETY: the caller's contract.
                unsafe { rare_castles(columns, n) }
            };
        }
        Some(MoveSets {
            double: self.sets[DOUBLE][i] & targets,
            push: self.sets[PUSH][i] & targets,
            west: self.sets[WEST_PAWNS][i] & targets,
            east: self.sets[EAST_PAWNS][i] & targets,
            king,
            steps: self.sets[STEPS][i],
            knights: self.sets[KNIGHTS][i],
            sliders: [
                self.sets[SLIDERS][i],
                self.sets[SLIDERS + 1][i],
                self.sets[SLIDERS + 2][i],
                self.sets[SLIDERS + 3][i],
            ],
            targets,
            occupied,
            castles,
            takers: match state.en_passant {
                // SAFETY: the caller's contract.
                0..64 => unsafe { takers(columns, n) },
                _ => 0,
            },
            en_passant: state.en_passant ^ if state.side & 1 == 0 { 0 } else { 0o70 },
            checkers,
        })
    }
}

/// Writes all moves. Returns the end of the list.
///
/// # Safety
/// The list has room for [`MOST`] moves and [`MARGIN`] more.
#[inline(always)]
unsafe fn write_all<W: Write>(write: W, sets: &MoveSets, flip: u16, list: *mut u16) -> *mut u16 {
    // SAFETY: the caller's contract.
    unsafe {
        let mut list = write.pawns(list, 16, sets.double, flip);
        list = write.pawns(list, 8, sets.push & !LAST, flip);
        list = write.pawns(list, 7, sets.west & !LAST, flip);
        list = write.pawns(list, 9, sets.east & !LAST, flip);
        list = write.king(list, sets, flip);
        list = write.knights(list, sets, flip);
        list = write.sliders(list, sets, flip);
        if (sets.push | sets.west | sets.east) & LAST != 0 {
            list = promotions(sets, flip, list);
        }
        let king = sets.king.trailing_zeros() as u16 & 63;
        let mut castles = sets.castles;
        while castles != 0 {
            list.write(flip ^ (king | (castles.trailing_zeros() as u16) << 6));
            list = list.add(1);
            castles &= castles - 1;
        }
        let mut takers = sets.takers;
        while takers != 0 {
            let from = takers.trailing_zeros() as u16;
            list.write(flip ^ (from | u16::from(sets.en_passant) << 6));
            list = list.add(1);
            takers &= takers - 1;
        }
        list
    }
}

/// # Safety
/// As [`write_all`].
#[inline(never)]
unsafe fn promotions(sets: &MoveSets, flip: u16, mut list: *mut u16) -> *mut u16 {
    for (set, behind) in [(sets.push, 8), (sets.west, 7), (sets.east, 9)] {
        let mut set = set & LAST;
        while set != 0 {
            let coded = (set.trailing_zeros() as u16 * 65 - behind) ^ flip;
            for promotion in 1..=4 {
                // SAFETY: the caller's contract.
                unsafe {
                    list.write(coded | promotion << 12);
                    list = list.add(1);
                }
            }
            set &= set - 1;
        }
    }
    list
}
