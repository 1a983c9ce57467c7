//! Perft: of known positions against the numbers that all generators find, and of the 960 starting
//! positions against the crates.

use std::time::Instant;

use cozy_chess::Board;
use setwise::Kernel;
use setwise::moves::GamePosition;
use setwise_positions::Fen;

use crate::games::start_position;
use crate::peers::{cozy_board, game_position};

/// Positions that the Chess Programming Wiki lists ("Perft Results"), with the number of sequences
/// at each depth from 1 on.
pub const KNOWN: [(&str, &[u64]); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        &[48, 2_039, 97_862, 4_085_603, 193_690_690],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2_812, 43_238, 674_624, 11_030_083]),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        &[6, 264, 9_467, 422_333, 15_833_292, 706_045_033],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        &[44, 1_486, 62_379, 2_103_487, 89_941_194],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        &[46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
];

/// The number of differences.
pub fn compare(kernels: &[&Kernel], quick: bool) -> u64 {
    let known = KNOWN.map(|(fen, counts)| {
        let position = Fen::parse(fen.as_bytes()).expect("a FEN").game_position();
        (position, &counts[..if quick { 4 } else { counts.len() }])
    });
    let depth = if quick { 3 } else { 4 };
    let start = Instant::now();
    let mut wrong = 0;
    let starts: Vec<(GamePosition, u64)> = (0..960)
        .map(|number| {
            let chess = start_position(number);
            let count = shakmaty::perft(&chess, depth);
            let other = by_cozy(&cozy_board(&chess).expect("a position"), depth);
            if count != other {
                println!("WRONG: start {number}: the crates differ: {count}, {other}");
                wrong += 1;
            }
            (game_position(&chess), count)
        })
        .collect();
    let total: u64 = starts.iter().map(|(_, count)| count).sum();
    println!(
        "perft of 960 starting positions to depth {depth} by the crates: {total} ({:.1} s)",
        start.elapsed().as_secs_f64()
    );
    for kernel in kernels {
        let (name, start) = (kernel.name(), Instant::now());
        let mut nodes = 0;
        let before = wrong;
        let depths = known.iter().flat_map(|(position, counts)| {
            (1..).zip(counts.iter()).map(move |(depth, count)| (*position, depth, *count))
        });
        for (position, depth, right) in depths.chain(starts.iter().map(|s| (s.0, depth, s.1))) {
            let found = kernel.perft(&position, depth);
            nodes += found;
            if found != right {
                println!("WRONG: {name}, perft {depth}: {found}, not {right}: {position:?}");
                wrong += 1;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("perft, {name}: {nodes} sequences ({seconds:.1} s): {} wrong", wrong - before);
    }
    wrong
}

pub fn by_cozy(board: &Board, depth: u32) -> u64 {
    let mut count = 0;
    board.generate_moves(|of_piece| {
        if depth == 1 {
            count += of_piece.len() as u64;
            return false;
        }
        for played in of_piece {
            let mut after = board.clone();
            after.play_unchecked(played);
            count += by_cozy(&after, depth - 1);
        }
        false
    });
    count
}
