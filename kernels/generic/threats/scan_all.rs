//! All threats of a board without byte shuffles.
//!
//! 1. Set-wise, for each ray: the pieces that attack one along that ray.
//! 2. A transposition makes a byte of rays of each square, from which the pairs (square, ray) are
//!    packed into a list.
//! 3. A loop over this list finds each victim by a bit scan.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::num::NonZeroU64;

use super::extract::{Codes, Extract, Words, swap};
use super::portable::{self, RAY_SETS};
use super::scan::{self, NEAR};
use super::view::{self, BoardThreats, ThreatSquares};
use super::{Entries, PACK, RAYS, edits};
use crate::kernels::geometry::threats::{Edit, MOST};
use crate::kernels::geometry::{Changes, Rules, Threat};

/// By ray: the mask for an exclusive or with squares. Rays to lower squares are scanned on a board
/// turned by half, so that the nearest square is always the lowest bit.
static TURNS: [u8; 8] = [0, 0, 0, 63, 63, 63, 63, 0];

/// By mask: the number of its bits.
static ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut mask = 0;
    while mask < 256 {
        ones[mask] = mask.count_ones() as u8;
        mask += 1;
    }
    ones
};

/// The squares that see an occupied square along a ray: from one step away, and from any distance.
/// Pieces do not block, as the nearest one is a victim, too.
#[inline(always)]
fn see<const RAY: usize>(occupied: u64) -> [u64; 2] {
    let (files, ranks) = const { RAYS[RAY] };
    let back = |set: u64, steps: i8| {
        let squares = steps * (8 * ranks + files);
        // The files from which the last of the steps stays on the board.
        let inside = match files {
            1 => 0xff >> steps,
            -1 => 0xff << steps & 0xff,
            _ => 0xff,
        };
        let set = if squares > 0 { set >> squares } else { set << -squares };
        set & inside * 0x0101_0101_0101_0101
    };
    let first = back(occupied, 1);
    let two = first | back(first, 1);
    let four = two | back(two, 2);
    [first, four | back(four, 4)]
}

/// Writes the threats of a board to the start of a list. Returns their number.
///
/// # Safety
/// The list has room for the threats of any board.
#[inline(always)]
unsafe fn board<E: Extract>(board: &[u8; 64], rules: &Rules, list: *mut u32) -> usize {
    let mut codes = Codes([0; 64]);
    let [white, black, knights, bishops, rooks, queens, kings] = E::kinds(board, rules, &mut codes);
    let (straight, diagonal) = (rooks | queens, bishops | queens);
    let (white, black) = (white | kings, black | kings);
    let occupied = straight | diagonal | white | black | knights;
    let attackers = |[first, all]: [u64; 2], sliders, steppers| all & sliders | first & steppers;
    let mut words = [
        attackers(see::<0>(occupied), straight, kings),
        attackers(see::<1>(occupied), diagonal, white),
        attackers(see::<2>(occupied), straight, kings),
        attackers(see::<3>(occupied), diagonal, black),
        attackers(see::<4>(occupied), straight, kings),
        attackers(see::<5>(occupied), diagonal, black),
        attackers(see::<6>(occupied), straight, kings),
        attackers(see::<7>(occupied), diagonal, white),
    ];
    let mut left = words.iter().fold(0, |any, set| any | set);
    // Bit f of byte r of word i goes to bit i of byte r of word f.
    for i in 0..4 {
        swap(&mut words, [i, i + 4], 4, 0x0f0f_0f0f_0f0f_0f0f);
    }
    for i in [0, 1, 4, 5] {
        swap(&mut words, [i, i + 2], 2, 0x3333_3333_3333_3333);
    }
    for i in [0, 2, 4, 6] {
        swap(&mut words, [i, i + 1], 1, 0x5555_5555_5555_5555);
    }
    let rays = words.map(u64::to_le_bytes);
    // The pairs, and room for the last eight that are stored.
    let mut pairs = [const { [MaybeUninit::<u8>::uninit(); MOST + 8] }; 2];
    let [of_ray, of_from] = pairs.each_mut().map(|list| list.as_mut_ptr().cast::<u8>());
    let mut found = 0;
    while left != 0 {
        let from = left.trailing_zeros() as usize;
        left &= left - 1;
        let mask = usize::from(rays[from % 8][from / 8]);
        // SAFETY: no board has more than `MOST` pairs.
        unsafe {
            of_ray.add(found).cast::<[u8; 8]>().write_unaligned(PACK.0[mask]);
            of_from.add(found).cast::<[u8; 8]>().write_unaligned([from as u8; 8]);
        }
        found += usize::from(ONES[mask]);
    }
    let turned = occupied.reverse_bits();
    let sets = [occupied, occupied, occupied, turned, turned, turned, turned, occupied];
    let mut count = 0;
    let mut push = |from: u8, to: u8| {
        // SAFETY: squares are below 64. The caller's contract.
        unsafe {
            let attacker = *codes.0.get_unchecked(usize::from(from));
            let victim = *codes.0.get_unchecked(usize::from(to));
            let threat = u32::from_le_bytes([attacker, from, victim, to]);
            list.add(count).write(threat.to_le());
            count += usize::from(rules.counts(attacker, victim));
        }
    };
    for i in 0..found {
        // SAFETY: `found` pairs are written, of squares below 64 and rays below 8. Each of these
        // squares sees a piece on its ray.
        let (from, to) = unsafe {
            let (ray, from) = (usize::from(*of_ray.add(i)), *of_from.add(i));
            // A turn by half makes each ray the opposite one.
            let turn = *TURNS.get_unchecked(ray);
            let rays = RAY_SETS.0.get_unchecked(usize::from(from ^ turn));
            let squares = rays.get_unchecked(ray ^ usize::from(turn & 4));
            let met = NonZeroU64::new_unchecked(squares & sets.get_unchecked(ray));
            (from, met.trailing_zeros() as u8 ^ turn)
        };
        push(from, to);
    }
    let mut left = knights;
    while left != 0 {
        let from = left.trailing_zeros() as u8;
        left &= left - 1;
        let mut victims = NEAR.0[usize::from(from)][1] & occupied;
        while victims != 0 {
            push(from, victims.trailing_zeros() as u8);
            victims &= victims - 1;
        }
    }
    count
}

