//! Checks that every value in a table follows from the values after each move. The moves come from
//! an independent generator.

mod values;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

pub(crate) use self::values::Verifier;
use crate::generate::pool;
use crate::{Position, Side, Table, Value, Wins};

/// The numbers of positions and moves that [`verify`] has checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Legal positions with white to move.
    pub white_to_move: u64,
    /// Legal positions with black to move.
    pub black_to_move: u64,
    /// Legal moves in all these positions.
    pub moves: u64,
}

/// A contradiction between a table and the rules of chess, or within the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A position's value does not follow from its moves.
    #[error("{position}: the table says {table:?}, its moves give {expected:?}")]
    Value {
        /// The position.
        position: Position,
        /// The position's value in the table.
        table: Value,
        /// The value that follows from the table's values after each legal move.
        expected: Value,
    },
    /// The table has two values for a position.
    #[error("{position}: the table has two values")]
    Twice {
        /// The position.
        position: Position,
    },
    /// The table's number of legal positions is wrong.
    #[error("with {} to move the table has {table} legal positions, must have {expected}", .turn.name())]
    Legal {
        /// The side to move.
        turn: Side,
        /// The number in the table.
        table: u64,
        /// The number of positions that the move generator accepts.
        expected: u64,
    },
}

/// Checks every position of the table, then every position of the endings that captures lead to.
/// `progress` is called after each 64th of the table, with the number of 64ths done.
///
/// A position is won in n if its best move leads to a position lost in n - 1. It is lost in n if
/// all its moves lead to positions won by the opponent, the slowest of them in n. A mated side has
/// lost in 0. Every other position is a draw. Legality and moves come from `cozy-chess`. By
/// induction on n, values that pass this check are correct.
///
/// `threads` is the number of threads (0: one per CPU, but at most 256).
///
/// # Errors
///
/// The first contradiction found, if there is one.
///
/// # Panics
///
/// If the threads cannot be started.
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
    let pool = pool(threads).expect("the threads start");
    let verified = verify_one(table, &pool, progress)?;
    for wins in &table.conversions {
        let bare = Wins::none(&wins.ending.swapped(), Some(wins));
        let three = Table {
            ending: wins.ending.clone(),
            sides: [wins.clone(), bare],
            conversions: Vec::new(),
        };
        verify_one(&three, &pool, None)?;
    }
    Ok(verified)
}

/// Checks the table, assuming that the values of its conversions are correct.
fn verify_one(
    table: &Table,
    pool: &rayon::ThreadPool,
    progress: Option<&(dyn Fn(u64) + Sync)>,
) -> Result<Verified, VerifyError> {
    let verifier = Verifier::new(table)?;
    let done = AtomicU64::new(0);
    let part = verifier.main.codes[0].len().div_ceil(64);
    let check = |number: usize| {
        let verified = verifier.part(number * part..(number + 1) * part);
        if let Some(progress) = progress {
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        verified
    };
    let add = |one: Verified, other: Verified| {
        Ok(Verified {
            white_to_move: one.white_to_move + other.white_to_move,
            black_to_move: one.black_to_move + other.black_to_move,
            moves: one.moves + other.moves,
        })
    };
    let parts = || (0..64).into_par_iter().map(check);
    let verified = pool.install(|| parts().try_reduce(Verified::default, add))?;
    let [white, black] = Side::BOTH.map(|color| table.wins(color));
    let Verified { white_to_move, black_to_move, .. } = verified;
    for (turn, table, expected) in [
        (Side::White, white.legal_attacker, white_to_move),
        (Side::Black, white.legal_defender, black_to_move),
        (Side::White, black.legal_defender, white_to_move),
        (Side::Black, black.legal_attacker, black_to_move),
    ] {
        if table != expected {
            return Err(VerifyError::Legal { turn, table, expected });
        }
    }
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bitmap, Options, generate};

    /// Adds a position to a bitmap, or removes it if it is already there.
    fn flip(bitmap: &mut Bitmap, index: usize) {
        let mut words: Vec<u64> =
            (0..64 * bitmap.directory().len()).map(|word| bitmap.word(word)).collect();
        words[index / 64] ^= 1 << (index % 64);
        let entry = |block: &[u64]| {
            (0..64).filter(|&word| block[word] != 0).fold(0, |entry, word| entry | 1 << word)
        };
        let directory: Vec<u64> = words.chunks(64).map(entry).collect();
        words.retain(|&word| word != 0);
        *bitmap = Bitmap::from_parts(directory, &words).unwrap();
    }

    fn depths(table: &mut Table, won: bool) -> &mut Vec<Bitmap> {
        let wins = &mut table.sides[0];
        if won { &mut wins.won } else { &mut wins.lost }
    }

    #[test]
    fn a_single_wrong_position_is_found() {
        let mut table = generate(&"KRK".parse().unwrap(), &Options::default());
        for (n, won) in [(0, false), (1, true), (5, false), (15, true), (16, true)] {
            let index = depths(&mut table, won)[n].positions().nth(2).unwrap();
            // First the position is missing, then it is stored one move too late.
            for later in [false, true] {
                let mut broken = table.clone();
                flip(&mut depths(&mut broken, won)[n], index);
                if later && n < 16 {
                    flip(&mut depths(&mut broken, won)[n + 1], index);
                }
                let error = verify(&broken, 1, None).unwrap_err();
                let is_value = matches!(error, VerifyError::Value { .. });
                assert!(is_value, "{won} {n} {later}: {error}");
                assert!(error.to_string().contains("the table says"), "{error}");
            }
        }
    }

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
        let VerifyError::Value { expected, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(expected, Value::Illegal);

        let mut broken = table;
        broken.sides[0].legal_attacker += 1;
        let error = verify(&broken, 1, None).unwrap_err();
        let VerifyError::Legal { turn, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(turn, Side::White);
    }
}
