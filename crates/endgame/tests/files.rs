//! Tests of table files: round trips and invalid files.

use std::fs;

use setwise_endgame::{FileError, Options, Side, Table, generate};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

#[test]
fn tables_survive_a_round_trip() {
    round_trip(&["KK", "KQK", "KKR", "KBK"]);
}

#[test]
#[ignore = "four men"]
fn tables_of_four_men_survive_a_round_trip() {
    round_trip(&["KQKR", "KQKQ", "KKQQ"]);
}

fn round_trip(names: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        let table = table(name);
        table.save(&path).unwrap();
        assert!(Table::load(&path).unwrap() == table, "{name}");
        assert_eq!(fs::read(&path).unwrap(), table.to_bytes());
    }
}

#[test]
#[ignore = "four men"]
fn a_loaded_table_has_its_conversions() {
    let table = Table::from_bytes(&table("KQQK").to_bytes()).unwrap();
    let deepest = table.wins(Side::White).deepest_loss().unwrap();
    let line = table.line(&deepest.position);
    assert_eq!(line.len(), 20, "the line goes on in KQK");
}

#[test]
fn foreign_files_are_recognised() {
    for bytes in [&b""[..], b"\0", b"PK\x03\x04", b"SWENDGX\0", &[0xff; 100]] {
        let error = Table::from_bytes(bytes).unwrap_err();
        assert!(matches!(error, FileError::Foreign), "{bytes:?}");
    }
    let mut later = table("KBK").to_bytes();
    later[8] = 2;
    let error = Table::from_bytes(&later).unwrap_err();
    assert!(matches!(error, FileError::Version { found: 2 }), "{error}");
}

#[test]
fn every_truncation_is_found() {
    let bytes = table("KRK").to_bytes();
    for length in (0..bytes.len()).filter(|length| *length < 200 || length % 61 == 0) {
        let error = Table::from_bytes(&bytes[..length]).unwrap_err();
        let expected = match error {
            FileError::Foreign => length == 0,
            FileError::Length { .. } => length > 0,
            _ => false,
        };
        assert!(expected, "{length}: {error}");
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    let error = Table::from_bytes(&longer).unwrap_err();
    assert!(matches!(error, FileError::Length { .. }), "{error}");
}

#[test]
fn every_changed_byte_is_found() {
    let bytes = table("KRK").to_bytes();
    for at in (0..bytes.len()).filter(|at| *at < 200 || at % 61 == 0 || at + 8 > bytes.len()) {
        for flip in [1, 0x80] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            assert!(Table::from_bytes(&bytes).is_err(), "byte {at}");
        }
    }
}

/// A file with this payload and a valid checksum. Its header gives the size of the payload as
/// `claimed` bytes.
fn seal(payload: &[u8], claimed: u64) -> Vec<u8> {
    let compressed = zstd::bulk::compress(payload, 1).unwrap();
    let mut bytes = b"SWENDGM\0\x01\0\0\0".to_vec();
    bytes.extend(claimed.to_le_bytes());
    bytes.extend((compressed.len() as u64).to_le_bytes());
    bytes.extend(compressed);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Invalid contents with a valid checksum give an error. `src/file/forged.rs` changes bits.
#[test]
fn bad_contents_with_a_good_checksum_are_found() {
    let right = table("KRK");
    let bytes = right.to_bytes();
    let payload = zstd::stream::decode_all(&bytes[28..bytes.len() - 4]).unwrap();
    let read = |payload: &[u8]| Table::from_bytes(&seal(payload, payload.len() as u64));
    assert!(read(&payload).unwrap() == right);

    for length in (0..payload.len()).filter(|length| *length < 200 || length % 9973 == 0) {
        let error = read(&payload[..length]).unwrap_err();
        let expected = matches!(error, FileError::Content { .. });
        assert!(expected, "{length}: {error}");
    }
    let longer: Vec<u8> = payload.iter().copied().chain([0]).collect();
    for (payload, expected) in [
        (&longer[..], "follows"),
        (b"\x03KPK", "pawn"),
        (b"\x03KQK\x03KRK", "must be of KQK, not of KRK"),
    ] {
        let error = read(payload).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn wrong_lengths_do_not_exhaust_the_memory() {
    for claimed in [0, 3, u64::MAX, 1 << 40] {
        let error = Table::from_bytes(&seal(&[0; 1000], claimed)).unwrap_err();
        assert!(matches!(error, FileError::Content { .. }), "{error}");
    }
}

#[test]
fn errors_of_the_system_name_the_path() {
    let path = "no/such/folder/file.swe";
    let load = Table::load(path.as_ref()).map(drop);
    let save = table("KBK").save(path.as_ref());
    for error in [load.unwrap_err(), save.unwrap_err()] {
        let error = error.to_string();
        assert!(error.starts_with("no/such/folder/file.swe: "), "{error}");
    }
}
