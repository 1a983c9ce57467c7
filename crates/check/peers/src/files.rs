//! Positions of EPD files.

use setwise::moves::GamePosition;
use setwise_positions::Fen;
use shakmaty::fen::Fen as ShakmatyFen;
use shakmaty::{CastlingMode, Chess};

use crate::compare::Comparison;
use crate::peers::by_shakmaty;

pub fn compare(path: &str, to: &mut Comparison) {
    for line in lines(&text(path)) {
        let chess = chess(line);
        let (moves, checks) = by_shakmaty(&chess);
        for (name, number) in [("legal", moves.len()), ("check", usize::from(checks > 0))] {
            if let Some(expected) = operation(line, name)
                && expected != number.to_string()
            {
                to.wrong(&format!("{line}: the crates find {name} {number}"));
            }
        }
        match Fen::parse(line.as_bytes()) {
            Ok(parsed) => to.push(parsed.game_position(), &chess),
            Err(error) => to.wrong(&format!("{line}: {error}")),
        }
    }
}

/// The positions of a file.
pub fn positions(path: &str) -> Vec<(GamePosition, Chess)> {
    let position = |line: &str| {
        let parsed = Fen::parse(line.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
        (parsed.game_position(), chess(line))
    };
    lines(&text(path)).map(position).collect()
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The position of a FEN or EPD in `shakmaty`.
pub fn chess(line: &str) -> Chess {
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    let fen: ShakmatyFen =
        fields.join(" ").parse().unwrap_or_else(|error| panic!("{line}: {error}"));
    fen.into_position(CastlingMode::Chess960).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The operand of an operation of EPD.
fn operation<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split(';').find_map(|part| {
        let mut words = part.split_whitespace().rev();
        let operand = words.next()?;
        (words.next()? == name).then_some(operand)
    })
}
