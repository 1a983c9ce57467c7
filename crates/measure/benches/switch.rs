//! Times the forms of `setwise::techniques` that compute a rook's or a bishop's attacks from a
//! square, on constant and on changing occupancies. The differences show how much the switch
//! technique depends on branch prediction.
//!
//! `cargo bench -p setwise-measure --features setwise/switch --bench switch` prints nanoseconds per
//! board. Every result is first compared with `setwise::board`. Without `--bench`, which
//! `cargo bench` passes, nothing is timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use setwise::techniques::{FORMS, FormFunction};
use setwise::{Line, Square, board};
use setwise_measure::race::{Length, Race};

/// More boards than a branch predictor can memorise.
const BOARDS: usize = 4000;

const LENGTH: Length = Length { rounds: 101, sample: Duration::from_micros(150) };

type Form = fn(&[Square], &[u64], &mut [u64]);

fn main() {
    let timed = std::env::args().any(|argument| argument == "--bench");
    let mut random = fastrand::Rng::with_seed(4096);
    let any: Vec<Square> = (0..BOARDS).map(|_| Square::new(random.u8(..64)).unwrap()).collect();
    let in_order: Vec<Square> =
        (0..64).cycle().take(BOARDS).map(|square| Square::new(square).unwrap()).collect();
    let changing: Vec<u64> = (0..BOARDS).map(|_| random.u64(..) & random.u64(..)).collect();
    let stable = vec![changing[0]; BOARDS];
    let columns = [
        ("random squares, random occupancies", &any, &changing),
        ("random squares, the same occupancy", &any, &stable),
        ("a1 to h8 in turn, random occupancies", &in_order, &changing),
        ("a1 to h8 in turn, the same occupancy", &in_order, &stable),
    ];
    compare("rook", &[Line::Rank, Line::File], &columns, timed);
    compare("bishop", &[Line::Diagonal, Line::Antidiagonal], &columns, timed);
    if !timed {
        println!("switch: every result is correct; `cargo bench` times them");
    }
}

/// Checks every form that computes the attacks along `lines`. If `timed`, also prints its time on
/// each pair of columns.
fn compare(piece: &str, lines: &[Line], columns: &[(&str, &Vec<Square>, &Vec<u64>)], timed: bool) {
    let forms: Vec<(String, Form)> = FORMS
        .iter()
        .filter(|form| form.available())
        .filter_map(|form| match form.attacks {
            FormFunction::Squares(along, run) if along == lines => {
                Some((format!("{}::{}", form.technique, form.name), run as Form))
            }
            _ => None,
        })
        .collect();
    let mut attacks = vec![0; BOARDS];
    for &(title, squares, occupied) in columns {
        let expected: Vec<u64> = squares
            .iter()
            .zip(occupied)
            .map(|(&square, &occupied)| {
                let along = |&line| board::line_attacks_from(line, square, occupied);
                lines.iter().map(along).fold(0, |all, line| all | line)
            })
            .collect();
        for (name, run) in &forms {
            attacks.fill(0);
            run(squares, occupied, &mut attacks);
            assert!(attacks == expected, "{name}, {piece}, {title}: wrong attacks");
        }
        if !timed {
            continue;
        }
        let mut race = Race::default();
        race.continue_for(forms.len(), LENGTH, |i, iterations| {
            let start = Instant::now();
            for _ in 0..iterations {
                (forms[i].1)(black_box(squares), black_box(occupied), black_box(&mut attacks));
            }
            start.elapsed()
        });
        println!("{piece}, {title}; ns per board:");
        for (i, (name, _)) in forms.iter().enumerate() {
            println!("  {name:30}{:8.2}", race.times.nanoseconds(i, BOARDS).median);
        }
    }
}
