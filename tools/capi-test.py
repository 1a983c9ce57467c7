#!/usr/bin/env python3
"""Tests the C library as C and C++ programs see it.

Installs the library with tools/capi-install.sh. Builds and runs the programs of crates/capi/tests
and examples/ with every compiler found here, linked statically and dynamically, with warnings as
errors and with sanitizers. Also checks the library's symbols, the size of a plug-in, what
plug-ins export, programs with another Rust library, and the installed files.

    tools/capi-test.py [--long]

--long: repeats with every compiler what a short run does with one: sanitizers, dynamic linking,
linkers, and programs in Bochs, for which this CPU lacks the instructions. Compiles each form of the
headers in two standards, and every kernel for Windows.

Prints "skipped: ..." for each part that it leaves out. Exit code: 0 all tests passed, 1 a test
failed, 3 there is no C compiler, or this is not Linux."""
import os, re, shutil, subprocess, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONG = '--long' in sys.argv
TARGET = Path(os.environ.get('CARGO_TARGET_DIR', ROOT / 'target')).resolve()
SCRATCH = tempfile.TemporaryDirectory()
# Where the library is installed.
PREFIX = Path(SCRATCH.name) / 'prefix'
LIBRARY = PREFIX / 'lib'
# Where the cases of crates/capi/tests/c/cases.h are.
CASES = f'-DCASES_FOLDER="{SCRATCH.name}"'
INCLUDES = [CASES, f'-I{PREFIX}/include', f'-I{SCRATCH.name}']
BESIDE = ROOT / 'crates/capi/tests/beside'
# Macros of other headers, whose names ours must not use: of windows.h and old compilers for DOS; of
# C's own headers and gcc; of X.h and Xlib.h; of curses.h, Qt, macOS and Arduino; of engines.
TAKEN = '''
    near far small hyper interface pascal cdecl huge min max IN OUT ERROR DELETE CONST VOID
    OPTIONAL STRICT EDGE BLACK WHITE
    I complex major minor makedev assert unix linux B0 ECHO
    None Bool Status True False Always Success Above Below Complex Convex Unsorted Expose
    clear move erase refresh timeout echo scroll slots signals emit foreach check verify require
    nil bit sq abs round PI
    file_of rank_of lsb msb popcount A1 H8 NORTH PAWN KING NO_PIECE likely unlikely INLINE U64 u8
'''.split()
# Limit on the bytes of a stripped program, and on those that the static library adds to a plug-in.
MAX_BYTES = 800_000
WARNINGS = '-Wall -Wextra -Wpedantic -Werror'.split()
SANITIZERS = '-fsanitize=address,undefined -fno-sanitize-recover=all -g -O1'.split()
EXPORTED = ['setwise_active', 'setwise_available', 'setwise_beats_look_ups', 'setwise_by_name',
            'setwise_init', 'setwise_perft', 'setwise_status', 'setwise_threat_rules_init',
            'setwise_version']
# Drops unused sections.
TRIM = ['-Wl,--gc-sections']

failed = []


