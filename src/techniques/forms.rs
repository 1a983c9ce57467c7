//! The list of forms, for tests, benchmarks and tools.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Avx2, Avx512, Ssse3, Xop};
#[cfg(feature = "switch")]
use super::switch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::variable_shifts;
use super::{
    adder, borrow, dumb7fill, each_direction, hyperbola, kindergarten, kogge_stone, rank_slices,
    turned,
};
use crate::kernels::geometry::RayDirection as _;
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
        self.needs.iter().all(|feature| crate::detect::has(feature))
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

/// Applies a form to each board. Each form uses it in a separate function, so that the form is
/// inlined into its own loop.
macro_rules! each_board {
    ($first:ident, $occupied:ident, $attacks:ident, $form:expr) => {
        for ((&first, &occupied), attacks) in $first.iter().zip($occupied).zip($attacks) {
            *attacks = $form(first, occupied);
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

/// Like [`ray`], for a fill. Adds the final step.
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

macro_rules! sets {
    ($directions:expr, $form:path) => {
        FormFunction::Sets($directions, |sliders, occupied, attacks| {
            each_board!(sliders, occupied, attacks, $form);
        })
    };
    // The loop is compiled with the form's features, so that the form is inlined.
    ($directions:expr, $cpu:ident, $features:literal, $form:expr) => {
        FormFunction::Sets($directions, |sliders, occupied, attacks| {
            #[target_feature(enable = $features)]
            fn all(cpu: $cpu, sliders: &[u64], occupied: &[u64], attacks: &mut [u64]) {
                each_board!(sliders, occupied, attacks, |s, o| $form(cpu, s, o));
            }
            let cpu = $cpu::detect().expect("the CPU must have the form's features");
            // SAFETY: just detected.
            unsafe { all(cpu, sliders, occupied, attacks) }
        })
    };
}

macro_rules! squares {
    ($lines:expr, $form:expr) => {
        FormFunction::Squares($lines, |squares, occupied, attacks| {
            each_board!(squares, occupied, attacks, $form);
        })
    };
    // The loop is compiled with the form's features, as in `sets`.
    ($lines:expr, $cpu:ident, $features:literal, $form:expr) => {
        FormFunction::Squares($lines, |squares, occupied, attacks| {
            #[target_feature(enable = $features)]
            fn all(cpu: $cpu, squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
                each_board!(squares, occupied, attacks, |s, o| $form(cpu, s, o));
            }
            let cpu = $cpu::detect().expect("the CPU must have the form's features");
            // SAFETY: just detected.
            unsafe { all(cpu, squares, occupied, attacks) }
        })
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

/// Computes eight boards at a time, the last block padded with empty boards.
fn by_eights(queens: &[u64], occupied: &[u64], attacks: &mut [u64]) {
    let blocks = queens.chunks(8).zip(occupied.chunks(8)).zip(attacks.chunks_mut(8));
    for ((queens, occupied), attacks) in blocks {
        let block = |boards: &[u64]| {
            let mut block = [0; 8];
            block[..boards.len()].copy_from_slice(boards);
            block
        };
        let all = rank_slices::queen_attacks(block(queens), block(occupied));
        let count = queens.len().min(occupied.len()).min(attacks.len());
        attacks[..count].copy_from_slice(&all[..count]);
    }
}

/// Computes four bishops at a time, and the remaining ones singly.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn by_fours(squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
    #[target_feature(enable = "avx2")]
    fn all(cpu: Avx2, squares: &[Square], occupied: &[u64], attacks: &mut [u64]) {
        let fours = squares.as_chunks().0.iter().zip(occupied.as_chunks().0);
        for ((&squares, &occupied), attacks) in fours.zip(attacks.as_chunks_mut().0) {
            *attacks = hyperbola::four_bishops(cpu, squares, occupied);
        }
        let count = squares.len().min(occupied.len()).min(attacks.len());
        for i in count / 4 * 4..count {
            attacks[i] = hyperbola::bishop(squares[i], occupied[i]);
        }
    }
    let cpu = Avx2::detect().expect("the CPU must have the form's features");
    // SAFETY: just detected.
    unsafe { all(cpu, squares, occupied, attacks) }
}

macro_rules! forms {
    ($($(#[$on:meta])* $technique:ident $name:ident $attacks:expr, $needs:expr;)*) => {
        &[$(
            $(#[$on])*
            Form { technique: stringify!($technique), name: stringify!($name), attacks: $attacks, needs: $needs },
        )*]
    };
}

/// Every form that computes attacks, grouped by the attacks that they compute.
pub const FORMS: &[Form] = forms! {
    dumb7fill attacks ray!(dumb7fill::attacks), &[];
    dumb7fill in_one_variable attacks_by!(dumb7fill::in_one_variable), &[];
    dumb7fill looping attacks_by!(dumb7fill::looping), &[];
    dumb7fill looping_without_repeats attacks_by!(dumb7fill::looping_without_repeats), &[];
    dumb7fill generalised any_ray!(generalised_loop), &[];
    dumb7fill generalised_attacks any_ray!(dumb7fill::generalised_attacks), &[];
    kogge_stone attacks ray!(kogge_stone::attacks), &[];
    kogge_stone generalised_attacks any_ray!(kogge_stone::generalised_attacks), &[];
    borrow east_attacks sets!(&[Direction::East], borrow::east_attacks), &[];
    borrow east_attacks_bytewise sets!(&[Direction::East], borrow::east_attacks_bytewise), &[];
    adder east_attacks sets!(&[Direction::East], adder::east_attacks), &[];
    borrow along_ranks sets!(ALONG_RANKS, borrow::along_ranks), &[];
    rank_slices queen_attacks FormFunction::Sets(&Direction::ALL, by_eights), &[];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts sliders_in_two_registers sets!(&Direction::ALL, Avx2, "avx2", |cpu, s, o| {
        variable_shifts::sliders_in_two_registers(cpu, s, s, o)
    }), Avx2::FEATURES;
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    variable_shifts sliders_in_one_register sets!(&Direction::ALL, Avx512, "avx512f,avx512vl", |cpu, s, o| {
        variable_shifts::sliders_in_one_register(cpu, s, s, o)
    }), Avx512::FEATURES;
    turned rook_attacks sets!(&Direction::ORTHOGONAL, turned::rook_attacks), &[];
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
    hyperbola four_bishops FormFunction::Squares(DIAGONALS, by_fours), Avx2::FEATURES;
    #[cfg(feature = "switch")]
    switch rook_attacks squares!(STRAIGHT, switch::rook_attacks), &[];
    #[cfg(feature = "switch")]
    switch by_cases squares!(STRAIGHT, |s, o| {
        switch::by_cases(Line::Rank, s, o) | switch::by_cases(Line::File, s, o)
    }), &[];
    #[cfg(feature = "switch")]
    switch by_function squares!(STRAIGHT, |s, o| {
        switch::by_function(Line::Rank, s, o) | switch::by_function(Line::File, s, o)
    }), &[];
    kindergarten rook_attacks squares!(STRAIGHT, kindergarten::rook_attacks), &[];
    #[cfg(feature = "switch")]
    switch bishop_attacks squares!(DIAGONALS, switch::bishop_attacks), &[];
    #[cfg(feature = "switch")]
    switch by_cases squares!(DIAGONALS, |s, o| {
        switch::by_cases(Line::Diagonal, s, o) | switch::by_cases(Line::Antidiagonal, s, o)
    }), &[];
    #[cfg(feature = "switch")]
    switch by_function squares!(DIAGONALS, |s, o| {
        switch::by_function(Line::Diagonal, s, o) | switch::by_function(Line::Antidiagonal, s, o)
    }), &[];
    kindergarten bishop_attacks squares!(DIAGONALS, kindergarten::bishop_attacks), &[];
    hyperbola queen squares!(&Line::ALL, hyperbola::queen), &[];
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
