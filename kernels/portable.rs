//! The rank-sliced algorithm on plain arrays of bytes: the compiler makes the vectors.
//!
//! Nothing here names an instruction set. The algorithm runs on single bytes, the ranks of one
//! board, in a loop over the boards of a block that the compiler vectorises. `multiversion` clones
//! the functions for the targets listed and picks one at run time (with feature `std`; without
//! it, at compile time).
//!
//! (Byte arrays as a register type of the other kernels' lane trait took the compiler minutes.)

use multiversion::multiversion;

use super::lanes::Ranks;
use super::rank_slices::sliced;
use super::{Kernel, Table, borrow};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"portable",
    "rank slices of 64 boards in byte arrays, vectorised by the compiler, cloned per target",
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

/// As loaded, the eight bytes of each board after those of the one before; cut, 64 bytes of rank 1, then of rank 2...
type Block = [u8; 8 * BOARDS];

/// The bytes at even places, then those at odd ones. The place of a byte is nine bits, `bbbbbbrrr`
/// (board, rank) as loaded; this rotates them right by one, so that three times make it `rrrbbbbbb`.
#[inline(always)]
fn deinterleave(block: &Block) -> Block {
    let mut result = [0; 8 * BOARDS];
    let (even, odd) = result.split_at_mut(4 * BOARDS);
    for i in 0..4 * BOARDS {
        even[i] = block[2 * i];
        odd[i] = block[2 * i + 1];
    }
    result
}

/// The inverse of [`deinterleave`].
#[inline(always)]
fn interleave(block: &Block) -> Block {
    let mut result = [0; 8 * BOARDS];
    for i in 0..4 * BOARDS {
        result[2 * i] = block[i];
        result[2 * i + 1] = block[4 * BOARDS + i];
    }
    result
}

/// # Safety
/// `from` is readable for `boards` (at most a block of) boards.
#[inline(always)]
unsafe fn load_slices(from: *const u64, boards: usize) -> Block {
    let mut block = [0; 8 * BOARDS];
    for (i, bytes) in block.chunks_exact_mut(8).enumerate().take(boards) {
        // SAFETY: `i < boards`.
        bytes.copy_from_slice(&unsafe { from.add(i).read_unaligned() }.to_le_bytes());
    }
    deinterleave(&deinterleave(&deinterleave(&block)))
}

/// # Safety
/// `to` is writable for `boards` (at most a block of) boards.
#[inline(always)]
unsafe fn store_slices(slices: &Block, to: *mut u64, boards: usize) {
    let block = interleave(&interleave(&interleave(slices)));
    for (i, bytes) in block.chunks_exact(8).enumerate().take(boards) {
        let mut board = [0; 8];
        board.copy_from_slice(bytes);
        // SAFETY: `i < boards`.
        unsafe { to.add(i).write_unaligned(u64::from_le_bytes(board)) };
    }
}

/// Defines an operation: the cloned function on cut blocks, and the table's entry.
macro_rules! operation {
    ($name:ident, $one:ident, ($($set:ident),*): $orthogonal:expr, $diagonal:expr, $occupied:expr; $rays:ty) => {
        unsafe extern "C" fn $name($($set: *const u64,)* attacks: *mut u64, boards: usize) {
            #[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "x86_64+ssse3"))]
            #[allow(dead_code, reason = "compiled for a CPU that has it all, the lesser clones are not called")]
            unsafe fn block($($set: *const u64,)* attacks: *mut u64, boards: usize) {
                // SAFETY: the caller's contract.
                $(let $set = unsafe { load_slices($set, boards) };)*
                let mut result = [0; 8 * BOARDS];
                for board in 0..BOARDS {
                    let column = |slices: &Block| core::array::from_fn(|rank| slices[BOARDS * rank + board]);
                    $(let $set: [u8; 8] = column(&$set);)*
                    let ranks = <$rays>::attacks($orthogonal, $diagonal, $occupied);
                    for rank in 0..8 {
                        result[BOARDS * rank + board] = ranks[rank];
                    }
                }
                // SAFETY: the caller's contract.
                unsafe { store_slices(&result, attacks, boards) }
            }
            let mut done = 0;
            // A block costs the same however few boards it holds.
            while boards - done >= 12 {
                let count = BOARDS.min(boards - done);
                // SAFETY: the table's contract; the block reads all before it writes.
                unsafe { block($($set.add(done),)* attacks.add(done), count) };
                done += count;
            }
            for i in done..boards {
                // SAFETY: the table's contract.
                unsafe {
                    let one = (borrow::TABLE.$one)($($set.add(i).read_unaligned()),*);
                    attacks.add(i).write_unaligned(one);
                }
            }
        }
    };
}

/// Which rays an operation has.
struct Rays<const ORTHOGONAL: bool, const DIAGONAL: bool>;

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> Rays<ORTHOGONAL, DIAGONAL> {
    #[inline(always)]
    fn attacks(orthogonal: [u8; 8], diagonal: [u8; 8], mut occupied: [u8; 8]) -> [u8; 8] {
        for rank in 0..8 {
            occupied[rank] |= orthogonal[rank] | diagonal[rank];
        }
        sliced::<u8, ORTHOGONAL, DIAGONAL, true>(&orthogonal, &diagonal, &occupied)
    }
}

operation!(rook_attacks, rook_attacks_one, (rooks, occupied): rooks, rooks, occupied; Rays<true, false>);
operation!(bishop_attacks, bishop_attacks_one, (bishops, occupied): bishops, bishops, occupied; Rays<false, true>);
operation!(queen_attacks, queen_attacks_one, (queens, occupied): queens, queens, occupied; Rays<true, true>);
operation!(
    slider_attacks, slider_attacks_one,
    (orthogonal, diagonal, occupied): orthogonal, diagonal, occupied; Rays<true, true>
);
