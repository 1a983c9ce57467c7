//! Prints the entries of binpack files: `FEN|move|score|ply|result`, score and result from the
//! point of view of the side to move.
//!
//!     cargo run --release -p setwise-positions --example binpack_lines -- FILE...
use std::fs::File;
use std::io::{self, BufWriter, Write};

use setwise_positions::binpack::{Chunks, Entries};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = BufWriter::new(io::stdout().lock());
    for path in std::env::args().skip(1) {
        let mut chunks = Chunks::new(File::open(&path)?);
        let mut payload = Vec::new();
        while chunks.next(&mut payload)? {
            let mut entries = Entries::new(&payload);
            while let Some(entry) = entries.next()? {
                let (record, played) = (entry.record(), entry.played());
                let (score, ply, result) = (entry.score(), entry.ply(), entry.result());
                writeln!(output, "{record}|{played}|{score}|{ply}|{result}")?;
            }
        }
    }
    Ok(output.flush()?)
}
