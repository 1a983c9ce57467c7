//! `setwise perft`: counts sequences of legal moves, and checks suites of such counts.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Serialize;
use setwise::moves::{Castling, Fault, GamePosition, Move};
use setwise::{Kernel, board};
use setwise_positions::{Fen, FenError, PerftCase, decompress, perft_suite, play_moves};

use crate::args::PerftOptions;
use crate::draw::{GOOD, STRONG, WRONG, styled};
use crate::failure::Failure;
use crate::input::{self, is_stdin};
use crate::kernel::Choice;
use crate::{print, signals, wildcards};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The greatest depth of a count.
const MOST_DEPTH: u32 = 64;

pub(crate) fn run(choice: Choice, options: &PerftOptions, json: bool) -> Result<(), Failure> {
    signals::end_by_itself();
    if options.suite.is_empty() {
        count(choice.kernel, options, json)
    } else {
        check(choice.kernel, options, json)
    }
}

#[derive(Serialize)]
struct Count {
    fen: String,
    depth: u32,
    nodes: u64,
    seconds: f64,
    /// Whether no signal ended the count.
    complete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<OfMove>,
}

#[derive(Serialize)]
struct OfMove {
    r#move: String,
    nodes: u64,
}

/// Counts some positions, with a progress bar on a terminal.
fn each(kernel: &Kernel, positions: &[GamePosition], depth: u32, threads: usize) -> Vec<u64> {
    let bar = ProgressBar::no_length();
    let bar = print::bar(bar, "{bar:40} {percent}%, {msg} nodes, {elapsed}");
    let counts = kernel.perft_each(positions, depth, threads, |progress| {
        // Short counts need no bar.
        if bar.elapsed().as_millis() > 500 {
            bar.set_length(progress.parts as u64);
            bar.set_message(progress.nodes.to_string());
            bar.set_position(progress.done as u64);
        }
        signals::received().is_none()
    });
    bar.finish_and_clear();
    counts
}

fn ended() -> Result<(), Failure> {
    signals::received().map_or(Ok(()), |signal| Err(Failure::Signal(signal)))
}

/// Why a position is not counted, if no game can have it.
fn refusal(position: &GamePosition) -> Option<String> {
    // What other programs write: an en passant square or a right that allows nothing.
    let harmless = |fault: &Fault| matches!(fault, Fault::EnPassant(_) | Fault::Castling(_));
    let fault = position.fault().filter(|fault| !harmless(fault))?;
    Some(format!("no game can have this position: {fault}"))
}

