#!/usr/bin/env python3
"""Writes target/THIRD-PARTY.txt, the notices for a binary of the command line: the name and text of
every linked crate's licence. An MIT crate without a licence file gets the text of LICENSE-MIT with
the crate's authors.

Exit code: 0 done, 1 a crate names no licence or lacks its text.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ('license', 'licence', 'copying', 'copyright', 'notice', 'unlicense')


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def linked():
    """The crates linked into the binary, without build scripts and macros."""
    tree = output('cargo', 'tree', '-p', 'setwise-cli', '-e', 'normal,no-proc-macro',
                  '--prefix', 'none', '--format', '{p}')
    found = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    packages = json.loads(output('cargo', 'metadata', '--format-version', '1'))['packages']
    return sorted((p for p in packages if p['source'] and (p['name'], f"v{p['version']}") in found),
                  key=lambda p: (p['name'], p['version']))


def texts(package):
    """A crate's licence files by name, including those of bundled code."""
    folder = Path(package['manifest_path']).parent
    found = {str(path.relative_to(folder)): path.read_text(encoding='utf-8', errors='replace')
             for depth in ('*', '*/*') for path in sorted(folder.glob(depth))
             if path.is_file() and path.name.lower().startswith(NAMES)
             and path.suffix not in ('.rs', '.html')}
    if not found and 'MIT' in (package['license'] or ''):
        terms = (ROOT / 'LICENSE-MIT').read_text(encoding='utf-8').split('\n\n', 2)
        authors = ', '.join(package['authors'])
        found['MIT'] = f'MIT License\n\nCopyright (c) {authors}\n\n{terms[-1]}'
    return found


out = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')) / 'THIRD-PARTY.txt'
out.parent.mkdir(exist_ok=True)
crates, wrong = linked(), False
with out.open('w', encoding='utf-8') as file:
    file.write('Third-party code linked into the binary of setwise-cli.\n')
    for crate in crates:
        found = texts(crate)
        if not crate['license'] or not found:
            print(f"error: {crate['name']} {crate['version']} names no licence or lacks its text "
                  f"({crate['license']})", file=sys.stderr)
            wrong = True
        file.write(f"\n{'=' * 100}\n{crate['name']} {crate['version']}, {crate['license']}\n"
                   f"{', '.join(crate['authors'])}\n")
        for title, text in found.items():
            file.write(f'\n--- {title}\n{text}')
print(f'{out}: {len(crates)} crates')
sys.exit(wrong)
