//! Layouts, and the order of positions: shuffled, of several files, of several passes.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "all numbers are small"
)]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::common::{ENTRIES, File, load, load_and_fail, write};
use setwise_loader::{
    Batch, Columns, Features, Filter, Inputs, Layout, Loader, OnError, Order, PieceCounts, Reason,
    Views,
};
use setwise_positions::binpack::{Entry, Sieve};

fn loader(files: &[File]) -> Loader {
    let loader = Loader::new(files.iter().map(|file| file.0.clone()).collect());
    Loader { batch_size: 1000, threads: 2, filter: Filter::ALL, ..loader }
}

fn error(loader: &Loader) -> String {
    loader.batches().unwrap().find_map(Result::err).unwrap().to_string()
}

fn scores(batches: &[Batch]) -> Vec<i16> {
    batches.iter().flat_map(|batch| batch.scores.iter().copied()).collect()
}

/// A file of chunks, in which scores and plies say which file and entry it is.
fn numbered(file: usize, chunks: &[usize]) -> File {
    let (mut bytes, mut at) = (Vec::new(), 0);
    for chunk in chunks {
        let entries: Vec<Entry> = (at..at + chunk)
            .map(|number| {
                let entry = &ENTRIES[number % ENTRIES.len()];
                Entry::new(*entry.board(), entry.played(), file as i16, 0, number as u16 % 16_000)
            })
            .collect();
        bytes.extend(write(&entries));
        at += chunk;
    }
    File::new(&format!("{file}-{}-{:?}", chunks.len(), std::thread::current().id()), &bytes)
}

/// File and number of each position.
fn numbers(batches: &[Batch]) -> Vec<(i16, u16)> {
    let of = |batch: &Batch| batch.scores.iter().copied().zip(batch.plies.clone()).collect();
    batches.iter().flat_map(|batch| -> Vec<_> { of(batch) }).collect()
}

#[test]
fn rows_are_the_lists() {
    let file = [File::new("rows", &write(&ENTRIES))];
    let inputs = Inputs::named("Full_Threats+PP_3Wide+HalfKAv2_hm").unwrap();
    let columns = Columns { floats: true, details: true, ..Columns::default() };
    let features = Features::Indices(inputs.clone());
    let lists = Loader { features, columns, shuffle: 3000, ..loader(&file) };
    let all = load(&lists);
    for (width, views) in
        [(None, Views::Movers), (None, Views::Colours), (Some(150), Views::Colours)]
    {
        let layout = Layout::Rows { width };
        let rows = Loader { layout, views, ..lists.clone() };
        let batches = rows.batches().unwrap();
        let (recycler, mut count) = (batches.recycler(), 0);
        for batch in batches {
            let (mut batch, lists) = (batch.unwrap(), &all[count]);
            let (size, width) = (batch.len(), width.unwrap_or(inputs.width()));
            assert_eq!((size, batch.width()), (lists.len(), width));
            assert_eq!(batch.rows().len(), 2 * size * width + size);
            for at in 0..size {
                let swaps = views == Views::Colours && lists.sides[at] == 1;
                for view in 0..2 {
                    let list = lists.indices[view ^ usize::from(swaps)].get(at);
                    let (found, padding) = batch.row(view, at).split_at(list.len());
                    assert!(
                        found.iter().map(|index| index.cast_unsigned()).eq(list.iter().copied())
                    );
                    assert!(padding.iter().all(|index| *index == -1));
                }
                let pieces = lists.boards[at].iter().filter(|code| **code != 0).count();
                assert_eq!(batch.rows()[2 * size * width + at], pieces as i32);
                assert_eq!(lists.rows()[at], pieces as i32);
                let floats = [0, 1, 2].map(|column| batch.floats()[column * size + at]);
                let outcome = [0.0, 0.5, 1.0][(lists.results[at] + 1) as usize];
                let is_white = f32::from(u8::from(lists.sides[at] == 0));
                assert_eq!(floats, [is_white, outcome, f32::from(lists.scores[at])]);
            }
            // Batches that were changed are filled again, and others are not.
            if count % 3 == 0 {
                batch.rows_mut().fill(7);
            }
            recycler.recycle(batch);
            count += 1;
        }
        assert_eq!(count, all.len());
    }
    let narrow = Loader { layout: Layout::Rows { width: Some(20) }, ..lists };
    let message = error(&narrow);
    assert!(message.contains("more than the 20 of a row: set a larger width"), "{message}");
    let zero = Loader { layout: Layout::Rows { width: Some(0) }, ..narrow };
    for message in [zero.batch(&ENTRIES[..1]).err(), zero.batches().err()] {
        assert_eq!(message.unwrap().to_string(), "the width of rows must be from 1 to 4096");
    }
}

