//! What stands on the 64 squares, and the first field of a FEN.

use std::fmt;

use crate::error::{FenError, Field};

/// White or black.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Moves up the board, from rank 1 to rank 8.
    White,
    /// Moves down.
    Black,
}

impl Side {
    /// Both, white first.
    pub const BOTH: [Side; 2] = [Side::White, Side::Black];

    /// `white` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // they say it themselves
pub enum Piece {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Piece {
    /// All kinds, from the pawn to the king.
    pub const ALL: [Piece; 6] = [
        Piece::Pawn,
        Piece::Knight,
        Piece::Bishop,
        Piece::Rook,
        Piece::Queen,
        Piece::King,
    ];

    /// The letter of a FEN: upper case for white.
    ///
    /// ```
    /// use setwise_positions::{Piece, Side};
    /// assert_eq!(Piece::Knight.letter(Side::Black), 'n');
    /// ```
    #[must_use]
    pub const fn letter(self, side: Side) -> char {
        let letter = b"PNBRQK"[self as usize];
        match side {
            Side::White => letter as char,
            Side::Black => letter.to_ascii_lowercase() as char,
        }
    }

    /// Three bits that no two kinds share: orthogonal slider, diagonal slider, neither.
    const fn code(self) -> u8 {
        match self {
            Piece::Rook => 0b001,
            Piece::Bishop => 0b010,
            Piece::Queen => 0b011,
            Piece::Pawn => 0b100,
            Piece::Knight => 0b101,
            Piece::King => 0b110,
        }
    }

    const fn of_code(code: u8) -> Option<Piece> {
        match code & 0b111 {
            0b001 => Some(Piece::Rook),
            0b010 => Some(Piece::Bishop),
            0b011 => Some(Piece::Queen),
            0b100 => Some(Piece::Pawn),
            0b101 => Some(Piece::Knight),
            0b110 => Some(Piece::King),
            _ => None,
        }
    }
}

/// The fourth bit of a code: a piece of black's.
const BLACK: u8 = 0b1000;

/// The pieces of a board. Need not be a legal position: no king, nine queens and pawns on the first rank are fine.
///
/// Sets have a bit a square: a1 is bit 0, h1 bit 7, h8 bit 63.
///
/// ```
/// use setwise_positions::{Piece, Placement, Side};
/// let placement: Placement = "8/8/8/8/p7/8/8/R1k5".parse()?;
/// assert_eq!(placement.pieces(Side::White, Piece::Rook), 1);
/// assert_eq!(placement.occupied(), 1 | 1 << 2 | 1 << 24);
/// assert_eq!(placement.to_string(), "8/8/8/8/p7/8/8/R1k5");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// Bit n of the code of every square.
    planes: [u64; 4],
}

impl Placement {
    /// No piece.
    pub const EMPTY: Placement = Placement { planes: [0; 4] };

    /// From the set of each side and kind.
    ///
    /// # Panics
    ///
    /// If two sets share a square.
    ///
    /// ```
    /// use setwise_positions::{Piece, Placement, Side};
    /// let rook = |side, piece| u64::from((side, piece) == (Side::White, Piece::Rook));
    /// assert_eq!(Placement::from_sets(rook).to_string(), "8/8/8/8/8/8/8/R7");
    /// ```
    #[must_use]
    pub fn from_sets(set: impl Fn(Side, Piece) -> u64) -> Placement {
        let mut placement = Placement::EMPTY;
        for side in Side::BOTH {
            for piece in Piece::ALL {
                let set = set(side, piece);
                assert!(placement.occupied() & set == 0, "two pieces on one square");
                placement.add(set, code(side, piece));
            }
        }
        placement
    }

    /// Puts a piece on a square, 0 to 63, in place of what stood there.
    ///
    /// # Panics
    ///
    /// If there is no such square.
    pub fn put(&mut self, side: Side, piece: Piece, square: u32) {
        assert!(square < 64, "{square} is no square");
        self.take(square);
        self.add(1 << square, code(side, piece));
    }

    /// From the set of each kind, no two of which share a square, and one in which those of black's are.
    pub(crate) fn of_kinds(kinds: [u64; 6], black: u64) -> Placement {
        let [pawns, knights, bishops, rooks, queens, kings] = kinds;
        // By the codes.
        Placement {
            planes: [
                rooks | queens | knights,
                bishops | queens | kings,
                pawns | knights | kings,
                black,
            ],
        }
    }

