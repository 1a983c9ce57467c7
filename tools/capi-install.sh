#!/usr/bin/env bash
# Builds the C library and installs it in the same layout as cargo-c: headers, static and dynamic
# library, files for pkg-config and CMake.
#
#   tools/capi-install.sh PREFIX
set -euo pipefail
[ $# = 1 ] || { echo "usage: tools/capi-install.sh PREFIX" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
. "$(dirname "$0")/common.sh"
cargo build --quiet --release -p setwise-capi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/share/cmake/setwise"
cp crates/capi/include/setwise.h crates/capi/include/setwise.hpp "$prefix/include/"
cp "$target/release/libsetwise.a" "$prefix/lib/"
case $(uname) in
  Darwin) cp "$target/release/libsetwise.dylib" "$prefix/lib/" ;;
  *) cp "$target/release/libsetwise.so" "$prefix/lib/" ;;
esac
cp crates/capi/cmake/setwise-config.cmake "$prefix/share/cmake/setwise/"
cat > "$prefix/lib/pkgconfig/setwise.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: setwise
Description: Set-wise slider attacks on chess bitboards
Version: $version
Libs: -L\${libdir} -lsetwise
Cflags: -I\${includedir}
PC
