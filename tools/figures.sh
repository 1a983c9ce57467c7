#!/usr/bin/env bash
# Generates figures from a run in docs/runs: the drawing docs/runs/summary.svg, and the marked
# tables in README.md, docs/kernels.md and docs/techniques.md. A table in docs/kernels.md has a row
# for each run.
#
#   tools/figures.sh [docs/runs/NAME.json]           writes them [default: the run on Zen 5]
#   tools/figures.sh --check [docs/runs/NAME.json]   fails if one of them is out of date
set -euo pipefail
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=--check; shift; }
run=${1:-docs/runs/amd-epyc-zen-5.json}
svg=docs/runs/summary.svg
[ -z "$check" ] || svg=${CARGO_TARGET_DIR:-target}/summary.svg
cargo run --quiet --release -- bench --compare "$run" --svg "$svg" > /dev/null
if [ -n "$check" ] && ! cmp "$svg" docs/runs/summary.svg; then
  echo "docs/runs/summary.svg is out of date; to write it: tools/figures.sh $run" >&2
  exit 1
fi
python3 - "$run" "$check" <<'PYTHON'
import glob, json, sys, textwrap

run, check = json.load(open(sys.argv[1])), sys.argv[2]
runs = sorted(map(lambda path: json.load(open(path)), glob.glob('docs/runs/*.json')),
              key=lambda run: (run['machine'].get('vendor') or '', -run['machine'].get('family', 0),
                               -run['machine'].get('model', 0)))
BEGIN, END = '<!-- figures: tools/figures.sh -->\n', '<!-- end of figures -->\n'
OPERATIONS = ['rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks']

def figures(section, operation, run=run):
    return {f['contender']: f for f in run['figures']
            if (f['section'], f['operation']) == (section, operation) and f['kind'] != 'roof'}

of = {operation: figures('operations', operation) for operation in OPERATIONS}
positions = figures('positions', 'slider_attacks')
machine = run['machine']
brand = machine.get('brand') or machine['arch']
order = sorted(of['slider_attacks'], key=lambda name: of['slider_attacks'][name]['ns']['median'])

def cell(figure):
    return f"{figure['to_scalar']['median']:.2f}" if figure and 'to_scalar' in figure else ''

def cells(name):
    return [cell(of[operation].get(name)) for operation in OPERATIONS]

def speed(figure):
    return f"{figure['boards_per_second'] / 1e6:.0f}" if figure else ''

def table(header, rows):
    lines = [f"| {' | '.join(row)} |" for row in (header, *rows)]
    return [lines[0], '|---' * len(header) + '|', *lines[1:]]

# README.md: the default kernels and the CPUs that run them.
CPUS = {
    'avx512-gfni': 'Intel Ice Lake, Sapphire Rapids and later Xeons; AMD Zen 4 and later',
    'avx512': 'Intel Skylake-X, Cascade Lake',
    'avx2-gfni': 'Intel Alder Lake and later without AVX-512',
    'avx2': 'Intel Haswell and later; AMD Zen to Zen 3',
    'sse2': 'every other x86-64 CPU',
    'scalar': 'any CPU',
}
# The look-ups run faster if the boards come in the same order again and again.
repeated = figures('repeated', 'slider_attacks')
LOOK_UPS = [(positions, 'x look-ups, new order'), (repeated, 'x look-ups, same order')]

def speeds(name):
    to_scalar = [1 / positions[name]['to_scalar']['median']]
    look_ups = [of['cozy-magic']['to_scalar']['median'] / of[name]['to_scalar']['median']
                for of, _ in LOOK_UPS]
    return [speed(positions[name]), *(f'{times:.1f}' for times in to_scalar + look_ups)]

readme = [textwrap.fill(
    'Speed of `slider_attacks` on 4,096 positions of games in a new order in every pass, so that no '
    f'branch predictor memorises them, in the caches of one core of an {brand}. In the column `same '
    'order`, the boards come in the same order again and again.',
    100), '']
readme += table(['kernel', 'runs on', 'Mboards/s', 'x `scalar`', *(title for _, title in LOOK_UPS)],
                [[f'`{name}`', cpus, *speeds(name)] for name, cpus in CPUS.items()])

# docs/kernels.md: all kernels and the peer libraries.
facts = [f'{what} {machine[what]}' for what in ('family', 'model', 'stepping')
         if machine.get(what) is not None]
virtual = ', a virtual machine' if machine.get('hypervisor') else ''
kernels = [f'![Million boards per second on {brand}](runs/summary.svg)', '',
           textwrap.fill(f"{brand} ({', '.join(facts)}; clock measured {machine['clock_ghz']:.2f} "
                         f"GHz{virtual}), {run['rustc'].split(' (')[0]}:", 100), '']
kernels += table(
    ['contender', 'rook', 'bishop', 'queen', 'slider', 'slider, positions of games', 'slider, Mboards/s'],
    [[f'`{name}`', *cells(name), cell(positions.get(name)), speed(of['slider_attacks'].get(name))]
     for name in order])

