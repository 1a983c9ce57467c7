//! The loader on bulletformat, marlinformat and viriformat, which this test writes as documented.

#![allow(clippy::precedence, reason = "`a | b << c` is usual for fields of bits")]

use std::io::Write;

use crate::common::{ENTRIES, File, load, load_and_fail};
use setwise_loader::{
    Batch, Columns, Features, Filter, Inputs, Loader, OnError, Order, PieceCounts, Policy,
    SoftEarly,
};
use setwise_positions::Side;
use setwise_positions::binpack::{Board, Entry, Move};

/// What a batch has of a position.
type Row = ([u8; 64], u8, i16, i8, u16, u16);

fn rows(batches: &[Batch]) -> Vec<Row> {
    let row = |batch: &Batch, at: usize| {
        let (board, side, ply) = (batch.boards[at], batch.sides[at], batch.plies[at]);
        (board, side, batch.scores[at], batch.results[at], ply, batch.moves[at].bits())
    };
    let of = |batch| (0..Batch::len(batch)).map(move |at| row(batch, at));
    batches.iter().flat_map(of).collect()
}

/// The first 24 bytes of a record: which squares have pieces, and half a byte for each of them.
fn pieces(codes: &[u8; 64], is_unmoved: impl Fn(usize) -> bool) -> Vec<u8> {
    let (mut occupied, mut halves) = (0_u64, Vec::new());
    for (square, code) in codes.iter().enumerate().filter(|(_, code)| **code != 0) {
        occupied |= 1 << square;
        let kind = if is_unmoved(square) { 6 } else { (code - 1) % 6 };
        halves.push(kind | (code - 1) / 6 << 3);
    }
    halves.resize(32, 0);
    let packed = halves.chunks(2).map(|pair| pair[0] | pair[1] << 4);
    occupied.to_le_bytes().into_iter().chain(packed).collect()
}

fn sign(board: &Board) -> i16 {
    if board.side() == Side::White { 1 } else { -1 }
}

/// A marlinformat record. A number of 0 is unknown.
fn marlin(entry: &Entry, number: u16) -> Vec<u8> {
    let board = entry.board();
    let corners = [
        (0, Side::White, true),
        (7, Side::White, false),
        (56, Side::Black, true),
        (63, Side::Black, false),
    ];
    let is_unmoved = |square| {
        let corner = corners.iter().find(|corner| corner.0 == square);
        corner.is_some_and(|&(_, side, queenside)| board.may_castle(side, queenside))
    };
    let mut record = pieces(board.codes(), is_unmoved);
    let sign = sign(board);
    record.push(board.en_passant().unwrap_or(64) | (board.side() as u8) << 7);
    record.push(board.halfmove_clock() as u8);
    record.extend(number.to_le_bytes());
    record.extend(entry.score().saturating_mul(sign).to_le_bytes());
    record.push((1 + sign as i8 * entry.result()).cast_unsigned());
    record.push(0);
    record
}

/// The board as the side to move sees it.
fn turned(board: &Board) -> [u8; 64] {
    let codes = board.codes();
    if board.side() == Side::White {
        return *codes;
    }
    std::array::from_fn(|square| match codes[square ^ 0o70] {
        0 => 0,
        code @ ..7 => code + 6,
        code => code - 6,
    })
}

fn bullet(entry: &Entry) -> Vec<u8> {
    let codes = turned(entry.board());
    let king = |code| codes.iter().position(|found| *found == code).unwrap() as u8;
    let mut record = pieces(&codes, |_| false);
    record.extend(entry.score().to_le_bytes());
    record.extend([(1 + entry.result()).cast_unsigned(), king(6), king(12) ^ 0o70, 0, 0, 0]);
    record
}

/// The games of the entries: each starts at ply 0.
fn games() -> Vec<&'static [Entry]> {
    let mut starts: Vec<usize> = (0..ENTRIES.len()).filter(|at| ENTRIES[*at].ply() == 0).collect();
    starts.push(ENTRIES.len());
    starts.windows(2).map(|ends| &ENTRIES[ends[0]..ends[1]]).collect()
}

/// A game in viriformat.
fn viri(game: &[Entry]) -> Vec<u8> {
    let mut bytes = marlin(&game[0], 1);
    for entry in game {
        let played = entry.played();
        let mut code = u16::from(played.from()) | u16::from(played.to()) << 6;
        code |= match (played.is_en_passant(), played.is_castling(), played.promotion()) {
            (true, ..) => 1 << 14,
            (_, true, _) => 2 << 14,
            (.., Some(piece)) => 3 << 14 | (piece as u16 - 1) << 12,
            _ => 0,
        };
        bytes.extend(code.to_le_bytes());
        bytes.extend(entry.score().saturating_mul(sign(entry.board())).to_le_bytes());
    }
    bytes.extend([0; 4]);
    bytes
}

