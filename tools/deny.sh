#!/usr/bin/env bash
# Licences, sources, duplicates and advisories of the dependencies of every workspace here, by cargo-deny and deny.toml.
#
#   cargo install --locked --debug cargo-deny   (two minutes)
#   tools/deny.sh
#
# Exit code: 0 nothing is denied, 1 something is, 3 there is no cargo-deny. The advisories' database comes from the network: where it
# cannot be had, that is told and they are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo deny --version > /dev/null 2>&1 || { echo "skipped: cargo deny, which is not installed (cargo install --locked --debug cargo-deny)"; exit 3; }
checks=(licenses bans sources)
if cargo deny --config deny.toml fetch db > /dev/null 2>&1; then
  checks+=(advisories)
else
  echo "skipped: advisories on dependencies: their database cannot be fetched here"
fi
code=0
for manifest in Cargo.toml {crates/columns,crates/python,fuzz,crates/web,examples/engine,crates/endgame/peers,crates/positions/peers}/Cargo.toml; do
  if ! cargo metadata --locked --format-version 1 --manifest-path "$manifest" > /dev/null 2>&1; then
    echo "skipped: cargo deny of $manifest: its dependencies cannot be had here"
    continue
  fi
  # (One workspace does not have every licence that another has.)
  told=$(cargo deny --manifest-path "$manifest" --config deny.toml --workspace --locked check --hide-inclusion-graph \
    --allow license-not-encountered --allow license-exception-not-encountered "${checks[@]}" 2>&1) || code=1
  echo "$manifest: $(grep -c 'warning\[duplicate\]' <<< "$told" || true) names twice; $(tail -1 <<< "$told")"
  grep -A12 '^error' <<< "$told" || true
done
exit $code
