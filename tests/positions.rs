//! Compares every kernel on real positions with an independent source, the crate `cozy-chess`. That
//! crate looks up the attacks of one piece at a time.
//!
//! The positions in `tests/positions/known.epd` are always tested. If `SETWISE_POSITIONS` names a
//! folder, all positions in its `.epd` files are tested as well. Each line is a FEN or EPD, and
//! only its piece placement is read.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use cozy_chess::{BitBoard, Board, Color, Piece, Square};
use setwise::position::{AttackMaps, Position, SideAttacks};
use setwise::{Kernel, Side, board};

/// Positions, and columns of sets. Each column has two boards per position: first with White's
/// sliders, then with Black's.
#[derive(Default)]
struct Boards {
    positions: Vec<Position>,
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
    occupied: Vec<u64>,
}

impl Boards {
    /// Adds the position with this piece placement. `None` if it is illegal, whichever side is to
    /// move.
    fn add(&mut self, placement: &str) -> Option<()> {
        let board = |side| Board::from_fen(&format!("{placement} {side} - - 0 1"), false).ok();
        let board = board('w').or_else(|| board('b'))?;
        let set = |color| Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
        let position = Position { pieces: Color::ALL.map(set) };
        for [_, _, bishops, rooks, queens, _] in position.pieces {
            self.orthogonal.push(rooks | queens);
            self.diagonal.push(bishops | queens);
            self.occupied.push(position.occupied());
        }
        self.positions.push(position);
        Some(())
    }

    /// Adds the positions in `text`, one per line.
    fn add_lines(&mut self, text: &str, source: &Path) {
        let lines = text.lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let placement = line.split_whitespace().next().unwrap_or_default();
            let place = || format!("{}:{}: {line}", source.display(), number + 1);
            self.add(placement).unwrap_or_else(|| panic!("{}: must be legal", place()));
        }
    }
}

/// The union of the attacks of each piece in a set.
fn united(pieces: u64, attacks: impl Fn(Square) -> BitBoard) -> u64 {
    BitBoard(pieces).iter().fold(0, |all, square| all | attacks(square).0)
}

fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    united(rooks, |square| cozy_chess::get_rook_moves(square, BitBoard(occupied)))
}

fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    united(bishops, |square| cozy_chess::get_bishop_moves(square, BitBoard(occupied)))
}

fn attack_maps(position: &Position) -> AttackMaps {
    let occupied = position.occupied();
    let mut maps = AttackMaps::default();
    for (side, color) in Color::ALL.into_iter().enumerate() {
        let [pawns, knights, bishops, rooks, queens, kings] = position.pieces[side];
        let [p, n, b, r, q, k] = [
            united(pawns, |square| cozy_chess::get_pawn_attacks(square, color)),
            united(knights, cozy_chess::get_knight_moves),
            bishop_attacks(bishops, occupied),
            rook_attacks(rooks, occupied),
            queen_attacks(queens, occupied),
            united(kings, cozy_chess::get_king_moves),
        ];
        let [_, knights, bishops, rooks, queens, _] = position.pieces[1 - side];
        let minor = p | n | b;
        maps.attacks[side] = [p, n, b, r, q, k];
        maps.all[side] = minor | r | q | k;
        maps.by_lesser[side] = p & (knights | bishops) | minor & rooks | (minor | r) & queens;
    }
    maps
}