# The times of one board, with one row for all kernels that have the same code.
one_board = {section: figures(section, 'slider_attacks_one')
             for section in ('throughput', 'latency', 'cold')}

rows = {}
for section, found in one_board.items():
    for name, figure in found.items():
        names = ', '.join(f'`{other}`' for other in figure.get('shared_by', [name]))
        rows.setdefault(names, {}).setdefault(section, f"{figure['ns']['median']:.1f}")
kernels += ['', textwrap.fill(
    'Nanoseconds for `slider_attacks` of one board by value. Kernels in one row have the same code, '
    'so they have one time.', 100), '']
kernels += table(['code', *one_board], [[names, *(row.get(section, '') for section in one_board)]
                                        for names, row in rows.items()])

# A row for each CPU: its fastest kernel, and cycles.
SHOWN = ['avx512-gfni', 'avx512', 'avx2-gfni', 'avx2', 'sse2', 'scalar', 'cozy-magic']

def cpu_row(run):
    machine, found = run['machine'], figures('operations', 'slider_attacks', run)
    kernels = {kernel['name'] for kernel in run['kernels']}
    fastest = max((f for name, f in found.items() if name in kernels),
                  key=lambda figure: figure['boards_per_second'])

    def cycles(name):
        if name not in found:
            return ''
        return f"{found[name]['ns']['median'] * machine['clock_ghz']:#.3g}"

    def look_ups(section):
        found = figures(section, 'slider_attacks', run)
        return f"{found['avx2']['ns']['median'] / found['cozy-magic']['ns']['median']:.2f}"

    return [machine.get('brand') or machine['arch'], f"{machine['clock_ghz']:.2f}",
            f"{speed(fastest)}, `{fastest['contender']}`", *map(cycles, SHOWN),
            ', '.join(map(look_ups, ('operations', 'positions', 'repeated')))]

kernels += ['', '### CPUs', '', textwrap.fill(
    'The fastest kernel on each CPU with a run, and core cycles per board (the median time '
    'multiplied by the clock): all sliders of a side, 4,096 random boards, in a new order in every '
    'pass. Zen 4 executes 512-bit operations in two passes. The last column: the time of `avx2` as '
    'a fraction of that of the look-ups `cozy-magic`, on random boards, on positions of games, and on these always in the '
    'same order. The run on Zen 3 was disturbed by others on the same core: its medians are 1.4 '
    'times its fastest samples.', 100), '']
kernels += table(['CPU', 'GHz', 'Mboards/s', *(f'`{name}`' for name in SHOWN), '/ look-ups'],
                 map(cpu_row, runs))

# docs/techniques.md: the forms (the functions of `setwise::techniques`).
FORMS = {
    'ray_attacks-northwest': 'one ray, north-west',
    'ray_attacks-east': 'the east ray',
    'ray_attacks-west': 'the west ray',
    'attacks_along_ranks': 'both ways along ranks',
    'rook_attacks': 'rooks',
    'queen_attacks': 'queens',
    'line_attacks_from-rank': 'rank of a square',
    'line_attacks_from-file': 'file of a square',
    'rook_attacks_from': 'rook on a square',
    'bishop_attacks_from': 'bishop on a square',
    'queen_attacks_from': 'queen on a square',
}
ANY_DIRECTION = ('dumb7fill', 'kogge_stone')
rows = []
for operation, title in FORMS.items():
    forms = [f for f in figures('techniques', operation).values() if f['kind'] == 'form']
    if operation in ('ray_attacks-east', 'ray_attacks-west'):
        # Forms for any direction are in the rows for north-west. Repeat only Kogge-Stone here.
        forms = [f for f in forms if not f['contender'].startswith(ANY_DIRECTION)
                 or f['contender'].startswith('kogge_stone::attacks')]
    if operation == 'ray_attacks-east':
        forms.sort(key=lambda f: f['contender'].startswith('kogge_stone'))  # puts the borrow first
    for f in forms:
        ns, first = f['ns']['median'], forms[0]['ns']['median']
        rows.append([title, f"`{f['contender']}`", f'{ns:.2f}', f'{ns / first:.2f}'])
        title = ''
techniques = [textwrap.fill(
    f'Each form in a plain loop over the same boards in the caches, on {brand}. The compiler may '
    "vectorise the loop. The modules' pages say which forms the kernels use:", 100), '']
techniques += table(['attacks', 'form', 'ns per board', '/ first'], rows)

for path, text in (('README.md', readme), ('docs/kernels.md', kernels),
                   ('docs/techniques.md', techniques)):
    old = open(path).read()
    before, rest = old.split(BEGIN)
    new = before + BEGIN + '\n' + '\n'.join(text) + '\n\n' + END + rest.split(END)[1]
    if check and new != old:
        sys.exit(f'{path} is out of date; to write it: tools/figures.sh {sys.argv[1]}')
    if new != old:  # Cargo would compile again what includes a file with a new date.
        open(path, 'w').write(new)
PYTHON