#[test]
fn columns_are_those_of_the_entries() {
    let file = [File::new("columns", &write(&ENTRIES))];
    let columns = Columns { details: true, ..Columns::default() };
    let batches = load(&Loader { columns, ..loader(&file) });
    let mut entries = ENTRIES.iter();
    for batch in &batches {
        for at in 0..batch.len() {
            let entry = entries.next().unwrap();
            let board = entry.board();
            assert_eq!(batch.boards[at], *board.codes());
            assert_eq!((batch.moves[at], batch.plies[at]), (entry.played(), entry.ply()));
            assert_eq!(batch.rule50[at], board.halfmove_clock());
            let rights = (0..4).filter(|bit| {
                let side = setwise_positions::Side::BOTH[bit / 2];
                board.may_castle(side, bit % 2 == 0)
            });
            assert_eq!(batch.castling[at], rights.map(|bit| 1 << bit).sum::<u8>());
            assert_eq!(batch.en_passant[at], board.en_passant().unwrap_or(64));
            assert_eq!(batch.results[at], entry.result());
        }
    }
    assert!(entries.next().is_none());
    let none = Columns { boards: false, basics: false, details: false, floats: false };
    let batches = load(&Loader { columns: none, ..loader(&file) });
    assert_eq!(batches.iter().map(Batch::len).sum::<usize>(), ENTRIES.len());
    assert!(batches.iter().all(|batch| batch.boards.is_empty() && batch.scores.is_empty()));
}

/// Positions are delayed by up to about twice the size of the buffer, each delay as often.
#[test]
fn delays_of_the_shuffle() {
    let count = 16_000;
    let file = [numbered(0, &[count])];
    for shuffle in [1000, 3000] {
        let batches = load(&Loader { shuffle, ..loader(&file) });
        let order: Vec<usize> =
            numbers(&batches).iter().map(|number| usize::from(number.1)).collect();
        assert_eq!(order.iter().collect::<HashSet<_>>().len(), count);
        // Position `n` is output at `place` when `place + shuffle` were read.
        let delay = |(place, number): (i64, &usize)| place + shuffle as i64 - *number as i64;
        let all = (0_i64..).zip(&order).map(delay);
        let delays: Vec<i64> = all.skip(2 * shuffle).take(count - 4 * shuffle - 1).collect();
        let bucket = 16 * (shuffle as i64 / 1000);
        let longest = *delays.iter().max().unwrap();
        assert!(
            (longest - 2 * shuffle as i64).abs() < 2 * shuffle as i64 / 3,
            "{shuffle}: {longest}"
        );
        assert!(*delays.iter().min().unwrap() > -6 * bucket);
        for eighth in 0..8 {
            let from = eighth * shuffle as i64 / 4;
            let range = from..from + shuffle as i64 / 4;
            let share = delays.iter().filter(|delay| range.contains(delay)).count();
            let share = 8.0 * share as f64 / delays.len() as f64;
            assert!((share - 1.0).abs() < 0.25, "{shuffle}, {eighth}: {share}");
        }
        // Those read when the buffer has just been filled are delayed as long as later ones.
        let read_first = shuffle..shuffle + shuffle / 4;
        let longest_eighth = (0..).zip(&order).filter(|(place, number)| {
            read_first.contains(number) && place + shuffle - *number >= 7 * shuffle / 4
        });
        let share = 8.0 * longest_eighth.count() as f64 / read_first.len() as f64;
        assert!((share - 1.0).abs() < 0.4, "{shuffle}: {share}");
        // What comes first is from all of the buffer.
        for quarter in 0..4 {
            let range = quarter * shuffle / 4..(quarter + 1) * shuffle / 4;
            let first = &order[..shuffle / 2];
            let share = first.iter().filter(|number| range.contains(number)).count();
            let share = 8.0 * share as f64 / shuffle as f64;
            assert!((share - 1.0).abs() < 0.35, "{share}");
        }
    }
}

