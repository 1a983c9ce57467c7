//! Tests of files with one changed bit and a valid checksum: the loader or `verify` must reject
//! them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::reader::Parser;
use crate::legal::illegal_positions;
use crate::verify::{Code, Verifier};
use crate::wins::{Men, swapped_index};
use crate::{
    Bitmap, Color, Ending, FileError, Options, Table, Verified, VerifyError, Wins, generate, verify,
};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

fn read(payload: &[u8]) -> Result<Table, FileError> {
    Parser::new(payload, payload.len() as u64).table()
}

/// The number of changes that the loader rejected, and the number that only `verify` rejected.
#[derive(Debug, Default)]
struct Refused {
    by_loader: u64,
    by_verify: u64,
}

/// The verifiers of a table's sections, by section number. Each is created on first use.
type Verifiers = BTreeMap<usize, Verifier>;

/// Changes bits of a table's payload, one at a time, and counts the rejections.
fn change_bits(table: &Table, bits: &[usize]) -> Refused {
    let mut payload = table.payload();
    assert!(read(&payload).unwrap() == *table);
    let mut verifiers = Verifiers::new();
    let mut refused = Refused::default();
    for &bit in bits {
        change_bit(table, &mut payload, bit, &mut verifiers, &mut refused);
    }
    refused
}

/// Changes one bit, reads and verifies the whole payload, and restores the bit.
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
            verify_changed(table, &changed, verifiers)
                .unwrap_or_else(|| panic!("{} bit {bit}", table.ending()));
            refused.by_verify += 1;
        }
    }
    payload[bit / 8] ^= 1 << (bit % 8);
}

/// The error that `verify` finds in a changed table. If only one position differs, only that
/// position is verified, because verifying a whole table takes long.
fn verify_changed(
    table: &Table,
    changed: &Table,
    verifiers: &mut Verifiers,
) -> Option<VerifyError> {
    assert_eq!(table.ending, changed.ending);
    let sections = table.sections().zip(changed.sections()).enumerate();
    let other: Vec<_> = sections.filter(|(_, (right, wrong))| right != wrong).collect();
    if let [(section, (right, wrong))] = other[..]
        && let [difference] = differences(right, wrong)[..]
        && let Some(found) = verify_position(table, section, right, difference, verifiers)
    {
        return found.err();
    }
    verify(changed, 0, None).err()
}

/// Verifies the one position whose value changed in one section. `None` if that position now has
/// two values, because a [`Verifier`] holds one value per position.
fn verify_position(
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
            let bare = Wins::none(&wins.ending.swapped(), Some(wins));
            alone.sides = [wins.clone(), bare];
            alone.ending = wins.ending.clone();
            alone.conversions.clear();
        }
        Verifier::new(&alone).unwrap()
    });
    let (turn, index) =
        if of_black { (1 - turn, swapped_index(&table.ending, index)) } else { (turn, index) };
    let before = std::mem::replace(&mut verifier.main.codes[turn][index], value);
    let found = (before == 0 || value == 0).then(|| verifier.part(index..index + 1));
    verifier.main.codes[turn][index] = before;
    found
}

/// The side to move, index and new value of every position whose value differs. Two placeholders if
/// the numbers of bitmaps differ.
fn differences(right: &Wins, wrong: &Wins) -> Vec<(usize, usize, Code)> {
    let mut all = Vec::new();
    let turns = [(&right.won, &wrong.won), (&right.lost, &wrong.lost)];
    for (turn, (right, wrong)) in turns.into_iter().enumerate() {
        if right.len() != wrong.len() {
            return vec![(0, 0, 0); 2];
        }
        for (depth, (right, wrong)) in
            (0_i8..).zip(right.iter().zip(wrong)).filter(|(_, (right, wrong))| right != wrong)
        {
            let missing = |from: &Bitmap, other: &Bitmap| -> Vec<usize> {
                from.positions().filter(|&index| !other.contains(index)).collect()
            };
            let removed = missing(right, wrong);
            all.extend(removed.into_iter().map(|index| (turn, index, 0)));
            let added = missing(wrong, right);
            all.extend(added.into_iter().map(|index| (turn, index, code(turn, depth))));
        }
    }
    all
}

/// The code for a win (`turn` 0) or a loss (`turn` 1) in `depth` moves.
fn code(turn: usize, depth: Code) -> Code {
    if turn == 0 { depth } else { -depth - 1 }
}

/// All bits of the first 40 bytes of a payload, which include names and counts, and every `step`-th
/// of the other bits.
fn some_bits(table: &Table, step: usize) -> Vec<usize> {
    let numbers = 8 * 40;
    let bits = 8 * table.payload().len();
    (0..numbers).chain((numbers..bits).step_by(step)).collect()
}

/// The number in `SETWISE_TEST_STEP`, or 1. The long tests make only every n-th change, where n is
/// this number.
fn step() -> usize {
    let step = std::env::var("SETWISE_TEST_STEP").ok();
    step.map_or(1, |step| step.parse().expect("a number"))
}

