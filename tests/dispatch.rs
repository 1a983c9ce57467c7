//! Tests the choice of a kernel: the catalogue, forced names, errors, and races at first use.
//!
//! A kernel is chosen only once per process, at first use. So these tests start this program again,
//! as a child process that runs only the test `child`.
#![cfg(not(target_family = "wasm"))]

use std::ffi::OsStr;
use std::process::{Command, Output};
use std::sync::Barrier;
use std::{env, ptr, thread};

use setwise::position::{AttackMapColumns, PositionColumns};
use setwise::reflection::{OPERATIONS, OperationInfo};
use setwise::{Choice, Kernel, KernelError, KernelInfo, KernelStatus};

/// The catalogue: every kernel and the CPU features that it needs, in order. (`scalar` precedes
/// `portable` unless every CPU of the target has vector instructions.)
///
/// Deliberately repeats the kernels' own lists of features. A kernel whose list omits a feature
/// crashes on CPUs without that feature, and tests on other CPUs cannot detect this.
const KERNELS: &[(&str, &str)] = &[
    ("avx512-gfni", "avx512f avx512bw avx512vl avx512vbmi avx512bitalg gfni avx512vbmi2 popcnt"),
    ("avx512", "avx512f avx512bw avx512vl popcnt"),
    ("avx2-gfni", "avx2 gfni popcnt"),
    ("avx2", "avx2 popcnt"),
    ("neon", "neon"),
    ("simd128", "simd128"),
    ("xop", "avx xop"),
    ("sse2", "sse2"),
    ("portable", ""),
    ("scalar", ""),
    ("ssse3", "ssse3"),
    ("borrow", ""),
    ("kogge-stone", ""),
    ("dumb7fill", ""),
    ("pext", "bmi2"),
    ("hyperbola", ""),
    ("magic", ""),
    ("xop-emulated", "ssse3"),
    ("switch", ""),
];

/// The environment variable that contains the child's task.
const CHILD: &str = "SETWISE_TEST_CHILD";
const FORCE: &str = "SETWISE_FORCE_KERNEL";
const DISABLE: &str = "SETWISE_DISABLE";
/// The kernel that one thread activates in the child's task `race`; unset or empty: none.
const ACTIVATE: &str = "SETWISE_TEST_ACTIVATE";

