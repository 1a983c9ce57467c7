//! A DataFusion scalar function, defined by its name, arguments, result and code.

use std::fmt;
use std::hash::{Hash, Hasher};

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use datafusion_common::{Result, ScalarValue, plan_datafusion_err, plan_err};
use datafusion_expr::{
    ColumnarValue, DocSection, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature,
    Volatility,
};

use crate::value::Kind;

/// A function's code. It takes the arguments and the number of rows. Arguments have their coerced
/// types, and none is a null constant.
pub(crate) type Evaluate = Box<dyn Fn(&[ColumnarValue], usize) -> Result<ArrayRef> + Send + Sync>;

pub(crate) struct Function {
    name: String,
    arguments: Vec<(&'static str, Kind)>,
    output: DataType,
    signature: Signature,
    documentation: Documentation,
    evaluate: Evaluate,
}

const SECTION: DocSection = DocSection {
    include: true,
    label: "Chess Functions",
    description: Some("Attacks of pieces on bitboards: a1 is bit 0, h1 bit 7, h8 bit 63."),
};

impl Function {
    pub(crate) fn new(
        name: impl Into<String>,
        arguments: Vec<(&'static str, Kind)>,
        output: DataType,
        description: &str,
        evaluate: impl Fn(&[ColumnarValue], usize) -> Result<ArrayRef> + Send + Sync + 'static,
    ) -> Function {
        let name = name.into();
        let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
        let syntax = format!("{name}({})", names.join(", "));
        let mut documentation = Documentation::builder(SECTION, description, syntax);
        for (name, kind) in &arguments {
            documentation = documentation.with_argument(*name, kind.description());
        }
        Function {
            name,
            arguments,
            output,
            // `coerce_types` checks the types.
            signature: Signature::user_defined(Volatility::Immutable),
            documentation: documentation.build(),
            evaluate: Box::new(evaluate),
        }
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let optional = self.arguments.iter().filter(|(_, kind)| *kind == Kind::Pairs).count();
        let all = self.arguments.len();
        if !(all - optional..=all).contains(&types.len()) {
            let (syntax, count) = (&self.documentation.syntax_example, types.len());
            return plan_err!("{syntax} got {count} arguments");
        }
        let coerced = self.arguments.iter().zip(types).map(|((argument, kind), given)| {
            kind.coerced(given).ok_or_else(|| {
                let (name, wanted) = (&self.name, kind.description());
                plan_datafusion_err!("`{argument}` of `{name}` must be {wanted}; found {given}")
            })
        });
        coerced.collect()
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(self.output.clone())
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_null =
            |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(v) if v.is_null());
        if call.args.iter().any(is_null) {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from(&self.output)?));
        }
        let is_constant = |value: &ColumnarValue| matches!(value, ColumnarValue::Scalar(_));
        if call.args.iter().all(is_constant) {
            let array = (self.evaluate)(&call.args, 1)?;
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?));
        }
        (self.evaluate)(&call.args, call.number_rows).map(ColumnarValue::Array)
    }

    /// A strict function returns null in the rows where an argument is null.
    fn is_strict(&self) -> bool {
        true
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.name)
    }
}

/// Compares names, which are unique.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
