//! Compares every operation of `append` with its counterpart on slices, with empty and non-empty
//! vectors.

use setwise::{Direction, Kernel, Line, Side, append, operations};
use setwise_check::{Case, Operation};

/// Random elements for an argument.
fn column<T: bytemuck::CheckedBitPattern>(name: &str, argument: usize, boards: usize) -> Vec<T> {
    let operation = Operation::all().find(|operation| operation.info.name() == name).unwrap();
    let mut rng = fastrand::Rng::with_seed(8);
    let cases: Vec<Case> = (0..boards).map(|_| Case::random(&mut || rng.u64(..))).collect();
    let columns = operation.columns(&cases);
    bytemuck::checked::cast_slice(columns[argument].bytes()).to_vec()
}

macro_rules! tests {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$parameter:ident: $Parameter:ident])? ($($input:ident: $In:ident),*)
            -> ($($output:ident: $Out:ident),*) = $body:ident $(($argument:ident))?;
    )* })*) => {
        $($(test! { $group $name [$($parameter: $Parameter)?] ($($input: $In),*) ($($output: $Out),*) })*)*
    };
}

macro_rules! test {
    (one $($rest:tt)*) => {};
    (side $($rest:tt)*) => {};
    ($group:ident $name:ident [$($parameter:ident: $Parameter:ident)?] ($($input:ident: $In:ident),*) ($($output:ident: $Out:ident),*)) => {
        #[test]
        fn $name() {
            $(let $parameter = value!($Parameter);)?
            for boards in [0, 1, 31, 32, 33, 1000] {
                for before in [0, 1, 7] {
                    let mut argument = 0..;
                    $(let $input: Vec<setwise::element!($In)> =
                        column(stringify!($name), argument.next().unwrap(), boards);)*
                    $(let mut $output = vec![<setwise::element!($Out)>::default(); before + boards];)*
                    Kernel::active().$name($($parameter,)? $(&$input,)* $(&mut $output[before..]),*);
                    let expected = ($($output,)*);
                    $(let mut $output = vec![<setwise::element!($Out)>::default(); before];)*
                    append::$name($($parameter,)? $(&$input,)* $(&mut $output),*);
                    assert!(($($output,)*) == expected, "{boards} boards after {before}");
                }
            }
        }
    };
}

macro_rules! value {
    (Direction) => {
        Direction::SouthEast
    };
    (Line) => {
        Line::Antidiagonal
    };
    (Side) => {
        Side::Black
    };
}

operations!(tests);

#[test]
fn existing_capacity_is_used() {
    let mut attacks = Vec::with_capacity(100);
    let address = attacks.as_ptr();
    append::queen_attacks(&[1; 60], &[0; 60], &mut attacks);
    append::queen_attacks(&[2; 40], &[0; 40], &mut attacks);
    assert_eq!((attacks.as_ptr(), attacks.len()), (address, 100));
}

#[test]
#[should_panic(expected = "`occupied` has length 3, `rooks` has length 2")]
fn lengths_must_match() {
    append::rook_attacks(&[0; 2], &[0; 3], &mut vec![]);
}
