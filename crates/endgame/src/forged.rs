//! Files with one bit changed and a good checksum: the loader refuses them, or the check of every position does.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Parser;
use crate::legal::{Illegal, mirrored};
use crate::verify::{Code, Verifier};
use crate::wins::Men;
use crate::{
    Bitmap, Color, Ending, FileError, Options, Table, Verified, VerifyError, Wins, generate, verify,
};

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

/// The verifiers of a table's sections, made when first asked.
type Verifiers = BTreeMap<usize, Verifier>;

/// Changes bits of a table's payload, one at a time.
fn change_bits(table: &Table, bits: impl Fn(usize) -> Vec<usize>) -> Refused {
    let mut payload = table.payload();
    assert!(read(&payload).unwrap() == *table);
    let mut verifiers = Verifiers::new();
    let mut refused = Refused::default();
    for bit in bits(8 * payload.len()) {
        change_bit(table, &mut payload, bit, &mut verifiers, &mut refused);
    }
    refused
}

/// Reads all of the payload with one bit changed, and checks what it says.
fn change_bit(
    table: &Table,
    payload: &mut [u8],
    bit: usize,
    verifiers: &mut Verifiers,
    refused: &mut Refused,
) {
    payload[bit / 8] ^= 1 << (bit % 8);
    match read(payload) {
        Err(_) => refused.by_loader += 1,
        Ok(changed) => {
            is_refused(table, &changed, verifiers)
                .unwrap_or_else(|| panic!("{} bit {bit}", table.ending()));
            refused.by_check += 1;
        }
    }
    payload[bit / 8] ^= 1 << (bit % 8);
}

/// What `verify` finds in a changed table. If one position has another value, it is looked for there alone, in the
/// same way: all of a table takes long.
fn is_refused(table: &Table, changed: &Table, verifiers: &mut Verifiers) -> Option<VerifyError> {
    assert_eq!(table.ending, changed.ending);
    let sections = table.sections().zip(changed.sections()).enumerate();
    let other: Vec<_> = sections
        .filter(|(_, (right, wrong))| right != wrong)
        .collect();
    if let [(section, (right, wrong))] = other[..]
        && let [difference] = differences(right, wrong)[..]
        && let Some(found) = check(table, section, right, difference, verifiers)
    {
        return found.err();
    }
    verify(changed, 0, None).err()
}

/// What the check of a position finds if a section gives that position another value; `None` if it had a value already:
/// the new one is a second.
fn check(
    table: &Table,
    section: usize,
    wins: &Wins,
    (turn, index, value): (usize, usize, Code),
    verifiers: &mut Verifiers,
) -> Option<Result<Verified, VerifyError>> {
    let of_black = section == 1 && wins.ending == table.ending.swapped();
    let verifier = verifiers.entry(section).or_insert_with(|| {
        let mut alone = table.clone();
        if section > 0 && !of_black {
            let nothing = Wins::none(&wins.ending.swapped(), Some(wins));
            alone.sides = [wins.clone(), nothing];
            alone.ending = wins.ending.clone();
            alone.conversions.clear();
        }
        Verifier::new(&alone).unwrap()
    });
    let (turn, index) = if of_black {
        (1 - turn, mirrored(index))
    } else {
        (turn, index)
    };
    let before = std::mem::replace(&mut verifier.main.values[turn][index], value);
    let found = (before == 0 || value == 0).then(|| verifier.part(index..index + 1));
    verifier.main.values[turn][index] = before;
    found
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
            let value = value(turn, depth);
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

/// A win or a loss in so many moves.
fn value(turn: usize, depth: Code) -> Code {
    if turn == 0 { depth } else { -depth - 1 }
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

/// A bitmap of a table of three men in its payload, and what the loader knows when it comes to it.
struct Stored<'a> {
    bytes: Range<usize>,
    turn: usize,
    depth: usize,
    bitmap: &'a Bitmap,
    taken: Vec<u64>,
}

impl Stored<'_> {
    /// Reads it as the loader does, with some positions taken besides. How far it got, too.
    fn read(&self, payload: &[u8], also: Option<usize>) -> (Result<Bitmap, FileError>, usize) {
        let mut taken = self.taken.clone();
        if let Some(index) = also {
            taken[index / 64] |= 1 << (index % 64);
        }
        let mut parser = Parser {
            payload: &payload[self.bytes.start..],
            at: self.bytes.start as u64,
            size: payload.len() as u64,
        };
        let bitmap = parser.bitmap(self.bitmap.directory().len(), &mut taken);
        (bitmap, parser.at as usize)
    }
}

