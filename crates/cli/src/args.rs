//! The command line: commands, options, help.

use std::iter;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{ColorChoice, Parser, Subcommand};
use clap_complete::Shell;
use setwise_positions::Format;
use setwise_positions::binpack::{Filter, PieceCounts, SoftEarly};

use crate::commands::bench;
use crate::output::{Column, RecordOf};

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 a check failed, 2 bad usage or input, or the output cannot be written,
128 plus its number after a signal (130 SIGINT, 143 SIGTERM).
Data goes to stdout, everything else to stderr. Colours and progress appear on terminals only.

Environment: SETWISE_FORCE_KERNEL=NAME acts like --kernel NAME; SETWISE_DISABLE=NAME,NAME excludes
kernels; NO_COLOR turns colours off.";

/// Set-wise slider attacks of chess positions, with the best kernel for this CPU.
///
/// Without a command: probes the CPU, evaluates the positions of famous games with every kernel
/// that can run here, checks the results against a chess crate's look-up tables, and times them.
#[derive(Parser)]
#[command(name = "setwise", version, after_help = EXIT_CODES, after_long_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Use this kernel (`setwise probe` lists them)
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours; auto: on terminals, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Subcommand)]
#[command(after_help = EXIT_CODES)]
pub(crate) enum Command {
    /// Show the CPU, every kernel and what it lacks here, and the kernel in use
    #[command(after_help = EXIT_CODES)]
    Probe,
    /// Draw a board and the squares that each side's sliders attack
    #[command(after_help = EXIT_CODES)]
    Show {
        /// The position as a FEN, quotes optional; only the first field is required
        #[arg(required = true, value_name = "FEN")]
        fen: Vec<String>,
    },
    /// Evaluate a file of positions
    #[command(after_help = EXIT_CODES, long_about = ATTACKS)]
    Attacks(AttacksOptions),
    /// Check every kernel against a slow reference on random and crafted boards
    #[command(after_help = EXIT_CODES)]
    Verify(VerifyOptions),
    /// Measure every kernel on this CPU; print, draw or compare the figures
    #[command(after_help = EXIT_CODES, long_about = bench::ABOUT)]
    Bench(bench::BenchOptions),
    /// Solve pawnless chess endings of up to four men: moves to mate from every position
    #[command(after_help = EXIT_CODES, long_about = ENDGAME)]
    Endgame(EndgameOptions),
    /// Count the sequences of legal moves from a position, or check a suite of such counts
    #[command(after_help = EXIT_CODES, long_about = PERFT)]
    Perft(PerftOptions),
    /// Print a completion script for a shell
    #[command(after_help = EXIT_CODES)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const ATTACKS: &str = "\
Evaluate files of positions. Each position gives two records, white's and then black's, or one \
with --record position, --record maps or --record threats.

Input: any format of --format, detected from the contents. A game gives the position before each \
of its moves. Blank lines and lines that start with # ; % or // are skipped, and so are the lines \
id and perft of .perft files; but a ; that separates columns starts a row. Only the piece \
placement is required: any number of the last fields may be missing. Castling rights may use \
Chess960 letters (HAha); boards need not be legal chess. EPD operations, comments (after ; | [ or \
,), and any text after the sixth field are ignored. In UCI's position fen FEN moves e2e4, the \
moves are played; after a FEN alone, they are ignored. PGN is not read: --format pgn prints the \
command that converts it. The first 20 bad lines are reported; all are counted by invalid field. \
Good lines are still written, in order, but the exit code is 2 unless --skip-bad is given. Bad \
records are handled the same way.

Fields: line (its number in the file, from 1; for records and games, the position's number), fen, \
side, orthogonal (that side's rooks and queens), diagonal (bishops and queens), occupied (all \
pieces), rook_attacks of orthogonal, bishop_attacks of diagonal, slider_attacks (both). With \
--record maps, for each side: pawn_attacks, knight_attacks, bishop_attacks, rook_attacks, \
queen_attacks, king_attacks, attacks (all of these) and by_lesser (the enemy pieces that less \
valuable pieces attack). If listed in --columns, of the side to move: moves (the number of legal \
moves), check (how many pieces give check), mate and stalemate (1 or 0). A check of 255 marks a \
position that no game can have. Training data also has score and result, which are written only if listed in \
--columns; binpack also has ply (moves since the start of the game). score is in \
centipawns from white's point of view; result is 0 (black won), 1 (drawn) or 2 (white won). \
Bulletformat shows the side to move as white, so its scores and results are those of the side to \
move. Boards are 0x and 16 hexadecimal digits, with a1 = bit 0 and h8 = bit 63.

If input arrives slowly, records are written as it arrives. Each thread holds one block of 128 KiB \
of input and its records. Output files are complete or absent: they are written under a temporary \
name and then renamed. A .npy file is an array of records. Their fields have the same names and \
are 64-bit numbers; side is 0 or 1, score is signed, and there is no fen. An .npz file of \
--record threats has the arrays offsets (one more than positions), threats (attacker, from, victim, \
to; codes 1 to 6 are white's pawn to king, 7 to 12 black's) and the other fields. For Parquet and \
Arrow, use the Python package (docs/recipes.md).";

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct AttacksOptions {
    /// Files of positions; - is stdin. They may be compressed with gzip or Zstandard
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The format of the input
    #[arg(long, default_value = "auto", value_name = "FORMAT", value_parser = input_format())]
    pub(crate) format: InputFormat,
    /// Write to this file, in the format of its extension: .jsonl, .csv, .npy or, for threats, .npz
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The fields of each record, in the order given [default: all but score, result, ply, moves,
    /// check, mate and stalemate]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) columns: Vec<Column>,
    /// What each record describes
    #[arg(long, default_value = "side", value_name = "WHAT")]
    pub(crate) record: RecordOf,
    /// The pairs of pieces of --record threats: every, those of a network's set of features by the
    /// number of its inputs, such as 59808, or a file of 12 lines of 12 digits, 0 or 1, by attacker
    /// and victim: white's pawn to king, then black's
    #[arg(long, default_value = "every", value_name = "SET or FILE")]
    pub(crate) pairs: String,
    /// Write boards in .csv and .jsonl as decimal numbers
    #[arg(long)]
    pub(crate) decimal: bool,
    #[command(flatten)]
    pub(crate) filter: FilterOptions,
    /// Number of threads (0: one per CPU)
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = threads())]
    pub(crate) threads: usize,
    /// Stop at the first bad line and leave no output file
    #[arg(long, conflicts_with = "skip_bad")]
    pub(crate) strict: bool,
    /// Exit with code 0 even if there were bad lines
    #[arg(long)]
    pub(crate) skip_bad: bool,
    /// Write each line's records immediately, even if lines arrive fast
    #[arg(long)]
    pub(crate) unbuffered: bool,
}

/// Entries of binpack to skip.
#[derive(clap::Args)]
#[command(next_help_heading = "Options for binpack")]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct FilterOptions {
    /// Skip what Stockfish's trainer skips with its defaults, and what the other options name
    #[arg(long)]
    stockfish: bool,
    /// Skip entries in check
    #[arg(long)]
    skip_checks: bool,
    /// Skip entries whose move is a capture
    #[arg(long)]
    skip_captures: bool,
    /// Do not count captures en passant as captures
    #[arg(long)]
    keep_en_passant: bool,
    /// Skip entries without a score, which have the score 32002
    #[arg(long)]
    skip_unscored: bool,
    /// Skip scores of 0 that stand for no score
    #[arg(long)]
    skip_placeholders: bool,
    /// Skip entries with a greater score, of either sign
    #[arg(long, value_name = "SCORE")]
    max_score: Option<u16>,
    /// Skip entries before this ply
    #[arg(long, value_name = "PLY")]
    min_ply: Option<u16>,
    /// Keep every n-th entry of a chunk
    #[arg(long, value_name = "N")]
    every: Option<u32>,
    /// Skip this share of the entries at random, from 0 to 1
    #[arg(long, value_name = "SHARE", value_parser = from_to(0.0, 1.0))]
    skip: Option<f64>,
    /// Keep entries with the probability that their score leads to their result
    #[arg(long)]
    wld: bool,
    /// Skip entries whose sides' material differs by less (a pawn is 208)
    #[arg(long, value_name = "VALUE")]
    simple_eval: Option<u32>,
    /// Keep entries before this ply with the probabilities of --soft-early-points
    #[arg(long, value_name = "PLY")]
    soft_early: Option<u16>,
    /// Ply and probability of four points
    #[arg(long, value_name = "PLY:SHARE,...", value_parser = points, allow_hyphen_values = true)]
    soft_early_points: Option<[(f64, f64); 4]>,
    /// The wanted frequencies of positions with 0, 8, 16, 24 and 32 pieces
    #[arg(long, value_name = "NUMBER,...", value_parser = numbers, allow_hyphen_values = true)]
    pieces: Option<[f64; 5]>,
    /// The seed of what is skipped at random
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl FilterOptions {
    pub(crate) fn filter(&self) -> Filter {
        let base = if self.stockfish { Filter::STOCKFISH } else { Filter::ALL };
        let points = self.soft_early_points.unwrap_or(SoftEarly::DEFAULT.points);
        Filter {
            keep_unscored: base.keep_unscored && !self.skip_unscored,
            skip_placeholders: base.skip_placeholders || self.skip_placeholders,
            skip_checks: base.skip_checks || self.skip_checks,
            skip_captures: base.skip_captures || self.skip_captures,
            keep_en_passant: base.keep_en_passant || self.keep_en_passant,
            max_score: self.max_score,
            min_ply: self.min_ply.unwrap_or(0),
            every: self.every.unwrap_or(0),
            skip: self.skip.unwrap_or(0.0),
            wld: base.wld || self.wld,
            simple_eval: self.simple_eval.unwrap_or(0),
            soft_early: self
                .soft_early
                .or(base.soft_early.map(|soft| soft.until))
                .map(|until| SoftEarly { until, points }),
            pieces: self.pieces.map(PieceCounts).or(base.pieces),
            seed: self.seed.unwrap_or(0),
        }
    }
}

/// Parses a list of `N` values, separated by commas.
fn list<T, const N: usize>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; N], String> {
    let list: Vec<T> = text.split(',').map(parse).collect::<Result<_, _>>()?;
    list.try_into().map_err(|list: Vec<T>| format!("must have {N} values, found {}", list.len()))
}

