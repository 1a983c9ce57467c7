//! `native games` writes the games of the command line's corpus as JSON for the page: for each its title, and its moves, each in SAN with what it changes on
//! the board. `native answer` evaluates operations by the active kernel of this CPU: lines of `name index` and the inputs in hexadecimal from standard input to
//! lines of outputs, for the tests.

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use cozy_chess::{Board, Color, Square};
use setwise::Kernels;
use setwise_web::operations::{BOARDS, COLUMNS, OPERATIONS, Operation};

#[rustfmt::skip] // it would look for the module's tests elsewhere
#[path = "../../../cli/src/corpus.rs"]
#[allow(dead_code, reason = "the command line uses more of it")]
mod corpus;
#[path = "../../../cli/src/san.rs"]
mod san;

const GAMES: &str = include_str!("../../../cli/data/games.txt");

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("games") => games(),
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

fn games() -> Result<(), Box<dyn std::error::Error>> {
    let mut to = BufWriter::new(io::stdout().lock());
    let mut comma = "[";
    for game in corpus::parse(GAMES)? {
        let boards = corpus::replay(&game)?;
        let moves: Vec<_> = (game.moves.iter().zip(boards.windows(2)))
            .map(|(san, boards)| format!("{san} {}", changes(&boards[0], &boards[1])))
            .collect();
        let title = format!(
            "{} – {}, {} {}",
            game.white, game.black, game.event, game.year
        );
        writeln!(to, "{comma}[{title:?},{:?}]", moves.join(","))?;
        comma = ",";
    }
    writeln!(to, "]")?;
    Ok(to.flush()?)
}

/// Each square that is another one afterwards, and what stands there: `e2.e4P`.
fn changes(before: &Board, after: &Board) -> String {
    let changed = |square: &Square| piece(before, *square) != piece(after, *square);
    let squares = Square::ALL.into_iter().filter(changed);
    squares
        .map(|square| format!("{square}{}", piece(after, square)))
        .collect()
}

/// As in FEN, or a dot.
fn piece(board: &Board, square: Square) -> char {
    match (board.piece_on(square), board.color_on(square)) {
        (Some(piece), Some(Color::White)) => char::from(piece).to_ascii_uppercase(),
        (Some(piece), _) => char::from(piece),
        (None, _) => '.',
    }
}

fn answer() -> Result<(), Box<dyn std::error::Error>> {
    let kernel = Kernels::active();
    eprintln!("native: by {}", kernel.name());
    let lines: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut to = BufWriter::new(io::stdout().lock());
    let mut columns = Box::new([[[0; BOARDS]; COLUMNS]; 2]);
    let asked = |line: &str| line.splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ");
    // What is asked of one operation in a row goes together, so that the kernel has batches.
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

/// The inputs of a line, one for each column.
fn read(
    operation: &Operation,
    question: &str,
    mut put: impl FnMut(usize, u64),
) -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = question.split(' ').skip(2).collect();
    if words.len() != operation.inputs.len() {
        return Err(format!(
            "`{question}`: {} takes {} words",
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
