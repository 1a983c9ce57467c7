#!/usr/bin/env bash
# Makes a report by a short run and opens it in a headless browser, by report-browser.mjs: light and dark, telephone and desk.
#
#   tools/report-browser.sh [FOLDER for screenshots]
#
# Needs node, npm and Chromium (Debian's, or CHROMIUM=path). Exit code: 0 fine, 1 not, 3 no browser can be had here.
set -euo pipefail
cd "$(dirname "$0")/.."
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update && apt-get install -y chromium; } > target/browser.log 2>&1 || true
  chromium=$(command -v chromium || true)
fi
[ -n "$chromium" ] || { echo "no Chromium here" >&2; exit 3; }
modules=${CARGO_TARGET_DIR:-target}/browser
mkdir -p "$modules"
if [ ! -d "$modules/node_modules/playwright-core" ]; then
  command -v npm > /dev/null || { echo "no npm here" >&2; exit 3; }
  npm install --silent --no-audit --no-fund --prefix "$modules" playwright-core@1 > "$modules/npm.log" 2>&1 || { echo "playwright-core cannot be installed" >&2; exit 3; }
fi
export CHROMIUM=$chromium BROWSER_MODULES=$modules
cargo run --quiet --release -- bench --quick --seconds 3 --techniques --threads 2 --json --html "$modules/one.html" > "$modules/one.json"
cargo run --quiet --release -- bench --quick --seconds 3 --json > "$modules/other.json"
cargo run --quiet --release -- bench --compare "$modules/one.json" "$modules/other.json" --html "$modules/two.html" > /dev/null
for page in one two; do
  [ "$(wc -c < "$modules/$page.html")" -lt 1500000 ] || { echo "$page.html is over 1.5 MB" >&2; exit 1; }
  node tools/report-browser.mjs "$modules/$page.html" ${1:+"$1"}
done
