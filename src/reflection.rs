//! Operations as data, for tools, bindings and tests: names, arguments, documentation, and calls on
//! columns whose type is known only at run time.
//!
//! This module is for tools of this repository. It is public, but not part of the stable interface:
//! any release may change it.
//!
//! ```
//! use setwise::reflection::{Column, ColumnMut, OperationInfo, Role};
//! let operation = OperationInfo::by_name("queen_attacks").unwrap();
//! assert_eq!(operation.inputs()[0].name(), "queens");
//! assert_eq!(operation.inputs()[1].role(), Role::Occupied);
//! let mut attacks = [0];
//! let inputs = [Column::Sets(&[1]), Column::Sets(&[0])];
//! operation.call(setwise::Kernel::active(), 0, &inputs, &mut [ColumnMut::Sets(&mut attacks)]);
//! assert_eq!(attacks, [0x8141_2111_0905_03fe]);
//! ```

use core::fmt;
use core::ptr::{null, null_mut};

use crate::kernels::operations::{columns, mailboxes};
use crate::kernels::table::{ErasedCall, erased};
use crate::operations::length_mismatch;
use crate::position::{AttackMaps, Checks, Position};
use crate::{Kernel, Square, operations};

/// The elements of [`OPERATIONS`].
macro_rules! reflect {
    ([] $($list:ident { $($group:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident $([$parameter:ident: $Parameter:ident])?
            ($($input:ident: $In:ident $(of $Of:ident)?),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident $(($argument:ident))?;
    )* })* })*) => {
        &[$($($(OperationInfo {
            name: stringify!($name),
            documentation: concat!($($doc, "\n"),*),
            parameter: or_none!($(Parameter::$Parameter)?),
            inputs: &[$(argument!($input $In $($Of)?)),*],
            outputs: &[$(argument!($output $Out)),*],
            by_value: by_value!($list),
            erased: erased::$name,
        }),*),*),*]
    };
}

/// The elements of a list of calls.
macro_rules! reflect_calls {
    ([] $($group:ident { $(
        $(#[doc = $doc:literal])*
        $name:ident ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*)
            = $body:ident;
    )* })*) => {
        &[$($(CallInfo {
            name: stringify!($name),
            documentation: concat!($($doc, "\n"),*),
            arguments: &[
                $((stringify!($input), CallRole::$In),)*
                $((stringify!($output), CallRole::$Out)),*
            ],
        }),*),*]
    };
}

