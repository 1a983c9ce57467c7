//! Published counts of all endings.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use setwise::Kernels;
use setwise_endgame::{Attacks, Color, Ending, Options, Passes, Report, Table, Wins, generate};

static TABLES: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| {
    let options = Options {
        passes: Passes::One,
        ..Options::default()
    };
    let table = |ending: Ending| (ending.to_string(), generate(&ending, &options));
    Ending::all().into_iter().map(table).collect()
});

/// The wins of the side named first, whichever colour it has in the table.
fn wins(name: &str) -> &'static Wins {
    let ending: Ending = name.parse().unwrap();
    TABLES.get(name).map_or_else(
        || TABLES[&ending.swapped().to_string()].wins(Color::Black),
        |table| table.wins(Color::White),
    )
}

#[test]
fn counts_and_lengths_are_the_published_ones() {
    // Longest win, deepest loss; to move and legal, to move and won; not to move and legal, lost; mates.
    let facts: [(&str, [usize; 2], [u64; 5]); 8] = [
        ("KQK", [10, 10], [144508, 144508, 223944, 200896, 364]),
        ("KRK", [16, 16], [175168, 175168, 223944, 201700, 216]),
        (
            "KQQK",
            [4, 10],
            [5657120, 5657120, 13660584, 13378232, 503760],
        ),
        (
            "KRRK",
            [7, 16],
            [8325184, 8325184, 13660584, 13621424, 144784],
        ),
        (
            "KBNK",
            [33, 33],
            [10875504, 10822184, 13660584, 11188168, 464],
        ),
        (
            "KQKR",
            [35, 35],
            [8952608, 8863768, 10780728, 7062680, 10972],
        ),
        ("KQKQ", [13, 12], [8952608, 3737092, 8952608, 40628, 6408]),
        ("KRKQ", [19, 18], [10780728, 3090088, 8952608, 17136, 2448]),
    ];
    for (name, lengths, counts) in facts {
        let wins = wins(name);
        let histogram = wins.histogram();
        assert_eq!(wins.ending().to_string(), name);
        assert_eq!(
            [wins.longest(), wins.deepest_loss()].map(|found| found.unwrap().moves),
            lengths,
            "{name}"
        );
        let found = [
            wins.legal_attacker_to_move(),
            histogram.won.iter().sum(),
            wins.legal_defender_to_move(),
            histogram.lost.iter().sum(),
            histogram.lost[0],
        ];
        assert_eq!(found, counts, "{name}");
        assert_eq!(histogram.won[0], 0, "{name}");
    }
}

#[test]
fn histograms_are_the_published_ones() {
    let facts: [(&str, &[u64]); 3] = [
        (
            "KRK",
            &[
                216, 624, 1948, 648, 1584, 3768, 4728, 5444, 11448, 13672, 15872, 22788, 28732,
                33516, 36372, 17284, 3056,
            ],
        ),
        (
            "KQK",
            &[
                364, 1352, 2956, 7480, 14144, 25484, 39908, 54052, 43800, 11300, 56,
            ],
        ),
        (
            "KQKR",
            &[
                10972, 7816, 6528, 8808, 14140, 21872, 37984, 84228, 144404, 184668, 147656,
                135396, 137444, 124280, 117504, 99696, 98224, 103756, 118216, 143376, 175576,
                202824, 240812, 302988, 366856, 443004, 509680, 562480, 623232, 618472, 542312,
                386300, 219972, 96896, 23836, 472,
            ],
        ),
    ];
    for (name, lost) in facts {
        assert_eq!(wins(name).histogram().lost, lost, "{name}");
    }
}

#[test]
fn longest_wins_are_the_published_ones() {
    for (name, moves) in [
        ("KBBK", 19),
        ("KQKB", 17),
        ("KQKN", 21),
        ("KRKB", 29),
        ("KRKN", 40),
        ("KRKR", 19),
        ("KQRK", 6),
        ("KRBK", 16),
        ("KRNK", 16),
    ] {
        assert_eq!(wins(name).longest().unwrap().moves, moves, "{name}");
    }
}

#[test]
fn two_knights_mate_but_do_not_force_it() {
    let histogram = wins("KNNK").histogram();
    assert_eq!(histogram.lost, [240]);
    assert_eq!(histogram.won.len(), 2, "no win beyond mate in one");
}

