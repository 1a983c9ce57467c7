//! Contenders for one board by value: one kernel from each group that shares its code, and one form
//! of each technique.

use std::collections::BTreeMap;

use setwise::techniques::{dumb7fill, hyperbola, kindergarten, kogge_stone, magic, switch, turned};
use setwise::{Direction, Kernel, Line, Square};

use crate::contender::Kind;
use crate::latency::Link;
use crate::plan::Group;

/// A function that computes one board from three sets: orthogonal sliders, diagonal sliders and the
/// occupancy. It returns the union of the attacks. If an operation has one set of sliders, the
/// function gets that set twice.
///
/// The call is indirect, like a kernel's. The techniques are inlined into the function.
pub(crate) type Attacks = dyn Fn(u64, u64, u64) -> u64 + Sync;

/// A contender for one board.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) link: Link,
    /// The names of all kernels that share this code, if there are several.
    pub(crate) shared_by: Vec<&'static str>,
}

impl Named {
    pub(crate) fn new(name: &'static str, kind: Kind, link: Link) -> Named {
        Named { name, kind, link, shared_by: Vec::new() }
    }
}

/// The contenders for one of the [main operations](crate::settings::MAIN): these kernels, the
/// function in `setwise::board`, and one form of each technique.
pub(crate) fn links(operation: &str, kernels: Vec<Group>) -> Vec<Named> {
    let of_kernels = kernels.into_iter().map(|(kernel, shared_by)| {
        let named = Named::new(kernel.name(), Kind::Kernel, Link::One(kernel));
        Named { shared_by, ..named }
    });
    let of_forms = forms(operation).into_iter();
    let of_forms = of_forms.map(|(name, form)| Named::new(name, Kind::Form, Link::Form(form)));
    let board = Named::new("board", Kind::Form, Link::Inlined);
    of_kernels.chain([board]).chain(of_forms).collect()
}

