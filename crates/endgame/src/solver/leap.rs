//! The leap-frog: one pass completes a number of moves and begins the next.
//!
//! The attacker who stays is the first piece in even numbers, the king in odd ones. Who stayed in a pass is the only one
//! whose moves the next pass has still to take back from what is lost by then.

use rayon::prelude::*;

use super::boards::Slab;
use super::reply::Taken;
use super::rows::{Rank, Row, Rows};
use super::{Solver, Step};
use crate::bitmap::{Bitmap, Packed, PackedRows, Packer, RowPacker, bits};
use crate::lanes::Lanes;
use crate::moves::{attacker_king_moves, flow, wide};

/// What a thread keeps between slabs.
#[derive(Default)]
struct Scratch {
    won: Vec<u64>,
    lost: Vec<u64>,
    touched: Vec<Touched>,
}

/// Which lanes of a row were loaded or stored.
struct Touched {
    /// Of `won` and `open`.
    lanes: u32,
    /// Places of the second piece whose lanes of `lost` and of `before` are in the cache.
    lost: u64,
    before: u64,
}

/// The bytes that a pass has moved. `then` are the places whose moves were taken back at the end.
fn moved(touched: &[Touched], then: u64) -> usize {
    let row = |row: &Touched| {
        // `lost` and `before` count as loaded and stored.
        row.lanes + 2 * (row.lost | then).count_ones() + 2 * (row.before | then).count_ones()
    };
    let lanes: u32 = touched.iter().map(row).sum();
    lanes as usize * size_of::<Lanes>()
}

/// What a pass knows of three men.
struct Three {
    /// Lost by the defender without his piece, in one move less than the pass completes, and in as many; by the
    /// first piece's square.
    left: [Option<Vec<[Lanes; 8]>>; 2],
    taken: Option<Taken>,
}

