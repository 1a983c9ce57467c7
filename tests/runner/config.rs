//! Settings from the environment: the budget, the seed and the expected kernels.

use std::env;

use setwise::{Kernel, KernelInfo};

/// How many cases each check runs.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) name: &'static str,
    /// The number of random boards for each operation.
    pub(crate) random_boards: usize,
    /// Run every n-th case of the exhaustive lists (1: all).
    pub(crate) every: usize,
    /// Run every n-th case of all lists again in short batches (1: all).
    pub(crate) few_boards_every: usize,
    /// Try every n-th batch length beyond [`TAILS`](crate::buffers::TAILS).
    pub(crate) long_lengths_every: usize,
    /// The number of misalignments to try at each batch length.
    pub(crate) misalignments: usize,
    /// Try every n-th batch length right after an inaccessible page. (Right before such a page,
    /// every length is tried.)
    #[cfg_attr(not(unix), allow(dead_code, reason = "these pages exist only on Unix"))]
    pub(crate) after_page_every: usize,
    /// Whether to try batches longer than `TAILS` next to inaccessible pages, and one of more
    /// boards than 16 bits count.
    pub(crate) long_batches: bool,
    /// Whether to run the exhaustive lists for lines a second time, with random pieces outside the
    /// line.
    pub(crate) surrounded: bool,
}

/// The budgets:
///
/// - `quick` is for a plain `cargo test`, `long` for a nightly run.
/// - `tiny` is for emulators. It runs every kernel and operation, and every length up to `TAILS`
///   in a guarded buffer and right before an inaccessible page. It takes samples of the exhaustive
///   lists, of longer lengths, of buffer placements, and of the lengths right after an inaccessible
///   page.
/// - `small` takes about twenty times as long as `tiny`.
/// - `miri` is for Miri, which is about a thousand times slower. Miri detects every access outside
///   a buffer, so this budget tries only a few lengths, in buffers of exactly their size.
const BUDGETS: [Budget; 5] = [
    Budget {
        name: "miri",
        random_boards: 16,
        every: usize::MAX,
        few_boards_every: usize::MAX,
        long_lengths_every: usize::MAX,
        misalignments: 0,
        after_page_every: usize::MAX,
        ..TINY
    },
    TINY,
    Budget {
        name: "small",
        random_boards: 3000,
        every: 499,
        few_boards_every: 1,
        long_lengths_every: 5,
        misalignments: 8,
        ..QUICK
    },
    QUICK,
    Budget {
        name: "long",
        random_boards: 1_000_000,
        few_boards_every: 1,
        misalignments: 64,
        surrounded: true,
        ..QUICK
    },
];

const TINY: Budget = Budget {
    name: "tiny",
    random_boards: 300,
    every: 4999,
    few_boards_every: 1,
    long_lengths_every: 37,
    misalignments: 1,
    after_page_every: 7,
    long_batches: false,
    surrounded: false,
};

const QUICK: Budget = Budget {
    name: "quick",
    random_boards: 10_000,
    every: 1,
    few_boards_every: 11,
    long_lengths_every: 1,
    misalignments: 4,
    after_page_every: 1,
    long_batches: true,
    surrounded: false,
};

/// The settings of a run, from the environment.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) budget: &'static Budget,
    pub(crate) seed: u64,
    /// The kernels to test; empty: all.
    pub(crate) kernels: Vec<String>,
    pub(crate) expect_active: Option<String>,
    pub(crate) expect_exercised: Vec<String>,
    /// The kernel to run with the instruction emulator that this program contains.
    pub(crate) emulate: Option<String>,
}

impl Config {
    /// Reads the settings. An invalid value is an error.
    pub(crate) fn from_env() -> Result<Config, String> {
        let default = if cfg!(miri) { "miri" } else { "quick" };
        let budget = env::var("SETWISE_TEST_BUDGET").unwrap_or(default.into());
        let budget = BUDGETS.iter().find(|known| known.name == budget).ok_or(format!(
            "SETWISE_TEST_BUDGET={budget}: must be miri, tiny, small, quick or long"
        ))?;
        let emulate = env::var("SETWISE_TEST_EMULATE").ok();
        if let Some(kernel) = &emulate
            && (kernel != "xop" || !cfg!(all(target_arch = "x86_64", target_os = "linux")))
        {
            return Err(format!(
                "SETWISE_TEST_EMULATE={kernel}: only xop has an emulator, on x86-64 Linux"
            ));
        }
        let kernels = names("SETWISE_TEST_KERNELS");
        let known: Vec<&str> = Kernel::catalogue().iter().map(KernelInfo::name).collect();
        if let Some(name) = kernels.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("SETWISE_TEST_KERNELS: there is no kernel {name}"));
        }
        Ok(Config {
            emulate,
            budget,
            seed: crate::seed::seed()?,
            expect_active: env::var("SETWISE_EXPECT_ACTIVE").ok(),
            kernels,
            expect_exercised: names("SETWISE_EXPECT_EXERCISED"),
        })
    }

    /// The command that repeats a trial with the same boards.
    pub(crate) fn rerun(&self, trial: &str) -> String {
        let set = |name| env::var(name).map_or(String::new(), |value| format!("{name}={value} "));
        let variables = set("SETWISE_FORCE_KERNEL") + &set("SETWISE_KERNELS");
        format!(
            "rerun: {variables}SETWISE_TEST_SEED={:#x} SETWISE_TEST_BUDGET={} cargo test -p setwise --test runner -- --exact '{trial}'",
            self.seed, self.budget.name
        )
    }
}

/// The names in an environment variable, separated by commas.
fn names(variable: &str) -> Vec<String> {
    let list = env::var(variable).unwrap_or_default();
    let names = list.split([',', ' ']).map(str::trim);
    names.filter(|name| !name.is_empty()).map(String::from).collect()
}
