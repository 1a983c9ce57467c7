//! Implements the bitwise operators of a register type with intrinsics.

/// Usage: `operators!(Type<W: Bound>: and, or, xor, splat)`. The type must have a function `new`.
macro_rules! operators {
    (
        $register:ident$(<$W:ident: $Bound:ident>)?:
        $and:ident, $or:ident, $xor:ident, $splat:ident
    ) => {
        impl$(<$W: $Bound<Self>>)? core::ops::BitAnd for $register$(<$W>)? {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($and(self.0, other.0)) }
            }
        }
        impl$(<$W: $Bound<Self>>)? core::ops::BitOr for $register$(<$W>)? {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($or(self.0, other.0)) }
            }
        }
        impl$(<$W: $Bound<Self>>)? core::ops::BitXor for $register$(<$W>)? {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($xor(self.0, other.0)) }
            }
        }
        impl$(<$W: $Bound<Self>>)? core::ops::Not for $register$(<$W>)? {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($xor(self.0, $splat(-1))) }
            }
        }
    };
}
pub(crate) use operators;
