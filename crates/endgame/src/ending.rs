//! Names of endings: `KQKR`, `KBNK`, `KRK`.

use std::fmt;
use std::str::FromStr;

use crate::{Piece, Side};

/// The men on the board: two kings and at most two pieces.
///
/// The name of an ending lists white's men, then black's. Each side starts with its `K`, and its
/// pieces follow, strongest first. So `KNBK` becomes `KBNK`.
///
/// ```
/// use setwise_endgame::{Side, Ending, Piece};
/// let ending: Ending = "KQKR".parse().unwrap();
/// assert_eq!(ending.pieces(Side::White), [Piece::Queen]);
/// assert_eq!(ending.pieces(Side::Black), [Piece::Rook]);
/// assert_eq!(ending.swapped().to_string(), "KRKQ");
/// assert!("KPK".parse::<Ending>().unwrap_err().to_string().contains("pawn"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ending {
    pieces: [Vec<Piece>; 2],
}

/// The reason why a name is not an [`Ending`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EndingError(String);

impl FromStr for Ending {
    type Err = EndingError;

    fn from_str(name: &str) -> Result<Self, EndingError> {
        let not_an_ending =
            |reason: &str| EndingError(format!("'{name}' is not an ending: {reason}"));
        let no_white_king = "it must start with white's king, as in KQKR";
        let mut pieces = [Vec::new(), Vec::new()];
        let mut kings = 0;
        for (letter, number) in name.chars().zip(1..) {
            match letter.to_ascii_uppercase() {
                'K' if kings == 2 => return Err(not_an_ending("it has more than two kings")),
                'K' => kings += 1,
                'P' => {
                    return Err(not_an_ending("it has a pawn: only Q, R, B and N are supported"));
                }
                upper => match Piece::from_letter(upper) {
                    None => {
                        let reason =
                            format!("letter {number}, '{letter}', must be K, Q, R, B or N");
                        return Err(not_an_ending(&reason));
                    }
                    Some(_) if kings == 0 => return Err(not_an_ending(no_white_king)),
                    Some(piece) => pieces[kings - 1].push(piece),
                },
            }
        }
        match (kings, name.chars().count()) {
            (0, _) => Err(not_an_ending(no_white_king)),
            (1, _) => Err(not_an_ending("black's king is missing, the second K of KQKR")),
            (_, men @ 5..) => Err(EndingError(format!(
                "'{name}' has {men} men: at most four are supported, kings included"
            ))),
            _ => {
                let [white, black] = pieces;
                Ok(Self::new(white, black))
            }
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for side in &self.pieces {
            name.push('K');
            name.extend(side.iter().map(|piece| piece.letter()));
        }
        f.pad(&name)
    }
}

impl Ending {
    /// Creates an ending from each side's pieces, which must be at most two in total.
    pub(crate) fn new(mut white: Vec<Piece>, mut black: Vec<Piece>) -> Self {
        debug_assert!(white.len() + black.len() <= 2);
        white.sort_unstable();
        black.sort_unstable();
        Self { pieces: [white, black] }
    }

    /// The pieces of a side other than its king, strongest first.
    #[must_use]
    pub fn pieces(&self, color: Side) -> &[Piece] {
        &self.pieces[color as usize]
    }

    /// The number of men, kings included: 2 to 4.
    #[must_use]
    pub fn men(&self) -> usize {
        2 + self.pieces[0].len() + self.pieces[1].len()
    }

    /// The ending with the colours of all men swapped.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let [white, black] = self.pieces.clone();
        Self { pieces: [black, white] }
    }

    /// Every ending of three or four men in which white has more pieces than black, or each side
    /// has one piece and white's is at least as strong. All other endings of three or four men are
    /// these with the colours swapped.
    ///
    /// ```
    /// use setwise_endgame::Ending;
    /// assert_eq!(Ending::all().len(), 24);
    /// ```
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut endings: Vec<Self> =
            Piece::ALL.into_iter().map(|piece| Self::new(vec![piece], Vec::new())).collect();
        let pairs = |make: fn(Piece, Piece) -> Self| {
            Piece::ALL.into_iter().enumerate().flat_map(move |(i, first)| {
                Piece::ALL.into_iter().skip(i).map(move |second| make(first, second))
            })
        };
        endings.extend(pairs(|first, second| Self::new(vec![first, second], Vec::new())));
        endings.extend(pairs(|first, second| Self::new(vec![first], vec![second])));
        endings
    }

    /// The three-man endings that captures lead to, without duplicates. The side with the piece is
    /// white.
    pub(crate) fn conversions(&self) -> Vec<Self> {
        if self.men() < 4 {
            return Vec::new();
        }
        let mut pieces: Vec<Piece> = self.pieces.iter().flatten().copied().collect();
        pieces.sort_unstable();
        pieces.dedup();
        pieces.into_iter().map(|piece| Self::new(vec![piece], Vec::new())).collect()
    }
}
