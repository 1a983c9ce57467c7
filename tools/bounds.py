#!/usr/bin/env python3
"""Writes docs/bounds.md: the cycles that models of CPUs give x86-64 kernels, and their limits.

    tools/bounds.py            writes the page; commit it with the change of the kernels
    tools/bounds.py --check    compares only the instruction counts, which needs no llvm-mca
    tools/bounds.py --threats FILE...    prints the cycles of `threats_moved`, a capture with pairs,
                                         from these .rlib files of x86-64 or AArch64

tools/emulate/account.py finds the loop over blocks in the disassembly and counts its instructions.
For each CPU that llvm-mca models, the page has these numbers per board:

bound      the fewest cycles: the larger of two numbers. One is micro-operations / dispatch width.
           The other is the work that only the ports of one group can do / the number of these
           ports, for the busiest group. (llvm-mca's block reciprocal throughput is lower: a group's
           work there does not include that of the smaller groups in it.)
simulated  cycles of llvm-mca's simulation, in which instructions also wait for their operands
limit      what sets the bound; if the simulation takes much longer, what delays the simulation.
           `in phases` means that the rest of the loop waits while the ports named are busy

A loop counts only if its instructions match callgrind's count (tools/instructions.tsv).

Exit code: 0 done, 1 --check found other counts, 2 bad usage, 3 not possible here (another compiler,
no llvm-mca 22, not x86-64).
"""
import json
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'tools/emulate'))
from account import CPUS, analyse, built, kernels_in, lacks, mca  # noqa: E402
from building import BuildFailed, CannotInstall  # noqa: E402
from disassembly import count, fullest_way, functions, tool  # noqa: E402
from machines import KERNELS  # noqa: E402

FILE = ROOT / 'docs/bounds.md'
CALLGRIND = ROOT / 'tools/instructions.tsv'
# The version of llvm-mca whose options and port names this script knows.
LLVM = 22
# Leaves out two models, because others have the same core with AVX-512 in addition.
MODELS = [cpu for cpu in CPUS['x86-64'] if cpu not in ('skylake', 'alderlake')]
# A loop in the disassembly is the one that callgrind executed if their instruction counts differ by
# at most this fraction. callgrind's count also includes the calls.
CALLS = 0.12
# --check accepts counts that differ by at most this fraction.
TOLERANCE = 0.03
# The kernels on the page: those for an instruction set, and the baseline.
LISTED = {*KERNELS, 'scalar'} - {'xop-emulated'}
# The operations whose limits the page lists.
MAIN = ['rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks']
# The models of ARM CPUs for --threats.
ARM_MODELS = ['cortex-a57', 'neoverse-n1', 'neoverse-n2', 'neoverse-v1', 'neoverse-v2']
# If the simulation takes more than this multiple of the bound, `limit` says what delays it.
SLOWER = 1.25
SHUFFLE = re.compile(r'v?(pshuf|punpck|pack[su]s|palignr|perm|pperm|shuf|unpck|valign|pinsr|pextr|'
                     r'pblendw|phminpos|insert|extract|broadcast|pbroadcast|movddup|pslldq|psrldq|'
                     r'compress|expand|pcompress|pexpand|pmovzx|pmovsx|movs[hl]dup)')


def cannot(why):
    print(f'bounds.py: {why}', file=sys.stderr)
    sys.exit(3)


