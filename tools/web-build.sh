#!/usr/bin/env bash
# build: makes the page in crates/web/dist, to be opened from any static server.
#
#   tools/web-build.sh && python3 -m http.server -d crates/web/dist
#
# Needs cargo with the target wasm32-unknown-unknown (asked of rustup where it is missing, else built by tools/emulate/setup.sh), and npm for the chess board.
# Exit code 3: something of that cannot be had here.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../crates/web"
cannot() { echo "tools/web-build.sh: $*" >&2; exit 3; }
target=wasm32-unknown-unknown
folder=${CARGO_TARGET_DIR:-$PWD/target}
unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CARGO_TARGET_DIR

command -v cargo rustc npm >/dev/null || cannot "needs cargo, rustc and npm in PATH"
there() { [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; }
# Another compiler gets another folder, so that neither makes the other compile anew.
wasm=("$folder") lab=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}
if ! there && ! { command -v rustup >/dev/null && rustup target add "$target" >&2 && there; }; then
  echo "tools/web-build.sh: rustup cannot give the target $target; the lab's compiler builds it" >&2
  ../../tools/emulate/setup.sh "$lab" rustc "std-$target" || cannot "neither rustup nor the lab can give the target $target"
  wasm=("$folder/lab" RUSTC="$lab/bin/rustc" CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22)
fi
board=node_modules/cm-chessboard
version() { sed -n 's/.*"cm-chessboard": "\(.*\)".*/\1/p' package.json; }
if ! grep -q "\"version\": \"$(version)\"" "$board/package.json" 2>/dev/null; then
  npm ci --omit=dev --no-audit --no-fund --loglevel=error >&2 || cannot "npm cannot install cm-chessboard"
fi

module() { # NAME FLAGS
  env "${wasm[@]:1}" RUSTFLAGS="$2" cargo build -q --locked --release --lib --target "$target" --target-dir "${wasm[0]}/$1"
}
module plain ""
module simd128 "-Ctarget-feature=+simd128"
RUSTFLAGS= cargo build -q --locked --release --features native --target-dir "$folder/native"

# Made whole, then put in place.
new=dist.new; rm -rf "$new"; mkdir -p "$new/cm-chessboard/assets/pieces"
trap 'rm -rf "$new"' EXIT
cp page/* "$new"
for name in plain simd128; do cp "${wasm[0]}/$name/$target/release/setwise_web.wasm" "$new/$name.wasm"; done
"$folder/native/release/native" games > "$new/games.json"
# Of the board only what the page loads.
(cd "$board" && cp --parents LICENSE src/Chessboard.js src/lib/*.js src/model/*.js src/view/*.js src/extensions/accessibility/*.js \
  assets/chessboard.css assets/pieces/standard.svg "$OLDPWD/$new/cm-chessboard")
sed -i '/sourceMappingURL/d' "$new/cm-chessboard/assets/chessboard.css"
{
  printf 'The chess board is cm-chessboard %s (https://github.com/shaack/cm-chessboard), under this licence:\n\n' "$(version)"
  cat "$board/LICENSE"
  printf '\n\nThe pieces, cm-chessboard/assets/pieces/standard.svg, say of themselves:\n'
  sed -n '/<!--/,/-->/{//!p}' "$board/assets/pieces/standard.svg"
  printf '\n\nThe page and setwise are under MIT OR Apache-2.0, at your option. MIT:\n\n'
  cat ../../LICENSE-MIT
} > "$new/licences.txt"
rm -rf dist; mv "$new" dist
echo "crates/web/dist: $(du -sb --apparent-size dist | cut -f1) bytes, $(find dist -type f | wc -l) files" >&2
