#!/usr/bin/env bash
# Checks every position's win, draw or loss against the Syzygy tables of three and four men.
# They are taken from the source distribution of the Python package `chess`, which is under the GPL: it is downloaded to
# the build folder for this test only, and nothing of it is ever part of this package.
# Usage: tools/check-syzygy.sh [FOLDER with *.rtbw files]
set -eu
cd "$(dirname "$0")/../crates/endgame"
folder=${1:-}
if [ -z "$folder" ]; then
    download=${CARGO_TARGET_DIR:-../../target}/syzygy
    mkdir -p "$download"
    [ -e "$download/chess-1.11.2.tar.gz" ] ||
        python3 -m pip download chess==1.11.2 --no-binary :all: --no-deps --dest "$download"
    tar -xzf "$download/chess-1.11.2.tar.gz" -C "$download" chess-1.11.2/data/syzygy/regular
    folder=$download/chess-1.11.2/data/syzygy/regular
fi
# The test runs in the package's folder, wherever that is: an absolute path is safe.
SETWISE_SYZYGY=$(cd "$folder" && pwd) \
    cargo test --release --test syzygy -- --ignored --nocapture
