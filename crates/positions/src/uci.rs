//! Lines of UCI's `position` with moves: the position after them.

use std::io::Write as _;

use setwise::moves::{GamePosition, Move, State};
use setwise::{Square, board};

use crate::error::{FenError, Field, word};
use crate::fen_fields::{next_word, without_prefix};
use crate::record::{Castling, square_name};
use crate::{Fen, Piece, Placement};

/// The FEN after the moves of a `position` line, with as many fields as the line's FEN, but at
/// least four. `None` if the line is another one or has no moves.
pub(crate) fn after_moves(line: &[u8]) -> Option<Result<Vec<u8>, FenError>> {
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
    let at = memchr::memmem::find_iter(line, MOVES).filter(|&at| at > 0).find(is_word)?;
    let (position, mut moves) = (&line[..at], &line[at + MOVES.len()..]);
    // The word is part of a comment.
    if position.iter().any(|byte| b";|,".contains(byte)) {
        return None;
    }
    let mut next = || {
        let (start, end) = next_word(moves, 0);
        let name = &moves[start..end];
        moves = &moves[end..];
        (!name.is_empty()).then_some(name)
    };
    let first = next()?;
    let all = std::iter::once(first).chain(std::iter::from_fn(next));
    Some(Fen::parse(position).and_then(|fen| play(&fen, all)))
}

fn play<'a>(fen: &Fen<'_>, moves: impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>, FenError> {
    let number = |field| fen.field(field).and_then(|text| text.parse::<u64>().ok());
    let (clock, number) = (number(4), number(5));
    let mut clock_now = clock.unwrap_or_default();
    let mut position = fen.game_position();
    let (mut count, first) = (0, position.state.side);
    for name in moves {
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
    use super::after_moves;
    use crate::Batch;

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
        ] {
            let text = after_moves(line.as_bytes()).expect(line).expect(line);
            assert_eq!(String::from_utf8(text).unwrap(), fen, "{line}");
            let [mut batch, mut one] = [(); 2].map(|()| Batch::default());
            batch.read(format!("{START}\n{line}\n{START}\n").as_bytes(), 1);
            one.read_line(line.as_bytes(), 2);
            assert_eq!(batch.fens().collect::<Vec<_>>(), [START, fen, START]);
            assert_eq!(one.fens().collect::<Vec<_>>(), [fen]);
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
        ] {
            let mut batch = Batch::default();
            batch.read(line.as_bytes(), 1);
            assert!(batch.is_empty(), "{line}");
            let error = batch.errors()[0].to_string();
            assert!(error.contains(reason), "{line}: {error}");
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
        ] {
            assert!(after_moves(line.as_bytes()).is_none(), "{line}");
        }
    }
}
