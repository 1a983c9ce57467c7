//! Writes data for the page and its tests.
//!
//! - `native games` prints the famous games as JSON. A game has a title and moves; a move has its
//!   SAN and the squares that it changes.
//! - `native boards COUNT` prints test boards for every operation, one per line: the operation, its
//!   parameter, and the inputs as hexadecimal words.
//! - `native oracle` reads lines in that format from stdin and prints the oracle's results.

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use setwise::reflection::OperationInfo;
use setwise_check::{Case, Operation};
use setwise_positions::{Placement, famous_games, letter};
use setwise_web::batch::random_words;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match *arguments {
        ["games"] => games().map_err(Into::into),
        ["boards", count] => {
            count.parse().map_err(Into::into).and_then(|count| boards(count).map_err(Into::into))
        }
        ["oracle"] => oracle(),
        _ => {
            eprintln!("usage: native games | native boards COUNT | native oracle < BOARDS");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("native: {error}");
            ExitCode::from(2)
        }
    }
}

fn games() -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout().lock());
    let mut comma = "[";
    for game in famous_games::games() {
        let moves: Vec<_> = (game.moves.iter().zip(game.placements.windows(2)))
            .map(|(san, pair)| format!("{san} {}", changes(&pair[0], &pair[1])))
            .collect();
        let title = format!("{} – {}, {} {}", game.white, game.black, game.event, game.year);
        writeln!(to, "{comma}[{title:?},{:?}]", moves.join(","))?;
        comma = ",";
    }
    writeln!(to, "]")?;
    to.flush()
}

/// The squares that change, each followed by its new piece or a dot: `e2.e4P`.
fn changes(before: &Placement, after: &Placement) -> String {
    let squares = (0..64).filter(|&square| before.on(square) != after.on(square));
    squares
        .map(|square| {
            let (file, rank) = (b'a' + square as u8 % 8, b'1' + square as u8 / 8);
            let piece = after.on(square).map(|(side, piece)| letter(side, piece));
            String::from_iter([file.into(), rank.into(), piece.unwrap_or('.')])
        })
        .collect()
}

/// Prints `count` test boards for each operation and each value of its parameter.
fn boards(count: usize) -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout().lock());
    let mut word = random_words(1);
    for operation in Operation::all() {
        for _ in 0..count {
            let inputs = Case::random(&mut word).inputs(&operation);
            let name = operation.info.name();
            writeln!(to, "{name} {} {}", operation.parameter, hex(&inputs))?;
        }
    }
    to.flush()
}

fn oracle() -> Result<(), Box<dyn Error>> {
    let mut to = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let results = results(&line).map_err(|error| format!("`{line}`: {error}"))?;
        writeln!(to, "{}", hex(&results))?;
    }
    Ok(to.flush()?)
}

/// The oracle's results for one line of input.
fn results(line: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut fields = line.split(' ');
    let mut next = || fields.next().ok_or("name and parameter are missing");
    let (name, parameter) = (next()?, next()?.parse()?);
    let info = OperationInfo::by_name(name).ok_or("unknown operation")?;
    let inputs = fields.map(|word| u64::from_str_radix(word, 16));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    Ok(Operation { info, parameter }.oracle(&inputs))
}

fn hex(words: &[u64]) -> String {
    let words = words.iter().map(|word| format!("{word:x}"));
    words.collect::<Vec<_>>().join(" ")
}
