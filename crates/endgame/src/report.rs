//! Reports on tables, as text and as JSON.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde::Serialize;

use crate::{Ending, Options, Progress, Side, Table, generate};

/// The counts, longest wins and generation cost of one ending. White is the side that comes first
/// in the ending's name.
///
/// ```
/// use setwise_endgame::{Options, Report};
/// let (table, report) = Report::measure(&"KRK".parse().unwrap(), &Options::default());
/// assert_eq!((report.longest_win, report.lost_in[0]), (Some(16), 216));
/// let json = serde_json::to_value(&report).unwrap();
/// assert_eq!(json["white_to_move"]["legal"], 175_168);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The ending.
    pub name: String,
    /// The number of moves in white's longest win, with white to move. `None` if white cannot win.
    pub longest_win: Option<usize>,
    /// The number of moves in black's deepest loss, with black to move. `None` if black never
    /// loses.
    pub deepest_loss: Option<usize>,
    /// The numbers of positions with white to move.
    pub white_to_move: Counts,
    /// The numbers of positions with black to move.
    pub black_to_move: Counts,
    /// Entry n is the number of positions with white to move that white wins in n moves. Entry 0 is
    /// 0.
    pub won_in: Vec<u64>,
    /// Entry n is the number of positions with black to move that white wins in n moves. Entry 0
    /// counts the mates.
    pub lost_in: Vec<u64>,
    /// A position of white's longest win. `None` if white cannot win.
    pub longest: Option<LongestWin>,
    /// Lengths and counts of black's wins.
    pub black_wins: Reverse,
    /// The source of the attack sets. `None` if the table was loaded from a file.
    pub attacks: Option<String>,
    /// Time to generate the table for both sides, in seconds.
    pub seconds: f64,
    /// The peak memory of the generator's boards and bitmaps, in bytes.
    pub peak_bytes: usize,
}

/// The numbers of positions with one side to move. `legal` is the sum of the other three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Legal positions.
    pub legal: u64,
    /// Positions that the side to move wins.
    pub won: u64,
    /// Positions that the side to move loses.
    pub lost: u64,
    /// Positions in which neither side can force mate.
    pub drawn: u64,
}

/// A position of white's longest win, and the line from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LongestWin {
    /// The position.
    pub fen: String,
    /// Best play until mate, in standard algebraic notation.
    pub line: Vec<String>,
}

/// Black's wins. The fields have the same names as white's in [`Report`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reverse {
    /// The number of moves in black's longest win, with black to move.
    pub longest_win: Option<usize>,
    /// The number of moves in white's deepest loss, with white to move.
    pub deepest_loss: Option<usize>,
    /// Entry n is the number of positions with black to move that black wins in n moves.
    pub won_in: Vec<u64>,
    /// Entry n is the number of positions with white to move that black wins in n moves.
    pub lost_in: Vec<u64>,
}

impl Report {
    /// Generates a table and reports on it.
    #[must_use]
    pub fn measure(ending: &Ending, options: &Options<'_>) -> (Table, Self) {
        let peak = AtomicUsize::new(0);
        let progress = |progress: &Progress| {
            peak.fetch_max(progress.bytes, Ordering::Relaxed);
            if let Some(next) = options.progress {
                next(progress);
            }
        };
        let start = Instant::now();
        let table = generate(ending, &Options { progress: Some(&progress), ..*options });
        let seconds = start.elapsed().as_secs_f64();
        let mut report = Self::new(&table, seconds, peak.into_inner());
        report.attacks = Some(options.attacks.to_string());
        (table, report)
    }

