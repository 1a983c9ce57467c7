//! Reads a stream of arbitrary bytes in one of two ways. The result must not depend on how the
//! stream is split.
//!
//! - As text: parses FEN and EPD. A written position must parse to the same position. `cozy-chess`
//!   must agree on every position that it reads and writes back unchanged.
//! - As any stream: decompresses the stream, detects its format, and reads its lines, records or
//!   games.
//!
//! The input is one byte, then the stream. The bits of the byte:
//!
//! - 7: 0 for text, 1 for any stream
//! - 0-1: how blocks are read
//! - 2-4 (2-6 for text): the size of reads
//! - 5-6 (not for text): 0 for the detected format, else for the one that the next byte numbers
#![no_main]

use std::io::{self, Cursor, Read};

use cozy_chess::{Board, Color, Piece as Man};
use libfuzzer_sys::{Corpus, fuzz_target};
use setwise::position::Position;
use setwise_positions::{
    Batch, Block, Blocks, Detected, Fen, Format, Lines, Piece, Placement, Side, decompress,
    play_moves,
};

/// The maximum number of bytes that are read from a decompressed stream.
const LONGEST: u64 = 1 << 18;

/// A reader that returns at most a given number of bytes per call.
struct InPieces<R>(R, usize);

impl<R: Read> Read for InPieces<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let [how, text @ ..] = data else {
        return Corpus::Reject;
    };
    if how >> 7 == 1 {
        check_any_stream(*how, text);
        return Corpus::Keep;
    }
    let whole = read(Blocks::new(text));
    let in_pieces = || Blocks::new(InPieces(text, usize::from(how >> 2) + 1));
    let split = match how % 4 {
        0 => read(in_pieces()),
        1 => read(in_pieces().filled()),
        2 => read(in_pieces().single()),
        _ => read(Blocks::new(text).single()),
    };
    assert_eq!(whole.lines(), split.lines());
    assert_eq!(whole.errors(), split.errors());
    assert_eq!(whole.placements(), split.placements());
    assert!(whole.fens().eq(split.fens()));
    assert_eq!(whole.len(), whole.fens().count());

    let (mut fens, mut errors) = (whole.fens(), whole.errors().iter());
    let mut numbers = whole.lines().iter();
    for (number, line) in (1..).zip(Lines::new(text)) {
        let Some(line) = line.filter(|line| is_wanted(line)) else {
            // A line that is too long is `None`, and the batch must have an error for it.
            if line.is_none() {
                assert_eq!(errors.next().map(|error| error.line), Some(number));
            }
            continue;
        };
        compare_with_cozy_chess(line);
        let mut alone = Batch::default();
        alone.read_line(line, number);
        if alone.errors().is_empty() {
            assert_eq!(numbers.next(), Some(&number));
        }
        if let Some(fen) = alone.fens().next() {
            assert_eq!(fens.next(), Some(fen));
        }
        if let Some(error) = alone.errors().first() {
            let in_batch = errors.next().expect("the batch has the error, too");
            assert_eq!((in_batch.line, &in_batch.error), (number, &error.error));
            assert!(!error.to_string().contains(char::is_control), "{error}");
            assert!(error.to_string().len() < 1000, "{error}");
        }
        // A batch plays the moves of UCI's `position`.
        let text = play_moves(line);
        match text.as_ref().map_err(Clone::clone).and_then(|text| Fen::parse(text)) {
            Ok(fen) => {
                assert_eq!(alone.fens().next().map(String::from), Some(fen.to_string()));
                check(&fen);
            }
            Err(error) => assert_eq!(alone.errors()[0].error, error),
        }
    }
    assert!(numbers.next().is_none() && errors.next().is_none());
    Corpus::Keep
});

/// Reads a possibly compressed stream twice: at once, and in small pieces. If both reads succeed
/// and use the same format, they must give the same result.
fn check_any_stream(how: u8, bytes: &[u8]) {
    let (given, bytes) = match (how >> 5 & 3, bytes) {
        (1.., [number, bytes @ ..]) => {
            (Some(Format::ALL[usize::from(*number) % Format::ALL.len()]), bytes)
        }
        _ => (None, bytes),
    };
    let at_once = match how >> 2 & 7 {
        7 => usize::MAX,
        few => 1 + 7 * usize::from(few),
    };
    let whole = read_any(Cursor::new(bytes.to_vec()), given, 0);
    let split = read_any(InPieces(Cursor::new(bytes.to_vec()), at_once), given, how % 4);
    for (format, batch) in whole.iter().chain(&split) {
        check_batch(*format, batch);
    }
    let (Ok((format, whole)), Ok((split_format, split))) = (whole, split) else {
        return;
    };
    // Detection sees only the first bytes that the stream delivers, so a split stream may be
    // detected as another format.
    if format == split_format {
        assert_eq!(whole.lines(), split.lines());
        assert_eq!(whole.errors(), split.errors());
        assert_eq!(whole.placements(), split.placements());
        assert_eq!((whole.scores(), whole.results()), (split.scores(), split.results()));
        assert!(whole.fens().eq(split.fens()));
    }
}

