#!/usr/bin/env python3
"""Checks the object code of the library.

    tools/objectcode.py switch     the code of the kernel `switch` reads no tables
    tools/objectcode.py kernels    every kernel for x86-64 contains the instructions that it is
                                   named after, and shares code as the benchmark says
    tools/objectcode.py inlining   techniques are inlined, and calls of a kernel that is known at
                                   compile time are direct
    tools/objectcode.py counts     the instructions per board are those of tools/instructions.tsv
                                   and crates/measure/data/bounds.md
    tools/objectcode.py counts --update    writes that table
    tools/objectcode.py bounds     writes crates/measure/data/bounds.md: the cycles that models of
                                   CPUs give
    tools/objectcode.py loops [KERNEL [OPERATION]]    prints the loops over blocks, for example for
                                                      `llvm-mca --bottleneck-analysis`

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


def jump_table(piece):
    """The squares in the jump table of a piece: its entries are relocations of four bytes."""
    entry = re.compile(r"([0-9a-f]+) R_X86_64_PC32\s+\.text\.\S*switch\S*"
                       rf"generated\d+{piece}(?:17h\w+)?\+0x")
    return sorted({int(m[1], 16) // 4 for one in lines(LIBRARY, "-r") if (m := entry.match(one))})


def switch():
    """Checks the functions of the kernel `switch`. Each must read nothing but one entry of its jump
    table, which has all squares, call nothing, and have exactly one indirect jump. (A memory
    operand is in parentheses; `lea` does not read it. A test in kernels/any_cpu/switch.rs counts
    the bit tests.)"""
    form = re.compile(r"setwise::kernels::.*switch::.*generated::(\w+)")
    code = {match[1]: instructions for name, instructions in build_library().items()
            if (match := form.fullmatch(name))}
    if sorted(code) != ["bishop", "rook"]:
        fail(f"the generated functions are {sorted(code)}, not bishop and rook")
    for piece, instructions in code.items():
        reads = [str(one) for one in instructions
                 if "(" in one.operands and not one.mnemonic.startswith(("lea", "nop"))]
        if len(reads) != 1 or not re.fullmatch(r"movslq \(%r\w+,%r\w+,4\),%r\w+", reads[0]):
            fail(f"{piece} must read one entry of the jump table, but reads {reads}")
        if calls := [str(one) for one in instructions if one.mnemonic.startswith("call")]:
            fail(f"{piece} calls {calls}")
        jumps = sum(str(one).startswith("jmp *") for one in instructions)
        if jumps != 1:
            fail(f"{piece} has {jumps} indirect jumps, not one")
        if (squares := jump_table(piece)) != [*range(64)]:
            fail(f"the jump table of {piece} must have 64 entries, has {squares}")
        branches = sum(re.match(r"j(?!mp)", one.mnemonic) is not None for one in instructions)
        print(f"{piece}: {instructions[-1].address + 1} bytes, {branches} conditional jumps, no tables")


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
WITH_VPPERM = {"attack_maps", "pins", "ray_attacks", "slider_attacks", "slider_attacks_split",
               "xray_queen_attacks", "xray_rook_attacks", *ALL}


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
    """Checks the instructions of NAMED, IN_SOFTWARE and WITH_VPPERM. `xop-emulated` must call the
    software VPPERM at least as often as `xop` contains the instruction. (There may be more calls:
    the compiler drops an unused instruction, but not a call.) Kernels must share the code of an
    operation exactly as crates/measure/data/one-board.json says, because the benchmark draws shared
    code only once."""
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
    vpperm = {operation: counter["vpperm"] for (kernel, operation), counter in code.items()
              if kernel == "xop" and counter["vpperm"]}
    if set(vpperm) != WITH_VPPERM:
        fail(f"not the operations of xop with vpperm: {sorted(set(vpperm) ^ WITH_VPPERM)}")
    for operation, instructions in vpperm.items():
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

# The targets whose kernels are counted, by their names in machines.py.
COUNTED = ['x86-64', 'aarch64']
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
    boards), or 0 if the counts are not those of one block, for a reason in `notes`."""
    found, notes = hottest_loop(entry, by_name), []
    if found:
        function, whole = found
        loop = fullest_way(function, whole)
    else:
        function, loop = entry, list(range(len(entry.code)))
        whole, notes = loop, ['no loop: the whole function, which does one block']
    executed = parts(function, loop, by_name)
    counts, stored = total(executed)
    called = {callee(f.code[i], f) or f.code[i].operands for f, indices in executed
              for i in indices if is_call(f.architecture, f.code[i])}
    notes += [f'calls {name}' for name in sorted(called - {f.name for f, _ in executed})]
    if any(set(other) < set(whole) for other in loops(function)) or any(
            loops(f) for f, _ in executed[1:]):
        notes.append('has an inner loop, counted once')
    # If `entry` itself contains the loop, calls through pointers are harmless: they handle short
    # batches.
    if function is not entry and calls_through_pointers(entry, by_name):
        notes.append('calls loops through pointers: only the hottest is counted')
    return {'architecture': function.architecture, 'boards': 0 if notes else stored,
            'vector': counts['vector'], 'scalar': counts['scalar'], 'notes': notes,
            'function': function, 'loop': loop, 'whole': len(executed) == 1}


