"""The emulated machines: what is built, where it runs, and which kernels must be active and
exercised there.

To add a machine, add a row to MACHINES. To add a kernel for an instruction set, add a row to
KERNELS; a kernel that runs on every CPU needs no row."""
from dataclasses import dataclass

# --- kernels --------------------------------------------------------------------------------------

# The kernels that need an instruction set, best first. Each has its build and the features that it
# needs, as named in /proc/cpuinfo. All other kernels that a build has must be exercised everywhere.
# The table repeats the crate's catalogue on purpose, to reveal mistakes in the crate's detection or
# order.
KERNELS = {
    'avx512-gfni': ('x86-64', 'avx512f avx512bw avx512vl avx512vbmi avx512_vbmi2 avx512_bitalg gfni'),
    'avx512': ('x86-64', 'avx512f avx512bw avx512vl'),
    'avx2-gfni': ('x86-64', 'avx2 gfni'),
    'avx2': ('x86-64', 'avx2'),
    'neon': ('aarch64', ''),
    'simd128': ('wasm-simd128', ''),
    'xop': ('x86-64', 'avx xop'),
    'sse2': ('x86-64', 'sse2'),
    'ssse3': ('x86-64', 'ssse3'),
    'pext': ('x86-64', 'bmi2'),
    'xop-emulated': ('x86-64', 'ssse3'),
}


def able(build, features):
    """The kernels of KERNELS that are in a build and run with these CPU features, best first."""
    return [k for k, (where, needs) in KERNELS.items()
            if where == build and set(needs.split()) <= set(features.split())]


# The kernel `portable` has a clone for each of these instruction sets, best first: the clone's
# build, and the features it needs. (The clone for LASX is missing: no build here compiles it.)
CLONES = [
    ('avx512', 'x86-64', 'avx512f avx512bw avx512vl avx512vbmi gfni'),
    ('avx2', 'x86-64', 'avx2'),
    ('avx2', 'i686', 'avx2'),
    ('sve', 'aarch64', 'sve'),
]


def clone(build, features):
    """The clone of `portable` that a CPU with these features runs."""
    return next((name for name, where, needs in CLONES
                 if where == build and set(needs.split()) <= set(features.split())), 'baseline')


def native_features():
    """This CPU's features according to the operating system, not to the crate's own detection."""
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as file:
        return next((line.split(':', 1)[1] for line in file if line.startswith('flags')), '')


# --- builds ---------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Build:
    """How the crate's test programs are compiled. Everything is linked statically."""
    target: str
    linker: str | None = None
    flags: tuple[str, ...] = ('-Ctarget-feature=+crt-static',)
    fallback: str = 'scalar'        # the active kernel if the CPU can run none of KERNELS
    what: tuple[str, ...] = ('--profile', 'emulate', '--package', 'setwise-emulate', '--bins')
    cpuid: bool | None = None       # whether the program `active` must contain CPUID (None: any)
    variables: tuple = ()           # cargo's environment, pairs of a name and a value
    quick: tuple = ()               # more of it in a quick run, to compile less


# The C library needs libgcc_eh. std would link it, so programs without std must name it.
STATIC = ('-Ctarget-feature=+crt-static', '-Clink-arg=-lgcc_eh')
NO_STD = ('--release', '--manifest-path', 'tests/no_std/Cargo.toml', '--bins')


def few(*kernels):
    """The variables that compile only these kernels and `scalar`."""
    return (('SETWISE_KERNELS', ','.join(kernels)),)


def bare(target):
    """The build of the no_std program for a target without an operating system."""
    return Build(target, 'ld.lld-22', ('-Crelocation-model=static',), what=NO_STD)


WASM = ('-Clink-self-contained=no', '-Lnative=/usr/lib/wasm32-wasi',
        '-Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o', '-Clink-arg=-lc')
