//! Drivers, which run the operations of a kernel on batches of any length.

use super::board_rays::{AnyCpu, BoardRays};
use super::chunks::{each_board, each_square};
use super::from_square::FromSquare;
use super::games;
use super::legal_counts;
use super::maps_and_checks;
use super::one_board::OneBoard;
use super::operation::{Operation, SlicedOperation};
use super::positions;
use super::rays::{LineAttacks, RayOperation, for_direction, for_line};
use crate::kernels::geometry::{
    AttackMaps, Checks, Direction, GamePosition, KingColumns, MapColumns, PieceColumns,
    PlaneColumns, Position,
};
use crate::kernels::table::Kernel;

/// Runs batches, with a method for each group of operations. A driver overrides those for which it
/// has something faster than loops over single boards.
///
/// All methods share this contract. The CPU has the features that the driver needs. Every pointer
/// is valid for `boards` elements (of any alignment). An output may be the same array as one input
/// of the same type, but overlaps no other array.
pub(crate) trait Driver {
    /// The code for a single board.
    type One: OneBoard;
    /// The technique of what runs board by board: all that the driver does not override.
    type Rays: BoardRays<u64> + AnyCpu;

    /// `outputs[..][i] = op(inputs[..][i])`.
    #[inline(always)]
    unsafe fn boards<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { each_board::<Op, Self::Rays, N, M>(op, inputs, outputs, boards) }
    }

    /// Like [`boards`](Driver::boards), but in rank slices if the driver supports them.
    #[inline(always)]
    unsafe fn sets<Op: SlicedOperation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { Self::boards(op, inputs, outputs, boards) }
    }

    /// Runs the operation in one direction.
    #[inline(always)]
    unsafe fn rays<Op: RayOperation>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            for_direction!(direction, |ray| {
                each_board::<_, Self::Rays, 2, 1>(Op::along(ray), inputs, outputs, boards);
            });
        }
    }

    /// `attacks[i]` = the attacks of a slider on `squares[i]`. Only the low six bits of a square
    /// count.
    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { each_square::<_, Self::Rays>(op, squares, occupied, attacks, boards) }
    }

    /// Like [`squares`](Driver::squares), along one line.
    #[inline(always)]
    unsafe fn line_squares(
        line: LineAttacks,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            for_line!(line, |along| {
                each_square::<_, Self::Rays>(along, squares, occupied, attacks, boards);
            });
        }
    }

    /// `maps[i]` = the attacks of the pieces of `positions[i]`.
    #[inline(always)]
    unsafe fn attack_maps(
        _kernel: &Kernel,
        positions: *const Position,
        maps: *mut AttackMaps,
        count: usize,
    ) {
        // SAFETY: the arrays are valid for `count` positions.
        unsafe { maps_and_checks::set_by_set::<Self::Rays>(positions, maps, count) }
    }

    /// Computes attack maps in columns. Skips results whose columns are absent.
    ///
    /// # Safety
    /// See [`Driver`]. Present columns are valid for `count` boards, and no result overlaps another
    /// column.
    #[inline(always)]
    unsafe fn in_columns(kernel: &Kernel, columns: &MapColumns, count: usize) {
        // SAFETY: the columns are valid for `count` boards, and the CPU can run the kernel.
        unsafe { positions::maps_by_entries(kernel, columns, 0, count) }
    }

    /// Counts legal moves and checks. Columns of results may be absent.
    ///
    /// # Safety
    /// See [`Driver`]. Present columns are valid for `count` positions, and no result overlaps
    /// another column.
    #[inline(always)]
    unsafe fn plane_counts(_kernel: &Kernel, columns: &PlaneColumns, count: usize) {
        // SAFETY: the caller's contract.
        unsafe { legal_counts::in_words(columns, count) }
    }

    /// Like [`plane_counts`](Driver::plane_counts), of positions in columns of sets.
    #[inline(always)]
    unsafe fn column_counts(kernel: &Kernel, columns: &PieceColumns, count: usize) {
        // SAFETY: the caller's contract.
        unsafe { games::counts_in_columns_of_words(kernel, columns, count) }
    }

    /// Like [`plane_counts`](Driver::plane_counts), of positions in an array.
    #[inline(always)]
    unsafe fn array_counts(
        kernel: &Kernel,
        positions: *const GamePosition,
        moves: *mut u8,
        checks: *mut u8,
        count: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { games::counts_in_array_of_words(kernel, positions, [moves, checks], count) }
    }

    /// `checks[i]` = the checks and pins of both kings of `positions[i]`. May call other entries of
    /// the kernel.
    #[inline(always)]
    unsafe fn checks(
        _kernel: &Kernel,
        positions: *const Position,
        checks: *mut Checks,
        count: usize,
    ) {
        // SAFETY: the arrays are valid for `count` positions.
        unsafe { maps_and_checks::checks_one_by_one(positions, checks, count) }
    }

    /// Computes checks and pins in columns. Skips results whose columns are absent.
    ///
    /// # Safety
    /// See [`Driver`]. Present columns are valid for `count` boards, and no result overlaps another
    /// column.
    #[inline(always)]
    unsafe fn check_columns(_kernel: &Kernel, columns: &KingColumns, count: usize) {
        // SAFETY: the columns are valid for `count` boards.
        unsafe { positions::checks_one_by_one(columns, 0..count) }
    }
}
