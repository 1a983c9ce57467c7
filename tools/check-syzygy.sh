#!/usr/bin/env bash
# Compares the win, draw or loss of every position of every ending with the three- and four-man
# Syzygy tables: 476 million positions, two to six minutes.
#
#   tools/check-syzygy.sh [FOLDER]    FOLDER contains *.rtbw files
#
# Without FOLDER, the tables come from the source distribution of the Python package `chess`. That
# package is GPL-licensed. It is downloaded to the build folder only for this check, and no part of
# it is included in this project.
#
# Exit code: 0 all results are equal, 1 a result differs, 3 the tables cannot be downloaded.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=${1:-}
if [ -z "$folder" ]; then
    download=$target/syzygy
    mkdir -p "$download"
    [ -e "$download/chess-1.11.2.tar.gz" ] ||
        python3 -m pip download chess==1.11.2 --no-binary :all: --no-deps --dest "$download" ||
        { echo "skipped: pip cannot download the Syzygy tables"; exit 3; }
    tar -xzf "$download/chess-1.11.2.tar.gz" -C "$download" chess-1.11.2/data/syzygy/regular
    folder=$download/chess-1.11.2/data/syzygy/regular
fi
cargo run --release --manifest-path crates/endgame/peers/Cargo.toml \
    --target-dir "$target/peers" -- "$folder" || exit 1
