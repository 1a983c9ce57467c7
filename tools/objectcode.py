#!/usr/bin/env python3
"""Checks the object code of the library.

    tools/objectcode.py switch     the code of the kernel `switch` reads no tables
    tools/objectcode.py kernels    every kernel for x86-64 contains the instructions that it is
                                   named after, and shares code as the benchmark says
    tools/objectcode.py inlining   techniques are inlined, and calls of a kernel that is known at
                                   compile time are direct
    tools/objectcode.py counts     the instructions per board are those of tools/instructions.tsv
                                   and crates/measure/data/bounds.md
    tools/objectcode.py counts --update    writes tools/instructions.tsv
    tools/objectcode.py bounds     writes that page: the cycles that models of CPUs give
    tools/objectcode.py loops [KERNEL [OPERATION]]    prints the loops over blocks

Exit code: 0 as expected, 1 not as expected, 2 bad usage, 3 not possible on this machine.
"""
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'tools/emulate'))
from building import BuildFailed, CannotInstall, cargo, install, need_target  # noqa: E402
from disassembly import (callee, calls_through_pointers, code_by_name, fullest_way,  # noqa: E402
                         functions, hottest_loop, is_call, jumped_to, lines, loops, parts, target,
                         tool, total)
from machines import BUILDS, KERNELS  # noqa: E402

TARGET = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
LIBRARY = TARGET / 'release' / 'libsetwise.rlib'
TABLE = ROOT / 'tools/instructions.tsv'
PAGE = ROOT / 'crates/measure/data/bounds.md'
# Counts may differ by this fraction.
TOLERANCE = 0.03


def fail(message):
    sys.exit(f'objectcode.py: error: {message}')


def cannot(why):
    print(f'objectcode.py: {why}', file=sys.stderr)
    sys.exit(3)


