//! Every batch operation by several threads against the same by one: every operation of the list, each way in which `par` cuts a batch.

use setwise::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square, operations, par};

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

/// Batches of no chunk, of one, of some with and without a rest.
const LENGTHS: [usize; 8] = [0, 1, 4095, 4096, 4097, 8192, 20_001, 70_000];

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
            for boards in LENGTHS {
                $(let $input = <$In>::column(&mut rng, boards);)*
                let mut expected = ($(vec![<$Out>::default(); boards],)*);
                {
                    let ($($output,)*) = &mut expected;
                    Kernels::active().$name($($index,)? $(&$input,)* $($output),*);
                }
                for threads in [1, 2, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let mut got = ($(vec![<$Out>::default(); boards],)*);
                    {
                        let ($($output,)*) = &mut got;
                        pool.install(|| par::$name($($index,)? $(&$input,)* $($output),*));
                    }
                    assert!(got == expected, "{boards} boards, {threads} threads");
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

/// Parts that are written past the caches, as many for each thread.
#[test]
fn past_the_caches() {
    let before = setwise::streaming_threshold();
    setwise::set_streaming_threshold(0);
    rook_attacks();
    slider_attacks_split();
    rook_mobility();
    setwise::set_streaming_threshold(before);
}

#[test]
#[should_panic(expected = "`occupied` is of length 3, but `attacks` of 2")]
fn lengths_must_match() {
    par::rook_attacks(&[0; 2], &[0; 3], &mut [0; 2]);
}
