//! Positions per second from binpack to threats and to indices of both sides, and the time of each
//! step.
//!
//! ```text
//! cargo run --release -p setwise-loader --example speed -- FILE.binpack [POSITIONS] [ROUNDS] [WORD]
//! ```
//!
//! The file is read as often as it takes to have this many positions. With a word, only the steps
//! whose names contain it are measured. The rounds are interleaved,
//! and the fastest counts. On Linux it also prints the least CPU time, which other programs on the
//! machine affect less.

#![allow(missing_docs, reason = "an example")]

use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cozy_chess::{
    BitBoard, Color, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};
use setwise::Kernel;
use setwise::threats::{Rules, Threat};
use setwise_loader::{
    Columns, EVERY_PAIR, Features, Filter, Inputs, Layout, Loader, MoveNumbers, Part, Policy,
    Table, Views,
};
use setwise_positions::binpack::{Board, Chunks, Entries};
use setwise_positions::{Piece, Side};

type Job = Box<dyn Fn() -> io::Result<()>>;

/// The boards of a call of the kernel.
const BLOCK: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("give a file")?);
    let wanted: usize = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let inputs = Inputs::named("Full_Threats")?;
    let [(_, Part::Threats(table))] = inputs.parts() else {
        return Err("the set has other parts".into());
    };

    let once = decode(&path, |_| ())?;
    let repeats = wanted.div_ceil(once);
    let (paths, count) = (vec![path; repeats], once * repeats);
    let kernel = Kernel::try_active()?;
    println!("{count} positions, kernel {}", kernel.name());

    let mut jobs: Vec<(String, Job)> = Vec::new();
    let step = |run: fn(&Path, &Table) -> io::Result<()>| {
        let (paths, table) = (paths.clone(), table.clone());
        Box::new(move || paths.iter().try_for_each(|path| run(path, &table)))
    };
    jobs.push(("read".into(), step(|path, _| read(path))));
    jobs.push(("read, decode".into(), step(|path, _| decode(path, |_| ()).map(drop))));
    jobs.push((
        "read, decode, every threat".into(),
        step(|path, _| threats(path, &EVERY_PAIR, |_, _| ())),
    ));
    jobs.push((
        "read, decode, the set's threats".into(),
        step(|path, table| threats(path, table.rules(), |_, _| ())),
    ));
    jobs.push((
        "read, decode, the set's threats, indices".into(),
        step(|path, table| threats(path, table.rules(), appends(table))),
    ));
    jobs.push((
        "read, decode, the set's threats by look-ups".into(),
        step(|path, table| look_ups(path, table.rules(), |_, _| ())),
    ));
    jobs.push((
        "read, decode, the set's threats by look-ups, indices".into(),
        step(|path, table| look_ups(path, table.rules(), appends(table))),
    ));
    let all = Inputs::named("Full_Threats+PP_3Wide+HalfKAv2_hm")?;
    let (lists, rows) = (Layout::Lists, Layout::Rows { width: None });
    for (name, features, layout) in [
        ("boards", Features::Boards, lists),
        ("every threat", Features::Threats(EVERY_PAIR.clone()), lists),
        ("Full_Threats, lists", Features::Indices(inputs.clone()), lists),
        ("Full_Threats, rows", Features::Indices(inputs.clone()), rows),
        ("three parts, rows, White and Black", Features::Indices(all), rows),
    ] {
        for (threads, shuffle) in [(1, 0), (1, 1_000_000), (2, 0), (2, 1_000_000)] {
            let loader = Loader {
                threads,
                shuffle,
                features: features.clone(),
                filter: Filter::ALL,
                layout,
                ..Loader::new(paths.clone())
            };
            let loader = if layout == rows {
                // As Stockfish's trainer has its batches.
                let columns =
                    Columns { boards: false, basics: false, details: false, floats: true };
                Loader { views: Views::Colours, columns, ..loader }
            } else {
                loader
            };
            let name = format!("loader: {name}, {threads} threads, shuffle {shuffle}");
            jobs.push((name, Box::new(move || load(&loader, count))));
        }
    }
    for (name, policy) in [
        ("the played move, lists of legal moves", Policy::Lists),
        ("... a mask of 4,096", Policy::Mask(MoveNumbers::squares())),
        ("... a mask of 1,858", Policy::Mask(MoveNumbers::lc0())),
    ] {
        for threads in [1, 2] {
            let (policy, filter) = (policy.clone(), Filter::ALL);
            let loader = Loader { threads, filter, policy, ..Loader::new(paths.clone()) };
            let name = format!("loader: boards, {name}, {threads} threads");
            jobs.push((name, Box::new(move || load(&loader, count))));
        }
    }
    let chosen = arguments.next();
    jobs.retain(|(name, _)| chosen.as_ref().is_none_or(|word| name.contains(word)));
    let mut fastest = vec![[Duration::MAX; 2]; jobs.len()];
    for _ in 0..rounds {
        for ((_, run), fastest) in jobs.iter().zip(&mut fastest) {
            let (start, cpu_start) = (Instant::now(), cpu_time());
            run()?;
            let times = [start.elapsed(), cpu_time().saturating_sub(cpu_start)];
            *fastest = [0, 1].map(|at| times[at].min(fastest[at]));
        }
    }
    println!("million positions per second, ns per position, CPU ns per position");
    for ((name, _), fastest) in jobs.iter().zip(fastest) {
        let [ns, cpu_ns] = fastest.map(|time| time.as_secs_f64() * 1e9 / count as f64);
        println!("{:6.2} {ns:7.1} {cpu_ns:7.1} {name}", 1e3 / ns);
    }
    Ok(())
}

