//! The played and the legal moves of positions, against moves of one position at a time.

#![allow(clippy::cast_sign_loss, reason = "a target of a legal move is its place")]

use crate::common::{ENTRIES, File, budget, load, write};
use setwise::moves::{GamePosition, Move, State};
use setwise::position::Position;
use setwise::{Square, board};
use setwise_loader::{
    Batch, Features, Filter, Inputs, Loader, MoveNumbers, OnError, Policy, Views,
};
use setwise_positions::binpack::{self, Entry};
use setwise_positions::{Fen, Side};

/// The legal moves of an entry, with the squares of the board.
fn legal(entry: &Entry) -> Vec<Move> {
    let board = entry.board();
    let rights = board.castling_rights();
    let rooks = |bits: u8| (bits & 1) | (bits & 2) << 6;
    let state = State {
        side: board.side() as u8,
        en_passant: board.en_passant().unwrap_or(64),
        castling: [rooks(rights & 3), rooks(rights >> 2)],
    };
    let position = GamePosition::new(Position::from(board.placement()), state);
    let mut moves = [Move::default(); 218];
    let count = board::legal_moves(&position, &mut moves);
    moves[..count].to_vec()
}

fn played(entry: &Entry) -> Move {
    let played = entry.played();
    let square = |number| Square::new(number).unwrap();
    Move::new(square(played.from()), square(played.to()), played.promotion())
}

/// A move as a view shows it: Black's from the other end of the board, and mirrored with the own
/// king on some files.
fn seen(entry: &Entry, views: Views, mirrors: Mirrors, one: Move) -> Move {
    let viewer = match views {
        Views::Movers => entry.board().side(),
        Views::Colours => Side::White,
    };
    let king = setwise::Piece::King.code(viewer);
    let king = entry.board().codes().iter().position(|code| *code == king).unwrap();
    let square = |square: Square| {
        let (file, rank) = (square.file(), square.rank());
        let file = if mirrors(king % 8) { 7 - file } else { file };
        let rank = if viewer == Side::Black { 7 - rank } else { rank };
        Square::new(8 * rank + file).unwrap()
    };
    Move::new(square(one.from()), square(one.to()), one.promotion())
}

fn loader(file: &File, policy: Policy) -> Loader {
    let filter = Filter::ALL;
    Loader { batch_size: 700, threads: 2, filter, policy, ..Loader::new(vec![file.0.clone()]) }
}

/// Whether files are mirrored with the own king on this one.
type Mirrors = fn(usize) -> bool;

/// Inputs, and what they mirror.
fn settings() -> Vec<(Features, Mirrors)> {
    let indices = |name| Features::Indices(Inputs::named(name).unwrap());
    vec![
        (Features::Boards, |_| false),
        (indices("768"), |_| false),
        (indices("HalfKAv2_hm"), |king| king < 4),
        // The first part that mirrors decides.
        (indices("768+PP_3Wide+HalfKAv2_hm"), |king| king >= 4),
        (indices("Full_Threats+HalfKAv2_hm"), |king| king >= 4),
    ]
}

#[test]
fn lists_are_the_legal_moves() {
    let all = &ENTRIES[..budget(800, ENTRIES.len())];
    let file = File::new("policy-lists", &write(all));
    for (features, mirrors) in settings() {
        for views in [Views::Movers, Views::Colours] {
            let features = features.clone();
            let batches = load(&Loader { features, views, ..loader(&file, Policy::Lists) });
            let mut entries = all.iter();
            for batch in &batches {
                assert_eq!((batch.played.len(), batch.mask.len()), (batch.len(), 0));
                for (at, entry) in (0..batch.len()).zip(entries.by_ref()) {
                    let see = |one| seen(entry, views, mirrors, one);
                    let expected: Vec<Move> = legal(entry).into_iter().map(see).collect();
                    assert_eq!(batch.legal.get(at), expected);
                    assert_eq!(batch.played[at], see(played(entry)));
                    assert_eq!(expected[batch.targets[at] as usize], batch.played[at]);
                }
            }
            assert!(entries.next().is_none());
        }
    }
}

