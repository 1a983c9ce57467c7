#!/usr/bin/env python3
"""Counts the instructions in every kernel's block loop, from the disassembly of the library.

Of each function, with those that it calls, the loop with the most vector instructions is counted, once through by the way
that stores most, and what it calls. Boards per block: the bytes stored on that way outside the stack, by those of a board's
results. `vector` is every instruction that touches a vector register, `ops` those of them that compute; loads, constants,
stores, spills (to the stack) and reloads count memory operands, also those folded into an op. Without FILE, the library is
built for x86-64, AArch64 and wasm with simd128.

With --predict, llvm-mca PREDICTS the cycles of the loop on CPUs that may not be here. That is no measurement.

Exit code: 0 done, 1 a limit of --check is exceeded, or a kernel of it is missing (also if its loop is not found), 2 bad
usage, 3 a tool is missing.
"""
import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
from building import DEFAULT_DIR, LAB, BuildFailed, CannotInstall, cargo, install, say, table  # noqa: E402
from disassembly import callee, calls_through_pointers, fullest_way, functions, hottest_loop, is_call, jumped_to, loops, parts, target, tool, total  # noqa: E402
from machines import BUILDS  # noqa: E402

# The kernels' functions by their demangled names.
SYMBOLS = [re.compile(form) for form in (
    r'^setwise::kernels::\w+::(?P<kernel>\w+)::entries::(?P<operation>\w+)$',
    r'^setwise::kernels::any_cpu::(?P<kernel>portable)::(?P<operation>add_bytes)::add_bytes_(?P<clone>avx2|default)\w*_version$',  # of every operation
    r'^setwise::kernels::any_cpu::(?P<kernel>portable)::(?P<operation>add_bytes)$')]  # where there is one clone
BYTES = {'pins': 16, 'slider_attacks_split': 16, 'intersections': 4}  # that an operation writes for a board; others 8
ACCOUNTED = ['x86-64', 'aarch64', 'wasm-simd128']
COLUMNS = ('vector', 'ops', 'moves', 'loads', 'constants', 'stores', 'spills', 'reloads', 'scalar')

# What must hold of vector instructions a board: (operation, kernel, reference, at most).
LIMITS = [
    ('queen_attacks', 'avx512', 'avx2', 0.36),
    ('queen_attacks', 'avx512bw', 'avx2', 0.45),
    ('queen_attacks', 'avx2-gfni', 'avx2', 0.87),
    ('queen_attacks', 'neon', 'sse2', 0.80),
    ('queen_attacks', 'xop', 'sse2', 0.85),
    ('queen_attacks', 'simd128', 'sse2', 1.05),
]

# The boards in a block of those kernels: eight registers. If another number is found, the counts are not of one block, and no limit
# is kept by them.
BLOCKS = {'avx512': 64, 'avx512bw': 64, 'avx2-gfni': 32, 'avx2': 32, 'sse2': 16, 'xop': 16, 'neon': 16, 'simd128': 16}

# CPUs that the analyser knows, and what of FEATURES they have. (The analyser itself accepts instructions that a CPU lacks.)
CPUS = {
    'x86-64': {'bdver2': 'xop', 'haswell': 'avx2', 'znver3': 'avx2', 'alderlake': 'avx2 gfni', 'skylake-avx512': 'avx2 avx512',
               'icelake-server': 'avx2 avx512 vbmi gfni', 'znver4': 'avx2 avx512 vbmi gfni',
               'znver5': 'avx2 avx512 vbmi gfni', 'sapphirerapids': 'avx2 avx512 vbmi gfni'},
    'aarch64': {'cortex-a76': '', 'neoverse-n1': '', 'neoverse-v1': '', 'apple-m1': ''},
}
FEATURES = {
    'xop': r'\bvp(perm|cmov|rot[bwdq]|sh[la][bwdq])\s',
    'avx2': r'\bvp\w+ .*ymm',
    'avx512': r'zmm|\{k\d|\bk\w+ k\d',
    'vbmi': r'\bvp(ermb|ermi2b|ermt2b|multishiftqb)\s',
    'gfni': r'gf2p8',
}
TRIPLES = {'x86-64': 'x86_64-unknown-linux-gnu', 'aarch64': 'aarch64-unknown-linux-gnu'}


