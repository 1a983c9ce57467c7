#!/usr/bin/env python3
"""Breaks the library in many small ways, one at a time in a scratch copy, and runs the tests. A
mutation that no test catches shows a gap in the tests.

    tools/mutate.py                 all mutations (15 s each on an idle machine: an hour and a half)
    tools/mutate.py tail west       those whose name contains one of the words
    tools/mutate.py --match         only checks that each matches exactly once; takes a second

The list has mistakes that a person could make. A script found some that nobody thought of, by rules
like those of cargo-mutants (another operator, a function that returns a constant): of 103 mutations
in `src/choice.rs` and `src/detect.rs`, the tests caught 83. Four of the others showed gaps and are
in the list now. Sixteen change no result, or only on other CPUs or targets, or with more kernels
than were compiled. cargo-mutants 27.1 itself was tried on a tenth of the same two files. Of 12
mutations, 8 did not compile, and 4 changed a constant that only builds without `std` use.

Prints `caught` or `SURVIVED` for each. Exit code: 0 all caught, 1 one survived, 2 one no longer
applies or does not compile (correct it here), or the tests fail without a mutation.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def mutations():
    """Name, file, pattern, replacement and kernels of each mutation."""
    for line in (ROOT / "tools/mutations.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, file, pattern, replacement, *kernels = line.split("\t")
            yield name, file, pattern, replacement.replace(r"\n", "\n"), *" ".join(kernels).split()


def copy_tree(to):
    """Copies the working tree: tracked and untracked files, but not ignored ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            # Not copy2, because cargo ignores a changed file that keeps an old modification time.
            shutil.copy(ROOT / name, to / name)


class Failure(Exception):
    """Raised if the mutation does not apply or does not compile."""


def mutated(tree, file, pattern, replacement):
    """A file's text before and after the mutation."""
    path = tree / file
    if not path.is_file():
        raise Failure(f"{file} does not exist")
    before = path.read_text()
    matches = len(re.findall(pattern, before))
    if matches != 1:
        raise Failure(f"{file} must match {pattern} once, matches {matches} times")
    return before, re.sub(pattern, lambda _: replacement, before)


def cargo(tree, target, package, *arguments, timeout, **variables):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target), CARGO_PROFILE_TEST_DEBUG="0",
                       SETWISE_TEST_SEED="1")
    for name in ("FORCE_KERNEL", "DISABLE", "TEST_BUDGET", "TEST_EMULATE", "TEST_KERNELS",
                 "EXPECT_ACTIVE", "EXPECT_EXERCISED"):
        environment.pop(f"SETWISE_{name}", None)
    command = ["cargo", *arguments[:1], *package, *arguments[1:]]
    return subprocess.run(command, cwd=tree, env=environment | variables, timeout=timeout,
                          capture_output=True, text=True, errors="replace")


# Emulates XOP on other CPUs. Used only with the smallest budget, because the emulator is slow.
EMULATE = ({"SETWISE_TEST_EMULATE": "xop"}
           if (sys.platform, platform.machine()) == ("linux", "x86_64") else {})
# Names for the unit tests of a library and of the command line, which have no test target.
LIB = "lib"
BIN = "bin"
TARGETS = {LIB: ("--lib",), BIN: ("--bin", "setwise")}
# The runner with the smallest budget comes first: in two seconds it catches most mutations.
TESTS = [
    ("runner", {"SETWISE_TEST_BUDGET": "tiny"} | EMULATE),
    ("runner", {"SETWISE_TEST_BUDGET": "quick"}),
    ("dispatch", {}),
    ("compound", {}),
    ("as_c", {}),
    ("properties", {}),
    (LIB, {}),
]
# Only these tests can catch the mutations "detect: ...". They are built without optimisation to
# compile faster; the tests above would run longer without it.
UNOPTIMISED = {"CARGO_PROFILE_TEST_OPT_LEVEL": "0", "CARGO_INCREMENTAL": "1"}
DETECTION = [
    (LIB, UNOPTIMISED, "detect::"),
    ("dispatch", UNOPTIMISED, "the_catalogue_has_every_kernel",
     "every_kernel_is_in_every_list"),
]
# The kernels with code of their own for threats, to compile less.
KERNELS_WITH_THREATS = "avx512-gfni,avx2,sse2"
# The test `threats` comes first, because it compiles in a fraction of the runner's time. The runner
# prints which kernels it exercised.
THREATS = [
    ("threats", {"SETWISE_TEST_BUDGET": "small", "SETWISE_KERNELS": KERNELS_WITH_THREATS}),
    ("runner", {"SETWISE_TEST_BUDGET": "small", "SETWISE_KERNELS": KERNELS_WITH_THREATS}, "threats"),
    ("properties", {"SETWISE_KERNELS": KERNELS_WITH_THREATS}, "threats"),
]
# Compiles only what a mutation changes. The tests of other packages do not time anything.
INCREMENTAL = {"CARGO_INCREMENTAL": "1", "CARGO_PROFILE_TEST_CODEGEN_UNITS": "16"}
BINPACK = [("main", INCREMENTAL, "binpack::"), (LIB, INCREMENTAL),
           ("main", INCREMENTAL, "blocks::")]
