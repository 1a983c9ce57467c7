//! Tests endings by published counts, by random positions, and by checks of every value against the
//! position's moves. By default KQK and KRK and the like, all endings with `--ignored`.

use cozy_chess::Board;
use setwise::Kernel;
use setwise_endgame::{
    AttackSource, Ending, Options, Position, Side, Table, Value, Wins, generate, verify,
};

/// Runs each test with a short list of endings, and with a long one if ignored tests run.
macro_rules! tests {
    ($($test:ident: $short:expr, $long:expr;)*) => {
        mod short {
            $(#[test] fn $test() { super::$test(&$short); })*
        }
        mod long {
            $(#[test] #[ignore = "up to minutes"] fn $test() { super::$test(&$long); })*
        }
    };
}

tests! {
    counts_and_lengths_are_the_published_ones: ["KQK", "KRK"], super::every_name();
    histograms_are_the_published_ones: ["KRK", "KQK"], ["KQKR"];
    a_bare_king_wins_nothing_but_has_legal_positions: ["KKQ", "KK"], ["KKQR"];
    threads_and_kernels_do_not_change_a_table: ["KRK"], ["KQNK", "KRKN"];
    all_sources_give_the_same_attack_sets: ["KQK", "KNK", "KK"],
        ["KQRK", "KBNK", "KNBK", "KNNK", "KQKR", "KNKQ"];
    bitmaps_agree_with_their_directories: ["KRK"], ["KQKR", "KRKN"];
    legality_and_values_follow_from_the_moves: ["KQK", "KRK"], super::every_name();
    the_swapped_ending_has_the_same_values: ["KRK"], ["KQKR", "KBNK"];
    lines_end_in_mate_after_the_promised_moves: ["KQK", "KRK"],
        ["KQQK", "KRRK", "KBNK", "KQKR", "KRKN"];
    every_value_follows_from_the_moves: ["KQK", "KRK", "KKR", "KK"], super::every_name();
}

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

/// White's wins in all 30 endings where white has a piece.
///
/// The lengths, and all numbers from KQK to KRKQ, agree with those published for an independent
/// solver. The sums of won and lost positions agree with the Syzygy tables.
const COUNTS: &str = "
        longest deepest  white to move      black to move
        win     loss     legal     won      legal     lost    mates
KQK       10      10    144508   144508    223944   200896      364
KRK       16      16    175168   175168    223944   201700      216
KBK        0       0    193284        0    223944        0        0
KNK        0       0    205496        0    223944        0        0
KQQK       4      10   5657120  5657120  13660584 13378232   503760
KQRK       6      16   6911296  6911296  13660584 13519192   227592
KQBK       8      10   7698432  7698432  13660584 12379568    65744
KQNK       9      10   8245296  8245296  13660584 12343856    37964
KRRK       7      16   8325184  8325184  13660584 13621424   144784
KRBK      16      16   9366840  9366840  13660584 12458920    16336
KRNK      16      16   9905048  9905048  13660584 12406892    14680
KBBK      19      19  10164056  5007216  13660584  5628080     3104
KBNK      33      33  10875504 10822184  13660584 11188168      464
KNNK       1       0  11499304     1232  13660584      240      240
KQKQ      13      12   8952608  3737092   8952608    40628     6408
KQKR      35      35   8952608  8863768  10780728  7062680    10972
KRKQ      19      18  10780728  3090088   8952608    17136     2448
KQKB      17      17   8952608  8925252  11832464  9097332    13536
KBKQ       0       0  11832464        0   8952608        0        0
KQKN      21      21   8952608  8894128  12535256 10088688    16748
KNKQ       0       0  12535256        0   8952608        0        0
KRKR      19      19  10780728  3139232  10780728    72464     4824
KRKB      29      29  10780728  3787160  11832464   381888     6528
KBKR       0       0  11832464        0  10780728        0        0
KRKN      40      40  10780728  5210920  12535256  1364800     9328
KNKR       1       0  12535256       32  10780728        8        8
KBKB       1       0  11832464      416  11832464      112      112
KBKN       1       0  11832464       16  12535256        8        8
KNKB       1       0  12535256       40  11832464        8        8
KNKN       1       0  12535256       40  12535256        8        8
";

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    COUNTS.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| name.contains('K'))
}

fn every_name() -> Vec<&'static str> {
    lines().map(|(name, _)| name).collect()
}

fn counts_and_lengths_are_the_published_ones(names: &[&str]) {
    for (name, expected) in lines().filter(|(name, _)| names.contains(name)) {
        let expected: Vec<u64> =
            expected.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let table = table(name);
        let wins = table.wins(Side::White);
        let histogram = wins.histogram();
        let lengths = [wins.longest(), wins.deepest_loss()];
        let [longest, deepest] = lengths.map(|found| found.map_or(0, |found| found.moves as u64));
        let found = [
            longest,
            deepest,
            wins.legal_attacker_to_move(),
            histogram.won.iter().sum(),
            wins.legal_defender_to_move(),
            histogram.lost.iter().sum(),
            histogram.lost[0],
        ];
        assert_eq!(wins.ending().to_string(), name);
        assert_eq!(found[..], expected, "{name}");
        assert_eq!(histogram.won[0], 0, "{name}");
        assert_eq!(wins.longest().is_none(), histogram.won.len() == 1, "{name}");
    }
}

