//! Every call of a kernel's table, in lists: operations on batches, operations on a single board by
//! value, calls on mailboxes, and calls on columns. Each call has a name, arguments with roles,
//! documentation, and the code that computes it.
//!
//! The lists generate the table's fields, every kernel's entry points, the methods of
//! [`Kernel`](crate::Kernel), the functions at the crate's root, the tables of the C and C++
//! headers, and [`OPERATIONS`](crate::reflection::OPERATIONS) and
//! [`CALLS`](crate::reflection::CALLS), over which all tools iterate.
//!
//! | macro | expands to |
//! |---|---|
//! | `calls!(then with)` | `then! { [with] list { groups } ... }` with every list |
//! | `operations!(then with)` | the same with `batches` and `single_boards` only |
//! | `batches!(then with)` | `then! { [with] groups }` with the groups of this list |
//! | `single_boards!`, `mailboxes!`, `columns!` | the same with the groups of these lists |
//!
//! A call has this form:
//!
//! ```text
//! /// documentation
//! name[parameter: Type](inputs: roles) -> (outputs: roles) = body;
//! ```
//!
//! The order is that of the table's fields. A new call goes after all others, because within a
//! major version (before 1.0: a minor version) the table may only grow at its end. If the last list
//! is of another kind, start a new one: the names of lists and groups may repeat. The group
//! determines what the body is:
//!
//! | group | body |
//! |---|---|
//! | `boards` | an [`Operation`](crate::kernels::generic::operation::Operation), on vectors of whole boards |
//! | `sets` | a [`SlicedOperation`](crate::kernels::generic::operation::SlicedOperation), which also runs on rank slices |
//! | `rays` | a [`RayOperation`](crate::kernels::generic::rays::RayOperation), which takes a direction |
//! | `counts` | another operation: counts the squares of its result that are in the last input |
//! | `squares` | a [`FromSquare`](crate::kernels::generic::from_square::FromSquare): one slider per board |
//! | `lines` | like `squares`, along one line |
//! | `shared` | a function of [`shared`](crate::kernels::generic::shared), which all kernels use |
//! | `positions` | a method of [`Driver`](crate::kernels::generic::driver::Driver), on whole positions |
//! | `one` (single board) | a method of [`OneBoard`](crate::kernels::generic::one_board::OneBoard) |
//! | `side` (single board) | a method of [`OneBoard`](crate::kernels::generic::one_board::OneBoard), on one side's pieces and an occupancy |
//! | `threats` (mailboxes) | a field of [`Entries`](crate::kernels::generic::threats::Entries), of which each kernel has one |
//! | `maps` (columns) | a method of [`Driver`](crate::kernels::generic::driver::Driver), on positions in columns |
//! | `games` (columns) | the same, on positions with their states |
//! | `lists` (columns) | a field of [`Entries`](crate::kernels::generic::moves::Entries), of which each kernel has one |
//! | `arrays` (columns) | the same, on an array of positions with their states |
//!
//! A role says what an argument means. [`Role`](crate::reflection::Role) documents the roles of
//! operations, and [`element!`](crate::element) maps each of them to its element type. `Squares of
//! Rooks` are squares of sliders that move like rooks. [`mailbox_call!`](crate::mailbox_call) has
//! the roles of calls on mailboxes.
//!
//! To add an operation, write its entry here, its body in `generic`, its `const` form in
//! `src/board.rs` and its oracle in `crates/check/src/oracle.rs`. To add a call on mailboxes, write
//! its entry here, its body in `generic/threats/scan_all.rs`, its `const` form in
//! `src/board/threats.rs`, and its oracle in `crates/check/src/threats.rs`. Then run
//! `tools/check.sh generate` to update the generated files.

/// The element type of a role. Not part of the stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! element {
    (Count) => {
        u32
    };
    (Positions) => {
        $crate::position::Position
    };
    (AttackMaps) => {
        $crate::position::AttackMaps
    };
    (Checks) => {
        $crate::position::Checks
    };
    (Squares) => {
        $crate::Square
    };
    ($Set:ident) => {
        u64
    };
}

/// Calls another macro with the operations on batches: see the [module](self). Not part of the
/// stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! batches {
    ($then:ident $($with:tt)*) => {
        $crate::calls! { [$crate::lists_of] batches [$then $($with)*] }
    };
}

/// Calls another macro with the operations on a single board: see the [module](self). Not part of
/// the stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! single_boards {
    ($then:ident $($with:tt)*) => {
        $crate::calls! { [$crate::lists_of] single_boards [$then $($with)*] }
    };
}

/// Calls another macro with the operations of both lists: see the [module](self). Not part of the
/// stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    ($then:ident $($with:tt)*) => {
        $crate::calls! { [$crate::lists_of] operations [$then $($with)*] }
    };
}

/// Calls another macro with the calls on mailboxes: see the [module](self).
macro_rules! mailboxes {
    ($then:ident $($with:tt)*) => {
        $crate::calls! { [$crate::lists_of] mailboxes [$then $($with)*] }
    };
}
pub(crate) use mailboxes;

/// Calls another macro with the calls on columns: see the [module](self).
macro_rules! columns {
    ($then:ident $($with:tt)*) => {
        $crate::calls! { [$crate::lists_of] columns [$then $($with)*] }
    };
}
pub(crate) use columns;

