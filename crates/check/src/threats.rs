//! The oracle for threats, and the comparison of every call with it.
//!
//! The oracle walks from each piece square by square. A change of the board is the difference
//! between the threats of whole positions, put into the documented order afterwards.

use std::hint::black_box;
use std::{fmt, slice};

use setwise::threats::{CODES, Changes, Rules, Threat};
use setwise::{Kernel, Piece, Side, Square, board};

use crate::oracle::{BISHOP, KNIGHT, Place, ROOK, Step, Steps as _};

/// The meaning of the codes, and the pairs that count: what [`Rules::new`] takes.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    /// `None`: an empty square.
    pub codes: [Option<(Side, Piece)>; 16],
    /// By attacker: the victims that count, one bit each.
    pub pairs: [u16; 16],
}

/// A board with a code per square.
pub type Codes = [u8; 64];

/// Clockwise from north.
const RAYS: [Step; 8] =
    [ROOK[0], BISHOP[0], ROOK[1], BISHOP[1], ROOK[2], BISHOP[2], ROOK[3], BISHOP[3]];

impl Meaning {
    /// The codes of [`CODES`], and every pair counts.
    pub const fn usual() -> Meaning {
        Meaning { codes: CODES, pairs: [!0; 16] }
    }

    /// The usual codes and the pairs of a network with 59,808 inputs: kings do not count, pawns
    /// attack knights and rooks, and only knights and queens attack queens.
    pub fn network() -> Meaning {
        let victims: [u16; 6] = [0b00_1010, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0];
        let mut pairs = [0; 16];
        for (kind, victims) in victims.into_iter().enumerate() {
            let both = victims << 1 | victims << 7;
            (pairs[1 + kind], pairs[7 + kind]) = (both, both);
        }
        Meaning { pairs, ..Meaning::usual() }
    }

    /// Random codes and pairs.
    pub fn random(mut random: impl FnMut() -> u64) -> Meaning {
        let few = random().is_multiple_of(2);
        let codes = std::array::from_fn(|_| {
            let number = random() as usize;
            let piece = (Piece::ALL[number % 6], [Side::White, Side::Black][number / 6 % 2]);
            (number / 12 % 4 > usize::from(few)).then_some((piece.1, piece.0))
        });
        let pairs = std::array::from_fn(|_| random() as u16);
        Meaning { codes, pairs: if random().is_multiple_of(4) { [!0; 16] } else { pairs } }
    }

    /// The rules for the library.
    pub const fn rules(&self) -> Rules {
        Rules::new(self.codes, self.pairs)
    }

    fn piece(&self, code: u8) -> Option<(Side, Piece)> {
        self.codes[usize::from(code & 15)]
    }
}

/// A position: each square's code, or `None` if the square is empty.
type PieceCodes = [Option<u8>; 64];

fn position(codes: &Codes, meaning: &Meaning) -> PieceCodes {
    codes.map(|code| meaning.piece(code).map(|_| code & 15))
}

/// The squares of the pieces that the piece on a square attacks or defends: by ray, or by ascending
/// square for a knight.
fn victims(position: &PieceCodes, from: usize, meaning: &Meaning) -> Vec<usize> {
    let Some((side, piece)) = position[from].and_then(|code| meaning.piece(code)) else {
        return vec![];
    };
    let captures = side.steps();
    let longest = |step: &Step| match piece {
        Piece::Pawn => usize::from(captures.contains(step)),
        Piece::Bishop => 7 * usize::from(BISHOP.contains(step)),
        Piece::Rook => 7 * usize::from(ROOK.contains(step)),
        Piece::Queen => 7,
        _ => 1,
    };
    let first = |step: &Step| {
        let mut walk = Place::at(from).walk(*step).take(longest(step)).map(Place::number);
        walk.find(|&to| position[to].is_some())
    };
    let is_knight = piece == Piece::Knight;
    let steps = if is_knight { KNIGHT } else { RAYS };
    let mut victims: Vec<usize> = steps.iter().filter_map(first).collect();
    if is_knight {
        victims.sort_unstable();
    }
    victims
}

