//! Times loops of calls in C and the same loops in Rust, in interleaved rounds in one process. Both
//! languages call through the same table.
//!
//! `cargo bench -p setwise-capi --bench cost` needs gcc. Without the argument `--bench`, which
//! `cargo bench` passes, the program only compares the results.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use kernels::Kernel;
use kernels::position::{AttackMaps, Position};
use libloading::{Library, Symbol};

const BOARDS: usize = 1024;
const ROUNDS: usize = 2001;

type Calls = unsafe extern "C" fn(&Kernel, *const u64, *const u64, usize) -> u64;
type Eights = unsafe extern "C" fn(&Kernel, *const u64, *const u64, *mut u64, usize);
type Maps = unsafe extern "C" fn(&Kernel, *const Position, *mut AttackMaps, usize);

/// Compiles and loads the C loops.
fn loops() -> Library {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loops.so");
    let status = Command::new("gcc")
        .args(["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(here.join("benches/cost/loops.c"))
        .arg(format!("-I{}", here.join("include").display()))
        .status()
        .expect("gcc starts");
    assert!(status.success(), "gcc failed");
    // SAFETY: the library has no constructors.
    unsafe { Library::new(&library) }.expect("the library just built")
}

/// Times both closures and prints their median times. Also prints the ratio of C to Rust, for the
/// medians and for the fastest rounds.
fn compare(what: &str, mut in_c: impl FnMut(), mut in_rust: impl FnMut()) {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64
    };
    let timed = std::env::args().any(|argument| argument == "--bench");
    let rounds = if timed { ROUNDS } else { 1 };
    let mut times = [vec![], vec![]];
    for _ in 0..rounds {
        times[0].push(time(&mut in_c));
        times[1].push(time(&mut in_rust));
    }
    let [c, rust] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        [times[rounds / 2], times[0]]
    });
    println!(
        "{what:32} C {:6.0} ns, Rust {:6.0} ns, ratio {:.3} (fastest {:.3})",
        c[0],
        rust[0],
        c[0] / rust[0],
        c[1] / rust[1]
    );
}

fn main() {
    let library = loops();
    // SAFETY: the types match those in loops.c; `Kernel` has the layout of the header's table.
    let (calls, eights, maps): (Symbol<Calls>, Symbol<Eights>, Symbol<Maps>) = unsafe {
        (
            library.get(b"calls").expect("calls"),
            library.get(b"eights").expect("eights"),
            library.get(b"maps").expect("maps"),
        )
    };
    let mut random = fastrand::Rng::with_seed(1);
    let mut sparse = || random.u64(..) & random.u64(..);
    let occupied: Vec<u64> = (0..BOARDS).map(|_| sparse()).collect();
    let sliders: Vec<u64> = occupied.iter().map(|all| all & sparse()).collect();
    let positions: Vec<Position> = (0..BOARDS)
        .map(|_| {
            let mut position = Position::default();
            position.pieces.as_flattened_mut().fill_with(|| sparse() & sparse());
            position
        })
        .collect();
    let mut attacks = [vec![0; BOARDS], vec![0; BOARDS]];
    let mut of_positions = vec![AttackMaps::default(); BOARDS];
    for kernel in Kernel::available() {
        let name = kernel.name();
        let [in_c, in_rust] = &mut attacks;
        compare(
            &format!("{name} rook_attacks_one"),
            || {
                // SAFETY: every slice has `BOARDS` elements.
                black_box(unsafe { calls(kernel, sliders.as_ptr(), occupied.as_ptr(), BOARDS) });
            },
            || {
                let boards = sliders.iter().zip(&occupied);
                black_box(boards.fold(0, |all, (&s, &o)| all ^ kernel.rook_attacks_one(s, o)));
            },
        );
        compare(
            &format!("{name} queen_attacks, 8 boards"),
            // SAFETY: every slice has `BOARDS` elements.
            || unsafe {
                eights(kernel, sliders.as_ptr(), occupied.as_ptr(), in_c.as_mut_ptr(), BOARDS);
            },
            || {
                let boards = sliders.chunks_exact(8).zip(occupied.chunks_exact(8));
                for ((s, o), a) in boards.zip(in_rust.chunks_exact_mut(8)) {
                    kernel.queen_attacks(s, o, a);
                }
            },
        );
        assert_eq!(in_c, in_rust);
        let mut from_c = of_positions.clone();
        compare(
            &format!("{name} attack_maps_one"),
            // SAFETY: every slice has `BOARDS` elements.
            || unsafe { maps(kernel, positions.as_ptr(), from_c.as_mut_ptr(), BOARDS) },
            || {
                for (position, maps) in positions.iter().zip(&mut of_positions) {
                    *maps = kernel.attack_maps_one(position);
                }
            },
        );
        assert_eq!(from_c, of_positions);
    }
}
