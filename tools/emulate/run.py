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
sys.path.append(str(Path(__file__).resolve().parent.parent))
from building import (DIR, HERE, ROOT, BuildFailed, CannotInstall,  # noqa: E402
                      cargo, install, last_lines, need_target, say, table)
from disassembly import functions  # noqa: E402
from machines import BUDGETS, BUILDS, CHECKS, KERNELS, MACHINES, PORTABLE, able  # noqa: E402

# Time limit per machine in seconds, long enough for a busy host.
TIME_LIMIT = {'quick': 1800, 'long': 3600}


class Session:
    """One run: its folders and its budget."""

    def __init__(self, budget):
        self.budget = budget
        self.target = ROOT / 'target' / 'emulate'
        self.logs = self.target / 'logs'
        self.logs.mkdir(parents=True, exist_ok=True)

    def build(self, name):
        """Compiles the test programs of one build; returns their paths by name. Builds for the same
        target share cargo's folder, so the programs are copied out of it."""
        build = BUILDS[name]
        artifacts = cargo(name, 'build', *build.what, log=self.logs / f'build-{name}.log',
                          variables=build.quick if self.budget == 'quick' else ())
        folder = self.target / 'programs' / name
        folder.mkdir(parents=True, exist_ok=True)
        programs = {a['target']['name']: shutil.copy(a['executable'], folder)
                    for a in artifacts if a.get('executable')}
        if build.cpuid is not None:
            code = functions(programs['active'], re.compile(r'^(<?setwise|main$)'))
            if not any(f.name == 'main' for f in code):
                raise BuildFailed(f'build {name}: no function main in the disassembly')
            found = any(one.mnemonic == 'cpuid' for f in code for one in f.code)
            if found != build.cpuid:
                state = 'present' if found else 'missing'
                raise BuildFailed(f'build {name}: the instruction CPUID is {state}')
        return programs

    def log(self, name):
        return self.logs / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.log"

    def command(self, template, program, *arguments):
        words = [word.format(here=HERE, dir=DIR) for word in shlex.split(template)]
        return [*words, str(program), *arguments]

    def execute(self, name, command, environment):
        """Runs a command and keeps its output in a log; returns (exit code, output, seconds)."""
        limit, start = TIME_LIMIT[self.budget], time.monotonic()
        environment = {**{k: v for k, v in os.environ.items() if not k.startswith('SETWISE_')},
                       **environment}
        if Path(command[0]).name == 'bochs.sh':
            command = [command[0], '--timeout', str(limit), *command[1:]]
        try:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=limit + 20, check=False)
            code, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            code = 124
            output = (late.stdout or b'') + f'\nemulate: stopped after {limit + 20} s\n'.encode()
        except OSError as error:
            code, output = 127, f'emulate: cannot start {command[0]}: {error}\n'.encode()
        text = output.decode(errors='replace')
        self.log(name).write_text(text, encoding='utf-8')
        return code, text, round(time.monotonic() - start, 1)

    def machine(self, machine, programs):
        program = programs['runner']
        active, exercised = machine.expectation()
        skipped = machine.skip if self.budget == 'quick' else ()
        exercised = exercised - set(skipped)
        environment = {'SETWISE_TEST_BUDGET': BUDGETS[self.budget][machine.slow],
                       'SETWISE_EXPECT_ACTIVE': active,
                       'SETWISE_EXPECT_EXERCISED': ','.join(sorted(exercised)),
                       **machine.environment}
        problems = []
        if machine.check:
            check = [word.format(program=program) for word in shlex.split(machine.check)]
            if subprocess.run(check, capture_output=True, check=False).returncode:
                problems.append(f"'{machine.check}' failed")
        if skipped:
            tested = [kernel for kernel in (*KERNELS, *PORTABLE) if kernel not in skipped]
            environment['SETWISE_TEST_KERNELS'] = ','.join(tested)
        command = self.command(machine.run, program, '--nocapture', '--test-threads=1',
                               *machine.arguments)
        code, text, seconds = self.execute(machine.name, command, environment)
        result = parse(text)
        if code:
            problems.append(f'exit code {code}')
        problems += judge(machine, result, active, exercised, skipped)
        how = machine.run.replace('{here}/', '').replace(' --dir {dir}', '') or 'this machine'
        how += ''.join(f' {k}={v}' for k, v in machine.environment.items())
        return {'machine': machine.name, 'build': machine.build, 'how': how, **result,
                'expected_active': active, 'seconds': seconds, 'problems': problems}

    def check(self, check, programs):
        command = self.command(check.run, programs[check.program])
        code, text, seconds = self.execute(check.name, command, {})
        problems = [f'exit code {code}'] if code else []
        if (active := parse(text)['active']) != check.active:
            problems.append(f'active is {active}, expected {check.active}')
        return {'check': check.name, 'exit_code': code, 'seconds': seconds, 'problems': problems}


