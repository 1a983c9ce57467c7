//! A small UCI engine that uses setwise in a search, with one position per call: legal moves, and
//! the features of the evaluation.
//!
//! ```text
//! setwise-engine                 speaks UCI
//! setwise-engine bench [DEPTH]   prints the kernel, nodes, nodes per second and a signature
//! ```
//!
//! Exit code 0: done, 2: bad usage.

mod bench;
mod evaluation;
mod features;
mod game;
mod search;
mod table;

use std::io::{self, BufRead, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use setwise::moves::{Castling, Move};

use game::Board;
use search::{Limits, Search};
use table::Table;

fn main() -> ExitCode {
    // An invalid environment variable must not keep the engine from playing.
    if let Err(error) = setwise::Kernel::try_active() {
        println!("info string {error}");
        setwise::Kernel::init(setwise::Choice::by_cpu()).expect("a kernel runs anywhere");
    }
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => Engine::new().listen(io::stdin().lock()),
        ["bench"] => bench::run(7),
        ["bench", depth] => match depth.parse() {
            Ok(depth @ 1..=20) => bench::run(depth),
            _ => return usage(),
        },
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: setwise-engine [bench [DEPTH 1..20]]");
    ExitCode::from(2)
}

/// The first words of commands. UCI says to skip unknown words before them.
const COMMANDS: [&str; 8] =
    ["uci", "isready", "ucinewgame", "setoption", "position", "go", "stop", "quit"];

struct Engine {
    /// The position to play from, and the hashes of all positions of the game. `None` after a
    /// `position` that was refused, so that no move is for another position.
    game: Option<(Board, Vec<u64>)>,
    stop: Arc<AtomicBool>,
    /// The running search, which returns the table when it ends.
    running: Option<JoinHandle<Table>>,
    table: Option<Table>,
    /// How moves are printed: the option `UCI_Chess960`.
    castling: Castling,
}

impl Engine {
    fn new() -> Engine {
        let board = Board::start();
        Engine {
            game: Some((board, vec![board.hash])),
            stop: Arc::default(),
            running: None,
            table: Some(Table::new(16)),
            castling: Castling::Standard,
        }
    }

    /// Obeys commands until `quit` or the end of the input. A line is bytes: the paths of other
    /// engines' options need not be UTF-8.
    fn listen(&mut self, mut input: impl BufRead) {
        let mut line = Vec::new();
        while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line);
            let words: Vec<&str> = text.split_whitespace().collect();
            if !self.obey(&words) {
                break;
            }
            line.clear();
        }
        self.end();
    }

    /// Obeys a command. Returns `false` after `quit`.
    fn obey(&mut self, words: &[&str]) -> bool {
        let command = words.iter().position(|word| COMMANDS.contains(word));
        let [command, rest @ ..] = &words[command.unwrap_or(words.len())..] else { return true };
        let done = match *command {
            "uci" => {
                let kernel = setwise::Kernel::active().name();
                say(&format!("id name setwise-engine ({kernel})\nid author the setwise project"));
                say("option name Hash type spin default 16 min 1 max 4096");
                say("option name UCI_Chess960 type check default false\nuciok");
                Ok(())
            }
            "isready" => {
                say("readyok");
                Ok(())
            }
            "ucinewgame" => {
                self.end();
                self.table_mut().clear();
                Ok(())
            }
            "setoption" => self.set(rest),
            "position" => {
                self.end();
                self.game = None;
                place(rest).map(|game| self.game = Some(game))
            }
            "go" => self.go(rest),
            "stop" => {
                self.end();
                Ok(())
            }
            _ => return false,
        };
        if let Err(error) = done {
            say(&format!("info string {command}: {error}"));
        }
        true
    }

    /// Stops the running search, if any. The search prints its move before it ends.
    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(running) = self.running.take() {
            self.table = running.join().ok();
        }
    }

    fn table_mut(&mut self) -> &mut Table {
        self.table.get_or_insert_with(|| Table::new(16))
    }

    /// Sets an option: `name`, the words of its name, `value` and the value. UCI ignores the case
    /// of names.
    fn set(&mut self, words: &[&str]) -> Result<(), String> {
        let ["name", words @ ..] = words else { return Err("expected `name`".into()) };
        let end = words.iter().position(|word| *word == "value").unwrap_or(words.len());
        let name = words[..end].join(" ");
        let value = words.get(end + 1..).unwrap_or_default().join(" ");
        match &*name.to_ascii_lowercase() {
            "hash" => {
                let Ok(megabytes @ 1..=4096) = value.parse() else {
                    return Err(format!("Hash must be from 1 to 4096, found {value}"));
                };
                self.end();
                self.table = Some(Table::new(megabytes));
            }
            "uci_chess960" => {
                self.castling = match &*value.to_ascii_lowercase() {
                    "true" => Castling::Chess960,
                    "false" => Castling::Standard,
                    _ => return Err(format!("{name} must be true or false, found {value}")),
                };
            }
            _ => return Err(format!("unknown option {name}")),
        }
        Ok(())
    }

    fn go(&mut self, words: &[&str]) -> Result<(), String> {
        self.end();
        let Some((board, line)) = self.game.clone() else {
            // Without a move, the GUI would wait.
            say("bestmove 0000");
            return Err("there is no position, because the last one was refused".into());
        };
        if let ["perft", depth @ ..] = words {
            return perft(&board, depth, self.castling);
        }
        let (mut limits, missing) = limits(words, board.is_white());
        if !missing.is_empty() {
            say(&format!("info string go: no number after {}", missing.join(", ")));
        }
        let (only, refused) = search_moves(words, &board);
        (limits.only, limits.castling) = (only, self.castling);
        if !refused.is_empty() {
            say(&format!("info string go: not legal: {}", refused.join(" ")));
        }
        let mut table = self.table.take().unwrap_or_else(|| Table::new(16));
        self.stop = Arc::default();
        let stop = self.stop.clone();
        let infinite = words.contains(&"infinite");
        let castling = self.castling;
        self.running = Some(thread::spawn(move || {
            let mut search = Search::new(&mut table, &stop, limits, line);
            let best = search.best(&board, |info| say(&info));
            // UCI requires that an infinite search prints its move only after `stop`.
            while infinite && !stop.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            match best {
                Some((best, _)) => {
                    let best = best.to_uci(&board.position, castling);
                    say(&format!("bestmove {best}"));
                }
                None => say("bestmove 0000"),
            }
            table
        }));
        Ok(())
    }
}

