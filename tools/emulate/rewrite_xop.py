#!/usr/bin/env python3
"""Rewrites the XOP instructions of an x86-64 program so that Bochs executes them as AMD documents.

    tools/emulate/rewrite_xop.py IN OUT

Bochs 3.0 has these faults:
- VPPERM, VPCMOV and VPSHLB: XOP.W, which selects the operand that may be in memory, has the
  opposite meaning. The rewrite inverts W.
- VPPERM also takes indices 0-15 from the second source, 16-31 from the first. The rewrite swaps the
  two sources.

All other XOP instructions, and a VPPERM with its second source in memory, become UD2, which ends
the program when it is executed."""
import re
import subprocess
import sys


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def exchange_sources(b, at, last):
    """Swaps the first source (vvvv) and the second. Returns False if the second is in memory. Must
    be called before W is inverted."""
    first = ~b[at + 2] >> 3 & 15
    if b[at + 2] & 0x80:  # W = 1: the second source is the register in the last byte
        second = b[last] >> 4
        b[last] = b[last] & 15 | first << 4
    elif b[at + 4] >> 6 == 3:  # W = 0: the second source is the register in ModRM
        second = (~b[at + 1] >> 5 & 1) << 3 | b[at + 4] & 7
        b[at + 1] = b[at + 1] & ~0x20 | (0 if first & 8 else 0x20)
        b[at + 4] = b[at + 4] & ~7 | first & 7
    else:
        return False
    b[at + 2] = b[at + 2] & ~0x78 | (~second & 15) << 3
    return True


def rewrite(b, at, length):
    """Rewrites an instruction. Its bytes are 8F, R'X'B'.map, W.vvvv'.L.pp, opcode, ModRM, ...,
    register or immediate.

    Returns True if rewritten, False if replaced by UD2."""
    space, opcode = b[at + 1] & 31, b[at + 3]
    if (space, opcode) == (8, 0xA3):
        good = exchange_sources(b, at, at + length - 1)
    else:
        good = (space, opcode) in ((8, 0xA2), (9, 0x94))
    b[at + 2] ^= 0x80
    if not good:
        b[at:at + 2] = b'\x0f\x0b'
    return good


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: tools/emulate/rewrite_xop.py IN OUT')
    source, destination = sys.argv[1:]
    with open(source, 'rb') as file:
        program = bytearray(file.read())
    section = re.compile(r'\s*\[\s*\d+\]\s+\S+\s+PROGBITS' + 3 * r'\s+([0-9a-f]+)')
    sections = [tuple(int(x, 16) for x in m.groups())
                for line in lines('readelf', '-SW', source) if (m := section.match(line))]
    instruction = re.compile(r'\s*([0-9a-f]+):\t(8f [0-9a-f][89] (?:[0-9a-f]{2} )+)\s*\t?v\w+ ')
    outcomes = []
    for line in lines('objdump', '-d', '-M', 'intel', '--insn-width=16', source):
        if m := instruction.match(line):
            address, raw = int(m[1], 16), bytes.fromhex(m[2])
            start = next(address - a + offset
                         for a, offset, size in sections if a <= address < a + size)
            outcomes.append(rewrite(program, start, len(raw)))
    with open(destination, 'wb') as file:
        file.write(program)
    print(f'rewrite_xop: {outcomes.count(True)} instructions rewritten, '
          f'{outcomes.count(False)} replaced by UD2')


main()
