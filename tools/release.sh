#!/usr/bin/env bash
# The steps of .github/workflows/release.yml that are more than a command.
#
#   tools/release.sh prepare URL TAG
#       checks that TAG is v and the version in every manifest, writes the repository's address into
#       the manifests, and the licences for the wheel
#   tools/release.sh archives
#       packs the command line and the C library for this machine into target/archives, with their
#       licences
#   tools/release.sh publish [INDEX]
#       publishes the packages whose version crates.io does not have yet, so it can be run again
#       (INDEX is another sparse index to look in)
#
# Without the address, the relative links of the README would lead nowhere on the registries' pages.
set -euo pipefail
. "$(dirname "$0")/common.sh"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

prepare() { # URL TAG
  local others
  [ "$2" = "v$version" ] || fail "the tag $2 is not v$version"
  # The dependencies between the packages, and the wheel's version, which is outside the workspace.
  others=$(grep -HoE '^version = "[^"]*"|path = "[^"]*", version = "=?[^"]*"' crates/*/Cargo.toml |
    grep -vE "version = \"=?${version//./\\.}\"" || true)
  [ -z "$others" ] || fail "not $version: $others"
  set_line 'license(\.workspace)?' repository "\"$1\"" Cargo.toml crates/*/Cargo.toml
  set_line dynamic urls \
    "{ Repository = \"$1\", Changelog = \"$1/blob/v$version/CHANGELOG.md\" }" \
    crates/python/pyproject.toml
  python3 tools/notices.py python crates/python/licences
}

# Sets a key of manifests, in the line after that of another.
set_line() { # AFTER KEY VALUE MANIFEST...
  local after=$1 key=$2 value=$3 manifest
  shift 3
  for manifest in "$@"; do
    sed -i.bak -E "/^$key = /d
/^$after = /a\\
$key = $value
" "$manifest"
    rm "$manifest.bak"
  done
}

publish() { # INDEX
  local index=$1 names name answer status pending=()
  answer=$(mktemp)
  names=$(cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
print(*(p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] != []))')
  for name in $names; do
    status=$(curl -sS -o "$answer" -w '%{http_code}' "$index/${name:0:2}/${name:2:2}/$name")
    case $status in
      200) ! grep -qF "\"vers\":\"$version\"" "$answer" || continue ;;
      404) ;;
      *) fail "$index answers $status for $name" ;;
    esac
    pending+=(-p "$name")
  done
  rm "$answer"
  echo "to be published: ${pending[*]:-nothing}"
  # In the order in which they need each other. `prepare` has changed the manifests.
  [ ${#pending[@]} = 0 ] || cargo publish --allow-dirty "${pending[@]}"
}

archives() {
  local platform what folder name
  platform=$(rustc -vV | sed -n 's/^host: //p')
  rm -rf "$target/archives"
  for what in command-line c; do
    name=setwise-$what-$version-$platform
    folder=$target/archives/$name
    mkdir -p "$folder"
    if [ $what = command-line ]; then
      cargo build --quiet --release --locked -p setwise-cli
      cp "$target"/release/setwise{,.exe} "$folder" 2> /dev/null || true
      "$folder/setwise" probe > /dev/null
      python3 tools/notices.py $what "$folder"
    else
      case $platform in
        *-linux-*) tools/capi-install.sh "$folder" ;;
        *)
          cargo cinstall --quiet --release --locked -p setwise-capi --prefix "$folder"
          python3 tools/notices.py $what "$folder/share/doc/setwise" ;;
      esac
      [ -f "$folder/include/setwise.h" ] || fail "no C library in $folder"
    fi
    tar -czf "$folder.tar.gz" -C "$target/archives" "$name"
    rm -r "$folder"
  done
  ls -l "$target/archives"
}

case ${1:-} in
  prepare) [ $# = 3 ] || usage "prepare URL TAG"; prepare "$2" "$3" ;;
  archives) archives ;;
  publish) publish "${2:-https://index.crates.io}" ;;
  *) usage "prepare URL TAG, archives, or publish [INDEX]" ;;
esac
