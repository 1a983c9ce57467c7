#!/usr/bin/env python3
"""Calls the library as the trainer does: through ctypes, with its structures.

    trainer.py LIBRARY                      runs the tests
    trainer.py LIBRARY --time FILE COUNT    reads a file this many times, on one thread and on two,
                                            and prints the least time of five per position

Exit code: 0 all passed, 1 a test failed.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_void_p
from pathlib import Path

SET = b'Full_Threats+PP_3Wide+HalfKAv2_hm^'


def structure(name, fields):
    return type(name, (ctypes.Structure,), {'_fields_': fields})


PIECES = [f'pc_y{at}' for at in range(5)]
POINTS = [f'ply_{axis}{at}' for at in range(1, 5) for axis in 'xy']
SkipConfig = structure('SkipConfig', [
    ('filtered', c_bool), ('random_fen_skipping', c_int), ('wld_filtered', c_bool),
    ('early_fen_skipping', c_int), ('soft_early_fen_skipping', c_int),
    ('simple_eval_skipping', c_int), ('param_index', c_int),
    *((name, c_double) for name in PIECES + POINTS)])
DdpConfig = structure('DdpConfig', [('rank', c_int), ('world_size', c_int)])
SparseBatch = structure('SparseBatch', [
    ('num_inputs', c_int), ('size', c_int), ('is_white', POINTER(c_float)),
    ('outcome', POINTER(c_float)), ('score', POINTER(c_float)),
    ('num_active_white_features', c_int), ('num_active_black_features', c_int),
    ('max_active_features', c_int), ('white', POINTER(c_int)), ('black', POINTER(c_int)),
    ('piece_count', POINTER(c_int))])
Fen = structure('Fen', [('size', c_int), ('fen', c_char_p)])
FenBatch = structure('FenBatch', [('size', c_int), ('fens', POINTER(Fen))])

ALL = SkipConfig(early_fen_skipping=-1)
DEFAULT = SkipConfig(True, 0, True, -1, 20, -1, 0, 0, .4, 1, 1, .75, 0, .1, 6, .15, 10, .25, 18, .75)

#: A chunk of one game with three entries.
CHUNK = b'BINP' + bytes([38, 0, 0, 0, 0x82, 0x82, 0x90, 0xd2, 0x08, 0xc0, 0x46, 0x52, 0x48, 0x3a,
                         0x40, 0, 0x51, 0x10, 0x12, 0x71, 0x9b, 5, 0, 0, 0, 0, 0, 0, 0x0a, 0x68,
                         1, 0x91, 0, 0x44, 0, 0, 0, 2, 0x1d, 0x18, 0xf5, 8])


def load(path):
    library = ctypes.CDLL(str(path))
    strings, ints = POINTER(c_char_p), POINTER(c_int)
    settings = [c_int, c_int, strings, c_int, c_bool, SkipConfig, DdpConfig]
    for name, arguments, result in [
        ('create_sparse_batch_stream', [c_char_p, *settings], c_void_p),
        ('fetch_next_sparse_batch', [c_void_p], POINTER(SparseBatch)),
        ('destroy_sparse_batch', [POINTER(SparseBatch)], None),
        ('destroy_sparse_batch_stream', [c_void_p], None),
        ('create_fen_batch_stream', settings, c_void_p),
        ('fetch_next_fen_batch', [c_void_p], POINTER(FenBatch)),
        ('destroy_fen_batch', [POINTER(FenBatch)], None),
        ('destroy_fen_batch_stream', [c_void_p], None),
        ('get_sparse_batch_from_fens', [c_char_p, c_int, strings, ints, ints, ints],
         POINTER(SparseBatch)),
    ]:
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


def stream(library, paths, *, kind=SET, threads=1, size=16_384, cyclic=False, config=ALL, rank=0,
           processes=1):
    """A stream of batches of the set `kind`, or of FENs if it is None."""
    files = (c_char_p * len(paths))(*(os.fsencode(path) for path in paths))
    rest = threads, len(paths), files, size, cyclic, config, DdpConfig(rank, processes)
    if kind is None:
        return library.create_fen_batch_stream(*rest)
    return library.create_sparse_batch_stream(kind, *rest)


def from_fens(library, fens, kind=SET):
    def ints(number):
        return (c_int * len(fens))(*[number] * len(fens))
    texts = (c_char_p * len(fens))(*(fen.encode() for fen in fens))
    return library.get_sparse_batch_from_fens(kind, len(fens), texts, ints(25), ints(30), ints(-1))


def positions(library, batch):
    """The columns of a batch by position, read from its two blocks. Destroys it."""
    seen = batch.contents
    size, width = seen.size, seen.max_active_features
    floats = list(ctypes.cast(seen.is_white, POINTER(c_float * (3 * size))).contents)
    ints = list(ctypes.cast(seen.white, POINTER(c_int * ((2 * width + 1) * size))).contents)
    library.destroy_sparse_batch(batch)
    rows = [ints[at * width:][:width] for at in range(2 * size)]
    for row in rows:
        active = sum(index >= 0 for index in row)
        assert set(row[active:]) <= {-1}, row
        row[:] = sorted(row[:active])
    return [(*floats[at::size], rows[at], rows[size + at], ints[2 * width * size + at])
            for at in range(size)]


def printed(call):
    """What a call prints to stderr, and its result."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            result = call()
        finally:
            os.dup2(before, 2)
            os.close(before)
        file.seek(0)
        return file.read().decode(), result


