#!/usr/bin/env bash
# Builds the page into crates/web/dist, which any static server can serve.
#
#   tools/web-build.sh && python3 -m http.server -d crates/web/dist
#
# Needs the target wasm32-unknown-unknown (from rustup), and npm for the chess board. Exit code: 0
# done, 1 it does not compile, 3 a requirement is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd crates/web
wasm=wasm32-unknown-unknown
folder=${CARGO_TARGET_DIR:-$PWD/target}
unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CARGO_TARGET_DIR

command -v cargo rustc npm > /dev/null || cannot "needs cargo, rustc and npm"
has_target $wasm || cannot "rustup cannot install the target $wasm"
board=node_modules/cm-chessboard
version=$(sed -n 's/.*"cm-chessboard": "\(.*\)".*/\1/p' package.json)
if ! grep -q "\"version\": \"$version\"" "$board/package.json" 2> /dev/null; then
  npm ci --omit=dev --no-audit --no-fund --loglevel=error >&2 ||
    cannot "npm cannot install cm-chessboard"
fi

module() { # NAME FLAGS
  RUSTFLAGS="$2" cargo build -q --locked --release --lib --target $wasm --target-dir "$folder/$1"
}
module plain ""
module simd128 "-Ctarget-feature=+simd128"
RUSTFLAGS= cargo build -q --locked --release --features native --target-dir "$folder/native"

# The old page stays until the new one is complete.
new=dist.new
rm -rf "$new"
mkdir -p "$new/cm-chessboard/assets/pieces"
trap 'rm -rf "$new"' EXIT
cp page/* "$new"
for name in plain simd128; do
  cp "$folder/$name/$wasm/release/setwise_web.wasm" "$new/$name.wasm"
done
"$folder/native/release/native" games > "$new/games.json"
# Copies only the files of the chess board that the page loads.
(cd "$board" && cp --parents LICENSE src/Chessboard.js src/{lib,model,view}/*.js \
  src/extensions/accessibility/*.js assets/chessboard.css assets/pieces/standard.svg \
  "$OLDPWD/$new/cm-chessboard")
sed -i '/sourceMappingURL/d' "$new/cm-chessboard/assets/chessboard.css"
{
  printf 'The chess board is cm-chessboard %s (%s), under this licence:\n\n' "$version" \
    https://github.com/shaack/cm-chessboard
  cat "$board/LICENSE"
  printf '\n\nFrom the header of the pieces, cm-chessboard/assets/pieces/standard.svg:\n'
  sed -n '/<!--/,/-->/{//!p}' "$board/assets/pieces/standard.svg"
  printf '\n\nThe page and setwise are under MIT OR Apache-2.0, at your option. MIT:\n\n'
  cat ../../LICENSE-MIT
} > "$new/licences.txt"
# The page's files and a checksum of them, for the service worker.
{
  files=$(cd "$new" && find . -type f ! -name offline.js | LC_ALL=C sort)
  echo "// $(cd "$new" && sha256sum $files | sha256sum | cut -c1-16)"
  printf 'const FILES = [%s];\n' "$(printf "'%s', " ./ $files)"
  cat page/offline.js
} > "$new/offline.js"
rm -rf dist
mv "$new" dist
bytes=$(du -sb --apparent-size dist | cut -f1)
echo "crates/web/dist: $bytes bytes, $(find dist -type f | wc -l) files" >&2