/// Parses four points.
fn points(text: &str) -> Result<[(f64, f64); 4], String> {
    list(text, point)
}

/// Parses the frequencies of five numbers of pieces.
fn numbers(text: &str) -> Result<[f64; 5], String> {
    list(text, from_to(-1e9, 1e9))
}

/// Parses a ply and a probability.
fn point(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    let point = text.split_once(':').and_then(|(x, y)| number(x).zip(number(y)));
    point.ok_or_else(|| "not a ply and a probability, such as 6:0.15".into())
}

/// The value of `--format`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputFormat {
    Auto,
    Known(Format),
    Pgn,
}

/// Parses the value of `--format`: `auto`, a format of the list, or `pgn`.
fn input_format() -> impl TypedValueParser<Value = InputFormat> {
    let format = |format: &Format| {
        let extensions: Vec<String> =
            format.extensions().iter().map(|extension| format!(".{extension}")).collect();
        let help = format!("{} ({})", format.help(), extensions.join(", "));
        PossibleValue::new(format.option()).aliases(format.aliases()).help(help)
    };
    let auto = "Detected from the start of each file; if two formats fit, from the extension";
    let pgn = "Not read: prints the command that converts PGN";
    let known = Format::ALL.iter().map(format);
    let values = iter::once(PossibleValue::new("auto").help(auto)).chain(known);
    let values = values.chain([PossibleValue::new("pgn").help(pgn)]);
    PossibleValuesParser::new(values).map(|name| {
        let is_called =
            |format: &&Format| format.option() == name || format.aliases().contains(&&*name);
        match Format::ALL.iter().find(is_called) {
            Some(format) => InputFormat::Known(*format),
            None if name == "pgn" => InputFormat::Pgn,
            None => InputFormat::Auto,
        }
    })
}

