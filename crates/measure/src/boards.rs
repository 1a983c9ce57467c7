//! The boards of the benchmark: random boards, or given positions.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use setwise::reflection::Role;

/// Boards that supply an operation's inputs by role.
#[derive(Debug)]
pub struct BoardSet {
    /// The name of the boards in the figures.
    pub name: &'static str,
    boards: Vec<Sets>,
    /// The expected outputs of each operation, by its title.
    answers: Mutex<BTreeMap<String, Answers>>,
}

/// The expected outputs of an operation for each board, computed when first needed.
pub(crate) type Answers = Arc<OnceLock<Vec<Vec<u64>>>>;

/// One board: the sliders of one side, and the other sets that operations take as inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sets {
    /// Rooks and queens.
    pub orthogonal: u64,
    /// Bishops and queens.
    pub diagonal: u64,
    /// Queens.
    pub queens: u64,
    /// All pieces of both sides.
    pub occupied: u64,
    /// The other side's pieces.
    pub theirs: u64,
    /// The other side's king.
    pub king: u64,
}

const SEED: u64 = 0x5e7_015e;

impl BoardSet {
    /// Makes random boards. Each square is occupied with probability 0.35. Each set of sliders
    /// consists of one to three of the occupied squares.
    #[must_use]
    pub fn random(count: usize) -> BoardSet {
        let mut rng = fastrand::Rng::with_seed(SEED);
        let mut others = fastrand::Rng::with_seed(!SEED);
        let board = |_| {
            let mut occupied = 0;
            while occupied == 0 {
                occupied = (0..64).fold(0, |set, i| set | u64::from(rng.f64() < 0.35) << i);
            }
            let draw = |count: u32, rng: &mut fastrand::Rng| {
                let mut set = 0u64;
                while set.count_ones() < count.min(occupied.count_ones()) {
                    set |= 1 << rng.u32(0..64) & occupied;
                }
                set
            };
            let [orthogonal, diagonal, queens] = [(); 3].map(|()| draw(rng.u32(1..=3), &mut rng));
            let (theirs, king) = (occupied & others.u64(..), draw(1, &mut others));
            Sets { orthogonal, diagonal, queens, occupied, theirs, king }
        };
        let boards = (0..count).map(board).collect();
        BoardSet { name: "random", boards, answers: Mutex::default() }
    }

    /// Selects evenly spaced boards from `boards`. Their number is a power of two and at most
    /// `count`. Returns `None` if there are no boards.
    #[must_use]
    pub fn of(name: &'static str, boards: &[Sets], count: usize) -> Option<BoardSet> {
        let most = boards.len().min(count);
        let kept = 1 << most.checked_ilog2()?;
        let boards = (0..kept).map(|i| boards[i * boards.len() / kept]).collect();
        Some(BoardSet { name, boards, answers: Mutex::default() })
    }

    /// The place for an operation's expected outputs, the same for all workloads on these boards.
    pub(crate) fn answers(&self, title: String) -> Answers {
        let mut answers = self.answers.lock().expect("no thread panics with the lock");
        Arc::clone(answers.entry(title).or_default())
    }

    /// The number of boards.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// The words of an input, one per board. `before` is the number of earlier inputs that are
    /// squares.
    pub(crate) fn words(&self, role: Role, before: usize) -> Vec<u64> {
        let word: fn(&Sets) -> u64 = match role {
            Role::Rooks | Role::Knights | Role::Pawns => |one| one.orthogonal,
            Role::Bishops => |one| one.diagonal,
            Role::Queens | Role::Sliders | Role::Generators => |one| one.queens,
            Role::Occupied => |one| one.occupied,
            Role::Propagators => |one| !one.occupied,
            Role::Blockers | Role::Own => |one| one.theirs,
            Role::Kings => |one| one.king,
            Role::Targets => |one| one.theirs | !one.occupied,
            Role::Squares => match before {
                0 => |one| u64::from(one.king.trailing_zeros()) % 64,
                _ => |one| u64::from((one.orthogonal | one.diagonal).trailing_zeros()) % 64,
            },
            _ => unreachable!("{role:?} is not an input of words, or has no boards yet"),
        };
        self.boards.iter().map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{BoardSet, Sets};
    use setwise::reflection::Role;

    #[test]
    fn given_boards_are_cut_to_a_power_of_two() {
        let boards: Vec<Sets> = (0..100).map(|i| Sets { occupied: i, ..Sets::default() }).collect();
        assert!(BoardSet::of("none", &[], 64).is_none());
        assert_eq!(BoardSet::of("one", &boards[..1], 64).unwrap().len(), 1);
        let drawn = BoardSet::of("some", &boards, 4096).unwrap().words(Role::Occupied, 0);
        assert_eq!((drawn.len(), drawn[0], drawn[63]), (64, 0, 98));
        assert_eq!(BoardSet::of("few", &boards, 8).unwrap().len(), 8);
    }
}
