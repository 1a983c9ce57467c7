//! FEN and EPD lines.

use std::fmt;

use crate::error::{FenError, Field};
use crate::fen_fields::{self, Form, OTHER_FIELDS, letter_bit};
use crate::lines::trim_line;
use crate::placement_field;
use crate::uci::has_moves;
use crate::{Piece, Placement, Side};
use setwise::moves::{GamePosition, State};
use setwise::position::Position;

/// Why UCI's `position` with moves is no FEN.
const NOT_PLAYED: &str = "they are not played here: write the position after them as a FEN";

/// A FEN or EPD line. The last fields may be missing.
///
/// # The rules
///
/// White space separates the fields. Positions need not be legal in chess. Only the first field is
/// required. Any number of fields may be missing at the end:
///
/// 1. piece placement: eight ranks of eight squares, never two digits in a row;
/// 2. side to move: `w` or `b`;
/// 3. castling rights: `-`, or up to four different letters of `KQkq` or, as in Chess960, of `A`
///    to `H` and `a` to `h`;
/// 4. en passant square: `-`, or a square of rank 3 or 6;
/// 5. halfmove clock and
/// 6. fullmove number: digits.
///
/// The fields end where no field can go on, and the text after them is ignored. It need not be
/// UTF-8. After the sixth field, it may be anything. EPD operations may replace the two counters:
/// they start with a letter and contain a `;`, which may be missing if the first is an opcode of
/// the standard (`bm`, `id`, `c0`). So may a result (`1-0`), a number with a decimal point (`0.5`)
/// and the word `moves`, which is ignored with what follows: the position is the one before the
/// moves. A comment may follow any field, with or without a space. It starts with `;`, `|`, `[`,
/// `,`, or a closing quote or bracket. Anything else is an error.
///
/// Forms that other programs write are read, too, and not [written](Fen::write): a slash after the
/// last rank, pockets of crazyhouse (`/Qn`, `[Qn]`, `[-]`, `[]`), a `~` after a promoted piece,
/// dashes instead of counters, a byte order mark before the line, NUL and 0x1A after it. Before the
/// first field, opening quotes and brackets are skipped, and `position fen`, `setboard`, `fen`,
/// `fen:` and `epd` in upper or lower case. `position startpos` is the initial position. UCI's
/// `position` with moves is an error: [`play_moves`](crate::play_moves) returns the FEN after them.
/// Before these two `position`, all that a log writes is skipped.
///
/// ```
/// use setwise_positions::{Fen, Side};
/// let fen = Fen::parse(b"8/8/8/8/p7/8/8/R1k5  b - - bm Kd2; id \"x\";")?;
/// assert_eq!(fen.side(), Some(Side::Black));
/// assert_eq!(fen.placement().orthogonal(Side::White), 1);
/// assert_eq!(fen.to_string(), "8/8/8/8/p7/8/8/R1k5 b - -");
///
/// let error = Fen::parse(b"44/8/8/8/8/8/8/8 w - -").unwrap_err();
/// let message = "piece placement: rank 8: `44` are two digits in a row: write their sum";
/// assert_eq!(error.to_string(), message);
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fen<'a> {
    placement: Placement,
    side: Option<Side>,
    /// The letters of the castling rights, as [bits](fen_fields::letter_bit).
    castling: u64,
    /// The en passant square, or [`State::NO_EN_PASSANT`].
    en_passant: u8,
    /// The text from the start of the first field to the end of the last.
    fields: &'a [u8],
    count: usize,
    /// Whether the fields are as [`write`](Fen::write) writes them.
    is_plain: bool,
}