/// Calls another macro with some of the lists, or with the groups of one kind of list.
#[doc(hidden)]
#[macro_export]
macro_rules! lists_of {
    ([$kind:ident $then:tt] $($lists:tt)*) => {
        $crate::lists_of! { @ $kind $then [] $($lists)* }
    };
    (@ operations $then:tt [$($kept:tt)*] batches $list:tt $($rest:tt)*) => {
        $crate::lists_of! { @ operations $then [$($kept)* batches $list] $($rest)* }
    };
    (@ operations $then:tt [$($kept:tt)*] single_boards $list:tt $($rest:tt)*) => {
        $crate::lists_of! { @ operations $then [$($kept)* single_boards $list] $($rest)* }
    };
    (@ batches $then:tt [$($kept:tt)*] batches { $($groups:tt)* } $($rest:tt)*) => {
        $crate::lists_of! { @ batches $then [$($kept)* $($groups)*] $($rest)* }
    };
    (@ single_boards $then:tt [$($kept:tt)*] single_boards { $($groups:tt)* } $($rest:tt)*) => {
        $crate::lists_of! { @ single_boards $then [$($kept)* $($groups)*] $($rest)* }
    };
    (@ mailboxes $then:tt [$($kept:tt)*] mailboxes { $($groups:tt)* } $($rest:tt)*) => {
        $crate::lists_of! { @ mailboxes $then [$($kept)* $($groups)*] $($rest)* }
    };
    (@ columns $then:tt [$($kept:tt)*] columns { $($groups:tt)* } $($rest:tt)*) => {
        $crate::lists_of! { @ columns $then [$($kept)* $($groups)*] $($rest)* }
    };
    // A list of another kind.
    (@ $kind:ident $then:tt $kept:tt $list:ident { $($groups:tt)* } $($rest:tt)*) => {
        $crate::lists_of! { @ $kind $then $kept $($rest)* }
    };
    (@ $kind:ident [$then:ident $($with:tt)*] [$($kept:tt)*]) => {
        $then! { [$($with)*] $($kept)* }
    };
}