def run(*command, env=None, check=True):
    command = [str(word) for word in command]
    environment = {k: v for k, v in os.environ.items() if not k.startswith('SETWISE_')}
    done = subprocess.run(command, capture_output=True, text=True, env=environment | (env or {}))
    if check and done.returncode != 0:
        raise Failure(f'{" ".join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
    return done


class Failure(Exception):
    pass


def trial(name, check, *arguments):
    try:
        detail = check(*arguments)
        print(f'ok: {name}' + (f' ({detail})' if isinstance(detail, str) else ''), flush=True)
    except Failure as failure:
        failed.append(name)
        print(f'FAILED: {name}: {failure}', flush=True)


def expect(holds, message):
    if not holds:
        raise Failure(message)


STATIC = [LIBRARY / 'libsetwise.a', *TRIM]
DYNAMIC = [f'-L{LIBRARY}', '-Wl,-Bdynamic', '-lsetwise', f'-Wl,-rpath,{LIBRARY}']


def compile(compiler, source, to, *options, library=STATIC):
    """Compiles a source of the tests. Returns the program's path."""
    standard = '-std=c++17' if source.suffix == '.cpp' else '-std=c11'
    pthread = ['-pthread', '-D_GNU_SOURCE'] if source.name == 'first.c' else []
    run(compiler, standard, *WARNINGS, *pthread, *options, *INCLUDES, source, *library, '-o', to)
    return to


def matrix(compiler, source, to, compilers):
    """Compiles a program, links it, and runs it. Of the `compilers` for its language, the first
    also links the dynamic library, and the last uses the sanitizers."""
    for options, link, library, chosen in [(['-O2'], 'static', STATIC, compiler),
                                           (['-O2'], 'dynamic', DYNAMIC, compilers[0]),
                                           (SANITIZERS, 'static', STATIC, compilers[-1])]:
        if LONG or compiler == chosen:
            trial(f'{source.name}, {compiler}, {" ".join(options)}, {link}', lambda: run(
                compile(compiler, source, to, *options, library=library)))


# Targets for setwise_inline.h: compiler options, what the CPU needs, and Bochs' model with it.
INLINED = [
    (['-U__SSE2__'], set(), '', ['threats']),
    (['-mavx2'], {'avx2'}, 'corei7_haswell_4770', ['inline', 'threats']),
    (['-mavx512f', '-mavx512vl'], {'avx512f', 'avx512vl'}, 'corei7_skylake_x', ['inline']),
    (['-march=icelake-client'], {'avx512_vbmi2', 'gfni'}, 'corei7_icelake_u', ['threats']),
]


def inlined(compiler, options, needed, model, tests, folder, is_first):
    """Runs the tests of setwise_inline.h for a target: on this CPU, in Bochs, or not at all."""
    emulators = Path(os.environ.get('SETWISE_EMULATE') or Path.home() / '.cache/setwise-emulate')
    missing = ''
    if not (emulators / 'done/bochs').exists():
        missing = 'tools/emulate has not installed Bochs'
    elif not is_first and not LONG:
        missing = 'without --long, Bochs runs the programs of one compiler'
    here = needed <= set(Path('/proc/cpuinfo').read_text().split())
    for name in tests:
        source = ROOT / f'crates/capi/tests/c/{name}.c'
        program = compile(compiler, source, folder / 'inlined', '-O2', '-static', *options)
        if here:
            run(program)
        elif not missing:
            run(ROOT / 'tools/emulate/bochs.sh', '--timeout', 600, model, program)
        else:
            print(f'skipped: {name}.c for {" ".join(options)}, {compiler}, was built, but not run: '
                  f'this CPU lacks the instructions, and {missing}')
    return 'on this CPU' if here else 'built' if missing else 'in Bochs'


def first_calls(compiler, to):
    """Checks threads that race to make the first call, with valid and invalid environment
    variables."""
    program = compile(compiler, ROOT / 'crates/capi/tests/c/first.c', to, '-O2')
    best = run(program).stdout.split('\n')[0]
    force, disable = 'SETWISE_FORCE_KERNEL', 'SETWISE_DISABLE'
    unknown = 'there is no kernel `'
    for environment, name, status in [
        ({}, best, ''),
        ({force: 'scalar'}, 'scalar', ''),
        ({disable: best}, None, ''),
        ({force: 'abacus'}, best, f'{force}: {unknown}abacus`; the kernels are '),
        ({force: '', disable: ''}, best, ''),
        ({force: ' '}, best, f'{force}: {unknown} `; '),
        ({force: 'a' * 3000}, best, f'{force}: {unknown}{"a" * 30}...`; '),
        ({force: 'neon'}, best, f'{force}: `neon` is not compiled in'),
        ({disable: 'sse2,abacus'}, best, f'{disable}: {unknown}abacus`'),
        ({disable: 'a,' * 30_000}, best, f'{disable}: {unknown}a`'),
    ]:
        if os.uname().machine == 'aarch64' and 'neon' in environment.values():
            continue
        for _ in range(10):
            got, printed = run(program, env=environment).stdout.split('\n')[:2]
            expect(got == name or name is None and got != best, f'{environment}: {got} is active')
            expect(printed.startswith(status) if status else not printed,
                   f'{environment}: {printed}')
            expect(len(printed) < 512, 'the status is too long')


def symbols(path, *options):
    return [line.split() for line in run('nm', *options, path).stdout.splitlines() if line.strip()]


def exports():
    listed = symbols(LIBRARY / 'libsetwise.so', '-D', '--defined-only')
    names = sorted(words[-1] for words in listed)
    expect(names == sorted(EXPORTED), f'it exports {names}')
    # Otherwise dlmopen() could not load it into a namespace of its own.
    dynamic = run('readelf', '-d', LIBRARY / 'libsetwise.so').stdout
    expect(re.search(r'NEEDED.*\[libc\.so', dynamic), f'it does not name the C library: {dynamic}')


def one_object():
    """Checks the static library's object: its symbols, and that nothing runs before main."""
    objects = run('ar', 't', LIBRARY / 'libsetwise.a').stdout.split()
    expect(len(objects) == 1, f'the archive contains {objects}')
    # The columns after the visibility, the section and the name.
    symbols = re.findall(r'(?:GLOBAL|WEAK) +(\w+) +(\w+) (\S+)',
                         run('readelf', '-sW', LIBRARY / 'libsetwise.a').stdout)
    defined = {name: visibility for visibility, section, name in symbols if section != 'UND'}
    expect(sorted(defined) == sorted(EXPORTED), f'its global symbols are {[*defined]}')
    expect({*defined.values()} == {'HIDDEN'}, 'it is not hidden')
    needed = {name for _, section, name in symbols if section == 'UND'}
    libc = {'abort', 'bcmp', 'getenv', 'memcmp', 'memcpy', 'memmove', 'memset', 'strlen'}
    expect(needed <= libc, f'it needs {needed - libc}')
    sections = run('readelf', '-SsW', LIBRARY / 'libsetwise.a').stdout
    found = re.findall(r'\.(?:init_array|ctors|preinit_array|init)\b|\.llvmbc|IFUNC', sections)
    expect(not found, f'it has a constructor, bitcode or an ifunc: {found}')


def linkers(compiler):
    """The options that select each linker found here, and those for link-time optimisation, or
    None if the compiler cannot use it with this linker."""
    for linker in 'bfd', 'gold', 'lld':
        if not shutil.which(f'ld.{linker}'):
            print(f'skipped: {compiler} with the linker {linker}, which is not here')
            continue
        # clang's plug-in for the others is not always installed.
        with_lto = (compiler == 'clang') == (linker == 'lld')
        yield f'-fuse-ld={linker}', ['-flto'] if with_lto else None


def other_rust_library(name, folder):
    """Builds a static library from crates/capi/tests/beside. Removes its bitcode, which may be too
    new for -flto."""
    archive = folder / f'{name}.a'
    panics = ['-Cpanic=abort'] if name == 'no_std' else []
    run('rustc', '--edition=2024', '--crate-type=staticlib', '-O', *panics, '-o', archive,
        BESIDE / f'{name}.rs')
    run('objcopy', '--remove-section=.llvmbc', '--remove-section=.llvmcmd', archive)
    return archive


def beside_rust(name, compiler, folder, is_first):
    """Links a program with another Rust static library, before setwise and after it. That library
    must handle its own panic."""
    ours, other = LIBRARY / 'libsetwise.a', other_rust_library(name, folder)
    links = 0
    for linker, lto in linkers(compiler):
        # Without link-time optimisation, compilers only pass objects on to the linker.
        plain = [[], TRIM, ['-static'], ['-static', *TRIM]] if is_first or LONG else []
        for options in [*plain, *([lto, [*lto, *TRIM]] if lto else [])]:
            for archives in [ours, other], [other, ours]:
                run(compiler, '-O2', linker, *options, f'-I{PREFIX}/include', BESIDE / 'main.c',
                    *archives, '-o', folder / 'beside')
                run(folder / 'beside')
                links += 1
    return f'{links} programs'


def plugin(compiler, folder):
    """Checks what a plug-in that contains the static library exports, its size, and that it leaves
    the panics of a Rust library that is loaded later alone."""
    grown = set()
    other = other_rust_library('std', folder)
    (folder / 'later.c').write_text('int other(int); int later(int n) { return other(n); }')
    for linker, _ in linkers(compiler):
        for trim in [], TRIM:
            shared = [compiler, '-shared', '-fPIC', '-O2', '-s', linker, *trim,
                      f'-I{PREFIX}/include']
            run(*shared, '-DPLUGIN', BESIDE / 'main.c', LIBRARY / 'libsetwise.a', '-o',
                folder / 'libplugin.so')
            listed = symbols(folder / 'libplugin.so', '-D', '--defined-only')
            names = {words[-1] for words in listed}
            names -= {'_init', '_fini', '_end', '_edata', '__bss_start'}
            expect(names == {'plugin'}, f'with {linker}, the plug-in exports {names}')
            run(*shared, folder / 'later.c', '-o', folder / 'empty.so')
            sizes = [(folder / name).stat().st_size for name in ('libplugin.so', 'empty.so')]
            grown.add(sizes[0] - sizes[1])
        run(*shared, folder / 'later.c', '-Wl,--whole-archive', other, '-Wl,--no-whole-archive',
            '-o', folder / 'liblater.so')
        run(compiler, linker, '-DHOST', f'-I{PREFIX}/include', BESIDE / 'main.c', f'-L{folder}',
            '-lplugin', '-llater', f'-Wl,-rpath,{folder}', '-o', folder / 'host')
        run(folder / 'host')
    expect(max(grown) <= MAX_BYTES, f'a plug-in grows by {max(grown)} bytes')
    return f'a plug-in grows by {min(grown)} to {max(grown)} bytes'


def no_panic_and_no_allocation(compiler, folder):
    """Checks that a linked program contains no panic or allocation code from Rust, and its size."""
    program = compile(compiler, ROOT / 'crates/capi/tests/c/names.c', folder / 'linked', '-O2')
    names = run('nm', '-C', program).stdout
    unwanted = re.compile(r'panic|unwrap_failed|alloc|begin_unwind|\bstd::')
    found = [line for line in names.splitlines() if unwanted.search(line)]
    expect(not found, f'the program contains {found}')
    run('strip', program)
    size = program.stat().st_size
    expect(size <= MAX_BYTES, f'the stripped program has {size} bytes')
    return f'a stripped program has {size} bytes'


def installed(compiler, folder):
    prefix = folder / 'moved'
    shutil.copytree(PREFIX, prefix, symlinks=True)  # The installed tree can be moved.
    check_installed(compiler, folder, prefix)
    for name in ('LICENSE-APACHE', 'LICENSE-MIT', 'THIRD-PARTY.txt'):
        expect((prefix / 'share/doc/setwise' / name).exists(), f'{name} is not installed')
    version = re.search(r'^version = "(.*)"', (ROOT / 'Cargo.toml').read_text(), re.M)[1]
    compatible = version.rsplit('.', 1)[0]
    dynamic = run('readelf', '-d', prefix / 'lib/libsetwise.so').stdout
    expect(f'soname: [libsetwise.so.{compatible}]' in dynamic, f'the soname is wrong: {dynamic}')
    cmake = (prefix / 'share/cmake/setwise/setwise-config-version.cmake').read_text()
    expect(f'PACKAGE_VERSION "{version}"' in cmake, f'CMake has another version than {version}')
    if shutil.which('pkg-config'):
        needed = run('readelf', '-d', folder / 'by-pkg-config').stdout
        expect('libsetwise' not in needed, 'pkg-config links the dynamic library')


def for_windows(folder):
    """Builds with MinGW, and runs the programs if Wine is installed."""
    gcc = 'x86_64-w64-mingw32-gcc'
    prefix = folder / 'windows'
    # Few kernels compile faster.
    kernels = {} if LONG else {'SETWISE_KERNELS': 'avx2,sse2,portable'}
    run(ROOT / 'tools/capi-install.sh', prefix, 'x86_64-pc-windows-gnu', env=kernels)
    listed = run('x86_64-w64-mingw32-nm', '-g', '--defined-only', prefix / 'lib/libsetwise.a')
    defined = sorted(line.split()[-1] for line in listed.stdout.splitlines() if ' ' in line)
    expect(defined == sorted(EXPORTED), f'the global symbols are {defined}')
    run(gcc, '-shared', '-DPLUGIN', f'-I{prefix}/include', BESIDE / 'main.c',
        prefix / 'lib/libsetwise.a', '-o', folder / 'plugin.dll')
    for path, names in [(prefix / 'bin/setwise.dll', EXPORTED),
                        (folder / 'plugin.dll', ['plugin'])]:
        table = run('x86_64-w64-mingw32-objdump', '-p', path).stdout
        table = table.split('[Ordinal/Name Pointer]')[1]
        exported = re.findall(r'^\s+\[ *\d+\].* (\S+)$', table, re.M)
        expect(sorted(exported) == sorted(names), f'{path.name} exports {exported}')
    wine = shutil.which('wine64') or shutil.which('wine64', path='/usr/lib/wine')

    def test(source, *options):
        """Returns what the program prints."""
        program = folder / 'windows.exe'
        run(gcc, *options, *INCLUDES, source, prefix / 'lib/libsetwise.a',
            *TRIM, '-o', program)
        environment = {'WINEDEBUG': '-all', 'WINEPREFIX': str(folder / 'wine')}
        return run(wine, program, env=environment).stdout if wine else ''

    tests = ROOT / 'crates/capi/tests/c'
    for source in [*(tests / f'{name}.c' for name in ('check', 'inline', 'names', 'threats')),
                   ROOT / 'examples/c/attacks.c', ROOT / 'examples/c/threats.c']:
        test(source, '-std=c11', '-O2', *WARNINGS)
    for target, needed in ('x86-64-v3', 'avx2'), ('icelake-client', 'avx512_vbmi2'):
        if needed not in Path('/proc/cpuinfo').read_text().split():
            print(f'skipped: Windows with -march={target}, which this CPU lacks')
            continue
        for name in 'inline', 'names', 'threats':
            aligned_spills(gcc, tests / f'{name}.c', target, folder, test)
    if not wine:
        print('skipped: the programs for Windows were built but not run: Wine is not here')
    return 'run with Wine' if wine else 'built'


def aligned_spills(gcc, source, target, folder, test):
    """Runs a program as an unpatched gcc compiles it (gcc bug 54412): with moves to the stack that
    need an alignment of 32 or 64 bytes, which the stack does not have. The headers must have no
    such move, unless the assembler makes all moves unaligned."""
    assembly = folder / 'spills.s'
    # Copies in short registers, which need no alignment: the long moves that are left are spills.
    options = ['-std=c11', '-O2', f'-march={target}', '-mmove-max=128', '-mstore-max=128']
    unaligned = '-Wa,-muse-unaligned-vector-move'
    safe = '-DSETWISE_INLINE_SAFE_SPILLS'
    # With all 32 registers of AVX-512, gcc 12 does not spill.
    few_registers = [f'-ffixed-xmm{i}' for i in range(8, 32)]
    for defined, link in ([], []), ([safe], [unaligned]), ([safe, *few_registers], [unaligned]):
        run(gcc, '-S', *options, *WARNINGS, *defined, *INCLUDES, source, '-o', assembly)
        text, moves = re.subn(
            r'vmovdqu(?:64|32|16|8)?(\s+(?:%[yz]mm\d+, *-?\d*\(%r[sb]p\)|'
            r'-?\d*\(%r[sb]p\), *%[yz]mm\d+))', r'vmovdqa64\1', assembly.read_text())
        # 32-byte registers below 16 have an older form of the move.
        text = re.sub(r'vmovdqa64(\s.*%ymm(?:\d|1[0-5])\b)', r'vmovdqa\1', text)
        assembly.write_text(text)
        printed = test(assembly, *link)
        if not defined:
            expect(moves == 0, f'{source.name} for {target}: {moves} long moves to the stack')
        elif source.name == 'threats.c' and defined != [safe]:
            expect(moves > 0, f'for {target}, no moves to make unaligned')
        if source.name == 'threats.c' and printed:
            expect(('SSE2' in printed) == (not defined), f'for {target}, {printed}')


# Options under which no header may give a warning.
STRICT = '-Wconversion -Wshadow -Wcast-align'.split()


def headers(compiler):
    """Compiles the headers with more warnings, in the oldest and newest standard of the compiler,
    for each form: the forms in one standard each, with --long in both."""
    cpp = '++' in compiler
    language, standards = ('c++', ['c++17', 'c++2b']) if cpp else ('c', ['c11', 'c2x'])
    warnings = [*WARNINGS, *STRICT, *(['-Wold-style-cast'] if cpp else [])]
    sources = [ROOT / 'crates/capi/tests/c/names.c']
    if cpp:
        sources.append(ROOT / 'crates/capi/tests/cpp/check.cpp')
    forms = [], ['-U__SSE2__'], ['-mavx2'], ['-march=icelake-client']
    for i, options in enumerate(forms):
        for standard in standards if LONG else [standards[i % 2]]:
            for source in sources:
                run(compiler, '-x', language, f'-std={standard}', '-O2', *warnings, *options,
                    *INCLUDES, '-c', source, '-o', '/dev/null')


def by_cargo_c(compiler, folder):
    prefix = folder / 'cargo-c'
    target = TARGET / 'cargo-c'
    run('cargo', 'cinstall', '--release', '--manifest-path', ROOT / 'crates/capi/Cargo.toml',
        '--target-dir', target, '--prefix', prefix, '--libdir', 'lib')
    check_installed(compiler, folder, prefix)


def check_installed(compiler, folder, prefix):
    libraries = prefix / 'lib'
    headers = {path.name for path in (prefix / 'include').iterdir()}
    expect(headers == set(os.listdir(ROOT / 'crates/capi/include')), f'installed are {headers}')
    for name in ('lib/pkgconfig/setwise.pc', 'share/cmake/setwise/setwise-config.cmake',
                 'share/cmake/setwise/setwise-config-version.cmake'):
        expect((prefix / name).exists(), f'{name} is not installed')
    path = {'LD_LIBRARY_PATH': str(libraries)}
    if shutil.which('pkg-config'):
        flags = run('pkg-config', '--cflags', '--libs', 'setwise',
                    env={'PKG_CONFIG_PATH': str(libraries / 'pkgconfig')}).stdout.split()
        program = folder / 'by-pkg-config'
        run(compiler, ROOT / 'examples/c/attacks.c', *flags, '-o', program)
        run(program, env=path)
    else:
        print('skipped: the installed files with pkg-config, which is not here')
    if shutil.which('cmake'):
        build = folder / ('cmake-' + prefix.name)
        run('cmake', '-S', ROOT / 'crates/capi/tests/cmake', '-B', build,
            f'-DCMAKE_PREFIX_PATH={prefix}', '-DCMAKE_BUILD_TYPE=Release')
        run('cmake', '--build', build)
        for kind in 'setwise', 'static', 'shared':
            for language in 'c', 'cpp':
                run(build / f'{language}-{kind}', env=path)
    else:
        print('skipped: the installed files with cmake, which is not here')


def main():
    present, present_cpp = ([c for c in names if shutil.which(c)]
                            for names in (('gcc', 'clang'), ('g++', 'clang++')))
    if not present or sys.platform != 'linux':
        print('capi-test.py: needs Linux and a C compiler')
        return 3
    for compiler in 'gcc', 'g++', 'clang', 'clang++':
        if compiler not in present + present_cpp:
            print(f'skipped: the C library with {compiler}, which is not here')
    print(run(ROOT / 'tools/capi-install.sh', PREFIX).stderr, end='')
    run('cargo', 'run', '--quiet', '--release', '--manifest-path', ROOT / 'Cargo.toml', '-p',
        'setwise-check', '--example', 'cases', SCRATCH.name)
    folder, compiler = Path(SCRATCH.name), present[0]
    (folder / 'taken.h').write_text(
        ''.join(f'#undef {name}\n#define {name} BROKEN\n' for name in TAKEN))
    tests = ROOT / 'crates/capi/tests'
    as_cpp = [folder / f'{name}.cpp' for name in ('inline', 'names', 'threats')]
    for source in as_cpp:
        source.write_text(f'#include "{tests}/c/{source.stem}.c"\n')
    for names, sources in [
            (present, [*(tests / 'c').glob('*.c'), *(ROOT / 'examples/c').glob('*.c')]),
            (present_cpp, [*(tests / 'cpp').glob('*.cpp'), *(ROOT / 'examples/cpp').glob('*.cpp'),
                           *as_cpp])]:
        for each in names:
            for source in sorted(sources):
                matrix(each, source, folder / 'program', names)
            if os.uname().machine == 'x86_64':
                trial(f'no warnings of the headers, {each}', headers, each)
    for each in present:
        for target in INLINED:
            trial(f'inlined for {" ".join(target[0])}, {each}', inlined, each, *target, folder,
                  each == compiler)
        for other in 'std', 'no_std':
            trial(f'beside a Rust library, {other}, {each}', beside_rust, other, each, folder,
                  each == compiler)
        if LONG or each == compiler:
            trial(f'a plug-in, {each}', plugin, each, folder)
    trial('the first call', first_calls, compiler, folder / 'program')
    trial('exported symbols', exports)
    trial('the static library is one object', one_object)
    trial('no panic, no allocation', no_panic_and_no_allocation, compiler, folder)
    trial('installed by tools/capi-install.sh', installed, compiler, folder)
    windows = Path(run('rustc', '--print', 'sysroot').stdout.strip(),
                   'lib/rustlib/x86_64-pc-windows-gnu')
    if shutil.which('x86_64-w64-mingw32-gcc') and windows.exists():
        trial('Windows, with MinGW', for_windows, folder)
    else:
        print('skipped: Windows: needs MinGW and the target x86_64-pc-windows-gnu')
    if shutil.which('cargo-cinstall') or shutil.which('cargo-capi'):
        trial('installed by cargo-c', by_cargo_c, compiler, folder)
    else:
        print('skipped: the C library installed by cargo-c, which is not here')
    print(f'{len(failed)} failed')
    return 1 if failed else 0


with SCRATCH:
    code = main()
sys.exit(code)