#[test]
fn masks_have_the_numbers_of_the_legal_moves() {
    let all = &ENTRIES[..budget(800, ENTRIES.len())];
    let file = File::new("policy-masks", &write(all));
    // Few numbers, which moves share.
    let own = MoveNumbers::new(|one| Some((one.bits() >> 6 & 63) / 3)).unwrap();
    assert_eq!(own.width(), 22);
    let movers = Views::Movers;
    for (numbers, views) in [
        (MoveNumbers::squares(), Views::Colours),
        (MoveNumbers::squares(), movers),
        (MoveNumbers::lc0(), movers),
        (own, Views::Colours),
    ] {
        for (features, mirrors) in settings() {
            let policy = Policy::Mask(numbers.clone());
            let loader = Loader { features, views, ..loader(&file, policy) };
            let batches = loader.batches().unwrap();
            let (recycler, mut entries) = (batches.recycler(), all.iter());
            for batch in batches {
                let batch = batch.unwrap();
                let width = numbers.width();
                assert_eq!(batch.mask.len(), batch.len() * width);
                assert!(batch.legal.offsets.is_empty());
                for (at, entry) in (0..batch.len()).zip(entries.by_ref()) {
                    let see = |one| seen(entry, views, mirrors, one);
                    let mut expected = vec![false; width];
                    for one in legal(entry) {
                        expected[usize::from(numbers.get(see(one)).unwrap())] = true;
                    }
                    assert!(batch.mask[at * width..][..width] == expected);
                    let target = numbers.get(see(played(entry))).map(i64::from);
                    assert_eq!(Some(batch.targets[at]), target);
                    assert_eq!(batch.played[at], see(played(entry)));
                }
                // Its mask is filled again.
                recycler.recycle(batch);
            }
            assert!(entries.next().is_none());
        }
    }
}

/// The numbers that Leela Chess Zero prints of some moves.
#[test]
fn numbers_of_lc0() {
    let numbers = MoveNumbers::lc0();
    let number = |text: &str| {
        let square = |text: &str| {
            let [file, rank] = text.as_bytes().try_into().unwrap();
            Square::new(file - b'a' + 8 * (rank - b'1')).unwrap()
        };
        let code = " nbrq".find(text.get(4..).unwrap_or(" ")).unwrap() as u16;
        let promotion = Move::from_bits(code << 12).promotion();
        numbers.get(Move::new(square(&text[..2]), square(&text[2..4]), promotion))
    };
    for (text, expected) in [
        ("a1b1", 0),
        ("b1c3", 36),
        ("g1f3", 159),
        ("a2a3", 204),
        ("c2c4", 264),
        ("d2d4", 293),
        ("e2e4", 322),
        ("a7a8q", 1792),
        ("a7a8r", 1793),
        ("a7a8b", 1794),
        ("a7b8q", 1795),
        ("h7h8b", 1857),
    ] {
        assert_eq!(number(text), Some(expected), "{text}");
    }
    assert_eq!(number("a7a8n"), number("a7a8"));
    for text in ["a1a1", "a1b4", "a2a1q", "a7c8q"] {
        assert_eq!(number(text), None, "{text}");
    }
    let mut all: Vec<u16> = (0..5 << 12).filter_map(|b| numbers.get(Move::from_bits(b))).collect();
    all.sort_unstable();
    all.dedup();
    assert!(all.into_iter().eq(0..1858));
}

#[test]
fn what_is_not_asked_for_is_not_there() {
    let file = File::new("policy-none", &write(&ENTRIES[..50]));
    let [batch] = &load(&loader(&file, Policy::None))[..] else { panic!("one batch") };
    assert!(batch.played.is_empty() && batch.targets.is_empty() && batch.mask.is_empty());
    assert!(batch.legal.offsets.is_empty() && batch.legal.values.is_empty());
}

/// Batches may come from another loader: its masks are not in those that are filled again.
#[test]
fn batches_of_other_loaders_leave_no_mask() {
    let file = File::new("policy-other", &write(&ENTRIES));
    for policy in [Policy::None, Policy::Lists] {
        let loader = Loader { batch_size: 50, ..loader(&file, policy) };
        let batches = loader.batches().unwrap();
        let recycler = batches.recycler();
        recycler.recycle(batch(Policy::Mask(MoveNumbers::squares()), &ENTRIES[..50]));
        let masks: Vec<usize> = batches.map(|batch| batch.unwrap().mask.len()).collect();
        // More than wait: some were begun later.
        assert!(masks.len() > 20 && masks.iter().all(|length| *length == 0), "{masks:?}");
    }
}

