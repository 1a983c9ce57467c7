#!/usr/bin/env python3
"""Checks the object code of two examples and of two statements in docs/techniques, compiled for
release on x86-64.

The loops of `per_level` must contain no call, which shows that the techniques are inlined.
`of_target`, compiled for x86-64-v3, must contain no indirect call, and must call the functions of
the kernel `avx2`.

A bishop's attacks must take less code by Hyperbola Quintessence than by Kindergarten bitboards.
Prints the bytes of both codes and tables, and the number of general registers. A fill in a
direction known only at run time must rotate by `cl`.

Exit code: 0 all are as expected, 1 one is not, 3 this is not x86-64, or objdump is missing.
"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import objdump  # noqa: E402
from objdump import ROOT, fail  # noqa: E402

FOLDER = (objdump.TARGET / "inlining").resolve()
# With an explicit target, cargo does not apply the flags to procedural macros, which must be
# position-independent.
TRIPLE = "x86_64-unknown-linux-gnu"
FORMS = """
#![crate_type = "lib"]
use setwise::{Direction, Square, techniques::{dumb7fill, hyperbola, kindergarten}};
#[unsafe(no_mangle)]
pub fn by_hyperbola(square: Square, occupied: u64) -> u64 { hyperbola::bishop(square, occupied) }
#[unsafe(no_mangle)]
pub fn by_kindergarten(square: Square, occupied: u64) -> u64 {
    kindergarten::bishop_attacks(square, occupied)
}
#[unsafe(no_mangle)]
pub fn generalised(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    dumb7fill::generalised_attacks(direction, sliders, occupied)
}
"""
# The tables of each form.
TABLES = {"by_hyperbola": ["DIAGONALS"], "by_kindergarten": ["DIAGONALS", "FIRST_RANK"]}


def functions(example, release, host, *flags):
    """An example's functions by name, each a list of `mnemonic operands`. The library is in the
    folder `release`, the procedural macros are in `host`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    program = FOLDER / example
    subprocess.run(
        ["rustc", "--edition=2024", "-Copt-level=3", "-Cpanic=abort", *flags,
         ROOT / "examples" / f"{example}.rs", "--extern", f"setwise={release}/libsetwise.rlib",
         "-L", f"dependency={release}/deps", "-L", f"dependency={host}/deps", "-o", program],
        check=True)
    subprocess.run([program], check=True, stdout=subprocess.DEVNULL)
    return {name: [f"{one}{one.comment}" for one in code]
            for name, code in objdump.functions(program).items()}


def built_for(*flags):
    """Builds the library with flags, and with two kernels of which x86-64-v3 has one. Returns the
    folders of the library and of the procedural macros."""
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "-p", "setwise", "--target-dir", FOLDER,
         "--target", TRIPLE], cwd=ROOT, check=True,
        env=os.environ | {"RUSTFLAGS": " ".join(flags), "SETWISE_KERNELS": "avx512,avx2"})
    return FOLDER / TRIPLE / "release", FOLDER / "release"


def only(found, name):
    """The code of the function whose name starts with `name`."""
    code = next((code for function, code in found.items() if function.startswith(name)), None)
    if code is None:
        fail(f"there is no function {name}")
    return code


def calls(code):
    return [instruction for instruction in code if instruction.startswith("call")]


def sizes(path):
    """The bytes of each function and table by the last part of its name."""
    symbol = re.compile(r"[0-9a-f]+ .{7} \S+\s+([0-9a-f]+)\s+(?:.*::)?(\w+)")
    return {m[2]: int(m[1], 16) for line in objdump.lines(path, "-t", "--demangle")
            if (m := symbol.fullmatch(line))}


def registers(code):
    """The general registers that a function uses, but for the stack pointer."""
    names = set(re.findall(r"%r?e?(\d+|[abcd](?=[xl])|[sd]i)", " ".join(map(str, code))))
    return sorted(names)


def check_forms(release):
    source, object_file = FOLDER / "forms.rs", FOLDER / "forms.o"
    source.write_text(FORMS)
    subprocess.run(["rustc", "--edition=2024", "-Copt-level=3", "-Cpanic=abort", "--emit=obj", source,
                    "--extern", f"setwise={release}/libsetwise.rlib",
                    "-L", f"dependency={release}/deps", "-o", object_file], check=True)
    code, bytes_of = objdump.functions(object_file), sizes(object_file)
    tables = sizes(objdump.LIBRARY)
    for name, used in TABLES.items():
        print(f"{name}: {bytes_of[name]} bytes, {len(registers(code[name]))} registers, "
              f"{sum(tables[table] for table in used)} bytes of tables")
    if bytes_of["by_hyperbola"] >= bytes_of["by_kindergarten"]:
        fail("a bishop by Hyperbola Quintessence takes no less code than by Kindergarten bitboards")
    rotations = [str(one) for one in code["generalised"] if one.mnemonic.startswith("ro")]
    if not rotations or not all("%cl," in one for one in rotations):
        fail(f"generalised does not rotate by cl: {rotations}")
    print(f"generalised: {len(rotations)} rotations by cl")


def main():
    objdump.needed()
    objdump.build_library()
    release = objdump.LIBRARY.resolve().parent
    levels = functions("per_level", release, release)
    for level, register in (("avx2", "%ymm"), ("avx512", "%ymm")):
        name = f"per_level::levels::with_{level}"
        code = only(levels, name)
        if not any(register in instruction for instruction in code):
            fail(f"{name} uses no {register} registers")
        if found := calls(code):
            fail(f"{name} calls: {found}")
        print(f"{name}: {len(code)} instructions, no call")
    # Position-independent code would call functions of other crates through a table, indirectly.
    flags = ("-Ctarget-cpu=x86-64-v3", "-Crelocation-model=static")
    code = only(functions("of_target", *built_for(*flags), *flags), "of_target::of_target")
    indirect = [one for one in code if re.match(r"(call|jmp)\s+\*", one) and "@GLIBC" not in one]
    if indirect:
        fail(f"of_target has indirect calls: {indirect}")
    for function in ("rook_attacks", "queen_attacks_one"):
        entry = re.compile(rf"x86_64::avx2::entries::{function}>")
        if not any(entry.search(call) for call in calls(code)):
            fail(f"of_target does not call avx2's {function}: {calls(code)}")
    print("of_target calls avx2's functions directly")
    check_forms(release)
    return 0


if __name__ == "__main__":
    sys.exit(main())
