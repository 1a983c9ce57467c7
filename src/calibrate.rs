//! Measures which kernel is the fastest on this machine.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::{
    Argument, Column, ColumnMut, Element, Kernel, OPERATIONS, OperationInfo, Piece, Position, Role,
    Side, Square,
};

/// Real positions, one FEN per line.
const SAMPLE: &str = include_str!("../tests/positions/known.epd");

/// The result of [`Kernel::calibrate`]: the time of each kernel.
#[derive(Debug, Clone)]
pub struct Calibration {
    figures: Vec<Figure>,
}

/// The time of one kernel.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The kernel.
    pub kernels: &'static Kernel,
    /// Nanoseconds per board (or position) in the fastest run: the run that other programs on the
    /// machine disturbed least.
    pub nanoseconds: f64,
}

impl Calibration {
    /// The kernel that took the least time.
    #[must_use]
    pub fn fastest(&self) -> &'static Kernel {
        self.figures[0].kernels
    }

    /// All kernels that can run here, fastest first.
    #[must_use]
    pub fn figures(&self) -> &[Figure] {
        &self.figures
    }
}

/// The error for an operation name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOperation {
    name: String,
}

impl fmt::Display for UnknownOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no operation `{}`; the operations are ", self.name)?;
        let names: Vec<&str> = OPERATIONS.iter().map(OperationInfo::name).collect();
        f.write_str(&names.join(", "))
    }
}

impl std::error::Error for UnknownOperation {}

impl Kernel {
    /// Times every available kernel on batches of `boards` built-in positions (at least one), and
    /// ranks the kernels. `operation` is a name such as `"queen_attacks"` or `"attack_maps"`. The
    /// kernels take turns for about `budget`, and for at least three rounds. No kernel is
    /// activated.
    ///
    /// All kernels compute the same results, so a misleading measurement costs only speed. On a
    /// busy machine, kernels of similar speed may swap places. [`active`](Kernel::active) decides
    /// by CPU features and measures nothing.
    ///
    /// # Errors
    /// [`UnknownOperation`] if there is no such operation. Its message lists the operations.
    ///
    /// ```
    /// use setwise::Kernel;
    /// use std::time::Duration;
    /// let calibration = Kernel::calibrate(Duration::from_millis(5), "queen_attacks", 32)?;
    /// calibration.fastest().activate();
    /// for figure in calibration.figures() {
    ///     println!("{:14} {:6.2} ns per board", figure.kernels.name(), figure.nanoseconds);
    /// }
    /// # Ok::<(), setwise::UnknownOperation>(())
    /// ```
    pub fn calibrate(
        budget: Duration,
        operation: &str,
        boards: usize,
    ) -> Result<Calibration, UnknownOperation> {
        let start = Instant::now();
        let boards = boards.max(1);
        let Some(operation) = OperationInfo::by_name(operation) else {
            return Err(UnknownOperation { name: operation.into() });
        };
        let mut run = prepare(operation, &sample(boards));
        let mut figures: Vec<Figure> = Kernel::available()
            .map(|kernels| Figure { kernels, nanoseconds: f64::INFINITY })
            .collect();
        // Enough boards per turn to make the cost of reading the clock negligible.
        let calls = 2000_usize.div_ceil(boards);
        let mut rounds = 0;
        while rounds < 3 || start.elapsed() < budget {
            for figure in &mut figures {
                let start = Instant::now();
                for _ in 0..calls {
                    run(figure.kernels);
                }
                let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / (calls * boards) as f64;
                figure.nanoseconds = figure.nanoseconds.min(nanoseconds);
            }
            rounds += 1;
        }
        figures.sort_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds));
        Ok(Calibration { figures })
    }
}

/// Returns `boards` pairs of a position and the side whose pieces are the input. The first pairs
/// are all sample positions with White, the next are all of them with Black. Further pairs repeat
/// these.
fn sample(boards: usize) -> Vec<(Position, Side)> {
    let positions: Vec<Position> = SAMPLE.lines().map(parse_placement).collect();
    let white = positions.iter().map(|&position| (position, Side::White));
    let black = positions.iter().map(|&position| (position, Side::Black));
    white.chain(black).cycle().take(boards).collect()
}

/// Parses the first field of a FEN.
fn parse_placement(fen: &str) -> Position {
    let mut position = Position::default();
    let (mut rank, mut file) = (7, 0);
    for letter in fen.bytes().take_while(|letter| *letter != b' ') {
        match letter {
            b'/' => (rank, file) = (rank - 1, 0),
            b'1'..=b'8' => file += usize::from(letter - b'0'),
            _ => {
                let kind = b"pnbrqk".iter().position(|&kind| kind == letter | 0x20);
                let side = usize::from(letter.is_ascii_lowercase());
                position.pieces[side][kind.expect("a piece's letter")] |= 1 << (8 * rank + file);
                file += 1;
            }
        }
    }
    position
}