fn check_kernel(
    kernel: &Kernel,
    boards: &Boards,
    expected: &[Vec<u64>; 4],
    expected_maps: &[AttackMaps],
) {
    let Boards { positions, orthogonal, diagonal, occupied } = boards;
    let mut attacks = vec![0; occupied.len()];
    let compare = |operation: &str, attacks: &[u64], expected: &[u64]| {
        if let Some(i) = (0..attacks.len()).find(|&i| attacks[i] != expected[i]) {
            panic!(
                "{}::{operation}, board {i}: orthogonal {:#018x}, diagonal {:#018x}, \
                 occupied {:#018x}: got {:#018x}, expected {:#018x}",
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

    let mut maps = vec![AttackMaps::default(); 1000];
    for (positions, expected) in positions.chunks(1000).zip(expected_maps.chunks(1000)) {
        let maps = &mut maps[..positions.len()];
        kernel.attack_maps(positions, maps);
        for ((position, maps), expected) in positions.iter().zip(maps).zip(expected) {
            assert_eq!(maps, expected, "{kernel:?}: {position:?}");
            let maps = kernel.attack_maps_one(position);
            assert_eq!(maps, *expected, "{kernel:?}: {position:?}");
            check_sides(kernel, position, expected);
        }
    }
}

/// Compares the kernel's methods for one side, and the functions in `board`, with the position's
/// maps.
fn check_sides(kernel: &Kernel, position: &Position, maps: &AttackMaps) {
    let occupied = position.occupied();
    for side in [Side::White, Side::Black] {
        let pieces = &position.pieces[side as usize];
        let [_, _, bishops, rooks, queens, _] = *pieces;
        let (attacks, all) = (maps.attacks[side as usize], maps.all[side as usize]);
        let expected = SideAttacks { attacks, all };
        assert_eq!(kernel.side_attacks_one(side, pieces, occupied), expected, "{kernel:?}");
        assert_eq!(board::side_attacks(side, pieces, occupied), expected);
        let sliders = [attacks[2], attacks[3], attacks[4]];
        let by_kind = kernel.sliders_by_kind_one(bishops, rooks, queens, occupied);
        assert_eq!(by_kind, sliders, "{kernel:?}");
        assert_eq!(board::sliders_by_kind(bishops, rooks, queens, occupied), sliders);
        let twice = board::doubly_attacked(side, pieces, occupied);
        assert_eq!(kernel.doubly_attacked_one(side, pieces, occupied), twice, "{kernel:?}");
    }
    let [white, black] = position.pieces;
    let kinds = std::array::from_fn(|kind| white[kind] | black[kind]);
    let sides = [position.of(Side::White), position.of(Side::Black)];
    assert_eq!(Position::from_sets(kinds, sides), *position);
}

/// Checks all kernels, in parallel.
fn check(boards: &Boards) {
    let each = |f: &dyn Fn(u64, u64, u64) -> u64| -> Vec<u64> {
        (0..boards.occupied.len())
            .map(|i| f(boards.orthogonal[i], boards.diagonal[i], boards.occupied[i]))
            .collect()
    };
    let expected = [
        each(&|orthogonal, _, occupied| rook_attacks(orthogonal, occupied)),
        each(&|_, diagonal, occupied| bishop_attacks(diagonal, occupied)),
        each(&|queens, _, occupied| queen_attacks(queens, occupied)),
        each(&|orthogonal, diagonal, occupied| {
            rook_attacks(orthogonal, occupied) | bishop_attacks(diagonal, occupied)
        }),
    ];
    let maps: Vec<AttackMaps> = boards.positions.iter().map(attack_maps).collect();
    if cfg!(target_family = "wasm") {
        Kernel::available().for_each(|kernel| check_kernel(kernel, boards, &expected, &maps));
    } else {
        thread::scope(|scope| {
            for kernel in Kernel::available() {
                let (expected, maps) = (&expected, &maps);
                scope.spawn(move || check_kernel(kernel, boards, expected, maps));
            }
        });
    }
}

/// Writes to stderr directly: the test harness hides what a passing test prints.
fn print(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

const KNOWN: &str = include_str!("positions/known.epd");

#[test]
fn known_positions_are_legal() {
    for line in KNOWN.lines() {
        let (fields, _) = line.split_once(" id ").expect("every line must have an id");
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

fn queen_attacks(queens: u64, occupied: u64) -> u64 {
    rook_attacks(queens, occupied) | bishop_attacks(queens, occupied)
}

#[test]
fn kernels_agree_with_look_ups_on_a_folder_of_positions() {
    let Some(folder) = env::var_os("SETWISE_POSITIONS") else {
        print("skipped: SETWISE_POSITIONS is not set");
        return;
    };
    let folder = PathBuf::from(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut boards = Boards::default();
    for entry in entries {
        let path = entry.expect("an entry of the folder").path();
        if path.extension() == Some(OsStr::new("epd")) {
            let text = fs::read_to_string(&path);
            boards.add_lines(&text.unwrap_or_else(|e| panic!("{}: {e}", path.display())), &path);
        }
    }
    let positions = boards.positions.len();
    assert!(positions > 0, "no positions in {}", folder.display());
    check(&boards);
    print(&format!("{positions} positions of {} agree", folder.display()));
}
