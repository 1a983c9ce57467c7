//! The moves of each position: what a policy network is trained with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

use setwise::moves::{GamePlanes, Move, StateColumns};
use setwise::{Kernel, Piece, Square};
use setwise_positions::{Format, binpack};

use crate::batch::Batch;
use crate::features::Features;
use crate::record::Record;
use crate::{Loader, Views};

/// The positions of one call of [`Kernel::legal_moves_in_planes`].
const BLOCK: usize = 256;

/// Of a move: no number.
const NONE: u16 = u16::MAX;

/// The moves with different bits, from a1a1 to promotions to a queen.
const CODES: usize = 5 << 12;

/// What to give of the moves of each position: what a policy network is trained with.
///
/// Moves have the squares of the first view. With [`Views::Movers`] the ranks are those that the
/// side to move sees, so that a8 is Black's a1; with [`Views::Colours`] they are the board's. If a
/// part of the inputs mirrors files, the moves are mirrored as the first such part mirrors them, by
/// the king of the side whose view it is.
#[derive(Debug, Clone, Default)]
pub enum Policy {
    /// Nothing.
    #[default]
    None,
    /// The played move and the legal ones: [`Batch::played`], [`Batch::targets`] and
    /// [`Batch::legal`].
    Lists,
    /// The played move and a mask of the legal ones: [`Batch::played`], [`Batch::targets`] and
    /// [`Batch::mask`].
    Mask(MoveNumbers),
}

/// Numbers moves as the outputs of a network.
///
/// ```
/// use setwise::{Square, moves::Move};
/// use setwise_loader::MoveNumbers;
/// let e2e4 = Move::new(Square::E2, Square::E4, None);
/// assert_eq!(MoveNumbers::squares().get(e2e4), Some(12 + 64 * 28));
/// assert_eq!(MoveNumbers::lc0().width(), 1858);
/// // One's own: by the square that is entered.
/// let numbers = MoveNumbers::new(|one| Some(one.bits() >> 6 & 63))?;
/// assert_eq!((numbers.width(), numbers.get(e2e4)), (64, Some(28)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone)]
pub struct MoveNumbers {
    /// By the bits of a move.
    numbers: Arc<[u16]>,
    width: usize,
}

impl fmt::Debug for MoveNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MoveNumbers({})", self.width)
    }
}

impl MoveNumbers {
    /// Numbers moves by a function, which is called for each of 5 x 64 x 64 moves. Castling is the
    /// king that goes to the square of its rook. Moves may share a number. `None` is for those that
    /// are never legal.
    ///
    /// # Errors
    ///
    /// If no move has a number, or one has 65,535.
    pub fn new(number: impl Fn(Move) -> Option<u16>) -> Result<MoveNumbers, String> {
        let (mut numbers, mut width) = (vec![NONE; CODES], 0);
        for (bits, to) in (0..).zip(&mut numbers) {
            if let Some(number) = number(Move::from_bits(bits)) {
                *to = number;
                width = width.max(usize::from(number) + 1);
            }
        }
        match width {
            0 => Err("no move has a number".to_owned()),
            0x1_0000 => Err("the numbers of moves must be less than 65,535".to_owned()),
            _ => Ok(MoveNumbers { numbers: numbers.into(), width }),
        }
    }

    /// By both squares, 4,096 numbers: `from + 64 * to`, which are the low 12 bits of a move. The
    /// four promotions share one.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn squares() -> MoveNumbers {
        MoveNumbers::new(|one| Some(one.bits() & 0xfff)).expect("the numbers are small")
    }

    /// The 1,858 of Leela Chess Zero's networks: all moves of queens and knights by the squares
    /// from and to, then promotions to queen, rook and bishop. A promotion to a knight is the move
    /// without a promotion. They are for the view of the side to move: [`Views::Movers`].
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn lc0() -> MoveNumbers {
        let (mut numbers, mut count) = (vec![None; CODES], 0);
        let mut add = |bits: usize| {
            numbers[bits] = Some(count);
            count += 1;
        };
        for from in 0..64_usize {
            for to in 0..64 {
                let (files, ranks) = ((from % 8).abs_diff(to % 8), (from / 8).abs_diff(to / 8));
                let is_queen = from != to && (files == 0 || ranks == 0 || files == ranks);
                if is_queen || files * ranks == 2 {
                    add(from | to << 6);
                }
            }
        }
        for from in 48..56_usize {
            for to in 56..64_usize {
                if (from % 8).abs_diff(to % 8) < 2 {
                    for promotion in [4, 3, 2] {
                        add(from | to << 6 | promotion << 12);
                    }
                }
            }
        }
        MoveNumbers::new(|one| {
            // A promotion to a knight is none.
            let bits = usize::from(one.bits());
            numbers[if bits >> 12 == 1 { bits & 0xfff } else { bits }]
        })
        .expect("the numbers are small")
    }

    /// The numbers are less than this: the width of a mask.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of a move.
    #[must_use]
    pub fn get(&self, one: Move) -> Option<u16> {
        let number = *self.numbers.get(usize::from(one.bits()))?;
        (number != NONE).then_some(number)
    }
}

impl Policy {
    /// Says why the moves of a file are not known.
    pub(crate) fn check(&self, format: Format) -> io::Result<()> {
        let name = match (self, format) {
            (Policy::None, _) => return Ok(()),
            (_, Format::Bullet) => "bulletformat",
            (_, Format::Marlin) => "marlinformat",
            _ => return Ok(()),
        };
        let what = format!("{name} has no moves, which a policy needs");
        Err(io::Error::new(io::ErrorKind::InvalidInput, what))
    }
}

