"""Installing the lab's parts and compiling the crate for one of the builds of machines.py."""
import json
import os
import subprocess
import sys
from pathlib import Path

from machines import BUILDS

LAB = Path(__file__).resolve().parent
DEFAULT_DIR = os.environ.get('SETWISE_EMULATE', '~/.cache/setwise-emulate')


class CannotInstall(Exception):
    """This machine cannot have the lab; programs end with exit code 3."""


class BuildFailed(Exception):
    """The compiler's last words."""


def say(text):
    print(f'lab: {text}', file=sys.stderr, flush=True)


def install(directory, parts):
    """Installs parts of the lab by `setup`; what is there is left alone."""
    code = subprocess.run([LAB / 'setup.sh', directory, *parts], stdout=sys.stderr, check=False).returncode
    if code:
        raise CannotInstall(f'cannot be installed here (setup ended with {code})')


def cargo(directory, crate, name, *arguments, flags=(), log=None):
    """Runs `cargo ARGUMENTS` for a build; returns the artifacts' messages. `log` gets the compiler's messages."""
    build = BUILDS[name]
    unwanted = ('RUSTFLAGS', 'CARGO_BUILD_TARGET', 'RUSTC', 'RUSTC_WRAPPER', 'RUSTDOC')
    environment = {k: v for k, v in os.environ.items() if k not in unwanted}
    environment['CARGO_ENCODED_RUSTFLAGS'] = '\x1f'.join((*build.flags, *flags))
    # Another compiler gets another folder, so that neither makes the other compile anew.
    environment['CARGO_TARGET_DIR'] = str(crate / 'target/emulate' / ('packaged' if build.packaged_compiler else 'own'))
    if build.packaged_compiler:
        environment['RUSTC'], environment['RUSTDOC'] = str(directory / 'bin/rustc'), str(directory / 'bin/rustdoc')
    if build.linker:
        environment[f"CARGO_TARGET_{build.target.upper().replace('-', '_')}_LINKER"] = build.linker
    command = ['cargo', *arguments, '--target', build.target, '--message-format=json-render-diagnostics']
    done = subprocess.run(command, cwd=crate, env=environment, capture_output=True, text=True, check=False)
    if log:
        log.write_text(done.stderr, encoding='utf-8')
    if done.returncode:
        raise BuildFailed(f"build {name} failed:\n{last_lines(done.stderr)}")
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    return [m for m in messages if m.get('reason') == 'compiler-artifact']


def last_lines(text, count=25):
    return '\n'.join('    ' + line for line in text.splitlines()[-count:])


def table(header, rows):
    """Lines of aligned columns: numbers to the right, text to the left, the last column as it comes."""
    cells = [[f'{c:.2f}' if isinstance(c, float) else str(c) for c in row] for row in [header, *rows]]
    right = [any(isinstance(row[i], (int, float)) for row in rows) for i in range(len(header))]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    widths[-1] = 0
    return '\n'.join('  '.join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right)).rstrip() for row in cells)
