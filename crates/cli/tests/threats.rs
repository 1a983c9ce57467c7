//! Tests `setwise attacks --record threats`.

use crate::common;

use std::fs;
use std::io::Read;

use common::{ROOK, START, attacks, json_lines, stdout};
use predicates::str::contains;

fn threats(arguments: &[&str], input: &str) -> Vec<Vec<String>> {
    let arguments = [&["--record=threats"], arguments].concat();
    let found = json_lines(&stdout(&attacks(&arguments, input).code(0)));
    found.iter().map(|line| serde_json::from_value(line["threats"].clone()).unwrap()).collect()
}

#[test]
fn all_threats_of_a_position() {
    let text = stdout(&attacks(&["--record=threats"], ROOK).code(0));
    let expected =
        r#"{"line":1,"fen":"8/8/8/8/p7/8/8/R1k5 w - -","threats":["Ra1 pa4","Ra1 kc1"]}"#;
    assert_eq!(text.trim_end(), expected);
    // A knight defends one piece, a bishop and a rook two, queen and king five.
    let start = &threats(&[], START)[0];
    assert!(start.contains(&"Ke1 Qd1".into()) && start.contains(&"ng8 pe7".into()));
    assert_eq!(start.len(), 2 * (2 * 2 + 2 + 2 * 2 + 5 + 5));
}

/// The arrays of an archive: the header's dictionary and the data of each.
fn npz(bytes: &[u8]) -> Vec<(String, String, Vec<u8>)> {
    let archive = rawzip::ZipArchive::from_slice(bytes).unwrap();
    let (mut entries, mut arrays) = (archive.entries(), Vec::new());
    while let Some(entry) = entries.next_entry().unwrap() {
        let name = entry.file_path().try_normalize().unwrap().as_ref().to_owned();
        let member = archive.get_entry(entry.wayfinder()).unwrap();
        let mut array = Vec::new();
        member.verifying_reader(member.data()).read_to_end(&mut array).unwrap();
        let length = 10 + usize::from(u16::from_le_bytes([array[8], array[9]]));
        assert_eq!(length % 64, 0);
        let header = String::from_utf8(array[10..length].to_vec()).unwrap();
        arrays.push((name, header.trim_end().to_owned(), array.split_off(length)));
    }
    arrays
}

/// An archive has the threats of the JSON lines, whatever the number of blocks and threads.
#[test]
fn an_archive_of_arrays() {
    let games = [START, ROOK, "8/8/8/8/8/8/8/K1k5 b - -"].join("\n") + "\n";
    let input = games.repeat(3_000);
    let lists = threats(&[], &input);
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("threats.npz");
    attacks(&["--record=threats", "--threads=2", "-o", path.to_str().unwrap()], &*input).code(0);
    let arrays = npz(&fs::read(&path).unwrap());
    let names: Vec<&str> = arrays.iter().map(|(name, ..)| &**name).collect();
    assert_eq!(names, ["line.npy", "offsets.npy", "threats.npy"]);
    let total: usize = lists.iter().map(Vec::len).sum();
    for ((_, header, _), (kind, shape)) in arrays.iter().zip([
        ("<u8", "(9000,)".into()),
        ("<u8", "(9001,)".into()),
        ("|u1", format!("({total}, 4)")),
    ]) {
        let right = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        assert_eq!(*header, right);
    }
    let words = |bytes: &[u8]| -> Vec<usize> {
        let (words, []) = bytes.as_chunks() else { panic!("{} bytes", bytes.len()) };
        words.iter().map(|word| u64::from_le_bytes(*word) as usize).collect()
    };
    assert!(words(&arrays[0].2).into_iter().eq(1..=9000));
    let offsets = words(&arrays[1].2);
    let (rows, []) = arrays[2].2.as_chunks::<4>() else { panic!("rows have four numbers") };
    assert_eq!((offsets[0], *offsets.last().unwrap(), rows.len()), (0, total, total));
    let square = |number: u8| format!("{}{}", char::from(b'a' + number % 8), 1 + number / 8);
    let piece = |code: u8| char::from(b".PNBRQKpnbrqk"[usize::from(code)]);
    for (list, ends) in lists.iter().zip(offsets.windows(2)) {
        let rows = rows[ends[0]..ends[1]].iter();
        let rows = rows.map(|&[attacker, from, victim, to]| {
            format!("{}{} {}{}", piece(attacker), square(from), piece(victim), square(to))
        });
        assert!(rows.eq(list.iter().cloned()), "{list:?}");
    }
}

#[test]
fn pairs_by_name_or_file() {
    let every = &threats(&["--pairs=every"], START)[0];
    let some = &threats(&["--pairs=59808"], START)[0];
    let counts = |threat: &&String| {
        let victims = match threat.as_bytes()[0].to_ascii_uppercase() {
            b'P' => "NR",
            b'N' | b'Q' => "PNBRQ",
            b'B' | b'R' => "PNBR",
            _ => "",
        };
        victims.contains(threat.as_bytes()[4].to_ascii_uppercase() as char)
    };
    assert!(some.iter().eq(every.iter().filter(counts)) && some.len() < every.len());

    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("pairs");
    // White's rook, black's king.
    let lines: Vec<String> = (0..12)
        .map(|attacker| if attacker == 3 { "000000000001".into() } else { "0".repeat(12) })
        .collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let pairs = format!("--pairs={}", path.display());
    assert_eq!(threats(&[&pairs], ROOK), [["Ra1 kc1"]]);
    fs::write(&path, "0101").unwrap();
    let refused = contains("expected 12 lines of 12 digits, 0 or 1");
    attacks(&["--record=threats", &pairs], ROOK).code(2).stderr(refused);
}
