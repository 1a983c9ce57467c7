//! The pieces of endings without pawns.

/// A piece other than a king or pawn. The order is from strongest to weakest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// `Q`
    Queen,
    /// `R`
    Rook,
    /// `B`
    Bishop,
    /// `N`
    Knight,
}

impl Piece {
    /// Every piece, strongest first.
    pub const ALL: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// The piece's capital letter.
    ///
    /// ```
    /// use setwise_endgame::Piece;
    /// assert_eq!(Piece::Knight.letter(), 'N');
    /// ```
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Queen => 'Q',
            Self::Rook => 'R',
            Self::Bishop => 'B',
            Self::Knight => 'N',
        }
    }

    /// The piece that a capital letter stands for. `None` for `K` and all other letters.
    ///
    /// ```
    /// use setwise_endgame::Piece;
    /// assert_eq!(Piece::from_letter('B'), Some(Piece::Bishop));
    /// assert_eq!(Piece::from_letter('K'), None);
    /// ```
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter)
    }

    pub(crate) fn man(self) -> setwise::Piece {
        match self {
            Self::Queen => setwise::Piece::Queen,
            Self::Rook => setwise::Piece::Rook,
            Self::Bishop => setwise::Piece::Bishop,
            Self::Knight => setwise::Piece::Knight,
        }
    }

    /// Whether the piece moves along ranks and files.
    #[must_use]
    pub const fn is_orthogonal(self) -> bool {
        matches!(self, Self::Queen | Self::Rook)
    }

    /// Whether the piece moves along diagonals.
    #[must_use]
    pub const fn is_diagonal(self) -> bool {
        matches!(self, Self::Queen | Self::Bishop)
    }
}
