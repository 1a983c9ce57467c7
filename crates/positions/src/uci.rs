//! Lines of UCI's `position` with moves: the position after them.

use std::borrow::Cow;
use std::io::Write as _;

use setwise::moves::{GamePosition, Move, State};
use setwise::{Square, board};

use crate::error::{FenError, Field, word};
use crate::fen_fields::{next_word, without_prefix};
use crate::lines::trim_line;
use crate::record::{Castling, square_name};
use crate::{Fen, Piece, Placement};

/// The text of the position that a line means: of UCI's `position fen FEN moves ...` and `position
/// startpos moves ...` the FEN after the moves, otherwise the line itself.
///
/// [`Fen::parse`] refuses lines with moves, because a [`Fen`] borrows the line.
/// [`Batch`](crate::Batch) plays them by itself. Spaces separate the moves. They end at a comment
/// (`;`, `|`, or a `,` that no move follows), or at a closing quote or bracket.
///
/// # Errors
///
/// If a move is not legal, if a comma separates two moves, or if the position before the moves is
/// invalid.
///
/// ```
/// use setwise_positions::{Fen, play_moves};
/// let line = b"position startpos moves e2e4 c7c5";
/// assert!(Fen::parse(line).is_err());
/// let text = play_moves(line)?;
/// let fen = Fen::parse(&text)?;
/// let after = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
/// assert_eq!(fen.to_string(), after);
///
/// let error = play_moves(b"position startpos moves e2e4 e2e4").unwrap_err();
/// assert_eq!(error.to_string(), "moves: `e2e4`, number 2, is not legal");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
pub fn play_moves(line: &[u8]) -> Result<Cow<'_, [u8]>, FenError> {
    after_moves(trim_line(line)).map_or(Ok(Cow::Borrowed(line)), |fen| fen.map(Cow::Owned))
}

/// Whether [`play_moves`] plays moves of this line.
pub(crate) fn has_moves(line: &[u8]) -> bool {
    split_moves(line).is_some()
}

/// The FEN after the moves of a `position` line, with as many fields as the line's FEN, but at
/// least four. `None` if the line is another one or has no moves.
pub(crate) fn after_moves(line: &[u8]) -> Option<Result<Vec<u8>, FenError>> {
    let (position, mut moves) = split_moves(line)?;
    let next = || {
        let (start, end) = next_word(moves, 0);
        let name = &moves[start..end];
        if name.is_empty() {
            return comma_before_move(&moves[start..]).map(Err);
        }
        moves = &moves[end..];
        Some(Ok(name))
    };
    Some(Fen::parse(position).and_then(|fen| play(&fen, std::iter::from_fn(next))))
}

/// The position and the moves of a `position` line that has moves.
fn split_moves(line: &[u8]) -> Option<(&[u8], &[u8])> {
    const MOVES: &[u8] = b"moves";
    // `position fen` is before the rest, and `position startpos` at its start.
    let before = line.len() - without_prefix(line).len();
    let start = &line[..line.len().min(before + b"position".len())];
    if !start.windows(8).any(|text| text.eq_ignore_ascii_case(b"position")) {
        return None;
    }
    let is_word = |&at: &usize| {
        let after = line.get(at + MOVES.len());
        line[at - 1].is_ascii_whitespace() && after.is_some_and(u8::is_ascii_whitespace)
    };
    let at = memchr::memmem::find_iter(line, MOVES).filter(|&at| at > before).find(is_word)?;
    let (position, moves) = (&line[..at], &line[at + MOVES.len()..]);
    let (start, end) = next_word(moves, 0);
    // Otherwise, the word is part of a comment, or no move follows. What a log writes before the
    // command is no comment, but a FEN that a comment follows is no log.
    let is_comment = position[before..].iter().any(|byte| b";|,".contains(byte));
    let mut fen = Fen::EMPTY;
    (start < end && !is_comment && fen.read_fields(line).is_err()).then_some((position, moves))
}

