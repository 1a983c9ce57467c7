//! Binpack: games written and read back, and broken files.

#[path = "common/binpack_games.rs"]
mod binpack_games;
use crate::common::read_batch;
use binpack_games::{Seen, board, games, read, write};
use setwise_positions::binpack::{
    Board, Chunks, Context, Entry, Filter, Move, PieceCounter, PieceCounts, Sieve, SoftEarly,
    UNSCORED, Writer,
};
use setwise_positions::{Block, Blocks, Detected, Format, Piece, Side};

#[test]
fn games_are_read_back() {
    let mut seen = Seen::default();
    let entries = games(600, &mut seen);
    let Seen { castlings: [short, long], en_passants, pinned, promotions, checks } = seen;
    let rarest = short.min(long).min(en_passants).min(pinned).min(promotions).min(checks);
    assert!(rarest >= 20, "{seen:?}");
    let file = write(&entries);
    let (found, error) = read(&file);
    assert_eq!(error, None);
    assert!(found == entries, "{} of {}", found.len(), entries.len());
    // Most entries are a few bits in a chain.
    assert!(file.len() < 4 * entries.len(), "{} bytes, {} entries", file.len(), entries.len());
}

#[test]
fn positions_without_moves_and_several_chunks() {
    let entries = games(20, &mut Seen::default());
    let alone: Vec<Entry> = entries
        .iter()
        .map(|entry| Entry::new(*entry.board(), Move::NONE, entry.score(), 0, entry.ply()))
        .collect();
    assert_eq!(read(&write(&alone)), (alone.clone(), None));
    // Chains of 34 bytes fill more than one chunk.
    let many = alone.repeat((3 << 20) / 34 / alone.len());
    let file = write(&many);
    assert!(file.windows(4).filter(|bytes| bytes == b"BINP").count() >= 3);
    assert!(read(&file).0 == many);
    // Files can be concatenated.
    let both = [write(&alone), write(&entries)].concat();
    assert!(read(&both).0 == [alone, entries].concat());
}

#[test]
fn broken_files_give_what_came_before() {
    let entries = games(40, &mut Seen::default());
    let file = write(&entries);
    let mut random = fastrand::Rng::with_seed(7);
    let mut errors = 0;
    for _ in 0..1000 {
        let mut broken = file.clone();
        let at = random.usize(..file.len());
        match random.u8(..3) {
            0 => broken.truncate(at),
            1 => broken[at] ^= 1 << random.u8(..8),
            _ => random.fill(&mut broken[at..]),
        }
        let (found, error) = read(&broken);
        errors += u32::from(error.is_some());
        // A ply is at least 2 bytes here, so entries that end before the damage are whole.
        let whole = found.iter().zip(&entries).take_while(|(found, entry)| found == entry).count();
        let bits_before = read(&file[..at]).0.len();
        assert!(whole >= bits_before.saturating_sub(1), "{whole} of {bits_before}: {error:?}");
    }
    assert!(errors > 500, "{errors}");
}

/// Every move of every kind is refused, or read back: alone, and after another entry.
#[test]
fn what_is_written_is_read_back() {
    let entries = games(60, &mut Seen::default());
    let (mut written, mut refused) = (0, 0);
    for pair in entries.windows(2).step_by(if cfg!(miri) { 2000 } else { 400 }) {
        let [before, entry] = [pair[0], pair[1]];
        let promotions = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
        for (from, to) in (0..64 * 64).map(|pair: u16| ((pair >> 6) as u8, pair as u8 & 63)) {
            let kinds =
                [Move::new(from, to, None), Move::castling(from, to), Move::en_passant(from, to)];
            let promotions = promotions.map(|piece| Move::new(from, to, Some(piece)));
            for code in kinds.into_iter().chain(promotions) {
                if code == Move::NONE {
                    continue;
                }
                let entry = Entry::new(*entry.board(), code, 7, entry.result(), entry.ply());
                for before in [&[][..], &[before]] {
                    let mut writer = Writer::new(Vec::new());
                    for entry in before {
                        writer.push(entry).unwrap();
                    }
                    let mut expected = before.to_vec();
                    match writer.push(&entry) {
                        Ok(()) => expected.push(entry),
                        Err(error) => {
                            let place = format!("{code} in {}: ", entry.record());
                            assert!(error.to_string().starts_with(&place), "{error}");
                        }
                    }
                    // An entry that is refused leaves no trace.
                    let is_written = expected.len() > before.len();
                    *if is_written { &mut written } else { &mut refused } += 1;
                    assert_eq!(read(&writer.finish().unwrap()), (expected, None), "{code}");
                }
            }
        }
    }
    assert!(written > 100 && refused > 1000, "{written} {refused}");
}

