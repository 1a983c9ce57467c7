#!/usr/bin/env bash
# The packages as a registry would get them: each holds what it builds from, and its licences.
#
#   tools/package.sh            packs all, and compiles the library and the command line from the packages alone
#   tools/package.sh --list     only what is in them
#
# Exit code: 0 fine, 1 not.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(setwise setwise-positions setwise-endgame setwise-measure setwise-cli)
dirty=()
[ -z "$(git status --porcelain 2> /dev/null)" ] || dirty=(--allow-dirty)

for package in "${packages[@]}"; do
  list=$(cargo package -q -p "$package" --list "${dirty[@]}")
  for file in Cargo.toml LICENSE-MIT LICENSE-APACHE README.md; do
    grep -qx "$file" <<< "$list" || { echo "error: the package $package has no $file"; exit 1; }
  done
  echo "$package: $(wc -l <<< "$list") files"
  [ "${1:-}" != --list ] || sed 's/^/  /' <<< "$list"
done
[ "${1:-}" != --list ] || exit 0

target=${CARGO_TARGET_DIR:-$PWD/target}/package-check
rm -rf "$target/package" "$target/unpacked"
cargo package -q --no-verify "${packages[@]/#/-p}" "${dirty[@]}" --target-dir "$target"
mkdir -p "$target/unpacked"
for archive in "$target"/package/*.crate; do
  # With the time of today: by that in the archive, which is always the same, an older check would seem to be one of these files.
  tar -xmzf "$archive" -C "$target/unpacked"
  size=$(stat -c %s "$archive")
  echo "$(basename "$archive"): $size bytes"
  [ "$size" -lt 1000000 ] || { echo "error: that is much"; exit 1; }
done
# They need each other before any registry has them.
cd "$target/unpacked"
{
  printf '[workspace]\nmembers = ["setwise*"]\nresolver = "3"\n[profile.dev]\npanic = "abort"\n[patch.crates-io]\n'
  for folder in setwise*; do echo "${folder%-*} = { path = \"$folder\" }"; done
} > Cargo.toml
cp "$OLDPWD/Cargo.lock" .
cargo check -q --target-dir "$target" -p setwise --all-features
cargo check -q --target-dir "$target" -p setwise-cli
echo "each compiles from the packages alone"
