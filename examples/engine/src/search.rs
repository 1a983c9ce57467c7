//! Alpha-beta with a transposition table, quiescence and iterative deepening.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use setwise::Piece;
use setwise::moves::{Castling, Move};

use crate::evaluation::{self, MATERIAL};
use crate::game::Board;
use crate::table::{Bound, Table};

/// The score of a mate on the board. A mate in n plies scores n less.
const MATE: i32 = 30_000;
/// The lowest score that stands for a mate.
const MATES: i32 = MATE - 500;
const LOST: i32 = -MATES;
const MAX_PLY: usize = 100;

/// The limits at which a search stops.
#[derive(Clone, Default)]
pub struct Limits {
    pub depth: Option<i32>,
    pub nodes: Option<u64>,
    /// No new iteration starts after this time.
    pub soft: Option<Duration>,
    /// The search is aborted at this time, even in the middle of an iteration. The clock is read
    /// every 512 nodes.
    pub hard: Option<Duration>,
    /// The moves to search at the root. `None`: all.
    pub only: Option<Vec<Move>>,
    /// How castling is printed.
    pub castling: Castling,
}

pub struct Search<'a> {
    table: &'a mut Table,
    stop: &'a AtomicBool,
    limits: Limits,
    start: Instant,
    pub nodes: u64,
    next_clock_check: u64,
    /// Hashes of the positions of the game and of the current line.
    line: Vec<u64>,
    history: [[[i32; 64]; 64]; 2],
    stopped: bool,
    /// The best move of the root.
    found: Option<Move>,
}

impl<'a> Search<'a> {
    pub fn new(table: &'a mut Table, stop: &'a AtomicBool, limits: Limits, line: Vec<u64>) -> Self {
        Search {
            table,
            stop,
            limits,
            start: Instant::now(),
            nodes: 0,
            next_clock_check: 0,
            line,
            history: [[[0; 64]; 64]; 2],
            stopped: false,
            found: None,
        }
    }

    /// Returns the best move and its score, or `None` if there is no legal move. Calls `report`
    /// with a UCI `info` line after each iteration.
    pub fn best(&mut self, board: &Board, mut report: impl FnMut(String)) -> Option<(Move, i32)> {
        let mut best = self.moves(board, 0).first().map(|&first| (first, 0));
        best?;
        for depth in 1..=self.limits.depth.unwrap_or(MAX_PLY as i32 - 10) {
            let score = self.search(board, depth, 0, -MATE, MATE);
            if self.stopped && depth > 1 {
                break;
            }
            if let Some(found) = self.found {
                best = Some((found, score));
            }
            let (found, _) = best?;
            report(self.info(board, depth, found, score));
            let late = self.limits.soft.is_some_and(|soft| self.start.elapsed() >= soft);
            if self.stopped || late {
                break;
            }
        }
        best
    }

    fn info(&self, board: &Board, depth: i32, best: Move, score: i32) -> String {
        let time = self.start.elapsed();
        let score = match score {
            MATES.. => format!("mate {}", (MATE - score + 1) / 2),
            ..=LOST => format!("mate -{}", (MATE + score + 1) / 2),
            _ => format!("cp {score}"),
        };
        let nps = self.nodes as f64 / time.as_secs_f64().max(1e-6);
        let best = best.to_uci(&board.position, self.limits.castling);
        let (nodes, ms) = (self.nodes, time.as_millis());
        format!("info depth {depth} score {score} nodes {nodes} nps {nps:.0} time {ms} pv {best}")
    }

    /// The legal moves to search.
    fn moves(&self, board: &Board, ply: usize) -> Vec<Move> {
        let mut moves = board.moves();
        if let Some(only) = self.limits.only.as_ref().filter(|_| ply == 0) {
            moves.retain(|candidate| only.contains(candidate));
        }
        moves
    }

