"""Parses objdump's listings, of GNU binutils and of LLVM, for x86-64 and AArch64: functions,
their loops, and what each instruction stores. objectcode.py and emulate/run.py use it."""
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field

# The text after an instruction's operands, by architecture.
COMMENT = {'x86-64': r'(^|\s+)#.*$', 'aarch64': r'\s*//.*$'}


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
            architecture = 'aarch64' if 'aarch64' in m[1] else 'x86-64'
            yield 'architecture', architecture
        elif m := re.match(r'[0-9a-f]+ <(.+)>:$', line):
            yield 'function', m[1]
        elif m := re.match(r'\s*[0-9a-f]+:\s+(R_\S+)\s+(\S.*)', line):
            yield 'relocation', m[2]
        elif m := re.match(r'\s*([0-9a-f]+):\s+(\S+)\s*(.*)', line):
            operands = re.sub(COMMENT[architecture], '', m[3]).strip()
            yield 'instruction', Instruction(int(m[1], 16), m[2], operands,
                                             comment=m[3].strip()[len(operands):])


def code_by_name(path):
    """The functions of a library or program for x86-64 by their demangled names, each a list of
    instructions in AT&T syntax."""
    found, code = {}, []
    for kind, what in events(lines(path, '-d', '--demangle', '--no-show-raw-insn')):
        if kind == 'function':
            code = found.setdefault(what, [])
        elif kind == 'instruction':
            code.append(what)
    return found


@dataclass
class Function:
    name: str
    architecture: str  # x86-64, aarch64
    code: list = field(default_factory=list)


def tool(name):
    """The newest installed version of an LLVM program."""
    for version in [f'-{v}' for v in range(30, 13, -1)] + ['']:
        if path := shutil.which(name + version):
            return path
    raise FileNotFoundError(f'{name} is not installed: run tools/emulate/run.py --setup')


