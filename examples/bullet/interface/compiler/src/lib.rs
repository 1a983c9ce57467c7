//! The part of bullet's package of this name that the example uses.

/// Tensors.
pub mod tensor {
    /// The numbers of a tensor.
    #[derive(Clone, Debug, PartialEq)]
    pub enum TValue {
        /// Floats.
        F32(Vec<f32>),
        /// Integers.
        I32(Vec<i32>),
    }
}
