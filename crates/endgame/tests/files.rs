//! Tests of table files: round trips and invalid files.

use std::fs;
use std::io::ErrorKind;

use setwise_endgame::{Options, Side, Table, generate};

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
        fs::write(&path, table.to_bytes()).unwrap();
        let loaded = Table::load(&path).unwrap();
        assert!(loaded == table, "{name}");
        assert!(loaded.to_bytes() == table.to_bytes(), "{name}");
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

/// The message for invalid bytes.
fn error(bytes: &[u8]) -> String {
    let error = Table::from_bytes(bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    error.to_string()
}

#[test]
fn foreign_files_are_recognised() {
    for bytes in [&b""[..], b"\0", b"PK\x03\x04", b"SWENDGX\0", &[0xff; 100]] {
        assert!(error(bytes).starts_with("not an endgame table"), "{bytes:?}");
    }
    let mut later = table("KBK").to_bytes();
    later[8] = 2;
    assert!(error(&later).starts_with("format version 2 is unknown"));
}

#[test]
fn every_truncation_is_found() {
    let bytes = table("KRK").to_bytes();
    for length in (0..bytes.len()).filter(|length| *length < 200 || length % 61 == 0) {
        let error = error(&bytes[..length]);
        let expected = if length == 0 { "not an endgame table" } else { "the table is cut short" };
        assert!(error.starts_with(expected), "{length}: {error}");
    }
    assert!(error(&[&*bytes, &[0]].concat()).starts_with("data follows the table"));
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

#[test]
fn errors_of_the_system_name_the_path() {
    let error = Table::load("no/such/folder/file.swe".as_ref()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().starts_with("no/such/folder/file.swe: "), "{error}");
}
