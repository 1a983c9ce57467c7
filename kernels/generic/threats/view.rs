//! The view of a square: the 64 bytes of a board, permuted so that each ray is one 64-bit lane.
//!
//! Byte 0 of a lane is one of the eight knight's jumps, bytes 1 to 7 are the squares one to seven
//! steps away. The kinds of the pieces are one bit each. So `lane & -lane`, without byte 0, leaves
//! one bit, which is at once the place and the kind of the nearest piece. Whether it attacks the
//! square, or is attacked from there, is a test of the lane against a constant [`Patterns`].
//!
//! Source: 87flowers, "Byteboard attack tables". The nearest piece by `lane & -lane`, a move as one
//! difference and the lists are this project's own.

use super::edits::{Edited, is_degenerate};
use super::portable::{degenerate, elements, sliders, steppers};
use super::{JUMPS, OFF, RAYS, step};
use crate::kernels::geometry::threats::{Edit, List, kind};
use crate::kernels::geometry::{Changes, Rules};
use core::mem::MaybeUninit;

/// The rays in the order of [`Direction`](crate::Direction).
pub(crate) const IN_ORDER: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// By square: the squares of its view, [`OFF`] for bytes off the board. `order[i]` is the ray in
/// lane `i`.
pub(crate) const fn view_squares(order: [usize; 8]) -> [[u8; 64]; 64] {
    let mut squares = [[OFF; 64]; 64];
    let mut i = 0;
    while i < 64 * 64 {
        let (square, lane, steps) = (i / 64, i % 64 / 8, i % 8);
        squares[square][i % 64] = if steps == 0 {
            step(square as u8, JUMPS[order[lane]], 1)
        } else {
            step(square as u8, RAYS[order[lane]], steps as i8)
        };
        i += 1;
    }
    squares
}

/// Constants for the bytes of a view. A lane that has a common bit with one of them passes its
/// test.
#[repr(C, align(64))]
pub(crate) struct Patterns {
    /// By the trailing zeros of a kind: where such a piece on the viewed square attacks.
    pub(crate) attacked: [[u8; 64]; 8],
    /// The kinds that attack the viewed square from this byte of a ray.
    pub(crate) attackers: [u8; 64],
    /// A knight at a jump.
    pub(crate) knights: [u8; 64],
    /// The kinds that slide along the ray.
    pub(crate) sliders: [u8; 64],
    /// Any piece on a ray.
    pub(crate) pieces: [u8; 64],
}

/// All kinds, without [`kind::BLOCKER`].
const PIECES: u8 = !kind::BLOCKER;

pub(crate) const fn patterns(order: [usize; 8]) -> Patterns {
    let mut patterns = Patterns {
        attacked: [[0; 64]; 8],
        attackers: [0; 64],
        knights: [0; 64],
        sliders: [0; 64],
        pieces: [0; 64],
    };
    let mut i = 0;
    while i < 64 {
        let (ray, steps) = (order[i / 8], i % 8);
        if steps == 0 {
            patterns.knights[i] = kind::KNIGHT;
            patterns.attacked[kind::KNIGHT.trailing_zeros() as usize][i] = PIECES;
        } else {
            patterns.pieces[i] = PIECES;
            patterns.sliders[i] = sliders(ray);
            patterns.attackers[i] = sliders(ray) | if steps == 1 { steppers(ray ^ 4) } else { 0 };
            let attacking = sliders(ray) | if steps == 1 { steppers(ray) } else { 0 };
            let mut bit = 0;
            while bit < 7 {
                if attacking >> bit & 1 == 1 {
                    patterns.attacked[bit][i] = PIECES;
                }
                bit += 1;
            }
        }
        i += 1;
    }
    patterns
}

/// The view of a square: for each byte its square, its code and its kind (0 off the board).
#[derive(Clone, Copy)]
pub(crate) struct View<B> {
    pub(crate) squares: B,
    pub(crate) codes: B,
    pub(crate) kinds: B,
}

/// The 64 bytes of a view, in vector registers.
///
/// The unsafe methods share this contract: the CPU has the kernel's features, pointers to lists are
/// valid for the vectors that are stored, squares are below 64 and codes below 16.
pub(crate) trait Bytes: Copy {
    /// Whether a move's threats are stored when all are computed. Otherwise, loads of constants
    /// wait for stores to lists at the same place of another page: up to 2.4x the time (AVX-512,
    /// Zen 4). Only with registers for all.
    const STORE_LAST: bool = false;

