#!/usr/bin/env python3
"""Opens built wheels, and checks that each has its licences, the notices of the crates that it
links, and the modules, and nothing else.

    tools/python-wheel.py WHEEL...

Exit code: 0 all are right, 1 a wheel is not, 2 bad usage.
"""
import email
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCES = ('licences/LICENSE-APACHE', 'licences/LICENSE-MIT', 'licences/THIRD-PARTY.txt')
# Some of the crates whose code a wheel contains, and the C library in one of them.
LINKED = ('bytemuck', 'multiversion', 'numpy', 'pyo3', 'rayon', 'zstd-sys')


def faults(path):
    """Yields what is wrong with a wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith('/')}
        info = next(name for name in names if name.endswith('.dist-info/METADATA')).split('/')[0]
        metadata = email.message_from_bytes(wheel.read(f'{info}/METADATA'))
        if metadata['License-Expression'] != 'MIT OR Apache-2.0':
            yield f"License-Expression is {metadata['License-Expression']}"
        if sorted(metadata.get_all('License-File', [])) != sorted(LICENCES):
            yield f"License-File is {metadata.get_all('License-File')}"
        present = [name for name in LICENCES if f'{info}/licenses/{name}' in names]
        if present != list(LICENCES):
            yield f'of the licences it has only {present}'
        for name in present[:2]:
            if wheel.read(f'{info}/licenses/{name}') != (ROOT / Path(name).name).read_bytes():
                yield f'{name} differs'
        if present == list(LICENCES):
            notices = wheel.read(f'{info}/licenses/{LICENCES[2]}').decode()
            for crate in LINKED:
                if not re.search(rf'^{crate} \d[^\n]*, ', notices, re.MULTILINE):
                    yield f'the notices lack {crate}'
            if 'Zstandard' not in notices:
                yield 'the notices lack the licence of the C library zstd'
        package = ROOT / 'crates/python/package'
        modules = {path.relative_to(package).as_posix() for path in package.rglob('*.py*')
                   if '__pycache__' not in path.parts}
        others = {name for name in names if not name.startswith(f'{info}/')}
        extension = {name for name in others if re.fullmatch(r'setwise/_setwise\.[\w.-]*(so|pyd)', name)}
        if len(extension) != 1:
            yield f'it has {len(extension)} extension modules'
        if others - extension != modules | {'setwise/py.typed'}:
            yield f"it has other files: {sorted((others - extension) ^ (modules | {'setwise/py.typed'}))}"


if not sys.argv[1:]:
    sys.exit(__doc__)
wrong = [f'{path}: {fault}' for path in sys.argv[1:] for fault in faults(path)]
print(*wrong, sep='\n', file=sys.stderr)
print(f'{len(sys.argv) - 1} wheels opened')
sys.exit(bool(wrong))
