//! Attack maps of whole positions against look-ups, on real positions: that they agree, and what they cost.
//!
//! ```text
//! cargo test --release --test attack_maps -- --ignored --nocapture
//! ```
//! prints the times. With `SETWISE_POSITIONS`, a folder of EPD files, the positions are theirs, else those of `tests/positions`.

use std::hint::black_box;
use std::time::Instant;
use std::{env, fs};

use cozy_chess::{
    BitBoard, Board, Color, Piece as Kind, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};
use setwise::{AttackMaps, Kernels, Position};

const KNOWN: &str = include_str!("positions/known.epd");

/// Real positions, each once.
fn positions(most: usize) -> Vec<Position> {
    let mut text = KNOWN.to_owned();
    if let Some(folder) = env::var_os("SETWISE_POSITIONS") {
        let path = std::path::Path::new(&folder).join("popular.epd");
        text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
    let lines: Vec<&str> = text.lines().collect();
    let step = (lines.len() / most).max(1);
    let mut positions = vec![];
    for line in lines.into_iter().step_by(step).take(most) {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let board: Board = match format!("{} 0 1", fields.join(" ")).parse() {
            Ok(board) => board,
            Err(error) => panic!("{line}: {error}"),
        };
        let of = |color| Kind::ALL.map(|kind| board.colored_pieces(color, kind).0);
        positions.push(Position {
            pieces: [of(Color::White), of(Color::Black)],
        });
    }
    positions
}

/// The same maps by look-ups, piece by piece.
fn popped(position: &Position) -> AttackMaps {
    let occupied = BitBoard(position.occupied());
    let mut maps = AttackMaps::default();
    for (side, color) in Color::ALL.into_iter().enumerate() {
        for (kind, &set) in position.pieces[side].iter().enumerate() {
            for square in BitBoard(set) {
                maps.attacks[side][kind] |= match kind {
                    0 => get_pawn_attacks(square, color),
                    1 => get_knight_moves(square),
                    2 => get_bishop_moves(square, occupied),
                    3 => get_rook_moves(square, occupied),
                    4 => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                    _ => get_king_moves(square),
                }
                .0;
            }
        }
    }
    finish(position, maps)
}

/// Unions and threats.
fn finish(position: &Position, mut maps: AttackMaps) -> AttackMaps {
    for side in 0..2 {
        let [pawns, knights, bishops, rooks, queens, kings] = maps.attacks[side];
        let [_, n, b, r, q, _] = position.pieces[1 - side];
        let minor = pawns | knights | bishops;
        maps.all[side] = minor | rooks | queens | kings;
        maps.threats[side] = pawns & (n | b) | minor & r | (minor | rooks) & q;
    }
    maps
}

/// The same by single calls of a kernel: a set a call.
fn set_by_set(kernel: &Kernels, position: &Position) -> AttackMaps {
    use setwise::{Side, board};
    let occupied = position.occupied();
    let mut maps = AttackMaps::default();
    for (side, color) in [Side::White, Side::Black].into_iter().enumerate() {
        let [p, n, b, r, q, k] = position.pieces[side];
        maps.attacks[side] = [
            board::pawn_attacks(color, p),
            board::knight_attacks(n),
            kernel.bishop_attacks_one(b, occupied),
            kernel.rook_attacks_one(r, occupied),
            kernel.queen_attacks_one(q, occupied),
            board::king_attacks(k),
        ];
    }
    finish(position, maps)
}

/// A slice for each side and kind.
type Columns = [[Vec<u64>; 6]; 2];

fn columns(positions: &[Position]) -> (Columns, Vec<u64>) {
    let column = |side: usize, kind: usize| {
        let sets = positions.iter().map(|position| position.pieces[side][kind]);
        sets.collect()
    };
    let sets = [0, 1].map(|side| [0, 1, 2, 3, 4, 5].map(|kind| column(side, kind)));
    (sets, positions.iter().map(Position::occupied).collect())
}

/// What each side and kind attacks, without unions and threats: sliders by a kernel's batches, the others by loops that the compiler vectorises.
fn in_columns(kernel: &Kernels, sets: &Columns, occupied: &[u64], attacks: &mut Columns) {
    use setwise::{Side, board};
    fn each(sets: &[u64], attacks: &mut [u64], of: impl Fn(u64) -> u64) {
        for (&set, attacks) in sets.iter().zip(attacks) {
            *attacks = of(set);
        }
    }
    for (side, color) in [Side::White, Side::Black].into_iter().enumerate() {
        let (sets, [pawns, knights, bishops, rooks, queens, kings]) =
            (&sets[side], &mut attacks[side]);
        each(&sets[0], pawns, |set| board::pawn_attacks(color, set));
        each(&sets[1], knights, board::knight_attacks);
        kernel.bishop_attacks(&sets[2], occupied, bishops);
        kernel.rook_attacks(&sets[3], occupied, rooks);
        kernel.queen_attacks(&sets[4], occupied, queens);
        each(&sets[5], kings, board::king_attacks);
    }
}

#[test]
fn kernels_agree_with_look_ups() {
    let positions = positions(if cfg!(debug_assertions) {
        2_000
    } else {
        50_000
    });
    assert!(positions.len() >= 60);
    for kernel in Kernels::available() {
        for position in &positions {
            let expected = popped(position);
            assert_eq!(kernel.attack_maps_one(position), expected, "{kernel:?}");
            assert_eq!(set_by_set(kernel, position), expected, "{kernel:?}");
        }
        let (sets, occupied) = columns(&positions);
        let mut attacks = sets.clone();
        in_columns(kernel, &sets, &occupied, &mut attacks);
        for (i, position) in positions.iter().enumerate() {
            let got = attacks
                .each_ref()
                .map(|side| side.each_ref().map(|kind| kind[i]));
            assert_eq!(got, popped(position).attacks, "{kernel:?}");
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn times() {
    const ROUNDS: usize = 401;
    let positions = positions(4096);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut shuffled = Vec::with_capacity(positions.len());
    let mut maps = vec![AttackMaps::default(); positions.len()];
    println!(
        "{} positions in a new order every pass; a call a position, but `batch`",
        positions.len()
    );
    for kernel in Kernels::available() {
        let mut times = [const { Vec::new() }; 6];
        let (mut attacks, _) = columns(&positions);
        for _ in 0..ROUNDS {
            random.shuffle(&mut order);
            shuffled.clear();
            shuffled.extend(order.iter().map(|&i| positions[i as usize]));
            let mut time = |which: usize, run: &mut dyn FnMut(&[Position], &mut [AttackMaps])| {
                let start = Instant::now();
                run(black_box(&shuffled), black_box(&mut maps));
                times[which].push(start.elapsed().as_nanos() as f64 / order.len() as f64);
            };
            time(0, &mut |positions, maps| {
                for (position, maps) in positions.iter().zip(maps) {
                    *maps = popped(position);
                }
            });
            time(1, &mut |positions, maps| {
                for (position, maps) in positions.iter().zip(maps) {
                    *maps = kernel.attack_maps_one(position);
                }
            });
            time(2, &mut |positions, maps| {
                for (position, maps) in positions.iter().zip(maps) {
                    *maps = set_by_set(kernel, position);
                }
            });
            time(3, &mut |positions, maps| {
                kernel.attack_maps(positions, maps);
            });
            time(4, &mut |positions, _| {
                for position in positions {
                    black_box(kernel.checks_one(position));
                }
            });
            // In columns, a slice for each side and kind: sets are read and written as they lie.
            let (sets, occupied) = columns(&shuffled);
            time(5, &mut |_, _| {
                in_columns(kernel, black_box(&sets), &occupied, &mut attacks);
            });
        }
        // The fastest twentieth, which neighbours disturbed least.
        let fast = times.map(|mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 20]
        });
        let [look_ups, one, sets, batch, checks, columns] = fast;
        println!(
            "{:14} look-ups {look_ups:6.1} ns; attack_maps {one:6.1} ns, {:.2} of look-ups, {:.2} of set by set; batch {:.2} of look-ups; checks {checks:6.1} ns; in columns {columns:6.1} ns",
            kernel.name(),
            one / look_ups,
            one / sets,
            batch / look_ups,
        );
    }
}
