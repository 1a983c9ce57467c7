//! The active inputs of sets: those that a trainer computes, and those of a slow implementation
//! that goes square by square.

#![allow(clippy::cast_sign_loss, clippy::cast_possible_wrap, reason = "all numbers are small")]

use std::path::Path;
use std::{env, fs};

use crate::common::{File, Seen, budget, games, write};
use setwise_loader::{Batch, Features, Filter, Inputs, Loader, Part, Pieces, Table};
use setwise_positions::binpack::{Board, Entry, Move, mix};
use setwise_positions::{Fen, Side};

const DEFAULT: &str = "Full_Threats+PP_3Wide+HalfKAv2_hm";

/// Batches of entries with the indices of a set.
fn load(name: &str, entries: &[Entry], inputs: Inputs) -> Vec<Batch> {
    let file = File::new(name, &write(entries));
    let (features, filter) = (Features::Indices(inputs), Filter::ALL);
    crate::common::load(&Loader { features, filter, ..Loader::new(vec![file.0.clone()]) })
}

/// White's and Black's active inputs of each position, in ascending order.
fn views(batches: &[Batch]) -> Vec<[Vec<u32>; 2]> {
    let mut views = Vec::new();
    for batch in batches {
        for (at, side) in batch.sides.iter().enumerate() {
            let [own, other] = batch.indices.each_ref().map(|lists| {
                let mut list = lists.get(at).to_vec();
                list.sort_unstable();
                list
            });
            views.push(if *side == 0 { [own, other] } else { [other, own] });
        }
    }
    views
}

fn entry(fen: &str) -> Entry {
    let parsed = Fen::parse(fen.as_bytes()).unwrap();
    let side = if fen.split(' ').nth(1) == Some("b") { Side::Black } else { Side::White };
    let board = Board::new(parsed.placement(), side, [false; 4], None, 0).unwrap();
    Entry::new(board, Move::NONE, 0, 0, 0)
}

fn hash(list: &[u32]) -> String {
    let hash = list.iter().fold(0, |hash, index| mix(hash ^ u64::from(*index)));
    format!("{} {hash:016x}", list.len())
}

/// Pawns of one side never attack each other, so each of their threats counts.
#[test]
fn own_pawns_are_not_mutual() {
    let entries = ["4k3/8/8/3P4/4P3/8/8/4K3 w", "4k3/8/8/3p4/4P3/8/8/4K3 w"].map(entry);
    for name in ["79856", "60144"] {
        let found = views(&load(&format!("pawns-{name}"), &entries, Inputs::named(name).unwrap()));
        let counts = found.iter().map(|views| views.each_ref().map(Vec::len));
        assert!(counts.eq([[1, 1], [1, 1]]), "{name}: {found:?}");
    }
}

