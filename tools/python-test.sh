#!/usr/bin/env bash
# Builds the Python wheel as `pip install ./crates/python` does, installs it in a virtual
# environment, and tests it there.
#
#   tools/python-test.sh [PYTEST ARGUMENT...]
#
# Needs Python 3.10 with venv, and packages from PyPI. The tests compare with python-chess (GPL),
# which is not part of the wheel. The wheel is left in crates/python/target/wheels.
#
# Exit code: 0 all tests passed, 1 a test failed, 3 a requirement is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"
lints=$(lints)
cd crates/python
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} PIP_DISABLE_PIP_VERSION_CHECK=1

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || cannot "needs Python 3.10"
venv=$PWD/target/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" >&2 ||
  cannot "python3 -m venv fails (on Debian: apt-get install python3-venv)"
# Not compiled to bytecode, which costs 20 s of CPU time for modules of which few are imported.
"$venv/bin/pip" install -q --no-compile numpy pyarrow polars pandas duckdb pytest chess mypy \
  'maturin>=1.9,<2' >&2 || cannot "pip cannot install the packages"

cargo fmt --check
# shellcheck disable=SC2086 # several options
cargo clippy -q --locked --release -- $lints -D warnings
rm -rf target/wheels
../../tools/notices.py python licences
# pip installs maturin, which builds the wheel.
MATURIN_PEP517_ARGS=--locked "$venv/bin/pip" wheel -q --no-deps -w target/wheels . >&2
"$venv/bin/pip" install -q --force-reinstall --no-deps target/wheels/*.whl >&2
ls -l target/wheels
../../tools/python-wheel.py target/wheels/*.whl
# The source distribution must contain every file that its manifests need. (tools/python-wheels.sh
# builds it.)
rm -rf target/sdist
"$venv/bin/maturin" sdist -o target/sdist >&2 || fail "no source distribution"
tar -xzf target/sdist/*.tar.gz -C target/sdist
cargo metadata --locked --format-version 1 --manifest-path target/sdist/*/crates/python/Cargo.toml \
  > /dev/null || fail "the source distribution is incomplete"

"$venv/bin/python" ../../tools/python-stubs.py --check
cd target
# The operations' own signatures lack `out` and `threads`, so stubtest skips the operations. The
# tests check the signatures.
"$venv/bin/python" -c 'import setwise
for name, *_ in setwise._setwise._operations():
    print(rf"setwise(\._operations)?\.{name}")' > operations.txt
"$venv/bin/python" -m mypy.stubtest setwise --mypy-config-file ../tests/mypy.ini \
  --allowlist ../tests/stubtest.txt --allowlist operations.txt
"$venv/bin/python" -m mypy --strict ../tests/typed.py
"$venv/bin/python" -m pytest -q -c ../pyproject.toml --rootdir .. ../tests "$@" || exit 1
