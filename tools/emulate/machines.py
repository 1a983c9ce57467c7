"""The lab's machines: what is built, where it runs, and which kernels must be active and exercised there.

To add a machine, add a row to MACHINES. A new kernel for some instruction set is a row of KERNELS; one that runs on
every CPU needs none.
"""
from dataclasses import dataclass, field

# --- kernels ---------------------------------------------------------------------------------------------------------

# The kernels that need an instruction set, best first: the build that has them, and the features, as /proc/cpuinfo names
# them. Any other kernel must be compiled in and be exercised everywhere. This is said here once more than in the crate, on
# purpose: a mistake in the crate's own probe or order shows as a difference.
KERNELS = {
    'avx512': ('x86-64', 'avx512f avx512bw avx512vl avx512vbmi gfni'),
    'avx2-gfni': ('x86-64', 'avx2 gfni'),
    'avx512bw': ('x86-64', 'avx512f avx512bw avx512vl'),
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
    """The kernels of a build, of those in KERNELS, that a CPU with these features runs; best first."""
    return [k for k, (where, needs) in KERNELS.items() if where == build and set(needs.split()) <= set(features.split())]


def native_features():
    """Those of the CPU this runs on, by the kernel's word and not by the crate's own probe."""
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as file:
        return next((line.split(':', 1)[1] for line in file if line.startswith('flags')), '')


# --- builds ----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Build:
    """How the crate's test programs are compiled. Everything is linked statically."""
    target: str
    parts: tuple[str, ...] = ()              # what `setup` must have installed
    linker: str | None = None
    flags: tuple[str, ...] = ('-Ctarget-feature=+crt-static',)
    packaged_compiler: bool = True           # the lab's compiler; else the machine's own
    fallback: str = 'scalar'                 # active where no kernel of KERNELS runs
    what: tuple[str, ...] = ('--profile', 'lab', '--package', 'setwise-emulate', '--bins')
    cpuid: bool | None = None                # whether the crate's part of the program `active` must have the instruction CPUID


STATIC = ('-Ctarget-feature=+crt-static', '-Clink-arg=-lgcc_eh')  # what the C library in turn needs, without std
NO_STD = ('--release', '--manifest-path', 'tests/no_std/Cargo.toml', '--bins')


def bare(target):
    """The program without the standard library, for a target that has none and no operating system."""
    return Build(target, ('rustc', f'std-{target}'), 'ld.lld-22', ('-Crelocation-model=static',), what=NO_STD)


WASM = ('-Clink-self-contained=no', '-Lnative=/usr/lib/wasm32-wasi', '-Clink-arg=/usr/lib/wasm32-wasi/crt1-command.o',
        '-Clink-arg=-lc')
BUILDS = {
    # No gathers, of which Bochs takes some for illegal (gather_fault.rs); the compiler makes them of loads, no kernel asks for one.
    'x86-64': Build('x86_64-unknown-linux-gnu', packaged_compiler=False, flags=('-Ctarget-feature=+crt-static,+prefer-no-gather',)),
    'aarch64': Build('aarch64-unknown-linux-gnu', ('rustc',), 'aarch64-linux-gnu-gcc'),
    'i686': Build('i686-unknown-linux-gnu', ('rustc', 'std-i686-unknown-linux-gnu'), 'i686-linux-gnu-gcc', fallback='portable'),
    's390x': Build('s390x-unknown-linux-gnu', ('rustc', 'std-s390x-unknown-linux-gnu'), 's390x-linux-gnu-gcc'),
    'wasm': Build('wasm32-wasip1', ('rustc', 'std-wasm32-wasip1'), 'wasm-ld-22', WASM),
    'wasm-simd128': Build('wasm32-wasip1', ('rustc', 'std-wasm32-wasip1'), 'wasm-ld-22',
                          ('-Ctarget-feature=+simd128', *WASM)),
    # The program without the standard library: its own detection, or, compiled for a CPU that has everything, none.
    'no_std': Build('x86_64-unknown-linux-gnu', packaged_compiler=False, what=NO_STD, cpuid=True, flags=STATIC),
    'no_std-icelake': Build('x86_64-unknown-linux-gnu', packaged_compiler=False, what=NO_STD, cpuid=False,
                            flags=(*STATIC, '-Ctarget-cpu=icelake-server')),
    'x86_64-unknown-none': bare('x86_64-unknown-none'),
    'thumbv6m': bare('thumbv6m-none-eabi'),
    'thumbv7em': bare('thumbv7em-none-eabihf'),
    'riscv32i': bare('riscv32i-unknown-none-elf'),
}

# --- machines --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Machine:
    """One row. Expected are, unless said otherwise, the kernels of KERNELS that `features` allow, and all that need nothing."""
    name: str
    build: str
    run: str                                 # the command before the program; {lab} and {dir}: this folder, the installed one
    features: str | None                     # of the CPU as the system lets programs use it; None: of this machine's CPU
    only: str | None = None                  # exercise this kernel alone
    emulate: bool = False                    # `only` is run by an emulator in the program, though the CPU cannot run it
    parts: tuple[str, ...] = ()              # of setup, besides the build's
    long: bool = False                       # only in the long run
    slow: bool = True                        # an emulator: it gets the smaller budget of BUDGETS
    check: str = ''                          # a command that must succeed on the program first ({program})

    def expectation(self):
        """(active kernel, kernels of KERNELS that must be exercised)."""
        kernels = able(self.build, native_features() if self.features is None else self.features)
        return kernels[0] if kernels else BUILDS[self.build].fallback, {self.only} if self.only else set(kernels)

    @property
    def environment(self):
        return {'SETWISE_TEST_EMULATE': self.only} if self.emulate else {}

    @property
    def arguments(self):
        """For the test program: a filter of its trials."""
        return (f'{self.only}::',) if self.only else ()


# SETWISE_TEST_BUDGET in a quick and in a long run, on slow machines and on others.
BUDGETS = {'quick': {True: 'tiny', False: 'quick'}, 'long': {True: 'small', False: 'long'}}


def qemu(name, model, features, **more):
    return Machine(name, 'x86-64', f'qemu-x86_64 -cpu {model}', features, **more)


def bochs(name, model, features, options='', **more):
    command = f'{{lab}}/bochs.sh --dir {{dir}} {options} {model}'.replace('  ', ' ')
    return Machine(name, 'x86-64', command, features, parts=('bochs',), **more)


def choice(name, model, features, options=''):
    """Only the active kernel is exercised: the question is which that is."""
    return bochs(name, model, features, options, only=able('x86-64', features)[0])


SSE2 = 'sse2'
SSSE3 = f'{SSE2} ssse3'
AVX = f'{SSSE3} avx'
AVX2 = f'{AVX} avx2 bmi2'
ZMM = 'avx512f avx512bw avx512vl'
WASM_HOST = 'node --no-warnings {lab}/wasi.mjs'
MACHINES = [
    Machine('native', 'x86-64', '', None, slow=False),
    # name               CPU model             features
    qemu('sse2',         'qemu64',             SSE2),
    qemu('ssse3',        'Conroe',             SSSE3),
    qemu('sse4.2',       'Nehalem',            SSSE3, long=True),
    qemu('avx',          'SandyBridge',        AVX),
    # A hypervisor that hides AVX and forgets AVX2; and BMI2, which nobody believes of an Intel CPU without AVX (erratum SKL052).
    qemu('avx2-no-avx',  'Haswell,-avx',       SSSE3),
    qemu('avx2-no-xsave', 'Haswell,-xsave',    SSSE3),
    bochs('avx2',        'corei7_haswell_4770', AVX2),  # not QEMU, which faults in masked loads
    bochs('avx2-no-bmi', 'corei7_haswell_4770', f'{AVX} avx2', '--exclude bmi1,bmi2'),
    bochs('zen',         'ryzen',              AVX2, long=True),
    bochs('icelake',     'corei7_icelake_u',   f'{AVX2} {ZMM} avx512vbmi gfni'),
    bochs('sapphire',    'sapphire_rapids',    f'{AVX2} {ZMM} avx512vbmi gfni', long=True),
    bochs('skylake-x',   'corei7_skylake_x',   f'{AVX2} {ZMM}'),   # AVX-512 without VBMI and GFNI
    bochs('arrow-lake',  'arrow_lake',         f'{AVX2} gfni'),    # GFNI without AVX-512
    bochs('bulldozer',   'zambezi',            f'{AVX} xop', '--rewrite-xop'),
    bochs('piledriver',  'trinity_apu',        f'{AVX} xop', '--rewrite-xop', long=True),
    # Which is chosen?   CPU model             features
    choice('cannon-lake', 'corei3_cnl',        f'{AVX2} {ZMM} avx512vbmi'),  # no GFNI
    choice('os-no-zmm',  'corei7_icelake_u',   f'{AVX2} gfni', '--without avx512f'),  # the system does not save the registers
    choice('os-no-ymm',  'corei7_icelake_u',   SSSE3, '--without avx'),
    choice('os-no-xsave', 'corei7_haswell_4770', SSSE3, '--kernel noxsave'),
    choice('xop-no-ymm', 'zambezi',            SSSE3, '--without avx'),
    # The unmodified XOP instructions, by the illegal-instruction handler in the test program.
    Machine('xop-by-signal', 'x86-64', '', None, only='xop', emulate=True),
    Machine('aarch64', 'aarch64', 'qemu-aarch64', ''),
    Machine('i686', 'i686', 'qemu-i386', ''),
    Machine('s390x', 's390x', 'qemu-s390x', ''),
    Machine('wasm', 'wasm', WASM_HOST, '', check='wasm-validate --disable-simd {program}'),
    Machine('wasm-simd128', 'wasm-simd128', WASM_HOST, ''),
]

# --- single checks ----------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Check:
    """One program that is not the runner: where it runs, the exit code expected, what it must print."""
    name: str
    program: str                             # a program of `build`, or a source file in this folder
    run: str
    code: int = 0
    build: str = 'x86-64'
    parts: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    active: str | None = None                # the kernel that it must name as active
    right: tuple[str, ...] = ()              # instructions that must have been checked and right,
    wrong: tuple[str, ...] = ()              # and wrong: a fault that the lab works around; once repaired, drop that


def no_std(model, active, build='no_std', program='setwise-no-std'):
    """Whether the program without the standard library works there, and has chosen the right kernel."""
    bochs = not model.startswith('qemu')
    return Check(f'{build} {program}: {model}', program, f'{{lab}}/bochs.sh --dir {{dir}} {model}' if bochs else model, build=build,
                 parts=('bochs',) if bochs else (), active=active)


XOP_FORMS = ('vpperm', 'vpperm-memory-selector', 'vpcmov', 'vprotb', 'vpshlb')
CHECKS = [
    Check('this CPU: masked load', 'maskload_fault.rs', ''),
    Check('qemu: masked load', 'maskload_fault.rs', 'qemu-x86_64 -cpu Haswell', -11),
    Check('bochs: gather', 'gather_fault.rs', '{lab}/bochs.sh --dir {dir} corei7_icelake_u', 128, parts=('bochs',)),
    Check('bochs: vpperm as it is', 'vpperm_fault.rs', '{lab}/bochs.sh --dir {dir} zambezi', 1, parts=('bochs',)),
    Check('bochs: XOP as it is', 'instructions', '{lab}/bochs.sh --dir {dir} zambezi', 1, parts=('bochs',), arguments=('skip=vpshab-right',),
          wrong=XOP_FORMS),
    Check('bochs: XOP rewritten', 'instructions', '{lab}/bochs.sh --dir {dir} --rewrite-xop zambezi', 0, parts=('bochs',),
          arguments=('skip=vpshab-right,vpperm-memory-source',), right=XOP_FORMS),
    Check('bochs: AVX-512, VBMI, GFNI', 'instructions', '{lab}/bochs.sh --dir {dir} corei7_icelake_u', 0, parts=('bochs',),
          right=('gf2p8affineqb', 'vgf2p8affineqb-512', 'vpternlogq', 'vpermb', 'vpermt2b')),
    Check('signal handler: XOP', 'instructions', '', 0, arguments=('xop',), right=XOP_FORMS),
    no_std('qemu-x86_64 -cpu qemu64', 'sse2'),
    no_std('qemu-x86_64 -cpu Haswell', 'avx2'),
    no_std('qemu-x86_64 -cpu Haswell', 'avx2', program='active'),
    no_std('qemu-x86_64 -cpu Haswell,-avx', 'sse2'),
    no_std('corei7_icelake_u', 'avx512'),
    no_std('--without avx512f corei7_icelake_u', 'avx2-gfni'),
    no_std('--rewrite-xop zambezi', 'xop'),
    no_std('corei7_icelake_u', 'avx512', 'no_std-icelake', 'active'),
    no_std('qemu-x86_64 -cpu Haswell', 'scalar', 'x86_64-unknown-none'),  # no kernel with vectors, whatever the CPU
    no_std('qemu-arm -cpu arm1136', 'scalar', 'thumbv6m'),                # not cortex-m0, at which QEMU 7.2 fails; this one has no Thumb-2 either
    no_std('qemu-arm', 'scalar', 'thumbv7em'),
    no_std('qemu-riscv32', 'scalar', 'riscv32i'),
]
