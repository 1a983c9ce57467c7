//! Types that prove that this CPU has an instruction set, for the functions that need it.
//!
//! A value of such a type exists only if the CPU and the operating system support its features. So
//! a function that takes the value is safe to call. The types have size zero, and `detect` reads a
//! cached result.

use crate::detect;

macro_rules! proofs {
    ($($(#[$doc:meta])* $name:ident: $($feature:literal)+;)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(());

        impl $name {
            /// The features, as named by [`KernelInfo::needs`](crate::KernelInfo::needs).
            pub const FEATURES: &'static [&'static str] = &[$($feature),+];

            /// Returns the proof, if this CPU has the features.
            #[must_use]
            pub fn detect() -> Option<Self> {
                detect::has(Self::FEATURES).then_some($name(()))
            }
        }
    )* };
}

proofs! {
    /// The proof that this CPU has SSSE3.
    ///
    /// ```
    /// use setwise::techniques::{cpu::Ssse3, hyperbola};
    /// use setwise::{Square, board};
    /// let d4 = Square::new(27).unwrap();
    /// # #[cfg(target_arch = "x86_64")]
    /// if let Some(cpu) = Ssse3::detect() {
    ///     assert_eq!(hyperbola::bishop_by_pshufb(cpu, d4, 0), board::bishop_attacks_from(d4, 0));
    /// }
    /// ```
    Ssse3: "ssse3";
    /// The proof that this CPU has AVX2.
    Avx2: "avx2";
    /// The proof that this CPU has BMI2.
    Bmi2: "bmi2";
    /// The proof that this CPU has AVX2 and GFNI.
    Avx2Gfni: "avx2" "gfni";
    /// The proof that this CPU has AVX-512F and AVX-512VL.
    Avx512: "avx512f" "avx512vl";
    /// The proof that this CPU has XOP (AMD Bulldozer to Excavator).
    Xop: "avx" "xop";
}
