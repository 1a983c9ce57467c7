//! Compares every kernel with the crates, in batches of any length.

use std::fmt;

use setwise::Kernel;
use setwise::moves::{
    CountColumns, GameColumns, GamePlanes, GamePosition, Move, State, StateColumns,
};
use setwise::position::PositionColumns;
use shakmaty::Chess;

use crate::peers::{Legal, by_cozy, by_shakmaty, cozy_board};
use crate::times::takes_slow_path;

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
    positions: Vec<GamePosition>,
    expected: Vec<Legal>,
    length: usize,
    random: fastrand::Rng,
    seen: Seen,
}

impl Comparison {
    pub fn new() -> Comparison {
        Comparison {
            positions: vec![],
            expected: vec![],
            length: BATCH,
            random: fastrand::Rng::with_seed(1),
            seen: Seen::default(),
        }
    }

    /// Compares a position later. The crates must agree about it.
    pub fn push(&mut self, position: GamePosition, chess: &Chess) {
        let (mut moves, mut checks) = by_shakmaty(chess);
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
        for kernel in Kernel::available() {
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

/// Positions in columns.
pub struct Columns {
    sets: [Vec<u64>; 12],
    planes: [Vec<u64>; 4],
    states: [Vec<u8>; 4],
}

impl Columns {
    pub fn new(positions: &[GamePosition]) -> Columns {
        let sets = |n: usize| {
            positions.iter().map(|p| p.position.pieces.as_flattened()[n]).collect::<Vec<_>>()
        };
        let state = |read: fn(&State) -> u8| positions.iter().map(|p| read(&p.state)).collect();
        Columns {
            sets: std::array::from_fn(sets),
            planes: std::array::from_fn(|n| positions.iter().map(|p| p.planes()[n]).collect()),
            states: [
                state(|s| s.side),
                state(|s| s.en_passant),
                state(|s| s.castling[0]),
                state(|s| s.castling[1]),
            ],
        }
    }

    fn states(&self) -> StateColumns<'_> {
        let [side, en_passant, white, black] = self.states.each_ref().map(Vec::as_slice);
        StateColumns { side, en_passant, castling: [white, black] }
    }

    pub fn planes(&self) -> GamePlanes<'_> {
        GamePlanes { planes: self.planes.each_ref().map(Vec::as_slice), states: self.states() }
    }

    pub fn sets(&self) -> GameColumns<'_> {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.sets.each_ref().map(Vec::as_slice);
        let positions = PositionColumns { pieces: [[a, b, c, d, e, f], [g, h, i, j, k, l]] };
        GameColumns { positions, states: self.states() }
    }

    /// The numbers of moves and checks, from each form of input.
    fn counts(
        &self,
        kernel: &Kernel,
        positions: &[GamePosition],
    ) -> [(&'static str, [Vec<u8>; 2]); 3] {
        ["array", "planes", "columns"].map(|form| {
            let [mut moves, mut checks] = [vec![77; positions.len()], vec![77; positions.len()]];
            let mut counts = CountColumns { moves: Some(&mut moves), checks: Some(&mut checks) };
            match form {
                "array" => kernel.legal_counts(positions, &mut moves, &mut checks),
                "planes" => kernel.legal_counts_in_planes(&self.planes(), &mut counts),
                _ => kernel.legal_counts_in_columns(&self.sets(), &mut counts),
            }
            (form, [moves, checks])
        })
    }

    /// The moves of each position in ascending order.
    fn lists(&self, kernel: &Kernel, total: usize) -> Vec<Vec<Move>> {
        let mut offsets = vec![0; self.planes[0].len() + 1];
        let mut moves = vec![Move::default(); total];
        let done = kernel.legal_moves_in_planes(&self.planes(), &mut offsets, &mut moves);
        let list = |ends: &[u32]| {
            let mut list = moves[ends[0] as usize..ends[1] as usize].to_vec();
            list.sort_unstable_by_key(|played| played.bits());
            list
        };
        offsets[..=done].windows(2).map(list).collect()
    }
}
