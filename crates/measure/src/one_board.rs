//! Contenders for one board by value: one kernel from each group that shares its code, and one form
//! of each technique.

use std::collections::BTreeMap;

use setwise::techniques::{dumb7fill, hyperbola, kindergarten, kogge_stone, magic, switch};
use setwise::{Direction, Kernel, Line, Square, board};

use crate::figures::Kind;
use crate::latency::{OneBoard, one_board};
use crate::names::BASELINE;

/// The contenders for one of the [main operations](crate::names::MAIN): these kernels, the
/// function in `setwise::board`, and one form of each technique.
pub(crate) fn contenders(operation: &str, kernels: Vec<Group>) -> Vec<OneBoard> {
    let of_kernels = kernels.into_iter().map(|(kernel, shared_by)| {
        let (name, kind) = (kernel.name(), Kind::Kernel);
        let one = match operation {
            "rook_attacks" => one_board(name, kind, move |s, o| kernel.rook_attacks_one(s, o)),
            "bishop_attacks" => one_board(name, kind, move |s, o| kernel.bishop_attacks_one(s, o)),
            "queen_attacks" => one_board(name, kind, move |s, o| kernel.queen_attacks_one(s, o)),
            _ => one_board(name, kind, move |s, o| kernel.slider_attacks_one(s, s, o)),
        };
        OneBoard { shared_by, ..one }
    });
    let inlined = match operation {
        "rook_attacks" => one_board("board", Kind::Form, board::rook_attacks),
        "bishop_attacks" => one_board("board", Kind::Form, board::bishop_attacks),
        "queen_attacks" => one_board("board", Kind::Form, board::queen_attacks),
        _ => one_board("board", Kind::Form, |s, o| board::slider_attacks(s, s, o)),
    };
    let form = |(name, form): (_, Box<Attacks>)| one_board(name, Kind::Form, form);
    of_kernels.chain([inlined]).chain(forms(operation).into_iter().map(form)).collect()
}

/// A function that computes one board from a set of sliders and the occupancy. The call is
/// indirect, like a kernel's. The techniques are inlined into the function.
type Attacks = dyn Fn(u64, u64) -> u64;

/// A kernel, and the names of all kernels that share its code, if there are several.
pub(crate) type Group = (&'static Kernel, Vec<&'static str>);

