//! Of the table itself: what the safe methods cannot ask of it.

use super::*;
use crate::kernels::table::BatchFrom;

/// C passes any byte: the low six bits are the square, and nothing is read beyond 64 squares' worth of tables.
#[test]
fn of_a_square_only_the_low_six_bits_count() {
    let mut random = fastrand::Rng::with_seed(64);
    let numbers: Vec<u8> = (64..=255).collect();
    let masked: Vec<u8> = numbers.iter().map(|number| number & 63).collect();
    let occupied: Vec<u64> = numbers.iter().map(|_| random.u64(..)).collect();
    for kernels in Kernels::available() {
        let table = kernels.table();
        let batches: [(&str, Box<dyn Fn(&[u8], &mut [u64])>); 7] = {
            let of = |f: BatchFrom| -> Box<dyn Fn(&[u8], &mut [u64])> {
                let occupied = &occupied;
                // SAFETY: at least so many elements; the kernel is available.
                Box::new(move |squares, out| unsafe {
                    f(
                        squares.as_ptr(),
                        occupied.as_ptr(),
                        out.as_mut_ptr(),
                        out.len(),
                    );
                })
            };
            let line = |line: Line| -> Box<dyn Fn(&[u8], &mut [u64])> {
                let occupied = &occupied;
                // SAFETY: as above.
                Box::new(move |squares, out| unsafe {
                    (table.line_attacks_from)(
                        line as u8,
                        squares.as_ptr(),
                        occupied.as_ptr(),
                        out.as_mut_ptr(),
                        out.len(),
                    );
                })
            };
            [
                ("rook", of(table.rook_attacks_from)),
                ("bishop", of(table.bishop_attacks_from)),
                ("queen", of(table.queen_attacks_from)),
                ("rank", line(Line::Rank)),
                ("file", line(Line::File)),
                ("diagonal", line(Line::Diagonal)),
                ("antidiagonal", line(Line::Antidiagonal)),
            ]
        };
        for (operation, batch) in batches {
            // A whole number of any vectors, one of no vectors, and few.
            for boards in [numbers.len(), numbers.len() - 1, 3] {
                let run = |squares: &[u8]| {
                    let mut attacks = vec![0; boards];
                    batch(squares, &mut attacks);
                    attacks
                };
                let name = kernels.name();
                assert_eq!(
                    run(&numbers),
                    run(&masked),
                    "{name}: {operation}, {boards} boards"
                );
            }
        }
    }
}

/// Of a direction or a line only the low bits count, too.
#[test]
fn of_a_direction_and_a_line_only_the_low_bits_count() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut sets = || -> Vec<u64> { (0..67).map(|_| random.u64(..) & random.u64(..)).collect() };
    let (a, b) = (sets(), sets());
    let squares: Vec<u8> = (0..67).map(|n| n % 64).collect();
    for kernels in Kernels::available() {
        let table = kernels.table();
        for number in 0..=255 {
            let run = |number: u8| {
                let mut out = [[0; 67]; 3];
                // SAFETY: 67 elements each; the kernel is available.
                unsafe {
                    (table.ray_attacks)(number, a.as_ptr(), b.as_ptr(), out[0].as_mut_ptr(), 67);
                    (table.occluded_fill)(number, a.as_ptr(), b.as_ptr(), out[1].as_mut_ptr(), 67);
                    (table.line_attacks_from)(
                        number,
                        squares.as_ptr(),
                        b.as_ptr(),
                        out[2].as_mut_ptr(),
                        67,
                    );
                }
                out
            };
            let (got, direction, line) = (run(number), run(number % 8), run(number % 4));
            assert_eq!(got[..2], direction[..2], "{}: {number}", kernels.name());
            assert_eq!(got[2], line[2], "{}: {number}", kernels.name());
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
