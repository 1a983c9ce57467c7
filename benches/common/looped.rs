//! Peers that work board by board: functions of one board, looped over a batch and compiled for chosen
//! CPU features by `#[target_feature]`, never by compiler flags.

use super::Operation;
use super::contender::Contender;

pub(super) type Two = unsafe fn(&[u64], &[u64], &mut [u64]);
pub(super) type Three = unsafe fn(&[u64], &[u64], &[u64], &mut [u64]);

/// The loops of one peer. They may be called where the CPU has the features they are compiled for.
pub(super) struct Looped {
    pub(super) name: &'static str,
    pub(super) rook: Two,
    pub(super) bishop: Two,
    pub(super) queen: Two,
    pub(super) slider: Three,
}

/// Loops over functions of one board (rook, bishop, queen, slider), compiled for `features`.
macro_rules! looped {
    ($name:expr, $rook:path, $bishop:path, $queen:path, $slider:path $(, $features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        fn rook_batch(rooks: &[u64], occupied: &[u64], attacks: &mut [u64]) {
            for (attacked, (&rooks, &occupied)) in attacks.iter_mut().zip(rooks.iter().zip(occupied)) {
                *attacked = $rook(rooks, occupied);
            }
        }

        $(#[target_feature(enable = $features)])?
        fn bishop_batch(bishops: &[u64], occupied: &[u64], attacks: &mut [u64]) {
            for (attacked, (&bishops, &occupied)) in attacks.iter_mut().zip(bishops.iter().zip(occupied)) {
                *attacked = $bishop(bishops, occupied);
            }
        }

        $(#[target_feature(enable = $features)])?
        fn queen_batch(queens: &[u64], occupied: &[u64], attacks: &mut [u64]) {
            for (attacked, (&queens, &occupied)) in attacks.iter_mut().zip(queens.iter().zip(occupied)) {
                *attacked = $queen(queens, occupied);
            }
        }

        $(#[target_feature(enable = $features)])?
        fn slider_batch(orthogonal: &[u64], diagonal: &[u64], occupied: &[u64], attacks: &mut [u64]) {
            let sets = orthogonal.iter().zip(diagonal).zip(occupied);
            for (attacked, ((&orthogonal, &diagonal), &occupied)) in attacks.iter_mut().zip(sets) {
                *attacked = $slider(orthogonal, diagonal, occupied);
            }
        }

        $crate::common::looped::Looped {
            name: $name,
            rook: rook_batch,
            bishop: bishop_batch,
            queen: queen_batch,
            slider: slider_batch,
        }
    }};
}
pub(super) use looped;

impl Looped {
    /// These loops as a contender; none for rays and fills.
    ///
    /// # Safety
    /// The CPU has the features for which the loops are compiled.
    pub(super) unsafe fn contender(&self, operation: Operation) -> Option<Contender> {
        let by_two = |run: Two| {
            Contender::two(self.name, move |sliders, occupied, attacks| {
                // SAFETY: promised by the caller of `contender`.
                unsafe { run(sliders, occupied, attacks) }
            })
        };
        match operation {
            Operation::Rook => Some(by_two(self.rook)),
            Operation::Bishop => Some(by_two(self.bishop)),
            Operation::Queen => Some(by_two(self.queen)),
            Operation::Slider => {
                let run = self.slider;
                Some(Contender::three(self.name, move |r, b, o, attacks| {
                    // SAFETY: promised by the caller of `contender`.
                    unsafe { run(r, b, o, attacks) }
                }))
            }
            Operation::Ray(_) | Operation::Fill(_) => None,
        }
    }
}
