//! The list of forms, for tests, benchmarks and tools.

use core::array;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Avx2, Avx2Gfni, Avx512, Ssse3, Xop};
#[cfg(feature = "lookup")]
use super::magic;
#[cfg(feature = "techniques")]
use super::switch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::variable_shifts;
use super::{
    adder, borrow, dumb7fill, hyperbola, kindergarten, kogge_stone, mailbox, rank_slices, turned,
};
#[cfg(all(feature = "lookup", target_arch = "x86_64", target_feature = "sse2"))]
use super::{cpu::Bmi2, pext};
use crate::kernels::geometry::RayDirection as _;
use crate::kernels::geometry::direction::each_direction;
use crate::{Direction, Line, Square};

/// A form of a technique: one way to compute attacks, applied to a batch of boards in a plain loop.
///
/// ```
/// use setwise::techniques::{FORMS, FormFunction};
/// use setwise::{Direction, board};
/// let (sliders, occupied) = ([1 << 27], [1 << 51]);
/// for form in FORMS.iter().filter(|form| form.available()) {
///     if let FormFunction::Ray(run) = form.attacks {
///         let mut attacks = [0];
///         run(Direction::North, &sliders, &occupied, &mut attacks);
///         assert_eq!(attacks[0], board::ray_attacks(Direction::North, 1 << 27, 1 << 51), "{}", form.name);
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Form {
    /// The name of the technique's module.
    pub technique: &'static str,
    /// The name of the form's function.
    pub name: &'static str,
    /// The function that computes the attacks.
    pub attacks: FormFunction,
    /// The CPU features that the form needs, named as in
    /// [`KernelInfo::needs`](crate::KernelInfo::needs).
    pub needs: &'static [&'static str],
}

impl Form {
    /// Whether this CPU can run the form. The function of a form that cannot run panics.
    #[must_use]
    pub fn available(&self) -> bool {
        crate::detect::has(self.needs)
    }
}

/// The function of a form. It takes slices of the same length, and writes the attacks on board `i`
/// to `attacks[i]`. If the lengths differ, it stops at the end of the shortest slice. Sliders
/// block, whether or not they are in `occupied`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum FormFunction {
    /// Sets of sliders and one direction. Arguments: direction, sliders, occupied, attacks.
    Ray(fn(Direction, &[u64], &[u64], &mut [u64])),
    /// Sets of sliders and all these directions. Arguments: sliders, occupied, attacks.
    Sets(&'static [Direction], fn(&[u64], &[u64], &mut [u64])),
    /// One slider per board and all these lines. Arguments: squares, occupied, attacks.
    Squares(&'static [Line], fn(&[Square], &[u64], &mut [u64])),
}

/// Applies a form to each board. Each use is in a function of its own, so that the form is inlined
/// into its own loop.
macro_rules! each_board {
    ($first:ident, $occupied:ident, $attacks:ident, $form:expr) => {
        for ((&first, &occupied), attacks) in $first.iter().zip($occupied).zip($attacks) {
            *attacks = $form(first, occupied);
        }
    };
}

/// Like [`each_board`], for a form that takes `$n` boards at a time. The last block is padded.
macro_rules! each_block {
    ($n:literal, $firsts:ident, $occupied:ident, $attacks:ident, $form:expr) => {
        let blocks = $firsts.as_chunks().0.iter().zip($occupied.as_chunks().0);
        for ((&firsts, &occupied), attacks) in blocks.zip($attacks.as_chunks_mut::<$n>().0) {
            *attacks = $form(firsts, occupied);
        }
        let count = $firsts.len().min($occupied.len()).min($attacks.len());
        let done = count / $n * $n;
        if done < count {
            let last = $form(padded($firsts, done, count), padded($occupied, done, count));
            $attacks[done..count].copy_from_slice(&last[..count - done]);
        }
    };
}

/// A form whose direction is a compile-time constant, with one loop per direction.
macro_rules! ray {
    ($form:path) => {
        FormFunction::Ray(|direction, sliders, occupied, attacks| {
            each_direction!(direction, |ray| {
                each_board!(sliders, occupied, attacks, |s, o| $form(ray.direction(), s, o));
            });
        })
    };
}

/// Like [`ray`], for a form that returns a fill. Adds the final step.
macro_rules! attacks_by {
    ($fill:path) => {{
        #[inline(always)]
        fn attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
            direction.step($fill(direction, sliders, !(occupied | sliders)))
        }
        ray!(attacks)
    }};
}