#[test]
fn mixed_files_are_in_every_batch() {
    // Twenty files of up to twice the size of others.
    let files: Vec<File> = (0..20).map(|file| numbered(file, &[800 + 40 * file; 5])).collect();
    let all: usize = (0..20).map(|file| 5 * (800 + 40 * file)).sum();
    for order in [
        Order::Mixed,
        Order::Weighted((0..20).map(|file| 800.0 + 40.0 * f64::from(file)).collect()),
    ] {
        let mixed = Loader { order, batch_size: 16_384, ..loader(&files) };
        let batches = load(&mixed);
        let first: HashSet<i16> = batches[0].scores.iter().copied().collect();
        assert_eq!(first.len(), 20);
        let found = numbers(&batches);
        assert_eq!(found.len(), all);
        assert_eq!(found.iter().collect::<HashSet<_>>().len(), all);
        // The chunks of a file are not in order.
        let starts = (0..20).filter(|file| {
            let of = found.iter().find(|number| usize::from(number.0.cast_unsigned()) == *file);
            of.unwrap().1 == 0
        });
        assert!((1..10).contains(&starts.count()));
        for threads in [1, 3, 8] {
            assert!(load(&Loader { threads, ..mixed.clone() }) == batches);
        }
        for other in [Loader { seed: 1, ..mixed.clone() }, Loader { pass: 1, ..mixed.clone() }] {
            assert!(load(&other) != batches);
        }
    }
    let order = Order::Weighted(vec![1.0; 19]);
    let message = Loader { order, ..loader(&files) }.batches().unwrap_err().to_string();
    assert_eq!(message, "there must be a weight for each file");
}

/// In any twenty batches, the share of each file is its size within 3 %.
#[test]
fn shares_of_mixed_files() {
    // All entries have the same size, because none follows another one.
    let entries: Vec<Entry> = ENTRIES.iter().step_by(2).take(2000).copied().collect();
    let files: Vec<File> = (0..20)
        .map(|file| {
            let numbered = entries.iter().map(|entry| {
                Entry::new(*entry.board(), entry.played(), file as i16, 0, entry.ply())
            });
            let chunk = write(&numbered.collect::<Vec<Entry>>());
            File::new(&format!("share-{file}"), &chunk.repeat(20 + file))
        })
        .collect();
    let size = |file: &File| fs::metadata(&file.0).unwrap().len() as f64;
    let all: f64 = files.iter().map(size).sum();
    for order in [Order::Mixed, Order::Weighted((20..40).map(f64::from).collect())] {
        let batches = load(&Loader { order, batch_size: 16_384, ..loader(&files) });
        assert_eq!(batches.len(), (2000 * (20..40).sum::<usize>()).div_ceil(16_384));
        for twenty in batches.windows(20) {
            let positions = twenty.iter().map(Batch::len).sum::<usize>() as f64;
            for (number, file) in (0..).zip(&files) {
                let count = |batch: &Batch| batch.scores.iter().filter(|s| **s == number).count();
                let share = twenty.iter().map(count).sum::<usize>() as f64 / positions;
                let expected = size(file) / all;
                assert!((share / expected - 1.0).abs() < 0.03, "{number}: {share} {expected}");
            }
        }
    }
}