def run(*command, **more):
    """What a command prints."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **more)
    if done.returncode:
        fail(f'{command[0]} failed: {done.stderr[-3000:]}')
    return done.stdout


def compiler():
    return run('rustc', '--version').split(' (')[0]


def build_library():
    """Builds the library for release, with every kernel. Returns its functions."""
    # With the command line, which enables every kernel, and which is often built already. With
    # `-p setwise`, cargo would compile the library again.
    run('cargo', 'build', '--quiet', '--release')
    return code_by_name(LIBRARY)


# --- the kernel `switch` --------------------------------------------------------------------------

MOST_TESTS = 2.5
PIECES = ["bishop", "rook"]
LINES_PER_PIECE = 2
SWITCH = r"setwise::kernels::.*switch::.*generated::(\w+)"


def jump_table(piece):
    """The address at which the code for each square starts. The jump table holds these addresses,
    relative to the table."""
    entry = re.compile(r"([0-9a-f]+) R_X86_64_PC32\s+\.text\.\S*switch\S*"
                       rf"generated\d+{piece}(?:17h\w+)?\+0x([0-9a-f]+)")
    found = [match for one in lines(LIBRARY, "-r")
             if (match := entry.match(one))]
    return {int(m[1], 16) // 4: int(m[2], 16) - int(m[1], 16) for m in found}


def check_memory(piece, code):
    """Checks that the code reads nothing but one entry of the jump table, makes no calls, and has
    exactly one indirect jump. (A memory operand is in parentheses; `lea` does not read it.)"""
    reads = [f"{mnemonic} {operands}" for _, mnemonic, operands in code
             if "(" in operands and not mnemonic.startswith(("lea", "nop"))]
    if len(reads) != 1 or not re.fullmatch(r"movslq \(%r\w+,%r\w+,4\),%r\w+", reads[0]):
        fail(f"{piece} must read one entry of the jump table, but reads\n  " + "\n  ".join(reads))
    if calls := [operands for _, mnemonic, operands in code if mnemonic.startswith("call")]:
        fail(f"{piece} calls {calls}")
    jumps = sum(mnemonic == "jmp" and operands.startswith("*") for _, mnemonic, operands in code)
    if jumps != 1:
        fail(f"{piece} has {jumps} indirect jumps, not one")


def executed(code, start):
    """The average number of bit tests and conditional jumps from an address to `ret`. No square is
    tested twice, so half of the occupancies that reach a jump take it."""
    place = {address: i for i, (address, _, _) in enumerate(code)}

    def walk(i, tested):
        tests = jumps = 0
        while True:
            _, mnemonic, operands = code[i]
            i += 1
            if mnemonic in ("test", "bt", "and"):
                if operands.startswith("$") and operands in tested:
                    fail(f"{operands} is tested twice")
                tested = tested | {operands}
                tests += 1
            elif mnemonic == "ret":
                return tests, jumps
            elif mnemonic.startswith("j"):
                target = place[int(operands.split()[0], 16)]
                if mnemonic == "jmp":
                    i = target
                    continue
                ways = walk(target, tested), walk(i, tested)
                return tuple(now + sum(later) / 2
                             for now, later in zip((tests, jumps + 1), zip(*ways)))

    return walk(place[start], frozenset())


def switch():
    """Checks the kernel `switch`. The code of a piece jumps to the code of the slider's square
    through a table, and reads no other memory. It calls nothing, and executes at most MOST_TESTS
    bit tests (test, bt, and) per line (rank, file or diagonal). Prints the averages over all
    squares and occupancies, and the number of conditional jumps in the code."""
    code = {match[1]: [(one.address, one.mnemonic, one.operands) for one in instructions]
            for name, instructions in build_library().items()
            if (match := re.fullmatch(SWITCH, name))}
    if sorted(code) != PIECES:
        fail(f"the generated functions are {sorted(code)}, not {PIECES}")
    all_tests = 0
    print(f"{'piece':<14}{'bytes':>8}{'tests':>8}{'jumps':>8}{'of':>8}")
    for piece in PIECES:
        check_memory(piece, code[piece])
        starts = jump_table(piece)
        if sorted(starts) != list(range(64)):
            fail(f"the jump table of {piece} must have 64 entries, has {sorted(starts)}")
        squares = [executed(code[piece], start) for start in starts.values()]
        tests, jumps = (sum(numbers) / 64 for numbers in zip(*squares))
        all_tests += tests
        branches = sum(mnemonic[0] == "j" and mnemonic != "jmp" for _, mnemonic, _ in code[piece])
        print(f"{piece:<14}{code[piece][-1][0] + 1:>8}{tests:>8.2f}{jumps:>8.2f}{branches:>8}")
    per_line = all_tests / (LINES_PER_PIECE * len(PIECES))
    print(f"{'a line':<22}{per_line:>8.2f}")
    if per_line > MOST_TESTS:
        fail(f"more than {MOST_TESTS} tests per line")


# --- the instructions of kernels ------------------------------------------------------------------

ROOKS, BISHOPS, QUEENS = "rook_attacks", "bishop_attacks", "queen_attacks"
ALL = ROOKS, BISHOPS, QUEENS
# The instructions that make a kernel, and the operations that must contain them. Only rays along
# ranks subtract, so bishops need no subtraction.
NAMED = {
    "sse2": {"psubb": (ROOKS, QUEENS), "pandn": ALL},
    "ssse3": {"pshufb": ALL},
    "avx2": {"vpsubb": (ROOKS, QUEENS), "vpandn": ALL},
    "avx2-gfni": {"gf2p8affineqb": ALL},
    "avx512-gfni": {"gf2p8affineqb": ALL},
    "xop": {"vpperm": ALL, "vpcmov": ALL, "vpshlb": (BISHOPS, QUEENS)},
    "pext": {"pext": ("rook_attacks_from", "bishop_attacks_from")},
}
# Instructions that a kernel emulates, and so must not contain.
IN_SOFTWARE = {"xop-emulated": ("vpperm", "vpcmov", "vpshlb")}
# The operations of `xop` that contain VPPERM: to slice boards, or to reverse ranks for rays to the
# west. The other operations have no such rays, or compute them in code that kernels share.
WITH_VPPERM = (
    "attack_maps", BISHOPS, "pins", QUEENS, "ray_attacks", ROOKS, "slider_attacks",
    "slider_attacks_split", "xray_queen_attacks", "xray_rook_attacks",
)


def check_shared(code):
    """Compares the kernels' functions with the groups in the benchmark's data."""
    path = ROOT / "crates" / "measure" / "data" / "one-board.json"
    padding = {"nop", "nopw", "nopl", "cs", "data16", "int3", "xchg"}
    for operation, own in json.loads(path.read_text(encoding="utf-8")).items():
        groups = {}
        for (kernel, name), counter in code.items():
            if name == operation:
                counts = frozenset((i, n) for i, n in counter.items() if i not in padding)
                groups.setdefault(counts, set()).add(kernel)
        found = sorted(sorted(group) for group in groups.values())
        compiled = set().union(*found)
        if not compiled and own:
            fail(f"{operation}: no kernel has a function of this name")
        listed = [set(group) & compiled for group in own]
        expected = sorted(sorted(group) for group in
                          [*listed, compiled.difference(*listed)] if group)
        if found != expected:
            fail(f"{operation}: the kernels with equal code are {found}, not {expected} as in {path}")
        print(f"{operation}: {len(found)} codes of {len(compiled)} kernels")


def kernels():
    """Checks the instructions of NAMED. `xop` must contain VPPERM in the operations WITH_VPPERM.
    For each of them, `xop-emulated` must contain at least as many calls of the software VPPERM.
    (There may be more: the compiler drops an unused instruction, but not a call.) Kernels must
    share the code of an operation exactly as crates/measure/data/one-board.json says, because the
    benchmark draws shared code only once."""
    entry = re.compile(r"setwise::kernels::\w+::(?!threats)(\w+)::entries::(\w+)")
    # How often each instruction occurs, for each kernel and operation. A call through a register
    # counts as `call *`.
    code = {(match[1].replace("_", "-"), match[2]):
            Counter(one.mnemonic + " *" * one.operands.startswith("*") for one in instructions)
            for name, instructions in build_library().items() if (match := entry.fullmatch(name))}
    for (kernel, operation), counter in code.items():
        for instruction in IN_SOFTWARE.get(kernel, ()):
            if counter[instruction]:
                fail(f"{operation} of {kernel} contains {instruction}, not its software form")
    for kernel, instructions in NAMED.items():
        for instruction, operations in instructions.items():
            counts = []
            for operation in operations:
                counter = code.get((kernel, operation), {})
                count = counter.get(instruction, 0) + counter.get("v" + instruction, 0)
                if count == 0:
                    fail(f"{operation} of {kernel} contains no {instruction}")
                counts.append(f"{operation} {count}")
            print(f"{kernel:<14}{instruction:<16}{', '.join(counts)}")
    check_shared(code)
    found = sorted(operation for (kernel, operation), counter in code.items()
                   if kernel == "xop" and counter["vpperm"])
    if found != sorted(WITH_VPPERM):
        fail(f"the operations of xop that contain vpperm are {found}, not {sorted(WITH_VPPERM)}")
    for operation in WITH_VPPERM:
        instructions = code["xop", operation]["vpperm"]
        calls = code.get(("xop-emulated", operation), Counter())["call *"]
        if calls < instructions:
            fail(f"{operation}: xop has {instructions} vpperm, xop-emulated {calls} calls")


# --- inlining -------------------------------------------------------------------------------------

# With an explicit target, cargo does not apply the flags to procedural macros, which must be
# position-independent.
TRIPLE = "x86_64-unknown-linux-gnu"


def example(name, library, macros, *flags):
    """Compiles and runs an example. Returns its functions by name, each a list of instructions.
    The library is in the folder `library`, the procedural macros are in `macros`."""
    program = (TARGET / "inlining").resolve() / name
    program.parent.mkdir(parents=True, exist_ok=True)
    run("rustc", "--edition=2024", "-Copt-level=3", "-Cpanic=abort", *flags,
        ROOT / "examples" / f"{name}.rs", "--extern", f"setwise={library}/libsetwise.rlib",
        "-L", f"dependency={library}/deps", "-L", f"dependency={macros}/deps", "-o", program)
    run(program)
    return {function: [f"{one}{one.comment}" for one in code]
            for function, code in code_by_name(program).items()}


def only(found, name):
    """The code of the function whose name starts with `name`."""
    code = next((code for function, code in found.items() if function.startswith(name)), None)
    if code is None:
        fail(f"there is no function {name}")
    return code


def inlining():
    """Checks two examples. The loops of `per_level` must contain no call, which shows that the
    techniques are inlined. `of_target`, compiled for x86-64-v3, must contain no indirect call, and
    must call the functions of the kernel `avx2`."""
    build_library()
    release = LIBRARY.resolve().parent
    levels = example("per_level", release, release)
    for level in ("avx2", "avx512"):
        name = f"per_level::levels::with_{level}"
        code = only(levels, name)
        if not any("%ymm" in instruction for instruction in code):
            fail(f"{name} uses no %ymm registers")
        if found := [one for one in code if one.startswith("call")]:
            fail(f"{name} calls: {found}")
        print(f"{name}: {len(code)} instructions, no call")
    # Position-independent code would call functions of other crates through a table, indirectly.
    flags = ("-Ctarget-cpu=x86-64-v3", "-Crelocation-model=static")
    folder = (TARGET / "inlining").resolve()
    # Two kernels, of which x86-64-v3 has one.
    run("cargo", "build", "--quiet", "--release", "-p", "setwise", "--target-dir", folder,
        "--target", TRIPLE,
        env=os.environ | {"RUSTFLAGS": " ".join(flags), "SETWISE_KERNELS": "avx512,avx2"})
    code = only(example("of_target", folder / TRIPLE / "release", folder / "release", *flags),
                "of_target::of_target")
    indirect = [one for one in code if re.match(r"(call|jmp)\s+\*", one) and "@GLIBC" not in one]
    if indirect:
        fail(f"of_target has indirect calls: {indirect}")
    for function in ("rook_attacks", "queen_attacks_one"):
        entry = re.compile(rf"call.*x86_64::avx2::entries::{function}>")
        if not any(entry.search(one) for one in code):
            fail(f"of_target does not call avx2's {function}")
    print("of_target calls avx2's functions directly")


# --- counts ---------------------------------------------------------------------------------------

# `vector` counts the instructions that touch a vector register, and `ops` only those that compute.
# `spills` are memory operands on the stack, including those folded into an op.
COLUMNS = ('vector', 'ops', 'spills', 'scalar')
# The targets whose kernels are counted, by their names in machines.py.
COUNTED = ['x86-64', 'aarch64', 'wasm-simd128']
# The kernels that callgrind cannot execute: of other targets, or with instructions newer than AVX2.
NOT_RUN = [kernel for kernel, (build, needs) in KERNELS.items()
           if build != 'x86-64' or not set(needs.split()) <= {'sse2', 'ssse3', 'avx', 'avx2', 'bmi2'}]
# Demangled names of the kernels' functions. `portable` has one loop for all operations, with a
# version for each instruction set.
SYMBOLS = [re.compile(form) for form in (
    r'^setwise::kernels::\w+::(?P<kernel>\w+)::entries::(?P<operation>\w+)$',
    r'^setwise::kernels::any_cpu::(?P<kernel>portable)::(\w+::)*'
    r'(?P<operation>add_bytes)_(?P<version>avx512|[a-z0-9]+)\w*_version$')]
# Bytes of one board's results; 8 for all other operations.
BYTES = {'pins': 16, 'slider_attacks_split': 16, 'intersections': 4}


def named(symbol):
    """The (kernel, operation) to which a function belongs, or None."""
    m = next((m for form in SYMBOLS if (m := form.match(symbol))), None)
    if m is None:
        return None
    version = m.groupdict().get('version')
    return m['kernel'].replace('_', '-') + (f'({version})' if version else ''), m['operation']


def kernels_in(path):
    """Returns the record of `account` for each kernel and operation in a library file."""
    records = []
    everything = functions(path, re.compile('setwise'))
    by_name = {f.name: f for f in everything}
    for entry in everything:
        kernel, operation = named(entry.name) or ('', '')
        if not kernel:
            continue
        if named((other := jumped_to(entry, by_name)).name):
            entry = other
        records.append({'kernel': kernel, 'operation': operation, **account(entry, by_name)})
        records[-1]['boards'] /= BYTES.get(operation, 8)
    return records


def account(entry, by_name):
    """Counts the instructions in a function's hottest loop.

    The result's `boards` is the number of bytes that the loop stores (`kernels_in` converts it to
    boards), or 0 if the counts are not those of one block."""
    found, notes = hottest_loop(entry, by_name), []
    if found:
        function, whole = found
        loop = fullest_way(function, whole)
    else:
        function, whole = entry, list(range(len(entry.code)))
        loop = whole
        notes = ['no loop: the whole function, which does one block']
    executed = parts(function, loop, by_name)
    counts, stored = total(executed)
    called = Counter(callee(f.code[i], f) or f.code[i].operands
                     for f, indices in executed for i in indices
                     if is_call(f.architecture, f.code[i]))
    counted = {f.name for f, _ in executed}
    unknown = [f'calls {name}' + (f' {times} times' if times > 1 else '')
               for name, times in called.items() if name not in counted]
    inner = any(set(other) < set(whole) for other in loops(function))
    if inner or any(loops(f) for f, _ in executed[1:]):
        unknown.append('has an inner loop, counted once')
    # If `entry` itself contains the loop, calls through pointers are harmless: they handle short
    # batches.
    if function is not entry and calls_through_pointers(entry, by_name):
        unknown.append('calls loops through pointers: only the hottest is counted')
    elif not stored:
        unknown.append('stores no boards')
    if notes or unknown:
        stored = 0
    notes += unknown + [f'with calls of {name}' for name in called if name in counted]
    return {'architecture': function.architecture, 'boards': stored,
            **{c: counts[c] for c in COLUMNS}, 'notes': notes,
            'function': function, 'loop': loop, 'whole': len(executed) == 1}


def listing(record):
    """The loop as assembler source, with every branch redirected to the head of the loop."""
    text = ['loop:']
    for i in record['loop']:
        one = record['function'].code[i]
        operands = re.sub(r'\s*<.*>', '', one.operands)
        if target(one) is not None:
            operands = re.sub(r'0x[0-9a-f]+$', 'loop', operands)
        text.append(f'  {one.mnemonic} {operands}')
    return '\n'.join(text) + '\n'


def records(builds):
    """The records of all kernels in the library, built for release for these targets."""
    install(['packages'])
    found = []
    for name in builds:
        need_target(BUILDS[name].target)
        for artifact in cargo(name, 'build', '--release', '--package', 'setwise'):
            if artifact['target']['name'] == 'setwise':
                found += [record for file in artifact['filenames'] if file.endswith('.rlib')
                          for record in kernels_in(file)]
    return found


def by_callgrind():
    """Instructions per board by (kernel, operation)."""
    run('cargo', 'build', '--quiet', '--release', '-p', 'setwise-measure', '--example',
        'instructions')
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        run('valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/out',
            TARGET / 'release/examples/instructions')
        for file in glob.glob(f'{folder}/out.*'):
            text = Path(file).read_text(encoding='utf-8')
            name = re.search(r'Client Request: (\S+)\t(\S+)\t(\d+)', text)
            instructions = re.search(r'^(?:totals|summary): (\d+)', text, re.M)
            if name and instructions:
                counts[name[1], name[2]] = int(instructions[1]) / int(name[3])
    return counts


def listed_counts():
    """The compiler of the table, and its counts by (kernel, operation, how)."""
    head, *rows = TABLE.read_text(encoding='utf-8').splitlines()
    cells = [row.split('\t') for row in rows]
    return (re.search(r'rustc [\d.]+', head)[0],
            {tuple(key): float(count) for *key, count in cells})


def different(before, now):
    """A line for each count that differs, or is only in one of the two."""
    for key in sorted(before.keys() | now):
        old, new = before.get(key), now.get(key)
        if old is None or new is None or abs(new - old) > TOLERANCE * old + 0.01:
            yield f"{' '.join(key)}: {new and round(new, 3)} instead of {old}"


def counts(update=False):
    """Compares the instructions per board with those listed. callgrind counts the kernels that it
    can execute, on 1,024 random boards. For those that it cannot, the table has the vector
    instructions in the loop over blocks (`static`). The page has those of the kernels for x86-64.
    The table and the page are valid only for the compiler that they name."""
    if not shutil.which('valgrind') and subprocess.call([ROOT / 'tools/install.sh', 'valgrind']):
        cannot('needs valgrind')
    listed_for, before = listed_counts()
    if not update and compiler() != listed_for:
        cannot(f'{TABLE.name} is for {listed_for}, not for {compiler()}')
    by_run = by_callgrind()
    now = {(*key, 'callgrind'): count for key, count in by_run.items()}
    if left := [key for key in before if key[2] == 'callgrind' and key not in now]:
        print(f'skipped: {len(left)} counts of kernels that do not run here')
    now |= {key: before[key] for key in left}
    found = records(COUNTED)
    now |= {(r['kernel'], r['operation'], 'static'): r['vector'] / r['boards'] for r in found
            if r['kernel'] in NOT_RUN and r['boards'] and r['vector']}
    if update:
        rows = ['\t'.join([*key, f'{count:.2f}']) for key, count in sorted(now.items())]
        head = f'# instructions per board, {compiler()}: kernel, operation, how, count'
        TABLE.write_text('\n'.join([head, *rows]) + '\n', encoding='utf-8')
        print(f'{len(rows)} counts written')
        return
    wrong = [*different(before, now)]
    page_for, on_page = listed(PAGE.read_text(encoding='utf-8'))
    if page_for == compiler():
        on_x86 = [r for r in found if r['architecture'] == 'x86-64']
        entries, _ = on_page_now(on_x86, by_run)
        wrong += different(*({(*key, name): n for key, entry in page.items()
                              for name, n in entry.items()} for page in (on_page, entries)))
    else:
        print(f'skipped: {PAGE.name}, which is for {page_for}')
    if wrong:
        print('\n'.join(wrong))
        fail('if this is intended, run `objectcode.py counts --update`, then `objectcode.py bounds`')
    print(f'{len(now)} counts match the table, {len(on_page)} rows the page')


# --- bounds ---------------------------------------------------------------------------------------

# CPUs of which llvm-mca 22 has a model, with their FEATURES. The features are listed because
# llvm-mca accepts instructions that a CPU lacks. For Zen 5, llvm-mca uses its model of Zen 4.
MODELS = {'bdver2': 'xop', 'haswell': 'avx2', 'skylake-avx512': 'avx2 avx512',
          'icelake-server': 'avx2 avx512 vbmi gfni', 'sapphirerapids': 'avx2 avx512 vbmi gfni',
          'znver1': 'avx2', 'znver2': 'avx2', 'znver3': 'avx2',
          'znver4': 'avx2 avx512 vbmi gfni'}
FEATURES = {
    'xop': r'\bvp(perm|cmov|rot[bwdq]|sh[la][bwdq])\s',
    'avx2': r'\bvp\w+ .*ymm',
    'avx512': r'zmm|\{k\d|\bk\w+ k\d',
    'vbmi': r'\bvp(ermb|ermi2b|ermt2b|multishiftqb)\s',
    'gfni': r'gf2p8',
}
# The version of llvm-mca whose options and port names this script knows.
LLVM = 22
# A loop in the disassembly is the one that callgrind executed if their instruction counts differ by
# at most this fraction. callgrind's count also includes the calls.
CALLS = 0.12
# The kernels on the page: those for an instruction set, and the baseline.
LISTED = {*KERNELS, 'scalar'} - {'xop-emulated'}
# The operations whose limits the page lists.
MAIN = ['rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks']
# If the simulation takes more than this multiple of the bound, `limit` says what delays it.
SLOWER = 1.25
SHUFFLE = re.compile(r'v?(pshuf|punpck|pack[su]s|palignr|perm|pperm|shuf|unpck|valign|pinsr|pextr|'
                     r'pblendw|phminpos|insert|extract|broadcast|pbroadcast|movddup|pslldq|psrldq|'
                     r'compress|expand|pcompress|pexpand|pmovzx|pmovsx|movs[hl]dup)')


def lacks(record, cpu):
    """Whether llvm-mca cannot analyse the loop for a CPU: the CPU lacks an instruction, or the loop
    has a call."""
    needs = {name for name, form in FEATURES.items() if re.search(form, listing(record))}
    calls = not record['whole'] or any(note.startswith('calls') for note in record['notes'])
    return calls or not needs <= set(MODELS[cpu].split())


def mca(record, cpu, *options):
    """Runs llvm-mca on the loop. Returns what it prints."""
    return run(tool('llvm-mca'), '-mtriple=x86_64-unknown-linux-gnu', f'-mcpu={cpu}', *options,
               input='.intel_syntax noprefix\n' + listing(record))


def per_board(number, boards):
    return float(f'{number / boards:.3g}')


def short(port):
    """A port's name: p5 for `SPRPort05`, FP1 for `Zn4FP1`, ALU for `Zn4ALU2`."""
    if m := re.fullmatch(r'[A-Za-z]+Port0*(\d+)', port):
        return f'p{int(m[1])}'
    return re.sub(r'(?<=ALU|AGU)\d+|\..$', '', re.sub(r'^(Zn\d?|Pd)(?=[A-Z])', '', port))