/// Runs the test `child` with a task. Of the environment variables that select a kernel, it has
/// only those in `choice`.
fn start<T: AsRef<OsStr>>(task: &str, choice: &[(&str, T)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program has a path"));
    command.args(["--exact", "child", "--nocapture", "--test-threads=1"]);
    command.env_remove(FORCE).env_remove(DISABLE).env(CHILD, task);
    command.envs(choice.iter().map(|(name, value)| (name, value)));
    command.output().expect("the child starts")
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}

/// The name that a child printed after `active: `.
fn active_in(output: &Output) -> String {
    let text = text(output);
    assert!(output.status.success(), "the child failed:\n{text}");
    let name = text.split("active: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    name.unwrap_or_else(|| panic!("the child names no kernel:\n{text}")).into()
}

/// The first available kernel.
fn best() -> &'static str {
    Kernel::available().next().expect("there is a kernel").name()
}

/// Runs the child's task, if the environment variable [`CHILD`] is set.
#[test]
fn child() {
    match env::var(CHILD).as_deref() {
        Ok("name") => {
            let mut attacks = [0; 100];
            setwise::rook_attacks(&[1; 100], &[0; 100], &mut attacks);
            assert_eq!(attacks, [0x0101_0101_0101_01fe; 100]);
            println!("active: {}", Kernel::active().name());
        }
        Ok("race") => race(),
        Ok("try") => {
            println!("tried: {:?}", Kernel::try_active());
            println!("again: {:?}", Kernel::try_active());
            let by_cpu = Kernel::init(Choice::by_cpu()).expect("scalar runs everywhere");
            assert_eq!(Kernel::try_active(), Ok(by_cpu));
            println!("active: {}", Kernel::active().name());
        }
        Ok("init") => {
            for kernel in Kernel::available() {
                kernel.activate();
                assert!(ptr::eq(Kernel::active(), kernel));
                // As if another thread had activated `kernel` during the first choice.
                let first = Kernel::available().next().expect("there is a kernel");
                assert!(ptr::eq(first.activate_first(), kernel), "the activation wins");
                let error = Kernel::init(Choice::by_cpu().force("abacus"));
                assert_eq!(error.map_err(|error| error.variable()), Err(None));
                assert!(ptr::eq(Kernel::active(), kernel), "an error changes nothing");
            }
            // With the feature `std`, the default choice also obeys the environment variables.
            let chosen = Kernel::init(Choice::default().exclude(best()));
            assert_eq!(chosen, Ok(Kernel::active()));
            println!("active: {}", Kernel::active().name());
        }
        Ok(task) => panic!("unknown task: {task}"),
        Err(_) => {}
    }
}

/// Tests first use by many threads, of which the first may activate a kernel. Each thread gets
/// correct results, and that kernel or the best one. In the end, an activated kernel is active.
fn race() {
    const THREADS: usize = 16;
    let start = Barrier::new(THREADS);
    let activated = env::var(ACTIVATE).unwrap_or_default();
    let first_use = |number: usize| {
        start.wait();
        // Nothing before this detects the CPU, so the threads race for that as well.
        if number == 0 && !activated.is_empty() {
            Kernel::by_name(&activated).expect("it is available").activate();
        }
        let mut attacks = [0; 33];
        setwise::bishop_attacks(&[1; 33], &[0; 33], &mut attacks);
        assert_eq!(attacks, [0x8040_2010_0804_0200; 33]);
        Kernel::active().name()
    };
    let names: Vec<&str> = thread::scope(|scope| {
        let first_use = &first_use;
        let threads = (0..THREADS).map(|number| scope.spawn(move || first_use(number)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let active = Kernel::active().name();
    assert_eq!(names[0], active);
    for name in names {
        assert!(name == active || !activated.is_empty() && name == best(), "{name}");
    }
    println!("active: {active}");
}

/// The kernels that this program can run. Some tests need three of them.
fn at_least_three() -> Vec<&'static str> {
    let names: Vec<&str> = Kernel::available().map(Kernel::name).collect();
    assert!(names.len() >= 3, "needs three kernels, but SETWISE_KERNELS leaves only {names:?}");
    names
}

#[test]
fn the_catalogue_has_every_kernel_once_and_in_order() {
    let mut known = KERNELS.to_vec();
    if cfg!(not(any(target_feature = "sse2", target_feature = "neon"))) {
        let portable = known.iter().position(|(name, _)| *name == "portable").expect("in the list");
        known.swap(portable, portable + 1);
    }
    let names: Vec<&str> = Kernel::catalogue().iter().map(KernelInfo::name).collect();
    let expected: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, expected, "the catalogue, and KERNELS in tests/dispatch.rs");
    for (info, (name, needs)) in Kernel::catalogue().iter().zip(known) {
        assert_eq!(info.needs().join(" "), needs, "{name}");
        assert!(!info.description().is_empty(), "{info:?}");
        if let KernelStatus::Unsupported(missing) = info.status() {
            assert!(missing.names().next().is_some(), "{info:?}");
            let mut missing = missing.names();
            assert!(missing.all(|name| info.needs().contains(&name)), "{info:?}");
        }
    }
}

#[test]
fn by_name_finds_available_kernels_and_explains_the_others() {
    let mut available = Kernel::available();
    for info in Kernel::catalogue() {
        let found = Kernel::by_name(info.name());
        match info.status() {
            KernelStatus::Available => {
                let kernel = found.expect("it is available");
                assert_eq!(kernel.name(), info.name());
                assert!(available.next().is_some_and(|next| ptr::eq(next, kernel)), "{kernel:?}");
            }
            KernelStatus::Unsupported(missing) => {
                let error = found.expect_err("it is not supported");
                let name = info.name();
                assert_eq!(error, KernelError::Unsupported { name, missing });
                assert!(error.to_string().contains(name), "{error}");
                for part in missing.names().chain(Kernel::available().map(Kernel::name)) {
                    assert!(error.to_string().contains(part), "{error}");
                }
            }
            _ => {
                let name = info.name();
                assert_eq!(found.err(), Some(KernelError::NotCompiled { name }));
            }
        }
    }
    assert_eq!(available.next(), None);
    assert!(Kernel::by_name("scalar").is_ok(), "scalar runs everywhere");
    for name in ["", "abacus", "AVX2", "avx2 ", "scalar\0"] {
        let error = Kernel::by_name(name).expect_err("there is no such kernel");
        assert!(matches!(error, KernelError::Unknown { .. }), "{error:?}");
        assert_eq!(error.name(), Some(name));
        assert!(error.to_string().contains(&format!("`{name}`")), "{error}");
        for info in Kernel::catalogue() {
            assert!(error.to_string().contains(info.name()), "{error}");
        }
    }
}

/// An error stores at most 30 bytes of a name. The message adds dots to a name that was cut.
#[test]
fn a_long_unknown_name_is_cut_between_characters() {
    for (name, kept) in [
        ("a".repeat(30), 30),
        ("a".repeat(31), 30),
        ("ä".repeat(15), 30),
        ("aä".repeat(50), 30),
        ("ää".repeat(50) + "a", 30),
        ("a".repeat(29) + "ä", 29),
    ] {
        let error = Kernel::by_name(&name).expect_err("there is no such kernel");
        assert_eq!(error.name(), Some(&name[..kept]));
        let dots = if kept < name.len() { "..." } else { "" };
        let shown = format!("`{}{dots}`", &name[..kept]);
        assert!(error.to_string().contains(&shown), "{error}");
    }
}

/// Only these kernels were measured to make a search faster than magic look-ups do. With any other
/// kernel, an engine should keep its look-ups.
#[test]
fn only_the_measured_kernels_beat_look_ups() {
    for kernel in Kernel::available() {
        let beats = ["avx512-gfni", "avx512", "avx2-gfni", "avx2", "sse2"].contains(&kernel.name());
        assert_eq!(kernel.beats_look_ups(), beats, "{}", kernel.name());
    }
}

/// The rules, with values of the two variables, the kernel that the program forces, and its list of
/// excluded kernels. An error has the variable at fault and the name of the kernel.
#[test]
fn the_rules_of_a_choice() {
    let names = at_least_three();
    let (first, second, third) = (names[0], names[1], names[2]);
    let (all, others) = (&*names.join(","), &*names[1..].join(", "));
    for (force, disable, by_program, exclude, expected) in [
        ("", "", None, "", Ok(first)),
        (second, "", None, "", Ok(second)),
        ("", "", Some(second), "", Ok(second)),
        // The user has the last word.
        (second, "", Some(third), "", Ok(second)),
        (third, "", Some(second), "", Ok(third)),
        ("abacus", "", Some(second), "", Err((Some(FORCE), Some("abacus")))),
        ("", "", Some("abacus"), "", Err((None, Some("abacus")))),
        ("", "", Some(""), "", Err((None, Some("")))),
        (" ", "", None, "", Err((Some(FORCE), Some(" ")))),
        // A forced kernel may be excluded.
        (third, all, None, "", Ok(third)),
        ("", all, Some(third), "", Ok(third)),
        ("", "", Some(third), all, Ok(third)),
        ("", first, None, "", Ok(second)),
        ("", "", None, first, Ok(second)),
        ("", first, None, second, Ok(third)),
        ("", second, None, first, Ok(third)),
        ("", others, None, "", Ok(first)),
        ("", "", None, others, Ok(first)),
        ("", all, None, "", Err((Some(DISABLE), None))),
        ("", "", None, all, Err((None, None))),
        ("", first, None, others, Err((Some(DISABLE), None))),
        ("", "scalar, abacus", None, "", Err((Some(DISABLE), Some("abacus")))),
        ("", "", None, "scalar, abacus", Err((None, Some("abacus")))),
        ("", "abacus", None, "rook", Err((None, Some("rook")))),
    ] {
        let variables = (Some(force.as_bytes()), Some(disable.as_bytes()));
        let choice = Choice::by_cpu().environment(variables.0, variables.1).exclude(exclude);
        let choice = by_program.map_or(choice, |name| choice.force(name));
        let found = choice.find();
        #[cfg(feature = "std")]
        assert_eq!(choice.candidates().map(|kernels| kernels[0]), found, "{choice:?}");
        let found = found.as_ref().map(|kernel| kernel.name());
        let found =
            found.map_err(|error| (error.variable(), error.error().name().map(String::from)));
        let expected = expected.map_err(|(variable, name)| (variable, name.map(String::from)));
        assert_eq!(found, expected, "{choice:?}");
    }
    for info in Kernel::catalogue() {
        let name = info.name();
        let found = Choice::by_cpu().force(name).find().map_err(|error| error.error());
        assert_eq!(found, Kernel::by_name(name));
        if found.is_err() {
            let found = Choice::by_cpu().exclude(name).find();
            assert_eq!(
                found.map(Kernel::name),
                Ok(first),
                "a kernel that cannot run may be excluded"
            );
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn the_first_use_reads_the_environment() {
    let names = at_least_three();
    for (choice, active, after_init) in [
        ([(FORCE, ""), (DISABLE, "")], names[0], names[1]),
        ([(FORCE, names[2]), (DISABLE, names[0])], names[2], names[2]),
        ([(FORCE, ""), (DISABLE, names[1])], names[0], names[2]),
    ] {
        assert_eq!(active_in(&start("name", &choice)), active, "{choice:?}");
        assert_eq!(active_in(&start("init", &choice)), after_init, "{choice:?}");
    }
    let all = names.join(",");
    for (variable, value, part) in [
        (FORCE, OsStr::new("abacus"), "Unknown { name: \"abacus\" }"),
        #[cfg(unix)]
        (FORCE, std::os::unix::ffi::OsStrExt::from_bytes(b"avx\xff2"), "Unknown { name: \"avx\" }"),
        (DISABLE, OsStr::new("scalar, abacus"), "Unknown { name: \"abacus\" }"),
        (DISABLE, OsStr::new(&all), "NoneLeft"),
    ] {
        let panicked = start("name", &[(variable, value)]);
        assert!(!panicked.status.success(), "{value:?} was accepted");
        let message = format!("{variable}={}: ", value.display());
        assert!(text(&panicked).contains(&message), "{}", text(&panicked));
        // Every call of `try_active` returns the error, and the program can still choose by itself.
        let tried = start("try", &[(variable, value)]);
        assert_eq!(active_in(&tried), names[0]);
        for line in ["tried", "again"] {
            let expected =
                format!("{line}: Err(ChoiceError {{ variable: Some(\"{variable}\"), error: {part}");
            assert!(text(&tried).contains(&expected), "{}", text(&tried));
        }
    }
}

/// All kernels that a choice allows, in their order.
#[cfg(feature = "std")]
#[test]
fn candidates_are_all_that_is_allowed() {
    let names = at_least_three();
    let allowed = |choice: Choice<'_>| {
        choice.candidates().unwrap().into_iter().map(Kernel::name).collect::<Vec<_>>()
    };
    assert_eq!(allowed(Choice::by_cpu()), names);
    assert_eq!(allowed(Choice::by_cpu().exclude(names[1])), [&names[..1], &names[2..]].concat());
    assert_eq!(allowed(Choice::by_cpu().force(names[1])), names[1..2]);
}

#[test]
fn errors_name_the_variable_and_the_reason() {
    use std::error::Error;
    let variable = Choice::by_cpu().environment(Some(b"abacus"), None).find().unwrap_err();
    let program = Choice::by_cpu().force("abacus").find().unwrap_err();
    assert_eq!(variable.to_string(), format!("{FORCE}: {}", variable.error()));
    assert_eq!(program.to_string(), program.error().to_string());
    assert_eq!(program.source().unwrap().to_string(), program.error().to_string());
}

/// Without `std` the library reads no environment variables.
#[test]
fn without_variables_the_first_available_kernel_is_active() {
    let names = at_least_three();
    let wrong = [(FORCE, "abacus"), (DISABLE, "abacus")];
    let choice = if cfg!(feature = "std") { &[][..] } else { &wrong };
    for (task, active) in [("name", names[0]), ("init", names[1]), ("try", names[0])] {
        assert_eq!(active_in(&start(task, choice)), active);
    }
    let last = names[names.len() - 1];
    for (activate, active) in [("", names[0]), (last, last)].repeat(5) {
        let choice = [choice, &[(ACTIVATE, activate)]].concat();
        assert_eq!(active_in(&start("race", &choice)), active);
    }
}

/// Only ASCII white space, without the vertical tab, is removed around names. A name with any other
/// white space is unknown.
#[test]
fn white_space_in_lists_of_kernels() {
    let names = at_least_three();
    let both = names[..2].join(",");
    for (space, is_removed) in
        [(" ", true), ("\t\r\n\x0c", true), ("\x0b", false), ("\u{a0}", false), ("\u{3000}", false)]
    {
        for list in [format!("{space}{both}"), format!(",{both}{space},")] {
            let by_environment = Choice::by_cpu().environment(None, Some(list.as_bytes()));
            let by_program = Choice::by_cpu().exclude(&list);
            for choice in [by_environment, by_program] {
                let name = choice.find().map(Kernel::name).map_err(|error| error.error());
                if is_removed {
                    assert_eq!(name, Ok(names[2]), "{list:?}");
                } else {
                    let error = name.expect_err("an unknown name");
                    let unknown = error.name().expect("it is named");
                    assert!(names.contains(&unknown.trim()) && unknown.contains(space), "{list:?}");
                }
            }
        }
    }
}

/// Every kernel's file is in the catalogue, and every kernel of the catalogue is in the lists that
/// are written by hand.
#[test]
fn every_kernel_is_in_every_list() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |file: &str| {
        std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let mut missing = vec![];
    for folder in ["any_cpu", "x86_64", "aarch64", "wasm32"] {
        for entry in root.join("kernels").join(folder).read_dir().expect(folder) {
            let path = entry.expect(folder).path();
            let source = std::fs::read_to_string(&path).unwrap_or_default();
            let name =
                source.split_once("\n    name: \"").and_then(|(_, rest)| rest.split('"').next());
            if let Some(name) = name
                && Kernel::catalogue().iter().all(|info| info.name() != name)
            {
                missing.push(format!("`{name}` in the catalogue in kernels/mod.rs"));
            }
        }
    }
    let machines = read("tools/emulate/machines.py");
    let [kernels, library] = ["docs/kernels.md", "docs/library.md"].map(read);
    let builds = library.split("\n## ").find(|part| part.starts_with("What a build contains"));
    let builds = builds.expect("a section");
    for info in Kernel::catalogue() {
        let name = info.name();
        let list = if info.needs().is_empty() { "PORTABLE" } else { "KERNELS" };
        for (found, place) in [
            (KERNELS.iter().any(|(other, _)| *other == name), "KERNELS in tests/dispatch.rs"),
            (
                machines.contains(&format!("'{name}'")),
                &*format!("{list} in tools/emulate/machines.py"),
            ),
            (kernels.contains(&format!("`{name}`")), "docs/kernels.md"),
            (builds.contains(&format!("`{name}`")), "\"What a build contains\" in docs/library.md"),
        ] {
            if !found {
                missing.push(format!("`{name}` in {place}"));
            }
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

#[test]
fn every_operation_is_in_the_table_of_functions() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md");
    let library = std::fs::read_to_string(path).expect("docs/library.md");
    // One line of the text stands for all operations on a single board.
    let operations = OPERATIONS.iter().filter(|info| !info.by_value());
    let names = operations.map(OperationInfo::name);
    let missing: Vec<&str> = names.filter(|name| !library.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "missing in \"Functions\" in docs/library.md: {missing:?}");
}

/// For every kind of operation, slices of different lengths panic with the caller's location.
#[test]
fn a_length_mismatch_panics_at_the_caller() {
    use setwise::position::Position;
    use setwise::{Direction, Line, Side, Square};
    // By thread, because other tests panic at the same time.
    thread_local!(static FILE: std::cell::Cell<Option<String>> = const { std::cell::Cell::new(None) });
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        FILE.set(info.location().map(|place| place.file().to_owned()));
    }));
    let (two, mut three, squares) = ([0_u64; 2], [0_u64; 3], [Square::A1; 2]);
    let kernels = Kernel::by_name("scalar").unwrap();
    macro_rules! panics_here {
        ($($call:expr;)*) => { $(
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| $call));
            assert!(caught.is_err());
            let file = FILE.take();
            assert!(file.is_some_and(|file| file.ends_with("dispatch.rs")), stringify!($call));
        )* };
    }
    panics_here! {
        setwise::rook_attacks(&two, &two, &mut three);
        kernels.rook_attacks(&two, &two, &mut three);
        kernels.slider_attacks_split(&two, &two, &two, &mut [0; 2], &mut three);
        kernels.pins(&two, &two, &two, &two, &two, &mut [0; 2], &mut three);
        kernels.ray_attacks(Direction::East, &two, &two, &mut three);
        kernels.slider_mobility(&two, &two, &two, &two, &mut [0; 3]);
        kernels.rook_attacks_from(&squares, &two, &mut three);
        kernels.line_attacks_from(Line::Rank, &squares, &two, &mut three);
        kernels.between(&squares, &squares, &mut three);
        kernels.checks(&[Position::default(); 2], &mut [setwise::position::Checks::default()]);
        kernels.knight_attacks(&two, &mut three);
        setwise::pawn_attacks(Side::White, &two, &mut three);
    }
    std::panic::set_hook(usual);
}

/// Gives each column in turn a length that differs from that of all other columns.
#[test]
fn all_columns_of_positions_have_the_same_length() {
    let call = |wrong: usize| {
        let length = |i: usize| if i == wrong { 2 } else { 3 };
        let sets: [[Vec<u64>; 6]; 2] =
            [0, 6].map(|first| std::array::from_fn(|i| vec![0; length(first + i)]));
        let pieces = sets.each_ref().map(|side| side.each_ref().map(Vec::as_slice));
        let mut results: [Vec<u64>; 16] = std::array::from_fn(|i| vec![0; length(12 + i)]);
        let mut results = results.each_mut().map(|set| Some(set.as_mut_slice())).into_iter();
        let mut next = || results.next().unwrap();
        let mut maps = AttackMapColumns {
            attacks: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            all: std::array::from_fn(|_| next()),
            by_lesser: std::array::from_fn(|_| next()),
        };
        Kernel::of_target().attack_maps_in_columns(&PositionColumns { pieces }, &mut maps);
    };
    for wrong in 0..28 {
        assert!(std::panic::catch_unwind(|| call(wrong)).is_err(), "column {wrong}");
    }
    call(28);
}

#[cfg(feature = "std")]
#[test]
fn the_fastest_kernel_takes_the_least_time() {
    for wanted in [best(), "scalar"] {
        let mut names = vec![];
        let fastest = Kernel::fastest(std::time::Duration::ZERO, |kernel| {
            names.push(kernel.name());
            // Disturbs the wanted kernel in the last round only.
            let last = names.len() > 2 * Kernel::available().count();
            if kernel.name() != wanted || last {
                thread::sleep(std::time::Duration::from_millis(3));
            }
        });
        assert_eq!(fastest.name(), wanted);
        let round: Vec<_> = Kernel::available().map(Kernel::name).collect();
        assert_eq!(names, round.repeat(3), "the kernels take turns");
    }
    let (start, budget) = (std::time::Instant::now(), std::time::Duration::from_millis(20));
    let _fastest = Kernel::fastest(budget, |_| ());
    assert!(start.elapsed() >= budget, "rounds go on until the budget is spent");
}