/// Fills in the moves of batches, with memory that it uses again.
pub(crate) struct PolicyFiller {
    kernel: &'static Kernel,
    /// `None` gives lists.
    numbers: Option<MoveNumbers>,
    views: Views,
    /// A view with its king on one of these files is mirrored.
    mirror: u8,
    planes: [[u64; BLOCK]; 4],
    side: [u8; BLOCK],
    en_passant: [u8; BLOCK],
    castling: [[u8; BLOCK]; 2],
    offsets: [u32; BLOCK + 1],
    moves: Vec<Move>,
}

impl PolicyFiller {
    /// `None` if no moves are wanted.
    pub(crate) fn new(kernel: &'static Kernel, loader: &Loader) -> Option<Box<PolicyFiller>> {
        let numbers = match &loader.policy {
            Policy::None => return None,
            Policy::Lists => None,
            Policy::Mask(numbers) => Some(numbers.clone()),
        };
        let mirror = match &loader.features {
            Features::Indices(inputs) => inputs.mirror(),
            _ => 0,
        };
        Some(Box::new(PolicyFiller {
            kernel,
            numbers,
            views: loader.views,
            mirror,
            planes: [[0; BLOCK]; 4],
            side: [0; BLOCK],
            en_passant: [0; BLOCK],
            castling: [[0; BLOCK]; 2],
            offsets: [0; BLOCK + 1],
            moves: vec![Move::default(); 64 * BLOCK],
        }))
    }

    /// Fills in the moves of these positions, which are all of the batch, unless all is over.
    pub(crate) fn fill(
        &mut self,
        is_over: &AtomicBool,
        records: &[Record],
        batch: &mut Batch,
    ) -> io::Result<()> {
        batch.played.reserve(records.len());
        batch.targets.reserve(records.len());
        match &self.numbers {
            None => {
                batch.mask.clear();
                batch.legal.start(records.len());
            }
            // The rows are filled anew.
            Some(numbers) => batch.mask.resize(records.len() * numbers.width, false),
        }
        let mut start = 0;
        while start < records.len() && !is_over.load(Ordering::Relaxed) {
            let block = &records[start..records.len().min(start + BLOCK)];
            let done = self.generate(block);
            self.add(start, &block[..done], batch)?;
            start += done;
            if done == 0 {
                self.moves.resize(2 * self.moves.len(), Move::default());
            }
        }
        Ok(())
    }

    /// Computes the legal moves of a block. Returns of how many positions: the room may not
    /// suffice.
    fn generate(&mut self, block: &[Record]) -> usize {
        for (i, record) in block.iter().enumerate() {
            let [white, diagonal, orthogonal, others] = record.game_planes();
            self.planes[0][i] = white;
            self.planes[1][i] = diagonal;
            self.planes[2][i] = orthogonal;
            self.planes[3][i] = others;
            self.side[i] = record.side();
            self.en_passant[i] = match record.en_passant() {
                0 => 64,
                square => square,
            };
            // Rights are on the a- and the h-file.
            let rooks = [0, 1, 0x80, 0x81];
            let rights = usize::from(record.castling());
            (self.castling[0][i], self.castling[1][i]) = (rooks[rights & 3], rooks[rights >> 2]);
        }
        let count = block.len();
        let positions = GamePlanes {
            planes: self.planes.each_ref().map(|plane| &plane[..count]),
            states: StateColumns {
                side: &self.side[..count],
                en_passant: &self.en_passant[..count],
                castling: self.castling.each_ref().map(|rights| &rights[..count]),
            },
        };
        let offsets = &mut self.offsets[..=count];
        self.kernel.legal_moves_in_planes(&positions, offsets, &mut self.moves)
    }

    /// Adds the moves of positions, the first of which has this place in the batch.
    fn add(&self, first: usize, block: &[Record], batch: &mut Batch) -> io::Result<()> {
        for (i, record) in block.iter().enumerate() {
            let view = match self.views {
                Views::Movers => usize::from(record.side()),
                Views::Colours => 0,
            };
            let flip = record.summary().flips(self.mirror)[view];
            let flip = u16::from(flip) | u16::from(flip) << 6;
            let seen = |one: Move| Move::from_bits(one.bits() ^ flip);
            let legal = &self.moves[self.offsets[i] as usize..self.offsets[i + 1] as usize];
            let played = played(record);
            let place = played.and_then(|played| legal.iter().position(|one| *one == played));
            let target = match &self.numbers {
                None => {
                    batch.legal.extend(legal.iter().copied().map(seen))?;
                    place
                }
                Some(numbers) => {
                    let row = &mut batch.mask[(first + i) * numbers.width..][..numbers.width];
                    row.fill(false);
                    for one in legal.iter().copied().map(seen) {
                        match numbers.get(one) {
                            Some(number) => row[usize::from(number)] = true,
                            None => return Err(without_number(one)),
                        }
                    }
                    let target = place.and_then(|place| numbers.get(seen(legal[place])));
                    target.map(usize::from)
                }
            };
            batch.played.push(played.map_or(Move::default(), seen));
            batch.targets.push(target.map_or(-1, |target| i64::from(target as u32)));
        }
        Ok(())
    }
}

fn without_number(one: Move) -> io::Error {
    let promotion = one.promotion().map_or("", |piece| match piece {
        Piece::Knight => "n",
        Piece::Bishop => "b",
        Piece::Rook => "r",
        _ => "q",
    });
    let what = format!("the legal move {}{}{promotion} has no number", one.from(), one.to());
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The move that was played, if there is one.
fn played(record: &Record) -> Option<Move> {
    let played = binpack::Move::from_bits(record.played);
    let square = Square::masked;
    (played != binpack::Move::NONE)
        .then(|| Move::new(square(played.from()), square(played.to()), played.promotion()))
}
