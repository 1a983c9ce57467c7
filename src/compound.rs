//! What else engines ask for: attacks in two sets, x-rays, pins, lines, mobility; as methods of a kernel
//! and, at the crate's root, of the active one.

use crate::dispatch::check_lengths;
use crate::{Kernels, Square, board};

/// Generates an operation twice: the method of a kernel, and the function at the crate's root.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        fn $operation:ident($($input:ident: $set:ty),*; $($output:ident: $result:ty),*);
    )*) => {
        impl Kernels {
            $(
                #[doc = concat!("See [`", stringify!($operation), "`](crate::", stringify!($operation), ").")]
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[inline]
                #[track_caller]
                #[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
                pub fn $operation(&self, $($input: &[$set],)* $($output: &mut [$result]),*) {
                    check_lengths!([$($output),*], $($input),*);
                    let boards = [$($output.len()),*][0];
                    // SAFETY: the lengths are equal, no slice overlaps a mutable one, and `self` proves
                    // that the CPU can run this kernel.
                    unsafe {
                        (self.table().$operation)(
                            $($input.as_ptr().cast(),)*
                            $($output.as_mut_ptr(),)*
                            boards,
                        );
                    }
                }
            )*
        }

        $(
            $(#[$doc])*
            ///
            /// # Panics
            /// As [`rook_attacks`](crate::rook_attacks).
            #[inline]
            #[track_caller]
            pub fn $operation($($input: &[$set],)* $($output: &mut [$result]),*) {
                Kernels::active().$operation($($input,)* $($output),*);
            }
        )*
    };
}

