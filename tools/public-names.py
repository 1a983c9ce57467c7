#!/usr/bin/env python3
"""Compares the library's public names, read from its documentation, with docs/public-names.txt.

    tools/public-names.py            compares
    tools/public-names.py --update   writes the list, as tools/generate.sh does

Removing a public name breaks programs, and a new name must be kept. The list makes both changes
visible in a commit.

Exit code: 0 the names are as listed, 1 they differ.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "public-names.txt"
PAGES = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc" / "setwise"
KINDS = "struct enum fn constant trait macro type union static".split()
MEMBER = r'id="(method|variant|associatedconstant|structfield|tymethod)\.([A-Za-z0-9_]+)"'
TRAITS = r'id="(?:trait-implementations|synthetic-implementations|blanket-implementations)"'
IMPLEMENTATION = r'id="impl-([A-Za-z]+)(?:%3C([^"]*?)%3E)?-for-'


def names():
    found = set()
    for page in sorted(PAGES.rglob("*.html")):
        kind, _, rest = page.name.partition(".")
        if kind not in KINDS or rest == "html":
            continue
        modules = page.relative_to(PAGES).parts[:-1]
        path = "::".join(("setwise", *modules, rest.removesuffix(".html")))
        found.add(f"{kind} {path}")
        text = page.read_text(encoding="utf-8")
        # A page lists the item's members, its own traits, then the traits of every type, which are
        # left out.
        members, traits, *_ = [*re.split(TRAITS, text), ""]
        for member, name in re.findall(MEMBER, members):
            found.add(f"{member} {path}::{name}")
        for name, parameter in re.findall(IMPLEMENTATION, traits):
            found.add(f"impl {name}{f'<{parameter}>' if parameter else ''} for {path}")
    return sorted(found)


def main():
    doc = ["cargo", "doc", "-q", "-p", "setwise", "--no-deps", "--all-features"]
    subprocess.run(doc, cwd=ROOT, check=True)
    now = names()
    if "--update" in sys.argv[1:]:
        LIST.write_text("".join(f"{name}\n" for name in now), encoding="utf-8")
        return 0
    listed = LIST.read_text(encoding="utf-8").splitlines() if LIST.is_file() else []
    if now == listed:
        print(f"{len(now)} public names, as listed")
        return 0
    for name in sorted(set(listed) - set(now)):
        print(f"- {name}")
    for name in sorted(set(now) - set(listed)):
        print(f"+ {name}")
    print(
        "error: docs/public-names.txt is stale; if the change is meant, run tools/generate.sh",
        file=sys.stderr,
    )
    return 1


sys.exit(main())
