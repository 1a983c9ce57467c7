//! Suites of perft: positions with the number of move sequences of each depth.

use setwise::moves::GamePosition;

use crate::error::{FenError, Field, LineError};
use crate::lines::{MAX_LINE, is_rule, is_skipped, trim_line};
use crate::{Fen, Lines, play_moves};

/// The greatest depth that can be counted.
const MOST_DEPTH: u32 = 64;
const DEEP: &str = "its depth is greater than 64";

/// A position of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerftCase {
    /// The number of its line.
    pub line: u64,
    /// Its name, if the file has `id` lines.
    pub name: Option<String>,
    /// The FEN's fields.
    pub fen: String,
    /// The position.
    pub position: GamePosition,
    /// Depths, and the number of sequences of each.
    pub counts: Vec<(u32, u64)>,
}

/// Reads a suite of perft, and the errors of its lines.
///
/// These forms are read, line by line:
///
/// * a FEN or EPD, and `D1 20 ;D2 400`: depths and numbers, with `;`, `,`, `|` or spaces between
///   them;
/// * the same without the `D`: `FEN;1 20;2 400`;
/// * a FEN and the numbers of depth 1, 2, ...: `FEN,20,400,8902`, after a header `fen,...` or not,
///   also as a table of Markdown; if the header names columns `depth` and `nodes`, a row has one
///   depth and its number;
/// * a line `epd FEN`, followed by lines `perft DEPTH NUMBER`. A line `id NAME` may be before it.
///
/// Instead of the FEN, a line may have UCI's `position`, also with [moves](play_moves): the counts are
/// those of the position after them. Blank lines and comments are skipped. A depth greater than 64
/// is an error.
///
/// ```
/// let text = b"# two forms\n\
///     8/8/8/8/8/8/8/K6k w - - 0 1 ;D1 3 ;D2 9\n\
///     id kings\n\
///     epd 8/8/8/8/8/8/8/K6k b - -\n\
///     perft 1 3\n";
/// let (cases, errors) = setwise_positions::perft_suite(text);
/// assert_eq!(cases[0].counts, [(1, 3), (2, 9)]);
/// assert_eq!((cases[1].line, cases[1].name.as_deref()), (4, Some("kings")));
/// assert_eq!(cases[1].counts, [(1, 3)]);
/// assert!(errors.is_empty());
/// ```
#[must_use]
pub fn perft_suite(text: &[u8]) -> (Vec<PerftCase>, Vec<LineError>) {
    let (mut cases, mut errors): (Vec<PerftCase>, _) = (vec![], vec![]);
    let (mut name, mut is_open, mut columns) = (None, false, None);
    for (line, bytes) in (1..).zip(Lines::new(text)) {
        let mut error = |error| errors.push(LineError { line, error });
        let Some(bytes) = bytes.map(trim_line) else {
            error(FenError::new(Field::Line, format!("it is longer than {MAX_LINE} bytes")));
            continue;
        };
        // The row of a table of Markdown.
        let bytes = bytes.strip_prefix(b"|").map_or(bytes, trim_line);
        let text = String::from_utf8_lossy(bytes);
        if let Some(given) = text.strip_prefix("id ") {
            name = Some(given.trim().to_owned());
        } else if text.starts_with("perft") && is_skipped(bytes) {
            let mut numbers = text.split_ascii_whitespace().skip(1).map(str::parse);
            match (numbers.next(), numbers.next(), cases.last_mut()) {
                (Some(Ok(depth)), Some(Ok(_)), _) if depth > u64::from(MOST_DEPTH) => {
                    error(FenError::new(Field::Line, DEEP));
                }
                (Some(Ok(depth)), Some(Ok(count)), Some(case)) if is_open => {
                    case.counts.push((depth as u32, count));
                }
                (Some(Ok(_)), Some(Ok(_)), _) => {
                    error(FenError::new(Field::Line, "no position is before it"));
                }
                _ => error(FenError::new(Field::Line, "its numbers are too large")),
            }
        } else if is_header(&text) {
            columns = columns_of(&text);
        } else if !is_skipped(bytes) && !is_rule(bytes) {
            is_open = false;
            let parsed = play_moves(bytes).and_then(|text| {
                Fen::parse(&text).map(|fen| (fen.to_string(), fen.game_position()))
            });
            match parsed {
                Ok((fen, position)) => {
                    is_open = true;
                    cases.push(PerftCase {
                        line,
                        name: name.take(),
                        fen,
                        position,
                        counts: match columns {
                            Some(columns) => one_count(&text, columns).into_iter().collect(),
                            None => counts(&text),
                        },
                    });
                }
                Err(wrong) => error(wrong),
            }
        }
    }
    cases.retain(|case| {
        let wrong = match case.counts.iter().map(|&(depth, _)| depth).max() {
            None => "it has no depth with a number, such as `D1 20`",
            Some(depth) if depth > MOST_DEPTH => DEEP,
            Some(_) => return true,
        };
        errors.push(LineError { line: case.line, error: FenError::new(Field::Line, wrong) });
        false
    });
    errors.sort_by_key(|error| error.line);
    (cases, errors)
}

