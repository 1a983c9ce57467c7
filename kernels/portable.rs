//! The rank-sliced algorithm on plain integers: the compiler makes the vectors.
//!
//! Nothing here names an instruction set. A block of boards is cut into rank slices by transposing 8x8 bytes in
//! `u64`s, eight boards at a time, in a loop over eights that the compiler vectorises; then the algorithm runs on single
//! bytes, the ranks of one board, in a loop over boards. `multiversion` clones the block's function for the
//! targets listed and picks one at run time (with feature `std`; without it, at compile time).
//!
//! One function does every operation, so that there is one of it for each target. (A function for
//! each operation, cut by interleaving bytes, which the compiler unrolled into shuffles, took ten times the space.)

use core::hint::black_box;
use core::ptr::null;

use multiversion::multiversion;

use super::lanes::{Lanes, Ranks};
use super::rank_slices::{along_rank, sliced};
use super::swar::Swar;
use super::{Kernel, Table, borrow};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"portable",
    "rank slices of 64 boards in plain integers, vectorised by the compiler, cloned per target",
    &[],
    Some(Table {
        name: c"portable".as_ptr(),
        rook_attacks,
        bishop_attacks,
        queen_attacks,
        slider_attacks,
        ..borrow::TABLE
    }),
);

/// One rank of one board.
impl Ranks for u8 {
    const WEST_LEAKS: bool = false;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        byte
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        self & !mask
    }
    #[inline(always)]
    fn east(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let occupied = occupied | sliders;
        occupied ^ occupied.wrapping_sub(sliders << 1)
    }
}

/// Boards in a block.
const BOARDS: usize = 64;
/// Boards that go through one transposition: those so far apart in the block.
const APART: usize = BOARDS / 8;

/// As cut, a word holds one rank of eight boards; the words of one rank stand side by side.
type Slices = [[u64; APART]; 8];

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
fn add<const ORTHOGONAL: bool, const DIAGONAL: bool>(
    attacks: &mut Slices,
    sliders: &Slices,
    occupied: &Slices,
) {
    let attacks: &mut [[u8; BOARDS]; 8] = bytemuck::cast_mut(attacks);
    let sliders: &[[u8; BOARDS]; 8] = bytemuck::cast_ref(sliders);
    let occupied: &[[u8; BOARDS]; 8] = bytemuck::cast_ref(occupied);
    for board in 0..BOARDS {
        let (mut s, mut o) = ([0; 8], [0; 8]);
        for rank in 0..8 {
            s[rank] = sliders[rank][board];
            o[rank] = occupied[rank][board];
        }
        let ranks = sliced::<u8, ORTHOGONAL, DIAGONAL, false>(&s, &s, &o);
        for rank in 0..8 {
            attacks[rank][board] |= ranks[rank];
        }
    }
}

/// Adds the attacks along ranks: the same for every word, a short loop.
#[inline(always)]
fn add_along(attacks: &mut Slices, rooks: &Slices, occupied: &Slices) {
    let attacks = attacks.as_flattened_mut();
    let sets = rooks.as_flattened().iter().zip(occupied.as_flattened());
    for (attacks, (rooks, occupied)) in attacks.iter_mut().zip(sets) {
        // SAFETY: a word is one board of `Swar`.
        unsafe { along_rank(Swar::load(rooks), Swar::load(occupied)).store(attacks) };
    }
}

/// A block of boards. Reads all before it writes; the sets are `orthogonal, diagonal, occupied`, of which an
/// operation for one kind of slider leaves one null.
///
/// # Safety
/// Each pointer that is not null is valid for a block of boards, and `attacks` is not null.
#[multiversion(targets("x86_64+avx2"))]
#[allow(
    dead_code,
    reason = "compiled for a CPU that has it all, the lesser clones are not called"
)]
unsafe fn block(sets: [*const u64; 3], attacks: *mut u64) {
    let mut slices = [[[0; APART]; 8]; 3];
    // Of a number that the compiler does not know: so the loop's long body is there once, for AVX2.
    for (set, slices) in black_box(&sets[..]).iter().zip(&mut slices) {
        if !set.is_null() {
            // SAFETY: the caller's contract.
            unsafe { cut(*set, slices) };
        }
    }
    let [orthogonal, diagonal, occupied] = &mut slices;
    for rank in 0..8 {
        for i in 0..APART {
            occupied[rank][i] |= orthogonal[rank][i] | diagonal[rank][i];
        }
    }
    let mut result = [[0; APART]; 8];
    if !sets[0].is_null() {
        add_along(&mut result, orthogonal, occupied);
        add::<true, false>(&mut result, orthogonal, occupied);
    }
    if !sets[1].is_null() {
        add::<false, true>(&mut result, diagonal, occupied);
    }
    // SAFETY: the caller's contract.
    unsafe { join(&result, attacks) }
}

/// Runs as many whole blocks as there are, and returns the number of boards done.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3), but that one set of sliders may be null.
#[inline(never)]
unsafe fn whole_blocks(sets: [*const u64; 3], attacks: *mut u64, boards: usize) -> usize {
    let mut done = 0;
    while boards - done >= BOARDS {
        let from = |set: *const u64| {
            if set.is_null() {
                set
            } else {
                set.wrapping_add(done)
            }
        };
        // SAFETY: the caller's contract: a block from `done` on is inside.
        unsafe { block(sets.map(from), attacks.add(done)) };
        done += BOARDS;
    }
    done
}

/// Defines an operation: the table's entry. The rest, less than a block, goes the way of `borrow`: a block costs the same
/// however few boards it holds.
macro_rules! operation {
    ($name:ident($($set:ident),*): $orthogonal:expr, $diagonal:expr) => {
        unsafe extern "C" fn $name($($set: *const u64,)* occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract; `done` is at most `boards`.
            unsafe {
                let done = whole_blocks([$orthogonal, $diagonal, occupied], attacks, boards);
                let rest = borrow::TABLE.$name;
                rest($($set.add(done),)* occupied.add(done), attacks.add(done), boards - done);
            }
        }
    };
}
operation!(rook_attacks(rooks): rooks, null());
operation!(bishop_attacks(bishops): null(), bishops);
operation!(queen_attacks(queens): queens, queens);
operation!(slider_attacks(orthogonal, diagonal): orthogonal, diagonal);