def not_run(check, problem):
    return {'check': check.name, 'exit_code': None, 'seconds': 0, 'problems': [problem]}


def parse(text):
    """Parses the lines that the runner prints. The test harness may print text before them."""
    active = re.findall(r'\bactive: (\S+)', text)
    compiled = re.findall(r'\bcompiled: (.*)', text)
    clone = re.findall(r'\bportable: (\S+)', text)
    counts = re.findall(r'\bexercised: (\S+) cases=(\d+) failures=(\d+)', text)
    exercised = {name: {'cases': int(cases), 'failures': int(failures)}
                 for name, cases, failures in counts}
    return {'active': active[-1] if active else None,
            'portable': clone[-1] if clone else None,
            'compiled': compiled[-1].split() if compiled else [],
            'exercised': exercised,
            'catalogue': sorted({*exercised, *re.findall(r'\bnot run: (\S+) \(', text)}),
            'forms': re.findall(r'\bform: (.*) cases=[1-9]', text),
            'forms_left_out': re.findall(r'\bform left out: (.*), which', text)}


def judge(machine, result, active, exercised, skipped):
    """The problems with one machine's result, one sentence each."""
    problems = []
    if result['active'] != active:
        problems.append(f"active is {result['active']}, expected {active}")
    if result['portable'] != machine.clone():
        problems.append(f"portable runs for {result['portable']}, expected {machine.clone()}")
    compiled = result['compiled']
    everything = able(machine.build, ' '.join(needs for _, needs in KERNELS.values()))
    if [k for k in compiled if k in KERNELS] != everything:
        problems.append(f"compiled, best first: {' '.join(compiled)}; "
                        f"expected among them: {' '.join(everything)}")
    ran = set(result['exercised'])
    others = set() if machine.only else set(compiled) - set(KERNELS) - set(skipped)
    expected = exercised | others
    if missing := sorted(expected - ran):
        problems.append(f"not exercised: {' '.join(missing)}")
    if surplus := sorted(ran - expected):
        problems.append(f"exercised, but not expected: {' '.join(surplus)}")
    for name, counts in result['exercised'].items():
        if counts['cases'] == 0 or counts['failures']:
            problems.append(f"{name}: {counts['cases']} cases, {counts['failures']} failures")
    return problems


def short(exercised):
    """The names of the kernels that need an instruction set, and the number of other kernels."""
    names = [k for k in exercised if k in KERNELS]
    others = len(exercised) - len(names)
    return ' '.join(names + ([f'+{others}'] if others else [])) or '-'


def verdict(result):
    return 'FAIL' if result['problems'] else 'ok'


def summary(machines, checks, uncovered):
    rows = [(r['machine'], r['how'], len(r['compiled']), r['active'] or '-',
             sum(e['cases'] for e in r['exercised'].values()),
             sum(e['failures'] for e in r['exercised'].values()),
             r['seconds'], verdict(r), short(r['exercised'])) for r in machines]
    print(table(('machine', 'how it ran', 'compiled', 'active', 'cases', 'failures', 'seconds',
                 'result', 'exercised'), rows))
    kernels = sorted({k for r in machines for k in r['catalogue']})
    portable = ' '.join(k for k in kernels if k not in KERNELS)
    print(f'+N: and N of the kernels that need no instruction set: {portable}')
    if checks:
        rows = [(c['check'], '-' if c['exit_code'] is None else c['exit_code'], c['seconds'],
                 verdict(c)) for c in checks]
        print('\n' + table(('check', 'exit', 'seconds', 'result'), rows))
    print('\nkernel: machines that exercised it')
    for kernel in kernels:
        ran = ' '.join(r['machine'] for r in machines if kernel in r['exercised'])
        if ran or kernel in uncovered:
            print(f"  {kernel}: {ran or 'NONE'}")
    for r in machines + checks:
        for problem in r['problems']:
            print(f"FAIL {r.get('machine') or r.get('check')}: {problem}")
    if uncovered:
        print(f"FAIL exercised on no machine: {' '.join(uncovered)}")


