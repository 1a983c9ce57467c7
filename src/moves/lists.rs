//! Lists of legal moves of many positions, and the positions after them.

use super::{CountColumns, GamePlanes, GamePosition, Move, StateColumns};
use crate::Kernel;
use crate::kernels::geometry::AfterColumns;
use crate::kernels::operations::columns;
use crate::position::Position;

/// Positions with their states in columns of planes, to be written: see [`GamePlanes`].
#[derive(Debug)]
pub struct GamePlanesMut<'a> {
    /// As [`GamePlanes::planes`].
    pub planes: [&'a mut [u64]; 4],
    /// As [`StateColumns::side`].
    pub side: &'a mut [u8],
    /// As [`StateColumns::en_passant`].
    pub en_passant: &'a mut [u8],
    /// As [`StateColumns::castling`].
    pub castling: [&'a mut [u8]; 2],
}

/// Defines a method of [`Kernel`], and a function with the active kernel, for each call on lists of
/// moves.
macro_rules! for_lists {
    ([] $($group:ident $calls:tt)*) => {
        $(for_lists! { $group $calls })*
    };
    (lists { $(
        $(#[doc = $doc:literal])*
        $name:ident ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*)
            = $field:ident;
    )* }) => {
        $(for_lists! { @ $field $name [$(#[doc = $doc])*] })*
    };
    ($group:ident $calls:tt) => {};
    (@ lists $name:ident [$($doc:tt)*]) => {
        impl Kernel {
            #[doc = concat!("See [`", stringify!($name), "`](crate::moves::", stringify!($name), ").")]
            ///
            /// # Panics
            /// If the columns differ in length, or there is not exactly one offset more.
            #[track_caller]
            pub fn $name(
                &self,
                positions: &GamePlanes<'_>,
                offsets: &mut [u32],
                moves: &mut [Move],
            ) -> usize {
                let (columns, count) = positions.pointers(&mut CountColumns::default());
                check_offsets(count, offsets.len());
                // SAFETY: `self` proves that the CPU can run this kernel; the columns have `count`
                // elements, and there is one offset more.
                unsafe {
                    (self.$name)(
                        &raw const columns,
                        count,
                        offsets.as_mut_ptr(),
                        moves.as_mut_ptr(),
                        moves.len(),
                    )
                }
            }
        }

        $($doc)*
        ///
        /// Uses the active kernel. Also panics if no kernel can be chosen (see
        /// [`Kernel::active`]).
        #[track_caller]
        pub fn $name(
            positions: &GamePlanes<'_>,
            offsets: &mut [u32],
            moves: &mut [Move],
        ) -> usize {
            Kernel::active().$name(positions, offsets, moves)
        }
    };
    (@ after $name:ident [$($doc:tt)*]) => {
        impl Kernel {
            #[doc = concat!("See [`", stringify!($name), "`](crate::moves::", stringify!($name), ").")]
            ///
            /// # Panics
            /// If the columns differ in length, or the offsets or the results do not fit the moves.
            #[track_caller]
            pub fn $name(
                &self,
                positions: &GamePlanes<'_>,
                offsets: &[u32],
                moves: &[Move],
                after: &mut GamePlanesMut<'_>,
            ) {
                let (columns, count) = positions.pointers(&mut CountColumns::default());
                check_offsets(count, offsets.len());
                check_moves(offsets, moves.len());
                let after = after.pointers(moves.len());
                // SAFETY: `self` proves that the CPU can run this kernel; the columns have `count`
                // elements, there is one offset more, and the offsets lead to moves and results.
                unsafe {
                    (self.$name)(
                        &raw const columns,
                        count,
                        offsets.as_ptr(),
                        moves.as_ptr(),
                        &raw const after,
                    );
                }
            }
        }

        $($doc)*
        ///
        /// Uses the active kernel. Also panics if no kernel can be chosen (see
        /// [`Kernel::active`]).
        #[track_caller]
        pub fn $name(
            positions: &GamePlanes<'_>,
            offsets: &[u32],
            moves: &[Move],
            after: &mut GamePlanesMut<'_>,
        ) {
            Kernel::active().$name(positions, offsets, moves, after);
        }
    };
}

columns!(for_lists);

/// Positions that are put into columns at once.
const BLOCK: usize = 64;

/// Columns for some positions, on the stack.
struct Block {
    planes: [[u64; BLOCK]; 4],
    side: [u8; BLOCK],
    en_passant: [u8; BLOCK],
    castling: [[u8; BLOCK]; 2],
}

impl Block {
    const EMPTY: Block = Block {
        planes: [[0; BLOCK]; 4],
        side: [0; BLOCK],
        en_passant: [0; BLOCK],
        castling: [[0; BLOCK]; 2],
    };

    fn fill(&mut self, positions: &[GamePosition]) {
        for (i, position) in positions.iter().enumerate() {
            for (column, plane) in self.planes.iter_mut().zip(position.planes()) {
                column[i] = plane;
            }
            let state = position.state;
            (self.side[i], self.en_passant[i]) = (state.side, state.en_passant);
            (self.castling[0][i], self.castling[1][i]) = (state.castling[0], state.castling[1]);
        }
    }

    fn columns(&self, count: usize) -> GamePlanes<'_> {
        GamePlanes {
            planes: self.planes.each_ref().map(|plane| &plane[..count]),
            states: StateColumns {
                side: &self.side[..count],
                en_passant: &self.en_passant[..count],
                castling: self.castling.each_ref().map(|files| &files[..count]),
            },
        }
    }

    fn columns_mut(&mut self, count: usize) -> GamePlanesMut<'_> {
        GamePlanesMut {
            planes: self.planes.each_mut().map(|plane| &mut plane[..count]),
            side: &mut self.side[..count],
            en_passant: &mut self.en_passant[..count],
            castling: self.castling.each_mut().map(|files| &mut files[..count]),
        }
    }

    fn position(&self, i: usize) -> GamePosition {
        let planes = self.planes.each_ref().map(|plane| plane[i]);
        let state = super::State {
            side: self.side[i],
            en_passant: self.en_passant[i],
            castling: [self.castling[0][i], self.castling[1][i]],
        };
        GamePosition::new(Position::from_planes(planes), state)
    }
}

impl Kernel {
    /// See [`legal_moves`].
    ///
    /// # Panics
    /// If there is not exactly one offset more than positions.
    #[track_caller]
    pub fn legal_moves(
        &self,
        positions: &[GamePosition],
        offsets: &mut [u32],
        moves: &mut [Move],
    ) -> usize {
        check_offsets(positions.len(), offsets.len());
        offsets[0] = 0;
        // Offsets have no greater numbers.
        let room = moves.len().min(u32::MAX as usize);
        let moves = &mut moves[..room];
        let mut block = Block::EMPTY;
        let (mut done, mut used) = (0, 0);
        for part in positions.chunks(BLOCK) {
            block.fill(part);
            let mut ends = [0; BLOCK + 1];
            let ends = &mut ends[..=part.len()];
            let listed =
                self.legal_moves_in_planes(&block.columns(part.len()), ends, &mut moves[used..]);
            for (offset, end) in offsets[done + 1..].iter_mut().zip(&ends[1..=listed]) {
                *offset = used as u32 + end;
            }
            done += listed;
            used += ends[listed] as usize;
            if listed < part.len() {
                break;
            }
        }
        done
    }

    /// See [`successors`].
    ///
    /// # Panics
    /// If the offsets or the results do not fit the positions and moves.
    #[track_caller]
    pub fn successors(
        &self,
        positions: &[GamePosition],
        offsets: &[u32],
        moves: &[Move],
        after: &mut [GamePosition],
    ) {
        check_offsets(positions.len(), offsets.len());
        check_moves(offsets, moves.len());
        check_after(after.len(), moves.len());
        let (mut before, mut block) = (Block::EMPTY, Block::EMPTY);
        for (position, ends) in positions.iter().zip(offsets.windows(2)) {
            before.fill(core::slice::from_ref(position));
            let (mut first, end) = (ends[0] as usize, ends[1] as usize);
            while first < end {
                let count = BLOCK.min(end - first);
                self.successors_in_planes(
                    &before.columns(1),
                    &[0, count as u32],
                    &moves[first..first + count],
                    &mut block.columns_mut(count),
                );
                for (i, position) in after[first..first + count].iter_mut().enumerate() {
                    *position = block.position(i);
                }
                first += count;
            }
        }
    }
}

/// The legal moves of many positions: those of position `i` are in `moves`, from `offsets[i]` up
/// to, but not including, `offsets[i + 1]`. Like [`legal_moves_in_planes`], which is faster.
///
/// Returns the number of positions done, which is less than all if `moves` has no room for those of
/// the next one.
///
/// Uses the active kernel. Also panics if no kernel can be chosen (see [`Kernel::active`]).
///
/// # Panics
/// If there is not exactly one offset more than positions.
///
/// ```
/// use setwise::Square;
/// use setwise::moves::{GamePosition, MOST, Move, State, legal_moves};
/// use setwise::position::Position;
/// let mut position = Position::default();
/// position.pieces[0][5] = 1; // White's king on a1
/// position.pieces[1][3] = 1 << 57; // Black's rook on b8
/// position.pieces[1][5] = 1 << 63; // Black's king on h8
/// let positions = [GamePosition::new(position, State::default()); 2];
/// let (mut offsets, mut moves) = ([0; 3], [Move::default(); 2 * MOST]);
/// assert_eq!(legal_moves(&positions, &mut offsets, &mut moves), 2);
/// assert_eq!(offsets, [0, 1, 2]);
/// assert_eq!(moves[1], Move::new(Square::A1, Square::A2, None));
/// ```
#[track_caller]
pub fn legal_moves(positions: &[GamePosition], offsets: &mut [u32], moves: &mut [Move]) -> usize {
    Kernel::active().legal_moves(positions, offsets, moves)
}

/// The positions after moves: `after[n]` is that after `moves[n]` of the position whose moves they
/// are. Like [`successors_in_planes`], which is faster.
///
/// Uses the active kernel. Also panics if no kernel can be chosen (see [`Kernel::active`]).
///
/// # Panics
/// If the offsets or the results do not fit the positions and moves.
///
/// ```
/// use setwise::Square;
/// use setwise::moves::{GamePosition, Move, State, successors};
/// use setwise::position::Position;
/// let mut position = Position::default();
/// position.pieces[0][5] = 1; // White's king on a1
/// let before = [GamePosition::new(position, State::default())];
/// let mut after = [GamePosition::default()];
/// successors(&before, &[0, 1], &[Move::new(Square::A1, Square::B2, None)], &mut after);
/// assert_eq!((after[0].position.pieces[0][5], after[0].state.side), (1 << 9, 1));
/// ```
#[track_caller]
pub fn successors(
    positions: &[GamePosition],
    offsets: &[u32],
    moves: &[Move],
    after: &mut [GamePosition],
) {
    Kernel::active().successors(positions, offsets, moves, after);
}

impl GamePlanesMut<'_> {
    #[track_caller]
    fn pointers(&mut self, moves: usize) -> AfterColumns {
        let plane = |plane: &mut [u64]| {
            check_after(plane.len(), moves);
            plane.as_mut_ptr()
        };
        let bytes = |column: &mut [u8]| {
            check_after(column.len(), moves);
            column.as_mut_ptr()
        };
        AfterColumns {
            planes: self.planes.each_mut().map(|column| plane(column)),
            side: bytes(self.side),
            en_passant: bytes(self.en_passant),
            castling: self.castling.each_mut().map(|column| bytes(column)),
        }
    }
}

#[track_caller]
fn check_offsets(positions: usize, offsets: usize) {
    assert!(
        offsets > positions && offsets - positions == 1,
        "`offsets` must have exactly one element more than positions"
    );
}

#[track_caller]
fn check_moves(offsets: &[u32], moves: usize) {
    assert!(
        offsets.is_sorted() && offsets.last().is_some_and(|&last| last as usize <= moves),
        "`offsets` must ascend, and none may be greater than the number of moves"
    );
}

#[track_caller]
fn check_after(results: usize, moves: usize) {
    assert!(results == moves, "there must be as many results as moves");
}