def test(library, folder):
    lines = (Path(__file__).parent / 'expected.tsv').read_text().splitlines()
    fens, white, black = zip(*(line.split('\t') for line in lines))
    found = positions(library, from_fens(library, fens))
    for fen, lists, position in zip(fens, zip(white, black), found, strict=True):
        is_white, outcome, score, *views, pieces = position
        assert [' '.join(map(str, view)) for view in views] == list(lists), fen
        assert (is_white, outcome, score) == (' w ' in fen, 0, 25), position
        assert pieces == sum(letter.isalpha() for letter in fen.split(' ')[0]), position

    path = folder / 'a.binpack'
    path.write_bytes(CHUNK * 100)
    for kind, name in (SET, 'sparse'), (None, 'fen'):
        handle = stream(library, [path, path], kind=kind, threads=2, size=250)
        fetch = getattr(library, f'fetch_next_{name}_batch')
        destroy = getattr(library, f'destroy_{name}_batch')
        sizes, texts = [], set()
        while batch := fetch(handle):
            sizes.append(batch.contents.size)
            if kind is None:
                texts |= {fen.fen for fen in batch.contents.fens[:sizes[-1]]}
                assert all(fen.size == len(fen.fen) for fen in batch.contents.fens[:sizes[-1]])
            destroy(batch)
        assert sizes == [250, 250, 100], sizes
        getattr(library, f'destroy_{name}_batch_stream')(handle)
    assert len(texts) == 3 and all(len(text.split()) == 6 for text in texts), texts

    # A cyclic stream fills its whole shuffle first, so it keeps all entries here.
    for cyclic, config in (True, ALL), (False, DEFAULT):
        handle = stream(library, [path], cyclic=cyclic, size=7, config=config)
        batch = library.fetch_next_sparse_batch(handle)
        library.destroy_sparse_batch_stream(handle)
        size = len(positions(library, batch)) if batch else 0
        assert size == 7 or size < 7 and not cyclic, (size, cyclic)


