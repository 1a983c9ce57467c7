//! A check of every value against the values one move on, with an independent move generator.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use cozy_chess::{Board, BoardBuilder, Square};
use rayon::prelude::*;

use crate::{Bitmap, Color, Ending, Position, Table, Value, Wins, chess};

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Legal positions with white to move.
    pub white_to_move: u64,
    /// Legal positions with black to move.
    pub black_to_move: u64,
    /// Legal moves in all of them.
    pub moves: u64,
}

/// A table that contradicts the rules of chess or itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// A position's value is not what follows from its moves.
    Value {
        /// The position.
        position: Position,
        /// What the table says of it.
        table: Value,
        /// What follows from what the table says after each of its moves.
        expected: Value,
    },
    /// The table has two values for a position.
    Twice {
        /// The position.
        position: Position,
    },
    /// The table counts other positions as legal than the move generator.
    Legal {
        /// The side to move.
        turn: Color,
        /// The table's count.
        table: u64,
        /// The move generator's count.
        expected: u64,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value {
                position,
                table,
                expected,
            } => {
                write!(
                    f,
                    "{position}: the table says {table:?}, its moves give {expected:?}"
                )
            }
            Self::Twice { position } => write!(f, "{position}: the table has two values for it"),
            Self::Legal {
                turn,
                table,
                expected,
            } => write!(
                f,
                "with {turn} to move the table counts {table} legal positions, the move generator {expected}"
            ),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks every position of the table, by 64ths; `progress` is told how many of them are done. Then those of the tables with
/// fewer men that captures lead to, which the file of a table has, too.
///
/// A position is won in n if its best move leads to a loss in n - 1, lost in n if all its moves lead to wins and
/// the longest of them is in n, lost in 0 if it is mate, and drawn otherwise. Legality and moves come from
/// `cozy-chess`. Values that pass this test are right: by induction over n, for both won and lost.
///
/// # Errors
///
/// The first contradiction found.
///
/// # Panics
///
/// If the threads cannot be started. `threads` 0 means one a processor.
///
/// ```
/// use setwise_endgame::{Options, generate, verify};
/// let table = generate(&"KRK".parse().unwrap(), &Options::default());
/// let verified = verify(&table, 0, None).unwrap();
/// assert_eq!((verified.white_to_move, verified.black_to_move), (175_168, 223_944));
/// ```
pub fn verify(
    table: &Table,
    threads: usize,
    progress: Option<&(dyn Fn(u64) + Sync)>,
) -> Result<Verified, VerifyError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("the threads start");
    let verified = verify_alone(table, &pool, progress)?;
    for wins in &table.conversions {
        let nothing = Wins::none(&wins.ending.swapped(), Some(wins));
        let three = Table {
            ending: wins.ending.clone(),
            sides: [wins.clone(), nothing],
            conversions: Vec::new(),
        };
        verify_alone(&three, &pool, None)?;
    }
    Ok(verified)
}

