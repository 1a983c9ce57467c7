//! Tests of records and games: bytes made by hand, errors, random games that the crates
//! `viriformat` and `bulletformat` write, and random bytes.

use crate::common::{Drops, read_batch};
use bulletformat::{BulletFormat, ChessBoard};
use setwise::position::Position;
use setwise_positions::binpack::{Entry, Move};
use setwise_positions::{
    Batch, Block, Blocks, Detected, Fen, Format, Game, Piece, Placement, RECORD, Record, Side, Unit,
};
use viriformat::chess::board::Board;
use viriformat::dataformat::Game as TheirGame;

/// The example game in the description of viriformat, which has five moves.
const EXAMPLE: &str = "
    ffff0000 0000ffff 16422561 00000000 88888888 9ecaade9 40000100 00000200
    0c070a00 34091400 c309e2ff 3c0dff7f 2709ff7f 00000000";

/// The bulletformat record of `4k3/8/8/8/8/8/3p4/R3K3`, white to move. It starts with the occupancy
/// and the numbers of the pieces: rook 3, king 5, black pawn 8 and black king 13.
const BULLET: &str = "11080000 00000010 53d80000 00000000 00000000 00000000 9cff0204 04000000";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn record(hex: &str) -> [u8; RECORD] {
    bytes(hex)[..RECORD].try_into().unwrap()
}

#[test]
fn viriformat_example() {
    let game = bytes(EXAMPLE);
    let positions: Vec<Record> = Game::new(&game).map(Result::unwrap).collect();
    let fens: Vec<String> = positions.iter().map(ToString::to_string).collect();
    assert_eq!(
        fens,
        [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
            "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
            "rnbq1bnr/ppppkppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQ - 2 3",
        ]
    );
    let scores: Vec<i16> = positions.iter().map(Record::score).collect();
    assert_eq!(scores, [10, 20, -30, 32767, 32767]);
    assert!(positions.iter().all(|position| position.result() == 2));
    assert_eq!(Format::detect(&game, true), Detected::One(Format::Viri));
}

#[test]
fn bulletformat_record() {
    let bytes = record(BULLET);
    let position = Record::read(Format::Bullet, &bytes).unwrap();
    assert_eq!(position.to_string(), "4k3/8/8/8/8/8/3p4/R3K3 w - - 0 1");
    assert_eq!((position.score(), position.result()), (-100, 2));
    assert_eq!(Format::detect(&bytes, true), Detected::One(Format::Bullet));
}

/// Replaces the record's bytes from `at` onwards.
fn with(mut record: [u8; RECORD], at: usize, bytes: &[u8]) -> [u8; RECORD] {
    record[at..at + bytes.len()].copy_from_slice(bytes);
    record
}

