//! Every position's win, draw or loss against the Syzygy tables of three and four men.
//!
//! Not run by default: `tools/check-syzygy.sh` downloads the tables and runs it.

use pyrrhic_rs::{EngineAdapter, TableBases, WdlProbeResult};
use rayon::prelude::*;
use setwise_endgame::{Bitmap, Color, Ending, Options, Piece, Position, generate};

#[derive(Clone)]
struct Moves;

fn square(square: u64) -> cozy_chess::Square {
    cozy_chess::Square::index(square as usize)
}

impl EngineAdapter for Moves {
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

/// The side to move's result by Syzygy: 1, 0 or -1.
fn syzygy(tables: &TableBases<Moves>, position: &Position) -> i8 {
    let king = |color| 1u64 << position.king(color);
    let mut sides = [king(Color::White), king(Color::Black)];
    let mut kinds = [0u64; 4];
    for (color, piece, square) in position.pieces() {
        sides[color as usize] |= 1 << square;
        kinds[piece as usize] |= 1 << square;
    }
    let kings = king(Color::White) | king(Color::Black);
    let of = |piece: Piece| kinds[piece as usize];
    let white = position.turn() == Color::White;
    let found = tables.probe_wdl(
        sides[0],
        sides[1],
        kings,
        of(Piece::Queen),
        of(Piece::Rook),
        of(Piece::Bishop),
        of(Piece::Knight),
        0,
        0,
        white,
    );
    match found.unwrap_or_else(|error| panic!("{position}: {error:?}")) {
        WdlProbeResult::Win => 1,
        WdlProbeResult::Draw => 0,
        WdlProbeResult::Loss => -1,
        // Without pawns four men never need more than fifty moves.
        other => panic!("{position}: {other:?}"),
    }
}

#[test]
#[ignore = "needs the Syzygy tables in the folder SETWISE_SYZYGY; run tools/check-syzygy.sh"]
fn every_result_equals_syzygy() {
    let folder =
        std::env::var("SETWISE_SYZYGY").expect("SETWISE_SYZYGY names the folder of the tables");
    let tables = TableBases::<Moves>::new(folder).expect("the tables open");
    for ending in Ending::all() {
        let table = generate(&ending, &Options::default());
        let size = 1usize << (6 * ending.men());
        // By side to move and index: 1 if won, -1 if lost.
        let mut results = [vec![0i8; size], vec![0i8; size]];
        let white = table.wins(Color::White);
        for winner in [Color::White, Color::Black] {
            let wins = table.wins(winner);
            let mut mark = |turn: Color, index: usize, result: i8| {
                let at = match winner {
                    Color::White => index,
                    Color::Black => white.index(&wins.position(turn, index).swapped()).unwrap(),
                };
                let turn = if winner == Color::White {
                    turn
                } else {
                    turn.other()
                };
                results[turn as usize][at] = result;
            };
            for n in 0.. {
                let (won, lost) = (wins.won_in(n), wins.lost_in(n));
                if won.or(lost).is_none() {
                    break;
                }
                won.into_iter()
                    .flat_map(Bitmap::positions)
                    .for_each(|at| mark(Color::White, at, 1));
                lost.into_iter()
                    .flat_map(Bitmap::positions)
                    .for_each(|at| mark(Color::Black, at, -1));
            }
        }
        let checked: u64 = (0..size)
            .into_par_iter()
            .with_min_len(4096)
            .map(|index| {
                let digits =
                    (0..ending.men() as u32).map(|digit| 1u64 << (index >> (6 * digit) & 63));
                if digits.fold(0, |set, bit| set | bit).count_ones() as usize != ending.men() {
                    return 0;
                }
                let mut checked = 0;
                for turn in [Color::White, Color::Black] {
                    let position = white.position(turn, index);
                    if position.is_legal() {
                        let ours = results[turn as usize][index];
                        assert_eq!(ours, syzygy(&tables, &position), "{position}");
                        checked += 1;
                    }
                }
                checked
            })
            .sum();
        assert_eq!(
            checked,
            white.legal_attacker_to_move() + white.legal_defender_to_move()
        );
        println!("{ending:<5} {checked} positions equal");
    }
}
