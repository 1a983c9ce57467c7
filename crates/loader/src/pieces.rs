//! Pieces by square and bucket of the own king.

use crate::summary::{A_TO_D, Summary};
use crate::table::Table;

/// Numbers pieces: `64 * (planes * bucket + plane) + square`.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// By side and code: 64 times the plane.
    planes: [[u32; 16]; 2],
    /// Whether each piece has a plane.
    has_all: bool,
    /// The number of planes.
    count: u32,
    buckets: [u8; 64],
    mirror: u8,
}

impl Pieces {
    /// Makes a numbering. `planes` has a number for each own piece (pawn, knight, bishop, rook,
    /// queen, king) and each of the other side, or `None` if it is not an input. `buckets` has a
    /// number for each square of the own king as its side sees it, and a side whose king is on a
    /// file of `mirror` (bit 0: the a-file) sees the files mirrored.
    #[must_use]
    pub fn new(planes: [Option<u8>; 12], buckets: [u8; 64], mirror: u8) -> Pieces {
        let mut by_code = [[Table::EXCLUDED; 16]; 2];
        for (piece, plane) in planes.into_iter().enumerate() {
            let plane = plane.map_or(Table::EXCLUDED, |plane| 64 * u32::from(plane));
            for side in 0..2 {
                by_code[side][1 + (piece + 6 * side) % 12] = plane;
            }
        }
        let count = planes.iter().flatten().max().map_or(0, |most| u32::from(*most) + 1);
        let has_all = planes.iter().all(Option::is_some);
        Pieces { planes: by_code, has_all, count, buckets, mirror }
    }

    /// The files of the own king with which files are mirrored.
    pub(crate) fn mirror(&self) -> u8 {
        self.mirror
    }

    /// The number of inputs.
    pub(crate) fn count(&self) -> u32 {
        let buckets = self.buckets.iter().max().map_or(0, |most| u32::from(*most) + 1);
        64 * self.count * buckets
    }

    /// `HalfKAv2_hm`: the king stands on e to h, in one of 32 buckets.
    pub(crate) fn half_ka() -> Pieces {
        let planes = std::array::from_fn(|piece| Some((2 * (piece % 6) + piece / 6) as u8));
        let buckets = std::array::from_fn(|square| match (square / 8, square % 8) {
            (rank, file @ 4..) => (28 - 4 * rank + 7 - file) as u8,
            _ => 0,
        });
        Pieces::new(planes, buckets, A_TO_D)
    }

    /// The room that this many pieces need.
    #[inline(always)]
    pub(crate) fn room(&self, pieces: usize) -> usize {
        pieces + usize::from(!self.has_all)
    }

    /// Writes the indices of White's and of Black's view, from `start` on. Returns their numbers.
    #[inline(always)]
    pub(crate) fn append(
        &self,
        start: u32,
        board: &[u8; 64],
        summary: &Summary,
        [white, black]: [&mut [u32]; 2],
    ) -> [usize; 2] {
        let flips = summary.flips(self.mirror);
        let firsts: [u32; 2] = std::array::from_fn(|side| {
            let king = summary.kings[side] ^ flips[side];
            start + 64 * self.count * u32::from(self.buckets[usize::from(king & 63)])
        });
        // Both indices of a piece, and the planes of both views.
        let piece = |square: u32| {
            let code = usize::from(board[square as usize] & 15);
            let planes = [self.planes[0][code], self.planes[1][code]];
            let index = |view: usize| {
                planes[view]
                    .wrapping_add(firsts[view])
                    .wrapping_add(square ^ u32::from(flips[view]))
            };
            ([index(0), index(1)], planes)
        };
        let mut left = summary.occupied;
        let mut next = || {
            let square = left.trailing_zeros() & 63;
            left &= left.wrapping_sub(1);
            square
        };
        let count = summary.occupied.count_ones() as usize;
        if self.has_all {
            for (white, black) in white[..count].iter_mut().zip(&mut black[..count]) {
                let ([one, other], _) = piece(next());
                (*white, *black) = (one, other);
            }
            return [count; 2];
        }
        let (white, black, mut counts) = (&mut white[..=count], &mut black[..=count], [0; 2]);
        for _ in 0..count {
            let (indices, planes) = piece(next());
            (white[counts[0]], black[counts[1]]) = (indices[0], indices[1]);
            for (count, plane) in counts.iter_mut().zip(planes) {
                *count += usize::from(plane != Table::EXCLUDED);
            }
        }
        counts
    }
}