/// The README quotes this number.
#[test]
fn knnk_has_the_most_legal_positions() {
    let legal = |line: &str| {
        let numbers: Vec<u64> = line.split_whitespace().map(|text| text.parse().unwrap()).collect();
        numbers[2] + numbers[4]
    };
    let most = lines().map(|(name, line)| (legal(line), name)).max();
    assert_eq!(most, Some((25_159_888, "KNNK")));
}

fn histograms_are_the_published_ones(names: &[&str]) {
    for (name, lost) in [
        (
            "KRK",
            "216 624 1948 648 1584 3768 4728 5444 11448 13672 15872 22788 28732 33516 36372 17284 \
             3056",
        ),
        ("KQK", "364 1352 2956 7480 14144 25484 39908 54052 43800 11300 56"),
        (
            "KQKR",
            "10972 7816 6528 8808 14140 21872 37984 84228 144404 184668 147656 135396 137444 \
             124280 117504 99696 98224 103756 118216 143376 175576 202824 240812 302988 366856 \
             443004 509680 562480 623232 618472 542312 386300 219972 96896 23836 472",
        ),
    ] {
        if names.contains(&name) {
            let found = table(name).wins(Side::White).histogram().lost;
            let found: Vec<String> = found.iter().map(u64::to_string).collect();
            assert_eq!(found.join(" "), lost, "{name}");
        }
    }
}

fn a_bare_king_wins_nothing_but_has_legal_positions(names: &[&str]) {
    for name in names {
        let table = table(name);
        let reverse = generate(&table.ending().swapped(), &Options::default());
        assert_eq!(table.wins(Side::White).longest(), None);
        assert_eq!(table.wins(Side::White).histogram().lost, [0]);
        let legal = |wins: &Wins| [wins.legal_attacker_to_move(), wins.legal_defender_to_move()];
        let mut other = legal(reverse.wins(Side::White));
        other.reverse();
        assert_eq!(legal(table.wins(Side::White)), other);
        assert_eq!(table.wins(Side::Black), reverse.wins(Side::White));
    }
}

fn threads_and_kernels_do_not_change_a_table(names: &[&str]) {
    for name in names {
        let expected = table(name);
        for (threads, attacks) in [
            (1, AttackSource::Tables),
            (3, AttackSource::Tables),
            (1, AttackSource::Kernel(Kernel::active())),
        ] {
            let options = Options { threads, attacks, ..Options::default() };
            let found = generate(expected.ending(), &options);
            assert!(found == expected, "{name}, {threads} threads, {attacks:?}");
        }
    }
}

fn all_sources_give_the_same_attack_sets(names: &[&str]) {
    for name in names {
        let ending: Ending = name.parse().unwrap();
        let expected = AttackSource::Tables.sets(&ending);
        for kernel in Kernel::available() {
            let sets = AttackSource::Kernel(kernel).sets(&ending);
            assert_eq!(sets.len(), expected.len());
            for (word, (set, expected)) in sets.iter().zip(&expected).enumerate() {
                let men =
                    (0..ending.men() as u32 - 1).map(|digit| 1u64 << (word >> (6 * digit) & 63));
                let squares = men.fold(0, |set, square| set | square).count_ones();
                // Entries where two men share a square are unspecified.
                assert!(
                    squares < ending.men() as u32 - 1 || set == expected,
                    "{name} by {}: word {word}",
                    kernel.name()
                );
            }
        }
    }
}

fn bitmaps_agree_with_their_directories(names: &[&str]) {
    for table in names.iter().map(|name| table(name)) {
        let wins = table.wins(Side::White);
        let half = wins.longest().unwrap().moves / 2;
        for depth in [wins.lost_in(half), wins.won_in(half)].into_iter().flatten() {
            let filled: u32 = depth.directory().iter().map(|entry| entry.count_ones()).sum();
            assert_eq!(filled as usize, depth.stored_words().count());
            assert_eq!(depth.positions().count() as u64, depth.count());
            assert!(depth.positions().is_sorted());
            let members = depth.positions().step_by(97);
            assert!(members.into_iter().all(|index| depth.contains(index)));
            let words: u64 = (0..64 * depth.directory().len())
                .map(|at| u64::from(depth.word(at).count_ones()))
                .sum();
            assert_eq!(words, depth.count());
        }
    }
}

const POSITIONS: usize = 10_000;

/// A random position of an ending, with the men on different squares.
fn random(random: &mut fastrand::Rng, ending: &Ending) -> Position {
    let squares: Vec<u8> = random.choose_multiple(0..64u8, 4);
    let pieces =
        Side::BOTH.into_iter().flat_map(|side| ending.pieces(side).iter().map(move |&p| (side, p)));
    let men: Vec<_> =
        pieces.zip(&squares[2..]).map(|((side, piece), &square)| (side, piece, square)).collect();
    let turn = Side::BOTH[random.usize(..2)];
    Position::new(turn, [squares[0], squares[1]], &men).unwrap()
}

