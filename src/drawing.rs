//! Boards as drawings: eight ranks of eight characters, rank 8 first, the a-file on the left.

use core::fmt;

/// The squares of a drawing that contain one of these characters.
///
/// A drawing is eight ranks of eight ASCII characters, separated by white space. Rank 8 comes
/// first, and each rank runs from the a-file to the h-file.
///
/// # Panics
/// If the drawing is not eight ranks of eight ASCII characters.
///
/// ```
/// use setwise::board;
/// const DRAWING: &str = "
///     ........
///     ...o....
///     ........
///     ........
///     .o.R..o.
///     ........
///     ...o....
///     ........";
/// const ROOK: u64 = board::drawn(DRAWING, "R");
/// assert_eq!(ROOK, 1 << 27); // d4
/// assert_eq!(board::drawn(DRAWING, "oR"), 1 << 51 | 1 << 25 | 1 << 27 | 1 << 30 | 1 << 11);
/// ```
#[must_use]
pub const fn drawn(drawing: &str, characters: &str) -> u64 {
    let (drawing, characters) = (drawing.as_bytes(), characters.as_bytes());
    let (mut set, mut squares, mut i) = (0, 0, 0);
    while i < drawing.len() {
        if drawing[i].is_ascii_whitespace() {
            assert!(
                squares % 8 == 0,
                "every rank of the drawing must have eight characters, found fewer"
            );
        } else {
            let begins = squares % 8 == 0 && squares != 0;
            assert!(
                !begins || drawing[i - 1].is_ascii_whitespace(),
                "every rank of the drawing must have eight characters, found more"
            );
            assert!(squares < 64, "the drawing must have eight ranks, found more");
            assert!(drawing[i].is_ascii(), "the drawing must consist of ASCII characters");
            let (row, file) = (squares / 8, squares % 8);
            if contains(characters, drawing[i]) {
                set |= 1 << (8 * (7 - row) + file);
            }
            squares += 1;
        }
        i += 1;
    }
    assert!(squares == 64, "the drawing must have eight ranks of eight characters, found fewer");
    set
}

const fn contains(characters: &[u8], character: u8) -> bool {
    let mut i = 0;
    while i < characters.len() {
        if characters[i] == character {
            return true;
        }
        i += 1;
    }
    false
}

/// A set that displays as a drawing: eight lines, rank 8 first, `x` for the squares in the set and
/// `.` for the others.
///
/// [`drawn`] parses the text.
///
/// ```
/// use setwise::board;
/// let attacks = board::rook_attacks(1 << 27, 1 << 25 | 1 << 51);
/// assert_eq!(
///     board::Drawing(attacks).to_string(),
///     "........\n...x....\n...x....\n...x....\n.xx.xxxx\n...x....\n...x....\n...x...."
/// );
/// assert_eq!(board::drawn(&board::Drawing(attacks).to_string(), "x"), attacks);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Drawing(
    /// The set.
    pub u64,
);

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..8 {
            if row > 0 {
                f.write_str("\n")?;
            }
            for file in 0..8 {
                let square = 8 * (7 - row) + file;
                f.write_str(if self.0 >> square & 1 == 1 { "x" } else { "." })?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_round_trips() {
        for square in 0..64 {
            let text = Drawing(1 << square).to_string();
            assert_eq!(drawn(&text, "x"), 1 << square);
            let line = text.lines().nth(7 - square / 8).unwrap();
            assert_eq!(line.find('x'), Some(square % 8));
        }
    }

    #[test]
    fn invalid_drawings_are_rejected() {
        for (wrong, expected) in [
            ("........", "must have eight ranks of eight characters, found fewer"),
            (
                "....... .........",
                "every rank of the drawing must have eight characters, found fewer",
            ),
            (
                "................",
                "every rank of the drawing must have eight characters, found more",
            ),
            (&"........ ".repeat(9), "must have eight ranks, found more"),
            ("\u{2656}.....", "ASCII"),
        ] {
            let panic = std::panic::catch_unwind(|| drawn(wrong, "x")).unwrap_err();
            let message = *panic.downcast_ref::<&str>().expect("a literal message");
            assert!(message.contains(expected), "{wrong}: {message}");
        }
    }
}
