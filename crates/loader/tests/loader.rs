//! Batches: their order, their contents, and how loading ends.
#[path = "../../../examples/threats_indices.rs"]
#[allow(dead_code, unused_imports, unreachable_pub, missing_docs, reason = "only its tables")]
mod set;

use std::env;
use std::time::{Duration, Instant};

use crate::common::{ENTRIES, File, load, load_and_fail, write};
use setwise::threats::Threat;
use setwise::{Kernel, Side};
use setwise_loader::{Batch, EVERY_PAIR, Features, Loader, NAMES, Order, Table, named_rules};
use setwise_positions::Piece;
use setwise_positions::binpack::{Context, Entry, Filter, Sieve};
use setwise_positions::{Block, Blocks, Format};

/// The entries of each chunk. The first chunk is decoded in several parts.
fn chunks() -> Vec<Vec<Entry>> {
    let (entries, mut chunks) = (&*ENTRIES, Vec::new());
    chunks.push(entries.repeat(40_000 / entries.len() + 1));
    chunks.extend(entries.chunks(701).map(<[Entry]>::to_vec));
    chunks
}

impl File {
    fn of_chunks(name: &str) -> File {
        File::new(name, &chunks().iter().flat_map(|chunk| write(chunk)).collect::<Vec<u8>>())
    }

    fn loader(&self) -> Loader {
        Loader { batch_size: 1000, threads: 2, ..Loader::new(vec![self.0.clone()]) }
    }
}

/// What identifies a position.
type Row = ([u8; 64], i16, i8, u16);

fn rows(batches: &[Batch]) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches {
        for at in 0..batch.len() {
            let (score, result) = (batch.scores[at], batch.results[at]);
            rows.push((batch.boards[at], score, result, batch.plies[at]));
        }
    }
    rows
}

fn row(entry: &Entry) -> Row {
    (*entry.board().codes(), entry.score(), entry.result(), entry.ply())
}

#[test]
fn batches_hold_the_entries_in_order() {
    let file = File::of_chunks("order");
    let batches = load(&file.loader());
    let entries = chunks().concat();
    assert!(rows(&batches).into_iter().eq(entries.iter().map(row)));
    let (last, whole) = batches.split_last().unwrap();
    assert!(whole.iter().all(|batch| batch.len() == 1000) && last.len() == entries.len() % 1000);
    let mut all = entries.iter();
    for batch in &batches {
        for (side, kings) in batch.sides.iter().zip(&batch.kings) {
            let board = all.next().unwrap().board();
            assert_eq!(*side, board.side() as u8);
            for (side, king) in [Side::White, Side::Black].into_iter().zip(kings) {
                assert_eq!(board.placement().pieces(side, Piece::King), 1 << king);
            }
        }
        assert!(batch.threats.offsets.is_empty() && batch.indices[0].values.is_empty());
    }
    // A file twice is its positions twice.
    let twice = Loader { paths: vec![file.0.clone(), file.0.clone()], ..file.loader() };
    assert!(rows(&load(&twice)).into_iter().eq(entries.iter().chain(&entries).map(row)));
}

fn table() -> (set::Features, Table) {
    let features = set::Features::new(set::FIRST_SET);
    let table = table_of(&features, 0b1111_0000);
    (features, table)
}

fn table_of(features: &set::Features, mirror: u8) -> Table {
    let numbers = |of_set: &[u32]| -> Vec<u32> {
        let number = |&n: &u32| if n == set::EXCLUDED { Table::EXCLUDED } else { n };
        of_set.iter().map(number).collect()
    };
    let base = numbers(features.base.as_flattened().as_flattened());
    Table::new(&base, &numbers(features.place.as_flattened().as_flattened()), mirror).unwrap()
}

#[test]
fn features_are_those_of_each_board() {
    let file = File::new("features", &write(&ENTRIES));
    let threats = Features::Threats(EVERY_PAIR.clone());
    let threats = load(&Loader { features: threats, ..file.loader() });
    let (features, table) = table();
    let indices = load(&Loader { features: Features::Indices(table.into()), ..file.loader() });
    let mut found = vec![Threat::default(); 420];
    let mut counted = 0;
    for (threats, indices) in threats.iter().zip(&indices) {
        assert_eq!(threats.boards, indices.boards);
        for (at, board) in threats.boards.iter().enumerate() {
            let mut offsets = [0; 2];
            Kernel::active().threats(&[*board], &EVERY_PAIR, &mut offsets, &mut found);
            let found = &found[..offsets[1] as usize];
            assert_eq!(threats.threats.get(at), found);
            for (own, lists) in [true, false].into_iter().zip(&indices.indices) {
                let is_white = (indices.sides[at] == 0) == own;
                let side = if is_white { Side::White } else { Side::Black };
                let view = set::View::new(side, indices.kings[at][side as usize]);
                let mut expected: Vec<u32> = Vec::new();
                for threat in found {
                    expected.extend(features.index(view, *threat));
                }
                assert_eq!(lists.get(at), expected);
                counted += expected.len();
            }
        }
    }
    assert!(counted > 10 * ENTRIES.len(), "{counted}");
}

