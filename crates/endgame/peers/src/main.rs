//! Compares the win, draw or loss of every position with the Syzygy tables of three and four men.
//!
//! `tools/check.sh syzygy` downloads the tables and runs this program.

use pyrrhic_rs::{EngineAdapter, TableBases, WdlProbeResult};
use rayon::prelude::*;
use setwise_endgame::{Bitmap, Ending, Options, Piece, Position, Side, Table, generate};

/// Computes the attack sets that the Syzygy reader needs.
#[derive(Clone)]
struct Attacks;

fn square(square: u64) -> cozy_chess::Square {
    cozy_chess::Square::index(square as usize)
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, from: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => cozy_chess::Color::White,
            pyrrhic_rs::Color::Black => cozy_chess::Color::Black,
        };
        cozy_chess::get_pawn_attacks(square(from), color).0
    }
    fn knight_attacks(from: u64) -> u64 {
        cozy_chess::get_knight_moves(square(from)).0
    }
    fn bishop_attacks(from: u64, occupied: u64) -> u64 {
        cozy_chess::get_bishop_moves(square(from), cozy_chess::BitBoard(occupied)).0
    }
    fn rook_attacks(from: u64, occupied: u64) -> u64 {
        cozy_chess::get_rook_moves(square(from), cozy_chess::BitBoard(occupied)).0
    }
    fn queen_attacks(from: u64, occupied: u64) -> u64 {
        Self::bishop_attacks(from, occupied) | Self::rook_attacks(from, occupied)
    }
    fn king_attacks(from: u64) -> u64 {
        cozy_chess::get_king_moves(square(from)).0
    }
}

/// The result for the side to move according to Syzygy: 1 for a win, 0 for a draw, -1 for a loss.
fn syzygy(tables: &TableBases<Attacks>, position: &Position) -> i8 {
    let king = |color| 1u64 << position.king(color);
    let mut sides = [king(Side::White), king(Side::Black)];
    let mut kinds = [0u64; 4];
    for (color, piece, square) in position.pieces() {
        sides[color as usize] |= 1 << square;
        kinds[piece as usize] |= 1 << square;
    }
    let kings = king(Side::White) | king(Side::Black);
    let set = |piece: Piece| kinds[piece as usize];
    let white = position.turn() == Side::White;
    let found = tables.probe_wdl(
        sides[0],
        sides[1],
        kings,
        set(Piece::Queen),
        set(Piece::Rook),
        set(Piece::Bishop),
        set(Piece::Knight),
        0,
        0,
        white,
    );
    match found.unwrap_or_else(|error| panic!("{position}: {error:?}")) {
        WdlProbeResult::Win => 1,
        WdlProbeResult::Draw => 0,
        WdlProbeResult::Loss => -1,
        // Without pawns, four men never need more than fifty moves, so the fifty-move rule changes
        // no result.
        other => panic!("{position}: {other:?}"),
    }
}

/// The result of every position, indexed by side to move and position index: 1 for a win, -1 for a
/// loss, 0 otherwise.
fn results(table: &Table) -> [Vec<i8>; 2] {
    let size = 1usize << (6 * table.ending().men());
    let mut results = [vec![0; size], vec![0; size]];
    let white = table.wins(Side::White);
    for winner in Side::BOTH {
        let wins = table.wins(winner);
        let mut mark = |turn: Side, index: usize, result: i8| {
            // Black's wins are stored with the colours swapped.
            let (turn, index) = match winner {
                Side::White => (turn, index),
                Side::Black => {
                    let position = wins.position(turn, index).swapped();
                    (turn.other(), white.index(&position).unwrap())
                }
            };
            results[turn as usize][index] = result;
        };
        for n in 0.. {
            let (won, lost) = (wins.won_in(n), wins.lost_in(n));
            if won.or(lost).is_none() {
                break;
            }
            let positions = |set: Option<&Bitmap>| -> Vec<usize> {
                set.into_iter().flat_map(Bitmap::positions).collect()
            };
            for position in positions(won) {
                mark(Side::White, position, 1);
            }
            for position in positions(lost) {
                mark(Side::Black, position, -1);
            }
        }
    }
    results
}

/// Compares all legal positions of a table with Syzygy, and returns their number.
fn check(tables: &TableBases<Attacks>, table: &Table) -> u64 {
    let men = table.ending().men();
    let white = table.wins(Side::White);
    let results = results(table);
    let check = |index: usize| {
        let squares = (0..men).map(|digit| 1u64 << (index >> (6 * digit) & 63));
        if squares.fold(0, |set, square| set | square).count_ones() as usize != men {
            return 0;
        }
        let mut checked = 0;
        for turn in Side::BOTH {
            let position = white.position(turn, index);
            if position.is_legal() {
                let ours = results[turn as usize][index];
                assert_eq!(ours, syzygy(tables, &position), "{position}");
                checked += 1;
            }
        }
        checked
    };
    (0..results[0].len()).into_par_iter().with_min_len(4096).map(check).sum()
}

fn main() {
    let folder = std::env::args().nth(1).expect("the argument must be the folder of the tables");
    let tables = TableBases::<Attacks>::new(folder).expect("the folder must hold Syzygy tables");
    for ending in Ending::all() {
        let table = generate(&ending, &Options::default());
        let checked = check(&tables, &table);
        let white = table.wins(Side::White);
        let legal = white.legal_attacker_to_move() + white.legal_defender_to_move();
        assert_eq!(checked, legal, "{ending}");
        println!("{ending:<5} {checked} positions equal");
    }
}
