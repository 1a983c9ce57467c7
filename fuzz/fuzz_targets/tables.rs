//! Loads endgame tables from arbitrary bytes. The loader must reject the file or return a table. A
//! loaded table must be written exactly as it was read, and must answer probes correctly. Incorrect
//! tables must fail `verify`. Only a sample of them is checked.
//!
//! The first byte of the input selects what the rest is: a whole file, the uncompressed payload of
//! a file, or an ending and changes to its table's payload.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use setwise_endgame::{Options, Side, Table, Value, Wins, generate, verify};

/// Size of the file header, which precedes the compressed payload, in bytes.
const HEADER: usize = 28;
/// Small tables: KK and KNK have no wins, KRK has wins in up to 16 moves.
const ENDINGS: [&str; 5] = ["KRK", "KQK", "KK", "KNK", "KKB"];

struct Known {
    table: Table,
    payload: Vec<u8>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = |name: &str| {
        let ending = name.parse().expect("an ending");
        let table = generate(&ending, &Options::default());
        Known { payload: payload(&table), table }
    };
    ENDINGS.iter().map(|name| known(name)).collect()
});

fuzz_target!(|data: &[u8]| -> Corpus {
    let [kind, rest @ ..] = data else {
        return Corpus::Reject;
    };
    match kind % 4 {
        0 => check(Table::from_bytes(rest), None),
        1 => check(Table::from_bytes(&wrapped(rest)), Some(rest)),
        _ => {
            let [ending, changes @ ..] = rest else {
                return Corpus::Reject;
            };
            let known = &KNOWN[usize::from(*ending) % KNOWN.len()];
            let payload = changed(&known.payload, changes);
            check(Table::from_bytes(&wrapped(&payload)), Some(&payload));
        }
    }
    Corpus::Keep
});

/// The uncompressed payload of a table file.
fn payload(table: &Table) -> Vec<u8> {
    let file = table.to_bytes();
    zstd::decode_all(&file[HEADER..file.len() - 4]).expect("a file just written")
}

/// A file with this payload and a correct checksum.
fn wrapped(payload: &[u8]) -> Vec<u8> {
    let compressed = zstd::bulk::compress(payload, 1).expect("in memory");
    let mut file = b"SWENDGM\0".to_vec();
    file.extend(1_u32.to_le_bytes());
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend((compressed.len() as u64).to_le_bytes());
    file.extend(compressed);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file
}

/// Applies up to eight changes to the payload. Six bytes encode each change: its kind, a value, and
/// an offset (four bytes).
fn changed(payload: &[u8], changes: &[u8]) -> Vec<u8> {
    let mut payload = payload.to_vec();
    for change in changes.chunks_exact(6).take(8) {
        let &[what, value, a, b, c, d] = change else {
            continue;
        };
        let place = u32::from_le_bytes([a, b, c, d]) as usize;
        // The change is either anywhere in the payload, or in the counts at its start.
        let places = if what & 8 == 0 { payload.len() } else { payload.len().min(96) };
        let at = place % places.max(1);
        match what % 8 {
            0 if at < payload.len() => payload[at] ^= value,
            1 if at < payload.len() => payload[at] = value,
            2 if at < payload.len() => payload[at] ^= 1 << (value % 8),
            3 => payload.truncate(at),
            4 => payload.insert(at.min(payload.len()), value),
            5 => payload.extend(std::iter::repeat_n(value, place % 600)),
            6 if at < payload.len() => {
                payload.remove(at);
            }
            _ => {
                // Swap two groups of eight bytes, so that only their order is wrong.
                let other = (at + 8 * usize::from(value)) % payload.len().max(1);
                if at.max(other) + 8 <= payload.len() {
                    for i in 0..8 {
                        payload.swap(at + i, other + i);
                    }
                }
            }
        }
    }
    payload
}

fn check(loaded: std::io::Result<Table>, read: Option<&[u8]>) {
    let table = match loaded {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let name = table.ending().to_string();
    assert!(Table::from_bytes(&table.to_bytes()).is_ok_and(|again| again == table), "{name}");
    // A table has only one valid payload, so writing it must reproduce the payload.
    if let Some(read) = read {
        assert!(payload(&table) == read, "{name}: written differently from what was read");
    }
    for color in Side::BOTH {
        check_wins(&table, table.wins(color), color);
    }
    let _ = table.bytes();
    let known = KNOWN.iter().find(|known| known.table.ending() == table.ending());
    // Only a sample is verified, because `verify` takes seconds per table.
    let is_in_sample = read.is_some_and(|read| crc32fast::hash(read).is_multiple_of(256));
    if known.is_some_and(|known| is_in_sample && table != known.table) {
        assert!(verify(&table, 1, None).is_err(), "{name}: a wrong table passes");
    }
}

/// For each depth, checks that a probe of the first position with that depth returns that depth.
fn check_wins(table: &Table, wins: &Wins, attacker: Side) {
    let seen_from = |position: setwise_endgame::Position| match attacker {
        Side::White => position,
        Side::Black => position.swapped(),
    };
    for depth in 0..=64 {
        if let Some(index) = wins.won_in(depth).and_then(|set| set.positions().next()) {
            let position = seen_from(wins.position(Side::White, index));
            assert_eq!(table.probe(&position), Value::Win(depth), "{position}");
        }
        if let Some(index) = wins.lost_in(depth).and_then(|set| set.positions().next()) {
            let position = seen_from(wins.position(Side::Black, index));
            assert_eq!(table.probe(&position), Value::Loss(depth), "{position}");
        }
    }
}
