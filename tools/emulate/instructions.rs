//! Checks that this CPU or emulator correctly executes the uncommon instructions that kernels rely
//! on. Each form (an instruction with one choice of operands) is compared with a plain model that
//! follows the manuals.
//!
//! Prints `instruction: NAME cases=N wrong=N` with the first counterexample, or `instruction: NAME
//! absent`. With the argument `xop`, a CPU without XOP runs XOP instructions through the
//! illegal-instruction handler. Exit code 1 if a result was wrong.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod xop_emulator;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() {
    println!("instructions: nothing to check on this target");
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() {
    x86::main();
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod x86 {
    use core::arch::asm;
    use std::process::exit;

    const CASES: u32 = 1000;

    /// A source or result. Narrower instructions use the first bytes.
    type Bytes = [u8; 64];
    /// An instruction with one choice of operands: its instruction set, its name, a function that
    /// runs it, and a model of it.
    type Form =
        (&'static str, &'static str, unsafe fn([&Bytes; 3], &mut Bytes), fn([&Bytes; 3]) -> Bytes);

    /// Creates a `Form`. Its instruction finds the three sources in registers 1, 2 and 3. It must
    /// write its result to register 0, which starts as all ones to expose an instruction that does
    /// not write the register's upper part.
    macro_rules! form {
        (
            $needs:literal, $name:literal, $move:literal $register:literal, $instruction:literal,
            $model:expr
        ) => {{
            unsafe fn run([a, b, c]: [&Bytes; 3], result: &mut Bytes) {
                let ones = [0xff; 64];
                // SAFETY: the caller has checked the instruction set; every address points to 64
                // bytes that outlive the block.
                unsafe {
                    asm!(
                        concat!($move, " ", $register, "0, [{ones}]"),
                        concat!($move, " ", $register, "1, [{a}]"),
                        concat!($move, " ", $register, "2, [{b}]"),
                        concat!($move, " ", $register, "3, [{c}]"),
                        concat!($move, " ", $register, "14, [{b}]"),
                        $instruction,
                        concat!($move, " [{result}], ", $register, "0"),
                        ones = in(reg) &ones, a = in(reg) a, b = in(reg) b, c = in(reg) c,
                        result = in(reg) result,
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                        out("xmm14") _, options(nostack),
                    );
                }
            }
            (
                $needs,
                $name,
                run as unsafe fn([&Bytes; 3], &mut Bytes),
                $model as fn([&Bytes; 3]) -> Bytes,
            )
        }};
    }
    macro_rules! xop {
        ($name:literal, $instruction:literal, $model:expr) => {
            form!("xop", $name, "vmovdqu" "ymm", $instruction, $model)
        };
    }
    macro_rules! icelake {
        ($name:literal, $instruction:literal, $model:expr) => {
            form!("avx512", $name, "vmovdqu64" "zmm", $instruction, $model)
        };
    }

    fn forms() -> Vec<Form> {
        vec![
            xop!("vpperm", "vpperm xmm0, xmm1, xmm2, xmm3", vpperm),
            xop!("vpperm-high-register", "vpperm xmm0, xmm1, xmm14, xmm3", vpperm),
            xop!("vpcmov", "vpcmov xmm0, xmm1, xmm2, xmm3", |s| first(16, vpcmov(s))),
            xop!("vpshlb", "vpsrlw xmm4, xmm3, 13\nvpshlb xmm0, xmm1, xmm4", |[a, _, c]| bytes(
                |i| a[i] << count(c, i)
            )),
            xop!(
                "vpshlb-right",
                "vpsrlw xmm4, xmm3, 13\nvpxor xmm0, xmm0, xmm0\nvpsubb xmm4, xmm0, xmm4\n\
                 vpshlb xmm0, xmm1, xmm4",
                |[a, _, c]| { bytes(|i| a[i] >> count(c, i)) }
            ),
            icelake!(
                "gf2p8affineqb",
                "gf2p8affineqb xmm1, xmm2, 0\nvmovdqa xmm0, xmm1",
                |s| first(16, affine(s, 0))
            ),
            icelake!("vgf2p8affineqb-256", "vgf2p8affineqb ymm0, ymm1, ymm2, 0", |s| first(
                32,
                affine(s, 0)
            )),
            icelake!("vgf2p8affineqb-512", "vgf2p8affineqb zmm0, zmm1, zmm2, 0x63", |s| affine(
                s, 0x63
            )),
            icelake!(
                "vpternlogq",
                "vmovdqa64 zmm0, zmm3\nvpternlogq zmm0, zmm1, zmm2, 0xca",
                |s| vpcmov(s)
            ),
            icelake!("vpermb", "vpermb zmm0, zmm1, zmm2", |[a, b, _]| {
                core::array::from_fn(|i| b[usize::from(a[i] & 63)])
            }),
            icelake!("vpermt2b", "vmovdqa64 zmm0, zmm1\nvpermt2b zmm0, zmm3, zmm2", vpermt2b),
            icelake!("vprolvq", "vprolvq zmm0, zmm1, zmm2", |[a, b, _]| quads(64, |i| quad(a, i)
                .rotate_left(u32::from(b[8 * i] & 63)))),
        ]
    }

    fn bytes(lane: impl Fn(usize) -> u8) -> Bytes {
        core::array::from_fn(|i| if i < 16 { lane(i) } else { 0 })
    }
    /// The shift count that `vpsrlw 13` leaves in a byte: 0 to 7 in even bytes, 0 in odd ones.
    fn count(from: &Bytes, lane: usize) -> u32 {
        if lane.is_multiple_of(2) { u32::from(from[lane + 1] >> 5) } else { 0 }
    }
    fn first(count: usize, all: Bytes) -> Bytes {
        core::array::from_fn(|i| if i < count { all[i] } else { 0 })
    }
    fn quad(from: &Bytes, lane: usize) -> u64 {
        from[8 * lane..8 * lane + 8].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }
    fn quads(count: usize, lane: impl Fn(usize) -> u64) -> Bytes {
        core::array::from_fn(|i| if i < count { (lane(i / 8) >> (8 * (i % 8))) as u8 } else { 0 })
    }
    fn vpperm([a, b, selector]: [&Bytes; 3]) -> Bytes {
        let both = [&a[..16], &b[..16]].concat();
        bytes(|i| {
            let byte = both[usize::from(selector[i]) % 32];
            let reversed = (0..8).filter(|bit| byte >> bit & 1 == 1).map(|bit| 0x80 >> bit).sum();
            let plain = [byte, reversed, 0, if byte >= 0x80 { 0xff } else { 0 }]
                [usize::from(selector[i] >> 6)];
            if selector[i] & 0x20 == 0 { plain } else { 0xff - plain }
        })
    }
    fn vpcmov([a, b, selector]: [&Bytes; 3]) -> Bytes {
        core::array::from_fn(|i| b[i] ^ (a[i] ^ b[i]) & selector[i])
    }
    fn vpermt2b([a, b, index]: [&Bytes; 3]) -> Bytes {
        core::array::from_fn(|i| [a, b][usize::from(index[i] >> 6 & 1)][usize::from(index[i] & 63)])
    }
    /// Multiplies each byte of `a` by the bit matrix in the same quadword of `b`, then XORs it with
    /// `constant`.
    fn affine([a, b, _]: [&Bytes; 3], constant: u8) -> Bytes {
        core::array::from_fn(|i| {
            let row = |bit: usize| b[i / 8 * 8 + 7 - bit];
            constant
                ^ (0..8).map(|bit| (((row(bit) & a[i]).count_ones() as u8) & 1) << bit).sum::<u8>()
        })
    }

    fn features() -> Vec<&'static str> {
        use core::arch::x86_64::__cpuid;
        use std::arch::is_x86_feature_detected as has;
        let mut list = Vec::new();
        // XOP is leaf 8000_0001h, ECX bit 11. It needs an OS that saves YMM registers, which
        // `avx` implies.
        // SAFETY: every x86-64 CPU has CPUID.
        #[allow(unused_unsafe, reason = "safe in newer toolchains")]
        let cpuid = |leaf| unsafe { __cpuid(leaf) };
        if has!("avx")
            && cpuid(0x8000_0000).eax > 0x8000_0000
            && cpuid(0x8000_0001).ecx >> 11 & 1 == 1
        {
            list.push("xop");
        }
        if has!("avx512f")
            && has!("avx512bw")
            && has!("avx512vl")
            && has!("avx512vbmi")
            && has!("gfni")
        {
            list.push("avx512");
        }
        list
    }

    pub(super) fn main() {
        let mut features = features();
        if !features.contains(&"xop") && std::env::args().any(|a| a == "xop") {
            super::xop_emulator::install();
            features.push("xop");
        }
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || -> Bytes {
            core::array::from_fn(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 24) as u8
            })
        };
        let mut failed = false;
        for (needs, name, run, model) in forms() {
            if !features.contains(&needs) {
                println!("instruction: {name} absent");
                continue;
            }
            let mut wrong = 0;
            for _ in 0..CASES {
                let sources = [random(), random(), random()];
                let sources = sources.each_ref();
                let (mut got, want) = ([0; 64], model(sources));
                // SAFETY: checked above: the CPU or the handler executes this instruction set.
                unsafe { run(sources, &mut got) };
                if got != want {
                    wrong += 1;
                    if wrong == 1 {
                        let [a, b, c] = sources;
                        println!(
                            "  {name}: first {:02x?} second {:02x?} third {:02x?}",
                            &a[..16],
                            &b[..16],
                            &c[..16]
                        );
                        println!("  got      {:02x?}\n  expected {:02x?}", &got[..16], &want[..16]);
                    }
                }
            }
            println!("instruction: {name} cases={CASES} wrong={wrong}");
            failed |= wrong > 0;
        }
        println!("emulated: {}", super::xop_emulator::executed());
        exit(i32::from(failed));
    }
}