macro_rules! or_none {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! argument {
    ($name:ident $Role:ident $($Of:ident)?) => {
        Argument { name: stringify!($name), role: Role::$Role, of: or_none!($(Role::$Of)?) }
    };
}

macro_rules! by_value {
    (batches) => {
        false
    };
    (single_boards) => {
        true
    };
}

/// All operations, in the order of their entries in a kernel's table. They include the methods for
/// a single board, for which [`by_value`](OperationInfo::by_value) is true.
///
/// ```
/// for operation in setwise::reflection::OPERATIONS {
///     println!("{}", operation.name());
/// }
/// ```
pub static OPERATIONS: &[OperationInfo] = operations!(reflect);

/// An operation: its name, arguments and documentation, and a call with erased types.
pub struct OperationInfo {
    pub(crate) name: &'static str,
    pub(crate) documentation: &'static str,
    pub(crate) parameter: Option<Parameter>,
    pub(crate) inputs: &'static [Argument],
    pub(crate) outputs: &'static [Argument],
    pub(crate) by_value: bool,
    pub(crate) erased: ErasedCall,
}

/// The calls on mailboxes (see [`threats`](crate::threats)), in the order of their entries in a
/// kernel's table.
///
/// ```
/// assert_eq!(setwise::reflection::MAILBOX_CALLS[0].name(), "threats_moved");
/// ```
pub static MAILBOX_CALLS: &[CallInfo] = mailboxes!(reflect_calls);

/// The calls on positions in columns, in the order of their entries in a kernel's table.
///
/// ```
/// assert_eq!(setwise::reflection::COLUMN_CALLS[0].name(), "attack_maps_in_columns");
/// ```
pub static COLUMN_CALLS: &[CallInfo] = columns!(reflect_calls);

/// The fields of a kernel's table that C sees, with their offsets in bytes. For the tests of the C
/// headers.
#[doc(hidden)]
pub static TABLE_OFFSETS: &[(&str, usize)] = crate::kernels::table::OFFSETS;

/// A struct of the C headers: its name there, its size and alignment, and its fields with their
/// offsets, in bytes.
#[doc(hidden)]
pub type Layout = (&'static str, usize, usize, &'static [(&'static str, usize)]);

/// The structs of the C headers, as Rust lays them out. For the tests of the C headers.
#[doc(hidden)]
pub static LAYOUTS: &[Layout] = {
    use crate::kernels::geometry::threats::{Edit, List};
    use crate::kernels::geometry::{
        AfterColumns, GamePosition, KingColumns, MapColumns, PieceColumns, PlaneColumns, State,
    };
    use crate::position::SideAttacks;
    use crate::threats::{Changes, Rules, Threat};
    use core::mem::{align_of, offset_of, size_of};
    macro_rules! layouts {
        ($($name:literal $Type:ident { $($field:ident),* })*) => {
            &[
                // C does not see the last fields.
                (
                    "setwise_kernel",
                    offset_of!(Kernel, beats_look_ups),
                    align_of::<Kernel>(),
                    TABLE_OFFSETS,
                ),
                $((
                    $name,
                    size_of::<$Type>(),
                    align_of::<$Type>(),
                    &[$((stringify!($field), offset_of!($Type, $field))),*],
                )),*
            ]
        };
    }
    layouts! {
        "setwise_position" Position { pieces }
        "setwise_attack_maps" AttackMaps { attacks, all, by_lesser }
        "setwise_side_attacks" SideAttacks { attacks, all }
        "setwise_checks" Checks { checkers, pinned, pinners }
        "setwise_columns" MapColumns { pieces, attacks, all, by_lesser }
        "setwise_check_columns" KingColumns { pieces, checkers, pinned, pinners }
        "setwise_state" State { side, en_passant, castling }
        "setwise_game_position" GamePosition { position, state, reserved }
        "setwise_plane_columns" PlaneColumns { planes, side, en_passant, castling, moves, checks }
        "setwise_piece_columns" PieceColumns { pieces, side, en_passant, castling, moves, checks }
        "setwise_after_columns" AfterColumns { planes, side, en_passant, castling }
        "setwise_threat" Threat { attacker, from, victim, to }
        "setwise_threat_rules"
            Rules { kinds, pairs, pair_bytes, victims, attackers, pieces, every }
        "setwise_edit" Edit { square, code }
        "setwise_threat_list" List { threats, count }
        "setwise_threat_changes" Changes { added, removed }
    }
};

/// A call that is not on columns of boards: its name, arguments and documentation.
pub struct CallInfo {
    pub(crate) name: &'static str,
    pub(crate) documentation: &'static str,
    pub(crate) arguments: &'static [(&'static str, CallRole)],
}

getters! { CallInfo {
    /// The name of the method of [`Kernel`].
    name: &'static str;
    /// The documentation of the method, in Markdown.
    documentation: &'static str;
    /// The names and roles of the arguments, in order.
    ///
    /// ```
    /// use setwise::reflection::{CallRole, MAILBOX_CALLS};
    /// assert_eq!(MAILBOX_CALLS[0].arguments()[0], ("before", CallRole::Mailbox));
    /// ```
    arguments: &'static [(&'static str, CallRole)];
} }

impl CallInfo {
    /// The start of the documentation, without Markdown.
    ///
    /// ```
    /// let call = &setwise::reflection::COLUMN_CALLS[0];
    /// let text = call.summary().to_string();
    /// assert!(text.starts_with("The attack_maps of positions in columns, with results in columns."));
    /// ```
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary(self.documentation)
    }
}