    /// Reports on a table. `seconds` is the time to generate or load it, and `peak_bytes` the
    /// memory that this took.
    #[must_use]
    pub fn new(table: &Table, seconds: f64, peak_bytes: usize) -> Self {
        let [white, black] = Side::BOTH.map(|color| table.wins(color));
        let [ours, theirs] = [white, black].map(crate::Wins::histogram);
        let counts = |legal, won: &[u64], lost: &[u64]| {
            let (won, lost) = (won.iter().sum(), lost.iter().sum());
            Counts { legal, won, lost, drawn: legal - won - lost }
        };
        let moves = |longest: Option<crate::Longest>| longest.map(|longest| longest.moves);
        Self {
            name: table.ending().to_string(),
            longest_win: moves(white.longest()),
            deepest_loss: moves(white.deepest_loss()),
            white_to_move: counts(white.legal_attacker_to_move(), &ours.won, &theirs.lost),
            black_to_move: counts(white.legal_defender_to_move(), &theirs.won, &ours.lost),
            longest: white.longest().map(|longest| LongestWin {
                fen: longest.position.to_string(),
                line: table.line(&longest.position).into_iter().map(|step| step.san).collect(),
            }),
            black_wins: Reverse {
                longest_win: moves(black.longest()),
                deepest_loss: moves(black.deepest_loss()),
                won_in: theirs.won,
                lost_in: theirs.lost,
            },
            won_in: ours.won,
            lost_in: ours.lost,
            attacks: None,
            seconds,
            peak_bytes,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for (turn, counts) in [("white", self.white_to_move), ("black", self.black_to_move)] {
            let Counts { legal, won, lost, drawn } = counts;
            writeln!(
                f,
                "  {turn} to move: {legal:>8} legal {won:>8} won {lost:>8} lost {drawn:>8} drawn"
            )?;
        }
        histogram(f, "white", "black", &self.won_in, &self.lost_in)?;
        if let Some(longest) = &self.longest {
            let moves = self.longest_win.unwrap_or(0);
            writeln!(f, "\n  white's longest win: mate in {moves}\n    {}", longest.fen)?;
            for moves in move_pairs(&longest.line).chunks(6) {
                writeln!(f, "    {}", moves.join(" "))?;
            }
        }
        let reverse = &self.black_wins;
        histogram(f, "black", "white", &reverse.won_in, &reverse.lost_in)?;
        if let Some(moves) = reverse.longest_win {
            writeln!(f, "\n  black's longest win: mate in {moves}")?;
        }
        let legal = self.white_to_move.legal + self.black_to_move.legal;
        write!(
            f,
            "\n  {:.3} s, {:.0} million positions per second, {:.1} MB at most",
            self.seconds,
            legal as f64 / self.seconds / 1e6,
            self.peak_bytes as f64 / 1e6
        )?;
        match &self.attacks {
            Some(attacks) => writeln!(f, "\n  attack sets from {attacks}"),
            None => writeln!(f),
        }
    }
}

/// Formats a line as numbered pairs of moves.
fn move_pairs(line: &[String]) -> Vec<String> {
    line.chunks(2).zip(1..).map(|(pair, number)| format!("{number}. {}", pair.join(" "))).collect()
}

/// Draws the counts of one side's wins as bars, one row per number of moves.
fn histogram(
    f: &mut fmt::Formatter<'_>,
    winner: &str,
    loser: &str,
    won: &[u64],
    lost: &[u64],
) -> fmt::Result {
    const WIDTH: u64 = 24;
    let highest = won.iter().chain(lost).copied().max().unwrap_or(0);
    if highest == 0 {
        return writeln!(f, "\n  {winner} cannot win");
    }
    writeln!(
        f,
        "\n  mate in  {winner} to move, {winner} wins{:18}{loser} to move, {winner} wins",
        ""
    )?;
    for n in 0..won.len().max(lost.len()) {
        let cell = |depths: &[u64]| {
            let count = depths.get(n).copied().unwrap_or(0);
            let bar = "#".repeat((count * WIDTH).div_ceil(highest) as usize);
            format!("{count:>8} {bar:<24}")
        };
        writeln!(f, "  {n:>7}  {}  {}", cell(won), cell(lost).trim_end())?;
    }
    Ok(())
}

/// A table of reports as text: a heading and one line for each ending.
#[must_use]
pub fn summary(reports: &[Report]) -> String {
    let mut text = String::from(
        "       longest  white to move      black to move      reverse\n\
         win loss    legal      won    legal     lost  win loss  seconds     MB\n",
    );
    let moves = |moves: Option<usize>| moves.map_or("-".into(), |moves| moves.to_string());
    for report in reports {
        let _ = writeln!(
            text,
            "{:<7}{:>5}{:>5}{:>9}{:>9}{:>9}{:>9}{:>5}{:>5}{:>9.3}{:>7.1}",
            report.name,
            moves(report.longest_win),
            moves(report.deepest_loss),
            report.white_to_move.legal,
            report.white_to_move.won,
            report.black_to_move.legal,
            report.black_to_move.lost,
            moves(report.black_wins.longest_win),
            moves(report.black_wins.deepest_loss),
            report.seconds,
            report.peak_bytes as f64 / 1e6,
        );
    }
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let _ = writeln!(text, "{} endings, both sides' wins: {seconds:.3} s", reports.len());
    text
}