    fn out_of_time(&mut self) -> bool {
        let limits = &self.limits;
        if limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.stopped = true;
        }
        if self.nodes >= self.next_clock_check {
            self.next_clock_check = self.nodes + 512;
            self.stopped |= self.stop.load(Ordering::Relaxed);
            self.stopped |= limits.hard.is_some_and(|hard| self.start.elapsed() >= hard);
        }
        self.stopped
    }

    /// Whether the position is a draw by repetition, the fifty-move rule, or insufficient material.
    fn is_draw(&self, board: &Board) -> bool {
        let quiet = usize::from(board.quiet);
        let hash = board.hash;
        let before = self.line.iter().rev().skip(1).take(quiet);
        quiet >= 100 || before.step_by(2).skip(1).any(|&old| old == hash) || board.is_bare()
    }

    fn search(&mut self, board: &Board, depth: i32, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        if self.out_of_time() {
            return 0;
        }
        if depth <= 0 && !board.is_check() || ply >= MAX_PLY {
            return self.quiescence(board, ply, alpha, beta);
        }
        self.nodes += 1;
        if ply > 0 && self.is_draw(board) {
            return 0;
        }
        let depth = depth.max(1);
        let known = self.table.get(board.hash);
        if let Some(entry) = known.filter(|entry| ply > 0 && entry.depth >= depth) {
            let score = shifted(entry.score, ply as i32);
            match entry.bound {
                Bound::Exact => return score,
                Bound::AtLeast if score >= beta => return score,
                Bound::AtMost if score <= alpha => return score,
                _ => {}
            }
        }
        let in_check = board.is_check();
        let mut moves = self.moves(board, ply);
        if moves.is_empty() {
            return if in_check { ply as i32 - MATE } else { 0 };
        }
        let first = known.and_then(|entry| entry.best);
        self.order(board, &mut moves, first);
        let (mut best, mut chosen) = (-MATE, None);
        let before = alpha;
        for (number, &candidate) in moves.iter().enumerate() {
            let taken = board.taken(candidate);
            let next = board.play(candidate);
            self.line.push(next.hash);
            let gives_check = next.is_check();
            let deeper = depth - 1 + i32::from(gives_check && ply < 40);
            let mut score = alpha + 1;
            if number > 0 {
                // Late move reductions. A move that beats alpha is searched again at full depth.
                let late = number > 3 && depth > 2 && taken.is_none() && !in_check && !gives_check;
                let less = if late { 1 + i32::from(number > 10) } else { 0 };
                score = -self.search(&next, deeper - less, ply + 1, -alpha - 1, -alpha);
                if score > alpha && less > 0 {
                    score = -self.search(&next, deeper, ply + 1, -alpha - 1, -alpha);
                }
            }
            if number == 0 || score > alpha && score < beta {
                score = -self.search(&next, deeper, ply + 1, -beta, -alpha);
            }
            self.line.pop();
            if self.stopped && (ply > 0 || chosen.is_some()) {
                return 0;
            }
            if score > best {
                (best, chosen) = (score, Some(candidate));
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                if taken.is_none() {
                    let history = &mut self.history[board.side()];
                    history[candidate.from().index()][candidate.to().index()] += depth * depth;
                }
                break;
            }
        }
        let bound = if best >= beta {
            Bound::AtLeast
        } else if best > before {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        if ply == 0 {
            self.found = chosen.or(self.found);
            if self.limits.only.is_some() {
                // The score is that of some moves, not of the position.
                return best;
            }
        }
        self.table.put(board.hash, chosen, shifted(best, -(ply as i32)), depth, bound);
        best
    }

    /// Searches only queen promotions, and captures that may raise alpha (with a margin of 200).
    fn quiescence(&mut self, board: &Board, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.out_of_time() || self.is_draw(board) {
            return 0;
        }
        let standing = evaluation::of(board);
        if standing >= beta || ply >= MAX_PLY {
            return standing;
        }
        alpha = alpha.max(standing);
        let mut moves = board.moves();
        if moves.is_empty() {
            return if board.is_check() { ply as i32 - MATE } else { 0 };
        }
        moves.retain(|&candidate| {
            let gain = board.taken(candidate).map_or(0, |taken| MATERIAL[taken]);
            let promoted = candidate.promotion() == Some(Piece::Queen);
            promoted || gain > 0 && standing + gain + 200 > alpha
        });
        self.order(board, &mut moves, None);
        let mut best = standing;
        for candidate in moves {
            let next = board.play(candidate);
            self.line.push(next.hash);
            let score = -self.quiescence(&next, ply + 1, -beta, -alpha);
            self.line.pop();
            if self.stopped {
                return 0;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Orders moves: the move from the table, captures (most valuable victim first), queen
    /// promotions, the others by history.
    fn order(&self, board: &Board, moves: &mut [Move], first: Option<Move>) {
        let history = &self.history[board.side()];
        moves.sort_by_cached_key(|&candidate| {
            let value = if Some(candidate) == first {
                1 << 30
            } else if let Some(taken) = board.taken(candidate) {
                let attacker = board.kind(board.side(), candidate.from()) as i32;
                (1 << 20) + 16 * MATERIAL[taken] - attacker
            } else if candidate.promotion() == Some(Piece::Queen) {
                1 << 20
            } else {
                history[candidate.from().index()][candidate.to().index()].min(1 << 18)
            };
            -value
        });
    }
}

/// A score whose plies to mate are counted from `plies` earlier. The table counts them from the
/// position, but the search counts them from the root.
fn shifted(score: i32, plies: i32) -> i32 {
    match score {
        MATES.. => score - plies,
        ..=LOST => score + plies,
        _ => score,
    }
}

/// The soft and hard time limits for a move.
pub fn time_for(
    clock: Duration,
    increment: Duration,
    moves_to_go: Option<u32>,
) -> (Duration, Duration) {
    // Reserve time for the move to reach the GUI.
    let margin = Duration::from_millis(50).min(clock / 3);
    let clock = clock - margin;
    let moves = moves_to_go.unwrap_or(30).clamp(2, 40);
    let share = (clock / moves + increment * 3 / 4).min(clock / 2);
    (share / 2, share)
}