/// The start of a call's documentation as plain text, without Markdown. It ends before the panics
/// and the first example.
#[derive(Debug, Clone, Copy)]
pub struct Summary(&'static str);

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.0.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
        let mut between = "";
        for line in lines.take_while(|line| !line.starts_with("```") && !line.starts_with("# ")) {
            if line.is_empty() {
                between = "\n\n";
                continue;
            }
            f.write_str(between)?;
            between = "\n";
            // "[`name`](where)" becomes "name".
            let mut rest = line;
            while let Some((before, target)) = rest.split_once("](") {
                let (before, text) = before.rsplit_once('[').unwrap_or(("", before));
                write_plain(f, before)?;
                write_plain(f, text)?;
                rest = target.split_once(')').map_or("", |(_, after)| after);
            }
            write_plain(f, rest)?;
        }
        Ok(())
    }
}

/// Writes text without backticks and asterisks.
fn write_plain(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.split(['`', '*']).try_for_each(|part| f.write_str(part))
}

/// What an argument of a call in [`MAILBOX_CALLS`] or [`COLUMN_CALLS`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallRole {
    /// A board: a code for each square.
    Mailbox,
    /// Many boards.
    Mailboxes,
    /// A square.
    Square,
    /// The code of a piece.
    Code,
    /// Up to four squares that get other codes.
    Edits,
    /// What the codes mean: [`Rules`](crate::threats::Rules).
    Rules,
    /// The lists that the call fills: [`Changes`](crate::threats::Changes).
    Changes,
    /// Where the threats or moves of each board begin and end: one offset more than boards.
    Offsets,
    /// The list of threats that the call fills.
    Threats,
    /// Positions and attack maps in columns.
    MapColumns,
    /// Positions with their states in columns of planes, and the numbers of moves and checks.
    PlaneColumns,
    /// Positions with their states in columns of sets, and the numbers of moves and checks.
    PieceColumns,
    /// An array of positions with their states.
    Games,
    /// The numbers of legal moves: bytes.
    MoveCounts,
    /// The numbers of pieces that give check: bytes.
    CheckCounts,
    /// The list of moves that the call fills.
    Moves,
    /// Where the moves of each position begin and end: one offset more than positions.
    GivenOffsets,
    /// Given moves.
    GivenMoves,
    /// The positions after moves, in columns of planes.
    AfterColumns,
    /// Positions and the checks of their kings in columns.
    KingColumns,
}

/// The largest number of inputs and of outputs of an operation.
const MAX_COLUMNS: usize = {
    let (mut most, mut i) = (0, 0);
    while i < OPERATIONS.len() {
        let (inputs, outputs) = (OPERATIONS[i].inputs.len(), OPERATIONS[i].outputs.len());
        let more = if inputs > outputs { inputs } else { outputs };
        most = if more > most { more } else { most };
        i += 1;
    }
    most
};

getters! { OperationInfo {
    /// The name of the function, such as `queen_attacks`.
    name: &'static str;
    /// The documentation of the function, in Markdown.
    documentation: &'static str;
    /// The argument that all boards of a call share, if there is one.
    parameter: Option<Parameter>;
    /// The input columns.
    inputs: &'static [Argument];
    /// The output columns.
    outputs: &'static [Argument];
    /// Whether the operation is a method that takes one board by value, such as
    /// [`Kernel::rook_attacks_one`]. [`call`](OperationInfo::call) calls such a method once for
    /// each board.
    by_value: bool;
} }

