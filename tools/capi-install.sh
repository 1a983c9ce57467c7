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
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
compatible=${version%.*} # Versions 0.x.y are compatible with the same 0.x.

cargo build --quiet --release -p setwise-capi
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/share/cmake/setwise"
cp crates/capi/include/*.h crates/capi/include/*.hpp "$prefix/include/"
cp crates/capi/cmake/*.cmake "$prefix/share/cmake/setwise/"
cp "$target/release/libsetwise.a" "$prefix/lib/"
# Rust's core library contains LLVM bitcode. With -flto, a linker with an older LLVM rejects it.
objcopy=$(command -v objcopy || command -v llvm-objcopy || true)
if [ "$(uname)" = Linux ] && [ -z "$objcopy" ]; then
  echo "capi-install.sh: no objcopy here: the static library keeps LLVM bitcode" >&2
elif [ "$(uname)" = Linux ]; then
  "$objcopy" --remove-section=.llvmbc --remove-section=.llvmcmd "$prefix/lib/libsetwise.a"
fi
if [ "$(uname)" = Darwin ]; then
  cp "$target/release/libsetwise.dylib" "$prefix/lib/"
else
  cargo rustc --quiet --release -p setwise-capi --crate-type cdylib -- \
    -Clink-arg="-Wl,-soname,libsetwise.so.$compatible"
  rm -f "$prefix"/lib/libsetwise.so*
  cp "$target/release/libsetwise.so" "$prefix/lib/libsetwise.so.$version"
  ln -s "libsetwise.so.$version" "$prefix/lib/libsetwise.so.$compatible"
  ln -s "libsetwise.so.$compatible" "$prefix/lib/libsetwise.so"
fi
# The paths in setwise.pc are relative to the file, so the installed tree can be moved. `Libs` names
# the static library, because with -lsetwise the linker would prefer the dynamic one.
cat > "$prefix/lib/pkgconfig/setwise.pc" <<PC
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: setwise
Description: Set-wise slider attacks on chess bitboards
Version: $version
Libs: \${libdir}/libsetwise.a
Cflags: -I\${includedir}
PC
