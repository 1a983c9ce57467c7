#!/usr/bin/env python3
"""Finds comments and Markdown prose wider than 100 columns in the files that git tracks.

    tools/width.py [FILE...]    only these files

Tables, code blocks and generated files may be wider. URLs and link targets do not count. Code is
not checked, because rustfmt wraps it.

Exit code: 0 no line is too wide, 1 a line is too wide.
"""
import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 100
LINE_COMMENTS = {name: marker for marker, names in {
    '//': '.rs .c .h .hpp .cpp .js .mjs .css .in', '#': '.py .sh .toml .yml .cmake', '<!--': '.html',
}.items() for name in names.split()}
GENERATED = ('crates/capi/include/setwise.h',)
# A URL, or the target of a link.
TARGET = re.compile(r'<?\bhttps?://\S+|(?<=\])(\([^)\s]*\)|:\s+\S+$)')
FENCE = re.compile(r'\s*(```|~~~)')


def width(line):
    return len(TARGET.sub('', line.rstrip('\n')))


def markdown(lines):
    """Yields the lines of prose, as (line number, text)."""
    fenced = False
    for number, text in lines:
        if FENCE.match(text):
            fenced = not fenced
        elif not fenced and not re.match(r'\s*[|<]| {4}|\t', text):
            yield number, text


def comments(lines, marker):
    """Yields the lines that contain only a comment, C block comments included. The text after the
    marker is treated as Markdown, as in Rust documentation."""
    block = False
    start = re.compile(rf'\s*{re.escape(marker)}[/!]? ?')
    prose = []
    for number, text in lines:
        if marker == '//' and re.match(r'\s*/\*', text):
            block = True
        if block:
            prose.append((number, text, text.strip(' */')))
            block = '*/' not in text
        elif m := start.match(text):
            prose.append((number, text, text[m.end():]))
    whole = {number: text for number, text, _ in prose}
    for number, _ in markdown((number, content) for number, _, content in prose):
        yield number, whole[number]


def docstrings(source, lines):
    """Yields the lines of Python docstrings. Code in them is indented further than their text."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, 'body', None)
        if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
            continue
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            own = lines[value.lineno - 1:value.end_lineno]
            for number, text in markdown((number, text[value.col_offset:]) for number, text in own):
                yield number, ' ' * value.col_offset + text


def trailing(lines, marker):
    """Yields the lines that end with a comment after code.

    The pattern skips comments directly after a string, and comments that contain a quote character
    or backtick."""
    for number, text in lines:
        if re.search(rf'''[^\s"'`][^"'`]*\s{re.escape(marker)} [^"'`]*$''', text):
            yield number, text


def prose_of(path):
    source = path.read_text(encoding='utf-8')
    lines = list(enumerate(source.splitlines(), 1))
    if path.suffix == '.md':
        yield from markdown(lines)
    elif marker := LINE_COMMENTS.get(path.suffix):
        yield from comments(lines, marker)
        yield from trailing(lines, marker)
        if path.suffix == '.py':
            yield from docstrings(source, lines)


def main():
    names = sys.argv[1:] or subprocess.run(
        ['git', 'ls-files', '-z'], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout.strip('\0').split('\0')
    wide = 0
    for name in names:
        path = ROOT / name
        if path.suffix not in ('.md', *LINE_COMMENTS) or name.startswith(GENERATED):
            continue
        if not path.is_file():
            continue
        for number, text in sorted(set(prose_of(path))):
            if width(text) > COLUMNS:
                print(f'{name}:{number}: {width(text)} columns')
                wide += 1
    print(f'{wide} lines are wider than {COLUMNS} columns')
    return int(wide > 0)


sys.exit(main())
