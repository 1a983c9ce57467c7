# Sourced by the scripts in this folder. Changes to the repository's root and sets
#   target      cargo's target folder
#   emulators   where tools/emulate/setup.sh installs
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-target}
[[ $target == /* ]] || target=$PWD/$target
emulators=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}

# Exits with 3, "not possible on this machine". The last line printed is the reason.
cannot() {
  echo "${0##*/}: $*" >&2
  exit 3
}

fail() {
  echo "${0##*/}: error: $*" >&2
  exit 1
}

usage() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# Lists the manifests of all workspaces.
workspaces() { git grep -l '^\[workspace\]' -- '*Cargo.toml'; }

# Prints the options of Clippy for the lints in Cargo.toml, which only packages of that workspace
# inherit. Call it in the repository's root.
lints() {
  sed -nE '/^\[workspace\.lints\.rust\]/,/^$/ s/^([a-z_]+) = .*"(allow|warn|deny)".*/--\2 \1/p
    /^\[workspace\.lints\.clippy\]/,/^$/ s/^([a-z_]+) = .*"(allow|warn|deny)".*/--\2 clippy::\1/p' \
    Cargo.toml
}

# Whether a workspace's dependencies can be fetched. Fails if its lock file is out of date.
can_fetch() { # MANIFEST
  local error
  error=$(cargo fetch --quiet --locked --manifest-path "$1" 2>&1) && return
  echo "$error" >&2
  [[ $error != *"lock file"* ]] || fail "the lock file beside $1 is out of date"
  return 1
}

# Whether the machine's own compiler has a standard library for a target. Installs it with rustup if
# possible.
has_target() { # TARGET
  local folder
  folder=$(rustc --print sysroot)/lib/rustlib/$1/lib
  [ -d "$folder" ] || ! command -v rustup > /dev/null || rustup target add "$1" >&2 || true
  [ -d "$folder" ]
}

has_nightly() { rustup toolchain list 2> /dev/null | grep -q ^nightly; }
