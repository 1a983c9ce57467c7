//! Reads the EPD files in the folder `SETWISE_POSITIONS`, and compares the sets with those of
//! `cozy-chess`.

use cozy_chess::{Board, Color, Piece as Man};
use setwise_positions::{Batch, Block, Blocks, Piece, Side};

#[test]
fn sets_match_a_chess_crate() {
    let Some(folder) = std::env::var_os("SETWISE_POSITIONS") else {
        eprintln!("skipped: SETWISE_POSITIONS is not a folder of EPD files");
        return;
    };
    let mut positions = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "epd") {
            continue;
        }
        let mut blocks = Blocks::new(std::fs::File::open(&path).unwrap());
        let (mut block, mut batch, mut count) = (Block::default(), Batch::default(), 0);
        while blocks.next(&mut block).unwrap() {
            batch.clear();
            batch.read(&block.bytes, block.first_line);
            assert_eq!(batch.errors(), []);
            for (fen, placement) in batch.fens().zip(batch.placements()) {
                assert_eq!(placement.to_string(), fen.split(' ').next().unwrap());
                let counters = if fen.split(' ').count() == 4 { " 0 1" } else { "" };
                let board: Board = format!("{fen}{counters}").parse().unwrap();
                for side in Side::BOTH {
                    for piece in Piece::ALL {
                        let (color, man) = (Color::ALL[side as usize], Man::ALL[piece as usize]);
                        let right = board.colored_pieces(color, man).0;
                        assert_eq!(placement.pieces(side, piece), right, "{fen}");
                    }
                }
            }
            count += batch.len();
        }
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert_eq!(count, lines, "{}", path.display());
        positions += count;
    }
    assert!(positions > 0, "no EPD file there");
}