/// The board of a position. `None` if it is illegal, or if the kings are adjacent, which
/// `cozy-chess` accepts.
fn board(position: &Position) -> Option<Board> {
    let board = Board::from_fen(&position.to_string(), false).ok()?;
    let [white, black] =
        [cozy_chess::Color::White, cozy_chess::Color::Black].map(|side| board.king(side));
    (!cozy_chess::get_king_moves(white).has(black)).then_some(board)
}

fn position(board: &Board) -> Position {
    format!("{board}").parse().unwrap()
}

/// The value that follows from the values after each move.
fn expected(table: &Table, board: &Board) -> Value {
    let mut values = Vec::new();
    board.generate_moves(|moves| {
        for one in moves {
            let mut after = board.clone();
            after.play(one);
            values.push(match table.probe(&position(&after)) {
                Value::Loss(moves) => Value::Win(moves + 1),
                Value::Win(moves) => Value::Loss(moves),
                other => other,
            });
        }
        false
    });
    // Quick wins are best, then slow wins, draws, slow losses, and quick losses.
    let rank = |value: &Value| match *value {
        Value::Win(moves) => 1000 - moves,
        Value::Draw => 500,
        Value::Loss(moves) => moves,
        Value::Illegal => panic!("{board}: a move leads to an illegal position"),
    };
    let no_move = if board.checkers().is_empty() { Value::Draw } else { Value::Loss(0) };
    values.into_iter().max_by_key(rank).unwrap_or(no_move)
}

fn legality_and_values_follow_from_the_moves(names: &[&str]) {
    for table in names.iter().map(|name| table(name)) {
        let ending = table.ending();
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut legal, mut decided) = (0, 0);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, ending);
            let board = board(&position);
            assert_eq!(position.is_legal(), board.is_some(), "{position}");
            let value = table.probe(&position);
            match board {
                None => assert_eq!(value, Value::Illegal, "{position}"),
                Some(board) => {
                    assert_eq!(value, expected(&table, &board), "{position}");
                    legal += 1;
                    decided += usize::from(value != Value::Draw);
                }
            }
        }
        assert!(legal > POSITIONS / 3, "{ending}: only {legal} legal positions");
        let wins = Side::BOTH.map(|side| table.wins(side).longest());
        let all_drawn = wins.iter().flatten().all(|longest| longest.moves == 1);
        assert!(decided > 100 || all_drawn, "{ending}: {decided}");
    }
}

fn the_swapped_ending_has_the_same_values(names: &[&str]) {
    for expected in names.iter().map(|name| table(name)) {
        let swapped = table(&expected.ending().swapped().to_string());
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..POSITIONS {
            let position = random(&mut rng, expected.ending());
            let value = swapped.probe(&position.swapped());
            assert_eq!(value, expected.probe(&position), "{position}");
        }
    }
}

#[test]
#[ignore = "solves KQKR"]
fn other_men_are_illegal() {
    let table = table("KQKR");
    for (fen, known) in [
        ("7k/8/8/8/8/8/8/KQ5r w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR5q w - - 0 1", false),
        ("7k/8/8/8/8/8/8/KQ6 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KR6 w - - 0 1", false),
        ("7k/8/8/8/8/8/8/K5r1 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", true),
        ("7k/8/8/8/8/8/8/KB5r w - - 0 1", false),
    ] {
        assert_eq!(table.probe(&fen.parse().unwrap()) != Value::Illegal, known, "{fen}");
    }
}

fn lines_end_in_mate_after_the_promised_moves(names: &[&str]) {
    for (table, side) in
        names.iter().map(|name| table(name)).flat_map(|t| Side::BOTH.map(|side| (t.clone(), side)))
    {
        let wins = table.wins(side);
        let ends = [
            wins.longest().map(|l| (l, 2 * l.moves - 1)),
            wins.deepest_loss().map(|l| (l, 2 * l.moves)),
        ];
        for (longest, plies) in ends.into_iter().flatten() {
            let start = match side {
                Side::White => longest.position,
                Side::Black => longest.position.swapped(),
            };
            let line = table.line(&start);
            assert_eq!(line.len(), plies, "{start}");
            // The line is empty if the deepest loss is already mate.
            let Some(last) = line.last() else { continue };
            assert_eq!(last.value, Value::Loss(0));
            assert!(last.san.ends_with('#'), "{}", last.san);
            let mut board = board(&start).unwrap();
            for step in &line {
                board.play(step.uci.parse().unwrap());
                assert_eq!(position(&board), step.position, "{start}");
            }
            assert_eq!(board.status(), cozy_chess::GameStatus::Won);
        }
    }
}

fn every_value_follows_from_the_moves(names: &[&str]) {
    for table in names.iter().map(|name| table(name)) {
        verify(&table, 0, None).unwrap_or_else(|error| panic!("{}: {error}", table.ending()));
    }
}

#[test]
fn names() {
    for (name, expected) in [("kqkr", "KQKR"), ("KNBK", "KBNK"), ("KK", "KK"), ("KKRQ", "KKQR")] {
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
        let error = name.parse::<Ending>().unwrap_err();
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
