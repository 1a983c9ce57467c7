//! The tensors of batches, computed again from boards.

use std::path::PathBuf;

use bullet_compiler::tensor::TValue;
use bullet_trainer::run::{DataLoader, DataLoadingError, Step};
use setwise_bullet_example::{Binpack, mirrored};
use setwise_loader::{Batch, Columns, Loader};

fn loader() -> Loader {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/python/tests/games.binpack");
    Loader::new(vec![PathBuf::from(path)])
}

fn ints(value: &TValue) -> &[i32] {
    let TValue::I32(numbers) = value else { panic!("not integers") };
    numbers
}

fn floats(value: &TValue) -> &[f32] {
    let TValue::F32(numbers) = value else { panic!("not floats") };
    numbers
}

/// The inputs of a position for a side, as bullet defines them: the piece's place in the side's
/// view, in the bucket of its king.
fn inputs(board: &[u8; 64], side: u8) -> Vec<i32> {
    let view = |square: usize| if side == 0 { square } else { square ^ 56 };
    let king = view(board.iter().position(|code| *code == 6 + 6 * side).unwrap());
    let mirror = if king % 8 > 3 { 7 } else { 0 };
    let bucket = king / 8 * 4 + (king ^ mirror) % 8;
    let pieces = (0..64).filter(|square| board[*square] != 0).map(|square| {
        let plane = usize::from(board[square] - 1 + 6 * side) % 12;
        (768 * bucket + 64 * plane + (view(square) ^ mirror)) as i32
    });
    let mut pieces: Vec<i32> = pieces.collect();
    pieces.sort_unstable();
    pieces
}

#[test]
fn tensors_are_those_of_bullet() {
    const SIZE: usize = 100;
    let columns = Columns { basics: true, ..Columns::default() };
    let boards = Loader { batch_size: SIZE, cycle: true, columns, ..loader() };
    let boards: Vec<Batch> = boards.batches().unwrap().take(30).map(Result::unwrap).collect();
    let all = mirrored(std::array::from_fn(|square| square as u8));
    assert_eq!(all.count(), 32 * 768);
    for start in [0, 7] {
        let data = Binpack { loader: loader(), inputs: all.clone(), scale: 400.0, wdl: 0.25 };
        let mut at = start;
        data.map_batches(Step::new(1, start, 1, 100), SIZE, |batch| {
            let (batch, boards) = (&batch.inputs, &boards[at]);
            let names: Vec<&str> = batch.keys().map(String::as_str).collect();
            assert_eq!(names, ["buckets", "entry_weights", "nstm", "stm", "targets"]);
            let views = [ints(&batch["stm"]), ints(&batch["nstm"])];
            let width = views[0].len() / SIZE;
            assert_eq!(width, 32);
            for position in 0..SIZE {
                let (board, side) = (&boards.boards[position], boards.sides[position]);
                for (view, of) in views.into_iter().zip([side, side ^ 1]) {
                    let row = &view[position * width..][..width];
                    let end = row.iter().position(|index| *index < 0).unwrap_or(width);
                    let mut found = row[..end].to_vec();
                    found.sort_unstable();
                    assert_eq!(found, inputs(board, of));
                }
                let pieces = board.iter().filter(|code| **code != 0).count() as i32;
                assert_eq!(ints(&batch["buckets"])[position], (pieces - 2) / 4);
                let chance = 1.0 / (1.0 + (-f64::from(boards.scores[position]) / 400.0).exp());
                let result = f64::midpoint(f64::from(boards.results[position]), 1.0);
                let target = f64::from(floats(&batch["targets"])[position]);
                assert!((target - 0.25 * result - 0.75 * chance).abs() < 1e-6);
            }
            assert_eq!(floats(&batch["entry_weights"]), [1.0; SIZE]);
            at += 1;
            at == start + 20
        })
        .unwrap();
        assert_eq!(at, start + 20);
    }
    let data =
        Binpack { loader: Loader::new(vec!["none".into()]), inputs: all, scale: 1.0, wdl: 0.0 };
    let error = data.map_batches(Step::new(1, 0, 1, 1), 1, |_| true).unwrap_err();
    assert!(matches!(error, DataLoadingError::Message(text) if text.contains("none")));
}