/// Groups the kernels that share their code for an operation. Keeps the order of the kernels.
///
/// The data file has the operations for which kernels share code, most of them on one board. For
/// each operation, it lists the groups of kernels with special code. All other kernels share the
/// code for general registers. `tools/kernel-instructions.py` compares the data with the object
/// code on x86-64.
pub(crate) fn groups(operation: &str, kernels: &[&'static Kernel]) -> Vec<Vec<&'static Kernel>> {
    let data: BTreeMap<String, Vec<Vec<String>>> =
        serde_json::from_str(include_str!("../data/one-board.json")).expect("a test parses it");
    let Some(own) = data.get(operation) else {
        return kernels.iter().map(|&kernel| vec![kernel]).collect();
    };
    let code = |kernel: &Kernel| {
        own.iter().position(|names| names.iter().any(|name| *name == kernel.name()))
    };
    let mut groups: Vec<Vec<&'static Kernel>> = Vec::new();
    for &kernel in kernels {
        match groups.iter_mut().find(|group| code(group[0]) == code(kernel)) {
            Some(group) => group.push(kernel),
            None => groups.push(vec![kernel]),
        }
    }
    groups
}

/// The union of the attacks of all sliders.
#[inline(always)]
fn popped(sliders: u64, occupied: u64, attacks: impl Fn(Square, u64) -> u64) -> u64 {
    let (mut sliders, mut union) = (sliders, 0);
    while sliders != 0 {
        let square = Square::new(sliders.trailing_zeros() as u8 & 63).expect("below 64");
        union |= attacks(square, occupied);
        sliders &= sliders - 1;
    }
    union
}

/// The union of the rays in four directions, without a loop.
#[inline(always)]
fn rays(directions: [Direction; 4], ray: impl Fn(Direction) -> u64) -> u64 {
    let [a, b, c, d] = directions;
    ray(a) | ray(b) | ray(c) | ray(d)
}

/// A form of an operation. `None` if the technique has none, or if this CPU cannot run it.
type Form = Option<Box<Attacks>>;

/// Makes a form of an operation from two functions: the attacks of a set of sliders along ranks and
/// files, and those along diagonals.
macro_rules! of_sets {
    ($operation:expr, $orthogonal:expr, $diagonal:expr) => {{
        let form: Form = match $operation {
            "rook_attacks" => Some(Box::new(move |rooks, _, o| $orthogonal(rooks, o | rooks))),
            "bishop_attacks" => {
                Some(Box::new(move |_, bishops, o| $diagonal(bishops, o | bishops)))
            }
            "queen_attacks" => Some(Box::new(move |queens, _, o| {
                $orthogonal(queens, o | queens) | $diagonal(queens, o | queens)
            })),
            "slider_attacks" => Some(Box::new(move |orthogonal, diagonal, o| {
                let occupied = o | orthogonal | diagonal;
                $orthogonal(orthogonal, occupied) | $diagonal(diagonal, occupied)
            })),
            _ => None,
        };
        form
    }};
}

/// Like [`of_sets`], but from functions for the attacks of one rook and of one bishop. Each queen
/// is taken from its set once, for both functions.
macro_rules! per_slider {
    ($operation:expr, $rook:expr, $bishop:expr) => {
        if $operation == "queen_attacks" {
            let form: Form = Some(Box::new(move |queens, _, o| {
                popped(queens, o | queens, |square, o| $rook(square, o) | $bishop(square, o))
            }));
            form
        } else {
            of_sets!(
                $operation,
                |rooks, o| popped(rooks, o, |square, o| $rook(square, o)),
                |bishops, o| popped(bishops, o, |square, o| $bishop(square, o))
            )
        }
    };
}

/// The forms that this CPU can run, for one of the [main operations](crate::settings::MAIN). Their
/// names differ from those of kernels of the same technique.
fn forms(operation: &str) -> Vec<(&'static str, &'static Attacks)> {
    let turned: Box<Attacks> = Box::new(|rooks, _, o| turned::rook_attacks(rooks, o));
    let mut forms: Vec<(&'static str, Form)> = vec![
        (
            "techniques::kogge_stone",
            of_sets!(
                operation,
                |s, o| rays(Direction::ORTHOGONAL, |ray| kogge_stone::attacks(ray, s, o)),
                |s, o| rays(Direction::DIAGONAL, |ray| kogge_stone::attacks(ray, s, o))
            ),
        ),
        (
            "techniques::dumb7fill",
            of_sets!(
                operation,
                |s, o| rays(Direction::ORTHOGONAL, |ray| dumb7fill::attacks(ray, s, o)),
                |s, o| rays(Direction::DIAGONAL, |ray| dumb7fill::attacks(ray, s, o))
            ),
        ),
        ("techniques::turned", (operation == "rook_attacks").then_some(turned)),
        ("techniques::hyperbola", per_slider!(operation, hyperbola_rook, hyperbola::bishop)),
        (
            "techniques::kindergarten",
            per_slider!(operation, kindergarten::rook_attacks, kindergarten::bishop_attacks),
        ),
        ("techniques::magic", per_slider!(operation, magic::rook_attacks, magic::bishop_attacks)),
        (
            "techniques::switch",
            per_slider!(operation, switch::rook_attacks, switch::bishop_attacks),
        ),
    ];
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    forms.extend(x86_64::forms(operation));
    // Leaks a few dozen forms, once per process.
    let leaked = |(name, form): (_, Form)| Some((name, &*Box::leak(form?)));
    forms.into_iter().filter_map(leaked).collect()
}

/// The attacks of a rook, computed with the hyperbola's forms for general registers.
#[inline(always)]
fn hyperbola_rook(square: Square, occupied: u64) -> u64 {
    hyperbola::rank_by_table(square, occupied)
        | hyperbola::by_byte_swap(Line::File, square, occupied)
}

/// The forms that need instructions of x86-64.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod x86_64 {
    use setwise::Direction;
    use setwise::techniques::cpu::{Avx2, Avx2Gfni, Avx512, Bmi2, Ssse3};
    use setwise::techniques::variable_shifts as variable;
    use setwise::techniques::{dumb7fill, hyperbola, pext};

    use super::{Form, hyperbola_rook, popped};

    /// Makes a form of the operation, compiled with CPU features. `None` if this CPU lacks them. A
    /// closure inherits the features of the function that contains it.
    macro_rules! compiled_for {
        ($Cpu:ident, $features:literal, $operation:ident, |$cpu:ident| $form:expr) => {{
            #[target_feature(enable = $features)]
            fn make($cpu: $Cpu, $operation: &str) -> Form {
                $form
            }
            // SAFETY: the features were just detected.
            $Cpu::detect().and_then(|cpu| unsafe { make(cpu, $operation) })
        }};
    }

    /// Boxes a function of orthogonal sliders, diagonal sliders and the occupancy.
    macro_rules! boxed {
        ($form:expr) => {
            Some(Box::new($form))
        };
    }

    pub(super) fn forms(operation: &str) -> Vec<(&'static str, Form)> {
        let pext = compiled_for!(Bmi2, "bmi2", operation, |cpu| per_slider!(
            operation,
            |square, o| pext::rook_attacks(cpu, square, o),
            |square, o| pext::bishop_attacks(cpu, square, o)
        ));
        let by_pshufb = compiled_for!(Ssse3, "ssse3", operation, |cpu| match operation {
            "rook_attacks" => None,
            _ => per_slider!(operation, hyperbola_rook, |square, o| {
                hyperbola::bishop_by_pshufb(cpu, square, o)
            }),
        });
        let queen_in_one = compiled_for!(Avx2, "avx2", operation, |cpu| match operation {
            "queen_attacks" => boxed!(move |queens, _, o| {
                popped(queens, o | queens, |square, o| {
                    hyperbola::queen_in_one_register(cpu, square, o)
                })
            }),
            _ => None,
        });
        let in_avx2 = compiled_for!(Avx2, "avx2", operation, |cpu| match operation {
            "rook_attacks" => None,
            "bishop_attacks" => boxed!(move |_, bishops, o| variable::bishops(cpu, bishops, o)),
            _ => boxed!(move |a, b, o| variable::sliders_in_two_registers(cpu, a, b, o)),
        });
        let by_gfni = compiled_for!(Avx2Gfni, "avx2,gfni", operation, |cpu| match operation {
            "rook_attacks" => boxed!(move |rooks, _, o| variable::rooks(cpu, rooks, o)),
            _ => None,
        });
        let in_avx512 =
            compiled_for!(Avx512, "avx512f,avx512vl", operation, |cpu| match operation {
                "rook_attacks" => boxed!(move |rooks, _, o| variable::rooks(cpu, rooks, o)),
                "bishop_attacks" => boxed!(move |_, bishops, o| variable::bishops(cpu, bishops, o)),
                _ => boxed!(move |a, b, o| variable::sliders_in_one_register(cpu, a, b, o)),
            });
        vec![
            ("techniques::pext", pext),
            ("techniques::dumb7fill (sse2)", of_sets!(operation, orthogonal, diagonal)),
            ("techniques::hyperbola (ssse3)", by_pshufb),
            ("techniques::hyperbola (avx2)", queen_in_one),
            ("techniques::variable_shifts (avx2)", in_avx2),
            ("techniques::variable_shifts (gfni)", by_gfni),
            ("techniques::variable_shifts (avx512)", in_avx512),
        ]
    }

    /// The attacks along ranks and files. The mirror image of a ray to the north is one to the
    /// south. Rays to the east and west are their own mirror images, so each needs a fill.
    #[inline(always)]
    fn orthogonal(sliders: u64, occupied: u64) -> u64 {
        let ray = |direction| dumb7fill::with_mirror_image(direction, sliders, occupied);
        ray(Direction::North) | ray(Direction::East) | ray(Direction::West)
    }

    /// The attacks along diagonals.
    #[inline(always)]
    fn diagonal(sliders: u64, occupied: u64) -> u64 {
        let ray = |direction| dumb7fill::with_mirror_image(direction, sliders, occupied);
        ray(Direction::NorthEast) | ray(Direction::NorthWest)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{forms, groups};
    use crate::settings::MAIN;
    use setwise::Kernel;
    use setwise_check::oracle;

    /// Kernels with the same code are one group. Groups are in the order of their first kernels.
    #[test]
    fn kernels_that_share_code_are_one_group() {
        let kernels: Vec<_> = Kernel::available().collect();
        for (operation, avx2, sse2) in [
            ("rook_attacks_one", false, false),
            ("bishop_attacks_one", true, false),
            ("slider_attacks_one", true, false),
            ("side_attacks_one", true, true),
            ("between", false, false),
        ] {
            let groups = groups(operation, &kernels);
            let mut all: Vec<_> = groups.iter().flatten().map(|kernel| kernel.name()).collect();
            all.sort_unstable();
            let mut names: Vec<_> = kernels.iter().map(|kernel| kernel.name()).collect();
            names.sort_unstable();
            assert_eq!(all, names, "{operation}");
            let of = |name: &str| groups.iter().position(|g| g.iter().any(|k| k.name() == name));
            for name in ["portable", "borrow", "kogge-stone", "dumb7fill", "hyperbola", "magic"] {
                assert_eq!(of(name), of("scalar"), "{operation}: {name}");
            }
            for (name, has_own) in [("avx2", avx2), ("sse2", sse2)] {
                if of(name).is_some() {
                    assert_eq!(of(name) != of("scalar"), has_own, "{operation}: {name}");
                }
            }
            if of("avx512-gfni").is_some() {
                assert_eq!(of("avx512-gfni"), of("avx512"), "{operation}");
            }
            let place = |name: &str| kernels.iter().position(|kernel| kernel.name() == name);
            assert!(groups.iter().map(|group| place(group[0].name())).is_sorted(), "{operation}");
        }
        assert_eq!(groups("queen_attacks", &kernels).len(), kernels.len());
    }

    /// The data file names only operations and kernels that exist. It has all operations on one
    /// board.
    #[test]
    fn the_data_are_complete() {
        let data: BTreeMap<String, Vec<Vec<String>>> =
            serde_json::from_str(include_str!("../data/one-board.json")).unwrap();
        for info in setwise::reflection::OPERATIONS.iter().filter(|info| info.by_value()) {
            assert!(data.contains_key(info.name()), "{}", info.name());
        }
        assert!(
            data.keys().all(|name| setwise::reflection::OperationInfo::by_name(name).is_some())
        );
        for name in data.values().flatten().flatten() {
            assert!(Kernel::catalogue().iter().any(|info| info.name() == name), "{name}");
        }
    }

    /// Five techniques have a form for every main operation. Every form agrees with the oracle,
    /// also for sliders that are not in the occupancy.
    #[test]
    fn every_form_is_right() {
        let mut rng = fastrand::Rng::with_seed(28);
        for operation in MAIN {
            let forms = forms(operation);
            for name in ["magic", "hyperbola", "switch", "kogge_stone", "dumb7fill"] {
                let name = format!("techniques::{name}");
                assert!(forms.iter().any(|(other, _)| *other == name), "{operation}: {name}");
            }
            for _ in 0..1000 {
                let mut word = || rng.u64(..) & rng.u64(..);
                let (occupied, a, b) = (word(), word() & word(), word() & word());
                let [orthogonal, diagonal] =
                    if operation == "slider_attacks" { [a, b] } else { [a, a] };
                let expected = match operation {
                    "rook_attacks" => oracle::rook_attacks(a, occupied),
                    "bishop_attacks" => oracle::bishop_attacks(a, occupied),
                    "queen_attacks" => oracle::queen_attacks(a, occupied),
                    _ => oracle::slider_attacks(a, b, occupied),
                };
                for (name, form) in &forms {
                    let attacks = form(orthogonal, diagonal, occupied);
                    assert_eq!(attacks, expected, "{operation}: {name}");
                }
            }
        }
    }
}