/// Checks the table but for its conversions, which are believed.
fn verify_alone(
    table: &Table,
    pool: &rayon::ThreadPool,
    progress: Option<&(dyn Fn(u64) + Sync)>,
) -> Result<Verified, VerifyError> {
    let verifier = Verifier::new(table)?;
    let done = AtomicU64::new(0);
    // Parts of equal first squares; two kings alone are a single part.
    let part = verifier.main.values[0].len().div_ceil(64);
    let verified = pool.install(|| {
        (0..64)
            .into_par_iter()
            .map(|at| {
                let verified = verifier.part(at * part..(at + 1) * part);
                if let Some(progress) = progress {
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
                verified
            })
            .try_reduce(
                || Verified {
                    white_to_move: 0,
                    black_to_move: 0,
                    moves: 0,
                },
                |one, other| {
                    Ok(Verified {
                        white_to_move: one.white_to_move + other.white_to_move,
                        black_to_move: one.black_to_move + other.black_to_move,
                        moves: one.moves + other.moves,
                    })
                },
            )
    })?;
    let [white, black] = [Color::White, Color::Black].map(|color| table.wins(color));
    for (turn, table, expected) in [
        (
            Color::White,
            white.legal_attacker_to_move(),
            verified.white_to_move,
        ),
        (
            Color::Black,
            white.legal_defender_to_move(),
            verified.black_to_move,
        ),
        (
            Color::White,
            black.legal_defender_to_move(),
            verified.white_to_move,
        ),
        (
            Color::Black,
            black.legal_attacker_to_move(),
            verified.black_to_move,
        ),
    ] {
        if table != expected {
            return Err(VerifyError::Legal {
                turn,
                table,
                expected,
            });
        }
    }
    Ok(verified)
}

/// A value in a byte: `n` for a win in n, `-n - 1` for a loss in n, 0 for a draw or an illegal position.
pub(crate) type Code = i8;

fn decode(code: Code) -> Value {
    match code {
        0 => Value::Draw,
        1.. => Value::Win(code.unsigned_abs().into()),
        _ => Value::Loss(usize::from(code.unsigned_abs()) - 1),
    }
}

/// What a move is worth that leads to a position with this code.
fn before(code: Code) -> Code {
    if code > 0 { -code - 1 } else { -code }
}

/// Higher is better for the side to move: quick wins, slow wins, draws, slow losses, quick losses.
fn rank(code: Code) -> i16 {
    match code {
        0 => 0,
        1.. => 256 - i16::from(code),
        _ => -256 - i16::from(code),
    }
}

/// The values of one ending, spread out for fast access.
pub(crate) struct Dense {
    ending: Ending,
    /// With white to move and with black to move, by the index of [`Wins`].
    pub(crate) values: [Vec<Code>; 2],
}

impl Dense {
    /// Or a position that has two values, by its side to move and index.
    fn new(
        ending: &Ending,
        white: Option<&Wins>,
        black: Option<&Wins>,
    ) -> Result<Self, (Color, usize)> {
        let mut twice = None;
        let size = 1 << (6 * ending.men());
        let mut values = [vec![0; size], vec![0; size]];
        let digits = ending.men() as u32;
        let theirs = ending.pieces(Color::Black).len() as u32;
        let ours = ending.pieces(Color::White).len() as u32;
        // The black attacker's pieces and king come first in his index.
        let unswap = |index: usize| {
            let digit = |place: u32| index >> (6 * place) & 63;
            let mut out = 0;
            for place in (digits - theirs - ours..digits - theirs)
                .rev()
                .chain((digits - theirs..digits).rev())
            {
                out = out << 6 | digit(place);
            }
            out << 12 | digit(0) << 6 | digit(1)
        };
        let same = |index: usize| index;
        let mut write = |depths: &[Bitmap],
                         turn: Color,
                         code: &dyn Fn(Code) -> Code,
                         index: &dyn Fn(usize) -> usize| {
            for (depth, n) in depths.iter().zip(0..) {
                for at in depth.positions() {
                    let value = &mut values[turn as usize][index(at)];
                    if *value != 0 {
                        twice = Some((turn, index(at)));
                    }
                    *value = code(n);
                }
            }
        };
        if let Some(wins) = white {
            write(&wins.won, Color::White, &|n| n, &same);
            write(&wins.lost, Color::Black, &|n| -n - 1, &same);
        }
        if let Some(wins) = black {
            write(&wins.won, Color::Black, &|n| n, &unswap);
            write(&wins.lost, Color::White, &|n| -n - 1, &unswap);
        }
        match twice {
            Some(position) => Err(position),
            None => Ok(Self {
                ending: ending.clone(),
                values,
            }),
        }
    }
}

pub(crate) struct Verifier {
    pub(crate) main: Dense,
    /// After the capture of the piece in this place of the index; `None` if two kings are left.
    captures: Vec<Option<Dense>>,
}

impl Verifier {
    pub(crate) fn new(table: &Table) -> Result<Self, VerifyError> {
        let ending = table.ending();
        let twice = |ending: &Ending, (turn, index)| VerifyError::Twice {
            position: Wins::none(ending, None).position(turn, index),
        };
        let main = Dense::new(
            ending,
            Some(table.wins(Color::White)),
            Some(table.wins(Color::Black)),
        )
        .map_err(|position| twice(ending, position))?;
        let small: BTreeMap<&Ending, &Wins> = table
            .conversions
            .iter()
            .map(|wins| (&wins.ending, wins))
            .collect();
        let pieces = Self::pieces(ending);
        let captures = (0..pieces.len())
            .map(|taken| {
                let left = pieces.iter().enumerate().find(|&(at, _)| at != taken);
                let Some((_, left)) = left else {
                    return Ok(None);
                };
                let alone = Ending::new(vec![left.1], Vec::new());
                let wins = small.get(&alone).copied();
                let (alone, white, black) = match left.0 {
                    Color::White => (alone, wins, None),
                    Color::Black => (alone.swapped(), None, wins),
                };
                let dense = Dense::new(&alone, white, black);
                dense.map(Some).map_err(|position| twice(&alone, position))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { main, captures })
    }

    fn pieces(ending: &Ending) -> Vec<(Color, crate::Piece)> {
        let of = |color| {
            ending
                .pieces(color)
                .iter()
                .map(move |&piece| (color, piece))
        };
        of(Color::White).chain(of(Color::Black)).collect()
    }

    pub(crate) fn part(&self, indices: std::ops::Range<usize>) -> Result<Verified, VerifyError> {
        let pieces = Self::pieces(&self.main.ending);
        let men = pieces.len() + 2;
        let mut count = [0; 2];
        let mut moves = 0;
        for index in indices.start..indices.end.min(self.main.values[0].len()) {
            let square = |place: usize| (index >> (6 * (men - 1 - place))) & 63;
            let occupied = (0..men).fold(0u64, |set, place| set | 1 << square(place));
            let mut builder = BoardBuilder::empty();
            if occupied.count_ones() as usize == men {
                for (place, &(color, piece)) in pieces.iter().enumerate() {
                    *builder.square_mut(Square::index(square(place))) =
                        Some((chess::piece(piece), chess::color(color)));
                }
                for (place, color) in [(men - 2, Color::White), (men - 1, Color::Black)] {
                    *builder.square_mut(Square::index(square(place))) =
                        Some((cozy_chess::Piece::King, chess::color(color)));
                }
            }
            for turn in [Color::White, Color::Black] {
                builder.side_to_move = chess::color(turn);
                let table = self.main.values[turn as usize][index];
                let Some(board) = chess::build(&builder) else {
                    if table != 0 {
                        return Err(self.wrong(turn, index, decode(table), Value::Illegal));
                    }
                    continue;
                };
                count[turn as usize] += 1;
                let (expected, found) = self.expected(&board, turn, index);
                moves += found;
                if table != expected {
                    return Err(self.wrong(turn, index, decode(table), decode(expected)));
                }
            }
        }
        Ok(Verified {
            white_to_move: count[0],
            black_to_move: count[1],
            moves,
        })
    }

    /// What the values after each legal move make of a position, and how many moves there are.
    fn expected(&self, board: &Board, turn: Color, index: usize) -> (Code, u64) {
        let men = self.main.ending.men();
        let place_of = |square: usize| {
            (0..men)
                .rev()
                .find(|&place| index >> (6 * place) & 63 == square)
        };
        let mut best: Option<Code> = None;
        let mut found = 0;
        board.generate_moves(|of_piece| {
            let mover = place_of(of_piece.from as usize).expect("a man stands where a move starts");
            let cleared = index & !(63 << (6 * mover));
            for to in of_piece.to {
                found += 1;
                let after = cleared | (to as usize) << (6 * mover);
                let code = match place_of(to as usize) {
                    None => self.main.values[turn.other() as usize][after],
                    Some(taken) => {
                        let below = after & ((1 << (6 * taken)) - 1);
                        let left = after >> (6 * (taken + 1)) << (6 * taken) | below;
                        let values = &self.captures[men - 1 - taken];
                        values
                            .as_ref()
                            .map_or(0, |values| values.values[turn.other() as usize][left])
                    }
                };
                let code = before(code);
                best = Some(best.map_or(
                    code,
                    |best| if rank(code) > rank(best) { code } else { best },
                ));
            }
            false
        });
        let stuck = if board.checkers().is_empty() { 0 } else { -1 };
        (best.unwrap_or(stuck), found)
    }

    fn wrong(&self, turn: Color, index: usize, table: Value, expected: Value) -> VerifyError {
        let wins = Wins::none(&self.main.ending, None);
        VerifyError::Value {
            position: wins.position(turn, index),
            table,
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, generate};

    /// Takes a position out of a bitmap, or puts one in.
    fn flip(bitmap: &mut Bitmap, index: usize) {
        let mut words: Vec<u64> = (0..64 * bitmap.directory().len())
            .map(|word| bitmap.word(word))
            .collect();
        words[index / 64] ^= 1 << (index % 64);
        let entry = |block: &[u64]| {
            (0..64)
                .filter(|&at| block[at] != 0)
                .fold(0, |entry, at| entry | 1 << at)
        };
        let directory: Vec<u64> = words.chunks(64).map(entry).collect();
        words.retain(|&word| word != 0);
        *bitmap = Bitmap::from_parts(&directory, &words).unwrap();
    }

    #[test]
    fn a_single_wrong_position_is_found() {
        let table = generate(&"KRK".parse().unwrap(), &Options::default());
        for n in [0, 1, 5, 15, 16] {
            for won in [false, true] {
                let of = |table: &Table| {
                    if won {
                        table.sides[0].won.clone()
                    } else {
                        table.sides[0].lost.clone()
                    }
                };
                let Some(index) = of(&table)[n].positions().nth(2) else {
                    continue;
                };
                // Missing, and one move too late.
                for later in [false, true] {
                    let mut broken = table.clone();
                    let depths = if won {
                        &mut broken.sides[0].won
                    } else {
                        &mut broken.sides[0].lost
                    };
                    flip(&mut depths[n], index);
                    if later && n < 16 {
                        flip(&mut depths[n + 1], index);
                    }
                    let error = verify(&broken, 1, None).unwrap_err();
                    assert!(
                        matches!(error, VerifyError::Value { .. }),
                        "{won} {n} {later}: {error}"
                    );
                    assert!(error.to_string().contains("the table says"), "{error}");
                }
            }
        }
    }

    /// In two depths, of which either alone would be taken for the value.
    #[test]
    fn a_position_with_two_values_is_found() {
        let mut broken = generate(&"KRK".parse().unwrap(), &Options::default());
        let index = broken.sides[0].won[5].positions().next().unwrap();
        flip(&mut broken.sides[0].won[4], index);
        let error = verify(&broken, 1, None).unwrap_err();
        assert!(matches!(error, VerifyError::Twice { .. }), "{error}");
    }

    #[test]
    fn an_illegal_position_and_a_wrong_count_are_found() {
        let table = generate(&"KQK".parse().unwrap(), &Options::default());
        let mut broken = table.clone();
        // Kings on a1 and b1, the queen on h8.
        flip(&mut broken.sides[0].won[3], 63 << 12 | 1);
        let error = verify(&broken, 1, None).unwrap_err();
        assert!(
            matches!(
                error,
                VerifyError::Value {
                    expected: Value::Illegal,
                    ..
                }
            ),
            "{error}"
        );

        let mut broken = table;
        broken.sides[0].legal_attacker += 1;
        let error = verify(&broken, 1, None).unwrap_err();
        assert!(
            matches!(
                error,
                VerifyError::Legal {
                    turn: Color::White,
                    ..
                }
            ),
            "{error}"
        );
    }
}