def test_messages(library, folder):
    torn = folder / 'torn\n.binpack'
    torn.write_bytes(CHUNK + CHUNK[:-5])

    def read():
        handle = stream(library, [torn])
        while batch := library.fetch_next_sparse_batch(handle):
            library.destroy_sparse_batch(batch)
        library.destroy_sparse_batch_stream(handle)
    text, _ = printed(read)
    assert text.count('\n') == 1 and r'torn\n.binpack: chunk 2, ' in text, text
    for call, what in [
        (lambda: stream(library, [folder / 'nothing']), 'nothing: '),
        (lambda: stream(library, [folder]), 'not a regular file'),
        (lambda: stream(library, [torn], kind=b'HalfKQ'), '"HalfKQ" is not a set of inputs'),
        (lambda: stream(library, [torn], size=2**31), 'batch_size must be at least 1'),
        (lambda: stream(library, [torn], rank=2, processes=2), 'rank 2 is not one of 2 processes'),
        (lambda: from_fens(library, ['8/8/8/8/8/8/8/K w - -']), 'position 0: '),
    ]:
        text, result = printed(call)
        assert not result and text.count('\n') == 1 and what in text, (text, result)
        assert text.startswith('training_data_loader: '), text


def test_header(path, folder):
    """The C header: a program in C and in C++ whose structures are those of `ctypes`."""
    file, program = folder / 'b.binpack', folder / 'header'
    file.write_bytes(CHUNK * 100)
    source = Path(__file__).parent / 'header.c'
    strict = ['-Wall', '-Wextra', '-Werror', '-pedantic']
    for name, options in ('gcc', ['-std=c99']), ('g++', ['-x', 'c++', '-std=c++11']):
        compiler = shutil.which(os.environ.get('CC' if name == 'gcc' else 'CXX', name))
        if compiler is None:
            print(f'skipped: the C header: no {name}')
            continue
        subprocess.run([compiler, *options, *strict, source, '-x', 'none', path,
                        f'-Wl,-rpath,{path.parent}', '-o', program], check=True)
        found = subprocess.run([program, file], check=True, capture_output=True, text=True)
        numbers = dict(line.split(' ') for line in found.stdout.splitlines())
        assert numbers.pop('positions') == '300', numbers
        for structure, name in [(SkipConfig, 'skip_config'), (DdpConfig, 'ddp_config'),
                                (SparseBatch, 'sparse_batch'), (Fen, 'fen_text'),
                                (FenBatch, 'fen_batch')]:
            assert int(numbers.pop(name)) == ctypes.sizeof(structure), name
            fields = [key for key in numbers if key.startswith(f'{name}.')]
            for field in fields:
                offset = getattr(structure, field.partition('.')[2]).offset
                assert int(numbers.pop(field)) == offset, field
        assert not numbers, numbers


def measure(library, path, count):
    for kind, threads in (SET, 1), (SET, 2), (b'Full_Threats', 1), (b'HalfKAv2_hm', 1):
        least = [float('inf')] * 2
        for _ in range(5):
            start, cpu = time.perf_counter(), time.process_time()
            handle, size = stream(library, [path] * count, kind=kind, threads=threads), 0
            while batch := library.fetch_next_sparse_batch(handle):
                size += batch.contents.size
                library.destroy_sparse_batch(batch)
            library.destroy_sparse_batch_stream(handle)
            times = time.perf_counter() - start, time.process_time() - cpu
            least = [min(least[at], 1e9 * times[at] / size) for at in range(2)]
        print(f'{kind.decode()}, {threads} threads: {least[0]:.0f} ns elapsed, {least[1]:.0f} ns '
              f'of CPU time per position ({size} positions)')


def main():
    library = load(Path(sys.argv[1]).resolve())
    if '--time' in sys.argv:
        return measure(library, sys.argv[3], int(sys.argv[4]))
    with tempfile.TemporaryDirectory() as name:
        test(library, Path(name))
        test_messages(library, Path(name))
        # The extension of the Python package needs Python's symbols.
        if sys.platform == 'linux' and not hasattr(library, 'PyInit__setwise'):
            test_header(Path(sys.argv[1]).resolve(), Path(name))
    print('the library works as the trainer calls it')


main()