#[test]
fn what_binpack_cannot_express_is_refused() {
    let passed = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6");
    let start = board("4k3/8/4p3/8/8/4P3/8/R3K3 w Q -");
    let ordinary = Move::new(36, 43, None);
    for (board, code, reason) in [
        (passed, ordinary, "this capture en passant must be `Move::en_passant`"),
        (start, Move::new(20, 36, None), "the piece cannot move there"),
        (start, Move::new(4, 2, None), "the piece cannot move there"),
        (start, Move::new(0, 9, None), "the piece cannot move there"),
        (start, Move::new(20, 60, None), "a piece of the side to move, or a king, is on"),
    ] {
        let entry = Entry::new(board, code, 0, 0, 1);
        let error = Writer::new(Vec::new()).push(&entry).unwrap_err().to_string();
        let expected = format!("{code} in {}: {reason}", entry.record());
        assert!(error.starts_with(&expected), "{error}");
    }
    // A chain may go beyond the last ply that it can start with.
    let king = |ply| Entry::new(start, Move::new(4, 12, None), 0, 0, ply);
    let mut after = start;
    after.play(king(0).played()).unwrap();
    let next = Entry::new(after, Move::new(60, 61, None), 0, 0, 16384);
    let mut writer = Writer::new(Vec::new());
    let error = writer.push(&next).unwrap_err().to_string();
    assert!(error.ends_with("ply 16384 is above 16383"), "{error}");
    writer.push(&king(16383)).unwrap();
    writer.push(&next).unwrap();
    assert_eq!(read(&writer.finish().unwrap()), (vec![king(16383), next], None));
}

/// A chain has at most 65535 plies after its first position.
#[test]
fn long_chains_are_cut() {
    let mut board = board("n6k/8/8/8/8/8/8/N6K w - -");
    let knights = [Move::new(0, 10, None), Move::new(56, 41, None)];
    let back = [Move::new(10, 0, None), Move::new(41, 56, None)];
    let codes = knights.into_iter().chain(back).cycle();
    let mut entries = Vec::new();
    for (ply, code) in (0..if cfg!(miri) { 100 } else { 65_600_u32 }).zip(codes) {
        entries.push(Entry::new(board, code, 0, 0, ply as u16));
        board.play(code).unwrap();
    }
    let (found, error) = read(&write(&entries));
    assert_eq!(error, None);
    assert!(found == entries, "{} of {}", found.len(), entries.len());
}

#[test]
fn boards_count_quiet_moves_up_to_the_greatest_number() {
    let mut clock = board("7k/8/8/8/8/8/8/K7 w - - 65534");
    for (from, to) in [(0, 1), (63, 62), (1, 0)] {
        clock.play(Move::new(from, to, None)).unwrap();
        assert_eq!(clock.halfmove_clock(), u16::MAX);
    }
    let entry = Entry::new(clock, Move::new(62, 63, None), 0, 0, 0);
    assert_eq!(read(&write(&[entry])).0, [entry]);
}