/// Calls another macro with every list: see the [module](self). Not part of the stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! calls {
    ($then:ident $($with:tt)*) => { $crate::calls! { [$then] $($with)* } };
    ([$($then:tt)*] $($with:tt)*) => { $($then)*! { [$($with)*]
batches {
sets {
    /// `attacks[i]` = the squares attacked by all rooks of board `i`.
    ///
    /// Every rook also blocks, whether or not it is in `occupied`.
    ///
    /// ```
    /// let rooks = [1, 1 << 63];
    /// let occupied = [0, 1 << 60];
    /// let mut attacks = [0; 2];
    /// setwise::rook_attacks(&rooks, &occupied, &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
    /// ```
    ///
    /// An engine's own `#[repr(transparent)]` bitboards go through `bytemuck`:
    ///
    /// ```
    /// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    /// #[repr(transparent)]
    /// struct Bitboard(u64);
    ///
    /// let rooks = [Bitboard(1)];
    /// let occupied = [Bitboard(0)];
    /// let mut attacks = [Bitboard(0)];
    /// setwise::rook_attacks(
    ///     bytemuck::cast_slice(&rooks),
    ///     bytemuck::cast_slice(&occupied),
    ///     bytemuck::cast_slice_mut(&mut attacks),
    /// );
    /// assert_eq!(attacks[0].0, 0x0101_0101_0101_01fe);
    /// ```
    rook_attacks(rooks: Rooks, occupied: Occupied) -> (attacks: Set) = ROOK;

    /// `attacks[i]` = the squares attacked by all bishops of board `i`.
    ///
    /// Every bishop also blocks, whether or not it is in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::bishop_attacks(&[1], &[1 << 18], &mut attacks);
    /// assert_eq!(attacks, [1 << 9 | 1 << 18]);
    /// ```
    bishop_attacks(bishops: Bishops, occupied: Occupied) -> (attacks: Set) = BISHOP;

    /// `attacks[i]` = the squares attacked by all queens of board `i`.
    ///
    /// Every queen also blocks, whether or not it is in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A queen on a1, boxed in by its neighbours.
    /// setwise::queen_attacks(&[1], &[0x0103_0300], &mut attacks);
    /// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
    /// ```
    queen_attacks(queens: Queens, occupied: Occupied) -> (attacks: Set) = QUEEN;

    /// `attacks[i]` = the union of the rook attacks of `orthogonal[i]` (rooks and queens) and the
    /// bishop attacks of `diagonal[i]` (bishops and queens).
    ///
    /// All these sliders also block, whether or not they are in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::slider_attacks(&[1], &[4], &[0], &mut attacks); // rook a1, bishop c1
    /// assert_eq!(attacks[0] & 0xff, 0b110);
    /// ```
    slider_attacks(orthogonal: Rooks, diagonal: Bishops, occupied: Occupied)
        -> (attacks: Set) = Slider;

    /// The two halves of [`slider_attacks`](crate::slider_attacks) separately:
    /// `orthogonal_attacks[i]` = the rook attacks of `orthogonal[i]`, `diagonal_attacks[i]` = the
    /// bishop attacks of `diagonal[i]`.
    ///
    /// The sliders of both sets also block, whether or not they are in `occupied`.
    ///
    /// ```
    /// let (mut orthogonal, mut diagonal) = ([0], [0]);
    /// // A rook on a1, a bishop on c1.
    /// setwise::slider_attacks_split(&[1], &[4], &[0], &mut orthogonal, &mut diagonal);
    /// assert_eq!(orthogonal, [0x0101_0101_0101_0106]);
    /// assert_eq!(diagonal, [0x0000_8040_2011_0a00]);
    /// ```
    slider_attacks_split(orthogonal: Rooks, diagonal: Bishops, occupied: Occupied)
        -> (orthogonal_attacks: Set, diagonal_attacks: Set) = SliderSplit;
}
boards {
    /// `attacks[i]` = what rooks attack *through* a blocker.
    ///
    /// The definition is per ray. If the first occupied square of a rook's ray is in `blockers[i]`,
    /// the result contains the squares beyond it, up to and including the next occupied square.
    /// Otherwise the ray adds nothing. Squares that the rook attacks directly are in the result
    /// only if the x-ray of another rook reaches them. Empty squares in `blockers[i]` have no
    /// effect. Every rook also blocks, and may itself be a blocker (a battery).
    ///
    /// For one rook, this equals the well-known
    /// `attacks(occupied ^ (blockers & attacks(occupied))) ^ attacks(occupied)`. With several
    /// rooks, that formula lets a rook look through a piece that only another rook attacks.
    /// The definition per ray does not.
    ///
    /// Source: "X-ray Attacks (Bitboards)", Chess Programming Wiki.
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A rook on a1, its own pawns on c1 and a3, an enemy knight on f1.
    /// let (pawns, knight) = (1 << 2 | 1 << 16, 1 << 5);
    /// setwise::xray_rook_attacks(&[1], &[pawns], &[pawns | knight], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0100_0000 | 0b11_1000]); // a4 to a8; d1, e1 and the knight
    /// ```
    xray_rook_attacks(rooks: Rooks, blockers: Blockers, occupied: Occupied)
        -> (attacks: Set) = XRAY_ROOK;

    /// `attacks[i]` = what bishops attack *through* a blocker, as defined for
    /// [`xray_rook_attacks`](crate::xray_rook_attacks).
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A bishop on a1 looks through c3 as far as e5.
    /// setwise::xray_bishop_attacks(&[1], &[1 << 18], &[1 << 18 | 1 << 36], &mut attacks);
    /// assert_eq!(attacks, [1 << 27 | 1 << 36]);
    /// ```
    xray_bishop_attacks(bishops: Bishops, blockers: Blockers, occupied: Occupied)
        -> (attacks: Set) = XRAY_BISHOP;
}
sets {
    /// `attacks[i]` = what queens attack *through* a blocker, as defined for
    /// [`xray_rook_attacks`](crate::xray_rook_attacks).
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A queen on a1, boxed in by a2, b2 and b1; only b2 is a blocker.
    /// setwise::xray_queen_attacks(&[1], &[1 << 9], &[0x0302], &mut attacks);
    /// assert_eq!(attacks, [0x8040_2010_0804_0000]);
    /// ```
    xray_queen_attacks(queens: Queens, blockers: Blockers, occupied: Occupied)
        -> (attacks: Set) = XRAY_QUEEN;

    /// The pieces pinned to kings, and the sliders that pin them.
    ///
    /// `kings[i]` is the king of one side and `own[i]` its pieces (with or without the king).
    /// `orthogonal[i]` holds the other side's rooks and queens, `diagonal[i]` its bishops and
    /// queens. The definition is per ray of a king. If the first occupied square is in `own[i]` and
    /// the second holds a slider that moves along the ray, the first is in `pinned[i]` and the
    /// second in `pinners[i]`.
    ///
    /// All these pieces also block, whether or not they are in `occupied`. A board may have several
    /// kings.
    ///
    /// Source: "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki.
    ///
    /// ```
    /// let (mut pinned, mut pinners) = ([0], [0]);
    /// // King e1, own pawns e3 and d2; enemy rook e8, bishop a5, and a rook h1 that gives check.
    /// let (king, own) = (1 << 4, 1 << 20 | 1 << 11);
    /// let (rooks, bishop) = (1 << 60 | 1 << 7, 1 << 32);
    /// setwise::pins(&[king], &[own], &[rooks], &[bishop], &[0], &mut pinned, &mut pinners);
    /// assert_eq!(pinned, [own]);
    /// assert_eq!(pinners, [1 << 60 | 1 << 32]);
    /// ```
    pins(kings: Kings, own: Own, orthogonal: Rooks, diagonal: Bishops, occupied: Occupied)
        -> (pinned: Set, pinners: Set) = Pins;
}
rays {
    /// `attacks[i]` = the squares attacked in one direction on board `i`, up to and including the
    /// first occupied square.
    ///
    /// ```
    /// use setwise::Direction;
    /// let mut attacks = [0];
    /// setwise::ray_attacks(Direction::West, &[1 << 7], &[1 << 3], &mut attacks);
    /// assert_eq!(attacks, [0b0111_1000]);
    /// ```
    ray_attacks[direction: Direction](sliders: Sliders, occupied: Occupied) -> (attacks: Set) = Ray;

    /// `filled[i]` = the occluded fill: `generators[i]`, and the squares of `propagators[i]` that
    /// they reach by steps in this direction without leaving `propagators[i]`.
    ///
    /// ```
    /// use setwise::Direction;
    /// let mut filled = [0];
    /// setwise::occluded_fill(Direction::North, &[1], &[!(1 << 24)], &mut filled);
    /// assert_eq!(filled, [0x0001_0101]);
    /// ```
    occluded_fill[direction: Direction](generators: Generators, propagators: Propagators)
        -> (filled: Set) = Fill;
}
counts {
    /// `counts[i]` = the number of squares of `targets[i]` that the rooks of board `i` attack. A
    /// square attacked by two rooks counts once.
    ///
    /// ```
    /// let mut counts = [0];
    /// // A rook on a1. Its own pawn on a3 blocks and is not a target.
    /// setwise::rook_mobility(&[1], &[1 << 16], &[!(1 << 16)], &mut counts);
    /// assert_eq!(counts, [1 + 7]);
    /// ```
    rook_mobility(rooks: Rooks, occupied: Occupied, targets: Targets)
        -> (counts: Count) = rook_attacks;

    /// `counts[i]` = the number of squares of `targets[i]` that the bishops of board `i` attack.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::bishop_mobility(&[1], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [7]);
    /// ```
    bishop_mobility(bishops: Bishops, occupied: Occupied, targets: Targets)
        -> (counts: Count) = bishop_attacks;

    /// `counts[i]` = the number of squares of `targets[i]` that the queens of board `i` attack.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::queen_mobility(&[1 << 27], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [27]);
    /// ```
    queen_mobility(queens: Queens, occupied: Occupied, targets: Targets)
        -> (counts: Count) = queen_attacks;

    /// `counts[i]` = the number of squares of `targets[i]` that
    /// [`slider_attacks`](crate::slider_attacks) of board `i` contains.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::slider_mobility(&[1], &[4], &[0], &[0xff], &mut counts); // on the first rank only
    /// assert_eq!(counts, [2]);
    /// ```
    slider_mobility(orthogonal: Rooks, diagonal: Bishops, occupied: Occupied, targets: Targets)
        -> (counts: Count) = slider_attacks;
}
squares {
    /// `attacks[i]` = the squares attacked by a rook on `squares[i]` of board `i`.
    ///
    /// Whether the rook's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let squares = [Square::A1, Square::H8];
    /// let mut attacks = [0; 2];
    /// setwise::rook_attacks_from(&squares, &[0, 1 << 60], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
    /// ```
    ///
    /// `bytemuck` checks a slice of bytes and casts it to squares:
    ///
    /// ```
    /// let bytes = [0u8, 63];
    /// let mut attacks = [0; 2];
    /// let squares = bytemuck::checked::try_cast_slice(&bytes)?;
    /// setwise::rook_attacks_from(squares, &[0, 1 << 60], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
    /// # Ok::<(), bytemuck::checked::CheckedCastError>(())
    /// ```
    rook_attacks_from(squares: Squares of Rooks, occupied: Occupied) -> (attacks: Set) = ROOK;

    /// `attacks[i]` = the squares attacked by a bishop on `squares[i]` of board `i`.
    ///
    /// Whether the bishop's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let mut attacks = [0];
    /// setwise::bishop_attacks_from(&[Square::A1], &[1 << 18], &mut attacks);
    /// assert_eq!(attacks, [1 << 9 | 1 << 18]);
    /// ```
    bishop_attacks_from(squares: Squares of Bishops, occupied: Occupied) -> (attacks: Set) = BISHOP;

    /// `attacks[i]` = the squares attacked by a queen on `squares[i]` of board `i`.
    ///
    /// Whether the queen's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let mut attacks = [0];
    /// // A queen on a1, boxed in by its neighbours.
    /// setwise::queen_attacks_from(&[Square::A1], &[0x0103_0300], &mut attacks);
    /// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
    /// ```
    queen_attacks_from(squares: Squares of Queens, occupied: Occupied) -> (attacks: Set) = QUEEN;
}
lines {
    /// `attacks[i]` = the squares attacked along one line, in both directions, by a slider on
    /// `squares[i]` of board `i`.
    ///
    /// Whether the slider's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::{Line, Square};
    /// let mut attacks = [0];
    /// setwise::line_attacks_from(Line::Rank, &[Square::E1], &[0b0100_0010], &mut attacks);
    /// assert_eq!(attacks, [0b0110_1110]);
    /// ```
    line_attacks_from[line: Line](squares: Squares of Sliders, occupied: Occupied)
        -> (attacks: Set) = LineAttacks;
}
shared {
    /// `squares[i]` = the squares strictly between `a[i]` and `b[i]` on a rank, file, diagonal or
    /// antidiagonal. Empty if the two squares share no line. All kernels share this code.
    ///
    /// ```
    /// use setwise::Square;
    /// let square = |n| Square::new(n).unwrap();
    /// let mut squares = [0; 2];
    /// setwise::between(&[square(0), square(0)], &[square(27), square(28)], &mut squares);
    /// assert_eq!(squares, [1 << 9 | 1 << 18, 0]); // a1 to d4, a1 to e4
    /// ```
    between(a: Squares, b: Squares) -> (squares: Set) = between;

    /// `squares[i]` = the whole rank, file, diagonal or antidiagonal through `a[i]` and `b[i]`,
    /// from edge to edge, both included. Empty if the two squares share no line or are the same
    /// square. All kernels share this code.
    ///
    /// ```
    /// use setwise::Square;
    /// let square = |n| Square::new(n).unwrap();
    /// let mut squares = [0];
    /// setwise::line_through(&[square(9)], &[square(27)], &mut squares); // b2, d4
    /// assert_eq!(squares, [0x8040_2010_0804_0201]);
    /// ```
    line_through(a: Squares, b: Squares) -> (squares: Set) = line_through;
}
positions {
    /// `maps[i]` = the attacks of `positions[i]` by side and kind of piece, their unions, and the
    /// threats to more valuable pieces: see [`AttackMaps`](crate::position::AttackMaps).
    ///
    /// Every piece on the board blocks.
    ///
    /// ```
    /// use setwise::{Piece, Side};
    /// use setwise::position::{AttackMaps, Position};
    /// let mut position = Position::default();
    /// let [white, black] = &mut position.pieces;
    /// white[Piece::Pawn as usize] = 1 << 27; // d4
    /// black[Piece::Queen as usize] = 1 << 36; // e5
    /// let mut maps = [AttackMaps::default()];
    /// setwise::attack_maps(&[position], &mut maps);
    /// assert_eq!(maps[0].attacks[Side::White as usize][Piece::Pawn as usize], 1 << 34 | 1 << 36);
    /// assert_eq!(maps[0].by_lesser, [1 << 36, 0]); // the pawn attacks the queen
    /// ```
    attack_maps(positions: Positions) -> (maps: AttackMaps) = attack_maps;

    /// `checks[i]` = the checkers, pinned pieces and pinners of both kings of `positions[i]`: see
    /// [`Checks`](crate::position::Checks).
    ///
    /// Pins are defined as in [`pins`](crate::pins), for each king and the pieces of its side. A
    /// side may have several kings. An adjacent enemy king is not a checker.
    ///
    /// ```
    /// use setwise::Piece;
    /// use setwise::position::{Checks, Position};
    /// let mut position = Position::default();
    /// let [white, black] = &mut position.pieces;
    /// white[Piece::King as usize] = 1 << 4; // e1
    /// white[Piece::Knight as usize] = 1 << 20; // e3
    /// black[Piece::Rook as usize] = 1 << 60 | 1 << 7; // e8, h1
    /// let mut checks = [Checks::default()];
    /// setwise::checks(&[position], &mut checks);
    /// assert_eq!(checks[0].checkers, [1 << 7, 0]);
    /// assert_eq!(checks[0].pinned, [1 << 20, 0]);
    /// assert_eq!(checks[0].pinners, [1 << 60, 0]);
    /// ```
    checks(positions: Positions) -> (checks: Checks) = checks;
}
boards {
    /// `attacks[i]` = the squares attacked by all knights of board `i`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::knight_attacks(&[1], &mut attacks); // a1
    /// assert_eq!(attacks, [1 << 10 | 1 << 17]); // c2, b3
    /// ```
    knight_attacks(knights: Knights) -> (attacks: Set) = Knight;

    /// `attacks[i]` = the squares attacked by all kings of board `i`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::king_attacks(&[1], &mut attacks); // a1
    /// assert_eq!(attacks, [1 << 1 | 1 << 8 | 1 << 9]);
    /// ```
    king_attacks(kings: Kings) -> (attacks: Set) = King;

    /// `attacks[i]` = the squares attacked by all pawns of one side on board `i`: the two
    /// diagonally ahead, whether or not there is something to capture.
    ///
    /// ```
    /// use setwise::Side;
    /// let mut attacks = [0];
    /// setwise::pawn_attacks(Side::Black, &[1 << 48], &mut attacks); // a7
    /// assert_eq!(attacks, [1 << 41]); // b6
    /// ```
    pawn_attacks[side: Side](pawns: Pawns) -> (attacks: Set) = Pawn(side);
}
}
single_boards {
one {
    /// [`rook_attacks`](crate::rook_attacks) of one board.
    ///
    /// Uses the fastest one-board code for the kernel's instruction set. In most kernels this is
    /// [`board::rook_attacks`](crate::board::rook_attacks). A kernel's name describes only its code
    /// for batches.
    rook_attacks_one(rooks: Rooks, occupied: Occupied) -> (attacks: Set) = rook;
    /// [`bishop_attacks`](crate::bishop_attacks) of one board.
    bishop_attacks_one(bishops: Bishops, occupied: Occupied) -> (attacks: Set) = bishop;
    /// [`queen_attacks`](crate::queen_attacks) of one board.
    queen_attacks_one(queens: Queens, occupied: Occupied) -> (attacks: Set) = queen;
    /// [`slider_attacks`](crate::slider_attacks) of one board.
    slider_attacks_one(orthogonal: Rooks, diagonal: Bishops, occupied: Occupied)
        -> (attacks: Set) = slider;

    /// Attacks of a board's bishops, rooks and queens, each kind by itself.
    ///
    /// All these sliders also block, whether or not they are in `occupied`. One call costs less
    /// than a call for each kind.
    ///
    /// ```
    /// let kernel = setwise::Kernel::active();
    /// // A bishop on c1, a rook on a1, a queen on h1.
    /// let [bishops, rooks, queens] = kernel.sliders_by_kind_one(1 << 2, 1, 1 << 7, 0);
    /// assert_eq!(bishops, 0x0000_8040_2011_0a00);
    /// assert_eq!(rooks & 0xff, 0b0000_0110); // up to the bishop
    /// assert_eq!(queens & 0xff, 0b0111_1100);
    /// ```
    sliders_by_kind_one(bishops: Bishops, rooks: Rooks, queens: Queens, occupied: Occupied)
        -> (bishop_attacks: Set, rook_attacks: Set, queen_attacks: Set) = sliders_by_kind;
}
side {
    /// Attacks of one side's pieces, by kind, and their union.
    ///
    /// `pieces` holds the side's pawns, knights, bishops, rooks, queens and kings. The side's
    /// sliders also block, whether or not they are in `occupied`. Every other piece blocks only if
    /// it is in `occupied`. To find the squares that the enemy king cannot move to, remove that
    /// king from `occupied`. Otherwise it would shield the squares behind it.
    ///
    /// ```
    /// use setwise::{Kernel, Piece, Side};
    /// let mut black = [0; 6];
    /// black[Piece::Rook as usize] = 1 << 60; // e8
    /// let (e2, e3) = (1 << 12, 1 << 20); // White's king is on e3.
    /// let kernel = Kernel::active();
    /// let attacks = kernel.side_attacks_one(Side::Black, &black, black[3] | e3);
    /// assert_eq!(attacks.all & (e2 | e3), e3);
    /// let without_king = kernel.side_attacks_one(Side::Black, &black, black[3]);
    /// assert_eq!(without_king.attacks[Piece::Rook as usize] & (e2 | e3), e2 | e3);
    /// ```
    side_attacks_one[side: Side](
        pawns: Pawns, knights: Knights, bishops: Bishops, rooks: Rooks, queens: Queens,
        kings: Kings, occupied: Occupied
    ) -> (
        pawn_attacks: Set, knight_attacks: Set, bishop_attacks: Set, rook_attacks: Set,
        queen_attacks: Set, king_attacks: Set, all: Set
    ) = side_attacks;

    /// The squares that at least two pieces of one side attack.
    ///
    /// The arguments are those of [`side_attacks_one`](crate::Kernel::side_attacks_one). A slider
    /// behind another one does not attack through it. The six sets should be disjoint. If a square
    /// is in several sets, each kind of move from that square counts once: slides, steps of kings
    /// and pawns, and jumps of knights. So a rook and a queen on one square attack the squares of
    /// their file once, and a king and a queen attack their neighbours twice.
    ///
    /// ```
    /// use setwise::{Kernel, Piece, Side};
    /// let mut white = [0; 6];
    /// white[Piece::Pawn as usize] = 1 << 8 | 1 << 10; // a2, c2
    /// white[Piece::Rook as usize] = 1; // a1
    /// let twice = Kernel::active().doubly_attacked_one(Side::White, &white, 1 | 1 << 8 | 1 << 10);
    /// assert_eq!(twice, 1 << 17); // b3, by both pawns
    /// ```
    doubly_attacked_one[side: Side](
        pawns: Pawns, knights: Knights, bishops: Bishops, rooks: Rooks, queens: Queens,
        kings: Kings, occupied: Occupied
    ) -> (squares: Set) = doubly_attacked;
}
}
mailboxes {
threats {
    /// The threats that a move, capture or promotion changes: the piece on `from` goes to `to`,
    /// where it becomes `placed`. Whatever was on `to` vanishes.
    ///
    /// `before` is the board before the move. Call this before you write the board. It saves a
    /// copy, and a vector load that follows single-byte stores to the same bytes may have to wait
    /// for them.
    ///
    /// For castling and en passant use [`threats_edited`](crate::Kernel::threats_edited). If `from`
    /// holds no piece or is `to`, if `placed` is no piece, or if the captured piece has the code
    /// `placed`, the lists are still the difference, but in the order of `threats_edited`.
    ///
    /// ```
    /// use setwise::threats::{Changes, Rules};
    /// use setwise::{Kernel, Piece, Side, Square, board};
    /// let mut codes = [None; 16];
    /// codes[7] = Some((Side::White, Piece::Queen));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut mailbox = [0; 64];
    /// mailbox[Square::A1.index()] = 7;
    /// mailbox[Square::H8.index()] = 7;
    /// let mut changes = Changes::new();
    /// Kernel::active().threats_moved(&mailbox, Square::A1, Square::B1, 7, &rules, &mut changes);
    /// assert_eq!((changes.added().len(), changes.removed().len()), (0, 2));
    /// ```
    threats_moved(before: Mailbox, from: Square, to: Square, placed: Code, rules: Rules)
        -> (changes: Changes) = moved;

    /// The threats that change when up to four squares get other codes at once: castling, also that
    /// of Chess960, en passant, a piece put or taken.
    ///
    /// `before` is the board before the change. Call this before you write the board, as
    /// [`threats_moved`](crate::Kernel::threats_moved). The edits may have any order, and may leave
    /// a square as it is.
    ///
    /// # Panics
    /// If there are more than four edits, or two of the same square, before anything is written.
    ///
    /// ```
    /// use setwise::threats::{Changes, Rules};
    /// use setwise::{Kernel, Piece, Side, Square};
    /// let mut codes = [None; 16];
    /// codes[1] = Some((Side::White, Piece::King));
    /// codes[2] = Some((Side::White, Piece::Rook));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut board = [0; 64];
    /// (board[Square::E1.index()], board[Square::H1.index()]) = (1, 2);
    /// let castling = [(Square::E1, 0), (Square::F1, 2), (Square::G1, 1), (Square::H1, 0)];
    /// let mut changes = Changes::new();
    /// Kernel::active().threats_edited(&board, &castling, &rules, &mut changes);
    /// assert_eq!((changes.added().len(), changes.removed().len()), (2, 1));
    /// ```
    threats_edited(before: Mailbox, edits: Edits, rules: Rules) -> (changes: Changes) = edited;

    /// All threats of many boards. Those of board `i` are in `threats`, from `offsets[i]` up to,
    /// but not including, `offsets[i + 1]`.
    ///
    /// Returns the number of boards done. It is less than the number of boards if the threats of
    /// the next board do not fit into what is left of `threats`. Then call again with the other
    /// boards: room for 420 threats ([`MOST`](crate::threats::MOST)) is enough for any board. Only
    /// the offsets up to that of the number returned are written, and entries of `threats` that
    /// follow the last one may be overwritten.
    ///
    /// # Panics
    /// If `offsets` does not have exactly one element more than `boards`, before anything is
    /// written.
    ///
    /// ```
    /// use setwise::threats::{Rules, Threat};
    /// use setwise::{Kernel, Piece, Side};
    /// let mut codes = [None; 16];
    /// codes[1] = Some((Side::White, Piece::Rook));
    /// let rules = Rules::new(codes, [!0; 16]);
    /// let mut boards = [[0; 64]; 2];
    /// (boards[1][0], boards[1][7]) = (1, 1); // a1, h1
    /// let (mut offsets, mut threats) = ([0; 3], [Threat::default(); 8]);
    /// let done = Kernel::active().threats(&boards, &rules, &mut offsets, &mut threats);
    /// assert_eq!((done, offsets), (2, [0, 0, 2]));
    /// assert_eq!(threats[0], Threat { attacker: 1, from: 0, victim: 1, to: 7 });
    /// ```
    threats(boards: Mailboxes, rules: Rules) -> (offsets: Offsets, threats: Threats) = all;
}
}
columns {
maps {
    /// The [`attack_maps`](crate::attack_maps) of positions in columns, with results in columns.
    ///
    /// Results without a column are not computed, nor are intermediate values that only they need.
    /// If the sets are already in columns, this is faster than [`attack_maps`](crate::attack_maps)
    /// for about 64 positions or more, and slower for a few. (Of the kernels that do not slice
    /// positions, `ssse3`, `xop-emulated` and `hyperbola` are faster with `attack_maps`.)
    ///
    /// # Panics
    /// If the columns differ in length.
    ///
    /// ```
    /// use setwise::position::{AttackMapColumns, PositionColumns, attack_maps_in_columns};
    /// // Two positions: a white rook on a1 and a black king on h8; then the king alone.
    /// let (none, rooks, kings) = ([0, 0], [1, 0], [1 << 63, 1 << 63]);
    /// let white: [&[u64]; 6] = [&none, &none, &none, &rooks, &none, &none];
    /// let black: [&[u64]; 6] = [&none, &none, &none, &none, &none, &kings];
    /// let (mut rook_attacks, mut by_black) = ([0; 2], [0; 2]);
    /// let mut maps = AttackMapColumns::default();
    /// maps.attacks[0][3] = Some(&mut rook_attacks);
    /// maps.all[1] = Some(&mut by_black);
    /// attack_maps_in_columns(&PositionColumns { pieces: [white, black] }, &mut maps);
    /// assert_eq!(rook_attacks, [0x0101_0101_0101_01fe, 0]);
    /// assert_eq!(by_black, [0x40c0_0000_0000_0000; 2]);
    /// ```
    attack_maps_in_columns(columns: MapColumns) -> () = in_columns;
}
games {
    /// The number of legal moves of positions in columns of planes, and the number of pieces that
    /// give check.
    ///
    /// What the numbers mean, also for positions that no game can have, is as for
    /// [`legal_counts`](crate::legal_counts). A result without a column is not written. This is the
    /// fastest form: it reads 36 bytes per position.
    ///
    /// # Panics
    /// If the columns differ in length.
    ///
    /// ```
    /// use setwise::moves::{CountColumns, GamePlanes, StateColumns, legal_counts_in_planes};
    /// // White's king on e1, Black's on e8, and a rook on e7 that gives check.
    /// let (kings, rook) = (1 << 4 | 1 << 60, 1 << 52);
    /// let planes = GamePlanes {
    ///     planes: [&[1 << 4], &[0], &[kings | rook], &[kings]],
    ///     states: StateColumns { side: &[0], en_passant: &[64], castling: [&[0], &[0]] },
    /// };
    /// let (mut moves, mut checks) = ([0], [0]);
    /// let mut counts = CountColumns { moves: Some(&mut moves), checks: Some(&mut checks) };
    /// legal_counts_in_planes(&planes, &mut counts);
    /// assert_eq!((moves, checks), ([4], [1])); // d1, d2, f1, f2
    /// ```
    legal_counts_in_planes(columns: PlaneColumns) -> () = plane_counts;

    /// The number of legal moves of positions in columns of sets, and the number of pieces that
    /// give check.
    ///
    /// What the numbers mean, also for positions that no game can have, is as for
    /// [`legal_counts`](crate::legal_counts). A result without a column is not written.
    ///
    /// # Panics
    /// If the columns differ in length.
    ///
    /// ```
    /// use setwise::moves::{CountColumns, GameColumns, StateColumns, legal_counts_in_columns};
    /// use setwise::position::PositionColumns;
    /// // White's king on e1, Black's on e8, and a rook on e7 that gives check.
    /// let (none, rook) = ([0], [1 << 52]);
    /// let (white_king, black_king) = ([1 << 4], [1 << 60]);
    /// let white: [&[u64]; 6] = [&none, &none, &none, &none, &none, &white_king];
    /// let black: [&[u64]; 6] = [&none, &none, &none, &rook, &none, &black_king];
    /// let columns = GameColumns {
    ///     positions: PositionColumns { pieces: [white, black] },
    ///     states: StateColumns { side: &[0], en_passant: &[64], castling: [&[0], &[0]] },
    /// };
    /// let mut moves = [0];
    /// let mut counts = CountColumns { moves: Some(&mut moves), ..CountColumns::default() };
    /// legal_counts_in_columns(&columns, &mut counts);
    /// assert_eq!(moves, [4]); // d1, d2, f1, f2
    /// ```
    legal_counts_in_columns(columns: PieceColumns) -> () = column_counts;
}
arrays {
    /// The number of legal moves of each position, and the number of pieces that give check.
    ///
    /// `moves[i]` is 255 if there are 255 moves or more; no position of a game has more than 218.
    /// `checks[i]` is 0, 1 or 2. So a position is mate if `moves` is 0 and `checks` is 1
    /// or 2, and stalemate if both are 0.
    ///
    /// The rules are those of standard chess and of Chess960: pins, checks, castling, en passant,
    /// and promotions as four moves each. A castling right without its rook, or whose king is not
    /// on the first rank, counts for nothing, and so does an en passant square without the pawn
    /// that could be captured.
    ///
    /// Positions that no game can have get a result too, the same from all kernels. `checks[i]` is
    /// 255 and `moves[i]` is 0 if a side does not have exactly one king, if the kings are
    /// neighbours, if a pawn stands on the first or last rank, or if more than two pieces give
    /// check. All other positions are counted by the rules: whether the side that has just moved is
    /// in check makes no difference, and its king can be captured like any piece.
    /// [`GamePosition::fault`](crate::moves::GamePosition::fault) says what is wrong with a
    /// position. Where sets overlap, a square has the piece that
    /// [`Position::from_planes`](crate::position::Position::from_planes) finds there.
    ///
    /// # Panics
    /// If the slices differ in length, before anything is written.
    ///
    /// ```
    /// use setwise::moves::{GamePosition, State};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[0][5] = 1 << 4; // White's king on e1
    /// position.pieces[1][5] = 1 << 60; // Black's on e8
    /// position.pieces[1][3] = 1 << 52; // Black's rook on e7
    /// let (mut moves, mut checks) = ([0], [0]);
    /// let positions = [GamePosition::new(position, State::default())];
    /// setwise::legal_counts(&positions, &mut moves, &mut checks);
    /// assert_eq!((moves, checks), ([4], [1])); // d1, d2, f1, f2
    /// ```
    legal_counts(positions: Games) -> (moves: MoveCounts, checks: CheckCounts) = array_counts;
}
lists {
    /// The legal moves of many positions. Those of position `i` are in `moves`, from `offsets[i]`
    /// up to, but not including, `offsets[i + 1]`.
    ///
    /// Returns the number of positions done. It is less than the number of positions if the moves
    /// of the next one do not fit into what is left of `moves`. Then call again with the other
    /// positions: room for [`MOST`](crate::moves::MOST) moves is enough for any position of a game.
    /// Only the offsets up to that of the number returned are written, and elements of `moves` that
    /// follow the last one may be overwritten. Room for more than is needed saves time, but no more
    /// than 4,294,967,295 moves are written at once.
    ///
    /// The rules are those of [`legal_counts`](crate::legal_counts), and a position for which it
    /// finds that no game can have it has no moves.
    ///
    /// The order is the same for all kernels. Squares are counted from the first rank of the side
    /// to move, so for Black from a8. First come moves of pawns: two steps, one step, captures
    /// towards the a-file, captures towards the h-file, each by the square where they end. Then the
    /// king's steps, the moves of knights, and those of bishops, rooks and queens together, by the
    /// square where they begin, and then by that where they end. Then promotions by a step, by a
    /// capture towards the a-file and towards the h-file, by the square where they end, each to a
    /// knight, bishop, rook and queen. Then castling, by the rook's square, and captures en
    /// passant, by the square where they begin.
    ///
    /// # Panics
    /// If the columns differ in length, or there is not exactly one offset more than positions.
    ///
    /// ```
    /// use setwise::Square;
    /// use setwise::moves::{GamePlanes, Move, StateColumns, legal_moves_in_planes};
    /// // White's king on a1, Black's on h8, and a rook on b8.
    /// let (kings, rook) = (1 | 1 << 63, 1 << 57);
    /// let positions = GamePlanes {
    ///     planes: [&[1], &[0], &[kings | rook], &[kings]],
    ///     states: StateColumns { side: &[0], en_passant: &[64], castling: [&[0], &[0]] },
    /// };
    /// let (mut offsets, mut moves) = ([0; 2], [Move::default(); 218]);
    /// assert_eq!(legal_moves_in_planes(&positions, &mut offsets, &mut moves), 1);
    /// assert_eq!(offsets, [0, 1]);
    /// assert_eq!(moves[0], Move::new(Square::A1, Square::A2, None));
    /// ```
    legal_moves_in_planes(columns: PlaneColumns) -> (offsets: Offsets, moves: Moves) = lists;

    /// The positions after moves: result `n` is the position after `moves[n]`, which is a move of
    /// the position whose offsets enclose `n`, as
    /// [`legal_moves_in_planes`](crate::moves::legal_moves_in_planes) lists them.
    ///
    /// The en passant square is set if a pawn of the other side stands beside the pawn that has
    /// made two steps. Castling rights go when the king or the rook moves, or the rook is captured.
    ///
    /// Moves need not be legal: the piece goes where the move says, and what is there vanishes. A
    /// pawn captures en passant only if there is a pawn to capture.
    ///
    /// # Panics
    /// If the columns differ in length, if there is not exactly one offset more than positions, if
    /// an offset is less than the one before it or greater than the number of moves, or if there
    /// are not as many results as moves.
    ///
    /// ```
    /// use setwise::Square;
    /// use setwise::moves::{GamePlanes, GamePlanesMut, Move, StateColumns, successors_in_planes};
    /// // White's king on a1, Black's on h8.
    /// let kings = 1 | 1 << 63;
    /// let positions = GamePlanes {
    ///     planes: [&[1], &[0], &[kings], &[kings]],
    ///     states: StateColumns { side: &[0], en_passant: &[64], castling: [&[0], &[0]] },
    /// };
    /// let moves = [Move::new(Square::A1, Square::B1, None)];
    /// let [mut white, mut diagonal, mut orthogonal, mut others] = [[0]; 4];
    /// let [mut side, mut en_passant, mut short, mut long] = [[0]; 4];
    /// let mut after = GamePlanesMut {
    ///     planes: [&mut white, &mut diagonal, &mut orthogonal, &mut others],
    ///     side: &mut side,
    ///     en_passant: &mut en_passant,
    ///     castling: [&mut short, &mut long],
    /// };
    /// successors_in_planes(&positions, &[0, 1], &moves, &mut after);
    /// assert_eq!((white, side), ([2], [1]));
    /// ```
    successors_in_planes(columns: PlaneColumns, offsets: GivenOffsets, moves: GivenMoves)
        -> (after: AfterColumns) = after;
}
maps {
    /// The [`checks`](crate::checks) of positions in columns, with results in columns.
    ///
    /// Only the results that have a column are computed: checkers, or the pinned and their pinners.
    ///
    /// # Panics
    /// If the columns differ in length.
    ///
    /// ```
    /// use setwise::position::{CheckColumns, PositionColumns, checks_in_columns};
    /// // Two positions: a white rook on a1 and a black king on a8; then the king on h8.
    /// let (none, rooks, kings) = ([0, 0], [1, 1], [1 << 56, 1 << 63]);
    /// let white: [&[u64]; 6] = [&none, &none, &none, &rooks, &none, &none];
    /// let black: [&[u64]; 6] = [&none, &none, &none, &none, &none, &kings];
    /// let mut checkers = [0; 2];
    /// let mut checks = CheckColumns::default();
    /// checks.checkers[1] = Some(&mut checkers);
    /// checks_in_columns(&PositionColumns { pieces: [white, black] }, &mut checks);
    /// assert_eq!(checkers, [1, 0]);
    /// ```
    checks_in_columns(columns: KingColumns) -> () = check_columns;
}
}
    } };
}