fn count(kernel: &Kernel, options: &PerftOptions, json: bool) -> Result<(), Failure> {
    let depth = options.depth.unwrap_or_default();
    let words = options.fen.join(" ");
    let text = if words.is_empty() { START } else { &words };
    let wrong = |error: FenError| Failure::Input(error.to_string());
    let text = play_moves(text.as_bytes()).map_err(wrong)?;
    let fen = Fen::parse(&text).map_err(wrong)?;
    let position = fen.game_position();
    if let Some(why) = refusal(&position) {
        return Err(Failure::Input(why));
    }
    let started = Instant::now();
    let mut moves = vec![];
    let nodes = if options.divide && depth > 0 {
        // Boards that no game has may have more moves than any position of a game.
        let mut list = vec![Move::default(); board::legal_moves(&position, &mut [])];
        let _ = board::legal_moves(&position, &mut list);
        let after: Vec<_> = list.iter().map(|&played| board::play(&position, played)).collect();
        let counts = each(kernel, &after, depth - 1, options.threads);
        let castling = if options.chess960 { Castling::Chess960 } else { Castling::Standard };
        let named = list.iter().zip(&counts).map(|(played, &nodes)| OfMove {
            r#move: played.to_uci(&position, castling).to_string(),
            nodes,
        });
        moves.extend(named);
        moves.sort_by(|a, b| a.r#move.cmp(&b.r#move));
        counts.iter().sum()
    } else {
        each(kernel, &[position], depth, options.threads)[0]
    };
    let complete = signals::received().is_none();
    let seconds = started.elapsed().as_secs_f64();
    let count = Count { fen: fen.to_string(), depth, nodes, seconds, complete, moves };
    let printed = if json { print::json(&count) } else { print::text(&count.text()) };
    printed.and(ended())
}

impl Count {
    fn text(&self) -> String {
        let mut text = String::new();
        for OfMove { r#move, nodes } in &self.moves {
            let _ = writeln!(text, "{move}: {nodes}");
        }
        let so_far = if self.complete { "" } else { " so far" };
        let speed = self.nodes as f64 / self.seconds / 1e6;
        let _ = writeln!(
            text,
            "{} {}{so_far} ({:.3} s, {speed:.0} million a second)",
            styled(STRONG, "nodes:"),
            self.nodes,
            self.seconds,
        );
        text
    }
}

#[derive(Serialize)]
struct Suite {
    lines: Vec<Checked>,
    right: usize,
    wrong: usize,
    /// The lines whose depths are all greater than the greatest one to check.
    not_checked: usize,
    /// The first line that is wrong: its index in `lines`.
    first_wrong: Option<usize>,
    bad_lines: usize,
    seconds: f64,
    complete: bool,
}

#[derive(Serialize)]
struct Checked {
    file: String,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    fen: String,
    depths: Vec<AtDepth>,
}

#[derive(Serialize)]
struct AtDepth {
    depth: u32,
    expected: u64,
    nodes: u64,
}

impl AtDepth {
    fn is_right(&self) -> bool {
        self.nodes == self.expected
    }
}

impl Checked {
    fn is_right(&self) -> bool {
        self.depths.iter().all(AtDepth::is_right)
    }

    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    fn text(&self) -> String {
        let mut text = if self.depths.is_empty() {
            "not checked".into()
        } else if self.is_right() {
            styled(GOOD, "right")
        } else {
            styled(WRONG, "WRONG")
        };
        let _ = write!(text, " {}:", self.place());
        for AtDepth { depth, expected, nodes } in &self.depths {
            let _ = write!(text, " D{depth} {nodes}");
            if nodes != expected {
                let _ = write!(text, " instead of {expected}");
            }
        }
        let name = self.name.as_ref().map(|name| format!(" {}", print::escape(name)));
        let _ = writeln!(text, ";{} {}", name.unwrap_or_default(), self.fen);
        text
    }
}

fn check(kernel: &Kernel, options: &PerftOptions, json: bool) -> Result<(), Failure> {
    let (paths, most) = files_and_depth(options)?;
    let started = Instant::now();
    let mut suite = Suite {
        lines: vec![],
        right: 0,
        wrong: 0,
        not_checked: 0,
        first_wrong: None,
        bad_lines: 0,
        seconds: 0.0,
        complete: true,
    };
    'files: for path in paths {
        let file = input::name(&path);
        let (cases, errors) = read(&path)?;
        for error in errors {
            suite.bad_line(&format!("{file}:{error}"));
        }
        for case in cases {
            if let Some(why) = refusal(&case.position) {
                suite.bad_line(&format!("{file}:{}: {why}", case.line));
                continue;
            }
            let line = check_case(kernel, options.threads, most, &file, case);
            suite.complete = signals::received().is_none();
            if !suite.complete {
                break 'files;
            }
            if line.depths.is_empty() {
                suite.not_checked += 1;
            } else if line.is_right() {
                suite.right += 1;
            } else {
                suite.wrong += 1;
                suite.first_wrong.get_or_insert(suite.lines.len());
            }
            if !json {
                print::text(&line.text())?;
            }
            suite.lines.push(line);
        }
    }
    suite.seconds = started.elapsed().as_secs_f64();
    let printed = if json { print::json(&suite) } else { print::text(&suite.summary()) };
    let verdict = match suite.first_wrong {
        Some(first) => Err(Failure::Check(format!(
            "{} of {} lines are wrong, the first is {}",
            suite.wrong,
            suite.lines.len(),
            suite.lines[first].place()
        ))),
        None if suite.bad_lines > 0 => {
            Err(Failure::Input(format!("bad lines: {}", suite.bad_lines)))
        }
        None if suite.complete && suite.lines.is_empty() => {
            Err(Failure::Input("the suite has no position with a count".into()))
        }
        None if suite.complete && suite.right == 0 => Err(Failure::Input(format!(
            "nothing is checked: the suite has no count of a depth up to {most}"
        ))),
        None => Ok(()),
    };
    // An interrupted count is not a verdict, and a wrong count takes precedence over a closed pipe.
    ended().and(verdict).and(printed)
}

