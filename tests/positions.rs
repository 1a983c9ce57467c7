//! Real positions: every kernel against an outside source, the crate `cozy-chess`, whose look-ups for
//! one slider at a time are united.
//!
//! The positions in `tests/positions/known.epd` are always run. `SETWISE_POSITIONS` may name a
//! folder; then all positions of its `.epd` files are run as well (a line is a FEN or EPD; only
//! the placement of the pieces is read).

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use cozy_chess::{BitBoard, Board};
use setwise::Kernels;

/// The sets of many boards: one board is one side of one position.
#[derive(Default)]
struct Boards {
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
    occupied: Vec<u64>,
}

impl Boards {
    /// Adds both sides of a position.
    fn add(&mut self, placement: &str) -> Result<(), String> {
        // By colour: rooks and queens, bishops and queens.
        let mut sliders = [[0; 2]; 2];
        let mut occupied = 0;
        let ranks: Vec<&str> = placement.split('/').collect();
        if ranks.len() != 8 {
            return Err(format!("{} ranks instead of 8", ranks.len()));
        }
        for (rank, pieces) in (0..8).rev().zip(ranks) {
            let mut file = 0;
            for piece in pieces.chars() {
                if let Some(empty) = piece.to_digit(10) {
                    file += empty;
                    continue;
                }
                if file >= 8 {
                    return Err(format!("rank {} is too long", rank + 1));
                }
                let square = 1 << (8 * rank + file);
                let side = &mut sliders[usize::from(piece.is_ascii_lowercase())];
                match piece.to_ascii_lowercase() {
                    'r' => side[0] |= square,
                    'b' => side[1] |= square,
                    'q' => side.iter_mut().for_each(|set| *set |= square),
                    'n' | 'k' | 'p' => {}
                    _ => return Err(format!("`{piece}` is no piece")),
                }
                occupied |= square;
                file += 1;
            }
            if file != 8 {
                return Err(format!("rank {} has {file} files", rank + 1));
            }
        }
        for [orthogonal, diagonal] in sliders {
            self.orthogonal.push(orthogonal);
            self.diagonal.push(diagonal);
            self.occupied.push(occupied);
        }
        Ok(())
    }

    /// Adds the positions of a text, a line each.
    fn add_lines(&mut self, text: &str, source: &Path) {
        let lines = text.lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let placement = line.split_whitespace().next().unwrap_or_default();
            if let Err(error) = self.add(placement) {
                panic!("{}:{}: {error}: {line}", source.display(), number + 1);
            }
        }
    }
}

/// The attacks of all sliders of a set, by look-up of each.
fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    let attacks = |square| cozy_chess::get_rook_moves(square, BitBoard(occupied)).0;
    BitBoard(rooks).iter().map(attacks).fold(0, |a, b| a | b)
}

fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    let attacks = |square| cozy_chess::get_bishop_moves(square, BitBoard(occupied)).0;
    BitBoard(bishops).iter().map(attacks).fold(0, |a, b| a | b)
}

fn check_kernel(kernel: &Kernels, boards: &Boards, expected: &[Vec<u64>; 4]) {
    let Boards {
        orthogonal,
        diagonal,
        occupied,
    } = boards;
    let mut attacks = vec![0; occupied.len()];
    let compare = |operation: &str, attacks: &[u64], expected: &[u64]| {
        if let Some(i) = (0..attacks.len()).find(|&i| attacks[i] != expected[i]) {
            panic!(
                "{}::{operation}, board {i}: orthogonal {:#018x}, diagonal {:#018x}, occupied {:#018x}: \
                 {:#018x}, expected {:#018x}",
                kernel.name(),
                orthogonal[i],
                diagonal[i],
                occupied[i],
                attacks[i],
                expected[i]
            );
        }
    };
    kernel.rook_attacks(orthogonal, occupied, &mut attacks);
    compare("rook_attacks", &attacks, &expected[0]);
    kernel.bishop_attacks(diagonal, occupied, &mut attacks);
    compare("bishop_attacks", &attacks, &expected[1]);
    kernel.queen_attacks(orthogonal, occupied, &mut attacks);
    compare("queen_attacks", &attacks, &expected[2]);
    kernel.slider_attacks(orthogonal, diagonal, occupied, &mut attacks);
    compare("slider_attacks", &attacks, &expected[3]);
}

/// Every kernel on all boards; the kernels in parallel.
fn check(boards: &Boards) {
    let each = |f: &dyn Fn(u64, u64, u64) -> u64| -> Vec<u64> {
        (0..boards.occupied.len())
            .map(|i| f(boards.orthogonal[i], boards.diagonal[i], boards.occupied[i]))
            .collect()
    };
    let expected = [
        each(&|orthogonal, _, occupied| rook_attacks(orthogonal, occupied)),
        each(&|_, diagonal, occupied| bishop_attacks(diagonal, occupied)),
        each(&|queens, _, occupied| {
            rook_attacks(queens, occupied) | bishop_attacks(queens, occupied)
        }),
        each(&|orthogonal, diagonal, occupied| {
            rook_attacks(orthogonal, occupied) | bishop_attacks(diagonal, occupied)
        }),
    ];
    if cfg!(target_family = "wasm") {
        Kernels::available().for_each(|kernel| check_kernel(kernel, boards, &expected));
    } else {
        thread::scope(|scope| {
            for kernel in Kernels::available() {
                let expected = &expected;
                scope.spawn(move || check_kernel(kernel, boards, expected));
            }
        });
    }
}

/// Past the harness, which hides what a passing test prints.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

const KNOWN: &str = include_str!("positions/known.epd");

#[test]
fn known_positions_are_legal() {
    for line in KNOWN.lines() {
        let (fields, _) = line.split_once(" id ").expect("a line has an id");
        let board = Board::from_fen(&format!("{fields} 0 1"), false);
        assert!(board.is_ok(), "{line}: {board:?}");
    }
    assert!(KNOWN.lines().count() >= 60);
}

#[test]
fn kernels_agree_with_look_ups_on_known_positions() {
    let mut boards = Boards::default();
    boards.add_lines(KNOWN, Path::new("tests/positions/known.epd"));
    assert!(boards.orthogonal.iter().any(|&set| set != 0));
    check(&boards);
}

#[test]
fn kernels_agree_with_look_ups_on_a_folder_of_positions() {
    let Some(folder) = env::var_os("SETWISE_POSITIONS") else {
        say("skipped: SETWISE_POSITIONS is not set");
        return;
    };
    let folder = PathBuf::from(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut boards = Boards::default();
    for entry in entries {
        let path = entry.expect("a folder's entry").path();
        if path.extension() == Some(OsStr::new("epd")) {
            let text = fs::read_to_string(&path);
            boards.add_lines(
                &text.unwrap_or_else(|e| panic!("{}: {e}", path.display())),
                &path,
            );
        }
    }
    let positions = boards.occupied.len() / 2;
    assert!(positions > 0, "no positions in {}", folder.display());
    check(&boards);
    say(&format!(
        "{positions} positions of {} agree",
        folder.display()
    ));
}
