//! Files with one bit changed and a good checksum: the loader refuses them, or the check of every position does.

use super::Parser;
use crate::verify::{Code, Verifier};
use crate::{Bitmap, FileError, Options, Table, VerifyError, Wins, generate, verify};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

fn read(payload: &[u8]) -> Result<Table, FileError> {
    Parser {
        payload,
        at: 0,
        size: payload.len() as u64,
    }
    .table()
}

/// How many changes the loader refused, and how many only the check of positions.
#[derive(Debug, Default)]
struct Refused {
    by_loader: u64,
    by_check: u64,
}

/// Changes bits of a table's payload, one at a time.
fn change_bits(table: &Table, bits: impl Fn(usize) -> Vec<usize>) -> Refused {
    let mut payload = table.payload();
    assert!(read(&payload).unwrap() == *table);
    let mut verifiers: Vec<(Wins, Verifier)> = Vec::new();
    let mut refused = Refused::default();
    for bit in bits(8 * payload.len()) {
        payload[bit / 8] ^= 1 << (bit % 8);
        match read(&payload) {
            Err(_) => refused.by_loader += 1,
            Ok(changed) => {
                is_refused(table, &changed, &mut verifiers)
                    .unwrap_or_else(|| panic!("{} bit {bit}", table.ending()));
                refused.by_check += 1;
            }
        }
        payload[bit / 8] ^= 1 << (bit % 8);
    }
    refused
}

/// What `verify` finds in a changed table. If one position has another value, it is looked for there first, in the
/// same way: all of a table takes long.
fn is_refused(
    table: &Table,
    changed: &Table,
    verifiers: &mut Vec<(Wins, Verifier)>,
) -> Option<VerifyError> {
    assert_eq!(table.ending, changed.ending);
    let sections = |table: &Table| {
        let [white, _] = &table.sides;
        [white]
            .into_iter()
            .chain(&table.conversions)
            .cloned()
            .collect::<Vec<_>>()
    };
    if changed.sides[1] == table.sides[1] {
        for (right, wrong) in sections(table).iter().zip(&sections(changed)) {
            if right == wrong {
                continue;
            }
            let alone = || {
                let mut alone = table.clone();
                if right.ending != table.ending {
                    let nothing = Wins::none(&right.ending.swapped(), Some(right));
                    alone.sides = [right.clone(), nothing];
                    alone.ending = right.ending.clone();
                    alone.conversions.clear();
                }
                Verifier::new(&alone).unwrap()
            };
            if verifiers
                .iter()
                .all(|(known, _)| known.ending != right.ending)
            {
                verifiers.push((right.clone(), alone()));
            }
            let (_, verifier) = verifiers
                .iter_mut()
                .find(|(known, _)| known.ending == right.ending)?;
            if let [(turn, index, value)] = differences(right, wrong)[..] {
                let before = std::mem::replace(&mut verifier.main.values[turn][index], value);
                let found = verifier.part(index..index + 1);
                verifier.main.values[turn][index] = before;
                return found.err();
            }
        }
    }
    verify(changed, 0, None).err()
}

/// Side to move, index and new value of positions whose value is another one.
fn differences(right: &Wins, wrong: &Wins) -> Vec<(usize, usize, Code)> {
    let mut all = Vec::new();
    let turns = [(&right.won, &wrong.won), (&right.lost, &wrong.lost)];
    for (turn, (right, wrong)) in turns.into_iter().enumerate() {
        if right.len() != wrong.len() {
            return vec![(0, 0, 0); 2];
        }
        for (depth, (right, wrong)) in (0_i8..)
            .zip(right.iter().zip(wrong))
            .filter(|(_, (right, wrong))| right != wrong)
        {
            let missing = |from: &Bitmap, there: &Bitmap| {
                let words: std::collections::HashMap<usize, u64> = there.numbered_words().collect();
                let word = |number| words.get(&number).copied().unwrap_or(0);
                let missing = from
                    .numbered_words()
                    .map(|(number, bits)| (number, bits & !word(number)));
                let missing = missing.flat_map(|(number, bits)| {
                    crate::bitmap::bits(bits).map(move |king| 64 * number + king)
                });
                missing.collect::<Vec<usize>>()
            };
            let value = if turn == 0 { depth } else { -depth - 1 };
            all.extend(
                missing(right, wrong)
                    .into_iter()
                    .map(|index| (turn, index, 0)),
            );
            all.extend(
                missing(wrong, right)
                    .into_iter()
                    .map(|index| (turn, index, value)),
            );
        }
    }
    all
}

/// All bits of the numbers in front, and every so manieth behind.
fn some(step: usize) -> impl Fn(usize) -> Vec<usize> {
    move |bits| (0..8 * 40).chain((8 * 40..bits).step_by(step)).collect()
}

/// Of the long tests, every so manieth change only.
fn step() -> usize {
    let step = std::env::var("SETWISE_TEST_STEP").ok();
    step.map_or(1, |step| step.parse().expect("a number"))
}

#[test]
fn one_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        let refused = change_bits(&table(name), some(4999));
        println!("{name}: {refused:?}");
        assert!(refused.by_check > 20, "{refused:?}");
    }
}

#[test]
#[ignore = "an hour: all bits"]
fn every_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        let refused = change_bits(&table(name), some(step()));
        println!("{name}: {refused:?}");
    }
}

#[test]
fn one_bit_of_four_men() {
    let mut random = fastrand::Rng::with_seed(1);
    let bits: Vec<usize> = (0..12).map(|_| random.usize(..8 * 48_000_000)).collect();
    println!("{:?}", change_bits(&table("KQKR"), |_| bits.clone()));
}

#[test]
#[ignore = "an hour: 10,000 bits"]
fn ten_thousand_bits_of_four_men() {
    let table = table("KQKR");
    let bits = 8 * table.payload().len();
    let mut random = fastrand::Rng::with_seed(2);
    let bits: Vec<usize> = (0..10_000 / step()).map(|_| random.usize(..bits)).collect();
    println!("{:?}", change_bits(&table, |_| bits.clone()));
}