#[test]
fn record_errors_name_the_field() {
    use Format::{Bullet, Marlin, Viri};
    let check = |format: Format, at: usize, bytes: &[u8], message: &str| {
        let good = record(if format == Bullet { BULLET } else { EXAMPLE });
        assert!(Record::read(format, &good).is_ok());
        let error = Record::read(format, &with(good, at, bytes)).unwrap_err();
        assert_eq!(error.to_string(), message);
    };
    for format in [Bullet, Marlin, Viri] {
        let (second, result) = if format == Bullet { ("e1", 26) } else { ("b1", 30) };
        let sets = |set: u64| set.to_le_bytes();
        check(format, 0, &sets(0), "occupancy: 0 pieces, but a record has 1 to 32");
        check(format, 0, &sets(u64::MAX), "occupancy: 64 pieces, but a record has 1 to 32");
        check(format, 0, &sets(u64::MAX >> 31), "occupancy: 33 pieces, but a record has 1 to 32");
        check(format, 8, &[0x4f], "pieces: 7 on a1 is not a piece");
        check(format, 8, &[0x73], &format!("pieces: 7 on {second} is not a piece"));
        check(format, result, &[3], "result: 3 is not 0, 1 or 2");
    }
    // The last three: a second rook that may castle, a second king, and a rook on the second rank
    // that may castle.
    #[rustfmt::skip] // one case per line
    let cases = [
        (Bullet, 8, 0x56, "pieces: 6 on a1 is not a piece of bulletformat"),
        (Bullet, 27, 5, "king squares: 5 is not the square of the moving side's king"),
        (Bullet, 27, 64, "king squares: 64 is not the square of the moving side's king"),
        (Bullet, 28, 60, "king squares: 60 is not the square of the other side's king"),
        (Bullet, 28, 255, "king squares: 255 is not the square of the other side's king"),
        (Marlin, 24, 20, "en passant square: 20 is neither 64 nor a square of the sixth rank"),
        (Marlin, 24, 168, "en passant square: 40 is neither 64 nor a square of the third rank"),
        (Marlin, 24, 65, "en passant square: 65 is neither 64 nor a square of the sixth rank"),
        (Marlin, 8, 0x66, "castling rights: the rook on b1 may castle, \
            but so may another rook on that wing"),
        (Marlin, 10, 0x55, "castling rights: the rook on a1 may castle, \
            but its side must have one king on that rank"),
        (Marlin, 12, 0x06, "castling rights: the rook on a2 may castle, \
            but that is not its side's first rank"),
    ];
    for (format, at, byte, message) in cases {
        check(format, at, &[byte], message);
    }
}

/// Checks that the games have `good` valid positions, and one error with this message.
#[track_caller]
fn bad_game(games: &[u8], good: usize, message: &str) {
    let batch = read_batch(Format::Viri, Blocks::of(Format::Viri, games)).0;
    assert_eq!(batch.len(), good);
    let errors: Vec<String> = batch.errors().iter().map(ToString::to_string).collect();
    assert_eq!(errors, [message]);
}

#[test]
fn game_errors_name_the_move() {
    let game = bytes(EXAMPLE);
    let code = |from: u16, to: u16, kind: u16| (from | to << 6 | kind << 14).to_le_bytes();
    let changed = |at: usize, code: [u8; 2]| {
        let mut game = game.clone();
        game[32 + 4 * at..34 + 4 * at].copy_from_slice(&code);
        game
    };
    let no_piece = "no piece of the side to move is there";
    let own = "a piece of the side to move, or a king, is on the target square";
    let castling = "this king and rook may not castle";
    let promotion = "only a pawn promotes, and only on the last rank";
    for (from, to, kind, name, what) in [
        (20, 28, 0, "e3e4", no_piece),
        (52, 36, 0, "e7e5", no_piece),
        (3, 11, 0, "d1d2", own),
        (3, 60, 0, "d1e8", own),
        (28, 37, 1, "e4f5", "there is no pawn to take en passant"),
        (28, 36, 1, "e4e5", "there is no pawn to take en passant"),
        (4, 7, 2, "e1h1", "there is no room to castle"),
        (4, 5, 2, "e1f1", castling),
        (6, 7, 2, "g1h1", castling),
        (8, 16, 3, "a2a3", promotion),
        (3, 59, 3, "d1d8", promotion),
    ] {
        let message = format!("4: moves: number 3, {name}: {what} (of game 1)");
        bad_game(&changed(2, code(from, to, kind)), 3, &message);
    }
    let cut = "6: game: it ends after 5 moves without four zero bytes (of game 1)";
    bad_game(&game[..game.len() - 4], 5, cut);
    bad_game(&game[..game.len() - 1], 5, cut);
    bad_game(&game[..20], 0, "1: record: it has 20 of 32 bytes (of game 1)");

    // An error does not affect other games or their numbers. Extensions are not counted as games.
    let extension = bytes("00000000 00000000 0700 0300 010203 00000000");
    let bad = changed(1, code(0, 0, 0));
    let games = [&extension, &game, &bad, &extension, &game].map(Vec::as_slice).concat();
    bad_game(&games, 12, &format!("8: moves: number 2, a1a1: {no_piece} (of game 2)"));
    let single = read_batch(Format::Viri, Blocks::of(Format::Viri, &games[..]).single()).0;
    assert_eq!(single.lines(), [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15]);
    assert_eq!(single.errors()[0].line, 8);
}