/// The CPU time of this process so far.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    Duration::ZERO
}

fn load(loader: &Loader, count: usize) -> io::Result<()> {
    let mut found = 0;
    let batches = loader.batches()?;
    let recycler = batches.recycler();
    for batch in batches {
        let batch = black_box(batch?);
        found += batch.len();
        recycler.recycle(batch);
    }
    assert_eq!(found, count);
    Ok(())
}

fn read(path: &Path) -> io::Result<()> {
    let (mut chunks, mut payload) = (Chunks::new(std::fs::File::open(path)?), Vec::new());
    while chunks.next(&mut payload)? {
        black_box(&payload);
    }
    Ok(())
}

/// Calls `visit` with each board. Returns their number.
fn decode(path: &Path, mut visit: impl FnMut(&Board)) -> io::Result<usize> {
    let (mut chunks, mut payload) = (Chunks::new(std::fs::File::open(path)?), Vec::new());
    let mut count = 0;
    while chunks.next(&mut payload)? {
        let mut entries = Entries::new(&payload);
        while let Some(entry) = entries.next().map_err(io::Error::other)? {
            visit(black_box(entry).board());
            count += 1;
        }
    }
    Ok(count)
}

/// Side to move, and both sides' kings.
type View = (u8, [u8; 2]);

fn view(board: &Board) -> View {
    let king = |side| board.placement().pieces(side, Piece::King).trailing_zeros() as u8;
    (board.side() as u8, [king(Side::White), king(Side::Black)])
}

/// Calls `visit` with the threats of each board, by the kernel.
fn threats(path: &Path, rules: &Rules, mut visit: impl FnMut(View, &[Threat])) -> io::Result<()> {
    let kernel = Kernel::active();
    let (mut boards, mut views) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
    let (mut offsets, mut found) = ([0; BLOCK + 1], vec![Threat::default(); BLOCK * 256]);
    let mut block = |boards: &mut Vec<[u8; 64]>, views: &mut Vec<View>| {
        kernel.threats(boards, rules, &mut offsets[..=boards.len()], &mut found);
        for (view, list) in views.iter().zip(offsets.windows(2)) {
            visit(*view, black_box(&found[list[0] as usize..list[1] as usize]));
        }
        boards.clear();
        views.clear();
    };
    decode(path, |board| {
        boards.push(*board.codes());
        views.push(view(board));
        if boards.len() == BLOCK {
            block(&mut boards, &mut views);
        }
    })?;
    block(&mut boards, &mut views);
    Ok(())
}

/// The same by look-ups, board by board: magic multiplication for sliders, tables for the rest.
fn look_ups(path: &Path, rules: &Rules, mut visit: impl FnMut(View, &[Threat])) -> io::Result<()> {
    let mut found = Vec::with_capacity(256);
    decode(path, |board| {
        found.clear();
        let (codes, occupied) = (board.codes(), board.placement().occupied());
        let mut attackers = occupied;
        while attackers != 0 {
            let from = attackers.trailing_zeros() as usize;
            attackers &= attackers - 1;
            let (attacker, square) = (codes[from], Square::index(from));
            let attacks = match attacker {
                1 => get_pawn_attacks(square, Color::White),
                7 => get_pawn_attacks(square, Color::Black),
                2 | 8 => get_knight_moves(square),
                3 | 9 => get_bishop_moves(square, BitBoard(occupied)),
                4 | 10 => get_rook_moves(square, BitBoard(occupied)),
                5 | 11 => {
                    get_bishop_moves(square, BitBoard(occupied))
                        | get_rook_moves(square, BitBoard(occupied))
                }
                _ => get_king_moves(square),
            };
            let mut victims = attacks.0 & occupied;
            while victims != 0 {
                let to = victims.trailing_zeros() as u8;
                victims &= victims - 1;
                let victim = codes[usize::from(to)];
                if rules.counts(attacker, victim) {
                    found.push(Threat { attacker, from: from as u8, victim, to });
                }
            }
        }
        visit(view(board), black_box(&found));
    })?;
    Ok(())
}

/// Appends the indices of both sides to lists, which are emptied now and then.
fn appends(table: &Table) -> impl FnMut(View, &[Threat]) {
    let mut lists = [const { Vec::new() }; 2];
    move |(side, kings), threats| {
        for (list, side) in lists.iter_mut().zip([side, side ^ 1]) {
            table.append(threats, side, kings[usize::from(side)], list);
        }
        if lists[0].len() > 1 << 18 {
            black_box(&mut lists).iter_mut().for_each(Vec::clear);
        }
    }
}
