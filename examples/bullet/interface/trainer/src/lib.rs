//! The part of bullet's package of this name that the example uses, declared as there.

/// A run of training.
pub mod run {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use bullet_compiler::tensor::TValue;

    /// Why there are no batches.
    #[derive(Debug)]
    pub enum DataLoadingError {
        /// More batches than asked for.
        TooManyBatchesReceived,
        /// No batch at all.
        NoBatchesReceived,
        /// Something else.
        Message(String),
    }

    /// What brings the batches of a run.
    pub trait DataLoader: Send + Sync + 'static {
        /// Calls `f` with batches from `start` on, until it returns true.
        fn map_batches<F: FnMut(PreparedBatchHost) -> bool>(
            self,
            start: Step,
            batch_size: usize,
            f: F,
        ) -> Result<(), DataLoadingError>;
    }

    /// The tensors of a batch, by the names of a model's inputs.
    pub struct PreparedBatchHost {
        /// The tensors.
        pub inputs: BTreeMap<String, TValue>,
    }

    impl PreparedBatchHost {
        /// A batch whose memory goes back to the pool.
        pub fn new(_pool: Arc<HostPool>, inputs: BTreeMap<String, TValue>) -> Self {
            Self { inputs }
        }
    }

    /// Memory for batches. Here, always new.
    #[derive(Default)]
    pub struct HostPool;

    impl HostPool {
        /// This many integers, of any values.
        pub fn take_i32(&self, len: usize) -> Vec<i32> {
            vec![0; len]
        }

        /// This many floats, of any values.
        pub fn take_f32(&self, len: usize) -> Vec<f32> {
            vec![0.0; len]
        }
    }

    /// How far a run is.
    #[derive(Clone, Copy, Debug)]
    pub struct Step {
        superbatch: usize,
        batch: usize,
        batches: usize,
    }

    impl Step {
        /// A batch of a superbatch, which count from 0 and 1.
        pub fn new(superbatch: usize, batch: usize, _last: usize, batches: usize) -> Self {
            Self { superbatch, batch, batches }
        }

        /// The number of batches before.
        pub fn total_batches(&self) -> usize {
            self.batch + self.batches * (self.superbatch - 1)
        }
    }
}
