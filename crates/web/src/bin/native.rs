//! `native games` writes the famous games as JSON for the page: for each its title, and its moves,
//! each in SAN with what it changes on the board. `native answer` evaluates operations with the
//! active kernel of this CPU, for the tests: from lines of `name index` and the inputs in
//! hexadecimal on stdin to lines of outputs.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use setwise::Kernels;
use setwise_positions::{Placement, famous_games};
use setwise_web::operations::{BOARDS, COLUMNS, OPERATIONS, Operation};

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("games") => games().map_err(Into::into),
        Some("answer") => answer(),
        _ => {
            eprintln!("usage: native games, or native answer < QUESTIONS");
            return ExitCode::from(2);
        }
    };
    match done {
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
        let title = format!(
            "{} – {}, {} {}",
            game.white, game.black, game.event, game.year
        );
        writeln!(to, "{comma}[{title:?},{:?}]", moves.join(","))?;
        comma = ",";
    }
    writeln!(to, "]")?;
    to.flush()
}

/// The squares that change, each with what is on it afterwards: `e2.e4P`.
fn changes(before: &Placement, after: &Placement) -> String {
    let squares = (0..64).filter(|&square| before.on(square) != after.on(square));
    squares
        .map(|square| {
            let (file, rank) = (b'a' + square as u8 % 8, b'1' + square as u8 / 8);
            // As in a FEN, or a dot.
            let piece = after.on(square).map(|(side, piece)| piece.letter(side));
            String::from_iter([file.into(), rank.into(), piece.unwrap_or('.')])
        })
        .collect()
}

fn answer() -> Result<(), Box<dyn std::error::Error>> {
    let kernel = Kernels::active();
    eprintln!("native: kernel {}", kernel.name());
    let lines: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut to = BufWriter::new(io::stdout().lock());
    let mut columns = Box::new([[[0; BOARDS]; COLUMNS]; 2]);
    let asked = |line: &str| line.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
    // Consecutive questions to the same operation make a batch.
    for questions in lines
        .chunk_by(|a, b| asked(a) == asked(b))
        .flat_map(|same| same.chunks(BOARDS))
    {
        let mut words = questions[0].split(' ');
        let name = words.next().unwrap_or_default();
        let operation = (OPERATIONS.iter().find(|operation| operation.name == name))
            .ok_or_else(|| format!("there is no operation `{name}`"))?;
        let index = words.next().unwrap_or_default().parse::<usize>()?;
        let [inputs, outputs] = &mut *columns;
        for (board, question) in questions.iter().enumerate() {
            read(operation, question, |column, word| {
                inputs[column][board] = word
            })?;
        }
        operation.evaluate(kernel, index, inputs, outputs, questions.len());
        for board in 0..questions.len() {
            let words = outputs[..operation.outputs.len()]
                .iter()
                .map(|column| format!("{:x}", column[board]));
            writeln!(to, "{}", words.collect::<Vec<_>>().join(" "))?;
        }
    }
    Ok(to.flush()?)
}

/// Reads the inputs of a line, one for each column.
fn read(
    operation: &Operation,
    question: &str,
    mut put: impl FnMut(usize, u64),
) -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = question.split(' ').skip(2).collect();
    if words.len() != operation.inputs.len() {
        return Err(format!(
            "`{question}`: {} takes {} inputs",
            operation.name,
            operation.inputs.len()
        )
        .into());
    }
    for (column, word) in words.into_iter().enumerate() {
        put(
            column,
            u64::from_str_radix(word, 16).map_err(|error| format!("`{question}`: {error}"))?,
        );
    }
    Ok(())
}