/// A form whose direction is a run-time value.
macro_rules! any_ray {
    ($form:path) => {
        FormFunction::Ray(|direction, sliders, occupied, attacks| {
            each_board!(sliders, occupied, attacks, |s, o| $form(direction, s, o));
        })
    };
}

/// A function that detects the form's CPU features and runs `$body`, which is a loop. The loop is
/// compiled with these features, so that the form can be inlined. In `$body`, `$proof` is the proof
/// of the features.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
macro_rules! compiled_for {
    ($cpu:ident, $features:literal, |$proof:ident, $($argument:ident: $Argument:ty),*| $body:expr) => {
        |$($argument: $Argument),*| {
            #[target_feature(enable = $features)]
            fn all($proof: $cpu, $($argument: $Argument),*) {
                $body;
            }
            let cpu = $cpu::detect().expect("the CPU must have the form's features");
            // SAFETY: `cpu` proves that the CPU has the features.
            unsafe { all(cpu, $($argument),*) }
        }
    };
}

/// A form on sets or squares, in a loop of board by board or of blocks. May need CPU features.
macro_rules! form {
    ($Kind:ident<$First:ty>, $loop:ident($($n:literal,)?), $lines:expr, $form:expr) => {
        FormFunction::$Kind($lines, |firsts, occupied, attacks| {
            $loop!($($n,)? firsts, occupied, attacks, $form);
        })
    };
    (
        $Kind:ident<$First:ty>, $loop:ident($($n:literal,)?), $lines:expr,
        $cpu:ident, $features:literal, $form:expr
    ) => {
        FormFunction::$Kind(
            $lines,
            compiled_for!(
                $cpu,
                $features,
                |cpu, firsts: &[$First], occupied: &[u64], attacks: &mut [u64]| {
                    $loop!($($n,)? firsts, occupied, attacks, |s, o| $form(cpu, s, o));
                }
            ),
        )
    };
}

macro_rules! sets {
    ($($rest:tt)*) => {
        form!(Sets<u64>, each_board(), $($rest)*)
    };
}

/// Like [`sets`], for a form that takes `$n` boards at a time.
macro_rules! blocks_of_sets {
    ($n:literal, $($rest:tt)*) => {
        form!(Sets<u64>, each_block($n,), $($rest)*)
    };
}

macro_rules! squares {
    ($($rest:tt)*) => {
        form!(Squares<Square>, each_board(), $($rest)*)
    };
}

const RANK: &[Line] = &[Line::Rank];
const FILE: &[Line] = &[Line::File];
const STRAIGHT: &[Line] = &[Line::Rank, Line::File];
const DIAGONALS: &[Line] = &[Line::Diagonal, Line::Antidiagonal];
const ALONG_RANKS: &[Direction] = &[Direction::East, Direction::West];

/// The attacks, computed with [`dumb7fill::generalised`].
#[inline(always)]
fn generalised_loop(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    direction.step(dumb7fill::generalised(direction, sliders, !(occupied | sliders)))
}

/// The `N` boards from index `done` on, padded with copies of the board at index `count - 1`.
#[inline(always)]
fn padded<T: Copy, const N: usize>(boards: &[T], done: usize, count: usize) -> [T; N] {
    array::from_fn(|i| boards[(done + i).min(count - 1)])
}

/// The rays along the ranks, computed with [`dumb7fill::both_ways`].
#[inline(always)]
fn along_ranks(sliders: u64, occupied: u64) -> u64 {
    dumb7fill::both_ways(Direction::East, sliders, occupied)
}

/// The four diagonal rays, computed with [`dumb7fill::with_mirror_image`].
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn mirrored_diagonals(bishops: u64, occupied: u64) -> u64 {
    dumb7fill::with_mirror_image(Direction::NorthEast, bishops, occupied)
        | dumb7fill::with_mirror_image(Direction::NorthWest, bishops, occupied)
}

/// The occupied squares of each board, including its sliders.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn with_sliders<const N: usize>(sliders: [u64; N], occupied: [u64; N]) -> [u64; N] {
    array::from_fn(|i| sliders[i] | occupied[i])
}

