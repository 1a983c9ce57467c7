//! Latency and throughput of the instructions that reverse bytes: `bswap` in a general register,
//! `pshufb` in a vector register (x86-64 with SSSE3).
//!
//! `cargo bench -p setwise-measure --bench byte_swap` prints core cycles per instruction. For one
//! line, the hyperbola technique is a dependency chain with two byte reversals, so their latency
//! counts. For many independent lines, throughput counts, and one `pshufb` reverses two or more
//! boards.

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::time::{Duration, Instant};

    use setwise_measure::machine::clock_ghz;

    const LOOPS: u64 = 20_000;
    /// Measured instructions in one pass of a loop.
    const A_PASS: f64 = 8.0;

    /// Defines a function that runs the given eight instructions in a loop.
    macro_rules! run {
        ($name:ident, $($line:literal),+) => {
            fn $name() {
                // SAFETY: the code only uses the registers that it names; the caller has checked
                // the CPU's features.
                unsafe {
                    asm!(
                        "2:", $($line),+, "dec {count}", "jnz 2b",
                        count = inout(reg) LOOPS => _,
                        out("rax") _, out("rdx") _, out("rsi") _, out("rdi") _,
                        out("r8") _, out("r9") _, out("r10") _, out("r11") _,
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                        out("xmm8") _, options(nomem, nostack),
                    );
                }
            }
        };
    }
    run!(
        bswap_chain,
        "bswap rax",
        "bswap rax",
        "bswap rax",
        "bswap rax",
        "bswap rax",
        "bswap rax",
        "bswap rax",
        "bswap rax"
    );
    run!(
        bswap_apart,
        "bswap rax",
        "bswap rdx",
        "bswap rsi",
        "bswap rdi",
        "bswap r8",
        "bswap r9",
        "bswap r10",
        "bswap r11"
    );
    run!(
        pshufb_chain,
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8",
        "pshufb xmm0, xmm8"
    );
    run!(
        pshufb_apart,
        "pshufb xmm0, xmm8",
        "pshufb xmm1, xmm8",
        "pshufb xmm2, xmm8",
        "pshufb xmm3, xmm8",
        "pshufb xmm4, xmm8",
        "pshufb xmm5, xmm8",
        "pshufb xmm6, xmm8",
        "pshufb xmm7, xmm8"
    );

    /// Core cycles per measured instruction, in the fastest of many runs.
    fn cycles(run: fn()) -> f64 {
        let ghz = (0..5).map(|_| clock_ghz(Duration::from_micros(100))).fold(0.0, f64::max);
        let time = || {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        };
        let seconds = (0..300).map(|_| time()).fold(f64::MAX, f64::min);
        seconds * 1e9 * ghz / (LOOPS as f64 * A_PASS)
    }

    pub(super) fn print() {
        if !is_x86_feature_detected!("ssse3") {
            return println!("byte_swap: needs SSSE3");
        }
        println!(
            "| instruction | boards | latency, cycles | cycles per instruction |\n|---|---|---|---|"
        );
        for (name, boards, chain, apart) in [
            ("bswap", 1, bswap_chain as fn(), bswap_apart as fn()),
            ("pshufb", 2, pshufb_chain, pshufb_apart),
        ] {
            println!("| `{name}` | {boards} | {:.2} | {:.2} |", cycles(chain), cycles(apart));
        }
    }
}

fn main() {
    #[cfg(target_arch = "x86_64")]
    if std::env::args().any(|argument| argument == "--bench") {
        return x86::print();
    }
    println!("byte_swap: `cargo bench` measures it, on x86-64");
}
