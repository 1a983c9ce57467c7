//! X-rays and pins, on rank slices.
//!
//! Per ray, as [`rays`](super::rays) tells them.
//!
//! A sweep over the ranks carries, for each of its three rays, the flood from the sliders and the second flood, from what the
//! first has met: two rays one behind the other cost one pass.
//!
//! Size counts here. What reads, unites and writes boards exists once for all kernels; the parts that differ by
//! instruction set are functions called through pointers; sweeps are loops over slices in memory, in
//! the first-level cache, and north and south the same loop in another order. (All inlined and unrolled, in every kernel, it
//! was faster, and many times the size.)

use core::hint::black_box;

use super::lanes::{Lanes, MOST_BOARDS};
use super::rank_slices::westward;

/// Memory for the largest block, as boards or as slices.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block([u64; MOST_BOARDS]);

impl Block {
    const EMPTY: Block = Block([0; MOST_BOARDS]);

    /// Slice `i % 8`.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    #[inline(always)]
    unsafe fn get<L: Lanes>(&self, i: usize) -> L {
        // SAFETY: the caller's contract; eight vectors are at most a block.
        unsafe { L::load(self.0.as_ptr().add(i % 8 * L::BOARDS)) }
    }

    #[inline(always)]
    fn set<L: Lanes>(&mut self, i: usize, slice: L) {
        // SAFETY: eight vectors are at most a block.
        unsafe { slice.store(self.0.as_mut_ptr().add(i % 8 * L::BOARDS)) }
    }

    /// # Safety
    /// The CPU has the features of `L`.
    #[inline(always)]
    unsafe fn all<L: Lanes>(&self) -> [L; 8] {
        // SAFETY: the caller's contract.
        unsafe {
            let mut vectors = [self.get(0); 8];
            for v in 1..8 {
                vectors[v] = self.get(v);
            }
            vectors
        }
    }

    #[inline(always)]
    fn set_all<L: Lanes>(&mut self, vectors: [L; 8]) {
        for v in 0..8 {
            self.set(v, vectors[v]);
        }
    }
}

/// What differs by instruction set: the generic functions below with the features of a register type.
///
/// Their contract: the CPU has those features.
pub(super) struct Parts {
    /// Boards in a block.
    pub(super) boards: usize,
    /// Cuts boards into slices.
    pub(super) slice: unsafe fn(&mut Block),
    /// Puts slices together again.
    pub(super) unslice: unsafe fn(&mut Block),
    /// Of sliders, transparent blockers and occupied squares: by rook, bishop, queen.
    pub(super) xray: [unsafe fn(&[Block; 3], &mut Block); 3],
    /// Of kings, own, orthogonal, diagonal and occupied: pinned, pinners.
    pub(super) pins: unsafe fn(&[Block; 5], &mut Met, &mut [Block; 2]),
}

/// Memory for what the three rays of kings and of sliders meet, of each half rose.
pub(super) type Met = [[[Block; 2]; 3]; 2];

/// # Safety
/// As [`Parts`] has it.
#[inline(always)]
pub(super) unsafe fn slice<L: Lanes>(block: &mut Block) {
    // SAFETY: the caller's contract.
    block.set_all(L::slice(unsafe { block.all() }));
}

/// # Safety
/// As [`Parts`] has it.
#[inline(always)]
pub(super) unsafe fn unslice<L: Lanes>(block: &mut Block) {
    // SAFETY: the caller's contract.
    block.set_all(L::unslice(unsafe { block.all() }));
}

/// Both orders of the ranks, as a start and a step: north, and south.
#[inline(always)]
fn halves() -> &'static [(usize, usize)] {
    // The compiler is not to know how many, lest it unroll.
    black_box(&[(0, 1), (7, 7)])
}

/// All ranks; and all that a sweep comes to after its first.
#[inline(always)]
fn ranks() -> core::ops::Range<usize> {
    0..black_box(8)
}
#[inline(always)]
fn sweep((start, step): (usize, usize)) -> impl Iterator<Item = usize> {
    (1..black_box(8)).map(move |i| start + i * step)
}

/// What a ray has met, and what it has met beyond.
#[derive(Clone, Copy)]
struct Through<L> {
    first: L,
    second: L,
}

impl<L: Lanes> Through<L> {
    /// Both floods pass a rank: the second begins where the first meets something transparent.
    #[inline(always)]
    fn flood(self, occupied: L, sliders: L, transparent: L) -> Self {
        Through {
            first: self.first.flood(occupied, sliders),
            second: self
                .second
                .without(occupied)
                .or(self.first.and(transparent)),
        }
    }
}

/// X-rays along a rank, both ways.
#[inline(always)]
fn xray_along<L: Lanes>(sliders: L, transparent: L, occupied: L) -> L {
    let first = L::east_attacks(sliders, occupied).and(transparent);
    let beyond = L::east_attacks(first, occupied);
    let (west_sliders, west_occupied) = westward(sliders, occupied);
    let first = L::west_attacks(west_sliders, west_occupied).and(transparent);
    let (first, west_occupied) = westward(first, occupied);
    beyond.or(L::west_attacks(first, west_occupied))
}