/// Reads a stream as `setwise attacks` does, in the given or the detected format. Fails if the
/// stream fails, or if no format fits.
fn read_any(
    stream: impl Read + Send + 'static,
    given: Option<Format>,
    how: u8,
) -> io::Result<(Format, Batch)> {
    let (stream, _) = decompress(stream, || {})?;
    let mut stream = stream.take(LONGEST);
    let (detected, start) = Format::detect_file(&mut stream, "".as_ref())?;
    let format = match (given, detected) {
        (Some(format), _) | (None, Detected::One(format)) => format,
        (None, Detected::Several(formats)) if !formats.is_empty() => formats[0],
        _ => return Err(io::Error::other("no format fits")),
    };
    let blocks = Blocks::of(format, Cursor::new(start).chain(stream));
    let mut blocks = match how {
        0 => blocks,
        1 => blocks.filled(),
        2 => blocks.single(),
        _ => blocks.filled().single(),
    };
    let (mut block, mut batch) = (Block::default(), Batch::default());
    while blocks.next(&mut block)? {
        batch.read_block(format, &block);
    }
    Ok((format, batch))
}

/// Checks that a batch is consistent, and that its FENs are those of its positions.
fn check_batch(format: Format, batch: &Batch) {
    let counts = [batch.lines().len(), batch.placements().len(), batch.fens().count()];
    assert_eq!(counts, [batch.len(); 3]);
    assert!(batch.lines().is_sorted_by(|a, b| a < b));
    if !format.values().is_empty() {
        assert_eq!((batch.scores().len(), batch.results().len()), (batch.len(), batch.len()));
        assert!(batch.results().iter().all(|&result| result <= 2));
    }
    for (text, placement) in batch.fens().zip(batch.placements()) {
        let fen = Fen::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(fen.placement(), placement, "{text}");
    }
    for error in batch.errors() {
        let error = error.to_string();
        assert!(!error.contains(char::is_control) && error.len() < 1000, "{error}");
    }
}

fn read(mut blocks: Blocks<'_>) -> Batch {
    let (mut block, mut batch) = (Block::default(), Batch::default());
    while blocks.next(&mut block).expect("reading memory") {
        batch.read(&block.bytes, block.first_line);
    }
    batch
}

/// Whether a line is neither blank, a comment, nor between the positions of a `.perft` file.
fn is_wanted(line: &[u8]) -> bool {
    let mut line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    while let [before @ .., 0 | 0x1a] = line {
        line = before.trim_ascii_end();
    }
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    let words: Vec<_> = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
    let is_count = matches!(words[..], [b"perft", a, b] if is_number(a) && is_number(b));
    let is_name = line.starts_with(b"id ") || line.starts_with(b"id\t");
    !matches!(line, [] | [b'#' | b';' | b'%', ..] | [b'/', b'/', ..]) && !is_count && !is_name
}

/// Checks that a written position parses to the same position.
fn check(fen: &Fen) {
    let written = fen.to_string();
    let again = Fen::parse(written.as_bytes()).expect("a written FEN can be read");
    assert_eq!(*fen.placement(), *again.placement());
    assert!(fen.fields().skip(1).eq(again.fields().skip(1)));
    assert_eq!((&written, fen.side()), (&again.to_string(), again.side()));
    let placement = fen.placement();
    assert_eq!(placement.to_string(), again.field(0).unwrap());
    assert_eq!(Placement::from(&Position::from(placement)), *placement);
    let pieces = Side::BOTH.map(|side| Piece::ALL.map(|piece| placement.pieces(side, piece)));
    let all = pieces.as_flattened().iter().fold(0, |all, set| {
        assert_eq!(all & set, 0, "two pieces on a square");
        all | set
    });
    assert_eq!(all, placement.occupied());
    for square in 0..64 {
        let pieces = Side::BOTH.into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
        let mut on_square =
            pieces.filter(|&(side, piece)| placement.pieces(side, piece) >> square & 1 == 1);
        assert_eq!(placement.on(square), on_square.next());
    }
}

/// Compares the parsed position with that of `cozy-chess`, which accepts only legal positions. The
/// two must be equal if `cozy-chess` writes the FEN back unchanged.
fn compare_with_cozy_chess(line: &[u8]) {
    let Some(text) = str::from_utf8(line).ok() else {
        return;
    };
    // Drop the operations of an EPD line.
    let fields = Fen::parse(line).map_or(text.into(), |fen| fen.to_string());
    let full = match fields.split(' ').count() {
        4 => fields.clone() + " 0 1",
        5 => fields.clone() + " 1",
        _ => fields.clone(),
    };
    let Ok(board) = full.parse::<Board>() else {
        return;
    };
    if board.to_string() != full && format!("{board:#}") != full {
        return;
    }
    let fen = Fen::parse(full.as_bytes()).unwrap_or_else(|error| panic!("{full}: {error}"));
    for side in Side::BOTH {
        for piece in Piece::ALL {
            let (color, man) = (Color::ALL[side as usize], Man::ALL[piece as usize]);
            assert_eq!(
                fen.placement().pieces(side, piece),
                board.colored_pieces(color, man).0,
                "{full}"
            );
        }
    }
    let black = board.side_to_move() == Color::Black;
    assert_eq!(fen.side(), Some(Side::BOTH[usize::from(black)]), "{full}");
}
