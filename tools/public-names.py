#!/usr/bin/env python3
"""The public names of the library, read from its documentation, against docs/public-names.txt.

    cargo doc -p setwise --no-deps --all-features
    tools/public-names.py            compares
    tools/public-names.py --update   writes the list

A name that is gone breaks programs; a new one is a promise. Both are to be seen in a change. (`cargo semver-checks` compares with
a published version or a tag; there is none yet.)
Exit code: 0 as listed, 1 differs, 2 there is no documentation to read.
"""
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / 'docs' / 'public-names.txt'
PAGES = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')) / 'doc' / 'setwise'
KINDS = 'struct enum fn constant trait macro type union static'.split()


def names():
    found = set()
    for page in sorted(PAGES.rglob('*.html')):
        kind, _, rest = page.name.partition('.')
        if kind not in KINDS or rest == 'html':
            continue
        path = '::'.join(('setwise', *page.relative_to(PAGES).parts[:-1], rest.removesuffix('.html')))
        found.add(f'{kind} {path}')
        text = page.read_text(encoding='utf-8')
        # What belongs to the item itself; then the traits it has, without those that everything has.
        own, traits, *_ = re.split(r'id="(?:trait-implementations|synthetic-implementations|blanket-implementations)"', text) + ['']
        for what, name in re.findall(r'id="(method|variant|associatedconstant|structfield|tymethod)\.([A-Za-z0-9_]+)"', own):
            found.add(f'{what} {path}::{name}')
        for name in re.findall(r'id="impl-([A-Za-z]+)(?:%3C([^"]*?)%3E)?-for-', traits):
            found.add(f"impl {name[0]}{f'<{name[1]}>' if name[1] else ''} for {path}")
    return sorted(found)


def main():
    if not (PAGES / 'index.html').is_file():
        print(f'error: there is no documentation in {PAGES}: run `cargo doc -p setwise --no-deps --all-features`', file=sys.stderr)
        return 2
    now = names()
    if '--update' in sys.argv[1:]:
        LIST.write_text(''.join(f'{name}\n' for name in now), encoding='utf-8')
        return 0
    listed = LIST.read_text(encoding='utf-8').splitlines() if LIST.is_file() else []
    for sign, differing in ('-', sorted(set(listed) - set(now))), ('+', sorted(set(now) - set(listed))):
        for name in differing:
            print(f'{sign} {name}')
    if now != listed:
        print('error: public names differ from docs/public-names.txt; if that is meant: tools/public-names.py --update', file=sys.stderr)
        return 1
    print(f'{len(now)} public names, as listed')
    return 0


sys.exit(main())
