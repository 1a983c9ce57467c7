#!/usr/bin/env bash
# Packs the packages for a registry, and compiles them from the packed packages alone.
#
#   tools/package.sh            packs all; compiles the libraries, with the kernel `scalar` alone
#   tools/package.sh --long     packs all; compiles all, with every kernel
#   tools/package.sh --list     only lists the packages' files
#
# Exit code: 0 success, 1 a file is missing, or a package is too large or does not compile.
set -euo pipefail
. "$(dirname "$0")/common.sh"
libraries=(setwise setwise-check setwise-positions setwise-endgame setwise-loader)
packages=("${libraries[@]}" setwise-measure setwise-cli)
dirty=()
[ -z "$(git status --porcelain 2> /dev/null)" ] || dirty=(--allow-dirty)

for package in "${packages[@]}"; do
  list=$(cargo package -q -p "$package" --list "${dirty[@]}")
  for file in Cargo.toml LICENSE-MIT LICENSE-APACHE README.md; do
    grep -qx "$file" <<< "$list" || fail "the package $package has no $file"
  done
  echo "$package: $(wc -l <<< "$list") files"
  # Not every source file is compiled below.
  folder=$(cargo metadata -q --no-deps --format-version 1 | python3 -c '
import json, os, sys
print(*(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"]
        if p["name"] == sys.argv[1]))' "$package")
  missing=$(git -C "$folder" ls-files src kernels data build.rs | grep -vxFf <(echo "$list") || true)
  [ -z "$missing" ] || fail "the package $package lacks $missing"
  [ "${1:-}" != --list ] || sed 's/^/  /' <<< "$list"
done
[ "${1:-}" != --list ] || exit 0

folder=$target/package-check
# Cargo extracts and compiles a package of a local registry only once per version, so remove what is
# left from earlier packages.
rm -rf "$folder"/package "$folder"/debug/.fingerprint/setwise* \
  "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/setwise*
pack() { cargo package -q "${dirty[@]}" --target-dir "$folder" "$@"; }
compiled=("${packages[@]}")
if [ "${1:-}" != --long ]; then
  pack --no-verify "${packages[@]/#/-p}"
  compiled=("${libraries[@]}")
  export SETWISE_KERNELS=scalar
fi
pack "${compiled[@]/#/-p}"
for archive in "$folder"/package/*.crate; do
  size=$(stat -c %s "$archive")
  echo "$(basename "$archive"): $size bytes"
  [ "$size" -lt 1000000 ] || fail "a package must stay below 1,000,000 bytes"
done
echo "compiled from the packages alone: ${compiled[*]}"