/// All threats of a position, in the order of [`Kernel::threats`].
fn all_of(position: &PieceCodes, meaning: &Meaning) -> Vec<Threat> {
    let is_knight = |from: &usize| {
        position[*from].and_then(|code| meaning.piece(code)).is_some_and(|p| p.1 == Piece::Knight)
    };
    let (knights, others): (Vec<usize>, Vec<usize>) = (0..64).partition(is_knight);
    let mut threats = vec![];
    for from in others.into_iter().chain(knights) {
        for to in victims(position, from, meaning) {
            let (attacker, victim) = (position[from].unwrap(), position[to].unwrap());
            if meaning.pairs[usize::from(attacker)] >> victim & 1 == 1 {
                threats.push(Threat { attacker, from: from as u8, victim, to: to as u8 });
            }
        }
    }
    threats
}

/// All threats of a board.
pub fn all(codes: &Codes, meaning: &Meaning) -> Vec<Threat> {
    all_of(&position(codes, meaning), meaning)
}

/// The threats added and removed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lists {
    /// Only in the position after the change.
    pub added: Vec<Threat>,
    /// Only in the position before the change.
    pub removed: Vec<Threat>,
}

impl From<&Changes> for Lists {
    fn from(changes: &Changes) -> Lists {
        Lists { added: changes.added().to_vec(), removed: changes.removed().to_vec() }
    }
}

fn difference(before: &PieceCodes, after: &PieceCodes, meaning: &Meaning) -> Lists {
    let (before, after) = (all_of(before, meaning), all_of(after, meaning));
    let without = |list: &[Threat], others: &[Threat]| {
        list.iter().filter(|threat| !others.contains(threat)).copied().collect()
    };
    Lists { added: without(&after, &before), removed: without(&before, &after) }
}

/// The ray from a square on which another one lies, or the jump to it.
fn direction(from: u8, to: u8) -> usize {
    let [from, to] = [from, to].map(usize::from);
    let leads = |&step: &Step| Place::at(from).walk(step).any(|place| place.number() == to);
    RAYS.iter().position(leads).unwrap_or(to)
}

/// Where a threat stands in the order of one square's threats.
fn place_in_order(square: u8, threat: Threat, meaning: &Meaning) -> (usize, usize) {
    let knight = meaning.piece(threat.attacker).unwrap().1 == Piece::Knight;
    if threat.from == square {
        (0, direction(square, threat.to))
    } else if threat.to == square {
        (if knight { 2 } else { 1 }, direction(square, threat.from))
    } else {
        (3, direction(square, threat.from))
    }
}

fn touches(square: u8, threat: Threat) -> bool {
    threat.from == square || threat.to == square
}

/// Whether a square is between those of a threat.
fn passes(square: u8, threat: Threat) -> bool {
    let Some(step) = RAYS.get(direction(threat.from, threat.to)) else { return false };
    let walk = Place::at(threat.from.into()).walk(*step).map(Place::number);
    walk.take_while(|&place| place != threat.to.into()).any(|place| place == square.into())
}

/// What [`Kernel::threats_moved`] returns.
pub fn moved(before: &Codes, from: Square, to: Square, placed: u8, meaning: &Meaning) -> Lists {
    let before = position(before, meaning);
    let mut after = before;
    after[from.index()] = None;
    after[to.index()] = meaning.piece(placed).map(|_| placed & 15);
    let captured = before[to.index()];
    let ordinary = from != to
        && before[from.index()].is_some()
        && after[to.index()].is_some()
        && captured != after[to.index()];
    if !ordinary {
        return edited_positions(&before, &after, meaning);
    }
    let mut lists = difference(&before, &after, meaning);
    let (from, to) = (from.index() as u8, to.index() as u8);
    // Those of `first`, then those of `second` or through it.
    let order = |first, second| {
        move |threat: &Threat| {
            let square = if touches(first, *threat) { first } else { second };
            (square == second, place_in_order(square, *threat, meaning))
        }
    };
    lists.removed.sort_by_key(order(from, to));
    lists.added.sort_by_key(order(to, from));
    lists
}

/// What [`Kernel::threats_edited`] returns.
pub fn edited(before: &Codes, edits: &[(Square, u8)], meaning: &Meaning) -> Lists {
    let mut after = *before;
    for (square, code) in edits {
        after[square.index()] = *code;
    }
    edited_positions(&position(before, meaning), &position(&after, meaning), meaning)
}

