#!/usr/bin/env bash
# test: builds the page and tests it in a real browser, against the crate on this CPU.
#
# Needs what tools/web-build.sh needs, Node 20 and chromium ($CHROMIUM, or in PATH, or from apt-get where this is root on Debian).
# Screenshots are left in crates/web/target/screens. Exit code 1: a test failed, 3: something it needs cannot be had here.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../crates/web"
cannot() { echo "tools/web-test.sh: $*" >&2; exit 3; }

../../tools/web-build.sh
folder=${CARGO_TARGET_DIR:-$PWD/target}
command -v node >/dev/null || cannot "needs node in PATH"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 20 ] || cannot "needs Node 20, this is $(node --version)"
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund --loglevel=error >&2 || cannot "npm cannot install playwright-core"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$CHROMIUM" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "tools/web-test.sh: installing chromium by apt-get" >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null || cannot "apt-get cannot install chromium"
  CHROMIUM=$(command -v chromium || true)
fi
[ -x "$CHROMIUM" ] || cannot "there is no chromium: set CHROMIUM to the program"
export CHROMIUM

(unset CARGO_TARGET_DIR; RUSTFLAGS= cargo test -q --locked --release --features native --target-dir "$folder/native") || exit 1
mkdir -p target/screens
NATIVE=$folder/native/release/native node --test --test-reporter=spec tests/page.test.mjs || exit 1