/// One kernel for each different code of the operation, in the order of `kernels`. For the code
/// that `scalar` shares, the kernel is `scalar`, because other figures are compared with `scalar`.
///
/// The data file has the operations for which kernels share code, most of them on one board. For
/// each operation, it lists the groups of kernels with special code. All other kernels share the
/// code for general registers. `tools/objectcode.py kernels` compares the data with the object
/// code on x86-64.
pub(crate) fn groups(operation: &str, kernels: &[&'static Kernel]) -> Vec<Group> {
    let Some(own) = own_code().remove(operation) else {
        return kernels.iter().map(|&kernel| (kernel, Vec::new())).collect();
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
    let named = |group: Vec<&'static Kernel>| {
        let kernel = group.iter().find(|kernel| kernel.name() == BASELINE).unwrap_or(&group[0]);
        let names = group.iter().map(|kernel| kernel.name());
        (*kernel, if group.len() > 1 { names.collect() } else { Vec::new() })
    };
    groups.into_iter().map(named).collect()
}

/// By operation, the groups of kernels that have code of their own.
fn own_code() -> BTreeMap<String, Vec<Vec<String>>> {
    serde_json::from_str(include_str!("../data/one-board.json")).expect("a test parses it")
}

/// The union of the attacks of all sliders.
#[inline(always)]
fn popped(mut sliders: u64, attacks: impl Fn(Square) -> u64) -> u64 {
    let mut union = 0;
    while sliders != 0 {
        union |= attacks(Square::new(sliders.trailing_zeros() as u8 & 63).expect("below 64"));
        sliders &= sliders - 1;
    }
    union
}

/// The union of the rays in four directions, without a loop.
#[inline(always)]
pub(crate) fn rays([a, b, c, d]: [Direction; 4], ray: impl Fn(Direction) -> u64) -> u64 {
    ray(a) | ray(b) | ray(c) | ray(d)
}

/// Makes a form of an operation from two functions: the attacks of a set of sliders along ranks and
/// files, and those along diagonals.
macro_rules! of_sets {
    ($operation:expr, $orthogonal:expr, $diagonal:expr) => {{
        let form: Box<Attacks> = match $operation {
            "rook_attacks" => Box::new(move |rooks, o| $orthogonal(rooks, o | rooks)),
            "bishop_attacks" => Box::new(move |bishops, o| $diagonal(bishops, o | bishops)),
            _ => Box::new(move |s, o| $orthogonal(s, o | s) | $diagonal(s, o | s)),
        };
        form
    }};
}

/// Like [`of_sets`], from the attacks of one rook and of one bishop. Each queen is taken from its
/// set once, for both functions.
macro_rules! per_slider {
    ($operation:expr, $rook:expr, $bishop:expr) => {
        if $operation == "queen_attacks" {
            let form: Box<Attacks> = Box::new(move |queens, o| {
                let o = o | queens;
                popped(queens, |square| $rook(square, o) | $bishop(square, o))
            });
            form
        } else {
            of_sets!(
                $operation,
                |rooks, o| popped(rooks, |square| $rook(square, o)),
                |bishops, o| popped(bishops, |square| $bishop(square, o))
            )
        }
    };
}

/// One form of each technique that is not a kernel's code for one board, for one of the [main
/// operations](crate::names::MAIN). The names differ from those of kernels of the technique.
fn forms(operation: &str) -> Vec<(&'static str, Box<Attacks>)> {
    let hyperbola_rook = |square, occupied| {
        hyperbola::rank_by_table(square, occupied)
            | hyperbola::by_byte_swap(Line::File, square, occupied)
    };
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
    let mut forms = vec![
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
    forms.extend(by_pext(operation).map(|form| ("techniques::pext", form)));
    forms
}

/// Look-ups with PEXT, compiled for BMI2: a closure inherits the features of the function that
/// contains it. `None` if this CPU lacks BMI2.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
fn by_pext(operation: &str) -> Option<Box<Attacks>> {
    use setwise::techniques::{cpu::Bmi2, pext};

    #[target_feature(enable = "bmi2")]
    fn make(cpu: Bmi2, operation: &str) -> Box<Attacks> {
        per_slider!(operation, |square, o| pext::rook_attacks(cpu, square, o), |square, o| {
            pext::bishop_attacks(cpu, square, o)
        })
    }
    // SAFETY: BMI2 was just detected.
    Bmi2::detect().map(|cpu| unsafe { make(cpu, operation) })
}

#[cfg(test)]
mod tests {
    use super::{Group, contenders, forms, groups, own_code};
    use crate::latency::Chain;
    use crate::names::MAIN;
    use setwise::Kernel;

    /// The data file has all operations on one board, and only operations and kernels that exist.
    /// Every kernel is in one group: with `scalar`, unless it has code of its own.
    #[test]
    fn kernels_that_share_code_are_one_group() {
        let (data, infos) = (own_code(), setwise::reflection::OPERATIONS);
        for info in infos.iter().filter(|info| info.by_value()) {
            let name = info.name();
            assert!(data.contains_key(name), "{name} is missing in data/one-board.json");
        }
        let kernels: Vec<_> = Kernel::available().collect();
        for (operation, own) in data {
            assert!(infos.iter().any(|info| info.name() == operation), "{operation}");
            for name in own.iter().flatten() {
                assert!(Kernel::catalogue().iter().any(|info| info.name() == name), "{name}");
            }
            let groups = groups(&operation, &kernels);
            let names = |(kernel, names): &Group| match &names[..] {
                [] => vec![kernel.name()],
                _ => names.clone(),
            };
            let groups: Vec<_> = groups.iter().map(names).collect();
            assert_eq!(groups.concat().len(), kernels.len(), "{operation}");
            for name in kernels.iter().map(|kernel| kernel.name()) {
                let group = groups.iter().find(|group| group.contains(&name)).unwrap();
                let has_own = own.iter().flatten().any(|other| other == name);
                assert_eq!(!group.contains(&"scalar"), has_own, "{operation}: {name}");
            }
        }
        assert_eq!(groups("queen_attacks", &kernels).len(), kernels.len());
    }

    /// Kernels and forms are right, also for sliders that are not in the occupancy.
    #[test]
    fn every_chain_ends_right() {
        for operation in MAIN {
            assert!(forms(operation).len() >= 6);
            let chain = Chain::new(operation);
            let kernels = setwise::Kernel::available().map(|kernel| (kernel, Vec::new())).collect();
            for one in contenders(operation, kernels) {
                chain.check(&one).unwrap();
            }
        }
    }
}
