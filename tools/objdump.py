"""Reads objdump's listings, of GNU binutils and of LLVM: for the scripts that check object code."""
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
LIBRARY = TARGET / 'release' / 'libsetwise.rlib'
SCRIPT = Path(sys.argv[0]).name
# The text after an instruction's operands, by architecture.
COMMENT = {'x86-64': r'(^|\s+)#.*$', 'aarch64': r'\s*//.*$', 'wasm32': r'(^|\s+)#.*$'}


@dataclass
class Instruction:
    address: int
    mnemonic: str
    operands: str
    external: bool = False  # a call or jump to another function
    callee: str = ''
    comment: str = ''       # the symbol that an address in memory belongs to

    def __str__(self):
        return f'{self.mnemonic} {self.operands}'


def fail(message):
    sys.exit(f'{SCRIPT}: error: {message}')


def needed():
    """Exits with 3 unless this is x86-64 and objdump is installed."""
    if platform.machine() not in ('x86_64', 'AMD64') or not shutil.which('objdump'):
        print(f'{SCRIPT}: needs objdump, on x86-64', file=sys.stderr)
        sys.exit(3)


def build_library():
    """Builds the library for release, with every kernel."""
    subprocess.run(['cargo', 'build', '--quiet', '--release', '-p', 'setwise',
                    '--features', 'lookup,techniques'], cwd=ROOT, check=True)


def lines(path, *arguments, program='objdump'):
    """What objdump prints for a file. Ignores stderr, where it reports that a Rust library's
    metadata is not an object file."""
    command = [program, *arguments, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def events(listing):
    """The parts of a disassembly, in order: ('architecture', name), ('function', name),
    ('relocation', symbol) for the instruction before it, and ('instruction', Instruction)."""
    architecture = 'x86-64'
    for line in listing:
        if m := re.search(r'file format (\S+)', line):
            kind = m[1].lower()
            architecture = ('aarch64' if 'aarch64' in kind else
                            'wasm32' if 'wasm' in kind else 'x86-64')
            yield 'architecture', architecture
        elif m := re.match(r'[0-9a-f]+ <(.+)>:$', line):
            yield 'function', m[1]
        elif m := re.match(r'\s*[0-9a-f]+:\s+(R_\S+)\s+(\S.*)', line):
            yield 'relocation', m[2]
        elif m := re.match(r'\s*([0-9a-f]+):\s+(\S+)\s*(.*)', line):
            operands = re.sub(COMMENT[architecture], '', m[3]).strip()
            yield 'instruction', Instruction(int(m[1], 16), m[2], operands,
                                             comment=m[3].strip()[len(operands):])


def functions(path):
    """The functions of a library or program for x86-64 by their demangled names, each a list of
    instructions in AT&T syntax."""
    found, code = {}, []
    for kind, what in events(lines(path, '-d', '--demangle', '--no-show-raw-insn')):
        if kind == 'function':
            code = found.setdefault(what, [])
        elif kind == 'instruction':
            code.append(what)
    return found
