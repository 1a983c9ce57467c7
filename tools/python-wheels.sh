#!/usr/bin/env bash
# Builds the Python package for distribution: wheels and a source distribution, in
# crates/python/target/dist. Installs each in a new environment and calls it there. For the wheel,
# Rust is not in PATH.
#
#   tools/python-wheels.sh [TARGET...]    Rust targets; default: this machine's
#
# A wheel is for CPython 3.10 and later (abi3). On Linux it is tagged manylinux2014, for glibc 2.17
# or later, the oldest that Rust supports: zig links against that version. Without zig from PyPI,
# this machine's linker is used, and maturin chooses the oldest tag that the wheel qualifies for.
#
# Exit code: 0 success, 1 a package does not build or work, 3 a requirement is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd crates/python
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target} PIP_DISABLE_PIP_VERSION_CHECK=1
dist=$PWD/target/dist builder=$PWD/target/builder
host=$(rustc -vV | sed -n 's/^host: //p')

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || cannot "needs Python 3.10"
[ -x "$builder/bin/python" ] || python3 -m venv "$builder" >&2 ||
  cannot "python3 -m venv fails (on Debian: apt-get install python3-venv)"
"$builder/bin/pip" install -q 'maturin>=1.9,<2' >&2 || cannot "pip cannot install maturin"
linker=()
if "$builder/bin/pip" install -q ziglang >&2; then
  linker=(--zig --compatibility manylinux2014)
else
  echo "skipped: glibc 2.17: pip cannot install zig"
fi

rm -rf "$dist"
../../tools/notices.py python licences
for wanted in "${@:-$host}"; do
  [ "$wanted" = "$host" ] || rustup target add "$wanted" >&2 || cannot "rustup has no $wanted"
  options=()
  [[ $wanted != *-linux-gnu ]] || options=("${linker[@]}")
  PATH=$builder/bin:$PATH maturin build -q --release --locked --target "$wanted" -o "$dist" \
    "${options[@]}" || fail "no wheel for $wanted"
done
PATH=$builder/bin:$PATH maturin sdist -o "$dist" >&2 || fail "no source distribution"
ls -l "$dist"
../../tools/python-wheel.py "$dist"/*.whl

# try PACKAGE PATH: installs a package in a new environment, in a folder without the sources, and
# calls it. `set -e` has no effect in this function, because the callers test its exit code.
try() {
  local folder result=0
  folder=$(mktemp -d) || return
  (
    cd "$folder" && python3 -m venv venv && PATH=$2 venv/bin/pip install -q "$1" >&2 &&
      venv/bin/python -c '
import numpy, setwise
assert setwise.queen_attacks(numpy.uint64([1]), 0)[0] == 0x81412111090503FE
print(setwise.__version__, setwise.kernel())'
  ) || result=$?
  rm -rf "$folder"
  return "$result"
}

for wheel in "$dist"/*"${host%%-*}"*.whl; do
  if [ -e "$wheel" ]; then
    # An empty PATH has no Rust.
    called=$(try "$wheel" "") || fail "$wheel does not work"
    echo "installed without Rust: $called"
  fi
done
called=$(try "$(echo "$dist"/*.tar.gz)" "$PATH") || fail "the source distribution does not work"
echo "built from the source distribution: $called"
