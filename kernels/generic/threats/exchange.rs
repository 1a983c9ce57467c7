//! Exchanges on the view of a square: a capture takes a bit out of a 64-bit word, and the piece
//! behind it becomes the nearest by itself.

use core::mem::MaybeUninit;

use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

/// The view of the square of an exchange, one bit for each byte. The lanes are in the order of the
/// rays, and neither the mover nor what it takes is in the view.
pub(crate) struct Slots {
    /// The pieces.
    pub(crate) occupied: u64,
    /// From pawn to king: the pieces that attack the square if nothing is in between.
    pub(crate) attackers: [u64; 6],
    pub(crate) white: u64,
    pub(crate) codes: MaybeUninit<[u8; 64]>,
}

/// Byte 0 of each lane, which is a knight's jump.
const JUMPS: u64 = 0x0101_0101_0101_0101;

/// The square of the piece that a move takes, if there is one: `to`, except en passant.
#[inline(always)]
pub(crate) const fn taken_by(mover: u8, from: u8, to: u8, occupied: bool) -> u8 {
    let pawn = mover & (kind::WHITE_PAWN | kind::BLACK_PAWN) != 0;
    if pawn && (from ^ to) & 7 != 0 && !occupied { from & 0x38 | to & 7 } else { to }
}

/// See [`Kernel::exchange_wins`](crate::Kernel::exchange_wins). `slots` computes the view of `to`
/// without the pieces on two squares.
///
/// # Safety
/// The table's contract. The view's codes at attackers are initialised and below 16.
#[inline(always)]
pub(crate) unsafe fn exchange(
    board: *const [u8; 64],
    (from, to): (u8, u8),
    values: *const [i32; 16],
    threshold: i32,
    rules: &Rules,
    slots: impl FnOnce(u8, [u8; 2]) -> Slots,
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
    let gain = if rules.kind(taken_code) == 0 { 0 } else { value(taken_code) };
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
    let slots = slots(to, [from, taken]);
    let [_, knights, ..] = slots.attackers;
    let attackers = slots.attackers.iter().fold(0, |all, some| all | some);
    let (mut rays, mut jumps) = (slots.occupied & !JUMPS, knights & JUMPS);
    let mut side = if rules.white >> mover & 1 == 1 { !slots.white } else { slots.white };
    let mut result = false;
    loop {
        // The lowest bit of each byte. Bit 7 stops the borrow.
        let shifted = rays >> 1;
        let nearest = (shifted & !((shifted | JUMPS << 7) - JUMPS)) << 1;
        let attacking = (nearest | jumps) & attackers;
        let own = attacking & side;
        let mut least = 0;
        for kind in 0..6 {
            least = own & slots.attackers[kind];
            if least != 0 {
                if kind == 5 && attacking & !side != 0 {
                    least = 0;
                }
                break;
            }
        }
        if least == 0 {
            return !result;
        }
        let bit = least & least.wrapping_neg();
        (rays, jumps) = (rays & !bit, jumps & !bit);
        needed = on_square - needed + 1;
        result = !result;
        if needed <= 0 {
            return result;
        }
        side = !side;
        // SAFETY: the view has the codes of its pieces.
        on_square = unsafe {
            let codes = slots.codes.as_ptr().cast::<u8>();
            value(codes.add(bit.trailing_zeros() as usize).read())
        };
    }
}