fn board_of(fen: &str) -> Board {
    let mut board = Board::new();
    board.set_from_fen(fen, true).unwrap_or_else(|error| panic!("{fen}: {error}"));
    board
}

/// Plays a game of fewer than `most` random moves, from the usual or a Chess960 initial position.
/// Also returns its bytes, and the position before each move.
fn play(random: &mut fastrand::Rng, most: usize) -> (TheirGame, Vec<u8>, Vec<Board>) {
    let mut board = board_of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    if random.bool() {
        board.set_dfrc_idx(random.usize(..960 * 960));
    }
    let (mut game, mut boards) = (TheirGame::new(&board), Vec::new());
    for _ in 0..random.usize(..most) {
        let moves = board.legal_moves();
        let Some(&any) = random.choice(&moves) else { break };
        // Prefer the moves that random games rarely contain.
        let en_passant = moves.iter().find(|code| code.is_ep());
        let rare = moves.iter().find(|code| code.is_castle() || code.is_promo());
        let code = *en_passant.or(rare.filter(|_| random.bool())).unwrap_or(&any);
        game.add_move(code, random.i16(-32767..));
        boards.push(board.clone());
        board.make_move_simple(code);
    }
    let mut bytes = Vec::new();
    game.serialise_into(&mut bytes).unwrap();
    (game, bytes, boards)
}

fn marlin(board: &Board, score: i16, result: u8) -> [u8; RECORD] {
    board.to_marlinformat(score, result, 0).as_bytes()
}

fn bullet(board: &Board, score: i16, result: u8) -> [u8; RECORD] {
    let record = board.to_bulletformat(result, score).unwrap();
    ChessBoard::as_bytes_slice(&[record]).try_into().unwrap()
}

/// Checks that the positions are equal. The crate `viriformat` omits an en passant square that no
/// pawn attacks.
#[track_caller]
fn check_equal(record: &Record, board: &Board) {
    let fen = board.to_string();
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    assert_eq!((record.placement(), Some(record.side())), (fen.placement(), fen.side()), "{board}");
    let again = board_of(&record.to_string());
    let state = |board: &Board| {
        (board.castling_rights(), board.fifty_move_counter(), board.full_move_number())
    };
    assert_eq!(state(&again), state(board), "{board}: {record}");
    assert!(board.ep_sq().is_none() || again.ep_sq() == board.ep_sq(), "{board}: {record}");
}

/// Reverses the ranks and exchanges the colours.
fn turn(placement: &Placement) -> Placement {
    let turned = |side: Side| Piece::ALL.map(|p| placement.pieces(side.other(), p).swap_bytes());
    Placement::from(&Position { pieces: Side::BOTH.map(turned) })
}