/// Several processes: no position twice, and none left out. With a limit, all have as many batches.
#[test]
fn shards_of_mixed_files() {
    let files: Vec<File> = (0..3).map(|file| numbered(file, &[1000, 700, 900])).collect();
    let mixed = Loader { order: Order::Mixed, ..loader(&files) };
    let mut all = Vec::new();
    for shard in 0..2 {
        all.extend(numbers(&load(&Loader { shard: (shard, 2), ..mixed.clone() })));
    }
    assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (7800, 7800));
    let file = [numbered(0, &[3000, 3000, 3000])];
    for order in [Order::Files, Order::Mixed] {
        let mut all = Vec::new();
        for shard in 0..2 {
            let limited = Loader { limit: Some(3), shard: (shard, 2), ..loader(&file) };
            let batches = load(&Loader { order: order.clone(), ..limited });
            assert_eq!(batches.len(), 3);
            all.extend(numbers(&batches));
        }
        assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (6000, 6000));
    }
}

#[test]
fn passes() {
    let files = [numbered(0, &[1200, 1300]), numbered(1, &[1100])];
    for order in [Order::Files, Order::Mixed] {
        let once = Loader { order, shuffle: 500, ..loader(&files) };
        let endless = Loader { cycle: true, limit: Some(36), ..once.clone() };
        let batches = load(&endless);
        assert_eq!(batches.len(), 36);
        assert!(batches.iter().all(|batch| batch.len() == 1000));
        // Ten passes; the shuffle holds back at most twice its buffer.
        let mut counts = std::collections::HashMap::new();
        for number in numbers(&batches) {
            *counts.entry(number).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 3600);
        assert!(counts.values().all(|count| (9..=11).contains(count)));
        assert!(scores(&batches[..3]) != scores(&batches[18..21]));
        for threads in [1, 5] {
            assert!(load(&Loader { threads, ..endless.clone() }) == batches);
        }
        // Resumed anywhere.
        for resume in [0, 1, 7, 35, 36] {
            let rest = load(&Loader { resume, ..endless.clone() });
            assert!(rest == batches[resume as usize..]);
        }
        let mut begun = endless.batches().unwrap();
        assert_eq!(begun.by_ref().take(5).count(), 5);
        assert_eq!(begun.taken(), 5);
        assert_eq!(load(&once).len(), 4);
        assert_eq!(load(&Loader { drop_last: true, ..once.clone() }).len(), 3);
        assert_eq!(load(&Loader { limit: Some(2), ..once.clone() }).len(), 2);
        assert_eq!(load(&Loader { limit: Some(0), ..once.clone() }).len(), 0);
    }
}

/// The chunks of all files in one order: every position once a pass, by any number of threads and
/// processes.
#[test]
fn chunks_of_all_files() {
    let files = [numbered(0, &[700; 9]), numbered(1, &[500, 900]), numbered(2, &[300; 20])];
    let count = 6300 + 1400 + 6000;
    let chunks = Loader { order: Order::Chunks, ..loader(&files) };
    for threads in [1, 2, 7] {
        let of = |other: Loader| load(&Loader { threads, ..other });
        let batches = of(chunks.clone());
        let found = numbers(&batches);
        assert_eq!((found.len(), found.iter().collect::<HashSet<_>>().len()), (count, count));
        assert!(of(chunks.clone()) == batches);
        for other in [Loader { seed: 1, ..chunks.clone() }, Loader { pass: 1, ..chunks.clone() }] {
            assert!(of(other) != batches);
        }
        let shards = [0, 1, 2].map(|shard| of(Loader { shard: (shard, 3), ..chunks.clone() }));
        let all: HashSet<_> = shards.iter().flat_map(|batches| numbers(batches)).collect();
        assert_eq!(all.len(), count);
        assert_eq!(shards.iter().flatten().map(Batch::len).sum::<usize>(), count);
    }
}