/// X-rays of orthogonal sliders, of diagonal ones, or of both.
///
/// # Safety
/// As [`Parts`] has it.
#[inline(always)]
pub(super) unsafe fn xray<L: Lanes, const ORTHOGONAL: bool, const DIAGONAL: bool>(
    [sliders, transparent, occupied]: &[Block; 3],
    attacks: &mut Block,
) {
    // SAFETY: the caller's contract.
    unsafe {
        for i in ranks() {
            let [sliders, transparent, occupied] =
                [sliders.get(i), transparent.get(i), occupied.get::<L>(i)];
            let along = if ORTHOGONAL {
                xray_along(sliders, transparent, occupied)
            } else {
                sliders.xor(sliders)
            };
            attacks.set(i, along);
        }
        for &half in halves() {
            let first = sliders.get::<L>(half.0);
            let second = first.xor(first);
            let (west_first, _) = westward(first, first);
            let mut straight = Through { first, second };
            let mut east = straight;
            let mut west = Through {
                first: west_first,
                second,
            };
            for i in sweep(half) {
                let (sliders, transparent, occupied) =
                    (sliders.get(i), transparent.get::<L>(i), occupied.get(i));
                let mut result = attacks.get::<L>(i);
                if ORTHOGONAL {
                    result = result.or(straight.second);
                    straight = straight.flood(occupied, sliders, transparent);
                }
                if DIAGONAL {
                    east = Through {
                        first: east.first.east(),
                        second: east.second.east(),
                    };
                    west = Through {
                        first: west.first.west::<1>(),
                        second: west.second.west::<1>(),
                    };
                    result = result.or(east.second).or(west.second);
                    east = east.flood(occupied, sliders, transparent);
                    let (west_sliders, west_occupied) = westward(sliders, occupied);
                    let (west_transparent, _) = westward(transparent, occupied);
                    west = west.flood(west_occupied, west_sliders, west_transparent);
                }
                attacks.set(i, result);
            }
        }
    }
}

/// A king's ray with what is beyond an own piece, and a slider's ray.
#[derive(Clone, Copy)]
struct Pin<L> {
    king: Through<L>,
    slider: L,
}

impl<L: Lanes> Pin<L> {
    #[inline(always)]
    fn flood(self, occupied: L, king: L, slider: L, own: L) -> Self {
        Pin {
            king: self.king.flood(occupied, king, own),
            slider: self.slider.flood(occupied, slider),
        }
    }

    #[inline(always)]
    fn east(self) -> Self {
        Pin {
            king: Through {
                first: self.king.first.east(),
                second: self.king.second.east(),
            },
            slider: self.slider.east(),
        }
    }

    #[inline(always)]
    fn west(self) -> Self {
        Pin {
            king: Through {
                first: self.king.first.west::<1>(),
                second: self.king.second.west::<1>(),
            },
            slider: self.slider.west::<1>(),
        }
    }
}

/// Pins along a rank, both ways: what lies between a king and a slider, and the sliders beyond an own piece.
#[inline(always)]
fn pins_along<L: Lanes>(kings: L, own: L, sliders: L, occupied: L) -> [L; 2] {
    let king_east = L::east_attacks(kings, occupied);
    let slider_east = L::east_attacks(sliders, occupied);
    let beyond_east = L::east_attacks(king_east.and(own), occupied);
    let (west, west_occupied) = westward(kings, occupied);
    let king_west = L::west_attacks(west, west_occupied);
    let (west, west_occupied) = westward(sliders, occupied);
    let slider_west = L::west_attacks(west, west_occupied);
    let (west, west_occupied) = westward(king_west.and(own), occupied);
    let beyond_west = L::west_attacks(west, west_occupied);
    [
        king_east.and(slider_west).or(king_west.and(slider_east)),
        beyond_east.or(beyond_west).and(sliders),
    ]
}

