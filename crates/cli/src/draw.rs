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

/// A drawn board: ten lines of the same visible width.
pub(crate) struct Drawing(Vec<String>);

/// Characters per line: `2 + 8 * 3`.
const WIDTH: usize = 26;

impl Drawing {
    /// Draws the pieces, and marks the squares that a side's sliders attack. An empty square is
    /// marked with `*`, a piece with brackets, such as `(p)`.
    pub(crate) fn attacks(title: &str, placement: &Placement, side: Side, attacks: u64) -> Drawing {
        let sliders = placement.orthogonal(side) | placement.diagonal(side);
        let padding = " ".repeat(WIDTH.saturating_sub(title.len()));
        let mut lines = vec![styled(STRONG, title) + &padding];
        for rank in (0..8).rev() {
            let mut line = format!("{} ", rank + 1);
            for square in 8 * rank..8 * rank + 8 {
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
                line += &styled(if slider { colour.bold() } else { colour }, &text);
            }
            lines.push(line);
        }
        lines.push("   a  b  c  d  e  f  g  h ".into());
        Drawing(lines)
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
