#!/usr/bin/env bash
# Packs the packages for a registry, and compiles each one from the packed packages alone.
#
#   tools/package.sh            packs and compiles
#   tools/package.sh --list     only lists the packages' files
#
# Exit code: 0 success, 1 a file is missing, or a package is too large or does not compile.
set -euo pipefail
. "$(dirname "$0")/common.sh"
packages=(setwise setwise-check setwise-positions setwise-endgame setwise-measure setwise-cli)
dirty=()
[ -z "$(git status --porcelain 2> /dev/null)" ] || dirty=(--allow-dirty)

for package in "${packages[@]}"; do
  list=$(cargo package -q -p "$package" --list "${dirty[@]}")
  for file in Cargo.toml LICENSE-MIT LICENSE-APACHE README.md; do
    grep -qx "$file" <<< "$list" || fail "the package $package has no $file"
  done
  echo "$package: $(wc -l <<< "$list") files"
  [ "${1:-}" != --list ] || sed 's/^/  /' <<< "$list"
done
[ "${1:-}" != --list ] || exit 0

folder=$target/package-check
# Cargo extracts and compiles a package of a local registry only once per version, so remove what is
# left from earlier packages.
rm -rf "$folder"/package "$folder"/debug/.fingerprint/setwise* \
  "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/setwise*
cargo package -q "${packages[@]/#/-p}" "${dirty[@]}" --target-dir "$folder"
for archive in "$folder"/package/*.crate; do
  size=$(stat -c %s "$archive")
  echo "$(basename "$archive"): $size bytes"
  [ "$size" -lt 1000000 ] || fail "a package must stay below 1,000,000 bytes"
done
echo "each compiles from the packages alone"
