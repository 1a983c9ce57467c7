#!/usr/bin/env bash
# Builds the page and tests it in a real browser, against the oracle of crates/check. Then copies
# the page into the documentation, as `play`, to be published with it.
#
#   tools/web-test.sh                        build and test
#   tools/web-test.sh --race [OPERATION...]  build, and time the kernels in the browser instead
#
# Needs the requirements of tools/web-build.sh, Node 20 and Chromium (from CHROMIUM=path or PATH,
# else installed by tools/install.sh). Screenshots are left in crates/web/target/screens.
#
# Exit code: 0 all tests passed, 1 a test failed, 2 bad usage, 3 a requirement is missing.
set -euo pipefail
. "$(dirname "$0")/common.sh"
[ $# = 0 ] || [ "$1" = --race ] || {
  echo "web-test.sh: usage: tools/web-test.sh [--race [OPERATION...]]" >&2
  exit 2
}
tools/web-build.sh
command -v node > /dev/null || cannot "needs Node 20"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] ||
  cannot "needs Node 20, this is $(node --version)"
find_chromium
pages=$target/doc/play
cd crates/web
folder=${CARGO_TARGET_DIR:-$PWD/target}
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund --loglevel=error >&2 ||
  cannot "npm cannot install playwright-core"

[ $# = 0 ] || exec node tests/race.mjs "${@:2}"

unset CARGO_TARGET_DIR
export RUSTFLAGS=
native=(--locked --features native --target-dir "$folder/native")
cargo test -q --release "${native[@]}"
mkdir -p target/screens
NATIVE=$folder/native/release/native \
  node --test --test-reporter=spec tests/page.test.mjs || exit 1

rm -rf "$pages"
mkdir -p "$(dirname "$pages")"
cp -r dist "$pages"

cargo clippy -q --release "${native[@]}" -- -D warnings
cargo clippy -q --locked --release --lib --target wasm32-unknown-unknown \
  --target-dir "$folder/plain" -- -D warnings
