//! Tests of the names of endings, valid and invalid.

use setwise_endgame::{Ending, EndingError};

#[test]
fn good_names() {
    for (name, expected) in [
        ("KQKR", "KQKR"),
        ("kqkr", "KQKR"),
        ("KNBK", "KBNK"),
        ("KRK", "KRK"),
        ("KK", "KK"),
        ("KKRQ", "KKQR"),
    ] {
        assert_eq!(name.parse::<Ending>().unwrap().to_string(), expected);
    }
}

#[test]
fn bad_names_say_what_is_wrong() {
    for (name, expected) in [
        ("", "white's king"),
        ("Q", "white's king"),
        ("QKRK", "white's king"),
        ("KQ", "black's king"),
        ("KQRB", "black's king"),
        ("KQKK", "more than two kings"),
        ("KPK", "pawn"),
        ("KQKP", "pawn"),
        ("KQxKR", "letter 3, 'x'"),
        ("KQ KR", "letter 3, ' '"),
        ("K♕K", "letter 2, '♕'"),
        ("KQRKB", "5 men"),
        ("KQQQQKR", "7 men"),
    ] {
        let error: EndingError = name.parse::<Ending>().unwrap_err();
        assert!(error.to_string().contains(expected), "{name}: {error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn all_endings_are_listed() {
    let all: Vec<String> = Ending::all().iter().map(ToString::to_string).collect();
    assert_eq!(
        all.join(" "),
        "KQK KRK KBK KNK KQQK KQRK KQBK KQNK KRRK KRBK KRNK KBBK KBNK KNNK \
         KQKQ KQKR KQKB KQKN KRKR KRKB KRKN KBKB KBKN KNKN"
    );
}
