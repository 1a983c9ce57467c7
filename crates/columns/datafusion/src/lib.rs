#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod fens;
mod function;
mod helpers;
mod operations;
mod value;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;

/// All functions: the operations of `setwise`, functions on FEN strings, and helpers for sets.
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