def tables(record, cpu):
    """Returns `groups` and `rows`.

    `groups` maps each port group to llvm-mca's unit count and its ports. `rows` has one
    (instruction text, {group: cycles}) per instruction of the loop; the cycles are those of the
    micro-operations that only this group's ports can execute."""
    groups, rows = {}, []
    for line in mca(record, cpu, '--instruction-tables=full').splitlines():
        if m := re.match(r'\[\d+\]\s+- (\w+):(\d+)\s*(.*)', line):
            ports = list(dict.fromkeys(map(short, (m[3] or m[1]).split(', '))))
            groups[m[1]] = int(m[2]), ports
        elif m := re.match(r'\s*\d+\s+\d+\s+\d+\.\d+\s[\s*U]*\d+\s+(?:(\S+)\s+)?[A-Z]\w*\s+([a-z].*)',
                           line):
            used = re.findall(r'(\w+)(?:\[(?:\d+,)?(\d+)\])?', m[1] or '')
            rows.append((m[2], {name: int(cycles or 1) for name, cycles in used}))
    return groups, rows


def model(record, cpu):
    """Returns the page's numbers for one CPU, or None if llvm-mca cannot analyse the loop."""
    if lacks(record, cpu):
        return None
    analysis = json.loads(mca(record, cpu, '-iterations=100', '--bottleneck-analysis', '--json'))
    region, boards = analysis['CodeRegions'][0], record['boards']
    summary, delays = region['SummaryView'], region['BottleneckAnalysis']
    uops = summary['TotaluOps'] / summary['Iterations']
    simulated = summary['TotalCycles'] / summary['Iterations']
    groups, rows = tables(record, cpu)
    if len(rows) != len(record['loop']):
        raise RuntimeError(f'llvm-mca printed {len(rows)} of {len(record["loop"])} instructions')
    work = {name: sum(used.get(name, 0) for _, used in rows) for name in groups}
    front_end = uops / summary['DispatchWidth']
    ports = max(work[name] / units for name, (units, _) in groups.items())
    bound = max(front_end, ports)
    busy = by_instruction(analysis)[-1]
    most = max(busy.values())
    waits = delays.get('DataDependencyCycles', 0) > delays.get('ResourcePressureCycles', 0)
    if simulated > SLOWER * bound:
        full = [port for port, cycles in busy.items() if cycles > 0.95 * most]
        limit = 'latency'
        if not waits and most >= 0.8 * simulated:
            limit = f"{' '.join(full)} in phases" + shuffles(
                [(text, sum(used.get(port, 0) for port in full))
                 for (text, _), used in zip(rows, by_instruction(analysis))])
    else:
        # Choose the smallest of the port groups that are equally busy.
        name = min((n for n, (units, _) in groups.items() if work[n] / units > 0.99 * ports),
                   key=lambda name: groups[name][0])
        limit = ' '.join(groups[name][1]) + shuffles(
            [(text, used.get(name, 0)) for text, used in rows])
        if front_end > 0.95 * ports:
            limit = 'front end' + (f', {limit}' if ports > 0.95 * front_end else '')
    return {'bound': per_board(bound, boards), 'simulated': per_board(simulated, boards),
            'limit': limit}


