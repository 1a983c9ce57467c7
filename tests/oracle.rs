//! Checks the oracle against boards drawn by hand.
//!
//! A drawing shows boards side by side, with rank 8 on top. `R` is a rook, `B` a bishop, `Q` a
//! queen, `o` another piece, and `.` an empty square. In the results, `x` is an attacked (or
//! filled) square.

use setwise_check::oracle::{self, Place, step};

/// The squares with one of `pieces` on the given board of a drawing.
fn squares(drawing: &str, board: usize, pieces: &str) -> u64 {
    let ranks: Vec<&str> = drawing.lines().filter(|line| !line.trim().is_empty()).collect();
    assert_eq!(ranks.len(), 8, "must have eight ranks:\n{drawing}");
    let mut set = 0;
    for (row, rank) in ranks.iter().enumerate() {
        let rank = rank.split_whitespace().nth(board).expect("a rank of each board");
        assert_eq!(rank.len(), 8, "must have eight files: {rank}");
        for (file, _) in rank.chars().enumerate().filter(|&(_, drawn)| pieces.contains(drawn)) {
            set += 1u64 << (8 * (7 - row) + file);
        }
    }
    set
}

/// Asserts that `got` has exactly the squares that are marked `x` on the given board of the
/// drawing.
#[track_caller]
fn assert_drawn(got: u64, drawing: &str, board: usize) {
    let expected = squares(drawing, board, "x");
    let place = |rank, file| Place { file, rank };
    let drawn = |set| -> Vec<String> {
        let square = |place: Place| if place.is_in(set) { 'x' } else { '.' };
        let rank = |rank| (0..8).map(|file| square(place(rank, file))).collect();
        (0..8).rev().map(rank).collect()
    };
    assert!(got == expected, "got {:#?}, expected {:#?}", drawn(got), drawn(expected));
}

#[test]
fn squares_are_numbered_from_a1_along_the_rank() {
    let number = |file, rank| Place { file, rank }.alone().trailing_zeros();
    assert_eq!((number(0, 0), number(7, 0)), (0, 7));
    assert_eq!((number(0, 7), number(7, 7)), (56, 63));
    assert_eq!(number(4, 3), 28); // e4
    assert_eq!(Place::all().count(), 64);
    let mut numbered = Place::all().zip(0..);
    assert!(numbered.all(|(place, n)| place.alone() == 1u64 << n));
}

#[test]
fn steps_end_at_the_edges() {
    let h1 = Place { file: 7, rank: 0 };
    assert_eq!(h1.after(step(1, 0)), None);
    assert_eq!(h1.after(step(0, -1)), None);
    assert_eq!(h1.after(step(-1, 1)), Some(Place { file: 6, rank: 1 }));
    let a8 = Place { file: 0, rank: 7 };
    assert_eq!(a8.after(step(-1, 0)), None);
    assert_eq!(a8.after(step(1, 1)), None);
}

/// Four boards: (0) a rook, (1) its attacks, (2) its rays to the north-east, south and west, (3)
/// its rays to the south-east, south-west and north-west.
const SCENE: &str = "
    .......o  ........  ......x.  ........
    ..o.....  ..x.....  .....x..  ........
    ........  ..x.....  ....x...  x.......
    ....o...  ..x.....  ...x....  .x......
    ..R..o..  xx.xxx..  xx......  ........
    ........  ..x.....  ..x.....  .x.x....
    ........  ..x.....  ..x.....  x...x...
    ..o.....  ..x.....  ..x.....  .....x..";

#[test]
fn a_rook_attacks_up_to_and_including_the_blockers() {
    let attacks = oracle::rook_attacks(squares(SCENE, 0, "R"), squares(SCENE, 0, "Ro"));
    assert_drawn(attacks, SCENE, 1);
}

#[test]
fn a_slider_need_not_be_occupied() {
    let (rook, others) = (squares(SCENE, 0, "R"), squares(SCENE, 0, "o"));
    let occupied = oracle::rook_attacks(rook, others | rook);
    assert_eq!(oracle::rook_attacks(rook, others), occupied);
}

#[test]
fn two_rooks_on_a_rank_attack_each_other_and_no_further() {
    let board = "
        ........  x..x....  ........
        ........  x..x....  ........
        ........  x..x....  ........
        R..R....  xxxxxxxx  .xxxxxxx
        ........  x..x....  ........
        ........  x..x....  ........
        ........  x..x....  ........
        ........  x..x....  ........";
    let rooks = squares(board, 0, "R");
    assert_drawn(oracle::rook_attacks(rooks, 0), board, 1);
    assert_drawn(oracle::ray_attacks(&[step(1, 0)], rooks, 0), board, 2);
}

#[test]
fn a_bishop_does_not_wrap_round_the_edge() {
    let board = "
        ........  ........
        ........  ........
        ......o.  ......x.
        .......B  ........
        ........  ......x.
        ........  .....x..
        ........  ....x...
        ........  ...x....";
    let (bishop, others) = (squares(board, 0, "B"), squares(board, 0, "o"));
    assert_drawn(oracle::bishop_attacks(bishop, others), board, 1);
}

#[test]
fn a_queen_is_a_rook_and_a_bishop() {
    let board = "
        ........  .......x
        o..o....  x..x..x.
        ........  .x.x.x..
        ........  ..xxx...
        ...Q..o.  xxx.xxx.
        ........  ..xxx...
        .o......  .x.x.x..
        ...o....  ...x..x.";
    let (queen, others) = (squares(board, 0, "Q"), squares(board, 0, "o"));
    assert_drawn(oracle::queen_attacks(queen, others), board, 1);
}