#[test]
fn a_capture_may_only_delay_the_loss() {
    for name in ["KQQK", "KRRK", "KQRK", "KQBK", "KQNK"] {
        let wins = wins(name);
        assert!(
            wins.deepest_loss().unwrap().moves > wins.longest().unwrap().moves,
            "{name}"
        );
    }
}

#[test]
fn minor_pieces_alone_cannot_win() {
    for name in ["KBK", "KNK"] {
        assert_eq!(wins(name).longest(), None, "{name}");
        assert_eq!(wins(name).histogram().lost, [0], "{name}");
    }
}

#[test]
fn a_bare_king_wins_nothing_but_has_legal_positions() {
    for name in ["KKQ", "KKQR", "KK"] {
        let ending: Ending = name.parse().unwrap();
        let table = generate(&ending, &Options::default());
        let reverse = generate(&ending.swapped(), &Options::default());
        assert_eq!(table.longest(), None);
        assert_eq!(table.histogram().lost, [0]);
        let legal = |wins: &Wins| [wins.legal_attacker_to_move(), wins.legal_defender_to_move()];
        let mut other = legal(reverse.wins(Color::White));
        other.reverse();
        assert_eq!(legal(table.wins(Color::White)), other);
        assert_eq!(table.wins(Color::Black), reverse.wins(Color::White));
    }
}

#[test]
fn all_attack_sets_and_thread_counts_give_the_same_tables() {
    for name in ["KRK", "KQNK", "KBBK", "KRKN", "KQKB", "KNKN"] {
        let ending: Ending = name.parse().unwrap();
        let expected = &TABLES[name];
        for kernels in Kernels::available() {
            let options = Options {
                threads: 1,
                attacks: Attacks::Kernels(kernels),
                ..Options::default()
            };
            assert!(
                generate(&ending, &options) == *expected,
                "{name} by {}",
                kernels.name()
            );
        }
        for threads in [1, 2, 3] {
            let options = Options {
                threads,
                ..Options::default()
            };
            assert!(
                generate(&ending, &options) == *expected,
                "{name} on {threads} threads"
            );
        }
    }
}

#[test]
fn one_pass_and_two_give_the_same_tables() {
    for (name, one) in &*TABLES {
        for threads in [1, 3] {
            let options = Options {
                threads,
                passes: Passes::Two,
                ..Options::default()
            };
            let two = generate(one.ending(), &options);
            assert!(two == *one, "{name} on {threads} threads");
        }
    }
}

#[test]
fn one_pass_moves_fewer_bytes_on_any_number_of_threads() {
    for name in ["KQKR", "KBBK", "KRRK"] {
        let bytes = |passes, threads| {
            let options = Options {
                threads,
                passes,
                ..Options::default()
            };
            let report = Report::measure(&name.parse().unwrap(), &options).1;
            assert_eq!(report.passes, Some(passes.to_string()));
            report.bytes_moved
        };
        let [one, two] = [Passes::One, Passes::Two].map(|passes| bytes(passes, 1));
        assert!(one < two, "{name}: {one}, {two}");
        assert_eq!(one, bytes(Passes::One, 3), "{name}");
        assert_eq!(two, bytes(Passes::Two, 3), "{name}");
    }
}

#[test]
fn all_attack_sets_are_equal() {
    for name in [
        "KQK", "KNK", "KQRK", "KBNK", "KNBK", "KNNK", "KQKR", "KNKQ", "KK",
    ] {
        let ending: Ending = name.parse().unwrap();
        let expected = Attacks::Tables.sets(&ending);
        for kernels in Kernels::available() {
            let sets = Attacks::Kernels(kernels).sets(&ending);
            assert_eq!(sets.len(), expected.len());
            let (pieces, both) = (ending.men() - 2, sets.len() / 64 / 64);
            for (word, (set, expected)) in sets.iter().zip(&expected).enumerate() {
                let (first, second, king) =
                    (word / 64 / both.max(1), word / 64 % both.max(1), word % 64);
                let apart = first != king && (pieces < 2 || first != second && second != king);
                assert!(
                    !apart || set == expected,
                    "{name} by {}: word {word}",
                    kernels.name()
                );
            }
        }
    }
}

#[test]
fn bitmaps_agree_with_their_directories() {
    for depth in [TABLES["KQKR"].lost_in(20), TABLES["KRKN"].won_in(30)]
        .into_iter()
        .flatten()
    {
        let filled = depth
            .directory()
            .iter()
            .map(|entry| entry.count_ones() as usize)
            .sum::<usize>();
        assert_eq!(filled, depth.stored_words().count());
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
