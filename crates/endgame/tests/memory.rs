//! A small file that unpacks to much must not take much memory. Alone in its process, whose peak it measures.
#![cfg(target_os = "linux")]

use setwise_endgame::{FileError, Table};

/// The peak of this process, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    1024 * line
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
}

/// A file around a payload that says to be so long, as the documentation of the format tells.
fn seal(mut frame: Vec<u8>, claimed: u64) -> Vec<u8> {
    let mut bytes = b"SWENDGM\0\x01\0\0\0".to_vec();
    bytes.extend(claimed.to_le_bytes());
    bytes.extend((frame.len() as u64).to_le_bytes());
    bytes.append(&mut frame);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[test]
fn forged_files_take_little_memory() {
    // Full bitmaps of KBNK, up to what a header can say, and depths without a position.
    let [full, empty] = [u64::MAX, 0].map(|entry| {
        let mut payload = Vec::new();
        payload.extend(b"\x04KBNK\x04KBNK");
        payload.extend(10_875_504_u64.to_le_bytes());
        payload.extend(13_660_584_u64.to_le_bytes());
        payload.extend([40, 0, 40, 0]);
        let block: Vec<u8> = std::iter::repeat_n(entry.to_le_bytes(), 4096)
            .flatten()
            .collect();
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        std::io::Write::write_all(&mut encoder, &payload).unwrap();
        for _ in 0..6400 {
            std::io::Write::write_all(&mut encoder, &block).unwrap();
        }
        encoder.finish().unwrap()
    });
    let before = peak();
    for frame in [full, empty] {
        for claimed in [1 << 26, 200_000_000, 1 << 30, u64::MAX] {
            let bytes = seal(frame.clone(), claimed);
            assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
            let error = Table::from_bytes(&bytes).unwrap_err();
            assert!(matches!(error, FileError::Content { .. }), "{error}");
        }
    }
    let grown = peak() - before;
    println!("{} KB more at most", grown / 1000);
    assert!(grown < 40_000_000, "{grown} bytes more");
}
