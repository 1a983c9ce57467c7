//! The positions in which the games of a [walk](crate::walk) start.

use cozy_chess::Board;

/// The positions in which games start.
#[derive(Clone)]
pub struct Starts(pub(crate) Vec<Board>);

impl Starts {
    /// The positions of EPD or FEN lines.
    ///
    /// # Errors
    /// If a line is not a position, or if there are no lines.
    pub fn new(lines: &str) -> Result<Starts, String> {
        let board = |line: &str| {
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            let fen = format!("{} 0 1", fields.join(" "));
            fen.parse().map_err(|error| format!("{line}: {error}"))
        };
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        let starts: Vec<Board> = lines.map(board).collect::<Result<_, String>>()?;
        if starts.is_empty() { Err("no positions found".into()) } else { Ok(Starts(starts)) }
    }
}
