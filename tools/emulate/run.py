#!/usr/bin/env python3
"""Runs the crate's test program `runner` on every machine of machines.py and checks which kernels
ran there.

Exit code: 0 all as expected, 1 a machine failed, 2 bad usage, 3 the emulators cannot be installed.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from building import (DIR, HERE, ROOT, BuildFailed, CannotInstall,  # noqa: E402
                      cargo, code_by_name, install, last_lines, need_target, say)
from machines import BOCHS, BUDGETS, BUILDS, KERNELS, MACHINES, PORTABLE, able  # noqa: E402

# Time limit per machine in seconds, long enough for a busy host.
TIME_LIMIT = {'quick': 1800, 'long': 3600}
TARGET = ROOT / 'target/emulate'


def log(name):
    return TARGET / 'logs' / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.log"


def build_programs(name, budget):
    """Compiles the test programs of one build; returns their paths by name. Builds for the same
    target share cargo's folder, so the programs are copied out of it."""
    build = BUILDS[name]
    artifacts = cargo(name, 'build', *build.what, log=log(f'build-{name}'),
                      variables=build.quick if budget == 'quick' else ())
    folder = TARGET / 'programs' / name
    folder.mkdir(parents=True, exist_ok=True)
    programs = {a['target']['name']: shutil.copy(a['executable'], folder)
                for a in artifacts if a.get('executable')}
    if build.cpuid is not None:
        code = code_by_name(programs['active'])
        if 'main' not in code:
            raise BuildFailed(f'build {name}: no function main in the disassembly')
        if build.cpuid != any('cpuid' in instructions for function, instructions in code.items()
                              if re.match(r'<?setwise|main$', function)):
            state = 'missing' if build.cpuid else 'present'
            raise BuildFailed(f'build {name}: the instruction CPUID is {state}')
    return programs


def execute(name, command, environment, limit):
    """Runs a command and keeps its output in a log; returns (exit code, output)."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith('SETWISE_')} | environment
    if Path(command[0]).name == 'bochs.sh':
        command = [command[0], '--timeout', str(limit), *command[1:]]
    with log(name).open('w') as file:
        try:
            code = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=file,
                                  stderr=file, timeout=limit + 20, check=False).returncode
        except subprocess.TimeoutExpired:
            code = 124
        except OSError as error:
            code = 127
            print(f'cannot start {command[0]}: {error}', file=file, flush=True)
    return code, log(name).read_text(encoding='utf-8', errors='replace')


def words(template, **values):
    return [word.format(here=HERE, dir=DIR, **values) for word in shlex.split(template)]


def test(machine, programs, budget):
    """Runs a program on a machine. Returns what it prints, and the problems."""
    start, program = time.monotonic(), str(programs[machine.program])
    active, exercised = machine.expectation()
    skipped = machine.skip if budget == 'quick' else ()
    environment, arguments = {}, []
    if machine.program == 'runner':
        arguments = ['--nocapture', '--test-threads=1']
        arguments += [f'{machine.only}::'] if machine.only else []
        environment = {'SETWISE_TEST_BUDGET': BUDGETS[budget][machine.slow],
                       'SETWISE_EXPECT_ACTIVE': active,
                       'SETWISE_EXPECT_EXERCISED': ','.join(sorted(exercised - set(skipped)))}
        if skipped:
            environment['SETWISE_TEST_KERNELS'] = ','.join(
                kernel for kernel in (*KERNELS, *PORTABLE) if kernel not in skipped)
        if machine.seed:
            environment['SETWISE_TEST_SEED'] = machine.seed
        if machine.emulate:
            environment['SETWISE_TEST_EMULATE'] = machine.only
    problems = []
    if machine.check and subprocess.run(words(machine.check, program=program), capture_output=True,
                                        check=False).returncode:
        problems.append(f"'{machine.check}' failed")
    code, text = execute(machine.name, [*words(machine.run), program, *arguments], environment,
                         TIME_LIMIT[budget])
    result = parse(text)
    if code:
        problems.append('timed out' if code == 124 else f'exit code {code}')
    if result['active'] != active:
        problems.append(f"active is {result['active']}, expected {active}")
    if machine.program == 'runner':
        problems += judge(machine, result, exercised - set(skipped), skipped)
    seconds = time.monotonic() - start
    say(f"{machine.name}: {'; '.join(problems) or 'ok'} ({seconds:.0f} s)")
    if problems:
        print(last_lines(text), file=sys.stderr)
    return result | {'seconds': seconds, 'problems': problems}


def parse(text):
    """Parses the lines that the programs print. The test harness may print text before them."""
    def last(name):
        return (re.findall(rf'\b{name}: (.*)', text) or [''])[-1].split()

    counts = re.findall(r'\bexercised: (\S+) cases=(\d+) failures=(\d+)', text)
    exercised = {name: (int(cases), int(failures)) for name, cases, failures in counts}
    return {'active': ' '.join(last('active')), 'portable': ' '.join(last('portable')),
            'compiled': last('compiled'), 'exercised': exercised,
            'catalogue': {*exercised, *re.findall(r'\bnot run: (\S+) \(', text)},
            'forms': re.findall(r'\bform: (.*) cases=[1-9]', text),
            'forms_left_out': re.findall(r'\bform left out: (.*), which', text)}


def judge(machine, result, exercised, skipped):
    """The problems with the runner's result on one machine, one sentence each."""
    problems = []
    if result['portable'] != machine.clone():
        problems.append(f"portable runs for {result['portable']}, expected {machine.clone()}")
    compiled = result['compiled']
    everything = able(machine.build, ' '.join(needs for _, needs in KERNELS.values()))
    if [k for k in compiled if k in KERNELS] != everything:
        problems.append(f"compiled, best first: {' '.join(compiled)}; "
                        f"expected among them: {' '.join(everything)}")
    ran = set(result['exercised'])
    others = set() if machine.only else set(compiled) - set(KERNELS) - set(skipped)
    if ran != exercised | others:
        problems.append(f"exercised {' '.join(sorted(ran))}, "
                        f"expected {' '.join(sorted(exercised | others))}")
    for name, (cases, failures) in result['exercised'].items():
        if cases == 0 or failures:
            problems.append(f'{name}: {cases} cases, {failures} failures')
    return problems