def named(symbol):
    """(kernel, operation) of a function, or None."""
    m = next((m for form in SYMBOLS if (m := form.match(symbol))), None)
    if m is None:
        return None
    groups = {'clone': None, **m.groupdict()}
    return groups['kernel'].replace('_', '-') + (f"({groups['clone']})" if groups['clone'] else ''), groups['operation']


def kernels_in(path, wanted_operations):
    """One record for each kernel's operation in a file."""
    records = []
    everything = functions(path, re.compile('setwise'))
    by_name = {f.name: f for f in everything}
    code = [(f, *names) for f in everything if (names := named(f.name))]
    cloned = {(kernel.split('(')[0], operation) for _, kernel, operation in code if kernel.endswith(')')}
    for entry, kernel, operation in code:
        # (What calls the clones is not a kernel's loop.)
        if not wanted_operations.match(operation) or (kernel, operation) in cloned:
            continue
        if named((other := jumped_to(entry, by_name)).name):
            entry = other
        found, notes = hottest_loop(entry, by_name), []
        if found is None:
            found, notes = (entry, list(range(len(entry.code)))), ['no loop: the whole function, which does one block']
        function, whole = found
        loop = whole if notes else fullest_way(function, whole)
        executed = parts(function, loop, by_name)
        counts, stored = total(executed)
        called = Counter(callee(f.code[i], f) or f.code[i].operands for f, indices in executed for i in indices
                         if is_call(f.architecture, f.code[i]))
        counted = {f.name for f, _ in executed}
        unknown = [f'calls {name}' + (f' {times} times' if times > 1 else '') for name, times in called.items() if name not in counted]
        if any(set(other) < set(whole) for other in loops(function)) or any(loops(f) for f, _ in executed[1:]):
            unknown.append('has an inner loop, counted once')
        # (Few boards go through a pointer too, after the loop.)
        if function is not entry and calls_through_pointers(entry, by_name):
            unknown.append('calls loops through pointers: the hottest alone is counted')
        elif not stored:
            unknown.append('stores no boards')
        if notes or unknown:
            stored = 0  # The counts are not those of so many boards.
        notes += unknown + [f'with calls of {name}' for name in called if name in counted]
        records.append({'kernel': kernel, 'operation': operation, 'architecture': function.architecture, 'boards': stored / BYTES.get(operation, 8),
                        **{c: counts[c] for c in COLUMNS}, 'notes': notes, 'function': function, 'loop': loop,
                        'whole': len(executed) == 1})
    return records


def listing(record):
    """The loop as an assembler takes it: branches go to its head."""
    lines = ['loop:']
    for i in record['loop']:
        one = record['function'].code[i]
        operands = re.sub(r'\s*<.*>', '', one.operands)
        if target(one) is not None:
            operands = re.sub(r'0x[0-9a-f]+$', 'loop', operands)
        lines.append(f'  {one.mnemonic} {operands}')
    return '\n'.join(lines) + '\n'


def predict(record, cpu):
    """Cycles a block by llvm-mca, or None if the CPU has not the instructions or the loop calls something."""
    text = listing(record)
    has = CPUS[record['architecture']][cpu].split()
    needs = {name for name, form in FEATURES.items() if record['architecture'] == 'x86-64' and re.search(form, text)}
    if not needs <= set(has) or not record['whole'] or any(note.startswith('calls') for note in record['notes']):
        return None
    syntax = '.intel_syntax noprefix\n' if record['architecture'] == 'x86-64' else ''
    command = [tool('llvm-mca'), f"-mtriple={TRIPLES[record['architecture']]}", f'-mcpu={cpu}', '-iterations=100', '--json']
    done = subprocess.run(command, input=syntax + text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"llvm-mca, {record['kernel']} {record['operation']} on {cpu}: {done.stderr.strip()[:200]}")
    view = json.loads(done.stdout)['CodeRegions'][0]['SummaryView']
    return view['TotalCycles'] / view['Iterations']


def check(records):
    """Rows of (operation, kernel, reference, ratio of vector instructions a board, the same of ops, limit of the first, verdict)."""
    found = {(r['operation'], r['kernel']): r for r in records if r['boards']}
    rows = []
    for operation, kernel, reference, limit in LIMITS:
        one, other = found.get((operation, kernel)), found.get((operation, reference))
        if one and other and any(r['boards'] != BLOCKS[r['kernel']] for r in (one, other)):
            rows.append((operation, kernel, reference, '-', '-', limit, f"blocks of {one['boards']:g} and {other['boards']:g} boards"))
        elif one and other:
            vector, ops = (one[c] / one['boards'] / (other[c] / other['boards']) for c in ('vector', 'ops'))
            rows.append((operation, kernel, reference, vector, ops, limit, 'ok' if vector <= limit else 'EXCEEDED'))
        else:
            rows.append((operation, kernel, reference, '-', '-', limit, 'missing'))
    return rows


