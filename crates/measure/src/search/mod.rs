//! Random games, for benchmarks: a walk that generates moves, plays one of them, and probes a
//! transposition table that misses the caches, like a search.

use std::path::{Path, PathBuf};
use std::{env, fs};

use cozy_chess::{Board, Move};

/// The positions of the EPD files in the folder `SETWISE_POSITIONS`, or else in `tests/positions`.
pub(crate) fn starts() -> Vec<Board> {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/positions");
    let folder = env::var_os("SETWISE_POSITIONS").map_or(known, PathBuf::from);
    let lines: String = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "epd"))
        .map(|path| fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect();
    let board = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let fen = format!("{} 0 1", fields.join(" "));
        fen.parse().unwrap_or_else(|e| panic!("{line}: {e}"))
    };
    lines.lines().map(board).collect()
}

/// Generates the legal moves. Not inlined, so that all walks run the same code.
#[inline(never)]
pub(crate) fn generate(board: &Board, moves: &mut Vec<Move>) {
    moves.clear();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
}

/// The positions in which games start, and the transposition table.
pub(crate) struct Games {
    pub(crate) starts: Vec<Board>,
    /// 64 MiB. Each entry holds the hash of the last position stored in it.
    table: Vec<u64>,
}

impl Games {
    pub(crate) fn new() -> Games {
        Games { starts: starts(), table: vec![0; 8 << 20] }
    }

    /// Walks through at least `nodes` nodes of games of at most `plies` moves, which depend only on
    /// the seed. Calls `visit` with the start of each game, then at each node with the move, which
    /// `visit` plays. An odd `salt` selects the entries of the table: with a new one, no walk finds
    /// those of an earlier walk in the caches. Returns the number of hits in the table.
    #[inline(always)]
    pub(crate) fn walk(
        &mut self,
        (seed, salt): (u64, u64),
        nodes: usize,
        plies: usize,
        mut visit: impl FnMut(&mut Board, Option<Move>),
    ) -> usize {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut moves: Vec<Move> = Vec::with_capacity(256);
        let (mut hits, mut visited) = (0, 0);
        while visited < nodes {
            let mut board = self.starts[random.usize(..self.starts.len())].clone();
            visit(&mut board, None);
            for _ in 0..plies {
                let hash = board.hash();
                let entry = (hash.wrapping_mul(salt) >> 41) as usize;
                hits += usize::from(self.table[entry] == hash);
                self.table[entry] = hash;
                visited += 1;
                generate(&board, &mut moves);
                let Some(&chosen) = moves.get(random.usize(..moves.len().max(1))) else { break };
                visit(&mut board, Some(chosen));
            }
        }
        hits
    }
}