fn read(path: &Path) -> Result<(Vec<PerftCase>, Vec<setwise_positions::LineError>), Failure> {
    let failure = |error| input::failure(path, error);
    let stream: Box<dyn Read + Send> = if is_stdin(path) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(failure)?)
    };
    let file = input::name(path);
    let (mut stream, _) = decompress(stream, move || {
        print::note(&format!("{file}: the data after the gzip data is ignored"));
    })
    .map_err(failure)?;
    let mut text = vec![];
    stream.read_to_end(&mut text).map_err(failure)?;
    Ok(perft_suite(&text))
}

/// The files of a suite, and the greatest depth to check: `DEPTH`, which may also come after the
/// files. A file that is missing ends the command before anything is counted.
fn files_and_depth(options: &PerftOptions) -> Result<(Vec<PathBuf>, u32), Failure> {
    let (mut paths, mut depth) = (wildcards::expand(&options.suite), options.depth);
    let number = paths.last().filter(|path| paths.len() > 1 && !path.exists());
    let number = number.and_then(|path| path.to_str()?.parse::<u32>().ok());
    if let (Some(number), None) = (number, depth) {
        if number > MOST_DEPTH {
            return Err(Failure::Input(format!("the depth {number} is greater than {MOST_DEPTH}")));
        }
        depth = Some(number);
        paths.pop();
    }
    for path in paths.iter().filter(|path| !is_stdin(path)) {
        fs::metadata(path).map_err(|error| input::failure(path, error))?;
    }
    Ok((paths, depth.unwrap_or(MOST_DEPTH)))
}

fn check_case(kernel: &Kernel, threads: usize, most: u32, file: &str, case: PerftCase) -> Checked {
    let PerftCase { line, name, fen, position, mut counts } = case;
    counts.sort_unstable();
    let mut depths = vec![];
    for (depth, expected) in counts.into_iter().filter(|&(depth, _)| depth <= most) {
        let nodes = each(kernel, &[position], depth, threads)[0];
        depths.push(AtDepth { depth, expected, nodes });
        if nodes != expected || signals::received().is_some() {
            break;
        }
    }
    Checked { file: file.to_owned(), line, name, fen, depths }
}

impl Suite {
    /// Reports a line that is not counted, unless there were many.
    fn bad_line(&mut self, message: &str) {
        const MOST_BAD: usize = 20;
        self.bad_lines += 1;
        if self.bad_lines <= MOST_BAD {
            print::note(message);
        }
    }

    fn summary(&self) -> String {
        let wrong = if self.wrong == 0 {
            "0 wrong".into()
        } else {
            styled(WRONG, &format!("{} wrong", self.wrong))
        };
        let nodes: u64 = self.lines.iter().flat_map(|line| &line.depths).map(|d| d.nodes).sum();
        let so_far = if self.complete { "" } else { " so far" };
        let Suite { right, not_checked, seconds, .. } = self;
        format!(
            "{right} right, {wrong}, {not_checked} not checked{so_far}: {nodes} nodes in \
             {seconds:.3} s\n"
        )
    }
}