    /// Takes what stands on a square away.
    pub(crate) fn take(&mut self, square: u32) {
        for plane in &mut self.planes {
            *plane &= !(1 << square);
        }
    }

    fn add(&mut self, set: u64, code: u8) {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            if code >> bit & 1 == 1 {
                *plane |= set;
            }
        }
    }

    /// All pieces.
    #[must_use]
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub fn side(&self, side: Side) -> u64 {
        self.occupied() & self.colour(side)
    }

    /// The pieces of one kind of a side.
    #[must_use]
    #[inline]
    pub fn pieces(&self, side: Side, piece: Piece) -> u64 {
        let wanted = piece.code();
        let mut set = self.colour(side);
        for bit in 0..3 {
            let plane = self.planes[bit];
            set &= if wanted >> bit & 1 == 1 {
                plane
            } else {
                !plane
            };
        }
        set
    }

    /// Rooks and queens of a side.
    #[must_use]
    #[inline]
    pub fn orthogonal(&self, side: Side) -> u64 {
        self.planes[0] & !self.planes[2] & self.colour(side)
    }

    /// Bishops and queens of a side.
    #[must_use]
    #[inline]
    pub fn diagonal(&self, side: Side) -> u64 {
        self.planes[1] & !self.planes[2] & self.colour(side)
    }

    /// What stands on a square, 0 to 63.
    ///
    /// # Panics
    ///
    /// If there is no such square.
    #[must_use]
    pub fn on(&self, square: u32) -> Option<(Side, Piece)> {
        assert!(square < 64, "{square} is no square");
        let bit = |plane: u64| (plane >> square & 1) as u8;
        let [a, b, c, black] = self.planes.map(bit);
        let side = Side::BOTH[usize::from(black)];
        Piece::of_code(a | b << 1 | c << 2).map(|piece| (side, piece))
    }

    /// Appends the first field of a FEN.
    pub fn write(&self, text: &mut Vec<u8>) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for square in 8 * rank..8 * rank + 8 {
                if let Some((side, piece)) = self.on(square) {
                    if empty > 0 {
                        text.push(b'0' + empty);
                    }
                    empty = 0;
                    text.push(piece.letter(side) as u8);
                } else {
                    empty += 1;
                }
            }
            if empty > 0 {
                text.push(b'0' + empty);
            }
            if rank > 0 {
                text.push(b'/');
            }
        }
    }

    /// All squares of a side's colour bit, also empty ones.
    #[inline]
    fn colour(&self, side: Side) -> u64 {
        match side {
            Side::White => !self.planes[3],
            Side::Black => self.planes[3],
        }
    }
}

const fn code(side: Side, piece: Piece) -> u8 {
    piece.code()
        | if matches!(side, Side::Black) {
            BLACK
        } else {
            0
        }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placement({self})")
    }
}

impl std::str::FromStr for Placement {
    type Err = FenError;

    /// Reads the first field of a FEN, and nothing else.
    fn from_str(text: &str) -> Result<Placement, FenError> {
        let mut placement = Placement::EMPTY;
        match read(text.as_bytes(), &mut placement)? {
            end if end == text.len() => Ok(placement),
            end => Err(unknown(text.as_bytes(), end, 1)),
        }
    }
}

/// Appends what slider attacks need, for each placement white's, then black's: rooks and queens, bishops and queens,
/// all pieces.
pub(crate) fn boards(
    placements: &[Placement],
    orthogonal: &mut Vec<u64>,
    diagonal: &mut Vec<u64>,
    occupied: &mut Vec<u64>,
) {
    let start = orthogonal.len();
    let wanted = start + 2 * placements.len();
    let sets = [orthogonal, diagonal, occupied].map(|set| {
        set.resize(wanted, 0);
        set[start..].chunks_exact_mut(2)
    });
    let [orthogonal, diagonal, occupied] = sets;
    for (((placement, orthogonal), diagonal), occupied) in placements
        .iter()
        .zip(orthogonal)
        .zip(diagonal)
        .zip(occupied)
    {
        orthogonal.copy_from_slice(&Side::BOTH.map(|side| placement.orthogonal(side)));
        diagonal.copy_from_slice(&Side::BOTH.map(|side| placement.diagonal(side)));
        occupied.copy_from_slice(&[placement.occupied(); 2]);
    }
}