operations! {
    /// The two halves of [`slider_attacks`](crate::slider_attacks) separately, for up to twice its time:
    /// `orthogonal_attacks[i]` = rook attacks of `orthogonal[i]`, `diagonal_attacks[i]` = bishop
    /// attacks of `diagonal[i]`; by the active kernel.
    ///
    /// The sliders of both sets block; they need not be in `occupied`.
    ///
    /// ```
    /// let (mut orthogonal, mut diagonal) = ([0], [0]);
    /// // A rook on a1, a bishop on c1.
    /// setwise::slider_attacks_split(&[1], &[4], &[0], &mut orthogonal, &mut diagonal);
    /// assert_eq!(orthogonal, [0x0101_0101_0101_0106]);
    /// assert_eq!(diagonal, [0x0000_8040_2011_0a00]);
    /// ```
    fn slider_attacks_split(
        orthogonal: u64, diagonal: u64, occupied: u64;
        orthogonal_attacks: u64, diagonal_attacks: u64
    );

    /// `attacks[i]` = what rooks attack *through* a blocker, by the active kernel.
    ///
    /// Said per ray: where the first occupied square of a rook's ray is one of `blockers[i]`, the squares
    /// beyond it are attacked, up to and with the next occupied square. What the rook attacks directly is
    /// not in the result (unless another rook's x-ray reaches it), and a ray whose first
    /// occupied square is no blocker adds nothing. Squares of `blockers` that are not occupied mean nothing.
    /// Every rook also blocks, and may itself be a blocker (a battery: rook behind rook).
    ///
    /// For one rook this is the classical
    /// `attacks(occupied ^ (blockers & attacks(occupied))) ^ attacks(occupied)`. With several, that formula
    /// mixes their rays; this does not.
    ///
    /// Source: "X-ray Attacks (Bitboards)", Chess Programming Wiki.
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A rook on a1, own pawns on c1 and a3, a foreign knight on f1.
    /// let (pawns, knight) = (1 << 2 | 1 << 16, 1 << 5);
    /// setwise::xray_rook_attacks(&[1], &[pawns], &[pawns | knight], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0100_0000 | 0b11_1000]); // a4 to a8; d1, e1 and the knight
    /// ```
    fn xray_rook_attacks(rooks: u64, blockers: u64, occupied: u64; attacks: u64);

    /// `attacks[i]` = what bishops attack *through* a blocker, by the active kernel; the meaning is that
    /// of [`xray_rook_attacks`].
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A bishop on a1, looking through c3 as far as e5.
    /// setwise::xray_bishop_attacks(&[1], &[1 << 18], &[1 << 18 | 1 << 36], &mut attacks);
    /// assert_eq!(attacks, [1 << 27 | 1 << 36]);
    /// ```
    fn xray_bishop_attacks(bishops: u64, blockers: u64, occupied: u64; attacks: u64);

    /// `attacks[i]` = what queens attack *through* a blocker, by the active kernel; the meaning is that
    /// of [`xray_rook_attacks`].
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A queen on a1, shut in by a2, b2 and b1, of which only b2 is looked through.
    /// setwise::xray_queen_attacks(&[1], &[1 << 9], &[0x0302], &mut attacks);
    /// assert_eq!(attacks, [0x8040_2010_0804_0000]);
    /// ```
    fn xray_queen_attacks(queens: u64, blockers: u64, occupied: u64; attacks: u64);

    /// The pieces pinned to kings, and those that pin them, by the active kernel.
    ///
    /// `kings[i]` and `own[i]` are the king and the pieces of one side (the king may be among them),
    /// `orthogonal[i]` and `diagonal[i]` the other side's rooks and queens, bishops and queens. Said per
    /// ray of a king: if the first occupied square is in `own` and the next one holds a
    /// slider that moves along the ray, the first is in `pinned[i]` and the second in `pinners[i]`.
    ///
    /// All sets passed also block; they need not be in `occupied`. Several kings on a board are
    /// each looked at.
    ///
    /// Source: "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki.
    ///
    /// ```
    /// let (mut pinned, mut pinners) = ([0], [0]);
    /// // King e1, own pawns e3 and d2; foreign rook e8, bishop a5, and a rook h1 that gives check.
    /// let (king, own) = (1 << 4, 1 << 20 | 1 << 11);
    /// let (rooks, bishop) = (1 << 60 | 1 << 7, 1 << 32);
    /// setwise::pins(&[king], &[own], &[rooks], &[bishop], &[0], &mut pinned, &mut pinners);
    /// assert_eq!(pinned, [own]);
    /// assert_eq!(pinners, [1 << 60 | 1 << 32]);
    /// ```
    fn pins(
        kings: u64, own: u64, orthogonal: u64, diagonal: u64, occupied: u64;
        pinned: u64, pinners: u64
    );
}