/// With a policy, too, a file that cannot be decompressed is skipped.
#[test]
fn bad_files_are_skipped() {
    let gzip = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &[0xff; 30]].concat();
    let files = [File::new("policy-bad", &gzip), File::new("policy-good", &write(&ENTRIES[..50]))];
    let paths: Vec<_> = files.iter().map(|file| file.0.clone()).collect();
    for policy in [Policy::None, Policy::Lists] {
        let on_error = OnError::Skip;
        let loader = Loader { paths: paths.clone(), on_error, ..loader(&files[1], policy) };
        let mut batches = loader.batches().unwrap();
        let count: usize = batches.by_ref().map(|batch| batch.unwrap().len()).sum();
        assert_eq!((count, batches.statistics().failures), (50, 1));
    }
}

fn entry(fen: &str, played: binpack::Move) -> Entry {
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    let board = binpack::Board::new(fen.placement(), fen.side().unwrap(), [false; 4], None, 0);
    Entry::new(board.unwrap(), played, 0, 0, 0)
}

fn batch(policy: Policy, entries: &[Entry]) -> Batch {
    Loader { policy, ..Loader::new(Vec::new()) }.batch(entries).unwrap()
}

#[test]
fn entries_without_a_legal_move_have_no_target() {
    let entries = [
        entry("7k/8/8/8/8/8/8/K7 b", binpack::Move::NONE),
        entry("7k/8/8/8/8/8/8/K7 b", binpack::Move::new(63, 47, None)),
        entry("7k/5Q2/6K1/8/8/8/8/8 b", binpack::Move::NONE),
        entry("7k/8/8/8/8/8/8/K7 b", binpack::Move::new(63, 55, None)),
    ];
    let lists = batch(Policy::Lists, &entries);
    let h1 = Square::H1;
    let [h2, h3] = [Square::H2, Square::H3].map(|to| Move::new(h1, to, None));
    assert_eq!(lists.played, [Move::default(), h3, Move::default(), h2]);
    assert_eq!(lists.legal.offsets, [0, 3, 6, 6, 9]);
    assert_eq!(lists.targets[..3], [-1; 3]);
    assert_eq!(lists.legal.get(3)[lists.targets[3] as usize], h2);
    let mask = batch(Policy::Mask(MoveNumbers::squares()), &entries);
    assert_eq!(mask.targets, [-1, -1, -1, 7 + 64 * 15]);
    let counts = mask.mask.chunks(4096).map(|row| row.iter().filter(|is_legal| **is_legal).count());
    assert!(counts.eq([3, 3, 0, 3]));
}

/// More moves than any game has: all of them are there.
#[test]
fn boards_with_many_moves() {
    let queens = "QQQQQQQQ/QQQQQQQQ/8/8/8/8/8/K6k w";
    let many = vec![entry(queens, binpack::Move::NONE); 600];
    let lists = batch(Policy::Lists, &many);
    let expected = {
        let fen = Fen::parse(queens.as_bytes()).unwrap();
        let mut moves = [Move::default(); 1152];
        board::legal_moves(&fen.game_position(), &mut moves)
    };
    assert!(expected > 64, "{expected}");
    assert!((0..600).all(|at| lists.legal.get(at).len() == expected));
}

#[test]
fn a_legal_move_needs_a_number() {
    let promotes = [entry("7k/8/8/8/8/8/p7/7K b", binpack::Move::NONE)];
    let lc0 = || Policy::Mask(MoveNumbers::lc0());
    assert_eq!(batch(lc0(), &promotes).targets, [-1]);
    let loader = Loader { policy: lc0(), views: Views::Colours, ..Loader::new(Vec::new()) };
    let message = loader.batch(&promotes).unwrap_err().to_string();
    // The promotion to a knight has that of the move without one.
    assert_eq!(message, "the legal move a2a1b has no number");
    for (number, what) in
        [(None, "no move has a number"), (Some(u16::MAX), "the numbers of moves must be less")]
    {
        let message = MoveNumbers::new(|_| number).unwrap_err();
        assert!(message.starts_with(what), "{message}");
    }
    assert_eq!(MoveNumbers::new(|_| Some(u16::MAX - 1)).unwrap().width(), 65_535);
}
