#!/usr/bin/env bash
# Writes what is generated from the source: parts of the C headers, and the Python package's types.
# (Counts and figures are measured: instructions.py, bounds.py and figures.sh write them.)
#
# The types are read from the installed extension: tools/python-test.sh creates the environment, and
# this script rebuilds the package in it. Without that environment, the types are skipped with a
# message.
set -euo pipefail
. "$(dirname "$0")/common.sh"
skip() { echo "tools/generate.sh: skipped $*" >&2; }

SETWISE_WRITE_HEADER=1 cargo test -q -p setwise-capi --test header

venv=crates/python/target/venv/bin
if [ -x $venv/python ]; then
  CARGO_TARGET_DIR=$PWD/crates/python/target $venv/pip install -q --no-deps ./crates/python
  $venv/python tools/python-stubs.py
else
  skip "the Python package's types: run tools/python-test.sh first"
fi
