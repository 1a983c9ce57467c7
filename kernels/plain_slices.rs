//! Rank slices without a word of any instruction set: the frame of `portable` and `scalar`, of which the compiler makes vectors.
//!
//! A block of boards is cut into rank slices by transposing 8x8 bytes in `u64`s, eight boards at a time, in a loop over
//! eights; then the rays across ranks go over the slices in a loop over bytes or over words, and those
//! along ranks over words. Every loop has a fixed number of rounds, so that the compiler can vectorise it without a rest.
//!
//! One function does every operation. (A function for each of them, cut by interleaving bytes, which the compiler unrolled
//! into shuffles, took ten times the space.)

use core::hint::black_box;

use bytemuck::Pod;

use super::lanes::{Lanes, Ranks};
use super::rank_slices::{along_rank, sliced};
use super::swar::Swar;
use super::{Table, borrow, hyperbola};

/// What is not sliced: squares one by one, everything else by `borrow`.
pub(super) const REST: Table = Table {
    rook_attacks_from: hyperbola::TABLE.rook_attacks_from,
    bishop_attacks_from: hyperbola::TABLE.bishop_attacks_from,
    queen_attacks_from: hyperbola::TABLE.queen_attacks_from,
    line_attacks_from: hyperbola::TABLE.line_attacks_from,
    ..borrow::TABLE
};

/// Boards in a block.
pub(super) const BOARDS: usize = 64;
/// Boards that go through one transposition: those so far apart in the block.
pub(super) const APART: usize = BOARDS / 8;

/// As cut, a word holds one rank of eight boards; the words of one rank stand side by side.
pub(super) type Slices = [[u64; APART]; 8];

/// # Safety
/// `from` is readable for a block of boards.
#[inline(always)]
unsafe fn cut(from: *const u64, slices: &mut Slices) {
    for i in 0..APART {
        // SAFETY: the caller's contract: `APART * n + i` is below `BOARDS`.
        unsafe {
            let mut eight = [Swar::load(from.add(i)); 8];
            for n in 1..8 {
                eight[n] = Swar::load(from.add(APART * n + i));
            }
            let ranks = Swar::slice(eight);
            for rank in 0..8 {
                ranks[rank].store(&raw mut slices[rank][i]);
            }
        }
    }
}

/// # Safety
/// `to` is writable for a block of boards.
#[inline(always)]
unsafe fn join(slices: &Slices, to: *mut u64) {
    for i in 0..APART {
        // SAFETY: the caller's contract: `APART * n + i` is below `BOARDS`.
        unsafe {
            let mut ranks = [Swar::load(&raw const slices[0][i]); 8];
            for rank in 1..8 {
                ranks[rank] = Swar::load(&raw const slices[rank][i]);
            }
            let eight = Swar::unslice(ranks);
            for n in 0..8 {
                eight[n].store(to.add(APART * n + i));
            }
        }
    }
}

/// Adds the attacks of one kind of slider, but those along ranks.
///
/// Of the words' bytes no order matters, as long as it is the same for all sets.
#[inline(always)]
fn add<T: Ranks + Pod, const N: usize, const ORTHOGONAL: bool, const DIAGONAL: bool>(
    attacks: &mut Slices,
    sliders: &Slices,
    occupied: &Slices,
) {
    let attacks: &mut [[T; N]; 8] = bytemuck::cast_mut(attacks);
    let sliders: &[[T; N]; 8] = bytemuck::cast_ref(sliders);
    let occupied: &[[T; N]; 8] = bytemuck::cast_ref(occupied);
    for i in 0..N {
        let (mut s, mut o) = ([sliders[0][i]; 8], [occupied[0][i]; 8]);
        for rank in 1..8 {
            s[rank] = sliders[rank][i];
            o[rank] = occupied[rank][i];
        }
        let ranks = sliced::<T, ORTHOGONAL, DIAGONAL, false>(&s, &s, &o);
        for rank in 0..8 {
            attacks[rank][i] = attacks[rank][i].or(ranks[rank]);
        }
    }
}

/// The attacks along ranks: the same for every word, a short loop.
#[inline(always)]
fn along(attacks: &mut Slices, rooks: &Slices, occupied: &Slices) {
    let attacks = attacks.as_flattened_mut();
    let sets = rooks.as_flattened().iter().zip(occupied.as_flattened());
    for (attacks, (rooks, occupied)) in attacks.iter_mut().zip(sets) {
        // SAFETY: a word is one board of `Swar`.
        unsafe { along_rank(Swar::load(rooks), Swar::load(occupied)).store(attacks) };
    }
}

/// Makes the attacks of orthogonal sliders, or else adds those of diagonal ones.
pub(super) type Add = fn(orthogonal: bool, &mut Slices, &Slices, &Slices);