impl<'a> Fen<'a> {
    pub(crate) const EMPTY: Fen<'a> = Fen {
        placement: Placement::EMPTY,
        side: None,
        castling: 0,
        en_passant: State::NO_EN_PASSANT,
        fields: &[],
        count: 0,
        is_plain: true,
    };

    /// Parses a line, which must not include its line end.
    ///
    /// # Errors
    ///
    /// The error names the first invalid field.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Result<Fen<'a>, FenError> {
        let line = trim_line(line);
        Fen::parse_trimmed(line).or_else(|error| {
            if has_moves(line) {
                return Err(FenError::new(Field::Moves, NOT_PLAYED));
            }
            let rest = fen_fields::without_prefix(line);
            match fen_fields::after_startpos(rest) {
                Some(after) => fen_fields::check_startpos(after)
                    .and_then(|()| Fen::parse_trimmed(fen_fields::START)),
                None if rest.len() == line.len() => Err(error),
                None => Fen::parse_trimmed(rest),
            }
        })
    }

    #[inline]
    fn parse_trimmed(line: &'a [u8]) -> Result<Fen<'a>, FenError> {
        let mut fen = Fen::EMPTY;
        let end = fen.read_fields(line)?;
        fen.check_rest(&line[end..])?;
        Ok(fen)
    }

    /// Reads the fields in the first line of `text`. Returns the end of the last field.
    #[inline(always)]
    pub(crate) fn read_fields(&mut self, text: &'a [u8]) -> Result<usize, FenError> {
        let blanks = fen_fields::count_blanks(text);
        let line = &text[blanks..];
        let mut end;
        (end, self.is_plain) = placement_field::read(line, &mut self.placement)?;
        self.side = None;
        (self.castling, self.en_passant) = (0, State::NO_EN_PASSANT);
        self.fields = &line[..end];
        self.count = 1;
        'fields: for (field, check) in OTHER_FIELDS {
            loop {
                let (start, next) = fen_fields::next_word(line, end);
                let word = &line[start..next];
                match check(word) {
                    Form::Good(value) => {
                        match field {
                            Field::Side => self.side = Some(Side::BOTH[value as usize]),
                            Field::Castling => self.castling = value,
                            Field::EnPassant => self.en_passant = value as u8,
                            _ => {}
                        }
                        self.is_plain &= start == end + 1 && line[end] == b' ';
                        self.fields = &line[..next];
                        self.count += 1;
                        end = next;
                        break;
                    }
                    Form::Dash => {
                        self.is_plain = false;
                        end = next;
                    }
                    Form::End => break 'fields,
                    Form::Bad(expected) => return Err(fen_fields::bad(field, word, expected)),
                }
            }
        }
        Ok(blanks + end)
    }

    /// Checks that the fields are followed by operations, a comment or nothing.
    #[inline(always)]
    pub(crate) fn check_rest(&self, rest: &[u8]) -> Result<(), FenError> {
        fen_fields::check_rest(rest, self.count)
    }

    /// The pieces.
    #[must_use]
    #[inline]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The side to move, if the line has that field.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// What the rules of chess need beside the pieces: side to move, castling rights, en passant.
    /// Missing fields mean White, no rights and no square.
    ///
    /// Rights are rooks: `A` to `H` name a file, and `K` and `Q` the rook that is farthest from the
    /// king on its side. A right without its rook and king on the first rank is dropped.
    ///
    /// ```
    /// use setwise_positions::Fen;
    /// let state = |text: &str| Fen::parse(text.as_bytes()).unwrap().state();
    /// let standard = state("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq e3 0 1");
    /// assert_eq!((standard.side, standard.en_passant, standard.castling), (1, 20, [0x81; 2]));
    /// // Chess960, as Shredder writes it, and as X-FEN.
    /// assert_eq!(state("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb -").castling, [0x42; 2]);
    /// assert_eq!(state("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w KQkq -").castling, [0x42; 2]);
    /// assert_eq!(state("1rrk2r1/8/8/8/8/8/8/1R1K2R1 w Qc -").castling, [0x02, 0x04]);
    /// assert_eq!(state("4k3/8/8/8/8/8/8/R3K3 w KQkq -").castling, [0x01, 0]);
    /// ```
    #[must_use]
    #[inline]
    pub fn state(&self) -> State {
        let castling = match self.castling {
            0 => [0; 2],
            _ => Side::BOTH.map(|side| self.castling_files(side)),
        };
        let side = self.side.unwrap_or(Side::White) as u8;
        State { side, en_passant: self.en_passant, castling }
    }

    /// The position with its [`state`](Fen::state).
    ///
    /// ```
    /// use setwise::board;
    /// use setwise_positions::Fen;
    /// let fen = Fen::parse(b"rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3")?;
    /// assert_eq!(board::legal_counts(&fen.game_position()), (0, 1)); // mate
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    #[must_use]
    pub fn game_position(&self) -> GamePosition {
        GamePosition::new(Position::from(&self.placement), self.state())
    }

    /// The files of the rooks that the letters of a side name. Without branches, because which side
    /// may castle is unpredictable.
    #[inline]
    fn castling_files(&self, side: Side) -> u8 {
        // The letters in lower case are 32 bits above those in upper case.
        let letters = (self.castling >> (32 * side as u32)) as u32;
        let first_rank = |piece| (self.placement.pieces(side, piece) >> (56 * side as u32)) as u8;
        let (rooks, kings) = (first_rank(Piece::Rook), first_rank(Piece::King));
        let king = kings & kings.wrapping_neg();
        let west_of_king = king.wrapping_sub(1);
        let (west, east) = (rooks & west_of_king, rooks & !west_of_king & !king);
        let farthest_west = west & west.wrapping_neg();
        // 0 if there is no rook in the east.
        let farthest_east = (0x8000_0000_u64 >> u32::from(east).leading_zeros()) as u8;
        let if_named =
            |letter| 0_u8.wrapping_sub(u8::from(u64::from(letters) & letter_bit(letter) != 0));
        let files = (letters >> 1) as u8 & rooks
            | farthest_east & if_named(b'K')
            | farthest_west & if_named(b'Q');
        if king == 0 { 0 } else { files }
    }

    /// The one to six fields, as written in the line. Operations and comments are not included.
    ///
    /// The fields are ASCII, without quotes, commas or backslashes.
    #[must_use]
    pub fn fields(&self) -> impl ExactSizeIterator<Item = &'a str> {
        let mut words = self.words();
        (0..self.count).map(move |_| words.next().unwrap_or_default())
    }

    /// The field with this number, counted from 0. `None` if the line has fewer fields.
    #[must_use]
    pub fn field(&self, number: usize) -> Option<&'a str> {
        self.words().nth(number)
    }

    /// Appends the fields to `text`, separated by single spaces. The first field is in the standard
    /// form, without pockets and marks of promotion.
    #[inline]
    pub fn write(&self, text: &mut Vec<u8>) {
        if self.is_plain {
            text.extend_from_slice(self.fields);
            return;
        }
        self.placement.write(text);
        for word in self.words().skip(1) {
            text.push(b' ');
            text.extend_from_slice(word.as_bytes());
        }
    }

    fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        // The field checks accept only ASCII.
        let text = std::str::from_utf8(self.fields).unwrap_or_default();
        let words = text.split_ascii_whitespace().enumerate();
        // A dash after the fourth field stands for a missing counter.
        words.filter(|&(number, word)| number < 4 || word != "-").map(|(_, word)| word)
    }
}