/// The same file twice has other draws.
#[test]
fn files_draw_anew() {
    let file = numbered(0, &[4000]);
    let paths = vec![file.0.clone(); 2];
    let filter = Filter { skip: 0.5, ..Filter::ALL };
    for order in [Order::Files, Order::Mixed, Order::Chunks] {
        let both = numbers(&load(&Loader { filter, order, paths: paths.clone(), ..loader(&[]) }));
        let different: HashSet<_> = both.iter().collect();
        // Three quarters of the entries come at least once.
        assert!((2900..3100).contains(&different.len()), "{}", different.len());
        assert!((3800..4200).contains(&both.len()));
    }
}

/// Draws of the filter differ by pass.
#[test]
fn passes_draw_anew() {
    let file = [numbered(0, &[4000])];
    let filter = Filter { skip: 0.5, seed: 5, ..Filter::ALL };
    let of = |pass| numbers(&load(&Loader { filter, pass, ..loader(&file) }));
    let passes = [0, 1, 2].map(of);
    assert!(passes[0] != passes[1] && passes[1] != passes[2] && passes[0] != passes[2]);
    let cycle = Loader { filter, cycle: true, limit: Some(5), ..loader(&file) };
    let found = numbers(&load(&cycle));
    assert!(found == passes.concat()[..5000]);
}

/// A pass without a position is the last one.
#[test]
fn endless_nothing_is_an_error() {
    let files = [numbered(0, &[500]), numbered(1, &[500, 600])];
    for order in [Order::Files, Order::Mixed] {
        let none = Filter { skip: 1.0, ..Filter::ALL };
        let endless = Loader { cycle: true, order, ..loader(&files) };
        let message = error(&Loader { filter: none, ..endless.clone() });
        assert_eq!(message, "no position is left of a whole pass");
        let file = File::new("empty", b"");
        let empty = Loader { paths: vec![file.0.clone(); 2], ..endless.clone() };
        assert_eq!(error(&empty), "no position is left of a whole pass");
        // A file that is empty, and one that is not.
        let mut paths = endless.paths.clone();
        paths.push(file.0.clone());
        assert_eq!(load(&Loader { paths, limit: Some(9), ..endless }).len(), 9);
    }
}

#[test]
fn errors_can_be_skipped() {
    let good = write(&ENTRIES[..1000]);
    let bad = [&good[8..], &[0; 34]].concat();
    let header = [b"BINP".as_slice(), &(bad.len() as u32).to_le_bytes()].concat();
    let torn = good[..good.len() - 5].to_vec();
    let files = [
        File::new("bad", &[&good[..], &header, &bad, &good].concat()),
        File::new("magic", &[&good[..], b"BIMP"].concat()),
        File::new("torn", &torn),
        File::new("good", &good),
    ];
    for order in [Order::Files, Order::Mixed] {
        let skips = Loader { on_error: OnError::Skip, order, ..loader(&files) };
        let mut batches = skips.batches().unwrap();
        let count: usize = batches.by_ref().map(|batch| batch.unwrap().len()).sum();
        let statistics = batches.statistics();
        assert_eq!((count as u64, statistics.failures), (statistics.kept, 3));
        assert!((5990..6000).contains(&count), "{count}");
        let errors = &statistics.errors;
        let end = format!("magic: chunk 2, at byte {}: it does not start with BINP", good.len());
        for what in ["bad: chunk 2, byte ", "torn: chunk 1, ", &end] {
            assert_eq!(errors.iter().filter(|error| error.contains(what)).count(), 1, "{errors:?}");
        }
        let ends = Loader { on_error: OnError::End, ..skips };
        assert!(ends.batches().unwrap().any(|batch| batch.is_err()));
    }
}

