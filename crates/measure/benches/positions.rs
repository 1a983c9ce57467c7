//! Times attack maps and checks of whole positions. Each kernel computes them in several ways. For
//! comparison, look-ups piece by piece also compute the attack maps.
//!
//! `cargo bench -p setwise-measure --bench positions` prints nanoseconds per position. The
//! positions come from the EPD files in the folder `SETWISE_POSITIONS`, or else from the small set
//! in `tests/positions`. All methods must agree before they are timed. Without `--bench`, which
//! `cargo bench` passes, nothing is timed.

mod epd;

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use cozy_chess::{Color, Piece};
use setwise::position::{AttackMaps, Checks, Position};
use setwise::{Kernel, Side, board};
use setwise_measure::maps::{self, by_look_ups};
use setwise_measure::race::{Length, Race};

const LENGTH: Length = Length { rounds: 401, sample: Duration::ZERO };
const POSITIONS: usize = 4096;

/// Returns at most [`POSITIONS`] positions, evenly spaced.
fn positions() -> Vec<Position> {
    let text = epd::lines();
    let step = text.lines().count().div_ceil(POSITIONS).max(1);
    text.lines().step_by(step).map(position).collect()
}

fn position(line: &str) -> Position {
    let board = epd::board(line);
    let sets = |color| Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
    Position { pieces: [sets(Color::White), sets(Color::Black)] }
}

/// Computes attack maps with one kernel call per set of sliders.
fn by_sets(kernel: &Kernel, position: &Position) -> AttackMaps {
    let occupied = position.occupied();
    let mut attacks = [[0; 6]; 2];
    for (side, color) in [Side::White, Side::Black].into_iter().enumerate() {
        let [p, n, b, r, q, k] = position.pieces[side];
        attacks[side] = [
            board::pawn_attacks(color, p),
            board::knight_attacks(n),
            kernel.bishop_attacks_one(b, occupied),
            kernel.rook_attacks_one(r, occupied),
            kernel.queen_attacks_one(q, occupied),
            board::king_attacks(k),
        ];
    }
    with_unions_and_by_lesser(position, attacks)
}

fn with_unions_and_by_lesser(position: &Position, attacks: [[u64; 6]; 2]) -> AttackMaps {
    let mut maps = AttackMaps { attacks, ..AttackMaps::default() };
    for (side, attacks) in attacks.into_iter().enumerate() {
        let [pawns, knights, bishops, rooks, queens, kings] = attacks;
        let [_, n, b, r, q, _] = position.pieces[1 - side];
        let minor = pawns | knights | bishops;
        maps.all[side] = minor | rooks | queens | kings;
        maps.by_lesser[side] = pawns & (n | b) | minor & r | (minor | rooks) & q;
    }
    maps
}

/// One column per side and kind of piece.
type Columns = [[Vec<u64>; 6]; 2];

fn columns(positions: &[Position]) -> (Columns, Vec<u64>) {
    let column = |side: usize, kind: usize| {
        let sets = positions.iter().map(|position| position.pieces[side][kind]);
        sets.collect()
    };
    let sets = [0, 1].map(|side| [0, 1, 2, 3, 4, 5].map(|kind| column(side, kind)));
    (sets, positions.iter().map(Position::occupied).collect())
}

/// Computes the attacks of each side and kind of piece, without unions and threats. The kernel
/// computes the sliders' attacks. Loops that the compiler vectorises compute those of the other
/// pieces.
fn in_columns(kernel: &Kernel, sets: &Columns, occupied: &[u64], attacks: &mut Columns) {
    fn each(sets: &[u64], attacks: &mut [u64], attacks_of: impl Fn(u64) -> u64) {
        for (&set, attacks) in sets.iter().zip(attacks) {
            *attacks = attacks_of(set);
        }
    }
    for (side, color) in [Side::White, Side::Black].into_iter().enumerate() {
        let sets = &sets[side];
        let [pawns, knights, bishops, rooks, queens, kings] = &mut attacks[side];
        each(&sets[0], pawns, |set| board::pawn_attacks(color, set));
        each(&sets[1], knights, board::knight_attacks);
        kernel.bishop_attacks(&sets[2], occupied, bishops);
        kernel.rook_attacks(&sets[3], occupied, rooks);
        kernel.queen_attacks(&sets[4], occupied, queens);
        each(&sets[5], kings, board::king_attacks);
    }
}