/// What is added to the state for a byte of the field.
///
/// The state's low eight bits are an address: `8 * file + rank`, so that a file's squares are neighbours, and the
/// ninth of a rank, where its `/` must be, is `64 + rank`. Above that, slashes are counted.
const STEPS: [u32; 256] = {
    let mut steps = [8; 256];
    steps[0] = 0;
    let mut n = 1;
    while n <= 8 {
        steps[b'0' as usize + n] = 8 * n as u32;
        n += 1;
    }
    steps[b'/' as usize] = SLASH_STEP;
    steps
};
/// Back by the eight files that were walked and down one rank, and one slash more.
const SLASH_STEP: u32 = (1 << 16) - 65;

/// What is written to the address for a byte of the field.
const CODES: [u8; 256] = {
    let mut codes = [WRONG; 256];
    let mut digit = b'1';
    while digit <= b'8' {
        codes[digit as usize] = 0;
        digit += 1;
    }
    codes[b'/' as usize] = SLASH;
    let mut i = 0;
    while i < 12 {
        let (side, piece) = (Side::BOTH[i / 6], Piece::ALL[i % 6]);
        codes[piece.letter(side) as usize] = code(side, piece);
        i += 1;
    }
    codes
};
/// No codes of pieces.
const SLASH: u8 = 0x10;
const WRONG: u8 = 0x20;

/// The longest placement: 64 pieces and 7 slashes.
const LONGEST: usize = 71;

/// A byte of ones, eight times.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Reads a placement at the beginning of a text, up to white space or its end, and returns its length.
#[inline(always)]
pub(crate) fn read(text: &[u8], to: &mut Placement) -> Result<usize, FenError> {
    read_quickly(text, to).ok_or_else(|| explain(text))
}

/// `None` if anything is wrong.
///
/// Every byte is two look-ups, one addition and one store; everything is checked afterwards. If the state ends
/// right, there were 7 slashes and 64 squares. The slash of each rank is then found at the rank's own address: the
/// k-th slash is there if the squares before it are 8k plus a multiple of 32, so no rank but the last is shorter
/// than 8, and they are 64 together, so none is longer. Hence no byte was written over another, and what is no piece
/// is still seen, but for what goes nowhere at the end. Two digits in a row are noticed by the length.
#[inline(always)]
fn read_quickly(text: &[u8], to: &mut Placement) -> Option<usize> {
    const START: u32 = 7;
    const STOP: u32 = 7 * SLASH_STEP + START + 8 * 64;
    let mut board = [0_u8; 256];
    let mut state = START;
    let mut at = 0;
    let length = loop {
        let bytes = match text.get(at..).and_then(|text| text.first_chunk()) {
            Some(bytes) => *bytes,
            None => last(text, at),
        };
        let word = u64::from_le_bytes(bytes);
        // The lowest bit that is set is right: that of the first byte up to a space. From there on all become zeros,
        // which go nowhere.
        let spaces = word.wrapping_sub(ONES * 0x21) & !word & ONES << 7;
        let first = spaces & spaces.wrapping_neg();
        let bytes = (word & (first >> 7).wrapping_sub(1)).to_le_bytes();
        for byte in bytes {
            board[usize::from(state as u8)] = CODES[usize::from(byte)];
            state = state.wrapping_add(STEPS[usize::from(byte)]);
        }
        if spaces != 0 {
            break at + first.trailing_zeros() as usize / 8;
        }
        at += 8;
        if at > LONGEST {
            return None;
        }
    };

    let word = |n: usize| {
        let bytes = board[8 * n..8 * n + 8].try_into();
        u64::from_le_bytes(bytes.unwrap_or([0; 8]))
    };
    let files: [u64; 8] = std::array::from_fn(word);
    let all = files.iter().fold(0, |all, file| all | file);
    let slashes = word(8) ^ ONES * u64::from(SLASH);
    if state != STOP || slashes >> 8 != 0 || all & ONES * 0xf0 != 0 {
        return None;
    }

    // Word f has the codes of file f, a byte a rank. Wanted: word n has bit n of all codes, a byte a rank and in it a
    // bit a file. Two files into a word; then exchange the words' number with the bits' number in the bytes.
    let mut planes: [u64; 4] = std::array::from_fn(|f| files[f] | files[f + 4] << 4);
    for (a, b, shift, mask) in [
        (0, 1, 1, 0x55 * ONES),
        (2, 3, 1, 0x55 * ONES),
        (0, 2, 2, 0x33 * ONES),
        (1, 3, 2, 0x33 * ONES),
    ] {
        let different = (planes[a] >> shift ^ planes[b]) & mask;
        planes[b] ^= different;
        planes[a] ^= different << shift;
    }
    *to = Placement { planes };

    let occupied = to.occupied();
    // Where a run of empty squares begins: on the a-file, or behind a piece.
    let runs = !occupied & (ONES | occupied << 1);
    let shortest = occupied.count_ones() + runs.count_ones() + 7;
    let is_whole = text.get(length).is_none_or(u8::is_ascii_whitespace);
    (is_whole && length == shortest as usize).then_some(length)
}