/// The bitmaps of white's section, the first one.
fn stored(table: &Table) -> Vec<Stored<'_>> {
    let wins = table.wins(Color::White);
    let name = |ending: &Ending| 1 + ending.to_string().len();
    let mut at = name(table.ending()) + name(&wins.ending) + 8 + 8 + 2 + 2;
    let illegal = Illegal::new(&wins.ending, Men::new(&wins.ending).unwrap());
    let mut all = Vec::new();
    for (turn, (depths, mut taken)) in [&wins.won, &wins.lost]
        .into_iter()
        .zip(illegal.positions)
        .enumerate()
    {
        for (depth, bitmap) in depths.iter().enumerate() {
            let bytes = 8 * (bitmap.directory().len() + bitmap.stored_words().count());
            all.push(Stored {
                bytes: at..at + bytes,
                turn,
                depth,
                bitmap,
                taken: taken.clone(),
            });
            at += bytes;
            for (number, word) in bitmap.numbered_words() {
                taken[number] |= word;
            }
        }
    }
    all
}

/// Every bit. If one of a bitmap is changed, the loader comes to this bitmap as it would without the change; it is asked
/// from there. If it takes the bitmap, and the bitmap is as long as before, the rest is as before but for one position:
/// the loader is asked again where this position comes a second time, or else it is checked. In all other cases, and for
/// every 101st bit, all is read and what differs is checked, and it must be refused as early.
fn change_every_bit(table: &Table, bits: &[usize]) -> Refused {
    let mut payload = table.payload();
    assert!(read(&payload).unwrap() == *table);
    let stored = stored(table);
    for one in &stored {
        let (bitmap, end) = one.read(&payload, None);
        assert!(bitmap.unwrap() == *one.bitmap && end == one.bytes.end);
    }
    let mut verifiers = Verifiers::new();
    let mut refused = Refused::default();
    for (number, &bit) in bits.iter().enumerate() {
        let within = stored.iter().find(|one| one.bytes.contains(&(bit / 8)));
        payload[bit / 8] ^= 1 << (bit % 8);
        let by_loader = within.and_then(|one| {
            let (Ok(bitmap), end) = one.read(&payload, None) else {
                return Some(true);
            };
            if end != one.bytes.end {
                return None;
            }
            let difference = difference(one, &bitmap);
            let (turn, index, _) = difference;
            let again = stored.iter().find(|later| {
                later.turn == turn && later.depth > one.depth && later.bitmap.contains(index)
            });
            if let Some(later) = again {
                assert!(later.read(&payload, Some(index)).0.is_err(), "bit {bit}");
                return Some(true);
            }
            let wins = table.wins(Color::White);
            let found = check(table, 0, wins, difference, &mut verifiers)?;
            assert!(found.is_err(), "{} bit {bit}", table.ending());
            Some(false)
        });
        payload[bit / 8] ^= 1 << (bit % 8);
        let before = refused.by_loader;
        match by_loader {
            Some(true) => refused.by_loader += 1,
            Some(false) => refused.by_check += 1,
            None => change_bit(table, &mut payload, bit, &mut verifiers, &mut refused),
        }
        if number % 101 == 0 {
            let mut all = Refused::default();
            change_bit(table, &mut payload, bit, &mut verifiers, &mut all);
            assert!(all.by_loader >= refused.by_loader - before, "bit {bit}");
        }
    }
    refused
}

/// The position in which a bitmap with one changed word differs, as of [`differences`].
fn difference(right: &Stored, wrong: &Bitmap) -> (usize, usize, Code) {
    assert_eq!(right.bitmap.directory(), wrong.directory());
    let both = right.bitmap.numbered_words().zip(wrong.stored_words());
    let other: Vec<_> = both.filter(|&((_, right), wrong)| right != wrong).collect();
    let [((number, before), after)] = other[..] else {
        panic!("{} words differ", other.len());
    };
    let index = 64 * number + (before ^ after).trailing_zeros() as usize;
    let value = value(right.turn, right.depth as Code);
    (right.turn, index, if after > before { value } else { 0 })
}

#[test]
#[ignore = "minutes: all bits"]
fn every_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        let table = table(name);
        let bits: Vec<usize> = some(step())(8 * table.payload().len());
        let refused = change_every_bit(&table, &bits);
        println!("{name}: {} bits, {refused:?}", bits.len());
        assert_eq!(refused.by_loader + refused.by_check, bits.len() as u64);
    }
}

#[test]
fn one_bit_of_four_men() {
    let mut random = fastrand::Rng::with_seed(1);
    let bits: Vec<usize> = (0..12).map(|_| random.usize(..8 * 48_000_000)).collect();
    println!("{:?}", change_bits(&table("KQKR"), |_| bits.clone()));
}

#[test]
#[ignore = "minutes: 10,000 bits"]
fn ten_thousand_bits_of_four_men() {
    let table = table("KQKR");
    let bits = 8 * table.payload().len();
    let mut random = fastrand::Rng::with_seed(2);
    let bits: Vec<usize> = (0..10_000 / step()).map(|_| random.usize(..bits)).collect();
    let refused = change_bits(&table, |_| bits.clone());
    println!("KQKR: {} bits, {refused:?}", bits.len());
}