/// Score and result go through White's view.
fn twice(entry: &Entry) -> i16 {
    let sign = sign(entry.board());
    entry.score().saturating_mul(sign).saturating_mul(sign)
}

const NO_PLY: u16 = Entry::NO_PLY;

fn marlin_row(entry: &Entry, ply: u16) -> Row {
    let (board, none) = (entry.board(), Move::NONE.bits());
    (*board.codes(), board.side() as u8, twice(entry), entry.result(), ply, none)
}

/// Each format: a file's name and bytes, and its rows.
fn files() -> [(&'static str, Vec<u8>, Vec<Row>); 3] {
    let number = |entry: &Entry| entry.ply() / 2;
    let ply = |entry: &Entry| match number(entry) {
        0 => NO_PLY,
        number => 2 * (number - 1) + u16::from(entry.board().side() == Side::Black),
    };
    let marlins = ENTRIES.iter().flat_map(|entry| marlin(entry, number(entry))).collect();
    let bullets = ENTRIES.iter().flat_map(bullet).collect();
    let bullet_row = |entry: &Entry| {
        (turned(entry.board()), 0, entry.score(), entry.result(), NO_PLY, Move::NONE.bits())
    };
    // Between games, 20 bytes without a position. Several chunks of games.
    let extension = [&[0; 8][..], &[1, 0, 4, 0, 9, 9, 9, 9], &[0; 4]].concat();
    let games = games().repeat(5);
    let viris = games.iter().flat_map(|game| [viri(game), extension.clone()].concat()).collect();
    let of_game = |game: &&'static [Entry]| {
        let black = u16::from(game[0].board().side() == Side::Black);
        game.iter().map(move |entry| {
            let (board, side, score, result, ply, _) = marlin_row(entry, entry.ply() + black);
            (board, side, score, result, ply, entry.played().bits())
        })
    };
    [
        ("a.marlin", marlins, ENTRIES.iter().map(|entry| marlin_row(entry, ply(entry))).collect()),
        ("a.bullet", bullets, ENTRIES.iter().map(bullet_row).collect()),
        ("a.viri", viris, games.iter().flat_map(of_game).collect()),
    ]
}

fn loader(file: &File) -> Loader {
    let columns = Columns { details: true, ..Columns::default() };
    let filter = Filter::ALL;
    Loader { batch_size: 1000, threads: 2, filter, columns, ..Loader::new(vec![file.0.clone()]) }
}

#[test]
fn entries_are_those_of_the_file_in_every_order() {
    assert!(ENTRIES.len() > 5000, "there is one chunk only");
    for (name, bytes, expected) in files() {
        let file = File::new(name, &bytes);
        assert!(rows(&load(&loader(&file))) == expected, "{name}");
        let one = Loader { threads: 1, ..loader(&file) };
        assert!(rows(&load(&one)) == expected, "{name}");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&bytes).unwrap();
        let compressed = File::new(&format!("{name}.gz"), &encoder.finish().unwrap());
        assert!(rows(&load(&loader(&compressed))) == expected, "{name}");

        let mut sorted = expected;
        sorted.sort_unstable();
        let mixed = Loader { order: Order::Mixed, shuffle: 500, ..loader(&file) };
        let mut found = rows(&load(&mixed));
        assert!(found.len() == sorted.len() && found != sorted);
        found.sort_unstable();
        assert!(found == sorted, "{name}");
        // Processes read other chunks.
        for order in [Order::Files, Order::Mixed] {
            let shard =
                |number| Loader { shard: (number, 2), order: order.clone(), ..loader(&file) };
            let shards = [0, 1].map(|number| rows(&load(&shard(number))));
            assert!(shards.iter().all(|shard| !shard.is_empty()), "{name}");
            let mut both = shards.concat();
            both.sort_unstable();
            assert!(both == sorted, "{name}");
        }
    }
}

/// Only binpack and viriformat have moves.
#[test]
fn formats_without_moves_have_no_policy() {
    for (name, bytes, expected) in files() {
        let file = File::new(&format!("policy.{name}"), &bytes);
        for order in [Order::Files, Order::Mixed, Order::Chunks] {
            let policy = Policy::Lists;
            let loader = Loader { policy, order: order.clone(), ..loader(&file) };
            if name == "a.viri" {
                let batches = load(&loader);
                let targets = batches.iter().flat_map(|batch| &batch.targets);
                assert_eq!(targets.filter(|target| **target >= 0).count(), expected.len());
                continue;
            }
            let format = if name == "a.marlin" { "marlinformat" } else { "bulletformat" };
            let what = format!("{format} has no moves, which a policy needs");
            let error = loader.batches().unwrap_err().to_string();
            assert_eq!(error, format!("{}: {what}", file.0.display()));
        }
    }
}