impl fmt::Display for Fen<'_> {
    /// Writes the fields, separated by single spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fen({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Fen;
    use crate::{Field, Side};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    /// Text that follows the initial placement, and the fields that it adds.
    const RESTS: &[(&str, &str)] = &[
        ("", ""),
        (" w", " w"),
        (" b KQkq", " b KQkq"),
        (" w - e3", " w - e3"),
        (" w KQkq - 0", " w KQkq - 0"),
        (" w HAha - 12 34", " w HAha - 12 34"),
        (" w Ah e6", " w Ah e6"),
        ("\tw  -   - \r", " w - -"),
        // Operations, with and without the last semicolon.
        (" w - - bm Nf3; id \"x 1\";", " w - -"),
        (" w - - 3 bm Nf3;", " w - - 3"),
        (" w - - 0 1 bm b8b7", " w - - 0 1"),
        (" w - - bm b8b7", " w - -"),
        (" w - - c0 \"x\"", " w - -"),
        (" w - - v9 1", " w - -"),
        (" w - - D1 20", " w - -"),
        (" w - - 0 1 hmvc 3", " w - - 0 1"),
        (" w - - draw_offer", " w - -"),
        (" w - - other 1;", " w - -"),
        // Comments after any field, with and without a space.
        (" ; comment", ""),
        (";comment", ""),
        ("|0.5", ""),
        (" w;1-0", " w"),
        (" w -;1-0", " w -"),
        (" b - -; 1/2-1/2", " b - -"),
        (" w - e3[0.5]", " w - e3"),
        (" w - - 12;25", " w - - 12"),
        (" w - - 0 1;25", " w - - 0 1"),
        (" w - - 0 1|25|0.5", " w - - 0 1"),
        (" w - - 0 1 | 25 | 0.5", " w - - 0 1"),
        (" w - - 0 1 [0.5] 25", " w - - 0 1"),
        (" w - - 3 99 ; comment", " w - - 3 99"),
        ("[0.5] 25", ""),
        // What other programs write.
        ("/ w - -", " w - -"),
        ("/Qn w - - 0 1", " w - - 0 1"),
        ("[Qn] w - - 0 1", " w - - 0 1"),
        ("[Qn]w - - 0 1", ""),
        ("[K] w - -", ""),
        ("[-] w - -", " w - -"),
        ("[] w - -", " w - -"),
        (" w q - - bm Rxf4;", " w q -"),
        (" w q - - 0 1", " w q - 0 1"),
        (" w q - - - bm Rxf4;", " w q -"),
        (" w - - 0 - bm Rxf4;", " w - - 0"),
        (" w - - 0 1\0", " w - - 0 1"),
        (" w - -\0\r", " w - -"),
        ("\x1a", ""),
        (" w - - bm Kd2;\0\x1a", " w - -"),
        // What people copy from programs, tables and lists.
        (" w - - 0 1\",", " w - - 0 1"),
        (" w - -\", 20, 400),", " w - -"),
        (" b KQkq -'],", " b KQkq -"),
        ("\"},", ""),
        ("`) w", ""),
        (" w - - 0 1 moves e2e4 e7e5", " w - - 0 1"),
        (" w - - moves e2e4;", " w - -"),
        (" w - - 0 moves e2e4;", " w - - 0"),
        (" w - - 0 1 1-0", " w - - 0 1"),
        (" w - - 1/2-1/2", " w - -"),
        (" w - - 0 1 1.0", " w - - 0 1"),
        (" w - - 0 -0.35", " w - - 0"),
        (" w - - +.5", " w - -"),
        (" w - - 0 1, 1:20 2:400", " w - - 0 1"),
        (" w - - 0 1,25", " w - - 0 1"),
        (" w - - 0 1,0.5,\"a, b\"", " w - - 0 1"),
        (" w - - 0 1 2", " w - - 0 1"),
        (" w - - 0 1 x", " w - - 0 1"),
        (" w - - 0 1 -35 0.5", " w - - 0 1"),
        (" w - - 0 1 = 20", " w - - 0 1"),
    ];

    #[test]
    fn fields_and_what_surrounds_them() {
        for &(rest, fields) in RESTS {
            let right = format!("{START}{fields}");
            #[rustfmt::skip] // a list
            let marks = [
                "", "\u{feff}", " ", "\"", "\u{feff} '", "position fen ", "FEN: ", "{\"fen ",
                "setboard  ", "([`", "epd ",
            ];
            for mark in marks {
                let line = format!("{mark}{START}{rest}");
                let fen = Fen::parse(line.as_bytes());
                if mark.starts_with("position") && rest.contains("moves") {
                    // UCI's moves are not ignored.
                    assert_eq!(fen.expect_err(&line).field(), Field::Moves);
                    continue;
                }
                let fen = fen.unwrap_or_else(|error| panic!("{line:?}: {error}"));
                assert_eq!(fen.to_string(), right, "{line:?}");
                let words: Vec<&str> = right.split(' ').collect();
                assert_eq!(fen.fields().skip(1).collect::<Vec<_>>(), words[1..], "{line:?}");
                assert_eq!((fen.fields().len(), fen.field(words.len())), (words.len(), None));
                let side = words.get(1).map(|word| Side::BOTH[usize::from(*word == "b")]);
                assert_eq!(fen.side(), side);
            }
        }
        for line in [
            "position startpos",
            " POSITION  startpos \r",
            "\"position startpos\",",
            "position startpos moves",
            "position startpos ; a",
        ] {
            let fen = Fen::parse(line.as_bytes());
            let fen = fen.unwrap_or_else(|error| panic!("{line:?}: {error}"));
            assert_eq!(fen.to_string(), format!("{START} w KQkq - 0 1"), "{line:?}");
        }
        let line = [START.as_bytes(), b" w - - id \"\xff\";"].concat();
        assert_eq!(Fen::parse(&line).unwrap().fields().len(), 4);
        // The first field is as in the line, but is written in the standard form.
        let fen = Fen::parse(b"Q~7/8/8/8/8/8/8/k~6K/Pp b").unwrap();
        assert_eq!(fen.field(0), Some("Q~7/8/8/8/8/8/8/k~6K/Pp"));
        assert_eq!(fen.to_string(), "Q7/8/8/8/8/8/8/k6K b");
    }

    /// Rooks and kings on the first ranks, and any letters, against a search letter by letter.
    #[test]
    fn castling_rights() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut seen, rounds) = ([0; 5], if cfg!(miri) { 200 } else { 20_000 });
        for _ in 0..rounds {
            let ranks: [String; 2] = ["RRRK1Q", "rrrk1q"].map(|pieces| {
                (0..8)
                    .map(|_| char::from(pieces.as_bytes()[random.usize(..pieces.len())]))
                    .collect()
            });
            let mut letters = b"KQkqABCDEFGHabcdefgh".to_vec();
            random.shuffle(&mut letters);
            letters.truncate(random.usize(1..=4));
            let letters = String::from_utf8(letters).expect("ASCII");
            let mut line = format!("{}/8/8/8/8/8/8/{} w {letters} -", ranks[1], ranks[0]);
            for run in (2..=8).rev() {
                line = line.replace(&"1".repeat(run), &run.to_string());
            }
            let mut expected = [0; 2];
            for letter in letters.chars() {
                let side = usize::from(letter.is_ascii_lowercase());
                let rank = ranks[side].to_ascii_uppercase();
                let Some(king) = rank.find('K') else { continue };
                let rook = match letter.to_ascii_uppercase() {
                    'K' => rank.rfind('R').filter(|&rook| rook > king),
                    'Q' => rank.find('R').filter(|&rook| rook < king),
                    file => Some("ABCDEFGH".find(file).expect("a file"))
                        .filter(|&file| rank.as_bytes()[file] == b'R'),
                };
                expected[side] |= rook.map_or(0, |rook| 1 << rook);
            }
            let state = Fen::parse(line.as_bytes()).expect(&line).state();
            assert_eq!(state.castling, expected, "{line}");
            seen[(expected[0].count_ones() + expected[1].count_ones()) as usize] += 1;
        }
        assert!(cfg!(miri) || seen[..4].iter().all(|&count| count > 200), "{seen:?}");
    }

    #[test]
    fn errors_name_the_field() {
        use Field::*;
        let placements: &[(&[u8], &str)] = &[
            (b"", "missing"),
            (b" \t", "missing"),
            (b"\0", "missing"),
            (b"8/8/8/8/8/8/8", "7 ranks"),
            (b"8", "1 rank instead"),
            (b"8/8/8/8/8/8/8/8/8", "more than 8 ranks"),
            (b"8/8/8/8/8/8/8/8/Kk", "more than 8 ranks"),
            (b"8/8/8/8/8/8/8/8//", "more than 8 ranks"),
            (b"8/8/8/9/8/8/8/8", "rank 5: `9` is neither"),
            (b"44/8/8/8/8/8/8/8", "rank 8: `44` are two digits"),
            (b"8/8/8/8/8/ppppppppp/8/8", "rank 3 has 9 squares"),
            (b"8/8/8/8/8/8/8/R6", "rank 1 has 7 squares"),
            (b"8/8/8/8/8/8//8", "rank 2 has 0 squares"),
            (b"8/8/8/8/8/8/~8/8", "rank 2: `~` is neither"),
            (b"8/8/8/8/8/8/8~/8", "rank 2: `~` is neither"),
            ("8/8/8/8/8/8/1é6/8".as_bytes(), "rank 2: `é`"),
            (b"8/8/8/8/8/8/1\xff6/8", "rank 2: `\\xff`"),
            (b"8/8/8/8/8/8/8/8\0 w", "rank 1: `\\0`"),
            // Without what is skipped before the first field, the error is that of the rest.
            (b"\"8/8/8/8/8/8/8\"", "7 ranks"),
            (b"position startposition", "rank 8: `o`"),
            (b"fen", "rank 8: `f`"),
            (b"{", "rank 8: `{`"),
        ];
        for (line, why) in [
            ("position startpos moves e2e4 e7e5", "they are not played here"),
            (" Position  startpos\tmoves e2e4", "they are not played here"),
            ("position fen 8/8/8/8/8/8/8/K6k w - - moves a1a2", "they are not played here"),
            ("position startpos e2e4", "`e2e4` follows `startpos`"),
        ] {
            let error = Fen::parse(line.as_bytes()).unwrap_err();
            assert_eq!(error.field(), if line.contains("moves") { Moves } else { Line }, "{error}");
            assert!(error.reason().contains(why), "{error}");
        }
        let rests: &[(&str, Field, &str)] = &[
            (" x", Side, "`x` is not `w` or `b`"),
            (" w KK", Castling, "KK"),
            (" w KQxq", Castling, "KQxq"),
            (" w é", Castling, "é"),
            (" w - e4", EnPassant, "e4"),
            (" w - - 1x 1", HalfmoveClock, "1x"),
            (" w - - 0 -1", FullmoveNumber, "-1"),
            (" w - - 0 x", FullmoveNumber, "`x` is not a number or"),
            (" w - - 0 1x25", FullmoveNumber, "`1x25` is not a number"),
            (" w - - 0 1:20", FullmoveNumber, "`1:20` is not a number"),
            (" w - - 0 1\u{fffd}", FullmoveNumber, "is not a number"),
            (" w - - -35", HalfmoveClock, "`-35` is not a number"),
            (" w - - 1.0.0", HalfmoveClock, "`1.0.0` is not a number"),
            (" w - - .", HalfmoveClock, "`.` is not a number"),
            (" w - - best Nf3", HalfmoveClock, "`best` is not a number or"),
            (" w - - D Nf3", HalfmoveClock, "`D` is not a number or"),
            (" w - - c10 1", HalfmoveClock, "`c10` is not a number or"),
            (" moves e2e4", Side, "`moves` is not `w` or `b`"),
            (" w 1-0", Castling, "`1-0` is not"),
            (" w - 1.0", EnPassant, "`1.0` is not"),
            (" w - -\0 bm Kd2;", EnPassant, "`-\\0` is not"),
            (" w - - bm\0 Kd2;", Line, "byte 0x00 is only allowed at its end"),
            (" w - - 0 1 ; \x1a.", Line, "byte 0x1a is only allowed at its end"),
        ];
        let placements = placements.iter().map(|(line, why)| (line.to_vec(), Placement, why));
        let rests = rests
            .iter()
            .map(|(rest, field, why)| (format!("{START}{rest}").into_bytes(), *field, why));
        for (line, field, reason) in placements.chain(rests) {
            let error = Fen::parse(&line).expect_err(&line.escape_ascii().to_string());
            assert_eq!(error.field(), field, "{error}");
            assert!(error.reason().contains(reason), "{error}");
        }
    }
}