/// Less than eight bytes at the end of a text, filled up with spaces.
#[cold]
#[inline(never)]
fn last(text: &[u8], at: usize) -> [u8; 8] {
    let mut bytes = [b' '; 8];
    for (to, &byte) in bytes.iter_mut().zip(&text[at..]) {
        *to = byte;
    }
    bytes
}

/// What is wrong with a placement, read rank by rank.
#[cold]
#[inline(never)]
fn explain(text: &[u8]) -> FenError {
    let wrong = |reason: String| FenError::new(Field::Placement, reason);
    let end = text.iter().position(u8::is_ascii_whitespace);
    let text = &text[..end.unwrap_or(text.len())];
    if text.is_empty() {
        return wrong("it is missing".into());
    }
    let (mut rank, mut files, mut after_digit) = (8, 0_usize, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'1'..=b'8' if after_digit => {
                return wrong(format!(
                    "rank {rank}: `{}{}` are two digits in a row: write their sum",
                    char::from(text[at - 1]),
                    char::from(byte)
                ));
            }
            b'1'..=b'8' => files += usize::from(byte - b'0'),
            b'/' => {
                if files != 8 {
                    return wrong(rank_of(rank, files));
                }
                if rank == 1 {
                    return wrong("more than 8 ranks".into());
                }
                rank -= 1;
                files = 0;
            }
            _ if b"PNBRQKpnbrqk".contains(&byte) => files += 1,
            _ => return unknown(text, at, rank),
        }
        after_digit = byte.is_ascii_digit();
    }
    if files != 8 {
        return wrong(rank_of(rank, files));
    }
    let ranks = 9 - rank;
    let s = if ranks == 1 { "" } else { "s" };
    wrong(format!("{ranks} rank{s} instead of 8"))
}

fn rank_of(rank: usize, files: usize) -> String {
    let s = if files == 1 { "" } else { "s" };
    format!("rank {rank} has {files} square{s} instead of 8")
}

