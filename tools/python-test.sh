#!/usr/bin/env bash
# Builds the Python package's wheel as `pip install ./crates/python` does, and tests it in an
# environment of its own. Arguments go to pytest.
#
# Needs a Rust toolchain, Python 3.10 or newer with venv, and packages from PyPI. The wheel is left
# in crates/python/target/wheels. Exit code 1: something is wrong; 3: a requirement is missing.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../crates/python"
cannot() { echo "tools/python-test.sh: $*" >&2; exit 3; }

command -v python3 >/dev/null || cannot "needs python3 in PATH"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
  cannot "needs Python 3.10 or newer, this is $(python3 --version)"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} PIP_DISABLE_PIP_VERSION_CHECK=1
venv=$PWD/target/venv
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" >&2 ||
  cannot "python3 -m venv fails (on Debian: apt-get install python3-venv)"
# python-chess is the tests' oracle. It is GPL, and must not get into the wheel.
"$venv/bin/pip" install -q numpy pyarrow polars pytest chess mypy >&2 ||
  cannot "pip cannot install the packages"

cargo fmt --check
cargo clippy -q --locked --release -- -D warnings
rm -rf target/wheels
# As users build it: pip installs maturin.
MATURIN_PEP517_ARGS=--locked "$venv/bin/pip" wheel -q --no-deps -w target/wheels . >&2
"$venv/bin/pip" install -q --force-reinstall --no-deps target/wheels/*.whl >&2
ls -l target/wheels
if "$venv/bin/python" -m zipfile -l target/wheels/*.whl | grep -i chess; then
  echo "tools/python-test.sh: the wheel contains python-chess" >&2
  exit 1
fi

"$venv/bin/python" ../../tools/python-stubs.py --check
cd target
stubtest=(--mypy-config-file ../tests/mypy.ini --allowlist ../tests/stubtest.txt)
"$venv/bin/python" -m mypy.stubtest setwise "${stubtest[@]}"
"$venv/bin/python" -m mypy --strict ../tests/typed.py
"$venv/bin/python" -m pytest -q -c ../pyproject.toml --rootdir .. ../tests "$@"
