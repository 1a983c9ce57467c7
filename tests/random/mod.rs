//! What tests of the whole list share: random columns, and a `check!` of the test's own for each operation.

use setwise::{Position, Square};

/// Random elements of a column.
pub(crate) trait Random: Sized {
    fn random(rng: &mut fastrand::Rng) -> Self;
    fn column(rng: &mut fastrand::Rng, boards: usize) -> Vec<Self> {
        (0..boards).map(|_| Self::random(rng)).collect()
    }
}
impl Random for u64 {
    fn random(rng: &mut fastrand::Rng) -> u64 {
        rng.u64(..) & rng.u64(..)
    }
}
impl Random for Square {
    fn random(rng: &mut fastrand::Rng) -> Square {
        Square::new(rng.u8(0..64)).unwrap()
    }
}
impl Random for Position {
    fn random(rng: &mut fastrand::Rng) -> Position {
        let mut position = Position::default();
        for square in 0..64 {
            if let Some(set) = position.pieces.as_flattened_mut().get_mut(rng.usize(0..36)) {
                *set |= 1 << square;
            }
        }
        position
    }
}

/// `check! { group name [index Index] (input: In, ...) (output: Out, ...) }` for each operation.
macro_rules! each {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        $($(check! { $group $name [$($index $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}
/// All values of an index.
macro_rules! all {
    (Direction) => {
        Direction::ALL
    };
    (Line) => {
        Line::ALL
    };
}