def by_instruction(analysis):
    """Returns a list of {port: simulated busy cycles}: one dict for each instruction of the block,
    then one for the whole block."""
    names = [short(name) for name in analysis['TargetInfo']['Resources']]
    region = analysis['CodeRegions'][0]
    busy = [dict.fromkeys(names, 0) for _ in range(len(region['Instructions']) + 1)]
    for entry in region['ResourcePressureView']['ResourcePressureInfo']:
        port = names[entry['ResourceIndex']]
        busy[entry['InstructionIndex']][port] += entry['ResourceUsage'] / names.count(port)
    return busy


def shuffles(cycles):
    """A note on the share of shuffles in a list of (instruction, cycles); empty if below 40 %."""
    part = sum(n for text, n in cycles if SHUFFLE.match(text)) / sum(n for _, n in cycles)
    return f' ({100 * part:.0f} % shuffles)' if part >= 0.4 else ''


def on_page_now(records, counted):
    """Returns two dicts by (kernel, operation): the page's counts, still without the CPUs, and
    the records."""
    batches = {operation for _, operation in counted
               if not re.search(r'-|_one$|^(attack_maps|checks)', operation)}
    entries, found = {}, {}
    for r in records:
        key = r['kernel'], r['operation']
        boards, expected = r['boards'], counted.get(key)
        if '(' in r['kernel'] or r['operation'] not in batches or not boards:
            continue
        instructions = r['vector'] + r['scalar']
        if expected is None or abs(instructions / boards - expected) <= CALLS * expected:
            entries[key] = {name: per_board(n, boards) for name, n in (
                ('instructions', instructions), ('vector', r['ops']),
                ('spills', r['spills']))}
            found[key] = r
    # If kernels share a function, only one of them has a record. The others get the entry with the
    # same instruction count.
    for (kernel, operation), count in counted.items():
        same = next((key for key in sorted(found)
                     if key[1] == operation and counted.get(key) == count), None)
        if same and (kernel, operation) not in entries:
            entries[kernel, operation] = dict(entries[same])
            found[kernel, operation] = found[same]
    listed = [key for key in entries if key[0] in LISTED]
    return {key: entries[key] for key in listed}, {key: found[key] for key in listed}