/// The error for a comma that a move follows: a comment would end the moves silently.
fn comma_before_move(rest: &[u8]) -> Option<FenError> {
    let rest = rest.strip_prefix(b",")?;
    let (start, end) = next_word(rest, 0);
    let name = &rest[start..end];
    let is_square = |at: usize| {
        let square = name.get(at..at + 2);
        square.is_some_and(|s| matches!(s, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']))
    };
    let is_move = matches!(name.len(), 4 | 5) && is_square(0) && is_square(2);
    let reason = || format!("a comma is before `{}`: separate moves by spaces", word(name));
    is_move.then(|| FenError::new(Field::Moves, reason()))
}

fn play<'a>(
    fen: &Fen<'_>,
    moves: impl Iterator<Item = Result<&'a [u8], FenError>>,
) -> Result<Vec<u8>, FenError> {
    let number = |field| fen.field(field).and_then(|text| text.parse::<u64>().ok());
    let (clock, number) = (number(4), number(5));
    let mut clock_now = clock.unwrap_or_default();
    let mut position = fen.game_position();
    let (mut count, first) = (0, position.state.side);
    for name in moves {
        let name = name?;
        let text = String::from_utf8_lossy(name).to_ascii_lowercase();
        let Some(played) = Move::from_uci(&text, &position) else {
            let reason = format!("`{}`, number {}, is not legal", word(name), count + 1);
            return Err(FenError::new(Field::Moves, reason));
        };
        let before = men(&position);
        let is_pawn = Placement::from(&position.position).on(played.from().index() as u32);
        let is_pawn = is_pawn.is_some_and(|(_, piece)| piece == Piece::Pawn);
        position = board::play(&position, played);
        count += 1;
        let is_reset = is_pawn || men(&position) < before;
        clock_now = if is_reset { 0 } else { clock_now.saturating_add(1) };
    }
    let placement = Placement::from(&position.position);
    let mut text = vec![];
    placement.write(&mut text);
    let State { side, en_passant, castling } = position.state;
    text.extend_from_slice([b" w ", b" b "][usize::from(side & 1)]);
    Castling::of(&placement, castling).write(&placement, &mut text);
    text.push(b' ');
    match Square::new(en_passant) {
        Some(square) => text.extend(square_name(square.index() as u32)),
        None => text.push(b'-'),
    }
    // Writing to a vector never fails.
    if clock.is_some() {
        let _ = write!(text, " {clock_now}");
    }
    if let Some(number) = number {
        let _ =
            write!(text, " {}", number.saturating_add(u64::midpoint((first & 1).into(), count)));
    }
    Ok(text)
}

fn men(position: &GamePosition) -> u32 {
    position.position.occupied().count_ones()
}

#[cfg(test)]
mod tests {
    use super::{after_moves, play_moves};
    use crate::{Batch, Fen, Field};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Lines of logs, and the position after their moves, which were made by hand.
    #[test]
    fn moves_are_played() {
        let ruy_lopez = "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3 5";
        for (line, fen) in [
            ("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1", ruy_lopez),
            (
                ">> position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1\r",
                ruy_lopez,
            ),
            (
                &format!("POSITION fen {START} moves e2e4"),
                // No pawn can take en passant.
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            ),
            (
                "position fen 4k3/8/8/8/4p3/8/3P4/4K3 w - - 7 30 moves d2d4",
                "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 30",
            ),
            (
                "position fen 4k3/8/8/8/4p3/8/3P4/4K3 w - - 7 30 moves d2d4 e4d3 e1d1",
                "4k3/8/8/8/8/3p4/8/3K4 b - - 1 31",
            ),
            // A promotion that captures; Black moves first; rights go with rook and king.
            (
                "<< position fen r3k2r/8/8/8/8/8/1p6/R3K2R b KQkq - 12 40 moves b2a1q e1d2 e8c8",
                "2kr3r/8/8/8/8/8/3K4/q6R w - - 2 42",
            ),
            // Chess960: the letters of the files.
            (
                "position fen 1rk5/8/8/8/8/8/8/1RK4R w BHb - 0 1 moves h1h8",
                "1rk4R/8/8/8/8/8/8/1RK5 b Bb - 1 1",
            ),
            // Four fields, a comment, and quotes of the log.
            (
                "\"position fen 4k3/8/8/8/8/8/8/R3K3 w Q - moves a1a2 ; first\"",
                "4k3/8/8/8/8/8/R7/4K3 b - -",
            ),
            ("position fen 4k3/8/8/8/8/8/8/R3K3 w moves a1a2", "4k3/8/8/8/8/8/R7/4K3 b - -"),
            // The ends of the moves: quotes of a list, the columns of a table, comments.
            ("'position fen 4k3/8/8/8/8/8/8/R3K3 w moves a1a2',", "4k3/8/8/8/8/8/R7/4K3 b - -"),
            ("position fen 4k3/8/8/8/8/8/8/R3K3 w moves a1a2,20", "4k3/8/8/8/8/8/R7/4K3 b - -"),
            (
                "position fen 4k3/8/8/8/8/8/8/R3K3 w moves a1a2, a rook",
                "4k3/8/8/8/8/8/R7/4K3 b - -",
            ),
            ("position fen 4k3/8/8/8/8/8/8/R3K3 w moves a1a2;e8e7", "4k3/8/8/8/8/8/R7/4K3 b - -"),
            (
                "position startpos moves e2e4 e7e5 ; was position startpos",
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
            ),
            // Logs of GUIs, libraries and managers of matches.
            (
                "[Engine] [12:00:00.123] <1> fastchess ---> position startpos moves g1f3 g8f6 f3g1 f6g8",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3",
            ),
            (
                "12345 >Some, engine; v1(0): position startpos moves g1f3 g8f6 f3g1 f6g8\r",
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3",
            ),
            (
                "2024/01/02 moves | DEBUG:chess.engine:<UciProtocol (pid=7)>: << position fen 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 moves a1a2",
                "4k3/8/8/8/8/8/R7/4K3 b - - 1 1",
            ),
            (
                "[00:00:00.011] (7f7f) INFO   <- POSITION FEN 4k3/8/8/8/8/8/8/R3K3 w Q - 0 1  moves a1a2",
                "4k3/8/8/8/8/8/R7/4K3 b - - 1 1",
            ),
        ] {
            let text = after_moves(line.as_bytes()).expect(line).expect(line);
            assert_eq!(String::from_utf8(text).unwrap(), fen, "{line}");
            let [mut batch, mut one] = [(); 2].map(|()| Batch::default());
            batch.read(format!("{START}\n{line}\n{START}\n").as_bytes(), 1);
            one.read_line(line.as_bytes(), 2);
            assert_eq!(batch.fens().collect::<Vec<_>>(), [START, fen, START]);
            assert_eq!(one.fens().collect::<Vec<_>>(), [fen]);
            assert_eq!(play_moves(line.as_bytes()).unwrap(), fen.as_bytes());
            let error = Fen::parse(line.as_bytes()).expect_err(line);
            assert!(error.field() == Field::Moves && error.reason().contains("not played"));
        }
    }

    #[test]
    fn moves_that_are_not_legal_are_errors() {
        for (line, reason) in [
            ("position startpos moves e2e5", "moves: `e2e5`, number 1, is not legal"),
            ("position startpos moves e2e4 e7e5 e4e5", "`e4e5`, number 3, is not legal"),
            ("position startpos moves 0000", "`0000`, number 1"),
            ("position startpos moves e2e4 \u{e9}", "`\u{e9}`, number 2"),
            ("position fen 8/8/8/8/8/8/8/8 w - - moves e2e4", "`e2e4`, number 1"),
            ("position fen 8/8 w - - moves e2e4", "piece placement: 2 ranks"),
            ("position startpos moves e2e4, e7e5", "moves: a comma is before `e7e5`"),
            ("position startpos moves e2e4,e7e5,g1f3", "a comma is before `e7e5`"),
            ("position startpos moves e2e4 , a7a8q ", "a comma is before `a7a8q`"),
        ] {
            let mut batch = Batch::default();
            batch.read(line.as_bytes(), 1);
            assert!(batch.is_empty(), "{line}");
            let error = batch.errors()[0].to_string();
            assert!(error.contains(reason), "{line}: {error}");
            assert_eq!(play_moves(line.as_bytes()).unwrap_err().to_string(), error[3..]);
        }
        for line in [
            "position startpos",
            "position startpos moves",
            "position startpos moves ; e2e4",
            "position startpos ; White moves e2e4",
            &format!("position fen {START} | two moves e2e4"),
            "bestmove e2e4",
            "moves e2e4",
            "",
            &format!("{START} moves e2e4"),
            &format!("{START} ; as position startpos moves e2e4"),
            "8/8 w - - id \"position startpos moves e2e4\";",
            "the opposition startpos moves e2e4",
        ] {
            assert!(after_moves(line.as_bytes()).is_none(), "{line}");
            assert_eq!(play_moves(line.as_bytes()).unwrap(), line.as_bytes());
        }
    }
}
