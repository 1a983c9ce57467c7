#!/usr/bin/env bash
# The static size of the library's code and tables with each feature: a stripped program that calls the active kernel,
# and so contains them all and their choice, minus one without the library.
#
#   tools/size.sh           prints a table: bytes for each set of features
#   tools/size.sh 400000    and exits 1 if the default features need more
set -eu
cd "$(dirname "$0")/.."
limit=${1:-}
folder=${CARGO_TARGET_DIR:-$PWD/target}/size
mkdir -p "$folder/src"
cat > "$folder/Cargo.toml" <<TOML
[package]
name = "size"
edition = "2024"
[features]
std = ["dep:setwise", "setwise/std"]
switch = ["std", "setwise/switch"]
lookup = ["std", "setwise/lookup"]
avx512bw = ["std", "setwise/avx512bw"]
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
size_with() {
    cargo build --quiet --release --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target" --features "$1" &&
        stat -c %s "$folder/target/release/size"
}
# Each in an assignment of its own: there, and not in arithmetic, a failed build ends the script.
empty=$(size_with "")
default=$(size_with std)
switch=$(size_with switch)
lookup=$(size_with lookup)
avx512bw=$(size_with avx512bw)
default=$((default - empty))
printf '%-24s %9s\n' features bytes default "$default" \
    'default, avx512bw' $((avx512bw - empty)) 'default, switch' $((switch - empty)) 'default, lookup' $((lookup - empty))
if [ -n "$limit" ] && [ "$default" -gt "$limit" ]; then
    echo "error: more than $limit bytes with the default features" >&2
    exit 1
fi
