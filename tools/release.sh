#!/usr/bin/env bash
# The steps of .github/workflows/release.yml that are more than a command.
#
#   tools/release.sh prepare URL TAG
#       checks that TAG is v and the version, writes the repository's address into the manifests,
#       and the licences for the wheel
#   tools/release.sh archives
#       packs the command line and the C library for this machine into target/archives, with their
#       licences
#
# Without the address, the relative links of the README would lead nowhere on the registries' pages.
set -euo pipefail
. "$(dirname "$0")/common.sh"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

prepare() { # URL TAG
  local manifest
  [ "$2" = "v$version" ] || fail "the tag $2 is not v$version"
  for manifest in Cargo.toml crates/*/Cargo.toml; do
    sed -i.bak -E "/^license(\.workspace)? = /a\\
repository = \"$1\"
" "$manifest"
    rm "$manifest.bak"
  done
  printf '\n[project.urls]\nRepository = "%s"\nChangelog = "%s/blob/v%s/CHANGELOG.md"\n' \
    "$1" "$1" "$version" >> crates/python/pyproject.toml
  python3 tools/notices.py python crates/python/licences
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
  *) usage "prepare URL TAG, or archives" ;;
esac
