#!/usr/bin/env python3
"""Checks the object code of two examples, compiled for release on x86-64.

The loops of `per_level` must contain no call, which shows that the techniques are inlined.
`of_target`, compiled for x86-64-v3, must contain no indirect call, and must call the functions of
the kernel `avx2`.

Exit code: 0 both are as expected, 1 one is not, 3 this is not x86-64, or objdump is missing.
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