/// [`board`] as second step.
struct Scan<E>(PhantomData<E>);

impl<E: Extract> BoardThreats for Scan<E> {
    #[inline(always)]
    unsafe fn squares(_: *const [u8; 64], _: &Rules, _: *mut ThreatSquares) -> usize {
        0
    }

    #[inline(always)]
    unsafe fn threats(
        codes: *const [u8; 64],
        rules: &Rules,
        _: *const ThreatSquares,
        _: usize,
        list: *mut u32,
    ) -> usize {
        // SAFETY: the caller's contract.
        unsafe { board::<E>(&*codes, rules, list) }
    }
}

/// The table's entries, from an [`Extract`] for the target's instruction set.
pub(crate) const fn entries<E: Extract>() -> Entries {
    // Not inlined into `several`: 8 KB.
    #[inline(never)]
    unsafe extern "C" fn one<E: Extract>(
        before: *const [u8; 64],
        from: u8,
        to: u8,
        placed: u8,
        rules: *const Rules,
        changes: *mut Changes,
    ) {
        // SAFETY: the table's contract.
        let (before, rules, changes) = unsafe { (&*before, &*rules, &mut *changes) };
        scan::moved::<E>(before, from, to, placed, rules, changes);
    }

    unsafe extern "C" fn several<E: Extract>(
        before: *const [u8; 64],
        list: *const Edit,
        count: usize,
        rules: *const Rules,
        changes: *mut Changes,
    ) -> bool {
        // SAFETY: the table's contract.
        let (before, rules, changes) = unsafe { (&*before, &*rules, &mut *changes) };
        // SAFETY: as above.
        let list = unsafe { portable::elements(list, count) };
        if let Some(change) = edits::as_move(before, list, rules) {
            let [from, to, placed] = change;
            // SAFETY: the table's contract.
            unsafe { one::<E>(before, from, to, placed, rules, changes) };
            edits::reorder(change, changes);
            return true;
        }
        scan::edited::<E>(before, list, rules, changes)
    }

    unsafe extern "C" fn boards<E: Extract>(
        boards: *const [u8; 64],
        count: usize,
        rules: *const Rules,
        offsets: *mut u32,
        threats: *mut Threat,
        capacity: usize,
    ) -> usize {
        // SAFETY: the table's contract.
        unsafe { view::all::<Scan<E>>(boards, count, &*rules, offsets, threats.cast(), capacity) }
    }

    Entries { moved: one::<E>, edited: several::<E>, all: boards::<E> }
}

/// The entries of the kernels that have no code of their own.
pub(crate) const PORTABLE: Entries = entries::<Words>();