impl OperationInfo {
    /// The start of the documentation, without Markdown.
    ///
    /// ```
    /// use setwise::reflection::OperationInfo;
    /// let text = OperationInfo::by_name("xray_bishop_attacks").unwrap().summary().to_string();
    /// let first = "attacks[i] = what bishops attack through a blocker, as defined for";
    /// assert_eq!(text, format!("{first}\nxray_rook_attacks."));
    /// ```
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary(self.documentation)
    }

    /// The operation with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static OperationInfo> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// Calls the operation with a kernel. `parameter` is an index into [`Parameter::names`], or 0
    /// if there is no parameter.
    ///
    /// # Panics
    /// If the columns do not match the operation in number or element type. Also if `parameter` is
    /// out of range, or if the columns differ in length. Nothing is written before the panic.
    #[track_caller]
    pub fn call(
        &self,
        kernel: &Kernel,
        parameter: u8,
        inputs: &[Column<'_>],
        outputs: &mut [ColumnMut<'_>],
    ) {
        let boards = self.check(parameter, inputs, outputs);
        let (mut from, mut to) = ([null(); MAX_COLUMNS], [null_mut(); MAX_COLUMNS]);
        for (from, column) in from.iter_mut().zip(inputs) {
            *from = column.start();
        }
        for (to, column) in to.iter_mut().zip(outputs) {
            *to = column.start();
        }
        // SAFETY: the columns match the operation and have `boards` elements, and no output
        // overlaps another column. `kernel` proves that the CPU can run it.
        unsafe { (self.erased)(kernel, parameter, from.as_ptr(), to.as_ptr(), boards) }
    }

    /// Calls the operation's function in a kernel's table, as C programs do. Squares and parameters
    /// are bytes. Only their low bits count.
    ///
    /// # Safety
    /// There must be one pointer per argument, valid for `boards` elements of the argument's type,
    /// with any alignment. An output may alias one input of the same type, if both pointers are
    /// equal. It must not overlap any other argument.
    ///
    /// ```
    /// use setwise::Kernel;
    /// let operation = setwise::reflection::OperationInfo::by_name("rook_attacks").unwrap();
    /// let (rooks, occupied, mut attacks) = ([1_u64], [0_u64], [0_u64]);
    /// let inputs = [rooks.as_ptr().cast(), occupied.as_ptr().cast()];
    /// // SAFETY: two inputs and one output of one `u64` each.
    /// unsafe {
    ///     operation.call_raw(Kernel::active(), 0, &inputs, &[attacks.as_mut_ptr().cast()], 1);
    /// }
    /// assert_eq!(attacks, [0x0101_0101_0101_01fe]);
    /// ```
    pub unsafe fn call_raw(
        &self,
        kernel: &Kernel,
        parameter: u8,
        inputs: &[*const u8],
        outputs: &[*mut u8],
        boards: usize,
    ) {
        debug_assert!(inputs.len() == self.inputs.len() && outputs.len() == self.outputs.len());
        // SAFETY: the caller's contract; `kernel` proves that the CPU can run it.
        unsafe {
            (self.erased)(kernel, parameter, inputs.as_ptr(), outputs.as_ptr(), boards);
        }
    }

    /// Checks the arguments of [`call`](OperationInfo::call). Returns the number of boards.
    #[track_caller]
    fn check(&self, parameter: u8, inputs: &[Column<'_>], outputs: &[ColumnMut<'_>]) -> usize {
        let values = self.parameter.map_or(1, |parameter| parameter.names().len());
        assert!(
            usize::from(parameter) < values,
            "`{}`: the parameter must be below {values}, found {parameter}",
            self.name
        );
        let same = |arguments: &[Argument], elements: &mut dyn Iterator<Item = Element>| {
            arguments.iter().map(Argument::element).eq(elements)
        };
        assert!(
            same(self.inputs, &mut inputs.iter().map(Column::element))
                && same(self.outputs, &mut outputs.iter().map(ColumnMut::element)),
            "the columns do not match: `{}` takes {:?} and returns {:?}",
            self.name,
            Elements(self.inputs),
            Elements(self.outputs)
        );
        let boards = outputs[0].len();
        let outputs = outputs.iter().map(ColumnMut::len).zip(self.outputs);
        let inputs = inputs.iter().map(Column::len).zip(self.inputs);
        let against_first = outputs.map(|output| (output, &self.outputs[..1]));
        let against_all = inputs.map(|input| (input, self.outputs));
        for ((length, argument), others) in against_first.chain(against_all) {
            if length != boards {
                length_mismatch(argument.name, length, &Names(others), boards);
            }
        }
        boards
    }
}

impl fmt::Debug for OperationInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationInfo")
            .field("name", &self.name)
            .field("parameter", &self.parameter)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}

