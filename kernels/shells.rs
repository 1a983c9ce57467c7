//! The thin shells: the rank-sliced algorithm compiled for one instruction set.

/// Defines a rank-sliced kernel, `KERNEL`, and its shells from one list of features.
///
/// Batches go through [`batch::run`](super::batch::run), single boards to `one`. The list of features is both what
/// the shells are compiled for and what detection asks for, so the two cannot drift. Where the
/// condition `on` does not hold, the kernel is known but not compiled. What the kernel uses by
/// inline assembly has no stable feature name; it stands behind `and`, and is only detected.
macro_rules! rank_sliced {
    (
        name: $name:literal, technique: $technique:literal, on: $cfg:meta, features: [$($feature:literal),*] $(and [$($detected:literal),*])?,
        lanes: $lanes:ident, one: $one:path $(, $entry:ident: $value:expr)* $(,)?
    ) => {
        #[cfg($cfg)]
        const TABLE: Option<$crate::kernels::Table> = Some($crate::kernels::Table {
            $($entry: $value,)*
            ..shell::table($name)
        });
        #[cfg(not($cfg))]
        const TABLE: Option<$crate::kernels::Table> = None;

        pub(super) const KERNEL: $crate::kernels::Kernel =
            $crate::kernels::Kernel::new($name, $technique, &[$($feature,)* $($($detected),*)?], TABLE);

        #[cfg($cfg)]
        mod shell {
            use $crate::kernels::Table;

            const ONE: Table = $one;
            const FROM: Table = $crate::kernels::hyperbola::TABLE;

            pub(super) const fn table(name: &'static core::ffi::CStr) -> Table {
                Table {
                    name: name.as_ptr(),
                    rook_attacks,
                    bishop_attacks,
                    queen_attacks,
                    slider_attacks,
                    ray_attacks: [
                        ray::<0>, ray::<1>, ray::<2>, ray::<3>, ray::<4>, ray::<5>, ray::<6>, ray::<7>,
                    ],
                    occluded_fill: [
                        fill::<0>, fill::<1>, fill::<2>, fill::<3>, fill::<4>, fill::<5>, fill::<6>, fill::<7>,
                    ],
                    slider_attacks_split,
                    xray_rook_attacks,
                    xray_bishop_attacks,
                    xray_queen_attacks,
                    pins,
                    intersection_counts,
                    rook_attacks_from,
                    bishop_attacks_from,
                    queen_attacks_from,
                    line_attacks_from: [line_from::<0>, line_from::<1>, line_from::<2>, line_from::<3>],
                    rook_attacks_from_one: FROM.rook_attacks_from_one,
                    bishop_attacks_from_one: FROM.bishop_attacks_from_one,
                    queen_attacks_from_one: FROM.queen_attacks_from_one,
                    line_attacks_from_one: FROM.line_attacks_from_one,
                    ..ONE
                }
            }

        $crate::kernels::shells::batch_shell!([$($feature),*], super::$lanes, ONE.rook_attacks_one, rook_attacks, RookAttacks, sliders, occupied);
            $crate::kernels::shells::batch_shell!([$($feature),*], super::$lanes, ONE.bishop_attacks_one, bishop_attacks, BishopAttacks, sliders, occupied);
            $crate::kernels::shells::batch_shell!([$($feature),*], super::$lanes, ONE.queen_attacks_one, queen_attacks, QueenAttacks, sliders, occupied);
            $crate::kernels::shells::batch_shell!([$($feature),*], super::$lanes, ONE.slider_attacks_one, slider_attacks, SliderAttacks, orthogonal, diagonal, occupied);

            $crate::kernels::shells::compound_shell!([$($feature),*], super::$lanes, slider_attacks_split, Split, [orthogonal, diagonal, occupied] -> [straight, oblique]);
            $crate::kernels::shells::compound_shell!([$($feature),*], super::$lanes, xray_rook_attacks, Xray<true, false>, [rooks, blockers, occupied] -> [attacks]);
            $crate::kernels::shells::compound_shell!([$($feature),*], super::$lanes, xray_bishop_attacks, Xray<false, true>, [bishops, blockers, occupied] -> [attacks]);
            $crate::kernels::shells::compound_shell!([$($feature),*], super::$lanes, xray_queen_attacks, Xray<true, true>, [queens, blockers, occupied] -> [attacks]);
            $crate::kernels::shells::compound_shell!([$($feature),*], super::$lanes, pins, Pins, [kings, own, orthogonal, diagonal, occupied] -> [pinned, pinners]);

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn intersection_counts(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
                // SAFETY: the table's contract.
                unsafe { $crate::kernels::counts::intersections(a, b, counts, boards) }
            }

            $crate::kernels::shells::from_shell!([$($feature),*], super::$lanes, FROM.rook_attacks_from_one, rook_attacks_from, Rook);
            $crate::kernels::shells::from_shell!([$($feature),*], super::$lanes, FROM.bishop_attacks_from_one, bishop_attacks_from, Bishop);
            $crate::kernels::shells::from_shell!([$($feature),*], super::$lanes, FROM.queen_attacks_from_one, queen_attacks_from, Queen);
            $crate::kernels::shells::from_shell!([$($feature),*], super::$lanes, FROM.line_attacks_from_one[LINE], line_from, One<LINE>, const LINE: usize);

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn ray<const DIRECTION: usize>(
                sliders: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe { $crate::kernels::elementwise::ray_attacks::<DIRECTION>(sliders, occupied, attacks, boards) }
            }

            $(#[target_feature(enable = $feature)])*
            unsafe extern "C" fn fill<const DIRECTION: usize>(
                generators: *const u64, propagators: *const u64, filled: *mut u64, boards: usize,
            ) {
                // SAFETY: the table's contract.
                unsafe { $crate::kernels::elementwise::occluded_fill::<DIRECTION>(generators, propagators, filled, boards) }
            }
        }
    };
}

/// One batch operation for one instruction set.
macro_rules! batch_shell {
    ([$($feature:literal),*], $lanes:ty, $one:expr, $operation:ident, $block:ident, $($set:ident),*) => {
        $(#[target_feature(enable = $feature)])*
        unsafe extern "C" fn $operation($($set: *const u64,)* attacks: *mut u64, boards: usize) {
            use $crate::kernels::{batch, rank_slices};
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                batch::run::<rank_slices::$block, $lanes, _>(
                    [$($set),*], attacks, boards,
                    |[$($set),*]| ($one)($($set),*),
                );
            }
        }
    };
}

/// One compound operation for one instruction set.
macro_rules! compound_shell {
    ([$($feature:literal),*], $lanes:ty, $operation:ident, $block:ty, [$($set:ident),*] -> [$($result:ident),*]) => {
        $(#[target_feature(enable = $feature)])*
        unsafe extern "C" fn $operation($($set: *const u64,)* $($result: *mut u64,)* boards: usize) {
            use $crate::kernels::borrow::Borrow;
            use $crate::kernels::compound::{self, *};
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                compound::run::<$block, $lanes, Borrow, _, _>([$($set),*], [$($result),*], boards);
            }
        }
    };
}

/// One operation from squares for one instruction set.
macro_rules! from_shell {
    ([$($feature:literal),*], $lanes:ty, $one:expr, $operation:ident, $lines:ident $(<$line:ident>)? $(, $generic:tt $name:ident: $usize:ty)?) => {
        $(#[target_feature(enable = $feature)])*
        unsafe extern "C" fn $operation $(<$generic $name: $usize>)? (
            squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize,
        ) {
            use $crate::kernels::{batch_from, sliced_squares};
            // SAFETY: the table's contract; the features are those of this function.
            unsafe {
                batch_from::run::<sliced_squares::$lines $(<$line>)?, $lanes>(
                    squares, occupied, attacks, boards,
                    |square, occupied| ($one)(square, occupied),
                );
            }
        }
    };
}

pub(super) use {batch_shell, compound_shell, from_shell, rank_sliced};