/// The position of a `position` command, and the hashes of the game.
fn place(words: &[&str]) -> Result<(Board, Vec<u64>), String> {
    let moves = words.iter().position(|word| *word == "moves");
    let (setup, moves) = words.split_at(moves.unwrap_or(words.len()));
    let mut board = match setup {
        ["startpos"] => Board::start(),
        ["fen", fen @ ..] => Board::parse(&fen.join(" "))?,
        _ => return Err("expected `startpos` or `fen`".into()),
    };
    let mut line = vec![board.hash];
    for name in moves.iter().skip(1) {
        // Some programs write promotions in upper case.
        let played = Move::from_uci(&name.to_ascii_lowercase(), &board.position);
        board = board.play(played.ok_or_else(|| format!("{name}: not a legal move"))?);
        line.push(board.hash);
    }
    Ok((board, line))
}

/// The words that may follow `go`. The moves of `searchmoves` end at the next one.
const GO: [&str; 12] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
];

/// The legal moves after `searchmoves`, if it is given, and the words there that are not legal.
fn search_moves<'a>(words: &[&'a str], board: &Board) -> (Option<Vec<Move>>, Vec<&'a str>) {
    let Some(start) = words.iter().position(|word| *word == "searchmoves") else {
        return (None, Vec::new());
    };
    let (mut only, mut refused) = (Vec::new(), Vec::new());
    for name in words[start + 1..].iter().take_while(|word| !GO.contains(word)) {
        match Move::from_uci(&name.to_ascii_lowercase(), &board.position) {
            Some(found) => only.push(found),
            None => refused.push(*name),
        }
    }
    (Some(only), refused)
}

/// The limits of a `go` command, and its words that lack a number. If those leave no limit, the
/// search has a depth of 1: without a move, the GUI would wait.
fn limits<'a>(words: &[&'a str], white: bool) -> (Limits, Vec<&'a str>) {
    let mut missing = Vec::new();
    let mut number = |name| {
        let index = words.iter().position(|word| *word == name)?;
        let text = words.get(index + 1).copied().unwrap_or_default();
        let is_huge = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().or(is_huge.then_some(i64::MAX));
        if number.is_none() {
            missing.push(words[index]);
        }
        number.map(|number| number.max(0).unsigned_abs())
    };
    let [depth, nodes, mate] = ["depth", "nodes", "mate"].map(&mut number);
    let depth = depth.or(mate.map(|moves| moves.saturating_mul(2)));
    let mut limits =
        Limits { depth: depth.map(|depth| depth.clamp(1, 90) as i32), nodes, ..Limits::default() };
    let times = ["movetime", "wtime", "btime", "winc", "binc"].map(&mut number);
    let [move_time, white_clock, black_clock, white_inc, black_inc] =
        times.map(|ms| ms.map(Duration::from_millis));
    let to_go = number("movestogo").map(|moves| moves.clamp(1, 1000) as u32);
    // If a program gives one clock only, it is that of both sides.
    let clock = if white { white_clock.or(black_clock) } else { black_clock.or(white_clock) };
    let increment = if white { white_inc } else { black_inc };
    if let Some(time) = move_time {
        let time = time.saturating_sub(Duration::from_millis(10)).max(Duration::from_millis(1));
        limits.hard = Some(time);
    } else if let Some(clock) = clock {
        let (soft, hard) = search::time_for(clock, increment.unwrap_or_default(), to_go);
        (limits.soft, limits.hard) = (Some(soft), Some(hard));
    }
    let is_limited = limits.depth.is_some() || limits.nodes.is_some() || limits.hard.is_some();
    if !missing.is_empty() && !is_limited {
        limits.depth = Some(1);
    }
    (limits, missing)
}

