#!/usr/bin/env bash
# Formats the Rust code of every workspace and the single-file programs in tools/emulate.
#
#   tools/format.sh            formats
#   tools/format.sh --check    exits with 1 if a file is not formatted
set -euo pipefail
. "$(dirname "$0")/common.sh"
code=0
for manifest in $(workspaces); do
  cargo fmt --all --manifest-path "$manifest" -- "$@" || code=1
done
rustfmt --edition 2024 "$@" tools/emulate/*.rs || code=1
exit $code