def arguments():
    parser = argparse.ArgumentParser(
        prog='tools/emulate/run.py', description=__doc__.split('\n\n', 1)[0],
        epilog=__doc__.strip().rsplit('\n', 1)[1])
    parser.add_argument('--long', dest='budget', action='store_const', const='long',
                        default='quick', help='more machines, more cases')
    parser.add_argument('--only', action='append', metavar='MACHINE',
                        help='run only this machine (repeatable), without single checks')
    parser.add_argument('--setup', action='store_true', help='install and exit')
    options = parser.parse_args()
    names = [m.name for m in MACHINES]
    for name in options.only or []:
        if name not in names:
            parser.error(f"unknown machine '{name}'; the machines are {', '.join(names)}")
    return options


def run(session, machines, checks):
    """Builds and runs everything; returns the results of the machines and of the checks."""
    builds = list(dict.fromkeys(one.build for one in [*machines, *checks]))
    pending, broken = [], []
    results = {'machines': [], 'checks': []}
    with ThreadPoolExecutor(2) as pool:
        for name in builds:
            began = time.monotonic()
            try:
                programs = session.build(name)
            except BuildFailed as error:
                say(str(error))
                broken.append(name)
                continue
            say(f'built {name} ({time.monotonic() - began:.0f} s)')
            pending += [('machines', pool.submit(session.machine, m, programs))
                        for m in machines if m.build == name]
            pending += [('checks', pool.submit(session.check, c, programs))
                        for c in checks if c.build == name]
        for kind, future in pending:
            result = future.result()
            results[kind].append(result)
            name = result.get('machine') or result.get('check')
            say(f"{name}: {'; '.join(result['problems']) or 'ok'} ({result['seconds']} s)")
            if result['problems']:
                print(last_lines(session.log(name).read_text(encoding='utf-8')), file=sys.stderr)
    results['machines'] += [{'machine': m.name, 'build': m.build, 'how': m.run, **parse(''),
                             'seconds': 0, 'problems': ['did not build']}
                            for m in machines if m.build in broken]
    results['checks'] += [not_run(c, 'did not build') for c in checks if c.build in broken]
    return results


def main():
    options = arguments()
    if options.only:
        machines, checks = [m for m in MACHINES if m.name in options.only], []
    else:
        is_long = options.budget == 'long'
        machines = [m for m in MACHINES if is_long or not (m.long or m.is_needless())]
        checks = [c for c in CHECKS if is_long or not c.long]
        left_out = [one.name for one in [*MACHINES, *CHECKS] if one not in [*machines, *checks]]
        if left_out:
            say(f"left out, only with --long: {', '.join(left_out)}")
    parts = ['packages'] if any(m.run for m in machines) else []
    for one in [*machines, *checks]:
        parts += [p for p in one.parts if p not in parts]
    session = Session(options.budget)
    start = time.monotonic()
    try:
        install(parts)
        for one in [*machines, *checks]:
            need_target(BUILDS[one.build].target)
    except CannotInstall as error:
        say(str(error))
        return 3
    say(f'installed in {DIR} ({time.monotonic() - start:.0f} s)')
    if options.setup:
        return 0

    start = time.monotonic()
    results = run(session, machines, checks)
    ran, uncovered = results['machines'], []
    if not options.only:
        for all_names, names in ('catalogue', 'exercised'), ('forms_left_out', 'forms'):
            uncovered += sorted({name for r in ran for name in r[all_names]}
                                - {name for r in ran for name in r[names]})
    failed = bool(uncovered or any(r['problems'] for kind in results.values() for r in kind))
    summary(ran, results['checks'], uncovered)
    say(f"{'FAILED' if failed else 'all as expected'} ({time.monotonic() - start:.0f} s)")
    return int(failed)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