/// Random games and their positions, as the crates that define the formats write them.
#[test]
fn random_games_match_the_crates_that_define_the_formats() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut file, mut all, mut special, mut files) = (Vec::new(), Vec::new(), [0; 3], [0; 8]);
    for _ in 0..600 {
        let (game, bytes, boards) = play(&mut random, 150);
        let positions: Vec<Record> = Game::new(&bytes).map(Result::unwrap).collect();
        let mut scores = Vec::new();
        game.visit_positions(|_, score| scores.push(score));
        assert!(positions.iter().map(|record| i32::from(record.score())).eq(scores));
        assert_eq!(positions.len(), boards.len());
        for (record, board) in positions.iter().zip(&boards) {
            check_equal(record, board);
            let (score, result) = (record.score(), random.u8(..3));
            let packed = Record::read(Format::Marlin, &marlin(board, score, result)).unwrap();
            check_equal(&packed, board);
            assert_eq!((packed.score(), packed.result()), (score, result));
            let turned = Record::read(Format::Bullet, &bullet(board, score, result)).unwrap();
            let (placement, score, result) = match record.side() {
                Side::White => (*record.placement(), score, result),
                Side::Black => (turn(record.placement()), -score, 2 - result),
            };
            assert_eq!(*turned.placement(), placement, "{board}");
            assert_eq!((turned.score(), turned.result()), (score, result));
            for rook in [board.castling_rights().wk, board.castling_rights().wq] {
                files[rook.map_or(0, |rook| rook.file() as usize)] += usize::from(rook.is_some());
            }
        }
        for code in game.moves() {
            special[0] += usize::from(code.is_castle());
            special[1] += usize::from(code.is_ep());
            special[2] += usize::from(code.is_promo());
        }
        file.extend(bytes);
        all.extend(positions);
    }
    assert!(special.iter().all(|&count| count > 150), "{special:?}");
    assert!(files.iter().all(|&count| count > 300), "{files:?}");

    // Blocks hold whole games, for reads of any size.
    for waits in [false, true] {
        let mut blocks = Blocks::of(Format::Viri, Drops::new(&file, 20_000, 2));
        blocks = if waits { blocks.filled() } else { blocks };
        let (mut block, mut batch) = (Block::default(), Batch::default());
        let (mut positions, mut count) = (0, 0);
        while blocks.next(&mut block).unwrap() {
            count += 1;
            batch.clear();
            batch.read_block(Format::Viri, &block);
            assert_eq!(batch.errors(), []);
            for (line, placement) in batch.lines().iter().zip(batch.placements()) {
                assert_eq!(placement, all[positions].placement());
                positions += 1;
                assert_eq!(*line, positions as u64);
            }
        }
        assert_eq!(positions, all.len());
        // A filled block has 128 KiB, less an incomplete game, which is left for the next block.
        let filled = file.len() / (120 * 1024) + 1;
        assert!(if waits { count <= filled } else { count > 2 * filled });
    }
}

/// The entries of random games, and of their positions as records.
#[test]
fn entries_of_games_and_records() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut moves, mut corners) = ([0; 4], 0);
    for _ in 0..300 {
        let (game, bytes, boards) = play(&mut random, 150);
        assert_eq!(Game::length(&[&bytes[..], b"more"].concat()), Some(bytes.len()));
        assert_eq!(Game::length(&bytes[..bytes.len() - 1]), None);
        let (mut entries, mut found) = (Game::new(&bytes), Vec::new());
        while let Some(entry) = entries.next_entry() {
            found.push(entry.unwrap());
        }
        let records: Vec<Record> = Game::new(&bytes).map(Result::unwrap).collect();
        assert_eq!(found.len(), records.len());
        for (ply, (entry, record)) in found.iter().zip(&records).enumerate() {
            let board = entry.board();
            assert_eq!((board.placement(), board.side()), (record.placement(), record.side()));
            let sign = if record.side() == Side::White { 1 } else { -1 };
            assert_eq!(i32::from(entry.score()), sign * i32::from(record.score()));
            assert_eq!(i32::from(entry.result()), sign * (i32::from(record.result()) - 1));
            assert_eq!(usize::from(entry.ply()), ply);
            assert_eq!(
                u32::from(board.halfmove_clock()),
                u32::from(boards[ply].fifty_move_counter())
            );
            let their = boards[ply].castling_rights();
            let is_right =
                |rook: Option<_>, corner: usize| rook.is_some_and(|rook| rook as usize == corner);
            let rights = [(their.wq, 0), (their.wk, 7), (their.bq, 56), (their.bk, 63)];
            for (bit, (rook, corner)) in rights.into_iter().enumerate() {
                let right = is_right(rook, corner);
                assert_eq!(board.castling_rights() >> bit & 1 == 1, right, "{}", boards[ply]);
                corners += usize::from(right);
            }
        }
        // The moves: each leads to the next position, but castling of Chess960.
        for (pair, code) in found.windows(2).zip(game.moves()) {
            let (mut board, played) = (*pair[0].board(), pair[0].played());
            moves[0] += usize::from(played.is_en_passant());
            moves[1] += usize::from(played.promotion().is_some());
            moves[2] += usize::from(pair[0].is_capture());
            assert_eq!(played.is_castling(), code.is_castle());
            if played.is_castling() {
                moves[3] += 1;
            } else {
                board.play(played).unwrap();
                assert_eq!(board.placement(), pair[1].board().placement());
            }
        }
    }
    assert!(moves.iter().all(|&count| count > 50) && corners > 1000, "{moves:?} {corners}");

    let bullet = Record::read(Format::Bullet, &record(BULLET)).unwrap();
    let entry = bullet.entry(Move::NONE).unwrap();
    assert_eq!((entry.score(), entry.result(), entry.ply()), (-100, 1, Entry::NO_PLY));
    assert!(!entry.is_capture());
    let kings = Record::read(Format::Marlin, &with(record(EXAMPLE), 8, &[0x13, 0x42, 0x24, 0x31]));
    let error = kings.unwrap().entry(Move::NONE).unwrap_err();
    assert_eq!(error.to_string(), "pieces: each side must have one king");
}

