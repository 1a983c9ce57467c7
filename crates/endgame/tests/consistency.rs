//! Every value against the values one move on, with moves from `cozy-chess`.

use setwise_endgame::{Options, generate, verify};

fn check(name: &str) {
    let table = generate(&name.parse().unwrap(), &Options::default());
    verify(&table, 0, None).unwrap_or_else(|error| panic!("{name}: {error}"));
}

#[test]
fn three_men() {
    for name in ["KQK", "KRK", "KBK", "KNK", "KKQ", "KKR", "KKB", "KKN", "KK"] {
        check(name);
    }
}

#[test]
fn queen_against_rook() {
    check("KQKR");
}

#[test]
fn bishop_and_knight() {
    check("KBNK");
}

#[test]
fn rook_against_knight() {
    check("KRKN");
}

#[test]
fn two_queens() {
    check("KQQK");
}

#[test]
fn two_rooks() {
    check("KRRK");
}
