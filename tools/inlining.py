#!/usr/bin/env python3
"""Reads the object code of two examples, compiled for release on x86-64.

The loops of `per_level` must contain no call: the forms are inlined. `of_target`, compiled for x86-64-v3, must contain no indirect call, and call
the functions of the kernel `avx2`.

Exit code: 0 as it should be; 1 not so; 3 this is not x86-64, or objdump is missing.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = (ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "inlining").resolve()


def fail(message):
    sys.exit(f"inlining: {message}")


def functions(example, *flags):
    """The instructions of an example's functions, each as `mnemonic operands`, by their names."""
    # The library alone, without what tests and benchmarks need besides.
    folder = TARGET / "-".join(("default", *flags)).replace("=", "-")
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "setwise", "--target-dir", folder],
                   cwd=ROOT, env=os.environ | {"RUSTFLAGS": " ".join(flags)}, check=True)
    release = folder / "release"
    subprocess.run(["rustc", "--edition=2024", "-Copt-level=3", "-Cpanic=abort", *flags, ROOT / "examples" / f"{example}.rs",
                    "--extern", f"setwise={release}/libsetwise.rlib", "-L", f"dependency={release}/deps", "-o", release / example], check=True)
    subprocess.run([release / example], check=True, stdout=subprocess.DEVNULL)
    listing = subprocess.run(["objdump", "-d", "--demangle", "--no-show-raw-insn", release / example],
                             capture_output=True, text=True, check=True).stdout
    found, code = {}, []
    for line in listing.splitlines():
        if match := re.match(r"[0-9a-f]+ <(.*)>:", line):
            code = found.setdefault(match[1], [])
        elif match := re.match(r"\s*[0-9a-f]+:\s+(.*)", line):
            code.append(match[1].strip())
    return found


def calls(code):
    return [instruction for instruction in code if instruction.startswith("call")]


def main():
    if platform.machine() not in ("x86_64", "AMD64") or not shutil.which("objdump"):
        print("inlining: needs objdump, on x86-64", file=sys.stderr)
        return 3
    levels = functions("per_level")
    for level, register in (("avx2", "%ymm"), ("avx512", "%zmm")):
        name = f"per_level::levels::with_{level}"
        code = next((code for function, code in levels.items() if function.startswith(name)), None)
        if code is None:
            fail(f"there is no function {name}")
        if not any(register in instruction for instruction in code):
            fail(f"{name} uses no {register} registers")
        if found := calls(code):
            fail(f"{name} calls: {found}")
        print(f"{name}: {len(code)} instructions, no call")
    # Not position-independent: else any function of another crate is called through the linker's table of addresses.
    code = functions("of_target", "-Ctarget-cpu=x86-64-v3", "-Crelocation-model=static")
    code = next((code for function, code in code.items() if function.startswith("of_target::of_target")), None)
    if code is None:
        fail("there is no function of_target")
    indirect = [one for one in code if re.match(r"(call|jmp)\s+\*", one) and "@GLIBC" not in one]
    if indirect:
        fail(f"of_target has indirect calls: {indirect}")
    for function in ("rook_attacks", "queen_attacks_one"):
        if not any(re.search(rf"x86_64::avx2::entries::{function}>", call) for call in calls(code)):
            fail(f"of_target does not call avx2's {function}: {calls(code)}")
    print("of_target: direct calls of avx2's functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
