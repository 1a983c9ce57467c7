//! Every call for threats of every kernel, against the oracle of `setwise-check`: on moves of
//! random games, and on boards that reach the limits. `properties.rs` has boards of any bytes.
//!
//! `SETWISE_TEST_BUDGET` (`miri`, `tiny`, `small`, `quick`, `long`) chooses the number of cases.
//! `long` plays two million moves. `SETWISE_TEST_SEED` repeats a run.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cozy_chess::{Board, Color, Move, Piece as CozyPiece};
use setwise::reflection::{CallInfo, CallRole, MAILBOX_CALLS};
use setwise::threats::{Changes, Rules, Threat};
use setwise::{Kernel, Piece, Side, Square, board};
use setwise_check::threats::{self, Case, Change, Codes, Form, Lists, Meaning};

#[path = "runner/seed.rs"]
mod seed;

/// Every call of the list is in each place that is written by hand.
#[test]
#[cfg(not(miri))]
fn every_call_has_its_places() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |place: &str| std::fs::read_to_string(root.join(place)).expect(place);
    // The list writes the declarations of the C and C++ headers, from the roles of the arguments.
    // A test in C++ must call each role.
    let place = "crates/capi/tests/cpp/check.cpp";
    let cpp = read(place);
    let roles = |call: &CallInfo| call.arguments().iter().map(|argument| argument.1);
    let is_called = |call: &&CallInfo| cpp.contains(&format!("kernel.{}(", call.name()));
    let known: Vec<CallRole> = MAILBOX_CALLS.iter().filter(is_called).flat_map(roles).collect();
    let mut missing = vec![];
    for call in MAILBOX_CALLS {
        let name = call.name();
        for (place, text) in [
            ("src/board/threats.rs", format!("pub const fn {name}(")),
            ("crates/check/src/threats.rs", format!("call!(self, {name}(")),
            ("crates/measure/src/positions.rs", format!("kernel.{name}(")),
            ("benches/kernels.rs", format!("kernel.{name}(")),
        ] {
            if !read(place).contains(&text) {
                missing.push(format!("`{text}` in {place}"));
            }
        }
        if let Some(role) = roles(call).find(|role| !known.contains(role)) {
            missing.push(format!("`kernel.{name}(`, the first call with {role:?}, in {place}"));
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

/// The number of moves to play.
fn moves() -> usize {
    let default = if cfg!(miri) { "miri" } else { "quick" };
    match &*env::var("SETWISE_TEST_BUDGET").unwrap_or(default.into()) {
        "miri" => 3,
        "tiny" => 500,
        "small" => 3_000,
        "quick" => 20_000,
        "long" => 2_000_000,
        budget => panic!("SETWISE_TEST_BUDGET={budget}: must be miri, tiny, small, quick or long"),
    }
}

/// A generator whose seed a failing test prints.
fn random() -> fastrand::Rng {
    let seed = seed::seed().unwrap_or_else(|error| panic!("{error}"));
    println!("SETWISE_TEST_SEED={seed:#x}");
    fastrand::Rng::with_seed(seed)
}

fn square(square: cozy_chess::Square) -> Square {
    Square::new(square as u8).unwrap()
}

fn code(color: Color, piece: CozyPiece) -> u8 {
    1 + piece as u8 + 6 * color as u8
}

/// The board in the codes of [`Meaning::usual`].
fn mailbox(board: &Board) -> Codes {
    let mut codes = [0; 64];
    for square in board.occupied() {
        codes[square as usize] =
            code(board.color_on(square).unwrap(), board.piece_on(square).unwrap());
    }
    codes
}

/// Start positions of games: known positions, positions one move before promotions, en passant and
/// castling, and some of Chess960.
fn starts() -> Vec<Board> {
    let known = include_str!("positions/known.epd").lines().map(|line| {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        format!("{} 0 1", fields.join(" "))
    });
    let crafted = [
        "r3k2r/1Pppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPpP/R3K2R w KQkq - 0 1",
        "4k3/P6P/8/2pPp3/2PpP3/8/p6p/4K3 w - c6 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];
    let fens = known.chain(crafted.map(String::from));
    let starts = fens.map(|fen| fen.parse().expect("a legal board"));
    starts.chain((0..960).step_by(31).map(Board::chess960_startpos)).collect()
}

fn castles(board: &Board, chosen: Move) -> bool {
    board.color_on(chosen.to) == Some(board.side_to_move())
}

fn is_en_passant(board: &Board, chosen: Move) -> bool {
    board.piece_on(chosen.from) == Some(CozyPiece::Pawn)
        && chosen.from.file() != chosen.to.file()
        && !board.occupied().has(chosen.to)
}

/// Plays random games of at most 80 moves until `moves` have been played. Rare kinds of moves are
/// preferred. `visit` gets the board before each move, the move, and the board after it.
fn play(moves: usize, random: &mut fastrand::Rng, mut visit: impl FnMut(&Board, Move, &Board)) {
    let starts = starts();
    let mut left = moves;
    while left > 0 {
        let mut board = starts[random.usize(..starts.len())].clone();
        for _ in 0..80.min(left) {
            let mut legal: Vec<Move> = vec![];
            board.generate_moves(|some| {
                legal.extend(some);
                false
            });
            if legal.is_empty() {
                break;
            }
            let (before, mut chosen) = (board.clone(), legal[random.usize(..legal.len())]);
            let is_rare = |chosen: &&Move| {
                let has_edits = castles(&board, **chosen) || is_en_passant(&board, **chosen);
                has_edits || chosen.promotion.is_some()
            };
            if let Some(rare) = legal.iter().find(is_rare).filter(|_| random.u8(..4) == 0) {
                chosen = *rare;
            }
            board.play(chosen);
            visit(&before, chosen, &board);
            left -= 1;
        }
    }
}

/// Compares the lists that every form returns for a change.
fn check(change: Change<'_>, meaning: &Meaning, expected: &Lists) {
    let rules = meaning.rules();
    for form in Form::all() {
        form.check_changes(change, &rules, expected).unwrap();
    }
}

#[test]
fn moves_of_games() {
    println!("forms: {:?}", Form::all().collect::<Vec<_>>());
    let mut random = random();
    let network = Meaning::network();
    let mut seen = random.clone();
    let mut rare = [0; 5]; // castling, en passant, captures, promotions, checks
    play(moves(), &mut random, |before, chosen, after| {
        let meaning = match seen.u8(..4) {
            0 => network,
            1 => Meaning { pairs: std::array::from_fn(|_| seen.u16(..)), ..network },
            _ => Meaning::usual(),
        };
        let [codes, new_codes] = [before, after].map(mailbox);
        let edits: Vec<(Square, u8)> = (0..64)
            .filter(|&i| codes[i] != new_codes[i])
            .map(|i| (Square::masked(i as u8), new_codes[i]))
            .collect();
        let expected = threats::edited(&codes, &edits, &meaning);
        check(Change::Edited(&codes, &edits), &meaning, &expected);
        let (is_castling, is_en_passant) = (castles(before, chosen), is_en_passant(before, chosen));
        let is_capture = !is_castling && before.occupied().has(chosen.to);
        let is_promotion = chosen.promotion.is_some();
        let has_checkers = !after.checkers().is_empty();
        let kinds = [is_castling, is_en_passant, is_capture, is_promotion, has_checkers];
        for (count, is_one) in rare.iter_mut().zip(kinds) {
            *count += usize::from(is_one);
        }
        // These change more than the square that is left and the one that is reached.
        if is_castling || is_en_passant {
            return;
        }
        let (from, to) = (square(chosen.from), square(chosen.to));
        let placed = new_codes[to.index()];
        let lists = threats::moved(&codes, from, to, placed, &meaning);
        let sorted = |Lists { mut added, mut removed }: Lists| {
            added.sort();
            removed.sort();
            (added, removed)
        };
        assert_eq!(sorted(lists.clone()), sorted(expected), "the order must not change the lists");
        check(Change::Moved(&Case { codes, from, to, placed }), &meaning, &lists);
        // The pieces that give check attack the king by threats that the move has added.
        let rules = Meaning::usual().rules();
        let mut changes = Changes::new();
        Kernel::active().threats_moved(&codes, from, to, placed, &rules, &mut changes);
        let king = after.king(after.side_to_move()) as u8;
        let on_king = changes
            .added()
            .iter()
            .filter(|threat| threat.to == king && (threat.attacker > 6) != (threat.victim > 6));
        let checkers = on_king.fold(0, |set, threat| set | 1 << threat.from);
        assert_eq!(checkers, after.checkers().0, "checkers after {chosen} on {before}");
    });
    println!("[castling, en passant, captures, promotions, checks]: {rare:?}");
    // Fewer moves may have none of a kind.
    assert!(moves() < 20_000 || rare.iter().all(|&count| count > 0));
}

/// Every pair of squares on boards full of one kind of piece, which have the most threats.
#[test]
fn boards_full_of_one_kind() {
    let meaning = Meaning::usual();
    let mut most = 0;
    for code in 1..=6_u8 {
        let codes: Codes = std::array::from_fn(|i| code + 6 * (i as u8 % 2));
        let all = threats::all(&codes, &meaning);
        most = most.max(all.len());
        // Kernels store whole vectors of up to sixteen threats, but only where the list has room.
        for (form, room) in Form::all().flat_map(|form| (0..=16).map(move |room| (form, room))) {
            let (rules, all) = (meaning.rules(), std::slice::from_ref(&all));
            form.check_all(&[codes], &rules, all, all[0].len() + room).unwrap();
        }
        let step = if moves() < 3_000 { 67 } else { 7 };
        for pair in (0..64 * 64_u16).step_by(step) {
            let [from, to] = [pair / 64, pair % 64].map(|i| Square::new(i as u8).unwrap());
            let case = Case { codes, from, to, placed: 5 };
            let expected = threats::moved(&codes, from, to, 5, &meaning);
            check(Change::Moved(&case), &meaning, &expected);
        }
    }
    assert_eq!(most, 420);
}

/// The documented capacities: a square with sixteen attackers and eight victims, and a capture.
#[test]
fn capacities_are_reached() {
    let meaning = Meaning::usual();
    let mut codes = [0; 64];
    let square = |name: &str| name.parse::<Square>().unwrap();
    // Queens on all rays of d4 and knights at all its jumps.
    for name in ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"] {
        codes[square(name).index()] = 5;
    }
    for name in ["c2", "e2", "b3", "f3", "b5", "f5", "c6", "e6"] {
        codes[square(name).index()] = 2;
    }
    for (code, most) in [(11, (24, 8)), (0, (0, 0))] {
        let edits = [(square("d4"), code)];
        let expected = threats::edited(&codes, &edits, &meaning);
        assert_eq!((expected.added.len(), expected.removed.len()), most);
        check(Change::Edited(&codes, &edits), &meaning, &expected);
    }
    // Four queens vanish at once. Their neighbours are queens, all others knights.
    let four = ["c3", "c6", "f3", "f6"].map(square);
    let near = four.iter().fold(0, |set, square| set | square.bitboard());
    let near = near | board::king_attacks(near);
    codes = std::array::from_fn(|i| if near >> i & 1 == 1 { 5 } else { 2 });
    let edits = four.map(|square| (square, 0));
    let expected = threats::edited(&codes, &edits, &meaning);
    assert_eq!(expected.removed.len(), 80);
    check(Change::Edited(&codes, &edits), &meaning, &expected);
}

/// Castling, castling in Chess960 on two squares, and en passant, with lists made by hand.
#[test]
fn edits_by_hand() {
    const NAMES: &str = ".PNBRQKpnbrqk";
    let code = |name: char| NAMES.find(name).unwrap() as u8;
    let named = |text: &str| text.parse::<Square>().unwrap();
    let meaning = Meaning::usual();
    for (board, edits, removed, added) in [
        ("Ke1 Rh1 re8", ".e1 Rf1 Kg1 .h1", "re8Ke1 Rh1Ke1", "Rf1Kg1 Kg1Rf1"),
        ("Kf1 Rg1", "Kg1 Rf1", "Kf1Rg1 Rg1Kf1", "Rf1Kg1 Kg1Rf1"),
        ("ra5 pd5 Pe5 Rh5", "Pd6 .e5 .d5", "ra5pd5 Rh5Pe5", "Rh5ra5 ra5Rh5"),
        ("ra5 Rh5", "", "", ""),
        ("ra5 Rh5", "ra5 .b5", "", ""),
    ] {
        let places = |text: &str| -> Vec<(Square, u8)> {
            let place = |place: &str| (named(&place[1..]), code(place.chars().next().unwrap()));
            text.split_whitespace().map(place).collect()
        };
        let threats = |text: &str| -> Vec<Threat> {
            let threat = |text: &str| {
                let [attacker, victim] = [0, 3].map(|i| places(&text[i..i + 3])[0]);
                let [from, to] = [attacker, victim].map(|place| place.0.index() as u8);
                Threat { attacker: attacker.1, from, victim: victim.1, to }
            };
            text.split_whitespace().map(threat).collect()
        };
        let mut codes = [0; 64];
        for (square, code) in places(board) {
            codes[square.index()] = code;
        }
        let expected = Lists { added: threats(added), removed: threats(removed) };
        let edits = places(edits);
        assert_eq!(threats::edited(&codes, &edits, &meaning), expected, "{board}");
        check(Change::Edited(&codes, &edits), &meaning, &expected);
    }
}

/// Batches of any length, into lists of any capacity.
#[test]
fn batches() {
    let mut random = random();
    let meanings = [Meaning::usual(), Meaning::network()];
    // First, eight knights with eight jumps each, which fill the last vector of squares.
    let mut knights = [1; 64];
    knights[26..30].fill(2);
    knights[34..38].fill(2);
    let mut boards: Vec<Codes> = vec![knights, [5; 64], [0; 64], [0xff; 64]];
    play(60.min(moves()), &mut random, |_, _, after| boards.push(mailbox(after)));
    for meaning in meanings {
        let rules = meaning.rules();
        let expected: Vec<_> = boards.iter().map(|board| threats::all(board, &meaning)).collect();
        let total: usize = expected.iter().map(Vec::len).sum();
        for form in Form::all() {
            for boards_to_do in [0, 1, 2, 3, boards.len()] {
                let (boards, expected) = (&boards[..boards_to_do], &expected[..boards_to_do]);
                for capacity in [0, 1, 30, 100, 420, 435, 436, 900, total, total + 1, total + 500] {
                    form.check_all(boards, &rules, expected, capacity).unwrap();
                }
            }
        }
    }
}

#[test]
fn wrong_arguments_panic() {
    let (kernel, rules) = (Kernel::active(), Meaning::usual().rules());
    let edited = |squares: &[Square]| {
        let edits: Vec<_> = squares.iter().map(|&square| (square, 1)).collect();
        kernel.threats_edited(&[0; 64], &edits, &rules, &mut Changes::new());
    };
    let calls: [(&str, &mut dyn FnMut()); 5] = [
        ("`edits` must have at most four elements", &mut || {
            edited(&[Square::A1, Square::B1, Square::C1, Square::D1, Square::E1]);
        }),
        ("`edits` must not have a square twice", &mut || {
            edited(&[Square::A1, Square::B1, Square::A1]);
        }),
        ("`offsets` must have exactly one element more than `boards`", &mut || {
            kernel.threats(&[[0; 64]], &rules, &mut [0], &mut []);
        }),
        ("`offsets` must have exactly one element more than `boards`", &mut || {
            kernel.threats(&[[0; 64]], &rules, &mut [0; 3], &mut []);
        }),
        ("`offsets` must have exactly one element more than `boards`", &mut || {
            kernel.threats(&[], &rules, &mut [], &mut []);
        }),
    ];
    for (message, call) in calls {
        let panic = catch_unwind(AssertUnwindSafe(call)).expect_err(message);
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        assert!(text.contains(message), "{text}");
    }
}

/// No call reads beyond the board. Only Unix has the pages for this test.
#[cfg(unix)]
#[test]
#[cfg_attr(miri, ignore = "Miri checks every access itself")]
fn boards_next_to_inaccessible_pages() {
    let meaning = Meaning::usual();
    let rules = meaning.rules();
    let mut pages = setwise_check::Pages::new(64);
    for at_end in [false, true] {
        pages.place(&[5; 64], at_end);
        let codes: &Codes = (&*pages.buffer(64, at_end)).try_into().unwrap();
        let mut changes = Changes::new();
        for kernel in Kernel::available() {
            kernel.threats_moved(codes, Square::A1, Square::H8, 1, &rules, &mut changes);
            kernel.threats_edited(codes, &[(Square::A1, 5)], &rules, &mut changes);
            assert_eq!(changes, Changes::new());
            let mut threats = [Threat::default(); 420];
            let boards = std::slice::from_ref(codes);
            assert_eq!(kernel.threats(boards, &rules, &mut [0; 2], &mut threats), 1);
        }
    }
}

/// A mailbox of kinds and Black's set make a mailbox of codes, square by square.
#[test]
fn kinds_and_sides_make_codes() {
    let mut random = random();
    for _ in 0..200 {
        let kinds: Codes = std::array::from_fn(|_| random.u8(..8));
        let black = random.u64(..);
        let expected = |i: usize| kinds[i] + if black >> i & 1 == 1 { 8 } else { 0 };
        let expected: Codes = std::array::from_fn(expected);
        assert_eq!(board::coded_mailbox(&kinds, black), expected);
    }
}

/// Changes are equal if both lists are. Entries after the last do not count.
#[test]
fn changes_are_compared_by_both_lists() {
    let (kernel, rules) = (Kernel::active(), Meaning::usual().rules());
    let [rook, empty] = [4, 0];
    let mut board = [empty; 64];
    board[Square::A1.index()] = rook;
    let two = |squares: [Square; 2]| {
        let mut board = board;
        for square in squares {
            board[square.index()] = rook;
        }
        board
    };
    let edited = |board: &[u8; 64], edits: &[(Square, u8)]| {
        let mut changes = Changes::new();
        kernel.threats_edited(board, edits, &rules, &mut changes);
        changes
    };
    // A rook beside a1 comes, goes, or there are two and one goes.
    let put = edited(&board, &[(Square::A8, rook)]);
    let taken = edited(&two([Square::A8, Square::A8]), &[(Square::A8, empty)]);
    let other = edited(&two([Square::A8, Square::H1]), &[(Square::H1, empty)]);
    let none = Changes::new();
    assert_eq!((put.added().len(), put.removed().len()), (2, 0));
    assert_eq!((taken.added().len(), taken.removed().len()), (0, 2));
    assert_eq!((other.added().len(), other.removed().len()), (0, 2));
    let all = [put, taken, other, none];
    for (i, one) in all.iter().enumerate() {
        for (j, two) in all.iter().enumerate() {
            assert_eq!(one == two, i == j, "{one:?} {two:?}");
        }
    }
    // What another call left in the lists does not count.
    let mut again = all[0].clone();
    kernel.threats_edited(&board, &[], &rules, &mut again);
    assert_eq!(again, all[3]);
    kernel.threats_edited(
        &two([Square::A8, Square::A8]),
        &[(Square::A8, empty)],
        &rules,
        &mut again,
    );
    assert_eq!(again, all[1]);
}

/// `Rules` hold exactly the pairs of pieces.
#[test]
fn rules_drop_pairs_of_empty_squares() {
    let mut codes = [None; 16];
    codes[3] = Some((Side::White, Piece::Queen));
    let rules = Rules::new(codes, [!0; 16]);
    for (attacker, victim) in (0..=255).map(|i| (i / 16, i % 16)) {
        assert_eq!(rules.counts(attacker, victim), (attacker, victim) == (3, 3));
    }
    assert!(rules.counts(0x13, 0xf3) && rules.is_piece(0x83) && !rules.is_piece(4));
}