/// Ten thousand shards, one from each record or game on, are of their format, and never text. A
/// record may fit two formats: only shards of one or two records may be ambiguous.
#[test]
fn shards_are_detected() {
    let mut random = fastrand::Rng::with_seed(11);
    let [mut bullets, mut marlins, mut viris] = [const { Vec::new() }; 3];
    while viris.len() < 3400 {
        let most = if bullets.len() < 3400 { 150 } else { 20 };
        let (_, game, boards) = play(&mut random, most);
        viris.push(game);
        if bullets.len() < 3400 {
            let result = random.u8(..3);
            for board in boards {
                let score = random.i16(-400..400);
                bullets.push(bullet(&board, score, result).to_vec());
                marlins.push(marlin(&board, score, result).to_vec());
            }
        }
    }
    let mut ambiguous = 0;
    for (format, units) in
        [(Format::Bullet, bullets), (Format::Marlin, marlins), (Format::Viri, viris)]
    {
        for first in 0..units.len().min(3400) {
            let last = units.len().min(first + [1, 2, 3, 20, 200][first % 5]);
            let shard = units[first..last].concat();
            let found = Format::detect(&shard, true);
            if found != Detected::One(format) {
                let both = Detected::Several(vec![Format::Bullet, Format::Marlin]);
                assert_eq!(found, both, "{format}: {shard:?}");
                assert!(shard.len() <= 2 * RECORD, "{format}: {shard:?}");
                ambiguous += 1;
            }
            #[cfg(feature = "compressed")]
            {
                let stream = std::io::Cursor::new(shard.clone());
                let stream = setwise_positions::decompress(stream, || panic!("gzip"));
                assert!(!stream.unwrap().1, "{format}: {shard:?}");
            }
            // A stream is read until its format is clear.
            let mut stream = &shard[..];
            assert_eq!(Format::detect_file(&mut stream, "".as_ref()).unwrap().0, found);
        }
    }
    assert!(ambiguous <= 3, "{ambiguous}");
    eprintln!("ambiguous: {ambiguous}");
}