/// A file without an entry that can be read is not read for ever.
#[test]
fn endless_bad_files_leave_the_others() {
    let good = write(&ENTRIES[..1000]);
    let bad = [b"BINP".as_slice(), &34_u32.to_le_bytes(), &[0xff; 34]].concat();
    for other in [&bad[..], b"BINP\0\0\0\0"] {
        let files = [File::new("other", other), File::new("beside", &good)];
        let (cycle, on_error) = (true, OnError::Skip);
        for order in [Order::Mixed, Order::Weighted(vec![1.0; 2])] {
            let endless = Loader { cycle, on_error, order, ..loader(&files) };
            assert_eq!(load(&Loader { limit: Some(5), ..endless.clone() }).len(), 5);
            let nothing = Loader { paths: vec![files[0].0.clone(); 2], ..endless };
            assert_eq!(error(&nothing), "no position is left of a whole pass");
        }
    }
}

#[test]
fn statistics_count_reasons() {
    let file = [File::new("statistics", &write(&ENTRIES))];
    let filter = Filter { skip_checks: true, max_score: Some(200), ..Filter::ALL };
    let loader = Loader { filter, ..loader(&file) }.keep(|entry| !entry.ply().is_multiple_of(3));
    let mut batches = loader.batches().unwrap();
    let mut found = Vec::new();
    for batch in batches.by_ref() {
        found.extend(batch.unwrap().plies);
    }
    let mut expected = [0; 3];
    let mut kept = Vec::new();
    for entry in &*ENTRIES {
        if entry.score().unsigned_abs() > 200 {
            expected[0] += 1;
        } else if entry.board().in_check() {
            expected[1] += 1;
        } else if entry.ply().is_multiple_of(3) {
            expected[2] += 1;
        } else {
            kept.push(entry.ply());
        }
    }
    assert_eq!(found, kept);
    let statistics = batches.statistics();
    assert_eq!((statistics.entries, statistics.kept), (ENTRIES.len() as u64, kept.len() as u64));
    let reasons = [Reason::Score, Reason::Check, Reason::Function];
    assert_eq!(reasons.map(|reason| statistics.skipped(reason)), expected);
    let sum: u64 = Reason::ALL.iter().map(|reason| statistics.skipped(*reason)).sum();
    assert_eq!(sum + statistics.kept, statistics.entries);
}

/// The rule for numbers of pieces depends on the positions that were counted before: what is kept
/// depends on the number of threads, and on nothing else.
#[test]
fn numbers_of_pieces_are_as_wanted() {
    let file = [File::new("pieces", &write(&ENTRIES.repeat(5)))];
    let wanted = PieceCounts([1.0, 1.0, 1.0, 1.0, 1.0]);
    let filter = Filter { pieces: Some(wanted), ..Filter::ALL };
    let pieces = Loader { filter, ..loader(&file) };
    let batches = load(&pieces);
    for threads in [1, 2, 4] {
        let first = load(&Loader { threads, ..pieces.clone() });
        assert!(load(&Loader { threads, ..pieces.clone() }) == first);
        // Other passes have other draws.
        let other = load(&Loader { threads, pass: 1, ..pieces.clone() });
        assert!(other != first && !other.is_empty());
    }
    // How far the shares of all numbers are from equal ones.
    let distance = |boards: &mut dyn Iterator<Item = &[u8; 64]>| {
        let (mut counts, mut all) = ([0.0; 33], 0.0);
        for board in boards {
            counts[board.iter().filter(|code| **code != 0).count()] += 1.0;
            all += 1.0;
        }
        let kinds = counts.iter().filter(|count| **count > 0.0).count() as f64;
        let seen = counts.iter().filter(|count| **count > 0.0);
        seen.map(|count| (count / all - 1.0 / kinds).abs()).sum::<f64>()
    };
    let before = distance(&mut ENTRIES.iter().map(|entry| entry.board().codes()));
    let after = distance(&mut batches.iter().flat_map(|batch| &batch.boards));
    assert!(after < 0.5 * before, "{before} {after}");
}

/// How often each position comes.
fn times(batches: &[Batch]) -> HashMap<([u8; 64], i16, u16), usize> {
    let mut counts = HashMap::new();
    for batch in batches {
        for ((board, score), ply) in batch.boards.iter().zip(&batch.scores).zip(&batch.plies) {
            *counts.entry((*board, *score, *ply)).or_default() += 1;
        }
    }
    counts
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    file.write_all(bytes).unwrap();
    file.finish().unwrap()
}