HEAD = """# Bounds of the kernels by models of CPUs

`tools/objectcode.py bounds` writes this page: %s, kernels compiled by %s.

The numbers are per board, for loops over whole blocks with all data in the first-level cache.
*Instructions*, *vector* (vector operations that compute) and *spills* (loads from the stack and
stores to it) are counted in the disassembly. For each CPU: the fewest cycles that the front end and
the execution ports of its model need / the cycles of a simulation in which instructions also wait
for their operands.

Compare them with the column `cycles` of `setwise bench`. Zen 5 has no model of its own: znver4 is
the nearest, and Zen 5 does more per cycle. Models are approximate. Listed are `scalar` and
the kernels for an instruction set, without operations whose loops have calls, branches or tables
(look-ups, mobility in most kernels).
"""


def page(llvm, compiler, entries):
    """The page's text. `entries` maps (kernel, operation) to the counts and the `cpus`."""
    def number(n):
        return f'{n:g}'

    lines = [HEAD % (f'llvm-mca {llvm}', compiler)]
    for operation in sorted({operation for _, operation in entries},
                            key=lambda name: (name not in MAIN, name)):
        own = {kernel: entry for (kernel, other), entry in sorted(entries.items())
               if other == operation}
        lines += [f'## {operation}', '',
                  f"| kernel | instructions | vector | spills | {' | '.join(MODELS)} |",
                  '|---' * (4 + len(MODELS)) + '|']
        for kernel, entry in own.items():
            cpus = entry.get('cpus', {})
            cells = [f'`{kernel}`', *(number(entry[n]) for n in ('instructions', 'vector', 'spills'))]
            cells += [f"{number(cpus[cpu]['bound'])} / {number(cpus[cpu]['simulated'])}"
                      if cpu in cpus else '' for cpu in MODELS]
            lines.append(f"| {' | '.join(cells)} |")
        if operation in MAIN:
            lines += ['', 'Limits: a port in phases is busy while the rest of the loop waits.', '',
                      f"| kernel | {' | '.join(MODELS)} |", '|---' * (1 + len(MODELS)) + '|']
            for kernel, entry in own.items():
                cpus = entry.get('cpus', {})
                limits = [cpus[cpu]['limit'] if cpu in cpus else '' for cpu in MODELS]
                lines.append(f"| `{kernel}` | {' | '.join(limits)} |")
        lines.append('')
    return '\n'.join(lines)


