//! Who is measured. The kernels are here, the others in [`peers`](super::peers).

use setwise::Kernels;

use super::batch::{Batch, Computes};
use super::column::Columns;
use super::operation::Operation;

/// Something that does an operation on a whole [`Batch`].
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) computes: Computes,
    pass: Box<dyn Fn(&mut Columns)>,
}

impl Contender {
    pub(crate) fn new(name: &'static str, pass: impl Fn(&mut Columns) + 'static) -> Contender {
        Contender {
            name,
            computes: Computes::Attacks,
            pass: Box::new(pass),
        }
    }

    /// One pass over the batch, in calls of the batch's size.
    pub(crate) fn pass(&self, batch: &mut Batch) {
        (self.pass)(&mut batch.columns);
    }

    /// # Panics
    /// If a result is wrong.
    pub(crate) fn check(&self, batch: &mut Batch) {
        batch.check(self.name, self.computes, &self.pass);
    }
}

/// Every kernel that this CPU can run, best first.
pub(crate) fn kernels(operation: Operation) -> Vec<Contender> {
    let contender = |kernel: &'static Kernels| {
        let pass = move |columns: &mut Columns| operation.pass(kernel, columns);
        Contender::new(kernel.name(), pass)
    };
    Kernels::available().map(contender).collect()
}
