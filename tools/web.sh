#!/usr/bin/env bash
# Builds the page of crates/web and tests it in Chromium.
#
#   tools/web.sh build && python3 -m http.server -d crates/web/dist
#   tools/web.sh test                  builds, tests the page against the oracle of crates/check,
#                                      and copies it into the documentation, as `play`
#   tools/web.sh race [OPERATION...]   builds, and times the kernels in the browser
#   tools/web.sh report                checks reports of the benchmark, made from saved runs, with
#                                      report-browser.mjs
#
# Needs the target wasm32-unknown-unknown (from rustup), Node 20 with npm, and Chromium (from
# CHROMIUM=path or PATH, else installed by tools/install.sh). Screenshots of `test` are left in
# crates/web/target/screens.
#
# Exit code: 0 done, 1 a build or a test failed, 2 bad usage, 3 a requirement is missing.
set -euo pipefail
command=${1:-}
shift || true
. "$(dirname "$0")/common.sh"
lints=$(lints)
reports=$target/browser
pages=$target/doc/play
wasm=wasm32-unknown-unknown

# Sets and exports CHROMIUM, and installs the packages of package-lock.json.
browser() {
  command -v node > /dev/null || cannot "needs Node 20"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
    cannot "needs Node 20, this is $(node --version)"
  CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
  if [ -z "$CHROMIUM" ]; then
    tools/install.sh chromium || cannot "there is no Chromium: set CHROMIUM to its path"
    CHROMIUM=$(command -v chromium)
  fi
  [ -x "$CHROMIUM" ] || cannot "$CHROMIUM is not a program"
  export CHROMIUM
  packages
}

# Installs the chess board and playwright-core from package-lock.json.
packages() {
  command -v npm > /dev/null || cannot "needs npm"
  cmp -s crates/web/package-lock.json crates/web/node_modules/installed.json && return
  (cd crates/web && npm ci --no-audit --no-fund --loglevel=error >&2 &&
    cp package-lock.json node_modules/installed.json) || cannot "npm cannot install the packages"
}

build() {
  has_target $wasm || cannot "rustup cannot install the target $wasm"
  packages
  cd crates/web
  folder=${CARGO_TARGET_DIR:-$PWD/target}
  unset CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET CARGO_TARGET_DIR
  module plain ""
  module simd128 "-Ctarget-feature=+simd128"
  export RUSTFLAGS=
  # With the feature that the tests need, so that they do not compile the library again.
  native=(--release --locked --features native,setwise/techniques --target-dir "$folder/native")
  cargo build -q "${native[@]}"

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
  board=node_modules/cm-chessboard
  (cd "$board" && cp --parents LICENSE src/Chessboard.js src/{lib,model,view}/*.js \
    src/extensions/accessibility/*.js assets/chessboard.css assets/pieces/standard.svg \
    "$OLDPWD/$new/cm-chessboard")
  sed -i '/sourceMappingURL/d' "$new/cm-chessboard/assets/chessboard.css"
  {
    printf 'The chess board is cm-chessboard %s (%s), under this licence:\n\n' \
      "$(sed -n 's/.*"cm-chessboard": "\(.*\)".*/\1/p' package.json)" \
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
}

module() { # NAME FLAGS
  RUSTFLAGS="$2" cargo build -q --locked --release --lib --target $wasm --target-dir "$folder/$1"
}

check() {
  browser
  build
  cargo test -q "${native[@]}"
  mkdir -p target/screens
  NATIVE=$folder/native/release/native \
    node --test --test-reporter=spec tests/page.test.mjs || exit 1
  rm -rf "$pages"
  mkdir -p "$(dirname "$pages")"
  cp -r dist "$pages"
  # shellcheck disable=SC2086 # several options
  cargo clippy -q "${native[@]}" -- $lints -D warnings
  # shellcheck disable=SC2086
  cargo clippy -q --locked --release --lib --target $wasm --target-dir "$folder/plain" -- $lints \
    -D warnings
}

report() {
  browser
  mkdir -p "$reports"
  runs=(crates/measure/tests/run.json docs/runs/*.json)
  compare() { cargo run --quiet --release -- bench --compare "$@" > "$reports/text.txt"; }
  compare "${runs[0]}" --html "$reports/one.html"
  compare "${runs[@]}" --html "$reports/two.html"
  for page in one two; do
    bytes=$(wc -c < "$reports/$page.html")
    [ "$bytes" -lt 1500000 ] || fail "$page.html has $bytes bytes, over 1.5 MB"
    BROWSER_MODULES=crates/web node tools/report-browser.mjs "$reports/$page.html"
  done
}

case $command in
  build) build ;;
  test) check ;;
  race) browser; build; exec node tests/race.mjs "$@" ;;
  report) report ;;
  *) usage "the command is build, test, race or report" ;;
esac
