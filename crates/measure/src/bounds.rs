//! The cycles that models of CPUs give the kernels, from `data/bounds.md`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The bound and the simulated cycles per board, by operation, kernel and model.
type Cycles = BTreeMap<[&'static str; 3], [f64; 2]>;

/// The page of `tools/objectcode.py bounds`.
static CYCLES: LazyLock<Cycles> = LazyLock::new(|| read(include_str!("../data/bounds.md")));

fn read(page: &'static str) -> Cycles {
    let (mut cycles, mut operation, mut models) = (Cycles::new(), "", Vec::new());
    for line in page.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match cells[..] {
            [heading] => operation = heading.strip_prefix("## ").unwrap_or(operation),
            ["kernel", ..] => models = cells,
            [kernel, ..] => {
                let numbers = models.iter().zip(&cells).filter_map(|(&model, cell)| {
                    let (bound, simulated) = cell.split_once(" / ")?;
                    let cycles = [bound.parse().ok()?, simulated.parse().ok()?];
                    Some(([operation, kernel.trim_matches('`'), model], cycles))
                });
                cycles.extend(numbers);
            }
            [] => {}
        }
    }
    cycles
}

/// The fewest cycles per board that a CPU's front end and ports allow, and the cycles of a
/// simulation, for a microarchitecture that llvm-mca has a model of.
pub(crate) fn cycles(cpu: &str, operation: &str, kernel: &str) -> Option<[f64; 2]> {
    let model = match cpu {
        "Piledriver" => "bdver2",
        "Haswell" | "Broadwell" => "haswell",
        "Skylake" | "Cascade Lake" | "Cooper Lake" => "skylake-avx512",
        "Ice Lake" => "icelake-server",
        "Sapphire Rapids" | "Emerald Rapids" => "sapphirerapids",
        "Zen" | "Zen+" => "znver1",
        "Zen 2" => "znver2",
        "Zen 3" => "znver3",
        "Zen 4" => "znver4",
        _ => return None,
    };
    CYCLES.get(&[operation, kernel, model]).copied()
}

#[cfg(test)]
mod tests {
    use super::{CYCLES, cycles, read};

    #[test]
    fn numbers_are_those_of_the_page() {
        let page = "# Bounds\n\n## rook_attacks\n\n| kernel | vector | znver3 | znver4 |\n\
                    |---|---|---|---|\n| `avx2` | 9 | 2.3 / 3.13 | 2.2 / 3.12 |\n| `x` | 1 | |";
        let read = read(page);
        assert_eq!(read.len(), 2);
        let numbers = read[&["rook_attacks", "avx2", "znver4"]].map(|number| number.to_string());
        assert_eq!(numbers, ["2.2", "3.12"]);
        // The limits, the second table of an operation, are not numbers.
        assert!(CYCLES.len() > 300);
        let [bound, simulated] = cycles("Zen 4", "queen_attacks", "avx512-gfni").unwrap();
        assert!(0.5 < bound && bound <= simulated);
        assert_eq!(cycles("Zen 5", "queen_attacks", "avx512-gfni"), None);
    }
}