macro_rules! forms {
    ($($(#[$condition:meta])* $technique:ident $name:ident $attacks:expr, $needs:expr;)*) => {
        &[$(
            $(#[$condition])*
            Form { technique: stringify!($technique), name: stringify!($name), attacks: $attacks, needs: $needs },
        )*]
    };
}

/// The forms that compute attacks, grouped by the directions or lines that they cover.
pub const FORMS: &[Form] = forms! {
    dumb7fill attacks ray!(dumb7fill::attacks), &[];
    dumb7fill in_one_variable attacks_by!(dumb7fill::in_one_variable), &[];
    dumb7fill looping attacks_by!(dumb7fill::looping), &[];
    dumb7fill looping_without_repeats attacks_by!(dumb7fill::looping_without_repeats), &[];
    dumb7fill generalised any_ray!(generalised_loop), &[];
    dumb7fill generalised_attacks any_ray!(dumb7fill::generalised_attacks), &[];
    kogge_stone attacks ray!(kogge_stone::attacks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    kogge_stone attacks_in_xmm FormFunction::Ray(|direction, sliders, occupied, attacks| {
        each_direction!(direction, |ray| {
            each_block!(2, sliders, occupied, attacks, |s, o| kogge_stone::attacks_in_xmm(ray.direction(), s, o));
        });
    }), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    kogge_stone attacks_in_ymm FormFunction::Ray(
        compiled_for!(Avx2, "avx2", |cpu, direction: Direction, sliders: &[u64], occupied: &[u64], attacks: &mut [u64]| {
            each_direction!(direction, |ray| {
                each_block!(4, sliders, occupied, attacks, |s, o| kogge_stone::attacks_in_ymm(cpu, ray.direction(), s, o));
            });
        }),
    ), Avx2::FEATURES;
    kogge_stone generalised_attacks any_ray!(kogge_stone::generalised_attacks), &[];
    borrow east_attacks sets!(&[Direction::East], borrow::east_attacks), &[];
    borrow east_attacks_bytewise sets!(&[Direction::East], borrow::east_attacks_bytewise), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    borrow east_attacks_in_xmm blocks_of_sets!(2, &[Direction::East], |s, o| {
        borrow::east_attacks_in_xmm(s, with_sliders(s, o))
    }), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    borrow east_attacks_in_ymm blocks_of_sets!(4, &[Direction::East], Avx2, "avx2", |cpu, s, o| {
        borrow::east_attacks_in_ymm(cpu, s, with_sliders(s, o))
    }), Avx2::FEATURES;
    adder east_attacks sets!(&[Direction::East], adder::east_attacks), &[];
    borrow west_attacks sets!(&[Direction::West], borrow::west_attacks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    borrow west_attacks_in_xmm blocks_of_sets!(2, &[Direction::West], Ssse3, "ssse3", borrow::west_attacks_in_xmm), Ssse3::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    borrow west_attacks_in_ymm blocks_of_sets!(4, &[Direction::West], Avx2Gfni, "avx2,gfni", borrow::west_attacks_in_ymm), Avx2Gfni::FEATURES;
    borrow along_ranks sets!(ALONG_RANKS, borrow::along_ranks), &[];
    dumb7fill both_ways sets!(ALONG_RANKS, along_ranks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    dumb7fill with_mirror_image sets!(&Direction::DIAGONAL, mirrored_diagonals), &[];
    rank_slices queen_attacks blocks_of_sets!(8, &Direction::ALL, rank_slices::queen_attacks), &[];
    dumb7fill queen_attacks sets!(&Direction::ALL, dumb7fill::queen_attacks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts sliders_in_two_registers sets!(&Direction::ALL, Avx2, "avx2", |cpu, s, o| {
        variable_shifts::sliders_in_two_registers(cpu, s, s, o)
    }), Avx2::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts sliders_in_one_register sets!(&Direction::ALL, Avx512, "avx512f,avx512vl", |cpu, s, o| {
        variable_shifts::sliders_in_one_register(cpu, s, s, o)
    }), Avx512::FEATURES;
    turned rook_attacks sets!(&Direction::ORTHOGONAL, turned::rook_attacks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts rooks sets!(&Direction::ORTHOGONAL, Avx512, "avx512f,avx512vl", variable_shifts::rooks), Avx512::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts bishops sets!(&Direction::DIAGONAL, Avx2, "avx2", variable_shifts::bishops), Avx2::FEATURES;
    hyperbola rank_by_table squares!(RANK, hyperbola::rank_by_table), &[];
    hyperbola rank_by_main_diagonal squares!(RANK, hyperbola::rank_by_main_diagonal), &[];
    hyperbola by_bit_reversal squares!(RANK, |s, o| hyperbola::by_bit_reversal(Line::Rank, s, o)), &[];
    kindergarten line_attacks squares!(RANK, |s, o| kindergarten::line_attacks(Line::Rank, s, o)), &[];
    hyperbola by_byte_swap squares!(FILE, |s, o| hyperbola::by_byte_swap(Line::File, s, o)), &[];
    hyperbola by_bit_reversal squares!(FILE, |s, o| hyperbola::by_bit_reversal(Line::File, s, o)), &[];
    kindergarten line_attacks squares!(FILE, |s, o| kindergarten::line_attacks(Line::File, s, o)), &[];
    hyperbola by_bit_reversal squares!(DIAGONALS, |s, o| {
        hyperbola::by_bit_reversal(Line::Diagonal, s, o) | hyperbola::by_bit_reversal(Line::Antidiagonal, s, o)
    }), &[];
    hyperbola bishop squares!(DIAGONALS, hyperbola::bishop), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    hyperbola bishop_by_pshufb squares!(DIAGONALS, Ssse3, "ssse3", hyperbola::bishop_by_pshufb), Ssse3::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    hyperbola four_bishops form!(Squares<Square>, each_block(4,), DIAGONALS, Avx2, "avx2", hyperbola::four_bishops), Avx2::FEATURES;
    #[cfg(feature = "techniques")]
    switch rook_attacks squares!(STRAIGHT, switch::rook_attacks), &[];
    #[cfg(feature = "techniques")]
    switch by_cases squares!(STRAIGHT, |s, o| {
        switch::by_cases(Line::Rank, s, o) | switch::by_cases(Line::File, s, o)
    }), &[];
    #[cfg(feature = "techniques")]
    switch by_function squares!(STRAIGHT, |s, o| {
        switch::by_function(Line::Rank, s, o) | switch::by_function(Line::File, s, o)
    }), &[];
    kindergarten rook_attacks squares!(STRAIGHT, kindergarten::rook_attacks), &[];
    mailbox rook_attacks squares!(STRAIGHT, mailbox::rook_attacks), &[];
    #[cfg(feature = "lookup")]
    magic rook_attacks squares!(STRAIGHT, magic::rook_attacks), &[];
    #[cfg(all(feature = "lookup", target_arch = "x86_64", target_feature = "sse2"))]
    pext rook_attacks squares!(STRAIGHT, Bmi2, "bmi2", pext::rook_attacks), Bmi2::FEATURES;
    #[cfg(feature = "techniques")]
    switch bishop_attacks squares!(DIAGONALS, switch::bishop_attacks), &[];
    #[cfg(feature = "techniques")]
    switch by_cases squares!(DIAGONALS, |s, o| {
        switch::by_cases(Line::Diagonal, s, o) | switch::by_cases(Line::Antidiagonal, s, o)
    }), &[];
    #[cfg(feature = "techniques")]
    switch by_function squares!(DIAGONALS, |s, o| {
        switch::by_function(Line::Diagonal, s, o) | switch::by_function(Line::Antidiagonal, s, o)
    }), &[];
    kindergarten bishop_attacks squares!(DIAGONALS, kindergarten::bishop_attacks), &[];
    mailbox bishop_attacks squares!(DIAGONALS, mailbox::bishop_attacks), &[];
    #[cfg(feature = "lookup")]
    magic bishop_attacks squares!(DIAGONALS, magic::bishop_attacks), &[];
    #[cfg(all(feature = "lookup", target_arch = "x86_64", target_feature = "sse2"))]
    pext bishop_attacks squares!(DIAGONALS, Bmi2, "bmi2", pext::bishop_attacks), Bmi2::FEATURES;
    hyperbola queen squares!(&Line::ALL, hyperbola::queen), &[];
    mailbox queen_attacks squares!(&Line::ALL, mailbox::queen_attacks), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    hyperbola queen_in_one_register squares!(&Line::ALL, Avx2, "avx2", hyperbola::queen_in_one_register), Avx2::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    hyperbola rook_and_bishop_by_vpperm_emulated squares!(&Line::ALL, Ssse3, "ssse3", |cpu, s, o| {
        let [rook, bishop] = hyperbola::rook_and_bishop_by_vpperm_emulated(cpu, s, o);
        rook | bishop
    }), Ssse3::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    hyperbola rook_and_bishop_by_vpperm squares!(&Line::ALL, Xop, "avx", |cpu, s, o| {
        let [rook, bishop] = hyperbola::rook_and_bishop_by_vpperm(cpu, s, o);
        rook | bishop
    }), Xop::FEATURES;
};
