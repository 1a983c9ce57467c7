//! Positions in every form that a kernel takes.

use setwise::Kernel;
use setwise::moves::{
    CountColumns, GameColumns, GamePlanes, GamePosition, Move, State, StateColumns,
};
use setwise::position::PositionColumns;

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
    pub fn counts(
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
    pub fn lists(&self, kernel: &Kernel, total: usize) -> Vec<Vec<Move>> {
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
