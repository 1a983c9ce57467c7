"""Shared by run.py and objectcode.py: installs emulators, compiles and disassembles the crate."""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from machines import BUILDS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
#: Where the emulators are installed.
DIR = Path(os.environ.get('SETWISE_EMULATE', '~/.cache/setwise-emulate')).expanduser().resolve()


class CannotInstall(Exception):
    """Raised if the emulators cannot be installed on this machine. Scripts then exit with 3."""


class BuildFailed(Exception):
    """Raised if a build fails, with the last lines of the compiler's messages."""


def say(text):
    print(f'emulate: {text}', file=sys.stderr, flush=True)


def install(parts):
    """Installs parts with setup.sh, which skips those that are up to date."""
    command = [HERE / 'setup.sh', DIR, *parts]
    code = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    if code:
        raise CannotInstall(f'cannot be installed here (setup.sh exited with {code})')


@functools.cache
def need_target(target):
    """Installs a target's standard library with rustup if the compiler lacks it."""
    sysroot = subprocess.run(['rustc', '--print', 'sysroot'], cwd=ROOT, capture_output=True,
                             text=True, check=True).stdout.strip()
    folder = Path(sysroot) / 'lib/rustlib' / target / 'lib'
    if not folder.is_dir() and shutil.which('rustup'):
        subprocess.run(['rustup', 'target', 'add', target], cwd=ROOT, stdout=sys.stderr, check=False)
    if not folder.is_dir():
        raise CannotInstall(f'rustup cannot install the target {target}')


def cargo(name, *arguments, log=None, variables=()):
    """Runs `cargo ARGUMENTS` for a build, with more environment variables, and returns its artifact
    messages. The compiler's messages go to `log`."""
    build = BUILDS[name]
    unwanted = ('RUSTFLAGS', 'CARGO_BUILD_TARGET', 'RUSTC', 'RUSTC_WRAPPER', 'RUSTDOC')
    environment = {k: v for k, v in os.environ.items() if k not in unwanted}
    environment['CARGO_ENCODED_RUSTFLAGS'] = '\x1f'.join(build.flags)
    environment['CARGO_TARGET_DIR'] = str(ROOT / 'target/emulate/build')
    environment |= dict(build.variables) | dict(variables)
    if build.linker:
        target = build.target.upper().replace('-', '_')
        environment[f'CARGO_TARGET_{target}_LINKER'] = build.linker
    command = ['cargo', *arguments, '--target', build.target,
               '--message-format=json-render-diagnostics']
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True,
                          check=False)
    if log:
        log.write_text(done.stderr, encoding='utf-8')
    if done.returncode:
        raise BuildFailed(f'build {name} failed:\n{last_lines(done.stderr)}')
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    return [m for m in messages if m.get('reason') == 'compiler-artifact']


def last_lines(text, count=25):
    return '\n'.join('    ' + line for line in text.splitlines()[-count:])


def objdump(path, *arguments, program='objdump'):
    """The lines that objdump prints for a file. Ignores stderr, where it reports that a Rust
    library's metadata is not an object file."""
    command = [program, *arguments, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def code_by_name(path, program='objdump'):
    """The functions of a library or program by their demangled names. Each is a list of
    instructions, such as `mov (%rdi),%rax`. The symbol of an address follows the operands."""
    found, code = {}, []
    for line in objdump(path, '-d', '--demangle', '--no-show-raw-insn', program=program):
        if m := re.fullmatch(r'[0-9a-f]+ <(.+)>:', line):
            code = found.setdefault(m[1], [])
        elif m := re.match(r'\s*[0-9a-f]+:\s+(\S.*)', line):
            code.append(' '.join(m[1].split()))
    return found