POSITIONS = LOADER = [(test, INCREMENTAL) for test in (LIB, "main")]
COMMAND_LINE = [(test, INCREMENTAL) for test in (BIN, "main")]

LIBRARY = ("-p", "setwise", "--all-features")
READERS = ("-p", "setwise-positions", "--all-features")
# The package that a mutation is in, and the tests that can catch it, by the first word of the
# mutation's name.
SUITES = {
    "detect": (LIBRARY, DETECTION),
    "input": (READERS, POSITIONS),
    "binpack": (READERS, BINPACK),
    "cli": (("-p", "setwise-cli"), COMMAND_LINE),
    "loader": (("-p", "setwise-loader"), LOADER),
    "nnue-pytorch": (("-p", "setwise-nnue-pytorch"), [(LIB, {}), ("interface", {})]),
    "measure": (("-p", "setwise-measure"), [(LIB, {})]),
    "endgame": (("-p", "setwise-endgame"), [(LIB, {})]),
    # The cheapest tests first: these mutations do not change results.
    "dispatch": (LIBRARY, [("dispatch", {}), (LIB, {}), *TESTS[:2]]),
    "fastest": (LIBRARY, [("dispatch", {})]),
    "mobility": (LIBRARY, [("positions", {})]),
    "threats": (LIBRARY, THREATS),
}


def suite_of(name):
    return SUITES.get(name.partition(":")[0], (LIBRARY, TESTS))


def first_failure(output):
    """What caught the mutation, in a few words."""
    match = (re.search(r"^test (\S+)\s+\.\.\. .*FAILED", output, re.MULTILINE)
             or re.search(r"\((signal: [^)]*)\)", output))
    return match[1] if match else "the tests failed"


def run_tests(tree, target, suite, exercised=None):
    """Returns None if all tests pass, else a short description of the failure and the output. Adds
    the kernels that the runner exercised to `exercised`."""
    package, tests = suite
    for test, variables, *filters in tests:
        which = TARGETS.get(test, ("--test", test))
        build = cargo(tree, target, package, "test", "--no-run", *which, timeout=1800, **variables)
        if "error[E0080]: evaluation panicked" in build.stderr:
            return "a compile-time assertion", ""  # for example on the size of look-up tables
        if build.returncode != 0:
            raise Failure("it does not compile:\n" + build.stderr[-3000:])
        name = " ".join([test, variables.get("SETWISE_TEST_BUDGET", "")]).strip()
        try:
            run = cargo(tree, target, package, "test", *which, "--", *filters, timeout=900,
                        **variables)
        except subprocess.TimeoutExpired:
            return f"{name} does not end", ""
        if run.returncode != 0:
            return f"{name}: {first_failure(run.stdout + run.stderr)}", run.stdout[-3000:]
        if exercised is not None:
            exercised.update(re.findall(r"^exercised: (\S+)", run.stdout, re.MULTILINE))
    return None


def match(chosen):
    """Prints the mutations that do not match exactly once."""
    invalid = 0
    for name, *where in (mutation[:4] for mutation in chosen):
        try:
            mutated(ROOT, *where)
        except Failure as failure:
            print(f"INVALID: {name} ({failure})")
            invalid += 1
    print(f"{len(chosen) - invalid} of {len(chosen)} mutations apply")
    return 2 if invalid else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", help="run only mutations whose names contain a word")
    parser.add_argument("--match", action="store_true",
                        help="only check that each matches exactly once")
    arguments = parser.parse_args()
    chosen = [m for m in mutations()
              if not arguments.words or any(word in m[0] for word in arguments.words)]
    if not chosen:
        parser.error("no mutation has one of these words in its name")
    if arguments.match:
        return match(chosen)
    counts = Counter()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutate"
    with tempfile.TemporaryDirectory(prefix="setwise-mutate-") as scratch:
        tree = Path(scratch)
        copy_tree(tree)
        exercised = set()
        print("compiling and testing without a mutation ...", file=sys.stderr)
        for suite in (LIBRARY, TESTS), *SUITES.values():
            if not any(suite_of(m[0]) == suite for m in chosen):
                continue
            if failed := run_tests(tree, target, suite, exercised):
                print("error: the tests fail without any mutation:", *failed,
                      sep="\n", file=sys.stderr)
                return 2
        for name, file, pattern, replacement, *shown_by in chosen:
            start = time.monotonic()
            before = None
            try:
                before, after = mutated(tree, file, pattern, replacement)
                (tree / file).write_text(after)
                if shown_by and exercised.isdisjoint(shown_by):
                    verdict, detail = "not tried", f"only with {' or '.join(shown_by)}"
                elif caught := run_tests(tree, target, suite_of(name)):
                    verdict, detail = "caught", caught[0]
                else:
                    verdict, detail = "SURVIVED", file
            except Failure as failure:
                verdict, detail = "INVALID", str(failure)
            finally:
                if before is not None:
                    (tree / file).write_text(before)
            counts[verdict] += 1
            print(f"{verdict}: {name} ({detail}; {time.monotonic() - start:.0f} s)", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 2 if "INVALID" in counts else 1 if "SURVIVED" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
