//! Of the table itself: what the safe methods cannot ask of it.

use super::*;
use crate::kernels::table::{BatchFrom, BatchRay};

/// C passes any byte: the low six bits are the square, and nothing is read beyond 64 squares' worth of tables; of
/// a direction the low three bits count, and of a line the low two.
#[test]
fn of_numbers_only_the_low_bits_count() {
    let mut random = fastrand::Rng::with_seed(64);
    let numbers: Vec<u8> = (64..=255).collect();
    let masked: Vec<u8> = numbers.iter().map(|number| number & 63).collect();
    let mut sets = || -> Vec<u64> { numbers.iter().map(|_| random.u64(..)).collect() };
    let (sliders, occupied) = (sets(), sets());
    for kernels in Kernels::available() {
        let table = kernels.table();
        // A whole number of any vectors, one of no vectors, and few.
        for boards in [numbers.len(), numbers.len() - 1, 3] {
            let from = |operation: BatchFrom, squares: &[u8]| {
                let mut attacks = vec![0; boards];
                let (squares, occupied) = (squares.as_ptr(), occupied.as_ptr());
                // SAFETY: all have at least so many elements; the kernel is available.
                unsafe { operation(squares, occupied, attacks.as_mut_ptr(), boards) };
                attacks
            };
            let along = |line: u8, squares: &[u8]| {
                let mut attacks = vec![0; boards];
                let (squares, occupied) = (squares.as_ptr(), occupied.as_ptr());
                // SAFETY: as above.
                unsafe {
                    (table.line_attacks_from)(
                        line,
                        squares,
                        occupied,
                        attacks.as_mut_ptr(),
                        boards,
                    );
                }
                attacks
            };
            let ray = |operation: BatchRay, direction: u8| {
                let mut attacks = vec![0; boards];
                let (sliders, occupied) = (sliders.as_ptr(), occupied.as_ptr());
                // SAFETY: as above.
                unsafe { operation(direction, sliders, occupied, attacks.as_mut_ptr(), boards) };
                attacks
            };
            let name = kernels.name();
            for operation in [
                table.rook_attacks_from,
                table.bishop_attacks_from,
                table.queen_attacks_from,
            ] {
                let (got, expected) = (from(operation, &numbers), from(operation, &masked));
                assert_eq!(got, expected, "{name}: {boards} boards");
            }
            for number in 0..=255 {
                let (got, expected) = (along(number, &numbers), along(number % 4, &masked));
                assert_eq!(got, expected, "{name}: line {number}, {boards} boards");
                for operation in [table.ray_attacks, table.occluded_fill] {
                    let (got, expected) = (ray(operation, number), ray(operation, number % 8));
                    assert_eq!(got, expected, "{name}: direction {number}, {boards} boards");
                }
            }
        }
    }
}

type Call<'a> = Box<dyn Fn(&[*const u64], &[*mut u64], usize) + 'a>;

/// An operation of a table: its name, how many sets go in and come out, and how to call it.
struct Entrance<'a> {
    name: String,
    inputs: usize,
    outputs: usize,
    call: Call<'a>,
}

/// Every entry of a table whose outputs are sets. The calls are unsafe as the entries are.
fn entrances<'a>(table: &'a Table, squares: &'a [u8]) -> Vec<Entrance<'a>> {
    let mut all = vec![];
    macro_rules! entrance {
        ($name:expr, $inputs:literal, $outputs:literal, |$i:ident, $o:ident, $n:ident| $call:expr) => {
            all.push(Entrance {
                name: $name,
                inputs: $inputs,
                outputs: $outputs,
                // SAFETY: the caller keeps the table's contract.
                call: Box::new(move |$i, $o, $n| unsafe {
                    $call;
                }),
            })
        };
    }
    let pairs = [
        table.rook_attacks,
        table.bishop_attacks,
        table.queen_attacks,
    ];
    for (number, f) in pairs.into_iter().enumerate() {
        entrance!(format!("of two sets, {number}"), 2, 1, |i, o, n| f(
            i[0], i[1], o[0], n
        ));
    }
    for direction in Direction::ALL {
        entrance!(format!("ray {direction:?}"), 2, 1, |i, o, n| {
            (table.ray_attacks)(direction as u8, i[0], i[1], o[0], n);
        });
        entrance!(format!("fill {direction:?}"), 2, 1, |i, o, n| {
            (table.occluded_fill)(direction as u8, i[0], i[1], o[0], n);
        });
    }
    let threes = [
        table.slider_attacks,
        table.xray_rook_attacks,
        table.xray_bishop_attacks,
        table.xray_queen_attacks,
    ];
    for (number, f) in threes.into_iter().enumerate() {
        entrance!(format!("of three sets, {number}"), 3, 1, |i, o, n| {
            f(i[0], i[1], i[2], o[0], n);
        });
    }
    let from = [
        table.rook_attacks_from,
        table.bishop_attacks_from,
        table.queen_attacks_from,
    ];
    for (number, f) in from.into_iter().enumerate() {
        entrance!(format!("from squares, {number}"), 1, 1, |i, o, n| {
            f(squares.as_ptr(), i[0], o[0], n);
        });
    }
    for line in Line::ALL {
        entrance!(format!("from squares, {line:?}"), 1, 1, |i, o, n| {
            (table.line_attacks_from)(line as u8, squares.as_ptr(), i[0], o[0], n);
        });
    }
    entrance!("split".into(), 3, 2, |i, o, n| {
        (table.slider_attacks_split)(i[0], i[1], i[2], o[0], o[1], n);
    });
    entrance!("pins".into(), 5, 2, |i, o, n| {
        (table.pins)(i[0], i[1], i[2], i[3], i[4], o[0], o[1], n);
    });
    all
}