#[test]
fn castling_needs_the_first_rank_and_room() {
    for (fen, king, expected) in [
        ("4k3/8/8/8/8/8/8/R3K3 w Q -", 4, Ok(())),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q -", 4, Ok(())),
        ("4k3/8/8/8/8/8/8/R1B1K3 w Q -", 4, Err("there is no room to castle")),
        ("4k3/8/8/8/8/8/8/R2qK3 w Q -", 4, Err("there is no room to castle")),
        ("4k3/8/8/8/8/8/4K3/R7 w Q -", 12, Err("this king and rook may not castle")),
        ("4k3/8/8/8/4K3/8/8/R7 w Q -", 28, Err("this king and rook may not castle")),
    ] {
        let mut board = board(fen);
        assert_eq!(board.play(Move::castling(king, 0)), expected, "{fen}");
        let is_castled = board.placement().pieces(Side::White, Piece::King) == 1 << 2;
        assert_eq!(is_castled, expected.is_ok(), "{fen}");
    }
}

/// A chunk with these pieces, and with these numbers after them: the move, the score, result and
/// ply, the clock and the plies that follow.
fn chunk(occupied: u64, pieces: u8, numbers: [u16; 5], plies: &[u8]) -> Vec<u8> {
    let mut file = b"BINP".to_vec();
    file.extend((34 + plies.len() as u32).to_le_bytes());
    file.extend(occupied.to_be_bytes());
    file.push(pieces);
    file.extend([0; 15]);
    file.extend(numbers.map(u16::to_be_bytes).as_flattened());
    file.extend(plies);
    file
}

#[test]
fn errors_name_chunk_and_byte() {
    // Pieces on a1 and h8: white's king is 10, black's 11.
    let two = |pieces, numbers| chunk(1 | 1 << 63, pieces, numbers, &[]);
    let good = two(0xba, [0; 5]);
    assert_eq!(read(&good).0.len(), 1);
    // The king goes from a1 to b1. Then five groups of a score follow two bits of a move.
    let long_score = chunk(1 | 1 << 63, 0xba, [4, 0, 0, 0, 1], &[0x3f, 0xff, 0xff, 0xff]);
    let too_long = [&good[..], b"BINP\xff\xff\xff\xff"].concat();
    #[rustfmt::skip] // one case per line
    let cases = [
        (chunk(0, 0, [0; 5], &[]), "byte 0: 0 pieces, but a position has 1 to 32"),
        (chunk(u64::MAX, 0, [0; 5], &[]), "byte 0: 64 pieces, but a position has 1 to 32"),
        (two(0xaa, [0; 5]), "byte 0: 2 white and 0 black kings instead of one each"),
        (two(0xb8, [0; 5]), "byte 0: 0 white and 1 black kings instead of one each"),
        (two(0xbc, [0; 5]), "byte 0: a pawn on a1 has not just moved two squares"),
        (two(0xba, [0, 0, 0xc000, 0, 0]), "byte 0: result 3 is not 0, 1 or 2"),
        (two(0xba, [0, 0, 0, 0, 9]), "byte 0: a position without a move has 9 plies after it"),
        (two(0xba, [0x3f04, 0, 0, 0, 0]), "byte 0: h8b1: no piece of the side to move is there"),
        (two(0xba, [4, 0, 0, 0, 9]), "byte 34: the chunk ends 9 plies before its chain"),
        (long_score, "byte 34: a score of more than 16 bits"),
        (good[..6].to_vec(), "chunk 1, at byte 0: its header is cut short"),
        ([&good[..], b"BIN?"].concat(), "chunk 2, at byte 42: it does not start with BINP"),
        (too_long, "chunk 2, at byte 42: 4294967295 bytes, but a chunk has at most 104857600"),
    ];
    for (file, expected) in cases {
        assert_eq!(read(&file).1.as_deref(), Some(expected));
    }
}

/// A chunk that is passed over counts like one that is read.
#[test]
fn chunks_are_skipped() {
    let good = write(&games(3, &mut Seen::default()));
    let file = [&good[..], &good, b"BIN?"].concat();
    let mut chunks = Chunks::new(std::io::Cursor::new(&file));
    for count in 1..=2 {
        assert!(chunks.skip().unwrap());
        assert_eq!((chunks.count(), chunks.offset()), (count, count * good.len() as u64));
    }
    let error = format!("chunk 3, at byte {}: it does not start with BINP", 2 * good.len());
    assert_eq!(chunks.next(&mut Vec::new()).unwrap_err().to_string(), error);
}

