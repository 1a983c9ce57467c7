//! What runs the operations of a kernel over batches of any length.

use super::from_square::FromSquare;
use super::one_board::OneBoard;
use super::operation::{Operation, SlicedOperation};
use super::rays::{Along, RayOperation};
use super::streaming::Streaming;
use crate::kernels::geometry::{AttackMaps, Direction, Position};

/// The functions of a batch, one for each group of the list of operations.
///
/// They share this contract: the CPU has what the driver needs; every pointer is valid for `boards` elements (of any
/// alignment); an output may be exactly one of the inputs of its type, but overlaps nothing else.
pub(crate) trait Driver {
    /// How one board is computed.
    type One: OneBoard;

    /// How long batches are written, if ordinary stores are not the best way.
    const STREAMING: Option<&'static Streaming> = None;

    /// `outputs[..][i] = op(inputs[..][i])`.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn boards<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    );

    /// The same, in rank slices where the driver has them.
    ///
    /// # Safety
    /// See [`Driver`].
    #[inline(always)]
    unsafe fn sets<Op: SlicedOperation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { Self::boards(op, inputs, outputs, boards) }
    }

    /// The operation along a direction.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn rays<Op: RayOperation>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    );

    /// `attacks[i]` = the attacks of a slider on `squares[i]`, of which the low six bits count.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    );

    /// The same along one line.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn line_squares(
        along: Along,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    );

    /// `maps[i]` = the attacks of the pieces of `positions[i]`.
    ///
    /// # Safety
    /// See [`Driver`].
    unsafe fn attack_maps(positions: *const Position, maps: *mut AttackMaps, count: usize);
}
