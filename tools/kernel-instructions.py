#!/usr/bin/env python3
"""Checks that the kernels for x86-64 contain the instructions that their technique lines name. The
technique line is `technique: "..."` in the kernel's file in kernels/x86_64.

Reads the object code of the library's release build. The operations of `xop` that contain VPPERM
must be those in WITH_VPPERM. For each of them, `xop-emulated` must contain at least as many calls
of the software VPPERM as `xop` contains VPPERM instructions. (There may be more calls: the compiler
drops an unused instruction, but not a call.)

Kernels must share the code of an operation exactly as crates/measure/data/one-board.json says,
because the benchmark draws shared code only once.

Exit code: 0 all checks pass, 1 a check fails, 3 this is not x86-64, or objdump is missing.
"""

import json
import re
import sys
from collections import Counter

sys.dont_write_bytecode = True
import objdump  # noqa: E402
from objdump import ROOT, fail  # noqa: E402

ROOKS, BISHOPS, QUEENS = "rook_attacks", "bishop_attacks", "queen_attacks"
ALL = ROOKS, BISHOPS, QUEENS
# The instructions of each technique line, and the operations that must contain them. Only rays
# along ranks subtract, so bishops need no subtraction.
NAMED = {
    "sse2": {"psubb": (ROOKS, QUEENS), "pandn": ALL},
    "ssse3": {"pshufb": ALL},
    "avx2": {"vpsubb": (ROOKS, QUEENS), "vpandn": ALL},
    "avx2-gfni": {"gf2p8affineqb": ALL},
    "avx512-gfni": {"gf2p8affineqb": ALL},
    "avx512": {},
    "xop": {"vpperm": ALL, "vpcmov": ALL, "vpshlb": (BISHOPS, QUEENS)},
    "pext": {"pext": ("rook_attacks_from", "bishop_attacks_from")},
}
# Kernels that emulate the instructions of their technique line, and so must not contain them.
IN_SOFTWARE = {"xop-emulated": ("vpperm", "vpcmov", "vpshlb")}
# The operations of `xop` that contain VPPERM: to slice boards, or to reverse ranks for rays to the
# west. The other operations have no such rays, or compute them in code that kernels share.
WITH_VPPERM = (
    "attack_maps", BISHOPS, "pins", QUEENS, "ray_attacks", ROOKS, "slider_attacks",
    "slider_attacks_split", "xray_queen_attacks", "xray_rook_attacks",
)
INSTRUCTION = re.compile(r"\b(?:v?p(?:sub|and|shuf|perm|cmov|shl|ext|tern)\w*|v?gf2p8\w+)\b")


def techniques():
    """Each kernel's technique line, by the name of the kernel."""
    found = {}
    for file in (ROOT / "kernels" / "x86_64").glob("*.rs"):
        text = file.read_text(encoding="utf-8")
        if match := re.search(r'name: "([^"]+)",\s*technique: "([^"]+)"', text):
            found[match[1]] = match[2]
    return found


def functions():
    """How often each instruction occurs, for each kernel and operation. A call through a register
    counts as `call *`."""
    objdump.build_library()
    found = {}
    for name, code in objdump.functions(objdump.LIBRARY).items():
        if entry := re.fullmatch(r"setwise::kernels::\w+::(?!threats)(\w+)::entries::(\w+)",
                                  name):
            found[entry[1].replace("_", "-"), entry[2]] = Counter(
                one.mnemonic + " *" * one.operands.startswith("*") for one in code)
    return found


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


def main():
    objdump.needed()
    lines = techniques()
    if sorted(lines) != sorted([*NAMED, *IN_SOFTWARE]):
        fail(f"the kernels are {sorted(lines)}, not {sorted([*NAMED, *IN_SOFTWARE])}")
    code = functions()
    for kernel, instructions in [*NAMED.items(), *IN_SOFTWARE.items()]:
        if set(INSTRUCTION.findall(lines[kernel])) != set(instructions):
            fail(f"the technique line of {kernel} names other instructions than "
                 f"{', '.join(instructions)}: {lines[kernel]}")
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
            if counts:
                print(f"{kernel:<14}{instruction:<16}{', '.join(counts)}")
    check_shared(code)
    found = sorted(operation for (kernel, operation), counter in code.items()
                   if kernel == "xop" and counter["vpperm"])
    if found != sorted(WITH_VPPERM):
        fail(f"the operations of xop that contain vpperm are {found}, not {sorted(WITH_VPPERM)}")
    counts = []
    for operation in WITH_VPPERM:
        instructions = code["xop", operation]["vpperm"]
        calls = code.get(("xop-emulated", operation), Counter())["call *"]
        if calls < instructions:
            fail(f"{operation}: xop has {instructions} vpperm, xop-emulated {calls} calls")
        counts.append(f"{operation} {instructions}/{calls}")
    print(f"xop: vpperm / xop-emulated: calls: {', '.join(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