    /// The nearest piece of each ray and the jumps, as a kernel wants them for its lists.
    type Entries: Copy;
    /// Compressed vectors of threats, and their lengths.
    type Direct: Copy;
    type Through: Copy;

    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self>;
    /// Puts a byte where `squares` is `square`.
    unsafe fn put(self, squares: Self, square: u8, byte: u8) -> Self;
    /// The lowest bit of each lane, without byte 0.
    unsafe fn nearest(self) -> Self;
    /// The entries of a view. `nearest` is that of its kinds.
    unsafe fn entries(view: View<Self>, nearest: Self) -> Self::Entries;
    /// The threats of a piece (its code and square) on the viewed square and those on it, if they
    /// count. `nearest` may have blockers that the entries do not have.
    unsafe fn direct<const FILTER: bool>(
        view: View<Self>,
        nearest: Self,
        entries: Self::Entries,
        piece: (u8, u8),
        rules: &Rules,
    ) -> Self::Direct;
    /// The threats of sliders through the viewed square, if they count.
    unsafe fn through<const FILTER: bool>(
        nearest: Self,
        entries: Self::Entries,
        rules: &Rules,
    ) -> Self::Through;
    /// Stores the threats of the piece, then those on it by ray, then those by knights. Returns
    /// their number.
    unsafe fn store_direct(threats: Self::Direct, list: *mut u32) -> usize;
    /// Stores the threats by the slider's ray. Returns their number.
    unsafe fn store_through(threats: Self::Through, list: *mut u32) -> usize;
}

/// See [`Kernel::threats_edited`](crate::Kernel::threats_edited).
///
/// # Safety
/// The table's contract, and that of `Bytes`.
#[inline(always)]
pub(crate) unsafe fn edited<B: Bytes>(
    before: *const [u8; 64],
    list: *const Edit,
    count: usize,
    rules: &Rules,
    changes: *mut Changes,
) -> bool {
    // SAFETY: the table's contract, and that of `Bytes`. The codes are below 16 and the squares
    // below 64.
    unsafe {
        let before = &*before;
        let Some(edited) = Edited::new(before, elements(list, count), rules) else { return false };
        let (changed, pieces) = (edited.changed, edited.pieces.map(|set| set & edited.changed));
        let lists = [&raw mut (*changes).removed, &raw mut (*changes).added];
        for (board, pieces, list) in
            [(before, pieces[0], lists[0]), (&edited.after, pieces[1], lists[1])]
        {
            let (list, end) = List::parts(list);
            let (mut count, mut left) = (0, changed);
            while left != 0 {
                let (square, bit) = (left.trailing_zeros(), left & left.wrapping_neg());
                left ^= bit;
                let view = B::view(board, square as u8, rules);
                // Threats of several of the squares are those of the first.
                let (before, is_piece) = (changed & (bit - 1), pieces & bit != 0);
                let mut hidden = if is_piece { pieces & before } else { pieces | before };
                let mut kinds = view.kinds;
                while hidden != 0 {
                    kinds = kinds.put(view.squares, hidden.trailing_zeros() as u8, kind::BLOCKER);
                    hidden &= hidden - 1;
                }
                let (view, near, list) = (View { kinds, ..view }, kinds.nearest(), list.add(count));
                let entries = B::entries(view, near);
                count += if is_piece {
                    let code = board.get_unchecked(square as usize) & 15;
                    let piece = (code, square as u8);
                    B::store_direct(B::direct::<true>(view, near, entries, piece, rules), list)
                } else {
                    B::store_through(B::through::<true>(near, entries, rules), list)
                };
            }
            *end = count as u32;
        }
        true
    }
}

/// Whether a move captures. Degenerate moves are done here, and the result is `None`.
///
/// # Safety
/// The table's contract.
#[inline(always)]
pub(crate) unsafe fn captures(
    before: *const [u8; 64],
    from: u8,
    to: u8,
    placed: u8,
    rules: &Rules,
    changes: *mut Changes,
) -> Option<bool> {
    // SAFETY: the table's contract. The squares are below 64.
    unsafe {
        let (from, to, placed) = (from & 63, to & 63, placed & 15);
        let [mover, captured] =
            [from, to].map(|square| before.cast::<u8>().add(usize::from(square)).read() & 15);
        if is_degenerate(from, to, [mover, placed, captured], rules) {
            degenerate(&*before, from, to, placed, rules, &mut *changes);
            return None;
        }
        Some(rules.is_piece(captured))
    }
}