impl Solver<'_> {
    /// Begins with the moves to the mates, of all attackers but the first piece. Returns the bytes it moved.
    pub(super) fn begin(&self, rows: &mut Rows) -> usize {
        let left = self.left(0);
        let slabs = rows.firsts().into_par_iter();
        slabs
            .map(|slab| begin_first(self, slab, left.as_ref()))
            .sum()
    }

    /// Completes what is won and lost in `depth`, and begins the next.
    pub(super) fn leap(&self, rows: &mut Rows, depth: usize) -> Step {
        let three = Three {
            left: [self.left(depth - 1), self.left(depth)],
            taken: self.taken(depth),
        };
        if depth.is_multiple_of(2) {
            let leap = |scratch: &mut Scratch, slab| keep_first(self, slab, &three, scratch);
            let slabs = rows.firsts().into_par_iter();
            let packed = slabs.map_init(Scratch::default, leap).collect();
            Step::new(packed, Bitmap::join)
        } else {
            let leap = |scratch: &mut Scratch, slab| keep_king(self, slab, &three, scratch);
            let slabs = rows.ranks().into_par_iter();
            let packed = slabs.map_init(Scratch::default, leap).collect();
            Step::new(packed, |ranks| Bitmap::join_rows(&ranks))
        }
    }

    fn left(&self, depth: usize) -> Option<Vec<[Lanes; 8]>> {
        let lost = self.captures.defender?.lost.get(depth)?;
        Some((0..64).map(|first| lost.block(first)).collect())
    }

    /// Takes back the king's moves. Returns the places of the second piece where there were any.
    #[inline(always)]
    fn king_unmoves(&self, slab: &mut [Row<'_>], left: Option<&Vec<[Lanes; 8]>>) -> u64 {
        let lost_in = slab.iter().fold(0, |set, row| set | *row.lost_in);
        let mut moved = 0;
        for second in 0..self.men.places() {
            if lost_in >> second & 1 == 0 && left.is_none() {
                continue;
            }
            let mut from = [Lanes::ZERO; 8];
            for (from, row) in from.iter_mut().zip(slab.iter()) {
                *from = row.lost[second];
            }
            if let Some(left) = left {
                // Before he took the piece, the king stood next to its square: un-move him from there.
                from[second / 8].0[second % 8] |= left[slab[0].first][second / 8].0[second % 8];
            }
            for (row, to) in slab.iter_mut().zip(&attacker_king_moves(&from)) {
                row.before[second] |= *to;
            }
            moved |= 1 << second;
        }
        for row in slab {
            *row.before_in |= moved;
        }
        moved
    }

    /// Takes back the first piece's moves. Returns the places of the second piece where there were any.
    #[inline(always)]
    fn first_unmoves(&self, slab: &mut Rank<'_>, left: Option<&Vec<[Lanes; 8]>>) -> u64 {
        let lost_in = slab.lost_in.iter().fold(0, |set, row| set | *row);
        let (rank, stride) = (slab.number, slab.stride);
        let mut moved = 0;
        for second in 0..self.men.places() {
            let square = self.men.second.map(|_| second);
            let taken = left.map_or(Lanes::ZERO, |left| left[second][rank]);
            if lost_in >> second & 1 == 0 && taken.is_zero() {
                continue;
            }
            let passable = self.passable.rank_without(rank, square);
            // Where the piece that is taken stands there are no positions of four men.
            if square.is_some() {
                slab.lost[second * stride + second] = taken;
            }
            flow(
                &self.first,
                &passable,
                |first| slab.lost[first * stride + second],
                |first, lanes| slab.before[first * stride + second] |= lanes,
            );
            if square.is_some() {
                slab.lost[second * stride + second] = Lanes::ZERO;
            }
            moved |= 1 << second;
        }
        for before_in in slab.before_in.iter_mut() {
            *before_in |= moved;
        }
        moved
    }

    /// Takes back the moves of the second attacker, if there is one. Returns to which of his squares.
    #[inline(always)]
    fn second_unmoves(&self, row: &mut Row<'_>) -> u64 {
        let Some(paths) = &self.second_attacker else {
            return 0;
        };
        if *row.lost_in == 0 {
            return 0;
        }
        let passable = self.passable.rank_without(row.rank, Some(row.first));
        let from: &[Lanes; 64] = row.lost[..64].try_into().expect("64 places");
        let to: &mut [Lanes; 64] = (&mut row.before[..64]).try_into().expect("64 places");
        flow(
            paths,
            &passable,
            |square| from[square],
            |square, lanes| to[square] |= lanes,
        );
        *row.before_in = !0;
        !0
    }

    /// Completes what is won and lost in a row. Leaves in `before` what is won anew. `moved` are the places of the
    /// second piece where moves were taken back.
    #[inline(always)]
    fn complete(&self, row: &mut Row<'_>, taken: Option<&Taken>, moved: u64) -> Touched {
        let mut touched = Touched {
            lanes: 0,
            lost: moved | *row.lost_in,
            before: *row.before_in,
        };
        let mut won_loaded = *row.before_in;
        let mut gained = 0u64;
        for second in bits(*row.before_in) {
            let fresh = row.before[second] & !row.won[second];
            row.before[second] = fresh;
            if !fresh.is_zero() {
                row.won[second] |= fresh;
                gained |= 1 << second;
            }
        }
        *row.before_in = gained;
        if let Some(taken) = taken {
            for second in 0..self.men.places() {
                let taken = taken.at(row.first, second, row.rank) & !row.won[second];
                if !taken.is_zero() {
                    row.won[second] |= taken;
                    gained |= 1 << second;
                }
            }
            won_loaded = !0;
        }
        for second in bits(*row.lost_in) {
            row.lost[second] = Lanes::ZERO;
        }
        *row.lost_in = 0;
        touched.lanes = won_loaded.count_ones() + gained.count_ones();
        if gained == 0 {
            return touched;
        }
        let mut slab = Slab {
            first: row.first,
            won: row.won,
            open: row.open,
            lost: row.lost,
        };
        // A bare king's moves stay within a lane.
        let seconds = if self.second_defender.is_some() {
            !0
        } else {
            gained
        };
        self.stuck(&mut slab, row.rank, || bits(seconds), |second| second);
        for second in bits(seconds) {
            if !row.lost[second].is_zero() {
                row.open[second] = row.open[second] & !row.lost[second];
                *row.lost_in |= 1 << second;
            }
        }
        // What is left of `won`; `open`.
        touched.lanes += (seconds & !won_loaded).count_ones();
        touched.lanes += seconds.count_ones() + row.lost_in.count_ones();
        touched.lost |= seconds;
        touched
    }
}