X86_64 = 'x86_64-unknown-linux-gnu'
BUILDS = {
    # Compiled without gathers, because Bochs 3.0 raises an illegal-instruction signal if the
    # indices are in register 16 or above. No kernel uses gathers explicitly, but the compiler
    # combines loads into them.
    'x86-64': Build(X86_64, flags=('-Ctarget-feature=+crt-static,+prefer-no-gather',)),
    # x86-64 runs the kernels that a quick run leaves out here: they need no instruction set.
    'aarch64': Build('aarch64-unknown-linux-gnu', 'aarch64-linux-gnu-gcc',
                     quick=few('neon', 'portable')),
    'i686': Build('i686-unknown-linux-gnu', 'i686-linux-gnu-gcc', fallback='portable'),
    # Big-endian.
    's390x': Build('s390x-unknown-linux-gnu', 's390x-linux-gnu-gcc', quick=few('portable')),
    'wasm': Build('wasm32-wasip1', 'wasm-ld-22', WASM),
    'wasm-simd128': Build('wasm32-wasip1', 'wasm-ld-22',
                          ('-Ctarget-feature=+simd128', *WASM), quick=few('simd128', 'portable')),
    # The no_std program, built twice: with detection, and for a CPU model that needs no detection.
    'no_std': Build(X86_64, what=NO_STD, cpuid=True, flags=STATIC,
                    quick=few('avx512-gfni', 'avx2-gfni', 'avx2', 'sse2', 'pext')),
    'no_std-icelake': Build(X86_64, what=NO_STD, cpuid=False, variables=few('avx512-gfni', 'avx2'),
                            flags=(*STATIC, '-Ctarget-cpu=icelake-server')),
    'x86_64-unknown-none': bare('x86_64-unknown-none'),
}