def arguments():
    parser = argparse.ArgumentParser(prog='tools/emulate/account.py', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', metavar='FILE', help='object files, libraries or programs with symbols')
    parser.add_argument('--build', action='append', choices=ACCOUNTED, help='build only these (repeatable)')
    parser.add_argument('--operations', default='.*', help='regular expression that they begin with, such as "queen|slider"')
    parser.add_argument('--kernels', default='.*', help='regular expression of kernel names')
    parser.add_argument('--predict', action='store_true', help="llvm-mca's prediction of cycles a board")
    parser.add_argument('--check', action='store_true', help='compare with the limits that the kernels must keep')
    parser.add_argument('--show', action='store_true', help='print the loops')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--dir', default=DEFAULT_DIR, help='where the lab is installed (%(default)s)')
    parser.add_argument('--crate', default=LAB.parent.parent, help='the crate (the folder above this one)')
    return parser.parse_args()


def built(options):
    directory, crate = Path(options.dir).expanduser().resolve(), Path(options.crate).resolve()
    builds = options.build or ACCOUNTED
    install(directory, list(dict.fromkeys(['packages'] + [p for b in builds for p in BUILDS[b].parts])))
    for name in builds:
        artifacts = cargo(directory, crate, name, 'build', '--release', '--package', 'setwise', '--features', 'avx512bw',
                          flags=('-Csymbol-mangling-version=v0',))
        yield from (f for a in artifacts for f in a['filenames'] if a['target']['name'] == 'setwise' and f.endswith('.rlib'))


def main():
    options = arguments()
    try:
        files = options.files or list(built(options))
        records = [r for f in files for r in kernels_in(f, re.compile(options.operations))]
        records = [r for r in records if re.fullmatch(options.kernels, r['kernel'])]
        records.sort(key=lambda r: (r['architecture'], r['operation'], r['kernel']))
        for r in records if options.predict else []:
            r['predicted_cycles_a_block'] = {cpu: predict(r, cpu) for cpu in CPUS.get(r['architecture'], ())}
    except (CannotInstall, FileNotFoundError) as error:
        say(str(error))
        return 3
    except BuildFailed as error:
        say(str(error))
        return 1
    if not records:
        say('no kernel found')
        return 1
    limits = check(records) if options.check else []
    if options.json:
        plain = [{k: v for k, v in r.items() if k not in ('function', 'loop', 'whole')} for r in records]
        limits_json = [dict(zip(('operation', 'kernel', 'reference', 'ratio', 'ops_ratio', 'limit', 'verdict'), row)) for row in limits]
        json.dump({'kernels': plain, 'limits': limits_json}, sys.stdout, indent=1)
        print()
    else:
        report(records, limits, options)
    return int(any(row[-1] != 'ok' for row in limits))


def report(records, limits, options):
    rows = [(r['architecture'], r['operation'], r['kernel'], int(r['boards']) or '-', *(r[c] for c in COLUMNS),
             *(r[c] / r['boards'] if r['boards'] else '-' for c in ('vector', 'ops')), '; '.join(r['notes']))
            for r in records]
    print(table(('architecture', 'operation', 'kernel', 'boards', *COLUMNS, 'vector/board', 'ops/board', 'notes'), rows))
    if options.predict:
        print('\nPREDICTED cycles a board, by llvm-mca (not measured; -: the CPU lacks an instruction, or no model)')
        for architecture, cpus in CPUS.items():
            rows = [(r['operation'], r['kernel'], *(('-' if c is None or not r['boards'] else c / r['boards'])
                     for c in r['predicted_cycles_a_block'].values())) for r in records if r['architecture'] == architecture]
            if rows:
                print(table(('operation', 'kernel', *cpus), rows))
    if limits:
        print('\nLimits of vector instructions a board (and, for comparison, of those of them that compute)')
        print(table(('operation', 'kernel', 'against', 'ratio', 'ratio of ops', 'at most', 'result'), limits))
    if options.show:
        for r in records:
            print(f"\n{r['architecture']} {r['kernel']} {r['operation']}\n{listing(r)}", end='')


if __name__ == '__main__':
    sys.exit(main())
