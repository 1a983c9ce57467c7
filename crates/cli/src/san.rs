//! One move in standard algebraic notation (SAN), read strictly.
//!
//! The grammar is that of the PGN standard (Edwards 1994, section 8.2.3) without its annotations;
//! `cozy_chess::util` reads and writes it. This module adds strictness, so that a corpus checks
//! itself (a wrong `+` betrays a wrong move), and the reason why a text is refused.

use core::fmt;

use cozy_chess::util::{display_san_move, parse_san_move};
use cozy_chess::{Board, Move};

/// Why a text is not a move in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SanError {
    /// It fits no legal move.
    Illegal,
    /// It fits several legal moves, listed as they should be written.
    Ambiguous(Vec<String>),
    /// It fits one legal move, which is written otherwise: a check or mate mark, a capture sign or
    /// an origin square is missing, superfluous or wrong. Holds the proper spelling.
    Misspelt(String),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Illegal => f.write_str("fits no legal move"),
            Self::Ambiguous(moves) => write!(f, "is ambiguous: {}", moves.join(" or ")),
            Self::Misspelt(proper) => write!(f, "should be written {proper}"),
        }
    }
}

impl core::error::Error for SanError {}

/// The legal move of `board` that `san` names.
///
/// Castling comes back as `cozy_chess` writes it, the king moving onto its own rook.
///
/// # Errors
///
/// Anything but the one proper spelling of a legal move is a [`SanError`].
pub(crate) fn parse_san(board: &Board, san: &str) -> Result<Move, SanError> {
    let Ok(mv) = parse_san_move(board, san) else {
        let fitting = fitting(board, san);
        return Err(if fitting.len() > 1 {
            SanError::Ambiguous(fitting)
        } else {
            SanError::Illegal
        });
    };
    let proper = display_san_move(board, mv).to_string();
    if proper == san {
        Ok(mv)
    } else {
        Err(SanError::Misspelt(proper))
    }
}

/// The legal moves that a piece move with too little origin fits, properly written.
fn fitting(board: &Board, san: &str) -> Vec<String> {
    let unmarked = san.trim_end_matches(['+', '#']);
    // Pawn moves are never ambiguous: a capture names its file.
    let piece = san.chars().next().filter(char::is_ascii_uppercase);
    let target = unmarked.len().saturating_sub(2);
    let (Some(piece), Some((origin, target))) = (piece, unmarked.split_at_checked(target)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    board.generate_moves(|moves| {
        let from = moves.from.to_string();
        if origin
            .chars()
            .skip(1)
            .all(|hint| hint == 'x' || from.contains(hint))
        {
            let onto_target = moves.into_iter().filter(|mv| mv.to.to_string() == target);
            let written = onto_target.map(|mv| display_san_move(board, mv).to_string());
            found.extend(written.filter(|proper| proper.starts_with(piece)));
        }
        false
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn san(fen: &str, text: &str) -> Result<String, SanError> {
        parse_san(&fen.parse().unwrap(), text).map(|mv| mv.to_string())
    }

    /// White may castle both ways, promote on g8 and h8, and capture en passant on g6.
    const RICH: &str = "3k2n1/7P/Q3p3/4BPp1/Q1Q4q/8/5B2/R3K2R w KQ g6 0 1";

    #[test]
    fn castling_promotion_and_en_passant() {
        assert_eq!(san(RICH, "O-O").as_deref(), Ok("e1h1"));
        assert_eq!(san(RICH, "O-O-O+").as_deref(), Ok("e1a1"));
        assert_eq!(san(RICH, "h8=Q").as_deref(), Ok("h7h8q"));
        assert_eq!(san(RICH, "hxg8=N").as_deref(), Ok("h7g8n"));
        assert_eq!(san(RICH, "fxg6").as_deref(), Ok("f5g6"));
        assert_eq!(san(RICH, "h8"), Err(SanError::Illegal));
    }

    #[test]
    fn disambiguation_by_file_rank_and_square() {
        let knights = "4k3/8/8/8/8/1N3N2/8/1N2K3 w - - 0 1";
        assert_eq!(san(knights, "Nfd2").as_deref(), Ok("f3d2"));
        assert_eq!(san(knights, "Nb3d2").as_deref(), Ok("b3d2"));
        let ambiguous = |moves: &[&str]| {
            Err(SanError::Ambiguous(
                moves.iter().map(ToString::to_string).collect(),
            ))
        };
        assert_eq!(san(knights, "Nd2"), ambiguous(&["N1d2", "Nb3d2", "Nfd2"]));
        assert_eq!(san(knights, "Nbd2"), ambiguous(&["N1d2", "Nb3d2"]));
        assert_eq!(san(knights, "N3d2"), ambiguous(&["Nb3d2", "Nfd2"]));
        assert_eq!(san(knights, "Ncd2"), Err(SanError::Illegal));
        let queens = "1k6/8/8/8/7Q/8/8/K3Q2Q w - - 0 1";
        assert_eq!(san(queens, "Qh1e4").as_deref(), Ok("h1e4"));
        assert_eq!(san(queens, "Qee4").as_deref(), Ok("e1e4"));
    }

    #[test]
    fn a_pinned_piece_needs_no_disambiguation() {
        // The rook on f7 is pinned, so only the one on a8 can reach a7.
        let pinned = "r5k1/5r2/4B3/8/8/8/8/4K3 b - - 0 1";
        assert_eq!(san(pinned, "Ra7").as_deref(), Ok("a8a7"));
        assert_eq!(san(pinned, "Raa7"), Err(SanError::Misspelt("Ra7".into())));
    }

    #[test]
    fn check_and_mate_marks_must_be_right() {
        let mate = "7k/8/6K1/8/8/8/8/R7 w - - 0 1";
        assert_eq!(san(mate, "Ra8#").as_deref(), Ok("a1a8"));
        for wrong in ["Ra8", "Ra8+"] {
            assert_eq!(san(mate, wrong), Err(SanError::Misspelt("Ra8#".into())));
        }
    }

    #[test]
    fn nonsense_is_illegal_and_never_panics() {
        for text in [
            "", "+", "#", "e", "e9", "Zf3", "O-O-O-O", "é4", "Ñf3", "e4e4e4", "0-0", "--",
        ] {
            assert_eq!(
                parse_san(&Board::default(), text),
                Err(SanError::Illegal),
                "{text:?}"
            );
        }
    }
}