def summary(results):
    """Prints a table of the machines, and the machines of each kernel. Returns the kernels and the
    forms that no machine exercised."""
    width = max(map(len, results))
    print(f"{'machine':<{width}}  {'active':<12}{'cases':>10}{'seconds':>9}  result")
    for name, r in results.items():
        cases = sum(cases for cases, _ in r['exercised'].values())
        print(f"{name:<{width}}  {r['active']:<12}{cases:>10}{r['seconds']:>9.0f}  "
              f"{'FAIL: ' + '; '.join(r['problems']) if r['problems'] else 'ok'}")
    print('\nkernel: machines that exercised it')
    for kernel in sorted({kernel for r in results.values() for kernel in r['exercised']}):
        print(f"  {kernel}:", *(name for name, r in results.items() if kernel in r['exercised']))
    return sorted({one for everything, done in (('catalogue', 'exercised'),
                                                ('forms_left_out', 'forms'))
                   for one in {one for r in results.values() for one in r[everything]}
                   - {one for r in results.values() for one in r[done]}})


def arguments():
    parser = argparse.ArgumentParser(
        prog='tools/emulate/run.py', description=__doc__.split('\n\n', 1)[0],
        epilog=__doc__.strip().rsplit('\n', 1)[1])
    parser.add_argument('--long', dest='budget', action='store_const', const='long',
                        default='quick', help='more machines, more cases')
    parser.add_argument('--only', action='append', metavar='MACHINE',
                        choices=[m.name for m in MACHINES], help='run only this machine (repeatable)')
    parser.add_argument('--setup', action='store_true', help='install and exit')
    return parser.parse_args()


def run(machines, budget):
    """Builds and runs everything; returns the results by machine."""
    pending, results = {}, {}
    with ThreadPoolExecutor(2) as pool:
        for name in dict.fromkeys(m.build for m in machines):
            own, start = [m for m in machines if m.build == name], time.monotonic()
            try:
                programs = build_programs(name, budget)
            except BuildFailed as error:
                say(str(error))
                failed = parse('') | {'seconds': 0, 'problems': ['did not build']}
                results |= {m.name: failed for m in own}
                continue
            say(f'built {name} ({time.monotonic() - start:.0f} s)')
            pending |= {m.name: pool.submit(test, m, programs, budget) for m in own}
    return results | {name: future.result() for name, future in pending.items()}


def main():
    options = arguments()
    is_long = options.budget == 'long'
    machines = [m for m in MACHINES if m.name in options.only] if options.only else [
        m for m in MACHINES if is_long or not (m.long or m.is_needless())]
    left_out = [m.name for m in MACHINES if m not in machines]
    if left_out and not options.only:
        say(f"left out, only with --long: {', '.join(left_out)}")
    (TARGET / 'logs').mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    try:
        install([*(['packages'] if any(m.run for m in machines) else []),
                 *(['bochs'] if any(m.run.startswith(BOCHS) for m in machines) else [])])
        for m in machines:
            need_target(BUILDS[m.build].target)
    except CannotInstall as error:
        say(str(error))
        return 3
    say(f'installed in {DIR} ({time.monotonic() - start:.0f} s)')
    if options.setup:
        return 0
    results = run(machines, options.budget)
    uncovered = summary(results)
    if options.only:
        uncovered = []
    elif uncovered:
        print(f"FAIL: exercised on no machine: {', '.join(uncovered)}")
    failed = bool(uncovered or any(r['problems'] for r in results.values()))
    say(f"{'FAILED' if failed else 'all as expected'} ({time.monotonic() - start:.0f} s)")
    return int(failed)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