#[test]
fn one_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        let table = table(name);
        let refused = change_bits(&table, &some_bits(&table, 4999));
        println!("{name}: {refused:?}");
        assert!(refused.by_verify > 20, "{refused:?}");
    }
}

/// A bitmap in the payload of a three-man table, and the state of the loader when it reaches that
/// bitmap.
struct Stored<'a> {
    bytes: Range<usize>,
    turn: usize,
    depth: usize,
    bitmap: &'a Bitmap,
    taken: Vec<u64>,
}

impl Stored<'_> {
    /// Reads the bitmap as the loader does, but treats the position `also` as one that already has
    /// a value. Returns the bitmap and the offset at which reading ended.
    fn read(&self, payload: &[u8], also: Option<usize>) -> (Result<Bitmap, FileError>, usize) {
        let mut taken = self.taken.clone();
        if let Some(index) = also {
            taken[index / 64] |= 1 << (index % 64);
        }
        let mut parser = Parser::new(&payload[self.bytes.start..], payload.len() as u64);
        parser.at = self.bytes.start as u64;
        let bitmap = parser.bitmap(self.bitmap.directory().len(), &mut taken);
        (bitmap, parser.at as usize)
    }
}

/// The bitmaps of white's section, which is the first section.
fn stored(table: &Table) -> Vec<Stored<'_>> {
    let wins = table.wins(Color::White);
    let name = |ending: &Ending| 1 + ending.to_string().len();
    let mut at = name(table.ending()) + name(&wins.ending) + 8 + 8 + 2 + 2;
    let illegal = illegal_positions(Men::new(&wins.ending).unwrap());
    let mut all = Vec::new();
    let turns = [&wins.won, &wins.lost].into_iter().zip(illegal);
    for (turn, (depths, mut taken)) in turns.enumerate() {
        for (depth, bitmap) in depths.iter().enumerate() {
            let bytes = 8 * (bitmap.directory().len() + bitmap.stored_words().count());
            all.push(Stored { bytes: at..at + bytes, turn, depth, bitmap, taken: taken.clone() });
            at += bytes;
            for (number, word) in bitmap.numbered_words() {
                taken[number] |= word;
            }
        }
    }
    all
}

/// Changes each of the given bits, one at a time. To save time, reading starts at the bitmap with
/// the changed bit, because the change does not affect anything before it.
///
/// - If the loader rejects the bitmap, the test of this bit ends.
/// - If the loader accepts the bitmap and its length is unchanged, one position differs. If a later
///   bitmap also has this position, the loader must reject that bitmap. Otherwise the test verifies
///   only this position.
/// - In all other cases the test reads and verifies the whole payload.
///
/// Every 101st bit is also tested without these shortcuts.
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
            let found = verify_position(table, 0, wins, difference, &mut verifiers)?;
            assert!(found.is_err(), "{} bit {bit}", table.ending());
            Some(false)
        });
        payload[bit / 8] ^= 1 << (bit % 8);
        let before = refused.by_loader;
        match by_loader {
            Some(true) => refused.by_loader += 1,
            Some(false) => refused.by_verify += 1,
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

/// The only position in which a changed bitmap differs, in the same form as in [`differences`].
fn difference(right: &Stored, wrong: &Bitmap) -> (usize, usize, Code) {
    assert_eq!(right.bitmap.directory(), wrong.directory());
    let both = right.bitmap.numbered_words().zip(wrong.stored_words());
    let other: Vec<_> = both.filter(|&((_, right), wrong)| right != wrong).collect();
    let [((number, before), after)] = other[..] else {
        panic!("{} words differ", other.len());
    };
    let index = 64 * number + (before ^ after).trailing_zeros() as usize;
    let value = code(right.turn, right.depth as Code);
    (right.turn, index, if after > before { value } else { 0 })
}

#[test]
#[ignore = "minutes: all bits"]
fn every_bit_of_three_men() {
    for name in ["KQK", "KRK"] {
        let table = table(name);
        let bits = some_bits(&table, step());
        let refused = change_every_bit(&table, &bits);
        println!("{name}: {} bits, {refused:?}", bits.len());
        assert_eq!(refused.by_loader + refused.by_verify, bits.len() as u64);
    }
}

/// Changes random bits of the KQKR table.
fn change_random_bits(count: usize, seed: u64) {
    let table = table("KQKR");
    let size = 8 * table.payload().len();
    let mut random = fastrand::Rng::with_seed(seed);
    let bits: Vec<usize> = (0..count).map(|_| random.usize(..size)).collect();
    println!("KQKR: {count} bits, {:?}", change_bits(&table, &bits));
}

#[test]
fn one_bit_of_four_men() {
    change_random_bits(12, 1);
}

#[test]
#[ignore = "minutes: 10,000 bits"]
fn ten_thousand_bits_of_four_men() {
    change_random_bits(10_000 / step(), 2);
}
