//! The list of kernels, and the kernel in use.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use setwise::{Choice, Kernel, KernelStatus};

/// The kernel in use. The first call chooses it, and fails if an environment variable is invalid.
pub(crate) fn active() -> PyResult<&'static Kernel> {
    Kernel::try_active().map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

type Names = Vec<&'static str>;
type Described = (&'static str, &'static str, Names, Names, bool);

/// Describes each kernel, best first: name, description, required CPU features, those of them that
/// this CPU lacks, and whether the kernel is part of this build.
#[pyfunction]
fn _catalogue() -> Vec<Described> {
    let entry = |info: &setwise::KernelInfo| {
        let (missing, is_compiled) = match info.status() {
            KernelStatus::Available => (Vec::new(), true),
            KernelStatus::Unsupported(missing) => (missing.names().collect(), true),
            _ => (Vec::new(), false),
        };
        (info.name(), info.description(), info.needs().to_vec(), missing, is_compiled)
    };
    Kernel::catalogue().iter().map(entry).collect()
}

/// The name of the kernel in use.
///
/// The default is the best kernel that this CPU can run. `use_kernel` overrides the default, and so
/// does the environment: SETWISE_FORCE_KERNEL=name forces a kernel, and SETWISE_DISABLE=name,name
/// excludes kernels. An unknown name in these variables raises a RuntimeError.
///
/// >>> import setwise
/// >>> setwise.use_kernel("scalar")
/// 'scalar'
/// >>> setwise.kernel()
/// 'scalar'
/// >>> setwise.use_kernel() == setwise.kernel()
/// True
#[pyfunction]
fn kernel() -> PyResult<&'static str> {
    Ok(active()?.name())
}

/// Selects the kernel for all further calls in all threads, and returns its name. Without a name,
/// selects the best kernel that this CPU can run.
///
/// If there is no such kernel, or this CPU cannot run it, raises a ValueError and changes nothing.
///
/// >>> import setwise
/// >>> setwise.use_kernel("fast")
/// Traceback (most recent call last):
/// ...
/// ValueError: ...
#[pyfunction]
#[pyo3(signature = (name=None))]
fn use_kernel(name: Option<&str>) -> PyResult<&'static str> {
    let choice = match name {
        Some(name) => Choice::by_cpu().force(name),
        None => Choice::by_cpu(),
    };
    match Kernel::init(choice) {
        Ok(kernel) => Ok(kernel.name()),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_catalogue, module)?)?;
    module.add_function(wrap_pyfunction!(kernel, module)?)?;
    module.add_function(wrap_pyfunction!(use_kernel, module)?)
}