/// Generates an operation on pairs of squares twice, as above; it is the same in every kernel.
macro_rules! pairs {
    ($(
        $(#[$doc:meta])*
        fn $operation:ident;
    )*) => {
        impl Kernels {
            $(
                #[doc = concat!("See [`", stringify!($operation), "`](crate::", stringify!($operation), ").")]
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[track_caller]
                pub fn $operation(&self, a: &[Square], b: &[Square], squares: &mut [u64]) {
                    check_lengths!(squares, a, b);
                    for ((squares, a), b) in squares.iter_mut().zip(a).zip(b) {
                        *squares = board::$operation(*a, *b);
                    }
                }
            )*
        }

        $(
            $(#[$doc])*
            ///
            /// # Panics
            /// As [`rook_attacks`](crate::rook_attacks).
            #[inline]
            #[track_caller]
            pub fn $operation(a: &[Square], b: &[Square], squares: &mut [u64]) {
                Kernels::active().$operation(a, b, squares);
            }
        )*
    };
}

pairs! {
    /// `squares[i]` = the squares strictly between `a[i]` and `b[i]` on a rank, file, diagonal or
    /// antidiagonal; empty if they share none. The same in every kernel.
    ///
    /// ```
    /// use setwise::Square;
    /// let square = |n| Square::new(n).unwrap();
    /// let mut squares = [0; 2];
    /// setwise::between(&[square(0), square(0)], &[square(27), square(28)], &mut squares);
    /// assert_eq!(squares, [1 << 9 | 1 << 18, 0]); // a1 to d4, a1 to e4
    /// ```
    fn between;

    /// `squares[i]` = the whole rank, file, diagonal or antidiagonal through `a[i]` and `b[i]`, from edge to
    /// edge and with both; empty if they share none or are the same square. The same in every kernel.
    ///
    /// ```
    /// use setwise::Square;
    /// let square = |n| Square::new(n).unwrap();
    /// let mut squares = [0];
    /// setwise::line_through(&[square(9)], &[square(27)], &mut squares); // b2, d4
    /// assert_eq!(squares, [0x8040_2010_0804_0201]);
    /// ```
    fn line_through;
}

/// Boards whose attacks are on the stack between being computed and being counted.
const CHUNK: usize = 256;

/// Generates a mobility operation twice, as above.
macro_rules! mobilities {
    ($(
        $(#[$doc:meta])*
        fn $operation:ident = $attacks:ident($($set:ident),*);
    )*) => {
        impl Kernels {
            $(
                #[doc = concat!("See [`", stringify!($operation), "`](crate::", stringify!($operation), ").")]
                ///
                /// # Panics
                /// If the slices differ in length, before anything is written.
                #[track_caller]
                pub fn $operation(&self, $($set: &[u64],)* targets: &[u64], counts: &mut [u32]) {
                    check_lengths!([counts], $($set,)* targets);
                    let mut attacks = [0; CHUNK];
                    let mut done = 0;
                    while done < counts.len() {
                        let boards = CHUNK.min(counts.len() - done);
                        // SAFETY: `boards` are left in every slice, no slice overlaps a mutable one,
                        // and `self` proves that the CPU can run this kernel.
                        unsafe {
                            (self.table().$attacks)($($set.as_ptr().add(done),)* attacks.as_mut_ptr(), boards);
                            (self.table().intersection_counts)(
                                attacks.as_ptr(),
                                targets.as_ptr().add(done),
                                counts.as_mut_ptr().add(done),
                                boards,
                            );
                        }
                        done += boards;
                    }
                }
            )*
        }

        $(
            $(#[$doc])*
            ///
            /// # Panics
            /// As [`rook_attacks`](crate::rook_attacks).
            #[inline]
            #[track_caller]
            pub fn $operation($($set: &[u64],)* targets: &[u64], counts: &mut [u32]) {
                Kernels::active().$operation($($set,)* targets, counts);
            }
        )*
    };
}

mobilities! {
    /// `counts[i]` = how many squares of `targets[i]` all rooks of board `i` attack together, by the
    /// active kernel. (A square that two rooks attack counts once.)
    ///
    /// ```
    /// let mut counts = [0];
    /// // A rook on a1, an own pawn on a3, which is no target.
    /// setwise::rook_mobility(&[1], &[1 << 16], &[!(1 << 16)], &mut counts);
    /// assert_eq!(counts, [1 + 7]);
    /// ```
    fn rook_mobility = rook_attacks(rooks, occupied);

    /// `counts[i]` = how many squares of `targets[i]` all bishops of board `i` attack together, by the
    /// active kernel.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::bishop_mobility(&[1], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [7]);
    /// ```
    fn bishop_mobility = bishop_attacks(bishops, occupied);

    /// `counts[i]` = how many squares of `targets[i]` all queens of board `i` attack together, by the
    /// active kernel.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::queen_mobility(&[1 << 27], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [27]);
    /// ```
    fn queen_mobility = queen_attacks(queens, occupied);

    /// `counts[i]` = how many squares of `targets[i]` are in
    /// [`slider_attacks`](crate::slider_attacks) of board `i`, by the active kernel.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::slider_mobility(&[1], &[4], &[0], &[0xff], &mut counts); // on the first rank only
    /// assert_eq!(counts, [2]);
    /// ```
    fn slider_mobility = slider_attacks(orthogonal, diagonal, occupied);
}
