//! Tests the counts of every ending and the histograms. Also tests that options do not change a
//! table.

use setwise::Kernel;
use setwise_endgame::{AttackSource, Color, Ending, Options, Wins, generate};

use super::{TABLES, table};

/// The wins of the side that is first in the ending's name.
fn wins(name: &str) -> &'static Wins {
    let ending: Ending = name.parse().unwrap();
    TABLES.get(name).map_or_else(
        || TABLES[&ending.swapped().to_string()].wins(Color::Black),
        |table| table.wins(Color::White),
    )
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

#[test]
fn counts_and_lengths_are_the_published_ones() {
    for line in COUNTS.lines().filter(|line| line.starts_with('K')) {
        let (name, expected) = line.split_once(' ').unwrap();
        let expected: Vec<u64> =
            expected.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let wins = wins(name);
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

/// The README quotes the numbers in this test.
#[test]
fn knnk_has_the_most_legal_positions() {
    let legal = |wins: &Wins| wins.legal_attacker_to_move() + wins.legal_defender_to_move();
    let most = TABLES.values().map(|table| legal(table.wins(Color::White))).max();
    assert_eq!(most, Some(25_159_888));
    let wins = wins("KNNK");
    assert_eq!(legal(wins), 25_159_888);
    let bitmaps = [wins.won_in(1), wins.lost_in(0)].map(|depth| depth.expect("KNNK has mates"));
    let slots: usize = bitmaps.iter().map(|bitmap| 4096 * bitmap.directory().len()).sum();
    assert_eq!(slots, 33_554_432);
}

#[test]
fn histograms_are_the_published_ones() {
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
        let found = wins(name).histogram().lost;
        let found: Vec<String> = found.iter().map(u64::to_string).collect();
        assert_eq!(found.join(" "), lost, "{name}");
    }
}

#[test]
fn a_bare_king_wins_nothing_but_has_legal_positions() {
    for name in ["KKQ", "KKQR", "KK"] {
        let table = table(name);
        let reverse = generate(&table.ending().swapped(), &Options::default());
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
fn threads_and_kernels_do_not_change_a_table() {
    for name in ["KQNK", "KRKN"] {
        let expected = &TABLES[name];
        for (threads, attacks) in [
            (1, AttackSource::Tables),
            (3, AttackSource::Tables),
            (1, AttackSource::Kernel(Kernel::active())),
        ] {
            let options = Options { threads, attacks, ..Options::default() };
            let found = generate(expected.ending(), &options);
            assert!(found == *expected, "{name}, {threads} threads, {attacks:?}");
        }
    }
}

#[test]
fn all_sources_give_the_same_attack_sets() {
    for name in ["KQK", "KNK", "KQRK", "KBNK", "KNBK", "KNNK", "KQKR", "KNKQ", "KK"] {
        let ending: Ending = name.parse().unwrap();
        let expected = AttackSource::Tables.sets(&ending);
        for kernels in Kernel::available() {
            let sets = AttackSource::Kernel(kernels).sets(&ending);
            assert_eq!(sets.len(), expected.len());
            for (word, (set, expected)) in sets.iter().zip(&expected).enumerate() {
                let men =
                    (0..ending.men() as u32 - 1).map(|digit| 1u64 << (word >> (6 * digit) & 63));
                let squares = men.fold(0, |set, square| set | square).count_ones();
                // Entries where two men share a square are unspecified.
                assert!(
                    squares < ending.men() as u32 - 1 || set == expected,
                    "{name} by {}: word {word}",
                    kernels.name()
                );
            }
        }
    }
}

#[test]
fn bitmaps_agree_with_their_directories() {
    for depth in [TABLES["KQKR"].lost_in(20), TABLES["KRKN"].won_in(30)].into_iter().flatten() {
        let filled: usize = depth.directory().iter().map(|entry| entry.count_ones() as usize).sum();
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