/// The element types of a list of arguments, for messages.
struct Elements(&'static [Argument]);

impl fmt::Debug for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(Argument::element)).finish()
    }
}

/// The names of a list of arguments, for messages.
struct Names(&'static [Argument]);

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for argument in self.0 {
            write!(f, "{between}{}", argument.name)?;
            between = "`, `";
        }
        Ok(())
    }
}

/// An input or output column of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) of: Option<Role>,
}

getters! { Argument {
    /// The name of the function's argument.
    name: &'static str;
    /// The argument's role.
    role: Role;
    /// For the squares of sliders: the role of a set of such sliders.
    ///
    /// ```
    /// use setwise::reflection::{OperationInfo, Role};
    /// let operation = OperationInfo::by_name("rook_attacks_from").unwrap();
    /// let squares = operation.inputs()[0];
    /// assert_eq!((squares.role(), squares.of()), (Role::Squares, Some(Role::Rooks)));
    /// ```
    of: Option<Role>;
} }

impl Argument {
    /// The type of the argument's elements.
    #[must_use]
    #[inline]
    pub const fn element(&self) -> Element {
        self.role.element()
    }
}

/// The meaning of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Sliders that move along ranks and files: rooks, or rooks and queens.
    Rooks,
    /// Sliders that move along diagonals: bishops, or bishops and queens.
    Bishops,
    /// Sliders that move along all lines.
    Queens,
    /// Sliders that move along the call's direction or line.
    Sliders,
    /// Squares from which a fill in the call's direction starts.
    Generators,
    /// Knights.
    Knights,
    /// Kings.
    Kings,
    /// Pawns of the call's side.
    Pawns,
    /// Squares through which a fill runs.
    Propagators,
    /// Occupied squares. Sliders block, whether or not this set contains them.
    Occupied,
    /// The occupied squares that an x-ray passes through.
    Blockers,
    /// All pieces of the kings' side.
    Own,
    /// The squares to count.
    Targets,
    /// One square per board: that of a slider, if [`Argument::of`] returns its lines, or any other.
    Squares,
    /// A whole position.
    Positions,
    /// Output: a set.
    Set,
    /// Output: a number of squares.
    Count,
    /// Output: attack maps.
    AttackMaps,
    /// Output: checks and pins.
    Checks,
}

impl Role {
    /// The type of the elements.
    #[must_use]
    #[inline]
    pub const fn element(self) -> Element {
        match self {
            Role::Squares => Element::Square,
            Role::Positions => Element::Position,
            Role::Count => Element::Count,
            Role::AttackMaps => Element::AttackMaps,
            Role::Checks => Element::Checks,
            _ => Element::Set,
        }
    }
}

/// The type of a column's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// `u64`
    Set,
    /// [`Square`]
    Square,
    /// `u32`
    Count,
    /// [`Position`]
    Position,
    /// [`AttackMaps`]
    AttackMaps,
    /// [`Checks`]
    Checks,
}

impl Element {
    /// The size of an element, in bytes.
    #[must_use]
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Element::Square => 1,
            Element::Count => 4,
            _ => 8 * self.words(),
        }
    }

    /// The number of `u64`s that hold an element. A set, a square or a count takes one; the other
    /// types take one per field, in order.
    #[must_use]
    #[inline]
    pub const fn words(self) -> usize {
        match self {
            Element::Set | Element::Square | Element::Count => 1,
            Element::Position => 12,
            Element::AttackMaps => 16,
            Element::Checks => 6,
        }
    }
}

/// The argument that all boards of a call share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parameter {
    /// A [`Direction`](crate::Direction).
    Direction,
    /// A [`Line`](crate::Line).
    Line,
    /// A [`Side`](crate::Side).
    Side,
}

