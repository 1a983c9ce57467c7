#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "sql")]
pub mod copy;
#[cfg(feature = "sql")]
pub mod failure;
mod fens;
mod function;
mod helpers;
mod operations;
#[cfg(feature = "sql")]
pub mod output;
#[cfg(feature = "sql")]
pub mod program;
#[cfg(feature = "sql")]
pub mod stores;
#[cfg(feature = "sql")]
pub mod tables;
mod value;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;

/// All functions: the operations of `setwise`, functions on FEN strings, and helpers for sets.
///
/// ```
/// let functions = setwise_datafusion::functions();
/// assert!(functions.iter().any(|function| function.name() == "queen_attacks"));
/// assert!(functions.iter().all(|function| function.documentation().is_some()));
/// ```
#[must_use]
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    let all = operations::all().into_iter().chain(fens::all()).chain(helpers::all());
    all.map(|function| Arc::new(ScalarUDF::from(function))).collect()
}

/// Registers all functions with a session: a `SessionContext` or a `SessionState`.
///
/// # Errors
/// If the registry rejects a function. DataFusion's own registries never do.
pub fn register(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in functions() {
        registry.register_udf(function)?;
    }
    Ok(())
}
