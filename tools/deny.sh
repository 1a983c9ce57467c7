#!/usr/bin/env bash
# Checks licences, sources, duplicates and advisories of every workspace's dependencies with
# cargo-deny and deny.toml.
#
#   tools/deny.sh [--install]    --install: first install cargo-deny, if it is missing (two minutes)
#
# Prints "skipped: ..." for each part that it leaves out. Exit code: 0 nothing is denied, 1 a
# dependency is denied, 3 cargo-deny is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"
install="cargo install --locked --debug cargo-deny"
if ! cargo deny --version > /dev/null 2>&1; then
  [ "${1:-}" = --install ] || cannot "needs cargo-deny ($install)"
  $install || cannot "cargo-deny cannot be installed"
fi
checks=(licenses bans sources)
if cargo deny --config deny.toml fetch db > /dev/null 2>&1; then
  checks+=(advisories)
else
  echo "skipped: advisories on dependencies, whose database cannot be fetched here"
fi
code=0
for manifest in $(workspaces | grep -v no_std); do
  if ! cargo metadata --locked --format-version 1 --manifest-path "$manifest" > /dev/null 2>&1; then
    echo "skipped: cargo deny of $manifest, whose dependencies cannot be fetched here"
    continue
  fi
  # No workspace uses every licence that deny.toml allows, so don't report unused ones.
  output=$(cargo deny --manifest-path "$manifest" --config deny.toml --workspace --locked check \
    --hide-inclusion-graph --allow license-not-encountered \
    --allow license-exception-not-encountered "${checks[@]}" 2>&1) || code=1
  duplicates=$(grep -c 'warning\[duplicate\]' <<< "$output" || true)
  echo "$manifest: $duplicates duplicates; $(tail -1 <<< "$output")"
  grep -A12 '^error' <<< "$output" || true
done
exit $code
