#!/usr/bin/env bash
# Measures how many bytes the library adds to a stripped program. The program calls the active
# kernel, so it contains all kernels and their dispatch. Its size is compared with that of a
# program without the library.
#
#   tools/size.sh           prints a table: bytes for each set of features
#   tools/size.sh BYTES     only the default features: exits with 1 if they add more than BYTES
set -euo pipefail
. "$(dirname "$0")/common.sh"
limit=${1:-}
folder=$target/size
mkdir -p "$folder/src"
cat > "$folder/Cargo.toml" <<TOML
[package]
name = "size"
edition = "2024"
[features]
std = ["dep:setwise", "setwise/std"]
techniques = ["std", "setwise/techniques"]
lookup = ["std", "setwise/lookup"]
[dependencies]
setwise = { path = "$PWD", default-features = false, optional = true }
[profile.release]
strip = true
[workspace]
TOML
cat > "$folder/src/main.rs" <<'RUST'
fn main() {
    let arguments = std::env::args().count() as u64;
    println!("{arguments}");
    #[cfg(feature = "std")]
    {
        let (boards, mut attacks) = ([arguments; 9], [0; 9]);
        setwise::slider_attacks(&boards, &boards, &boards, &mut attacks);
        println!("{}", attacks[8]);
    }
}
RUST
size_with() { # FEATURE
  cargo build --quiet --release --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target" \
    --features "$1" && stat -c %s "$folder/target/release/size"
}
row() { printf '%-24s %9s\n' "$@"; }
# Separate assignments, because a failed build inside an arithmetic expression does not end the
# script.
empty=$(size_with "")
default=$(size_with std)
default=$((default - empty))
row features bytes default "$default"
if [ -n "$limit" ]; then
  [ "$default" -le "$limit" ] || fail "more than $limit bytes"
  exit
fi
for feature in techniques lookup; do
  bytes=$(size_with $feature)
  row "default, $feature" $((bytes - empty))
done
export SETWISE_KERNELS=avx512-gfni,avx2
bytes=$(size_with std)
row "only $SETWISE_KERNELS" $((bytes - empty))