#[derive(clap::Args)]
pub(crate) struct VerifyOptions {
    /// Minimum duration, in seconds; every batch length and alignment is always checked
    #[arg(long, default_value_t = 2.0, value_name = "S", value_parser = from_to(0.0, 1e9))]
    pub(crate) seconds: f64,
    /// Seed of the random boards, to repeat a run
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

const PERFT: &str = "\
Count the sequences of legal moves from a position (perft), or check a suite of such counts.

Moves are listed, made and counted for many positions at once, without a hash table. The FEN may be \
of standard chess or of Chess960 (KQkq of the outermost rooks, or the letters of their files), or \
UCI's position with moves; without one, the initial position is counted.

A suite has lines FEN ;D1 20 ;D2 400, FEN;1 20;2 400 or FEN,20,400, rows of a table whose header \
is fen,depth,nodes, or lines epd FEN, perft DEPTH NUMBER and id NAME. Files may be compressed, and \
- is stdin. Each position is printed with its depths, right or wrong; after a wrong depth come no \
deeper ones. The greatest depth to check stands before --suite or after its files: perft 4 --suite \
FILE or perft --suite FILE 4. A position without a count up to there is not checked. The exit code \
is 1 if a count is wrong, 2 if a line cannot be read, no game can have its position, or nothing is \
checked.

A signal ends the count: what is counted so far is printed, and the exit code is 128 plus the \
signal's number.";

#[derive(clap::Args)]
pub(crate) struct PerftOptions {
    /// The number of moves of each sequence; with --suite, the greatest depth to check
    #[arg(required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(..=64))]
    pub(crate) depth: Option<u32>,
    /// The position as a FEN, quotes optional [default: the initial position]
    #[arg(value_name = "FEN", conflicts_with = "suite")]
    pub(crate) fen: Vec<String>,
    /// Print the number for each move
    #[arg(long, conflicts_with = "suite")]
    pub(crate) divide: bool,
    /// Number of threads (0: one per CPU)
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = threads())]
    pub(crate) threads: usize,
    /// Write castling as in Chess960, from the king's square to the rook's
    #[arg(long)]
    pub(crate) chess960: bool,
    /// Check the counts of these files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) suite: Vec<PathBuf>,
}

