//! Binpack, against the crate `sfbinpack`: it reads our files, and we read its.
#![cfg(test)]

#[path = "../../tests/common/binpack_games.rs"]
mod binpack_games;

use std::io::Cursor;

use binpack_games::{Seen, games, read, write};
use setwise_positions::binpack::{Entry, Move};
use sfbinpack::chess::r#move::MoveType;
use sfbinpack::{CompressedTrainingDataEntryReader, CompressedTrainingDataEntryWriter};

#[test]
fn both_read_what_either_writes() {
    let mut seen = Seen::default();
    let mut expected = games(2000, &mut seen);
    println!("{} entries: {seen:?}", expected.len());
    let alone: Vec<Entry> = expected
        .iter()
        .step_by(50)
        .map(|entry| {
            Entry::new(*entry.board(), Move::NONE, entry.score(), entry.result(), entry.ply())
        })
        .collect();
    expected.extend(alone);
    let file = write(&expected);
    let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(file)).expect("a file");
    let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().expect("memory");
    for entry in &expected {
        assert!(reader.has_next());
        let theirs = reader.next();
        let (score, ply, result) = (theirs.score, theirs.ply, theirs.result);
        assert_eq!((score, ply, result), (entry.score(), entry.ply(), entry.result().into()));
        // The file does not store the last field, the number of the move.
        let fields = |fen: &str| fen.rsplit_once(' ').expect("six fields").0.to_owned();
        let fen = theirs.pos.fen().expect("a FEN");
        assert_eq!(fields(&fen), fields(&entry.record().to_string()));
        let (code, played) = (theirs.mv, entry.played());
        if played != Move::NONE {
            assert_eq!(
                (code.from().index(), code.to().index()),
                (played.from().into(), played.to().into())
            );
            assert_eq!(code.mtype() == MoveType::Castle, played.is_castling());
            assert_eq!(code.mtype() == MoveType::EnPassant, played.is_en_passant());
            assert_eq!(code.mtype() == MoveType::Promotion, played.promotion().is_some());
        }
        writer.write_entry(&theirs).expect("memory");
    }
    assert!(!reader.has_next());
    let (found, error) = read(&writer.into_bytes().expect("memory"));
    assert_eq!(error, None);
    assert!(found == expected, "{} of {}", found.len(), expected.len());
}