def functions(path, pattern):
    """The functions of an object file, library or program. Only those whose demangled names match
    `pattern` are included."""
    listing = lines(path, '-d', '-r', '--demangle', '--no-show-raw-insn',
                            '--x86-asm-syntax=intel', program=tool('llvm-objdump'))
    result, current, architecture = [], None, None
    for kind, what in events(listing):
        if kind == 'architecture':
            architecture = what
        elif kind == 'function':
            current = None
            if pattern.search(what):
                current = Function(re.sub(r'::h[0-9a-f]{16}$', '', what), architecture)
                result.append(current)
        elif current is None:
            continue
        elif kind == 'relocation':
            last = current.code[-1]
            last.external |= branches(architecture, last) or is_call(architecture, last)
            last.callee = re.sub(r'(-0x4|::h[0-9a-f]{16}.*|\+0)$', '', what)
        else:
            current.code.append(what)
    # Demangle the names that llvm-objdump does not: those in relocations that name a local
    # function's section.
    mangled = [one for f in result for one in f.code
               if re.match(r'(\.text\.)?_[RZ]', one.callee)]
    names = '\n'.join(one.callee.removeprefix('.text.') for one in mangled)
    plain = subprocess.run([tool('llvm-cxxfilt')], input=names, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for one, name in zip(mangled, plain):
        one.callee = re.sub(r'::h[0-9a-f]{16}$', '', name)
    return result


# --- loops ----------------------------------------------------------------------------------------

CALLS = {'x86-64': ('call',), 'aarch64': ('bl', 'blr')}
ENDS = {'x86-64': ('jmp', 'ret', 'ud2'), 'aarch64': ('b', 'br', 'ret', 'brk')}


def branches(architecture, one):
    if architecture == 'x86-64':
        return one.mnemonic.startswith('j')
    return bool(re.fullmatch(r'b|b\.\w+|bc\.\w+|cbn?z|tbn?z', one.mnemonic))


def is_call(architecture, one):
    return one.mnemonic in CALLS[architecture]


def ends(architecture, one):
    """Whether control never falls through to the next instruction."""
    return one.mnemonic in ENDS[architecture]


def target(one):
    m = re.search(r'0x([0-9a-f]+) <', one.operands)
    return int(m[1], 16) if m and not one.external else None


def loops(function):
    """Returns a function's natural loops, each as the sorted indices of its instructions."""
    before, after, found = [[] for _ in function.code], successors(function), []
    for i, following in enumerate(after):
        for to in following:
            before[to].append(i)
    alive = reached(after, [0], None)
    for head, ways in enumerate(before):
        # A back edge comes from an instruction that can only be reached through the head.
        if len(ways) > 1 or head == 0:
            around = reached(after, [0], head)
            if tails := [i for i in ways if i in alive and i not in around]:
                found.append(sorted(reached(before, tails, head) | {head}))
    return found


def successors(function):
    """For each instruction, the indices of its possible successors in the function."""
    code, architecture = function.code, function.architecture
    index, after = {one.address: i for i, one in enumerate(code)}, [[] for _ in code]
    for i, one in enumerate(code):
        if branches(architecture, one) and target(one) in index:
            after[i].append(index[target(one)])
        if i + 1 < len(code) and not ends(architecture, one):
            after[i].append(i + 1)
    return after


def fullest_way(function, loop):
    """Returns the path through one iteration of a loop that stores the most bytes.

    Ties go to the path with the fewest masked loads and stores, then to the one with the most
    vector instructions.

    This selects the path for a whole block, not the one for a shorter remainder."""
    inside, after = set(loop), successors(function)
    entered = {j for i, following in enumerate(after) if i not in inside
               for j in following if j in inside}
    head = min(entered, default=loop[0])
    # For each instruction: the weight of the best path from there, and the next instruction on it.
    best, stack, seen = {}, [head], {head}
    while stack:
        i = stack[-1]
        if fresh := [j for j in after[i] if j in inside and j not in seen]:
            stack.append(fresh[0])
            seen.add(fresh[0])
            continue
        stack.pop()
        counts, stored = count(function, [i])
        # An instruction still on the stack has no `best`: an edge to it closes a loop.
        rest, following = max(((best[j][0], j) for j in after[i] if j in best),
                              default=((0, 0, 0), None))
        weight = stored, -masked(function.code[i]), counts['vector']
        best[i] = tuple(map(sum, zip(weight, rest))), following
    way, i = [], head
    while i is not None:
        way.append(i)
        i = best[i][1]
    return sorted(way)


def masked(one):
    """Whether an x86-64 instruction is a masked load or store, as used for partial vectors."""
    return '[' in one.operands and ('{k' in one.operands or 'maskmov' in one.mnemonic)


def reached(edges, starts, without):
    """The nodes that can be reached from `starts` without passing through the node `without`."""
    seen, waiting = set(), [i for i in starts if i != without]
    while waiting:
        i = waiting.pop()
        if i not in seen:
            seen.add(i)
            waiting += (j for j in edges[i] if j != without)
    return seen


# --- what an instruction does ---------------------------------------------------------------------

X86_WIDTH = {'byte': 1, 'word': 2, 'dword': 4, 'qword': 8,
             'xmmword': 16, 'ymmword': 32, 'zmmword': 64}
# Bytes of an AArch64 register, by its letter or its vector arrangement. A single letter after the
# dot stands for one lane.
AARCH64_WIDTH = {'q': 16, 'd': 8, 's': 4, 'h': 2, 'b': 1, 'x': 8, 'w': 4,
                 '16b': 16, '8h': 16, '4s': 16, '2d': 16, '8b': 8, '4h': 8, '2s': 8, '1d': 8}


def x86(one, stack):
    vector = re.search(r'\b[xyz]mm\d', one.operands) or re.match(r'k(?!r)', one.mnemonic)
    stored = re.match(r'(\w+) ptr \[(\w+)', one.operands)
    if not stored or stored[2] in stack or not (vector or one.mnemonic == 'mov'):
        return bool(vector), 0
    return bool(vector), X86_WIDTH[stored[1]]


def aarch64(one, stack):
    vector = re.search(r'(?<![\w#])[vqdshb]\d+\b', one.operands)
    memory = re.search(r'\[(\w+)', one.operands)
    if not memory or memory[1] in stack or not re.match(r'st[1-4pru]', one.mnemonic):
        return bool(vector), 0
    registers = re.findall(r'\b([vqdshbxw])\d+(?:\.(\w+))?', one.operands.split('[')[0])
    return bool(vector), sum(AARCH64_WIDTH.get(form or letter, 0) for letter, form in registers)


EFFECTS = {'x86-64': x86, 'aarch64': aarch64}


def count(function, loop):
    """Counts a loop's instructions: those that touch a vector register, and the others. Also
    returns the bytes that they store outside the stack."""
    counts, stored, stack = Counter(), 0, {'rsp', 'sp', 'x29'}
    if any(str(one) == 'mov rbp, rsp' for one in function.code[:20]):
        stack.add('rbp')
    for i in loop:
        vector, bytes_stored = EFFECTS[function.architecture](function.code[i], stack)
        counts['vector' if vector else 'scalar'] += 1
        stored += bytes_stored
    return counts, stored


# --- functions that call each other ---------------------------------------------------------------

def callee(one, function):
    """The function that an instruction calls, jumps to or takes the address of; '' if unknown."""
    if one.callee:
        return one.callee
    if m := re.search(r'<(.+)>$', one.operands):
        return '' if '+0x' in m[1] else m[1]
    if is_call(function.architecture, one):  # through a register, loaded somewhere in the function
        register = re.compile(rf'{re.escape(one.operands)}\b')
        loaded = {other.callee for other in function.code
                  if other.callee and register.match(other.operands)}
        return loaded.pop() if len(loaded) == 1 else ''
    return ''


def family(function, by_name):
    """A function and all functions that it refers to, directly or indirectly."""
    found, waiting = {}, [function]
    while waiting:
        one = waiting.pop()
        if one.name not in found:
            found[one.name] = one
            waiting += (by_name[name] for i in one.code if (name := callee(i, one)) in by_name)
    return list(found.values())


def calls_through_pointers(function, by_name):
    """Whether a function's family contains a call whose target is unknown."""
    return any(is_call(f.architecture, one) and not callee(one, f)
               for f in family(function, by_name) for one in f.code)


def jumped_to(function, by_name):
    """Follows the final jump of a function that only moves arguments. Returns the function that
    does the work, which may be `function` itself."""
    def passes_on(f):
        return not any(is_call(f.architecture, one) or branches(f.architecture, one)
                       for one in f.code[:-1])

    while function.code and ends(function.architecture, function.code[-1]):
        to = by_name.get(callee(function.code[-1], function))
        if to is None or to is function or not passes_on(function):
            break
        function = to
    return function


def parts(function, loop, by_name, outer=()):
    """Returns the code that a loop executes, as (function, indices): the loop, then each function
    it calls."""
    result = [(function, loop)]
    for i in loop:
        one = function.code[i]
        if is_call(function.architecture, one):
            called = by_name.get(callee(one, function))
            if called and called.name not in outer:
                whole = list(range(len(called.code)))
                result += parts(called, whole, by_name, (*outer, function.name))
    return result


def total(executed):
    """The sum of the counts of several parts."""
    counts, stored = Counter(), 0
    for function, indices in executed:
        one, bytes_stored = count(function, indices)
        counts += one
        stored += bytes_stored
    return counts, stored


def hottest_loop(function, by_name):
    """Finds the loop with the most vector instructions in a function's family. The instructions of
    called functions count. Prefers an inner loop that has at least 80 % of these instructions.
    Returns (function, indices), or None if there is no loop."""
    candidates = [(f, tuple(loop)) for f in family(function, by_name) for loop in loops(f)]
    vectors = {(f.name, loop): total(parts(f, loop, by_name))[0]['vector']
               for f, loop in candidates}
    if not candidates:
        return None
    best, outer = max(candidates, key=lambda c: (vectors[c[0].name, c[1]], -len(c[1])))
    most = vectors[best.name, outer]
    for f, loop in sorted(candidates, key=lambda c: len(c[1])):
        inside = f is best and set(loop) <= set(outer)
        if inside and vectors[f.name, loop] and vectors[f.name, loop] >= 0.8 * most:
            return f, list(loop)
    return best, list(outer)
