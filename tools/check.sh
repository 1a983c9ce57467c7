#!/usr/bin/env bash
# Checks that are a few commands each.
#
#   tools/check.sh CHECK [ARGUMENT...]
#
# CHECK is format, oldest-rust, features, bare-targets, other-targets, size, deny,
# package, syzygy, miri, sanitize or generate. A comment above each function says what it
# does. Exit code: 0 all right, 1 not, 2 bad usage, 3 not possible on this machine. A line
# "skipped: ..." names a part that was left out.
set -euo pipefail
check=${1:-}
shift || true
. "$(dirname "$0")/common.sh"

# format [--check]: formats the Rust code of every workspace, or finds what is not formatted.
format() {
  local code=0 manifest
  for manifest in $(workspaces); do
    cargo fmt --all --manifest-path "$manifest" -- "$@" || code=1
  done
  rustfmt --edition 2024 "$@" tools/emulate/*.rs || code=1
  return $code
}

# oldest-rust [--long]: checks the library, or with --long the workspace, with the oldest supported
# toolchain, which rustup installs.
oldest-rust() {
  local oldest
  oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -1)
  rustup toolchain install "$oldest" --profile minimal > /dev/null 2>&1 ||
    cannot "rustup cannot install Rust $oldest"
  local packages=(-p setwise --features lookup,techniques,serde)
  [ "${1:-}" != --long ] || packages=(--workspace)
  cargo "+$oldest" check "${packages[@]}" --target-dir "$target/oldest-rust"
}

# For checks of what does not change the code of a kernel: they compile in a fraction of the time.
FEW=avx2,sse2,neon,portable

# features: checks the crate with each feature alone, except `std`, the default, which clippy checks
# as well as no feature. Tests it without features and with few kernels. Runs a program without the
# standard library.
features() {
  local features feature
  features=$(cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
packages = json.load(sys.stdin)["packages"]
setwise = next(p for p in packages if p["name"] == "setwise")
print(*sorted(set(setwise["features"]) - {"default", "std"}))')
  for feature in $features; do
    echo "== $feature alone"
    cargo check -p setwise --no-default-features --features "$feature"
  done
  echo "== tests without features"
  # The other tests run in the workspace, with all features. Unoptimised, these and those below take
  # 55 s of CPU time instead of 110.
  export CARGO_PROFILE_TEST_OPT_LEVEL=0
  SETWISE_KERNELS=$FEW cargo check -p setwise --no-default-features --tests
  SETWISE_KERNELS=$FEW SETWISE_TEST_BUDGET=tiny \
    cargo test -p setwise --no-default-features --lib --test runner --test dispatch
  # `cargo test` in the workspace enables all features, because the command line needs them.
  echo "== only chosen kernels"
  local chosen=(-p setwise --no-default-features --features techniques --test runner) output
  export SETWISE_KERNELS=kogge-stone,borrow
  cargo clippy "${chosen[@]}" --lib -- -D warnings
  SETWISE_TEST_BUDGET=tiny cargo test "${chosen[@]}" -- kogge-stone:: |
    grep "^exercised: kogge-stone"
  unset SETWISE_KERNELS
  ! output=$(SETWISE_KERNELS=abacus cargo check -p setwise 2>&1) || fail "abacus is not a kernel"
  grep "no kernel is called .abacus.$" <<< "$output" || fail "another error: $output"
  no-std
}

# no-std: a program without std and without an allocator must link, run, and refer to neither.
# (tools/emulate runs it, with --long with every kernel. tools/capi-test.py checks the symbols of a
# C program with all kernels.)
no-std() {
  local profile program
  case $(rustc -vV | sed -n 's/^host: //p') in
    *-linux-gnu) ;;
    *) echo "skipped: the program without std, which needs Linux with glibc"; return ;;
  esac
  for profile in dev release; do
    SETWISE_KERNELS=$FEW cargo build --manifest-path tests/no_std/Cargo.toml --profile $profile \
      --target-dir "$target/no_std"
    program=$target/no_std/${profile/dev/debug}/setwise-no-std
    "$program" || fail "$program: check $? failed"
    ! nm --demangle "$program" |
      grep -E ' (std::|alloc::|malloc|calloc|__rust_alloc|__rdl_alloc)' ||
      fail "the program refers to std or an allocator"
    echo "$profile: it runs, without std and without an allocator"
  done
}

# bare-targets [--long]: builds the library for a target without a standard library and without
# compare-and-swap. --long: also for two without vector registers.
bare-targets() {
  local folder=$target/bare name options built=0 names=(thumbv6m-none-eabi)
  [ "${1:-}" != --long ] || names+=(x86_64-unknown-none aarch64-unknown-none-softfloat)
  unset RUSTC RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
  export RUSTFLAGS="-D warnings"
  for name in "${names[@]}"; do
    if ! has_target "$name"; then
      echo "skipped: $name: rustup cannot install it"
      continue
    fi
    options=(-q --release -p setwise --no-default-features --target-dir "$folder" --target "$name")
    # With the features that work without std. Without these it is the same code with parts left
    # out, so it is only checked.
    cargo check "${options[@]}"
    cargo build "${options[@]}" --features lookup,techniques
    echo "$name: built"
    built=1
  done
  [ $built = 1 ] || cannot "rustup can install none of the targets"
}

# other-targets [--long]: checks that the library and the C library compile for Windows and macOS,
# where nothing runs here; for macOS also the readers of positions, the loader, the endgame tables
# and the command line, whose code for Windows tools/windows-test.sh runs. --long: also for macOS on
# x86-64 and for Android, and all of them for every target.
other-targets() {
  local names=(x86_64-pc-windows-msvc aarch64-pc-windows-msvc aarch64-apple-darwin)
  local libraries=(-p setwise -p setwise-capi) selected name nothing checked=0
  local others=(-p setwise-positions -p setwise-loader -p setwise-endgame -p setwise-cli)
  [ "${1:-}" != --long ] || names+=(x86_64-apple-darwin aarch64-linux-android)
  unset RUSTC RUSTC_WRAPPER CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_TARGET
  export RUSTFLAGS="-D warnings"
  # Nothing is linked, so the C code of dependencies need not be compiled: this stands for its
  # compiler and its archiver.
  nothing=$target/other-targets/nothing
  mkdir -p "${nothing%/*}"
  cat > "$nothing" <<'SH'
#!/bin/sh
for word; do case $word in [-/]out:*) : > "${word#?out:}" ;; esac; done
SH
  chmod +x "$nothing"
  for name in "${names[@]}"; do
    if ! has_target "$name"; then
      echo "skipped: $name: rustup cannot install it"
      continue
    fi
    selected=("${libraries[@]}")
    case ${1:-}$name in *-apple-* | --long*) selected+=("${others[@]}") ;; esac
    env "CC_${name//-/_}=$nothing" "AR_${name//-/_}=$nothing" \
      cargo check -q --target "$name" --target-dir "$target/other-targets" "${selected[@]}"
    echo "$name: compiles"
    checked=1
  done
  [ $checked = 1 ] || cannot "rustup can install none of the targets"
}

# size BYTES [FEATURE...]: a stripped program that calls the active kernel, so that it contains all
# kernels, may be at most BYTES larger than one without the library. The library has its default
# features and these. Both programs are built with one codegen unit.
size() {
  case ${1-} in
    '' | *[!0-9]*) echo "usage: tools/check.sh size BYTES [FEATURE...]" >&2; exit 2 ;;
  esac
  local folder=$target/size name bytes=()
  for name in without with; do
    mkdir -p "$folder/$name/src"
    cat > "$folder/$name/Cargo.toml" <<TOML
[package]
name = "$name"
edition = "2024"
[dependencies]
setwise = { path = "$PWD", features = [$(printf '"%s",' std "${@:2}")] }
[profile.release]
codegen-units = 1
strip = true
[workspace]
TOML
  done
  cat > "$folder/without/src/main.rs" <<'RUST'
fn main() {
    println!("{}", std::env::args().count());
}
RUST
  cat > "$folder/with/src/main.rs" <<'RUST'
fn main() {
    let arguments = std::env::args().count() as u64;
    println!("{arguments}");
    let (boards, mut attacks) = ([arguments; 9], [0; 9]);
    setwise::slider_attacks(&boards, &boards, &boards, &mut attacks);
    println!("{}", attacks[8]);
}
RUST
  for name in without with; do
    cargo build --quiet --release --manifest-path "$folder/$name/Cargo.toml" \
      --target-dir "$folder/target"
    bytes+=($(stat -c %s "$folder/target/release/$name"))
  done
  echo "$((bytes[1] - bytes[0])) bytes"
  [ $((bytes[1] - bytes[0])) -le "$1" ] || fail "more than $1 bytes"
}

# deny [--install]: checks licences, sources, duplicates and advisories of every workspace's
# dependencies with deny.toml. --install: first installs cargo-deny (two minutes).
deny() {
  local install="cargo install --locked --debug cargo-deny" checks=(licenses bans sources)
  local code=0 manifest output duplicates
  if ! cargo deny --version > /dev/null 2>&1; then
    [ "${1:-}" = --install ] || cannot "needs cargo-deny ($install)"
    $install || cannot "cargo-deny cannot be installed"
  fi
  if cargo deny --config deny.toml fetch db > /dev/null 2>&1; then
    checks+=(advisories)
  else
    echo "skipped: advisories on dependencies, whose database cannot be fetched here"
  fi
  for manifest in $(workspaces | grep -v no_std); do
    if ! can_fetch "$manifest"; then
      echo "skipped: cargo deny of $manifest, whose dependencies cannot be fetched here"
      continue
    fi
    # No workspace uses every licence that deny.toml allows, so don't report unused ones.
    output=$(cargo deny --manifest-path "$manifest" --config deny.toml --workspace --locked check \
      --hide-inclusion-graph --allow license-not-encountered \
      --allow license-exception-not-encountered "${checks[@]}" 2>&1) || code=1
    duplicates=$(grep -c 'warning\[duplicate\]' <<< "$output" || true)
    echo "$manifest: $duplicates duplicates; $(tail -1 <<< "$output")"
    grep -A12 '^error' <<< "$output" || true
  done
  return $code
}

# package [--long]: checks that the packages for a registry contain every file that they need.
# --long: also packs them, compiles them from the packed files alone, and does all that publishing
# them does, except the upload.
package() {
  local packages=(setwise setwise-check setwise-positions setwise-endgame setwise-loader
    setwise-measure setwise-cli) dirty=()
  local package list file folder missing archive size output published
  [ -z "$(git status --porcelain 2> /dev/null)" ] || dirty=(--allow-dirty)
  for package in "${packages[@]}"; do
    list=$(cargo package -q -p "$package" --list "${dirty[@]}")
    # Not every source file is compiled on this machine.
    folder=$(cargo pkgid -p "$package" | sed -E 's/^path.file:|#.*//g')
    missing=$({ printf '%s\n' Cargo.toml LICENSE-MIT LICENSE-APACHE README.md &&
      git -C "$folder" ls-files src kernels data build.rs; } | grep -vxFf <(echo "$list") || true)
    [ -z "$missing" ] || fail "the package $package lacks $missing"
    echo "$package: $(wc -l <<< "$list") files"
  done
  [ "${1:-}" = --long ] || return 0

  folder=$target/package-check
  # Cargo extracts and compiles a package of a local registry only once per version, so remove what
  # is left from earlier packages.
  rm -rf "$folder"/package "$folder"/debug/.fingerprint/setwise* \
    "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/setwise*
  output=$(cargo publish --workspace --dry-run "${dirty[@]}" --target-dir "$folder" 2>&1) ||
    fail "$output"
  published=$(sed -n 's/^ *Uploading \([^ ]*\) .*/\1/p' <<< "$output")
  [ "$(sort <<< "$published")" = "$(printf '%s\n' "${packages[@]}" | sort)" ] ||
    fail "published would be, in this order:" $published
  for archive in "$folder"/package/*.crate; do
    size=$(stat -c %s "$archive")
    echo "$(basename "$archive"): $size bytes"
    [ "$size" -lt 1000000 ] || fail "a package must stay below 1,000,000 bytes"
    # In the packages' folders these are links, which Cargo replaces with the texts.
    for file in LICENSE-MIT LICENSE-APACHE; do
      tar -xOf "$archive" --wildcards "*/$file" | cmp - $file || fail "$archive: $file is not ours"
    done
  done
  echo "compiled from the packages alone: ${packages[*]}"
}