/// The sample of `SETWISE_BINPACK`, a folder with `sample.binpack` and its first entries in another
/// program's words: FEN, move, score, ply and result. Scores and results are those of the side to
/// move.
#[test]
fn sample() {
    let Ok(folder) = std::env::var("SETWISE_BINPACK") else {
        eprintln!("skipped: SETWISE_BINPACK is not a folder with samples");
        return;
    };
    let file = std::fs::read(format!("{folder}/sample.binpack")).expect("a sample");
    let (entries, error) = read(&file);
    assert_eq!((entries.len(), error), (200_050, None));
    let expected = std::fs::read_to_string(format!("{folder}/sample-first-3000.txt")).unwrap();
    for (entry, line) in entries.iter().zip(expected.lines()) {
        let (record, played, score) = (entry.record(), entry.played(), entry.score());
        assert_eq!(format!("{record}|{played}|{score}|{}|{}", entry.ply(), entry.result()), line);
    }
}

fn blocks(file: &[u8], single: bool) -> Blocks<'_> {
    let blocks = Blocks::of(Format::Binpack, file);
    if single { blocks.single() } else { blocks }
}

#[test]
fn blocks_equal_entries() {
    let entries = games(60, &mut Seen::default());
    let both = [write(&entries[..5000]), write(&entries[5000..])].concat();
    let detected = Format::detect_file(&mut &both[..], "".as_ref()).unwrap().0;
    assert_eq!(detected, Detected::One(Format::Binpack));
    for single in [false, true] {
        let (batch, error) = read_batch(Format::Binpack, blocks(&both, single));
        assert_eq!((error, batch.errors()), (None, &[][..]));
        assert!(batch.lines().iter().copied().eq(1..=entries.len() as u64));
        assert!(batch.fens().eq(entries.iter().map(|entry| entry.record().to_string())));
        let is_same =
            |entry: &Entry| entry.board().game_position() == entry.record().game_position();
        assert!(entries.iter().all(is_same));
        assert!(batch.scores().iter().copied().eq(entries.iter().map(|e| e.record().score())));
        assert!(batch.results().iter().copied().eq(entries.iter().map(|e| e.record().result())));
        assert!(batch.plies().iter().copied().eq(entries.iter().map(Entry::ply)));
        assert!(batch.moves().iter().copied().eq(entries.iter().map(Entry::played)));
    }
}

/// What [`Blocks`] skips at random depends on the file, the chunk and the place in it, all from 0.
#[test]
fn filters_count_files_chunks_and_entries_from_0() {
    let entries = games(30, &mut Seen::default());
    let bytes = write(&entries).repeat(2);
    let filter = Filter { skip: 0.5, seed: 3, ..Filter::ALL };
    let mut sieve = Sieve::new(filter, 0);
    let mut all = Vec::new();
    for file in 0..3 {
        let mut expected = Vec::new();
        for chunk in 0..2 {
            let mut context = Context::new(&filter, file, chunk);
            let numbered = (chunk as usize * entries.len()..).zip(&entries);
            let kept = numbered.filter(|(_, entry)| sieve.skips(entry, &mut context).is_none());
            expected.extend(kept.map(|(number, _)| number));
        }
        for single in [false, true] {
            assert_eq!(kept_of(&bytes, filter, file, single), expected);
        }
        all.push(expected);
    }
    // A file that is listed again has other draws.
    assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
}

/// The entries of a file that a filter keeps, by number from 0, in blocks of one entry or many.
fn kept(file: &[u8], filter: Filter, single: bool) -> Vec<usize> {
    kept_of(file, filter, 0, single)
}

