//! What the register types of all three widths have in common: methods of one intrinsic each, and
//! those that depend on the instruction set.

/// Defines a register type with its operators, [`RankBytes`] and [`BoardVector`]. `ranks` has what
/// a width does in another way than [`RankBytes`].
///
/// [`RankBytes`]: crate::kernels::generic::rank_bytes::RankBytes
/// [`BoardVector`]: crate::kernels::generic::board_vector::BoardVector
macro_rules! register {
    (
        $(#[$doc:meta])*
        $Register:ident: $Vector:ident, $boards:literal boards;
        bits: $and:ident $or:ident $xor:ident;
        splat: $splat_byte:ident $splat_board:ident;
        bytes: $add:ident $subtract:ident;
        memory: $load:ident $store:ident;
        shift: $left:ident $right:ident |$squares:ident| $count:expr;
        ranks: { $($ranks:tt)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $Register<W>(pub(super) $Vector, PhantomData<W>);

        impl<W: ByteShifts<Self>> $Register<W> {
            /// # Safety
            /// The CPU has what `W` needs.
            #[inline(always)]
            pub(super) unsafe fn new(bytes: $Vector) -> Self {
                $Register(bytes, PhantomData)
            }
        }

        $crate::kernels::generic::operators::operators!(
            $Register<W: ByteShifts>: $and, $or, $xor, $splat_byte
        );

        impl<W: ByteShifts<Self>> $crate::kernels::generic::rank_bytes::RankBytes for $Register<W> {
            const WEST_WRAPS: bool = W::WEST_WRAPS;
            const FLOOD_SELECTS: bool = W::FLOOD_SELECTS;
            type West = W::West;

            #[inline(always)]
            fn splat(self, byte: u8) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($splat_byte(byte.cast_signed())) }
            }
            #[inline(always)]
            fn sub_bytes(self, other: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($subtract(self.0, other.0)) }
            }
            /// Adds each byte to itself.
            #[inline(always)]
            fn east(self) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($add(self.0, self.0)) }
            }
            #[inline(always)]
            fn west<const FILES: i32>(self) -> Self {
                W::west::<FILES>(self)
            }
            #[inline(always)]
            fn flood(self, occupied: Self, sliders: Self) -> Self {
                W::flood(self, occupied, sliders)
            }
            $($ranks)*
        }

        impl<W: Reverse<Self>> $crate::kernels::generic::rank_bytes::ReverseBits for $Register<W> {
            #[inline(always)]
            fn reverse(self) -> Self {
                W::reverse(self)
            }
        }

        impl<W: ByteShifts<Self>> $crate::kernels::generic::board_vector::BoardVector
            for $Register<W>
        {
            const BOARDS: usize = $boards;

            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the boards are readable; the load may be unaligned.
                unsafe { Self::new($load(from.cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: the boards are writable; the store may be unaligned.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn splat_board(self, squares: u64) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe { Self::new($splat_board(squares.cast_signed())) }
            }
            #[inline(always)]
            fn shift(self, up: bool, $squares: u32) -> Self {
                // SAFETY: a value of this type proves that the CPU has the features.
                unsafe {
                    let count = $count;
                    Self::new(if up { $left(self.0, count) } else { $right(self.0, count) })
                }
            }
        }

        impl<W: Flip<Self>> $crate::kernels::generic::board_vector::FlipAntidiagonal
            for $Register<W>
        {
            #[inline(always)]
            fn flip_antidiagonal(self) -> Self {
                W::flip_antidiagonal(self)
            }
        }
    };
}
pub(super) use register;