# syzygy [FOLDER]: compares the win, draw or loss of every position of every ending with the three-
# and four-man Syzygy tables in FOLDER (*.rtbw): 476 million positions, two to six minutes. Without
# FOLDER, the tables come from the source distribution of the Python package `chess`. That package
# is GPL-licensed. It is downloaded to the build folder only for this check, and no part of it is
# included in this project.
syzygy() {
  local folder=${1:-} download=$target/syzygy
  if [ -z "$folder" ]; then
    mkdir -p "$download"
    [ -e "$download/chess-1.11.2.tar.gz" ] ||
      python3 -m pip download chess==1.11.2 --no-binary :all: --no-deps --dest "$download" ||
      cannot "pip cannot download the Syzygy tables"
    tar -xzf "$download/chess-1.11.2.tar.gz" -C "$download" chess-1.11.2/data/syzygy/regular
    folder=$download/chess-1.11.2/data/syzygy/regular
  fi
  cargo run --release --manifest-path crates/endgame/peers/Cargo.toml \
    --target-dir "$target/peers" -- "$folder"
}

# miri [FILTER]: runs these tests in the interpreter Miri (an hour or more), or only the runner's
# trials whose names contain FILTER:
#   - every operation of every kernel up to AVX2 and GFNI, on a few boards in exactly sized buffers
#   - the library's unit tests of detection, geometry and drawing
#   - the functions of the C library
#   - the position parser
# Miri cannot run inline assembly (AVX-512, XOP, pext), signals, memory pages, child processes or C
# code. The endgame tables need C code (zstd), so they are not tested here; their crate has no
# unsafe code.
miri() {
  cargo +nightly miri --version > /dev/null 2>&1 ||
    cannot "needs Miri (rustup component add miri --toolchain nightly)"
  export MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-ignore-leaks ${MIRIFLAGS:-}"
  case $(rustc -vV) in
    # Miri cannot run CPUID, so only features enabled at compile time are detected.
    *'host: x86_64'*) export RUSTFLAGS="-Ctarget-feature=+avx2,+gfni ${RUSTFLAGS:-}" ;;
  esac
  local test=(cargo +nightly miri test --target-dir "$target/miri")
  "${test[@]}" -p setwise --test runner -- "${1:-}"
  [ $# -eq 0 ] || return 0
  # Run only these unit tests of the library, because the others take too long.
  "${test[@]}" -p setwise --lib -- detect:: geometry:: drawing::
  "${test[@]}" -p setwise-capi-functions
  "${test[@]}" -p setwise-positions --lib -- batch:: error:: fen:: placement::
  echo "Miri found nothing"
}

