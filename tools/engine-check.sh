#!/usr/bin/env bash
# Tests the example engine. Its `bench` must visit the same nodes with magic look-ups and with every
# compiled kernel that this machine runs.
#
#   tools/engine-check.sh [--long]
#
# --long: also on three emulated CPUs, if the emulators are installed (`tools/emulate/run.py
# --setup`).
#
# Exit code: 0 all equal, 1 a node count or signature differs.
set -euo pipefail
cd "$(dirname "$0")/../examples/engine"
target=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/engine")
cargo test --quiet --target-dir "$target"
# In one folder, so that the library is compiled once.
engine=$target/release/setwise-engine
look_ups=$target/release/setwise-engine-look-ups
cargo build --quiet --release --features magic-eval --target-dir "$target"
cp "$engine" "$look_ups"
cargo build --quiet --release --target-dir "$target"
grep -q '^kernel look-ups$' <<< "$("$look_ups" bench 1)" || { echo "error: not the look-ups"; exit 1; }
signature() { "$@" bench 5 | grep -E '^(nodes|signature)'; }
expected=$(signature "$look_ups")
echo "look-ups: $expected" | tr '\n' ' '; echo
tried=0
for kernel in avx512-gfni avx512 avx2-gfni avx2 neon xop sse2 portable scalar ssse3 xop-emulated \
    borrow kogge-stone dumb7fill hyperbola; do
    id=$(SETWISE_FORCE_KERNEL=$kernel "$engine" <<< $'uci\nquit')
    grep -q "($kernel)" <<< "$id" || { echo "skipped: $kernel is not compiled or cannot run here"; continue; }
    got=$(SETWISE_FORCE_KERNEL=$kernel signature "$engine")
    [ "$got" = "$expected" ] || { echo "error: $kernel: $got"; exit 1; }
    echo "$kernel: the same nodes"
    tried=$((tried + 1))
done
[ "$tried" -ge 3 ] || { echo "error: only $tried kernels ran, must be at least 3"; exit 1; }

[ "${1:-}" = --long ] || exit 0
case $(uname -m) in x86_64) ;; *) exit 0 ;; esac
emulators=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}
if ! [ -d "$emulators/bochs" ] || ! command -v qemu-x86_64 > /dev/null; then
    echo "skipped: emulated CPUs: the emulators are not installed"
    exit 0
fi
# The emulators need a statically linked program.
RUSTFLAGS="${RUSTFLAGS:-} -Ctarget-feature=+crt-static -Crelocation-model=static" \
    cargo build --quiet --release --target x86_64-unknown-linux-gnu --target-dir "$target/static"
engine=$target/static/x86_64-unknown-linux-gnu/release/setwise-engine
while read -r kernel emulator; do
    output=$($emulator "$engine" bench 5 < /dev/null | tr -d '\r')
    got=$(grep -E '^(nodes|signature)' <<< "$output") ||
        { echo "error: $emulator: $output"; exit 1; }
    [ "$got" = "$expected" ] || { echo "error: $emulator: $got"; exit 1; }
    grep -q "^kernel $kernel\$" <<< "$output" ||
        { echo "error: $emulator: the kernel must be $kernel: $output"; exit 1; }
    echo "$emulator ($kernel): the same nodes"
done << CPUS
sse2 qemu-x86_64 -cpu core2duo
avx2 ../../tools/emulate/bochs.sh --dir $emulators corei7_haswell_4770
avx512-gfni ../../tools/emulate/bochs.sh --dir $emulators corei7_icelake_u
CPUS
