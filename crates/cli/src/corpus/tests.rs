use super::*;

const FOOL: &str = "# Comment.\n\nAnn | Bob | Paris | 1900 | 0-1\n1.f3 e5\n2.g4 Qh4#\n";

/// The message for the first fault of a corpus, in its text or in its play.
fn message(text: &str) -> String {
    let play = |games: Vec<Game<'_>>| games.iter().try_for_each(|game| replay(game).map(drop));
    parse(text)
        .and_then(play)
        .expect_err("the corpus is faulty")
}

#[test]
fn reads_fields_moves_and_lines() {
    let text = format!("{FOOL}\n\nC | D | Rome | 1901 | 1/2-1/2\n1.d4\n");
    let games = parse(&text).unwrap();
    assert_eq!(
        games[0],
        Game {
            white: "Ann",
            black: "Bob",
            event: "Paris",
            year: 1900,
            outcome: Outcome::Win(Color::Black),
            moves: vec!["f3", "e5", "g4", "Qh4#"],
            line: 3,
        }
    );
    assert_eq!(
        (games[1].outcome, games[1].line, games.len()),
        (Outcome::Draw, 8, 2)
    );
    assert_eq!(parse(&FOOL.replace('\n', "\r\n")), parse(FOOL));
    assert_eq!(parse("# Nothing.\n"), Ok(vec![]));
}

#[test]
fn replays_from_the_start_position_to_mate() {
    let boards = replay(&parse(FOOL).unwrap()[0]).unwrap();
    assert_eq!(boards[0], Board::default());
    assert_eq!(
        boards[4].to_string(),
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    );
}

#[test]
fn a_bad_move_is_named_with_its_place() {
    let with = |from, to| message(&FOOL.replace(from, to));
    assert_eq!(
        with("g4 Qh4#", "g5 Qh4#"),
        "line 3: Ann - Bob, 1900: move 2.g5 fits no legal move"
    );
    assert_eq!(
        with("Qh4#", "Qh4+"),
        "line 3: Ann - Bob, 1900: move 2...Qh4+ should be written Qh4#"
    );
    assert_eq!(
        message("Ann | Bob | Paris | 1900 | 1-0\n1.Nf3 d5 2.d4 Nf6 3.Nd2\n"),
        "line 1: Ann - Bob, 1900: move 3.Nd2 is ambiguous: Nbd2 or Nfd2"
    );
}

#[test]
fn a_bad_header_is_named_with_its_line() {
    let with = |header: &str| message(&FOOL.replace("Ann | Bob | Paris | 1900 | 0-1", header));
    assert_eq!(
        with("Ann | Bob | Paris | 1900"),
        "line 3: Ann | Bob | Paris | 1900: \
         a header has five fields (White | Black | event | year | result), not 4"
    );
    assert!(with("Ann | | Paris | 1900 | 0-1").ends_with("the Black field is empty"));
    for year in ["MCM", "190", "19000", ""] {
        let bad = with(&format!("Ann | Bob | Paris | {year} | 0-1"));
        assert!(
            bad.ends_with(&format!("`{year}` is not a year of four digits")),
            "{bad}"
        );
    }
    assert!(with("Ann | Bob | Paris | 1900 | 2-0").ends_with("`2-0` is not 1-0, 0-1 or 1/2-1/2"));
    assert!(
        message("1.e4 e5\n").contains("five fields"),
        "moves without a header"
    );
}

#[test]
fn a_lost_or_misnumbered_move_is_named_with_its_line() {
    let with = |from, to| message(&FOOL.replace(from, to));
    assert_eq!(
        with("f3 e5", "f3"),
        "line 5: Ann - Bob, 1900: a Black move without a number is due, not `2.g4`"
    );
    assert_eq!(
        with("2.g4", "3.g4"),
        "line 5: Ann - Bob, 1900: a White move behind `2.` is due, not `3.g4`"
    );
    assert!(with("1.f3", "f3").ends_with("behind `1.` is due, not `f3`"));
    assert!(with("2.g4", "2. g4").ends_with("behind `2.` is due, not `2.`"));
    assert_eq!(
        message("Ann | Bob | Paris | 1900 | 0-1\n\n1.f3\n")
            .split(": ")
            .next(),
        Some("line 3"),
        "a blank line inside a game ends it"
    );
    assert_eq!(
        message("Ann | Bob | Paris | 1900 | 0-1\n"),
        "line 1: Ann - Bob, 1900: the game has no moves"
    );
}

#[test]
fn a_result_that_the_board_contradicts_is_refused() {
    assert_eq!(
        message(&FOOL.replace("0-1", "1-0")),
        "line 3: Ann - Bob, 1900: the header says 1-0, the last move makes it 0-1"
    );
    // The shortest known stalemate (Loyd).
    let stalemate = "1.e3 a5 2.Qh5 Ra6 3.Qxa5 h5 4.h4 Rah6 5.Qxc7 f6 6.Qxd7+ Kf7 7.Qxb7 Qd3 \
                     8.Qxb8 Qh7 9.Qxc8 Kg6 10.Qe6";
    let game = |result| format!("Ann | Bob | Paris | 1900 | {result}\n{stalemate}\n");
    assert!(replay(&parse(&game("1/2-1/2")).unwrap()[0]).is_ok());
    assert!(message(&game("1-0")).ends_with("the header says 1-0, the last move makes it 1/2-1/2"));
}

#[test]
fn distinct_ignores_counters_only() {
    let boards = [
        "r3k3/8/8/3pP3/8/8/8/R3K3 w Qq d6 0 1",
        "r3k3/8/8/3pP3/8/8/8/R3K3 w Qq d6 0 9",
        "r3k3/8/8/3pP3/8/8/8/R3K3 w Qq - 0 1",
        "r3k3/8/8/3pP3/8/8/8/R3K3 w Q - 7 1",
        "r3k3/8/8/3pP3/8/8/8/R3K3 b Q - 0 1",
        "r3k3/8/8/3pP3/8/8/8/R3K3 w Q - 0 1",
    ]
    .map(|fen| fen.parse::<Board>().unwrap());
    let [first, _, no_en_passant, no_castling, other_side, _] = boards.clone();
    assert_eq!(
        distinct(boards),
        [first, no_en_passant, no_castling, other_side]
    );
}