def listing(record):
    """The loop as assembler source, with every branch redirected to the head of the loop."""
    text = ['.intel_syntax noprefix'] if record['architecture'] == 'x86-64' else []
    text.append('loop:')
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


def executed(counted):
    """callgrind's counts by (kernel, operation)."""
    return {tuple(key): n for (*key, how), n in counted.items() if how == 'callgrind'}


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
    page_for, listed = counts_on_page()
    if page_for == compiler():
        on_x86 = on_page([r for r in found if r['architecture'] == 'x86-64'], executed(before))
        wrong += different(listed, {(*key, PAGE.name): per_board(r['vector'] + r['scalar'], r['boards'])
                                    for key, r in on_x86.items()})
    else:
        wrong.append(f'{PAGE.name} is for {page_for}')
    if wrong:
        print('\n'.join(wrong))
        fail('if this is intended, run `objectcode.py counts --update`, then `objectcode.py bounds`')
    print(f'{len(now)} counts match the table, {len(listed)} rows the page')


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
# The kernels on the page: those for an instruction set.
LISTED = {*KERNELS} - {'xop-emulated'}
# The operations on the page.
MAIN = ['rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks']


def lacks(record, cpu):
    """Whether llvm-mca cannot analyse the loop for a CPU: the CPU lacks an instruction, or the loop
    has a call."""
    needs = {name for name, form in FEATURES.items() if re.search(form, listing(record))}
    calls = not record['whole'] or any(note.startswith('calls') for note in record['notes'])
    return calls or not needs <= set(MODELS[cpu].split())


def mca(record, cpu, *options):
    """Runs llvm-mca on the loop. Returns what it prints."""
    return run(tool('llvm-mca'), '-mtriple=x86_64-unknown-linux-gnu', f'-mcpu={cpu}', *options,
               input=listing(record))


def per_board(number, boards):
    return float(f'{number / boards:.3g}')


def port_cycles(record, cpu):
    """The cycles that the loop needs for the work that only the ports of one group can do, for the
    busiest group."""
    units, work = {}, Counter()
    text = mca(record, cpu, '--instruction-tables=full')
    for line in text.splitlines():
        if m := re.match(r'\[\d+\]\s+- (\w+):(\d+)', line):
            units[m[1]] = int(m[2])
        elif m := re.match(r'\s*\d+\s+\d+\s+\d+\.\d+\s[\s*U]*\d+\s+(\S+)\s+[A-Z]\w*\s+[a-z]', line):
            for name, cycles in re.findall(r'(\w+)(?:\[(?:\d+,)?(\d+)\])?', m[1]):
                work[name] += int(cycles or 1)
    return max(work[name] / units[name] for name in units)


def model(record, cpu):
    """Returns the page's numbers for one CPU, or None if llvm-mca cannot analyse the loop."""
    if lacks(record, cpu):
        return None
    analysis = json.loads(mca(record, cpu, '-iterations=100', '--json'))
    summary = analysis['CodeRegions'][0]['SummaryView']
    front_end = summary['TotaluOps'] / summary['Iterations'] / summary['DispatchWidth']
    simulated = summary['TotalCycles'] / summary['Iterations']
    return [per_board(cycles, record['boards'])
            for cycles in (max(front_end, port_cycles(record, cpu)), simulated)]


