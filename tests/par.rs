//! Every batch operation by several threads against the same by one: every operation of the list, each way in which `par` cuts a batch.

#[macro_use]
mod random;

use random::Random;
use setwise::{AttackMaps, Checks, Direction, Kernels, Line, Position, Square, operations, par};

/// Batches of no chunk, of one, of some with and without a rest.
const LENGTHS: [usize; 8] = [0, 1, 4095, 4096, 4097, 8192, 20_001, 70_000];

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