/// # Safety
/// As [`Parts`] has it.
#[inline(always)]
pub(super) unsafe fn pins<L: Lanes>(
    [kings, own, orthogonal, diagonal, occupied]: &[Block; 5],
    met: &mut Met,
    [pinned, pinners]: &mut [Block; 2],
) {
    // SAFETY: the caller's contract.
    unsafe {
        for i in ranks() {
            let [between, beyond] =
                pins_along::<L>(kings.get(i), own.get(i), orthogonal.get(i), occupied.get(i));
            pinned.set(i, between);
            pinners.set(i, beyond);
        }
        for (&half, met) in halves().iter().zip(&mut *met) {
            let king = kings.get::<L>(half.0);
            let second = king.xor(king);
            let (west_king, _) = westward(king, king);
            let (west_slider, _) = westward(diagonal.get(half.0), king);
            let mut straight = Pin {
                king: Through {
                    first: king,
                    second,
                },
                slider: orthogonal.get(half.0),
            };
            let mut east = Pin {
                slider: diagonal.get(half.0),
                ..straight
            };
            let mut west = Pin {
                king: Through {
                    first: west_king,
                    second,
                },
                slider: west_slider,
            };
            for i in sweep(half) {
                let (king, own, occupied) = (kings.get(i), own.get::<L>(i), occupied.get(i));
                let (orthogonal, diagonal) = (orthogonal.get(i), diagonal.get(i));
                (east, west) = (east.east(), west.west());
                for (met, ray) in met.iter_mut().zip([straight, east, west]) {
                    met[0].set(i, ray.king.first);
                    met[1].set(i, ray.slider);
                }
                let beyond = straight.king.second.and(orthogonal);
                let beyond_diagonal = east.king.second.or(west.king.second).and(diagonal);
                pinners.set(i, pinners.get::<L>(i).or(beyond).or(beyond_diagonal));
                straight = straight.flood(occupied, king, orthogonal, own);
                east = east.flood(occupied, king, diagonal, own);
                let (west_king, west_occupied) = westward(king, occupied);
                let (west_diagonal, _) = westward(diagonal, occupied);
                let (west_own, _) = westward(own, occupied);
                west = west.flood(west_occupied, west_king, west_diagonal, west_own);
            }
        }
        // Pinned is what both a king and, from the opposite direction, a slider meet.
        let [north, south] = &*met;
        for i in ranks() {
            let mut between = pinned.get::<L>(i);
            for (ray, opposite) in [(0, 0), (1, 2), (2, 1)] {
                let [[king, slider], [king_back, slider_back]] = [&north[ray], &south[opposite]];
                between = between
                    .or(king.get::<L>(i).and(slider_back.get(i)))
                    .or(king_back.get::<L>(i).and(slider.get(i)));
            }
            pinned.set(i, between.and(own.get(i)));
        }
    }
}

impl Block {
    /// Takes the next boards of a set, at most a block of them.
    ///
    /// # Safety
    /// The pointer is valid for `boards` boards.
    unsafe fn read(&mut self, set: *const u64, boards: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            self.0
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(set.cast(), 8 * boards);
        };
    }

    /// # Safety
    /// As [`read`](Block::read), for writing.
    unsafe fn write(&self, set: *mut u64, boards: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            set.cast::<u8>()
                .copy_from_nonoverlapping(self.0.as_ptr().cast(), 8 * boards);
        };
    }

    #[inline(never)]
    fn unite(&mut self, other: &Block) {
        for i in 0..4 * black_box(MOST_BOARDS / 4) {
            self.0[i % MOST_BOARDS] |= other.0[i % MOST_BOARDS];
        }
    }

    #[inline(never)]
    fn intersect(&mut self, other: &Block) {
        for i in 0..4 * black_box(MOST_BOARDS / 4) {
            self.0[i % MOST_BOARDS] &= other.0[i % MOST_BOARDS];
        }
    }
}

/// X-ray attacks, by rook, bishop or queen: the table's entries.
///
/// # Safety
/// The CPU has what `parts` need; every pointer is valid for `boards` boards, of any alignment; the output
/// may be exactly one of the inputs, but overlaps nothing else.
#[inline(never)]
pub(super) unsafe fn xray_attacks(
    parts: &Parts,
    piece: usize,
    inputs: [*const u64; 3],
    attacks: *mut u64,
    boards: usize,
) {
    let (mut sets, mut result) = ([Block::EMPTY; 3], Block::EMPTY);
    for start in (0..boards).step_by(parts.boards) {
        let boards = parts.boards.min(boards - start);
        // SAFETY: the caller's contract; a block reads all before it writes.
        unsafe {
            for (set, input) in sets.iter_mut().zip(inputs) {
                set.read(input.add(start), boards);
            }
            let [sliders, transparent, occupied] = &mut sets;
            occupied.unite(sliders);
            transparent.intersect(occupied);
            for set in &mut sets {
                (parts.slice)(set);
            }
            parts.xray[piece](&sets, &mut result);
            (parts.unslice)(&mut result);
            result.write(attacks.add(start), boards);
        }
    }
}

/// Pinned pieces and pinners: the table's entry.
///
/// # Safety
/// As [`xray_attacks`], with two outputs, which overlap each other nowhere.
#[inline(never)]
pub(super) unsafe fn pinned_and_pinners(
    parts: &Parts,
    inputs: [*const u64; 5],
    outputs: [*mut u64; 2],
    boards: usize,
) {
    let (mut sets, mut results) = ([Block::EMPTY; 5], [Block::EMPTY; 2]);
    let mut met = [[[Block::EMPTY; 2]; 3]; 2];
    for start in (0..boards).step_by(parts.boards) {
        let boards = parts.boards.min(boards - start);
        // SAFETY: the caller's contract; a block reads all before it writes.
        unsafe {
            for (set, input) in sets.iter_mut().zip(inputs) {
                set.read(input.add(start), boards);
            }
            let [others @ .., occupied] = &mut sets;
            for set in others {
                occupied.unite(set);
            }
            for set in &mut sets {
                (parts.slice)(set);
            }
            (parts.pins)(&sets, &mut met, &mut results);
            for (block, output) in results.iter_mut().zip(outputs) {
                (parts.unslice)(block);
                block.write(output.add(start), boards);
            }
        }
    }
}