/// Random bytes are read or rejected, and every byte is accounted for.
#[test]
fn random_bytes() {
    let mut random = fastrand::Rng::with_seed(3);
    let game = bytes(EXAMPLE);
    let mut found = [0; 2];
    let rounds = if cfg!(miri) { 30 } else { 30_000 };
    for round in 0..rounds {
        // The input is noise, or valid records or games with a few changed bytes.
        let mut input: Vec<u8> = match round % 3 {
            0 => {
                let length = random.usize(..300);
                std::iter::repeat_with(|| random.u8(..)).take(length).collect()
            }
            1 => [&record(BULLET)[..], &game[..32]].concat().repeat(random.usize(..5)),
            _ => game.repeat(random.usize(..4)),
        };
        for _ in 0..random.usize(..4) {
            if !input.is_empty() {
                let at = random.usize(..input.len());
                input[at] = random.u8(..);
            }
        }
        input.truncate(random.usize(..=input.len()));
        let _ = Format::detect(&input, random.bool());
        for format in [Format::Bullet, Format::Marlin, Format::Viri] {
            let (mut block, mut batch, mut taken) = (Block::default(), Batch::default(), 0);
            let mut blocks = Blocks::of(format, &input[..]);
            blocks = if random.bool() { blocks.single() } else { blocks };
            while blocks.next(&mut block).unwrap() {
                assert!(!block.bytes.is_empty());
                taken += block.bytes.len();
                batch.read_block(format, &block);
            }
            assert_eq!(taken, input.len());
            if format != Format::Viri {
                let count = batch.len() + batch.errors().len();
                assert_eq!(count, input.len().div_ceil(RECORD));
            }
            for (fen, placement) in batch.fens().zip(batch.placements()) {
                let text = Fen::parse(fen.as_bytes()).unwrap();
                assert_eq!(text.placement(), placement, "{fen}");
            }
            found[0] += batch.len();
            found[1] += batch.errors().len();
        }
    }
    assert!(found.iter().all(|&count| count > rounds / 3), "{found:?}");
}

#[test]
fn an_endless_game_is_refused() {
    let endless = [&bytes(EXAMPLE)[..32], &vec![1; 2 << 20]].concat();
    let (mut block, mut blocks) = (Block::default(), Blocks::of(Format::Viri, &endless[..]));
    let error = blocks.next(&mut block).unwrap_err();
    assert_eq!(error.to_string(), "game 1 does not end within 1048576 bytes");
}