/// A compressed file that is wholly read while it is opened comes in each pass, and among the
/// others.
#[test]
fn small_compressed_files() {
    let (small, large) = (numbered(7, &[0, 300, 200]), numbered(8, &[500; 9]));
    let bytes = fs::read(&small.0).unwrap();
    let zst = zstd::encode_all(&bytes[..], 3).unwrap();
    for (name, bytes) in [("small-gz", gzip(&bytes)), ("small-zst", zst)] {
        assert!(bytes.len() < 8192, "{}", bytes.len());
        let size = bytes.len() as u64;
        let file = File::new(name, &bytes);
        // Alone, each pass is as the first one.
        let paths = vec![file.0.clone()];
        let alone = Loader { cycle: true, batch_size: 500, limit: Some(4), paths, ..loader(&[]) };
        for order in [Order::Files, Order::Mixed] {
            let found = numbers(&load(&Loader { order, ..alone.clone() }));
            let expected: Vec<_> = (0..2000).map(|number| (7, number % 500)).collect();
            assert_eq!(found, expected);
        }
        // Twice beside a large one, in four passes.
        let paths = vec![file.0.clone(), large.0.clone(), file.0.clone()];
        for order in [Order::Mixed, Order::Weighted(vec![1.0, 9.0, 1.0])] {
            let found =
                load(&Loader { order, paths: paths.clone(), limit: Some(44), ..alone.clone() });
            let counts = times(&found);
            assert_eq!(counts.len(), 5000);
            for ((_, score, _), count) in counts {
                let range = if score == 7 { 6..=10 } else { 3..=5 };
                assert!(range.contains(&count), "{score} {count}");
            }
            let at_first = numbers(&found[..1]).iter().filter(|(file, _)| *file == 7).count();
            assert!(at_first <= 300, "{at_first} of 500, {size} bytes");
        }
    }
}

/// Compressed files are read as others are, in their order.
#[test]
fn compressed_files() {
    let plain = File::new("plain", &ENTRIES.chunks(900).flat_map(write).collect::<Vec<u8>>());
    let bytes = fs::read(&plain.0).unwrap();
    // Two members, and two frames.
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    let gz = File::new("gz", &[gzip(first), gzip(rest)].concat());
    let zst = [first, rest].map(|part| zstd::encode_all(part, 3).unwrap()).concat();
    let zst = File::new("zst", &zst);
    let columns = Columns { details: true, ..Columns::default() };
    for shard in [(0, 1), (1, 3)] {
        let loader = Loader { columns, shard, ..loader(&[]) };
        let of = |file: &File| load(&Loader { paths: vec![file.0.clone()], ..loader.clone() });
        let expected = of(&plain);
        assert!(expected.len() > 3);
        for file in [&gz, &zst] {
            assert!(of(file) == expected);
            let order = Order::Mixed;
            let paths = vec![file.0.clone()];
            assert!(load(&Loader { paths, order, ..loader.clone() }) == expected);
        }
    }
    // Mixed with a plain file, and in four passes.
    let paths: Vec<PathBuf> = [&plain, &gz, &zst].map(|file| file.0.clone()).into();
    let mixed = Loader { paths, order: Order::Mixed, batch_size: 300, ..loader(&[]) };
    let sizes = [&plain, &gz, &zst].map(|file| fs::metadata(&file.0).unwrap().len());
    assert!(sizes[1] < sizes[0] && sizes[2] < sizes[0], "{sizes:?}");
    let batches = load(&mixed);
    assert_eq!(batches.iter().map(Batch::len).sum::<usize>(), 3 * ENTRIES.len());
    let endless = Loader { cycle: true, limit: Some(4 * batches.len() as u64), ..mixed.clone() };
    let (once, more) = (times(&batches), times(&load(&endless)));
    assert_eq!(once.len(), more.len());
    for (position, count) in once {
        assert!((3 * count..=5 * count).contains(&more[&position]));
    }
    for threads in [1, 5] {
        assert!(load(&Loader { threads, ..mixed.clone() }) == batches);
    }

    // Errors come after what is whole.
    let torn = fs::read(&gz.0).unwrap();
    for (bytes, message) in [
        (torn[..torn.len() - 100].to_vec(), "torn"),
        ([&torn[..], b"garbage"].concat(), "other data follow the gzip data"),
    ] {
        let torn = File::new("torn-gz", &bytes);
        for order in [Order::Files, Order::Mixed] {
            let loader = Loader { order, ..loader(std::slice::from_ref(&torn)) };
            let (found, errors) = load_and_fail(&loader);
            let count: usize = found.iter().map(Batch::len).sum();
            assert!(count > ENTRIES.len() - 2000, "{count}");
            assert!(errors.len() == 1 && errors[0].contains(message), "{errors:?}");
        }
    }
}