#[test]
fn sliders_of_both_kinds_block_each_other() {
    let board = "
        ........  .x.....x
        ........  ..x...x.
        ........  ...x.x..
        ....B...  x...x...
        ........  .x.xxx..
        ..B.R...  ..xx.xxx
        ........  .x.xx..x
        ........  x...x...";
    let (rook, bishops) = (squares(board, 0, "R"), squares(board, 0, "B"));
    assert_drawn(oracle::slider_attacks(rook, bishops, 0), board, 1);
}

#[test]
fn rays_follow_their_direction() {
    let (rook, occupied) = (squares(SCENE, 0, "R"), squares(SCENE, 0, "o"));
    let ray = |east, north| oracle::ray_attacks(&[step(east, north)], rook, occupied);
    assert_drawn(ray(1, 1) | ray(0, -1) | ray(-1, 0), SCENE, 2);
    assert_drawn(ray(1, -1) | ray(-1, -1) | ray(-1, 1), SCENE, 3);
}

#[test]
fn a_fill_holds_its_generators_and_no_blocker() {
    let filled = "
        ........  ........  ........
        ........  ........  ........
        ..x.....  ........  ........
        ..x.....  ........  ........
        ..x.....  ..xxx...  xxxxx...
        ........  ........  ........
        ........  ........  ........
        ........  ........  ........";
    // The propagators (squares that the fill may enter) are the squares drawn as `.`. So the
    // generator, drawn as `R`, is not a propagator.
    let (propagators, rook) = (squares(SCENE, 0, "."), squares(SCENE, 0, "R"));
    assert_drawn(oracle::occluded_fill(&[step(0, 1)], rook, propagators), filled, 0);
    assert_drawn(oracle::occluded_fill(&[step(1, 0)], rook, propagators), filled, 1);
    // The fill passes through a generator that is also a propagator, and ends at the edge.
    assert_drawn(oracle::occluded_fill(&[step(-1, 0)], rook | rook << 2, !0), filled, 2);
}

#[test]
fn the_empty_and_the_full_board() {
    assert_eq!(oracle::queen_attacks(0, !0), 0);
    assert_eq!(oracle::occluded_fill(&[step(0, 1)], 0, !0), 0);
    // Every square has a neighbour that attacks it.
    assert_eq!(oracle::rook_attacks(!0, 0), !0);
    // No eastward ray reaches the a-file.
    let a_file = squares(&"x.......\n".repeat(8), 0, "x");
    assert_eq!(oracle::ray_attacks(&[step(1, 0)], !0, 0), !a_file);
}

#[test]
fn an_xray_looks_through_one_blocker() {
    // On the first board, `P` is a blocker and `o` is not; the second board shows the rook's
    // x-rays. The third board is a battery, and the fourth shows its x-rays eastward.
    let board = "
        ....o...  ....x...  R.R....o  ...xxxxx
        ....P...  ........  ........  ........
        ........  ........  ........  ........
        ........  ........  ........  ........
        .oPoR.PR  ....xx.x  ........  ........
        ........  ........  ........  ........
        ....P...  ........  ........  ........
        ........  ....x...  ........  ........";
    let (rooks, blockers) = (squares(board, 0, "R"), squares(board, 0, "P"));
    let occupied = squares(board, 0, "oPR");
    let xray = oracle::xray_rook_attacks(rooks, blockers, occupied);
    assert_drawn(xray, board, 1);
    // Sliders count as occupied, whether or not they are in the occupancy.
    assert_eq!(oracle::xray_rook_attacks(rooks, blockers, occupied & !rooks), xray);
    let battery = squares(board, 2, "R");
    assert_drawn(oracle::xray_attacks(&[step(1, 0)], battery, battery, 1 << 63), board, 3);
}

#[test]
fn pins_are_absolute() {
    // `K` is the king, `N` a friendly piece. Enemy pieces: `r` moves along ranks and files, `b`
    // along diagonals, `n` along neither.
    let board = "
        ....r...  ........  ....x...
        b.......  ........  ........
        ....N...  ....x...  ........
        ..N.....  ........  ........
        r.NNK.Nb  ........  ........
        ........  ........  ........
        ..N...N.  ..x...x.  ........
        .b..n..b  ........  .x.....x";
    let [king, own, rooks, bishops, others] =
        ["K", "KN", "r", "b", "n"].map(|p| squares(board, 0, p));
    let (pinned, pinners) = oracle::pins(king, own, rooks, bishops, others);
    assert_drawn(pinned, board, 1);
    assert_drawn(pinners, board, 2);
}

#[test]
fn lines_and_squares_between() {
    let (b2, e5, f5, c7) = (9, 36, 37, 50);
    assert_eq!(oracle::between(b2, e5), 1 << 18 | 1 << 27);
    assert_eq!(oracle::between(e5, b2), 1 << 18 | 1 << 27);
    assert_eq!(oracle::between(b2, b2), 0);
    assert_eq!(oracle::between(b2, f5), 0);
    let line = ".x......\n..x.....\n...x....\n....x...\n.....x..\n......x.\n.......x\n........";
    assert_eq!(oracle::line_through(e5, c7), squares(line, 0, "x"));
    assert_eq!(oracle::line_through(b2, b2), 0);
    assert_eq!(oracle::count(0b1011, 0b1110), 2);
}