# sanitize [memcheck|address|thread]...: runs tests under Valgrind and a nightly compiler's
# sanitizers. memcheck: `runner` and `threats` (smallest budget) under Valgrind, which reports
# results that depend on memory that was never written. It runs no kernel with AVX-512. address:
# `runner` (every kernel, smallest budget) and `dispatch`, the library's unit tests, the loader, and
# the loader for nnue-pytorch. thread: `runner` and `dispatch`, and both loaders.
sanitize() {
  local host sanitizer library=(-p setwise --features lookup,techniques)
  host=$(rustc -vV | sed -n 's/^host: //p')
  [ $# -gt 0 ] || set -- memcheck address thread
  export SETWISE_TEST_BUDGET=tiny CARGO_PROFILE_TEST_DEBUG=line-tables-only
  for sanitizer; do
    echo "--- $sanitizer"
    case $sanitizer in
      memcheck)
        command -v valgrind > /dev/null || tools/install.sh valgrind || cannot "needs Valgrind"
        # Valgrind does not repeat the accesses of which `kernel_runs` handles the faults, and does
        # not follow the processes of `each_kernel`.
        cargo test -q "${library[@]}" --test runner --test threats \
          --config "target.$host.runner = ['valgrind', '-q', '--error-exitcode=1']" \
          -- --skip active::kernel_runs --skip active::each_kernel ;;
      # Leak detection is off, because the runner never frees its plan.
      address)
        ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}" \
          sanitized address "${library[@]}" --test runner --test dispatch --lib
        # The test that is left out forgets a pool of threads, as a forked process must.
        sanitized address -p setwise-loader -p setwise-nnue-pytorch --tests \
          -- --skip another_process_is_refused ;;
      # The standard library is rebuilt from rust-src. The toolchain's own is not instrumented, so
      # its locks and channels would be reported as races.
      thread)
        [ -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ] ||
          cannot "ThreadSanitizer needs rust-src (rustup component add rust-src --toolchain nightly)"
        # Tests always unwind. With another panic setting in the dev profile, cargo would build a
        # second, conflicting standard library.
        export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}" CARGO_PROFILE_DEV_PANIC=unwind
        sanitized thread "${library[@]}" -Zbuild-std --test runner --test dispatch
        sanitized thread -Zbuild-std -p setwise-loader -p setwise-nnue-pytorch --tests ;;
      *) usage "$sanitizer is none of memcheck, address, thread" ;;
    esac
  done
  echo "the sanitizers found nothing"
}

sanitized() { # SANITIZER ARGUMENT...
  has_nightly || cannot "needs a nightly toolchain (rustup toolchain install nightly)"
  # An explicit target keeps the sanitizer out of build scripts and macros.
  RUSTFLAGS="-Zsanitizer=$1" cargo +nightly test -q \
    --target "$(rustc -vV | sed -n 's/^host: //p')" --target-dir "$target/sanitize-$1" "${@:2}"
}

# generate: writes what is generated from the source: parts of the C headers, and the Python
# package's types. The types are read from the installed extension: this rebuilds the package in the
# environment that tools/python-test.sh creates.
generate() {
  cargo run -q -p setwise-capi-headers
  local venv=crates/python/target/venv/bin
  if [ -x $venv/python ]; then
    CARGO_TARGET_DIR=$PWD/crates/python/target $venv/pip install -q --no-deps ./crates/python
    $venv/python tools/python-stubs.py
  else
    echo "skipped: the Python package's types: run tools/python-test.sh first"
  fi
}

case $check in
  format | oldest-rust | features | bare-targets | other-targets | size | deny | \
    package | syzygy | miri | sanitize | generate) "$check" "$@" ;;
  *) usage "there is no check '$check'" ;;
esac
