//! Exchanges on the view of a square: a capture takes a bit out of a 64-bit word, and the piece
//! behind it becomes the nearest by itself.

use core::mem::MaybeUninit;

use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

/// The view of the square of an exchange, one bit for each byte. The lanes are in the order of the
/// rays, and neither the mover nor what it takes is in the view.
///
/// The unsafe methods need the kernel's CPU features.
pub(crate) trait Exchange: Copy {
    /// The view of a square without the pieces on two squares.
    unsafe fn new(board: *const [u8; 64], square: u8, gone: [u8; 2], rules: &Rules) -> Self;
    /// The pieces.
    unsafe fn occupied(self) -> u64;
    /// The pieces that attack the square if nothing is in between.
    unsafe fn attackers(self) -> u64;
    /// Those of one kind: pawns (0) to queens (4).
    unsafe fn of<const KIND: usize>(self) -> u64;
    unsafe fn white(self, rules: &Rules) -> u64;
    /// Stores the codes of all bytes.
    unsafe fn store_codes(self, to: *mut [u8; 64]);
}

/// Byte 0 of each lane, which is a knight's jump.
const JUMPS: u64 = 0x0101_0101_0101_0101;

/// The square of the piece that a move takes, if there is one: `to`, except en passant.
#[inline(always)]
pub(crate) const fn taken_by(mover: u8, from: u8, to: u8, occupied: bool) -> u8 {
    let pawn = mover & (kind::WHITE_PAWN | kind::BLACK_PAWN) != 0;
    let changes_file = (from ^ to) & 7 != 0;
    #[allow(clippy::needless_bitwise_bool, reason = "only en passant is rare enough to predict")]
    let en_passant = pawn & changes_file & !occupied;
    if en_passant { from & 0x38 | to & 7 } else { to }
}

/// See [`Kernel::exchange_wins`](crate::Kernel::exchange_wins).
///
/// # Safety
/// The table's contract, and that of `Exchange`.
#[inline(always)]
pub(crate) unsafe fn exchange<E: Exchange>(
    board: *const [u8; 64],
    (from, to): (u8, u8),
    values: *const [i32; 16],
    threshold: i32,
    rules: &Rules,
) -> bool {
    // SAFETY: the caller's contract: squares are below 64 and codes below 16.
    let (code, value) = unsafe {
        (
            |square: u8| board.cast::<u8>().add(usize::from(square)).read() & 15,
            |code: u8| i64::from(values.cast::<i32>().add(usize::from(code)).read()),
        )
    };
    let (from, to) = (from & 63, to & 63);
    let mover = code(from);
    let taken = taken_by(rules.kind(mover), from, to, rules.kind(code(to)) != 0);
    if rules.kind(mover) == 0 {
        return threshold <= 0;
    }
    let taken_code = code(taken);
    // A mask, because whether a move captures is unpredictable.
    let gain = value(taken_code) & -i64::from(rules.kind(taken_code) != 0);
    // What the side to move must gain, here to thwart the move. If nothing, it need not capture.
    let mut needed = gain - i64::from(threshold) + 1;
    if needed <= 0 {
        return false;
    }
    let mut on_square = value(mover);
    // Even if the mover is lost.
    if on_square - needed < 0 {
        return true;
    }
    // SAFETY: the caller's contract. The codes are below 16.
    unsafe {
        let view = E::new(board, to, [from, taken], rules);
        // No early exit without attackers: one more unpredictable branch (1.06x the time, Zen 5).
        let mut attackers = view.attackers();
        let white = view.white(rules);
        let mut codes = MaybeUninit::<[u8; 64]>::uninit();
        view.store_codes(codes.as_mut_ptr());
        let mut rays = view.occupied() & !JUMPS;
        let mut side = if rules.white >> mover & 1 == 1 { !white } else { white };
        let mut result = false;
        loop {
            // The lowest bit of each byte. Bit 7 stops the borrow.
            let shifted = rays >> 1;
            let nearest = (shifted & !((shifted | JUMPS << 7) - JUMPS)) << 1;
            let attacking = (nearest | JUMPS) & attackers;
            let own = attacking & side;
            if own == 0 {
                return !result;
            }
            // Unrolled by hand, so that each kind is a constant. All kinds at once (the bits of a
            // lane transposed by `gf2p8affineqb`) and the least by conditional moves: 0.95x the
            // time where results are unpredictable, 1.6x where they are not (Zen 5).
            let mut least = own & view.of::<0>();
            if least == 0 {
                least = own & view.of::<1>();
            }
            if least == 0 {
                least = own & view.of::<2>();
            }
            if least == 0 {
                least = own & view.of::<3>();
            }
            if least == 0 {
                least = own & view.of::<4>();
            }
            if least == 0 {
                if attacking & !side != 0 {
                    return !result;
                }
                least = own;
            }
            let bit = least & least.wrapping_neg();
            (rays, attackers) = (rays & !bit, attackers & !bit);
            needed = on_square - needed + 1;
            result = !result;
            if needed <= 0 {
                return result;
            }
            side = !side;
            on_square = value(*codes.as_ptr().cast::<u8>().add(bit.trailing_zeros() as usize));
        }
    }
}
