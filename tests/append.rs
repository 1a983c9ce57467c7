//! Every batch operation with its results appended against the same into slices: every operation of the list, whatever stands in the vector before.

#[macro_use]
mod random;

use random::Random;
use setwise::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square, append, operations};

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
