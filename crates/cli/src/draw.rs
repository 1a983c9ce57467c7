//! Boards as text, readable with and without colours.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Color, Style};

use setwise_positions::{Placement, Side, letter};

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const GOOD: Style = coloured(AnsiColor::Green);
pub(crate) const WRONG: Style = coloured(AnsiColor::Red).bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
const ATTACKED: Style = coloured(AnsiColor::Yellow);

const fn coloured(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// Wraps text in the escape codes of a style. Printing strips the codes if colours are off.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The three characters of a square, and their style.
type Cell = (String, Style);

/// A drawn board: ten lines of the same visible width.
pub(crate) struct Drawing(Vec<String>);

/// Characters per line: `2 + 8 * 3`.
const WIDTH: usize = 26;

impl Drawing {
    fn new(title: &str, cell: impl Fn(u32) -> Cell) -> Drawing {
        let padding = " ".repeat(WIDTH.saturating_sub(title.len()));
        let mut lines = vec![styled(STRONG, title) + &padding];
        for rank in (0..8).rev() {
            let mut line = format!("{} ", rank + 1);
            for file in 0..8 {
                let (text, style) = cell(8 * rank + file);
                let _ = write!(line, "{style}{text}{style:#}");
            }
            lines.push(line);
        }
        lines.push("   a  b  c  d  e  f  g  h ".into());
        Drawing(lines)
    }

    /// Draws the pieces, and marks the squares that a side's sliders attack. An empty square is
    /// marked with `*`, a piece with brackets, such as `(p)`.
    pub(crate) fn attacks(title: &str, placement: &Placement, side: Side, attacks: u64) -> Drawing {
        let sliders = placement.orthogonal(side) | placement.diagonal(side);
        Drawing::new(title, |square| {
            let attacked = attacks >> square & 1 == 1;
            let piece = placement.on(square).map(|(side, piece)| letter(side, piece));
            let text = match (piece, attacked) {
                (Some(piece), true) => format!("({piece})"),
                (Some(piece), false) => format!(" {piece} "),
                (None, true) => " * ".into(),
                (None, false) => " . ".into(),
            };
            let colour = if attacked { ATTACKED } else { Style::new() };
            let slider = sliders >> square & 1 == 1;
            (text, if slider { colour.bold() } else { colour })
        })
    }

    pub(crate) fn beside(&self, other: &Drawing) -> String {
        self.0.iter().zip(&other.0).fold(String::new(), |mut text, (left, right)| {
            let _ = writeln!(text, "{left}    {}", right.trim_end());
            text
        })
    }

    pub(crate) fn alone(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Drawing;
    use setwise_positions::{Placement, Side};

    #[test]
    fn marks_attacked_squares_and_pieces() {
        let placement: Placement = "8/8/8/8/p7/8/8/R1k5".parse().unwrap();
        let drawing = Drawing::attacks("t", &placement, Side::White, 0x0101_0106);
        let text = anstream::adapter::strip_str(&drawing.alone()).to_string();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[5], "4 (p) .  .  .  .  .  .  .");
        assert_eq!(lines[6], "3  *  .  .  .  .  .  .  .");
        assert_eq!(lines[8], "1  R  * (k) .  .  .  .  .");
    }
}