/// The changes of a move that is not degenerate.
///
/// # Safety
/// The table's contract, and that of `Bytes`. `CAPTURES` is true if the move captures, `FILTER` if
/// not every pair counts.
#[inline(always)]
pub(crate) unsafe fn moved_piece<B: Bytes, const FILTER: bool, const CAPTURES: bool>(
    before: *const [u8; 64],
    from: u8,
    to: u8,
    placed: u8,
    rules: &Rules,
    changes: *mut Changes,
) {
    // SAFETY: the table's contract, and that of `Bytes`. The codes are below 16 and the squares
    // below 64.
    unsafe {
        let (from, to, placed) = (from & 63, to & 63, placed & 15);
        let code = |square: u8| before.cast::<u8>().add(usize::from(square)).read() & 15;
        let at_from = B::view(before, from, rules);
        let at_to = B::view(before, to, rules);
        // The threats between `from` and `to` before the move are those of the mover; so in the
        // view of each square for other threats, the other square only blocks.
        let near_from = at_from.kinds.nearest();
        let beyond_from = at_from.kinds.put(at_from.squares, to, kind::BLOCKER).nearest();
        let left = View { kinds: at_to.kinds.put(at_to.squares, from, 0), ..at_to };
        let near_to = left.kinds.nearest();
        let beyond_to = at_to.kinds.put(at_to.squares, from, kind::BLOCKER).nearest();
        let from_entries = B::entries(at_from, near_from);
        let to_entries = B::entries(left, near_to);

        let (removed, removed_count) = List::parts(&raw mut (*changes).removed);
        let (added, added_count) = List::parts(&raw mut (*changes).added);
        let mover = (code(from), from);
        let lost = || B::direct::<FILTER>(at_from, near_from, from_entries, mover, rules);
        let captured = (code(to), to);
        let taken = || B::direct::<FILTER>(left, beyond_to, to_entries, captured, rules);
        let closed = || B::through::<FILTER>(beyond_to, to_entries, rules);
        let gained = || B::direct::<FILTER>(left, near_to, to_entries, (placed, to), rules);
        let opened = || B::through::<FILTER>(beyond_from, from_entries, rules);
        let (removals, additions);
        if B::STORE_LAST {
            let (lost, gained, opened) = (lost(), gained(), opened());
            if CAPTURES {
                let taken = taken();
                let count = B::store_direct(lost, removed);
                removals = count + B::store_direct(taken, removed.add(count));
            } else {
                let closed = closed();
                let count = B::store_direct(lost, removed);
                removals = count + B::store_through(closed, removed.add(count));
            }
            let count = B::store_direct(gained, added);
            additions = count + B::store_through(opened, added.add(count));
        } else {
            let count = B::store_direct(lost(), removed);
            let list = removed.add(count);
            removals = count
                + if CAPTURES {
                    B::store_direct(taken(), list)
                } else {
                    B::store_through(closed(), list)
                };
            let count = B::store_direct(gained(), added);
            additions = count + B::store_through(opened(), added.add(count));
        }
        *removed_count = removals as u32;
        *added_count = additions as u32;
    }
}

/// A list for the threats of one board, with room for the vectors that are stored after the last.
pub(crate) type Scratch = MaybeUninit<[u32; 448]>;

/// The squares of the attackers of a board's threats, then those of the victims, with room for the
/// vectors that are stored after the last.
pub(crate) type ThreatSquares = MaybeUninit<[[u8; 512]; 2]>;

/// All threats of a board, in two steps. Code without vectors does all in the second.
///
/// The methods share this contract: the CPU has the kernel's features.
pub(crate) trait BoardThreats {
    /// Stores the squares of all threats, and at least 15 zeros after them, because the threats of
    /// a vector that ends there are stored as well. They must not be what the stack held. Returns
    /// the number of threats.
    unsafe fn squares(board: *const [u8; 64], rules: &Rules, squares: *mut ThreatSquares) -> usize;
    /// Stores those of these threats that count and returns their number. May store up to 15
    /// entries more.
    unsafe fn threats(
        board: *const [u8; 64],
        rules: &Rules,
        squares: *const ThreatSquares,
        count: usize,
        list: *mut u32,
    ) -> usize;
}