def on_page(records, counted):
    """The records of the page, by (kernel, operation)."""
    found = {}
    for r in records:
        key = r['kernel'], r['operation']
        if '(' in r['kernel'] or r['operation'] not in MAIN or not r['boards']:
            continue
        expected, instructions = counted.get(key), (r['vector'] + r['scalar']) / r['boards']
        if expected is None or abs(instructions - expected) <= CALLS * expected:
            found[key] = r
    # If kernels share a function, only one of them has a record. The others get the record with the
    # same instruction count.
    for key, count in counted.items():
        same = next((other for other in sorted(found)
                     if other[1] == key[1] and counted.get(other) == count), None)
        if same:
            found.setdefault(key, found[same])
    return {key: record for key, record in sorted(found.items()) if key[0] in LISTED}


HEAD = """# Bounds of the kernels by models of CPUs

`tools/objectcode.py bounds` writes this page: %s, kernels compiled by %s.

The numbers are per board, for loops over whole blocks with all data in the first-level cache. The
instructions are counted in the disassembly. For each CPU: the fewest cycles that the front end and
the execution ports of its model need / the cycles of a simulation in which instructions also wait
for their operands. For what limits a loop, and for the loops of other operations, pass the output
of `tools/objectcode.py loops KERNEL OPERATION` to `llvm-mca --bottleneck-analysis`.

Compare them with the column `cycles` of `setwise bench`. Zen 5 has no model of its own: znver4 is
the nearest, and Zen 5 does more per cycle. Models are approximate. Listed are the main operations
of the kernels for an instruction set.
"""


def page(llvm, found, models):
    """The page's text. `models` maps (kernel, operation, CPU) to the numbers, or None."""
    lines = [HEAD % (f'llvm-mca {llvm}', compiler())]
    for operation in MAIN:
        lines += [f'## {operation}', '', f"| kernel | instructions | {' | '.join(MODELS)} |",
                  '|---' * (2 + len(MODELS)) + '|']
        for (kernel, other), r in found.items():
            if other == operation:
                cells = [f"{per_board(r['vector'] + r['scalar'], r['boards']):g}"]
                for cpu in MODELS:
                    numbers = models[kernel, operation, cpu]
                    cells.append('{:g} / {:g}'.format(*numbers) if numbers else '')
                lines.append(f"| `{kernel}` | {' | '.join(cells)} |")
        lines.append('')
    return '\n'.join(lines)


def counts_on_page():
    """The compiler of the page, and its instructions by (kernel, operation, page)."""
    rows, operation, text = {}, '', PAGE.read_text(encoding='utf-8')
    for line in text.splitlines():
        if line.startswith('## '):
            operation = line[3:]
        elif m := re.match(r'\| `(\S+)` \| (\S+) \|', line):
            rows[m[1], operation, PAGE.name] = float(m[2])
    return re.search(r'compiled by (rustc [\d.]+\d)', text)[1], rows


def bounds():
    """Writes the page of bounds. For each CPU that llvm-mca models, it has, per board:

    - The fewest cycles: the larger of two numbers. One is micro-operations / dispatch width. The
      other is `port_cycles`. (llvm-mca's block reciprocal throughput is lower: a group's work there
      does not include that of the smaller groups in it.)
    - The cycles of a simulation, in which instructions also wait for their operands.

    A loop counts only if its instructions match callgrind's count."""
    listed_for, counted = listed_counts()
    if compiler() != listed_for:
        cannot(f'{TABLE.name} is for {listed_for}, not for {compiler()}')
    found = on_page(records(['x86-64']), executed(counted))
    llvm = re.search(r'LLVM version (\S+)', run(tool('llvm-mca'), '--version'))[1]
    if int(llvm.split('.')[0]) != LLVM:
        cannot(f'needs llvm-mca {LLVM}, this is {llvm}')
    jobs = {(*key, cpu): (record, cpu) for key, record in found.items() for cpu in MODELS}
    with ThreadPoolExecutor(2) as pool:
        models = dict(zip(jobs, pool.map(lambda job: model(*job), jobs.values())))
    PAGE.write_text(page(llvm, found, models), encoding='utf-8')
    print(f'{len(found)} kernels and operations')


def print_loops(kernel='.*', operation='.*'):
    for r in sorted(records(COUNTED), key=lambda r: (r['architecture'], r['operation'], r['kernel'])):
        if re.fullmatch(kernel, r['kernel']) and re.fullmatch(operation, r['operation']):
            print(f"\n# {r['architecture']} {r['kernel']} {r['operation']}: {r['boards']:g} boards, "
                  f"{r['vector']} vector instructions, {r['scalar']} others; "
                  f"{'; '.join(r['notes'])}\n{listing(r)}", end='')


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