const ENDGAME: &str = "\
Solve pawnless chess endings of up to four men: moves to mate from every position, for both sides.

One ending is printed with its counts, a histogram, the longest win with its line of play, and the \
time and memory used; several endings are printed as a table. Symmetric positions are \
counted separately. Attack sets come from small tables, or with --kernel from that kernel.

In JSON, endings is always a list. white_to_move and black_to_move count positions by their result \
for the side to move. won_in (white to move) and lost_in (black to move) count white's wins by moves \
to mate, from 0; black_wins has the same for black. seconds and peak_bytes cover both sides' wins.";

#[derive(clap::Args)]
#[command(subcommand_negates_reqs = true, subcommand_precedence_over_arg = true)]
pub(crate) struct EndgameOptions {
    /// Endings to solve: white's men, then black's, such as KQKR
    #[arg(required = true, value_name = "ENDING")]
    pub(crate) names: Vec<String>,
    #[command(subcommand)]
    pub(crate) action: Option<EndgameAction>,
    /// Number of threads (0: one per CPU)
    #[arg(long, global = true, default_value_t = 0, value_name = "N", value_parser = threads())]
    pub(crate) threads: usize,
    /// Write each table to this folder, named like KQKR.swe; the folder is created if missing
    #[arg(long, short, global = true, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Read tables from this folder instead of generating them
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "output")]
    pub(crate) tables: Option<PathBuf>,
}

#[derive(Subcommand)]
#[command(after_help = EXIT_CODES)]
pub(crate) enum EndgameAction {
    /// Solve all endings of three and four men
    #[command(after_help = EXIT_CODES)]
    All,
    /// Show the value of a position and the best play from it
    #[command(after_help = EXIT_CODES)]
    Probe {
        /// The position; the words of a FEN need no quotes
        #[arg(required = true, value_name = "FEN")]
        fen: Vec<String>,
    },
    /// Check every value against the values one move later, with an independent move generator
    #[command(after_help = EXIT_CODES)]
    Verify {
        /// Endings to check, or `all`
        #[arg(required = true, value_name = "ENDING")]
        names: Vec<String>,
    },
}

impl EndgameAction {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            EndgameAction::All => "all",
            EndgameAction::Probe { .. } => "probe",
            EndgameAction::Verify { .. } => "verify",
        }
    }
}

fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(..=256)
}

/// Parses a number of this range, which clap does for integers only.
pub(crate) fn from_to(
    least: f64,
    most: f64,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) => Err(format!("must be from {least} to {most}")),
        Err(_) => Err("not a number".into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn grammar_is_consistent() {
        <super::Args as clap::CommandFactory>::command().debug_assert();
    }
}
