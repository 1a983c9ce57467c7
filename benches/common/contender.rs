//! Who is measured: every kernel that this CPU can run, and the peers.

use setwise::Kernels;

use super::batch::Batch;
use super::{Operation, copy_xor, kogge_stone, magic};
#[cfg(target_arch = "x86_64")]
use super::{four_rays, pext};

/// The right output of a contender.
#[derive(Clone, Copy)]
pub(crate) enum Computes {
    Attacks,
    /// The exclusive or of the inputs: the roof reads and writes the same bytes and does no chess.
    Xor,
}

/// Something that does an operation on a whole [`Batch`].
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) computes: Computes,
    pass: Pass,
}

type Pass = Box<dyn Fn(&mut Batch)>;

impl Contender {
    /// One pass over the batch, in calls of the batch's size.
    pub(crate) fn pass(&self, batch: &mut Batch) {
        (self.pass)(batch);
    }

    /// An operation on one set of sliders.
    pub(crate) fn two(
        name: &'static str,
        call: impl Fn(&[u64], &[u64], &mut [u64]) + 'static,
    ) -> Contender {
        let pass = move |batch: &mut Batch| {
            let ([sliders, occupied], attacks, windows) = batch.parts();
            for window in windows {
                call(
                    &sliders[window.clone()],
                    &occupied[window.clone()],
                    &mut attacks[window],
                );
            }
        };
        Contender {
            name,
            computes: Computes::Attacks,
            pass: Box::new(pass),
        }
    }

    /// An operation on orthogonal and diagonal sliders.
    pub(crate) fn three(
        name: &'static str,
        call: impl Fn(&[u64], &[u64], &[u64], &mut [u64]) + 'static,
    ) -> Contender {
        let pass = move |batch: &mut Batch| {
            let ([orthogonal, diagonal, occupied], attacks, windows) = batch.parts();
            for window in windows {
                call(
                    &orthogonal[window.clone()],
                    &diagonal[window.clone()],
                    &occupied[window.clone()],
                    &mut attacks[window],
                );
            }
        };
        Contender {
            name,
            computes: Computes::Attacks,
            pass: Box::new(pass),
        }
    }
}

/// Every kernel that this CPU can run, best first, by its batch functions.
pub(crate) fn kernels(operation: Operation) -> Vec<Contender> {
    Kernels::available()
        .map(|kernel| {
            let name = kernel.name();
            match operation {
                Operation::Rook => Contender::two(name, |s, o, a| kernel.rook_attacks(s, o, a)),
                Operation::Bishop => Contender::two(name, |s, o, a| kernel.bishop_attacks(s, o, a)),
                Operation::Queen => Contender::two(name, |s, o, a| kernel.queen_attacks(s, o, a)),
                Operation::Slider => {
                    Contender::three(name, |r, b, o, a| kernel.slider_attacks(r, b, o, a))
                }
                Operation::Ray(direction) => {
                    Contender::two(name, move |s, o, a| kernel.ray_attacks(direction, s, o, a))
                }
                Operation::Fill(direction) => Contender::two(name, move |g, p, a| {
                    kernel.occluded_fill(direction, g, p, a);
                }),
            }
        })
        .collect()
}

/// Every kernel that this CPU can run, by its functions for one board by value; none for rays
/// and fills, which have no such function.
pub(crate) fn kernels_one(operation: Operation) -> Vec<Contender> {
    Kernels::available()
        .filter_map(|kernel| {
            let name = kernel.name();
            let by_two = |one: fn(&Kernels, u64, u64) -> u64| {
                Contender::two(name, move |sliders, occupied, attacks| {
                    for (i, attacked) in attacks.iter_mut().enumerate() {
                        *attacked = one(kernel, sliders[i], occupied[i]);
                    }
                })
            };
            match operation {
                Operation::Rook => Some(by_two(Kernels::rook_attacks_one)),
                Operation::Bishop => Some(by_two(Kernels::bishop_attacks_one)),
                Operation::Queen => Some(by_two(Kernels::queen_attacks_one)),
                Operation::Slider => Some(Contender::three(name, |r, b, o, attacks| {
                    for (i, attacked) in attacks.iter_mut().enumerate() {
                        *attacked = kernel.slider_attacks_one(r[i], b[i], o[i]);
                    }
                })),
                Operation::Ray(_) | Operation::Fill(_) => None,
            }
        })
        .collect()
}

/// The peers that do `operation`, then the roof.
pub(crate) fn peers(operation: Operation) -> Vec<Contender> {
    let mut peers = kogge_stone::builds(operation);
    peers.extend(magic::contender(operation));
    #[cfg(target_arch = "x86_64")]
    {
        peers.extend(pext::contender(operation));
        peers.extend(four_rays::contender(operation));
    }
    peers.extend(copy_xor::contender(operation));
    peers
}
