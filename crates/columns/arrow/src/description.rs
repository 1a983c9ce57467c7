//! Descriptions of operations as plain text, for query engines and bindings.

use setwise::reflection::OperationInfo;

/// The documentation of an operation as plain text, one line per paragraph. The text has no
/// examples and is worded for one row.
#[must_use]
pub fn description(operation: &OperationInfo) -> String {
    let (mut paragraphs, mut in_example) = (vec![String::new()], false);
    for line in operation.documentation().lines().map(str::trim) {
        if line.starts_with("```") {
            in_example = !in_example;
        } else if line.is_empty() && !in_example {
            paragraphs.push(String::new());
        } else if !in_example && let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
            paragraph.push_str(line);
        }
    }
    // A paragraph that ends with a colon introduces an example.
    paragraphs.retain(|text| !text.is_empty() && !text.ends_with(':'));
    let paragraphs: Vec<String> = paragraphs.iter().map(|text| for_one_row(text)).collect();
    paragraphs.join("\n")
}

/// Rewords a text for one row: "`attacks[i]` = what `rooks[i]` of board `i` attack" becomes "What
/// `rooks` of the board attack".
fn for_one_row(text: &str) -> String {
    let mut text = without_links(text).replace("[i]`", "`").replace("board `i`", "the board");
    // Removes emphasis, and references to types and kernels, which a query engine does not have.
    for phrase in ["*", " All kernels share this code.", ": see `AttackMaps`", ": see `Checks`"] {
        text = text.replace(phrase, "");
    }
    let text = match text.split_once("` = ") {
        Some((result, rest)) if result.starts_with('`') && !result[1..].contains('`') => rest,
        _ => &*text,
    };
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Removes links: "[`name`](target)" becomes "`name`".
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("](") {
        let (before, name) = before.rsplit_once('[').unwrap_or((before, ""));
        plain.extend([before, name]);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use setwise::reflection::{OPERATIONS, OperationInfo};

    use super::description;

    #[test]
    fn descriptions_are_plain_text_for_one_row() {
        for operation in OPERATIONS.iter().filter(|operation| !operation.by_value()) {
            let text = description(operation);
            assert!(text.len() > 20, "{text}");
            for markup in ["](", "```", "let ", "[i]", "`i`", "*", "see `", "kernels"] {
                assert!(!text.contains(markup), "{}: {text}", operation.name());
            }
            assert!(!text.starts_with('`'), "{}: {text}", operation.name());
        }
        let mobility = OperationInfo::by_name("slider_mobility").map(description);
        let expected =
            "The number of squares of `targets` that `slider_attacks` of the board contains.";
        assert_eq!(mobility.unwrap().lines().next(), Some(expected));
    }
}
