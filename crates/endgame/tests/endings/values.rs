//! Tests that every value follows from the values after each move. The moves come from
//! `cozy-chess`.

use setwise_endgame::{Ending, Table, verify};

use super::{TABLES, table};

fn check(table: &Table) {
    verify(table, 0, None).unwrap_or_else(|error| panic!("{}: {error}", table.ending()));
}

#[test]
fn two_and_three_men() {
    for name in ["KQK", "KRK", "KBK", "KNK", "KKQ", "KKR", "KKB", "KKN", "KK"] {
        check(&table(name));
    }
}

#[test]
fn queen_against_rook() {
    check(&TABLES["KQKR"]);
}

#[test]
#[ignore = "two minutes"]
fn all_endings() {
    for ending in Ending::all() {
        check(&TABLES[&ending.to_string()]);
    }
}