/// The difference, in the order of [`Kernel::threats_edited`].
fn edited_positions(before: &PieceCodes, after: &PieceCodes, meaning: &Meaning) -> Lists {
    let changed: Vec<u8> =
        (0..64).filter(|&i| before[usize::from(i)] != after[usize::from(i)]).collect();
    let order = |threat: &Threat| {
        let touched = changed.iter().find(|&&square| touches(square, *threat));
        let passed = || changed.iter().find(|&&square| passes(square, *threat));
        let square = *touched.or_else(passed).expect("no other threat differs");
        (square, place_in_order(square, *threat, meaning))
    };
    let mut lists = difference(before, after, meaning);
    lists.added.sort_by_key(order);
    lists.removed.sort_by_key(order);
    lists
}

/// Code that computes threats.
#[derive(Clone, Copy)]
pub enum Form {
    /// A kernel.
    Kernel(&'static Kernel),
    /// The functions of [`setwise::board`].
    Board,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Kernel(kernel) => kernel.name(),
            Form::Board => "board",
        })
    }
}

/// Chooses between the method of a kernel and the function of `board`.
macro_rules! call {
    ($form:expr, $name:ident($($argument:expr),*)) => {
        match $form {
            Form::Kernel(kernel) => kernel.$name($($argument),*),
            Form::Board => board::$name($($argument),*),
        }
    };
}

/// Lists between bytes that no call may write.
#[repr(C)]
struct GuardedChanges([u8; 64], Changes, [u8; 64]);

const GUARD: u8 = 0xa5;

/// Fills the stack that the next call will use. If that call reads bytes there before it writes
/// them, its results differ.
#[inline(never)]
fn fill_stack(byte: u8) {
    black_box(&mut [byte; 8192]);
}

/// A mailbox, and a move on it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The board, of any codes.
    pub codes: Codes,
    /// The mover's square.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// The code that is placed there.
    pub placed: u8,
}

/// A call that returns lists of changes.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// [`Kernel::threats_moved`].
    Moved(&'a Case),
    /// [`Kernel::threats_edited`].
    Edited(&'a Codes, &'a [(Square, u8)]),
}

impl Form {
    /// All forms that can run here.
    pub fn all() -> impl Iterator<Item = Form> {
        Kernel::available().map(Form::Kernel).chain([Form::Board])
    }

    /// Compares the lists of a call with the oracle's.
    pub fn check_changes(
        self,
        change: Change<'_>,
        rules: &Rules,
        expected: &Lists,
    ) -> Result<(), String> {
        let mut guarded = GuardedChanges([GUARD; 64], Changes::new(), [GUARD; 64]);
        let lists = &mut guarded.1;
        match change {
            Change::Moved(Case { codes, from, to, placed }) => {
                call!(self, threats_moved(codes, *from, *to, *placed, rules, lists));
            }
            Change::Edited(codes, edits) => {
                call!(self, threats_edited(codes, edits, rules, lists));
            }
        }
        if guarded.0 != [GUARD; 64] || guarded.2 != [GUARD; 64] {
            return Err(format!("{self:?}: {change:?} wrote outside the lists"));
        }
        let got = Lists::from(&guarded.1);
        if got == *expected {
            return Ok(());
        }
        Err(format!("{self:?}: {change:?} returned {got:?}, expected {expected:?}"))
    }