/// On values of `T`, of which `N` hold a rank of the block.
#[inline(always)]
pub(super) fn add_by<T: Ranks + Pod, const N: usize>(
    orthogonal: bool,
    attacks: &mut Slices,
    sliders: &Slices,
    occupied: &Slices,
) {
    if orthogonal {
        along(attacks, sliders, occupied);
        add::<T, N, true, false>(attacks, sliders, occupied);
    } else {
        add::<T, N, false, true>(attacks, sliders, occupied);
    }
}

/// The slices of a block: of orthogonal and diagonal sliders, occupied squares, attacks. Of a set that an operation does not have,
/// they stay empty.
#[derive(Default)]
struct Memory {
    sets: [Slices; 3],
    attacks: Slices,
}

/// A block of boards. Reads all before it writes; the sets are `orthogonal, diagonal, occupied`, of which an
/// operation for one kind of slider leaves one null.
///
/// # Safety
/// Each pointer that is not null is valid for a block of boards, and `attacks` is not null.
#[inline(always)]
unsafe fn block(memory: &mut Memory, sets: [*const u64; 3], attacks: *mut u64, add: Add) {
    // Queens are passed twice, and cut once.
    let queens = sets[0] == sets[1];
    // A number of times that the compiler does not know: so the loop's long body is there once.
    for n in 0..black_box(3) {
        if !(sets[n % 3].is_null() || queens && n == 1) {
            // SAFETY: the caller's contract.
            unsafe { cut(sets[n % 3], &mut memory.sets[n % 3]) };
        }
    }
    let [orthogonal, diagonal, occupied] = &mut memory.sets;
    for rank in 0..8 {
        for i in 0..APART {
            occupied[rank][i] |= orthogonal[rank][i] | diagonal[rank][i];
        }
    }
    let diagonal = if queens { &*orthogonal } else { diagonal };
    if sets[0].is_null() {
        memory.attacks = Slices::default();
    } else {
        add(true, &mut memory.attacks, orthogonal, occupied);
    }
    if !sets[1].is_null() {
        add(false, &mut memory.attacks, diagonal, occupied);
    }
    // SAFETY: the caller's contract.
    unsafe { join(&memory.attacks, attacks) }
}

/// Whole blocks.
///
/// # Safety
/// As [`by_blocks`], of a multiple of a block's boards.
#[inline(never)]
unsafe fn whole_blocks(sets: [*const u64; 3], attacks: *mut u64, boards: usize, add: Add) {
    let mut memory = Memory::default();
    for done in (0..boards).step_by(BOARDS) {
        let sets = sets.map(|set| from(set, done));
        // SAFETY: the caller's contract: a block from there on is inside.
        unsafe { block(&mut memory, sets, attacks.add(done), add) };
    }
}

/// A set from a board on; none remains none.
fn from(set: *const u64, board: usize) -> *const u64 {
    set.wrapping_add(if set.is_null() { 0 } else { board })
}

/// A batch: whole blocks, and the rest, less than a block, by `borrow`, because a block costs the same however few boards it holds.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3), but that one set of sliders may be null.
#[inline(never)]
pub(super) unsafe fn by_blocks(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    add: Add,
) {
    let sets = [orthogonal, diagonal, occupied];
    let left = boards % BOARDS;
    let done = boards - left;
    // SAFETY: the caller's contract.
    unsafe {
        if done > 0 {
            whole_blocks(sets, attacks, done, add);
        }
        let [orthogonal, diagonal, occupied] = sets.map(|set| from(set, done));
        let attacks = attacks.add(done);
        let rest = REST;
        if diagonal.is_null() {
            (rest.rook_attacks)(orthogonal, occupied, attacks, left);
        } else if orthogonal.is_null() {
            (rest.bishop_attacks)(diagonal, occupied, attacks, left);
        } else if orthogonal == diagonal {
            (rest.queen_attacks)(orthogonal, occupied, attacks, left);
        } else {
            (rest.slider_attacks)(orthogonal, diagonal, occupied, attacks, left);
        }
    }
}

/// Defines an operation by what makes the attacks on slices, or attacks split by set from the operations for each: the table's entry.
macro_rules! operation {
    (split by $rook_attacks:expr, $bishop_attacks:expr) => {
        unsafe extern "C" fn slider_attacks_split(
            orthogonal: *const u64, diagonal: *const u64, occupied: *const u64, straight: *mut u64, oblique: *mut u64, boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                $crate::kernels::chunks::slider_attacks_split(
                    orthogonal, diagonal, occupied, straight, oblique, boards, $rook_attacks, $bishop_attacks,
                );
            }
        }
    };
    ($add:ident: $name:ident($($set:ident),*): $orthogonal:expr, $diagonal:expr) => {
        unsafe extern "C" fn $name($($set: *const u64,)* occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract.
            unsafe { $crate::kernels::plain_slices::by_blocks($orthogonal, $diagonal, occupied, attacks, boards, $add) }
        }
    };
}
pub(super) use operation;