/// See [`Kernel::threats`](crate::Kernel::threats).
///
/// The squares of a board are stored before those of the board before it are loaded. Otherwise the
/// loads, which cross the stores, would wait: 0.92x the time with AVX2 (Zen 3).
///
/// # Safety
/// The table's contract, and that of `BoardThreats`.
#[inline(always)]
pub(crate) unsafe fn all<B: BoardThreats>(
    boards: *const [u8; 64],
    count: usize,
    rules: &Rules,
    offsets: *mut u32,
    threats: *mut u32,
    capacity: usize,
) -> usize {
    // SAFETY: the caller's contract. A board has at most 420 threats.
    unsafe {
        offsets.write(0);
        // The offsets have 32 bits.
        let capacity = capacity.min(u32::MAX as usize);
        let mut squares = [ThreatSquares::uninit(); 2];
        let mut scratch = Scratch::uninit();
        let scratch = scratch.as_mut_ptr().cast::<u32>();
        let (mut found, mut end) = (0, 0);
        // In step `i`, the squares of board `i` and the threats of the board before it.
        for i in 0..=count {
            let mut next = 0;
            if i < count {
                next = B::squares(boards.add(i), rules, &raw mut squares[i % 2]);
            }
            if i > 0 {
                let fits = capacity - end >= 435;
                let list = if fits { threats.add(end) } else { scratch };
                let squares = &raw const squares[(i + 1) % 2];
                let kept = B::threats(boards.add(i - 1), rules, squares, found, list);
                if !fits {
                    if kept > capacity - end {
                        return i - 1;
                    }
                    list.copy_to(threats.add(end), kept);
                }
                end += kept;
                offsets.add(i).write(end as u32);
            }
            found = next;
        }
        count
    }
}

/// Defines a constant of the table's entries, from an implementation of [`Bytes`] and one of
/// [`BoardThreats`].
macro_rules! view_entries {
    ($name:ident: $Bytes:ident, $Boards:ident, $features:literal) => {
        use $crate::kernels::generic::threats::{Entries, scan_all::PORTABLE, view};
        use $crate::kernels::geometry::{Changes, Rules, Threat, threats::Edit};

        #[allow(clippy::needless_update, reason = "a new call has the portable code at first")]
        pub(super) const $name: Entries = Entries {
            moved: entries::moved,
            edited: entries::edited,
            all: entries::all,
            ..PORTABLE
        };

        mod entries {
            use super::{Changes, Edit, Rules, Threat, view, $Boards, $Bytes};
            use $crate::kernels::generic::threats::view::view_entries;

            view_entries!(@ changes $Bytes, $features);

            #[target_feature(enable = $features)]
            pub(super) unsafe extern "C" fn all(
                boards: *const [u8; 64],
                count: usize,
                rules: *const Rules,
                offsets: *mut u32,
                threats: *mut Threat,
                capacity: usize,
            ) -> usize {
                // SAFETY: the table's contract; this function enables the CPU features.
                unsafe {
                    view::all::<$Boards>(boards, count, &*rules, offsets, threats.cast(), capacity)
                }
            }

        }
    };
    (@ changes $Bytes:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        pub(super) unsafe extern "C" fn moved(
            before: *const [u8; 64],
            from: u8,
            to: u8,
            placed: u8,
            rules: *const Rules,
            changes: *mut Changes,
        ) {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe {
                let rules = &*rules;
                let Some(captures) =
                    view::captures(before, from, to, placed, rules, changes)
                else {
                    return;
                };
                // Four functions, because one has to save registers and finds mispredicted captures
                // later: 1.05x the time with every pair, 1.17x with a network's (AVX-512, Zen 4).
                match (rules.every != 0, captures) {
                    (true, false) => piece::<false, false>(before, from, to, placed, rules, changes),
                    (true, true) => piece::<false, true>(before, from, to, placed, rules, changes),
                    (false, false) => piece::<true, false>(before, from, to, placed, rules, changes),
                    (false, true) => piece::<true, true>(before, from, to, placed, rules, changes),
                }
            }
        }

        #[inline(never)]
        #[target_feature(enable = $features)]
        unsafe extern "C" fn piece<const FILTER: bool, const CAPTURES: bool>(
            before: *const [u8; 64],
            from: u8,
            to: u8,
            placed: u8,
            rules: *const Rules,
            changes: *mut Changes,
        ) {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe {
                view::moved_piece::<$Bytes, FILTER, CAPTURES>(
                    before, from, to, placed, &*rules, changes,
                );
            }
        }

        #[target_feature(enable = $features)]
        pub(super) unsafe extern "C" fn edited(
            before: *const [u8; 64],
            edits: *const Edit,
            count: usize,
            rules: *const Rules,
            changes: *mut Changes,
        ) -> bool {
            // SAFETY: the table's contract; this function enables the CPU features.
            unsafe { view::edited::<$Bytes>(before, edits, count, &*rules, changes) }
        }
    };
}
pub(crate) use view_entries;