/// The pairs of the published sets are those of their tables.
#[test]
fn named_pairs() {
    let (_, first) = table();
    assert!(named_rules("79856").unwrap() == *first.rules());
    let later = table_of(&set::Features::new(set::LATER_SET), 0);
    assert!(named_rules("59808").unwrap() == *later.rules());
    assert!(named_rules("every").unwrap() == EVERY_PAIR && named_rules("some").is_none());
    // This set has pawns as victims of pawns, too.
    let rules = named_rules("60144").unwrap();
    for (attacker, victim) in (0..144).map(|pair| (1 + pair / 12, 1 + pair % 12)) {
        let are_pawns = attacker % 6 == 1 && victim % 6 == 1;
        let has = later.rules().counts(attacker, victim) || are_pawns;
        assert_eq!(rules.counts(attacker, victim), has);
    }
    assert!(NAMES.iter().all(|name| named_rules(name).is_some()));
}

/// Boards with as many threats as there can be.
#[test]
fn threats_of_any_boards() {
    let boards = vec![[5; 64]; 300];
    let lists = setwise_loader::threats(&boards, &EVERY_PAIR);
    assert_eq!((lists.values.len(), lists.get(299).len()), (300 * 420, 420));
}

#[test]
fn batches_do_not_depend_on_threads() {
    let file = File::of_chunks("threads");
    let (_, table) = table();
    let with = |threads, seed| {
        let features = Features::Indices(table.clone().into());
        load(&Loader { threads, seed, features, shuffle: 5000, ..file.loader() })
    };
    let first = with(1, 7);
    for threads in [1, 2, 5] {
        assert!(with(threads, 7) == first, "{threads} threads");
    }
    assert!(with(2, 8) != first);
}

#[test]
fn shuffling_is_a_permutation() {
    let file = File::of_chunks("shuffle");
    let sorted = |mut rows: Vec<Row>| {
        rows.sort_unstable();
        rows
    };
    let plain = rows(&load(&file.loader()));
    for shuffle in [1, 999, 20_000, 1 << 20] {
        let shuffled = rows(&load(&Loader { shuffle, ..file.loader() }));
        assert_eq!(shuffled == plain, shuffle == 1, "{shuffle}");
        assert!(sorted(shuffled) == sorted(plain.clone()), "{shuffle}");
    }
}

#[test]
fn loading_starts_again() {
    let file = File::of_chunks("again");
    let loader = Loader { shuffle: 3000, ..file.loader() };
    let mut first = loader.batches().unwrap();
    assert!(first.wait(Duration::from_secs(100)));
    let begun = first.next().unwrap().unwrap();
    let second = load(&loader);
    assert_eq!(begun, second[0]);
    // The first one is where it was.
    assert_eq!(first.next().unwrap().unwrap(), second[1]);
}

#[test]
fn filters_and_shards() {
    let file = File::of_chunks("filters");
    let filter = Filter {
        skip_checks: true,
        skip_captures: true,
        every: 3,
        skip: 0.5,
        seed: 1,
        ..Filter::default()
    };
    let mut expected = Vec::new();
    for (chunk, entries) in (0..).zip(chunks()) {
        let (mut sieve, mut context) = (Sieve::new(filter, 0), Context::new(&filter, 0, chunk));
        let kept = entries.iter().filter(|entry| sieve.skips(entry, &mut context).is_none());
        expected.push(kept.map(row).collect::<Vec<Row>>());
    }
    assert!(expected.iter().all(|chunk| !chunk.is_empty()));
    let loader = Loader { filter, ..file.loader() };
    assert!(rows(&load(&loader)) == expected.concat());
    for shard in 0..3 {
        let rows = rows(&load(&Loader { shard: (shard, 3), ..loader.clone() }));
        let ours: Vec<_> =
            expected.iter().skip(shard as usize).step_by(3).flatten().copied().collect();
        assert!(rows == ours, "shard {shard}");
    }
}

/// The command line keeps the same entries, of each of several files.
#[test]
fn filters_are_those_of_the_command_line() {
    let files = [ENTRIES.repeat(2), ENTRIES[5000..].to_vec()].map(|entries| {
        [write(&entries[..700]), write(&entries[700..9000]), write(&entries[9000..])].concat()
    });
    let paths = [File::new("one", &files[0]), File::new("other", &files[1])];
    let placeholders = Filter { skip_placeholders: true, simple_eval: 300, ..Filter::default() };
    for filter in [
        Filter { skip: 0.5, seed: 3, ..Filter::ALL },
        Filter { skip: 0.1, wld: true, every: 2, ..Filter::ALL },
        Filter { soft_early: Filter::STOCKFISH.soft_early, ..placeholders },
    ] {
        let mut expected = Vec::new();
        for (number, file) in (0..).zip(&files) {
            let sieve = Sieve::new(filter, 0);
            let mut blocks = Blocks::of(Format::Binpack, &file[..]).sieve(sieve, number);
            let mut block = Block::default();
            while blocks.next(&mut block).unwrap() {
                expected.extend(block.entries.iter().map(|(_, entry)| row(entry)));
            }
        }
        let paths = paths.iter().map(|file| file.0.clone()).collect();
        let loader = Loader { filter, threads: 2, ..Loader::new(paths) };
        assert!(rows(&load(&loader)) == expected, "{filter:?}");
    }
}

