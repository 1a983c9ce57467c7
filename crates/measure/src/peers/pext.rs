//! Peer: looks up the attacks of one slider at a time with PEXT, on CPUs with BMI2. (AMD CPUs
//! before Zen 3 have PEXT only in slow microcode.)
//!
//! The published crates with PEXT look-ups (`cozy-chess`, `chess`) need compiler flags for BMI2. A
//! benchmark whose single binary runs on all CPUs cannot use these flags. So it builds its own
//! table in the usual layout: for each square, the attacks for every subset of the relevant
//! squares.

use std::arch::x86_64::_pext_u64;
use std::sync::LazyLock;

use super::looped::looped;
use crate::contender::Contender;
use crate::operation::Operation;
use setwise_check::oracle;

pub(super) fn contenders(operation: Operation) -> Vec<Contender> {
    looped! { operation; ["popped-pext", "bmi1", "bmi2"] => {
        rook_attacks(rooks, occupied) = popped([&*ROOK], rooks, occupied | rooks);
        bishop_attacks(bishops, occupied) = popped([&*BISHOP], bishops, occupied | bishops);
        queen_attacks(queens, occupied) = popped([&*ROOK, &*BISHOP], queens, occupied | queens);
        slider_attacks(orthogonal, diagonal, occupied) = {
            let occupied = occupied | orthogonal | diagonal;
            popped([&*ROOK], orthogonal, occupied) | popped([&*BISHOP], diagonal, occupied)
        };
    } }
}

static ROOK: LazyLock<Table> = LazyLock::new(|| Table::new(oracle::rook_attacks));
static BISHOP: LazyLock<Table> = LazyLock::new(|| Table::new(oracle::bishop_attacks));

struct Table {
    squares: [Entry; 64],
    /// The attacks of all squares. Each square has its own part of the table, indexed by the
    /// extracted occupancy.
    attacks: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Entry {
    relevant: u64,
    start: usize,
}

impl Table {
    fn new(attacks_of: fn(u64, u64) -> u64) -> Table {
        let mut attacks = Vec::new();
        let squares = std::array::from_fn(|square| {
            let slider = 1 << square;
            let open = attacks_of(slider, 0);
            // A square is relevant if a blocker there changes the attacks.
            let relevant = (0..64)
                .map(|blocker| 1 << blocker)
                .filter(|&blocker| attacks_of(slider, blocker) != open)
                .fold(0u64, |set, blocker| set | blocker);
            let start = attacks.len();
            let mut subset = 0u64;
            // Subsets come in ascending order, so their extracted bits count up from 0.
            loop {
                attacks.push(attacks_of(slider, subset));
                subset = subset.wrapping_sub(relevant) & relevant;
                if subset == 0 {
                    break Entry { relevant, start };
                }
            }
        });
        Table { squares, attacks }
    }

    #[target_feature(enable = "bmi2")]
    #[inline]
    fn look_up(&self, square: usize, occupied: u64) -> u64 {
        let Entry { relevant, start } = self.squares[square % 64];
        let index = start + _pext_u64(occupied, relevant) as usize;
        // SAFETY: the part of each square has one element per subset of `relevant`, and the
        // extracted bits are the index of a subset.
        unsafe { *self.attacks.get_unchecked(index) }
    }
}

/// The union of the attacks of all sliders, each looked up in every table.
#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn popped<const N: usize>(tables: [&Table; N], mut sliders: u64, occupied: u64) -> u64 {
    let mut attacked = 0;
    while sliders != 0 {
        let square = sliders.trailing_zeros() as usize;
        for table in tables {
            attacked |= table.look_up(square, occupied);
        }
        sliders &= sliders - 1;
    }
    attacked
}
