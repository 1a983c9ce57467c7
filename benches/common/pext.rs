//! Peer: every slider popped from its set and looked up by PEXT, where the CPU has BMI2. (Before Zen 3,
//! AMD's PEXT is microcode and slow.)
//!
//! The published crates with PEXT look-ups for standard chess (`cozy-chess`, `chess`) choose them when they
//! are compiled for a CPU with BMI2, which a benchmark without compiler flags cannot ask for. So the
//! table is the benchmark's own, in the usual layout: one square after the other, the attacks for
//! every subset of the squares that matter to a slider there.

use std::arch::x86_64::_pext_u64;
use std::sync::LazyLock;

use super::contender::Contender;
use super::looped::looped;
use super::{Operation, oracle};

pub(super) fn contender(operation: Operation) -> Option<Contender> {
    let detected = is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
    let pext = looped!("popped-pext", rook, bishop, queen, slider, "bmi1,bmi2");
    if detected {
        // SAFETY: the features are detected.
        unsafe { pext.contender(operation) }
    } else {
        None
    }
}

static ROOK: LazyLock<Table> = LazyLock::new(|| Table::new(Operation::Rook));
static BISHOP: LazyLock<Table> = LazyLock::new(|| Table::new(Operation::Bishop));

struct Table {
    squares: [Entry; 64],
    /// All squares' attacks; each square's part is indexed by the extracted occupancy.
    attacks: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Entry {
    relevant: u64,
    start: usize,
}

impl Table {
    fn new(operation: Operation) -> Table {
        let mut attacks = Vec::new();
        let squares = std::array::from_fn(|square| {
            let slider = 1 << square;
            let open = oracle::answer(operation, &[slider, 0]);
            // A square matters if a blocker there changes the attacks.
            let relevant = (0..64)
                .map(|blocker| 1 << blocker)
                .filter(|&blocker| oracle::answer(operation, &[slider, blocker]) != open)
                .fold(0u64, |set, blocker| set | blocker);
            let start = attacks.len();
            let mut subset = 0u64;
            // Subsets by ascending number, which is the order of their extracted bits.
            loop {
                attacks.push(oracle::answer(operation, &[slider, subset]));
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
        // SAFETY: the part of a square has an element for every subset of `relevant`, and the
        // extracted bits number these subsets.
        unsafe { *self.attacks.get_unchecked(index) }
    }
}

/// The union of the look-ups of every slider in each of the tables.
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

#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn rook(rooks: u64, occupied: u64) -> u64 {
    popped([&*ROOK], rooks, occupied | rooks)
}

#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn bishop(bishops: u64, occupied: u64) -> u64 {
    popped([&*BISHOP], bishops, occupied | bishops)
}

#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn queen(queens: u64, occupied: u64) -> u64 {
    popped([&*ROOK, &*BISHOP], queens, occupied | queens)
}

#[target_feature(enable = "bmi1,bmi2")]
#[inline]
fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    rook(orthogonal, occupied) | bishop(diagonal, occupied)
}
