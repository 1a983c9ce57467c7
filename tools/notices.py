#!/usr/bin/env python3
"""Writes what must accompany a binary: the licences of setwise, and THIRD-PARTY.txt with the name
and text of every linked crate's licence. An MIT crate without a licence file gets the text of
LICENSE-MIT with the crate's authors.

    tools/notices.py                  into target/notices/NAME, for each NAME
    tools/notices.py NAME FOLDER      for one: command-line, python (the wheel), c (the C library)

Exit code: 0 done, 1 a crate names no licence or lacks its text, 2 bad usage.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ('license', 'licence', 'copying', 'copyright', 'notice', 'unlicense')
# What is distributed: the folder of its workspace, and its package.
BINARIES = {
    'command-line': ('.', 'setwise-cli'),
    'python': ('crates/python', 'setwise-python'),
    'c': ('.', 'setwise-capi'),
}


def linked(workspace, package):
    """The crates linked into the binary, without build scripts and macros."""
    def output(*command):
        return subprocess.run(command, cwd=ROOT / workspace, check=True, capture_output=True,
                              encoding='utf-8').stdout

    tree = output('cargo', 'tree', '--locked', '-p', package, '-e', 'normal,no-proc-macro',
                  '--prefix', 'none', '--format', '{p}')
    found = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    metadata = json.loads(output('cargo', 'metadata', '--locked', '--format-version', '1'))
    return sorted((p for p in metadata['packages']
                   if p['source'] and (p['name'], f"v{p['version']}") in found),
                  key=lambda p: (p['name'], p['version']))


def texts(package):
    """A crate's licence files by name, including those of bundled code."""
    folder = Path(package['manifest_path']).parent
    found = {path.relative_to(folder).as_posix(): path.read_text(encoding='utf-8', errors='replace')
             for depth in ('*', '*/*') for path in sorted(folder.glob(depth))
             if path.is_file() and path.name.lower().startswith(NAMES)
             and path.suffix not in ('.rs', '.html')}
    if not found and 'MIT' in (package['license'] or ''):
        terms = (ROOT / 'LICENSE-MIT').read_text(encoding='utf-8').split('\n\n', 2)
        authors = ', '.join(package['authors'])
        found['MIT'] = f'MIT License\n\nCopyright (c) {authors}\n\n{terms[-1]}'
    return found


def write(name, folder):
    """Writes the files for a binary. Returns whether a crate lacks something."""
    workspace, package = BINARIES[name]
    crates, wrong = linked(workspace, package), False
    folder.mkdir(parents=True, exist_ok=True)
    for licence in 'LICENSE-MIT', 'LICENSE-APACHE':
        shutil.copyfile(ROOT / licence, folder / licence)
    out = folder / 'THIRD-PARTY.txt'
    with out.open('w', encoding='utf-8') as file:
        file.write(f'Third-party code linked into the binary of {package}.\n')
        for crate in crates:
            found = texts(crate)
            if not crate['license'] or not found:
                print(f"error: {crate['name']} {crate['version']} names no licence or lacks its "
                      f"text ({crate['license']})", file=sys.stderr)
                wrong = True
            file.write(f"\n{'=' * 100}\n{crate['name']} {crate['version']}, {crate['license']}\n"
                       f"{', '.join(crate['authors'])}\n")
            for title, text in found.items():
                file.write(f'\n--- {title}\n{text}')
    print(f'{out}: {len(crates)} crates')
    return wrong


target = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target'))
match sys.argv[1:]:
    case []:
        sys.exit(any([write(name, target / 'notices' / name) for name in BINARIES]))
    case [name, folder] if name in BINARIES:
        sys.exit(write(name, Path(folder)))
    case _:
        print(f"usage: tools/notices.py [{'|'.join(BINARIES)} FOLDER]", file=sys.stderr)
        sys.exit(2)