def listed(text):
    """The page's compiler, and its counts by (kernel, operation)."""
    entries, operation, counts = {}, '', False
    for line in text.splitlines():
        if line.startswith('## '):
            operation = line[3:]
        if line.startswith('| kernel '):
            counts = 'instructions' in line
        if counts and (m := re.match(r'\| `(\S+)` \| (\S+) \| (\S+) \| (\S+) \|', line)):
            names = 'instructions', 'vector', 'spills'
            entries[m[1], operation] = dict(zip(names, map(float, m.groups()[1:])))
    return re.search(r'compiled by (rustc [\d.]+\d)', text)[1], entries


def bounds():
    """Writes the page of bounds. For each CPU that llvm-mca models, it has, per board:

    bound      the fewest cycles: the larger of two numbers. One is micro-operations / dispatch
               width. The other is the work that only the ports of one group can do / the number of
               these ports, for the busiest group. (llvm-mca's block reciprocal throughput is lower:
               a group's work there does not include that of the smaller groups in it.)
    simulated  cycles of a simulation, in which instructions also wait for their operands
    limit      what sets the bound; if the simulation takes much longer, what delays it. `in phases`
               means that the rest of the loop waits while the ports named are busy

    A loop counts only if its instructions match callgrind's count."""
    listed_for, counted = listed_counts()
    if compiler() != listed_for:
        cannot(f'{TABLE.name} is for {listed_for}, not for {compiler()}')
    entries, found = on_page_now(records(['x86-64']), {
        (kernel, operation): n for (kernel, operation, how), n in counted.items()
        if how == 'callgrind'})
    llvm = re.search(r'LLVM version (\S+)', run(tool('llvm-mca'), '--version'))[1]
    if int(llvm.split('.')[0]) != LLVM:
        cannot(f'needs llvm-mca {LLVM}, this is {llvm}')
    jobs = [(key, cpu) for key in found for cpu in MODELS]
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(lambda job: model(found[job[0]], job[1]), jobs))
    for (key, cpu), one in zip(jobs, models):
        if one:
            entries[key].setdefault('cpus', {})[cpu] = one
    PAGE.write_text(page(llvm, compiler(), entries), encoding='utf-8')
    print(f'{len(entries)} kernels and operations')


