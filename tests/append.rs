//! Every batch operation with its results appended against the same into slices: every operation of the list, whatever stands in the vector before.

use setwise::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square, append, operations};

/// Random elements of a column.
trait Random: Sized {
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

macro_rules! each {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        $($(check! { $group $name [$($index $Index)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}
macro_rules! check {
    (one $($rest:tt)*) => {};
    ($group:ident $name:ident [$($index:ident $Index:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[test]
        fn $name() {
            $(let $index = all!($Index)[3];)?
            let mut rng = fastrand::Rng::with_seed(8);
            for boards in [0, 1, 31, 32, 33, 1000] {
                for before in [0, 1, 7] {
                    $(let $input = <$In>::column(&mut rng, boards);)*
                    $(let mut $output = vec![<$Out>::default(); before + boards];)*
                    Kernels::active().$name($($index,)? $(&$input,)* $(&mut $output[before..]),*);
                    let expected = ($($output,)*);
                    $(let mut $output = vec![<$Out>::default(); before];)*
                    append::$name($($index,)? $(&$input,)* $(&mut $output),*);
                    assert!(($($output,)*) == expected, "{boards} boards behind {before}");
                }
            }
        }
    };
}
macro_rules! all {
    (Direction) => {
        Direction::ALL
    };
    (Line) => {
        Line::ALL
    };
}
operations!(all each);

#[test]
fn room_is_not_allocated_twice() {
    let mut attacks = Vec::with_capacity(100);
    let place = attacks.as_ptr();
    append::queen_attacks(&[1; 60], &[0; 60], &mut attacks);
    append::queen_attacks(&[2; 40], &[0; 40], &mut attacks);
    assert_eq!((attacks.as_ptr(), attacks.len()), (place, 100));
}

#[test]
#[should_panic(expected = "`occupied` is of length 3, but `rooks` of 2")]
fn lengths_must_match() {
    append::rook_attacks(&[0; 2], &[0; 3], &mut vec![]);
}