/// The depths and numbers of a line with a FEN.
fn counts(line: &str) -> Vec<(u32, u64)> {
    let words = line.split(|c: char| c.is_whitespace() || SEPARATORS.contains(&c));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let mut counts = vec![];
    while let Some(word) = words.next() {
        let depth = word.strip_prefix('D').and_then(|depth| depth.parse().ok());
        if let Some(depth) = depth
            && let Some(count) = words.peek().and_then(|word| word.parse().ok())
        {
            counts.push((depth, count));
            words.next();
        }
    }
    if counts.is_empty() { plain_counts(line).unwrap_or_default() } else { counts }
}

/// Not tabs, which separate words.
const SEPARATORS: [char; 3] = [';', ',', '|'];

/// The depths and numbers after the first `;`, `,` or `|` of a line, if nothing else is there:
/// pairs, or the numbers of depth 1, 2, ...
fn plain_counts(line: &str) -> Option<Vec<(u32, u64)>> {
    let (_, rest) = line.split_once(SEPARATORS)?;
    let parts = rest.split(SEPARATORS).map(str::trim).filter(|part| !part.is_empty());
    let mut counts = vec![];
    let mut is_pairs = None;
    for (part, depth) in parts.zip(1..) {
        let pair = part.split_once(char::is_whitespace);
        if *is_pairs.get_or_insert(pair.is_some()) != pair.is_some() {
            return None;
        }
        counts.push(match pair {
            Some((depth, count)) => (depth.parse().ok()?, count.trim().parse().ok()?),
            None => (depth, part.parse().ok()?),
        });
    }
    Some(counts)
}

