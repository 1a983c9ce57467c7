//! Checks that blocks contain whole lines, with any kind of line end and for reads of any size.

use std::io::{self, Read};

use crate::common::{Drops, read_batch};
use fastrand::Rng;
use setwise_positions::{Block, Blocks, Detected, Format, Lines, MAX_LINE};

/// A line's number and its bytes. The bytes are `None` if the line is too long.
type Line = (u64, Option<Vec<u8>>);

/// Reads all blocks. Returns their number, and all lines.
fn read(mut blocks: Blocks<'_>) -> (usize, Vec<Line>) {
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
            text += ["a", "bcd", "efghijkl", "\n", "\r", "\r\n"][random.usize(..6)];
        }
        let plain = text.replace("\r\n", "\n").replace('\r', "\n");
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

/// Positions of plain training data stay whole, whatever ends their lines.
#[test]
fn plain_positions_stay_whole() {
    let lines = ["fen 8/8/8/8/8/8/8/8 b - -", "move e2e4", "score 7", "result 1", "e"];
    for end in ["\n", "\r\n", "\r", " \n", "\t\r\n", "\0\n", "\0\r", "\n\n"] {
        let count = 5000;
        let text = lines.map(|line| format!("{line}{end}")).concat().repeat(count);
        assert!(text.len() > 256 * 1024);
        let step = if end == "\n\n" { 10 } else { 5 };
        let drops = || Blocks::of(Format::Plain, Drops::new(text.as_bytes(), 50_000, 1));
        for blocks in [drops(), drops().filled(), drops().single()] {
            let (batch, error) = read_batch(Format::Plain, blocks);
            assert_eq!((batch.errors(), error), (&[][..], None), "{end:?}");
            let numbers: Vec<u64> = (0..count as u64).map(|n| step * n + 1).collect();
            assert!(batch.lines() == numbers, "{end:?}");
            assert_eq!((batch.scores(), batch.results()), (&*vec![-7; count], &*vec![0; count]));
        }
    }
}

/// A line that is too long spoils only its own position.
#[test]
fn a_long_line_in_plain_data() {
    let good = "fen 8/8/8/8/8/8/8/8 w - -\nscore 7\nresult 1\ne\n";
    let long = format!("move {}\n", "x".repeat(3 * MAX_LINE));
    let text = [good, &good.replacen("score", &(long + "score"), 1), good].concat();
    let blocks = Blocks::of(Format::Plain, text.as_bytes()).filled();
    let batch = read_batch(Format::Plain, blocks).0;
    assert_eq!(batch.lines(), [1, 10]);
    assert_eq!(batch.scores(), [7, 7]);
}

/// A stream that delivers the bytes, then fails.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("the disk is on fire"));
        }
        self.0.read(buffer)
    }
}

/// If the stream fails, the complete lines or records before the failure are returned first, then
/// the error.
#[test]
fn a_failure_follows_the_whole_lines_or_records_before_it() {
    let text = "8/8/8/8/8/8/8/8 w - -\n".repeat(10_000) + "8/8/8/8/8/8/8/8 w";
    // One white rook on a1.
    let mut record = [0; 32];
    (record[0], record[8], record[24]) = (1, 3, 64);
    let records = [&record.repeat(10_000), &record[..20]].concat();
    for (bytes, format, whole) in
        [(text.as_bytes(), Format::Text, 220_000), (&records, Format::Marlin, 320_000)]
    {
        for start in [bytes, &bytes[bytes.len() - 1044..]] {
            let rest = bytes.len() - whole;
            let mut failing = Failing(start);
            let (detected, first) = Format::detect_file(&mut failing, "".as_ref()).unwrap();
            assert_eq!(detected, Detected::One(format));
            let stream = || first.chain(Failing(failing.0));
            let blocks = |stream| Blocks::of(format, stream);
            for mut blocks in
                [blocks(stream()), blocks(stream()).filled(), blocks(stream()).single()]
            {
                let (mut block, mut found) = (Block::default(), Vec::new());
                let error = loop {
                    match blocks.next(&mut block) {
                        Ok(true) => found.extend_from_slice(&block.bytes),
                        Ok(false) => panic!("the failure is lost"),
                        Err(error) => break error,
                    }
                };
                assert_eq!(error.to_string(), "the disk is on fire");
                assert!(found == start[..start.len() - rest], "{format}");
            }
        }
    }
    assert!(Format::detect_file(&mut Failing(b""), "".as_ref()).is_err());
    assert!(Format::detect_file(&mut Failing(&[0; 100]), "".as_ref()).is_err());
}