/// Prints the number of move sequences after each move, as many engines do after `go perft DEPTH`.
fn perft(board: &Board, depth: &[&str], castling: Castling) -> Result<(), String> {
    let [Ok(depth @ 1..=6)] = depth.iter().map(|depth| depth.parse()).collect::<Vec<_>>()[..]
    else {
        return Err("perft: expected a depth from 1 to 6".into());
    };
    let mut all = 0;
    for played in board.moves() {
        let after = board.play(played);
        let count = setwise::Kernel::active().perft(&after.position, depth - 1);
        say(&format!("{}: {count}", played.to_uci(&board.position, castling)));
        all += count;
    }
    say(&format!("\nNodes searched: {all}"));
    Ok(())
}

/// Prints a line for the GUI. Ignores errors, because the GUI may have closed.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Look-ups and setwise must compute the same features for the positions of random games.
    #[test]
    fn look_ups_and_setwise_give_the_same_features() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200 {
            let mut board = Board::start();
            for _ in 0..120 {
                let moves = board.moves();
                if moves.is_empty() || board.is_bare() {
                    break;
                }
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                board = board.play(moves[random as usize % moves.len()]);
                let position = board.position.position;
                let ours = features::by_setwise(&position);
                assert_eq!(ours, features::by_look_ups(&position), "{board:?}");
            }
        }
    }

    #[test]
    fn finds_mates_and_wins_a_queen() {
        for (fen, expected) in [
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
            ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "h1h8"),
            ("rnb1kbnr/ppp1pppp/8/3q4/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 3", "c3d5"),
        ] {
            let board = Board::parse(fen).expect("a position");
            let (mut table, stop) = (Table::new(1), AtomicBool::new(false));
            let limits = Limits { depth: Some(4), ..Limits::default() };
            let mut search = Search::new(&mut table, &stop, limits, vec![board.hash]);
            let (best, score) = search.best(&board, |_| ()).expect("there are moves");
            let best = best.to_uci(&board.position, Castling::Standard);
            assert_eq!(best.as_str(), expected, "{score}");
        }
    }

    #[test]
    fn limits_are_parsed() {
        fn of(words: &str) -> (Limits, Vec<&str>) {
            limits(&words.split(' ').collect::<Vec<_>>(), true)
        }
        let words: Vec<&str> = "wtime 10000 btime 500 winc 100 movestogo 10".split(' ').collect();
        let [white, black] = [true, false].map(|white| limits(&words, white).0);
        assert!(white.hard > black.hard && black.hard < Some(Duration::from_millis(300)));
        assert_eq!(of("depth 5").0.depth, Some(5));
        assert_eq!(of("nodes 7").0.nodes, Some(7));
        assert_eq!(of("mate 2").0.depth, Some(4));
        assert!(of("movetime 5").0.hard > Some(Duration::ZERO));
        // Negative and huge numbers are the nearest ones; what is no number leaves a search of
        // depth 1, unless there is another limit.
        assert_eq!(of("nodes -5 depth -1").0.nodes, Some(0));
        assert_eq!(of("nodes -5 depth -1").0.depth, Some(1));
        assert_eq!(of("depth 99999999999999999999").0.depth, Some(90));
        assert!(of("wtime 99999999999999999999 movestogo 1").0.hard.is_some());
        for (words, missing, depth) in [
            ("movetime", "movetime", Some(1)),
            ("nodes x", "nodes", Some(1)),
            ("wtime winc 10", "wtime", Some(1)),
            ("depth 3 movetime", "movetime", Some(3)),
            ("nodes 7 movetime 1.5", "movetime", None),
        ] {
            let (limits, found) = of(words);
            assert_eq!((limits.depth, found), (depth, vec![missing]), "{words}");
        }
        assert!(of("btime 1000").0.hard.is_some());
        assert!(of("infinite").0.depth.is_none() && of("").1.is_empty());
    }
}
