//! The loader of setwise as bullet's `DataLoader`.

use std::collections::BTreeMap;
use std::sync::Arc;

use bullet_compiler::tensor::TValue;
use bullet_trainer::run::{DataLoader, DataLoadingError, HostPool, PreparedBatchHost, Step};
use setwise_loader::{Batch, Columns, Features, Inputs, Layout, Loader, Part, Pieces, Views};

/// What becomes the tensors of bullet's `ValueTrainer`: `stm`, `nstm`, `buckets`, `targets` and
/// `entry_weights`.
pub struct Binpack {
    /// Which files, in which order, with which filter. The other settings are set here.
    pub loader: Loader,
    /// The inputs of the network.
    pub inputs: Inputs,
    /// The score that is a chance of 73 % to win.
    pub scale: f32,
    /// The share of the game's result in the target. The rest is the score's.
    pub wdl: f32,
}

/// The inputs of bullet's `ChessBucketsMirrored` with these buckets, for a king on files a to d.
pub fn mirrored(buckets: [u8; 32]) -> Inputs {
    let of_file = |square: usize| buckets[square / 8 * 4 + (square % 8).min(7 - square % 8)];
    let planes = std::array::from_fn(|plane| Some(plane as u8));
    let pieces = Pieces::new(planes, std::array::from_fn(of_file), 0b1111_0000);
    Inputs::new(vec![Part::Pieces(pieces)]).expect("one part of 24,576 inputs at most")
}

impl DataLoader for Binpack {
    fn map_batches<F: FnMut(PreparedBatchHost) -> bool>(
        self,
        start: Step,
        batch_size: usize,
        mut f: F,
    ) -> Result<(), DataLoadingError> {
        let message = |error: std::io::Error| DataLoadingError::Message(error.to_string());
        let loader = Loader {
            batch_size,
            cycle: true,
            resume: start.total_batches() as u64,
            features: Features::Indices(self.inputs),
            layout: Layout::Rows { width: None },
            views: Views::Movers,
            columns: Columns { boards: false, basics: false, details: false, floats: true },
            ..self.loader
        };
        let pool = Arc::new(HostPool::default());
        let mut batches = loader.batches().map_err(message)?;
        let recycler = batches.recycler();
        while let Some(batch) = batches.next() {
            let batch = batch.map_err(message)?;
            let tensors = tensors(&batch, &pool, self.scale, self.wdl);
            recycler.recycle(batch);
            if f(PreparedBatchHost::new(pool.clone(), tensors)) {
                break;
            }
        }
        Ok(())
    }
}

/// The tensors of a batch.
fn tensors(batch: &Batch, pool: &HostPool, scale: f32, wdl: f32) -> BTreeMap<String, TValue> {
    let (size, width) = (batch.len(), batch.width());
    let (views, pieces) = batch.rows().split_at(2 * size * width);
    let (stm, nstm) = views.split_at(size * width);
    let indices = |rows: &[i32]| {
        let mut tensor = pool.take_i32(rows.len());
        tensor.copy_from_slice(rows);
        TValue::I32(tensor)
    };
    let mut buckets = pool.take_i32(size);
    for (bucket, pieces) in buckets.iter_mut().zip(pieces) {
        *bucket = (pieces - 2) / 4; // `MaterialCount<8>`
    }
    let (outcomes, scores) = batch.floats()[size..].split_at(size);
    let mut targets = pool.take_f32(size);
    for ((target, outcome), score) in targets.iter_mut().zip(outcomes).zip(scores) {
        let chance = 1.0 / (1.0 + (-score / scale).exp());
        *target = wdl * outcome + (1.0 - wdl) * chance;
    }
    let mut weights = pool.take_f32(size);
    weights.fill(1.0);
    let tensors = [
        ("stm", indices(stm)),
        ("nstm", indices(nstm)),
        ("buckets", TValue::I32(buckets)),
        ("targets", TValue::F32(targets)),
        ("entry_weights", TValue::F32(weights)),
    ];
    tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into()
}
