#!/usr/bin/env bash
# The engine's tests, and that `bench` visits the same nodes under every kernel of this machine, by look-ups, and, where the lab is installed
# (`tools/emulate/run.py --setup`), on three CPUs that it emulates: one program for all.
#
# Exit code: 0 all is well, 1 something differs.
set -euo pipefail
cd "$(dirname "$0")/../examples/engine"
target=$(realpath -m "${CARGO_TARGET_DIR:-../../target}/engine")
cargo test --quiet --target-dir "$target"
cargo build --quiet --release --features magic-eval --target-dir "$target/magic"
cargo build --quiet --release --target-dir "$target"
engine=$target/release/setwise-engine
signature() { "$@" bench 5 | grep -E '^(nodes|signature)'; }
expected=$(signature "$target/magic/release/setwise-engine")
echo "look-ups: $expected" | tr '\n' ' '; echo
tried=0
for kernel in avx512 avx2-gfni avx2 neon xop sse2 portable scalar ssse3 xop-emulated borrow kogge-stone dumb7fill hyperbola; do
    told=$(SETWISE_FORCE_KERNEL=$kernel "$engine" <<< $'uci\nquit')
    grep -q "($kernel)" <<< "$told" || { echo "skipped: $kernel cannot run here"; continue; }
    got=$(SETWISE_FORCE_KERNEL=$kernel signature "$engine")
    [ "$got" = "$expected" ] || { echo "error: $kernel: $got"; exit 1; }
    echo "$kernel: the same nodes"
    tried=$((tried + 1))
done
[ "$tried" -ge 3 ] || { echo "error: only $tried kernels were tried"; exit 1; }

case $(uname -m) in x86_64) ;; *) exit 0 ;; esac
lab=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}
if ! [ -d "$lab/bochs" ] || ! command -v qemu-x86_64 > /dev/null; then
    echo "skipped: emulated CPUs: the lab is not installed"
    exit 0
fi
# The emulators want a static program.
RUSTFLAGS="${RUSTFLAGS:-} -Ctarget-feature=+crt-static -Crelocation-model=static" \
    cargo build --quiet --release --target x86_64-unknown-linux-gnu --target-dir "$target/static"
engine=$target/static/x86_64-unknown-linux-gnu/release/setwise-engine
while read -r kernel emulator; do
    # Without a depth that takes minutes there.
    told=$($emulator "$engine" bench 5 < /dev/null | tr -d '\r')
    got=$(grep -E '^(nodes|signature)' <<< "$told") || { echo "error: $emulator: $told"; exit 1; }
    [ "$got" = "$expected" ] || { echo "error: $emulator: $got"; exit 1; }
    grep -q "^kernel $kernel\$" <<< "$told" || { echo "error: $emulator: not $kernel: $told"; exit 1; }
    echo "$emulator ($kernel): the same nodes"
done << CPUS
sse2 qemu-x86_64 -cpu core2duo
avx2 ../../tools/emulate/bochs.sh --dir $lab corei7_haswell_4770
avx512 ../../tools/emulate/bochs.sh --dir $lab corei7_icelake_u
CPUS