/// Nothing else could be read again, or passed over by size.
#[test]
fn only_regular_files_are_read() {
    let folder = env::temp_dir();
    let error = Loader::new(vec![folder.clone()]).batches().unwrap_err().to_string();
    assert_eq!(error, format!("{}: not a regular file", folder.display()));
}

#[test]
fn errors_come_after_what_is_whole() {
    let good = write(&ENTRIES);
    let mut broken = good.clone();
    broken.extend(b"BINP\x22\0\0\0");
    broken.extend([0; 34]);
    broken.extend(&good);
    let place = format!("chunk 2, byte {}: 0 pieces, but a position has 1 to 32", good.len() + 8);
    let cut = good[..good.len() - 3].to_vec();
    let cut_place = "chunk 1, byte ".to_owned();
    let magic = [&good[..], b"BIMP"].concat();
    let magic_place = format!("chunk 2, at byte {}: it does not start with BINP", good.len());
    let count = ENTRIES.len();
    for (name, bytes, place, least) in [
        ("chunk", broken, place, count),
        ("cut", cut, cut_place, count - 3),
        ("magic", magic, magic_place, count),
    ] {
        let file = File::new(name, &bytes);
        for (threads, shuffle) in [(1, 0), (3, 0), (2, 500)] {
            let loader = Loader { threads, shuffle, ..file.loader() };
            let (found, errors) = load_and_fail(&loader);
            let found = rows(&found);
            assert!((least..=count).contains(&found.len()), "{name}");
            assert!(
                shuffle > 0 || found.iter().copied().eq(ENTRIES[..found.len()].iter().map(row))
            );
            assert_eq!(errors.len(), 1);
            let path = file.0.display().to_string();
            assert!(errors[0].starts_with(&format!("{path}: {place}")), "{errors:?}");
        }
    }
}

#[test]
fn settings_are_checked() {
    let file = File::new("settings", &write(&ENTRIES[..10]));
    let error = |loader: &Loader| loader.batches().unwrap_err().to_string();
    let size = error(&Loader { batch_size: 0, ..file.loader() });
    assert_eq!(size, "batch_size must be from 1 to 16,777,216");
    assert_eq!(error(&Loader { batch_size: (1 << 24) + 1, ..file.loader() }), size);
    assert!(Loader { batch_size: 1 << 24, ..file.loader() }.batches().is_ok());
    // To resume after the end is not a pass without a batch.
    let beyond = Loader { batch_size: 4, resume: 4, ..file.loader() };
    let message = beyond.batches().unwrap().next().unwrap().unwrap_err().to_string();
    assert_eq!(message, "resume is 4, but there are only 3 batches");
    assert!(load(&Loader { resume: 3, ..beyond }).is_empty());
    let shard = error(&Loader { shard: (2, 2), ..file.loader() });
    assert_eq!(shard, "the number of a shard must be less than the number of shards");
    let missing = error(&Loader::new(vec!["missing.binpack".into()]));
    assert!(missing.starts_with("missing.binpack: "), "{missing}");
    let table = Table::new(&[0; 3], &[], 0).unwrap_err();
    assert_eq!(table, "base must have 288 numbers, found 3");
    assert!(load(&Loader::new(Vec::new())).is_empty());
}

/// A wait ends in time, also if entries come all the time and nearly all are skipped. The best of
/// many tries counts, because of other programs.
#[test]
fn waiting_ends_in_time() {
    let file = File::of_chunks("wait");
    let skips = |skip| Filter { skip, ..Filter::ALL };
    for (filter, order) in [
        (skips(0.99), Order::Files),
        (skips(0.99), Order::Mixed),
        (skips(0.99), Order::Chunks),
        (Filter { skip: 0.9, ..Filter::STOCKFISH }, Order::Files),
    ] {
        let loader = Loader { cycle: true, batch_size: 1 << 22, filter, order, ..file.loader() };
        let mut batches = loader.batches().unwrap();
        let mut least = Duration::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            assert!(!batches.wait(Duration::from_millis(50)), "a batch is there");
            least = least.min(start.elapsed());
            if least < Duration::from_millis(200) {
                break;
            }
        }
        assert!(least < Duration::from_millis(200), "{least:?}");
    }
}

/// Dropping ends the threads, whatever they wait for.
#[test]
fn dropping_early_ends() {
    let file = File::of_chunks("drop");
    let features = Features::Threats(EVERY_PAIR.clone());
    for threads in [1, 4] {
        for taken in [0, 1, 7] {
            let loader =
                Loader { threads, shuffle: 2000, features: features.clone(), ..file.loader() };
            let mut batches = loader.batches().unwrap();
            assert_eq!(batches.by_ref().take(taken).flatten().count(), taken);
            // Let the threads fill all queues.
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
