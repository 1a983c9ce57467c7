#!/usr/bin/env python3
"""Counts the instructions in every kernel's block loop, from the disassembly of the library.

Searches an operation's function and its callees for the loop with the most vector instructions.
Counts the instructions on the path through that loop that stores the most bytes, and in the
functions called from that path. Boards per block are the bytes that the path stores outside the
stack, divided by the bytes of one board's results.

`vector` counts the instructions that touch a vector register, and `ops` only those that compute.
`spills` are memory operands on the stack, including those folded into an op. Builds the library for
x86-64, AArch64 and wasm with simd128.

Exit code: 0 done, 1 --check found a limit exceeded or a kernel or its loop missing, 2 bad usage,
3 a tool is missing.
"""
import argparse
import json
import re
import subprocess
import sys
from collections import Counter

sys.dont_write_bytecode = True
from building import (BuildFailed, CannotInstall, cargo, install, need_target,  # noqa: E402
                      say, table)
from disassembly import (callee, calls_through_pointers, fullest_way, functions,  # noqa: E402
                         hottest_loop, is_call, jumped_to, loops, parts, target, tool, total)
from machines import BUILDS  # noqa: E402

# Demangled names of the kernels' functions. `portable` has one loop for all operations, with a
# version for each instruction set.
SYMBOLS = [re.compile(form) for form in (
    r'^setwise::kernels::\w+::(?P<kernel>\w+)::entries::(?P<operation>\w+)$',
    r'^setwise::kernels::any_cpu::(?P<kernel>portable)::(\w+::)*'
    r'(?P<operation>add_bytes)_(?P<version>avx512|[a-z0-9]+)\w*_version$')]
# Bytes of one board's results; 8 for all other operations.
BYTES = {'pins': 16, 'slider_attacks_split': 16, 'intersections': 4}
ACCOUNTED = ['x86-64', 'aarch64', 'wasm-simd128']
COLUMNS = ('vector', 'ops', 'spills', 'scalar')

# Limits on vector instructions per board, relative to a reference kernel: (operation, kernel,
# reference, largest ratio).
LIMITS = [
    ('queen_attacks', 'avx512-gfni', 'avx2', 0.36),
    ('queen_attacks', 'avx512', 'avx2', 0.45),
    ('queen_attacks', 'avx2-gfni', 'avx2', 0.87),
    ('queen_attacks', 'neon', 'sse2', 0.80),
    ('queen_attacks', 'xop', 'sse2', 0.85),
    ('queen_attacks', 'simd128', 'sse2', 1.05),
]

# Boards per block. A block fills eight registers. If the loop found stores another number of
# boards, it is not the block loop and cannot be compared with the limit.
BLOCKS = {'avx512-gfni': 64, 'avx512': 64, 'avx2-gfni': 32, 'avx2': 32, 'sse2': 16, 'xop': 16,
          'neon': 16, 'simd128': 16}