/// The value of an input argument, derived from a position.
fn value(role: Role, position: &Position, side: Side) -> u64 {
    let set = |piece: Piece| position.pieces[side as usize][piece as usize];
    let other = [Side::Black, Side::White][side as usize];
    let square = |piece: Piece| u64::from(set(piece).trailing_zeros() % 64);
    match role {
        Role::Rooks | Role::Sliders | Role::Generators => set(Piece::Rook) | set(Piece::Queen),
        Role::Bishops => set(Piece::Bishop) | set(Piece::Queen),
        Role::Queens => set(Piece::Queen),
        Role::Knights => set(Piece::Knight),
        Role::Kings => set(Piece::King),
        Role::Pawns => set(Piece::Pawn),
        Role::Own => position.of(other),
        Role::Blockers => position.of(side),
        Role::Propagators => !position.occupied(),
        Role::Targets => !position.of(side),
        Role::RookSquares => square(Piece::Rook),
        Role::Squares | Role::BishopSquares | Role::QueenSquares | Role::SliderSquares => {
            square(Piece::King)
        }
        Role::Occupied => position.occupied(),
        Role::Positions | Role::Set | Role::Count | Role::AttackMaps | Role::Checks => {
            unreachable!("not a set or a square")
        }
    }
}

/// The elements of an input column.
enum Sample {
    Sets(Vec<u64>),
    Squares(Vec<Square>),
    Positions(Vec<Position>),
}

impl Sample {
    fn new(argument: &Argument, sample: &[(Position, Side)]) -> Sample {
        let words =
            || sample.iter().map(|(position, side)| value(argument.role(), position, *side));
        match argument.element() {
            Element::Position => Sample::Positions(sample.iter().map(|(p, _)| *p).collect()),
            Element::Square => {
                let square = |number| Square::new(number as u8).expect("below 64");
                Sample::Squares(words().map(square).collect())
            }
            _ => Sample::Sets(words().collect()),
        }
    }

    fn column(&self) -> Column<'_> {
        match self {
            Sample::Sets(sets) => Column::Sets(sets),
            Sample::Squares(squares) => Column::Squares(squares),
            Sample::Positions(positions) => Column::Positions(positions),
        }
    }
}

/// Returns a function that calls an operation once on the sample.
fn prepare(
    operation: &'static OperationInfo,
    sample: &[(Position, Side)],
) -> impl FnMut(&Kernel) + use<> {
    let inputs = operation.inputs().iter();
    let inputs: Vec<Sample> = inputs.map(|argument| Sample::new(argument, sample)).collect();
    let boards = sample.len();
    let words = operation.outputs().iter().map(|output| output.element().words());
    let mut outputs: Vec<Vec<u64>> = words.map(|words| vec![0; words * boards]).collect();
    move |kernels| {
        let inputs: Vec<Column<'_>> = inputs.iter().map(Sample::column).collect();
        let mut results: Vec<ColumnMut<'_>> = operation
            .outputs()
            .iter()
            .zip(&mut outputs)
            .map(|(output, words)| match output.element() {
                Element::Count => ColumnMut::Counts(&mut bytemuck::cast_slice_mut(words)[..boards]),
                Element::AttackMaps => ColumnMut::AttackMaps(bytemuck::cast_slice_mut(words)),
                Element::Checks => ColumnMut::Checks(bytemuck::cast_slice_mut(words)),
                _ => ColumnMut::Sets(words),
            })
            .collect();
        operation.call(kernels, 0, black_box(&inputs), &mut results);
        black_box(results);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_timed_with_every_kernel() {
        for name in OPERATIONS.iter().map(OperationInfo::name) {
            let calibration = Kernel::calibrate(Duration::ZERO, name, 3).unwrap();
            let figures = calibration.figures();
            assert_eq!(figures.len(), Kernel::available().count(), "{name}");
            assert_eq!(figures[0].kernels, calibration.fastest());
            let times = figures.iter().map(|figure| figure.nanoseconds);
            let times: Vec<f64> = times.collect();
            assert!(times.is_sorted() && times[0] > 0.0, "{name}: {times:?}");
            assert!(times[times.len() - 1].is_finite(), "{name}: {times:?}");
        }
    }

    #[test]
    fn the_error_for_an_unknown_operation_lists_the_known_ones() {
        let error = Kernel::calibrate(Duration::ZERO, "castling", 1).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`castling`") && text.contains("attack_maps"), "{text}");
    }

    #[test]
    fn the_sample_holds_valid_positions() {
        for (position, _) in sample(67) {
            let [white, black] = position.pieces;
            assert_eq!((white[5].count_ones(), black[5].count_ones()), (1, 1));
            let all: u32 = position.pieces.iter().flatten().map(|set| set.count_ones()).sum();
            assert_eq!(all, position.occupied().count_ones(), "one piece per square");
        }
    }
}