/// Whether this is the header of a table whose first column has the FENs.
fn is_header(line: &str) -> bool {
    let name = line.split(SEPARATORS).next().unwrap_or_default().trim();
    name.len() < line.len() && ["fen", "epd"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// The columns of depths and of their numbers, if a header names both.
fn columns_of(header: &str) -> Option<[usize; 2]> {
    let names = header.split(SEPARATORS).map(|name| name.trim().to_ascii_lowercase());
    let names: Vec<String> = names.collect();
    let find = |known: &[&str]| names.iter().position(|name| known.contains(&&**name));
    Some([find(&["depth"])?, find(&["nodes", "node count", "count", "perft"])?])
}

/// The depth and the number in these columns.
fn one_count(line: &str, columns: [usize; 2]) -> Option<(u32, u64)> {
    let [depth, count] = columns.map(|column| line.split(SEPARATORS).nth(column).map(str::trim));
    Some((depth?.parse().ok()?, count?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::perft_suite;

    #[test]
    fn forms_of_lines() {
        let fen = "8/8/8/8/8/8/8/K6k w - -";
        for (rest, counts) in [
            (" ;D1 3 ;D2 9", &[(1, 3), (2, 9)][..]),
            (" 0 1 ;D1 3 ;D2 9 ;D10 99", &[(1, 3), (2, 9), (10, 99)]),
            (" D1 3; D2 9;", &[(1, 3), (2, 9)]),
            (";D1 3;D3 81", &[(1, 3), (3, 81)]),
            (" 0 1; D1 3, D2 9", &[(1, 3), (2, 9)]),
            (" 0 1;D1 3;D2 9", &[(1, 3), (2, 9)]),
            // Without the letter.
            (" 0 1;1 3 ;2 9", &[(1, 3), (2, 9)]),
            (";1 3;3 54;", &[(1, 3), (3, 54)]),
            (", 1\t3, 2  9", &[(1, 3), (2, 9)]),
            // Without depths.
            (" 0 1,3,9,54", &[(1, 3), (2, 9), (3, 54)]),
            (" 0 1, 3, 9", &[(1, 3), (2, 9)]),
            (";3;9", &[(1, 3), (2, 9)]),
            (",3", &[(1, 3)]),
            (" 0 1 | 3 | 9 |", &[(1, 3), (2, 9)]),
            (" | D1 3 | D2 9", &[(1, 3), (2, 9)]),
            // Numbers in comments and operations are none.
            (" hmvc 0; D1 3; id \"D 2\";", &[(1, 3)]),
        ] {
            let text = format!("FEN,d1,d2\n{fen}{rest}\r\n\n; end\n");
            let (cases, errors) = perft_suite(text.as_bytes());
            assert!(errors.is_empty(), "{rest}: {errors:?}");
            assert_eq!((cases.len(), &*cases[0].counts), (1, counts), "{rest}");
        }
        let table = format!("| FEN | 1 | 2 |\n|:----|--:|--:|\n| {fen} | 3 | 9 |\n|{fen}|3|9|\n");
        let (cases, errors) = perft_suite(table.as_bytes());
        assert!(errors.is_empty(), "{errors:?}");
        assert!(cases.iter().all(|case| case.counts == [(1, 3), (2, 9)]) && cases.len() == 2);
    }

    #[test]
    fn columns_of_depths_and_numbers() {
        let fen = "8/8/8/8/8/8/8/K6k w - - 0 1";
        for text in [
            "FEN,Depth,Nodes,Captures\nX,1,3, 0\nX,2,9,0\n",
            "fen;note;node count;depth\nX;a;3;1\nX;b c;9;2\n",
            "| fen | depth | nodes |\n|---|---|---|\n| X | 1 | 3 |\n| X | 2 | 9 |\n",
        ] {
            let (cases, errors) = perft_suite(text.replace('X', fen).as_bytes());
            assert!(errors.is_empty(), "{text}: {errors:?}");
            let counts: Vec<_> = cases.iter().map(|case| &case.counts[..]).collect();
            assert_eq!(counts, [&[(1, 3)][..], &[(2, 9)]], "{text}");
        }
        let (cases, errors) = perft_suite(format!("fen,depth,nodes\n{fen},1\n").as_bytes());
        assert!(cases.is_empty() && errors[0].line == 2, "{errors:?}");
    }

    /// The moves of UCI's `position` are played, and none is left out silently.
    #[test]
    fn moves() {
        let text = "position startpos moves e2e4 e7e5 ;D1 29 ;D2 835\n\
                    position fen 8/8/8/8/8/8/8/K6k w - - moves a1a2,5,15\n\
                    position startpos moves e2e4, e7e5 ;D1 29\n\
                    position startpos moves e2e4 e2e4 ;D1 29\n";
        let (cases, errors) = perft_suite(text.as_bytes());
        let fens: Vec<&str> = cases.iter().map(|case| &*case.fen).collect();
        let start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert_eq!(fens, [start, "8/8/8/8/8/8/K7/7k b - -"]);
        assert_eq!(cases[0].counts, [(1, 29), (2, 835)]);
        assert_eq!(cases[1].counts, [(1, 5), (2, 15)]);
        assert_eq!(cases[0].position.state.side, 0);
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let comma = "3: moves: a comma is before `e7e5`: separate moves by spaces";
        assert_eq!(errors, [comma, "4: moves: `e2e4`, number 2, is not legal"]);
    }

    /// What is not a list of numbers has no counts, rather than wrong ones.
    #[test]
    fn other_text_is_no_count() {
        for rest in [
            "",
            ",",
            ";;",
            ", 3, x",
            ";1 3;9",
            ";3;2 9",
            ";1 3 9",
            ",-3",
            ",1.5",
            "; 99 moves",
            " 0 1 3",
            " id \"20, 400\";",
            ",99999999999999999999",
        ] {
            let text = format!("8/8/8/8/8/8/8/K6k w - -{rest}\n");
            let (cases, errors) = perft_suite(text.as_bytes());
            assert!(cases.is_empty(), "{rest}: {cases:?}");
            assert!(errors[0].to_string().contains("no depth with a number"), "{rest}: {errors:?}");
        }
    }

    #[test]
    fn lines_that_are_wrong() {
        let text = "perft 1 2\n8/8 w - -\nperft 1 20\n8/8/8/8/8/8/8/K6k w - -\nid a\n\
                    epd 8/8/8/8/8/8/8/K6k w - -\nperft 1 99999999999999999999\nperft 1 3\n\
                    perft 65 1\n8/8/8/8/8/8/8/K6k w - - D1 3 ;D65 1\n";
        let (cases, errors) = perft_suite(text.as_bytes());
        assert_eq!(
            errors.iter().map(|error| error.line).collect::<Vec<_>>(),
            [1, 2, 3, 4, 7, 9, 10]
        );
        assert_eq!(cases.len(), 1);
        assert_eq!((cases[0].line, &*cases[0].counts), (6, &[(1, 3)][..]));
    }
}
