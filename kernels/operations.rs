//! The list of operations: every one that every kernel has, with its meaning, inputs and outputs, and what computes it.
//!
//! From this list come the fields of the table, the shells of every kernel, the methods of [`Kernels`](crate::Kernels), the
//! functions at the crate's root, and what tests, benchmarks and the command line walk.
//! `operations!(then with)` expands to `then! { [with] the list }`, without the group `positions`, whose arguments are no columns of words;
//! `operations!(all then with)` has that, too. A line is
//!
//! ```text
//! /// documentation
//! name [index: Type] (inputs: types) -> (outputs: types) = body;
//! ```
//!
//! and the groups are: `sets`, by an [`Operation`](crate::kernels::generic::operation::Operation) on sets; `rays`, by one that
//! takes a direction; `counts`, how many squares of the last
//! input are in the output of another operation; `squares`, by a [`FromSquare`](crate::kernels::generic::from_square::FromSquare); `pairs`, by a
//! function of [`pairs`](crate::kernels::generic::pairs); `one`, an operation of `sets` on one board, by value; `positions`,
//! by an [`OnPosition`](crate::kernels::generic::maps::OnPosition).
//!
//! To add an operation: its line here, its body in `generic`, its `const` form in `src/board.rs`, its oracle in `crates/measure/src/walk.rs`
//! (and if an argument has a new name, its role in `tests/runner/operations.rs`). Then, and whenever the documentation here changes,
//! `SETWISE_WRITE_HEADER=1 cargo test -p setwise-capi --test header` writes the C header.