#[test]
fn formats_are_detected_but_not_guessed() {
    let marlin = record(EXAMPLE);
    let bullet = record(BULLET);
    let game = bytes(EXAMPLE);
    for (input, format) in [
        (&b""[..], Format::Text),
        (b"8/8", Format::Text),
        (b"# a comment\n\n", Format::Text),
        ("\u{feff}8/8/8/8/8/8/8/8 w - - id \"\u{e9}\";\n".as_bytes(), Format::Text),
        (&marlin.repeat(3), Format::Marlin),
        (&bullet.repeat(3), Format::Bullet),
        (&game.repeat(3), Format::Viri),
    ] {
        assert_eq!(Format::detect(input, true), Detected::One(format), "{input:?}");
        // A short prefix never gives a different format. A prefix of `SAMPLE` bytes gives this
        // format.
        for end in 1..input.len() {
            let found = Format::detect(&input[..end], false);
            assert!([Detected::More, Detected::One(format)].contains(&found), "{end} of {input:?}");
        }
        let many = input.repeat(Format::SAMPLE / input.len().max(1) + 1);
        assert_eq!(
            Format::detect(&many[..many.len().min(Format::SAMPLE)], input.is_empty()),
            Detected::One(format)
        );
    }
    // `both` is a valid record of both formats. Marlinformat reads the bytes of its score, result
    // and king squares as en passant square, clock, move number, score and result. Only the move
    // number, 1026, is implausible.
    let both = with(with(bullet, 24, &[64, 0]), 27, &[4, 4, 0, 0]);
    assert!(Record::read(Format::Marlin, &both).is_ok());
    let high = with(both, 27, &[0, 4]);
    assert_eq!(Format::detect(&both, true), Detected::One(Format::Bullet));
    assert_eq!(Format::detect(&high, true), Detected::One(Format::Marlin));
    let corner = with(with(both, 0, &[0x11]), 8, &[0x35]);
    let corner = with(corner, 27, &[0]);
    assert_eq!(
        Format::detect(&corner, true),
        Detected::Several(vec![Format::Bullet, Format::Marlin])
    );
    for bytes in [&with(bullet, 26, &[7])[..], &marlin[..31]] {
        assert_eq!(Format::detect(bytes, true), Detected::Several(vec![]));
    }
    // Text without FENs is recognised by its first 512 bytes.
    for (at, detected) in [(511, Detected::Several(vec![])), (512, Detected::One(Format::Text))] {
        let mut bytes = [b'#'; 600];
        bytes[at] = 0;
        assert_eq!(Format::detect(&bytes, true), detected, "byte {at}");
    }
    // A file whose first line is a FEN is text, whatever control characters it has. Otherwise, only
    // NUL and 0x1A at the ends of lines may be in text.
    let [fen, bad] = ["8/8/8/8/8/8/8/8 w - -", "8/8/8/8/8/8/8/8 w\0 - -"];
    for (lines, is_text) in [
        (vec![fen, "\0"], true),
        (vec!["\0", fen, "\x1a"], true),
        (vec![fen, bad], true),
        (vec![bad, fen], false),
        (vec!["# \0", fen, bad, fen], true),
        (vec![bad, bad, fen], false),
        (vec![bad], false),
        (vec!["fen,cp", "8/8/8/8/8/8/8/8 w,1", "\x1a"], true),
        (vec!["fen,cp\0", "8/8/8/8/8/8/8/8 w,1\0\0", "\0"], true),
        (vec!["fen,cp\0", "\x018/8/8/8/8/8/8/8 w,1"], false),
        (vec!["\0", "\0"], false),
        (vec!["fen ,cp", "8/8/8/8/8/8/8/8 w,1", "8/8/8/8/8/8/8/8 b,1"], true),
    ] {
        let detected = Format::detect(lines.join("\n").as_bytes(), true);
        let found = matches!(detected, Detected::One(format) if format.unit() == Unit::Line);
        assert_eq!(found, is_text, "{lines:?}");
    }
    // The extension decides where the bytes do not.
    for (bytes, name, detected) in [
        (&corner[..], "a.marlin", Detected::One(Format::Marlin)),
        (&corner, "A.BF.zst", Detected::One(Format::Bullet)),
        (&corner, "a.vf", Detected::Several(vec![Format::Bullet, Format::Marlin])),
        (&both, "a.marlin", Detected::One(Format::Marlin)),
        (&marlin, "a.bullet", Detected::One(Format::Marlin)),
        (format!("{bad}\n{fen}").as_bytes(), "a.epd.gz", Detected::One(Format::Text)),
        (format!("{bad}\n{fen}").as_bytes(), "a.txt", Detected::Several(vec![])),
    ] {
        let found = Format::detect_file(&mut &bytes[..], name.as_ref()).unwrap().0;
        assert_eq!(found, detected, "{name}");
    }
    // The second line distinguishes plain training data from a list of FENs.
    let first = "\u{feff}fen 8/8/8/8/8/8/8/8 w - -\n";
    for (second, detected) in [
        ("move a1a2\n", Detected::One(Format::Plain)),
        ("move", Detected::One(Format::Plain)),
        ("fen 8/8", Detected::One(Format::Text)),
        ("fen", Detected::More),
        ("", Detected::More),
    ] {
        let start = format!("{first}{second}");
        assert_eq!(Format::detect(start.as_bytes(), false), detected, "{second}");
    }
    assert_eq!(Format::detect(b"fen 8/8", true), Detected::One(Format::Plain));
    let plain = b"fen 8/8/8/8/8/8/8/8 w - -\0\nscore 1\nresult 0\ne\n\x1a";
    assert_eq!(Format::detect(plain, true), Detected::One(Format::Plain));
}