# CPUs of which llvm-mca 22 has a model, with their FEATURES. The features are listed because
# llvm-mca accepts instructions that a CPU lacks. For Zen 5, llvm-mca uses its model of Zen 4.
CPUS = {
    'x86-64': {'bdver2': 'xop', 'haswell': 'avx2', 'skylake': 'avx2', 'alderlake': 'avx2 gfni',
               'skylake-avx512': 'avx2 avx512', 'icelake-server': 'avx2 avx512 vbmi gfni',
               'sapphirerapids': 'avx2 avx512 vbmi gfni', 'znver1': 'avx2', 'znver2': 'avx2',
               'znver3': 'avx2', 'znver4': 'avx2 avx512 vbmi gfni'},
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
    """The (kernel, operation) to which a function belongs, or None."""
    m = next((m for form in SYMBOLS if (m := form.match(symbol))), None)
    if m is None:
        return None
    version = m.groupdict().get('version')
    return m['kernel'].replace('_', '-') + (f'({version})' if version else ''), m['operation']


def kernels_in(path, wanted_operations):
    """Returns the record of `account` for each kernel and operation in a library file."""
    records = []
    everything = functions(path, re.compile('setwise'))
    by_name = {f.name: f for f in everything}
    for entry in everything:
        kernel, operation = named(entry.name) or ('', '')
        if not kernel or not wanted_operations.match(operation):
            continue
        if named((other := jumped_to(entry, by_name)).name):
            entry = other
        records.append({'kernel': kernel, 'operation': operation, **account(entry, by_name)})
        records[-1]['boards'] /= BYTES.get(operation, 8)
    return records


def account(entry, by_name):
    """Counts the instructions in a function's hottest loop.

    The result's `boards` is the number of bytes that the loop stores (`kernels_in` converts it to
    boards), or 0 if the counts are not those of one block."""
    found, notes = hottest_loop(entry, by_name), []
    if found:
        function, whole = found
        loop = fullest_way(function, whole)
    else:
        function, whole = entry, list(range(len(entry.code)))
        loop = whole
        notes = ['no loop: the whole function, which does one block']
    executed = parts(function, loop, by_name)
    counts, stored = total(executed)
    called = Counter(callee(f.code[i], f) or f.code[i].operands
                     for f, indices in executed for i in indices
                     if is_call(f.architecture, f.code[i]))
    counted = {f.name for f, _ in executed}
    unknown = [f'calls {name}' + (f' {times} times' if times > 1 else '')
               for name, times in called.items() if name not in counted]
    inner = any(set(other) < set(whole) for other in loops(function))
    if inner or any(loops(f) for f, _ in executed[1:]):
        unknown.append('has an inner loop, counted once')
    # If `entry` itself contains the loop, calls through pointers are harmless: they handle short
    # batches.
    if function is not entry and calls_through_pointers(entry, by_name):
        unknown.append('calls loops through pointers: only the hottest is counted')
    elif not stored:
        unknown.append('stores no boards')
    if notes or unknown:
        stored = 0
    notes += unknown + [f'with calls of {name}' for name in called if name in counted]
    return {'architecture': function.architecture, 'boards': stored,
            **{c: counts[c] for c in COLUMNS}, 'notes': notes,
            'function': function, 'loop': loop, 'whole': len(executed) == 1}


def listing(record):
    """The loop as assembler source, with every branch redirected to the head of the loop."""
    lines = ['loop:']
    for i in record['loop']:
        one = record['function'].code[i]
        operands = re.sub(r'\s*<.*>', '', one.operands)
        if target(one) is not None:
            operands = re.sub(r'0x[0-9a-f]+$', 'loop', operands)
        lines.append(f'  {one.mnemonic} {operands}')
    return '\n'.join(lines) + '\n'


def lacks(record, cpu):
    """Whether llvm-mca cannot analyse the loop for a CPU: the CPU lacks an instruction, or the loop
    has a call."""
    text, on_x86 = listing(record), record['architecture'] == 'x86-64'
    needs = {name for name, form in FEATURES.items() if on_x86 and re.search(form, text)}
    calls = not record['whole'] or any(note.startswith('calls') for note in record['notes'])
    return calls or not needs <= set(CPUS[record['architecture']][cpu].split())


def mca(record, cpu, *options):
    """Runs llvm-mca on the loop. Returns what it prints."""
    syntax = '.intel_syntax noprefix\n' if record['architecture'] == 'x86-64' else ''
    command = [tool('llvm-mca'), f"-mtriple={TRIPLES[record['architecture']]}", f'-mcpu={cpu}',
               *options]
    done = subprocess.run(command, input=syntax + listing(record), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise RuntimeError(f"llvm-mca, {record['kernel']} {record['operation']} on {cpu}: "
                           f'{done.stderr.strip()[:200]}')
    return done.stdout


def analyse(record, cpu):
    """llvm-mca's analysis of a block, or None if it cannot analyse the loop for this CPU."""
    if lacks(record, cpu):
        return None
    return json.loads(mca(record, cpu, '-iterations=100', '--bottleneck-analysis', '--json'))


def check(records):
    """Rows of (operation, kernel, reference, ratio of vector instructions per board, ratio of ops,
    limit on the first ratio, verdict)."""
    found = {(r['operation'], r['kernel']): r for r in records if r['boards']}
    rows = []
    for operation, kernel, reference, limit in LIMITS:
        one, other = found.get((operation, kernel)), found.get((operation, reference))
        ratios, verdict = ('-', '-'), 'missing'
        if one and other and any(r['boards'] != BLOCKS[r['kernel']] for r in (one, other)):
            verdict = f"blocks of {one['boards']:g} and {other['boards']:g} boards"
        elif one and other:
            ratios = [one[c] / one['boards'] / (other[c] / other['boards'])
                      for c in ('vector', 'ops')]
            verdict = 'ok' if ratios[0] <= limit else 'EXCEEDED'
        rows.append((operation, kernel, reference, *ratios, limit, verdict))
    return rows


def arguments():
    parser = argparse.ArgumentParser(prog='tools/emulate/account.py', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', action='append', choices=ACCOUNTED,
                        help='build only these (repeatable)')
    parser.add_argument('--operations', default='.*',
                        help='regular expression that matches the start of the name ("queen|slider")')
    parser.add_argument('--kernels', default='.*', help='regular expression that matches the whole name')
    parser.add_argument('--check', action='store_true', help="compare the kernels with their limits")
    parser.add_argument('--show', action='store_true', help='print the loops')
    parser.add_argument('--json', action='store_true')
    return parser.parse_args()


def built(builds):
    """Builds the library for each of `builds`, and yields the paths of the .rlib files."""
    install(['packages'])
    for name in builds:
        need_target(BUILDS[name].target)
        artifacts = cargo(name, 'build', '--release', '--package', 'setwise',
                          flags=('-Csymbol-mangling-version=v0',))
        yield from (f for a in artifacts if a['target']['name'] == 'setwise'
                    for f in a['filenames'] if f.endswith('.rlib'))


def main():
    options = arguments()
    try:
        records = [r for f in built(options.build or ACCOUNTED)
                   for r in kernels_in(f, re.compile(options.operations))]
        records = [r for r in records if re.fullmatch(options.kernels, r['kernel'])]
        records.sort(key=lambda r: (r['architecture'], r['operation'], r['kernel']))
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
        plain = [{k: v for k, v in r.items() if k not in ('function', 'loop', 'whole')}
                 for r in records]
        columns = ('operation', 'kernel', 'reference', 'ratio', 'ops_ratio', 'limit', 'verdict')
        limits_json = [dict(zip(columns, row)) for row in limits]
        json.dump({'kernels': plain, 'limits': limits_json}, sys.stdout, indent=1)
        print()
    else:
        report(records, limits, options)
    return int(any(row[-1] != 'ok' for row in limits))


def report(records, limits, options):
    def a_board(record, number):
        return number / record['boards'] if record['boards'] and number is not None else '-'

    rows = [(r['architecture'], r['operation'], r['kernel'], int(r['boards']) or '-',
             *(r[c] for c in COLUMNS), a_board(r, r['vector']), a_board(r, r['ops']),
             '; '.join(r['notes'])) for r in records]
    print(table(('architecture', 'operation', 'kernel', 'boards', *COLUMNS,
                 'vector/board', 'ops/board', 'notes'), rows))
    if limits:
        print('\nLimits of vector instructions per board (for comparison: of ops)')
        print(table(('operation', 'kernel', 'against', 'ratio', 'ratio of ops', 'at most',
                     'result'), limits))
    if options.show:
        for r in records:
            print(f"\n{r['architecture']} {r['kernel']} {r['operation']}\n{listing(r)}", end='')


if __name__ == '__main__':
    sys.exit(main())