#[test]
fn formats_are_mixed_and_have_inputs() {
    let files = files().map(|(name, bytes, rows)| (File::new(&format!("m{name}"), &bytes), rows));
    let paths = files.iter().map(|(file, _)| file.0.clone()).collect();
    let inputs = Features::Indices(Inputs::named("768").unwrap());
    let loader = Loader { paths, order: Order::Mixed, features: inputs, ..loader(&files[0].0) };
    let batches = load(&loader);
    let count: usize = batches.iter().map(Batch::len).sum();
    assert_eq!(count, files.iter().map(|(_, rows)| rows.len()).sum::<usize>());
    for batch in batches {
        for (position, board) in batch.boards.iter().enumerate() {
            let pieces = board.iter().filter(|code| **code != 0).count();
            assert_eq!(batch.indices[0].get(position).len(), pieces);
        }
    }
}

/// Rules that need a ply or a move keep entries without one.
#[test]
fn filters_that_a_format_has_no_fields_for_keep_all() {
    let check = |entry: &Entry| entry.board().in_check();
    let all = Filter::ALL;
    let by_ply = Filter {
        skip_placeholders: true,
        min_ply: 300,
        wld: true,
        soft_early: Some(SoftEarly { until: 300, points: [(0.0, 0.0); 4] }),
        ..all
    };
    let captures = Filter { skip_captures: true, ..all };
    let checks = Filter { skip_checks: true, ..all };
    let pieces = Filter { pieces: Some(PieceCounts([1.0; 5])), ..all };
    let [(_, marlins, _), (_, bullets, _), (_, viris, _)] = files();
    let kept = |name: &str, bytes: &[u8], filter: Filter| {
        let file = File::new(name, bytes);
        rows(&load(&Loader { filter, ..loader(&file) })).len()
    };
    let unchecked = ENTRIES.iter().filter(|entry| !check(entry)).count();
    let quiet = ENTRIES.iter().filter(|entry| !entry.is_capture()).count();
    let unknown = ENTRIES.iter().filter(|entry| entry.ply() < 2).count();
    let count = ENTRIES.len();
    assert!(quiet < count && unchecked < count);
    assert_eq!(kept("f.bullet", &bullets, by_ply), count);
    assert_eq!(kept("g.bullet", &bullets, captures), count);
    assert_eq!(kept("h.bullet", &bullets, checks), unchecked);
    assert!(kept("i.bullet", &bullets, pieces) < count / 2);
    assert_eq!(kept("f.marlin", &marlins, by_ply), unknown);
    assert_eq!(kept("g.marlin", &marlins, captures), count);
    assert_eq!(kept("h.marlin", &marlins, checks), unchecked);
    assert_eq!(kept("f.viri", &viris, by_ply), 0);
    assert_eq!(kept("g.viri", &viris, captures), 5 * quiet);
    assert_eq!(kept("h.viri", &viris, checks), 5 * unchecked);
}

#[test]
fn errors_name_the_chunk_and_the_byte() {
    let [marlins, bullets, viris] = files();
    let entries = |(batches, errors): (Vec<Batch>, Vec<String>)| {
        let [error] = &errors[..] else { panic!("{errors:?}") };
        (rows(&batches).len(), error.clone())
    };
    // The file ends in a record.
    let file = File::new("torn.bullet", &bullets.1[..32 * 5000 - 7]);
    let (count, error) = entries(load_and_fail(&loader(&file)));
    assert_eq!(count, 4999);
    let byte = 32 * 4999;
    let expected = format!("chunk 2, byte {byte}: record: it has 25 of 32 bytes");
    assert!(error.ends_with(&expected), "{error}");
    // A record is bad: the rest of its chunk is lost.
    let mut bytes = marlins.1.clone();
    bytes[32 * 4100 + 30] = 9;
    let file = File::new("bad.marlin", &bytes);
    let (count, error) = entries(load_and_fail(&loader(&file)));
    let expected = format!("chunk 2, byte {}: result: 9 is not 0, 1 or 2", 32 * 4100);
    assert!(count == 4100 && error.ends_with(&expected), "{count} {error}");
    let skip = Loader { on_error: OnError::Skip, ..loader(&file) };
    assert_eq!(rows(&load(&skip)).len(), 4100 + ENTRIES.len().saturating_sub(8192));
    // A game has an impossible move, and the last one has no end.
    let first = viri(games()[0]);
    let file = File::new("torn.viri", &[&viris.1[..], &first[..first.len() - 4]].concat());
    let (count, error) = entries(load_and_fail(&loader(&file)));
    assert!(count == viris.2.len() + games()[0].len(), "{count}");
    let expected = format!("byte {}: game: it ends after", viris.1.len());
    assert!(error.contains(&expected), "{error}");
    // Other files are no training data.
    let file = File::new("text.bullet", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1\n");
    let (count, error) = entries(load_and_fail(&loader(&file)));
    assert!(count == 0 && error.contains("does not start with BINP"), "{error}");
}