fn check(kernel: &Kernel, positions: &[Position]) {
    let expected: Vec<AttackMaps> = positions.iter().map(by_look_ups).collect();
    let mut maps = vec![AttackMaps::default(); positions.len()];
    kernel.attack_maps(positions, &mut maps);
    assert_eq!(maps, expected, "{kernel:?}");
    let mut checks = vec![Checks::default(); positions.len()];
    kernel.checks(positions, &mut checks);
    assert!(checks.iter().zip(positions).all(|(checks, p)| *checks == board::checks(p)));
    let (sets, occupied) = columns(positions);
    let mut attacks = sets.clone();
    in_columns(kernel, &sets, &occupied, &mut attacks);
    let mut in_columns = maps::Columns::of_maps(positions.len());
    in_columns.compute(kernel, &maps::Columns::of_positions(positions));
    for (i, (position, expected)) in positions.iter().zip(&expected).enumerate() {
        assert_eq!(in_columns.maps(i), *expected, "{kernel:?}");
        assert_eq!(kernel.attack_maps_one(position), *expected, "{kernel:?}");
        assert_eq!(by_sets(kernel, position), *expected, "{kernel:?}");
        let attacks = attacks.each_ref().map(|side| side.each_ref().map(|kind| kind[i]));
        assert_eq!(attacks, expected.attacks, "{kernel:?}");
    }
}

const NAMES: [&str; 8] = [
    "look-ups",
    "one call per set",
    "attack_maps_one",
    "attack_maps",
    "checks_one",
    "checks",
    "sets in columns",
    "attack_maps_in_columns",
];
/// Pairs of methods to compare, as indices into [`NAMES`]. The first three compare a batch with
/// calls for one position. The last compares `attack_maps_in_columns` with `sets in columns`, which
/// computes no unions and no threats.
const RATIOS: [[usize; 2]; 4] = [[3, 2], [5, 4], [7, 2], [7, 6]];

/// Times each method. Every iteration has the positions in a new order, so branch predictors cannot
/// memorise them.
fn time(kernel: &Kernel, positions: &mut [Position]) -> Race {
    let mut maps = vec![AttackMaps::default(); positions.len()];
    let mut checks = vec![Checks::default(); positions.len()];
    let (mut attacks, _) = columns(positions);
    let mut all_results = maps::Columns::of_maps(positions.len());
    let mut race = Race::default();
    race.continue_for(NAMES.len(), LENGTH, |way, iterations| {
        let mut taken = Duration::ZERO;
        for _ in 0..iterations {
            fastrand::shuffle(positions);
            let (sets, occupied) = columns(positions);
            let columns_of_positions = maps::Columns::of_positions(positions);
            let each = positions.iter().zip(&mut maps);
            let start = Instant::now();
            match NAMES[way] {
                "look-ups" => each.for_each(|(position, maps)| *maps = by_look_ups(position)),
                "one call per set" => {
                    each.for_each(|(position, maps)| *maps = by_sets(kernel, position));
                }
                "attack_maps_one" => {
                    each.for_each(|(position, maps)| *maps = kernel.attack_maps_one(position));
                }
                "attack_maps" => kernel.attack_maps(positions, &mut maps),
                "checks_one" => {
                    let each = positions.iter().zip(&mut checks);
                    each.for_each(|(position, checks)| *checks = kernel.checks_one(position));
                }
                "checks" => kernel.checks(positions, &mut checks),
                "sets in columns" => in_columns(kernel, &sets, &occupied, &mut attacks),
                _ => all_results.compute(kernel, &columns_of_positions),
            }
            taken += start.elapsed();
            black_box((&mut maps, &mut checks, &mut attacks, &mut all_results));
        }
        taken
    });
    race
}

fn main() {
    let mut positions = positions();
    Kernel::available().for_each(|kernel| check(kernel, &positions));
    if !env::args().any(|argument| argument == "--bench") {
        return println!("positions: all methods agree; `cargo bench` times them");
    }
    println!("{} positions; ns per position, lower quartiles\n", positions.len());
    let ratios = RATIOS.map(|ways| ways.map(|way| NAMES[way]).join(" / "));
    let titles = [&NAMES[..], &ratios.each_ref().map(String::as_str)].concat();
    println!("| | {} |\n|---{}|", titles.join(" | "), "|---".repeat(titles.len()));
    for kernel in Kernel::available() {
        let race = time(kernel, &mut positions);
        let ns = |way| race.times.nanoseconds(way, positions.len()).quartiles[0];
        let times = (0..NAMES.len()).map(|way| format!("{:.1}", ns(way)));
        let ratios = RATIOS.map(|[of, to]| format!("{:.2}", race.times.ratio(of, to).median));
        let cells: Vec<String> = times.chain(ratios).collect();
        println!("| `{}` | {} |", kernel.name(), cells.join(" | "));
    }
}
