//! The oracle itself, checked against boards drawn by hand.
//!
//! In a drawing, rank 8 is on top: `R` rook, `B` bishop, `Q` queen, `o` another piece, `.` empty;
//! in the second drawing `x` is an attacked (or filled) square.

#[path = "oracle/mod.rs"]
mod oracle;

use oracle::{Place, step};

/// The set of the squares drawn with one of `pieces`.
fn squares(drawing: &str, pieces: &str) -> u64 {
    let ranks: Vec<&str> = drawing.split_whitespace().collect();
    assert_eq!(ranks.len(), 8, "eight ranks:\n{drawing}");
    let mut set = 0;
    for (row, rank) in ranks.iter().enumerate() {
        assert_eq!(rank.len(), 8, "eight files: {rank}");
        for (file, drawn) in rank.chars().enumerate() {
            if pieces.contains(drawn) {
                set += 1u64 << (8 * (7 - row) + file);
            }
        }
    }
    set
}

fn drawn(set: u64) -> String {
    let rank = |rank: i8| -> String {
        (0..8)
            .map(|file| {
                if (Place { file, rank }).is_in(set) {
                    'x'
                } else {
                    '.'
                }
            })
            .collect()
    };
    (0..8).rev().map(rank).collect::<Vec<_>>().join("\n")
}

/// Asserts that a computed set is the drawn one.
fn assert_drawn(got: u64, expected: &str) {
    let expected = squares(expected, "x");
    assert!(
        got == expected,
        "got\n{}\nexpected\n{}",
        drawn(got),
        drawn(expected)
    );
}

