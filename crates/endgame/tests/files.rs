//! Tables on disk: round trips, and what happens to files that are none.

use std::fs;

use setwise_endgame::{FileError, Options, Table, generate};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

#[test]
fn tables_survive_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "KK", "KQK", "KKR", "KBK", "KNNK", "KQKR", "KRKQ", "KQKQ", "KKQQ",
    ] {
        let path = folder.path().join(name);
        let table = table(name);
        table.save(&path).unwrap();
        assert!(Table::load(&path).unwrap() == table, "{name}");
        // The file is the same whenever it is written.
        assert_eq!(fs::read(&path).unwrap(), table.to_bytes());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 9, "no temporary file is left behind");
}

#[test]
fn a_table_read_back_answers_as_before() {
    let table = Table::from_bytes(&table("KQQK").to_bytes()).unwrap();
    let line = table.line(
        &table
            .wins(setwise_endgame::Color::White)
            .deepest_loss()
            .unwrap()
            .position,
    );
    assert_eq!(line.len(), 20, "the line goes on in KQK");
}

#[test]
fn foreign_files_are_recognised() {
    for bytes in [&b""[..], b"\0", b"PK\x03\x04", b"SWENDGX\0", &[0xff; 100]] {
        assert!(
            matches!(Table::from_bytes(bytes), Err(FileError::Foreign)),
            "{bytes:?}"
        );
    }
    let mut later = table("KBK").to_bytes();
    later[8] = 2;
    assert!(matches!(
        Table::from_bytes(&later),
        Err(FileError::Version { found: 2 })
    ));
}

#[test]
fn every_truncation_is_found() {
    let bytes = table("KRK").to_bytes();
    for length in (0..bytes.len()).filter(|length| *length < 200 || length % 61 == 0) {
        let error = Table::from_bytes(&bytes[..length]).unwrap_err();
        match length {
            0 => assert!(matches!(error, FileError::Foreign)),
            _ => assert!(
                matches!(error, FileError::Length { .. }),
                "{length}: {error}"
            ),
        }
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(matches!(
        Table::from_bytes(&longer),
        Err(FileError::Length { .. })
    ));
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

/// A file around a payload, as the documentation of the format says.
fn seal(payload: &[u8], claimed: u64) -> Vec<u8> {
    let compressed = zstd::bulk::compress(payload, 1).unwrap();
    let mut bytes = b"SWENDGM\0\x01\0\0\0".to_vec();
    bytes.extend(claimed.to_le_bytes());
    bytes.extend((compressed.len() as u64).to_le_bytes());
    bytes.extend(compressed);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Files with a good checksum and bad contents give an error, never a panic or a table that panics.
#[test]
fn nonsense_under_a_good_checksum_is_found() {
    let bytes = table("KRK").to_bytes();
    let payload = zstd::stream::decode_all(&bytes[28..bytes.len() - 4]).unwrap();
    let read = |payload: &[u8]| Table::from_bytes(&seal(payload, payload.len() as u64));
    assert!(read(&payload).unwrap() == table("KRK"));

    for length in (0..payload.len()).filter(|length| *length < 200 || length % 997 == 0) {
        let error = read(&payload[..length]).unwrap_err();
        assert!(
            matches!(error, FileError::Content { .. }),
            "{length}: {error}"
        );
    }
    let longer: Vec<u8> = payload.iter().copied().chain([0]).collect();
    assert!(read(&longer).unwrap_err().to_string().contains("follows"));
    assert!(read(b"\x03KPK").unwrap_err().to_string().contains("pawn"));
    assert!(
        read(b"\x03KQK\x03KRK")
            .unwrap_err()
            .to_string()
            .contains("section of KQK is one of KRK")
    );

    let mut rng = fastrand::Rng::with_seed(3);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut payload = payload.clone();
        let near = if rng.bool() { 100 } else { payload.len() };
        let at = rng.usize(..near);
        payload[at] ^= 1 << rng.u32(..8);
        match read(&payload) {
            Err(_) => refused += 1,
            // A bit of a bitmap: the table is wrong, and yet nothing may go wrong with it.
            Ok(table) => {
                let longest = table.longest().unwrap();
                let _ = (
                    table.probe(&longest.position),
                    table.line(&longest.position),
                );
                let _ = setwise_endgame::Report::new(&table, 1.0, 0);
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn wrong_lengths_exhaust_no_memory() {
    for claimed in [0, 3, u64::MAX, 1 << 40] {
        let error = Table::from_bytes(&seal(&[0; 1000], claimed)).unwrap_err();
        assert!(matches!(error, FileError::Content { .. }), "{error}");
    }
}

#[test]
fn the_system_s_refusal_names_the_path() {
    let error = Table::load("no/such/file.swe".as_ref())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no/such/file.swe: "), "{error}");
    let error = table("KBK")
        .save("no/such/folder/file.swe".as_ref())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("no/such/folder/file.swe: "), "{error}");
}
