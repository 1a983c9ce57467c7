#!/usr/bin/env python3
"""Checks the object code of the kernel `switch`, compiled for release on x86-64.

The code of a piece jumps to the code of the slider's square through a table, and may read no other
memory. It must call nothing, and may execute at most 2.5 bit tests (test, bt, and) per line (rank,
file or diagonal) on average. Prints the size of each piece's code in bytes. Also prints how many
bit tests and conditional jumps it executes, on average over all squares and all occupancies of the
relevant squares, and how many conditional jumps the code has. docs/techniques/switch.md must have
the latter.

Exit code: 0 all checks pass, 1 a check fails, 3 this is not x86-64, or objdump is missing.
"""

import re
import sys

sys.dont_write_bytecode = True
import objdump  # noqa: E402
from objdump import ROOT, fail  # noqa: E402

MAX_TESTS = 2.5
PIECES = ["bishop", "rook"]
LINES_PER_PIECE = 2
FUNCTION = r"setwise::kernels::.*switch::.*generated::(\w+)"


def functions():
    """The generated functions by name, each a list of (address, mnemonic, operands)."""
    return {match[1]: [(one.address, one.mnemonic, one.operands) for one in code]
            for name, code in objdump.functions(objdump.LIBRARY).items()
            if (match := re.fullmatch(FUNCTION, name))}


def entries(piece):
    """The address at which the code for each square starts. The jump table holds these addresses,
    relative to the table."""
    entry = re.compile(r"([0-9a-f]+) R_X86_64_PC32\s+\.text\.\S*switch\S*"
                       rf"generated\d+{piece}(?:17h\w+)?\+0x([0-9a-f]+)")
    found = [match for one in objdump.lines(objdump.LIBRARY, "-r")
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


def main():
    objdump.needed()
    objdump.build_library()
    code = functions()
    if sorted(code) != PIECES:
        fail(f"the generated functions are {sorted(code)}, not {PIECES}")
    all_tests = all_jumps = 0
    page = (ROOT / "docs/techniques/switch.md").read_text(encoding="utf-8")
    print(f"{'piece':<14}{'bytes':>8}{'tests':>8}{'jumps':>8}{'of':>8}")
    for piece in PIECES:
        check_memory(piece, code[piece])
        starts = entries(piece)
        if sorted(starts) != list(range(64)):
            fail(f"the jump table of {piece} must have 64 entries, has {sorted(starts)}")
        squares = [executed(code[piece], start) for start in starts.values()]
        tests, jumps = (sum(numbers) / 64 for numbers in zip(*squares))
        all_tests, all_jumps = all_tests + tests, all_jumps + jumps
        branches = sum(mnemonic[0] == "j" and mnemonic != "jmp" for _, mnemonic, _ in code[piece])
        print(f"{piece:<14}{code[piece][-1][0] + 1:>8}{tests:>8.2f}{jumps:>8.2f}{branches:>8}")
        if not re.search(rf"\b{branches}\b", page):
            fail(f"the page does not say that the code of a {piece} has {branches} jumps")
    lines = LINES_PER_PIECE * len(PIECES)
    print(f"{'a line':<22}{all_tests / lines:>8.2f}{all_jumps / lines:>8.2f}")
    if all_tests / lines > MAX_TESTS:
        fail(f"more than {MAX_TESTS} tests per line")
    return 0


if __name__ == "__main__":
    sys.exit(main())
