//! Escapes the characters on which a terminal, a browser or an XML parser acts: control characters,
//! characters that reorder or hide text, and those that XML forbids.

fn is_printable(c: char) -> bool {
    let acts = c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    // The last two code points of every plane are noncharacters.
    !acts && u32::from(c) & 0xfffe != 0xfffe
}

/// Escapes all characters on which a terminal, a browser or an XML parser acts: control characters,
/// characters that reorder or hide text, and those that XML forbids. Messages that quote names or
/// contents of files need this.
///
/// ```
/// assert_eq!(setwise_positions::printable("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) {
            escaped.push(c);
        } else {
            escaped.extend(c.escape_default());
        }
    }
    escaped
}

/// Escapes as [`printable`] does, except the line feeds between lines.
#[must_use]
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{printable, printable_lines};

    #[test]
    fn characters_that_act_are_escaped() {
        assert_eq!(printable("Größe <b> ♜ 2·3 µs"), "Größe <b> ♜ 2·3 µs");
        assert_eq!(printable("\x1b[2J\n\0\u{9b}"), "\\u{1b}[2J\\n\\u{0}\\u{9b}");
        assert_eq!(
            printable("a\u{202e}b\u{2066}\u{feff}\u{ffff}\u{e0041}"),
            "a\\u{202e}b\\u{2066}\\u{feff}\\u{ffff}\\u{e0041}"
        );
        assert_eq!(printable_lines("a\x07\nb\r\n"), "a\\u{7}\nb\\r\n");
    }
}
