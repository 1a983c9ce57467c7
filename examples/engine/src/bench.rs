//! The command `bench DEPTH`, which searches the same positions every time. It prints a signature:
//! a hash of node counts, best moves and scores. All kernels compute the same features, and so
//! does the build with the Cargo feature `magic-eval`. So for a given depth, the signature must
//! always be the same.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::game::Board;
use crate::search::{Limits, Search};
use crate::table::Table;

const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1b2rk1/2q1bppp/p2p1n2/npp1p3/3PP3/2P2N1P/PPB2PP1/RNBQR1K1 w - - 0 12",
    "r1bq1rk1/4bppp/p1p5/1p1nR3/8/1BP5/PP1P1PPP/RNBQ2K1 b - - 0 11",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "3r2k1/pp3ppp/2p5/4P3/2P1b3/4B3/PP3PPP/3R2K1 b - - 0 25",
    "8/8/1p1k4/p1p2p1p/P1P2P1P/1P1K4/8/8 w - - 0 50",
];

pub fn run(depth: i32) {
    let start = Instant::now();
    let (mut nodes, mut signature) = (0, 0xcbf2_9ce4_8422_2325_u64);
    for fen in POSITIONS {
        let board = Board::parse(fen).expect("a valid FEN");
        let mut table = Table::new(16);
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let mut search = Search::new(&mut table, &stop, limits, vec![board.hash]);
        let (best, score) = search.best(&board, |_| ()).expect("every position has moves");
        nodes += search.nodes;
        for part in [search.nodes, best.bits().into(), score as u64] {
            signature = (signature ^ part).wrapping_mul(0x0100_0000_01b3);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let source =
        if cfg!(feature = "magic-eval") { "look-ups" } else { setwise::Kernel::active().name() };
    println!("kernel {source}");
    println!("nodes {nodes}");
    println!("nps {:.0}", nodes as f64 / seconds);
    println!("signature {signature:016x}");
}
