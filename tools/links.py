#!/usr/bin/env python3
"""Checks the relative links in the Markdown files that git tracks. The file must exist and, if the
link has an anchor, must contain that heading.

Exit code: 0 no link is broken, 1 a link is broken.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r'^ *```.*?^ *```', re.DOTALL | re.MULTILINE)
LINK = re.compile(r'\]\(([^)\s]+)\)')


def anchors(path):
    """The anchors of a file's headings, as GitHub generates them."""
    headings = re.findall(r'^#+ +(.*)$', CODE.sub('', path.read_text(encoding='utf-8')), re.MULTILINE)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


def is_broken(path, link):
    if re.match(r'\w+:', link):  # a URL, or a name that rustdoc resolves
        return False
    name, _, anchor = link.partition('#')
    target = path.parent / name if name else path
    return not target.exists() or bool(anchor) and anchor not in anchors(target)


files = subprocess.run(['git', 'ls-files', '-z', '*.md'], cwd=ROOT, check=True, capture_output=True,
                       text=True).stdout.strip('\0').split('\0')
texts = {name: CODE.sub('', (ROOT / name).read_text(encoding='utf-8')) for name in files}
broken = [f'{name}: {link}' for name, text in texts.items() for link in LINK.findall(text)
          if is_broken(ROOT / name, link)]
print(*broken, f'{len(broken)} broken links in {len(files)} files', sep='\n')
sys.exit(bool(broken))
