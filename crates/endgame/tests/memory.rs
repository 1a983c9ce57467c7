//! Tests that loading a small file which decompresses to a large one takes little memory. The test
//! has its own process, because it measures that process's peak memory.
#![cfg(target_os = "linux")]

use std::io::Write;

use setwise_endgame::{Options, Table, generate};

/// The peak memory of this process, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find(|line| line.starts_with("VmHWM:")).unwrap();
    1024 * line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
}

/// A file with a valid checksum. Its header gives the size of the payload as `claimed` bytes.
fn seal(frame: &[u8], claimed: u64) -> Vec<u8> {
    let mut bytes = b"SWENDGM\0\x01\0\0\0".to_vec();
    bytes.extend(claimed.to_le_bytes());
    bytes.extend((frame.len() as u64).to_le_bytes());
    bytes.extend(frame);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[test]
fn forged_files_take_little_memory() {
    // Two KBNK payloads that announce 40 bitmaps of won and 40 of lost positions. All bitmaps are
    // full in one payload, and empty in the other.
    let [full, empty] = [u64::MAX, 0].map(|entry| {
        let mut payload = Vec::new();
        payload.extend(b"\x04KBNK\x04KBNK");
        payload.extend(10_875_504_u64.to_le_bytes());
        payload.extend(13_660_584_u64.to_le_bytes());
        payload.extend([40, 0, 40, 0]);
        let block = entry.to_le_bytes().repeat(4096);
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.write_all(&payload).unwrap();
        for _ in 0..6400 {
            encoder.write_all(&block).unwrap();
        }
        encoder.finish().unwrap()
    });
    let before = peak();
    for frame in [full, empty, zstd::bulk::compress(&[0; 1000], 1).unwrap()] {
        for claimed in [0, 3, 1 << 26, 200_000_000, 1 << 30, 1 << 40, u64::MAX] {
            let bytes = seal(&frame, claimed);
            assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
            let error = Table::from_bytes(&bytes).unwrap_err().to_string();
            assert!(error.starts_with("invalid table: "), "{error}");
        }
    }
    let grown = peak() - before;
    println!("peak grew by {} KB", grown / 1000);
    assert!(grown < 40_000_000, "{grown} bytes more");

    let bytes = generate(&"KQK".parse().unwrap(), &Options::default()).to_bytes();
    let size = u64::from_le_bytes(bytes[12..20].try_into().unwrap());
    let frame = &bytes[28..bytes.len() - 4];
    assert!(Table::from_bytes(&seal(frame, size)).is_ok());
    let error = Table::from_bytes(&seal(&[frame, b"x"].concat(), size)).unwrap_err().to_string();
    assert!(error.contains("data follows the compressed payload"), "{error}");
}