def output(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def per_board(number, boards):
    return float(f'{number / boards:.3g}')


def short(port):
    """A port's name: p5 for `SPRPort05`, FP1 for `Zn4FP1`, ALU for `Zn4ALU2`."""
    if m := re.fullmatch(r'[A-Za-z]+Port0*(\d+)', port):
        return f'p{int(m[1])}'
    return re.sub(r'(?<=ALU|AGU)\d+|\..$', '', re.sub(r'^(Zn\d?|Pd)(?=[A-Z])', '', port))


def tables(record, cpu):
    """Returns `groups` and `rows`.

    `groups` maps each port group to llvm-mca's unit count and its ports. `rows` has one
    (instruction text, {group: cycles}) per instruction of the loop; the cycles are those of the
    micro-operations that only this group's ports can execute."""
    groups, rows = {}, []
    for line in mca(record, cpu, '--instruction-tables=full').splitlines():
        if m := re.match(r'\[\d+\]\s+- (\w+):(\d+)\s*(.*)', line):
            ports = list(dict.fromkeys(map(short, (m[3] or m[1]).split(', '))))
            groups[m[1]] = int(m[2]), ports
        elif m := re.match(r'\s*\d+\s+\d+\s+\d+\.\d+\s[\s*U]*\d+\s+(?:(\S+)\s+)?[A-Z]\w*\s+([a-z].*)',
                           line):
            used = re.findall(r'(\w+)(?:\[(?:\d+,)?(\d+)\])?', m[1] or '')
            rows.append((m[2], {name: int(cycles or 1) for name, cycles in used}))
    return groups, rows


def model(record, cpu):
    """Returns the page's numbers for one CPU, or None if llvm-mca cannot analyse the loop."""
    analysis = analyse(record, cpu)
    if analysis is None:
        return None
    region, boards = analysis['CodeRegions'][0], record['boards']
    summary, delays = region['SummaryView'], region['BottleneckAnalysis']
    uops = summary['TotaluOps'] / summary['Iterations']
    simulated = summary['TotalCycles'] / summary['Iterations']
    groups, rows = tables(record, cpu)
    if len(rows) != len(record['loop']):
        raise RuntimeError(f'llvm-mca printed {len(rows)} of {len(record["loop"])} instructions')
    work = {name: sum(used.get(name, 0) for _, used in rows) for name in groups}
    front_end = uops / summary['DispatchWidth']
    ports = max(work[name] / units for name, (units, _) in groups.items())
    bound = max(front_end, ports)
    busy = by_instruction(analysis)[-1]
    most = max(busy.values())
    waits = delays.get('DataDependencyCycles', 0) > delays.get('ResourcePressureCycles', 0)
    if simulated > SLOWER * bound:
        full = [port for port, cycles in busy.items() if cycles > 0.95 * most]
        limit = 'latency'
        if not waits and most >= 0.8 * simulated:
            limit = f"{' '.join(full)} in phases" + shuffles(
                [(text, sum(used.get(port, 0) for port in full))
                 for (text, _), used in zip(rows, by_instruction(analysis))])
    else:
        # Choose the smallest of the port groups that are equally busy.
        name = min((n for n, (units, _) in groups.items() if work[n] / units > 0.99 * ports),
                   key=lambda name: groups[name][0])
        limit = ' '.join(groups[name][1]) + shuffles(
            [(text, used.get(name, 0)) for text, used in rows])
        if front_end > 0.95 * ports:
            limit = 'front end' + (f', {limit}' if ports > 0.95 * front_end else '')
    return {'bound': per_board(bound, boards), 'simulated': per_board(simulated, boards),
            'limit': limit}


def by_instruction(analysis):
    """Returns a list of {port: simulated busy cycles}: one dict for each instruction of the block,
    then one for the whole block."""
    names = [short(name) for name in analysis['TargetInfo']['Resources']]
    region = analysis['CodeRegions'][0]
    busy = [dict.fromkeys(names, 0) for _ in range(len(region['Instructions']) + 1)]
    for entry in region['ResourcePressureView']['ResourcePressureInfo']:
        port = names[entry['ResourceIndex']]
        busy[entry['InstructionIndex']][port] += entry['ResourceUsage'] / names.count(port)
    return busy


def shuffles(cycles):
    """A note on the share of shuffles in a list of (instruction, cycles); empty if below 40 %."""
    part = sum(n for text, n in cycles if SHUFFLE.match(text)) / sum(n for _, n in cycles)
    return f' ({100 * part:.0f} % shuffles)' if part >= 0.4 else ''


def callgrind():
    """Returns the table's counts by callgrind, and the compiler that they are for.

    The counts are instructions per board, by (kernel, operation)."""
    head, *rows = CALLGRIND.read_text(encoding='utf-8').splitlines()
    cells = [row.split('\t') for row in rows]
    return ({(kernel, operation): float(count) for kernel, operation, how, count in cells
             if how == 'callgrind'}, re.search(r'rustc [\d.]+', head)[0])


def loops(records, counted):
    """Returns two dicts by (kernel, operation): the page's counts, still without the CPUs, and
    account.py's records."""
    batches = {operation for _, operation in counted
               if not re.search(r'-|_one$|^(attack_maps|checks)', operation)}
    entries, found = {}, {}
    for r in records:
        key = r['kernel'], r['operation']
        boards, expected = r['boards'], counted.get(key)
        if '(' in r['kernel'] or r['operation'] not in batches or not boards:
            continue
        instructions = r['vector'] + r['scalar']
        if expected is None or abs(instructions / boards - expected) <= CALLS * expected:
            entries[key] = {name: per_board(n, boards) for name, n in (
                ('instructions', instructions), ('vector', r['ops']),
                ('spills', r['spills']))}
            found[key] = r
    # If kernels share a function, only one of them has a record. The others get the entry with the
    # same instruction count.
    for (kernel, operation), count in counted.items():
        same = next((key for key in sorted(found)
                     if key[1] == operation and counted.get(key) == count), None)
        if same and (kernel, operation) not in entries:
            entries[kernel, operation] = dict(entries[same])
            found[kernel, operation] = found[same]
    listed = [key for key in entries if key[0] in LISTED]
    return {key: entries[key] for key in listed}, {key: found[key] for key in listed}


HEAD = """# Bounds of the kernels by models of CPUs

`tools/bounds.py` writes this page: %s, kernels compiled by %s.

The numbers are per board, for loops over whole blocks with all data in the first-level cache.
*Instructions*, *vector* (vector operations that compute) and *spills* (loads from the stack and
stores to it) are counted in the disassembly. For each CPU: the fewest cycles that the front end and
the execution ports of its model need / the cycles of a simulation in which instructions also wait
for their operands.

Compare them with the column `cycles` of `setwise bench`. Zen 5 has no model of its own: znver4 is
the nearest, and Zen 5 does more per cycle. Models are approximate. Listed are `scalar` and
the kernels for an instruction set, without operations whose loops have calls, branches or tables
(look-ups, mobility in most kernels).
"""


def page(llvm, compiler, entries):
    """The page's text. `entries` maps (kernel, operation) to the counts and the `cpus`."""
    def number(n):
        return f'{n:g}'

    lines = [HEAD % (f'llvm-mca {llvm}', compiler)]
    for operation in sorted({operation for _, operation in entries},
                            key=lambda name: (name not in MAIN, name)):
        own = {kernel: entry for (kernel, other), entry in sorted(entries.items())
               if other == operation}
        lines += [f'## {operation}', '',
                  f"| kernel | instructions | vector | spills | {' | '.join(MODELS)} |",
                  '|---' * (4 + len(MODELS)) + '|']
        for kernel, entry in own.items():
            cpus = entry.get('cpus', {})
            cells = [f'`{kernel}`', *(number(entry[n]) for n in ('instructions', 'vector', 'spills'))]
            cells += [f"{number(cpus[cpu]['bound'])} / {number(cpus[cpu]['simulated'])}"
                      if cpu in cpus else '' for cpu in MODELS]
            lines.append(f"| {' | '.join(cells)} |")
        if operation in MAIN:
            lines += ['', 'Limits: a port in phases is busy while the rest of the loop waits.', '',
                      f"| kernel | {' | '.join(MODELS)} |", '|---' * (1 + len(MODELS)) + '|']
            for kernel, entry in own.items():
                cpus = entry.get('cpus', {})
                limits = [cpus[cpu]['limit'] if cpu in cpus else '' for cpu in MODELS]
                lines.append(f"| `{kernel}` | {' | '.join(limits)} |")
        lines.append('')
    return '\n'.join(lines)


def listed(text):
    """The page's compiler, and its counts by (kernel, operation)."""
    entries, operation, counts = {}, '', False
    for line in text.splitlines():
        if line.startswith('## '):
            operation = line[3:]
        if line.startswith('| kernel '):
            counts = 'instructions' in line
        if counts and (m := re.match(r'\| `(\S+)` \| (\S+) \| (\S+) \| (\S+) \|', line)):
            names = 'instructions', 'vector', 'spills'
            entries[m[1], operation] = dict(zip(names, map(float, m.groups()[1:])))
    return re.search(r'compiled by (rustc [\d.]+\d)', text)[1], entries


def threats(files):
    """Prints the simulated cycles of calls of `threats_moved`, on the path that stores the most."""
    try:
        print(output(tool('llvm-mca'), '--version').strip().splitlines()[0])
        found = [f for file in files for f in functions(file, re.compile(r'::entries::moved\b'))]
    except FileNotFoundError as error:
        cannot(str(error))
    print('| code | instructions | vector | cycles: simulated |\n|---|---|---|---|')
    for function in found:
        way = fullest_way(function, range(len(function.code)))
        record = {'architecture': function.architecture, 'function': function, 'loop': way,
                  'whole': True, 'notes': [], 'kernel': function.name, 'operation': ''}
        on_arm = function.architecture == 'aarch64'
        cycles = []
        for cpu in ARM_MODELS if on_arm else MODELS:
            if on_arm or not lacks(record, cpu):
                region = json.loads(mca(record, cpu, '-iterations=100', '--json'))['CodeRegions'][0]
                cycles.append(f"{cpu} {region['SummaryView']['TotalCycles'] / 100:.0f}")
        counts, _ = count(function, way)
        if counts['vector']:  # else it only jumps to the portable code
            print(f"| {'::'.join(function.name.split('::')[2:4])} | {len(way)} | "
                  f"{counts['vector']} | {', '.join(cycles)} |")
    return 0


def main():
    if sys.argv[1:2] == ['--threats'] and len(sys.argv) > 2:
        return threats(sys.argv[2:])
    if sys.argv[1:] not in ([], ['--check']):
        print(__doc__, file=sys.stderr)
        return 2
    check = '--check' in sys.argv
    if platform.machine() not in ('x86_64', 'AMD64'):
        cannot('needs x86-64')
    compiler = output('rustc', '--version').split(' (')[0]
    counted, table_compiler = callgrind()
    if compiler != table_compiler:
        cannot(f'{CALLGRIND.name} is for {table_compiler}, not for {compiler}')
    if check:
        page_compiler, before = listed(FILE.read_text(encoding='utf-8'))
        if page_compiler != compiler:
            cannot(f'{FILE.name} is for {page_compiler}, not for {compiler}')
    try:
        records = [r for file in built(['x86-64'])
                   for r in kernels_in(file, re.compile(''))]
        llvm = re.search(r'LLVM version (\S+)', output(tool('llvm-mca'), '--version'))[1]
    except (CannotInstall, FileNotFoundError) as error:
        cannot(str(error))
    except BuildFailed as error:
        sys.exit(f'error: {error}')
    entries, found = loops(records, counted)
    if check:
        return compare(before, entries)
    if int(llvm.split('.')[0]) != LLVM:
        cannot(f'needs llvm-mca {LLVM}, this is {llvm}')
    jobs = [(key, cpu) for key in found for cpu in MODELS]
    with ThreadPoolExecutor(2) as pool:
        models = list(pool.map(lambda job: model(found[job[0]], job[1]), jobs))
    for (key, cpu), one in zip(jobs, models):
        if one:
            entries[key].setdefault('cpus', {})[cpu] = one
    FILE.write_text(page(llvm, compiler, entries), encoding='utf-8')
    print(f'{len(entries)} kernels and operations')
    return 0


def compare(before, entries):
    """Prints the counts that differ from the page's."""
    wrong = []
    for key in sorted(before.keys() | entries):
        old, now = before.get(key, {}), entries.get(key, {})
        for name in sorted(old.keys() | now):
            a, b = old.get(name), now.get(name)
            if a is None or b is None or abs(a - b) > TOLERANCE * a + 0.01:
                wrong.append(f"{' '.join(key)}: {name} {b}, on the page {a}")
    if wrong:
        print('\n'.join(wrong))
        print('error: run tools/bounds.py', file=sys.stderr)
    else:
        print(f'{len(entries)} kernels and operations match the page')
    return int(bool(wrong))


if __name__ == '__main__':
    sys.exit(main())
