//! Compares every kernel with the crates, in batches of any length.

use std::fmt;

use setwise::Kernel;
use setwise::moves::{GamePosition, Move};
use shakmaty::Chess;

use crate::columns::Columns;
use crate::peers::{Legal, by_cozy, by_shakmaty, cozy_board, takes_slow_path};

/// The longest batch.
const BATCH: usize = 4000;

/// The number of differences that are printed.
const PRINTED: u64 = 20;

/// What was compared.
#[derive(Default)]
pub struct Seen {
    positions: u64,
    moves: u64,
    by_cozy: u64,
    in_check: u64,
    mates: u64,
    stalemates: u64,
    en_passant: u64,
    castling: u64,
    slow: u64,
    most: usize,
    pub wrong: u64,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} positions ({} also by cozy-chess), {} moves (at most {}), {} in check, {} mates, {} \
             stalemates, {} with a capture en passant, {} with castling, {} on the slow path: {} wrong",
            self.positions,
            self.by_cozy,
            self.moves,
            self.most,
            self.in_check,
            self.mates,
            self.stalemates,
            self.en_passant,
            self.castling,
            self.slow,
            self.wrong,
        )
    }
}

/// Positions that wait for comparison, and what was compared.
pub struct Comparison {
    kernels: Vec<&'static Kernel>,
    positions: Vec<GamePosition>,
    expected: Vec<Legal>,
    length: usize,
    random: fastrand::Rng,
    seen: Seen,
}

impl Comparison {
    pub fn new(kernels: &[&'static Kernel]) -> Comparison {
        Comparison {
            kernels: kernels.to_vec(),
            positions: vec![],
            expected: vec![],
            length: BATCH,
            random: fastrand::Rng::with_seed(1),
            seen: Seen::default(),
        }
    }

    /// Compares a position later. The crates must agree about it.
    pub fn push(&mut self, position: GamePosition, chess: &Chess) {
        self.push_with(position, chess, by_shakmaty(chess));
    }

    /// The same, with what `shakmaty` says about the position.
    pub fn push_with(&mut self, position: GamePosition, chess: &Chess, legal: Legal) {
        let (mut moves, mut checks) = legal;
        if let Some(board) = cozy_board(chess) {
            self.seen.by_cozy += 1;
            let other = by_cozy(&board);
            if other != (moves.clone(), checks) {
                self.wrong(&format!("the crates differ: {board}: {other:?}, {moves:?}, {checks}"));
            }
        }
        self.note(&position, &moves, checks);
        if checks > 2 {
            // No game can have such a position, and the library does not count its moves.
            (moves, checks) = (vec![], 255);
        }
        self.positions.push(position);
        self.expected.push((moves, checks));
        if self.positions.len() == self.length {
            self.compare();
        }
    }

    fn note(&mut self, position: &GamePosition, moves: &[Move], checks: usize) {
        let seen = &mut self.seen;
        let occupied = position.position.occupied();
        let pawns = position.position.pieces[usize::from(position.state.side & 1)][0];
        let takes_nothing = |played: &Move| {
            played.from().file() != played.to().file()
                && pawns & played.from().bitboard() != 0
                && occupied & played.to().bitboard() == 0
        };
        seen.positions += 1;
        seen.moves += moves.len() as u64;
        seen.most = seen.most.max(moves.len());
        seen.in_check += u64::from(checks > 0);
        seen.mates += u64::from(moves.is_empty() && checks > 0);
        seen.stalemates += u64::from(moves.is_empty() && checks == 0);
        seen.en_passant += u64::from(moves.iter().any(takes_nothing));
        seen.slow += u64::from(takes_slow_path(position));
        seen.castling += u64::from(moves.iter().any(|played| played.is_castling(position)));
    }

    /// Counts a difference, and prints the first ones.
    pub fn wrong(&mut self, what: &str) {
        self.seen.wrong += 1;
        if self.seen.wrong <= PRINTED {
            println!("WRONG: {what}");
        }
    }

    pub fn finish(mut self) -> Seen {
        self.compare();
        self.seen
    }

    fn compare(&mut self) {
        let positions = std::mem::take(&mut self.positions);
        let expected = std::mem::take(&mut self.expected);
        let columns = Columns::new(&positions);
        for kernel in self.kernels.clone() {
            for (form, [moves, checks]) in columns.counts(kernel, &positions) {
                for (i, (list, number)) in expected.iter().enumerate() {
                    let right = (list.len().min(255), *number);
                    let found = (usize::from(moves[i]), usize::from(checks[i]));
                    if found != right {
                        let (name, position) = (kernel.name(), positions[i]);
                        self.wrong(&format!(
                            "{name}, {form}: {found:?}, not {right:?}: {position:?}"
                        ));
                    }
                }
            }
            let lists = columns.lists(kernel, expected.iter().map(|(moves, _)| moves.len()).sum());
            for (i, (right, _)) in expected.iter().enumerate() {
                if lists.get(i).is_none_or(|list| list != right) {
                    let (name, position, found) = (kernel.name(), positions[i], lists.get(i));
                    self.wrong(&format!("{name}, list: {found:?}, not {right:?}: {position:?}"));
                }
            }
        }
        (self.positions, self.expected) = (positions, expected);
        self.positions.clear();
        self.expected.clear();
        self.length = self.random.usize(1..=BATCH);
    }
}
