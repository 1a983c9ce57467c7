//! The thin shells: generic code compiled for one instruction set, as functions of the table.

/// Defines a rank-sliced kernel: `KERNEL`, and its shells from one list of features.
///
/// `own` are its own operations, see [`own!`]; everything else is that of the table `rest` (see [`base!`]), but for single entries
/// that are given instead. What is too few boards for slices goes to `few`. The
/// list of features is both what the shells are compiled for and what detection asks for, so the two
/// cannot drift. Where the condition `on` does not hold, the kernel is known but not compiled. What the kernel
/// uses by inline assembly has no stable feature name; it stands behind `and`, and is only detected.
macro_rules! rank_sliced {
    (
        name: $name:literal, technique: $technique:literal, on: $cfg:meta, features: $features:tt $(and $detected:tt)?,
        lanes: $lanes:ident, few: $few:expr, own: [$($operation:ident $($by:ident)*),*], rest: $rest:expr $(, $entry:ident: $value:expr)* $(,)?
    ) => {
        #[cfg($cfg)]
        pub(super) const TABLE: $crate::kernels::Table = $crate::kernels::Table {
            name: $name.as_ptr(),
            $($operation: shell::$operation,)*
            $($entry: $value,)*
            ..$rest
        };

        pub(super) const KERNEL: $crate::kernels::Kernel = $crate::kernels::Kernel::new(
            $name, $technique, $crate::kernels::shells::needs!($features $($detected)?), {
                #[cfg($cfg)]
                { Some(TABLE) }
                #[cfg(not($cfg))]
                { None }
            },
        );

        #[cfg($cfg)]
        mod shell {
            use super::$lanes as L;
            // What a pointer is called through is not inlined: there would be a copy in every kernel.
            use core::hint::black_box as few;
            #[allow(unused_imports, reason = "not every kernel has all operations")]
            use $crate::kernels::{batch::{self, Few}, chunks, rank_slices};

            const FEW: Few = $few;

            $($crate::kernels::shells::own!($features $operation $($by)*);)*
        }
    };
}

/// The features that are compiled for and those that are only detected, in one list.
macro_rules! needs {
    ([$($feature:literal),*] $([$($detected:literal),*])?) => {
        &[$($feature,)* $($($detected),*)?]
    };
}

/// One operation of a rank-sliced kernel: in its slices, or made of others.
macro_rules! own {
    ([$($feature:literal),*] rook_attacks) => {
        $(#[target_feature(enable = $feature)])*
        pub(super) unsafe extern "C" fn rook_attacks(rooks: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                let done = batch::blocks::<rank_slices::RookAttacks, L, _>([rooks, occupied], attacks, boards);
                if done < boards {
                    few(FEW.rooks)(rooks.add(done), occupied.add(done), attacks.add(done), boards - done);
                }
            }
        }
    };
    ([$($feature:literal),*] bishop_attacks) => {
        $(#[target_feature(enable = $feature)])*
        pub(super) unsafe extern "C" fn bishop_attacks(bishops: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                let done = batch::blocks::<rank_slices::BishopAttacks, L, _>([bishops, occupied], attacks, boards);
                if done < boards {
                    few(FEW.bishops)(bishops.add(done), occupied.add(done), attacks.add(done), boards - done);
                }
            }
        }
    };
    ([$($feature:literal),*] queen_attacks) => {
        $(#[target_feature(enable = $feature)])*
        pub(super) unsafe extern "C" fn queen_attacks(queens: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                let done = batch::blocks::<rank_slices::QueenAttacks, L, _>([queens, occupied], attacks, boards);
                if done < boards {
                    let queens = queens.add(done);
                    few(FEW.sliders)(queens, queens, occupied.add(done), attacks.add(done), boards - done);
                }
            }
        }
    };
    ($features:tt queen_attacks as_sliders) => {
        pub(super) unsafe extern "C" fn queen_attacks(queens: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract.
            unsafe { slider_attacks(queens, queens, occupied, attacks, boards) }
        }
    };
    ([$($feature:literal),*] slider_attacks) => {
        $(#[target_feature(enable = $feature)])*
        pub(super) unsafe extern "C" fn slider_attacks(
            orthogonal: *const u64, diagonal: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize,
        ) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                let done = batch::blocks::<rank_slices::SliderAttacks, L, _>([orthogonal, diagonal, occupied], attacks, boards);
                if done < boards {
                    few(FEW.sliders)(
                        orthogonal.add(done), diagonal.add(done), occupied.add(done), attacks.add(done), boards - done,
                    );
                }
            }
        }
    };
    ($features:tt slider_attacks as_union) => {
        pub(super) unsafe extern "C" fn slider_attacks(
            orthogonal: *const u64, diagonal: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                if boards < 8 * <L as $crate::kernels::lanes::Lanes>::BOARDS {
                    few(FEW.sliders)(orthogonal, diagonal, occupied, attacks, boards);
                } else {
                    chunks::slider_attacks(orthogonal, diagonal, occupied, attacks, boards, rook_attacks, super::TABLE.bishop_attacks);
                }
            }
        }
    };
    ($features:tt slider_attacks_split) => {
        pub(super) unsafe extern "C" fn slider_attacks_split(
            orthogonal: *const u64, diagonal: *const u64, occupied: *const u64, straight: *mut u64, oblique: *mut u64, boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                chunks::slider_attacks_split(orthogonal, diagonal, occupied, straight, oblique, boards, rook_attacks, bishop_attacks);
            }
        }
    };
    ($features:tt rook_attacks_from) => { $crate::kernels::shells::own!(@from rook_attacks_from by rook_attacks); };
    ($features:tt bishop_attacks_from) => { $crate::kernels::shells::own!(@from bishop_attacks_from by bishop_attacks); };
    ($features:tt queen_attacks_from) => { $crate::kernels::shells::own!(@from queen_attacks_from by queen_attacks); };
    (@from $operation:ident by $sets:ident) => {
        pub(super) unsafe extern "C" fn $operation(squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize) {
            // SAFETY: the table's contract.
            unsafe { chunks::attacks_from(squares, occupied, attacks, boards, $sets) }
        }
    };
}

