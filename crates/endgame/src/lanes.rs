//! Eight words side by side, one for each file of the attacker's king on one rank.
//!
//! A word is a bitboard of the defender's king, so one [`Lanes`] has 512 positions. The compiler
//! turns the loops into vector instructions of the target's width.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The eight words for the files of a rank. They fill one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub [u64; 8]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0; 8]);
    pub(crate) const FULL: Self = Self([!0; 8]);

    #[inline(always)]
    pub(crate) fn map(self, f: impl Fn(u64) -> u64) -> Self {
        let mut out = self;
        for word in &mut out.0 {
            *word = f(*word);
        }
        out
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut out = self;
        for lane in 0..8 {
            out.0[lane] = f(self.0[lane], other.0[lane]);
        }
        out
    }

    #[inline(always)]
    pub(crate) fn is_zero(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    /// Moves every word one file east: the attacker's king steps east.
    #[inline(always)]
    pub(crate) fn east(self) -> Self {
        Self(std::array::from_fn(|file| if file == 0 { 0 } else { self.0[file - 1] }))
    }

    /// Moves every word one file west.
    #[inline(always)]
    pub(crate) fn west(self) -> Self {
        Self(std::array::from_fn(|file| if file == 7 { 0 } else { self.0[file + 1] }))
    }
}

impl BitAnd for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl BitOrAssign for Lanes {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Not for Lanes {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|word| !word)
    }
}
