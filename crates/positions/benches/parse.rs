//! Compares the speed of the parser with that of `cozy-chess` on the same lines, in interleaved
//! rounds.
//!
//! The lines come from the EPD files in the folder `SETWISE_POSITIONS`, or else from random games.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Board, Color, Piece as Man};
use setwise_positions::{Batch, Block, Blocks, Fen, Lines, Piece, Side};

type Parser<'a> = Box<dyn FnMut() + 'a>;

fn main() {
    // `cargo test --benches` does not pass `--bench`.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let rounds = if is_bench { 25 } else { 1 };
    let (origin, lines) = lines();
    for line in &lines {
        check(line);
    }
    println!("{} lines {origin}; the sets are equal", lines.len());

    let text = lines.join("\n").into_bytes();
    let mut reader = Blocks::new(&*text);
    let mut blocks = Vec::new();
    let mut block = Block::default();
    while reader.next(&mut block).expect("memory can be read") {
        blocks.push(block.bytes.clone());
    }
    let mut batch = Batch::default();
    let mut parsers: [(&str, Parser); 4] = [
        (
            "cozy-chess",
            Box::new(|| {
                for line in &lines {
                    black_box(line.parse::<Board>().is_ok());
                }
            }),
        ),
        (
            "Fen::parse",
            Box::new(|| {
                for line in &lines {
                    black_box(Fen::parse(black_box(line.as_bytes())).is_ok());
                }
            }),
        ),
        (
            "Batch::read",
            Box::new(|| {
                for lines in &blocks {
                    batch.clear();
                    batch.read(black_box(lines), 1);
                    black_box(&batch);
                }
            }),
        ),
        (
            "memchr of line ends",
            Box::new(|| {
                black_box(Lines::new(black_box(&text)).count());
            }),
        ),
    ];
    let mut times = [Duration::MAX; 4];
    for _ in 0..rounds {
        for ((_, parse), fastest) in parsers.iter_mut().zip(&mut times) {
            let start = Instant::now();
            parse();
            *fastest = start.elapsed().min(*fastest);
        }
    }
    println!("fastest of {rounds} rounds   ns per line   MB/s   x cozy-chess");
    for ((name, _), time) in parsers.iter().zip(times) {
        println!(
            "{name:24}{:>13.1}{:>7.0}{:>15.2}",
            time.as_secs_f64() * 1e9 / lines.len() as f64,
            text.len() as f64 / time.as_secs_f64() / 1e6,
            times[0].as_secs_f64() / time.as_secs_f64(),
        );
    }
}

/// Checks that both parsers find the same sets.
fn check(line: &str) {
    let board: Board = line.parse().expect("a legal position");
    let fen = Fen::parse(line.as_bytes()).expect("a position");
    for side in Side::BOTH {
        for piece in Piece::ALL {
            let (color, man) = (Color::ALL[side as usize], Man::ALL[piece as usize]);
            let theirs = board.colored_pieces(color, man).0;
            assert_eq!(fen.placement().pieces(side, piece), theirs, "{line}");
        }
    }
}

/// Returns a description of the source of the lines, and the lines. Each line has six fields and is
/// accepted by `cozy-chess`.
fn lines() -> (String, Vec<String>) {
    let Some(folder) = std::env::var_os("SETWISE_POSITIONS") else {
        return ("of random games".into(), random(20_000));
    };
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "epd") {
            let text = std::fs::read_to_string(path).expect("text");
            let full = text.lines().map(|line| match line.split_whitespace().count() {
                4 => format!("{line} 0 1"),
                _ => line.to_owned(),
            });
            lines.extend(full.filter(|line| line.parse::<Board>().is_ok()));
        }
    }
    (format!("of {}", folder.to_string_lossy()), lines)
}

fn random(count: usize) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut board = Board::default();
    let mut lines = Vec::new();
    while lines.len() < count {
        lines.push(board.to_string());
        let mut moves = Vec::new();
        board.generate_moves(|some| {
            moves.extend(some);
            false
        });
        match random.choice(&moves) {
            Some(&mv) if board.halfmove_clock() < 100 => board.play(mv),
            _ => board = Board::default(),
        }
    }
    lines
}