/// The lists of a program that trains such networks: here their lengths and hashes. All of them are
/// compared if `SETWISE_FEATURES` names a folder with `expected.tsv`.
#[test]
fn inputs_are_those_of_a_trainer() {
    let lines: Vec<Vec<&str>> = include_str!("data/full_threats.tsv")
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let entries: Vec<Entry> = lines.iter().map(|fields| entry(fields[0])).collect();
    let found = views(&load("trainer", &entries, Inputs::named(DEFAULT).unwrap()));
    assert_eq!((found.len(), lines.len()), (400, 400));
    for (found, fields) in found.iter().zip(&lines) {
        assert_eq!(
            found.each_ref().map(|list| hash(list)),
            [fields[1], fields[2]],
            "{}",
            fields[0]
        );
    }
    let Some(folder) = env::var_os("SETWISE_FEATURES") else {
        eprintln!("skipped: SETWISE_FEATURES is not a folder with expected.tsv");
        return;
    };
    let text = fs::read_to_string(Path::new(&folder).join("expected.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let entries: Vec<Entry> = rows.iter().map(|fields| entry(fields[0])).collect();
    let found = views(&load("all", &entries, Inputs::named(DEFAULT).unwrap()));
    for (found, fields) in found.iter().zip(&rows) {
        let expected = [fields[1], fields[2]]
            .map(|list| list.split(' ').map(|index| index.parse().unwrap()).collect::<Vec<u32>>());
        assert_eq!(*found, expected, "{}", fields[0]);
    }
}

/// A slow implementation: own pieces are 0 to 5, the other side's 6 to 11, on squares of a view.
struct View {
    pieces: Vec<(usize, i32, i32)>,
}

const LINES: [(i32, i32); 8] =
    [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The steps of a piece, and whether it repeats them.
fn steps(piece: usize) -> (&'static [(i32, i32)], bool) {
    match piece {
        0 => (&[(-1, 1), (1, 1)], false),
        6 => (&[(-1, -1), (1, -1)], false),
        1 | 7 => (&JUMPS, false),
        2 | 8 => (&LINES[4..], true),
        3 | 9 => (&LINES[..4], true),
        4 | 10 => (&LINES, true),
        _ => (&LINES, false),
    }
}

/// What a piece attacks, if `stops` says on which squares there is another piece.
fn attacks(
    piece: usize,
    file: i32,
    rank: i32,
    stops: impl Fn(i32, i32) -> bool,
) -> Vec<(i32, i32)> {
    let (steps, repeats) = steps(piece);
    let mut found = Vec::new();
    for (east, north) in steps {
        let (mut file, mut rank) = (file + east, rank + north);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            found.push((file, rank));
            if !repeats || stops(file, rank) {
                break;
            }
            (file, rank) = (file + east, rank + north);
        }
    }
    found
}

impl View {
    /// The position as a side sees it, with the files mirrored if its king is on one of `mirrored`.
    fn new(board: &[u8; 64], is_black: bool, mirrored: std::ops::Range<i32>) -> View {
        let mut pieces = Vec::new();
        for (square, code) in (0..64).zip(board).filter(|(_, code)| **code != 0) {
            let (kind, is_other) = ((code - 1) % 6, (*code > 6) != is_black);
            let rank = if is_black { 7 - square / 8 } else { square / 8 };
            pieces.push((usize::from(kind) + if is_other { 6 } else { 0 }, square % 8, rank));
        }
        let king = pieces.iter().find(|piece| piece.0 == 5).unwrap();
        if mirrored.contains(&king.1) {
            for piece in &mut pieces {
                piece.1 = 7 - piece.1;
            }
        }
        View { pieces }
    }

    fn on(&self, file: i32, rank: i32) -> Option<usize> {
        self.pieces.iter().find(|piece| (piece.1, piece.2) == (file, rank)).map(|piece| piece.0)
    }

    fn threats(&self) -> Vec<u32> {
        // Pawn to king: the kinds that count as victims.
        const VICTIMS: [&[usize]; 6] =
            [&[1, 3], &[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[0, 1, 2, 3], &[0, 1, 2, 3, 4], &[]];
        let mut starts = [0; 13];
        let mut places = vec![Vec::new(); 12];
        for piece in 0..12 {
            for from in 0..64 {
                let is_at_the_edge = piece % 6 == 0 && matches!(from / 8, 0 | 7);
                if piece % 6 != 5 && !is_at_the_edge {
                    let mut to = attacks(piece, from % 8, from / 8, |_, _| false);
                    to.sort_by_key(|(file, rank)| 8 * rank + file);
                    places[piece].extend(to.iter().map(|(file, rank)| (from, 8 * rank + file)));
                }
            }
            starts[piece + 1] = starts[piece] + places[piece].len() * 2 * VICTIMS[piece % 6].len();
        }
        assert_eq!(starts[12], 59_808);
        let mut found = Vec::new();
        for &(attacker, file, rank) in &self.pieces {
            for (to_file, to_rank) in attacks(attacker, file, rank, |f, r| self.on(f, r).is_some())
            {
                let Some(victim) = self.on(to_file, to_rank) else {
                    continue;
                };
                let (from, to) = (8 * rank + file, 8 * to_rank + to_file);
                let victims = VICTIMS[attacker % 6];
                let number = victims.iter().position(|kind| *kind == victim % 6);
                let is_pair_of_own_pawns = attacker == victim && attacker % 6 == 0;
                let is_second = attacker % 6 == victim % 6 && !is_pair_of_own_pawns && from < to;
                let place = places[attacker].iter().position(|place| *place == (from, to));
                if let (Some(number), false, Some(place)) = (number, is_second, place) {
                    let number = number + if victim < 6 { 0 } else { victims.len() };
                    found.push((starts[attacker] + places[attacker].len() * number + place) as u32);
                }
            }
        }
        found
    }

    fn pawn_pairs(&self) -> Vec<u32> {
        let pawns: Vec<(i32, i32)> = self
            .pieces
            .iter()
            .filter(|piece| piece.0 % 6 == 0)
            .map(|&(piece, file, rank)| {
                (8 * rank + file - 8 + if piece == 6 { 48 } else { 0 }, file)
            })
            .collect();
        let mut found = Vec::new();
        for (high, high_file) in &pawns {
            for (low, low_file) in &pawns {
                if high > low && (high_file - low_file).abs() <= 1 {
                    found.push((high * (high - 1) / 2 + low) as u32);
                }
            }
        }
        found
    }

    fn half_ka(&self) -> Vec<u32> {
        let king = self.pieces.iter().find(|piece| piece.0 == 5).unwrap();
        let bucket = 28 - 4 * king.2 + 7 - king.1;
        let index = |&(piece, file, rank): &(usize, i32, i32)| {
            let (kind, other) = (piece as i32 % 6, piece as i32 / 6);
            (8 * rank + file + 64 * (2 * kind + other) + 768 * bucket) as u32
        };
        self.pieces.iter().map(index).collect()
    }
}

/// The default set by the slow implementation.
fn slow(board: &[u8; 64], is_black: bool) -> Vec<u32> {
    let mirrored = View::new(board, is_black, 4..8);
    let mut all = mirrored.threats();
    all.extend(mirrored.pawn_pairs().iter().map(|index| 59_808 + index));
    all.extend(View::new(board, is_black, 0..4).half_ka().iter().map(|index| 64_368 + index));
    all.sort_unstable();
    all
}

/// Compares positions with the slow implementation. Returns their number.
fn compare(count: usize) -> usize {
    let mut entries = games(count, &mut Seen::default());
    entries.truncate(100_000);
    let batches = load(&format!("slow{count}"), &entries, Inputs::named(DEFAULT).unwrap());
    let mut found = views(&batches).into_iter();
    for board in batches.iter().flat_map(|batch| &batch.boards) {
        let found = found.next().unwrap();
        assert_eq!(found, [slow(board, false), slow(board, true)], "{board:?}");
    }
    entries.len()
}

#[test]
fn inputs_are_those_of_a_slow_implementation() {
    let games = budget(3, 20);
    assert!(compare(games) > 50 * games);
}

#[test]
#[ignore = "takes minutes"]
fn inputs_of_100_000_positions() {
    assert_eq!(compare(1500), 100_000);
}

#[test]
fn parts_follow_one_another() {
    let entries = games(3, &mut Seen::default());
    let of =
        |name: &str| views(&load(&name.replace('+', "-"), &entries, Inputs::named(name).unwrap()));
    let [threats, pairs, pieces] = ["Full_Threats", "PP_3Wide^", "HalfKAv2_hm"].map(of);
    let other_order = of("HalfKAv2_hm^+PP_3Wide+59808");
    for at in 0..entries.len() {
        for view in 0..2 {
            let mut expected = pieces[at][view].clone();
            expected.extend(pairs[at][view].iter().map(|index| 24_576 + index));
            expected.extend(threats[at][view].iter().map(|index| 24_576 + 4560 + index));
            assert_eq!(other_order[at][view], expected);
        }
    }
    for (name, width) in
        [("Full_Threats", 128), ("PP_3Wide", 128), ("HalfKAv2_hm", 32), ("768", 32), (DEFAULT, 288)]
    {
        assert_eq!(Inputs::named(name).unwrap().width(), width, "{name}");
    }
    assert_eq!(Inputs::new(Vec::new()).unwrap_err(), "a set of inputs needs a part");
}

/// The documents name every set, with the number of its inputs.
#[test]
fn sets_are_documented() {
    let error = Inputs::named("Full_Threats+unknown").unwrap_err();
    let (start, names) = error.rsplit_once(": ").unwrap();
    assert_eq!(start, "\"unknown\" is not a set of inputs: use these, joined by +");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    let (guide, source) = (read("../../docs/training.md"), read("src/inputs.rs"));
    for name in names.split(", ") {
        let count = Inputs::named(name).unwrap().count();
        // Thousands are separated by a comma.
        let [high, low] = [count / 1000, count % 1000];
        let count = if high > 0 { format!("{high},{low:03}") } else { low.to_string() };
        let name = format!("`{name}`");
        let has_row = guide.lines().any(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            cells.len() > 2
                && line.contains(&name)
                && cells[2].trim().split(" and ").any(|number| number == count)
        });
        assert!(has_row, "docs/training.md: the table of inputs needs a row {name} with {count}");
        let is_in_list = source.lines().any(|line| line.contains("///") && line.contains(&name));
        assert!(is_in_list, "src/inputs.rs: the documentation of `Inputs::named` needs {name}");
    }
    assert!(Inputs::named(&names.replace(", ", "+")).is_ok());
}

#[test]
fn pieces_by_square() {
    let entries = games(3, &mut Seen::default());
    let found = views(&load("768", &entries, Inputs::named("768").unwrap()));
    // Without kings, in two buckets, mirrored if the king is on the a-file.
    let mut planes: [Option<u8>; 12] = std::array::from_fn(|piece| Some(piece as u8));
    (planes[5], planes[6], planes[11]) = (None, Some(5), None);
    let buckets = std::array::from_fn(|king| u8::from(king % 8 == 7));
    let own = Inputs::new(vec![Part::Pieces(Pieces::new(planes, buckets, 1))]).unwrap();
    assert_eq!(own.count(), 2 * 64 * 11);
    let others = views(&load("pieces", &entries, own));
    for (at, entry) in entries.iter().enumerate() {
        for (side, is_black) in [false, true].into_iter().enumerate() {
            let view = View::new(entry.board().codes(), is_black, 9..9);
            let index =
                |&(piece, file, rank): &(usize, i32, i32)| 64 * piece as i32 + 8 * rank + file;
            let mut expected: Vec<u32> =
                view.pieces.iter().map(|piece| index(piece) as u32).collect();
            expected.sort_unstable();
            assert_eq!(found[at][side], expected);
            let view = View::new(entry.board().codes(), is_black, 0..1);
            let king = view.pieces.iter().find(|piece| piece.0 == 5).unwrap();
            let bucket = i32::from(king.1 == 7);
            let mut expected: Vec<u32> = Vec::new();
            for piece in view.pieces.iter().filter(|piece| piece.0 % 6 != 5) {
                let plane = if piece.0 == 6 { 5 } else { piece.0 as i32 };
                let square = 8 * piece.2 + piece.1;
                expected.push((64 * (11 * bucket + plane) + square) as u32);
            }
            expected.sort_unstable();
            assert_eq!(others[at][side], expected);
        }
    }
}

/// A table whose pairs are counted for one side only has the rules of both views.
#[test]
fn tables_count_as_each_side_sees() {
    let entries = games(3, &mut Seen::default());
    // Own knights that attack the other side's pawns.
    let mut base = vec![Table::EXCLUDED; 288];
    base[2 * (12 + 6)..][..2].fill(7);
    let place: Vec<u32> = (0..12 * 64 * 64).map(|at| at % 4096).collect();
    let table = Table::new(&base, &place, 0).unwrap();
    assert_eq!(table.count(), 7 + 4096);
    let found = views(&load("pairs", &entries, table.into()));
    let mut counted = [0; 2];
    for (at, entry) in entries.iter().enumerate() {
        for (side, is_black) in [false, true].into_iter().enumerate() {
            let view = View::new(entry.board().codes(), is_black, 9..9);
            let mut expected = Vec::new();
            for &(_, file, rank) in view.pieces.iter().filter(|piece| piece.0 == 1) {
                for (f, r) in attacks(1, file, rank, |_, _| true) {
                    if view.on(f, r) == Some(6) {
                        expected.push((7 + 64 * (8 * rank + file) + 8 * r + f) as u32);
                    }
                }
            }
            expected.sort_unstable();
            assert_eq!(found[at][side], expected);
            counted[side] += expected.len();
        }
    }
    assert!(counted.iter().all(|count| *count > 0), "{counted:?}");
    let large = Table::new(&[1 << 30; 288], &vec![1 << 30; 12 * 64 * 64], 0).unwrap_err();
    assert_eq!(large, "indices must be below 2^31, found 2147483648");
}