/// Calls another macro with the arguments of a call on mailboxes in three forms:
///
/// ```text
/// then! { [with] [types in the table] [type that the table's function returns]
///     [arguments of the method] [checks] [arguments that the method passes] }
/// ```
///
/// Its roles: a board (`Mailbox`) or many (`Mailboxes`), a `Square`, a piece's `Code`, up to four
/// `Edits` (the function returns whether it accepts them), the `Rules`, both lists of `Changes`,
/// one offset more than boards (`Offsets`), and a slice of `Threats` (the function returns how many
/// boards it has done). `@next` takes the next argument, and has the name of the boards for checks.
macro_rules! mailbox_call {
    ($then:path [$($with:tt)*] $($arguments:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @next none [()] [[$then [$($with)*]] [] [] [] []] $($arguments)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Mailbox, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done
            [*const [u8; 64],] [$name: &[u8; 64],] [] [$name,] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Mailboxes, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $name $returned $done
            [*const [u8; 64], usize,] [$name: &[[u8; 64]],] []
            [$name.as_ptr(), $name.len(),] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Square, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done
            [u8,] [$name: $crate::Square,] [] [$name.number(),] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Code, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done [u8,] [$name: u8,] [] [$name,] $($rest)*
        }
    };
    (@next $boards:ident [()] $done:tt $name:ident: Edits, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards [bool] $done [*const $crate::kernels::geometry::threats::Edit, usize,]
            [$name: &[($crate::Square, u8)],] [let list = $crate::threats::checked($name);]
            [list.as_ptr(), $name.len(),] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Rules, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done
            [*const $crate::threats::Rules,] [$name: &$crate::threats::Rules,] [] [$name,] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Changes, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done
            [*mut $crate::threats::Changes,] [$name: &mut $crate::threats::Changes,] []
            [$name,] $($rest)*
        }
    };
    (@next $boards:ident $returned:tt $done:tt $name:ident: Offsets, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards $returned $done [*mut u32,] [$name: &mut [u32],]
            [$crate::threats::check_offsets($boards.len(), $name.len());]
            [$name.as_mut_ptr(),] $($rest)*
        }
    };
    (@next $boards:ident [()] $done:tt $name:ident: Threats, $($rest:tt)*) => {
        $crate::kernels::operations::mailbox_call! {
            @add $boards [usize] $done
            [*mut $crate::threats::Threat, usize,] [$name: &mut [$crate::threats::Threat],] []
            [$name.as_mut_ptr(), $name.len(),] $($rest)*
        }
    };
    // Appends an argument's four parts to the lists in `$done`.
    (@add $boards:ident $returned:tt
        [$then:tt [$($raw:tt)*] [$($typed:tt)*] [$($checks:tt)*] [$($passed:tt)*]]
        [$($new_raw:tt)*] [$($new_typed:tt)*] [$($new_checks:tt)*] [$($new_passed:tt)*]
        $($rest:tt)*
    ) => {
        $crate::kernels::operations::mailbox_call! {
            @next $boards $returned
            [$then [$($raw)* $($new_raw)*] [$($typed)* $($new_typed)*]
                [$($checks)* $($new_checks)*] [$($passed)* $($new_passed)*]]
            $($rest)*
        }
    };
    (@next $boards:ident $returned:tt [[$then:path [$($with:tt)*]] $raw:tt $($parts:tt)*]) => {
        $then! { [$($with)*] $raw $returned $($parts)* }
    };
}
pub(crate) use mailbox_call;