fn unknown(text: &[u8], at: usize, rank: usize) -> FenError {
    let shown = crate::error::character(&text[at..]);
    let reason = format!(
        "rank {rank}: `{shown}` is neither a piece letter (PNBRQK, pnbrqk) nor a digit 1 to 8"
    );
    FenError::new(Field::Placement, reason)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Placement, explain};
    use crate::{Piece, Side};

    fn read_quickly(text: &[u8]) -> Option<(Placement, usize)> {
        let mut placement = Placement::EMPTY;
        super::read_quickly(text, &mut placement).map(|length| (placement, length))
    }

    /// Square by square, as one would do it by hand.
    fn slowly(text: &str) -> Option<Placement> {
        let mut placement = Placement::EMPTY;
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return None;
        }
        for (rank, text) in (0..8).rev().zip(ranks) {
            let mut file = 0;
            let mut digit = false;
            for letter in text.chars() {
                if let Some(empty @ 1..=8) = letter.to_digit(10) {
                    if digit {
                        return None;
                    }
                    file += empty;
                } else {
                    let side = Side::BOTH[usize::from(letter.is_lowercase())];
                    let piece = Piece::ALL
                        .into_iter()
                        .find(|piece| piece.letter(side) == letter)?;
                    if file < 8 {
                        placement.put(side, piece, 8 * rank + file);
                    }
                    file += 1;
                }
                digit = letter.is_ascii_digit();
            }
            if file != 8 {
                return None;
            }
        }
        Some(placement)
    }

    /// Valid texts, and texts with one to four bytes changed, put in or taken out: what is accepted is the same.
    #[test]
    fn quick_and_slow_agree() {
        let mut random = fastrand::Rng::with_seed(1);
        let bytes = b"PNBRQKpnbrqk12345678///0918x. \xe9";
        let (mut good, mut bad) = (0, 0);
        let rounds = if cfg!(miri) { 200 } else { 400_000 };
        for round in (0..400_000_u32).step_by(400_000 / rounds) {
            let mut placement = Placement::EMPTY;
            for square in 0..64 {
                if random.u32(..100) < round % 101 {
                    let (side, piece) = (random.usize(..2), random.usize(..6));
                    placement.put(Side::BOTH[side], Piece::ALL[piece], square);
                }
            }
            let mut text = Vec::new();
            placement.write(&mut text);
            assert_eq!(read_quickly(&text), Some((placement, text.len())));
            for _ in 0..random.usize(0..4) {
                let byte = bytes[random.usize(..bytes.len())];
                let at = random.usize(..text.len());
                match random.u8(..6) {
                    0 => text[at] = byte,
                    1 => text.insert(at, byte),
                    2 => drop(text.remove(at)),
                    3 => text.extend_from_within(at..),
                    4 => {
                        let other = random.usize(..text.len());
                        text.swap(at, other);
                    }
                    // One square from one rank to another.
                    _ => {
                        let other = random.usize(..text.len());
                        if matches!(text[at], b'1'..=b'7') && matches!(text[other], b'2'..=b'8') {
                            text[at] += 1;
                            text[other] -= 1;
                        }
                    }
                }
                if text.is_empty() {
                    break;
                }
            }
            let length = text
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(text.len());
            let right = std::str::from_utf8(&text[..length]).ok().and_then(slowly);
            let got = read_quickly(&text);
            assert_eq!(
                got,
                right.map(|placement| (placement, length)),
                "{}",
                text.escape_ascii()
            );
            if right.is_some() {
                good += 1;
            } else {
                bad += 1;
                assert_ne!(
                    explain(&text).to_string(),
                    "piece placement: 8 ranks instead of 8"
                );
            }
        }
        let least = rounds / 8;
        assert!(good > least && bad > least, "{good} good, {bad} bad");
    }

    /// Every shape of up to three ranks' lengths that could cancel out, and wrap-arounds of the addresses.
    #[test]
    fn lengths_of_ranks_that_cancel_out() {
        for text in [
            "88/8/8/8/8/8/8/8",
            "888/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8/8/8/8/8/8/8/8",
            "88888888",
            "/8/8/8/8/8/8/88",
            "8/8/8/8/8/8/8/54/8/8/8/8/8/8/8/7",
            "ppppppppp/7/8/8/8/8/8/8",
            "pppppppppppppppppppppppp//8/8/8/8/8/",
            "7/p8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/",
            "/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/",
            "//////////////////////////////////////////////////////////////",
        ] {
            assert_eq!(read_quickly(text.as_bytes()), None, "{text}");
            assert_eq!(slowly(text), None, "{text}");
            explain(text.as_bytes());
        }
        let full = ["pppppppp"; 8].join("/");
        assert_eq!(full.len(), LONGEST);
        assert_eq!(read_quickly(full.as_bytes()).unwrap().1, LONGEST);
        assert_eq!(read_quickly((full + "p").as_bytes()), None);
    }

    #[test]
    fn sets_of_every_kind() {
        let text = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let placement: Placement = text.parse().unwrap();
        for (piece, set) in Piece::ALL
            .into_iter()
            .zip([0xff00, 0x42, 0x24, 0x81, 0x8, 0x10_u64])
        {
            assert_eq!(placement.pieces(Side::White, piece), set);
            assert_eq!(placement.pieces(Side::Black, piece), set.swap_bytes());
        }
        assert_eq!(placement.occupied(), 0xffff_0000_0000_ffff);
        assert_eq!(placement.side(Side::Black), 0xffff << 48);
        assert_eq!(placement.orthogonal(Side::White), 0x89);
        assert_eq!(placement.diagonal(Side::White), 0x2c);
        assert_eq!(placement.orthogonal(Side::Black), 0x89 << 56);
        assert_eq!(placement.diagonal(Side::Black), 0x2c << 56);
        assert_eq!(placement.on(4), Some((Side::White, Piece::King)));
        assert_eq!(placement.on(57), Some((Side::Black, Piece::Knight)));
        assert_eq!(placement.on(27), None);
        assert_eq!(
            Placement::from_sets(|side, piece| placement.pieces(side, piece)),
            placement
        );
        assert!("8/8/8/8/8/8/8/8 w".parse::<Placement>().is_err());
    }
}