    /// Compares [`Kernel::threats`] with the oracle's lists. The list has room for `capacity`
    /// threats, so not all boards may be done.
    pub fn check_all(
        self,
        boards: &[Codes],
        rules: &Rules,
        expected: &[Vec<Threat>],
        capacity: usize,
    ) -> Result<(), String> {
        let untouched = Threat { attacker: GUARD, from: GUARD, victim: GUARD, to: GUARD };
        let mut threats = vec![untouched; capacity + 64];
        let mut offsets = vec![!0; boards.len() + 2];
        let last = boards.len() + 1;
        let mut call = |threats: &mut [Threat]| {
            call!(self, threats(boards, rules, &mut offsets[..last], &mut threats[..capacity]))
        };
        let mut again = threats.clone();
        fill_stack(0);
        let done = call(&mut threats);
        fill_stack(GUARD);
        call(&mut again);
        let mut fitting = vec![0];
        for list in expected {
            let next = fitting[fitting.len() - 1] + list.len() as u32;
            if next as usize > capacity {
                break;
            }
            fitting.push(next);
        }
        let expected_done = fitting.len() - 1;
        fitting.resize(offsets.len(), !0);
        let error = if (done, &offsets) != (expected_done, &fitting) {
            format!("{done} done, offsets {offsets:?}, not {fitting:?}")
        } else if threats[capacity..].iter().any(|&threat| threat != untouched) {
            "wrote beyond the list".into()
        } else if threats[..offsets[done] as usize] != expected[..done].concat() {
            let got = &threats[..offsets[done] as usize];
            format!("of {boards:?} {got:?}, expected {:?}", expected[..done].concat())
        } else if threats != again {
            "wrote bytes of the stack after the last threat".into()
        } else {
            return Ok(());
        };
        let count = boards.len();
        Err(format!("{self:?}: threats of {count} boards, room for {capacity}: {error}"))
    }
}

/// What the oracle expects of all calls for one case.
pub struct Expected {
    case: Case,
    rules: Rules,
    moved: Lists,
    edits: Vec<(Square, u8)>,
    edited: Lists,
    all: Vec<Threat>,
}

impl Expected {
    /// Asks the oracle.
    pub fn new(case: Case, edits: Vec<(Square, u8)>, meaning: &Meaning) -> Expected {
        let Case { codes, from, to, placed } = &case;
        Expected {
            rules: meaning.rules(),
            moved: moved(codes, *from, *to, *placed, meaning),
            edited: edited(codes, &edits, meaning),
            all: all(codes, meaning),
            edits,
            case,
        }
    }

    /// Compares every call of a form with the oracle. An error says what differs first.
    pub fn check(&self, form: Form) -> Result<(), String> {
        let Expected { case, rules, .. } = self;
        form.check_changes(Change::Moved(case), rules, &self.moved)?;
        let edits = Change::Edited(&case.codes, &self.edits);
        form.check_changes(edits, rules, &self.edited)?;
        for capacity in [self.all.len(), self.all.len() + 15, 440] {
            form.check_all(&[case.codes], rules, slice::from_ref(&self.all), capacity)?;
        }
        Ok(())
    }
}

/// What the oracle expects for a [random] case.
pub fn any(random: impl FnMut() -> u64) -> Expected {
    let (case, edits, meaning) = self::random(random);
    Expected::new(case, edits, &meaning)
}

/// A random case, with edits: a board of any density, of any bytes, with any pairs that count.
pub fn random(mut random: impl FnMut() -> u64) -> (Case, Vec<(Square, u8)>, Meaning) {
    let density = random() % 65;
    let kinds = random() | random();
    let mut codes = [0; 64];
    for code in &mut codes {
        let any = random();
        if any >> 8 & 63 < density && kinds >> (any & 15) & 1 == 1 {
            *code = any as u8;
        }
    }
    let meaning = match random() % 3 {
        0 => Meaning::usual(),
        1 => Meaning::network(),
        _ => Meaning::random(&mut random),
    };
    let square = |number: u64| Square::new(number as u8 % 64).unwrap();
    let [from, to, placed] = [random(), random(), random()];
    let case = Case { codes, from: square(from), to: square(to), placed: placed as u8 };
    // Up to four squares, on one line in half of the cases. They get each other's codes, or
    // random ones.
    let (count, step) = (random() % 5, [1, 7, 8, 9][random() as usize % 4]);
    let (first, on_line) = (random() % 64, random().is_multiple_of(2));
    let mut edits: Vec<(Square, u8)> = vec![];
    for i in 0..count {
        let edited = square(if on_line { first + step * (i + random() % 2 * 4) } else { random() });
        if edits.iter().all(|edit| edit.0 != edited) {
            let any = random();
            let code = if any.is_multiple_of(3) {
                any >> 32
            } else {
                case.codes[(any >> 8) as usize % 64].into()
            };
            edits.push((edited, code as u8));
        }
    }
    (case, edits, meaning)
}
