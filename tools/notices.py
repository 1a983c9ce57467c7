#!/usr/bin/env python3
"""Writes the third-party notices for a binary: the name and text of every linked crate's licence.

    tools/notices.py              for the command line, to target/THIRD-PARTY.txt
    tools/notices.py PACKAGE      for another package of this workspace
    tools/notices.py --list ...   only prints one line per crate

An MIT crate without a licence file gets the text of LICENSE-MIT with the crate's authors.

Exit code: 0 done, 1 a crate names no licence or lacks its text, 2 bad usage.
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


def linked(package):
    """The crates linked into the package's binary, without build scripts, macros and tests."""
    host = next(line.split()[1] for line in output('rustc', '-vV').splitlines()
                if line.startswith('host:'))
    metadata = json.loads(output('cargo', 'metadata', '--format-version', '1',
                                 '--filter-platform', host))
    packages = {p['id']: p for p in metadata['packages']}
    nodes = {node['id']: node for node in metadata['resolve']['nodes']}
    here = [p['id'] for p in metadata['packages'] if p['name'] == package and not p['source']]
    if not here:
        sys.exit(f'error: this workspace has no package {package}')
    found, left = set(), here
    while left:
        identity = left.pop()
        kinds = {kind for target in packages[identity]['targets'] for kind in target['kind']}
        if identity in found or 'proc-macro' in kinds:
            continue
        found.add(identity)
        left += [d['pkg'] for d in nodes[identity]['deps']
                 if any(kind['kind'] is None for kind in d['dep_kinds'])]
    return sorted((packages[i] for i in found if packages[i]['source']),
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


def write(name, crates):
    out = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')) / 'THIRD-PARTY.txt'
    out.parent.mkdir(exist_ok=True)
    with out.open('w', encoding='utf-8') as file:
        file.write(f'Third-party code linked into the binary of {name}.\n')
        for crate in crates:
            file.write(f"\n{'=' * 100}\n{crate['name']} {crate['version']}, {crate['license']}\n"
                       f"{', '.join(crate['authors'])}\n")
            for title, text in texts(crate).items():
                file.write(f'\n--- {title}\n{text}')
    print(f'{out}: {len(crates)} crates')


def main():
    arguments = [a for a in sys.argv[1:] if a != '--list']
    if len(arguments) > 1 or any(a.startswith('-') for a in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    name = arguments[0] if arguments else 'setwise-cli'
    crates = linked(name)
    wrong = [f"{c['name']} {c['version']} names no licence" for c in crates if not c['license']]
    if '--list' in sys.argv:
        print(*(f"{c['name']} {c['version']}\t{c['license']}" for c in crates), sep='\n')
    else:
        wrong += [f"{c['name']} {c['version']} lacks the text of its licence ({c['license']})"
                  for c in crates if not texts(c)]
        write(name, crates)
    for line in wrong:
        print(f'error: {line}', file=sys.stderr)
    return int(bool(wrong))


sys.exit(main())
