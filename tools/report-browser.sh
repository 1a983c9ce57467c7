#!/usr/bin/env bash
# Generates reports from saved runs and checks them in a headless browser with report-browser.mjs.
#
#   tools/report-browser.sh [FOLDER for screenshots]
#
# Needs node, npm and Chromium (Debian's, or CHROMIUM=path).
# Exit code: 0 fine, 1 problems, 3 no browser.
set -euo pipefail
cd "$(dirname "$0")/.."
work=${CARGO_TARGET_DIR:-target}/browser
mkdir -p "$work"
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$chromium" ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  { apt-get update && apt-get install -y chromium; } > "$work/apt.log" 2>&1 || true
  chromium=$(command -v chromium || true)
fi
[ -n "$chromium" ] || { echo "no Chromium" >&2; exit 3; }
if [ ! -d "$work/node_modules/playwright-core" ]; then
  command -v npm > /dev/null || { echo "no npm" >&2; exit 3; }
  npm install --silent --no-audit --no-fund --prefix "$work" playwright-core@1 \
    > "$work/npm.log" 2>&1 || { echo "cannot install playwright-core" >&2; exit 3; }
fi
export CHROMIUM=$chromium BROWSER_MODULES=$work
runs=(crates/measure/tests/run.json docs/runs/*.json)
compare() { cargo run --quiet --release -- bench --compare "$@" > "$work/text.txt"; }
compare "${runs[0]}" --html "$work/one.html"
compare "${runs[@]}" --html "$work/two.html"
for page in one two; do
  bytes=$(wc -c < "$work/$page.html")
  [ "$bytes" -lt 1500000 ] || { echo "$page.html has $bytes bytes, over 1.5 MB" >&2; exit 1; }
  node tools/report-browser.mjs "$work/$page.html" ${1:+"$1"}
done