#[test]
fn squares_are_numbered_from_a1_along_the_rank() {
    let number = |file, rank| Place { file, rank }.alone().trailing_zeros();
    assert_eq!((number(0, 0), number(7, 0)), (0, 7));
    assert_eq!((number(0, 7), number(7, 7)), (56, 63));
    assert_eq!(number(4, 3), 28); // e4
    assert_eq!(Place::all().count(), 64);
    assert!(
        Place::all()
            .zip(0..)
            .all(|(place, n)| place.alone() == 1u64 << n)
    );
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

const SCENE: &str = "
    .......o
    ..o.....
    ........
    ....o...
    ..R..o..
    ........
    ........
    ..o.....";

#[test]
fn a_rook_attacks_up_to_and_with_the_blockers() {
    let attacks = oracle::rook_attacks(squares(SCENE, "R"), squares(SCENE, "Ro"));
    assert_drawn(
        attacks,
        "
        ........
        ..x.....
        ..x.....
        ..x.....
        xx.xxx..
        ..x.....
        ..x.....
        ..x.....",
    );
}

#[test]
fn a_slider_need_not_be_occupied() {
    let (rook, others) = (squares(SCENE, "R"), squares(SCENE, "o"));
    assert_eq!(
        oracle::rook_attacks(rook, others),
        oracle::rook_attacks(rook, others | rook)
    );
}

#[test]
fn two_rooks_on_a_rank_attack_each_other_and_no_further() {
    let board = "
        ........
        ........
        ........
        R..R....
        ........
        ........
        ........
        ........";
    assert_drawn(
        oracle::rook_attacks(squares(board, "R"), 0),
        "
        x..x....
        x..x....
        x..x....
        xxxxxxxx
        x..x....
        x..x....
        x..x....
        x..x....",
    );
    assert_drawn(
        oracle::ray_attacks(step(1, 0), squares(board, "R"), 0),
        "
        ........
        ........
        ........
        .xxxxxxx
        ........
        ........
        ........
        ........",
    );
}

#[test]
fn a_bishop_does_not_wrap_round_the_edge() {
    let board = "
        ........
        ........
        ......o.
        .......B
        ........
        ........
        ........
        ........";
    assert_drawn(
        oracle::bishop_attacks(squares(board, "B"), squares(board, "o")),
        "
        ........
        ........
        ......x.
        ........
        ......x.
        .....x..
        ....x...
        ...x....",
    );
}

#[test]
fn a_queen_is_a_rook_and_a_bishop() {
    let board = "
        ........
        o..o....
        ........
        ........
        ...Q..o.
        ........
        .o......
        ...o....";
    assert_drawn(
        oracle::queen_attacks(squares(board, "Q"), squares(board, "o")),
        "
        .......x
        x..x..x.
        .x.x.x..
        ..xxx...
        xxx.xxx.
        ..xxx...
        .x.x.x..
        ...x..x.",
    );
}

#[test]
fn sliders_of_both_kinds_block_each_other() {
    let board = "
        ........
        ........
        ........
        ....B...
        ........
        ..B.R...
        ........
        ........";
    assert_drawn(
        oracle::slider_attacks(squares(board, "R"), squares(board, "B"), 0),
        "
        .x.....x
        ..x...x.
        ...x.x..
        x...x...
        .x.xxx..
        ..xx.xxx
        .x.xx..x
        x...x...",
    );
}

#[test]
fn rays_go_the_way_they_are_told() {
    let rook = squares(SCENE, "R");
    let occupied = squares(SCENE, "o");
    let ray = |east, north| oracle::ray_attacks(step(east, north), rook, occupied);
    assert_drawn(
        ray(1, 1) | ray(0, -1) | ray(-1, 0),
        "
        ......x.
        .....x..
        ....x...
        ...x....
        xx......
        ..x.....
        ..x.....
        ..x.....",
    );
    assert_drawn(
        ray(1, -1) | ray(-1, -1) | ray(-1, 1),
        "
        ........
        ........
        x.......
        .x......
        ........
        .x.x....
        x...x...
        .....x..",
    );
}

#[test]
fn a_fill_holds_its_generators_and_no_blocker() {
    // Propagators are the squares drawn `.`; the generator R is none itself.
    let propagators = squares(SCENE, ".");
    let rook = squares(SCENE, "R");
    assert_drawn(
        oracle::occluded_fill(step(0, 1), rook, propagators),
        "
        ........
        ........
        ..x.....
        ..x.....
        ..x.....
        ........
        ........
        ........",
    );
    assert_drawn(
        oracle::occluded_fill(step(1, 0), rook, propagators),
        "
        ........
        ........
        ........
        ........
        ..xxx...
        ........
        ........
        ........",
    );
    // Through a propagating generator the fill runs on, and nothing propagates off the board.
    assert_drawn(
        oracle::occluded_fill(step(-1, 0), rook | rook << 2, !0),
        "
        ........
        ........
        ........
        ........
        xxxxx...
        ........
        ........
        ........",
    );
}

#[test]
fn the_empty_and_the_full_board() {
    assert_eq!(oracle::queen_attacks(0, !0), 0);
    assert_eq!(oracle::occluded_fill(step(0, 1), 0, !0), 0);
    // Every square has a neighbour that attacks it.
    assert_eq!(oracle::rook_attacks(!0, 0), !0);
    // Eastward nothing attacks the a-file.
    let a_file = squares(&"x.......\n".repeat(8), "x");
    assert_eq!(oracle::ray_attacks(step(1, 0), !0, 0), !a_file);
}

#[test]
fn an_xray_looks_through_one_blocker() {
    // `P` is looked through, `o` is not.
    let board = "
        ....o...
        ....P...
        ........
        ........
        .oPoR.PR
        ........
        ....P...
        ........";
    let (rooks, blockers) = (squares(board, "R"), squares(board, "P"));
    let occupied = squares(board, "oPR");
    assert_drawn(
        oracle::xray_attacks(&oracle::ROOK, rooks, blockers, occupied),
        "
        ....x...
        ........
        ........
        ........
        ....xx.x
        ........
        ........
        ....x...",
    );
    // Whether the other rook is occupied, or named a blocker, changes what it lets through.
    assert_eq!(
        oracle::xray_attacks(&oracle::ROOK, rooks, blockers, occupied & !rooks),
        oracle::xray_attacks(&oracle::ROOK, rooks, blockers, occupied)
    );
    let battery = squares(
        "R.R....o ........ ........ ........ ........ ........ ........ ........",
        "R",
    );
    assert_drawn(
        oracle::xray_attacks(&[step(1, 0)], battery, battery, 1 << 63),
        "
        ...xxxxx
        ........
        ........
        ........
        ........
        ........
        ........
        ........",
    );
}

#[test]
fn pins_are_absolute() {
    // King K, own pieces N, foreign pieces: r along ranks and files, b along diagonals, n neither.
    let board = "
        ....r...
        b.......
        ....N...
        ..N.....
        r.NNK.Nb
        ........
        ..N...N.
        .b..n..b";
    let pins = oracle::pins(
        squares(board, "K"),
        squares(board, "KN"),
        squares(board, "r"),
        squares(board, "b"),
        squares(board, "n"),
    );
    assert_drawn(
        pins.0,
        "
        ........
        ........
        ....x...
        ........
        ........
        ........
        ..x...x.
        ........",
    );
    assert_drawn(
        pins.1,
        "
        ....x...
        ........
        ........
        ........
        ........
        ........
        ........
        .x.....x",
    );
}

#[test]
fn lines_and_what_is_between() {
    let board = |drawing| squares(drawing, "x");
    let (b2, e5) = (1 << 9, 1 << 36);
    assert_eq!(oracle::between(b2, e5), 1 << 18 | 1 << 27);
    assert_eq!(oracle::between(e5, b2), 1 << 18 | 1 << 27);
    assert_eq!(oracle::between(b2, b2), 0);
    assert_eq!(oracle::between(b2, 1 << 37), 0);
    assert_eq!(
        oracle::line_through(e5, 1 << 50),
        board(".x...... ..x..... ...x.... ....x... .....x.. ......x. .......x ........")
    );
    assert_eq!(oracle::line_through(b2, b2), 0);
    assert_eq!(oracle::count(0b1011, 0b1110), 2);
}