/// See the [module](self). Not part of the stable interface.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    (all $then:ident $($with:tt)*) => { $crate::operations! { @list $then [$($with)*] {
positions {
    /// `maps[i]` = what every kind of piece of both sides of `positions[i]` attacks, the unions, and the threats to greater pieces: see
    /// [`AttackMaps`](crate::AttackMaps).
    ///
    /// Everything that stands on the board blocks.
    ///
    /// ```
    /// use setwise::{AttackMaps, Piece, Position, Side};
    /// let mut position = Position::default();
    /// let [white, black] = &mut position.pieces;
    /// white[Piece::Pawn as usize] = 1 << 27; // d4
    /// black[Piece::Queen as usize] = 1 << 36; // e5
    /// let mut maps = [AttackMaps::default()];
    /// setwise::attack_maps(&[position], &mut maps);
    /// assert_eq!(maps[0].attacks[Side::White as usize][Piece::Pawn as usize], 1 << 34 | 1 << 36);
    /// assert_eq!(maps[0].threats, [1 << 36, 0]); // the pawn attacks the queen
    /// ```
    attack_maps(positions: Position) -> (maps: AttackMaps) = Maps;

    /// `checks[i]` = what gives check to each king of `positions[i]`, what is pinned to it, and what pins that: see
    /// [`Checks`](crate::Checks).
    ///
    /// Pins are those of [`pins`](crate::pins), of each king with the pieces of its side. Several kings of a side are each looked at.
    ///
    /// ```
    /// use setwise::{Checks, Piece, Position};
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
    checks(positions: Position) -> (checks: Checks) = ChecksAndPins;
}
    } } };
    (@list $then:ident [$($with:tt)*] { $($more:tt)* }) => { $then! { [$($with)*]
sets {
    /// `attacks[i]` = the squares attacked by all rooks of board `i`.
    ///
    /// Every rook also blocks; it need not be in `occupied`.
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
    rook_attacks(rooks: u64, occupied: u64) -> (attacks: u64) = Rook;

    /// `attacks[i]` = the squares attacked by all bishops of board `i`.
    ///
    /// Every bishop also blocks; it need not be in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::bishop_attacks(&[1], &[1 << 18], &mut attacks);
    /// assert_eq!(attacks, [1 << 9 | 1 << 18]);
    /// ```
    bishop_attacks(bishops: u64, occupied: u64) -> (attacks: u64) = Bishop;

    /// `attacks[i]` = the squares attacked by all queens of board `i`.
    ///
    /// Every queen also blocks; it need not be in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::queen_attacks(&[1], &[0x0103_0300], &mut attacks); // a1, shut in by its neighbours
    /// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
    /// ```
    queen_attacks(queens: u64, occupied: u64) -> (attacks: u64) = Queen;

    /// `attacks[i]` = rook attacks of `orthogonal[i]` united with bishop attacks of `diagonal[i]`: rooks and queens in the
    /// first, bishops and queens in the second.
    ///
    /// All of them also block; they need not be in `occupied`.
    ///
    /// ```
    /// let mut attacks = [0];
    /// setwise::slider_attacks(&[1], &[4], &[0], &mut attacks); // rook a1, bishop c1
    /// assert_eq!(attacks[0] & 0xff, 0b110);
    /// ```
    slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> (attacks: u64) = Slider;

    /// The two halves of [`slider_attacks`](crate::slider_attacks) separately: `orthogonal_attacks[i]` = rook attacks of
    /// `orthogonal[i]`, `diagonal_attacks[i]` = bishop attacks of `diagonal[i]`.
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
    slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64)
        -> (orthogonal_attacks: u64, diagonal_attacks: u64) = SliderSplit;

    /// `attacks[i]` = what rooks attack *through* a blocker.
    ///
    /// Said per ray: where the first occupied square of a rook's ray is one of `blockers[i]`, the squares
    /// beyond it are attacked, up to and with the next occupied square. What the rook attacks directly is
    /// not in the result (unless another rook's x-ray reaches it), and a ray whose first
    /// occupied square is no blocker adds nothing. Squares of `blockers` that are not occupied mean nothing.
    /// Every rook also blocks, and may itself be a blocker (a battery: rook behind rook).
    ///
    /// For one rook this is the classical
    /// `attacks(occupied ^ (blockers & attacks(occupied))) ^ attacks(occupied)`. With several, that formula
    /// lets one rook look through what only another one attacks; the definition by rays does not.
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
    xray_rook_attacks(rooks: u64, blockers: u64, occupied: u64) -> (attacks: u64) = XRAY_ROOK;

    /// `attacks[i]` = what bishops attack *through* a blocker; the meaning is that
    /// of [`xray_rook_attacks`](crate::xray_rook_attacks).
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A bishop on a1, looking through c3 as far as e5.
    /// setwise::xray_bishop_attacks(&[1], &[1 << 18], &[1 << 18 | 1 << 36], &mut attacks);
    /// assert_eq!(attacks, [1 << 27 | 1 << 36]);
    /// ```
    xray_bishop_attacks(bishops: u64, blockers: u64, occupied: u64) -> (attacks: u64) = XRAY_BISHOP;

    /// `attacks[i]` = what queens attack *through* a blocker; the meaning is that
    /// of [`xray_rook_attacks`](crate::xray_rook_attacks).
    ///
    /// ```
    /// let mut attacks = [0];
    /// // A queen on a1, shut in by a2, b2 and b1, of which only b2 is looked through.
    /// setwise::xray_queen_attacks(&[1], &[1 << 9], &[0x0302], &mut attacks);
    /// assert_eq!(attacks, [0x8040_2010_0804_0000]);
    /// ```
    xray_queen_attacks(queens: u64, blockers: u64, occupied: u64) -> (attacks: u64) = XRAY_QUEEN;

    /// The pieces pinned to kings, and those that pin them.
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
    pins(kings: u64, own: u64, orthogonal: u64, diagonal: u64, occupied: u64)
        -> (pinned: u64, pinners: u64) = Pins;
}
rays {
    /// `attacks[i]` = the squares attacked in one direction on board `i`, up to and with the first occupied square.
    ///
    /// ```
    /// use setwise::Direction;
    /// let mut attacks = [0];
    /// setwise::ray_attacks(Direction::West, &[1 << 7], &[1 << 3], &mut attacks);
    /// assert_eq!(attacks, [0b0111_1000]);
    /// ```
    ray_attacks[direction: Direction](sliders: u64, occupied: u64) -> (attacks: u64) = Ray;

    /// `filled[i]` = the smallest set that contains `generators[i]`, and with a square also the next one
    /// in that direction if it is on the board and in `propagators[i]`.
    ///
    /// ```
    /// use setwise::Direction;
    /// let mut filled = [0];
    /// setwise::occluded_fill(Direction::North, &[1], &[!(1 << 24)], &mut filled);
    /// assert_eq!(filled, [0x0001_0101]);
    /// ```
    occluded_fill[direction: Direction](generators: u64, propagators: u64) -> (filled: u64) = Fill;
}
counts {
    /// `counts[i]` = how many squares of `targets[i]` all rooks of board `i` attack together. (A square that two rooks
    /// attack counts once.)
    ///
    /// ```
    /// let mut counts = [0];
    /// // A rook on a1, an own pawn on a3, which is no target.
    /// setwise::rook_mobility(&[1], &[1 << 16], &[!(1 << 16)], &mut counts);
    /// assert_eq!(counts, [1 + 7]);
    /// ```
    rook_mobility(rooks: u64, occupied: u64, targets: u64) -> (counts: u32) = rook_attacks;

    /// `counts[i]` = how many squares of `targets[i]` all bishops of board `i` attack together.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::bishop_mobility(&[1], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [7]);
    /// ```
    bishop_mobility(bishops: u64, occupied: u64, targets: u64) -> (counts: u32) = bishop_attacks;

    /// `counts[i]` = how many squares of `targets[i]` all queens of board `i` attack together.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::queen_mobility(&[1 << 27], &[0], &[!0], &mut counts);
    /// assert_eq!(counts, [27]);
    /// ```
    queen_mobility(queens: u64, occupied: u64, targets: u64) -> (counts: u32) = queen_attacks;

    /// `counts[i]` = how many squares of `targets[i]` are in [`slider_attacks`](crate::slider_attacks) of board `i`.
    ///
    /// ```
    /// let mut counts = [0];
    /// setwise::slider_mobility(&[1], &[4], &[0], &[0xff], &mut counts); // on the first rank only
    /// assert_eq!(counts, [2]);
    /// ```
    slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64)
        -> (counts: u32) = slider_attacks;
}
squares {
    /// `attacks[i]` = the squares attacked by a rook on `squares[i]` of board `i`.
    ///
    /// Whether the rook's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let squares = [Square::new(0).unwrap(), Square::new(63).unwrap()]; // a1, h8
    /// let mut attacks = [0; 2];
    /// setwise::rook_attacks_from(&squares, &[0, 1 << 60], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
    /// ```
    ///
    /// Squares that are bytes elsewhere are checked all at once by `bytemuck`:
    ///
    /// ```
    /// let bytes = [0u8, 63];
    /// let mut attacks = [0; 2];
    /// let squares = bytemuck::checked::try_cast_slice(&bytes)?;
    /// setwise::rook_attacks_from(squares, &[0, 1 << 60], &mut attacks);
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe, 0x7080_8080_8080_8080]);
    /// # Ok::<(), bytemuck::checked::CheckedCastError>(())
    /// ```
    rook_attacks_from(squares: Square, occupied: u64) -> (attacks: u64) = RookFrom;

    /// `attacks[i]` = the squares attacked by a bishop on `squares[i]` of board `i`.
    ///
    /// Whether the bishop's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let mut attacks = [0];
    /// setwise::bishop_attacks_from(&[Square::new(0).unwrap()], &[1 << 18], &mut attacks);
    /// assert_eq!(attacks, [1 << 9 | 1 << 18]);
    /// ```
    bishop_attacks_from(squares: Square, occupied: u64) -> (attacks: u64) = BishopFrom;

    /// `attacks[i]` = the squares attacked by a queen on `squares[i]` of board `i`.
    ///
    /// Whether the queen's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::Square;
    /// let mut attacks = [0];
    /// // a1, shut in by its neighbours.
    /// setwise::queen_attacks_from(&[Square::new(0).unwrap()], &[0x0103_0300], &mut attacks);
    /// assert_eq!(attacks, [0x0000_0000_0000_03fe]);
    /// ```
    queen_attacks_from(squares: Square, occupied: u64) -> (attacks: u64) = QueenFrom;

    /// `attacks[i]` = the squares attacked along one line, both ways, by a slider on `squares[i]` of board `i`.
    ///
    /// Whether the slider's own square is in `occupied` makes no difference.
    ///
    /// ```
    /// use setwise::{Line, Square};
    /// let mut attacks = [0];
    /// setwise::line_attacks_from(Line::Rank, &[Square::new(4).unwrap()], &[0b0100_0010], &mut attacks);
    /// assert_eq!(attacks, [0b0110_1110]);
    /// ```
    line_attacks_from[line: Line](squares: Square, occupied: u64) -> (attacks: u64) = LineFrom;
}
pairs {
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
    between(a: Square, b: Square) -> (squares: u64) = between;

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
    line_through(a: Square, b: Square) -> (squares: u64) = line_through;
}
one {
    /// [`rook_attacks`](crate::rook_attacks) of one board.
    ///
    /// By the fastest form that the CPU of this kernel has, which for most kernels is [`board::rook_attacks`](crate::board::rook_attacks);
    /// the technique that a kernel is named for is that of its batches. So it is with the other functions for one board.
    rook_attacks_one(rooks: u64, occupied: u64) -> (attacks: u64) = Rook;
    /// [`bishop_attacks`](crate::bishop_attacks) of one board.
    bishop_attacks_one(bishops: u64, occupied: u64) -> (attacks: u64) = Bishop;
    /// [`queen_attacks`](crate::queen_attacks) of one board.
    queen_attacks_one(queens: u64, occupied: u64) -> (attacks: u64) = Queen;
    /// [`slider_attacks`](crate::slider_attacks) of one board.
    slider_attacks_one(orthogonal: u64, diagonal: u64, occupied: u64) -> (attacks: u64) = Slider;
}
$($more)*
    } };
    ($then:ident $($with:tt)*) => { $crate::operations! { @list $then [$($with)*] {} } };
}
