//! SQL functions for the operations of `setwise`.

use datafusion_common::{DataFusionError, Result};
use setwise::reflection::OPERATIONS;
use setwise_arrow::{description, evaluate, output_type};

use crate::function::Function;
use crate::value::{Kind, datum, parameter};

pub(crate) fn all() -> Vec<Function> {
    let operations = OPERATIONS.iter().filter(|operation| !operation.by_value());
    let functions = operations.map(|operation| {
        let parameter_kind = operation.parameter();
        let inputs = operation.inputs().iter();
        let inputs = inputs.map(|input| (input.name(), Kind::from(input.element())));
        let parameter_argument = parameter_kind.map(|kind| (kind.name(), Kind::Parameter(kind)));
        Function::new(
            operation.name(),
            parameter_argument.into_iter().chain(inputs).collect(),
            output_type(operation),
            &description(operation),
            move |values, _| {
                let (parameter, inputs) = match (parameter_kind, values) {
                    (Some(kind), [value, inputs @ ..]) => (parameter(kind, value)?, inputs),
                    _ => (0, values),
                };
                let inputs = operation.inputs().iter().zip(inputs);
                let inputs = inputs
                    .map(|(input, value)| datum(input.element(), value))
                    .collect::<Result<Vec<_>>>()?;
                let inputs: Vec<_> = inputs.iter().map(AsRef::as_ref).collect();
                evaluate(operation, parameter, &inputs).map_err(|error| {
                    DataFusionError::Execution(format!("{}: {error}", operation.name()))
                })
            },
        )
    });
    functions.collect()
}