/// What slices cannot express and the table's contract allows: sets at any byte, and outputs that are inputs.
#[test]
fn sets_may_be_anywhere_and_an_output_may_be_an_input() {
    /// The bytes before and after the data, an odd number before.
    const MARGIN: usize = 67;
    const LONGEST: usize = 194;
    let mut random = fastrand::Rng::with_seed(7);
    let data: [Vec<u8>; 5] = std::array::from_fn(|_| {
        let mut sparse = || random.u64(..) & random.u64(..) & random.u64(..);
        (0..LONGEST).flat_map(|_| sparse().to_ne_bytes()).collect()
    });
    let squares: Vec<u8> = (0..LONGEST).map(|_| random.u8(..)).collect();
    // All tails of a block; some blocks; and of the chunks of the composed operations.
    let lengths: Vec<usize> = (0..=72).chain([127, 128, 129, 133, 191, LONGEST]).collect();
    for kernels in Kernels::available() {
        for entrance in entrances(kernels.table(), &squares) {
            let Entrance {
                inputs, outputs, ..
            } = entrance;
            // Buffers 0 to 4 hold the inputs, 5 and 6 are apart.
            let places = || (0..inputs).chain([5, 6]);
            let choices: Vec<[usize; 2]> = places()
                .flat_map(|first| places().map(move |second| [first, second]))
                .filter(|[first, second]| first != second && (outputs == 2 || *second == 6))
                .collect();
            for &boards in &lengths {
                let end = MARGIN + 8 * boards;
                let run = |to: [usize; 2]| {
                    let mut buffers: Vec<Vec<u8>> = (0..7)
                        .map(|n| {
                            let mut bytes = vec![0xa5; end + MARGIN];
                            if let Some(data) = data.get(n) {
                                bytes[MARGIN..end].copy_from_slice(&data[..8 * boards]);
                            }
                            bytes
                        })
                        .collect();
                    let before = buffers.clone();
                    let at: Vec<*mut u64> = buffers
                        .iter_mut()
                        .map(|bytes| bytes[MARGIN..].as_mut_ptr().cast())
                        .collect();
                    let from: Vec<*const u64> = at.iter().map(|set| set.cast_const()).collect();
                    (entrance.call)(&from[..inputs], &to.map(|n| at[n])[..outputs], boards);
                    for (n, (bytes, before)) in buffers.iter().zip(&before).enumerate() {
                        let output = to[..outputs].contains(&n);
                        let kept = bytes
                            .iter()
                            .zip(before)
                            .enumerate()
                            .all(|(i, (now, then))| {
                                now == then || output && (MARGIN..end).contains(&i)
                            });
                        let (kernel, name) = (kernels.name(), &entrance.name);
                        assert!(
                            kept,
                            "{kernel}: {name}, {boards} boards to {to:?}: writes elsewhere"
                        );
                    }
                    to.map(|n| buffers[n][MARGIN..end].to_vec())
                };
                let expected = run([5, 6]);
                for &to in &choices {
                    let got = run(to);
                    assert!(
                        got[..outputs] == expected[..outputs],
                        "{}: {}, {boards} boards to {to:?}",
                        kernels.name(),
                        entrance.name
                    );
                }
            }
        }
    }
}