/// A thread has one count of pieces: of one chunk after another.
#[test]
fn pieces_are_counted_by_thread() {
    let filter = Filter { pieces: Some(PieceCounts::DEFAULT), seed: 5, ..Filter::ALL };
    for lengths in [[9000, 9000], [9000, 40_000], [40_000, 9000]] {
        let files = [0, 1].map(|file| numbered(file, &[lengths[file]]));
        let expected = |order: [usize; 2]| {
            let (mut sieve, mut kept) = (Sieve::new(filter, 0), Vec::new());
            for file in order {
                let mut context = sieve.context(file as u64, 0);
                for number in 0..lengths[file] {
                    let entry = &ENTRIES[number % ENTRIES.len()];
                    if sieve.skips(entry, &mut context).is_none() {
                        kept.push((file as i16, (number % 16_000) as u16));
                    }
                }
            }
            kept
        };
        for (order, expected) in [
            (Order::Files, vec![expected([0, 1])]),
            (Order::Chunks, vec![expected([0, 1]), expected([1, 0])]),
        ] {
            let loader = Loader { threads: 1, order, filter, ..loader(&files) };
            let found = numbers(&load(&loader));
            assert!(expected.contains(&found), "{}, {}", found.len(), expected[0].len());
            assert!(found.len() > 500, "{}", found.len());
        }
    }
}

/// What is broken in one chunk is no loss of another.
#[test]
fn chunks_fail_alone() {
    let broken = |name: &str| {
        let mut bytes = write(&ENTRIES[..700]);
        bytes.extend([0; 34]);
        let length = bytes.len() as u32 - 8;
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        File::new(name, &bytes)
    };
    let whole = |name| File::new(name, &write(&ENTRIES[..900]));
    // The positions of both, and up to the first failure, whichever chunk comes first.
    for (files, count, first, failures) in [
        ([whole("alone-1"), whole("alone-2")], 1800, [1800, 1800], 0),
        ([whole("alone-3"), broken("alone-4")], 1600, [1600, 700], 1),
        ([broken("alone-5"), broken("alone-6")], 1400, [700, 700], 2),
    ] {
        let chunks = Loader { order: Order::Chunks, threads: 1, ..loader(&files) };
        let skips = Loader { on_error: OnError::Skip, ..chunks.clone() };
        let mut batches = skips.batches().unwrap();
        let found: usize = batches.by_ref().map(|batch| batch.unwrap().len()).sum();
        let statistics = batches.statistics();
        assert_eq!((found, statistics.failures), (count, failures));
        assert_eq!(statistics.errors.len() as u64, failures);
        let (found, errors) = load_and_fail(&chunks);
        let found: usize = found.iter().map(Batch::len).sum();
        assert!(first.contains(&found), "{found}");
        assert_eq!(errors.len() as u64, failures.min(1));
        assert!(errors.iter().all(|error| error.contains("chunk 1, byte ")), "{errors:?}");
    }
}