# --- machines -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """A machine to test on, and the program that it runs: one row of MACHINES.

    A run of `runner` must exercise the kernels of the build that `features` allow, and those that
    need no instruction set. If `only` is given, it must exercise just that kernel. Other programs
    must work and choose the kernel `active`."""
    name: str
    build: str
    run: str                     # the command that runs the program, which is appended to it;
                                 # {here}: this folder, {dir}: the installed emulators
    features: str | None = None  # CPU features that programs can use; None: those of this CPU
    only: str | None = None      # exercise this kernel alone
    emulate: bool = False        # the program itself emulates the instructions of `only`
    long: bool = False           # only in a long run
    slow: bool = True            # an emulator, which gets the smaller budget of BUDGETS
    skip: tuple[str, ...] = ()   # kernels that a quick run leaves to other machines
    check: str = ''              # a command on {program} that must succeed first
    seed: str = ''               # of the random boards; empty: another one in each run
    program: str = 'runner'      # one of the build
    active: str = ''             # for programs other than `runner`

    def available(self):
        """The features that programs can use."""
        return native_features() if self.features is None else self.features

    def expectation(self):
        """Returns the active kernel, and the kernels of KERNELS that must be exercised."""
        kernels = able(self.build, self.available())
        return (self.active or (kernels[0] if kernels else BUILDS[self.build].fallback),
                {self.only} if self.only else set(kernels))

    def is_needless(self):
        """Whether a quick run leaves this machine out: it only tests what `cargo test` runs on this
        CPU."""
        kernels = self.expectation()[1] - set(self.skip)
        here = native_features()
        is_same_clone = 'portable' in self.skip or self.clone() == clone(self.build, here)
        return (self.program == 'runner' and self.run.startswith(BOCHS) and is_same_clone
                and kernels <= set(able(self.build, here)))

    def clone(self):
        """The clone of the kernel `portable` that runs on this machine."""
        return clone(self.build, self.available())


# SETWISE_TEST_BUDGET by length of the run, then by whether the machine is slow. `cargo test` runs
# more cases on this CPU than a quick run.
BUDGETS = {'quick': {True: 'tiny', False: 'tiny'}, 'long': {True: 'small', False: 'long'}}
BOCHS = '{here}/bochs.sh --dir {dir}'
# The kernels that need no instruction set.
PORTABLE = ('borrow', 'dumb7fill', 'hyperbola', 'kogge-stone', 'magic', 'portable', 'scalar',
            'switch')


def others(quick):
    """What a machine skips in a quick run that exercises only the kernels `quick` (None: all). A
    kernel executes the same instructions on every x86-64 CPU, so the weakest machine that can run
    it suffices. Only `portable` depends on the CPU, and the functions in `techniques`, which every
    machine runs."""
    if quick is None:
        return ()
    return tuple(kernel for kernel in (*KERNELS, *PORTABLE) if kernel not in quick.split())


def qemu(name, model, features, quick=None, **more):
    return Machine(name, 'x86-64', f'qemu-x86_64 -cpu {model}', features, skip=others(quick),
                   **more)


def bochs(name, model, features, quick=None, options='', **more):
    command = f'{BOCHS} {options} {model}'.replace('  ', ' ')
    return Machine(name, 'x86-64', command, features, skip=others(quick), **more)


SSE2 = 'sse2'
SSSE3 = f'{SSE2} ssse3'
AVX = f'{SSSE3} avx'
AVX2 = f'{AVX} avx2 bmi2'
ZMM = 'avx512f avx512bw avx512vl'
WASM_HOST = 'node --no-warnings {here}/wasi.mjs'
MACHINES = [
    Machine('native', 'x86-64', '', None, slow=False),
    # name                CPU model              features
    qemu('sse2',          'qemu64',              SSE2, 'sse2 portable'),
    qemu('ssse3',         'Conroe',              SSSE3, 'ssse3 xop-emulated'),
    # Not QEMU 7.2: its VPMASKMOVQ reads masked-off elements, and faults if they are unreadable.
    bochs('avx2',         'corei7_haswell_4770', AVX2, 'avx2 pext portable'),
    # Bochs 3.0's VPCOMPRESSB returns zeros if all 64 bits of the mask are set, as for the knights
    # of a board full of knights. With this seed no random board is one.
    bochs('icelake',      'corei7_icelake_u',    f'{AVX2} {ZMM} avx512vbmi avx512_vbmi2 avx512_bitalg gfni',
          'avx512-gfni portable', seed='1'),
    # AVX-512 without VBMI and GFNI.
    bochs('skylake-x',    'corei7_skylake_x',    f'{AVX2} {ZMM}', 'avx512'),
    # GFNI without AVX-512.
    bochs('arrow-lake',   'arrow_lake',          f'{AVX2} gfni', 'avx2-gfni'),
    bochs('bulldozer',    'zambezi',             f'{AVX} xop', 'xop', '--rewrite-xop'),
    # The test program's illegal-instruction handler executes the unmodified XOP instructions.
    Machine('xop-by-signal', 'x86-64', '', None, only='xop', emulate=True),
    Machine('aarch64', 'aarch64', 'qemu-aarch64 -cpu cortex-a72', ''),
    Machine('aarch64-sve', 'aarch64', 'qemu-aarch64 -cpu max', 'sve', only='portable'),
    # 32 bits: a quick run has wasm, with few kernels.
    Machine('i686', 'i686', 'qemu-i386 -cpu qemu32', '', long=True),
    Machine('i686-avx2', 'i686', 'qemu-i386 -cpu max', 'avx2', only='portable', long=True),
    Machine('s390x', 's390x', 'qemu-s390x', ''),
    # Without SIMD: CI also runs the page's module in a browser.
    Machine('wasm', 'wasm', WASM_HOST, '', check='wasm-validate --disable-simd {program}',
            long=True),
    Machine('wasm-simd128', 'wasm-simd128', WASM_HOST, ''),
]


def no_std(model, active, build='no_std', program='setwise-no-std', long=False):
    """A machine that runs a program without the standard library."""
    run = model if model.startswith('qemu') else f'{BOCHS} {model}'
    return Machine(f'{build} {program}: {model}', build, run, program=program, active=active,
                   long=long)


# Which kernel becomes active. In a quick run, the unit tests of detection stand for those with
# `long`.
MACHINES += [
    no_std('qemu-x86_64 -cpu qemu64', 'sse2'),
    no_std('qemu-x86_64 -cpu Haswell', 'avx2'),
    no_std('qemu-x86_64 -cpu Haswell', 'avx2', program='active'),
    # Some hypervisors hide AVX but leave AVX2 and BMI2 visible. Detection must not use BMI2 then,
    # because Intel CPUs without AVX lack BMI2 even if CPUID reports it (erratum SKL052).
    no_std('qemu-x86_64 -cpu Haswell,-avx', 'sse2'),
    no_std('qemu-x86_64 -cpu Haswell,-xsave', 'sse2', program='active'),
    no_std('qemu-x86_64 -cpu SandyBridge', 'sse2', program='active'),
    no_std('--exclude bmi1,bmi2 corei7_haswell_4770', 'avx2', long=True),
    no_std('ryzen', 'avx2', long=True),
    no_std('corei3_cnl', 'avx512', long=True),  # Cannon Lake: no GFNI
    no_std('corei7_icelake_u', 'avx512-gfni', long=True),
    no_std('sapphire_rapids', 'avx512-gfni', long=True),
    no_std('--rewrite-xop zambezi', 'xop', long=True),
    no_std('--rewrite-xop trinity_apu', 'xop', long=True),
    # The operating system does not save ZMM registers, YMM registers or any.
    no_std('--without avx512f corei7_icelake_u', 'avx2-gfni'),
    no_std('--without avx corei7_icelake_u', 'sse2', long=True),
    no_std('--without avx zambezi', 'sse2', long=True),
    no_std('--kernel noxsave corei7_haswell_4770', 'sse2', long=True),
    no_std('corei7_icelake_u', 'avx512-gfni', 'no_std-icelake', 'active'),
    # This target has no vector kernels, regardless of the CPU.
    no_std('qemu-x86_64 -cpu Haswell', 'scalar', 'x86_64-unknown-none'),
]
