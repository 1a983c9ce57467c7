//! Checks that blocks contain whole lines, with any kind of line end and for reads of any size.

mod common;

use std::io::Read;

use common::Drops;
use fastrand::Rng;
use setwise_positions::{Block, Blocks, Lines, MAX_LINE};

/// A line's number and its bytes. The bytes are `None` if the line is too long.
type Line = (u64, Option<Vec<u8>>);

/// Reads all blocks. Returns their number, and all lines.
fn read(mut blocks: Blocks<impl Read>) -> (usize, Vec<Line>) {
    let (mut block, mut found, mut count) = (Block::default(), Vec::new(), 0);
    while blocks.next(&mut block).unwrap() {
        assert!(!block.bytes.is_empty());
        count += 1;
        let lines = Lines::new(&block.bytes).map(|line| line.map(<[u8]>::to_vec));
        found.extend((block.first_line..).zip(lines));
    }
    (count, found)
}

#[test]
fn lines_stay_whole() {
    let mut random = Rng::with_seed(1);
    for seed in 0..3000 {
        let mut text = String::new();
        for _ in 0..random.usize(..30) {
            text += ["a", "bcd", "efghijkl", "\n", "\r", "\r\n", "\u{feff}"][random.usize(..7)];
        }
        let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let plain = plain.replace("\r\n", "\n").replace('\r', "\n");
        let lines = plain.split_terminator('\n').map(|line| Some(line.as_bytes().to_vec()));
        let right: Vec<Line> = (1..).zip(lines).collect();
        let drops = || Blocks::new(Drops::new(text.as_bytes(), 8, seed));
        assert_eq!(read(drops()).1, right, "{text:?}");
        let (count, found) = read(drops().filled());
        // A last line without an end gets its own block.
        assert!(count <= 2 && found == right, "{text:?}");
        assert_eq!(read(drops().single()), (right.len(), right), "{text:?}");
    }
}

#[test]
fn long_lines_are_skipped() {
    for length in [MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 2 * MAX_LINE, 5 * MAX_LINE] {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("ab{end}{}{end}cd{end}", "x".repeat(length));
            let long = (length <= MAX_LINE).then(|| vec![b'x'; length]);
            let right = [(1, Some(b"ab".to_vec())), (2, long), (3, Some(b"cd".to_vec()))];
            let blocks = || Blocks::new(text.as_bytes());
            assert_eq!(read(blocks()).1, right, "{length} {end:?}");
            assert_eq!(read(blocks().single()).1, right, "{length} {end:?}");
            let drops = Drops::new(text.as_bytes(), 8, 7);
            assert_eq!(read(Blocks::new(drops)).1, right, "{length} {end:?}");
            let cut = &text[..text.len() - 2 - 2 * end.len()];
            assert_eq!(read(Blocks::new(cut.as_bytes())).1, right[..2], "{length}");
        }
    }
}
