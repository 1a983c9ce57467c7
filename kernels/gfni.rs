//! Bits of bytes by GFNI: one `gf2p8affineqb` multiplies each byte by an 8x8 matrix of bits.

/// The matrix by which result bit `i` is source bit `from(i)`, or 0 where that is not 0 to 7.
///
/// The instruction takes row `i`, the mask of source bits whose parity is result bit `i`, from byte `7 - i`.
const fn matrix(from: [i32; 8]) -> i64 {
    let mut rows = [0; 8];
    let mut i = 0;
    while i < 8 {
        if 0 <= from[i] && from[i] < 8 {
            rows[7 - i] = 1 << from[i];
        }
        i += 1;
    }
    i64::from_le_bytes(rows)
}

/// Reverses the bits of each byte.
pub(super) const REVERSE: i64 = matrix([7, 6, 5, 4, 3, 2, 1, 0]);

/// Shifts each byte right by `files`: one rank to the west, and nothing crosses into the next byte.
pub(super) const fn west(files: i32) -> i64 {
    let mut from = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut i = 0;
    while i < 8 {
        from[i] += files;
        i += 1;
    }
    matrix(from)
}

/// Westward by GFNI: exact shifts, and rays by reversal.
macro_rules! west_by_gfni {
    ($affine:ident, $set1:ident) => {
        const WEST_LEAKS: bool = false;

        #[inline(always)]
        fn west<const FILES: i32>(self) -> Self {
            // SAFETY: a value of this type proves the features.
            unsafe {
                let matrix =
                    core::arch::x86_64::$set1(const { $crate::kernels::gfni::west(FILES) });
                Self(core::arch::x86_64::$affine::<0>(self.0, matrix))
            }
        }

        $crate::kernels::x86::west_by_reversal!();
    };
}

/// Bit reversal by GFNI.
macro_rules! reverse_by_gfni {
    ($lanes:ident, $affine:ident, $set1:ident, $sub:ident) => {
        impl $crate::kernels::reversal::Reverse for $lanes {
            #[inline(always)]
            fn reverse(self) -> Self {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    let matrix = core::arch::x86_64::$set1($crate::kernels::gfni::REVERSE);
                    Self(core::arch::x86_64::$affine::<0>(self.0, matrix))
                }
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$sub(self.0, other.0) })
            }
        }
    };
}

pub(super) use {reverse_by_gfni, west_by_gfni};
