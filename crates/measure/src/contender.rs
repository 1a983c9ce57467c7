//! Who is measured. The kernels are here; others are forms, roofs and peers.

use setwise::Kernels;

use crate::batch::{Batch, Computes};
use crate::column::Columns;
use crate::operation::Operation;

/// Something that does an operation on a whole [`Batch`].
pub struct Contender {
    /// What it is called in the figures.
    pub name: &'static str,
    /// What its outputs should be.
    pub computes: Computes,
    /// Takes so much more time than it needs, as a part of it: 0, but in tests that must notice.
    pub slowed: f64,
    pass: Box<dyn Fn(&mut Columns)>,
}

impl Contender {
    pub(crate) fn new(name: &'static str, pass: impl Fn(&mut Columns) + 'static) -> Contender {
        Contender {
            name,
            computes: Computes::Attacks,
            slowed: 0.0,
            pass: Box::new(pass),
        }
    }

    /// One pass over the batch, in calls of the batch's size.
    pub fn pass(&self, batch: &mut Batch) {
        (self.pass)(&mut batch.columns);
    }

    /// Does one pass and compares all outputs with the right ones.
    ///
    /// # Errors
    /// The first wrong board, in a line.
    pub fn check(&self, batch: &mut Batch) -> Result<(), String> {
        batch.check(self.name, self.computes, &self.pass)
    }

    /// The same with a wrong first board: for tests of those who must notice.
    #[must_use]
    pub fn broken(self) -> Contender {
        let Contender { name, pass, .. } = self;
        Contender::new(name, move |columns| {
            pass(columns);
            columns.outputs[0].spoil();
        })
    }
}

/// Every kernel that this CPU can run, best first.
#[must_use]
pub fn kernels(operation: Operation) -> Vec<Contender> {
    Kernels::available()
        .map(|kernels| kernel(operation, kernels))
        .collect()
}

/// One kernel.
#[must_use]
pub fn kernel(operation: Operation, kernel: &'static Kernels) -> Contender {
    Contender::new(kernel.name(), move |columns| {
        operation.pass(kernel, columns);
    })
}