/// Defines what does not differ between the kernels of registers of one width: a module `base` with [`FEW`](super::batch::Few),
/// few boards, and `TABLE`: single rays; for attacks along a line from squares those of `hyperbola`; and the rest from the
/// table `one`.
macro_rules! base {
    (on: $cfg:meta, features: [$($feature:literal),*], lanes: $lanes:ident, one: $one:expr $(,)?) => {
        #[cfg($cfg)]
        pub(super) mod base {
            use super::$lanes as L;
            use $crate::kernels::batch::{self, Few};
            use $crate::kernels::{Table, compass::Direction, hyperbola, rank_slices, rays::{self, Ray}, short};

            const ONE: Table = $one;

            pub(in $crate::kernels) const FEW: Few = Few { rooks: rook_attacks, bishops: bishop_attacks, sliders: slider_attacks };

            pub(in $crate::kernels) const TABLE: Table = Table {
                ray_attacks,
                occluded_fill,
                line_attacks_from: hyperbola::TABLE.line_attacks_from,
                ..ONE
            };

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn rook_attacks(rooks: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
                // SAFETY: the table's contract; the features are those of this function.
                unsafe {
                    batch::few::<rank_slices::RookAttacks, L, _>(
                        [rooks, occupied], attacks, boards, |[r, o]| (ONE.rook_attacks_one)(r, o),
                    );
                }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn bishop_attacks(bishops: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) {
                // SAFETY: the table's contract; the features are those of this function.
                unsafe {
                    batch::few::<rank_slices::BishopAttacks, L, _>(
                        [bishops, occupied], attacks, boards, |[b, o]| (ONE.bishop_attacks_one)(b, o),
                    );
                }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn slider_attacks(
                orthogonal: *const u64, diagonal: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract; the features are those of this function.
                unsafe {
                    batch::few::<rank_slices::SliderAttacks, L, _>(
                        [orthogonal, diagonal, occupied], attacks, boards, |[r, b, o]| (ONE.slider_attacks_one)(r, b, o),
                    );
                }
            }

            unsafe extern "C" fn ray_attacks(
                direction: u8, sliders: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe { rays::by_vectors(direction, sliders, occupied, attacks, boards, true, run, east) }
            }

            unsafe extern "C" fn occluded_fill(
                direction: u8, generators: *const u64, propagators: *const u64, filled: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe { rays::by_vectors(direction, generators, propagators, filled, boards, false, run, east) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn run(
                direction: u8, sliders: *const u64, others: *const u64, output: *mut u64, boards: usize, attacks: bool,
            ) -> usize {
                // SAFETY: the table's contract; the features are those of this function.
                unsafe { Ray::new(Direction::numbered(direction)).run::<L>([sliders, others], output, boards, attacks) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn east(sliders: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize) -> usize {
                // SAFETY: the table's contract; the features are those of this function.
                unsafe { batch::vectors::<short::East, L, _>([sliders, occupied], attacks, boards) }
            }
        }
    };
}

/// Defines a module `compound` with x-rays and pins on rank slices, and counts; and `TABLE`, for what else the one of `base`.
macro_rules! compound {
    (on: $cfg:meta, features: [$($feature:literal),*], lanes: $lanes:ident $(,)?) => {
        #[cfg($cfg)]
        pub(super) mod compound {
            use super::$lanes as L;
            use $crate::kernels::lanes::Lanes;
            use $crate::kernels::sliced_compound::{self, Block, Met, Parts};
            use $crate::kernels::{Table, counts};

            pub(in $crate::kernels) const TABLE: Table = Table {
                xray_rook_attacks,
                xray_bishop_attacks,
                xray_queen_attacks,
                pins,
                intersection_counts,
                ..super::base::TABLE
            };

            static PARTS: Parts = Parts {
                boards: 8 * L::BOARDS,
                slice,
                unslice,
                xray: [xray::<true, false>, xray::<false, true>, xray::<true, true>],
                pins: pinned_and_pinners,
            };

            $(#[target_feature(enable = $feature)])*
            unsafe fn slice(block: &mut Block) {
                // SAFETY: the features are those of this function.
                unsafe { sliced_compound::slice::<L>(block) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe fn unslice(block: &mut Block) {
                // SAFETY: the features are those of this function.
                unsafe { sliced_compound::unslice::<L>(block) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe fn xray<const ORTHOGONAL: bool, const DIAGONAL: bool>(sets: &[Block; 3], attacks: &mut Block) {
                // SAFETY: the features are those of this function.
                unsafe { sliced_compound::xray::<L, ORTHOGONAL, DIAGONAL>(sets, attacks) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe fn pinned_and_pinners(sets: &[Block; 5], met: &mut Met, results: &mut [Block; 2]) {
                // SAFETY: the features are those of this function.
                unsafe { sliced_compound::pins::<L>(sets, met, results) }
            }

            $crate::kernels::shells::xray!(xray_rook_attacks, 0);
            $crate::kernels::shells::xray!(xray_bishop_attacks, 1);
            $crate::kernels::shells::xray!(xray_queen_attacks, 2);

            unsafe extern "C" fn pins(
                kings: *const u64, own: *const u64, orthogonal: *const u64, diagonal: *const u64, occupied: *const u64,
                pinned: *mut u64, pinners: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe {
                    sliced_compound::pinned_and_pinners(&PARTS, [kings, own, orthogonal, diagonal, occupied], [pinned, pinners], boards);
                }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn intersection_counts(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
                // SAFETY: the table's contract.
                unsafe { counts::intersections(a, b, counts, boards) }
            }
        }
    };
}

/// X-rays of rooks, bishops or queens.
macro_rules! xray {
    ($operation:ident, $piece:literal) => {
        unsafe extern "C" fn $operation(
            sliders: *const u64,
            blockers: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                sliced_compound::xray_attacks(
                    &PARTS,
                    $piece,
                    [sliders, blockers, occupied],
                    attacks,
                    boards,
                );
            }
        }
    };
}

/// Defines a module `from` with the attacks from squares by rank slices, for registers that order bytes quickly; and `TABLE`, for what
/// else the table `rest`.
macro_rules! from_squares {
    (on: $cfg:meta, features: [$($feature:literal),*], lanes: $lanes:ident, rest: $rest:ident $(,)?) => {
        #[cfg($cfg)]
        pub(super) mod from {
            use $crate::kernels::{Table, batch_from, chunks, hyperbola, sliced_squares};

            pub(in $crate::kernels) const TABLE: Table = Table {
                rook_attacks_from,
                bishop_attacks_from,
                queen_attacks_from,
                line_attacks_from,
                ..super::$rest::TABLE
            };

            $crate::kernels::shells::from_square!([$($feature),*], super::$lanes, rook_attacks_from, Rook);
            $crate::kernels::shells::from_square!([$($feature),*], super::$lanes, bishop_attacks_from, Bishop);
            $crate::kernels::shells::from_square!([$($feature),*], super::$lanes, queen_attacks_from, Queen);

            unsafe extern "C" fn line_attacks_from(
                line: u8, squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe { chunks::line_attacks_from(line, squares, occupied, attacks, boards, rook_attacks_from, bishop_attacks_from) }
            }
        }
    };
}

/// One operation from squares for one instruction set.
macro_rules! from_square {
    ([$($feature:literal),*], $lanes:ty, $operation:ident, $lines:ident) => {
        $(#[target_feature(enable = $feature)])*
        unsafe extern "C" fn $operation(
            squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize,
        ) {
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                batch_from::run::<sliced_squares::$lines, $lanes>(
                    squares, occupied, attacks, boards, hyperbola::TABLE.$operation,
                );
            }
        }
    };
}

pub(super) use {base, compound, from_square, from_squares, needs, own, rank_sliced, xray};
