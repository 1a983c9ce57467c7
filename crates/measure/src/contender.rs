//! The contenders of a race: the kernels, and the code that they are compared with.

use setwise::Kernel;

use crate::buffers::Buffers;
use crate::figures::Kind;
use crate::operation::Operation;
use crate::workload::Workload;

/// A contender of a race: its name in the figures, and its code.
#[derive(Clone)]
pub struct Contender<C = Compute> {
    /// The contender's name in the figures.
    pub name: &'static str,
    /// The kind. A contender of [`Kind::Roof`] computes the exclusive or of the inputs. All other
    /// kinds compute the operation.
    pub kind: Kind,
    /// The names of all kernels that share this code, if there are several.
    pub shared_by: Vec<&'static str>,
    pub(crate) code: C,
}

/// Code that computes an operation for a whole [`Workload`].
pub type Compute = Box<dyn Fn(&mut Buffers) + Send + Sync>;

impl<C> Contender<C> {
    pub(crate) fn of(name: &'static str, kind: Kind, code: C) -> Contender<C> {
        Contender { name, kind, shared_by: Vec::new(), code }
    }
}

impl Contender {
    pub(crate) fn new(
        name: &'static str,
        kind: Kind,
        compute: impl Fn(&mut Buffers) + Send + Sync + 'static,
    ) -> Contender {
        Contender::of(name, kind, Box::new(compute))
    }

    /// Computes all calls of the workload once.
    pub fn compute(&self, workload: &mut Workload) {
        (self.code)(&mut workload.buffers);
    }

    /// Computes the workload once and compares all outputs with the oracle's.
    ///
    /// # Errors
    /// The first wrong board, in one line.
    pub fn check(&self, workload: &mut Workload) -> Result<(), String> {
        workload.check(self.name, self.kind == Kind::Roof, &self.code)
    }
}

/// Removes contenders with wrong results.
pub(crate) fn remove<C>(contenders: &mut Vec<Contender<C>>, wrong: &[&str]) {
    contenders.retain(|contender| !wrong.contains(&contender.name));
    for contender in contenders {
        contender.shared_by.retain(|name| !wrong.contains(name));
    }
}

/// One contender for each kernel that this CPU can run, best first.
#[must_use]
pub fn kernels(operation: Operation) -> Vec<Contender> {
    Kernel::available().map(|one| kernel(operation, one)).collect()
}

/// The contender that computes the operation with this kernel.
#[must_use]
pub fn kernel(operation: Operation, kernel: &'static Kernel) -> Contender {
    Contender::new(kernel.name(), Kind::Kernel, move |buffers| operation.pass(kernel, buffers))
}
