//! The operations of the list.

use datafusion_common::DataFusionError;

use crate::function::Function;
use crate::value::{Kind, Owned};

pub(crate) fn all() -> Vec<Function> {
    let operations = setwise_arrow::OPERATIONS.iter();
    operations
        .map(|operation| {
            let arguments: Vec<(&str, Kind)> = operation
                .arguments()
                .iter()
                .map(|&(name, kind)| (name, kind.into()))
                .collect();
            let kinds: Vec<Kind> = arguments.iter().map(|&(_, kind)| kind).collect();
            Function::new(
                operation.name(),
                arguments,
                operation.output(),
                &operation.description(),
                move |values, rows| {
                    let owned = kinds
                        .iter()
                        .zip(values)
                        .map(|(&kind, value)| Owned::new(kind, value, rows))
                        .collect::<Result<Vec<_>, _>>()?;
                    let arguments: Vec<_> = owned.iter().map(Owned::argument).collect();
                    operation.evaluate(&arguments).map_err(|error| {
                        DataFusionError::Execution(format!("{}: {error}", operation.name()))
                    })
                },
            )
        })
        .collect()
}
