//! The contenders of a race: the kernels, and the code that they are compared with.

use setwise::Kernel;

use crate::batch::Batch;
use crate::column::Columns;
use crate::kind::Kind;
use crate::operation::Operation;

/// Code that computes an operation for a whole [`Batch`].
pub struct Contender {
    /// The contender's name in the figures.
    pub name: &'static str,
    /// The kind. A contender of [`Kind::Roof`] computes the exclusive or of the inputs. All other
    /// kinds compute the operation.
    pub kind: Kind,
    /// The names of all kernels that share this code, if there are several.
    pub shared_by: Vec<&'static str>,
    /// For tests: slows the contender down by this fraction of its time.
    pub slowed: f64,
    compute: Box<dyn Fn(&mut Columns) + Send + Sync>,
}

impl Contender {
    pub(crate) fn new(
        name: &'static str,
        kind: Kind,
        compute: impl Fn(&mut Columns) + Send + Sync + 'static,
    ) -> Contender {
        Contender { name, kind, shared_by: Vec::new(), slowed: 0.0, compute: Box::new(compute) }
    }

    /// Computes all calls of the batch once.
    pub fn compute(&self, batch: &mut Batch) {
        (self.compute)(&mut batch.columns);
    }

    /// Computes the batch once and compares all outputs with the oracle's.
    ///
    /// # Errors
    /// The first wrong board, in one line.
    pub fn check(&self, batch: &mut Batch) -> Result<(), String> {
        batch.check(self.name, self.kind, &self.compute)
    }

    /// For tests: the same contender, but with a wrong result for the first board.
    #[must_use]
    pub fn broken(self) -> Contender {
        let Contender { name, kind, compute, .. } = self;
        Contender::new(name, kind, move |columns| {
            compute(columns);
            columns.outputs[0].spoil();
        })
    }
}

/// One contender for each kernel that this CPU can run, best first.
#[must_use]
pub fn kernels(operation: Operation) -> Vec<Contender> {
    Kernel::available().map(|kernels| kernel(operation, kernels)).collect()
}

/// The contender that computes the operation with this kernel.
#[must_use]
pub fn kernel(operation: Operation, kernel: &'static Kernel) -> Contender {
    let compute = move |columns: &mut Columns| operation.pass(kernel, columns);
    Contender::new(kernel.name(), Kind::Kernel, compute)
}
