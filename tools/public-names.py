#!/usr/bin/env python3
"""Compares the library's public names, read from its documentation, with docs/public-names.txt.

    tools/public-names.py            compares
    tools/public-names.py --update   writes the list

A name that goes breaks programs; a new one is a promise: both must show in a change. (`cargo
semver-checks` needs a published version or a tag to compare with.)

Exit code: 0 as listed, 1 different.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / 'docs' / 'public-names.txt'
PAGES = ROOT / os.environ.get('CARGO_TARGET_DIR', 'target') / 'doc' / 'setwise'
KINDS = 'struct enum fn constant trait macro type union static'.split()
TRAITS = re.compile(r'id="(?:trait|synthetic|blanket)-implementations"')
ITEM = re.compile(r'id="(method|variant|associatedconstant|structfield|tymethod)\.(\w+)"')
IMPLEMENTATION = re.compile(r'id="impl-([A-Za-z]+)(?:%3C([^"]*?)%3E)?-for-')


def names():
    found = set()
    for page in sorted(PAGES.rglob('*.html')):
        kind, _, rest = page.name.partition('.')
        if kind not in KINDS or rest == 'html':
            continue
        folders = page.relative_to(PAGES).parts[:-1]
        path = '::'.join(('setwise', *folders, rest.removesuffix('.html')))
        found.add(f'{kind} {path}')
        # The item's own parts; its traits, without those that every type has.
        own, traits, *_ = [*TRAITS.split(page.read_text(encoding='utf-8')), '']
        for what, name in ITEM.findall(own):
            found.add(f'{what} {path}::{name}')
        for name, argument in IMPLEMENTATION.findall(traits):
            found.add(f"impl {name}{f'<{argument}>' if argument else ''} for {path}")
    return sorted(found)


def main():
    subprocess.run(['cargo', 'doc', '-p', 'setwise', '--no-deps', '--all-features', '--quiet'],
                   cwd=ROOT, check=True)
    now = names()
    if '--update' in sys.argv[1:]:
        LIST.write_text(''.join(f'{name}\n' for name in now), encoding='utf-8')
        return 0
    listed = LIST.read_text(encoding='utf-8').splitlines() if LIST.is_file() else []
    for name in sorted(set(listed) - set(now)):
        print(f'- {name}')
    for name in sorted(set(now) - set(listed)):
        print(f'+ {name}')
    if now != listed:
        print('error: the public names differ from docs/public-names.txt; if this is intended, run '
              'tools/public-names.py --update', file=sys.stderr)
        return 1
    print(f'{len(now)} public names, as listed')
    return 0


sys.exit(main())