impl Parameter {
    /// The name of the function's argument.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Parameter::Direction => "direction",
            Parameter::Line => "line",
            Parameter::Side => "side",
        }
    }

    /// The names of the parameter's values, by number.
    ///
    /// ```
    /// use setwise::Direction;
    /// use setwise::reflection::Parameter;
    /// assert_eq!(Parameter::Direction.names()[Direction::NorthEast as usize], "north-east");
    /// ```
    #[must_use]
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Parameter::Direction => &[
                "north",
                "north-east",
                "east",
                "south-east",
                "south",
                "south-west",
                "west",
                "north-west",
            ],
            Parameter::Line => &["rank", "file", "diagonal", "antidiagonal"],
            Parameter::Side => &["white", "black"],
        }
    }
}

/// Defines a column type: a slice of one of several element types.
macro_rules! column {
    (
        $(#[$doc:meta])* $Column:ident;
        $($(#[$about:meta])* $Variant:ident: $Slice:ty, $Element:ident;)*
    ) => {
        $(#[$doc])*
        #[non_exhaustive]
        pub enum $Column<'a> {
            $($(#[$about])* $Variant($Slice),)*
        }

        impl $Column<'_> {
            /// The number of elements in the column.
            #[must_use]
            #[expect(clippy::len_without_is_empty, reason = "a column is as long as the batch")]
            pub const fn len(&self) -> usize {
                match self {
                    $($Column::$Variant(elements) => elements.len(),)*
                }
            }

            /// The type of the column's elements.
            #[must_use]
            #[inline]
            pub const fn element(&self) -> Element {
                match self {
                    $($Column::$Variant(_) => Element::$Element,)*
                }
            }
        }

        $(impl<'a> From<$Slice> for $Column<'a> {
            fn from(elements: $Slice) -> $Column<'a> {
                $Column::$Variant(elements)
            }
        })*
    };
}

column! {
    /// An input column of [`OperationInfo::call`].
    #[derive(Debug, Clone, Copy)]
    Column;
    /// Sets.
    Sets: &'a [u64], Set;
    /// Squares.
    Squares: &'a [Square], Square;
    /// Positions.
    Positions: &'a [Position], Position;
}

column! {
    /// An output column of [`OperationInfo::call`].
    #[derive(Debug)]
    ColumnMut;
    /// Sets.
    Sets: &'a mut [u64], Set;
    /// Counts.
    Counts: &'a mut [u32], Count;
    /// Attack maps.
    AttackMaps: &'a mut [AttackMaps], AttackMaps;
    /// Checks and pins.
    Checks: &'a mut [Checks], Checks;
}

impl Column<'_> {
    const fn start(&self) -> *const u8 {
        match self {
            Column::Sets(sets) => sets.as_ptr().cast(),
            Column::Squares(squares) => squares.as_ptr().cast(),
            Column::Positions(positions) => positions.as_ptr().cast(),
        }
    }
}

impl ColumnMut<'_> {
    /// The same column, reborrowed for a shorter lifetime.
    pub fn reborrow(&mut self) -> ColumnMut<'_> {
        match self {
            ColumnMut::Sets(sets) => ColumnMut::Sets(sets),
            ColumnMut::Counts(counts) => ColumnMut::Counts(counts),
            ColumnMut::AttackMaps(maps) => ColumnMut::AttackMaps(maps),
            ColumnMut::Checks(checks) => ColumnMut::Checks(checks),
        }
    }

    const fn start(&mut self) -> *mut u8 {
        match self {
            ColumnMut::Sets(sets) => sets.as_mut_ptr().cast(),
            ColumnMut::Counts(counts) => counts.as_mut_ptr().cast(),
            ColumnMut::AttackMaps(maps) => maps.as_mut_ptr().cast(),
            ColumnMut::Checks(checks) => checks.as_mut_ptr().cast(),
        }
    }
}
