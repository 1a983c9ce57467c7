//! The measured operations: those in the library's list whose arguments are words, squares or
//! counts.

use setwise::reflection::{Argument, OperationInfo};
use setwise::{Kernel, Line};
use setwise_check::oracle::{self, Steps as _};
use setwise_check::{parameter_value, typed_call};

use crate::buffers::{Buffers, for_windows};

/// An operation in the library's list, with one value of its parameter.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The function's name, such as `queen_attacks`.
    pub name: &'static str,
    /// The operation's inputs.
    pub inputs: &'static [Argument],
    /// The operation's outputs.
    pub outputs: &'static [Argument],
    checked: Option<setwise_check::Operation>,
    pass: fn(u8, &Kernel, &mut Buffers),
}

impl Operation {
    /// All measured operations, with every value of their parameters.
    pub fn all() -> impl Iterator<Item = Operation> {
        setwise_check::Operation::all().filter_map(|checked| {
            let pass = pass(checked.info.name())?;
            Some(Operation {
                name: checked.info.name(),
                inputs: checked.info.inputs(),
                outputs: checked.info.outputs(),
                checked: Some(checked),
                pass,
            })
        })
    }

    /// The operation with this title.
    #[must_use]
    pub fn named(title: &str) -> Option<Operation> {
        Operation::all().find(|operation| operation.title() == title)
    }

    /// Attacks to the east and the west. Some forms compute this operation, but no kernel does.
    pub(crate) fn along_ranks() -> Operation {
        let rays = OperationInfo::by_name("ray_attacks").expect("in the list");
        Operation {
            name: "attacks_along_ranks",
            inputs: rays.inputs(),
            outputs: rays.outputs(),
            checked: None,
            pass: |_, kernel, _| unreachable!("{} has no such function", kernel.name()),
        }
    }

    /// Whether the operation is in the library's list. Otherwise only forms compute it.
    #[must_use]
    pub fn in_list(self) -> bool {
        self.checked.is_some()
    }

    /// The number of bytes read and written per board.
    #[must_use]
    pub fn bytes(self) -> usize {
        let arguments = self.inputs.iter().chain(self.outputs);
        arguments.map(|argument| argument.element().size()).sum()
    }

    /// The operation's name, followed by its parameter's value if there is one:
    /// `ray_attacks-northeast`.
    #[must_use]
    pub fn title(self) -> String {
        let title = self.checked.map_or(self.name.into(), |checked| checked.title());
        title.replace('-', "").replace(' ', "-")
    }

    /// Makes all calls that the buffers are divided into, with this kernel.
    pub(crate) fn pass(self, kernel: &Kernel, buffers: &mut Buffers) {
        (self.pass)(self.checked.map_or(0, |checked| checked.parameter), kernel, buffers);
    }

    /// Computes the expected outputs for one board with the oracle. Squares are given as numbers.
    ///
    /// # Panics
    ///
    /// If there are fewer inputs than the operation has.
    pub fn answer(self, inputs: impl Iterator<Item = u64>) -> Vec<u64> {
        let inputs: Vec<u64> = inputs.collect();
        match self.checked {
            Some(checked) => checked.oracle(&inputs),
            None => vec![oracle::attacks(&Line::Rank.steps(), inputs[0], inputs[1])],
        }
    }
}

/// Generates the same typed calls that users write, which makes the times of short calls realistic.
macro_rules! passes {
    ([] $($list:ident { $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })* })*) => {
        /// The function that makes all calls of an operation. `None` if the operation takes
        /// positions.
        fn pass(name: &str) -> Option<fn(u8, &Kernel, &mut Buffers)> {
            match name {
                "attack_maps" | "checks" => None,
                $($($(stringify!($name) => Some(|_parameter, kernel, buffers| for_windows! {
                    buffers
                    ($($input: setwise::element!($In)),*)
                    ($($output: setwise::element!($Out)),*)
                    typed_call!($group (kernel.) $name ($(parameter_value!($Parameter _parameter))?) ($($input)*) ($($output)*))
                }),)*)*)*
                _ => None,
            }
        }
    };
}

setwise::operations!(passes);
