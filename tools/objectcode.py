#!/usr/bin/env python3
"""Checks the object code of the library.

    tools/objectcode.py switch     the code of the kernel `switch` reads no tables
    tools/objectcode.py kernels    every kernel for x86-64 contains the instructions that it is
                                   named after, and shares code as the benchmark says
    tools/objectcode.py inlining   techniques are inlined, and calls of a kernel that is known at
                                   compile time are direct
    tools/objectcode.py counts     the instruction counts are those of tools/instructions.tsv
    tools/objectcode.py counts --update    writes that table

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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'tools/emulate'))
from building import (BuildFailed, CannotInstall, cargo, code_by_name, install,  # noqa: E402
                      need_target, objdump)
from machines import BUILDS, KERNELS  # noqa: E402

TARGET = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
LIBRARY = TARGET / 'release' / 'libsetwise.rlib'
TABLE = ROOT / 'tools/instructions.tsv'
# Counts may differ by this fraction. Those of the static instructions are of whole functions, so a
# change of a loop is a smaller fraction of them.
TOLERANCE = {'callgrind': 0.03, 'static': 0.01}
# The entry points of a kernel, by their demangled names.
ENTRY = re.compile(r"setwise::kernels::\w+::(?!threats)(\w+)::entries::(\w+)")


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
    return sorted({int(m[1], 16) // 4 for one in objdump(LIBRARY, "-r") if (m := entry.match(one))})


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
        reads = [one for one in instructions if re.match(r"(?!lea|nop)[^#<]*\(", one)]
        if len(reads) != 1 or not re.fullmatch(r"movslq \(%r\w+,%r\w+,4\),%r\w+", reads[0]):
            fail(f"{piece} must read one entry of the jump table, but reads {reads}")
        if calls := [one for one in instructions if one.startswith("call")]:
            fail(f"{piece} calls {calls}")
        jumps = sum(one.startswith("jmp *") for one in instructions)
        if jumps != 1:
            fail(f"{piece} has {jumps} indirect jumps, not one")
        if (squares := jump_table(piece)) != [*range(64)]:
            fail(f"the jump table of {piece} must have 64 entries, has {squares}")
        branches = sum(re.match(r"j(?!mp)", one) is not None for one in instructions)
        print(f"{piece}: {branches} conditional jumps, no tables")


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
    # How often each instruction occurs, for each kernel and operation. A call through a register
    # counts as `call *`.
    code = {(match[1].replace("_", "-"), match[2]):
            Counter(re.match(r"\S+( \*)?", one)[0] for one in instructions)
            for name, instructions in build_library().items() if (match := ENTRY.fullmatch(name))}
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
    """Compiles and runs an example. Returns its functions by name. The library is in the folder
    `library`, the procedural macros are in `macros`."""
    program = (TARGET / "inlining").resolve() / name
    program.parent.mkdir(parents=True, exist_ok=True)
    run("rustc", "--edition=2024", "-Copt-level=3", "-Cpanic=abort", *flags,
        ROOT / "examples" / f"{name}.rs", "--extern", f"setwise={library}/libsetwise.rlib",
        "-L", f"dependency={library}/deps", "-L", f"dependency={macros}/deps", "-o", program)
    run(program)
    return code_by_name(program)


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

# The kernels that callgrind cannot execute: for AArch64, or with instructions newer than AVX2.
NOT_RUN = {kernel for kernel, (build, needs) in KERNELS.items() if build == 'aarch64'
           or build == 'x86-64' and not set(needs.split()) <= {'sse2', 'ssse3', 'avx', 'avx2', 'bmi2'}}
# Matches an instruction with a vector or mask register, in AT&T syntax or of AArch64, but not the
# address of a branch, which a symbol in angle brackets follows.
VECTOR = re.compile(r'[^<]*?(%([xyz]mm|k)\d|(?<![\w%#])[vqdshb]\d+\b(?! <))')


def vector_instructions():
    """The vector instructions in the entries of NOT_RUN and in their loops, by (kernel, name)."""
    need_target(BUILDS['aarch64'].target)
    install(['packages'])
    code = [build_library()]
    for artifact in cargo('aarch64', 'build', '--release', '--package', 'setwise'):
        if artifact['target']['name'] == 'setwise':
            code += [code_by_name(file, 'aarch64-linux-gnu-objdump')
                     for file in artifact['filenames'] if file.endswith('.rlib')]
    counts = Counter()
    for functions in code:
        for name, instructions in functions.items():
            if (match := ENTRY.fullmatch(name.replace('::loops::', '::'))):
                vectors = sum(map(bool, map(VECTOR.match, instructions)))
                counts[match[1].replace('_', '-'), match[2]] += vectors
    return {key: count for key, count in counts.items() if key[0] in NOT_RUN and count}


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
        if old is None or new is None or abs(new - old) > TOLERANCE[key[2]] * old + 0.01:
            yield f"{' '.join(key)}: {new and round(new, 3)} instead of {old}"


def counts(update=False):
    """Compares the instruction counts with those listed. callgrind counts the instructions per
    board of the kernels that it can execute, on 1,024 random boards. For those that it cannot, the
    table has the number of vector instructions in the function (`static`). The table is valid only
    for the compiler that it names."""
    if not shutil.which('valgrind') and subprocess.call([ROOT / 'tools/install.sh', 'valgrind']):
        cannot('needs valgrind')
    listed_for, before = listed_counts()
    if not update and compiler() != listed_for:
        cannot(f'{TABLE.name} is for {listed_for}, not for {compiler()}')
    now = {(*key, 'callgrind'): count for key, count in by_callgrind().items()}
    if left := [key for key in before if key[2] == 'callgrind' and key not in now]:
        print(f'skipped: {len(left)} counts of kernels that do not run here')
    now |= {key: before[key] for key in left}
    now |= {(*key, 'static'): count for key, count in vector_instructions().items()}
    if update:
        rows = ['\t'.join([*key, f'{count:.2f}']) for key, count in sorted(now.items())]
        head = f'# instruction counts, {compiler()}: kernel, operation, how, count'
        TABLE.write_text('\n'.join([head, *rows]) + '\n', encoding='utf-8')
        print(f'{len(rows)} counts written')
        return
    if wrong := [*different(before, now)]:
        print('\n'.join(wrong))
        fail('if this is intended, run `objectcode.py counts --update`')
    print(f'{len(now)} counts match the table')


def main():
    command, *arguments = sys.argv[1:] or ['']
    commands = {'switch': switch, 'kernels': kernels, 'inlining': inlining}
    if platform.machine() not in ('x86_64', 'AMD64') or not shutil.which('objdump'):
        cannot('needs objdump, on x86-64')
    try:
        if command in commands and not arguments:
            commands[command]()
        elif command == 'counts' and arguments in ([], ['--update']):
            counts(update=bool(arguments))
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
