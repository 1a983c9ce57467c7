#!/usr/bin/env python3
"""Finds comments and Markdown prose wider than 100 columns in the files that git tracks.

    tools/width.py [FILE...]    only these files

Tables and code blocks may be wider. URLs and link targets do not count. Code is not checked,
because rustfmt wraps it.

Exit code: 0 no line is too wide, 1 a line is too wide.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100
MARKERS = {name: marker for marker, names in {
    '//': '.rs .c .h .hpp .cpp .js .mjs .css', '#': '.py .sh .toml .yml .cmake', '<!--': '.html',
    '': '.md',
}.items() for name in names.split()}
# A URL, or the target of a link.
TARGET = re.compile(r'<?\bhttps?://\S+|(?<=\])(\([^)\s]*\)|:\s+\S+$)')


def comments(path, marker):
    """Yields (line number, line, text without the marker) for lines that are only a comment, and
    for those of docstrings and of C block comments. In Markdown, every line is text."""
    start = re.compile(rf'\s*{re.escape(marker)}[/!]? ?' if marker else '')
    opening = {'//': r'\s*/\*', '#': r'\s*r?"""'}.get(marker, r'(?!)')
    end = indent = ''
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if not end and (found := re.match(opening, line)):
            end, indent = {'/': '*/', '"': '"""'}[found[0].strip('r ')[0]], re.match(' *', line)[0]
            rest = line[found.end():]
        elif end:
            rest = line
        elif found := start.match(line):
            yield number, line, line[found.end():]
            continue
        else:
            continue
        yield number, line, line.removeprefix(indent)
        if end in rest:
            end = ''


def trailing(path, marker):
    """Yields the lines that end with a comment after code. The pattern skips comments directly
    after a string, and comments that contain a quote character or backtick."""
    comment = re.compile(rf'''[^\s"'`][^"'`]*\s{re.escape(marker)} [^"'`]*$''')
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if marker and comment.search(line):
            yield number, line


def prose(path, marker):
    """Yields the lines of comments and Markdown that must be narrow."""
    fenced = False
    for number, line, text in comments(path, marker):
        if re.match(r'\s*(```|~~~)', text):
            fenced = not fenced
        elif not fenced and not re.match(r'\s*[|<]| {4}|\t', text):
            yield number, line
    yield from trailing(path, marker)


names = sys.argv[1:] or subprocess.run(
    ['git', 'ls-files'], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
wide = 0
for name in names:
    path = ROOT / name
    if path.suffix not in MARKERS or not path.is_file():
        continue
    for number, line in sorted(set(prose(path, MARKERS[path.suffix]))):
        width = len(TARGET.sub('', line))
        if width > COLUMNS:
            print(f'{name}:{number}: {width} columns')
            wide += 1
print(f'{wide} lines are wider than {COLUMNS} columns')
sys.exit(wide > 0)