def print_loops(kernel='.*', operation='.*'):
    for r in sorted(records(COUNTED), key=lambda r: (r['architecture'], r['operation'], r['kernel'])):
        if re.fullmatch(kernel, r['kernel']) and re.fullmatch(operation, r['operation']):
            numbers = ', '.join(f'{name} {r[name]}' for name in COLUMNS)
            print(f"\n{r['architecture']} {r['kernel']} {r['operation']}: {r['boards']:g} boards, "
                  f"{numbers}; {'; '.join(r['notes'])}\n{listing(r)}", end='')


def main():
    command, *arguments = sys.argv[1:] or ['']
    commands = {'switch': switch, 'kernels': kernels, 'inlining': inlining, 'bounds': bounds}
    if platform.machine() not in ('x86_64', 'AMD64') or not shutil.which('objdump'):
        cannot('needs objdump, on x86-64')
    try:
        if command in commands and not arguments:
            commands[command]()
        elif command == 'counts' and arguments in ([], ['--update']):
            counts(update=bool(arguments))
        elif command == 'loops' and len(arguments) < 3:
            print_loops(*arguments)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (CannotInstall, FileNotFoundError) as error:
        cannot(error)
    except BuildFailed as error:
        fail(error)
    return 0


if __name__ == '__main__':
    sys.exit(main())