wide! {
    /// What [`keep_first`] does last.
    fn begin_first(
        solver: &Solver<'_>,
        mut slab: Vec<Row<'_>>,
        left: Option<&Vec<[Lanes; 8]>>,
    ) -> usize {
        let touched: Vec<_> = slab
            .iter_mut()
            .map(|row| Touched {
                lanes: 0,
                lost: *row.lost_in,
                before: solver.second_unmoves(row),
            })
            .collect();
        let taken_back = solver.king_unmoves(&mut slab, left);
        moved(&touched, taken_back)
    }
}

wide! {
    /// A pass over the slab of one square of the first piece.
    fn keep_first(
        solver: &Solver<'_>,
        mut slab: Vec<Row<'_>>,
        three: &Three,
        scratch: &mut Scratch,
    ) -> (Packed, Packed, usize) {
        let places = solver.men.places();
        let taken_back = solver.king_unmoves(&mut slab, three.left[0].as_ref());
        scratch.touched.clear();
        for row in &mut slab {
            let touched = solver.complete(row, three.taken.as_ref(), taken_back);
            scratch.touched.push(touched);
        }
        let mut won = Packer::new(&mut scratch.won, places * 8);
        let mut lost = Packer::new(&mut scratch.lost, places * 8);
        let (mut won_in, mut lost_in) = (vec![0; places], vec![0; places]);
        for second in 0..places {
            for (rank, row) in slab.iter_mut().enumerate() {
                if *row.before_in >> second & 1 != 0 {
                    won_in[second] |= u64::from(won.add(row.before[second])) << (8 * rank);
                    row.before[second] = Lanes::ZERO;
                }
                if *row.lost_in >> second & 1 != 0 {
                    lost_in[second] |= u64::from(lost.add(row.lost[second])) << (8 * rank);
                }
            }
        }
        for (row, touched) in slab.iter_mut().zip(&mut scratch.touched) {
            *row.before_in = 0;
            touched.before |= solver.second_unmoves(row);
        }
        let taken_back = solver.king_unmoves(&mut slab, three.left[1].as_ref());
        let won = Packed::new(won_in, won.words());
        let lost = Packed::new(lost_in, lost.words());
        (won, lost, moved(&scratch.touched, taken_back))
    }
}

wide! {
    /// A pass over the slab of one rank of the attacker's king.
    fn keep_king(
        solver: &Solver<'_>,
        mut slab: Rank<'_>,
        three: &Three,
        scratch: &mut Scratch,
    ) -> (PackedRows, PackedRows, usize) {
        let places = solver.men.places();
        let taken_back = solver.first_unmoves(&mut slab, three.left[0].as_ref());
        let mut won = RowPacker::new(&mut scratch.won, places);
        let mut lost = RowPacker::new(&mut scratch.lost, places);
        scratch.touched.clear();
        for mut row in slab.reborrow().rows() {
            let mut touched = solver.complete(&mut row, three.taken.as_ref(), taken_back);
            won.row(*row.before_in, row.before);
            lost.row(*row.lost_in, row.lost);
            for second in bits(*row.before_in) {
                row.before[second] = Lanes::ZERO;
            }
            *row.before_in = 0;
            touched.before |= solver.second_unmoves(&mut row);
            scratch.touched.push(touched);
        }
        let taken_back = solver.first_unmoves(&mut slab, three.left[1].as_ref());
        let (won, lost) = (won.finish(), lost.finish());
        // The packed words are stored here, and loaded to be joined.
        let packed = 2 * (won.bytes() + lost.bytes());
        (won, lost, moved(&scratch.touched, taken_back) + packed)
    }
}