fn kept_of(file: &[u8], filter: Filter, number: u64, single: bool) -> Vec<usize> {
    let mut blocks = blocks(file, single).sieve(Sieve::new(filter, 0), number);
    let (mut block, mut kept) = (Block::default(), Vec::new());
    while blocks.next(&mut block).unwrap() {
        kept.extend(block.entries.iter().map(|(line, _)| *line as usize - 1));
    }
    kept
}

/// In these games some entries have no score, and some have zeros.
#[test]
fn rules_keep_what_they_should() {
    type Skips<'a> = &'a dyn Fn(usize, &Entry) -> bool;
    let entries: Vec<Entry> = (0..)
        .zip(games(200, &mut Seen::default()))
        .map(|(number, entry)| {
            let score = match number % 7 {
                0 => UNSCORED,
                3 | 4 => 0,
                _ => entry.score(),
            };
            Entry::new(*entry.board(), entry.played(), score, entry.result(), entry.ply())
        })
        .collect();
    let file = write(&entries);
    assert_eq!(file.windows(4).filter(|bytes| bytes == b"BINP").count(), 1);
    let takes = |entry: &Entry| {
        let mut after = *entry.board();
        after.play(entry.played()).unwrap();
        let count = |board: &Board| board.placement().occupied().count_ones();
        count(&after) < count(entry.board())
    };
    let material = |entry: &Entry| {
        let value = |code: &u8| {
            let values = [0, 208, 781, 825, 1276, 2538, 0, -208, -781, -825, -1276, -2538, 0];
            values[usize::from(*code)]
        };
        entry.board().codes().iter().map(value).sum::<i32>().abs()
    };
    // Of entries that follow one another without a real score, the last one before decides.
    let mut placeholders = vec![false; entries.len()];
    for at in 1..entries.len() {
        let is_real =
            |before: &usize| entries[*before].score() != UNSCORED && !placeholders[*before];
        let score = (0..at).rev().find(is_real).map_or(0, |before| entries[before].score());
        let [before, entry] = [entries[at - 1], entries[at]];
        placeholders[at] = entry.score() == 0
            && entry.result() != 0
            && entry.ply() > before.ply()
            && i32::from(score).abs() > 100;
    }
    let in_row = placeholders.windows(2).filter(|pair| pair[0] && pair[1]).count();
    assert!(in_row > 100, "{in_row}");
    let is_placeholder = |at: usize, _: &Entry| placeholders[at];
    let all = Filter::ALL;
    let rules: [(Filter, Skips<'_>); 9] = [
        (Filter::default(), &|_, entry| entry.score() == 32002),
        (Filter { skip_placeholders: true, ..all }, &is_placeholder),
        (Filter { skip_checks: true, ..all }, &|_, entry| entry.board().in_check()),
        (Filter { skip_captures: true, ..all }, &|_, entry| takes(entry)),
        (Filter { skip_captures: true, keep_en_passant: true, ..all }, &|_, entry| {
            takes(entry) && !entry.played().is_en_passant()
        }),
        (Filter { max_score: Some(100), ..all }, &|_, entry| i32::from(entry.score()).abs() > 100),
        (Filter { min_ply: 9, ..all }, &|_, entry| entry.ply() < 9),
        (Filter { every: 3, ..all }, &|at, _| at % 3 != 0),
        (Filter { simple_eval: 1500, ..all }, &|_, entry| material(entry) < 1500),
    ];
    for (filter, skips) in rules {
        let numbered = entries.iter().enumerate().filter(|(at, entry)| !skips(*at, entry));
        let expected: Vec<usize> = numbered.map(|(at, _)| at).collect();
        assert!(kept(&file, filter, false) == expected, "{filter:?}");
        assert!(!expected.is_empty() && expected.len() < entries.len(), "{filter:?}");
    }
    assert_eq!(kept(&file, all, false).len(), entries.len());
    assert!(entries.iter().any(|entry| entry.played().is_en_passant()));
}

/// The shares that rules at random keep, and that the draws are not those of another rule or pass.
#[test]
fn rules_at_random() {
    let entries = games(400, &mut Seen::default());
    let file = write(&entries);
    let mut all = Vec::new();
    let soft =
        SoftEarly { until: 150, points: [(0.0, 0.5), (20.0, 0.25), (40.0, 0.5), (99.0, 1.0)] };
    for (filter, keeps) in [
        (
            Filter { soft_early: Some(soft), ..Filter::ALL },
            &(|entry: &Entry| {
                let ply = f64::from(entry.ply());
                match entry.ply() {
                    0..20 => 0.5 - 0.25 * ply / 20.0,
                    20..40 => 0.25 + 0.25 * (ply - 20.0) / 20.0,
                    40..99 => 0.5 + 0.5 * (ply - 40.0) / 59.0,
                    _ => 1.0,
                }
            }) as &dyn Fn(&Entry) -> f64,
        ),
        (Filter { skip: 0.4, ..Filter::ALL }, &|_| 0.6),
    ] {
        let expected: f64 = entries.iter().map(keeps).sum();
        for (pass, filter) in [0, 1, 2].map(|pass| (pass, filter.in_pass(pass))) {
            let kept = kept(&file, filter, false);
            let error = (kept.len() as f64 - expected).abs();
            assert!(error < 4.0 * (entries.len() as f64).sqrt(), "{pass}: {error}");
            assert!(!all.contains(&kept));
            all.push(kept);
        }
    }
    assert_eq!(Filter::STOCKFISH.in_pass(0), Filter::STOCKFISH);
    // A smaller share of the same seed is part of a greater one.
    let [most, least, none] =
        [0.25, 0.5, 1.0].map(|skip| kept(&file, Filter { skip, seed: 1, ..Filter::ALL }, false));
    assert!(least.iter().all(|number| most.binary_search(number).is_ok()) && none.is_empty());
}

/// Three results of one score and ply are kept with the probabilities of the model, which were
/// computed separately.
#[test]
fn unlikely_results() {
    let (entry, filter) = (games(1, &mut Seen::default())[0], Filter { wld: true, ..Filter::ALL });
    for (ply, score, expected) in [
        (0, 100, [0.1945, 0.7465, 0.0591]),
        (30, 300, [0.5755, 0.4172, 0.0073]),
        (120, -250, [0.0095, 0.4772, 0.5133]),
        (300, 20, [0.1412, 0.7448, 0.1140]),
        (64, -4000, [0.0000, 0.0000, 1.0000]),
    ] {
        for (result, expected) in [1, 0, -1].into_iter().zip(expected) {
            let entry = Entry::new(*entry.board(), entry.played(), score, result, ply);
            let mut context = Context::new(&filter, 0, 3);
            let mut sieve = Sieve::new(filter, 0);
            let mut keeps = |_: &u32| sieve.skips(&entry, &mut context).is_none();
            let share = (0..100_000).filter(|at| keeps(at)).count() as f64 / 1e5;
            assert!((share - expected).abs() < 0.007, "{ply} {score} {result}: {share}");
        }
    }
}

/// How a stream is changed to the wanted frequencies.
#[test]
fn shares_of_pieces() {
    let wanted = PieceCounts::DEFAULT;
    let mut random = fastrand::Rng::with_seed(1);
    let (mut counter, mut kept, mut count) = (PieceCounter::new(wanted, 1), [0.0; 33], 0.0);
    // About a tenth is kept, so that each number of pieces has a standard deviation of 0.5 %.
    for position in 0..10_000_000 {
        // Twice as many of 20 to 32 as of 8 to 19.
        let pieces = if random.u32(..3) < 2 { random.u32(20..=32) } else { random.u32(8..20) };
        if counter.keeps(pieces) && position >= 10_000 {
            kept[pieces as usize] += 1.0;
            count += 1.0;
        }
    }
    let sum: f64 = (8..=32).map(|pieces| wanted.wanted(pieces)).sum();
    for pieces in 8..=32 {
        let expected = wanted.wanted(pieces) / sum;
        let share = kept[pieces as usize] / count;
        assert!(
            (share - expected).abs() < 0.02 * expected + 0.0005,
            "{pieces}: {share} {expected}"
        );
    }
}

/// The wanted frequencies at and between the given values, and what is kept of equal ones.
#[test]
fn numbers_of_pieces() {
    let wanted = PieceCounts::DEFAULT;
    for (pieces, value) in [(0, 0.0), (8, 0.4), (16, 1.0), (24, 1.0), (32, 0.75)] {
        assert!((wanted.wanted(pieces) - value).abs() < 1e-12, "{pieces}");
    }
    // Half way: the mean of the ends, and an eighth of the difference of the slopes.
    for (pieces, ends, slopes) in [
        (4, (0.0, 0.4), (0.4, 0.5)),
        (12, (0.4, 1.0), (0.5, 0.3)),
        (20, (1.0, 1.0), (0.3, -0.125)),
        (28, (1.0, 0.75), (-0.125, -0.25)),
    ] {
        let value = f64::midpoint(ends.0, ends.1) + (slopes.0 - slopes.1) / 8.0;
        assert!((wanted.wanted(pieces) - value).abs() < 1e-12, "{pieces}");
    }
    assert!(PieceCounts([0.0, 0.0, 0.0, 1.0, 0.0]).wanted(12).abs() < 1e-12);
    // Of what is too frequent by most, 2.5 % are kept, also if all is as wanted.
    let mut counter = PieceCounter::new(PieceCounts([1.0; 5]), 1);
    let kept = (0..1_000_000).filter(|position| counter.keeps(position % 33)).count();
    assert!((25_000..26_500).contains(&kept), "{kept}");
    // A number that is not wanted is never kept. Without any that is wanted, all are.
    for (wanted, expected) in
        [(PieceCounts([0.0, 0.0, 0.0, 0.0, 1.0]), 0), (PieceCounts([0.0; 5]), 1)]
    {
        let mut counter = PieceCounter::new(wanted, 1);
        let kept = (0..1_000_000).filter(|_| counter.keeps(8)).count();
        assert_eq!(kept.min(1), expected, "{wanted:?}");
        assert!(expected == 0 || (24_000..27_000).contains(&kept), "{wanted:?}: {kept}");
    }
}

/// Values below 0 pull the curve down, also between the points: what is not above 0 is not wanted.
/// If nothing is wanted, everything is.
#[test]
fn negative_numbers_of_pieces() {
    // At 20 pieces the curve is at 3/16, between two points at 0.
    let between = PieceCounts([-1.0, -2.0, 0.0, 0.0, -1.0]);
    assert!((between.wanted(20) - 3.0 / 16.0).abs() < 1e-12);
    let wanted = |counts: PieceCounts| (0..=32).map(|pieces| counts.wanted(pieces)).sum::<f64>();
    let (none, deep) = (PieceCounts([-1.0; 5]), PieceCounts([-5.0, -4.0, -3.0, -4.0, -5.0]));
    assert!([none, deep].map(wanted).iter().all(|sum| *sum <= 0.0));
    for (counts, pieces, is_wanted) in
        [(between, 8, false), (between, 20, true), (none, 8, true), (deep, 20, true)]
    {
        let mut counter = PieceCounter::new(counts, 1);
        let kept = (0..1_000_000).filter(|_| counter.keeps(pieces)).count();
        let expected = if is_wanted { 24_000..27_000 } else { 0..1 };
        assert!(expected.contains(&kept), "{counts:?}, {pieces}: {kept}");
    }
}

/// Points in any order, beyond the last ply, and on one ply.
#[test]
fn soft_points_as_the_trainer_takes_them() {
    let keeps = |until, points: [(f64, f64); 4], ply| SoftEarly { until, points }.keeps(ply);
    let default = SoftEarly::DEFAULT.points;
    for (until, ply, expected) in [
        (20, 0, 0.1),
        (20, 3, 0.125),
        (20, 6, 0.15),
        (20, 14, 0.5),
        (20, 19, 0.875),
        (20, 20, 1.0),
        (10, 9, 0.225),
        (10, 10, 1.0),
        (1, 0, 0.1),
        (0, 0, 1.0),
    ] {
        let found = keeps(until, default, ply);
        assert!((found - expected).abs() < 1e-12, "{until} {ply}: {found}");
    }
    let odd = [(10.0, 0.9), (5.0, 0.1), (20.0, 2.0), (40.0, -1.0)];
    for (ply, expected) in [(0, 0.9), (10, 0.9), (11, 0.86), (20, 1.0), (25, 1.0), (29, 0.65)] {
        let found = keeps(30, odd, ply);
        let expected: f64 = match ply {
            11 => 0.1 + 1.9 * 6.0 / 15.0,
            29 => 2.0 - 3.0 * 9.0 / 20.0,
            _ => expected,
        };
        assert!((found - expected.clamp(0.0, 1.0)).abs() < 1e-12, "{ply}: {found}");
    }
    let equal = [(0.0, 0.5), (4.0, 0.25), (4.0, 0.75), (4.0, 1.0)];
    for (ply, expected) in [(3, 0.3125), (4, 0.25), (5, 1.0)] {
        assert!((keeps(9, equal, ply) - expected).abs() < 1e-12);
    }
}

#[test]
fn values_of_filters_are_checked() {
    let all = Filter::ALL;
    let soft = |x, y| {
        let points = [(0.0, 0.5), (1.0, 7.0), (-5.0, -1.0), (x, y)];
        Filter { soft_early: Some(SoftEarly { until: 9, points }), ..all }
    };
    let pieces = |wanted| Filter { pieces: Some(PieceCounts(wanted)), ..all };
    for (filter, message) in [
        (Filter { skip: 1.5, ..all }, "skip must be from 0 to 1, found 1.5"),
        (Filter { skip: f64::NAN, ..all }, "skip must be from 0 to 1, found NaN"),
        (soft(f64::NAN, 0.5), "the points of soft_early must be finite, found (NaN, 0.5)"),
        (soft(9.0, f64::INFINITY), "the points of soft_early must be finite, found (9, inf)"),
        (
            pieces([0.0, f64::NAN, 0.0, 0.0, 0.0]),
            "frequencies of pieces must be from -1e9 to 1e9, found NaN",
        ),
    ] {
        assert_eq!(filter.check(), Err(message.into()));
    }
    // Values that the trainer takes.
    for filter in [soft(3.0, 2.0), pieces([0.0; 5]), pieces([-1.0, 0.5, 1.0, -1.0, 2.0])] {
        assert_eq!(filter.check(), Ok(()));
    }
    assert!(Filter::STOCKFISH.check().is_ok() && all.check().is_ok());
}

#[test]
fn blocks_go_on_after_a_broken_chunk() {
    let entries = games(20, &mut Seen::default());
    let good = write(&entries);
    let mut broken = good.clone();
    broken.extend(chunk(u64::MAX, 0, [0; 5], &[]));
    broken.extend(&good);
    broken.extend(&good[..good.len() - 1]);
    let (batch, error) = read_batch(Format::Binpack, blocks(&broken, false));
    let (count, start) = (entries.len(), good.len());
    let cut = 2 * good.len() + 42;
    let (has, wants) = (good.len() - 9, good.len() - 8);
    let expected = format!("chunk 4, at byte {cut}: the file has {has} of its {wants} bytes");
    assert_eq!(error, Some(expected));
    let errors: Vec<String> = batch.errors().iter().map(ToString::to_string).collect();
    let first = format!(
        "{}: chunk: number 2, byte {}: 64 pieces, but a position has 1 to 32",
        count + 1,
        start + 8
    );
    assert_eq!((errors.len(), &errors[0]), (2, &first));
    assert!(errors[1].ends_with("the chunk ends 1 plies before its chain"), "{}", errors[1]);
    assert_eq!(batch.lines()[count], count as u64 + 2);
    assert!(batch.fens().take(count).eq(batch.fens().skip(count).take(count)));
    assert_eq!(batch.len(), 3 * count - 1);
}
