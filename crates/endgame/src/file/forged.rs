//! Tests of invalid payloads, as in a file with a valid checksum.

use std::io::{self, ErrorKind};

use rayon::prelude::*;

use super::reader::Parser;
use crate::{Options, Report, Table, generate, verify};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

fn read(payload: &[u8]) -> io::Result<Table> {
    Parser::new(payload, payload.len() as u64).table()
}

/// Changes bits of a table's payload, one at a time. The loader must reject the change, or return
/// another table.
///
/// `verify` accepts the table, so it has the right value for every position, and the loader accepts
/// values of legal positions only. So `verify` rejects every other table: the position with the
/// least of the wrong values contradicts its moves. Every `nth` of the tables that load is verified
/// nevertheless, and a report is made of it.
fn change_bits(name: &str, bits: impl Fn(usize) -> Vec<usize>, nth: usize) {
    let table = table(name);
    verify(&table, 0, None).unwrap();
    let payload = table.payload();
    assert!(read(&payload).unwrap() == table);
    let bits = bits(8 * payload.len());
    let change = |payload: &mut Vec<u8>, (number, &bit): (usize, &usize)| {
        payload[bit / 8] ^= 1 << (bit % 8);
        let loaded = read(payload);
        payload[bit / 8] ^= 1 << (bit % 8);
        let Ok(changed) = loaded else { return false };
        assert!(changed != table, "{name} bit {bit}");
        if number % nth == 0 {
            assert!(verify(&changed, 1, None).is_err(), "{name} bit {bit}");
            // A wrong table can be used without a panic.
            let _ = Report::new(&changed, 1.0, 0);
        }
        true
    };
    let loaded = bits.par_iter().enumerate().map_init(|| payload.clone(), change);
    let loaded = loaded.filter(|&loaded| loaded).count();
    println!("{name}: {} bits, {loaded} tables load", bits.len());
    assert!(loaded > bits.len() / 100, "{name}: {loaded}");
}

/// All bits of the first 40 bytes of a payload, which include names and counts, and every `step`-th
/// of the other bits.
fn every(step: usize) -> impl Fn(usize) -> Vec<usize> {
    move |bits| (0..320).chain((320..bits).step_by(step)).collect()
}

/// The number in `SETWISE_TEST_STEP`, or 1. The long tests make only every n-th change, where n is
/// this number.
fn step() -> usize {
    let step = std::env::var("SETWISE_TEST_STEP").ok();
    step.map_or(1, |step| step.parse().expect("a number"))
}

#[test]
fn bad_contents_are_found() {
    let payload = table("KRK").payload();
    for length in (0..payload.len()).filter(|length| *length < 200 || length % 9973 == 0) {
        let error = read(&payload[..length]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{length}: {error}");
        assert!(error.to_string().starts_with("invalid table: "), "{length}: {error}");
    }
    let longer = [&*payload, &[0]].concat();
    for (payload, expected) in [
        (&*longer, "follows"),
        (b"\x03KPK", "pawn"),
        (b"\x03KQK\x03KRK", "must be of KQK, not of KRK"),
    ] {
        let error = read(payload).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn one_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        change_bits(name, every(4999), 97);
    }
}

#[test]
#[ignore = "minutes: all bits"]
fn every_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        change_bits(name, every(step()), 9973);
    }
}

#[test]
#[ignore = "minutes: 10,000 bits"]
fn ten_thousand_bits_of_four_men() {
    let random = |bits| {
        let mut random = fastrand::Rng::with_seed(2);
        (0..10_000 / step()).map(|_| random.usize(..bits)).collect()
    };
    change_bits("KQKR", random, 997);
}
